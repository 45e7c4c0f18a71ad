#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "performance", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, the statistics of simulations with timing, KIND/NAME/*/stats.json. OUTPUT takes
the tables (Markdown and CSV) and the plots (PNG).
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (legend_above, load_statistics, mean, new_plot, number, plot_bars, save,  # noqa: E402
                     share, write_table)

WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
SIZES = ["64k", "128k"]
NUCA = ["nuca-dynamic", "nuca-dtm", "nuca-dtm-distributed"]
POLICIES = ["nru", "gs-drrip", "gspc", "opt"]
LAST_LEVELS = {"8m": "8 MiB", "16m": "16 MiB", "1m": "1 MiB"}
# The papers' averages, per cent; primitives per cycle as a ratio.
PAPER = {
    "fetcher": {"64k": 5.0, "128k": 5.0},
    "fps": {"64k": 3.7, "128k": 3.7},
    "hierarchy": {"64k": -14.1, "128k": -13.6},
    "hierarchy-no-l2": {"64k": -9.0, "128k": -9.0},
    "system": {"64k": -5.6, "128k": -5.3},
    "boustrophedonic": {"speed-up": 2.0, "hierarchy": -9.9, "system": -2.6},
    "nuca-speed-up": {"nuca-dynamic": -22.0, "nuca-dtm": 16.9, "nuca-dtm-distributed": 15.7},
    "nuca-energy": {"nuca-dynamic": 4.0, "nuca-dtm": -6.9, "nuca-dtm-distributed": -7.6},
    "gspc": {"8m": {"nru": -7.0, "gs-drrip": 0.8, "gspc": 8.0}, "16m": {"nru": -3.0, "gs-drrip": 4.0, "gspc": 11.8}},
}


class Run:
    """One simulation: the frames that count."""

    def __init__(self, path):
        statistics = load_statistics(path)
        self.configuration = statistics["run"]["configuration"]
        self.preset = statistics["run"]["preset"]
        self.frames = statistics["frames"][WARM_UP:]

    def total(self, counter):
        """Of the frames that count; 0 where there is no such counter."""
        return sum(frame.get(counter, 0) for frame in self.frames)

    def cycles(self):
        return self.total("gpu.cycles")

    def energy(self, group):
        return self.total(f"energy.{group}.total")

    def fetched_per_cycle(self):
        cycles = self.total("tile_fetcher.cycles")
        return self.total("tile_fetcher.primitives") / cycles if cycles else math.nan

    def frames_per_second(self):
        time = self.total("gpu.time")
        return 1e9 * len(self.frames) / time if time else math.nan


def change(after, before):
    """By how many per cent of `before` it is more."""
    return 100 * (after / before - 1) if before else math.nan


def percent(value):
    return "–" if math.isnan(value) else f"{value:+.1f}"


class Capture:
    def __init__(self, results, name):
        self.name = name
        self.runs = {}
        for kind in sorted(path.name for path in results.iterdir() if path.is_dir()):
            for path in sorted((results / kind / name).glob("*/stats.json")):
                run = Run(path)
                policy = run.configuration["caches"].get("llc", {}).get("policy")
                self.runs[kind, policy or run.preset] = run

    def run(self, kind, which):
        return self.runs[kind, which]

    def speed_up(self, kind, which, base):
        return change(self.run(kind, base).cycles(), self.run(kind, which).cycles())

    def energy(self, kind, which, base, group):
        return change(self.run(kind, which).energy(group), self.run(kind, base).energy(group))


def averages(rows, columns):
    """Of the captures' values, column by column."""
    return [mean([row[column] for row in rows]) for column in range(columns)]


def write_changes(output, name, captures, columns, paper):
    """A table of percentages: columns are (title, function of a capture)."""
    values = [[function(capture) for _, function in columns] for capture in captures]
    rows = [[capture.name, *map(percent, row)] for capture, row in zip(captures, values)]
    means = averages(values, len(columns))
    rows.append(["**average**", *map(percent, means)])
    if paper:
        rows.append(["the paper's average", *("–" if value is None else percent(value) for value in paper)])
    write_table(output, name, ["capture", *(title for title, _ in columns)], rows)
    return means


def write_tcor(captures, output):
    columns, paper = [], []
    for size in SIZES:
        base = f"tcor-baseline-{size}"
        columns += [
            (f"FPS, {size}", lambda c, s=size, b=base: c.speed_up("tcor", f"tcor-{s}", b)),
            (f"memory hierarchy, {size}", lambda c, s=size, b=base: c.energy("tcor", f"tcor-{s}", b, "memory_hierarchy")),
            (f"the same, no L2 part, {size}",
             lambda c, s=size, b=base: c.energy("tcor", f"tcor-{s}-no-l2", b, "memory_hierarchy")),
            (f"all, {size}", lambda c, s=size, b=base: c.energy("tcor", f"tcor-{s}", b, "system")),
        ]
        paper += [PAPER[key][size] for key in ("fps", "hierarchy", "hierarchy-no-l2", "system")]
    return write_changes(output, "tcor", captures, columns, paper)


def write_fetcher(captures, output):
    header = ["capture", *(f"{kind}, {size}" for size in SIZES for kind in ("baseline", "TCOR", "ratio"))]
    rows, ratios = [], {size: [] for size in SIZES}
    for capture in captures:
        row = [capture.name]
        for size in SIZES:
            base = capture.run("fetcher", f"tcor-baseline-{size}").fetched_per_cycle()
            tcor = capture.run("fetcher", f"tcor-{size}").fetched_per_cycle()
            ratio = tcor / base if base else math.nan
            ratios[size].append(ratio)
            row += [number(base, 3), number(tcor, 3), number(ratio, 2)]
        rows.append(row)
    means = {size: mean(ratios[size]) for size in SIZES}
    rows.append(["**average**", *(cell for size in SIZES for cell in ("", "", number(means[size], 2)))])
    rows.append(["the paper's average", *(cell for size in SIZES for cell in ("", "", number(PAPER["fetcher"][size])))])
    write_table(output, "fetcher", header, rows)
    figure, axes = new_plot("Primitives that the Tile Fetcher puts out per cycle, unlimited queue, 64 KiB",
                            "primitives a cycle")
    plot_bars(axes, [capture.name for capture in captures],
              {kind: [capture.run("fetcher", preset).fetched_per_cycle() for capture in captures]
               for kind, preset in (("baseline", "tcor-baseline-64k"), ("TCOR", "tcor-64k"))})
    legend_above(axes)
    save(figure, output, "fetcher")
    return means


def write_boustrophedonic(captures, output):
    columns = [("speed-up", lambda c: c.speed_up("boustrophedonic", "boustro-ro", "boustro-fo"))]
    columns += [(title, lambda c, g=group: c.energy("boustrophedonic", "boustro-ro", "boustro-fo", g))
                for title, group in (("memory hierarchy", "memory_hierarchy"), ("all", "system"))]
    return write_changes(output, "boustrophedonic", captures, columns,
                         [PAPER["boustrophedonic"][key] for key in ("speed-up", "hierarchy", "system")])


def write_nuca(captures, output, kind):
    columns = [(f"speed-up, {nuca[5:]}", lambda c, n=nuca: c.speed_up(kind, n, "nuca-private")) for nuca in NUCA]
    columns += [(f"energy, {nuca[5:]}", lambda c, n=nuca: c.energy(kind, n, "nuca-private", "system"))
                for nuca in NUCA]
    paper = [PAPER[key][nuca] for key in ("nuca-speed-up", "nuca-energy") for nuca in NUCA]
    write_where_requests_go(captures, output, kind)
    return write_changes(output, kind, captures, columns, paper)


def write_where_requests_go(captures, output, kind):
    """Hits in the own cache, hits in others', and what the mesh makes of it."""
    header = ["capture", "private: requests a cycle", "hits, %"]
    for nuca in NUCA[1:]:
        header += [f"{nuca[5:]}: own hits, %", "others', %", "cycles in queues of the mesh, a request"]
    rows = []
    for capture in captures:
        private = capture.run(kind, "nuca-private")
        requests = private.total("nuca.requests")
        row = [capture.name, number(requests / private.cycles(), 2), number(share(private.total("nuca.local_hits"), requests))]
        for nuca in NUCA[1:]:
            run = capture.run(kind, nuca)
            row += [number(share(run.total("nuca.local_hits"), requests)), number(share(run.total("nuca.remote_hits"), requests)),
                    number(run.total("mesh.wait_cycles") / requests if requests else math.nan)]
        rows.append(row)
    write_table(output, f"{kind}-requests", header, rows)


def write_last_level(captures, output, kind):
    columns = [(policy, lambda c, p=policy: c.speed_up(f"gspc-{kind}", p, "drrip")) for policy in POLICIES]
    paper = [PAPER["gspc"].get(kind, {}).get(policy) for policy in POLICIES]
    return write_changes(output, f"gspc-{kind}", captures, columns, paper if any(paper) else None)


def write_where_time_goes(captures, output):
    """Of the baseline: what its stages did, and memory."""
    stages = ["tile_fetcher", "rasterizer", "fragment_processors", "blending_unit", "tile_buffers"]
    header = ["capture", "Mcycles a frame", "FPS", *(f"{stage.replace('_', ' ')} busy, %" for stage in stages),
              "DRAM's bus busy, %", "row hits, %", "read latency, cycles of DRAM", "GB/s"]
    rows = []
    for capture in captures:
        run = capture.run("tcor", "tcor-baseline-64k")
        cycles = run.cycles()
        units = {"fragment_processors": run.configuration["fragment_stage"]["processors"]}
        busy = [share(run.total(f"{stage}.busy_cycles"), cycles * units.get(stage, 1)) for stage in stages]
        bursts = [run.total(f"dram_system.{event}") for event in ("row_hits", "row_misses", "row_conflicts")]
        moved = sum(value for frame in run.frames for name, value in frame.items()
                    if name.startswith("dram.total.") and name.endswith("_bytes"))
        time = run.total("gpu.time")
        rows.append([capture.name, number(cycles / len(run.frames) / 1e6, 2), number(run.frames_per_second(), 0),
                     *(number(value) for value in busy),
                     number(share(run.total("dram_system.busy_cycles"), run.total("dram_system.channel_cycles"))),
                     number(share(bursts[0], sum(bursts))),
                     number(run.total("dram_system.read_latency_cycles") / max(run.total("dram_system.reads"), 1)),
                     number(moved / time if time else math.nan, 2)])
    write_table(output, "time", header, rows)


def write_energies(captures, output):
    """Of the baseline: where energy goes."""
    groups = [("caches", lambda run: run.energy("memory_hierarchy") - dram_energy(run)), ("DRAM", dram_energy),
              ("all else", lambda run: run.energy("system") - run.energy("memory_hierarchy"))]
    rows = []
    for capture in captures:
        run = capture.run("tcor", "tcor-baseline-64k")
        whole = run.energy("system")
        rows.append([capture.name, number(whole / len(run.frames) / 1e9, 2),
                     *(number(share(function(run), whole)) for _, function in groups)])
    write_table(output, "energy", ["capture", "mJ a frame", *(f"{name}, %" for name, _ in groups)], rows)


def dram_energy(run):
    return run.total("energy.dram.dynamic") + run.total("energy.dram.static")


def main():
    results, output = map(pathlib.Path, sys.argv[1:3])
    output.mkdir(parents=True, exist_ok=True)
    captures = [Capture(results, name) for name in sys.argv[3:]]
    captures.sort(key=lambda capture: capture.run("tcor", "tcor-baseline-64k").cycles())
    write_where_time_goes(captures, output)
    write_energies(captures, output)
    fetcher = write_fetcher(captures, output)
    tcor = write_tcor(captures, output)
    boustrophedonic = write_boustrophedonic(captures, output)
    nuca = write_nuca(captures, output, "nuca")
    write_nuca(captures, output, "nuca-blocks")
    last_levels = {kind: write_last_level(captures, output, kind) for kind in LAST_LEVELS}
    rows = [[f"Tile Fetcher's primitives per cycle, TCOR / baseline, {size}", number(PAPER["fetcher"][size]),
             number(fetcher[size], 2)] for size in SIZES]
    for place, (title, key) in enumerate((("FPS", "fps"), ("memory hierarchy energy", "hierarchy"),
                                          ("the same without the L2 part", "hierarchy-no-l2"), ("all energy", "system"))):
        rows += [[f"TCOR, {title}, {size}", percent(PAPER[key][size]), percent(tcor[4 * number_of_size + place])]
                 for number_of_size, size in enumerate(SIZES)]
    rows += [[f"boustrophedonic frames, {title}", percent(PAPER["boustrophedonic"][key]), percent(value)]
             for (title, key), value in zip((("speed-up", "speed-up"), ("memory hierarchy energy", "hierarchy"),
                                             ("all energy", "system")), boustrophedonic)]
    for place, (title, key) in enumerate((("speed-up", "nuca-speed-up"), ("energy", "nuca-energy"))):
        rows += [[f"{kind[5:]} NUCA, {title}", percent(PAPER[key][kind]), percent(nuca[3 * place + n])]
                 for n, kind in enumerate(NUCA)]
    for kind, values in last_levels.items():
        paper = PAPER["gspc"].get(kind, {})
        rows += [[f"{policy} against DRRIP, {LAST_LEVELS[kind]}, frame rate",
                  percent(paper[policy]) if policy in paper else "–", percent(value)]
                 for policy, value in zip(POLICIES, values)]
    write_table(output, "summary", ["what", "paper", "here"], rows)


if __name__ == "__main__":
    main()
