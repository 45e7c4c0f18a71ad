# SPDX-License-Identifier: MIT
"""--thumbnails: the pictures against the frames that a replay writes, of other numbers of threads and modes; that they
change nothing; which runs remove those of runs before."""

import csv
import pathlib
import struct
import sys
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

DESKTOP, SHADOW = (tbrsim.CAPTURES / f"glmark2_{name}.trace" for name in ("desktop", "shadow"))


def unfilter(kind, line, above, size):
    """A row of a PNG as bytes; size: of a pixel."""
    row = bytearray(line)
    for n, value in enumerate(line):
        left, up, corner = (row[n - size] if n >= size else 0), above[n], (above[n - size] if n >= size else 0)
        guess = left + up - corner
        nearest = min((left, up, corner), key=lambda one: abs(guess - one))
        row[n] = value + (0, left, up, (left + up) // 2, nearest)[kind] & 255
    return bytes(row)


def read_png(path):
    """Rows of pixels (red, green, blue) of a picture of 8 bits."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, = struct.unpack_from(">I", data, at)
        name, content = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length)[0] == zlib.crc32(name + content), f"{path}: {name}"
        if name == b"IHDR":
            width, height, bits, kind = struct.unpack_from(">IIBB", content)
            assert bits == 8 and kind in (2, 6), path
        packed += content if name == b"IDAT" else b""
        at += 12 + length
    size, raw = (3, 4)[kind == 6], zlib.decompress(packed)
    rows, above = [], bytes(width * size)
    for y in range(height):
        start = y * (1 + width * size)
        above = unfilter(raw[start], raw[start + 1:start + 1 + width * size], above, size)
        rows.append([tuple(above[x * size:x * size + 3]) for x in range(width)])
    return rows


def shrink(rows, width, height):
    """A picture whose sides are multiples of those."""
    across, down = len(rows[0]) // width, len(rows) // height

    def average(x, y):
        taken = [rows[y * down + j][x * across + i] for j in range(down) for i in range(across)]
        return [sum(values) / len(taken) for values in zip(*taken)]
    return [[average(x, y) for x in range(width)] for y in range(height)]


def pictures(out):
    """{name: the file} of a run's only process."""
    return {path.name: path for path in out.glob("*/thumbnails/*")}


class Thumbnails(tbrsim.DisplayTestCase):
    def replay(self, name, *words, trace=DESKTOP, frames="0-1"):
        out = self.path(name)
        tbrsim.run("replay", "--out", out, "--frames", frames, "--attribute", "pass", *words, trace, check=True)
        return out

    @staticmethod
    def contents(out):
        """All but the pictures, and the log, which has what the run took."""
        return {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()
                and path.parent.name != "thumbnails" and path.name not in ("processes.csv", "replay.log")}

    def test_pictures(self):
        out = self.replay("out", "--thumbnails", "--snapshots", self.path("frames"))
        with open(out / "passes.csv", encoding="utf-8", newline="") as file:
            passes = {(int(row["frame"]), int(row["pass"])): (int(row["width"]), int(row["height"]))
                      for row in csv.DictReader(file) if row["frame"] == row["pass_frame"]}
        found = pictures(out)
        self.assertEqual(set(found), {f"{frame}-{number}.png" for frame, number in passes})
        for (frame, number), (width, height) in passes.items():
            rows = read_png(found[f"{frame}-{number}.png"])
            longer = max(width, height)
            self.assertEqual((len(rows[0]), len(rows)), (width * min(longer, 160) // longer, height * min(longer, 160) // longer))
        for frame in (0, 1):
            last = max(number for one, number in passes if one == frame)
            shown = read_png(found[f"{frame}-{last}.png"])
            # 960 × 540 pixels: of six rows four are taken.
            rows = read_png(self.path("frames") / f"frame-{frame:04}.png")
            taken = [rows[6 * y + n] for y in range(90) for n in (0, 1, 3, 4)]
            expected = shrink(taken, 160, 90)
            for y in range(90):
                for x in range(160):
                    for one, other in zip(shown[y][x], expected[y][x]):
                        self.assertLess(abs(one - other), 0.51, f"frame {frame}: {x}, {y}")

    def test_depth(self):
        """A pass that only renders depth: grey, from black to white."""
        found = pictures(self.replay("out", "--thumbnails", trace=SHADOW, frames="1"))
        with open(self.path("out") / "passes.csv", encoding="utf-8", newline="") as file:
            number = next(row["pass"] for row in csv.DictReader(file) if row["width"] == "1920")
        pixels = {pixel for row in read_png(found[f"0-{number}.png"]) for pixel in row}
        self.assertTrue(all(red == green == blue for red, green, blue in pixels))
        self.assertLessEqual({(0, 0, 0), (255, 255, 255)}, pixels)
        self.assertGreater(len(pixels), 20)

    def test_nothing_else_changes(self):
        """Statistics are the same with pictures, and pictures with one thread, another mode and other tiles."""
        plain, out = self.replay("plain"), self.replay("out", "--thumbnails")
        self.assertEqual(self.contents(out), self.contents(plain))
        self.assertEqual(pictures(plain), {})
        expected = {name: path.read_bytes() for name, path in pictures(out).items()}
        for number, settings in enumerate((["threads=1"], ["mode=tbr", "tile.size=16"])):
            words = [word for setting in settings for word in ("--set", setting)]
            other = self.replay(f"other-{number}", "--thumbnails", *words)
            self.assertEqual({name: path.read_bytes() for name, path in pictures(other).items()}, expected, settings)

    def test_images(self):
        """The images that the program draws are the same."""
        folders = []
        for words in ((), ("--thumbnails",)):
            folder = self.path(f"images{len(words)}")
            folder.mkdir()
            tbrsim.run("run", "--out", self.path("run"), *words, "--", "eglretrace", "--headless", "--snapshot-prefix", f"{folder}/",
                       "--snapshot=frame", SHADOW, check=True)
            folders.append({path.name: path.read_bytes() for path in folder.iterdir()})
        self.assertGreater(len(folders[0]), 1)
        self.assertEqual(*folders)
        self.assertGreater(len(pictures(self.path("run"))), len(folders[0]))

    def test_of_the_run_before(self):
        out = self.replay("out", "--thumbnails", frames="0-1")
        folder = next(out.glob("*/thumbnails"))
        (folder / "mine.png").write_text("mine")
        before = len(pictures(out))
        self.replay("out", "--thumbnails", frames="0")
        self.assertLess(len(pictures(out)), before)
        self.assertNotIn("1-0.png", pictures(out))
        self.replay("out", frames="0")
        self.assertEqual(set(pictures(out)), {"mine.png"})
        (folder / "mine.png").unlink()
        self.replay("out", "--thumbnails", frames="0")
        recording = tbrsim.record(self.shared, "glmark2_function", "--no-model", "--frames", "0")
        self.fine("sim", "--out", out, recording)
        self.assertEqual(list(out.glob("**/thumbnails")), [])

    def test_refusals(self):
        self.refused(2, "--thumbnails: .*none of with --no-model", "replay", "--no-model", "--thumbnails", DESKTOP)
        self.assertIn("export TBRSIM_THUMBNAILS='1'\n", self.fine("env", "--thumbnails", "--out", self.path("out")))
        self.assertIn("unset TBRSIM_THUMBNAILS\n", self.fine("env"))


if __name__ == "__main__":
    unittest.TestCase.maxDiff = 2000
    tbrsim.main()
