# SPDX-License-Identifier: MIT
"""Deferred shading in two passes, of which the second reads its own pixels only: the advice says what a single pass of two subpasses
saves, worked out by hand, and measured; and says nothing where the two cannot be one."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

ALL = 128 * 96 * 4  # bytes of an attachment
TILES = ("--set", "tile.size=32")
FRAMES = 4
RULE = "mergeable-pass"


class Mergeable(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recordings = {}
        for name in ("passes", "subpasses", "neighbours", "between", "after", "smaller"):
            cls.recordings[name] = str(pathlib.Path(cls.shared) / f"{name}.tbr")
            result = tbrsim.run("run", *TILES, "--no-model", "--record", cls.recordings[name], "--",
                                tbrsim.arguments.mergeable, name)
            assert (result.returncode, tbrsim.said(result)) == (0, ""), (name, tbrsim.said(result))

    def advise(self, name, *options):
        return json.loads(self.fine("advise", "--json", *TILES, *options, self.recordings[name]))

    def find(self, name, *options):
        advice = self.advise(name, *options)
        return advice, [finding for finding in advice["findings"] if finding["rule"] == RULE]

    def test_by_hand(self):
        """Two attachments of colour and one of depth are not stored, nor read as textures. In the last frame it is not known
        whether anything else reads what is stored."""
        for mode in ("tbdr", "tbr"):
            with self.subTest(mode):
                advice, (finding,) = self.find("passes", "--set", f"mode={mode}")
                self.assertEqual(finding["saves"]["dram_bytes"], 3 * ALL + 3 * ALL)
                self.assertEqual(finding["saves"]["texture_reads"], advice["a_frame_has"]["texture_reads"])
                self.assertEqual((finding["pass"], finding["passes"], finding["frames_not_known"]), (0, FRAMES, 1))
                self.assertEqual([resource["format"] for resource in finding["resources"]],
                                 ["r8g8b8a8_unorm", "r8g8b8a8_unorm", "z32_float"])
                evidence = finding["evidence"]
                self.assertEqual(evidence["texels read at the own pixel per frame"], 3 * 128 * 96)
                self.assertEqual(evidence["bytes of a pixel in the tile"], 4 * 4)

    def test_really_saved(self):
        """The program with subpasses costs what was said, but for the descriptors of the textures and the constants of their
        shader; and nothing is said of it."""
        advice, (finding,) = self.find("passes")
        mended, found = self.find("subpasses")
        self.assertEqual(found, [])
        really = advice["a_frame_has"]["dram_bytes"] - mended["a_frame_has"]["dram_bytes"]
        self.assertAlmostEqual(finding["saves"]["dram_bytes"], really, delta=256)
        self.assertEqual(mended["a_frame_has"]["texture_reads"], 0)

    def test_never(self):
        """Neighbours are read; another pass reads it in between; the second pass has another size."""
        for name in ("neighbours", "between", "smaller"):
            self.assertEqual(self.find(name, "--least", "0")[1], [], name)

    def test_read_again(self):
        """What a later pass reads is stored all the same: main memory has little less to do, texture caches have."""
        _, (finding,) = self.find("after", "--least", "0")
        self.assertEqual(finding["frames_not_known"], 0)
        self.assertLess(finding["saves"]["dram_bytes"], ALL)
        self.assertGreater(finding["saves"]["texture_reads"], 0)


if __name__ == "__main__":
    tbrsim.main("mergeable")
