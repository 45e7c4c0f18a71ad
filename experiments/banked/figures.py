#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "Banked texture cache", from what its Snakefile ran.

usage: figures.py [--headlines [--tags-first]] ENERGIES RESULTS OUTPUT NAME…

ENERGIES is data/cacti-7.0-energies.csv. RESULTS holds, for each capture NAME, the statistics of simulations: immediate
and tiled, all designs on the thesis' machine and on one of tiles; shapes and placements, on the thesis' machine; of scenes also
open, what the thesis leaves open: KIND/NAME/*/stats.json (tbrsim sim). OUTPUT takes the tables (Markdown and CSV) and the plots (PNG).
"""
import csv
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (COLORS, decrease, label_captures, headlines_only, legend_above, load_statistics,  # noqa: E402
                     mean, new_plot, number, of_each, plot_bars, pyplot, save, share, signed, write_headlines, write_table,
                     write_tables)

DESIGNS = {"traditional": "traditional", "wide-bus": "wide bus", "multi-port": "multi-port",
           "banked-continuous": "banked v1", "banked-interleaved": "banked v2"}
# What the thesis says, per cent: 4.2.1, and 4.2.2 of energy.
PAPER_ACCESSES = {"traditional": 75, "wide-bus": 50}
PAPER_ENERGY = {"banked-continuous": 44, "banked-interleaved": 50}
PAPER_BANKS = [20, 50, 30]
# Of ENERGIES, at 90 nm: a design's array, and a data bank with tags of its own.
ENERGY_ROWS = {"traditional": "tex_traditional_32b", "wide-bus": "tex_wide_128b", "multi-port": "tex_multiport_4r_32b",
               "banked-continuous": "tex_bank_16B_line_128b", "banked-interleaved": "tex_bank_16B_line_32b"}
PORTS = {"traditional": 32, "wide-bus": 128, "banked-continuous": 128, "banked-interleaved": 32}
TECHNOLOGY, CACHE_BYTES, CACHE_WAYS, LINE_BYTES = 90, 16384, 2, 64
ARRAY_SIZES = [8, 16, 32, 64]  # KiB that ENERGIES has
BANKS = 4
CELLS = ["itrs-lstp", "itrs-hp"]
MACHINES = {"immediate": "one cache, immediate mode", "tiled": "four caches, tiles"}
# Tags of a way: 128 lines, addresses of 32 bits less 7 of the set and 6 of the byte, and a valid bit.
TAG_BYTES = CACHE_BYTES // CACHE_WAYS // LINE_BYTES * (32 - 7 - 6 + 1) // 8
# Which arrays an access takes: of a bank CACTI's row with all tags of its lines; data banks and tag banks, all ways of
# them at once (CACTI's normal mode, as the rows of the other designs have it); or first tags, then the hit's way.
VARIANTS = {"own tags": "each bank with its tags", "all ways": "data and tag banks", "one way": "tags first, then one way"}


def value(statistics, name):
    return statistics["total"][f"texture_access.{name}"]


def misses(statistics):
    return statistics["total"]["texture_cache.texture.misses"]


def simulations(directory):
    """The statistics of each configuration, with its texture cache and the rest of it."""
    for path in sorted(directory.glob("*/stats.json")):
        statistics = load_statistics(path)
        yield statistics["run"]["configuration"], statistics


def energy_of(statistics, energies, is_line=False):
    """pJ: (C + M) * E of data and of tags, a miss being charged as the configuration says; is_line: as a whole line, of which
    each bank has a part and one has the tag."""
    design = statistics["run"]["configuration"]["texture_access"]["design"]
    data, tags = energies[design]
    line = BANKS if design.startswith("banked") else 1
    miss_data, miss_tags = ((line * misses(statistics), misses(statistics)) if is_line
                            else (value(statistics, "miss_data_banks"), value(statistics, "miss_tag_banks")))
    return (value(statistics, "data_banks") + miss_data) * data + (value(statistics, "tag_banks") + miss_tags) * tags


class Capture:
    """One capture's results on a machine."""

    def __init__(self, results, name, machine):
        self.name = name
        self.designs = {configuration["texture_access"]["design"]: statistics
                        for configuration, statistics in simulations(results / machine / name)}
        self.frames = self.designs["traditional"]["total"]["gpu.frames"]
        self.shapes = {}
        for configuration, statistics in simulations(results / "shapes" / name):
            cache = configuration["caches"]["texture_cache"]
            key = configuration["texture_access"]["design"], cache["size"] // 1024, cache["block"], cache["ways"]
            self.shapes[key] = statistics
        self.placements = {}
        for configuration, statistics in simulations(results / "placements" / name):
            texture = configuration["texture"]
            tiles = [str(texture[key]) for key in ("first_level_tile", "second_level_tile") if texture.get(key)]
            placement = " ".join([texture["placement"], "/".join(tiles)]).strip()
            self.placements[configuration["texture_access"]["design"], placement] = statistics

    @property
    def footprints(self):
        return value(self.designs["traditional"], "footprints")

    def accesses(self, design):
        return value(self.designs[design], "accesses")

    def per_footprint(self, design):
        return self.accesses(design) / self.footprints if self.footprints else math.nan

    def saved(self, baseline, design):
        return decrease(self.accesses(baseline), self.accesses(design))

    def single(self):
        """Footprints of one texel: those that use one port of four."""
        return share(value(self.designs["multi-port"], "one_bank_accesses"), self.accesses("multi-port"))

    def coinciding(self):
        """Footprints of 2x2 texels some of which are the same texel: what has fewer than four banks in v2, but is not
        single."""
        fewer = self.accesses("banked-interleaved") - value(self.designs["banked-interleaved"], "four_bank_accesses")
        return share(fewer, self.accesses("banked-interleaved")) - self.single()

    def miss_rate(self):
        return share(misses(self.designs["multi-port"]), self.accesses("multi-port"))

    def banks(self, design="banked-continuous"):
        """Shares of one-, two- and four-bank accesses (three: hardly any)."""
        return [share(value(self.designs[design], f"{banks}_bank_accesses"), self.accesses(design)) if self.footprints
                else math.nan for banks in ("one", "two", "four")]

    def banks_of_squares(self):
        """The same of footprints of 2x2 different texels, as if the others took one bank."""
        one, two, four = (value(self.designs["banked-continuous"], f"{banks}_bank_accesses") for banks in ("one", "two", "four"))
        others = self.accesses("banked-interleaved") - value(self.designs["banked-interleaved"], "four_bank_accesses")
        whole = one + two + four - others
        return [share(count, whole) for count in (one - others, two, four)] if whole > 0 else [math.nan] * 3

    def tag_banks(self, design):
        """Looked at, an access."""
        return value(self.designs[design], "tag_banks") / self.accesses(design) if self.footprints else math.nan

    def energy(self, design, energies):
        return energy_of(self.designs[design], energies)

    def energy_saved(self, design, energies):
        return decrease(self.energy("wide-bus", energies), self.energy(design, energies))

    def shape_cost(self, design, size, line, ways):
        """C + M a footprint (Figure 4-1)."""
        its_misses = misses(self.shapes["banked-continuous", size, line, ways])
        if design in ("wide-bus", "banked-continuous"):
            key = (design, 16, line, 2)
            count = value(self.shapes[key], "accesses")
        else:
            count = self.accesses(design) / self.footprints * self.shape_footprints() if self.footprints else 0
        return (count + its_misses) / self.shape_footprints() if self.shape_footprints() else math.nan

    def shape_footprints(self):
        return value(self.shapes["banked-continuous", 16, 64, 2], "footprints")


class Arrays:
    """CACTI's rows of a cell type at 90 nm."""

    def __init__(self, path, cell):
        with open(path, encoding="utf-8") as file:
            self.rows = [row for row in csv.DictReader(file)
                         if row["cell"] == cell and int(row["tech_nm"]) == TECHNOLOGY]

    def row(self, kind, size, ways, bits=None):
        return next(({"pJ": 1000 * float(row["read_nJ"]), "ns": float(row["access_ns"]), "mm2": float(row["area_mm2"])}
                     for row in self.rows if row["kind"] == kind and int(row["size_bytes"]) == size
                     and int(row["ways"]) == ways and bits in (None, int(row["bus_bits"]))), None)

    def design(self, design, ways=CACHE_WAYS, size=CACHE_BYTES):
        """A design's array, or a bank of it with tags of its own."""
        return self.row(ENERGY_ROWS[design], size // (BANKS if design.startswith("banked") else 1), ways)

    def data(self, design, ways):
        """So many ways of a data array or bank side by side, each an array."""
        banks = BANKS if design.startswith("banked") else 1
        one = self.row("ram", CACHE_BYTES // banks // ways, 1, PORTS[design])
        return {"pJ": ways * one["pJ"], "ns": one["ns"], "mm2": ways * one["mm2"]}

    def tags(self, banks):
        """Both ways of one of so many tag banks: energy and area on the line through the arrays of 1 and 2 KiB, in
        logarithms; the delay is that of 1 KiB, below which it hardly changes."""
        small, large = (self.row("ram", size, 1, 32) for size in (1024, 2048))
        steps = math.log2(TAG_BYTES / banks / 1024)
        at = {key: small[key] * (large[key] / small[key]) ** steps for key in ("pJ", "mm2")}
        return {"pJ": CACHE_WAYS * at["pJ"], "ns": small["ns"], "mm2": CACHE_WAYS * at["mm2"]}

    def energies(self, variant):
        """pJ of a read of each design: of its data and of its tags."""
        if variant == "one way":
            return {design: (self.data(design, 1)["pJ"], self.tags(BANKS if design.startswith("banked") else 1)["pJ"])
                    for design in PORTS}
        its = {design: (self.design(design)["pJ"], 0) for design in DESIGNS}
        if variant == "all ways":
            its |= {design: (self.data(design, CACHE_WAYS)["pJ"], self.tags(BANKS)["pJ"]) for design in DESIGNS
                    if design.startswith("banked")}
        return its


# ---- tables -----------------------------------------------------------------


def captures_table(captures):
    header = ["capture", "frames", "footprints per frame", "of one texel, %", "2x2, some the same, %", "misses of v2's accesses, %",
              *(f"{name}, a footprint" for name in DESIGNS.values())]
    rows = [[c.name, c.frames, f"{c.footprints / c.frames:.0f}", number(c.single()), number(c.coinciding()),
             number(c.miss_rate(), 2), *(number(c.per_footprint(design), 2) for design in DESIGNS)] for c in captures]
    rows.append(["**average**", "", "", number(mean(c.single() for c in captures)), number(mean(c.coinciding() for c in captures)),
                 number(mean(c.miss_rate() for c in captures), 2),
                 *(number(mean(c.per_footprint(design) for c in captures), 2) for design in DESIGNS)])
    return header, rows


def accesses_table(captures, filtered):
    pairs = [("traditional", "wide-bus"), ("traditional", "multi-port"), ("traditional", "banked-continuous"),
             ("traditional", "banked-interleaved"), ("wide-bus", "multi-port"), ("wide-bus", "banked-continuous"),
             ("wide-bus", "banked-interleaved")]
    header = ["capture", *(f"{DESIGNS[design]} / {DESIGNS[baseline]}, %" for baseline, design in pairs)]
    rows = [[c.name, *(signed(c.saved(*pair)) for pair in pairs)] for c in captures]
    for title, chosen in (("**average**", captures), ("**average, bilinear**", filtered)):
        rows.append([title, *(signed(mean(c.saved(*pair) for c in chosen)) for pair in pairs)])
    rows.append(["thesis", "", *(signed(PAPER_ACCESSES[baseline]) for baseline, _ in pairs[1:])])
    return header, rows


def banks_table(captures, filtered):
    header = ["capture", "one, %", "two, %", "four, %", "one, 2x2 only, %", "two, 2x2 only, %", "four, 2x2 only, %"]
    rows = [[c.name, *map(number, c.banks()), *map(number, c.banks_of_squares())] for c in captures]
    for title, chosen in (("**average**", captures), ("**average, bilinear**", filtered)):
        rows.append([title, *(number(mean(c.banks()[n] for c in chosen)) for n in range(3)),
                     *(number(mean(c.banks_of_squares()[n] for c in chosen)) for n in range(3))])
    rows.append(["thesis", *map(number, PAPER_BANKS), *map(number, PAPER_BANKS)])
    return header, rows


def energy_table(captures, filtered, arrays):
    """Figure 4-6."""
    columns = [(f"{DESIGNS[design]}, {VARIANTS[variant]}, %", design, arrays[CELLS[0]].energies(variant))
               for variant in VARIANTS for design in PAPER_ENERGY]
    columns = [(f"{DESIGNS[design]}, %", design, arrays[CELLS[0]].energies("all ways"))
               for design in ("traditional", "multi-port")] + columns
    header = ["capture", *(title for title, *_ in columns)]
    rows = [[c.name, *(signed(c.energy_saved(design, energies)) for _, design, energies in columns)] for c in captures]
    for title, chosen in (("**average**", captures), ("**average, bilinear**", filtered)):
        rows.append([title, *(signed(mean(c.energy_saved(design, energies) for c in chosen))
                              for _, design, energies in columns)])
    rows.append(["thesis", *(signed(PAPER_ENERGY[design]) if design in PAPER_ENERGY else "" for _, design, _ in columns)])
    return header, rows


def machines_table(results, names, arrays):
    """Accesses, misses and energy on each machine, of the captures that filter."""
    header = ["machine", "misses of v2's accesses, %", "banked v2's accesses / wide bus, %", "tag banks per access, v1",
              *(f"{DESIGNS[design]}, {cell}, {VARIANTS[variant]}, %" for cell in CELLS for variant in VARIANTS
                for design in PAPER_ENERGY)]
    rows = []
    for machine, title in MACHINES.items():
        captures = sorted_captures(results, names, machine)[1]
        rows.append([title, number(mean(c.miss_rate() for c in captures), 2),
                     signed(mean(c.saved("wide-bus", "banked-interleaved") for c in captures)),
                     number(mean(c.tag_banks("banked-continuous") for c in captures), 2),
                     *(signed(mean(c.energy_saved(design, arrays[cell].energies(variant)) for c in captures))
                       for cell in CELLS for variant in VARIANTS for design in PAPER_ENERGY)])
    rows.append(["thesis", "", signed(PAPER_ACCESSES["wide-bus"]), "",
                 *(signed(PAPER_ENERGY[design]) for _ in CELLS for _ in VARIANTS for design in PAPER_ENERGY)])
    return header, rows


def energies_table(arrays):
    """Figure 4-5."""
    notes = {"traditional": "", "wide-bus": "baseline", "multi-port": "much higher than all others",
             "banked-continuous": "one bank: less than wide bus; two, four: more", "banked-interleaved": "more than traditional"}
    header = ["pJ of data an access", "thesis' Figure 4-5",
              *(f"{VARIANTS[variant]}, {cell}" for cell in CELLS for variant in VARIANTS)]
    per_access = {"multi-port": [4], "banked-continuous": [1, 2, 4], "banked-interleaved": [4]}
    rows = []
    for design, name in DESIGNS.items():
        for banks in per_access.get(design, [1]):
            label = f"{name}, {banks} bank{'s' if banks > 1 else ''}" if design.startswith("banked") else name
            its = [arrays[cell].energies(variant).get(design) for cell in CELLS for variant in VARIANTS]
            rows.append([label, notes[design], *(f"{banks * energy[0]:.1f}" if energy else "–" for energy in its)])
    for design, label in (("wide-bus", "tags, one array"), ("banked-continuous", "tags, one bank")):
        its = [arrays[cell].energies(variant)[design][1] for cell in CELLS for variant in VARIANTS]
        rows.append([label, "", *(f"{energy:.2f}" if energy else "with the data" for energy in its)])
    return header, rows


SINGLE_ARRAYS = ["traditional", "wide-bus", "multi-port"]


def sizes_table(arrays):
    """Figure 4-2, of lines of 64 bytes, over sizes and ways: there are no rows of other lines."""
    header = ["KiB", "ways", *(f"{DESIGNS[design]}, {cell}, pJ" for cell in CELLS for design in SINGLE_ARRAYS)]
    rows = [[size, ways, *(f"{arrays[cell].design(design, ways, 1024 * size)['pJ']:.1f}" for cell in CELLS
                           for design in SINGLE_ARRAYS)] for size in ARRAY_SIZES for ways in (1, 2, 4)]
    return header, rows


def hardware(its, design):
    """ns of data, tags and the whole cache, mm2 of all arrays; None where CACTI has no such row."""
    whole, banks = its.design(design), BANKS if design.startswith("banked") else 1
    if design not in PORTS:
        return {"data": None, "tags": None, "cache": whole["ns"], "mm2": whole["mm2"]}
    data, tags = its.data(design, CACHE_WAYS), its.tags(banks)
    return {"data": data["ns"], "tags": tags["ns"], "cache": whole["ns"],
            "mm2": banks * (data["mm2"] + tags["mm2"]) if banks > 1 else whole["mm2"]}


def hardware_table(arrays):
    """Figures 4-7 to 4-10, without the extra circuits: address and tag control, word select."""
    header = ["design", *(f"{what}, {cell}" for cell in CELLS
                          for what in ("data, ns", "tags, ns", "cache, ns", "arrays, mm²"))]
    rows = [[name, *(f"{figure:.{3 if key == 'mm2' else 2}f}" if figure else "–" for cell in CELLS
                     for key, figure in hardware(arrays[cell], design).items())] for design, name in DESIGNS.items()]
    return header, rows


# Table 5-1: access time, area, energy per access; the last with a star, as it depends on the banks.
PAPER_RANKS = {"(a) wide bus": (4, 3, 2), "(b) v2, four arrays of tags": (3, 4, 5), "(c) v2, shared tags": (5, 5, 4),
               "(d) v2, banked tags": (1, 1, 3), "(e) v1, banked tags": (2, 2, 1)}


def comparison_table(filtered, arrays):
    """Table 5-1: ns, mm2, pJ and their ranks, thesis' and here. Shared tags: what three more ports of the whole cache
    take more is taken to be what they take of tags."""
    its = arrays[CELLS[0]]
    ports = {key: its.design("multi-port")[key] / its.design("traditional")[key] for key in ("ns", "mm2", "pJ")}
    one, bank, wide = its.tags(1), its.tags(BANKS), its.design("wide-bus")
    v1, v2 = (its.data(design, CACHE_WAYS) for design in PAPER_ENERGY)
    banks = mean(value(c.designs["banked-continuous"], "data_banks") / c.accesses("banked-continuous") for c in filtered)
    looked_at = {design: mean(c.tag_banks(design) for c in filtered) for design in PAPER_ENERGY}
    figures = {
        "(a) wide bus": (wide["ns"], wide["mm2"], wide["pJ"]),
        "(b) v2, four arrays of tags": (max(v2["ns"], one["ns"]), 4 * (v2["mm2"] + one["mm2"]), 4 * (v2["pJ"] + one["pJ"])),
        "(c) v2, shared tags": (max(v2["ns"], ports["ns"] * one["ns"]), 4 * v2["mm2"] + ports["mm2"] * one["mm2"],
                                4 * (v2["pJ"] + ports["pJ"] * one["pJ"])),
        "(d) v2, banked tags": (max(v2["ns"], bank["ns"]), 4 * (v2["mm2"] + bank["mm2"]),
                                4 * v2["pJ"] + looked_at["banked-interleaved"] * bank["pJ"]),
        "(e) v1, banked tags": (max(v1["ns"], bank["ns"]), 4 * (v1["mm2"] + bank["mm2"]),
                                banks * v1["pJ"] + looked_at["banked-continuous"] * bank["pJ"]),
    }
    header = ["design", "access, ns", "area, mm²", "pJ per access", "rank of time, thesis", "here", "of area, thesis",
              "here", "of energy, thesis", "here"]
    rows = []
    for name, (time, area, energy) in figures.items():
        ranks = [1 + sum(round(other[n], 4) < round(figures[name][n], 4) for other in figures.values()) for n in range(3)]
        rows.append([name, f"{time:.2f}", f"{area:.3f}", f"{energy:.1f}",
                     *(cell for pair in zip(PAPER_RANKS[name], ranks) for cell in pair)])
    return header, rows


def placements_table(captures):
    header = ["placement", "v1: conflicts of data banks, % of accesses", "v1: of tag banks, %", "v2: conflicts of data banks, %",
              "v2: of tag banks, %", "accesses a footprint, v1", "v2", "misses per footprint, %"]
    names = sorted({placement for _, placement in captures[0].placements})

    def average(design, placement, measure):
        chosen = [c.placements[design, placement] for c in captures if (design, placement) in c.placements]
        return mean(measure(statistics) for statistics in chosen if value(statistics, "footprints"))

    rows = []
    for placement in names:
        row = [placement]
        for design in ("banked-continuous", "banked-interleaved"):
            for kind in ("data", "tag"):
                row.append(number(average(design, placement, lambda s, kind=kind: share(
                    value(s, f"{kind}_bank_conflicts"), value(s, "accesses"))), 2))
        for design in ("banked-continuous", "banked-interleaved"):
            row.append(number(average(design, placement, lambda s: value(s, "accesses") / value(s, "footprints")), 3))
        row.append(number(average("banked-continuous", placement, lambda s: share(misses(s), value(s, "footprints"))), 3))
        rows.append(row)
    return header, rows


def shapes_table(captures):
    header = ["line, bytes", "ways", "misses per footprint, %", *(DESIGNS.values())]
    rows = []
    keys = sorted({key[1:] for c in captures for key in c.shapes}, key=lambda key: (key[0], key[1], key[2]))
    for size, line, ways in keys:
        rate = mean(share(misses(c.shapes["banked-continuous", size, line, ways]), c.shape_footprints()) for c in captures
                    if c.shape_footprints())
        rows.append([f"{line}" if size == 16 else f"{line}, {size} KiB", ways, number(rate, 2),
                     *(number(mean(c.shape_cost(design, size, line, ways) for c in captures), 3) for design in DESIGNS)])
    return header, rows


def open_table(results, names, arrays):
    """Energy of scenes against the wide bus, by what the thesis leaves open."""
    header = ["scene", "textures begin", "a miss is charged as", "arrays", "misses of 100 footprints", "banked v1, %", "banked v2, %"]
    rows = []
    for name in names:
        runs = {(configuration["texture"].get("offset", "none"), configuration["texture_access"]["design"]): statistics
                for configuration, statistics in simulations(results / "open" / name)}
        for offset, begin in (("none", "at pages"), ("hashed", "at hashed offsets")):
            for is_line in (True, False):
                for variant in ("all ways", "one way"):
                    energies = arrays[CELLS[0]].energies(variant)
                    wide, *banked = (energy_of(runs[offset, design], energies, is_line)
                                     for design in ("wide-bus", *PAPER_ENERGY))
                    statistics = runs[offset, "wide-bus"]
                    rows.append([name, begin, "a line in all banks (3.4)" if is_line else "an access (4.2.2)",
                                 VARIANTS[variant], number(share(misses(statistics), value(statistics, "footprints"))),
                                 *(signed(decrease(wide, its)) for its in banked)])
    rows.append(["thesis", "", "", "", "", *map(signed, PAPER_ENERGY.values())])
    return header, rows


# ---- plots ------------------------------------------------------------------


def plot_shapes(output, captures):
    """Figure 4-1: (a) traditional, (b) wide bus, (c) multi-port and banked; and the same over the cache's size."""
    panels = [("traditional", "(a) traditional"), ("wide-bus", "(b) wide bus"), ("banked-interleaved", "(c) multi-port, banked")]
    figure, axes = pyplot.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
    lines = sorted({key[2] for key in captures[0].shapes})
    ways = sorted({key[3] for key in captures[0].shapes})
    sizes = sorted({key[1] for key in captures[0].shapes})
    for axis, (design, title) in zip(axes, panels):
        for number_, count in enumerate(ways):
            axis.plot(range(len(lines)), [mean(c.shape_cost(design, 16, line, count) for c in captures) for line in lines],
                      marker="o", markersize=3, color=COLORS[number_], label=f"{count}-way")
        axis.set_xticks(range(len(lines)), lines)
        axis.set_xlabel("bytes per line, 16 KiB", fontsize=8)
        axis.set_title(title, fontsize=9)
    for number_, (design, title) in enumerate(panels):
        axes[3].plot(range(len(sizes)), [mean(c.shape_cost(design, size, 64, 2) for c in captures) for size in sizes],
                     marker="o", markersize=3, color=COLORS[number_], label=title[4:])
    axes[3].set_xticks(range(len(sizes)), sizes)
    axes[3].set_xlabel("KiB, 2-way, lines of 64 bytes", fontsize=8)
    axes[3].set_ylim(bottom=0)
    axes[3].set_title("over the size", fontsize=9)
    for axis in axes:
        axis.tick_params(labelsize=8)
        axis.legend(fontsize=7, frameon=False)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_ylabel("accesses and misses per footprint", fontsize=8)
    figure.suptitle("Accesses over lines, ways and sizes, average of the captures (Figure 4-1)", fontsize=10)
    save(figure, output, "figure-4-1-shapes")


def plot_saved(output, name, title, baseline, designs, captures, filtered):
    figure, axes = new_plot(title, "decrease, %", width=9.5)
    names = [*(c.name for c in captures), "average", "bilinear", "thesis"]
    series = {DESIGNS[design]: [*(c.saved(baseline, design) for c in captures), mean(c.saved(baseline, design) for c in captures),
                                mean(c.saved(baseline, design) for c in filtered),
                                PAPER_ACCESSES[baseline] if design != "wide-bus" else math.nan] for design in designs}
    plot_bars(axes, names, series)
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, name)


def plot_banks(output, captures, filtered):
    figure, axes = new_plot("Banks that an access to continuous data banks (v1) activates", "% of the accesses", width=9.5)
    names = [*(c.name for c in captures), "average", "bilinear", "2x2 only", "thesis"]
    shares = [*(c.banks() for c in captures), [mean(c.banks()[n] for c in captures) for n in range(3)],
              [mean(c.banks()[n] for c in filtered) for n in range(3)],
              [mean(c.banks_of_squares()[n] for c in filtered) for n in range(3)], PAPER_BANKS]
    bottom = [0.0] * len(names)
    for n, label in enumerate(("one bank", "two banks", "four banks")):
        heights = [entry[n] for entry in shares]
        axes.bar(range(len(names)), heights, 0.75, bottom=bottom, color=COLORS[n], label=label)
        bottom = [a + b for a, b in zip(bottom, heights)]
    label_captures(axes, names)
    axes.set_ylim(0, 100)
    legend_above(axes)
    save(figure, output, "banks-of-v1")


def plot_energy(output, captures, filtered, arrays):
    figure, axes = new_plot("Decrease of the texture cache's access energy against the wide bus (Figure 4-6)", "decrease, %", width=9.5)
    names = [*(c.name for c in captures), "average", "bilinear", "thesis"]
    series = {}
    for variant in ("all ways", "one way"):
        energies = arrays[CELLS[0]].energies(variant)
        for design in PAPER_ENERGY:
            saved = [c.energy_saved(design, energies) for c in captures]
            series[f"{DESIGNS[design]}, {VARIANTS[variant]}"] = [
                *saved, mean(saved), mean(c.energy_saved(design, energies) for c in filtered), PAPER_ENERGY[design]]
    plot_bars(axes, names, series)
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "figure-4-6-energy")


def plot_sizes(output, arrays):
    """Figure 4-2: pJ a read over sizes and ways, lines of 64 bytes."""
    figure, axes = pyplot.subplots(1, len(SINGLE_ARRAYS), figsize=(9, 3), layout="constrained")
    for axis, design in zip(axes, SINGLE_ARRAYS):
        for number_, ways in enumerate((1, 2, 4)):
            axis.plot(range(len(ARRAY_SIZES)), [arrays[CELLS[0]].design(design, ways, 1024 * size)["pJ"] for size in ARRAY_SIZES],
                      marker="o", markersize=3, color=COLORS[number_], label=f"{ways}-way")
        axis.set_xticks(range(len(ARRAY_SIZES)), ARRAY_SIZES)
        axis.set_xlabel("KiB, lines of 64 bytes", fontsize=8)
        axis.set_title(DESIGNS[design], fontsize=9)
        axis.set_ylim(bottom=0)
        axis.tick_params(labelsize=8)
        axis.legend(fontsize=7, frameon=False)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_ylabel("pJ a read", fontsize=8)
    figure.suptitle(f"Energy an access over sizes and ways, {CELLS[0]} (Figure 4-2 has it over lines)", fontsize=10)
    save(figure, output, "figure-4-2-sizes")


def plot_hardware(output, arrays):
    """Figures 4-7 to 4-10."""
    titles = {"data": "data, ns (Figure 4-7)", "tags": "tags, ns (Figure 4-8)", "cache": "cache, ns (Figure 4-9)",
              "mm2": "arrays, mm² (Figure 4-10)"}
    figure, axes = pyplot.subplots(1, len(titles), figsize=(11, 3.4), layout="constrained")
    for axis, (key, title) in zip(axes, titles.items()):
        plot_bars(axis, list(DESIGNS.values()), {cell: [hardware(arrays[cell], design)[key] or math.nan for design in DESIGNS]
                                                 for cell in CELLS})
        axis.set_title(title, fontsize=9)
        axis.tick_params(labelsize=8)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[-1].legend(fontsize=7, frameon=False, loc="upper right")
    save(figure, output, "figure-4-7-10-hardware")


def plot_energies(output, arrays):
    """Figure 4-5: pJ of data an access, against the wide bus."""
    accesses = {"wide bus": ("wide-bus", 1), "traditional": ("traditional", 1), "multi-port": ("multi-port", 4),
                "v1, 1 bank": ("banked-continuous", 1), "v1, 2 banks": ("banked-continuous", 2),
                "v1, 4 banks": ("banked-continuous", 4), "v2, 4 banks": ("banked-interleaved", 4)}
    figure, axes = new_plot(f"Energy an access against the wide bus, {CELLS[0]} (Figure 4-5)", "of the wide bus'")
    series = {}
    for variant, title in VARIANTS.items():
        energies = arrays[CELLS[0]].energies(variant)
        series[title] = [banks * energies[design][0] / energies["wide-bus"][0] if design in energies else math.nan
                         for design, banks in accesses.values()]
    plot_bars(axes, list(accesses), series)
    axes.axhline(1, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "figure-4-5-energies")


def sorted_captures(results, names, machine):
    """All captures; and those that filter: most of their footprints are 2x2 different texels."""
    captures = sorted((Capture(results, name, machine) for name in names), key=lambda capture: capture.single())
    return captures, [c for c in captures if c.footprints and c.single() + c.coinciding() < 50]


def headlines(filtered, arrays, variant):
    """Of the captures that filter, as the thesis' game does; energies as its 4.2.2 charges them."""
    energies = arrays[CELLS[0]].energies(variant)
    for design in PAPER_ENERGY:
        for baseline, paper in PAPER_ACCESSES.items():
            yield (f"accesses, {DESIGNS[design]} against {DESIGNS[baseline]}, %", -paper,
                   of_each(filtered, lambda c, b=baseline, d=design: -c.saved(b, d)))
        yield (f"energy, {DESIGNS[design]} against {DESIGNS['wide-bus']}, %", -PAPER_ENERGY[design],
               of_each(filtered, lambda c, d=design: -c.energy_saved(d, energies)))


def main():
    only_headlines = headlines_only(sys.argv)
    variant = "one way" if "--tags-first" in sys.argv else "all ways"
    sys.argv = [argument for argument in sys.argv if argument != "--tags-first"]
    energies, results, output, *names = sys.argv[1:]
    results, output = pathlib.Path(results), pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    captures, filtered = sorted_captures(results, names, "immediate")
    arrays = {cell: Arrays(energies, cell) for cell in CELLS}
    write_headlines(output, headlines(filtered, arrays, variant))
    if only_headlines:
        return
    write_table(output, "captures", *captures_table(captures))
    write_table(output, "accesses", *accesses_table(captures, filtered))
    write_table(output, "banks", *banks_table(captures, filtered))
    write_table(output, "shapes", *shapes_table(captures))
    write_table(output, "sizes", *sizes_table(arrays))
    write_table(output, "energies", *energies_table(arrays))
    write_table(output, "energy", *energy_table(captures, filtered, arrays))
    write_table(output, "machines", *machines_table(results, names, arrays))
    write_table(output, "hardware", *hardware_table(arrays))
    write_table(output, "comparison", *comparison_table(filtered, arrays))
    write_table(output, "placements", *placements_table(captures))
    scenes = [name for name in names if (results / "open" / name).exists()]
    if scenes:
        write_table(output, "open", *open_table(results, scenes, arrays))
    plot_shapes(output, captures)
    plot_saved(output, "figure-4-3-traditional", "Decrease of accesses against the traditional design (Figure 4-3)", "traditional",
               ["wide-bus", "multi-port", "banked-continuous", "banked-interleaved"], captures, filtered)
    plot_saved(output, "figure-4-4-wide-bus", "Decrease of accesses against the wide bus (Figure 4-4)", "wide-bus",
               ["multi-port", "banked-continuous", "banked-interleaved"], captures, filtered)
    plot_banks(output, captures, filtered)
    plot_sizes(output, arrays)
    plot_energies(output, arrays)
    plot_energy(output, captures, filtered, arrays)
    plot_hardware(output, arrays)
    write_tables(output)


if __name__ == "__main__":
    main()
