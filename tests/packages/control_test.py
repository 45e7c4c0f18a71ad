# SPDX-License-Identifier: MIT
"""What debian/ says and other files say, too: one version, and no build dependency that make deps does not install."""
import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def text(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def fields(paragraph):
    """{name: value} of a paragraph of debian/control, the value in one line."""
    return dict(re.findall(r"^([\w-]+): *(.*)$", re.sub(r"\n[ \t]+", " ", paragraph), re.M))


class Control(unittest.TestCase):
    def setUp(self):
        self.source, *self.packages = map(fields, text("debian/control").strip().split("\n\n"))

    def test_version(self):
        versions = {name: re.search(pattern, text(name), re.M)[1] for name, pattern in (
            ("debian/changelog", r"\Atbrsim \(([^)]+)\) "), ("python/tbrsim/VERSION", r"\A(.+)\n\Z"), ("CITATION.cff", r"^version: (.+)$"),
            ("CHANGELOG.md", r"^## ([0-9.]+), "))}
        self.assertEqual(len(set(versions.values())), 1, versions)

    def test_build_dependencies(self):
        """All are in the lists of make deps and make deps-deb; of the libraries in those, all are build dependencies."""
        listed = {line for name in ("scripts/packages.txt", "scripts/packages-deb.txt") for line in text(name).splitlines()
                  if line and not line.startswith("#")}
        wanted = {re.match(r"[\w.+-]+", name.strip())[0] for name in self.source["Build-Depends"].split(",")}
        self.assertEqual(wanted - listed, {"debhelper-compat"})  # debhelper is it
        self.assertEqual({name for name in listed if name.endswith("-dev")} - wanted, {"dpkg-dev"})

    def test_packages(self):
        self.assertEqual([package["Package"] for package in self.packages], ["tbrsim", "python3-tbrsim", "tbrsim-doc"])


if __name__ == "__main__":
    unittest.main()
