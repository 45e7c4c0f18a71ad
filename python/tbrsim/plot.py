# SPDX-License-Identifier: MIT
"""Plots in one call, by matplotlib: counters over the frames, counters over a setting with how far frames differ. Results.plot,
Simulations.plot and the Outcome of an exploration call them."""
import statistics

from . import quantities
from .errors import Error, need

LOGARITHMIC = 4  # times that a setting's largest value is its smallest


def _axes(axes):
    return axes if axes is not None else need("matplotlib.pyplot").subplots(figsize=(7, 3.6), layout="constrained")[1]


def _from_zero(axes, largest):
    """An axis of counts begins at 0, and has room for the largest."""
    axes.set_ylim(0, 1.05 * largest or 1)


def frame_values(results, counter):
    """The values of a counter, or of a sum "a+b", in each frame."""
    frames, names = results.frames, quantities.names_of(counter)
    for name in names:
        if name not in frames:
            raise Error(f"{results.directory}: {quantities.no_counter(name, frames)}")
    return frames[names].sum(axis="columns").tolist()


def by_frame(runs, counters, measures, axes=None):
    """Counters, of one unit, over the frames. runs: {name: Results}; measures: {counter: its unit}. Matplotlib's axes."""
    if not counters:
        raise Error("plot: name a counter; `counters` has them")
    units = {tuple(measures.get(name, "") for name in quantities.names_of(counter)) for counter in counters}
    if len({unit for found in units for unit in found}) > 1:
        raise Error(f"plot: {', '.join(counters)} have several units: plot them one by one")
    lines = {(run, counter): frame_values(results, counter) for run, results in runs.items() for counter in counters}
    factor, label = quantities.axis(counters[0], max(map(max, lines.values()), default=0), measures)
    axes = _axes(axes)
    for (run, counter), values in lines.items():
        names = [name for name, all_names in ((run, runs), (counter, counters)) if len(all_names) > 1]
        axes.plot([value / factor for value in values], marker="." if len(values) < 100 else "", label=", ".join(names))
    if len(lines) > 1:
        axes.legend(frameon=False, fontsize="small")
    # Several counters are named in the legend, and the axis has their unit.
    axes.set(xlabel="frame", ylabel=label.replace(", ", ",\n") if len(counters) == 1 else label.partition(", ")[2])
    _from_zero(axes, max(map(max, lines.values())) / factor)
    axes.xaxis.get_major_locator().set_params(integer=True)
    return axes


def _ticks(axes, key, values):
    """An axis of a setting with a tick for each of its values; where each value is."""
    numbers = [quantities.number(value) for value in values]
    if None in numbers:
        numbers = range(len(values))
    elif min(numbers) > 0 and max(numbers) >= LOGARITHMIC * min(numbers):
        axes.set_xscale("log", base=2)
    axes.set_xticks(list(numbers), [quantities.setting_text(key, value) for value in values])
    axes.minorticks_off()
    axes.set_xlabel(key)
    return dict(zip(values, numbers))


def by_setting(points, counter, x, measures, axes=None):
    """Means per frame of a counter, with the standard deviation over the frames, over the setting x (None: the first that
    varies and is a number, else the first that varies). A line for each combination of the other settings, dashed where it has
    an oracle.

    points: (settings, values of the frames, whether it has an oracle) each. Matplotlib's axes."""
    points = list(points)
    if not points:
        raise Error("plot: there is nothing to plot: no point was simulated")
    rows = [settings for settings, _, _ in points]
    axis_values = quantities.varied(rows, list(dict.fromkeys(name for row in rows for name in row)))
    if x is None:
        numeric = [name for name, values in axis_values.items() if quantities.number(values[0]) is not None]
        x = next(iter(numeric or axis_values), None)
    if x not in axis_values:
        raise Error(f"plot: {x} is not varied; these are: {', '.join(axis_values) or 'none'}")
    means = [statistics.fmean(values) for _, values, _ in points]
    factor, label = quantities.axis(counter, max(means), measures)
    axes = _axes(axes)
    places = _ticks(axes, x, axis_values[x])
    lines = {}
    for (settings, values, oracle), mean in zip(points, means):
        rest = {name: settings.get(name, "") for name in axis_values if name != x}
        deviation = statistics.stdev(values) if len(values) > 1 else 0
        lines.setdefault((tuple(rest.items()), oracle), []).append((places[settings.get(x, "")], mean / factor, deviation / factor))
    for (rest, oracle), line in lines.items():
        name = ", ".join(quantities.setting_text(key, value) for key, value in rest if value != "")
        axes.errorbar(*zip(*[(at, mean) for at, mean, _ in sorted(line)]), yerr=[one[2] for one in sorted(line)], capsize=3,
                      marker="o", markerfacecolor="none" if oracle else None, linestyle="--" if oracle else "-",
                      label=f"{name} (oracle)".strip() if oracle else name)
    if len(lines) > 1:
        axes.legend(frameon=False, fontsize="small", title=", ".join(name for name in axis_values if name != x))
    axes.set(ylabel=label.replace(", ", ",\n"), title="mean and standard deviation over the frames")
    axes.title.set_fontsize("small")
    _from_zero(axes, max(mean + deviation for line in lines.values() for _, mean, deviation in line))
    return axes
