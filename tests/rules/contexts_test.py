# SPDX-License-Identifier: MIT
"""Contexts on windows that are not shown, and of versions that the simulated GPU does not have."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

LIMIT = "the simulated GPU has OpenGL ES 3.2 and OpenGL 4.5"


class Contexts(tbrsim.TestCase):
    def run_program(self, *arguments):
        result = tbrsim.run("run", "--no-model", "--", tbrsim.arguments.contexts, *arguments, check=True)
        return result.stdout.splitlines(), result.stderr.splitlines()

    def test_front_buffer_of_hidden_window(self):
        self.assertEqual(self.run_program("hidden"), ([], []))

    def test_front_buffer(self):
        self.assertEqual(self.run_program("shown"), ([], []))

    def test_swap_interval_of_drawable(self):
        """JOGL asks for it at its start; Mesa's software GLX called a function that it does not have."""
        self.assertEqual(self.run_program("queried"), ([], []))

    def test_versions(self):
        there, said = self.run_program("versions")
        self.assertEqual(sorted(there), sorted(2 * [f"{api} {version}" for api in ("EGL", "GLX")
                                                    for version in ("OpenGL ES 3.0", "OpenGL ES 3.1", "OpenGL ES 3.2",
                                                                    "OpenGL 3.3", "OpenGL 4.0", "OpenGL 4.3")]))
        # Once, whichever way and however often it was asked for.
        self.assertEqual(said, [f"tbrsim: OpenGL 4.6 was asked for; {LIMIT}"])


if __name__ == "__main__":
    tbrsim.main("contexts")
