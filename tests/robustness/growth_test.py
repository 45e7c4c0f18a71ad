# SPDX-License-Identifier: MIT
"""growth.py tells memory that grows from memory that is flat, as programs have it."""

import math
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import growth  # noqa: E402

BEGIN = 90_000  # KiB


def samples(size, seconds=600):
    """One per second, of a program whose memory size(second) gives, with some noise."""
    noise = random.Random(1)
    return [(second, size(second) + noise.randrange(-300, 300)) for second in range(seconds)]


class Growth(unittest.TestCase):
    def flat(self, size, seconds=600):
        return growth.verdict(samples(size, seconds))[0]

    def test_flat(self):
        self.assertTrue(self.flat(lambda second: BEGIN))

    def test_settles(self):
        """Caches fill; threads get their arenas; one cycle needs more than the others."""
        self.assertTrue(self.flat(lambda second: BEGIN + 60_000 * (1 - math.exp(-second / 60))))
        self.assertTrue(self.flat(lambda second: BEGIN + (50_000 if second > 120 else 0)))
        self.assertTrue(self.flat(lambda second: BEGIN + (40_000 if second == 555 else 0)))
        self.assertTrue(self.flat(lambda second: BEGIN + 1000 * (second % 7)))

    def test_grows(self):
        for rate in (60, 100, 5000):  # KiB per second
            self.assertFalse(self.flat(lambda second, rate=rate: BEGIN + rate * second), rate)
        # Also one that began late, and one in large steps, which are far from each other.
        self.assertFalse(self.flat(lambda second: BEGIN + 100 * max(0, second - 300)))
        self.assertFalse(self.flat(lambda second: BEGIN + 8000 * (second // 60)))

    def test_longer_finds_less(self):
        """What it says of the least that is found."""
        least = growth.allowed(BEGIN) / (2 / 9 * 3600)
        self.assertFalse(self.flat(lambda second: BEGIN + 1.3 * least * second, 3600))
        self.assertTrue(self.flat(lambda second: BEGIN + 0.7 * least * second, 3600))

    def test_queued(self):
        """What waits for the model may come and go; more than that is found."""
        step = samples(lambda second: BEGIN + (15_000 if second > 450 else 0))
        self.assertTrue(growth.verdict(step, growth.QUEUED)[0])
        self.assertFalse(growth.verdict(step)[0])
        self.assertFalse(growth.verdict(samples(lambda second: BEGIN + 250 * second), growth.QUEUED)[0])

    def test_too_few(self):
        self.assertRaises(ValueError, growth.verdict, [(0, BEGIN), (1, BEGIN)])


if __name__ == "__main__":
    unittest.main()
