# SPDX-License-Identifier: MIT
"""What the Snakefile of the experiment "DTM-NUCA" simulated, and what the paper says."""
import csv
import itertools
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import decrease, load_statistics, mean, share  # noqa: E402

WARM_UP = 1  # frames that are not counted: the caches are empty
ORGANISATIONS = {"s-nuca": "S-NUCA", "d-nuca": "D-NUCA", "dtm-nuca": "DTM-NUCA", "dtm-nuca-distributed": "DTM-NUCA-Dist"}
COMPARED = ["d-nuca", "dtm-nuca", "dtm-nuca-distributed"]
# The paper's averages, per cent: fewer L2 accesses (Figure 6), local accesses (Figure 8), speed-up (Figure 9), energy
# (Figure 10).
PAPER = {
    "decrease": {"d-nuca": 46.2, "dtm-nuca": 41.8, "dtm-nuca-distributed": 33.3},
    "local": {"d-nuca": 27.5, "dtm-nuca": 66.3, "dtm-nuca-distributed": 73.9},
    "speed-up": {"d-nuca": -22.0, "dtm-nuca": 16.9, "dtm-nuca-distributed": 15.7},
    "energy": {"d-nuca": 4.0, "dtm-nuca": -6.9, "dtm-nuca-distributed": -7.6},
}

# A simulation is known by these keys of its configuration: (key, what the presets have, what it is where there is none).
KEYS = {
    "organisation": ("nuca.organisation", "private", None),
    "requests": ("nuca.requests", "fragment", None),
    "processors": ("fragment_stage.processors", 32, None),
    "scheduler": ("fragment_stage.scheduler", "round-robin", None),
    "placement": ("texture.placement", "morton-4k", None),
    "size": ("caches.texture_cache.size", 16384, None),
    "index": ("caches.texture_cache.index", "xor", None),
    "policy": ("caches.texture_cache.policy", "lru", None),
    "l2_latency": ("caches.l2.latency", 18, 0),
    "contexts": ("pipeline.fragment_contexts", 4, None),
    "bus": ("texture_bus.bytes_per_cycle", 16, 0),
    "node": ("nuca.mesh.table_node", "own", "shared"),
    "ports": ("nuca.mesh.table_ports", 1, 1),
    "migration": ("nuca.migration", "next-requester", None),
    "remote_hits": ("nuca.remote_hits", "update", None),
    "buckets": ("nuca.affinity_table.buckets", 32, None),
    "threshold": ("nuca.affinity_table.threshold_percent", 25, 0),
    "counted": ("nuca.affinity_table.counted", "all", None),
    "epoch": ("nuca.affinity_table.epoch_accesses", 20000, None),
    "owner": ("nuca.affinity_table.epoch_owner", "recompute", None),
    "reset": ("nuca.affinity_table.epoch_reset", "halve", "zero"),
}
# A set of assumptions (assumption_sets.yml) has other values than the presets.
ASSUMED = dict(setting.split("=", 1) for setting in os.environ.get("ASSUMED", "").split())
KEYS = {name: (key, ASSUMED.get(key, default), missing) for name, (key, default, missing) in KEYS.items()}
# Those that matter to private caches.
PRIVATE_KEYS = ["requests", "processors", "scheduler", "placement", "size", "index", "contexts", "bus"]


def value_of(configuration, path, missing):
    for key in path.split("."):
        if key not in configuration:
            return missing
        configuration = configuration[key]
    return configuration


def change(after, before):
    """By how many per cent of `before` it is more."""
    return 100 * (after / before - 1) if before else math.nan


class Simulation:
    """The counters of one simulation, of the frames that count."""

    def __init__(self, frames, configuration):
        self.frames, self.configuration = frames, configuration
        self.sums = {}

    def __getitem__(self, name):
        if name not in self.sums:
            self.sums[name] = sum(frame.get(name, 0) for frame in self.frames)
        return self.sums[name]

    def of_requests(self, name):
        return share(self[name], self["nuca.requests"]) if self["nuca.requests"] else math.nan

    def a_request(self, name):
        return self[name] / self["nuca.requests"] if self["nuca.requests"] else math.nan

    def energy(self, units):
        return sum(self[f"energy.{unit}.{kind}"] for unit in units for kind in ("dynamic", "static"))


def merge(one, other):
    """Frames of the same configuration; one may have fewer of them, or fewer counters (without timing)."""
    return [first | second for first, second in itertools.zip_longest(one, other, fillvalue={})]


class Capture:
    """One capture's results, of at most so many frames."""

    def __init__(self, results, name, frames=None):
        self.name, self.simulations = name, {}
        for path in sorted(results.glob(f"*/{name}/*/stats.json")):
            statistics = load_statistics(path)
            configuration = statistics["run"]["configuration"]
            key = tuple(value_of(configuration, path, missing) for path, _, missing in KEYS.values())
            counted = statistics["frames"][WARM_UP:][:frames]
            if key in self.simulations:
                counted = merge(self.simulations[key].frames, counted)
            self.simulations[key] = Simulation(counted, configuration)

    def find(self, **settings):
        """The simulation with the presets' values but for these; None if there was none."""
        return self.simulations.get(tuple(settings.get(key, default) for key, (_, default, _) in KEYS.items()))

    def private(self, **settings):
        """Private caches with the same settings, or with those that matter to them."""
        return self.find(**settings) or self.find(**{key: value for key, value in settings.items() if key in PRIVATE_KEYS})

    def decrease(self, organisation, **settings):
        """By how many per cent its L2 accesses are fewer than those of private caches."""
        simulation = self.find(organisation=organisation, **settings)
        return decrease(self.private(**settings)["nuca.l2_accesses"], simulation["nuca.l2_accesses"]) if simulation else math.nan

    def local(self, organisation, **settings):
        """The share of requests that the processor's own cache served, per cent."""
        simulation = self.find(organisation=organisation, **settings)
        return simulation.of_requests("nuca.local_hits") if simulation else math.nan

    def speed_up(self, organisation, **settings):
        """By how many per cent it is faster than private caches."""
        simulation, private = self.find(organisation=organisation, **settings), self.private(**settings)
        return change(private["gpu.cycles"], simulation["gpu.cycles"]) if simulation and private else math.nan

    def energy(self, organisation, units, **settings):
        """By how many per cent these units take more energy than with private caches."""
        simulation, private = self.find(organisation=organisation, **settings), self.private(**settings)
        return change(simulation.energy(units), private.energy(units)) if simulation and private else math.nan

    def degrees(self, **settings):
        """Shares of requests after which the block was in one, two, three, four private caches."""
        private = self.find(processors=4, **settings)
        return [private.of_requests(f"nuca.replication.{degree}") if private else math.nan for degree in range(1, 5)]

    def normalised_size(self, size):
        """L2 accesses of private caches of so many KiB, of those of 16."""
        before = self.find()["nuca.l2_accesses"]
        return self.find(size=1024 * size)["nuca.l2_accesses"] / before if before else math.nan


def average(captures, function):
    return mean(function(capture) for capture in captures)


# ---- area -------------------------------------------------------------------


class Areas:
    """Square millimetres of arrays, from CACTI's rows of 22 nm, itrs-lstp; between and beyond them log-log."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.rows = [row for row in csv.DictReader(file) if row["tech_nm"] == "22" and row["cell"] == "itrs-lstp"]

    def find(self, kind, size, **fields):
        """Of the two rows that are nearest in size."""
        rows = sorted((row for row in self.rows if row["kind"] == kind
                       and all(int(row[name]) == value for name, value in fields.items())),
                      key=lambda row: abs(math.log(int(row["size_bytes"]) / size)))
        (x0, y0), (x1, y1) = ((math.log(float(row["size_bytes"])), math.log(float(row["area_mm2"]))) for row in rows[:2])
        return math.exp(y0 + (y1 - y0) * (math.log(size) - x0) / (x1 - x0))

    def cache(self, configuration):
        return self.find("cache", configuration["size"], ways=configuration["ways"])

    def ram(self, size, bits):
        return self.find("ram", size, bus_bits=bits)
