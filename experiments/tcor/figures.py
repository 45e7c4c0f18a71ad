#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "TCOR", from what its Snakefile ran.

usage: figures.py [--headlines] RESULTS OUTPUT NAME…

NAMES with a comma are scenes with other values: "sniper_3d,overdraw=3".

RESULTS holds, for each capture NAME, the statistics of simulations, KIND/NAME/*/stats.json (tbrsim sim; configurations.py
has the kinds), and miss curves, sweep/NAME-KIND.csv (tbrsim sweep). OUTPUT takes the
tables (Markdown and CSV) and the plots (PNG).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from captures import CLASSES, Capture, Run  # noqa: E402
from curves import write_curves  # noqa: E402
from energy import contributions_table, hierarchy, system, write_energy  # noqa: E402
from fetcher import write_fetcher  # noqa: E402
from scenes import write_scenes  # noqa: E402
from support import run_figures, mean, of_each, signed, write_headlines, write_table, write_tables  # noqa: E402
from traffic import COUNTS, memory_parts_table, write_traffic  # noqa: E402


# L2 and memory accesses of the Parameter Buffer, all memory accesses, energy of the hierarchy and of all, per cent.
PAPER = {"64k": (-33.5, -93.0, -13.9, -14.1, -5.6), "128k": (-37.1, -94.1, -13.3, -13.6, -5.3)}


def classes_table(captures):
    """Averages by the size of a frame's Parameter Buffer, 64 KiB."""
    rows = []
    for title, belongs in {**CLASSES, "all captures": lambda capture: True}.items():
        some = [capture for capture in captures if belongs(capture)]
        rows.append([title, len(some), *(signed(mean(capture.change(of, "tcor-64k") for capture in some))
                                         for of in COUNTS.values()),
                     *(signed(mean(capture.timed_change(of, f"tcor-64k{kind}", "64k") for capture in some))
                       for of, kind in ((hierarchy, "-no-l2"), (hierarchy, ""), (system, ""), (Run.frames_per_second, "")))])
    rows.append(["the paper", 10, "-33.5", "-93.0", "-13.9", "-9.0", "-14.1", "-5.6", "+3.7"])
    return ["Parameter Buffer a frame", "captures", *COUNTS, "hierarchy's energy, no L2 part", "hierarchy's energy",
            "all energy", "frames per second"], rows


def headlines(captures):
    """Of the captures whose Parameter Buffer is as large as the paper's."""
    some = [capture for capture in captures if capture.is_like_paper()]
    for size, claims in PAPER.items():
        for (what, of), paper in zip(COUNTS.items(), claims):
            yield (f"accesses, {what}, {size}, %", paper,
                   of_each(some, lambda c, of=of, s=size: -c.change(of, f"tcor-{s}", f"tcor-baseline-{s}")))
        for (what, of), paper in zip((("hierarchy", hierarchy), ("all", system)), claims[len(COUNTS):]):
            yield (f"energy, {what}, {size}, %", paper,
                   of_each(some, lambda c, of=of, s=size: -c.timed_change(of, f"tcor-{s}", s)))
    yield "frames per second, 64k, %", 3.7, of_each(some, lambda c: -c.timed_change(Run.frames_per_second, "tcor-64k", "64k"))
    yield ("primitives per cycle of the Tile Fetcher, times", 5.0,
           of_each(some, lambda c: c.timed("fetcher", "tcor-64k").fetched_per_cycle()
                   / c.timed("fetcher", "tcor-baseline-64k").fetched_per_cycle()))


def main(results, output, names, only_headlines):
    output.mkdir(parents=True, exist_ok=True)
    captures, altered = (sorted((Capture(results, name) for name in names if ("," in name) == is_altered),
                                key=lambda capture: capture.footprint) for is_altered in (False, True))
    write_headlines(output, headlines(captures))
    if only_headlines:  # of a set of assumptions: by part, what the changes are made of
        write_table(output, "memory-parts", *memory_parts_table(captures))
        write_table(output, "energy-parts", *contributions_table(captures, "tcor-64k"))
        write_tables(output)
        return
    write_table(output, "classes", *classes_table(captures))
    write_traffic(output, captures)
    write_curves(output, captures)
    write_fetcher(output, captures)
    write_energy(output, captures)
    if (results / "all-choices").is_dir():
        write_scenes(output, captures, altered)
    write_tables(output)


if __name__ == "__main__":
    run_figures(__doc__, main)
