# SPDX-License-Identifier: MIT
"""Statistics of a live simulation do not depend on the number of threads that simulate."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

CAPTURE = "glmark2_desktop"
# With shading workers, and without them.
PRESETS = ["tcor-64k", "nuca-dtm", "imr-8m"]


class ModelThreads(tbrsim.DisplayTestCase):
    def replay(self, threads, preset, *options):
        out = self.directory / str(threads)
        tbrsim.run("replay", "--frames", "1-4", "--out", out, "--config", preset, "--set", "threads=3",
                   "--model-threads", str(threads), *options, tbrsim.CAPTURES / f"{CAPTURE}.trace", check=True)
        return (out / "frames.csv").read_bytes()

    def test_same_statistics(self):
        for preset in PRESETS:
            with self.subTest(preset=preset):
                alone = self.replay(1, preset)
                self.assertEqual(alone.count(b"\n"), 5)
                self.assertEqual(alone, self.replay(3, preset))

    def test_same_cycles(self):
        """Frames that are timed at once; pictures of passes and a timeline are their frames'."""
        for preset in ("tcor-64k", "imr-8m"):
            with self.subTest(preset=preset):
                options = "--timing", "on", "--timeline", "3", "--thumbnails"
                alone = self.replay(1, preset, *options)
                self.assertEqual(alone.count(b"\n"), 5)
                self.assertEqual(alone, self.replay(3, preset, *options))
                contents = [tbrsim.contents(self.directory / threads) for threads in ("1", "3")]
                self.assertIn("timeline.pftrace", dict(contents[0]))
                self.assertEqual(*contents)


if __name__ == "__main__":
    tbrsim.main()
