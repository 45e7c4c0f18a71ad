#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "TCOR", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, the statistics of simulations, presets and parts/NAME/*/stats.json
(tbrsim sim), and miss curves of PB-Attributes, sweep/NAME-full.csv, -ways.csv and -policies.csv (tbrsim
sweep). OUTPUT takes the tables (Markdown and CSV) and the plots (PNG).
"""
import csv
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (COLORS, decrease, legend_above, load_statistics, mean, new_plot, number,  # noqa: E402
                     plot_bars, save, share, signed, write_table)

MEBIBYTE = 1 << 20
KIBIBYTE = 1 << 10
WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
SECTIONS = ["pb_list", "pb_attribute"]
SIZES = ["64k", "128k"]
# What the paper says (Table II, V-B): decreases, per cent.
PAPER_FOOTPRINT, PAPER_REUSE = 0.606, 3.71
PAPER_L2 = {"64k": 33.5, "128k": 37.1}
PAPER_PB_MEMORY = {"64k": 93.0, "128k": 94.1}
PAPER_MEMORY = {"64k": 13.9, "128k": 13.3}
PAPER_REACHES = {"OPT": 55, "LRU": 375}  # KiB (V-A)
# A curve has reached the lower bound when it is no more than this above it.
REACHED = 1.01


def total(statistics, counter):
    """A counter over the frames that count; 0 where the configuration has no such unit."""
    return sum(frame.get(counter, 0) for frame in statistics["frames"][WARM_UP:])


def l2_accesses(statistics):
    return sum(total(statistics, f"l2.{section}.{event}") for section in SECTIONS for event in ("reads", "writes"))


def memory_accesses(statistics, streams):
    return sum(total(statistics, f"dram.{stream}.{event}") for stream in streams for event in ("reads", "writes"))


class Capture:
    """One capture's results."""

    def __init__(self, results, name):
        self.name = name
        self.presets = self.simulations(results / "presets" / name)
        self.parts = self.simulations(results / "parts" / name)
        self.sweeps = {kind: self.sweep(results / "sweep" / f"{name}-{kind}.csv")
                       for kind in ("full", "ways", "policies")}
        base = self.base("64k")
        self.frames = len(base["frames"]) - WARM_UP
        self.primitives, self.attributes, self.pmds, self.passes = (
            total(base, counter) for counter in ("tiling_engine.primitives", "tiling_engine.attributes",
                                                 "tiling_engine.pmds", "gpu.passes"))
        self.footprint = (64 * self.attributes + 4 * self.pmds) / self.frames
        self.reuse = self.pmds / self.primitives if self.primitives else math.nan

    @staticmethod
    def simulations(directory):
        return {path.parent.name.replace(",mode=tbr", ""): load_statistics(path) for path in sorted(directory.glob("*/stats.json"))}

    @staticmethod
    def sweep(path):
        with open(path, encoding="utf-8", newline="") as file:
            return [{key: value if key in ("policy", "ways") else float(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]

    def base(self, size):
        return self.presets[f"tcor-baseline-{size}"]

    def decreases(self, size, of):
        """Of TCOR without and with its L2 against the baseline."""
        base = of(self.base(size))
        return [decrease(base, of(self.presets[f"tcor-{size}{kind}"])) for kind in ("-no-l2", "")]

    def reaches(self, policy):
        """The smallest fully associative cache, bytes, that reaches the lower bound."""
        sizes = [row["size_bytes"] for row in self.sweeps["full"]
                 if row["policy"] == policy and row["misses"] <= REACHED * row["lower_bound_misses"]]
        return min(sizes, default=math.nan)


def pb_memory(statistics):
    return memory_accesses(statistics, SECTIONS)


def all_memory(statistics):
    return total(statistics, "dram.total.reads") + total(statistics, "dram.total.writes")


# ---- tables -----------------------------------------------------------------


def captures_table(captures):
    header = ["capture", "frames", "passes a frame", "primitives a frame", "attributes a primitive",
              "Parameter Buffer, MiB", "average primitive re-use", "Parameter Buffer, % of memory accesses"]
    rows = [[capture.name, capture.frames, f"{capture.passes / capture.frames:.0f}",
             f"{capture.primitives / capture.frames:.0f}",
             number(capture.attributes / capture.primitives if capture.primitives else math.nan),
             f"{capture.footprint / MEBIBYTE:.2f}", number(capture.reuse),
             number(share(pb_memory(capture.base("64k")), all_memory(capture.base("64k"))))] for capture in captures]
    rows.append(["**average**", "", "", "", "", f"{mean(c.footprint for c in captures) / MEBIBYTE:.2f}",
                 number(mean(c.reuse for c in captures)),
                 number(mean(share(pb_memory(c.base("64k")), all_memory(c.base("64k"))) for c in captures))])
    rows.append(["paper's average", "", "", "", "3", f"{PAPER_FOOTPRINT:.2f}", number(PAPER_REUSE), ""])
    return header, rows


def traffic_table(captures, of, paper):
    """Changes against the baseline of the same size."""
    header = ["capture", *(f"{size}iB, {kind}" for size in ("64 K", "128 K") for kind in ("without the L2", "TCOR"))]
    rows = [[capture.name, *(signed(value) for size in SIZES for value in capture.decreases(size, of))]
            for capture in captures]
    rows.append(["**average**", *(signed(mean(c.decreases(size, of)[kind] for c in captures))
                                  for size in SIZES for kind in (0, 1))])
    rows.append(["paper's average", *(cell for size in SIZES for cell in ("", signed(paper[size])))])
    return header, rows


SECTION_COUNTERS = [("L2 reads", "l2", "reads"), ("L2 writes", "l2", "writes"), ("memory reads", "dram", "reads"),
                    ("memory writes", "dram", "writes")]


def sections_table(captures):
    """Accesses a frame by section and direction, baseline → TCOR, 64 KiB."""
    header = ["capture", *(f"{section}, {title}" for section in ("lists", "attributes")
                           for title, _, _ in SECTION_COUNTERS)]
    rows = []
    for capture in captures:
        row = [capture.name]
        for section in SECTIONS:
            for _, unit, event in SECTION_COUNTERS:
                row.append(" → ".join(f"{total(statistics, f'{unit}.{section}.{event}') / capture.frames:.0f}"
                                      for statistics in (capture.base("64k"), capture.presets["tcor-64k"])))
        rows.append(row)
    return header, rows


def mechanisms_table(captures):
    """What TCOR's parts did, a frame."""
    names = {"writes bypassed, primitives": "primitive_buffer.bypasses",
             "evictions, primitives": "primitive_buffer.evictions",
             "of these for attributes' room": "primitive_buffer.further_evictions",
             "waits for locks": "primitive_buffer.lock_waits",
             "dead evictions of the L2": "l2.total.dead_evictions",
             "write-backs saved in the L2": "l2.total.writebacks_saved"}
    return ["capture", *names], [
        [capture.name, *(f"{total(capture.presets['tcor-64k'], counter) / capture.frames:.0f}"
                         for counter in names.values())] for capture in captures]


PARTS = {"interleaved lists": "tcor-interleaved-64k",
         "and the L2": "tcor-interleaved-64k-l2.policy-tcor",
         "TCOR, LRU Attribute Cache": "tcor-64k-attribute_cache.policy-lru",
         "TCOR": "tcor-64k",
         "victims in the next sets": "tcor-64k,primitive_buffer.further_victims=next-sets",
         "output queue of 1": "tcor-64k,primitive_buffer.output_queue=1",
         "512 lines": "tcor-64k,primitive_buffer.lines=512",
         "1024 lines": "tcor-64k,primitive_buffer.lines=1024"}


def parts_table(captures, of):
    def changes(capture):
        base = of(capture.base("64k"))
        return [decrease(base, of((capture.presets | capture.parts)[part])) for part in PARTS.values()]

    rows = [[capture.name, *(signed(value) for value in changes(capture))] for capture in captures]
    rows.append(["**average**", *(signed(mean(values)) for values in zip(*map(changes, captures)))])
    return ["capture", *PARTS], rows


ATTRIBUTE_CACHES = {"64k": 49152, "128k": 114688}


def reads_table(captures):
    """Attributes that the Attribute Cache reads from the L2, all frames, next to the least that any cache of its size
    can: those that do not fit when the Polygon List Builder has finished (V-A)."""
    header = ["capture", *(f"{size.replace('k', ' KiB')}, {kind}" for size in SIZES
                           for kind in ("baseline", "TCOR", "least", "TCOR / least"))]
    rows = []
    for capture in captures:
        row = [capture.name]
        for size in SIZES:
            bound = next(point for point in capture.sweeps["full"]
                         if point["policy"] == "opt" and point["size_bytes"] == ATTRIBUTE_CACHES[size])
            least = bound["lower_bound_misses"] - bound["writes"]
            base, tcor = (statistics["total"]["l2.pb_attribute.reads"]
                          for statistics in (capture.base(size), capture.presets[f"tcor-{size}"]))
            row += [f"{base:.0f}", f"{tcor:.0f}", f"{least:.0f}", f"{tcor / least:.2f}" if least else "–"]
        rows.append(row)
    return header, rows


def bound_table(captures):
    def kibibytes(value):
        return "–" if math.isnan(value) else f"{value / KIBIBYTE:.0f}"

    rows = [[capture.name, kibibytes(64 * capture.attributes / capture.passes), kibibytes(capture.reaches("opt")),
             kibibytes(capture.reaches("lru")), number(capture.reaches("lru") / capture.reaches("opt"))]
            for capture in captures if capture.primitives]
    used = [capture for capture in captures if capture.primitives]
    rows.append(["**average**", kibibytes(mean(64 * c.attributes / c.passes for c in used)),
                 *(kibibytes(mean(c.reaches(policy) for c in used)) for policy in ("opt", "lru")),
                 number(mean(c.reaches("lru") / c.reaches("opt") for c in used))])
    rows.append(["paper's average", "", PAPER_REACHES["OPT"], PAPER_REACHES["LRU"],
                 number(PAPER_REACHES["LRU"] / PAPER_REACHES["OPT"])])
    return ["capture", "PB-Attributes a pass, KiB", "OPT reaches the bound at, KiB", "LRU at, KiB", "LRU / OPT"], rows


# ---- plots ------------------------------------------------------------------


def curve(captures, kind, policy, ways=None, value="misses"):
    """Sizes in KiB and the captures' average miss ratio."""
    points = {}
    for capture in captures:
        for row in capture.sweeps[kind]:
            if row["policy"] == policy and (ways is None or row["ways"] == ways) and row["accesses"]:
                points.setdefault(row["size_bytes"], []).append(row[value] / row["accesses"])
    sizes = sorted(points)
    return [size / KIBIBYTE for size in sizes], [mean(points[size]) for size in sizes]


def label_sizes(axes):
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("cache, KiB", fontsize=9)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", linewidth=0.4)


def plot_full(output, captures):
    figure, axes = new_plot("PB-Attributes: misses of a fully associative L1 (Figures 1 and 11), average of the captures",
                            "miss ratio")
    for color, policy in zip(COLORS, ("lru", "opt")):
        axes.plot(*curve(captures, "full", policy), color=color, label=policy.upper())
    axes.plot(*curve(captures, "full", "opt", value="lower_bound_misses"), color="black", linestyle=":", linewidth=1,
              label="lower bound")
    label_sizes(axes)
    axes.legend(fontsize=8, frameon=False)
    save(figure, output, "figure-11-fully-associative")


def plot_ways(output, captures):
    figure, axes = new_plot("PB-Attributes: misses by associativity (Figure 12), average of the captures", "miss ratio")
    for policy, style in (("lru", "--"), ("opt", "-")):
        for color, ways in zip(COLORS, ("1", "2", "4", "8")):
            axes.plot(*curve(captures, "ways", policy, ways), style, color=color, label=f"{policy.upper()}, {ways}-way")
        axes.plot(*curve(captures, "full", policy), style, color="grey", label=f"{policy.upper()}, full")
    axes.plot(*curve(captures, "full", "opt", value="lower_bound_misses"), color="black", linestyle=":", linewidth=1,
              label="lower bound")
    label_sizes(axes)
    axes.legend(fontsize=7, frameon=False, ncols=2)
    save(figure, output, "figure-12-associativity")


def plot_policies(output, captures):
    figure, axes = new_plot("PB-Attributes: misses of a 4-way L1 by policy (Figure 13), average of the captures",
                            "miss ratio")
    for color, policy in zip(COLORS, ("mru", "srrip", "drrip", "lru", "opt")):
        axes.plot(*curve(captures, "policies", policy), color=color, label=policy.upper())
    axes.plot(*curve(captures, "full", "opt", value="lower_bound_misses"), color="black", linestyle=":", linewidth=1,
              label="lower bound")
    label_sizes(axes)
    axes.legend(fontsize=8, frameon=False)
    save(figure, output, "figure-13-policies")


def plot_normalised(output, name, title, captures, of):
    """Figures 14 to 19: normalised to the baseline of the same size."""
    figure, axes = new_plot(title, "of the baseline", width=9.0)
    series = {}
    for size in SIZES:
        for kind, label in enumerate(("TCOR without the L2", "TCOR")):
            values = [1 - capture.decreases(size, of)[kind] / 100 for capture in captures]
            series[f"{label}, {size.replace('k', ' KiB')}"] = [*values, mean(values)]
    plot_bars(axes, [*(capture.name for capture in captures), "average"], series)
    axes.axhline(1, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, name)


def main(results, output, names):
    output.mkdir(parents=True, exist_ok=True)
    captures = sorted((Capture(results, name) for name in names), key=lambda capture: capture.footprint)
    write_table(output, "captures", *captures_table(captures))
    write_table(output, "l2", *traffic_table(captures, l2_accesses, PAPER_L2))
    write_table(output, "parameter-buffer-memory", *traffic_table(captures, pb_memory, PAPER_PB_MEMORY))
    write_table(output, "memory", *traffic_table(captures, all_memory, PAPER_MEMORY))
    write_table(output, "sections", *sections_table(captures))
    write_table(output, "mechanisms", *mechanisms_table(captures))
    write_table(output, "parts-l2", *parts_table(captures, l2_accesses))
    write_table(output, "parts-memory", *parts_table(captures, pb_memory))
    write_table(output, "reads", *reads_table(captures))
    write_table(output, "lower-bound", *bound_table(captures))
    plot_full(output, captures)
    plot_ways(output, captures)
    plot_policies(output, captures)
    plot_normalised(output, "figure-14-15-l2", "Parameter Buffer accesses to the L2 (Figures 14, 15)", captures,
                    l2_accesses)
    plot_normalised(output, "figure-16-17-memory", "Parameter Buffer accesses to memory (Figures 16, 17)", captures,
                    pb_memory)
    plot_normalised(output, "figure-18-19-total", "All accesses to memory (Figures 18, 19)", captures, all_memory)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
