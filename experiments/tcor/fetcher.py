# SPDX-License-Identifier: MIT
"""TCOR V-B3: primitives that the Tile Fetcher by itself puts out."""
from captures import SIZES, average_rows
from support import legend_above, mean, new_plot, number, plot_bars, save, write_table
from traffic import sized

PAPER_FETCHER = 5.0  # times the baseline's


def fetched(capture, name):
    return capture.timed("fetcher", name).fetched_per_cycle()


def fetcher_table(captures):
    header = ["capture", *(f"{sized(size)}, {kind}" for size in SIZES for kind in ("baseline", "TCOR", "ratio"))]

    def ratio(capture, size):
        return fetched(capture, f"tcor-{size}") / fetched(capture, f"tcor-baseline-{size}")

    rows = [[capture.name, *(cell for size in SIZES for cell in (
        number(fetched(capture, f"tcor-baseline-{size}"), 3), number(fetched(capture, f"tcor-{size}"), 3),
        number(ratio(capture, size), 2)))] for capture in captures]
    rows += average_rows(captures, lambda some: [
        cell for size in SIZES for cell in (number(mean(fetched(capture, f"tcor-baseline-{size}") for capture in some), 3),
                                            number(mean(fetched(capture, f"tcor-{size}") for capture in some), 3),
                                            number(mean(ratio(capture, size) for capture in some), 2))])
    rows.append(["paper's average", *["", "", number(PAPER_FETCHER)] * 2])
    return header, rows


FETCHER_PARTS = {"baseline": "tcor-baseline-64k", "interleaved lists": "interleaved", "and the L2": "interleaved-l2",
                 "two LRU caches of blocks": "two-caches", "TCOR without the L2": "tcor-64k-no-l2",
                 "TCOR, LRU Attribute Cache": "lru", "TCOR": "tcor-64k"}


def fetcher_parts_table(captures):
    rows = [[capture.name, *(number(fetched(capture, part), 3) for part in FETCHER_PARTS.values())]
            for capture in captures]
    rows += average_rows(captures, lambda some: [number(mean(fetched(capture, part) for capture in some), 3)
                                                 for part in FETCHER_PARTS.values()])
    return ["capture", *FETCHER_PARTS], rows


def waits_table(captures):
    """What the Tile Fetcher reads from memory: blocks of lists and attributes per frame."""
    header = ["capture", *(f"{section}, {part}" for section in ("lists", "attributes") for part in FETCHER_PARTS)]
    return header, [[capture.name, *(f"{capture.timed('fetcher', part).frame(f'dram.{section}.reads'):.0f}"
                                     for section in ("pb_list", "pb_attribute") for part in FETCHER_PARTS.values())]
                    for capture in captures]


def plot_fetcher(output, captures):
    figure, axes = new_plot("Primitives that the Tile Fetcher puts out, unlimited queue (Figures 23, 24)",
                            "primitives per cycle", width=9.0)
    plot_bars(axes, [*(capture.name for capture in captures), "average"],
              {f"{kind}, {sized(size)}": [*(values := [fetched(capture, preset.format(size)) for capture in captures]),
                                          mean(values)]
               for size in SIZES for kind, preset in (("baseline", "tcor-baseline-{}"), ("TCOR", "tcor-{}"))})
    legend_above(axes)
    save(figure, output, "figure-23-24-fetcher")


def plot_fetcher_parts(output, captures):
    figure, axes = new_plot("Primitives a cycle of the Tile Fetcher with TCOR's parts, 64 KiB", "primitives per cycle",
                            width=9.0)
    parts = {title: part for title, part in FETCHER_PARTS.items() if title != "TCOR, LRU Attribute Cache"}
    plot_bars(axes, [*(capture.name for capture in captures), "average"],
              {title: [*(values := [fetched(capture, part) for capture in captures]), mean(values)]
               for title, part in parts.items()})
    legend_above(axes)
    save(figure, output, "fetcher-parts")


def write_fetcher(output, captures):
    write_table(output, "fetcher", *fetcher_table(captures))
    write_table(output, "fetcher-parts", *fetcher_parts_table(captures))
    write_table(output, "fetcher-memory", *waits_table(captures))
    plot_fetcher(output, captures)
    plot_fetcher_parts(output, captures)
