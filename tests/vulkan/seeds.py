# SPDX-License-Identifier: MIT
"""Programs that draw or copy by seeds, the same whatever the device answers, and write all bytes that they get. A test fails where the
driver crashes or an assertion does; where what it got is not as lavapipe's of the same Mesa; where any byte differs between modes and
sizes of tiles; and where the recording's statistics differ from the live ones. With --seconds N more seeds follow, as many at a time, until the time is
over or one fails."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import conservation, tbrsim  # noqa: E402

LIMIT = 600  # seconds that a run may take
PRESET = "tcor-64k"
SHARE_OFF = 0.01  # of a number of floating point, and of 1 where that is less


def read(path):
    """{seed: [(kind, name, bytes)]} of a file."""
    data, at, seeds = path.read_bytes(), 0, {}
    while at < len(data):
        end = data.index(b"\n", at)
        words = data[at:end].decode().split()
        at = end + 1
        if words[0] == "SEED":
            found = seeds[int(words[1])] = []
        else:
            found.append((words[0], words[1], data[at:at + int(words[2])]))
            at += int(words[2])
    return seeds


def is_close(one, other):
    """Of two numbers of floating point; none is as close as the other."""
    return one == other or one != one and other != other or abs(one - other) <= SHARE_OFF * max(1, abs(other))


class Seeds(tbrsim.TestCase):
    def run_seeds(self, seeds, name, *options):
        path = self.path(f"{name}.bytes")
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, seeds.start, len(seeds), path, timeout=LIMIT)
        last = [line for line in result.stdout.splitlines() if line.startswith("seed")][-1:]
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), f"{name} at {last}")
        found = read(path)
        self.assertEqual(list(found), list(seeds))
        return found

    def check_seeds(self, seeds, is_alike):
        live, sim, recording = self.path("live"), self.path("sim"), self.path("recording.tbr")
        found = self.run_seeds(seeds, "recorded", "--config", PRESET, "--out", live, "--record", recording)
        expected = self.run_seeds(seeds, "llvmpipe", "--driver", "llvmpipe", "--no-model")
        others = self.run_seeds(seeds, "other", "--no-model", "--set", "mode=tbr", "--set", "tile.size=16")
        for seed in seeds:
            for (kind, name, one), (_, _, other) in zip(found[seed], expected[seed]):
                with self.subTest(seed=seed, name=name):
                    self.assertTrue(is_alike(kind, one, other))
            with self.subTest(seed=seed):
                self.assertTrue(others[seed] == found[seed], "tiles of another size give other bytes")
        self.assertEqual(conservation.errors_of_run(live, tbrsim.keys(PRESET)), [])
        tbrsim.run("sim", "--config", PRESET, "--out", sim, recording, check=True)
        self.assertEqual(tbrsim.contents(sim), tbrsim.contents(live))

    def check(self, is_alike):
        """is_alike(kind, found, expected): whether the bytes of something are as lavapipe's."""
        first, count = int(tbrsim.arguments.first), int(tbrsim.arguments.count)
        end, checked = time.monotonic() + float(tbrsim.arguments.seconds), 0
        while not checked or time.monotonic() < end:
            self.check_seeds(range(first + checked, first + checked + count), is_alike)
            checked += count
