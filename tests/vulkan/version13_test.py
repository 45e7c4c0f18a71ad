# SPDX-License-Identifier: MIT
"""What Vulkan 1.3 requires, each as a small shader or call (version13.c), is there; and the device says so."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


class Version13(tbrsim.TestCase):
    def check(self, *options):
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, tbrsim.arguments.dot_products)
        print(result.stdout)
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""))
        self.assertGreaterEqual(len(result.stdout.splitlines()), 45)
        for line in result.stdout.splitlines():
            self.assertRegex(line, ": as required$")

    def test_device(self):
        self.check("--no-model")

    def test_counted(self):
        """The same while it is simulated: shaders that are counted are others."""
        self.check("--out", self.path("out"))
        self.assertGreater(tbrsim.total(self.path("out"))["compute_stage.work_groups"], 20)

    def test_lavapipe(self):
        """What is checked holds for lavapipe, too."""
        self.check("--driver", "llvmpipe", "--no-model")

    def test_listed(self):
        listed = tbrsim.run("run", "--no-model", "--", "vulkaninfo", check=True).stdout
        self.assertRegex(listed, r"(?m)^\s*apiVersion\s*= 1\.3\.")
        for feature in "bufferDeviceAddress", "vulkanMemoryModel", "shaderIntegerDotProduct":
            self.assertRegex(listed, rf"(?m)^\s*{feature}\s*= true$")


if __name__ == "__main__":
    tbrsim.need("vulkaninfo")
    tbrsim.main("program", "dot-products")
