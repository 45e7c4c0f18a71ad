# SPDX-License-Identifier: MIT
"""Captures made on newer contexts than the simulated GPU has are replayed, and the calls that it refuses are named.
The captures are made here, on llvmpipe."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


# llvmpipe has no newer contexts either, unless it is told to.
NEWEST = ("MESA_GL_VERSION_OVERRIDE=4.6", "MESA_GLES_VERSION_OVERRIDE=3.2")


class NewerContext(tbrsim.TestCase):
    def capture(self, *arguments):
        path = self.directory / f"{'-'.join(arguments)}.trace"
        tbrsim.run("run", "--driver", "llvmpipe", "--no-model", "--", "env", *NEWEST, "apitrace", "trace", "--api", "egl",
                   "-o", path, tbrsim.arguments.program, *arguments, check=True)
        return path

    def replay(self, *arguments):
        """Status, what is printed, what is said in lines of its own."""
        result = tbrsim.run("replay", "--out", self.directory / "out", *arguments)
        return result.returncode, result.stdout, tbrsim.said(result).splitlines()

    def check(self, version, older_version, notes):
        """Frames and counts are those of a context that there is."""
        path = self.capture(*version, "3")
        status, text, lines = self.replay("--check", path)
        self.assertEqual(status, 0, text)
        self.assertIn("every frame is within the tolerance", text)
        status, _, lines = self.replay(path)
        self.assertEqual(status, 0, lines)
        self.assertEqual(lines, notes)
        newer = (self.directory / "out" / "frames.csv").read_bytes()
        status, _, lines = self.replay(self.capture(*older_version, "3"))
        self.assertEqual((status, lines), (0, []))
        self.assertEqual(newer, (self.directory / "out" / "frames.csv").read_bytes())
        self.assertEqual(newer.count(b"\n"), 4)

    def test_nothing_newer_is_used(self):
        self.check(("gl", "4", "6"), ("gl", "3", "3"),
                   ["tbrsim (note): made on OpenGL 4.6, replayed on OpenGL 4.5 as far as that goes"])

    def test_newest_versions_are_there(self):
        self.check(("es", "3", "2"), ("es", "3", "0"), [])
        self.check(("gl", "4", "5"), ("gl", "3", "3"), [])

    def test_refused_calls_are_named(self):
        path = self.capture("gl", "4", "6", "3", "specialize")
        calls = tbrsim.execute("apitrace", "dump", "--color=never", "--grep=^glSpecializeShader$", path,
                               check=True).stdout.splitlines()
        self.assertEqual(len(calls), 3)
        first = calls[0].split()[0]
        for options in ([], ["--no-model", "--snapshots", self.directory / "images"]):
            status, _, lines = self.replay(*options, path)
            self.assertEqual(status, 1)
            said = [line for line in lines if "glSpecializeShader" in line]
            self.assertEqual(said, ["tbrsim: glSpecializeShader is rejected: GL_INVALID_OPERATION, first by call "
                                    f"{first}; 3 in all"])
            # One line for each function, and what else is drawn is there.
            functions = [re.match(r"tbrsim: (gl\w+) is rejected", line)[1] for line in lines[1:]]
            self.assertEqual(len(functions), len(set(functions)))
        self.assertEqual(len(list((self.directory / "images").glob("frame-*.png"))), 3)

    def test_compute(self):
        for version in (("es", "3", "2"), ("gl", "4", "5")):
            status, _, lines = self.replay(self.capture(*version, "3", "compute"))
            self.assertEqual((status, lines), (0, []))
            frames = (self.directory / "out" / "frames.csv").read_text().splitlines()
            groups = frames[0].split(",").index("compute_stage.work_groups")
            self.assertEqual([line.split(",")[groups] for line in frames[1:]], ["1", "1", "1"])


if __name__ == "__main__":
    tbrsim.main("program")
