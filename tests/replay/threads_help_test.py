# SPDX-License-Identifier: MIT
"""Threads that render help the model where it is behind: statistics do not depend on it."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

CAPTURE = "glmark2_desktop"
# Deferred with filters, with one lane, without lanes; what is not divided at all.
PRESETS = [("tcor-64k",), ("nuca-dtm",), ("imr-8m",), ("tcor-64k", "--attribute", "pass")]


class ThreadsHelp(tbrsim.DisplayTestCase):
    def replay(self, name, *options, **variables):
        out = self.directory / name
        tbrsim.run("replay", "--frames", "1-4", "--out", out, "--config", *options,
                   tbrsim.CAPTURES / f"{CAPTURE}.trace", variables=variables, check=True)
        return (out / "frames.csv").read_bytes()

    def help(self, *options):
        """The statistics of a replay in which threads that render help whenever they can, and how often they did."""
        report = self.directory / "report"
        statistics = self.replay("helped", *options, "--set", "threads=3", TBRSIM_DEBUG="help",
                                 TBRSIM_DEBUG_FILE=str(report))
        return statistics, int(re.search(r"threads that render did (\d+) tasks of the model", report.read_text())[1])

    def test_same_statistics(self):
        for preset in PRESETS:
            with self.subTest(preset=preset):
                alone = self.replay("alone", *preset, "--model-threads", "1")
                helped, tasks = self.help(*preset)
                self.assertEqual(alone, helped)
                self.assertEqual(alone.count(b"\n"), 5)
                if "--attribute" in preset:
                    self.assertEqual(tasks, 0)
                else:
                    self.assertGreater(tasks, 0)

    def test_number_that_is_asked_for(self):
        self.assertEqual(self.help(*PRESETS[0], "--model-threads", "2")[1], 0)


if __name__ == "__main__":
    tbrsim.main()
