# SPDX-License-Identifier: MIT
"""Random command buffers by seeds (random.c). Fails where the driver crashes or an assertion does; where more of a seed's pixels than
rounding explains differ from lavapipe's of the same Mesa; where any differs between modes and sizes of tiles, by a bit; and where the
recording's statistics differ from the live ones, by a byte. `vulkan_random SEED 1 FILE STEPS` draws a seed's first steps only."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import conservation, tbrsim  # noqa: E402

# Of a seed's pixels, that may be off by more than OFF/255: texels and samples on the edges of others.
TOLERANCE = 0.02
OFF = 3
LIMIT = 600  # seconds that a run may take
PRESET = "tcor-64k"


def pictures(path):
    """(seed, width, height, RGBA) of a file."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        seed, width, height = map(int, data[at:end].split())
        at = end + 1 + 4 * width * height
        yield seed, width, height, data[end + 1:at]


def share_off(found, expected):
    """Of the pixels of two pictures, those with a channel that is off by more than OFF."""
    if found == expected:
        return 0
    off = {i // 4 for i, (one, other) in enumerate(zip(found, expected)) if abs(one - other) > OFF}
    return len(off) / (len(found) // 4)


class Random(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.seeds = int(tbrsim.arguments.first), int(tbrsim.arguments.count)

    def draw(self, name, *options):
        path = self.path(f"{name}.pictures")
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, *self.seeds, path, timeout=LIMIT)
        last = [line for line in result.stdout.splitlines() if line.startswith("seed")][-1:]
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), f"{name} at {last}")
        drawn = list(pictures(path))
        self.assertEqual(len(drawn), self.seeds[1])
        return drawn

    def test_random(self):
        live, sim, recording = self.path("live"), self.path("sim"), self.path("recording.tbr")
        found = self.draw("recorded", "--config", PRESET, "--out", live, "--record", recording)
        for (seed, _, _, texels), (*_, expected) in zip(found, self.draw("llvmpipe", "--driver", "llvmpipe", "--no-model")):
            with self.subTest(seed=seed):
                self.assertLessEqual(share_off(texels, expected), TOLERANCE)
        for options in (("--set", "mode=tbr", "--set", "tile.size=16"), ("--set", "tile.size=64", "--set", "threads=1")):
            for (seed, _, _, texels), (*_, others) in zip(found, self.draw("other", "--no-model", *options)):
                with self.subTest(seed=seed, options=options):
                    self.assertEqual(texels, others)
        self.assertEqual(conservation.errors_of_run(live, tbrsim.keys(PRESET)), [])
        tbrsim.run("sim", "--config", PRESET, "--out", sim, recording, check=True)
        self.assertEqual(tbrsim.contents(sim), tbrsim.contents(live))


if __name__ == "__main__":
    tbrsim.main("program", first="1", count="12")
