# SPDX-License-Identifier: MIT
"""Measures what simulated hardware costs the simulation: configurations against plainer ones of the same run, live
and from a recording, over captures. Writes bench/CONFIGURATIONS.md."""

import dataclasses
import pathlib
import sys
import tempfile

from bench import geometric_mean, machine, measure_once
from captures import measure_captures
from recordings import simulate

RESULTS = pathlib.Path(__file__).with_name("CONFIGURATIONS.md")


@dataclasses.dataclass
class Comparison:
    """A configuration, what it is compared with, and whether live runs are compared, too. hidden: it needs a recording
    with hidden fragments; clock: by the clock, as time is simulated on a thread of its own."""
    title: str
    configuration: list
    plainer: list
    live: bool = False
    hidden: bool = False
    clock: bool = False


COMPARISONS = [
    Comparison("TCOR / LRU Tile Cache", ["--config", "tcor-64k"], ["--config", "tcor-baseline-64k"], live=True),
    Comparison("GSPC / LRU in the L2", ["--set", "caches.l2.policy=gspc", "--set", "caches.l2.banks=4"],
               ["--set", "caches.l2.policy=lru"]),
    Comparison("recursive Z / linear", ["--config", "tcor-baseline-64k", "--set", "texture.placement=rz"],
               ["--config", "tcor-baseline-64k"]),
    *(Comparison(f"{title} / traditional texture cache", ["--config", f"banked-{preset}"], ["--config", "banked-traditional"])
      for title, preset in (("wide bus", "wide"), ("banked v1", "continuous"), ("banked v2", "interleaved"))),
    Comparison("private NUCA / no NUCA", ["--config", "nuca-private"],
               ["--config", "nuca-private", "--set", "nuca.organisation=none"]),
    *(Comparison(f"{title} / private NUCA", ["--config", f"nuca-{preset}"], ["--config", "nuca-private"])
      for title, preset in (("S-NUCA", "static"), ("D-NUCA", "dynamic"), ("DTM-NUCA", "dtm"),
                            ("DTM-NUCA-Dist", "dtm-distributed"))),
    Comparison("immediate mode / tile-based", ["--config", "imr-8m"],
               ["--config", "tcor-baseline-64k", "--set", "mode=tbr"], hidden=True),
    Comparison("GSPC / LRU in the LLC", ["--config", "imr-8m", "--set", "llc.policy=gspc"],
               ["--config", "imr-8m", "--set", "llc.policy=lru"], hidden=True),
    *(Comparison(f"attribution by {parts} / none, {preset}", ["--config", preset, "--attribute", parts],
                 ["--config", preset], live=preset == "tcor-64k", hidden=preset.startswith("imr"))
      for preset in ("tcor-64k", "imr-8m") for parts in ("pass,draw", "pass,draw,texture,tile")),
    *(Comparison(f"cycles / none, {preset}", ["--config", preset, "--set", "timing=on"], ["--config", preset],
                 hidden=preset.startswith("imr"), clock=True) for preset in ("tcor-64k", "nuca-dtm", "imr-8m")),
]


def record(arguments, workload, recording, *options):
    if not measure_once(arguments, workload, ["--record", str(recording), *options]):
        sys.exit(f"bench: {workload.name} failed")


def live_ratio(arguments, workload, comparison):
    """Time of the program with the configuration, next to that with the plainer one: the best of the rounds, in turn."""
    best = [0, 0]
    for _ in range(arguments.rounds):
        for place, options in enumerate((comparison.configuration, comparison.plainer)):
            once = measure_once(arguments, workload, options)
            if not once:
                sys.exit(f"bench: {workload.name} failed")
            best[place] = max(best[place], once.speed)
    return best[1] / best[0]


def offline_ratio(arguments, recording, out, comparison):
    """The same of processor time of `tbrsim sim`, or of the clock's."""
    cost, plainer = (simulate(arguments, recording, out, "--jobs", "1", *options)[comparison.clock]
                     for options in (comparison.configuration, comparison.plainer))
    return cost / plainer


def measure(arguments, workload):
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory) / "out"
        recordings = [pathlib.Path(directory) / "plain.tbr", pathlib.Path(directory) / "hidden.tbr"]
        record(arguments, workload, recordings[False], "--record-visible")
        record(arguments, workload, recordings[True])
        row = []
        for comparison in COMPARISONS:
            if comparison.live:
                row.append(live_ratio(arguments, workload, comparison))
            row.append(offline_ratio(arguments, recordings[comparison.hidden], out, comparison))
    print(f"{workload.name:20}" + " ".join(f"{value:8.2f}" for value in row), flush=True)
    return row


def columns():
    for comparison in COMPARISONS:
        if comparison.live:
            yield f"{comparison.title}, live"
        yield f"{comparison.title}, offline" + (", by the clock" if comparison.clock else "")


def report(arguments, rows):
    heads = ["capture", *columns()]
    lines = ["# Configurations", "",
             "What simulated hardware costs the simulation: time with it / time with the plainer configuration. Live: of"
             " the program,", "by its frames per second. Offline: processor time of `tbrsim sim` on one core, reading and"
             " decoding included; or the", "clock's, where the simulation has two threads."
             f" The best of {arguments.rounds}.", "",
             f"Machine: {machine()}.", "", "| " + " | ".join(heads) + " |", "| --- |" + " ---: |" * (len(heads) - 1)]
    lines += [f"| {name} | " + " | ".join(f"{value:.2f}" for value in row) + " |" for name, row in rows.items()]
    means = [f"**{geometric_mean(values):.2f}**" for values in zip(*rows.values())]
    lines.append("| **geometric mean** | " + " | ".join(means) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    measure_captures(__doc__, RESULTS, measure, report)
