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


def draw(rows, pair, columns, path):
    """A panel for each recording: all points, the front's connected and named."""
    need("matplotlib").use("Agg")
    pyplot = need("matplotlib.pyplot")
    chosen = fronts(rows, pair)
    figure, panels = pyplot.subplots(len(chosen), 1, figsize=(8, 5 * len(chosen)), squeeze=False)
    for panel, (name, best) in zip(panels[:, 0], chosen.items()):
        group = [row for row in rows if row["recording"] == name]
        for some, style in ((group, {"linestyle": "", "color": "tab:grey"}), (best, {"color": "tab:blue", "drawstyle": "steps-post"})):
            panel.plot([abs(value(row, pair[0])) for row in some], [abs(value(row, pair[1])) for row in some], marker="o", **style)
        for row in best:
            panel.annotate(label(row, columns), (abs(value(row, pair[0])), abs(value(row, pair[1]))), fontsize="small",
                           xytext=(4, 4), textcoords="offset points")
        panel.set(title=name, xlabel=pair[0].lstrip("-"), ylabel=pair[1].lstrip("-"))
    figure.tight_layout()
    figure.savefig(path, dpi=120, metadata={"Software": None})
    pyplot.close(figure)
