# SPDX-License-Identifier: MIT
"""Which resources the passes of a run render to, and what becomes of that, for the render graph."""

# Streams of attachments.
ATTACHED = ("color", "display", "depth", "stencil")
# Columns of passes.csv, and what they say of a store (docs/attribution.md).
FATES = {"first_reads": "read", "overwrites": "overwritten"}


def arrivals(settings, stream, direction):
    """The counter of a stream's accesses where they arrive first: "reads" or "writes"."""
    return f"{settings.get(f'streams.{stream}', 'dram')}.{stream}.{direction}"


def _written(results):
    """{resource: [frame, pass] of the first pass that writes it} of textures and windows."""
    table = results.textures
    table = table[table["kind"].isin(("texture", "window"))]
    names = [arrivals(results.settings, one, "writes") for one in ATTACHED]
    table = table[table[[name for name in names if name in table]].sum(axis="columns") > 0]
    first = {}
    for resource, frame, number in zip(table["resource"], table["pass_frame"], table["pass"], strict=True):
        place = [int(frame), int(number)]
        first[int(resource)] = min(first.get(int(resource), place), place)
    return first


def _fates(results):
    """{resource: {"FRAME:PASS" that stored it: ["read" or "overwritten", frame, pass that did]}}; None: results of an
    earlier version do not have it."""
    table = results.passes
    if not set(FATES) <= set(table):
        return None
    found = {}
    for column, fate in FATES.items():
        ends = table[table[column].notna()]
        for stores, frame, number in zip(ends[column], ends["pass_frame"], ends["pass"], strict=True):
            for store in stores.split():
                resource, place = store.split("@")
                found.setdefault(int(resource), {})[place] = [fate, int(frame), int(number)]
    return found


def targets(results):
    """The textures and windows that passes write: {resource: {"first": [frame, pass] of the first
    one that does, "stores": what becomes of each store, as _fates has it, or None}}."""
    if not {"textures", "passes"} <= set(results.attributions):
        return {}
    fates = _fates(results)
    return {resource: {"first": place, "stores": None if fates is None else fates.get(resource, {})}
            for resource, place in _written(results).items()}
