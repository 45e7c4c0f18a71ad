# SPDX-License-Identifier: MIT
"""What attachments cost a frame in main memory, against numbers worked out by hand. The
framebuffers are 128x96 pixels of 4 bytes, for colour and for depth with stencil; tiles
are 32x32."""

import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

ALL = 128 * 96 * 4
TILE = 32 * 32 * 4

# Bytes of colour read and written, of depth and stencil read and written.
EXPECTED = {
    # A window's depth is gone after the swap; samples are resolved from the tile buffers.
    "window": (0, ALL, 0, 0),
    "window_multisampled": (0, ALL, 0, 0),
    # Cleared attachments are not loaded.
    "clear": (0, ALL, 0, ALL),
    "only_clear": (0, ALL, 0, ALL),
    "load": (ALL, ALL, ALL, ALL),
    "one_tile": (TILE, TILE, TILE, TILE),
    # Neither are those that were thrown away before the first draw; what is thrown away
    # after the last is not stored, nor loaded for the next pass.
    "invalidate_depth": (0, ALL, 0, 0),
    "invalidate_first": (0, ALL, 0, ALL),
    # Two passes, of which the second needs the first's colour in the 9 tiles of the half.
    "depth_again": (9 * TILE, ALL + 9 * TILE, 0, 0),
    # Draws before a clear of everything leave nothing, not even loads.
    "clear_after_draw": (0, ALL, 0, ALL),
    "no_depth_test": (0, ALL, 0, ALL),
    # Only the averaged pixels leave the tile buffers.
    "resolve": (0, ALL, 0, 0),
    "implicit": (0, ALL, 0, 0),
    # Framebuffer fetch reads the tile buffers: it costs what any draw does in such a pass.
    "fetch": (0, ALL, 0, ALL),
    "fetch_load": (ALL, ALL, ALL, ALL),
    "deferred_shading": (0, ALL, 0, 0),
    "deferred_shading_kept": (0, 2 * ALL, 0, 0),
    # Pixel local storage is in the tile buffers only, and does not end a pass.
    "pixel_local": (0, ALL, 0, 0),
    "pixel_local_window": (0, ALL, 0, 0),
    "pixel_local_among_draws": (0, ALL, 0, 0),
    "pixel_local_load": (ALL, ALL, ALL, ALL),
    "pixel_local_two_framebuffers": (0, 2 * ALL, 0, 0),
    # A pass that ends before the storage does stores its word, and the framebuffer; the next loads them.
    "pixel_local_split": (2 * ALL, 3 * ALL, ALL, ALL),
}


class Attachments(tbrsim.DisplayTestCase):
    def check(self, scene):
        tbrsim.run("run", "--set", "tile.size=32", "--out", self.directory, "--", tbrsim.arguments.attachments, scene,
                   check=True)
        frames = tbrsim.frames(self.directory)
        self.assertGreaterEqual(len(frames), 3)
        for frame in frames[1:3]:
            found = (frame["dram.color.read_bytes"], frame["dram.color.write_bytes"],
                     frame["dram.depth.read_bytes"] + frame["dram.stencil.read_bytes"],
                     frame["dram.depth.write_bytes"] + frame["dram.stencil.write_bytes"])
            self.assertEqual(found, EXPECTED[scene])


    def test_hidden_surfaces(self):
        """What only writes pixel local storage is shaded where it is seen: of two halves one, in tbdr."""
        half, whole = 128 * 96 // 2, 128 * 96
        for mode, expected in (("tbdr", half + 3 * whole), ("tbr", 2 * half + 3 * whole)):
            tbrsim.run("run", "--set", "tile.size=32", "--set", f"mode={mode}", "--out", self.directory / mode, "--",
                       tbrsim.arguments.attachments, "pixel_local", check=True)
            self.assertEqual(tbrsim.frames(self.directory / mode)[1]["fragment_stage.fragments"], expected)

    def test_recorded(self):
        """The statistics of a recording are those of the run, in tiles and without."""
        for preset in ("tcor-baseline-64k", "imr-8m"):
            live, recording = self.directory / preset, self.directory / f"{preset}.tbr"
            tbrsim.run("run", "--config", preset, "--record", recording, "--out", live, "--",
                       tbrsim.arguments.attachments, "pixel_local_split", check=True)
            tbrsim.run("sim", recording, "--config", preset, "--out", self.directory / "simulated", check=True)
            self.assertEqual(tbrsim.contents(self.directory / "simulated"), tbrsim.contents(live))
            shutil.rmtree(self.directory / "simulated")


def add_test(scene):
    setattr(Attachments, f"test_{scene}", lambda self: self.check(scene))


for each in EXPECTED:
    add_test(each)


if __name__ == "__main__":
    tbrsim.main("attachments")
