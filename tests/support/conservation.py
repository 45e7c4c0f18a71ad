# SPDX-License-Identifier: MIT
"""What must hold between the counters of any configuration."""

import collections
import pathlib

from support import tbrsim


def first_units(config):
    """{stream: the unit that its accesses reach first}. Descriptors go where constants do unless they have a unit of their
    own."""
    units = {key.split(".", 1)[1]: value for key, value in config.items() if key.startswith("streams.")}
    return {"descriptor": units["constant"]} | units


def conservation_errors(counters, config):
    """What does not add up among one frame's counters, or the totals."""
    errors = []
    flows = {}  # (unit, stream) -> accesses that arrive from the caches in front of it
    units = {key.split(".")[1] for key in config if key.startswith("caches.")}
    places = {name.rsplit(".", 1)[0] for name in counters if name.endswith(".hits")}
    for place in sorted(place for place in places if place.split(".")[0] in units):
        def event(kind, place=place):
            return counters[f"{place}.{kind}"]
        if event("hits") + event("misses") + event("bypasses") != event("reads") + event("writes"):
            errors.append(f"{place}: hits + misses + bypasses are not the accesses")
        unit, *rest = place.split(".")
        if len(rest) == 1 and rest[0] != "total":
            following = config[f"caches.{unit}.next"], rest[0]
            flows[following] = flows.get(following, 0) + event("fills") + event("writebacks")
    name = "framebuffer_compression.texture."
    if f"{name}body_bytes" in counters:  # what texture caches miss of compressed images is made of headers and bodies
        following = config["caches.texture_cache.next"]
        block = int(config[f"caches.{following}.block"])
        headers = 0 if "caches.texture_header_cache.next" in config else counters[f"{name}header_bytes"]
        flows[following, "texture"] += (counters[f"{name}body_bytes"] + headers) // block
        flows[following, "texture"] -= counters[f"{name}raw_bytes"] // int(config["caches.texture_cache.block"])
    for (unit, stream), arriving in sorted(flows.items()):
        if first_units(config)[stream] == unit:
            continue  # the stream's own accesses arrive here too
        accesses = counters[f"{unit}.{stream}.reads"] + counters[f"{unit}.{stream}.writes"]
        if accesses != arriving:
            errors.append(f"{unit}.{stream}: {accesses} accesses, but {arriving} arrive from the level before")
    for total in sorted(name for name in counters if ".total." in name):
        unit, kind = total.split(".total.")
        if counters[total] != sum(counters.get(f"{unit}.{stream}.{kind}", 0) for stream in first_units(config)):
            errors.append(f"{total}: not the sum of the streams")
    return errors


def rate_errors(counters):
    """Where frames per second are not what frames and nanoseconds make."""
    return [f"fps: {one['fps']}" for one in counters
            if abs(one["fps"] - (1e9 * one["gpu.frames"] / one["gpu.time"] if one["gpu.time"] else 0)) > 0.00051]


def consistency_errors(statistics, rows, config):
    """What does not fit together in one run's statistics: both files as tbrsim.statistics_files reads them."""
    frames, total = statistics["frames"], statistics["total"]
    errors = [f"total: {error}" for error in conservation_errors(total, config)]
    for number, frame in enumerate(frames):
        errors += [f"frame {number}: {error}" for error in conservation_errors(frame, config)]
    for name, value in total.items():
        if name == "fps":
            errors += rate_errors([*frames, total])
        elif value != sum(frame[name] for frame in frames):
            errors.append(f"total: {name} is not the sum of the frames")
    if len(rows) != len(frames):
        errors.append(f"frames.csv has {len(rows)} frames, stats.json {len(frames)}")
    for number, (row, frame) in enumerate(zip(rows, frames)):
        if dict.fromkeys(frame, 0) | row != frame:
            errors.append(f"frame {number}: frames.csv and stats.json differ")
    return errors


def errors_of_run(directory, config):
    """The same of the statistics in a directory."""
    files = tbrsim.statistics_files
    return consistency_errors(files.load(directory), files.load_csv(directory), config)


# What identifies a row of each table of attributions, after frame, pass_frame and pass.
ATTRIBUTION_KEYS = {
    "passes": ["width", "height", "tile_size", "tiles_x", "tiles_y", "draws", "primitives",
               "first_reads", "overwrites"],
    "draws": ["draw", "call", "group", "marker", "vertex_shader", "fragment_shader"],
    "textures": ["resource", "kind", "width", "height", "depth", "layers", "levels", "samples", "bytes", "format",
                 "label"],
    "tiles": ["tile", "column", "row"],
}


def read_table(directory, name):
    """The rows of a CSV file, {column: text} each."""
    return tbrsim.statistics_files.read_table(pathlib.Path(directory, f"{name}.csv"), str)


def attribution_errors(directory, names=tuple(ATTRIBUTION_KEYS)):
    """Where the rows of the tables of attributions do not add up to the frame's counters; an empty list: nowhere."""
    frames, errors = read_table(directory, "frames"), []
    for name in names:
        sums = [collections.Counter() for _ in frames]
        columns = ()
        for row in read_table(directory, name):
            columns = list(row)[3 + len(ATTRIBUTION_KEYS[name]):]
            for column in columns:
                sums[int(row["frame"])][column] += int(row[column])
        for number, (frame, total) in enumerate(zip(frames, sums, strict=True)):
            errors += [f"{name}.csv, frame {number}: {column} adds up to {total[column]}, not {frame.get(column, 0)}"
                       for column in columns if int(frame.get(column, 0)) != total[column]]
    return errors
