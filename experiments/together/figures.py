#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "together", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, the statistics of each combination of techniques, NAME/*/stats.json (tbrsim
sim). OUTPUT takes the tables (Markdown and CSV) and the plot (PNG).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (decrease, legend_above, listed_simulations, load_statistics, mean, new_plot, plot_bars, save, signed,  # noqa: E402
                     write_table, write_tables)

WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
COMBINATIONS = {"none": "none", "tcor": "TCOR", "boustro": "boustrophedonic", "nuca": "DTM-NUCA",
                "tcor+boustro": "TCOR, boustrophedonic", "tcor+nuca": "TCOR, DTM-NUCA",
                "boustro+nuca": "boustrophedonic, DTM-NUCA", "tcor+boustro+nuca": "all three"}
TECHNIQUES = {key: title for key, title in COMBINATIONS.items() if key != "none"}
UNITS = {"l2": "L2 accesses", "dram": "memory accesses"}
# What the techniques do to the accesses to memory of these streams.
PARTS = {"Parameter Buffer": ("pb_list", "pb_attribute"), "textures": ("texture",)}
OF_PARTS = ["none", "tcor", "boustro", "tcor+boustro", "tcor+boustro+nuca"]


def simulations(directory):
    """The frames that count, by combination."""
    return {key: load_statistics(its["directory"])["frames"][WARM_UP:]
            for key, its in zip(COMBINATIONS, listed_simulations(directory), strict=True)}


def accesses(frames, unit, streams=("total",)):
    """A unit's reads and writes per frame."""
    return mean(sum(frame[f"{unit}.{stream}.{event}"] for stream in streams for event in ("reads", "writes"))
                for frame in frames)


def changes(capture, unit):
    """Per cent less than without any, for each combination."""
    return [decrease(accesses(capture["none"], unit), accesses(capture[key], unit)) for key in TECHNIQUES]


def main(results, output, names):
    output.mkdir(parents=True, exist_ok=True)
    captures = {name: simulations(results / name) for name in names}
    averages = {}
    for unit, title in UNITS.items():
        rows = {name: changes(capture, unit) for name, capture in captures.items()}
        averages[unit] = [mean(values) for values in zip(*rows.values())]
        write_table(output, unit, ["capture", f"{title} a frame", *TECHNIQUES.values()],
                    [*([name, f"{accesses(captures[name]['none'], unit):.0f}", *map(signed, row)]
                       for name, row in rows.items()), ["**average**", "", *map(signed, averages[unit])]])
    write_table(output, "together", ["average of the captures", *TECHNIQUES.values()],
                [[title, *map(signed, averages[unit])] for unit, title in UNITS.items()])
    write_table(output, "parts", ["capture", *(f"{part}, {COMBINATIONS[key]}" for part in PARTS for key in OF_PARTS)],
                [[name, *(f"{accesses(capture[key], 'dram', streams):.0f}" for streams in PARTS.values()
                          for key in OF_PARTS)] for name, capture in captures.items()])
    figure, axes = new_plot("TCOR, boustrophedonic frames and DTM-NUCA together, average of the captures",
                            "decrease, %", width=9.0)
    plot_bars(axes, list(TECHNIQUES.values()), {title: averages[unit] for unit, title in UNITS.items()})
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "together")
    write_tables(output)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
