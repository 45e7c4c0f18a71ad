# SPDX-License-Identifier: MIT
"""A replay draws on windows and pbuffers of the sizes that the program's have, from the first frame on: its statistics are
those of the program itself, byte by byte, and its images those of llvmpipe. The captures are made here."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


def whole(width, height):
    """Bytes of colour where all of it is written: rows are of whole blocks of 64 bytes."""
    return -(-width // 16) * 64 * height


WHOLE = whole(200, 120)


class Drawables(tbrsim.DisplayTestCase):
    def capture(self, case):
        path = self.path(f"{case}.trace")
        tbrsim.run("run", "--driver", "llvmpipe", "--no-model", "--", "apitrace", "trace", "--api",
                   "gl" if case.startswith("glx") else "egl", "-o", path, tbrsim.arguments.program, case, check=True)
        return path

    def replay(self, case, *options):
        return tbrsim.run("replay", *options, "--out", self.path(f"{case}-replayed"), self.capture(case))

    def frames(self, case, *options):
        """The frames of the replay, which are those of the program."""
        tbrsim.run("run", "--out", self.path(f"{case}-live"), "--", tbrsim.arguments.program, case, check=True)
        result = self.replay(case, *options)
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), result.stdout)
        live, replayed = (pathlib.Path(self.path(f"{case}-{kind}"), "frames.csv").read_text(encoding="utf-8")
                          for kind in ("live", "replayed"))
        self.assertEqual(replayed, live)
        if options:
            self.assertIn("every frame is within the tolerance", result.stdout)
        return tbrsim.frames(self.path(f"{case}-replayed"))

    def check(self, case, *bytes_of_color):
        frames = self.frames(case, "--check")
        self.assertEqual([frame["dram.color.write_bytes"] for frame in frames], list(bytes_of_color))

    def test_windows(self):
        self.check("window", *[WHOLE] * 3)
        self.check("viewports", *[WHOLE] * 5)
        self.check("asked", *[WHOLE] * 3)
        self.check("glx", *[WHOLE] * 3)
        self.check("damage", *[WHOLE] * 3)
        self.assertEqual(len(self.frames("alternating", "--check")), 4)

    def test_windows_of_other_sizes(self):
        sizes = [(200, 120), (274, 230), (311, 120), (100, 400), (90, 60), (311, 300)]
        self.check("resized", *[whole(*size) for size in sizes])
        # When the smaller window is first swapped, the larger one has been drawn to, too.
        frames = self.frames("windows", "--check")
        self.assertEqual((len(frames), frames[0]["dram.color.write_bytes"]), (6, WHOLE + whole(90, 160)))
        self.check("later", whole(64, 64) + whole(90, 160))

    def test_larger_targets(self):
        """A viewport that is set for a framebuffer object before that is bound makes no window larger."""
        self.check("map", *[WHOLE + whole(512, 512)] * 3)

    def test_pbuffers(self):
        self.check("pbuffer", WHOLE)
        self.frames("glx-pbuffer", "--check")

    def test_no_swap(self):
        """All that is drawn is a frame; its image is what was drawn to last."""
        for case in ("texture", "surfaceless"):
            self.check(case, *[3 * whole(64, 64)])
        self.assertEqual(len(self.frames("compute")), 1)
        result = self.replay("compute", "--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("draws nothing", result.stderr)

    def test_after_the_last_swap(self):
        self.check("after", *[WHOLE] * 4)

    def test_frames_of_one_color_are_named(self):
        self.assertIn("of one colour, so that equal says little: 0 1 (2 of 2 frames)", self.replay("plain", "--check").stdout)
        self.assertNotIn("of one colour", self.replay("window", "--check").stdout)


if __name__ == "__main__":
    tbrsim.main("program")
