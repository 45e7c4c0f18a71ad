#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "together", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each combination of techniques and each capture NAME, COMBINATION/NAME/stats.json (tbrsim
sim). OUTPUT takes the tables (Markdown and CSV) and the plot (PNG).
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (decrease, legend_above, load_statistics, mean, new_plot, plot_bars, save, signed,  # noqa: E402
                     write_table)

WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
COMBINATIONS = {"tcor": "TCOR", "boustro": "boustrophedonic", "nuca": "DTM-NUCA",
                "tcor+boustro": "TCOR, boustrophedonic", "tcor+nuca": "TCOR, DTM-NUCA",
                "boustro+nuca": "boustrophedonic, DTM-NUCA", "tcor+boustro+nuca": "all three"}
UNITS = {"l2": "L2 accesses", "dram": "memory accesses"}


def accesses(results, combination, name, unit):
    """A unit's reads and writes a frame, over the frames that count."""
    frames = load_statistics(results / combination / name)["frames"][WARM_UP:]
    return mean(frame[f"{unit}.total.reads"] + frame[f"{unit}.total.writes"] for frame in frames)


def changes(results, name, unit):
    """Per cent less than without any, for each combination."""
    base = accesses(results, "none", name, unit)
    return [decrease(base, accesses(results, combination, name, unit)) for combination in COMBINATIONS]


def main(results, output, names):
    output.mkdir(parents=True, exist_ok=True)
    averages = {}
    for unit, title in UNITS.items():
        rows = {name: changes(results, name, unit) for name in names}
        averages[unit] = [mean(values) for values in zip(*rows.values())]
        write_table(output, unit, ["capture", f"{title} a frame", *COMBINATIONS.values()],
                    [*([name, f"{accesses(results, 'none', name, unit):.0f}", *map(signed, row)]
                       for name, row in rows.items()), ["**average**", "", *map(signed, averages[unit])]])
    write_table(output, "together", ["average of the captures", *COMBINATIONS.values()],
                [[title, *map(signed, averages[unit])] for unit, title in UNITS.items()])
    figure, axes = new_plot("TCOR, boustrophedonic frames and DTM-NUCA together, average of the captures",
                            "decrease, %", width=9.0)
    plot_bars(axes, list(COMBINATIONS.values()), {title: averages[unit] for unit, title in UNITS.items()})
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "together")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
