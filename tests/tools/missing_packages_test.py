# SPDX-License-Identifier: MIT
"""make in a fresh checkout where something is missing: one line that says what, and what to type."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


class MissingPackages(unittest.TestCase):
    def test_make(self):
        with tempfile.TemporaryDirectory() as directory:
            checkout = pathlib.Path(directory)
            shutil.copy(TOP / "Makefile", checkout)
            shutil.copy(TOP / "meson.options", checkout)
            shutil.copytree(TOP / "scripts", checkout / "scripts")
            (checkout / "subprojects").mkdir()
            for wrap in (TOP / "subprojects").glob("mesa-*.wrap"):
                shutil.copy(wrap, checkout / "subprojects")
            with open(checkout / "scripts" / "packages.txt", "a", encoding="utf-8") as packages:
                packages.write("no-such-package\n")
            result = subprocess.run(["make"], cwd=checkout, capture_output=True, text=True, check=False,
                                    env={"PATH": "/usr/bin:/bin", "HOME": directory})
        self.assertNotEqual(result.returncode, 0)
        line, *rest = result.stderr.splitlines()
        self.assertRegex(line, r"^make: nothing is built yet; missing: the packages.* no-such-package; .*Mesa's source.*"
                         r"'make deps' installs and fetches what is missing$")
        self.assertTrue(all(re.match(r"make: \*\*\*", other) for other in rest), rest)
        # What is there is not named.
        self.assertNotIn(" python3 ", line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
