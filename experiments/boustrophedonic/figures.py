#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "Boustrophedonic Frames", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, analysis/NAME/analysis.json (tbrsim analyze) and the statistics of
simulations with perfect L1 caches but for textures, policies, scaled and sizes/NAME/*/stats.json (tbrsim sim). OUTPUT takes the tables (Markdown and CSV) and the plots (PNG).
"""
import math
import pathlib
import sys

import matplotlib
import matplotlib.pyplot as pyplot

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (COLORS, decrease, label_captures, legend_above, load, load_statistics, mean, new_plot, number,  # noqa: E402
                     plot_bars, save, share, signed, write_table)

MEBIBYTE = 1 << 20
WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
LOWEST = 100  # where the axes of decreases are cut
POLICIES = ["LRU_RO", "OPT_FO", "OPTPT_FO", "OPT_RO", "OPTPT_RO"]
# What the paper says: decrease of L2 texture misses against LRU_FO, per cent (V-A, V-C).
PAPER = {"LRU_RO": 43.6, "OPT_FO": 47.7, "OPTPT_FO": 50.4, "OPT_RO": 52.9, "OPTPT_RO": 55.0, "MRU_FO": -3.6}
PAPER_RATIO = 2.28  # footprint over the L2, average of Table I
PAPER_MEMORY = 5.6  # decrease of memory accesses (V-B1)
PAPER_SHARES = {"intra": 55, "inter": 44, "first": 1}
GROUPS = {"texture": "#59a14f", "geometry": "#4e79a7", "parameter buffer": "#f28e2b", "frame buffer": "#b6992d",
          "programs": "#bab0ac"}
GROUP_OF = {"texture": "texture", "vertex": "geometry", "index": "geometry", "pb_list": "parameter buffer",
            "pb_attribute": "parameter buffer", "color": "frame buffer", "depth": "frame buffer",
            "stencil": "frame buffer", "shader": "programs", "constant": "programs"}


def simulations(directory):
    """The statistics of each configuration simulated, with its name as the paper writes it, and its L2."""
    for path in sorted(directory.glob("*/stats.json")):
        statistics = load_statistics(path)
        configuration = statistics["run"]["configuration"]
        cache = configuration["caches"]["l2"]
        order = {"forward": "FO", "boustrophedonic": "RO"}[configuration["frame"]["traversal"]]
        yield f"{cache['policy'].upper()}_{order}", cache["size"], statistics


def misses(statistics):
    """Texture misses of the L2, bypasses included, without those of the first frames."""
    return sum(frame["l2.texture.misses"] + frame.get("l2.texture.bypasses", 0) for frame in statistics["frames"][WARM_UP:])


class Capture:
    """One capture's results."""

    def __init__(self, results, name):
        self.name = name
        analysis = load(results / "analysis" / name / "analysis.json")
        self.analysis = analysis
        self.frames = analysis["frames"]
        self.forward, self.reverse = (analysis["simulations"][traversal]
                                      for traversal in ("forward", "boustrophedonic"))
        cache = self.forward["config"]["caches"]["l2"]
        self.l2_bytes, self.ways, self.block = cache["size"], cache["ways"], cache["block"]
        empty = {"accesses": 0, "first": 0, "intra": 0, "inter": 0, "blocks": 0, "insertions": 0, "deletions": 0,
                 "footprint_bytes_per_frame": 0, "intra_distances": [], "inter_distances": [], "tile_accesses": [],
                 "iird": dict.fromkeys(("maximum", "minimum", "last_first", "last_last", "reuses"), 0)}
        self.textures = self.forward["streams"].get("texture", empty)
        self.reverse_textures = self.reverse["streams"].get("texture", empty)
        self.footprint = self.textures["footprint_bytes_per_frame"]
        self.misses = {}
        for run, _, statistics in simulations(results / "policies" / name):
            self.misses[run] = misses(statistics)
            if run == "LRU_FO":
                self.passes = mean(frame["gpu.passes"] for frame in statistics["frames"][WARM_UP:])
        self.scaled, self.scaled_l2 = {}, 0
        for run, self.scaled_l2, statistics in simulations(results / "scaled" / name):
            self.scaled[run] = misses(statistics)
        self.sizes = {}
        for run, size, statistics in simulations(results / "sizes" / name):
            self.sizes.setdefault(size, {})[run] = misses(statistics)

    def shares(self):
        accesses = self.textures["accesses"]
        return {kind: share(self.textures[kind], accesses) if accesses else math.nan for kind in PAPER_SHARES}

    def decrease(self, run):
        return decrease(self.misses["LRU_FO"], self.misses[run])

    def scaled_decrease(self, run):
        return decrease(self.scaled["LRU_FO"], self.scaled[run])

    def longer(self, textures, distances):
        """Accesses of reuse distances that an LRU L2 does not hold."""
        return sum(entry["count"] for entry in textures[distances] if entry["first"] >= self.ways)

    def miss_causes(self):
        """LRU_FO's misses by cause, in per cent: reuses that are too far away within and between frames, first
        accesses, and what is left: blocks that were rendered to and so left the L2."""
        causes = [self.longer(self.textures, "intra_distances"), self.longer(self.textures, "inter_distances"),
                  self.textures["first"]]
        causes.append(self.misses["LRU_FO"] - sum(causes))
        return [share(cause, self.misses["LRU_FO"]) if self.misses["LRU_FO"] else math.nan for cause in causes]

    def inter_decrease(self):
        """Of the misses that are inter-frame reuses alone, which are what the order of frames changes."""
        return decrease(self.longer(self.textures, "inter_distances"),
                        self.longer(self.reverse_textures, "inter_distances"))

    def memory(self, simulation):
        return sum(simulation["memory_accesses"].values())

    def memory_decrease(self):
        return decrease(self.memory(self.forward), self.memory(self.reverse))

    def texture_share(self):
        return share(self.forward["memory_accesses"].get("texture", 0), self.memory(self.forward))


# ---- tables -----------------------------------------------------------------


def captures_table(captures):
    header = ["capture", "frames", "passes a frame", "texture footprint, MiB", "of the L2", "texture, % of memory accesses",
              "L2 texture accesses a frame", "intra, %", "inter, %", "first, %", "inserted, %", "deleted, %"]
    rows = []
    for capture in captures:
        textures = capture.textures
        rows.append([capture.name, capture.frames, f"{capture.passes:.0f}", f"{capture.footprint / MEBIBYTE:.2f}",
                     f"{capture.footprint / capture.l2_bytes:.2f}", f"{capture.texture_share():.1f}",
                     f"{textures['accesses'] / capture.frames:.0f}",
                     *(number(value) for value in capture.shares().values()),
                     f"{share(textures['insertions'], textures['blocks']):.1f}",
                     f"{share(textures['deletions'], textures['blocks']):.1f}"])
    rows.append(["**average**", "", "", f"{mean(c.footprint for c in captures) / MEBIBYTE:.2f}",
                 f"{mean(c.footprint / c.l2_bytes for c in captures):.2f}",
                 f"{mean(c.texture_share() for c in captures):.1f}", "",
                 *(f"{mean(c.shares()[kind] for c in captures):.1f}" for kind in PAPER_SHARES), "", ""])
    rows.append(["paper's average", 30, "", PAPER_RATIO, PAPER_RATIO, "36.0", "", *PAPER_SHARES.values(), "", ""])
    return header, rows


def misses_table(captures, larger):
    runs = [*POLICIES, "MRU_FO"]
    header = ["capture", "footprint / L2", "LRU_FO misses a frame", *runs, "LRU_RO, memory accesses"]
    rows = [[capture.name, f"{capture.footprint / capture.l2_bytes:.2f}",
             f"{capture.misses['LRU_FO'] / capture.frames:.0f}", *(signed(capture.decrease(run)) for run in runs),
             signed(capture.memory_decrease())] for capture in captures]
    for title, chosen in (("**average of all**", captures), ("**average, footprint > L2**", larger)):
        rows.append([title, number(mean(c.footprint / c.l2_bytes for c in chosen), 2), "",
                     *(signed(mean(c.decrease(run) for c in chosen)) for run in runs),
                     signed(mean(c.memory_decrease() for c in chosen))])
    rows.append(["paper's average", PAPER_RATIO, "", *(signed(PAPER[run]) for run in runs), signed(PAPER_MEMORY)])
    return header, rows


def causes_table(captures):
    header = ["capture", "LRU_FO misses a frame", "intra-frame reuses, %", "inter-frame reuses, %",
              "first accesses, %", "rendered to, %", "LRU_RO, misses of inter-frame reuses"]
    return header, [[capture.name, f"{capture.misses['LRU_FO'] / capture.frames:.0f}",
                     *(number(cause) for cause in capture.miss_causes()), signed(capture.inter_decrease())]
                    for capture in captures if capture.footprint]


def scaled_table(captures):
    runs = [*POLICIES, "MRU_FO"]
    rows = [[capture.name, f"{capture.scaled_l2 // 1024} KiB", f"{capture.footprint / capture.scaled_l2:.2f}",
             f"{capture.scaled['LRU_FO'] / capture.frames:.0f}",
             *(signed(capture.scaled_decrease(run)) for run in runs)] for capture in captures if capture.footprint]
    for title, chosen in (("**average**", captures),
                          ("**average, one pass a frame**", [c for c in captures if round(c.passes) == 1])):
        rows.append([title, "", number(mean(c.footprint / c.scaled_l2 for c in chosen if c.footprint), 2), "",
                     *(signed(mean(c.scaled_decrease(run) for c in chosen)) for run in runs)])
    rows.append(["paper's average", "1024 KiB", PAPER_RATIO, "", *(signed(PAPER[run]) for run in runs)])
    return ["capture", "L2", "footprint / L2", "LRU_FO misses a frame", *runs], rows


def iird_rows(capture):
    forward, reverse = capture.textures["iird"], capture.reverse_textures["iird"]
    return {"maximum": forward["maximum"], "last-first FO": forward["last_first"],
            "last-last FO": forward["last_last"], "minimum": forward["minimum"],
            "last-first RO": reverse["last_first"]}


def iird_table(captures):
    used = [capture for capture in captures if capture.textures["iird"]["reuses"]]
    names = list(iird_rows(used[0]))
    rows = [[capture.name, *(f"{value:.2f}" for value in iird_rows(capture).values())] for capture in used]
    rows.append(["**average**", *(f"{mean(iird_rows(c)[name] for c in used):.2f}" for name in names)])
    return ["capture", *names], rows


def sizes_table(captures):
    sizes = sorted(captures[0].sizes)
    header = ["capture", "footprint, MiB", *(f"{size // 1024} KiB" for size in sizes)]
    rows = [[capture.name, f"{capture.footprint / MEBIBYTE:.2f}",
             *(signed(decrease(capture.sizes[size]["LRU_FO"], capture.sizes[size]["LRU_RO"])) for size in sizes)]
            for capture in captures]
    rows.append(["**average**", f"{mean(c.footprint for c in captures) / MEBIBYTE:.2f}",
                 *(signed(mean(decrease(c.sizes[size]["LRU_FO"], c.sizes[size]["LRU_RO"]) for c in captures))
                   for size in sizes)])
    return header, rows


def traffic_table(captures, key):
    rows = []
    for capture in captures:
        groups = grouped(capture.forward[key])
        rows.append([capture.name, f"{sum(groups.values()) / capture.frames:.0f}",
                     *(f"{share(groups[group], sum(groups.values())):.1f}" for group in GROUPS)])
    return ["capture", "blocks a frame", *(f"{group}, %" for group in GROUPS)], rows


# ---- plots ------------------------------------------------------------------


def grouped(by_stream):
    groups = dict.fromkeys(GROUPS, 0)
    for stream, count in by_stream.items():
        groups[GROUP_OF[stream]] += count
    return groups


def plot_stacks(output, name, title, captures, key):
    """Figures 1 and 11: what the accesses are for."""
    figure, axes = new_plot(title, "%")
    shares = []
    for capture in captures:
        groups = grouped(capture.forward[key])
        shares.append({group: share(count, sum(groups.values())) for group, count in groups.items()})
    shares.append({group: mean(entry[group] for entry in shares) for group in GROUPS})
    bottom = [0.0] * len(shares)
    for group, color in GROUPS.items():
        heights = [entry[group] for entry in shares]
        axes.bar(range(len(shares)), heights, 0.75, bottom=bottom, color=color, label=group)
        bottom = [a + b for a, b in zip(bottom, heights)]
    label_captures(axes, [*(capture.name for capture in captures), "average"])
    axes.set_ylim(0, 100)
    axes.legend(fontsize=8, ncols=1, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    save(figure, output, name)


def plot_iird(output, captures):
    """Figure 5, as shares of the maximum: the captures' sets have very different numbers of blocks."""
    figure, axes = new_plot("Inter-iteration reuse distances of textures at the L2 (Figure 5); s − 1 is beside the names",
                            "of the maximum, s − 1")
    used = [capture for capture in captures if capture.textures["iird"]["reuses"]]
    rows = [{label: value / iird_rows(capture)["maximum"] for label, value in iird_rows(capture).items()}
            for capture in used]
    series = {label: [row[label] for row in rows] + [mean(row[label] for row in rows)] for label in rows[0]}
    names = [f"{capture.name}, {iird_rows(capture)['maximum']:.1f}" for capture in used]
    plot_bars(axes, [*names, "average"], series)
    axes.axhline(0.5, color="gray", linewidth=0.6, linestyle=":")
    legend_above(axes)
    save(figure, output, "figure-05-iird")


BINS = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 5), (6, 7), (8, 11), (12, 15), (16, 31), (32, 63), (64, 127),
        (128, None)]


def binned(histogram, accesses):
    """Shares of all accesses in BINS."""
    result = []
    for first, last in BINS:
        count = sum(entry["count"] for entry in histogram
                    if entry["first"] >= first and (last is None or entry["last"] <= last))
        result.append(share(count, accesses))
    return result


def plot_distances(output, captures):
    figure, axes = new_plot("Reuse distances of texture accesses in a set of the L2, average of the captures "
                            "(Figures 6 and 7)", "% of the accesses")
    used = [capture for capture in captures if capture.textures["accesses"]]
    series = {}
    for label, key in (("intra-frame", "intra_distances"), ("inter-frame", "inter_distances")):
        rows = [binned(capture.textures[key], capture.textures["accesses"]) for capture in used]
        series[label] = [mean(row[number] for row in rows) for number in range(len(BINS))]
    names = [str(first) if first == last else f"{first}–{last}" if last else f"≥ {first}" for first, last in BINS]
    plot_bars(axes, names, series)
    axes.axvline(sum(1 for first, _ in BINS if first < captures[0].ways) - 0.5, color="gray", linestyle=":")
    axes.text(sum(1 for first, _ in BINS if first < captures[0].ways) - 0.45, axes.get_ylim()[1] * 0.95,
              f"longer than {captures[0].ways} ways", fontsize=8, color="gray", va="top")
    axes.set_xticks(range(len(names)), names, rotation=0, ha="center", fontsize=8)
    axes.set_xlabel("different other blocks since the last access", fontsize=9)
    axes.legend(fontsize=8, frameon=False, loc="upper right")
    save(figure, output, "figure-06-07-reuse-distances")


def plot_tiles(output, captures):
    figure, axes = new_plot("Texture accesses to a set of the L2 in a tile, sets without any left out (Figure 8)", "%")
    bins = [(1, 1), (2, 2), (3, 4), (5, 8), (9, None)]
    colors = ["#4e79a7", "#a0cbe8", "#f1ce63", "#f28e2b", "#e15759"]
    bottom = [0.0] * len(captures)
    for (first, last), color in zip(bins, colors):
        heights = []
        for capture in captures:
            histogram = capture.textures["tile_accesses"]
            count = sum(entry["count"] for entry in histogram
                        if entry["first"] >= first and (last is None or entry["last"] <= last))
            heights.append(share(count, sum(entry["count"] for entry in histogram)))
        label = str(first) if first == last else f"{first}–{last}" if last else f"≥ {first}"
        axes.bar(range(len(captures)), heights, 0.75, bottom=bottom, color=color, label=label)
        bottom = [a + b for a, b in zip(bottom, heights)]
    label_captures(axes, [capture.name for capture in captures])
    axes.set_ylim(0, 100)
    axes.legend(fontsize=8, title="accesses", title_fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5),
                frameon=False)
    save(figure, output, "figure-08-accesses-per-set-and-tile")


def plot_decreases(output, name, title, names, series):
    """Figures 10 and 15: series is {run: [a decrease for each name]}, the averages last."""
    figure, axes = new_plot(title, "decrease, %", width=9.5)
    plot_bars(axes, names, series)
    axes.axhline(0, color="black", linewidth=0.6)
    lowest = min(value for values in series.values() for value in values if not math.isnan(value))
    axes.set_ylim(bottom=max(lowest - 3, -LOWEST) if lowest < 0 else 0)
    for number, values in enumerate(series.values()):
        for place, value in enumerate(values):
            if value < -LOWEST:
                axes.text(place - 0.4 + 0.8 / len(series) * (number + 0.5), -LOWEST + 2, f"{value:.0f}", fontsize=7,
                          ha="center", color="white", rotation=90, va="bottom")
    legend_above(axes)
    save(figure, output, name)


def with_averages(captures, larger, runs):
    names = [*(capture.name for capture in captures), "average", "footprint\n> L2", "paper"]
    return names, {run: [*(capture.decrease(run) for capture in captures), mean(c.decrease(run) for c in captures),
                         mean(c.decrease(run) for c in larger), PAPER[run]] for run in runs}


def with_scaled_averages(captures, runs):
    names = [*(f"{capture.name}, {capture.scaled_l2 // 1024} KiB" for capture in captures), "average", "paper"]
    return names, {run: [*(capture.scaled_decrease(run) for capture in captures),
                         mean(c.scaled_decrease(run) for c in captures), PAPER[run]] for run in runs}


def plot_memory(output, captures):
    figure, axes = new_plot("Decrease of memory accesses, LRU_RO against LRU_FO (Figure 12)", "decrease, %")
    values = [capture.memory_decrease() for capture in captures]
    names = [*(capture.name for capture in captures), "average", "paper"]
    heights = [*values, mean(values), PAPER_MEMORY]
    bars = axes.bar(range(len(names)), heights, 0.6, color=[COLORS[0]] * len(captures) + [COLORS[3], COLORS[5]])
    axes.bar_label(bars, [f"{height:.1f}" for height in heights], fontsize=8)
    label_captures(axes, names)
    axes.axhline(0, color="black", linewidth=0.6)
    save(figure, output, "figure-12-memory-accesses")


def plot_ratio(output, captures):
    figure, axes = new_plot("Decrease of L2 texture misses of LRU_RO with L2 caches of different sizes "
                            "(compare Figure 9)", "decrease, %", width=7.5, height=4.2)
    palette = pyplot.get_cmap("tab20")
    for number, capture in enumerate(captures):
        points = sorted((capture.footprint / size, decrease(runs["LRU_FO"], runs["LRU_RO"]))
                        for size, runs in capture.sizes.items() if capture.footprint)
        axes.plot(*zip(*points), marker="o", markersize=4, linewidth=0.8, color=palette(number), label=capture.name)
    curve = [1 + step / 50 for step in range(2000)]
    axes.plot(curve, [100 / ratio for ratio in curve], color="black", linewidth=1.4, linestyle="--",
              label="circular trace:\nL2 / footprint")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    axes.set_xlim(1 / 16, 40)
    axes.set_xlabel("texture footprint of a frame / size of the L2", fontsize=9)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, output, "figure-09-footprint-over-l2")


def main(results, output, names):
    output.mkdir(parents=True, exist_ok=True)
    # The paper's order: by footprint.
    captures = sorted((Capture(results, name) for name in names), key=lambda capture: capture.footprint)
    larger = [capture for capture in captures if capture.footprint > capture.l2_bytes]

    write_table(output, "captures", *captures_table(captures))
    write_table(output, "misses", *misses_table(captures, larger))
    write_table(output, "causes", *causes_table(captures))
    write_table(output, "scaled", *scaled_table(captures))
    write_table(output, "iird", *iird_table(captures))
    write_table(output, "sizes", *sizes_table(captures))
    write_table(output, "memory-accesses", *traffic_table(captures, "memory_accesses"))
    write_table(output, "l2-misses", *traffic_table(captures, "misses"))

    plot_stacks(output, "figure-01-memory-accesses", "Memory accesses by purpose (Figure 1)", captures,
                "memory_accesses")
    plot_iird(output, captures)
    plot_distances(output, captures)
    plot_tiles(output, [capture for capture in captures if capture.footprint])
    plot_ratio(output, captures)
    plot_decreases(output, "figure-10-l2-texture-misses",
                   "Decrease of L2 texture misses against LRU_FO, perfect L1s but for textures (Figure 10)",
                   *with_averages(captures, larger, POLICIES))
    plot_decreases(output, "figure-10-scaled",
                   "As Figure 10, with the power of two as L2 that brings footprint / L2 nearest to the paper's",
                   *with_scaled_averages([capture for capture in captures if capture.footprint], POLICIES))
    plot_stacks(output, "figure-11-l2-misses", "Misses of the L2 by purpose (Figure 11)", captures, "misses")
    plot_memory(output, captures)
    plot_decreases(output, "figure-15-mru", "Decrease of L2 texture misses against LRU_FO (Figure 15)",
                   *with_averages(captures, larger, ["LRU_RO", "MRU_FO"]))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
