#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "DTM-NUCA", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, the statistics of simulations, KIND/NAME/*/stats.json (tbrsim sim).
OUTPUT takes the tables (Markdown and CSV) and the plots (PNG).
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (COLORS, decrease, label_captures, legend_above, load_statistics, mean, new_plot, number,  # noqa: E402
                     plot_bars, save, share, signed, write_table)

WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
ORGANISATIONS = {"s-nuca": "S-NUCA", "d-nuca": "D-NUCA", "dtm-nuca": "DTM-NUCA", "dtm-nuca-distributed": "DTM-NUCA-Dist"}
COMPARED = ["d-nuca", "dtm-nuca", "dtm-nuca-distributed"]
SIZES = [16, 32, 64, 128, 256, 512]  # KiB
PROCESSORS = [4, 8, 16, 32]
# What the paper says, per cent: fewer L2 accesses (Figure 6), local accesses (Figure 8), blocks in one, all
# four texture caches (Figure 1); and the private caches whose L2 accesses are as many (Figure 7), KiB.
PAPER_DECREASE = {"d-nuca": 46.2, "dtm-nuca": 41.8, "dtm-nuca-distributed": 33.3}
PAPER_LOCAL = {"d-nuca": 27.5, "dtm-nuca": 66.3, "dtm-nuca-distributed": 73.9}
PAPER_DEGREES = {1: "15.4", 4: "about 50"}
PAPER_SIZE = {"dtm-nuca": 128, "dtm-nuca-distributed": 64}

# A simulation is known by these keys of its configuration; what a preset has is the default.
KEYS = {
    "organisation": ("nuca.organisation", "private"),
    "processors": ("fragment_stage.processors", 32),
    "size": ("caches.texture_cache.size", 16384),
    "index": ("caches.texture_cache.index", "xor"),
    "scheduler": ("fragment_stage.scheduler", "round-robin"),
    "placement": ("texture.placement", "morton-4k"),
    "requests": ("nuca.requests", "footprint"),
    "migration": ("nuca.migration", "next-requester"),
    "buckets": ("nuca.affinity_table.buckets", 32),
    "epoch": ("nuca.affinity_table.epoch_accesses", 20000),
}
CHOICES = {
    "the presets": {},
    "quads in blocks of 2×2 (`quad-block`)": {"scheduler": "quad-block"},
    "linear textures": {"placement": "linear"},
    "modulo indexing": {"index": "modulo"},
    "a request for each fragment": {"requests": "fragment"},
    "D-NUCA: blocks go to the last requester": {"migration": "last-requester"},
    "256 buckets": {"buckets": 256},
    "epochs of 1000 accesses": {"epoch": 1000},
    "epochs of 100000 accesses": {"epoch": 100000},
}


def value_of(configuration, path):
    for key in path.split("."):
        configuration = configuration[key]
    return configuration


class Simulation:
    """The counters of one simulation, without its first frames."""

    def __init__(self, statistics):
        frames = statistics["frames"][WARM_UP:]
        self.frames = len(frames)
        self.counts = {name: sum(frame[name] for frame in frames)
                       for name in (frames[0] if frames else ()) if name.startswith(("nuca.", "fragment_stage."))}

    def __getitem__(self, name):
        return self.counts.get(name, 0)

    def of_requests(self, name):
        requests = self["nuca.requests"]
        return share(self[name], requests) if requests else math.nan


class Capture:
    """One capture's results."""

    def __init__(self, results, name):
        self.name = name
        self.simulations = {}
        for path in sorted(results.glob(f"*/{name}/*/stats.json")):
            statistics = load_statistics(path)
            configuration = statistics["run"]["configuration"]
            key = tuple(value_of(configuration, place) for place, _ in KEYS.values())
            self.simulations[key] = Simulation(statistics)

    def find(self, **settings):
        """The simulation with the presets' values but for these; None if there was none."""
        return self.simulations.get(tuple(settings.get(key, default) for key, (_, default) in KEYS.items()))

    def decrease(self, organisation, **settings):
        """By how many per cent its L2 accesses are fewer than those of private caches."""
        private = self.find(**{key: value for key, value in settings.items() if key in ("processors", "index", "scheduler",
                                                                                    "placement", "requests")})
        simulation = self.find(organisation=organisation, **settings)
        if not simulation:
            return math.nan
        return decrease(private["nuca.l2_accesses"], simulation["nuca.l2_accesses"])

    def local(self, organisation, **settings):
        """The share of requests that the processor's own cache served, per cent."""
        simulation = self.find(organisation=organisation, **settings)
        return simulation.of_requests("nuca.local_hits") if simulation else math.nan

    def normalised_size(self, size):
        """L2 accesses of private caches of so many KiB, of those of 16."""
        before = self.find()["nuca.l2_accesses"]
        return self.find(size=1024 * size)["nuca.l2_accesses"] / before if before else math.nan


# ---- tables -----------------------------------------------------------------


def captures_table(captures):
    header = ["capture", "frames", "footprints a frame", "requests a frame", "private caches: hits, %",
              "L2 accesses a frame", "copies of a requested block"]
    rows = []
    for capture in captures:
        private = capture.find()
        copies = private["nuca.replication_sum"] / private["nuca.requests"] if private["nuca.requests"] else math.nan
        rows.append([capture.name, private.frames, f"{private['fragment_stage.footprints'] / private.frames:.0f}",
                     f"{private['nuca.requests'] / private.frames:.0f}", number(private.of_requests("nuca.local_hits")),
                     f"{private['nuca.l2_accesses'] / private.frames:.0f}", number(copies)])
    return header, rows


def decreases_table(captures):
    header = ["capture", *ORGANISATIONS.values()]
    rows = [[capture.name, *(signed(capture.decrease(kind)) for kind in ORGANISATIONS)] for capture in captures]
    rows.append(["**average**", *(signed(mean(c.decrease(kind) for c in captures)) for kind in ORGANISATIONS)])
    rows.append(["paper's average", *(signed(PAPER_DECREASE[kind]) if kind in PAPER_DECREASE else ""
                                      for kind in ORGANISATIONS)])
    return header, rows


LOCAL_PARTS = {"local_hits": "own cache", "remote_hits": "another cache", "l2_accesses": "L2"}


def local_table(captures):
    header = ["capture", *(f"{ORGANISATIONS[kind]}, {title}" for kind in COMPARED for title in LOCAL_PARTS.values()),
              "DTM-NUCA, in old owners", *(f"{ORGANISATIONS[kind]}, hops a request" for kind in COMPARED)]

    def row(capture):
        simulations = [capture.find(organisation=kind) for kind in COMPARED]
        hops = [s["nuca.hops"] / s["nuca.requests"] if s["nuca.requests"] else math.nan for s in simulations]
        return [*(s.of_requests(f"nuca.{part}") for s in simulations for part in LOCAL_PARTS),
                simulations[1].of_requests("nuca.old_owner_hits"), *hops]

    values = {capture.name: row(capture) for capture in captures}
    rows = [[name, *(number(value) for value in cells)] for name, cells in values.items()]
    rows.append(["**average**", *(number(mean(column)) for column in zip(*values.values()))])
    rows.append(["paper's average", *(cell for kind in COMPARED for cell in (number(PAPER_LOCAL[kind]), "", "")), "",
                 "", "", ""])
    return header, rows


def degrees(capture, **settings):
    private = capture.find(processors=4, **settings)
    if not private:
        return [math.nan] * 4
    return [private.of_requests(f"nuca.replication.{degree}") for degree in range(1, 5)]


def replication_table(captures):
    header = ["capture", "in one cache", "in two", "in three", "in all four"]
    rows = [[capture.name, *(number(value) for value in degrees(capture))] for capture in captures]
    rows.append(["**average**", *(number(mean(column)) for column in zip(*map(degrees, captures)))])
    for title, settings in (("average, `quad-block`", {"scheduler": "quad-block"}),
                            ("average, linear textures", {"placement": "linear"})):
        rows.append([title, *(number(mean(column)) for column in zip(*(degrees(c, **settings) for c in captures)))])
    rows.append(["paper's average", *(PAPER_DEGREES.get(degree, "") for degree in range(1, 5))])
    return header, rows


def reached(capture, kind):
    """The least private cache, KiB, with no more L2 accesses than the organisation's; more than all: infinite."""
    if math.isnan(capture.decrease(kind)):
        return math.nan
    limit = 1 - capture.decrease(kind) / 100
    return min((size for size in SIZES if capture.normalised_size(size) <= limit), default=math.inf)


def reached_text(value):
    return "–" if math.isnan(value) else "> 512 KiB" if math.isinf(value) else f"{value} KiB"


def sizes_table(captures):
    kinds = COMPARED[1:]
    header = ["capture", *(f"private {size} KiB" for size in SIZES), *(ORGANISATIONS[kind] for kind in kinds),
              *(f"{ORGANISATIONS[kind]} is reached by" for kind in kinds)]
    rows = [[capture.name, *(number(capture.normalised_size(size), 2) for size in SIZES),
             *(number(1 - capture.decrease(kind) / 100, 2) for kind in kinds),
             *(reached_text(reached(capture, kind)) for kind in kinds)] for capture in captures]
    averages = {size: mean(c.normalised_size(size) for c in captures) for size in SIZES}
    ours = {kind: 1 - mean(c.decrease(kind) for c in captures) / 100 for kind in kinds}
    rows.append(["**average**", *(number(averages[size], 2) for size in SIZES), *(number(ours[kind], 2) for kind in kinds),
                 *(reached_text(min((size for size in SIZES if averages[size] <= ours[kind]), default=math.inf))
                   for kind in kinds)])
    rows.append(["paper's average", *("" for _ in SIZES), *(number(1 - PAPER_DECREASE[kind] / 100, 2) for kind in kinds),
                 *(f"{PAPER_SIZE[kind]} KiB" for kind in kinds)])
    return header, rows


def processors_table(captures):
    header = ["processors", "private: L2 accesses, of 4 processors'",
              *(f"{ORGANISATIONS[kind]}, L2 accesses" for kind in COMPARED),
              *(f"{ORGANISATIONS[kind]}, local hits, %" for kind in COMPARED)]
    rows = []
    for count in PROCESSORS:
        growth = mean(c.find(processors=count)["nuca.l2_accesses"] / c.find(processors=4)["nuca.l2_accesses"]
                      if c.find(processors=4)["nuca.l2_accesses"] else math.nan for c in captures)
        rows.append([count, number(growth, 2),
                     *(signed(mean(c.decrease(kind, processors=count) for c in captures)) for kind in COMPARED),
                     *(number(mean(c.local(kind, processors=count) for c in captures)) for kind in COMPARED)])
    return header, rows


def choices_table(captures):
    captures = [capture for capture in captures if capture.find(epoch=1000, organisation="dtm-nuca")]
    header = ["choice", *(f"{ORGANISATIONS[kind]}, L2 accesses" for kind in COMPARED),
              *(f"{ORGANISATIONS[kind]}, local hits, %" for kind in COMPARED)]
    rows = []
    for title, settings in CHOICES.items():
        rows.append([title, *(signed(mean(c.decrease(kind, **settings) for c in captures)) for kind in COMPARED),
                     *(number(mean(c.local(kind, **settings) for c in captures)) for kind in COMPARED)])
    rows.append(["paper", *(signed(PAPER_DECREASE[kind]) for kind in COMPARED),
                 *(number(PAPER_LOCAL[kind]) for kind in COMPARED)])
    return header, rows


# ---- plots ------------------------------------------------------------------


def with_average(captures, values):
    values = list(values)
    return [*values, mean(values)]


def names_of(captures):
    return [*(capture.name for capture in captures), "average"]


def plot_decreases(output, captures):
    figure, axes = new_plot("L2 accesses of texture reads (Figure 6)", "of private caches", width=9.0)
    series = {title: with_average(captures, (1 - c.decrease(kind) / 100 for c in captures))
              for kind, title in ORGANISATIONS.items()}
    plot_bars(axes, names_of(captures), series)
    for number_, kind in enumerate(COMPARED):
        axes.plot([len(captures) - 0.4, len(captures) + 0.4], [1 - PAPER_DECREASE[kind] / 100] * 2,
                  color=COLORS[number_ + 1], linewidth=1.2, linestyle=":")
    axes.axhline(1, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "figure-06-l2-accesses")


def plot_stacked(axes, names, place, width, parts, colors):
    bottom = [0.0] * len(names)
    for (label, values), color in zip(parts.items(), colors):
        values = [0.0 if math.isnan(value) else value for value in values]
        axes.bar([x + place for x in range(len(names))], values, width, bottom=bottom, label=label, color=color)
        bottom = [sum(pair) for pair in zip(bottom, values)]


def plot_local(output, captures):
    figure, axes = new_plot("Requests by who serves them (Figure 8); left to right: D-NUCA, DTM-NUCA, DTM-NUCA-Dist",
                            "% of requests", width=9.0)
    for place, kind in enumerate(COMPARED):
        simulations = [capture.find(organisation=kind) for capture in captures]
        parts = {title: with_average(captures, (s.of_requests(f"nuca.{part}") for s in simulations))
                 for part, title in LOCAL_PARTS.items()}
        if place:
            parts = {f"_{title}": values for title, values in parts.items()}
        plot_stacked(axes, names_of(captures), 0.27 * (place - 1), 0.24, parts, [COLORS[2], COLORS[1], COLORS[0]])
    label_captures(axes, names_of(captures))
    legend_above(axes)
    save(figure, output, "figure-08-local-accesses")


def plot_replication(output, captures):
    figure, axes = new_plot("Texture caches that hold a block after its request, of 4 private ones (Figure 1)",
                            "% of requests", width=9.0)
    columns = list(zip(*map(degrees, captures)))
    parts = {f"{degree}": with_average(captures, column) for degree, column in enumerate(columns, 1)}
    plot_stacked(axes, names_of(captures), 0, 0.7, parts, COLORS)
    label_captures(axes, names_of(captures))
    legend_above(axes)
    save(figure, output, "figure-01-replication")


def plot_sizes(output, captures):
    figure, axes = new_plot("L2 accesses of texture reads, average of the captures (Figure 7)", "of private 16 KiB", width=6.0)
    axes.plot(range(len(SIZES)), [mean(c.normalised_size(size) for c in captures) for size in SIZES], marker="o",
              color=COLORS[0], label="private caches")
    for kind, color in zip(COMPARED, COLORS[1:]):
        axes.axhline(1 - mean(c.decrease(kind) for c in captures) / 100, color=color,
                     label=f"{ORGANISATIONS[kind]}, 16 KiB")
    axes.set_xticks(range(len(SIZES)), [f"{size} KiB" for size in SIZES], fontsize=8)
    axes.set_ylim(0, 1.05)
    legend_above(axes)
    save(figure, output, "figure-07-sizes")


def plot_processors(output, captures):
    figure, axes = new_plot("L2 accesses of texture reads by processors, average of the captures", "of private caches", width=6.0)
    for kind, color in zip(COMPARED, COLORS[1:]):
        axes.plot(range(len(PROCESSORS)), [1 - mean(c.decrease(kind, processors=count) for c in captures) / 100
                                           for count in PROCESSORS], marker="o", color=color, label=ORGANISATIONS[kind])
    axes.set_xticks(range(len(PROCESSORS)), PROCESSORS, fontsize=8)
    axes.set_ylim(0, 1.05)
    legend_above(axes)
    save(figure, output, "figure-11-processors")


def main(results, output, names):
    output.mkdir(parents=True, exist_ok=True)
    captures = sorted((Capture(results, name) for name in names), key=lambda capture: capture.find()["nuca.requests"])
    write_table(output, "captures", *captures_table(captures))
    write_table(output, "l2-accesses", *decreases_table(captures))
    write_table(output, "local", *local_table(captures))
    write_table(output, "replication", *replication_table(captures))
    write_table(output, "sizes", *sizes_table(captures))
    write_table(output, "processors", *processors_table(captures))
    write_table(output, "choices", *choices_table(captures))
    plot_decreases(output, captures)
    plot_local(output, captures)
    plot_replication(output, captures)
    plot_sizes(output, captures)
    plot_processors(output, captures)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
