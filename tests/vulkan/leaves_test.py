# SPDX-License-Identifier: MIT
"""A program that returns while the queue's thread generates code (leaves.c) ends as it should, whatever has been drawn by then. LLVM's own
objects, which end before the program's, are no longer used."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

# After which the program returns: from before the first draw until after the last on a machine that does nothing else.
MILLISECONDS = range(0, 200, 20)


class Leaves(tbrsim.TestCase):
    def test_leaves(self):
        for options in ("--no-model",), ("--out", self.path("out")):
            for milliseconds in MILLISECONDS:
                with self.subTest(milliseconds=milliseconds, options=options):
                    result = tbrsim.run("run", *options, "--", "env", "MESA_SHADER_CACHE_DISABLE=true",
                                        tbrsim.arguments.program, str(milliseconds))
                    self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    tbrsim.main("program")
