#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of the experiment "phones", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each workload NAME, the statistics of each configuration, NAME/*/stats.json (tbrsim sim). OUTPUT takes the
tables (Markdown and CSV). It is an error if bytes that a mechanism says it saved and those that it moved are not those
without it.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (decrease, listed_simulations, load_statistics, mean, number, share, signed, write_table,  # noqa: E402
                     write_tables)

WARM_UP = 3  # frames that are not counted: the first loads textures; the next two are those that the fourth and fifth are compared with
CONFIGURATIONS = {"none": "without", "pixels": "compression", "stores": "transaction elimination",
                  "tiles": "rendering elimination", "all": "all"}
CHANGES = [key for key in CONFIGURATIONS if key != "none"]
STREAMS = {"colours": ("color", "display"), "depth": ("depth",), "textures": ("texture",),
           "Parameter Buffer": ("pb_list", "pb_attribute")}
TARGETS = ("color", "display", "depth")
BLOCK = 64  # bytes of an access to memory
# What is published, and which column of the table of ratios is beside it; sources: docs/experiments/phones.md.
PUBLISHED = {"compression: images, % less": ("up to 50", 0),
             "transaction elimination: tiles that come out the same, %": ("up to 99", 4),
             "rendering elimination: tiles that come out the same, %": ("often more than 80", 4),
             "rendering elimination: tiles that are not drawn, %": ("not at hand", 5)}


def simulations(directory):
    """All frames, by configuration."""
    return {key: load_statistics(its["directory"])["frames"]
            for key, its in zip(CONFIGURATIONS, listed_simulations(directory), strict=True)}


def counted(frames, streams, *events):
    return sum(frame.get(f"{stream}.{event}", 0) for frame in frames for stream in streams for event in events)


def total(frames, counter):
    return sum(frame.get(counter, 0) for frame in frames)


def traffic(frames, streams=("total",)):
    return counted(frames, [f"dram.{stream}" for stream in streams], "read_bytes", "write_bytes")


def compressed(frames, streams, *events):
    return counted(frames, [f"framebuffer_compression.{stream}" for stream in streams], *events)


def check_frame(name, number, its):
    """Bytes of targets: what is moved and what is saved is what is moved without, but for signatures of tiles."""
    for key in CHANGES:
        frame = [its[key][number]]
        base = [its["tiles" if key in ("tiles", "all") else "none"][number]]
        whole = (traffic(frame, TARGETS) - compressed(frame, TARGETS, "header_bytes", "body_bytes")
                 + compressed(frame, TARGETS, "raw_bytes") + BLOCK * total(frame, "transaction_elimination.blocks"))
        # A signature's block is read, and written, once per tile at most.
        signatures = whole - traffic(base, TARGETS)
        if signatures % BLOCK or not 0 <= signatures <= 2 * BLOCK * total(frame, "transaction_elimination.compared"):
            sys.exit(f"{name}, frame {number}, {CONFIGURATIONS[key]}: {signatures} bytes are neither moved nor saved")
        drawn = total(frame, "tiling_engine.tiles") + total(frame, "rendering_elimination.skipped")
        if drawn != total([its["none"][number]], "tiling_engine.tiles"):
            sys.exit(f"{name}, frame {number}, {CONFIGURATIONS[key]}: {drawn} tiles are drawn or skipped")
        if total(frame, "rendering_elimination.wrong"):
            sys.exit(f"{name}, frame {number}, {CONFIGURATIONS[key]}: tiles were skipped that had changed")


def check(workloads):
    for name, its in workloads.items():
        for number in range(len(its["none"])):
            check_frame(name, number, its)


def write_changes(output, workloads):
    """All of the memory's traffic, per cent less than without."""
    rows = {name: [decrease(traffic(its["none"]), traffic(its[key])) for key in CHANGES] for name, its in workloads.items()}
    write_table(output, "memory", ["workload", "KiB per frame without", *(CONFIGURATIONS[key] for key in CHANGES)],
                [*([name, kibibytes(workloads[name]["none"], ("total",)), *map(signed, row)] for name, row in rows.items()),
                 ["**average**", "", *(signed(mean(values)) for values in zip(*rows.values()))]])


def kibibytes(frames, streams):
    return f"{traffic(frames, streams) / len(frames) / 1024:.0f}"


def write_streams(output, workloads):
    every = [stream for streams in STREAMS.values() for stream in streams]

    def row(frames):
        others = (traffic(frames) - traffic(frames, every)) / len(frames) / 1024
        return [*(kibibytes(frames, streams) for streams in STREAMS.values()), f"{others:.0f}", kibibytes(frames, ("total",))]

    write_table(output, "streams", ["workload", "KiB per frame", *STREAMS, "others", "total"],
                [[name, title, *row(its[key])] for name, its in workloads.items() for key, title in CONFIGURATIONS.items()])


def write_ratios(output, workloads):
    """What each mechanism does to what it looks at: a compressor to pixels that are stored, elimination to tiles."""
    def saved(frames, streams):
        return decrease(compressed(frames, streams, "raw_bytes"), compressed(frames, streams, "header_bytes", "body_bytes"))

    def solid(frames):
        ways = [compressed(frames, TARGETS, f"{way}_superblocks") for way in ("solid", "compressed", "raw")]
        return share(ways[0], sum(ways))

    rows = {name: [saved(its["pixels"], STREAMS["colours"]), saved(its["pixels"], STREAMS["depth"]),
                   saved(its["pixels"], ("texture",)), solid(its["pixels"]),
                   share(total(its["stores"], "transaction_elimination.eliminated"),
                         total(its["stores"], "transaction_elimination.compared")),
                   share(total(its["tiles"], "rendering_elimination.skipped"), total(its["none"], "tiling_engine.tiles"))]
            for name, its in workloads.items()}
    write_table(output, "ratios", ["workload", "colours compressed, % less", "depth, % less", "as textures, % less",
                                   "superblocks of one colour, %", "tiles not stored, %", "tiles not drawn, %"],
                [*([name, *map(number, row)] for name, row in rows.items()),
                 ["**average**", *(number(mean(values)) for values in zip(*rows.values()))]])
    write_table(output, "published", ["mechanism", "published", "average here", "least", "most"],
                [[mechanism, published, *(number(of([row[column] for row in rows.values()])) for of in (mean, min, max))]
                 for mechanism, (published, column) in PUBLISHED.items()])


def main(results, output, names):
    output.mkdir(parents=True, exist_ok=True)
    workloads = {name: simulations(results / name) for name in names}
    check(workloads)
    workloads = {name: {key: frames[WARM_UP:] for key, frames in its.items()} for name, its in workloads.items()}
    write_changes(output, workloads)
    write_streams(output, workloads)
    write_ratios(output, workloads)
    write_tables(output)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
