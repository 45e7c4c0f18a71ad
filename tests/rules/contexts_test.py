# SPDX-License-Identifier: MIT
"""Contexts on windows that are not shown, and of versions that the simulated GPU does not have."""

import argparse
import os
import subprocess
import sys
import unittest

ARGUMENTS = None
LIMIT = "the simulated GPU has OpenGL ES 3.0 and OpenGL 3.3"


class Contexts(unittest.TestCase):
    def run_program(self, *arguments):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TBRSIM_")}
        result = subprocess.run([ARGUMENTS.tbrsim, "run", "--no-model", "--", ARGUMENTS.contexts, *arguments], env=clean,
                                capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.splitlines(), result.stderr.splitlines()

    def test_front_buffer_of_hidden_window(self):
        self.assertEqual(self.run_program("hidden"), ([], []))

    def test_front_buffer(self):
        self.assertEqual(self.run_program("shown"), ([], []))

    def test_versions(self):
        there, said = self.run_program("versions")
        self.assertEqual(sorted(there), sorted(2 * [f"{api} {version}" for api in ("EGL", "GLX")
                                                    for version in ("OpenGL ES 3.0", "OpenGL 3.3")]))
        # Once for each, whichever way and however often they were asked for.
        missing = ["OpenGL ES 3.1", "OpenGL ES 3.2", "OpenGL 4.0", "OpenGL 4.3", "OpenGL 4.6"]
        self.assertEqual(said, [f"tbrsim: {version} was asked for; {LIMIT}" for version in missing])


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    parser.add_argument("--contexts", required=True, type=os.path.abspath)
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
