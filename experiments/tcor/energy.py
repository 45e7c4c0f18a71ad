# SPDX-License-Identifier: MIT
"""TCOR V-B2: energy; frame rate; where the baseline's time and energy go."""
import math

from captures import SIZES, Run, average_rows
from support import legend_above, mean, new_plot, number, plot_bars, save, share, signed, write_table
from traffic import plot_normalised, sized

# The paper's averages, decreases in per cent; of frames per second in the abstract.
PAPER_HIERARCHY = {"64k": (9.0, 14.1), "128k": (9.0, 13.6)}
PAPER_SYSTEM = {"64k": (None, 5.6), "128k": (None, 5.3)}
PAPER_FRAME_RATE = -3.7
STAGES = ["tile_fetcher", "rasterizer", "fragment_processors", "blending_unit", "tile_buffers"]
# The parts of the memory hierarchy: each unit is in one.
TILING_CACHES = ["tile_cache", "primitive_list_cache", "attribute_cache"]
OTHER_L1 = ["vertex_cache", "texture_cache", "instruction_cache"]
HIERARCHY = {"Tile Caches": TILING_CACHES, "other L1 caches": OTHER_L1, "L2": ["l2"], "DRAM": ["dram"]}


def hierarchy(run):
    return run.energy("memory_hierarchy")


def system(run):
    return run.energy("system")


# ---- the baseline -----------------------------------------------------------


def time_table(captures):
    """What the baseline's stages did, and memory."""
    header = ["capture", "Mcycles a frame", "FPS", *(f"{stage.replace('_', ' ')} busy, %" for stage in STAGES),
              "DRAM's bus busy, %", "row hits, %", "read latency, cycles of DRAM", "GB/s"]
    rows = []
    for capture in sorted(captures, key=lambda its: its.timed("time-64k", "tcor-baseline-64k").cycles()):
        run = capture.timed("time-64k", "tcor-baseline-64k")
        units = {"fragment_processors": run.configuration["fragment_stage"]["processors"]}
        bursts = [run.total(f"dram_system.{event}") for event in ("row_hits", "row_misses", "row_conflicts")]
        moved = sum(value for frame in run.frames for name, value in frame.items()
                    if name.startswith("dram.total.") and name.endswith("_bytes"))
        time = run.total("gpu.time")
        rows.append([capture.name, number(run.cycles() / len(run.frames) / 1e6, 2), number(run.frames_per_second(), 0),
                     *(number(share(run.total(f"{stage}.busy_cycles"), run.cycles() * units.get(stage, 1)))
                       for stage in STAGES),
                     number(share(run.total("dram_system.busy_cycles"), run.total("dram_system.channel_cycles"))),
                     number(share(bursts[0], sum(bursts))),
                     number(run.total("dram_system.read_latency_cycles") / max(run.total("dram_system.reads"), 1)),
                     number(moved / time if time else math.nan, 2)])
    return header, rows


def shares_table(captures):
    """Where the baseline's energy goes."""
    def shares(capture):
        run = capture.timed("time-64k", "tcor-baseline-64k")
        return [share(run.unit_energy(*units), system(run)) for units in HIERARCHY.values()] + [
            share(system(run) - hierarchy(run), system(run))]

    rows = []
    for capture in captures:
        run = capture.timed("time-64k", "tcor-baseline-64k")
        rows.append([capture.name, number(system(run) / len(run.frames) / 1e9, 2), *map(number, shares(capture))])
    rows += average_rows(captures, lambda some: ["", *(number(mean(values)) for values in zip(*map(shares, some)))])
    return ["capture", "mJ a frame", *(f"{name}, %" for name in [*HIERARCHY, "all else"])], rows


# ---- energy and frame rate --------------------------------------------------


def changes_table(captures, of, paper):
    names = [(f"tcor-{size}{kind}", size) for size in SIZES for kind in ("-no-l2", "")]
    header = ["capture", *(f"{sized(size)}, {kind}" for size in SIZES for kind in ("no L2 part", "all of TCOR"))]
    rows = [[capture.name, *(signed(capture.timed_change(of, *its)) for its in names)] for capture in captures]
    rows += average_rows(captures, lambda some: [signed(mean(capture.timed_change(of, *its) for capture in some))
                                                 for its in names])
    rows.append(["paper's average", *("" if value is None else signed(value) for size in SIZES for value in paper[size])])
    return header, rows


def contributions_table(captures, name):
    """What each part of the hierarchy adds to its change, per cent of the baseline's hierarchy, 64 KiB."""
    def contributions(capture):
        base, run = (capture.timed("time-64k", preset) for preset in ("tcor-baseline-64k", name))
        return [share(base.unit_energy(*units) - run.unit_energy(*units), hierarchy(base)) for units in HIERARCHY.values()
                ] + [share(hierarchy(base) - hierarchy(run), hierarchy(base))]

    rows = [[capture.name, *map(signed, contributions(capture))] for capture in captures]
    rows += average_rows(captures, lambda some: [signed(mean(values)) for values in zip(*map(contributions, some))])
    return ["capture", *HIERARCHY, "sum"], rows


# ---- plots ------------------------------------------------------------------


def plot_frame_rate(output, captures):
    figure, axes = new_plot("Frames per second against the baseline", "more, %", width=9.0)
    series = {}
    for size in SIZES:
        for kind, label in (("-no-l2", "TCOR without the L2"), ("", "TCOR")):
            values = [-capture.timed_change(Run.frames_per_second, f"tcor-{size}{kind}", size) for capture in captures]
            series[f"{label}, {sized(size)}"] = [*values, mean(values)]
    plot_bars(axes, [*(capture.name for capture in captures), "average"], series)
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "frame-rate")


def write_energy(output, captures):
    write_table(output, "time", *time_table(captures))
    write_table(output, "energy-shares", *shares_table(captures))
    write_table(output, "energy-hierarchy", *changes_table(captures, hierarchy, PAPER_HIERARCHY))
    write_table(output, "energy-all", *changes_table(captures, system, PAPER_SYSTEM))
    write_table(output, "frame-rate", *changes_table(
        captures, Run.frames_per_second, {size: (None, PAPER_FRAME_RATE) for size in SIZES}))
    write_table(output, "energy-parts-no-l2", *contributions_table(captures, "tcor-64k-no-l2"))
    write_table(output, "energy-parts", *contributions_table(captures, "tcor-64k"))
    for name, title, of in (("figure-20-21-energy", "Energy of the memory hierarchy (Figures 20, 21)", hierarchy),
                            ("figure-22-energy", "Energy of the GPU and its memory (Figure 22)", system)):
        plot_normalised(output, name, title, captures, lambda capture, configuration, size, of=of:
                        capture.timed_change(of, configuration, size))
    plot_frame_rate(output, captures)
