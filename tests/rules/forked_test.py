# SPDX-License-Identifier: MIT
"""A child that is forked from a process with a display draws, or is told why it cannot: it never waits for threads that only
its parent has, and what its parent has drawn is counted once."""

import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

NO_CONTEXT = "a forked child cannot make a context on a display on which its parent has made one"
NO_DRAW = "a forked child cannot draw with a context of its parent"


class Forked(tbrsim.TestCase):
    def passes(self, how, message=None):
        """The passes of each process that has drawn."""
        for options in (("--no-model",), ()):
            result = tbrsim.run("run", "--out", self.directory, *options, "--", tbrsim.arguments.forked, how)
            self.assertEqual(result.returncode, 0, result.stderr)
            errors = [line for line in result.stderr.splitlines() if "tbrsim: error" in line]
            self.assertEqual(len(errors), 1 if message else 0, result.stderr)
            if message:
                self.assertIn(message, errors[0])
        with open(self.directory / "processes.csv", encoding="utf-8", newline="") as file:
            return sorted(tbrsim.frames(self.directory / row["folder"])[0]["gpu.passes"] for row in csv.DictReader(file))

    def test_opened(self):
        self.assertEqual(self.passes("opened"), [1, 2])

    def test_used(self):
        self.assertEqual(self.passes("used", NO_CONTEXT), [2])

    def test_unflushed(self):
        self.assertEqual(self.passes("unflushed"), [1])

    def test_draws(self):
        self.assertEqual(self.passes("draws", NO_DRAW), [2])

    def test_computes(self):
        self.assertEqual(self.passes("computes", NO_DRAW), [2])


if __name__ == "__main__":
    tbrsim.main("forked")
