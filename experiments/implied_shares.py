#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the papers' figures imply that the papers do not publish, next to what the scenes have.

usage: implied_shares.py [--keep]

Reads what the experiments printed on scenes, docs/experiments/NAME/scenes.md, and prints a table for each experiment; with
--keep it writes them to docs/experiments/NAME/implied.md, which the documents' tables are compared with (tables.py).
"""
import math
import sys

from tables import DOCUMENTS, IMPLIED, cells

AVERAGES = ("**average**", "**all**", "**average of all**")


def read(name):
    """{table: {row: {column: text}}} of what an experiment printed on scenes. Of columns with the same title, the last."""
    found = {}
    for part in (DOCUMENTS / name / "scenes.md").read_text(encoding="utf-8").split("\n## "):
        lines = [cells(line) for line in part.splitlines() if line.startswith("|")]
        header, rows = lines[0], lines[2:]
        found[part.splitlines()[0].removeprefix("## ")] = {row[0]: dict(zip(header, row)) for row in rows}
    return found


def average(table, column):
    """A printed average."""
    return float(next(table[title] for title in AVERAGES if title in table)[column])


def each(table, column):
    """A column's numbers but for averages: {row: number}."""
    return {row: float(its[column]) for row, its in table.items() if not row.startswith(("**", "paper"))}


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def number(value):
    return f"{value:.1f}"


def change(value):
    return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0.0"


# ---- TCOR ---------------------------------------------------------------------

# V-B, 64 KiB: the Parameter Buffer's accesses to the L2, all memory accesses, the hierarchy's energy, all energy.
TCOR = {"l2": -33.5, "memory": -13.9, "hierarchy": -14.1, "all": -5.6}


def tiling_share(fixed, tiling, memory, whole):
    """The share, per cent, of what saves `tiling`, where `fixed` per cent save nothing, the rest saves `memory`, and the
    sum is `whole`."""
    return (100 * whole - (100 - fixed) * memory) / (tiling - memory)


def tcor():
    printed = read("tcor")
    shares, parts = printed["energy-shares"], printed["energy-parts"]
    hierarchy = 100 - average(shares, "all else, %")
    # Of the hierarchy's energy, per cent, and what each part of it saves of the hierarchy's.
    tiling, fixed, memory = (100 * sum(average(shares, f"{part}, %") for part in its) / hierarchy
                             for its in (("Tile Caches", "L2"), ("other L1 caches",), ("DRAM",)))
    saved_tiling = average(parts, "Tile Caches") + average(parts, "L2")
    ours = (100 * saved_tiling / tiling, 100 * average(parts, "DRAM") / memory)
    paper = (TCOR["l2"], TCOR["memory"])
    implied = tiling_share(fixed, *paper, TCOR["hierarchy"])
    rows = []
    for title, saves, (caches, dram) in (
            ("here", ours, (tiling, memory)), ("here, but saving what the paper's accesses do", paper, (tiling, memory)),
            ("implied by the paper", paper, (implied, 100 - fixed - implied)),
            ("implied, but saving what they do here", ours, (implied, 100 - fixed - implied))):
        rows.append([title, number(caches), number(fixed), number(dram), *map(change, saves),
                     change((caches * saves[0] + dram * saves[1]) / 100)])
    return ["hierarchy's energy", "Tile Caches and L2, %", "other L1 caches, %", "DRAM, %", "Tile Caches and L2 save",
            "DRAM saves", "the hierarchy saves"], rows


# ---- "Boustrophedonic Frames" -----------------------------------------------------

# I, III, V-B: textures' shares, per cent; changes.
BOUSTROPHEDONIC = {"memory": 36.0, "misses": 63.6, "accesses": -5.6, "speed-up": 2.0, "hierarchy": -9.9, "all": -2.6}


def boustrophedonic():
    printed = read("boustrophedonic")
    claims = {claim: float(its["here"]) for claim, its in printed["headlines"].items()}
    here = {"memory": average(printed["memory-accesses"], "texture, %"), "misses": average(printed["l2-misses"], "texture, %"),
            "accesses": claims["memory accesses, %"], "speed-up": claims["speed-up, %"],
            "hierarchy": claims["energy, memory hierarchy, %"], "all": claims["energy, all, %"]}
    published = {"textures, % of memory accesses": "memory", "textures, % of the L2's misses": "misses",
                 "memory accesses": "accesses", "speed-up": "speed-up", "energy, memory hierarchy": "hierarchy",
                 "energy, all": "all"}
    rows = [[title, *((number if "% of" in title else change)(its[key]) for its in (BOUSTROPHEDONIC, here))]
            for title, key in published.items()]

    def textures(its):
        """Their accesses to memory, if nothing else changes, per cent."""
        return 100 * its["accesses"] / its["memory"]

    def time(its):
        return 100 * (1 / (1 + its["speed-up"] / 100) - 1)

    for title, form, function in (
            ("implied: textures' accesses to memory", change, textures),
            ("implied: the L2's misses", change, lambda its: textures(its) * its["misses"] / 100),
            ("implied: textures' accesses to memory, % of the hierarchy's energy", number,
             lambda its: 100 * its["hierarchy"] / textures(its)),
            ("implied: the hierarchy, % of all energy", number, lambda its: 100 * its["all"] / its["hierarchy"]),
            ("implied: waiting for textures from memory, % of the time", number, lambda its: 100 * time(its) / textures(its))):
        rows.append([title, form(function(BOUSTROPHEDONIC)), form(function(here))])
    return ["averages", "paper", "here"], rows


# ---- DTM-NUCA ---------------------------------------------------------------------

# Figures 8 and 6, averages.
NUCA = {"local": {"D-NUCA": 27.5, "DTM-NUCA": 66.3}, "l2": {"D-NUCA": -46.2, "DTM-NUCA": -41.8}}


def nuca():
    printed = read("nuca")
    claims = {claim: float(its["here"]) for claim, its in printed["headlines"].items()}
    columns = {"paper": NUCA, "here": {
        "local": {kind: claims[f"local hits, {kind}, % of requests"] for kind in NUCA["local"]},
        "l2": {kind: claims[f"L2 accesses, {kind}, %"] for kind in NUCA["l2"]}}}
    for processors in ("32", "8", "4"):
        row = printed["sharers"][processors]
        columns[f"two scenes, {processors} processors"] = {
            "local": {kind: float(row[f"{kind}, local hits, %"]) for kind in NUCA["local"]},
            "l2": {kind: float(row[f"{kind}, L2 accesses"]) for kind in NUCA["l2"]}}
    rows = [[f"{kind}, local hits, %", *(number(its["local"][kind]) for its in columns.values())] for kind in NUCA["local"]]
    rows += [[f"{kind}, L2 accesses", *(change(its["l2"][kind]) for its in columns.values())] for kind in NUCA["l2"]]
    rows.append(["implied: caches that ask for a block of D-NUCA", *(number(100 / its["local"]["D-NUCA"]) for its in columns.values())])
    rows.append(["implied: L2 accesses, D-NUCA, if no block were replaced",
                 *(change(its["local"]["D-NUCA"] - 100) for its in columns.values())])
    return ["averages", *columns], rows


# ---- GSPC ---------------------------------------------------------------------

# 2.2, Figure 12: at most, as shader code, constants and the stencil are in it; misses against DRRIP.
GSPC = {"display": 5.0, "gspc": -11.8, "gspc+ucd": -13.1, "drrip+ucd": 0.0}


def smaller(share, exponent):
    """By how many per cent misses change if `share` per cent of what is inserted no longer is: as in a cache that is
    larger by that, where misses are as its size to the -exponent."""
    return 100 * ((1 - share / 100) ** exponent - 1)


def implied_share(saved, exponent):
    """The share of what is inserted with which smaller() is `saved`."""
    return 100 * (1 - (1 + saved / 100) ** (1 / exponent))


def gspc():
    printed = read("gspc")
    main, large, accesses = printed["misses-main"], printed["misses-16m"], each(printed["captures"], "LLC accesses a frame")
    misses, display = each(main, "DRRIP's, a frame"), each(printed["accesses"], "display")
    doubled = mean(each(large, "DRRIP's, a frame")[name] / misses[name] for name in misses)
    exponent = -math.log2(doubled)
    inserted = mean(display[name] * accesses[name] / misses[name] for name in misses)
    here = {"display": average(printed["accesses"], "display"), "gspc": average(main, "GSPC"),
            "gspc+ucd": average(main, "GSPC+UCD"), "drrip+ucd": average(main, "DRRIP+UCD")}

    def gained(its):
        return 100 * ((100 + its["gspc+ucd"]) / (100 + its["gspc"]) - 1)

    rows = [["display, % of the LLC's accesses", f"{GSPC['display']:.0f} at most", number(here["display"])],
            ["display, % of DRRIP's misses", "", number(inserted)],
            ["DRRIP's misses, 16 MiB against 8 MiB", "", change(100 * (doubled - 1))],
            ["DRRIP+UCD against DRRIP, misses", change(GSPC["drrip+ucd"]), change(here["drrip+ucd"])],
            ["implied: the same, by display's share of the misses", "", change(smaller(inserted, exponent))],
            ["GSPC+UCD against GSPC, misses", change(gained(GSPC)), change(gained(here))],
            ["implied: display, % of misses for the paper's GSPC+UCD", number(implied_share(gained(GSPC), exponent)), ""]]
    return ["averages", "paper", "here"], rows


# ---- output -------------------------------------------------------------------

EXPERIMENTS = {"tcor": tcor, "boustrophedonic": boustrophedonic, "nuca": nuca, "gspc": gspc}


def table(name):
    """An experiment's table, as Markdown."""
    header, rows = EXPERIMENTS[name]()
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "## implied\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main(keep):
    for name in EXPERIMENTS:
        text = table(name)
        print(f"{name}\n\n{text}")
        if keep:
            (DOCUMENTS / name / IMPLIED).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--keep"]):
        sys.exit(__doc__)
    main(sys.argv[1:] == ["--keep"])
