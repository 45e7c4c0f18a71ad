# SPDX-License-Identifier: MIT
"""make MESA=VERSION: which wrap file counts and which build directory, in a checkout with two of them."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = """#!/bin/sh
. "$(dirname "$0")/common.sh"
echo "$BUILD $MESA_DIRECTORY $MESA_TARBALL $MESA_SUITE"
"""
WRAP = """[wrap-file]
directory = mesa-26.2.9
source_filename = mesa_26.2.9.orig.tar.xz
source_hash = 00
diff_files = mesa-26.2.patch

[debian]
suite = sid
"""


class MesaVersion(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.checkout = pathlib.Path(directory.name)
        for name in ("Makefile", "meson.options"):
            shutil.copy(TOP / name, self.checkout)
        shutil.copytree(TOP / "scripts", self.checkout / "scripts")
        (self.checkout / "scripts" / "build.sh").write_text(BUILD, encoding="utf-8")
        (self.checkout / "subprojects").mkdir()
        shutil.copy(TOP / "subprojects" / "mesa-25.0.wrap", self.checkout / "subprojects")
        (self.checkout / "subprojects" / "mesa-26.2.wrap").write_text(WRAP, encoding="utf-8")

    def make(self, *arguments):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("BUILD", "MESA", "ASSERTS", "MAKEFLAGS", "SETUP_ARGS")}
        return subprocess.run(["make", "--silent", *arguments], cwd=self.checkout, capture_output=True, text=True,
                              check=False, env=environment)

    def test_choice(self):
        old = "subprojects/mesa-25.0.7 mesa_25.0.7.orig.tar.xz trixie"
        new = "subprojects/mesa-26.2.9 mesa_26.2.9.orig.tar.xz sid"
        for arguments, line in (
                ([], f"build {old}"),
                (["MESA=25.0"], f"build {old}"),
                (["ASSERTS=1"], f"build-asserts {old}"),
                (["MESA=26.2"], f"build-26.2 {new}"),
                (["MESA=26.2", "ASSERTS=1"], f"build-asserts-26.2 {new}"),
                (["MESA=26.2", "BUILD=there"], f"there {new}")):
            with self.subTest(arguments):
                result = self.make(*arguments)
                self.assertEqual((result.stdout, result.returncode), (line + "\n", 0), result.stderr)

    def test_unknown(self):
        result = self.make("MESA=24.1")
        self.assertNotEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"^make: there is no subprojects/mesa-24\.1\.wrap; MESA is one of: 25\.0 26\.2 ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
