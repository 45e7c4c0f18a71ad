# SPDX-License-Identifier: MIT
"""Programs of tests/vulkan that write a picture."""

from PIL import Image, ImageChops

from support import tbrsim


class TestCase(tbrsim.TestCase):
    def picture(self, program, name, *options, size=()):
        """The picture that the program draws of a scene or a seed, with options of tbrsim run, and what it prints."""
        path = self.path(f"{name}.ppm")
        result = tbrsim.run("run", *options, "--", program, name, path, *size)
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), name)
        with Image.open(path) as image:
            return image.convert("RGB"), result.stdout


def greatest_difference(expected, found):
    """Of two pictures' channels, of 255."""
    return max(high for _, high in ImageChops.difference(expected, found).getextrema())
