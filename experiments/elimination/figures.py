#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "elimination", from what its Snakefile ran.

usage: figures.py [--headlines] RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, the statistics of each configuration, NAME/*/stats.json (tbrsim sim). OUTPUT takes the
tables (Markdown and CSV), the headline claims and the plots (PNG).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (decrease, run_figures, label_captures, legend_above, listed_simulations, load_statistics, mean, new_plot,  # noqa: E402
                     number, plot_bars, save, share, signed, write_headlines, write_table, write_tables)

WARM_UP = 4  # frames that are not counted: the first loads textures; there are three buffers at most
CONFIGURATIONS = ["none", "stores", "tiles", "both", "one buffer", "three buffers", "slow unit"]
TITLES = {"stores": "transaction elimination", "tiles": "rendering elimination", "both": "both"}
BUFFERS = {"one buffer": "one buffer", "tiles": "two", "three buffers": "three"}
# What the abstract claims: speed-up, energy of the GPU and memory.
SPEEDUP, ENERGY = 1.74, -43.0


def simulations(directory):
    """The frames that count, by configuration."""
    return {key: load_statistics(its["directory"])["frames"][WARM_UP:]
            for key, its in zip(CONFIGURATIONS, listed_simulations(directory), strict=True)}


def total(frames, *counters):
    return sum(frame.get(counter, 0) for frame in frames for counter in counters)


def traffic(frames, stream="total"):
    return total(frames, f"dram.{stream}.read_bytes", f"dram.{stream}.write_bytes")


def color(frames):
    return traffic(frames, "color")


def cycles(frames):
    return total(frames, "gpu.cycles")


def energy(frames):
    return total(frames, "energy.system.total")


def skipped(frames):
    return share(total(frames, "rendering_elimination.skipped"),
                 total(frames, "rendering_elimination.skipped", "tiling_engine.tiles"))


def check(captures):
    for name, its in captures.items():
        wrong = sum(total(frames, "rendering_elimination.wrong") for frames in its.values())
        if wrong:
            sys.exit(f"{name}: {wrong} tiles were skipped that had changed")


def write_changes(output, captures, table, of):
    """Per cent less than without elimination."""
    changes = {name: [decrease(of(its["none"]), of(its[key])) for key in TITLES] for name, its in captures.items()}
    write_table(output, table, ["capture", *TITLES.values()],
                [*([name, *map(signed, row)] for name, row in changes.items()),
                 ["**average**", *(signed(mean(values)) for values in zip(*changes.values()))]])


def write_tiles(output, captures):
    rows = {name: [share(total(its["stores"], "transaction_elimination.eliminated"),
                         total(its["stores"], "transaction_elimination.compared")),
                   *(skipped(its[key]) for key in BUFFERS)] for name, its in captures.items()}
    write_table(output, "tiles", ["capture", "tiles a frame", "not stored, two buffers, %",
                                  *(f"not drawn, {title}, %" for title in BUFFERS.values())],
                [*([name, f"{mean(frame['tiling_engine.tiles'] for frame in captures[name]['none']):.0f}", *map(number, row)]
                   for name, row in rows.items()),
                 ["**average**", "", *(number(mean(values)) for values in zip(*rows.values()))]])
    figure, axes = new_plot("Tiles that are not stored, or not drawn, two buffers", "% of the tiles", width=9.0)
    plot_bars(axes, list(captures), {TITLES["stores"]: [row[0] for row in rows.values()],
                                     TITLES["tiles"]: [row[2] for row in rows.values()]})
    label_captures(axes, list(captures))
    legend_above(axes)
    save(figure, output, "tiles")


def write_unit(output, captures):
    """What the Signature Unit costs."""
    write_table(output, "signature-unit", ["capture", "updates a tile", "cycles of work, %", "cycles with a slower unit, %"],
                [[name, number(total(its["tiles"], "rendering_elimination.updates")
                               / max(1, total(its["tiles"], "rendering_elimination.compared"))),
                  number(share(total(its["tiles"], "signature_unit.cycles"), cycles(its["tiles"]))),
                  signed(decrease(cycles(its["tiles"]), cycles(its["slow unit"])))] for name, its in captures.items()])


def main(results, output, names, only_headlines):
    output.mkdir(parents=True, exist_ok=True)
    captures = {name: simulations(results / name) for name in names}
    check(captures)
    write_headlines(output, [
        ("speed-up, times", SPEEDUP, {name: cycles(its["none"]) / cycles(its["tiles"]) for name, its in captures.items()}),
        ("energy, GPU and memory, %", ENERGY, {name: -decrease(energy(its["none"]), energy(its["tiles"]))
                                               for name, its in captures.items()})])
    if only_headlines:
        return
    write_tiles(output, captures)
    for table, of in {"memory": traffic, "colour": color, "cycles": cycles, "energy": energy}.items():
        write_changes(output, captures, table, of)
    write_unit(output, captures)
    write_tables(output)


if __name__ == "__main__":
    run_figures(__doc__, main)
