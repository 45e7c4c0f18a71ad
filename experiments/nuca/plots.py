# SPDX-License-Identifier: MIT
"""The plots of the experiment "DTM-NUCA"."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import COLORS, label_captures, legend_above, mean, new_plot, plot_bars, save, share  # noqa: E402
from results import COMPARED, ORGANISATIONS, PAPER, average  # noqa: E402

SIZES = [16, 32, 64, 128, 256, 512]  # KiB
PROCESSORS = [4, 8, 16, 32, 64]
SIDE_BY_SIDE = "left to right: D-NUCA, DTM-NUCA, DTM-NUCA-Dist"


def with_average(captures, values):
    values = list(values)
    return [*values, mean(values)]


def names_of(captures):
    return [*(capture.name for capture in captures), "average"]


def plot_stacked(axes, names, place, width, parts, colors):
    bottom = [0.0] * len(names)
    for (label, values), color in zip(parts.items(), colors):
        values = [0.0 if math.isnan(value) else value for value in values]
        axes.bar([x + place for x in range(len(names))], values, width, bottom=bottom, label=label, color=color)
        bottom = [sum(pair) for pair in zip(bottom, values)]


def plot_stacks(axes, captures, parts_of, colors):
    """A stack for each organisation side by side: parts_of(capture, organisation) is {part: value}."""
    for place, kind in enumerate(COMPARED):
        values = [parts_of(capture, kind) for capture in captures]
        parts = {("_" if place else "") + part: with_average(captures, (value[part] for value in values)) for part in values[0]}
        plot_stacked(axes, names_of(captures), 0.27 * (place - 1), 0.24, parts, colors)
    label_captures(axes, names_of(captures))
    legend_above(axes)


def paper_lines(axes, captures, value_of):
    for number, kind in enumerate(COMPARED):
        axes.plot([len(captures) - 0.4, len(captures) + 0.4], [value_of(kind)] * 2, color=COLORS[number], linewidth=1.2,
                  linestyle=":")


def plot_replication(output, captures):
    figure, axes = new_plot("Texture caches that hold a block after its request, of 4 private ones (Figure 1)",
                            "% of requests", width=9.0)
    columns = list(zip(*(capture.degrees() for capture in captures)))
    parts = {f"{degree}": with_average(captures, column) for degree, column in enumerate(columns, 1)}
    plot_stacked(axes, names_of(captures), 0, 0.7, parts, COLORS)
    label_captures(axes, names_of(captures))
    legend_above(axes)
    save(figure, output, "figure-01-replication")


def plot_decreases(output, captures):
    figure, axes = new_plot("L2 accesses of texture reads (Figure 6); dotted: the paper's averages", "of private caches",
                            width=9.0)
    plot_bars(axes, names_of(captures), {title: with_average(captures, (1 - c.decrease(kind) / 100 for c in captures))
                                         for kind, title in ORGANISATIONS.items() if kind in COMPARED})
    paper_lines(axes, captures, lambda kind: 1 - PAPER["decrease"][kind] / 100)
    axes.axhline(1, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "figure-06-l2-accesses")


def plot_sizes(output, captures):
    figure, axes = new_plot("L2 accesses of texture reads, average of the captures (Figure 7)", "of private 16 KiB", width=6.0)
    axes.plot(range(len(SIZES)), [average(captures, lambda c, s=size: c.normalised_size(s)) for size in SIZES], marker="o",
              color=COLORS[3], label="private caches")
    for kind, color in zip(COMPARED, COLORS):
        axes.axhline(1 - average(captures, lambda c, k=kind: c.decrease(k)) / 100, color=color,
                     label=f"{ORGANISATIONS[kind]}, 16 KiB")
    axes.set_xticks(range(len(SIZES)), [f"{size} KiB" for size in SIZES], fontsize=8)
    axes.set_ylim(0, 1.05)
    legend_above(axes)
    save(figure, output, "figure-07-sizes")


def plot_local(output, captures):
    figure, axes = new_plot(f"Requests by who serves them (Figure 8); {SIDE_BY_SIDE}", "% of requests", width=9.0)

    def parts(capture, kind):
        simulation = capture.find(organisation=kind)
        own_l2 = simulation.of_requests("nuca.local_l2_accesses")
        return {"own cache": simulation.of_requests("nuca.local_hits"), "own cache, L2": own_l2,
                "another cache": simulation.of_requests("nuca.remote_hits"),
                "another cache, L2": simulation.of_requests("nuca.l2_accesses") - own_l2}

    plot_stacks(axes, captures, parts, [COLORS[2], "#a5d29c", COLORS[1], "#f9cf9c"])
    save(figure, output, "figure-08-local-accesses")


def plot_speed(output, captures, bounds):
    figure, axes = new_plot("Speed-up over private caches (Figure 9); dotted: the paper's averages", "%", width=9.0)
    plot_bars(axes, names_of(captures), {ORGANISATIONS[kind]: with_average(captures, (c.speed_up(kind) for c in captures))
                                         for kind in COMPARED})
    for number, (title, marker) in enumerate((("private, L2 without latency", "_"), ("private, caches always hit", "^"))):
        axes.plot(range(len(captures) + 1), with_average(captures, (bounds(c)[number] for c in captures)), linestyle="",
                  marker=marker, markersize=6, color="black", label=title)
    paper_lines(axes, captures, PAPER["speed-up"].get)
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "figure-09-speed-up")


def plot_energy(output, captures):
    figure, axes = new_plot(f"Energy (Figure 10); {SIDE_BY_SIDE}", "% of private caches'", width=9.0)
    units = {"texture caches, mesh, tables, bus": ["texture_cache", "mesh", "affinity_table", "texture_bus"],
             "the rest of the GPU": ["gpu"], "memory": ["dram"]}

    def parts(capture, kind):
        simulation, whole = capture.find(organisation=kind), capture.find().energy(["system"])
        values = {title: share(simulation.energy(its), whole) for title, its in units.items()}
        textures, rest, _ = units
        return {**values, rest: values[rest] - values[textures]}

    plot_stacks(axes, captures, parts, COLORS)
    axes.axhline(100, color="black", linewidth=0.6)
    save(figure, output, "figure-10-energy")


def plot_processors(output, captures):
    for name, title, ylabel, value in (
            ("figure-11-speed-up", "Speed-up by processors, average of the captures (Figure 11)", "% over private caches",
             lambda c, kind, count: c.speed_up(kind, processors=count)),
            ("figure-11-l2-accesses", "L2 accesses of texture reads by processors, average of the captures", "of private caches",
             lambda c, kind, count: 1 - c.decrease(kind, processors=count) / 100)):
        figure, axes = new_plot(title, ylabel, width=6.0)
        for kind, color in zip(COMPARED[1:], COLORS[1:]):
            averages = [average(captures, lambda c, n=count, k=kind: value(c, k, n)) for count in PROCESSORS]
            axes.plot(range(len(PROCESSORS)), averages, marker="o", color=color, label=ORGANISATIONS[kind])
        axes.set_xticks(range(len(PROCESSORS)), PROCESSORS, fontsize=8)
        axes.axhline(0 if "speed" in name else 1, color="black", linewidth=0.6)
        if "speed" not in name:
            axes.set_ylim(0, 1.05)
        legend_above(axes)
        save(figure, output, name)


def write(output, captures, swept, bounds):
    plot_replication(output, captures)
    plot_decreases(output, captures)
    plot_sizes(output, captures)
    plot_local(output, captures)
    plot_speed(output, captures, bounds)
    plot_energy(output, captures)
    plot_processors(output, swept)
