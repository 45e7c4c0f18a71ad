#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "Boustrophedonic Frames", from what its Snakefile ran.

usage: figures.py [--headlines] RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, analysis/NAME and analysis-one-processor/NAME (tbrsim analyze), KIND/ORDER-NAME.csv
of L2 caches that have textures alone (tbrsim sweep) and time/NAME (tbrsim sim --timing on). OUTPUT takes the tables
(Markdown and CSV) and the plots (PNG).
"""
import collections
import functools
import math
import pathlib
import sys

import matplotlib
import matplotlib.pyplot as pyplot

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (COLORS, decrease, label_captures, legend_above, load, load_statistics, read_table, run_figures,  # noqa: E402
                     mean, new_plot, number, of_each, plot_bars, save, share, signed, write_headlines, write_table, write_tables)

MEBIBYTE = 1 << 20
WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
LOWEST = 100  # where the axes of decreases are cut
L2, UNLIMITED = MEBIBYTE, 64 * MEBIBYTE
POLICIES = ["LRU_RO", "OPT_FO", "OPTPT_FO", "OPT_RO", "OPTPT_RO"]
RUNS = [*POLICIES, "MRU_FO"]
LAYOUTS = [f"{placement}-{index}" for placement in ("linear", "morton-4k") for index in ("modulo", "xor")]
PROCESSORS = {"four": "analysis", "one": "analysis-one-processor"}
MEMORIES = {"LPDDR3_8Gb_x32_1333": "preset", "LPDDR3_8Gb_x16_800": "4 B per cycle"}
# What the paper says: decrease of L2 texture misses against LRU_FO, per cent (V-A, V-C).
PAPER = {"LRU_RO": 43.6, "OPT_FO": 47.7, "OPTPT_FO": 50.4, "OPT_RO": 52.9, "OPTPT_RO": 55.0, "MRU_FO": -3.6}
PAPER_RATIO = 2.28  # footprint over the L2, average of Table I
PAPER_MEMORY = 5.6  # decrease of memory accesses (V-B1)
PAPER_SPEED_UP = 2.0  # V-B2
PAPER_ENERGY = {"memory_hierarchy": 9.9, "system": 2.6}  # decrease (V-B3)
PAPER_SHARES = {"intra": 55, "inter": 44, "first": 1}
PAPER_TEXTURE = {"memory_accesses": "36.0", "misses": "63.6"}  # I, III
# Table I: texture footprint, MiB; textures' share of memory accesses, per cent.
PAPER_TABLE_1 = {
    "crazy_snowboard": (0.7, 15.1), "gravitytetris": (0.7, 3.9), "angry_birds_2": (0.9, 20.2), "captain_america": (1.3, 33),
    "derby_destruction_simulator": (1.4, 18.2), "sniper_3d": (1.8, 33), "clash_of_clans": (2.0, 46.3),
    "candy_crush_saga": (2.4, 52.9), "maze_3d_2": (2.4, 34.7), "city_racing_3d": (2.6, 42.6), "real_steel": (4.2, 57.7),
    "rise_of_kingdoms": (6.9, 74.5),
}
PAPER_COLOR_BLOCKS = 1960 * 768 * 4 / 64  # of a frame, if a pixel has 4 bytes
GROUPS = {"texture": "#59a14f", "geometry": "#4e79a7", "parameter buffer": "#f28e2b", "frame buffer": "#b6992d",
          "programs": "#bab0ac"}
GROUP_OF = {"texture": "texture", "vertex": "geometry", "index": "geometry", "pb_list": "parameter buffer",
            "pb_attribute": "parameter buffer", "color": "frame buffer", "depth": "frame buffer",
            "stencil": "frame buffer", "shader": "programs", "constant": "programs", "descriptor": "programs"}
NO_TEXTURES = {"accesses": 0, "first": 0, "intra": 0, "inter": 0, "blocks": 0, "insertions": 0, "deletions": 0,
               "footprint_bytes_per_frame": 0, "intra_distances": [], "inter_distances": [], "tile_accesses": [],
               "iird": dict.fromkeys(("maximum", "minimum", "last_first", "last_last", "reuses"), 0)}


def read_sweep(results, kind, name, orders=("fo", "ro")):
    """Texture misses of the L2, bypasses included: {size: {"LRU_FO": misses}}."""
    found = collections.defaultdict(dict)
    for order in orders:
        for point in read_table(results / kind / f"{order}-{name}.csv"):
            found[point["size_bytes"]][f"{point['policy'].upper()}_{order.upper()}"] = point["misses"] + point["bypasses"]
    return found


class Timed:
    """A simulation with time: the frames that count."""

    def __init__(self, path):
        statistics = load_statistics(path)
        self.configuration = statistics["run"]["configuration"]
        self.frames = statistics["frames"][WARM_UP:]

    def total(self, counter):
        return sum(frame[counter] for frame in self.frames)

    def energy(self, group):
        return self.total(f"energy.{group}.total")


class Capture:
    """One capture's results."""

    def __init__(self, results, name):
        self.name = name
        self.results = results
        analysis = load(results / "analysis" / name / "analysis.json")
        self.frames, self.sets, self.block = analysis["frames"], analysis["sets"], analysis["block_bytes"]
        self.forward, self.reverse = (analysis["simulations"][traversal] for traversal in ("forward", "boustrophedonic"))
        self.ways = self.forward["config"]["caches"]["l2"]["ways"]
        self.textures = self.forward["streams"].get("texture", NO_TEXTURES)
        self.reverse_textures = self.reverse["streams"].get("texture", NO_TEXTURES)
        self.footprint = self.textures["footprint_bytes_per_frame"]
        self.ratio = self.footprint / L2
        lru, policies = (read_sweep(results, kind, name) for kind in ("lru", "policies"))
        self.sizes = {size: lru[size] for size in lru if size != UNLIMITED}
        self.unavoidable = lru[UNLIMITED]["LRU_FO"]
        self.misses = {**lru[L2], **policies[L2]}
        self.scaled_l2 = next((size for size in policies if size != L2), L2)
        self.scaled = {**lru[self.scaled_l2], **policies[self.scaled_l2]}
        self.timed = {}
        for path in sorted((results / "time" / name).glob("*/stats.json")):
            run = Timed(path)
            self.timed[run.configuration["dram_system"]["device"], run.configuration["frame"]["traversal"]] = run

    @functools.cached_property
    def passes(self):
        """Per frame."""
        return mean(frame["gpu.passes"] for frame in next(iter(self.timed.values())).frames)

    @functools.cached_property
    def one_processor(self):
        return read_sweep(self.results, "one-processor", self.name, ["fo"])[L2]

    @functools.cached_property
    def variants(self):
        return {variant: read_sweep(self.results, f"variants/{variant}", self.name)[L2] for variant in [*LAYOUTS, "tbdr"]}

    @functools.cached_property
    def large_objects(self):
        """The scene with few large objects; None where it was not simulated."""
        if not (self.results / "variants" / "large-objects" / f"fo-{self.name}.csv").exists():
            return None
        return read_sweep(self.results, "variants/large-objects", self.name)[L2]

    def visits(self):
        """LRU_FO's misses for each block that a frame reads."""
        return self.misses["LRU_FO"] / self.textures["blocks"] if self.textures["blocks"] else math.nan

    @functools.cached_property
    def analyses(self):
        return {kind: load(self.results / directory / self.name / "analysis.json")["simulations"]
                for kind, directory in PROCESSORS.items()}

    def shares(self, textures):
        accesses = textures["accesses"]
        return {kind: share(textures[kind], accesses) if accesses else math.nan for kind in PAPER_SHARES}

    def decrease(self, run):
        return decrease(self.misses["LRU_FO"], self.misses[run])

    def scaled_decrease(self, run):
        return decrease(self.scaled["LRU_FO"], self.scaled[run])

    def variant_decrease(self, variant, run):
        return decrease(self.variants[variant]["LRU_FO"], self.variants[variant][run])

    def circular_decrease(self):
        """Of LRU_RO in a circular trace of this many blocks (V-A)."""
        return 100 / self.ratio if self.ratio > 1 else math.nan

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

    def unavoidable_share(self):
        """Of LRU_FO's misses, those that the largest L2 has, too: first accesses, and what is drawn again."""
        return share(self.unavoidable, self.misses["LRU_FO"]) if self.misses["LRU_FO"] else math.nan

    def drawn_anew(self):
        """Of a frame's blocks, those that even the largest L2 has to read again."""
        return share(self.unavoidable - self.textures["first"], self.textures["blocks"])

    def kind(self):
        """What decides over its misses."""
        if not self.footprint:
            return "no textures at the L2"
        if self.unavoidable_share() >= 50:
            return "drawn anew" if self.unavoidable > 2 * self.textures["first"] else "fits"
        if self.ratio <= 1:
            return "fits, but not each set"
        return "exceeds the L2" if round(self.passes) == 1 else "exceeds the L2, several passes"

    def inter_decrease(self):
        """Of the misses that are inter-frame reuses alone, which are what the order of frames changes."""
        return decrease(self.longer(self.textures, "inter_distances"),
                        self.longer(self.reverse_textures, "inter_distances"))

    def memory(self, simulation):
        return sum(simulation["memory_accesses"].values())

    def memory_decrease(self):
        return decrease(self.memory(self.forward), self.memory(self.reverse))

    def large_memory_decrease(self):
        simulations = load(self.results / "large-objects" / self.name / "analysis.json")["simulations"]
        return decrease(*(self.memory(simulations[traversal]) for traversal in ("forward", "boustrophedonic")))

    def texture_share(self):
        return share(self.forward["memory_accesses"].get("texture", 0), self.memory(self.forward))

    def speed_up(self, device):
        """Of frames per second, per cent."""
        forward, reverse = (self.timed[device, order].total("gpu.cycles") for order in ("forward", "boustrophedonic"))
        return 100 * (forward / reverse - 1)

    def energy_decrease(self, device, group):
        return decrease(*(self.timed[device, order].energy(group) for order in ("forward", "boustrophedonic")))

    def energy_decrease_without_color(self, device):
        """Of the memory hierarchy, less what the colours' writes take of DRAM's dynamic energy: their share of its accesses."""
        forward, reverse = (self.timed[device, order] for order in ("forward", "boustrophedonic"))
        color = (forward.total("energy.dram.dynamic") * forward.total("dram.color.writes")
                 / (forward.total("dram.total.reads") + forward.total("dram.total.writes")))
        return decrease(*(run.energy("memory_hierarchy") - color for run in (forward, reverse)))

    @functools.cached_property
    def overlap(self):
        """Totals by when the Parameter Buffer is written and by order; empty where that was not simulated."""
        found = {}
        for path in sorted((self.results / "overlap" / self.name).glob("*/stats.json")):
            statistics = load_statistics(path)
            configuration = statistics["run"]["configuration"]
            when = configuration["parameter_buffer"].get("written", "before-tiles")
            found[when, configuration["frame"]["traversal"]] = statistics["total"]
        return found

    def overlap_decrease(self, when, count):
        return decrease(*(count(self.overlap[when, order]) for order in ("forward", "boustrophedonic")))

    def bus_busy(self, device):
        run = self.timed[device, "forward"]
        return share(run.total("dram_system.busy_cycles"), run.total("dram_system.channel_cycles"))


# ---- tables -----------------------------------------------------------------


def averaged(captures):
    """(title, captures) of each row of averages."""
    larger = [capture for capture in captures if capture.ratio > 1]
    return {"**average of all**": captures, "**average, footprint > L2**": larger,
            "**the same, one pass per frame**": [capture for capture in larger if round(capture.passes) == 1]}


def captures_table(captures):
    header = ["capture", "frames", "passes per frame", "texture footprint, MiB", "of the L2", "texture, % of memory accesses",
              "L2 texture accesses a frame", "intra, %", "inter, %", "first, %", "inserted, %", "deleted, %"]
    rows = []
    for capture in captures:
        textures = capture.textures
        rows.append([capture.name, capture.frames, f"{capture.passes:.0f}", f"{capture.footprint / MEBIBYTE:.2f}",
                     f"{capture.ratio:.2f}", f"{capture.texture_share():.1f}",
                     f"{textures['accesses'] / capture.frames:.0f}",
                     *(number(value) for value in capture.shares(textures).values()),
                     f"{share(textures['insertions'], textures['blocks']):.1f}",
                     f"{share(textures['deletions'], textures['blocks']):.1f}"])
    rows.append(["**average**", "", "", f"{mean(c.footprint for c in captures) / MEBIBYTE:.2f}",
                 f"{mean(c.ratio for c in captures):.2f}",
                 f"{mean(c.texture_share() for c in captures):.1f}", "",
                 *(f"{mean(c.shares(c.textures)[kind] for c in captures):.1f}" for kind in PAPER_SHARES), "", ""])
    rows.append(["paper's average", 30, "", PAPER_RATIO, PAPER_RATIO, PAPER_TEXTURE["memory_accesses"], "",
                 *PAPER_SHARES.values(), "", ""])
    return header, rows


def kinds_table(captures):
    header = ["capture", "footprint / L2", "passes per frame", "LRU_FO misses per frame", "of them with an L2 of 64 MiB, %",
              "blocks drawn anew, %", "textures"]
    return header, [[capture.name, f"{capture.ratio:.2f}", f"{capture.passes:.0f}",
                     f"{capture.misses['LRU_FO'] / capture.frames:.0f}", number(capture.unavoidable_share()),
                     number(capture.drawn_anew()), capture.kind()] for capture in captures]


def misses_table(captures):
    header = ["capture", "footprint / L2", "LRU_FO misses per frame", *RUNS, "LRU_RO, circular trace",
              "LRU_RO, memory accesses"]
    rows = [[capture.name, f"{capture.ratio:.2f}",
             f"{capture.misses['LRU_FO'] / capture.frames:.0f}", *(signed(capture.decrease(run)) for run in RUNS),
             signed(capture.circular_decrease()), signed(capture.memory_decrease())] for capture in captures]
    for title, chosen in averaged(captures).items():
        rows.append([title, number(mean(c.ratio for c in chosen), 2), "",
                     *(signed(mean(c.decrease(run) for c in chosen)) for run in RUNS),
                     signed(mean(c.circular_decrease() for c in chosen)),
                     signed(mean(c.memory_decrease() for c in chosen))])
    rows.append(["paper's average", PAPER_RATIO, "", *(signed(PAPER[run]) for run in RUNS), "", signed(PAPER_MEMORY)])
    return header, rows


def reach_table(captures):
    """How much of what is possible LRU_RO reaches, where anything is."""
    header = ["capture", "LRU_RO / OPTPT_RO, %", "LRU_RO / OPT_FO, %"]
    rows = [[capture.name, *(number(max(share(capture.decrease("LRU_RO"), capture.decrease(run)), 0))
                             for run in ("OPTPT_RO", "OPT_FO"))]
            for capture in captures if capture.footprint and capture.decrease("OPTPT_RO") >= 0.05]
    for title, chosen in averaged(captures).items():
        means = {run: mean(c.decrease(run) for c in chosen) for run in POLICIES}
        rows.append([title, *(number(share(means["LRU_RO"], means[run])) for run in ("OPTPT_RO", "OPT_FO"))])
    rows.append(["paper's average", *(number(share(PAPER["LRU_RO"], PAPER[run])) for run in ("OPTPT_RO", "OPT_FO"))])
    return header, rows


def causes_table(captures):
    header = ["capture", "LRU_FO misses per frame", "intra-frame reuses, %", "inter-frame reuses, %",
              "first accesses, %", "rendered to, %", "LRU_RO, misses of inter-frame reuses"]
    return header, [[capture.name, f"{capture.misses['LRU_FO'] / capture.frames:.0f}",
                     *(number(cause) for cause in capture.miss_causes()), signed(capture.inter_decrease())]
                    for capture in captures if capture.footprint]


def scaled_table(captures):
    rows = [[capture.name, f"{capture.scaled_l2 // 1024} KiB", f"{capture.footprint / capture.scaled_l2:.2f}",
             f"{capture.scaled['LRU_FO'] / capture.frames:.0f}",
             *(signed(capture.scaled_decrease(run)) for run in RUNS)] for capture in captures if capture.footprint]
    for title, chosen in (("**average**", captures),
                          ("**average, one pass per frame**", [c for c in captures if round(c.passes) == 1])):
        rows.append([title, "", number(mean(c.footprint / c.scaled_l2 for c in chosen if c.footprint), 2), "",
                     *(signed(mean(c.scaled_decrease(run) for c in chosen)) for run in RUNS)])
    rows.append(["paper's average", "1024 KiB", PAPER_RATIO, "", *(signed(PAPER[run]) for run in RUNS)])
    return ["capture", "L2", "footprint / L2", "LRU_FO misses per frame", *RUNS], rows


def iird_rows(capture):
    """s − 1 as the paper words it, each set once, and that of the reuses' sets; the distances are the reuses'."""
    forward, reverse = capture.textures["iird"], capture.reverse_textures["iird"]
    return {"s − 1 of all sets": capture.textures["blocks"] / capture.frames / capture.sets - 1,
            "maximum": forward["maximum"], "last-first FO": forward["last_first"],
            "last-last FO": forward["last_last"], "minimum": forward["minimum"],
            "last-first RO": reverse["last_first"]}


def iird_table(captures):
    used = [capture for capture in captures if capture.textures["iird"]["reuses"]]
    names = list(iird_rows(used[0]))
    relative = ["s − 1 of all sets", "last-first FO", "last-last FO", "last-first RO"]
    values = {capture.name: [*found.values(), *(share(found[name], found["maximum"]) for name in relative)]
              for capture in used for found in [iird_rows(capture)]}
    values["**average**"] = [mean(column) for column in zip(*values.values())]
    rows = [[title, *(number(value, 2) for value in row[:len(names)]), *(number(value, 0) for value in row[len(names):])]
            for title, row in values.items()]
    return ["capture", *names, *(f"{name}, % of maximum" for name in relative)], rows


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


def processors_row(capture, processors):
    """Numbers of the L2's texture accesses with four Fragment Processors or one; None where it has none."""
    textures = capture.analyses[processors]["forward"]["streams"].get("texture")
    misses = {"four": capture.misses, "one": capture.one_processor}[processors]
    if not textures:
        return None
    shares, tiles = capture.shares(textures), textures["tile_accesses"]
    zero = sum(entry["count"] for entry in textures["intra_distances"] if entry["last"] == 0)
    once = sum(entry["count"] for entry in tiles if entry["last"] == 1)
    return [textures["accesses"] / capture.frames, shares["intra"], share(zero, textures["accesses"]), shares["inter"],
            share(once, sum(entry["count"] for entry in tiles)), misses["LRU_FO"] / capture.frames,
            decrease(misses["LRU_FO"], misses["OPT_FO"]), decrease(misses["LRU_FO"], misses["OPTPT_FO"])]


def processors_table(captures):
    header = ["capture", "processors", "L2 texture accesses a frame", "intra, %", "of distance 0, %", "inter, %",
              "sets with one access in a tile, %", "LRU_FO misses per frame", "OPT_FO", "OPTPT_FO"]

    def cells(row):
        return [number(row[0], 0), *(number(value) for value in row[1:5]), number(row[5], 0), *map(signed, row[6:])]

    rows, columns = [], {processors: [] for processors in PROCESSORS}
    for capture in captures:
        for processors, found in columns.items():
            row = processors_row(capture, processors)
            if row:
                found.append(row)
                rows.append([capture.name, processors, *cells(row)])
    rows += [["**average**", processors, *cells([mean(column) for column in zip(*found)])]
             for processors, found in columns.items()]
    rows.append(["paper's average", "", "", PAPER_SHARES["intra"], 31, PAPER_SHARES["inter"], "", "",
                 signed(PAPER["OPT_FO"]), signed(PAPER["OPTPT_FO"])])
    return header, rows


def layouts_table(captures):
    titles = [layout.replace("-modulo", ", modulo").replace("-xor", ", xor") for layout in LAYOUTS]
    header = ["capture", *(f"{run}, {title}" for run in ("LRU_RO", "OPTPT_RO") for title in titles)]
    rows = [[title, *(signed(mean(c.variant_decrease(layout, run) for c in chosen))
                      for run in ("LRU_RO", "OPTPT_RO") for layout in LAYOUTS)]
            for title, chosen in [*((c.name, [c]) for c in captures if c.footprint), *averaged(captures).items()]]
    return header, rows


def modes_table(captures):
    """As the layouts, of the frames that those have."""
    modes = {"tbr": "morton-4k-modulo", "tbdr": "tbdr"}
    header = ["capture", "LRU_FO misses, tbdr / tbr, %",
              *(f"{run}, {mode}" for run in ("LRU_RO", "OPTPT_RO") for mode in modes)]
    rows = [[title, number(mean(share(c.variants["tbdr"]["LRU_FO"], c.variants[modes["tbr"]]["LRU_FO"]) for c in chosen
                                if c.footprint)),
             *(signed(mean(c.variant_decrease(variant, run) for c in chosen))
               for run in ("LRU_RO", "OPTPT_RO") for variant in modes.values())]
            for title, chosen in [*((c.name, [c]) for c in captures if c.footprint), *averaged(captures).items()]]
    return header, rows


def table_1_table(captures):
    """What the paper's Table I says of how often a frame reads a block from memory: other accesses are colours at least."""
    header = ["scene", "paper: footprint, MiB", "paper: texture, % of memory accesses", "paper: accesses a block, at least",
              "texture, % of memory accesses", "accesses a block"]
    values = {}
    for capture in captures:
        footprint, percent = PAPER_TABLE_1[capture.name]
        textures = PAPER_COLOR_BLOCKS * percent / (100 - percent)
        values[capture.name] = [footprint, percent, textures * capture.block / (footprint * MEBIBYTE), capture.texture_share(),
                                capture.forward["memory_accesses"].get("texture", 0) / capture.textures["blocks"]]
    values["**average**"] = [mean(column) for column in zip(*values.values())]
    digits = (1, 1, 2, 1, 2)
    return header, [[title, *map(number, row, digits)] for title, row in values.items()]


def large_objects_table(captures):
    """Beside the scene itself, of the same frames."""
    measures = ["LRU_FO misses per block", "LRU_RO", "OPTPT_RO", "LRU_RO, memory accesses"]
    header = ["scene", "footprint / L2", *measures, *(f"large objects: {measure}" for measure in measures),
              "LRU_RO, circular trace"]
    values = {}
    for capture in captures:
        before, after = capture.variants["morton-4k-modulo"], capture.large_objects
        changes = [[decrease(runs["LRU_FO"], runs[run]) for run in ("LRU_RO", "OPTPT_RO")] for runs in (before, after)]
        values[capture.name] = [capture.ratio, capture.visits(), *changes[0], capture.memory_decrease(),
                                capture.visits() * after["LRU_FO"] / before["LRU_FO"], *changes[1],
                                capture.large_memory_decrease(), capture.circular_decrease()]
    values["**average**"] = [mean(column) for column in zip(*values.values())]
    plain = (0, 1, 5)  # columns that are not changes
    return header, [[title, *(number(value, 2) if at in plain else signed(value) for at, value in enumerate(row))]
                    for title, row in values.items()]


def all_accesses(total):
    return total["dram.total.reads"] + total["dram.total.writes"]


def overlap_table(captures):
    """LRU_RO against LRU_FO by when the next frame's Parameter Buffer is written; and energy with and without the colours."""
    counts = {"memory accesses": all_accesses,
              "without the colours": lambda total: all_accesses(total) - total["dram.color.writes"],
              "L2 misses": lambda total: total["l2.total.misses"],
              "of textures": lambda total: total["l2.texture.misses"]}
    device = next(iter(MEMORIES))
    columns = {f"{title}, {when}": functools.partial(lambda c, w, f: c.overlap_decrease(w, f), w=when, f=count)
               for when in ("before-tiles", "among-tiles") for title, count in counts.items()}
    columns["energy, memory hierarchy, before-tiles"] = lambda c: c.energy_decrease(device, "memory_hierarchy")
    columns["the same without the colours"] = lambda c: c.energy_decrease_without_color(device)
    rows = [[title, *(signed(mean(map(function, chosen))) for function in columns.values())]
            for title, chosen in [*((c.name, [c]) for c in captures), ("**average of all**", captures)]]
    paper = {"memory accesses": signed(PAPER_MEMORY), "energy, memory": signed(PAPER_ENERGY["memory_hierarchy"])}
    rows.append(["paper's average", *(next((value for key, value in paper.items() if title.startswith(key)), "")
                                      for title in columns)])
    return ["scene", *columns], rows


def traffic_table(captures, key):
    rows, shares = [], []
    for capture in captures:
        groups = grouped(capture.forward[key])
        shares.append([share(groups[group], sum(groups.values())) for group in GROUPS])
        rows.append([capture.name, f"{sum(groups.values()) / capture.frames:.0f}", *map(number, shares[-1])])
    rows.append(["**average**", "", *(number(mean(column)) for column in zip(*shares))])
    rows.append(["paper's average", "", PAPER_TEXTURE[key], *[""] * (len(GROUPS) - 1)])
    return ["capture", "blocks per frame", *(f"{group}, %" for group in GROUPS)], rows


def raised(value):
    """An increase, as signed() has decreases."""
    return signed(-value)


def time_columns():
    """(title, how it is written, function of a capture, the paper's average) of each memory's columns."""
    for device, memory in MEMORIES.items():
        yield f"bus busy, %, {memory}", number, lambda c, d=device: c.bus_busy(d), None
        yield f"speed-up, {memory}", raised, lambda c, d=device: c.speed_up(d), PAPER_SPEED_UP
        yield (f"memory hierarchy, {memory}", signed, lambda c, d=device: c.energy_decrease(d, "memory_hierarchy"),
               PAPER_ENERGY["memory_hierarchy"])
        yield f"all energy, {memory}", signed, lambda c, d=device: c.energy_decrease(d, "system"), PAPER_ENERGY["system"]


def time_table(captures):
    columns = list(time_columns())
    rows = [[title, *(write(mean(function(c) for c in chosen)) for _, write, function, _ in columns)]
            for title, chosen in [*((c.name, [c]) for c in captures), *averaged(captures).items()]]
    rows.append(["paper's average", *("" if paper is None else write(paper) for _, write, _, paper in columns)])
    return ["capture", *(title for title, *_ in columns)], rows


def contexts_table(results, captures):
    """What frames gain by how many quads a Fragment Processor has in flight."""
    rows = []
    for name in (capture.name for capture in captures if (results / "contexts" / capture.name).exists()):
        runs = {(run.configuration["pipeline"]["fragment_contexts"], run.configuration["frame"]["traversal"]): run
                for run in map(Timed, sorted((results / "contexts" / name).glob("*/stats.json")))}
        for contexts in sorted({contexts for contexts, _ in runs}):
            forward, reverse = (runs[contexts, order] for order in ("forward", "boustrophedonic"))
            rows.append([name, contexts,
                         number(share(forward.total("dram_system.busy_cycles"), forward.total("dram_system.channel_cycles"))),
                         raised(100 * (forward.total("gpu.cycles") / reverse.total("gpu.cycles") - 1)),
                         *(signed(decrease(forward.energy(group), reverse.energy(group))) for group in PAPER_ENERGY)])
    rows.append(["paper's average", "", "", raised(PAPER_SPEED_UP), *map(signed, PAPER_ENERGY.values())])
    return ["scene", "quads per processor", "bus busy, %", "speed-up", "memory hierarchy", "all energy"], rows


def claims(has_time=True):
    """(what, how it is written, of a capture, the paper's average)."""
    device = next(iter(MEMORIES))
    counted = [*((f"L2 texture misses, {run}", signed, lambda c, r=run: c.decrease(r), PAPER[run]) for run in RUNS),
               ("memory accesses", signed, Capture.memory_decrease, PAPER_MEMORY)]
    if not has_time:
        return counted
    return [*counted,
            ("speed-up", raised, lambda c: c.speed_up(device), PAPER_SPEED_UP),
            ("energy, memory hierarchy", signed, lambda c: c.energy_decrease(device, "memory_hierarchy"),
             PAPER_ENERGY["memory_hierarchy"]),
            ("energy, all", signed, lambda c: c.energy_decrease(device, "system"), PAPER_ENERGY["system"])]


def headlines(captures):
    for title, write, function, paper in claims(all(capture.timed for capture in captures)):
        sign = -1 if write is signed else 1
        yield f"{title}, %", sign * paper, of_each(captures, lambda c, f=function, s=sign: s * f(c))


def summary_table(captures):
    groups = averaged(captures)
    return (["change, %", "paper", *(title.strip("*") for title in groups)],
            [[title, write(paper), *(write(mean(map(function, chosen))) for chosen in groups.values())]
             for title, write, function, paper in claims()])


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
    figure, axes = new_plot("Inter-iteration reuse distances of textures at the L2 (Figure 5); the maximum is beside the names",
                            "of the maximum")
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


AVERAGES = ["average", "footprint\n> L2", "… and one\npass", "paper"]


def with_averages(captures, function, paper):
    """Of the captures, of the groups of averaged(), and the paper's."""
    return [*map(function, captures), *(mean(map(function, chosen)) for chosen in averaged(captures).values()), paper]


def decreases(captures, runs):
    return ([*(capture.name for capture in captures), *AVERAGES],
            {run: with_averages(captures, lambda c, r=run: c.decrease(r), PAPER[run]) for run in runs})


def with_scaled_averages(captures, runs):
    names = [*(f"{capture.name}, {capture.scaled_l2 // 1024} KiB" for capture in captures), "average", "paper"]
    return names, {run: [*(capture.scaled_decrease(run) for capture in captures),
                         mean(c.scaled_decrease(run) for c in captures), PAPER[run]] for run in runs}


def plot_memory(output, captures):
    figure, axes = new_plot("Decrease of memory accesses, LRU_RO against LRU_FO (Figure 12)", "decrease, %")
    names = [*(capture.name for capture in captures), *AVERAGES]
    heights = with_averages(captures, Capture.memory_decrease, PAPER_MEMORY)
    bars = axes.bar(range(len(names)), heights, 0.6, color=[COLORS[0]] * len(captures) + [COLORS[3]] * 3 + [COLORS[5]])
    axes.bar_label(bars, [signed(-height).lstrip("+") for height in heights], fontsize=8)
    label_captures(axes, names)
    axes.axhline(0, color="black", linewidth=0.6)
    save(figure, output, "figure-12-memory-accesses")


def plot_time(output, captures):
    names = [*(capture.name for capture in captures), *AVERAGES]
    plots = [("figure-13-speed-up", "Speed-up of LRU_RO against LRU_FO (Figure 13)", "speed-up, %",
              {f"memory: {memory}": with_averages(captures, lambda c, d=device: c.speed_up(d), PAPER_SPEED_UP)
               for device, memory in MEMORIES.items()}),
             ("figure-14-energy", "Decrease of energy, LRU_RO against LRU_FO (Figure 14)", "decrease, %",
              {f"{what}, {memory}": with_averages(captures, lambda c, d=device, g=group: c.energy_decrease(d, g),
                                                  PAPER_ENERGY[group])
               for device, memory in MEMORIES.items()
               for group, what in (("memory_hierarchy", "memory hierarchy"), ("system", "all"))})]
    for name, title, label, series in plots:
        figure, axes = new_plot(title, label, width=9.5)
        plot_bars(axes, names, series)
        axes.axhline(0, color="black", linewidth=0.6)
        legend_above(axes)
        save(figure, output, name)


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


def main(results, output, names, only_headlines):
    output.mkdir(parents=True, exist_ok=True)
    # The paper's order: by footprint.
    captures = sorted((Capture(results, name) for name in names), key=lambda capture: capture.footprint)
    used = [capture for capture in captures if capture.footprint]

    write_headlines(output, headlines(captures))
    if only_headlines:
        return
    for name, table in (("summary", summary_table), ("captures", captures_table), ("kinds", kinds_table),
                        ("iird", iird_table), ("processors", processors_table), ("misses", misses_table),
                        ("reach", reach_table), ("causes", causes_table), ("scaled", scaled_table),
                        ("sizes", sizes_table), ("layouts", layouts_table), ("modes", modes_table),
                        ("time", time_table)):
        write_table(output, name, *table(captures))
    scenes = [capture for capture in captures if capture.name in PAPER_TABLE_1]
    if scenes:
        write_table(output, "table-1", *table_1_table(scenes))
        write_table(output, "large-objects", *large_objects_table([scene for scene in scenes if scene.large_objects]))
        write_table(output, "contexts", *contexts_table(results, scenes))
        write_table(output, "overlap", *overlap_table([scene for scene in scenes if scene.overlap]))
    write_table(output, "memory-accesses", *traffic_table(captures, "memory_accesses"))
    write_table(output, "l2-misses", *traffic_table(captures, "misses"))
    write_tables(output)

    plot_stacks(output, "figure-01-memory-accesses", "Memory accesses by purpose (Figure 1)", captures,
                "memory_accesses")
    plot_iird(output, captures)
    plot_distances(output, captures)
    plot_tiles(output, used)
    plot_ratio(output, captures)
    plot_decreases(output, "figure-10-l2-texture-misses",
                   "Decrease of L2 texture misses against LRU_FO, perfect L1s but for textures (Figure 10)",
                   *decreases(captures, POLICIES))
    plot_decreases(output, "figure-10-scaled",
                   "As Figure 10, with the power of two as L2 that brings footprint / L2 nearest to the paper's",
                   *with_scaled_averages(used, POLICIES))
    plot_stacks(output, "figure-11-l2-misses", "Misses of the L2 by purpose (Figure 11)", captures, "misses")
    plot_memory(output, captures)
    plot_decreases(output, "figure-15-mru", "Decrease of L2 texture misses against LRU_FO (Figure 15)",
                   *decreases(captures, ["LRU_RO", "MRU_FO"]))
    plot_time(output, captures)


if __name__ == "__main__":
    run_figures(__doc__, main)
