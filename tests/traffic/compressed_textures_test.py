# SPDX-License-Identifier: MIT
"""Compressed textures: what a frame that reads each of 32 x 32 blocks reads from memory is the blocks' bytes, whatever
they are decoded to; their pixels, which compressed_textures.c checks; live and recorded alike."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

BLOCKS = 32 * 32
# Texels of a block, and its bytes.
FORMATS = {
    "etc2_rgb8": (4, 4, 8),
    "etc2_srgb8": (4, 4, 8),
    "etc2_rgb8a1": (4, 4, 8),
    "etc2_rgba8": (4, 4, 16),
    "etc2_r11_unorm": (4, 4, 8),
    "etc2_r11_snorm": (4, 4, 8),
    "etc2_rg11_unorm": (4, 4, 16),
    "etc2_rg11_snorm": (4, 4, 16),
    "astc_4x4": (4, 4, 16),
    "astc_5x4": (5, 4, 16),
    "astc_6x6": (6, 6, 16),
    "astc_8x8_srgb": (8, 8, 16),
    "astc_12x10": (12, 10, 16),
}


class CompressedTextures(tbrsim.DisplayTestCase):
    def check(self, name):
        width, height, block_bytes = FORMATS[name]
        recording, live, simulated = self.path("textures.tbr"), self.path("live"), self.path("simulated")
        tbrsim.run("run", "--record", recording, "--out", live, "--", tbrsim.arguments.compressed_textures, name,
                   check=True)
        first = tbrsim.frames(live)[0]
        self.assertEqual(first["dram.texture.read_bytes"], BLOCKS * block_bytes)
        self.assertEqual(first["fragment_stage.fragments"], BLOCKS * width * height)
        tbrsim.run("sim", "--out", simulated, recording, check=True)
        self.assertEqual(tbrsim.contents(simulated), tbrsim.contents(live))


def add_test(name):
    setattr(CompressedTextures, f"test_{name}", lambda self: self.check(name))


for each in FORMATS:
    add_test(each)


if __name__ == "__main__":
    tbrsim.main("compressed-textures")
