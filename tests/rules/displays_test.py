# SPDX-License-Identifier: MIT
"""A process has one set of statistics files, however many displays it opens."""

import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import statistics_files  # noqa: E402

ARGUMENTS = None


class Displays(unittest.TestCase):
    def frames(self, how):
        """How many frames the statistics of `displays how` have (0: there are none), and what it said."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TBRSIM_")}
        with tempfile.TemporaryDirectory() as out:
            result = subprocess.run([ARGUMENTS.tbrsim, "run", "--out", out, "--", ARGUMENTS.displays, how], env=clean,
                                    capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            if not os.listdir(out):
                return 0, []
            frames = statistics_files.load(out)["frames"]
            with open(f"{out}/frames.csv", encoding="utf-8", newline="") as file:
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

    def test_no_frames(self):
        self.assertEqual(self.frames("none"), (0, []))


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    parser.add_argument("--displays", required=True, type=os.path.abspath)
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
