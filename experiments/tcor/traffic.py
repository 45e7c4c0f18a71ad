# SPDX-License-Identifier: MIT
"""TCOR V-B1: accesses to the L2 and to memory; Table II; what the paper leaves open."""
import math

from captures import MEBIBYTE, PAPER_CLASS, SECTIONS, SIZES, Run, average_rows
from support import legend_above, mean, new_plot, number, plot_bars, save, share, signed, write_table

# What the paper says (Table II, V-B): decreases, per cent.
PAPER_FOOTPRINT, PAPER_REUSE = 0.606, 3.71
PAPER_L2 = {"64k": 33.5, "128k": 37.1}
PAPER_PB_MEMORY = {"64k": 93.0, "128k": 94.1}
PAPER_MEMORY = {"64k": 13.9, "128k": 13.3}
ATTRIBUTE_CACHES = {"64k": 49152, "128k": 114688}
COUNTS = {"L2": Run.l2, "Parameter Buffer, memory": Run.parameter_buffer_memory, "all memory": Run.memory}


def sized(size):
    return size.replace("k", " KiB")


def captures_table(captures):
    def memory_share(capture):
        base = capture.run("tcor-baseline-64k")
        return share(base.parameter_buffer_memory(), base.memory())

    def averages(some):
        return ["", "", "", "", f"{mean(c.footprint for c in some) / MEBIBYTE:.2f}", number(mean(c.reuse for c in some)),
                number(mean(map(memory_share, some))), f"{mean(texture_reads(c) for c in some):.2f}"]

    def texture_reads(capture):
        return 64 * capture.run("tcor-baseline-64k").frame("dram.texture.reads") / MEBIBYTE

    header = ["capture", "frames", "passes per frame", "primitives per frame", "attributes per primitive",
              "Parameter Buffer, MiB", "average primitive re-use", "Parameter Buffer, % of memory accesses",
              "textures read from memory, MiB"]
    rows = [[capture.name, capture.frames, f"{capture.passes / capture.frames:.0f}",
             f"{capture.primitives / capture.frames:.0f}",
             number(capture.attributes / capture.primitives if capture.primitives else math.nan),
             f"{capture.footprint / MEBIBYTE:.2f}", number(capture.reuse), number(memory_share(capture)),
             f"{texture_reads(capture):.2f}"] for capture in captures]
    rows += average_rows(captures, averages)
    rows.append(["paper's average", "", "", "", "3", f"{PAPER_FOOTPRINT:.2f}", number(PAPER_REUSE), "", ""])
    return header, rows


def traffic_table(captures, of, paper):
    """Changes against the baseline of the same size."""
    names = [(f"tcor-{size}{kind}", f"tcor-baseline-{size}") for size in SIZES for kind in ("-no-l2", "")]

    def averages(some):
        return [signed(mean(capture.change(of, *its) for capture in some)) for its in names]

    header = ["capture", *(f"{size}iB, {kind}" for size in ("64 K", "128 K") for kind in ("without the L2", "TCOR"))]
    rows = [[capture.name, *(signed(capture.change(of, *its)) for its in names)] for capture in captures]
    rows += average_rows(captures, averages)
    rows.append(["paper's average", *(cell for size in SIZES for cell in ("", signed(paper[size])))])
    return header, rows


MEMORY_STREAMS = {"pb_list": "lists", "pb_attribute": "attributes", "color": "colours", "texture": "textures"}
SECTION_COUNTERS = [("L2 reads", "l2", "reads"), ("L2 writes", "l2", "writes"), ("memory reads", "dram", "reads"),
                    ("memory writes", "dram", "writes")]


def sections_table(captures):
    """Accesses per frame by section and direction, baseline → TCOR, 64 KiB."""
    header = ["capture", *(f"{section}, {title}" for section in ("lists", "attributes")
                           for title, _, _ in SECTION_COUNTERS)]
    return header, [
        [capture.name, *(" → ".join(f"{capture.run(name).frame(f'{unit}.{section}.{event}'):.0f}"
                                    for name in ("tcor-baseline-64k", "tcor-64k"))
                         for section in SECTIONS for _, unit, event in SECTION_COUNTERS)] for capture in captures]


def memory_parts_table(captures):
    """What each stream has of the baseline's memory accesses, per cent, and by how much TCOR changes them, per cent of all, 64 KiB."""
    def parts(capture):
        base, run = capture.run("tcor-baseline-64k"), capture.run("tcor-64k")
        others = base.memory() - base.memory(*MEMORY_STREAMS), run.memory() - run.memory(*MEMORY_STREAMS)
        pairs = [*((base.memory(stream), run.memory(stream)) for stream in MEMORY_STREAMS), others, (base.memory(), run.memory())]
        return [value for before, after in pairs for value in (share(before, base.memory()), share(before - after, base.memory()))]

    def cells(values):
        return [text(value) for value, text in zip(values, [number, signed] * (len(MEMORY_STREAMS) + 2))]

    names = [*MEMORY_STREAMS.values(), "others", "all"]
    rows = [[capture.name, *cells(parts(capture))] for capture in captures]
    rows += average_rows(captures, lambda some: cells(map(mean, zip(*map(parts, some)))))
    return ["capture", *(cell for name in names for cell in (f"{name}, %", "saved"))], rows


def mechanisms_table(captures):
    """What TCOR's parts did, a frame."""
    names = {"writes bypassed, primitives": "primitive_buffer.bypasses",
             "evictions, primitives": "primitive_buffer.evictions",
             "of these for attributes' room": "primitive_buffer.further_evictions",
             "waits for locks": "primitive_buffer.lock_waits",
             "dead evictions of the L2": "l2.total.dead_evictions",
             "write-backs saved in the L2": "l2.total.writebacks_saved"}
    return ["capture", *names], [
        [capture.name, *(f"{capture.run('tcor-64k').frame(counter):.0f}" for counter in names.values())]
        for capture in captures]


PARTS = {"interleaved lists": "interleaved", "and the L2": "interleaved-l2", "two LRU caches of blocks": "two-caches",
         "TCOR, LRU Attribute Cache": "lru", "TCOR without the L2": "tcor-64k-no-l2", "TCOR": "tcor-64k"}


def parts_table(captures, of):
    rows = [[capture.name, *(signed(capture.change(of, part)) for part in PARTS.values())] for capture in captures]
    rows += average_rows(captures, lambda some: [signed(mean(capture.change(of, part) for capture in some))
                                                 for part in PARTS.values()])
    return ["capture", *PARTS], rows


def reads_table(captures):
    """Attributes that the Attribute Cache reads from the L2, next to the least that any cache of its size can: those that
    do not fit when the Polygon List Builder has finished (V-A). All frames of the sweep."""
    header = ["capture", *(f"{sized(size)}, {kind}" for size in SIZES
                           for kind in ("baseline", "TCOR", "IDs of primitives", "least", "TCOR / least"))]
    rows = []
    for capture in captures:
        row = [capture.name]
        for size in SIZES:
            bound = next(point for point in capture.sweeps["blocks"]
                         if point["policy"] == "opt" and point["size_bytes"] == ATTRIBUTE_CACHES[size])
            least = bound["lower_bound_misses"] - bound["writes"]
            ids = "ids-primitives" if size == "64k" else "128k-ids-primitives"
            base, tcor, numbered = (capture.run(name).all_frames["l2.pb_attribute.reads"]
                                    for name in (f"tcor-baseline-{size}", f"tcor-{size}", ids))
            row += [f"{base:.0f}", f"{tcor:.0f}", f"{numbered:.0f}", f"{least:.0f}",
                    f"{tcor / least:.2f}" if least else "–"]
        rows.append(row)
    return header, rows


# ---- what the paper leaves open ---------------------------------------------

BOTH = {"fetch": "partial writes of lists: fetch", "validate": "partial writes of lists: validate",
        "validate-l2-fetch": "validate, and fetch in the L2", "bounding-box": "overlap: bounding boxes",
        "pass-end-discard": "end of a pass: discard", "pass-end-write-back": "end of a pass: write back"}
OF_TCOR = {"ids-primitives": "IDs number primitives", "modulo": "index: modulo", "xor-fold": "index: xor-fold",
           "ipoly": "index: ipoly", "ids-primitives-modulo": "IDs number primitives, modulo",
           "lines-323": "the same, 323 lines", "lines-512": "512 lines",
           "ids-primitives-lines-512": "512 lines, IDs number primitives", "lines-1024": "1024 lines",
           "entries-48": "entries of 48 bytes", "entries-48-lines-512": "the same, 512 lines",
           "ties-least-id": "ties: least ID", "ties-lru": "ties: LRU", "ties-mru": "ties: MRU",
           "next-sets": "further victims: next sets", "queue-1": "output queue: 1", "queue-64": "output queue: 64",
           "dead-lru": "L2: dead-lru", "tcor-64k-no-l2": "L2: lru"}
OF_128K = {"128k-ids-primitives": "128 KiB, IDs number primitives", "128k-ipoly": "128 KiB, index: ipoly",
           "128k-lines-754": "128 KiB, 754 lines, IDs number primitives, modulo"}


def choices():
    """Title, configuration and its baseline."""
    yield "the presets", "tcor-64k", "tcor-baseline-64k"
    for name, title in BOTH.items():
        yield title, f"{name}/tcor-64k", f"{name}/tcor-baseline-64k"
    for name, title in OF_TCOR.items():
        yield title, name, "tcor-baseline-64k"
    yield "fetch, 1024 lines, entries of 48 bytes, IDs number primitives, output queue: 1", "most", "fetch/tcor-baseline-64k"
    yield "the presets, 128 KiB", "tcor-128k", "tcor-baseline-128k"
    for name, title in OF_128K.items():
        yield title, name, "tcor-baseline-128k"


def choices_table(captures):
    like_paper = [capture for capture in captures if capture.is_like_paper()]

    def cleared(name, base):
        """Captures whose Parameter Buffer all but never goes to memory."""
        return sum(signed(capture.change(Run.parameter_buffer_memory, name, base)) == "-100.0" for capture in captures)

    header = ["choice", *(f"{title}, {which}" for which in ("all captures", PAPER_CLASS) for title in COUNTS),
              "captures with -100.0 of the Parameter Buffer's memory"]
    return header, [[title, *(signed(mean(capture.change(of, name, base) for capture in some))
                              for some in (captures, like_paper) for of in COUNTS.values()), cleared(name, base)]
                    for title, name, base in choices()]


def lists_table(captures):
    """List blocks per frame that the L1 reads from the L2, by what a write does that misses."""
    names = [(title, preset, "" if kind == "allocate" else f"{kind}/")
             for title, preset in (("baseline", "tcor-baseline-64k"), ("TCOR", "tcor-64k"))
             for kind in ("allocate", "validate", "fetch")]
    kinds = ["allocate", "validate", "fetch"] * 2
    header = ["capture", *(f"{title}, {kind}" for (title, _, _), kind in zip(names, kinds))]
    return header, [[capture.name, *(f"{capture.run(prefix + preset).frame('l2.pb_list.reads'):.0f}"
                                     for _, preset, prefix in names)] for capture in captures]


def displacement_table(captures):
    """What the L2's policy costs and saves: blocks that textures read from memory, and all accesses."""
    policies = {"lru": "tcor-64k-no-l2", "dead-lru": "dead-lru", "tcor": "tcor-64k"}
    header = ["capture", "textures, baseline", *(f"textures, {policy}" for policy in policies),
              *(f"Parameter Buffer, {policy}" for policy in policies), *(f"all memory, {policy}, %" for policy in policies)]
    rows = [[capture.name, *(f"{capture.run(name).frame('dram.texture.reads'):.0f}"
                             for name in ("tcor-baseline-64k", *policies.values())),
             *(f"{capture.run(name).parameter_buffer_memory() / capture.frames:.0f}" for name in policies.values()),
             *(signed(capture.change(Run.memory, name)) for name in policies.values())] for capture in captures]
    rows += average_rows(captures, lambda some: [""] * 7 + [
        signed(mean(capture.change(Run.memory, name) for capture in some)) for name in policies.values()])
    return header, rows


# ---- plots ------------------------------------------------------------------


def plot_normalised(output, name, title, captures, change):
    """Normalised to the baseline of the same size; change(capture, configuration, size) is the decrease."""
    figure, axes = new_plot(title, "of the baseline", width=9.0)
    like_paper = [capture for capture in captures if capture.is_like_paper()]
    series = {}
    for size in SIZES:
        for kind, label in (("-no-l2", "TCOR without the L2"), ("", "TCOR")):
            values = [1 - change(capture, f"tcor-{size}{kind}", size) / 100 for capture in captures]
            some = [1 - change(capture, f"tcor-{size}{kind}", size) / 100 for capture in like_paper]
            series[f"{label}, {sized(size)}"] = [*values, mean(values), mean(some)]
    plot_bars(axes, [*(capture.name for capture in captures), "average", "0.1 to 2 MiB"], series)
    axes.axhline(1, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, name)


def write_traffic(output, captures):
    write_table(output, "captures", *captures_table(captures))
    for name, of, paper in (("l2", Run.l2, PAPER_L2), ("memory", Run.memory, PAPER_MEMORY),
                            ("parameter-buffer-memory", Run.parameter_buffer_memory, PAPER_PB_MEMORY)):
        write_table(output, name, *traffic_table(captures, of, paper))
    write_table(output, "sections", *sections_table(captures))
    write_table(output, "mechanisms", *mechanisms_table(captures))
    write_table(output, "parts-l2", *parts_table(captures, Run.l2))
    write_table(output, "parts-memory", *parts_table(captures, Run.parameter_buffer_memory))
    write_table(output, "reads", *reads_table(captures))
    write_table(output, "choices", *choices_table(captures))
    write_table(output, "lists", *lists_table(captures))
    write_table(output, "displacement", *displacement_table(captures))
    for name, title, of in (
            ("figure-14-15-l2", "Parameter Buffer accesses to the L2 (Figures 14, 15)", Run.l2),
            ("figure-16-17-memory", "Parameter Buffer accesses to memory (Figures 16, 17)", Run.parameter_buffer_memory),
            ("figure-18-19-total", "All accesses to memory (Figures 18, 19)", Run.memory)):
        plot_normalised(output, name, title, captures, lambda capture, configuration, size, of=of:
                        capture.change(of, configuration, f"tcor-baseline-{size}"))
