# SPDX-License-Identifier: MIT
"""capture.sh, trim.py and captures.py, as far as they go without the programs that are captured."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = SOURCE / "apitrace-replays"
sys.path.insert(0, str(SCRIPTS))
import captures  # noqa: E402
import trim  # noqa: E402

# Stand-ins for the programs that capture.sh calls; each call of tbrsim makes another capture.
STANDINS = {
    "tbrsim": 'echo run >>"$LOG"\nwc -l <"$LOG" | tee "$TBRSIM_CAPTURE_SESSION/whole.gfxr" >"$TBRSIM_CAPTURE_SESSION/whole.trace"',
    "apitrace": 'case $1 in\ntrim) cp "$5" "$4" ;;\nrepack) cp "$3" "$4" ;;\nesac',
    "dpkg-query": 'case $* in\n*Status*" $MISSING") ;;\n*Status*) echo installed ;;\n*) echo "$VERSION" ;;\nesac',
}


class Capture(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        for name, text in STANDINS.items():
            (self.directory / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (self.directory / name).chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{self.directory}:{os.environ['PATH']}", "TBRSIM": str(self.directory / "tbrsim"), "VERSION": "1",
            "MISSING": "nothing",
            "TBRSIM_CAPTURES": str(self.directory / "captures"), "LOG": str(self.directory / "log"),
        }

    def capture(self, *arguments, status=0):
        result = subprocess.run([SCRIPTS / "capture.sh", *arguments], env=self.environment, check=False, text=True,
                                capture_output=True)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def made(self):
        return len((self.directory / "log").read_text(encoding="utf-8").splitlines())

    def test_made_once(self):
        capture = self.directory / "captures" / "glmark2_buffer-960x540.trace"
        for _ in range(2):
            self.assertEqual(self.capture("glmark2_buffer").stdout.splitlines()[-1], str(capture))
            self.assertEqual(self.made(), 1)

    def test_made_again(self):
        self.capture("glmark2_buffer")
        (self.directory / "captures" / "glmark2_buffer-960x540.trace").write_text("another", encoding="utf-8")
        self.capture("glmark2_buffer")
        self.assertEqual(self.made(), 2)
        self.environment["VERSION"] = "2"
        self.capture("glmark2_buffer")
        self.assertEqual(self.made(), 3)
        self.capture("--size", "1280x1024", "glmark2_buffer")
        self.assertEqual(self.made(), 4)
        self.assertEqual(len(list((self.directory / "captures").glob("*.trace"))), 2)

    def test_vulkan(self):
        """A capture of gfxreconstruct, of which all is kept."""
        capture = self.directory / "captures" / "vkcube-960x540.gfxr"
        for _ in range(2):
            self.assertEqual(self.capture("vkcube").stdout.splitlines()[-1], str(capture))
            self.assertEqual(self.made(), 1)
        self.assertEqual(capture.read_text(encoding="utf-8").strip(), "1")
        self.environment["MISSING"] = "gfxreconstruct"
        self.assertIn("gfxreconstruct is missing; apt-get install gfxreconstruct", self.capture("vkcube", status=1).stderr)

    def test_output(self):
        for count in (1, 2):
            self.capture("glmark2_buffer", self.directory / "mine.trace")
            self.assertEqual(self.made(), count)

    def test_missing(self):
        """The program's package; and what types its keys, without which it would stay in its menu."""
        for name, package in (("glmark2_buffer", "glmark2-es2-x11"), ("torcs", "torcs"), ("torcs", "xdotool")):
            self.environment["MISSING"] = package
            self.assertIn(f"{package} is missing; apt-get install {package}", self.capture(name, status=1).stderr)
        self.assertFalse((self.directory / "log").exists())

    def test_a_program_that_fails(self):
        """Nothing is kept of one that ends with an error by itself; one that is ended at its time is whole."""
        # The session runs as the real command runs it, without an X server.
        (self.directory / "tbrsim").write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n',
                                               encoding="utf-8")
        (self.directory / "timeout").write_text('#!/bin/sh\necho whole >"$TBRSIM_CAPTURE_SESSION/whole.trace"\nexit "$STATUS"\n',
                                                encoding="utf-8")
        (self.directory / "timeout").chmod(0o755)
        for status, fails in (("0", 0), ("1", 1), ("139", 1)):
            self.environment["STATUS"] = status
            result = self.capture("glmark2_buffer", self.directory / f"{status}.trace", status=fails)
            self.assertEqual((self.directory / f"{status}.trace").exists(), not fails)
            self.assertEqual(f"the program failed: status {status}" in result.stderr, bool(fails))

    def test_unknown(self):
        self.assertIn("no recipe 'no-such-game'", self.capture("no-such-game", status=1).stderr)
        self.assertIn("usage", self.capture("--no-such-option", status=1).stderr)

    def test_names(self):
        """Recipes, the set of captures and the document name the same programs."""
        listed = set(self.capture("--list").stdout.splitlines())
        bundled = {path.stem for pattern in ("*.trace", "*.gfxr") for path in SCRIPTS.glob(pattern)}
        programs = {re.sub("^glmark2_.*", "glmark2_SCENE", name) for name in captures.SETS}
        text = (SOURCE / "docs" / "captures.md").read_text(encoding="utf-8")
        self.assertEqual(bundled - listed, set())
        self.assertEqual(programs - listed, set())
        for name in listed - {"glmark2_SCENE"} | set(captures.SETS):
            self.assertIn(f"`{name}`", text)


class Trim(unittest.TestCase):
    DUMP = """0 @0 glBindFramebuffer(target = GL_FRAMEBUFFER, framebuffer = 1)
1 @0 glDrawArrays(mode = GL_TRIANGLES, first = 0, count = 3)
2 @0 glBindFramebuffer(target = GL_FRAMEBUFFER, framebuffer = 2)
3 @0 glDrawArrays(mode = GL_TRIANGLES, first = 0, count = 3)
4 @1 glTexImage2D(target = GL_TEXTURE_2D)
5 @0 glBindFramebuffer(target = GL_FRAMEBUFFER, framebuffer = 0)
6 @0 glNewList(list = 1, mode = GL_COMPILE)
7 @0 glBegin(mode = GL_TRIANGLES)
8 @0 glEndList()
9 @0 glClear(mask = GL_COLOR_BUFFER_BIT)
10 @0 glXSwapBuffers(dpy = 0x1, drawable = 1)
11 @0 glBindFramebuffer(target = GL_DRAW_FRAMEBUFFER, framebuffer = 2)
12 @0 glDrawArrays(mode = GL_TRIANGLES, first = 0, count = 3)
13 @0 glXSwapBuffers(dpy = 0x1, drawable = 1)
14 @0 glClear(mask = GL_COLOR_BUFFER_BIT)
15 @0 glXSwapBuffers(dpy = 0x1, drawable = 1)
"""

    def test_selection(self):
        """Drawing to the window and to framebuffer 2, which frame 1 draws to, is cut out of frame 0."""
        frames = list(trim.frames(self.DUMP.splitlines()))
        self.assertEqual([len(frame) for frame in frames], [11, 2 + 1, 2])
        self.assertEqual(trim.selected(frames, 1, 1), [0, 1, 2, 4, 5, 6, 7, 8, 11, 12, 13])
        self.assertEqual(trim.selected(frames, 0, 0), list(range(11)))

    def test_ranges(self):
        self.assertEqual(list(trim.ranges([0, 1, 2, 5, 7, 8])), [(0, 2), (5, 5), (7, 8)])
        self.assertEqual(list(trim.ranges([])), [])


if __name__ == "__main__":
    unittest.main()
