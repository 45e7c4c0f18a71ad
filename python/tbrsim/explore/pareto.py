# SPDX-License-Identifier: MIT
"""Pareto fronts: of the points that two counters place, those that no other is better than in both."""
from ..errors import Error, need


def value(row, name):
    """A counter of a row, negated behind a -, so that less is better. The sum where it is names with a + between them."""
    sign, names = (-1, name[1:]) if name.startswith("-") else (1, name)
    total = 0
    for part in names.split("+"):
        if part.strip() not in row:
            raise Error(f"pareto: {part.strip()}: no such column; tbrsim counters lists the counters")
        total += row[part.strip()]
    return sign * total


def front(places):
    """Indices of the places (x, y) that are on the front, by x: none is as small in both, and smaller in one. Of equal
    places all are."""
    best, found = None, []
    for index in sorted(range(len(places)), key=lambda index: places[index]):
        x, y = places[index]
        if best is None or y < best[1] or (x, y) == best:
            found.append(index)
            best = (x, y)
    return found


def fronts(rows, pair):
    """{recording: the rows on its front}."""
    groups = {}
    for row in rows:
        groups.setdefault(row["recording"], []).append(row)
    return {name: [group[index] for index in front([tuple(value(row, axis) for axis in pair) for row in group])]
            for name, group in groups.items()}


def label(row, columns):
    """What a point is called in a plot."""
    changes = ",".join(f"{key}={row[key]}" for key in columns if row.get(key, "") != "")
    return row["configuration"] + (f",{changes}" if changes else "")


def axis_label(axis):
    """A counter with the side of its axis that is better."""
    return f"{axis.lstrip('-')} ({'more' if axis.startswith('-') else 'less'} is better)"


def draw(rows, pair, columns, path):
    """A panel for each recording: all points, coloured by configuration, the front's connected and numbered; beside it what
    the colours and numbers are."""
    need("matplotlib").use("Agg")
    pyplot, lines = need("matplotlib.pyplot"), need("matplotlib.lines")
    chosen = fronts(rows, pair)
    names = list(dict.fromkeys(row["configuration"] for row in rows))
    colours = {name: pyplot.get_cmap("tab10" if len(names) <= 10 else "tab20")(index % 20) for index, name in enumerate(names)}
    figure, panels = pyplot.subplots(len(chosen), 1, figsize=(8, 5 * len(chosen)), squeeze=False)

    def places(some):
        return [[abs(value(row, axis)) for row in some] for axis in pair]
    for panel, (name, best) in zip(panels[:, 0], chosen.items()):
        group = [row for row in rows if row["recording"] == name]
        panel.plot(*places(best), color="black", linewidth=1, drawstyle="steps-post", zorder=1)
        panel.scatter(*places(group), c=[colours[row["configuration"]] for row in group], zorder=2)
        panel.scatter(*places(best), facecolors="none", edgecolors="black", s=70, zorder=3)
        keys = [lines.Line2D([], [], linestyle="", marker="o", color=colours[name], label=name) for name in names]
        keys.append(lines.Line2D([], [], color="black", linewidth=1, marker="o", fillstyle="none", label="the Pareto front:"))
        equal = {}  # numbers of points at one place, which are one text
        for number, (row, x, y) in enumerate(zip(best, *places(best)), 1):
            equal.setdefault((x, y), []).append(str(number))
            keys.append(lines.Line2D([], [], linestyle="", label=f"{number}  {label(row, columns)}"))
        for (x, y), numbers in equal.items():
            panel.annotate(",".join(numbers), (x, y), xytext=(7, 5), textcoords="offset points")
        panel.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize="small")
        panel.set(title=name, xlabel=axis_label(pair[0]), ylabel=axis_label(pair[1]))
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter("{x:,.12g}")
        panel.tick_params(axis="x", labelrotation=20)
    figure.tight_layout()
    figure.savefig(path, dpi=120, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(figure)
