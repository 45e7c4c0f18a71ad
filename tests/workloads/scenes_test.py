# SPDX-License-Identifier: MIT
"""The program `scene`: images of all looks and of the render passes on three drivers, its own arithmetic against
tbrsim's counters, its errors; and the descriptions that come with it."""

import pathlib
import subprocess
import sys

import yaml
from PIL import Image, ImageChops

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

SCENES = tbrsim.SOURCE / "workloads" / "scenes"
LOOKS = ("board", "map", "runner", "racing", "shooter", "maze", "arena", "slingshot", "valley", "city")
FLAT = ("board", "map", "slingshot")
DRIVERS = ("tbrsim", "llvmpipe", "softpipe")
PASSES = {"target": "rgba8", "gbuffer": 2, "shadow_maps": 2, "shadow_size": 128, "shadow_kind": "depth",
          "reflection": 0.5, "post": 3, "bloom": 3, "consumed": 0.6}
# A channel that is off by more than FAR counts; drivers choose levels of textures differently.
FAR, TOLERANCE = 24, 0.03
# Ten games of TCOR, twelve of "Boustrophedonic Frames", eight of DTM-NUCA, twelve of GSPC, one of the thesis; several
# papers have the same.
BENCHMARKS = 33


def describe(look="runner", **changes):
    values = {"name": "small", "title": "small", "look": look, "resolution": "640x384", "seed": 5, "frames": 3,
              "primitives": 600, "tiles_per_primitive": 3, "attributes": 3, "mesh": 4, "overdraw": 2.2,
              "blended": 0.2, "culled": 0.5, "textures": 12, "texture_size": 64, "instructions": 16, "camera": 3,
              "moving": 0.3}
    return yaml.safe_dump(values | changes, sort_keys=False)


def far_share(left, right):
    with Image.open(left) as a, Image.open(right) as b:
        difference = ImageChops.difference(a.convert("RGB"), b.convert("RGB"))
        pixels = a.width * a.height
    far = [channel.point(lambda value: 255 if value > FAR else 0) for channel in difference.split()]
    union = ImageChops.lighter(ImageChops.lighter(far[0], far[1]), far[2])
    return union.histogram()[255] / pixels


class SceneCase(tbrsim.TestCase):
    def scene(self, *words, check=True):
        return tbrsim.execute(tbrsim.arguments.scene, *words, check=check)

    def printed(self, path, *words):
        return yaml.safe_load(self.scene("--print", *words, path).stdout)

    def counters(self, path, *options):
        out = self.directory / "out"
        tbrsim.run("run", "--set", "mode=tbr", *options, "--out", out, "--", tbrsim.arguments.scene, "--window",
                   "--frames", 1, path, check=True)
        return tbrsim.total(out)


class Images(SceneCase):
    def compare(self, name, description, drivers=DRIVERS):
        path = self.path("scene.yaml", description)
        images = {driver: self.directory / f"{name}-{driver}.png" for driver in drivers}
        for driver, image in images.items():
            tbrsim.run("run", "--driver", driver, "--no-model", "--", tbrsim.arguments.scene, "--size", "320x192",
                       "--frames", 2, "--png", image, path, check=True)
        for driver in drivers[1:]:
            with self.subTest(name, driver=driver):
                self.assertLessEqual(far_share(images["tbrsim"], images[driver]), TOLERANCE)
        with Image.open(images["tbrsim"]) as image:
            self.assertGreater(len(image.convert("RGB").getcolors(1 << 24)), 1000, f"{name} is nearly empty")

    def test_looks(self):
        for look in LOOKS:
            self.compare(look, describe(look))

    def test_passes(self):
        self.compare("passes", describe("city", **PASSES))
        self.compare("color", describe("valley", **PASSES | {"gbuffer": 0, "shadow_kind": "color"}))

    def test_samples(self):
        """softpipe has no targets of several samples."""
        self.compare("samples", describe("city", **PASSES | {"samples": 4}), DRIVERS[:2])

    def test_formats(self):
        for texture_format in ("rgb565", "etc2", "astc"):
            self.compare(texture_format, describe(texture_format=texture_format))


class Counts(SceneCase):
    def test_overlap(self):
        """Primitives and the tiles that they overlap, by the program's arithmetic and by tbrsim's."""
        for look in LOOKS:
            path = self.path("scene.yaml", describe(look))
            own, counters = self.printed(path), self.counters(path)
            with self.subTest(look):
                # In perspective, a corner's rounding may bring a pixel's centre into a triangle, or an edge to the
                # screen's.
                slack = 0 if look in FLAT else 0.01
                for key, counter in (("primitives", "primitives"), ("pmds", "pmds")):
                    got = counters[f"tiling_engine.{counter}"]
                    self.assertLessEqual(abs(got - own[key]), slack * own[key], key)
                self.assertEqual(counters["vertex_stage.vertices"], own["vertices"])

    def test_asked(self):
        path = self.path("scene.yaml", describe("board", parameter_buffer=0.12, reuse=2.2, reuse_counts="further-tiles"))
        own = self.printed(path)
        self.assertAlmostEqual(own["parameter_buffer"], 0.12, delta=0.003)
        self.assertAlmostEqual(own["tiles_per_primitive"], 3.2, delta=0.07)
        self.assertAlmostEqual(own["overdraw"], 2.2, delta=0.02)
        # Attributes of 48 bytes instead of the blocks that they begin: more of them for the same footprint.
        of_attributes = self.printed(path, "--set", "parameter_buffer_counts=attributes")
        self.assertAlmostEqual(of_attributes["parameter_buffer"], 0.12, delta=0.003)
        bytes_each = [size * own["attributes"] + 4 * 3.2 for size in (64, 48)]
        self.assertAlmostEqual(of_attributes["primitives"] / own["primitives"], bytes_each[0] / bytes_each[1], delta=0.03)
        # Found next to where the bisection ends, where textures' levels change.
        path = self.path("textures.yaml", describe("map", texture_size=0, texture_footprint=0.13))
        self.assertAlmostEqual(self.printed(path)["texture_footprint"] / 0.13, 1, delta=0.02)
        path = self.path("density.yaml", describe("map", texture_filter="one-level", texels_per_pixel=2.5))
        dense = self.printed(path)
        self.assertAlmostEqual(dense["texels_per_pixel"], 2.5, delta=0.05)
        once = self.printed(path, "--set", "texels_per_pixel=1.25")
        self.assertAlmostEqual(dense["texture_size"] / once["texture_size"], 2, delta=0.05)

    def test_meshes(self):
        """Objects that are drawn from the same vertices are where they are without; 65535 vertices are more of them."""
        path = self.path("scene.yaml", describe())
        self.assertEqual(self.printed(path, "--set", "objects_per_mesh=4"), self.printed(path))
        crowd = {"resolution": "1280x768", "tiles_per_primitive": 1.4, "mesh": 1}
        path = self.path("many.yaml", describe(primitives=40000, **crowd))
        result = self.scene("--print", path, check=False)
        self.assertRegex(result.stderr, "more than 65535 vertices: a larger mesh or more objects_per_mesh would need fewer")
        shared = self.printed(path, "--set", "objects_per_mesh=4")
        self.assertAlmostEqual(shared["primitives"] / 40000, 1, delta=0.02)
        # With more hidden triangles than here there would be too many vertices, which bisection tries.
        path = self.path("tried.yaml", describe(primitives=21000, **crowd))
        self.assertAlmostEqual(self.printed(path)["primitives"] / 21000, 1, delta=0.02)

    def test_blended(self):
        """Blended objects are all over the screen: with all other things equal, most of the picture's columns change."""
        path, columns = self.path("scene.yaml", describe("map", moving=0)), []
        images = []
        for blended in (0, 0.5):
            images.append(self.directory / f"{blended}.png")
            tbrsim.run("run", "--driver", "llvmpipe", "--no-model", "--", tbrsim.arguments.scene, "--frames", 1, "--set",
                       f"blended={blended}", "--png", images[-1], path, check=True)
        with Image.open(images[0]) as opaque, Image.open(images[1]) as half:
            difference = ImageChops.difference(opaque.convert("RGB"), half.convert("RGB"))
            width = difference.width // 10
            columns = [difference.crop((x, 0, x + width, difference.height)).getbbox() for x in range(0, 10 * width, width)]
        self.assertGreaterEqual(sum(box is not None for box in columns), 8)

    def test_footprint(self):
        """Blocks of texels that a frame reads."""
        for look, changes in (("map", {}), ("city", {"texture_filter": "trilinear"}), ("racing", {"texture_format": "etc1"}),
                              ("map", {"texture_filter": "one-level", "texels_per_pixel": 2})):
            path = self.path("scene.yaml", describe(look, texture_size=128, **changes))
            recording = self.directory / f"{look}.tbr"
            tbrsim.run("run", "--set", "mode=tbr", "--record", recording, "--out", self.directory / "out", "--",
                       tbrsim.arguments.scene, "--window", path, check=True)
            analysis = yaml.safe_load(tbrsim.run("analyze", "--set", "mode=tbr", "--unit", "texture_cache", "--json",
                                                 recording, check=True).stdout)
            got = analysis["simulations"]["forward"]["streams"]["texture"]["footprint_bytes_per_frame"] / (1 << 20)
            self.assertAlmostEqual(got / self.printed(path)["texture_footprint"], 1, delta=0.05, msg=look)

    def test_instructions(self):
        for attributes in (2, 3, 4, 5):
            path = self.path("scene.yaml", describe(attributes=attributes, instructions=30, vertex_instructions=70))
            counters = self.counters(path, "--timing", "on")
            self.assertEqual(counters["operations.quad_instructions"], 30 * counters["fragment_stage.quads"])
            self.assertEqual(counters["operations.vertex_instructions"], 70 * counters["vertex_stage.vertices"])

    def test_threads(self):
        path = self.path("scene.yaml", describe("city", **PASSES))
        expected = None
        for threads in (1, 4):
            out = self.directory / str(threads)
            tbrsim.run("run", "--set", f"threads={threads}", "--out", out, "--", tbrsim.arguments.scene, "--window",
                       path, variables={"LP_NUM_THREADS": str(threads)}, check=True)
            found = tbrsim.frames(out)
            self.assertEqual(found, expected or found)
            expected = found

    def test_set(self):
        path = self.path("scene.yaml", describe())
        more = self.path("more.yaml", describe(primitives=800, tiles_per_primitive=2.6))
        self.assertEqual(self.printed(path, "--set", "primitives=800", "--set", "tiles_per_primitive=2.6"), self.printed(more))
        self.assertEqual(self.printed(path, "--size", "640x384")["size"], "640x384")


class Errors(SceneCase):
    def refused(self, pattern, *words):
        result = self.scene(*words, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, pattern)

    def test_contradiction(self):
        few = self.path("few.yaml", describe(primitives=9605, tiles_per_primitive=1.4, overdraw=3, resolution="1960x768"))
        self.refused(r"9605 primitives on 1.40 tiles each contradict an overdraw of 3.00", "--print", few)
        many = self.path("many.yaml", describe(tiles_per_primitive=30))
        self.refused(r"600 primitives on 30.00 tiles each contradict .*at most", "--print", many)
        textures = self.path("textures.yaml", describe(texture_size=0, texture_footprint=50))
        self.refused(r"texture_footprint of 50.00 MiB contradicts 12 textures", "--print", textures)

    def test_keys(self):
        self.refused(r"small.yaml: .*shadow_mops.*line", "--print", self.path("small.yaml", describe(shadow_mops=1)))
        self.refused(r"look", "--print", self.path("look.yaml", describe(look="moon")))
        path = self.path("scene.yaml", describe())
        self.refused(r"--set mush=3: not KEY=VALUE", "--print", "--set", "mush=3", path)
        self.refused(r"overdraw: more than 1", "--print", "--set", "overdraw=0.5", path)
        self.refused(r"resolution: not WIDTHxHEIGHT", "--print", "--set", "resolution=big", path)
        self.refused(r"resolution: not WIDTHxHEIGHT", "--print", "--set", "resolution=640x384abc", path)
        self.refused(r"cannot be opened", "--print", self.directory / "none.yaml")

    def out_of_range(self, key, most, *values):
        path = self.path("scene.yaml", describe())
        for value in (-1, "nan", *values):
            self.refused(rf"scene.yaml: {key}: 0 to {most}\n", "--print", "--set", f"{key}={value}", path)

    def test_blended(self):
        self.out_of_range("blended", 1, 3, 1.01)

    def test_culled(self):
        self.out_of_range("culled", 8, 8.5)

    def test_scale(self):
        self.out_of_range("scale", 1, 2)

    def test_reflection(self):
        self.out_of_range("reflection", 1, 20)

    def test_consumed(self):
        self.out_of_range("consumed", 1, 1.5)

    def test_moving(self):
        self.out_of_range("moving", 1, 1.5)

    def test_camera(self):
        self.out_of_range("camera", 1024, 1025, "inf")

    def test_vertex_share(self):
        self.out_of_range("vertex_share", 10, 11)

    def test_overdraw(self):
        self.out_of_range("overdraw", 16, 17)

    def test_primitives(self):
        for primitives in (15, 4000000000):
            path = self.path("scene.yaml", describe(primitives=primitives))
            self.refused(r"16 to 1000000 primitives", "--print", path)

    def test_twice(self):
        """A second line of a key, in the file or by --set."""
        path = self.path("scene.yaml", describe() + "seed: 6\n" * 40)
        self.refused(r"scene.yaml: seed: more than once", "--print", path)
        self.refused(r"scene.yaml: seed: more than once", "--print", "--set", "seed=1234567890", path)
        path = self.path("once.yaml", describe())
        self.refused(r"once.yaml: seed: more than once", "--print", "--set", "moving=0.2\nseed: 6", path)

    def test_frames(self):
        """`make scenes` does not count the first frame."""
        script = tbrsim.SOURCE / "workloads" / "scenes.py"
        for frames in (-1, 0, 1):
            result = tbrsim.execute(sys.executable, script, "--tbrsim", tbrsim.arguments.tbrsim, "--program",
                                    tbrsim.arguments.scene, "--frames", frames, "--out", self.directory / "out",
                                    "candy_crush_saga")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(f"--frames {frames}: the first is not counted", result.stderr)


class Descriptions(tbrsim.TestCase):
    def test_files(self):
        paths = sorted(SCENES.glob("*.yaml"))
        self.assertEqual(len(paths), BENCHMARKS)
        for path in paths:
            with self.subTest(path.stem):
                text = path.read_text(encoding="utf-8")
                description = yaml.safe_load(text)
                self.assertEqual(description["name"], path.stem)
                for parameter in description["free"]:
                    low, *_, high = parameter["range"]
                    value = description.get(parameter["key"], 0)
                    if isinstance(low, str):
                        self.assertIn(value, parameter["range"])
                    else:
                        self.assertTrue(low <= value <= high, f"{parameter}: {value}")
                # A value has a source, or a range.
                for line in text.splitlines():
                    key = line.split(":")[0]
                    if key in description and key not in ("name", "title", "look", "seed", "frames", "free", "differs"):
                        ranged = any(parameter["key"] == key for parameter in description["free"])
                        self.assertTrue("#" in line or ranged or description[key] == 0, line)


if __name__ == "__main__":
    with tbrsim.display():
        tbrsim.main("scene")
