# SPDX-License-Identifier: MIT
"""How many texture instructions vertex programs ran, against the number that vertex_textures.c draws with; and that
nothing of it is taken for a fragment program's."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest

ARGUMENTS = None
VERTICES, INSTANCES = 7, 3
# All vertices, then the odd ones: vertex n reads n + 1 texels.
EXPECTED = INSTANCES * (sum(range(1, VERTICES + 1)) + sum(n + 1 for n in range(1, VERTICES, 2)))


class VertexTextures(unittest.TestCase):
    def total(self, *options):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TBRSIM_")}
        with tempfile.TemporaryDirectory() as out:
            result = subprocess.run([ARGUMENTS.tbrsim, "run", "--out", out, *options, "--", ARGUMENTS.vertex_textures],
                                    env=clean, capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("vertex_stage.texture_reads", result.stderr)
            with open(f"{out}/stats.json", encoding="utf-8") as file:
                return json.load(file)["total"]

    def test_counts(self):
        total = self.total()
        self.assertEqual(total["vertex_stage.texture_reads"], EXPECTED)
        self.assertEqual(total["fragment_stage.footprints"], 0)

    def test_recorded(self):
        with tempfile.TemporaryDirectory() as directory:
            recording = f"{directory}/recording.tbr"
            live = self.total("--record", recording)
            subprocess.run([ARGUMENTS.tbrsim, "sim", "--out", directory, recording], check=True, capture_output=True)
            with open(f"{directory}/stats.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["total"], live)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tbrsim", required=True, help="the command")
    parser.add_argument("--vertex-textures", required=True, help="the program")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
