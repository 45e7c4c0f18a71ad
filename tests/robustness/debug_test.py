# SPDX-License-Identifier: MIT
"""TBRSIM_DEBUG tells what it is asked to tell, and changes nothing else."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


class Debug(tbrsim.TestCase):
    def run_program(self, debug, file=None):
        variables = {"MESA_SHADER_CACHE_DISABLE": "true", "TBRSIM_DEBUG": debug}
        if file:
            variables["TBRSIM_DEBUG_FILE"] = str(file)
        return tbrsim.run("run", "--no-model", "--", tbrsim.arguments.robustness, "bounds", variables=variables)

    def lines(self, debug):
        result = self.run_program(debug)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr.splitlines()

    def test_passes(self):
        lines = self.lines("passes")
        for line in lines:
            self.assertRegex(line, r"^frame 0, pass \d+: 64x64, color0 r8g8b8a8_unorm.* stored; "
                                   r"\d+ draw states, 2 primitives, 4 of 4 tiles$")
        self.assertEqual(len(lines), 12)

    def test_shaders(self):
        lines = self.lines("shaders")
        code = [line for line in lines if line.startswith("fragment")]
        self.assertEqual(len(code), 1)
        self.assertRegex(code[0], r"^fragment shader \d+: \d+ instructions, code compiled in [\d.]+ ms$")

    def test_nir(self):
        text = "\n".join(self.lines("nir"))
        self.assertIn("MESA_SHADER_FRAGMENT", text)
        self.assertIn("MESA_SHADER_VERTEX", text)

    def test_tile(self):
        text = "\n".join(self.lines("tile=1,1,0"))
        self.assertEqual(text.count("tile 3 of a pass of 64x64 pixels: pixels 32,32 to 63,63"), 12)
        # Every pixel of the tile is shaded once in each of the passes, green.
        shaded = [line for line in text.splitlines() if "shaded with" in line]
        pixels = [pixel for line in shaded for pixel in re.findall(r" (\d+,\d+) \(0 1 0 1\)", line)]
        self.assertEqual(len(pixels), 12 * 32 * 32)
        self.assertEqual(len(set(pixels)), 32 * 32)
        self.assertEqual(text.count("color0: stored"), 12)
        self.assertEqual(self.lines("tile=1,1,7"), [])

    def test_file(self):
        file = self.path("debug")
        result = self.run_program("tile=0,0,0,passes", file)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("frame 0, pass", file.read_text())

    def test_wrong(self):
        for wrong in ("tiles", "tile=1", "tile=1,", "passes nir", "nir,,passes"):
            result = self.run_program(wrong)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(result.stderr.splitlines()[0], f"tbrsim: error: TBRSIM_DEBUG={wrong}: expected a list of "
                                                            "nir, shaders, passes, tile=X,Y[,FRAME]")


if __name__ == "__main__":
    tbrsim.main("robustness")
