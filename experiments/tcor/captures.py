# SPDX-License-Identifier: MIT
"""What the experiment "TCOR" simulated of a capture, and averages of captures."""
import functools
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from configurations import KINDS, SCENE_KINDS, SCENE_TIMED_KINDS, SIZES, TIMED_KINDS  # noqa: E402,F401
from support import decrease, listed_simulations, load_statistics, read_table  # noqa: E402

MEBIBYTE = 1 << 20
KIBIBYTE = 1 << 10
WARM_UP = 2  # frames that are not counted: the first loads textures, the second fills the caches
SECTIONS = ["pb_list", "pb_attribute"]
CURVES = ["blocks", "full", "ways", "policies"]
# The attributes of a primitive, bytes, as a size of the caches of primitives: the paper has three (III-C1).
PRIMITIVE_BYTES = 3 * 64
# Table II has 0.12 to 1.81 MiB.
SMALLEST, LARGEST = 0.1 * MEBIBYTE, 2 * MEBIBYTE


class Run:
    """One simulation: the frames that count."""

    def __init__(self, path):
        statistics = load_statistics(path)
        self.configuration = statistics["run"]["configuration"]
        self.all_frames = statistics["total"]
        self.frames = statistics["frames"][WARM_UP:] or statistics["frames"][-1:]

    def total(self, counter):
        """Of the frames that count; 0 where the configuration has no such unit."""
        return sum(frame.get(counter, 0) for frame in self.frames)

    def frame(self, counter):
        return self.total(counter) / len(self.frames)

    def l2(self):
        """The Parameter Buffer's accesses to the L2."""
        return sum(self.total(f"l2.{section}.{event}") for section in SECTIONS for event in ("reads", "writes"))

    def memory(self, *streams):
        return sum(self.total(f"dram.{stream}.{event}") for stream in streams or ("total",)
                   for event in ("reads", "writes"))

    def parameter_buffer_memory(self):
        return self.memory(*SECTIONS)

    def energy(self, group):
        return self.total(f"energy.{group}.total")

    def unit_energy(self, *units):
        return sum(self.total(f"energy.{unit}.{kind}") for unit in units for kind in ("dynamic", "static"))

    def cycles(self):
        return self.total("gpu.cycles")

    def frames_per_second(self):
        time = self.total("gpu.time")
        return 1e9 * len(self.frames) / time if time else math.nan

    def fetched_per_cycle(self):
        cycles = self.total("tile_fetcher.cycles")
        return self.total("tile_fetcher.primitives") / cycles if cycles else math.nan


class Capture:
    """One capture's results, read when they are asked for: run(name) of what has no time, timed(kind, name) of the rest."""

    def __init__(self, results, name):
        self.results, self.name, self.kinds = results, name, {}
        base = self.run("tcor-baseline-64k")
        self.frames = len(base.frames)
        self.primitives, self.attributes, self.pmds, self.passes = (
            base.total(counter) for counter in ("tiling_engine.primitives", "tiling_engine.attributes",
                                                "tiling_engine.pmds", "gpu.passes"))
        self.footprint = (64 * self.attributes + 4 * self.pmds) / self.frames
        self.reuse = self.pmds / self.primitives if self.primitives else math.nan

    @functools.cached_property
    def sweeps(self):
        return {kind: self.sweep(self.results / "sweep" / f"{self.name}-{kind}.csv", 64 if kind == "blocks" else PRIMITIVE_BYTES)
                for kind in CURVES}

    def timed(self, kind, name):
        if kind not in self.kinds:
            names = (KINDS | SCENE_KINDS | TIMED_KINDS | SCENE_TIMED_KINDS)[kind]
            self.kinds[kind] = self.simulations(self.results / kind / self.name, names)
        return self.kinds[kind][name]

    def run(self, name):
        return self.timed(next(kind for kind, names in (KINDS | SCENE_KINDS).items() if name in names), name)

    @staticmethod
    def simulations(directory, names):
        if len(names) == 1:
            return {name: Run(directory) for name in names}
        return {name: Run(its["directory"]) for name, its in zip(names, listed_simulations(directory), strict=True)}

    @staticmethod
    def sweep(path, line):
        """The points; size_bytes with lines of so many bytes."""
        return [row | {"size_bytes": row["size_bytes"] // 64 * line} for row in read_table(path)]

    def is_like_paper(self):
        return SMALLEST <= self.footprint <= LARGEST

    def change(self, of, name, base="tcor-baseline-64k"):
        """By how many per cent it is less than in the baseline."""
        return decrease(of(self.run(base)), of(self.run(name)))

    def timed_change(self, of, name, size):
        return decrease(of(self.timed(f"time-{size}", f"tcor-baseline-{size}")), of(self.timed(f"time-{size}", name)))


CLASSES = {
    "below 0.1 MiB": lambda capture: capture.footprint < SMALLEST,
    "0.1 to 2 MiB": Capture.is_like_paper,
    "above 2 MiB": lambda capture: capture.footprint > LARGEST,
}
PAPER_CLASS = "0.1 to 2 MiB"


def average_rows(captures, cells):
    """Rows that end a table: the averages of all, of the captures with a Parameter Buffer as large as the paper's, where
    cells makes a row's cells of captures."""
    return [["**average**", *cells(captures)],
            [f"average, {PAPER_CLASS}", *cells([capture for capture in captures if capture.is_like_paper()])]]
