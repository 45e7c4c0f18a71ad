# SPDX-License-Identifier: MIT
"""External textures, which captures from Android have: live, and in a capture, where their content is what apitrace has
recorded of their EGL images."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

TEXELS = 16 * 16


class ExternalTextures(tbrsim.DisplayTestCase):
    def test_live(self):
        """The program checks its pixels."""
        tbrsim.run("run", "--out", self.directory, "--", tbrsim.arguments.program, check=True)
        for frame in tbrsim.frames(self.directory):
            self.assertEqual(frame["dram.texture.read_bytes"], TEXELS * 4)

    def test_replayed(self):
        capture = self.path("external.trace")
        tbrsim.run("run", "--driver", "llvmpipe", "--no-model", "--", "apitrace", "trace", "--api", "egl", "-o", capture,
                   tbrsim.arguments.program, check=True)
        images = self.path("images")
        text = tbrsim.run("replay", "--check", "--snapshots", images, "--out", self.path("out"), capture, check=True).stdout
        self.assertIn("every frame is within the tolerance", text)
        for frame in tbrsim.frames(self.path("out")):
            self.assertEqual(frame["dram.texture.read_bytes"], TEXELS * 4)
        # Three different pictures, none of them of one colour.
        pictures = [image.read_bytes() for image in sorted(pathlib.Path(images).iterdir())]
        self.assertEqual(len(set(pictures)), 3)
        self.assertGreater(min(map(len, pictures)), 300)


if __name__ == "__main__":
    tbrsim.main("program")
