# SPDX-License-Identifier: MIT
"""experiments/implied_shares.py: its formulas, and that docs/experiments/NAME/implied.md is what it prints."""

import pathlib
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "experiments"))
import implied_shares  # noqa: E402
import tables  # noqa: E402


class Kept(unittest.TestCase):
    def test_kept(self):
        """Else: experiments/implied_shares.py --keep."""
        for name in implied_shares.EXPERIMENTS:
            with self.subTest(name):
                kept = tables.DOCUMENTS / name / tables.IMPLIED
                self.assertEqual(kept.read_text(encoding="utf-8"), implied_shares.table(name))


class Formulas(unittest.TestCase):
    def test_tiling_share(self):
        # A fifth saves nothing, three tenths save a half, one half a tenth: 20 % of all.
        self.assertAlmostEqual(implied_shares.tiling_share(20, -50, -10, -20), 30)
        self.assertAlmostEqual(implied_shares.tiling_share(0, -50, -10, -10), 0)

    def test_sizes(self):
        # Misses as the inverse of the size: half of what is inserted left out is twice the size, and half the misses.
        self.assertAlmostEqual(implied_shares.smaller(50, 1), -50)
        self.assertAlmostEqual(implied_shares.smaller(75, 0.5), -50)
        for share, exponent in ((5, 0.2), (30, 0.7)):
            saved = implied_shares.smaller(share, exponent)
            self.assertAlmostEqual(implied_shares.implied_share(saved, exponent), share)

    def test_averages(self):
        table = {"one": {"a": "1.0"}, "three": {"a": "3.0"}, "**all**": {"a": "2.0"}, "paper's average": {"a": ""}}
        self.assertEqual(implied_shares.average(table, "a"), 2)
        self.assertEqual(implied_shares.each(table, "a"), {"one": 1, "three": 3})

    def test_numbers(self):
        self.assertEqual([implied_shares.change(value) for value in (-1.25, 0.04, -0.04, 3)], ["−1.2", "0.0", "0.0", "+3.0"])


if __name__ == "__main__":
    unittest.main()
