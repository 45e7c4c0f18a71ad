# SPDX-License-Identifier: MIT
"""How near predictions are, by hand; data/validation*.csv and docs/validation.md are of what was measured and of one another."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments"))
import validate  # noqa: E402
from validation import bounds, scenes  # noqa: E402
from validation.accuracy import Accuracy, harmonic_mean, rank_correlation, ranks  # noqa: E402


def read(path):
    return validate.sensitivity.read_csv(path)


class ByHand(unittest.TestCase):
    def test_accuracy(self):
        """Twice, half and four times as long: a factor of 2 ^ (2 / 3) on average, 1.59."""
        accuracy = Accuracy([(1, 2), (2, 1), (10, 40)])
        self.assertEqual(accuracy.count, 3)
        self.assertAlmostEqual(accuracy.ratio, 2 ** (2 / 3))
        self.assertAlmostEqual(accuracy.error, 100 * (1 + 0.5 + 3) / 3)
        self.assertAlmostEqual(accuracy.scaled_error, 100 * ((2 ** (1 / 3) - 1) + (1 - 2 ** (-5 / 3)) + (2 ** (4 / 3) - 1)) / 3)
        self.assertAlmostEqual(accuracy.rank_correlation, 0.5)  # 1 - 6 * (1 + 1 + 0) / (3 * 8)

    def test_ranks(self):
        self.assertEqual(ranks([30, 10, 20, 20]), [4, 1, 2.5, 2.5])
        self.assertAlmostEqual(rank_correlation([1, 2, 3], [10, 20, 90]), 1)
        self.assertAlmostEqual(rank_correlation([1, 2, 3], [3, 2, 1]), -1)
        self.assertAlmostEqual(harmonic_mean([1, 3]), 1.5)

    def test_scenes(self):
        self.assertEqual(scenes.times_of("pulsar:quads=5")[:2], [0.25, 0.75])
        self.assertEqual(scenes.times_of("terrain"), [1, 3, 5, 7, 9])
        self.assertEqual(scenes.file_name("effect2d:kernel=0,1,0;1,-4,1;"), "effect2d_kernel=0_1_0_1_-4_1")

    def test_reasons(self):
        row = {"scene": "shadow", "frame_time_ms": "2.3"}
        self.assertEqual(validate.reason(row, 2, 1), "")
        self.assertIn("fastest", validate.reason(row, 2.1, 1))
        self.assertIn("traffic", validate.reason(row, 2, 2.4))
        self.assertIn("uploads", validate.reason(row | {"scene": "buffer:interleave=true"}, 2, 1))

    def test_contradicted(self):
        """On a larger surface: faster, as fast, slower; the last is drawn by another driver there."""
        runs = [{"device": "small", "width": "8", "height": "6"}, {"device": "large", "width": "16", "height": "9"},
                {"device": "other", "width": "16", "height": "9"}]
        rows = [{"device": device, "scene": scene, "frame_time_ms": time, "gpu": "a", "driver": driver, "glmark2": glmark2}
                for device, driver, glmark2, times in (("small", "b", "1", "5557"), ("large", "b", "1 --fullscreen", "4569"),
                                                       ("other", "c", "1", "9996"))
                for scene, time in zip("pqrs", times)]
        self.assertEqual(validate.contradicted(runs[0], runs, rows), {"p", "q"})
        self.assertEqual(validate.contradicted(runs[1], runs, rows), set())
        self.assertIn("larger", validate.reason({"scene": "p", "frame_time_ms": "5"}, 2, 1, is_contradicted=True))

    def test_differences(self):
        """5 ms more of both; what is left out in one run is left out."""
        def row(device, scene, measured, predicted, excluded=""):
            return {"device": device, "scene": scene, "measured_ms": measured, "predicted_ms": predicted, "excluded": excluded}
        rows = [row("a", "p", "3", "1"), row("a", "q", "2", "1", validate.FASTEST), row("a", "r", "9", "9", "uploads"),
                row("b", "p", "8", "6"), row("b", "q", "6", "2"), row("b", "r", "10", "10")]
        self.assertEqual(validate.differences(rows, "a", "b"), [("p", 5, 5), ("q", 4, 1)])
        lines = list(validate.difference_table(rows, "a", "b"))
        self.assertEqual(lines[2:], ["| p | 5.00 | 5.00 | 1.00 |", "| q | 4.00 | 1.00 | 0.25 |", "| all (median) | | | 0.62 |"])

    def test_pairs(self):
        """The same board at two sizes, the same at two clocks; of two drivers none."""
        self.assertEqual(validate.pairs(read(validate.RESULTS)), [("mali-t860-mp4-2", "mali-t860-mp4"), ("vc4-window", "vc4-fullscreen")])

    def test_bound(self):
        counters = {"fragment_processors.busy_cycles": 6, "fragment_processors.starved_cycles": 4, "rasterizer.busy_cycles": 5,
                    "rasterizer.blocked_cycles": 5, "dram_system.busy_cycles": 7, "dram_system.channel_cycles": 10}
        self.assertEqual(bounds.bound(counters), "bandwidth")
        self.assertEqual(bounds.bound(counters | {"dram_system.busy_cycles": 1}), "arithmetic")
        self.assertEqual(bounds.shares(counters)["rasterizer"], 0.5)
        cores = counters | {"shader_core.issue.busy_cycles": 8, "shader_core.texture.busy_cycles": 9}  # of 10 cycles
        self.assertEqual(bounds.bound(cores), "texture")
        self.assertEqual(bounds.shares(cores)["arithmetic"], 0.8)


class Committed(unittest.TestCase):
    def test_complete(self):
        """A row for each scene of each run, with what was measured."""
        measured = read(validate.MEASURED)
        wanted = [(run["device"], run["width"], run["height"], run["preset"], row["scene"], row["frame_time_ms"])
                  for run in read(validate.RUNS) for row in measured if row["device"] == run["device"]]
        self.assertEqual(wanted, [tuple(row[key] for key in ("device", "width", "height", "preset", "scene", "measured_ms"))
                                  for row in read(validate.RESULTS)])
        for row in measured:  # a size that was published is the run's
            sizes = [(run["width"], run["height"]) for run in read(validate.RUNS) if run["device"] == row["device"]]
            self.assertIn((row["width"], row["height"]), [*sizes, ("", "")])

    def test_tables(self):
        rows, ranges = read(validate.RESULTS), read(validate.RANGE_RESULTS)
        self.assertEqual(validate.SUMMARY.read_text(encoding="utf-8"),
                         validate.csv_text(validate.SUMMARY_COLUMNS, validate.summary(rows)))
        page = validate.PAGE.read_text(encoding="utf-8")
        self.assertEqual(page, validate.page(page, rows, ranges))
        self.assertNotRegex(re.sub(r"(?m)^(<!-- .* -->\n)(\|.*\n)*", "", page), r"(?m)^\|")  # no other tables
        self.assertNotEqual(page, validate.page(page, [row | {"predicted_ms": f"{2 * float(row['predicted_ms'])}"} for row in rows], ranges))


if __name__ == "__main__":
    unittest.main()
