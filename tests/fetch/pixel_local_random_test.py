# SPDX-License-Identifier: MIT
"""Random draws with pixel local storage (pixel_local_random.c): the same pixels whatever the mode and the size of tiles, and
the same statistics of a recording, of another mode, too."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

COUNT = 60
OTHERS = (("mode=tbr", "tile.size=16", "threads=4"), ("mode=tbdr", "tile.size=8", "threads=1"))


class Random(tbrsim.TestCase):
    def draw(self, *options):
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, COUNT, check=True, variables={"MESA_DEBUG": "silent"})
        return result.stdout.split()[:COUNT]

    def test_modes(self):
        live, other = self.path("live"), self.path("other")
        recording = self.path("recording.tbr")
        expected = self.draw("--config", "tcor-64k", "--record", recording, "--out", live)
        self.assertEqual(len(set(expected)), COUNT)
        for settings in OTHERS:
            words = [word for setting in settings for word in ("--set", setting)]
            self.assertEqual(self.draw("--no-model", *words), expected, settings)
        self.assertEqual(self.draw("--config", "imr-8m", "--out", other), expected, "imr")
        for config, directory in (("tcor-64k", live), ("imr-8m", other)):
            simulated = self.path(f"simulated-{config}")
            tbrsim.run("sim", recording, "--config", config, "--out", simulated, check=True)
            self.assertEqual(tbrsim.contents(simulated), tbrsim.contents(directory), config)


if __name__ == "__main__":
    tbrsim.main("program")
