# SPDX-License-Identifier: MIT
"""Invocations of tessellation and geometry shaders of stages.c, by hand; the same counters and pixels live, from recordings,
with any number of threads; the same pixels with any size of tiles and in all modes."""

import csv
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from support.conservation import attribution_errors  # noqa: E402


def quads(parts):
    """Points and triangles of a square in so many parts per side."""
    return (parts + 1) ** 2, 2 * parts ** 2


def of_squares(squares):
    """The sums of both."""
    return [sum(numbers) for numbers in zip(*(quads(parts) for parts in squares))]


TWICE = of_squares([2, 2, 3, 3, 4, 4])
FOUR_TIMES = of_squares(4 * [2, 3, 4])
EXPECTED = {
    # Two patches of four corners, in each of three draws.
    "quads": {
        "gpu.draws": 3, "vertex_stage.vertices": 3 * 8, "tessellation_stage.patches": 6,
        "tessellation_stage.control_invocations": 6 * 4, "tessellation_stage.evaluation_invocations": TWICE[0],
        "tiling_engine.primitives": TWICE[1], "geometry_stage.invocations": 0,
    },
    # Four patches of a vertex in each of four instances, the last of which is culled.
    "instances": {
        "gpu.draws": 4, "vertex_stage.vertices": 16, "tessellation_stage.patches": 16,
        "tessellation_stage.control_invocations": 16, "tessellation_stage.evaluation_invocations": FOUR_TIMES[0],
        "tiling_engine.primitives": FOUR_TIMES[1],
    },
    # 24 x 24 patches: 97,344 points.
    "dense": {
        "vertex_stage.vertices": 24 ** 2, "tessellation_stage.patches": 24 ** 2,
        "tessellation_stage.control_invocations": 24 ** 2,
        "tessellation_stage.evaluation_invocations": 24 ** 2 * quads(12)[0],
    },
    # Two patches of a triangle, which a geometry shader gets three times and makes two squares of.
    "triangles": {
        "vertex_stage.vertices": 7, "tessellation_stage.patches": 2, "tessellation_stage.control_invocations": 6,
        "tessellation_stage.evaluation_invocations": 6, "geometry_stage.invocations": 6,
        "tiling_engine.primitives": 8,
    },
    # 40 vertices, then in each of two instances three, of which the first is fetched again: a texel each.
    "texels": {
        "gpu.draws": 3, "vertex_stage.vertices": 40 + 2 * 4, "vertex_stage.footprints": 40 + 2 * 4,
        "texture_cache.texture.reads": 40 + 2 * 4, "fragment_stage.footprints": 0,
    },
    # Two patches of three vertices in each of two instances: each invocation counts itself; vertices and triangles store, control
    # shaders load, points read a texel.
    "accesses": {
        "gpu.draws": 2, "vertex_stage.vertices": 12, "tessellation_stage.control_invocations": 12,
        "tessellation_stage.evaluation_invocations": 12, "geometry_stage.invocations": 4,
        "load_store.atomics": 12 + 12 + 12 + 4, "load_store.stores": 12 + 4, "load_store.loads": 12,
        "vertex_stage.footprints": 12, "vertex_stage.texture_reads": 12, "fragment_stage.footprints": 0,
    },
    # Two points, each twice.
    "layers": {
        "vertex_stage.vertices": 2, "tessellation_stage.patches": 0, "geometry_stage.invocations": 4,
        "tiling_engine.primitives": 8,
    },
}
PARTS = ("--attribute", "pass,draw,texture,tile")


class Stages(tbrsim.DisplayTestCase):
    def run_case(self, name, *options, out="live"):
        pixels = self.directory / "pixels"
        tbrsim.run("run", *options, "--out", self.directory / out, "--", tbrsim.arguments.stages, name, pixels, check=True)
        return pixels.read_bytes()

    def check(self, name):
        recording = self.directory / "recording.tbr"
        pixels = self.run_case(name, "--config", "tcor-64k", "--record", recording, "--set", "threads=1", *PARTS)
        frame, = tbrsim.frames(self.directory / "live")
        self.assertEqual({key: frame[key] for key in EXPECTED[name]}, EXPECTED[name])
        alone = {table: (self.directory / "live" / f"{table}.csv").read_bytes() for table in ("frames", "draws")}
        for preset, settings in (("tcor-64k", ()), ("tcor-64k", ("--timing", "on")), ("imr-8m", ("--timing", "on"))):
            self.assertEqual(self.run_case(name, "--config", preset, *settings, *PARTS), pixels)
            tbrsim.run("sim", "--config", preset, *settings, *PARTS, "--out", self.directory / "sim", recording,
                       check=True)
            for table in ("frames", "passes", "draws", "textures", "tiles"):
                live, simulated = (self.directory / out / f"{table}.csv" for out in ("live", "sim"))
                self.assertEqual(live.read_bytes(), simulated.read_bytes(), f"{preset}: {table}")
            self.assertEqual(attribution_errors(self.directory / "live"), [])
            for table, content in alone.items():
                if (preset, settings) == ("tcor-64k", ()):
                    self.assertEqual((self.directory / "live" / f"{table}.csv").read_bytes(), content)
        for settings in ("tile.size=16", "tile.size=64", "mode=tbr"):
            self.assertEqual(self.run_case(name, "--config", "tcor-64k", "--set", settings), pixels, settings)

    def test_instances_by_draw(self):
        """Each instance has the invocations of its own level."""
        self.run_case("instances", "--config", "tcor-64k", "--attribute", "draw")
        with (self.directory / "live" / "draws.csv").open() as table:
            rows = list(csv.DictReader(table))
        evaluated = [int(row["tessellation_stage.evaluation_invocations"]) for row in rows if row["draw"]]
        self.assertEqual(evaluated, [4 * quads(parts)[0] for parts in (2, 3, 4)] + [0])


    def test_accesses_by_invocation(self):
        """Which invocation of which instance does what to which bytes and texels."""
        recording = self.directory / "recording.tbr"
        self.run_case("accesses", "--config", "tcor-64k", "--record", recording)
        text = tbrsim.run("export", "--format", "events", "--table", "vertex_storage", recording, check=True).stdout
        found = {tuple(row[column] for column in ("draw", "stage", "invocation", "operation", "bytes", "offset", "x", "y"))
                 for row in csv.DictReader(io.StringIO(text))}
        expected = set()
        for draw in range(2):
            for stage, name in enumerate(("vertex", "tess_control", "tess_evaluation", "geometry")):
                for i in range(6 if stage < 3 else 2):
                    expected.add((draw, name, i, "atomic", 4, 4 * stage, "", ""))
            expected |= {(draw, "vertex", i, "store", 16, 16 * (6 * draw + i), "", "") for i in range(6)}
            expected |= {(draw, "tess_control", i, "load", 4, 4 * i, "", "") for i in range(6)}
            expected |= {(draw, "geometry", i, "store", "", "", 1, i) for i in range(2)}
        self.assertEqual(found, {tuple(map(str, row)) for row in expected})


for case in EXPECTED:
    setattr(Stages, f"test_{case}", lambda self, case=case: self.check(case))


if __name__ == "__main__":
    tbrsim.main("stages")
