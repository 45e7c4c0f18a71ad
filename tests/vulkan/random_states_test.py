# SPDX-License-Identifier: MIT
"""Pipelines of random state by seeds (random_states.c, seeds.py): pictures are lavapipe's, but for some pixels on edges. Of lines with
several samples a pixel, most pixels are on edges. `vulkan_random_states SEED 1 FILE DRAWS` makes a seed's first draws only."""

import array

from seeds import Seeds, is_close, tbrsim

TOLERANCE = 0.1  # of a picture's numbers, which may be off
OFF = 3  # of 255


def is_alike(kind, found, expected):
    if kind == "SFLOAT":
        found, expected = array.array("f", found), array.array("f", expected)
        off = sum(not is_close(one, other) for one, other in zip(found, expected))
    else:
        off = sum(abs(one - other) > OFF for one, other in zip(found, expected))
    return off <= TOLERANCE * len(found)


class States(Seeds):
    def test_states(self):
        self.check(is_alike)


if __name__ == "__main__":
    tbrsim.main("program", first="95", count="25", seconds="0")
