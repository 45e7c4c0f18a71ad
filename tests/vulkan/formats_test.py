# SPDX-License-Identifier: MIT
"""What the device says formats can do (formats.c), they do, with lavapipe's values; of formats that lavapipe lacks, with values that were
worked out by hand."""

import math
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

# Of features, which lavapipe has and the simulated GPU need not: Vulkan does not require them.
LAVAPIPES_OWN = re.compile(r"R64\w* fetched|E5B9G9R9_UFLOAT_PACK32 vertices")
# The texel of the blocks in formats.c, of four channels. Bases of 4 and 5 bits are 8 bits with their first ones again, and 2 is
# added, the first modifier of table 0; of 11 bits 3 of 2047 is subtracted.
SAME = {
    "ETC2_R8G8B8_": (138 / 255, 70 / 255, 206 / 255, 1),
    "ETC2_R8G8B8A1_": (134 / 255, 68 / 255, 200 / 255, 1),
    "ETC2_R8G8B8A8_": (138 / 255, 70 / 255, 206 / 255, 100 / 255),
    "EAC_R11_UNORM": (801 / 2047, 0, 0, 1),
    "EAC_R11_SNORM": (797 / 1023, 0, 0, 1),
    "EAC_R11G11_UNORM": (801 / 2047, 401 / 2047, 0, 1),
    "EAC_R11G11_SNORM": (797 / 1023, 397 / 1023, 0, 1),
    "ASTC_": (138 / 255, 70 / 255, 206 / 255, 100 / 255),
}


def linear(value):
    """Of a channel of sRGB."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def tolerance(name):
    """(absolute, relative) of a format's floats: one step of its smallest channel, which may be rounded or not, and is
    not lavapipe's to the last bit."""
    if name.startswith("B10G11R11"):
        return 2 / 255, 1 / 32
    bits = [int(digits) for digits in re.findall(r"[RGB](\d+)", name)]
    steps = 2 ** min(bits) - 1 if bits and "PACK" in name else 255
    return 1 / 255 + 1 / steps, 0.01


def parse(text):
    """{"format what": (kind, values)}, without the features of formats."""
    results = {}
    for line in text.splitlines():
        name, what, kind, *values = line.split()
        if what != "features":
            results[f"{name} {what}"] = kind, [float(value) for value in values]
    return results


def is_near(name, kind, expected, found):
    if kind != "float":
        return expected == found
    absolute, relative = tolerance(name)
    return math.isnan(expected) and math.isnan(found) or expected == found or \
        abs(expected - found) <= absolute + relative * abs(expected)


class Formats(tbrsim.TestCase):
    def run_formats(self, *options):
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program)
        self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""))
        return parse(result.stdout)

    def test_formats(self):
        expected = self.run_formats("--driver", "llvmpipe", "--no-model")
        found = self.run_formats("--no-model")
        self.assertGreater(len(expected), 1000)
        missing = [key for key in expected if key not in found and not LAVAPIPES_OWN.fullmatch(key)]
        self.assertEqual(missing, [])
        for key in expected.keys() & found.keys():
            kind, values = expected[key]
            with self.subTest(key):
                self.assertEqual((found[key][0], len(found[key][1])), (kind, len(values)))
                off = [(i, one, other) for i, (one, other) in enumerate(zip(values, found[key][1]))
                       if not is_near(key, kind, one, other)]
                self.assertEqual(off, [])

    def test_simulated(self):
        """The same while it is simulated: shaders that are counted are others."""
        self.assertEqual(str(self.run_formats("--out", self.path("out"))), str(self.run_formats("--no-model")))

    def test_blocks(self):
        found = {key: values for key, (_, values) in self.run_formats("--no-model").items() if key.endswith(" same")}
        self.assertEqual(len(found), 2 * 3 + 4 + 2 * 14)
        for key, values in found.items():
            texel = next(texel for part, texel in SAME.items() if key.startswith(part))
            if "_SRGB" in key:
                texel = (*map(linear, texel[:3]), texel[3])
            with self.subTest(key):
                for i, value in enumerate(values):
                    self.assertAlmostEqual(value, texel[i % 4], delta=0.5 / 255)


if __name__ == "__main__":
    tbrsim.main("program")
