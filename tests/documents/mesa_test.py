# SPDX-License-Identifier: MIT
"""docs/mesa.md against the Mesas that there are: its table of releases has each, its table of hooks each file that a
patch changes, and no other."""

import pathlib
import re
import sys
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


def section(title):
    text = (TOP / "docs" / "mesa.md").read_text(encoding="utf-8")
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]


def hooked_files():
    """The paths in the first column of the table of hooks; "…" is the folder of the one before."""
    for row in re.findall(r"^\| (`[^|]*) \|", section("The hooks"), re.M):
        folder = None
        for path in re.findall(r"`([^`]+)`", row):
            path = pathlib.PurePosixPath(path.replace("…", str(folder)))
            folder = path.parent
            yield str(path)


class Mesa(unittest.TestCase):
    def test_hooks(self):
        patches = sorted((TOP / "subprojects" / "packagefiles").glob("mesa-*.patch"))
        changed = set()
        for patch in patches:
            changed |= set(re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(encoding="utf-8"), re.M))
        self.assertTrue(changed)
        self.assertEqual(sorted(hooked_files()), sorted(changed))

    def test_releases(self):
        rows = re.findall(r"^\| `MESA=(\S+)`[^|]*\| (\S+) \|[^|]*`(\w[\w-]*)` \|", section("Supported releases"), re.M)
        wraps = []
        for path in sorted((TOP / "subprojects").glob("mesa-*.wrap")):
            values = dict(re.findall(r"^(\w+) = (.*)", path.read_text(encoding="utf-8"), re.M))
            version = path.stem.removeprefix("mesa-")
            self.assertEqual(values["diff_files"], f"mesa-{version}.patch")
            wraps.append((version, values["directory"].removeprefix("mesa-"), values["suite"]))
        self.assertEqual(sorted(rows), wraps)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
