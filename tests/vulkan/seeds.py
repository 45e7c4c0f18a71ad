# SPDX-License-Identifier: MIT
"""Programs that draw or copy by seeds, the same whatever the device answers, and write all bytes that they get. A test fails where the
driver crashes or an assertion does; where what it got is not as lavapipe's of the same Mesa; where any byte differs between modes and
sizes of tiles; and where the recording's statistics differ from the live ones."""

import pathlib
import sys

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
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.seeds = int(tbrsim.arguments.first), int(tbrsim.arguments.count)

    def run_seeds(self, name, *options):
        path = self.path(f"{name}.bytes")
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, *self.seeds, path, timeout=LIMIT)
        last = [line for line in result.stdout.splitlines() if line.startswith("seed")][-1:]
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), f"{name} at {last}")
        seeds = read(path)
        self.assertEqual(len(seeds), self.seeds[1])
        return seeds

    def check(self, is_alike):
        """is_alike(kind, found, expected): whether the bytes of something are as lavapipe's."""
        live, sim, recording = self.path("live"), self.path("sim"), self.path("recording.tbr")
        found = self.run_seeds("recorded", "--config", PRESET, "--out", live, "--record", recording)
        for seed, expected in self.run_seeds("llvmpipe", "--driver", "llvmpipe", "--no-model").items():
            for (kind, name, one), (_, _, other) in zip(found[seed], expected):
                with self.subTest(seed=seed, name=name):
                    self.assertTrue(is_alike(kind, one, other))
        self.assertEqual(self.run_seeds("other", "--no-model", "--set", "mode=tbr", "--set", "tile.size=16"), found)
        self.assertEqual(conservation.errors_of_run(live, tbrsim.keys(PRESET)), [])
        tbrsim.run("sim", "--config", PRESET, "--out", sim, recording, check=True)
        self.assertEqual(tbrsim.contents(sim), tbrsim.contents(live))
