# SPDX-License-Identifier: MIT
"""Reads of descriptors, worked out by hand: a processor reads each descriptor that a shader names once when it begins with a draw,
in a line of 64 bytes; main memory is read once for each line."""

import csv
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import drawing  # noqa: E402
from support import tbrsim  # noqa: E402

WIDTH, HEIGHT, TILE = 128, 96, 32
TILES = WIDTH // TILE * (HEIGHT // TILE)
LINE = 64

# Of a scene: its draws, each of which covers all of the picture; lines that a draw's fragment and its vertex shader name; lines
# that a compute shader names, of four work-groups; all lines.
SCENES = {
    "none": (1, 0, 0, 0, 0),
    "one": (1, 1, 0, 0, 1),  # of eight in the set
    "eight": (1, 8, 0, 0, 8),
    "separate": (1, 4, 0, 0, 4),  # two images, two samplers
    "stages": (1, 4, 1, 0, 5),  # all four textures of the array, whichever the shader reads, and a uniform block
    "sets": (16, 1, 0, 0, 8),  # two draws for each set
    "dispatch": (1, 1, 0, 4, 5),
}
GROUPS = 4


class Descriptors(drawing.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = tbrsim.execute(tbrsim.arguments.descriptors, check=True).stdout.split()

    def draw(self, scene, *options):
        return self.picture(tbrsim.arguments.descriptors, scene, *options, size=(WIDTH, HEIGHT))[0]

    def count(self, scene, *options):
        out = self.path(f"{scene}-out")
        self.draw(scene, *options, "--out", out)
        return tbrsim.total(out)

    def test_all_are_worked_out(self):
        self.assertEqual(sorted(self.names), sorted(SCENES))

    def test_pictures(self):
        for scene in self.names:
            with self.subTest(scene):
                found = self.draw(scene, "--no-model")
                self.assertLessEqual(drawing.greatest_difference(self.draw(scene, "--driver", "llvmpipe", "--no-model"), found), 2)
                self.assertGreater(len(found.getcolors(1 << 16)), 10)

    def test_by_hand(self):
        # Switches of a draw, to each processor that shades quads of it: of tiles whose quads all processors shade, of tiles that
        # have a processor each, of a draw that is shaded without tiles.
        presets = {"tcor-baseline-64k": TILES * 4, "mali-g52-mc1": TILES, "imr-8m": 12}
        for preset, switches in presets.items():
            processors = int(tbrsim.keys(preset)["fragment_stage.processors"])
            mode = ("--set", "mode=tbr") if preset != "imr-8m" else ()
            for scene, (draws, fragment, vertex, compute, lines) in SCENES.items():
                with self.subTest(scene, preset=preset):
                    total = self.count(scene, "--config", preset, "--set", f"tile.size={TILE}", *mode)
                    groups = min(GROUPS, processors) if compute else 0
                    self.assertEqual(total["fragment_stage.program_switches"], draws * switches + groups)
                    reads = draws * (switches * fragment + vertex) + groups * compute
                    self.assertEqual(total["instruction_cache.descriptor.reads"], reads)
                    self.assertEqual(total["dram.descriptor.read_bytes"], lines * LINE)
                    self.assertEqual(total["dram.descriptor.write_bytes"], 0)

    def test_sizes(self):
        """Parts of 16 bytes, two descriptors in a line; of 64, a line each; images larger than samplers. Each line that has
        something of what is used is read once."""
        # Of a scene and bytes of an image and a sampler: lines.
        expected = {
            ("eight", 16, 16): 8 * 32 // 64, ("eight", 64, 64): 8 * 2, ("eight", 64, 32): 8 * 96 // 64, ("eight", 32, 32): 8,
            # Images 0 and 1 of the set, samplers 2 and 3: bytes 0-47 and 80-127; 0-63 and 128-191, 320-383 and 448-511; 0-159,
            # 256-287 and 352-383.
            ("separate", 16, 16): 1 + 1, ("separate", 64, 64): 2 + 2, ("separate", 64, 32): 3 + 2,
        }
        for (scene, resource, sampler), lines in expected.items():
            with self.subTest(scene, resource=resource, sampler=sampler):
                total = self.count(scene, "--set", f"descriptors.resource_bytes={resource}", "--set",
                                   f"descriptors.sampler_bytes={sampler}", "--set", "mode=tbr", "--set", f"tile.size={TILE}")
                self.assertEqual((total["instruction_cache.descriptor.reads"], total["dram.descriptor.read_bytes"]),
                                 (TILES * 4 * lines, lines * LINE))
        refused = tbrsim.run("run", "--set", "descriptors.sampler_bytes=257", "--", "true")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("descriptors.sampler_bytes", refused.stderr)

    def test_hidden(self):
        """Draws whose fragments are all hidden read nothing on a deferred GPU: the last one is left."""
        total = self.count("sets", "--set", f"tile.size={TILE}", "--set", "mode=tbdr")
        self.assertEqual(total["instruction_cache.descriptor.reads"], TILES * 4)
        self.assertEqual(total["dram.descriptor.read_bytes"], LINE)

    def test_push_constants(self):
        """They are constants, and no descriptors."""
        constants = {scene: self.count(scene)["instruction_cache.constant.reads"] for scene in ("eight", "stages")}
        self.assertGreater(constants["stages"], constants["eight"])

    def test_other_units(self):
        """The stream can have a unit of its own; then the cache of constants has none of it."""
        for unit in "l2", "dram":
            total = self.count("eight", "--set", f"streams.descriptor={unit}", "--set", "mode=tbr", "--set", f"tile.size={TILE}")
            self.assertEqual(total[f"{unit}.descriptor.reads"], TILES * 4 * 8)
            self.assertNotIn("instruction_cache.descriptor.reads", total)

    def test_statistics(self):
        for preset in ("tcor-baseline-64k", "imr-8m", "mali-g52-mc1"):
            self.check_statistics(tbrsim.arguments.descriptors, self.names, preset)

    def test_exported(self):
        """Each descriptor that a shader names, with what is used of it: a row for each draw."""
        expected = {
            # A uniform block is the set's first descriptor; images and samplers of an array follow.
            "stages": [("0", "0", "fragment", 5, number, "1", "1") for number in range(1, 5)] + [("0", "0", "vertex", 5, 0, "1", "0")],
            "separate": [("0", "0", "fragment", 4, number, *parts) for number, parts in enumerate(("10", "10", "01", "01"))],
            "dispatch": [("0", "0", "compute", 4, number, "1", sampler) for number, sampler in enumerate("1100")] +
                        [("1", "0", "fragment", 1, 0, "1", "1")],
            "none": [],
        }
        for scene, rows in expected.items():
            recording = self.path(f"{scene}-exported.tbr")
            self.draw(scene, "--no-model", "--record", recording)
            text = tbrsim.run("export", "--format", "events", "--table", "descriptors", recording, check=True).stdout
            found = list(csv.DictReader(io.StringIO(text)))
            with self.subTest(scene):
                self.assertEqual(sorted((row["pass"], row["draw"], row["stage"], int(row["set_size"]), int(row["descriptor"]),
                                         row["described"], row["sampler"]) for row in found), sorted(rows))
                # Each pass has one set.
                self.assertEqual(len({row["set"] for row in found}), len({row[0] for row in rows}))

    def test_threads(self):
        recording = self.path("sets.tbr")
        self.draw("sets", "--no-model", "--record", recording)
        totals = []
        for threads in (1, 4):
            out = self.path(f"threads-{threads}")
            tbrsim.run("sim", "--set", f"threads={threads}", "--set", "mode=tbr", "--out", out, recording, check=True)
            totals.append(tbrsim.total(out))
        self.assertEqual(totals[0], totals[1])
        self.assertEqual(totals[0]["dram.descriptor.read_bytes"], 8 * LINE)


if __name__ == "__main__":
    tbrsim.main("descriptors")
