# SPDX-License-Identifier: MIT
"""Triangles that cross sides of the viewport (guard_band.c), as a GPU with a guard band and one without has them: key
primitive_assembly.guard_band. Primitives, PMDs and quads by hand; images do not depend on it; a recording answers for both."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

WIDTH, HEIGHT, TILE = 128, 96, 32
QUADS = WIDTH * HEIGHT // 4
RECORDING = pathlib.Path(__file__).resolve().parents[1] / "recordings/version-4.tbr"
BAND = 32768


def triangle(*vertices):
    return ["triangle", *(number for vertex in vertices for number in vertex)]


def whole(z=0.0):
    """It covers all of the viewport: clipping makes two of it."""
    return triangle((-1, -1, z, 1), (3, -1, z, 1), (-1, 3, z, 1))


def setting(band):
    return ("--set", f"primitive_assembly.guard_band={BAND if band else 0}")


class GuardBand(tbrsim.DisplayTestCase):
    def draw(self, band, *words, options=()):
        """The red of each pixel, row by row, and the counters; a recording of it is recording{band}.tbr."""
        image, out = self.path("image"), self.path(f"out{band}")
        tbrsim.run("run", *setting(band), *options, "--out", out, "--record", self.path(f"recording{band}.tbr"), "--",
                   tbrsim.arguments.guard_band, image, *words, check=True)
        return image.read_bytes()[::4], tbrsim.total(out)

    def draw_both(self, *words, options=()):
        """The image, which is the same, and the counters without and with a guard band. Each recording gives both."""
        image, clipped = self.draw(0, *words, options=options)
        other, guarded = self.draw(1, *words, options=options)
        self.assertEqual(image, other)
        for band in 0, 1:
            expected = self.path(f"out{band}") / "frames.csv"
            for recorded in 0, 1:
                out = self.path(f"simulated{band}{recorded}")
                self.fine("sim", *setting(band), *options, "--out", out, self.path(f"recording{recorded}.tbr"))
                self.assertEqual((out / "frames.csv").read_bytes(), expected.read_bytes())
        return image, clipped, guarded

    def expect(self, counters, **expected):
        names = {"primitives": "tiling_engine.primitives", "pmds": "tiling_engine.pmds", "quads": "fragment_stage.quads",
                 "attributes": "tiling_engine.attributes", "fragments": "fragment_stage.fragments",
                 "reads": "fragment_stage.footprints"}
        self.assertEqual({name: counters[names[name]] for name in expected}, expected)

    def quads(self, image):
        """Those that have a pixel that was drawn."""
        return len({(at % WIDTH // 2, at // WIDTH // 2) for at, red in enumerate(image) if red})

    def test_whole(self):
        """One primitive instead of two, and no quads twice: the diagonal goes through 128 + 96 - 32 pixels' corners, and
        through 64 + 48 - 16 quads, each of which both parts have but those that it enters at a corner."""
        for mode in "tbr", "tbdr", "imr":
            with self.subTest(mode=mode):
                config = ("--config", "imr-8m") if mode == "imr" else ("--set", f"mode={mode}")
                image, clipped, guarded = self.draw_both(*whole(), options=config)
                self.assertEqual(set(image), {1})
                self.assertEqual(clipped["fragment_stage.fragments"], WIDTH * HEIGHT)
                self.assertGreater(clipped["fragment_stage.quads"], QUADS)
                self.expect(guarded, quads=QUADS, reads=QUADS, fragments=WIDTH * HEIGHT)
                if mode != "imr":
                    self.expect(clipped, primitives=2, attributes=2)
                    self.assertGreater(clipped["tiling_engine.pmds"], WIDTH * HEIGHT // TILE ** 2)
                    self.expect(guarded, primitives=1, attributes=1, pmds=WIDTH * HEIGHT // TILE ** 2)

    def test_timed(self):
        """A recording has the cycles of the live run, too."""
        _, _, guarded = self.draw_both(*whole(), *whole(), options=("--timing", "on"))
        self.expect(guarded, primitives=2, quads=QUADS)

    def test_scissored(self):
        """Of 80 x 50 pixels: 40 x 25 quads, 3 x 2 tiles."""
        image, _, guarded = self.draw_both("scissor", 0, 0, 80, 50, *whole())
        self.assertEqual(sum(map(bool, image)), 80 * 50)
        self.expect(guarded, primitives=1, quads=40 * 25, pmds=3 * 2)

    def test_viewport(self):
        """Nothing is drawn beside it."""
        image, _, guarded = self.draw_both("viewport", 20, 10, 60, 40, *whole())
        self.assertEqual({(at % WIDTH, at // WIDTH) for at, red in enumerate(image) if red},
                         {(x, y) for x in range(20, 80) for y in range(10, 50)})
        self.expect(guarded, primitives=1, quads=30 * 20)

    def test_samples(self):
        """Pixels that the diagonal crosses are shaded once."""
        image, clipped, guarded = self.draw_both("samples", 4, *whole())
        self.assertEqual(set(image), {1})
        self.assertGreater(clipped["fragment_stage.fragments"], WIDTH * HEIGHT)
        self.expect(guarded, primitives=1, quads=QUADS, fragments=WIDTH * HEIGHT)

    def test_many(self):
        """All sides at once, with primitives before, between and after: five parts that meet in a point."""
        wide = triangle((-2.5, .3, 0, 1), (2.1, -1.9, 0, 1), (1.7, 2.3, 0, 1))
        small = triangle((-.5, -.5, 0, 1), (.75, -.25, 0, 1), (0, .625, 0, 1))
        for mode in "tbr", "tbdr":
            for blend in (), ("blend",):
                with self.subTest(mode=mode, blend=blend):
                    shapes = [small, wide, small, whole(-.5), small]
                    image, clipped, guarded = self.draw_both(*blend, *(word for shape in shapes for word in shape),
                                                             options=("--set", f"mode={mode}"))
                    self.assertGreater(clipped["tiling_engine.primitives"], 6)
                    self.expect(guarded, primitives=5)
                    self.assertEqual(clipped["fragment_stage.fragments"], guarded["fragment_stage.fragments"])
        image, _, guarded = self.draw_both(*wide)
        self.expect(guarded, primitives=1, quads=self.quads(image))

    def test_culled_parts(self):
        """A corner that is on a side of the viewport is three corners of what is left: the first two of three parts have no
        area, and are culled with back faces. The third one is no part of the triangle before it."""
        small = triangle((-.5, -.5, 0, 1), (.75, -.25, 0, 1), (0, .625, 0, 1))
        corner = triangle((-.5, .5, 0, 1), (1, -.5, 0, 1), (1.5, .5, 0, 1))
        image, clipped, guarded = self.draw_both("cull", *small, *corner)
        self.assertEqual(set(image), {0, 1, 2})
        for counters in clipped, guarded:
            self.expect(counters, primitives=2, attributes=2)

    def test_hidden(self):
        """Of quads that one primitive covers in part, the next one has the rest."""
        image, _, guarded = self.draw_both("scissor", 0, 0, 63, HEIGHT, *whole(-.5), "scissor", 0, 0, WIDTH, HEIGHT,
                                           *whole(.5))
        self.assertEqual(image, bytes([1] * 63 + [2] * (WIDTH - 63)) * HEIGHT)
        self.expect(guarded, primitives=2, quads=(32 + 33) * HEIGHT // 2, fragments=WIDTH * HEIGHT)

    def test_band(self):
        """The largest one ends 32768 pixels from the window's origin. In units of half the viewport's width from its centre:
        right (32768 - 64) / 64, left (32768 + 64) / 64; of half its height (32768 ± 48) / 48."""
        for axis, inside, outside in (0, 510.9, 511.1), (0, -512.9, -513.1), (1, 681.6, 683.8), (1, -681.6, -683.8):
            for far, is_whole in (inside, True), (outside, False):
                corner = [-.4, -.4, 0, 1]
                corner[axis] = far
                _, clipped, guarded = self.draw_both(*triangle((-.5, -.5, 0, 1), corner, (.3, .6, 0, 1)))
                self.assertGreater(clipped["tiling_engine.primitives"], 1)
                self.assertEqual(guarded["tiling_engine.primitives"] == 1, is_whole)

    def test_sizes(self):
        """A triangle that reaches 256 pixels from the window's origin, and as far again as the viewport's width beyond it."""
        self.draw(0, *whole())
        for pixels, percent, primitives in (256, 0, 1), (255, 0, 2), (BAND, 100, 1), (BAND, 99, 2), (255, 100, 2):
            out = self.path(f"out{pixels}-{percent}")
            self.fine("sim", "--set", f"primitive_assembly.guard_band={pixels}", "--set",
                      f"primitive_assembly.guard_band_percent={percent}", "--out", out, self.path("recording0.tbr"))
            self.expect(tbrsim.total(out), primitives=primitives)

    def test_as_without(self):
        """What needs no guard band, or is not in it, is as without."""
        tiny, huge = 1e-6, 3e38
        shapes = [
            ((-.5, -.5, 0, 1), (.75, -.25, 0, 1), (0, .625, 0, 1)),  # within the viewport
            ((-1, -1, 0, 1), (600, -1, 0, 1), (-1, 3, 0, 1)),  # beyond the band
            ((-.5, -.5, 0, 1), (.5, -.5, 0, 1), (0, .25, 0, -1)),  # behind the eye
            ((-.5, -.5, 0, 1), (.5, -.5, 0, 1), (.5, .25, 0, tiny)),  # nearly in the eye
            ((-.5, -.5, 0, 1), (.5, -.5, 0, 1), (0, 0, 0, 0)),
            ((-.5, -.5, 0, 1), (huge, -.5, 0, 1), (0, huge, 0, 1)),
            ((-.5, -.5, 0, 1), ("inf", 0, 0, 1), (0, .5, 0, 1)),
            ((-.5, -.5, 0, 1), ("nan", 0, 0, 1), (0, .5, 0, 1)),
            ((2, -1, 0, 1), (3, -1, 0, 1), (2, 3, 0, 1)),  # beside the viewport
            ((-1, -1, -2, 1), (3, -1, 0, 1), (-1, 3, 0, 1)),  # before the near plane, too
        ]
        for band in 0, 1:
            self.draw(band, *(word for shape in shapes for word in triangle(*shape)))
        self.assertEqual((self.path("out0") / "frames.csv").read_bytes(), (self.path("out1") / "frames.csv").read_bytes())

    def test_lacking(self):
        """Recordings that do not have what it takes are simulated as without, which is said."""
        outs = self.path("old0"), self.path("old1")
        result = tbrsim.run("sim", "--set", "primitive_assembly.guard_band=0", "--out", outs[0], RECORDING, check=True)
        self.assertNotIn("guard_band", result.stderr)
        result = tbrsim.run("sim", "--set", "primitive_assembly.guard_band=100", "--out", outs[1], RECORDING, check=True)
        self.assertIn("primitive_assembly.guard_band has no effect: recordings made before version 12", result.stderr)
        self.assertEqual((outs[0] / "frames.csv").read_bytes(), (outs[1] / "frames.csv").read_bytes())

        self.draw(0, *whole(), options=("--record-visible",))
        recording, outs = self.path("recording0.tbr"), (self.path("out0"), self.path("visible"))
        result = tbrsim.run("sim", *setting(1), "--out", outs[1], recording, check=True)
        self.assertIn("primitive_assembly.guard_band has no effect: the events lack", result.stderr)
        self.assertEqual((outs[0] / "frames.csv").read_bytes(), (outs[1] / "frames.csv").read_bytes())


if __name__ == "__main__":
    tbrsim.main("guard_band")
