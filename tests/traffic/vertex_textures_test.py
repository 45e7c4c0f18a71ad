# SPDX-License-Identifier: MIT
"""How many texture instructions vertex programs ran, against the number that vertex_textures.c draws with; and that
nothing of it is taken for a fragment program's."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

VERTICES, INSTANCES, REPEATED = 7, 3, 1300
# All vertices, then the odd ones, then 1300 times all: vertex n reads n modulo 7 + 1 texels.
ALL = sum(range(1, VERTICES + 1))
EXPECTED = INSTANCES * (ALL + sum(n + 1 for n in range(1, VERTICES, 2)) + REPEATED * ALL)


class VertexTextures(tbrsim.DisplayTestCase):
    def total(self, *options):
        result = tbrsim.run("run", "--out", self.directory, *options, "--", tbrsim.arguments.vertex_textures, check=True)
        self.assertNotIn("not simulated", result.stderr)
        return tbrsim.total(self.directory)

    def test_counts(self):
        total = self.total()
        self.assertEqual(total["vertex_stage.footprints"], EXPECTED)
        self.assertEqual(total["vertex_stage.texture_reads"], EXPECTED)
        self.assertEqual(total["fragment_stage.footprints"], 0)

    def test_recorded(self):
        recording = self.path("recording.tbr")
        live = self.total("--record", recording)
        self.assertEqual(tbrsim.simulate(recording)["total"], live)


if __name__ == "__main__":
    tbrsim.main("vertex-textures")
