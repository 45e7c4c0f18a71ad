# SPDX-License-Identifier: MIT
"""What the experiments' tables and plots share."""
import csv
import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from tbrsim.files import (load as load_statistics, read_json as load, read_table,  # noqa: E402,F401
                          simulations as listed_simulations)

COLORS = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#9c755f"]


def mean(values):
    """The average of those that are numbers."""
    values = [value for value in values if not math.isnan(value)]
    return sum(values) / len(values) if values else math.nan


def share(part, whole):
    return 100 * part / whole if whole else 0.0


def decrease(before, after):
    """By how many per cent of `before` it is less; not a number where there was nothing."""
    return share(before - after, before) if before else math.nan


_tables = []


def write_table(output, name, header, rows):
    _tables.append(name)
    with open(output / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    with open(output / f"{name}.md", "w", encoding="utf-8") as file:
        file.write("| " + " | ".join(header) + " |\n")
        file.write("| --- |" + " ---: |" * (len(header) - 1) + "\n")
        for row in rows:
            file.write("| " + " | ".join(str(cell) for cell in row) + " |\n")


def of_each(captures, function):
    """{name: value}, for a claim."""
    return {capture.name: function(capture) for capture in captures}


def claimed(claim, value):
    """A claim's value as text: changes, whose claims end in ", %", have a sign."""
    return f"{value:{'+' if claim.endswith(', %') else ''}.1f}".replace("-", "−")


def write_headlines(output, claims):
    """What the paper claims first: (claim, the paper's value, {workload: ours}), of which the table has the average; and
    headlines.json, for page.py."""
    claims = list(claims)
    rows = [[claim, claimed(claim, paper), claimed(claim, mean(ours.values()))] for claim, paper, ours in claims]
    write_table(output, "headlines", ["claim", "paper", "here"], rows)
    with open(output / "headlines.json", "w", encoding="utf-8") as file:
        json.dump([{"claim": claim, "paper": paper, "here": {name: None if math.isnan(value) else value
                                                             for name, value in ours.items()}}
                   for claim, paper, ours in claims], file, indent=1)


def headlines_only(arguments):
    """Takes --headlines out of a command's arguments: whether it is there."""
    only = "--headlines" in arguments
    if only:
        arguments.remove("--headlines")
    return only


def run_figures(usage, main, paths=2):
    """The command of a paper's figures: main gets so many paths, the list of names, and whether to write headlines alone."""
    only = headlines_only(sys.argv)
    if len(sys.argv) < paths + 2:
        sys.exit(usage)
    main(*(pathlib.Path(path) for path in sys.argv[1:paths + 1]), sys.argv[paths + 1:], only)


def write_tables(output):
    """All tables that were written, in one file, which docs/experiments/ keeps (tables.py)."""
    with open(output / "tables.md", "w", encoding="utf-8") as file:
        for name in _tables:
            file.write(f"## {name}\n\n{(output / name).with_suffix('.md').read_text(encoding='utf-8')}\n")


def number(value, digits=1):
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def signed(value):
    """A decrease as the paper writes changes: less is negative."""
    if math.isnan(value):
        return "–"
    return f"{-value:+.1f}" if abs(value) >= 0.05 else "0.0"


def change(value):
    """A change in per cent; nothing where there is none to compare with."""
    if value is None:
        return ""
    if math.isnan(value):
        return "–"
    return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0.0"


def new_plot(title, ylabel, width=8.0, height=3.4):
    figure, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
    axes.set_title(title, fontsize=10)
    axes.set_ylabel(ylabel, fontsize=9)
    axes.tick_params(labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def legend_above(axes):
    """One line of labels between the title and the plot."""
    labels = axes.get_legend_handles_labels()[1]
    axes.set_title(axes.get_title(), fontsize=10, pad=24)
    axes.legend(fontsize=8, ncols=len(labels), frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0),
                borderaxespad=0.2, columnspacing=1.2, handlelength=1.4)


def save(figure, output, name):
    figure.savefig(output / f"{name}.png", dpi=100)
    pyplot.close(figure)


def label_captures(axes, names):
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right", fontsize=8)
    axes.set_xlim(-0.6, len(names) - 0.4)


def plot_bars(axes, names, series):
    """Bars side by side: series is {label: a value for each name}."""
    width = 0.8 / len(series)
    for number, (label, values) in enumerate(series.items()):
        places = [place - 0.4 + width * (number + 0.5) for place in range(len(names))]
        axes.bar(places, values, width, label=label, color=COLORS[number % len(COLORS)])
    label_captures(axes, names)
