# SPDX-License-Identifier: MIT
"""Random command buffers by seeds (random.c). Fails where the driver crashes or an assertion does; where more of a seed's pixels than
rounding explains differ from lavapipe's of the same Mesa; where any differs between modes and sizes of tiles, by a bit; and where the
recording's statistics differ from the live ones, by a byte. `vulkan_random SEED 1 FILE STEPS` draws a seed's first steps only.
With --seconds N more seeds follow, as many at a time, until the time is over or one fails."""

import pathlib
import sys
import time

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
    def draw(self, seeds, name, *options):
        path = self.path(f"{name}.pictures")
        path.unlink(missing_ok=True)
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, seeds[0], len(seeds), path, timeout=LIMIT)
        last = [line for line in result.stdout.splitlines() if line.startswith("seed")][-1:]
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), f"{name} at {last} of {seeds}")
        drawn = list(pictures(path))
        self.assertEqual([seed for seed, *_ in drawn], list(seeds))
        return drawn

    def check(self, seeds):
        live, sim, recording = self.path("live"), self.path("sim"), self.path("recording.tbr")
        found = self.draw(seeds, "recorded", "--config", PRESET, "--out", live, "--record", recording)
        expected = self.draw(seeds, "llvmpipe", "--driver", "llvmpipe", "--no-model")
        for (seed, _, _, texels), (*_, those) in zip(found, expected):
            self.assertLessEqual(share_off(texels, those), TOLERANCE, f"seed {seed}")
        for options in (("--set", "mode=tbr", "--set", "tile.size=16"), ("--set", "tile.size=64", "--set", "threads=1")):
            for (seed, _, _, texels), (*_, those) in zip(found, self.draw(seeds, "other", "--no-model", *options)):
                self.assertEqual(texels, those, f"seed {seed} with {options}")
        self.assertEqual(conservation.errors_of_run(live, tbrsim.keys(PRESET)), [], seeds)
        tbrsim.run("sim", "--config", PRESET, "--out", sim, recording, check=True)
        self.assertEqual(tbrsim.contents(sim), tbrsim.contents(live), seeds)

    def test_random(self):
        first, count = int(tbrsim.arguments.first), int(tbrsim.arguments.count)
        end, checked = time.monotonic() + float(tbrsim.arguments.seconds), 0
        while not checked or time.monotonic() < end:
            self.check(range(first + checked, first + checked + count))
            checked += count
        print(f"{checked} seeds from {first} on")


if __name__ == "__main__":
    tbrsim.main("program", first="1", count="12", seconds="0")
