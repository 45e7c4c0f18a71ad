# SPDX-License-Identifier: MIT
"""Pareto fronts: of the points that two counters place, those that no other is better than in both. Points with an oracle
are bounds, not designs: they are on no front but where there is nothing else."""
from .. import quantities
from ..errors import Error, need

MARKERS = "osD^vP*X<>"
MOST_NAMED = 40  # points of a panel that have texts


def value(row, axis):
    """A counter of a row, negated after a -, so that less is better. The sum where it is names with a + between them."""
    total = 0
    for name in quantities.names_of(axis):
        if isinstance(row.get(name, ""), str):
            raise Error(f"pareto: {quantities.no_counter(name, row)}")
        total += row[name]
    return -total if axis.startswith("-") else total


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
    designs = {name: [row for row in group if not row.get("oracle")] or group for name, group in groups.items()}
    return {name: [group[index] for index in front([tuple(value(row, axis) for axis in pair) for row in group])]
            for name, group in designs.items()}


def label(row, names):
    """What a point is called in a plot: the configuration and settings of these names."""
    parts = [row[name] if name == "configuration" else f"{name}={row[name]}" for name in names if row.get(name, "") != ""]
    return ",".join(parts) or row["configuration"]


def per_frame(row, axis):
    """What an axis shows of a row: its value per frame; a rate (fps) as it is."""
    return abs(value(row, axis)) / (1 if quantities.names_of(axis) == ["fps"] else max(row["frames"], 1))


def scale(rows, axis, measures):
    """By what the values of an axis are divided, and its text: the counter, the unit, the side that is better."""
    factor, label_text = quantities.axis(axis.removeprefix("-"), max((per_frame(row, axis) for row in rows), default=0), measures)
    return factor, f"{label_text} ({'more' if axis.startswith('-') else 'less'} is better)"


def _colours(pyplot, values):
    """Of numbers a sequence, of names colours that differ."""
    if all(quantities.number(one) is not None for one in values):
        sequence = pyplot.get_cmap("viridis")
        return {one: sequence(0.9 * index / max(len(values) - 1, 1)) for index, one in enumerate(values)}
    different = pyplot.get_cmap("tab10" if len(values) <= 10 else "tab20")
    return {one: different(index % 20) for index, one in enumerate(values)}


class _Looks:
    """What points look like: the colour is the first of what was varied, the form the second; oracles are hollow."""

    def __init__(self, pyplot, lines, rows, columns):
        self.lines, axes = lines, quantities.varied(rows, ("configuration", *columns))
        self.names = list(axes)
        self.colour = self.names[0] if axes else "configuration"
        self.form = self.names[1] if len(axes) > 1 else None
        self.colours = _colours(pyplot, axes.get(self.colour) or [rows[0]["configuration"]])
        self.forms = {one: MARKERS[index % len(MARKERS)] for index, one in enumerate(axes.get(self.form, ()))}

    def style(self, row):
        """Of a point: its marker and colours, as scatter() takes them."""
        colour = self.colours[row.get(self.colour, "")]
        return {"marker": self.forms.get(row.get(self.form, ""), "o"), "edgecolors": [colour],
                "facecolors": "none" if row.get("oracle") else [colour]}

    def rest(self, row):
        """What neither colour nor form says."""
        return ", ".join(str(row[name]) for name in self.names[2:] if row.get(name, "") != "")

    def _key(self, **options):
        return self.lines.Line2D([], [], linestyle="", **options)

    def keys(self, rows):
        """The lines of the legend."""
        found = [self._key(label=self.colour)]
        found += [self._key(marker="o", color=colour, label=f"  {one}" if one != "" else "  as the preset")
                  for one, colour in self.colours.items()]
        if self.form:
            found.append(self._key(label=self.form))
            found += [self._key(marker=form, color="grey", label=f"  {one}" if one != "" else "  as the preset")
                      for one, form in self.forms.items()]
        if any(row.get("oracle") for row in rows):
            found.append(self._key(marker="o", color="grey", fillstyle="none", label="hollow: with an oracle, a bound"))
        return found


class _Figure:
    """Panels of a pair of axes, one for each recording."""

    def __init__(self, rows, pair, columns, measures):
        self.pyplot, self.lines = need("matplotlib.pyplot"), need("matplotlib.lines")
        self.pair = pair
        self.looks = _Looks(self.pyplot, self.lines, rows, columns)
        self.scales = [scale(rows, axis, measures) for axis in pair]

    def places(self, some):
        """Coordinates of rows, as two lists."""
        return [[per_frame(row, axis) / factor for row in some] for axis, (factor, _) in zip(self.pair, self.scales)]

    def _points(self, panel, group):
        for row in group:
            panel.scatter(*self.places([row]), **self.looks.style(row), zorder=2)
            rest = self.looks.rest(row)
            if rest and len(group) <= MOST_NAMED:
                panel.annotate(rest, [one[0] for one in self.places([row])], xytext=(5, -9), textcoords="offset points",
                               fontsize="x-small", color="grey")

    def _front(self, panel, best):
        """The front's points; the lines of the legend."""
        keys = [self.lines.Line2D([], [], color="black", linewidth=1, marker="o", fillstyle="none", label="the Pareto front:")]
        panel.plot(*self.places(best), color="black", linewidth=1, drawstyle="steps-post", zorder=1)
        panel.scatter(*self.places(best), facecolors="none", edgecolors="black", s=90, zorder=3)
        equal = {}  # numbers of points at one place, which are one text
        for number, (row, x, y) in enumerate(zip(best, *self.places(best)), 1):
            equal.setdefault((x, y), []).append(str(number))
            keys.append(self.lines.Line2D([], [], linestyle="", label=f"{number}  {label(row, self.looks.names)}"))
        for (x, y), numbers in equal.items():
            panel.annotate(",".join(numbers), (x, y), xytext=(7, 5), textcoords="offset points")
        return keys

    def panel(self, panel, name, group, best):
        """Draws one."""
        self._points(panel, group)
        keys = self.looks.keys(group) + self._front(panel, best)
        legend = panel.legend(handles=keys, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize="small")
        legend.set_in_layout(False)  # it takes no room from the panel
        panel.set(title=name, xlabel=self.scales[0][1], ylabel=self.scales[1][1])
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter("{x:,.12g}")
        panel.tick_params(axis="x", labelrotation=20)


def draw(rows, pair, columns, path, measures=None):
    """A panel for each recording: all points, per frame; colour and form are what was varied; the front's are connected,
    numbered and listed. measures: {counter: its unit}."""
    need("matplotlib").use("Agg")
    chosen, drawing = fronts(rows, pair), _Figure(rows, pair, columns, measures or {})
    figure, panels = drawing.pyplot.subplots(len(chosen), 1, figsize=(8, 5 * len(chosen)), squeeze=False)
    for panel, (name, best) in zip(panels[:, 0], chosen.items()):
        drawing.panel(panel, name, [row for row in rows if row["recording"] == name], best)
    figure.tight_layout()
    figure.savefig(path, dpi=120, bbox_inches="tight", bbox_extra_artists=[panel.get_legend() for panel in panels[:, 0]],
                   metadata={"Software": None})
    drawing.pyplot.close(figure)
