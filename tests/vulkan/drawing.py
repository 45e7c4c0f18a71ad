# SPDX-License-Identifier: MIT
"""Programs of tests/vulkan that write a picture."""

from PIL import Image, ImageChops

from support import conservation, tbrsim


class TestCase(tbrsim.TestCase):
    def picture(self, program, name, *options, size=()):
        """The picture that the program draws of a scene or a seed, with options of tbrsim run, and what it prints."""
        path = self.path(f"{name}.ppm")
        result = tbrsim.run("run", *options, "--", program, name, path, *size)
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""), name)
        with Image.open(path) as image:
            return image.convert("RGB"), result.stdout

    def check_statistics(self, program, scenes, preset, *options):
        """Of each of the scenes, counters add up, and a recording's statistics are those of the run, to the byte."""
        configuration = tbrsim.keys(preset)
        for scene in scenes:
            with self.subTest(scene, preset=preset):
                live, sim, recording = (self.path(f"{preset}-{scene}{name}") for name in ("-live", "-sim", ".tbr"))
                self.picture(program, scene, "--config", preset, *options, "--record", recording, "--out", live)
                self.assertEqual(conservation.errors_of_run(live, configuration), [])
                self.assertGreater(tbrsim.total(live)["gpu.passes"], 0)
                tbrsim.run("sim", "--config", preset, *options, "--out", sim, recording, check=True)
                self.assertEqual(tbrsim.contents(sim), tbrsim.contents(live))


def greatest_difference(expected, found):
    """Of two pictures' channels, of 255."""
    return max(high for _, high in ImageChops.difference(expected, found).getextrema())
