# SPDX-License-Identifier: MIT
"""Subpasses, and what else reads attachments where a pass has them: pictures are those of lavapipe of the same Mesa, and what
passes cost in main memory is what was worked out by hand. What stays in the tiles costs nothing."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import drawing  # noqa: E402
from support import tbrsim  # noqa: E402

WIDTH, HEIGHT = 128, 96  # tiles are 32x32, lines of caches 64 bytes
ALL = WIDTH * HEIGHT * 4  # bytes of an attachment of one sample
# The quad of the second subpass covers the middles of pixels 6 … 121 of rows 5 … 90, and touches all tiles. An image's row
# is eight lines.
ROWS, LINES = 86, 8
# Seen from 40 pixels to the right and 25 rows up, within the image: pixels 46 … 127, rows 0 … 65.
OTHER_ROWS, OTHER_LINES = 66, 6

# Passes; bytes of colour read and written, of depth read and written, of textures.
TRAFFIC = {
    # Colour, normals and depth never leave the tiles.
    "two_subpasses": (1, 0, ALL, 0, 0, 0),
    # Without subpasses all three are stored, and read as textures.
    "two_passes": (2, 0, 3 * ALL, 0, ALL, 3 * ROWS * LINES * 64),
    # The second subpass might read other pixels than its own: the three are stored, and loaded into the tiles.
    "not_by_region": (2, 2 * ALL, 3 * ALL, ALL, ALL, 0),
    # It does: the pass is split at the draw, when all four attachments have been cleared or drawn, and the draw goes on with the
    # last of them.
    "other_pixels": (2, ALL, 4 * ALL, 0, ALL, 3 * OTHER_ROWS * OTHER_LINES * 64),
    "secondary": (1, 0, ALL, 0, 0, 0),
    "cleared_parts": (1, 0, ALL, 0, 0, 0),
    # Four samples a pixel are read in the tiles and resolved from them.
    "own_sample": (1, 0, ALL, 0, 0, 0),
    # Other samples than the own one are read in memory: three attachments of four samples are stored at the draw, which goes
    # on with one of them; the resolved one.
    "all_samples": (2, 4 * ALL, 3 * 4 * ALL + ALL, 0, 0, 0),
    # What is resolved has another number of samples: it is stored, and loaded.
    "resolved": (2, ALL, 2 * ALL, 0, 0, 0),
    "stencil": (1, 0, ALL, 0, 0, 0),
    "three": (1, 0, ALL, 0, 0, 0),
    "dual_source": (1, 0, ALL, 0, 0, 0),
    "feedback": (1, 0, ALL, 0, 0, 0),
    # An input attachment that nothing has drawn is loaded.
    "loaded": (1, ALL, ALL, 0, 0, 0),
    # Two layers.
    "views": (1, 0, 2 * ALL, 0, 0, 0),
    "cleared_views": (1, 0, 2 * ALL, 0, 0, 0),
    "cleared_layers": (1, 0, 3 * ALL, 0, 0, 0),
    "local_read": (1, 0, ALL, 0, 0, 0),
}


class Subpasses(drawing.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = tbrsim.execute(tbrsim.arguments.subpasses, check=True).stdout.split()

    def draw(self, scene, *options, size=()):
        return self.picture(tbrsim.arguments.subpasses, scene, *options, size=size)[0]

    def test_all_are_worked_out(self):
        self.assertEqual(sorted(self.names), sorted(TRAFFIC))

    def test_pictures(self):
        for scene in self.names:
            expected, found = self.draw(scene, "--driver", "llvmpipe", "--no-model"), self.draw(scene, "--no-model")
            with self.subTest(scene):
                greatest = drawing.greatest_difference(expected, found)
                print(f"{scene}: at most {greatest}/255 from lavapipe's picture")
                self.assertLessEqual(greatest, 2)
                self.assertGreater(len(found.getcolors(1 << 16)), 100)

    def test_traffic(self):
        for scene, expected in TRAFFIC.items():
            with self.subTest(scene):
                out = self.path(f"{scene}-out")
                self.draw(scene, "--set", "tile.size=32", "--out", out, size=(WIDTH, HEIGHT))
                total = tbrsim.total(out)
                # Input attachments are images in memory where a sample is not the own one only.
                self.assertEqual(total["dram.storage.read_bytes"] > 0, scene == "all_samples")
                found = (total["gpu.passes"], total["dram.color.read_bytes"], total["dram.color.write_bytes"],
                         total["dram.depth.read_bytes"], total["dram.depth.write_bytes"], total["dram.texture.read_bytes"])
                print(f"{scene}: passes, colour read, written, depth read, written, textures: {found}")
                self.assertEqual(found, expected)

    def test_statistics(self):
        for preset in ("tcor-baseline-64k", "imr-8m"):
            self.check_statistics(tbrsim.arguments.subpasses, self.names, preset)
        self.check_statistics(tbrsim.arguments.subpasses, ("two_subpasses", "stencil", "three"), "mali-g52-mc1")

    def test_invariance(self):
        """The same picture, to the bit, whatever the simulated GPU is like, and the same statistics with any number of
        threads."""
        for scene in ("two_subpasses", "other_pixels", "own_sample", "three", "feedback"):
            expected, counted = self.draw(scene, "--no-model"), None
            for setting in ("tile.size=8", "tile.size=64", "mode=tbr"):
                with self.subTest(scene, setting=setting):
                    self.assertEqual(self.draw(scene, "--no-model", "--set", setting).tobytes(), expected.tobytes())
            for threads in (1, 4):
                with self.subTest(scene, threads=threads):
                    out = self.path(f"{scene}-threads-{threads}")
                    self.assertEqual(self.draw(scene, "--set", f"threads={threads}", "--out", out).tobytes(),
                                     expected.tobytes())
                    counted = counted or tbrsim.total(out)
                    self.assertEqual(tbrsim.total(out), counted)


class Random(drawing.TestCase):
    """Render passes of random subpasses: a picture as lavapipe's. By region, they are one pass that stores the picture only."""

    SEEDS = range(20)

    def draw(self, seed, *options):
        picture, subpasses = self.picture(tbrsim.arguments.random, seed, *options)
        return picture, subpasses.strip()

    def test_random(self):
        merged = 0
        for seed in self.SEEDS:
            expected, _ = self.draw(seed, "--driver", "llvmpipe", "--no-model")
            out = self.path(f"{seed}-out")
            found, subpasses = self.draw(seed, "--out", out, "--record", self.path(f"{seed}.tbr"))
            total = tbrsim.total(out)
            with self.subTest(seed):
                greatest = drawing.greatest_difference(expected, found)
                print(f"{seed}: {subpasses}: {total['gpu.passes']} passes, at most {greatest}/255 from lavapipe's picture")
                self.assertLessEqual(greatest, 2)
                if subpasses.endswith("by region"):
                    merged += 1
                    self.assertEqual([total[name] for name in ("gpu.passes", "dram.color.read_bytes", "dram.color.write_bytes",
                                                               "dram.depth.read_bytes", "dram.depth.write_bytes")],
                                     [1, 0, ALL, 0, 0])
                else:
                    self.assertEqual(total["gpu.passes"], int(subpasses.split()[0]))
                sim = self.path(f"{seed}-sim")
                tbrsim.run("sim", "--out", sim, self.path(f"{seed}.tbr"), check=True)
                self.assertEqual(tbrsim.contents(sim), tbrsim.contents(out))
        self.assertGreater(merged, 0)
        self.assertLess(merged, len(self.SEEDS))


if __name__ == "__main__":
    tbrsim.main("subpasses", "random")
