# SPDX-License-Identifier: MIT
"""The cases of found.c: right images, and nothing reported while they are simulated."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


class Found(tbrsim.TestCase):
    def check(self, case, *options):
        result = tbrsim.run("run", *(options or ("--out", self.directory / "out")), "--", tbrsim.arguments.found, case,
                            variables={"MESA_SHADER_CACHE_DISABLE": "true"})
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""))

    def test_half(self):
        self.check("half")

    def test_anisotropy(self):
        self.check("anisotropy")

    def test_unread(self):
        self.check("unread")

    def test_unfilled(self):
        """A crash of the driver that random programs are compared with, too."""
        self.check("unfilled")
        self.check("unfilled", "--no-model", "--driver", "llvmpipe")

    def test_numbered(self):
        self.check("numbered")

    def test_smooth(self):
        self.check("smooth")

    def test_listed(self):
        self.check("listed")


if __name__ == "__main__":
    tbrsim.main("found")
