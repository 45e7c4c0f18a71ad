# SPDX-License-Identifier: MIT
"""Random lookups of textures by seeds (random_lookups.c, seeds.py): results are lavapipe's, but for some pixels, as at edges of texels;
where the device computes the level of detail, whose precision is its own, for more."""

import array

from seeds import Seeds, is_close, tbrsim

TOLERANCE = {"SFLOAT": 0.02, "LEVEL": 0.3}  # of a picture's numbers, which may be off


def is_alike(kind, found, expected):
    pairs = list(zip(array.array("f", found), array.array("f", expected)))
    return sum(not is_close(one, other) for one, other in pairs) <= TOLERANCE[kind] * len(pairs)


class Lookups(Seeds):
    def test_lookups(self):
        self.check(is_alike)


if __name__ == "__main__":
    tbrsim.main("program", first="150", count="60", seconds="0")
