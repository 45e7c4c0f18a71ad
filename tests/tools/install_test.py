# SPDX-License-Identifier: MIT
"""make install and make uninstall: what is installed works from there, and is gone again; nothing is where other programs
would find it for the system's Mesa."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


class Install(tbrsim.TestCase):
    def make(self, *words, status=0):
        """A target of the Makefile, of the build that is tested."""
        build = pathlib.Path(tbrsim.arguments.tbrsim).parents[1]
        result = subprocess.run(["make", "-s", f"BUILD={build}", *words], cwd=tbrsim.SOURCE, capture_output=True, text=True,
                                check=False, env=tbrsim.environment())
        self.assertEqual(result.returncode != 0, status != 0, result.stderr)
        return result

    def files(self, root):
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() or path.is_symlink())

    def test_install(self):
        root = self.path("root")
        other = root / "opt/there/bin/other"
        other.parent.mkdir(parents=True)
        other.write_text("not ours\n")
        self.make("install", "PREFIX=/opt/there", f"DESTDIR={root}")
        there = root / "opt/there"
        command = there / "bin/tbrsim"
        outside = [name for name in self.files(there) if not name.startswith("lib/tbrsim/")]
        self.assertFalse([name for name in outside if re.search(r"\.so|egl_vendor|drirc|\.json$", name)])
        for name in ("share/man/man1/tbrsim.1", "share/man/man1/tbrsim-replay.1", "share/zsh/site-functions/_tbrsim",
                     "share/bash-completion/completions/tbrsim", "share/doc/tbrsim/LICENSE",
                     "share/doc/tbrsim/docs/architecture.md"):
            self.assertIn(name, outside)
        # Where it was built does not matter: it works from here, and after a move.
        moved = self.path("moved")
        shutil.copytree(there, moved, symlinks=True)
        for place in (command, moved / "bin/tbrsim"):
            out = self.path("out")
            result = tbrsim.execute(place, "replay", "--out", out, "--frames", "0-1", "--check",
                                    tbrsim.CAPTURES / "glmark2_function.trace", cwd=self.directory)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertGreater(tbrsim.total(out)["dram.total.reads"], 0)
            prefix = str(place.resolve().parents[1])
            self.assertIn(f"export LIBGL_DRIVERS_PATH='{prefix}/lib", tbrsim.execute(place, "env", check=True).stdout)
        # Again, over itself; and away.
        self.make("install", "PREFIX=/opt/there", f"DESTDIR={root}")
        self.make("uninstall", "PREFIX=/opt/there", f"DESTDIR={root}")
        self.assertEqual(self.files(root), ["opt/there/bin/other"])

    def test_refused(self):
        self.assertIn("PREFIX=here is not an absolute path", self.make("install", "PREFIX=here", status=2).stderr)
        strange = self.path("strange/lib/tbrsim/mine")
        strange.parent.mkdir(parents=True)
        strange.write_text("a user's file\n")
        result = self.make("install", "PREFIX=/", f"DESTDIR={self.path('strange')}", status=2)
        self.assertIn("is not an earlier tbrsim", result.stderr)
        self.assertEqual(strange.read_text(), "a user's file\n")
        empty = self.path("empty")
        empty.mkdir()
        result = self.make("install", f"BUILD={empty}", f"DESTDIR={self.path('x')}", status=2)
        self.assertIn("nothing is built in", result.stderr)
        self.assertFalse(os.path.exists(self.path("x")))


if __name__ == "__main__":
    tbrsim.main()
