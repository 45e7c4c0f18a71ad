# SPDX-License-Identifier: MIT
"""Labels of the queue, and presents, while an earlier submission waits for a signal that the program gives afterwards: none of
them waits, and events are in the order of the submissions."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import conservation, tbrsim  # noqa: E402

# Passes of each frame, which have a draw each.
FRAMES = {
    "labels": [4],
    "presents": [3, 1, 1],  # what is submitted after the last present is a frame
    "semaphores": [2, 2, 2],
}


class Queue(tbrsim.TestCase):
    def run_case(self, name):
        """Live and from a recording, which says the same."""
        out, recording, again = self.path(name), self.path(f"{name}.tbr"), self.path(f"{name}-sim")
        attribution = ("--set", "attribution.draw=on")
        result = tbrsim.run("run", *attribution, "--record", recording, "--out", out, "--", tbrsim.arguments.queue, name)
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), name)
        tbrsim.run("sim", *attribution, "--out", again, recording, check=True)
        self.assertEqual(tbrsim.contents(again), tbrsim.contents(out))
        return out

    def test_frames(self):
        for name, expected in FRAMES.items():
            with self.subTest(name):
                frames = tbrsim.frames(self.run_case(name))
                self.assertEqual([frame["gpu.passes"] for frame in frames], expected)
                self.assertEqual([frame["gpu.draws"] for frame in frames], expected)

    def test_labels(self):
        rows = [row for row in conservation.read_table(self.run_case("labels"), "draws") if row["draw"]]
        self.assertEqual([(row["pass"], row["group"], row["marker"]) for row in rows],
                         [("0", "", ""), ("1", "late", "between"), ("2", "late", "between"), ("3", "", "between")])


if __name__ == "__main__":
    tbrsim.main("queue")
