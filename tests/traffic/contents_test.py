# SPDX-License-Identifier: MIT
"""What is known of tiles' contents, by hand: contents.c draws a still picture, with another color in frames 3 and 4; before frame 6
it uploads the texture that it draws with, and the one that it draws to. 64x64 pixels are 2x2 tiles of 2x2 groups."""

import csv
import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

FRAMES = range(8)
GROUPS = 4
COLORS = "AAABBAAA"  # of the left half, by frame
UPLOADS = "00000011"  # of the texture that it is drawn with
TEXTURE, WINDOW = 0, 1  # passes of a frame


def window_row(frame, left):
    """inputs_as_1 ... 3, as_memory, as_frame_1 ... 3."""
    colors = COLORS if left else "A" * 8
    uploads = UPLOADS if left else "0" * 8
    pixels = [int(frame >= n and colors[frame] == colors[frame - n]) for n in (1, 2, 3)]
    inputs = [int(same and uploads[frame] == uploads[frame - n]) for n, same in enumerate(pixels, 1)]
    return [*inputs, *(GROUPS * same for same in (pixels[0], *pixels))]


# What the texture has is loaded: in frame 0 and after the upload nothing is known of it. Frame 2 alone is drawn from what the one before
# it was: the same color, and over the same pixels.
TEXTURE_ROWS = [
    [0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 4, 4, 0, 0],
    [1, 0, 0, 4, 4, 4, 0],
    [0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 4, 4, 0, 0],
    [0, 0, 0, 0, 0, 0, 4],
    [0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 4, 4, 0, 0],
]


class Contents(tbrsim.DisplayTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        recording = cls.shared / "contents.tbr"
        tbrsim.run("run", "--no-model", "--record", recording, "--", tbrsim.arguments.contents, check=True)
        table = tbrsim.run("export", "--format", "events", "--table", "contents", recording, check=True).stdout
        cls.recording = recording
        cls.rows = {tuple(int(row[key]) for key in ("frame", "pass", "tile")): row
                    for row in csv.DictReader(io.StringIO(table))}

    def row(self, *key):
        row = self.rows[key]
        self.assertEqual((row["surface"], int(row["groups"])), ("color0", GROUPS))
        return [int(row[name]) for name in ("inputs_as_1", "inputs_as_2", "inputs_as_3", "as_memory", "as_frame_1",
                                            "as_frame_2", "as_frame_3")]

    def test_window(self):
        for frame in FRAMES:
            for tile in range(4):
                self.assertEqual(self.row(frame, WINDOW, tile), window_row(frame, tile % 2 == 0), (frame, tile))

    def test_texture(self):
        for frame in FRAMES:
            for tile in (0, 2):
                self.assertEqual(self.row(frame, TEXTURE, tile), TEXTURE_ROWS[frame], (frame, tile))
        # Nothing is drawn in the right half.
        self.assertEqual(len(self.rows), len(FRAMES) * (4 + 2))

    def test_one_color_takes_nothing(self):
        for row in self.rows.values():
            self.assertEqual((int(row["flat_blocks"]), int(row["raw_blocks"]), float(row["size"])), (16 * GROUPS, 0, 0))

    def test_info_says_that_they_are_there(self):
        sections = json.loads(self.fine("info", "--json", self.recording))["sections"]
        self.assertEqual(sections["contents"]["chunks"], 2 * len(FRAMES))


if __name__ == "__main__":
    tbrsim.main("contents")
