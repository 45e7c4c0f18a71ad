# SPDX-License-Identifier: MIT
"""What the model says bounds a frame: the part that is busy most of the time."""

# Stages of a part, which is as busy as the busiest; with shader cores (key core) arithmetic is their pipes'.
STAGES = {
    "geometry": ["vertex_fetch", "vertex_processors", "primitive_assembly", "polygon_list_builder", "tile_fetcher"],
    "rasterizer": ["rasterizer", "early_z", "hidden_surface_removal"],
    "arithmetic": ["fragment_processors"],
    "fill": ["blending_unit", "tile_buffers"],
}
PIPES = {"arithmetic": ["issue", "fma", "cvt", "sfu"], "varying": ["varying"], "texture": ["texture"],
         "load and store": ["load_store"], "fill": ["tile"], "rasterizer": ["depth"]}
STATES = ["busy", "starved", "blocked", "memory"]


def cycles_of(counters, stage):
    return sum(counters.get(f"{stage}.{state}_cycles", 0) for state in STATES)


def busy_share(counters, stage):
    """Of a stage's cycles, those in which it works."""
    cycles = cycles_of(counters, stage)
    return counters[f"{stage}.busy_cycles"] / cycles if cycles else 0


def shares(counters):
    """{part: share of the time in which it is busy}."""
    its = {part: max(busy_share(counters, stage) for stage in stages) for part, stages in STAGES.items()}
    if "shader_core.issue.busy_cycles" in counters:
        cycles = cycles_of(counters, "fragment_processors")  # of all cores
        del its["arithmetic"]
        for part, pipes in PIPES.items():
            busy = max(counters.get(f"shader_core.{pipe}.busy_cycles", 0) for pipe in pipes)
            its[part] = max(its.get(part, 0), busy / cycles)
    return its | {"bandwidth": counters["dram_system.busy_cycles"] / counters["dram_system.channel_cycles"]}


def bound(counters):
    its = shares(counters)
    return max(its, key=its.get)
