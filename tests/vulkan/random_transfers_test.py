# SPDX-License-Identifier: MIT
"""Random copies, blits, resolves and clears by seeds (random_transfers.c, seeds.py): bytes are lavapipe's, and numbers that were filtered
or converted but for rounding. `vulkan_random_transfers SEED 1 FILE STEPS` makes a seed's first steps only."""

import array

from seeds import Seeds, is_close, tbrsim

OFF = 2  # of 255, for one filter or conversion after the other


def is_alike(kind, found, expected):
    if found == expected or kind == "exact":
        return found == expected
    if "SFLOAT" in kind:
        return all(map(is_close, array.array("f", found), array.array("f", expected)))
    return all(abs(one - other) <= OFF for one, other in zip(found, expected))


class Transfers(Seeds):
    def test_transfers(self):
        self.check(is_alike)


if __name__ == "__main__":
    tbrsim.main("program", first="1", count="40", seconds="0")
