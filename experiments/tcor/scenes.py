# SPDX-License-Identifier: MIT
"""What TCOR could save at most on the paper's games and on scenes, and scenes with other values of what is not published."""
import math
import pathlib

import yaml

from captures import MEBIBYTE, SIZES, Run
from energy import PAPER_FRAME_RATE, PAPER_HIERARCHY, PAPER_SYSTEM, hierarchy, system
from support import decrease, mean, number, share, signed, write_table
from traffic import ATTRIBUTE_CACHES, COUNTS, PAPER_L2, PAPER_MEMORY, PAPER_PB_MEMORY, sized

DESCRIPTIONS = pathlib.Path(__file__).resolve().parent.parent.parent / "workloads" / "scenes"
BLOCK, TILE, LIST_CACHE = 64, 32, 16384
# V-B1: DDS loses 53 to 58 % of the Parameter Buffer's memory accesses, seven of the ten games lose all.
CLEARED = {"derby_destruction_simulator": 0.58}


def described(name):
    """What is published of a game: pixels and tiles of a frame, Parameter Buffer, bytes, textures' share of memory accesses, %."""
    description = yaml.safe_load((DESCRIPTIONS / f"{name}.yaml").read_text(encoding="utf-8"))
    width, height = map(int, description["resolution"].split("x"))
    return (width * height, -(-width // TILE) * -(-height // TILE), description["parameter_buffer"] * MEBIBYTE,
            description.get("texture_share"))


def bound_table(captures):
    """Of Table II alone: what of all memory accesses the Parameter Buffer can be where each of its blocks is written and read
    once, a tile's list being one block more, and colour is written once."""
    header = ["scene", "Parameter Buffer, MiB", "its accesses", "colour's accesses", "textures, published, %",
              "saved, no textures", "saved, with textures", "saved, with textures and 2 bytes per pixel"]
    rows, columns = [], []
    for capture in captures:
        pixels, tiles, footprint, textures = described(capture.name)
        accesses, color = 2 * (footprint / BLOCK + tiles), 4 * pixels / BLOCK
        others = 1 - (textures or 0) / 100
        columns.append([CLEARED.get(capture.name, 1) * share(accesses, every) for every in (
            accesses + color, (accesses + color) / others, (accesses + color / 2) / others)])
        rows.append([capture.name, f"{footprint / MEBIBYTE:.2f}", f"{accesses:.0f}", f"{color:.0f}", number(textures or math.nan),
                     *map(signed, columns[-1])])
    rows.append(["**average**", "", "", "", "", *(signed(mean(values)) for values in zip(*columns, strict=True))])
    rows.append(["paper's average", "", "", "", "", *[signed(PAPER_MEMORY["64k"])] * 3])
    return header, rows


def balance_table(captures):
    """The baseline's memory accesses and what TCOR saves, in per cent of all of them."""
    header = ["scene", "colour", "textures", "Parameter Buffer", "all else", "Parameter Buffer, if it never hit the L2",
              "saved of it", "saved of textures", "saved of all"]

    def cells(capture):
        base, tcor = capture.run("tcor-baseline-64k"), capture.run("tcor-64k")
        every, buffer = base.memory(), base.parameter_buffer_memory()
        shares = [share(base.memory(stream), every) for stream in ("color", "texture")] + [share(buffer, every)]
        return [*shares, max(100 - sum(shares), 0), share(base.l2(), every - buffer + base.l2()), *(
            share(of(base) - of(tcor), every) for of in (Run.parameter_buffer_memory, lambda run: run.memory("texture"), Run.memory))]

    values = {capture.name: cells(capture) for capture in captures}
    values["**average**"] = [mean(column) for column in zip(*values.values(), strict=True)]
    return header, [[name, *map(number, its[:5]), *map(signed, its[5:])] for name, its in values.items()]


def least(base, size):
    """Accesses to the L2 per frame of the best policy: what does not fit the two caches is written once and read once, at
    least a block of lists per tile, each block of attributes (V-A)."""
    lists = max(base.frame("tiling_engine.tiles"), base.frame("tiling_engine.pmds") / 16)
    blocks = [(lists, LIST_CACHE), (base.frame("tiling_engine.attributes"), ATTRIBUTE_CACHES[size])]
    return 2 * sum(max(number - room / BLOCK, 0) for number, room in blocks)


def least_table(captures):
    kinds = {"64k": ("tcor-64k", "entries-48-lines-512"), "128k": ("tcor-128k", "128k-lines-754")}
    header = ["scene", *(f"{sized(size)}, {title}" for size, other in zip(SIZES, ("512 lines, 48 bytes", "754 lines"))
                         for title in ("baseline", "TCOR", other, "least"))]
    changes, rows = [], []
    for capture in captures:
        row = [capture.name]
        changes.append([])
        for size, names in kinds.items():
            base = capture.run(f"tcor-baseline-{size}")
            accesses = base.l2() / capture.frames
            its = [*(capture.change(Run.l2, name, f"tcor-baseline-{size}") for name in names),
                   share(accesses - least(base, size), accesses)]
            changes[-1] += its
            row += [f"{accesses:.0f}", *map(signed, its)]
        rows.append(row)
    averages = [signed(mean(column)) for column in zip(*changes, strict=True)]
    rows.append(["**average**", "", *averages[:3], "", *averages[3:]])
    rows.append(["paper's average", *(cell for size in SIZES for cell in ("", signed(PAPER_L2[size]), "", ""))])
    return header, rows


def altered_table(captures, altered):
    """Scenes as described, and with other values: with the presets, and with all choices that let TCOR save more."""
    header = ["scene", "Parameter Buffer, MiB", "Parameter Buffer, % of memory accesses",
              *(f"{count}{kind}" for kind in ("", ", all choices") for count in COUNTS)]

    def changes(scene):
        return [scene.change(of, *names) for names in (("tcor-64k",), ("all-choices/tcor", "all-choices/baseline"))
                for of in COUNTS.values()]

    def row(scene):
        base = scene.run("tcor-baseline-64k")
        return [scene.name.replace(",", ", "), f"{scene.footprint / MEBIBYTE:.2f}",
                number(share(base.parameter_buffer_memory(), base.memory())), *map(signed, changes(scene))]

    averages = [mean(column) for column in zip(*map(changes, captures), strict=True)]
    papers = [paper["64k"] for paper in (PAPER_L2, PAPER_PB_MEMORY, PAPER_MEMORY)]
    return header, [*map(row, captures), ["**average**", "", "", *map(signed, averages)], *map(row, altered),
                    ["paper's average", "", "", *map(signed, papers * 2)]]


def bandwidth_table(captures, altered):
    """Frame rate and energy with the presets' memory, and with a seventh of its bandwidth."""
    memories = {"10.7 GB/s": ("time-64k", ""), "1.6 GB/s": ("narrow", "narrow/")}
    header = ["scene", *(f"{title}, {memory}" for memory in memories for title in (
        "bus busy, %", "frames per second", "hierarchy's energy, no L2 part", "hierarchy's energy", "all energy"))]

    def cells(scene):
        for kind, prefix in memories.values():
            base, without, tcor = (scene.timed(kind, f"{prefix}{name}") for name in ("tcor-baseline-64k", "tcor-64k-no-l2", "tcor-64k"))
            yield share(base.total("dram_system.busy_cycles"), base.total("dram_system.channel_cycles"))
            yield from (decrease(of(base), of(run)) for of, run in (
                (Run.frames_per_second, tcor), (hierarchy, without), (hierarchy, tcor), (system, tcor)))

    def row(name, values):
        return [name.replace(",", ", "), *(signed(value) if at % 5 else number(value) for at, value in enumerate(values))]

    average = [mean(column) for column in zip(*map(cells, captures), strict=True)]
    paper = ["", *map(signed, (PAPER_FRAME_RATE, *PAPER_HIERARCHY["64k"], PAPER_SYSTEM["64k"][1]))]
    return header, [*(row(scene.name, cells(scene)) for scene in captures), row("**average**", average),
                    *(row(scene.name, cells(scene)) for scene in altered), ["paper's average", *paper * 2]]


def write_scenes(output, captures, altered):
    write_table(output, "bound", *bound_table(captures))
    write_table(output, "balance", *balance_table(captures))
    write_table(output, "least", *least_table(captures))
    write_table(output, "altered", *altered_table(captures, altered))
    write_table(output, "bandwidth", *bandwidth_table(captures, altered))
