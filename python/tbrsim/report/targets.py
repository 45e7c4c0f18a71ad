# SPDX-License-Identifier: MIT
"""Which resources the passes of a run render to, and what reads them, for the render graph."""

# Streams of attachments, and all that read what passes have rendered.
ATTACHED = ("color", "display", "depth", "stencil")
READING = ("texture", *ATTACHED)


def arrivals(settings, stream, direction):
    """The counter of a stream's accesses where they arrive first: "reads" or "writes"."""
    return f"{settings.get(f'streams.{stream}', 'dram')}.{stream}.{direction}"


def _sum(table, names):
    """The sums of those columns that the table has, row by row."""
    return table[[name for name in names if name in table]].sum(axis="columns")


def _places(table):
    """(frame, pass) of each row's pass."""
    return zip(table["resource"].astype(int), table["pass_frame"], table["pass"], strict=True)


def targets(results):
    """The textures and windows that passes write: {resource: {"first": [frame, pass] of the first
    one that does, "read": that of the last pass that reads it, or None}}.

    What a pass reads of its own target counts, too: it is no later pass, but may have been written
    by an earlier one."""
    if not {"textures", "passes"} <= set(results.attributions):
        return {}
    table = results.textures
    table = table[table["kind"].isin(("texture", "window"))]
    settings = results.settings
    written = table[_sum(table, [arrivals(settings, one, "writes") for one in ATTACHED]) > 0]
    read = table[_sum(table, [arrivals(settings, one, "reads") for one in READING]) > 0]
    found = {}
    for resource, frame, number in _places(written):
        place = [int(frame), int(number)]
        entry = found.setdefault(resource, {"first": place, "read": None})
        entry["first"] = min(entry["first"], place)
    for resource, frame, number in _places(read):
        if resource in found:
            place = [int(frame), int(number)]
            found[resource]["read"] = max(found[resource]["read"] or place, place)
    return found
