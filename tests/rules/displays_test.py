# SPDX-License-Identifier: MIT
"""A process has one set of statistics files, however many displays it opens."""

import csv
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


class Displays(tbrsim.TestCase):
    def frames(self, how):
        """How many frames the statistics of `displays how` have (0: there are none), and what it said."""
        result = tbrsim.run("run", "--out", self.directory, "--", tbrsim.arguments.displays, how, check=True)
        if not os.listdir(self.directory):
            return 0, []
        frames = tbrsim.frames(self.directory)
        with open(self.directory / "frames.csv", encoding="utf-8", newline="") as file:
            self.assertEqual([row["frame"] for row in csv.DictReader(file)], [str(n) for n in range(len(frames))])
        for frame in frames:
            self.assertGreater(sum(frame.values()), 0)
        return len(frames), [line for line in result.stderr.splitlines() if "left out of the statistics" in line]

    def test_display_without_frames(self):
        self.assertEqual(self.frames("probe"), (3, []))

    def test_two_displays_in_turn(self):
        count, said = self.frames("both")
        self.assertEqual((count, len(said)), (3, 1))

    def test_one_display_after_the_other(self):
        self.assertEqual(self.frames("after"), (5, []))

    def test_child(self):
        self.assertEqual(self.frames("fork"), (2, []))

    def test_without_swaps(self):
        self.assertEqual(self.frames("flushed"), (1, []))

    def test_without_flushes(self):
        result = tbrsim.run("run", "--out", self.directory, "--", tbrsim.arguments.displays, "open", check=True)
        self.assertIn("ended before it flushed its last draws and clears (1 render pass)", result.stderr)
        self.assertIn("no frame was finished", result.stderr)
        self.assertNotIn("flushed", tbrsim.run("run", "--out", self.directory, "--", tbrsim.arguments.displays, "none").stderr)

    def test_locale_of_the_program(self):
        """Numbers of debug output have a point, whatever the program's language."""
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", self.directory / "de_DE.UTF-8"], check=False,
                              capture_output=True)
        if made.returncode:
            self.skipTest("Debian's package locales is not installed")
        tbrsim.run("run", "--out", self.directory / "out", "--", tbrsim.arguments.displays, "flushed", check=True, variables={
            "LOCPATH": str(self.directory), "LC_ALL": "de_DE.UTF-8", "TBRSIM_DEBUG": "tile=0,0",
            "TBRSIM_DEBUG_FILE": str(self.directory / "tile.txt")})
        self.assertIn("cleared to 0.5 0 1 1\n", (self.directory / "tile.txt").read_text())

    def test_no_frames(self):
        self.assertEqual(self.frames("none"), (0, []))


if __name__ == "__main__":
    tbrsim.main("displays")
