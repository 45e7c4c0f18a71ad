# SPDX-License-Identifier: MIT
"""Reuse distances of a recording, by `tbrsim analyze` (docs/analysis.md), for the page's curves of hit
rates by size."""
import json
import pathlib
import tempfile

from ..command import call
from ..configuration import Configuration
from ..errors import CommandFailed

MOST_FRAMES = 11

# What the analysis has no use for.
OFF = {"timing": "off", "attribution.pass": "off", "attribution.draw": "off",
       "attribution.texture": "off", "attribution.tile": "off"}


def texture_caches(settings):
    """The first and the last cache on the way of texture reads to memory."""
    path = []
    unit = settings.get("streams.texture", "dram")
    while unit != "dram" and unit not in path:
        path.append(unit)
        unit = settings.get(f"caches.{unit}.next", "dram")
    return list(dict.fromkeys(path[:1] + path[-1:]))


def _sizes(settings, unit):
    """What to mark: [[bytes, text], …]."""
    size = settings[f"caches.{unit}.size"]
    instances = settings.get(f"caches.{unit}.instances", 1)
    if instances == 1:
        return [[size, "configured"]]
    return [[size, "one instance"], [size * instances, f"all {instances}"]]


def _stream(counts):
    """Distances within a frame and from frame to frame have the same bins, but for empty ones."""
    bins = {}
    for kind in ("intra", "inter"):
        for one in counts[f"{kind}_distances"]:
            found = bins.setdefault(one["first"], {"first": one["first"], "last": one["last"],
                                                   "intra": 0, "inter": 0})
            found[kind] = one["count"]
    return {"accesses": counts["accesses"], "first": counts["first"],
            "bins": [bins[first] for first in sorted(bins)]}


def _unit(recording, config, settings, unit, options):
    answer = json.loads(call("analyze", "--json", "--config", config, "--unit", unit, "--sets", "1",
                             *options, "--", recording))
    simulation = answer["simulations"][settings["frame.traversal"]]
    return {"unit": unit, "block": answer["block_bytes"], "sizes": _sizes(settings, unit),
            "streams": {name: _stream(counts) for name, counts in simulation["streams"].items()
                        if counts["accesses"]}}


def reuse(results, typical, recording, first):
    """{"frames": that are counted, "warm_up": those before them that are not, "begin": the first of all, "units": a
    dictionary for each cache}, or {"problem": why there is none}. first: the frame of the recording that the
    results begin with. Of long runs the MOST_FRAMES that are nearest to the median: it takes longer than their simulation."""
    settings = results.settings
    count = min(results.num_frames, MOST_FRAMES)
    warm_up, begin = 1 if count > 1 else 0, typical.window(count)
    options = ["--warm-up", str(warm_up), "--frames", f"{first + begin}-{first + begin + count - 1}"]
    with tempfile.TemporaryDirectory(prefix="tbrsim-") as scratch:
        config = pathlib.Path(scratch) / "configuration.yaml"
        configuration = Configuration(results.run["configuration"])
        configuration.update(OFF)
        configuration.save(config)
        try:
            units = [_unit(recording, config, settings, unit, options)
                     for unit in texture_caches(settings)]
        except CommandFailed as error:
            return {"problem": str(error)}
    return {"frames": count - warm_up, "warm_up": warm_up, "begin": begin, "units": units}
