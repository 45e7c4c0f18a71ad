# SPDX-License-Identifier: MIT
"""What the model says bounds a frame: the part that is busy most of the time."""

# What a stage's work is called; a part that has several is as busy as the busiest.
STAGES = {
    "geometry": ["vertex_fetch", "vertex_processors", "primitive_assembly", "polygon_list_builder", "tile_fetcher"],
    "rasterizer": ["rasterizer", "early_z", "hidden_surface_removal"],
    "arithmetic": ["fragment_processors"],
    "fill": ["blending_unit", "tile_buffers"],
}
STATES = ["busy", "starved", "blocked", "memory"]


def busy_share(counters, stage):
    """Of a stage's cycles, those in which it works."""
    cycles = [counters.get(f"{stage}.{state}_cycles", 0) for state in STATES]
    return cycles[0] / sum(cycles) if sum(cycles) else 0


def shares(counters):
    """{part: share of the time in which it is busy}."""
    its = {part: max(busy_share(counters, stage) for stage in stages) for part, stages in STAGES.items()}
    return its | {"bandwidth": counters["dram_system.busy_cycles"] / counters["dram_system.channel_cycles"]}


def bound(counters):
    its = shares(counters)
    return max(its, key=its.get)
