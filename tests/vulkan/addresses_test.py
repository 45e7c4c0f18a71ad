# SPDX-License-Identifier: MIT
"""Shaders that access memory by address: pictures are those of lavapipe of the same Mesa, recordings give the statistics of the
run, and traffic is what was worked out by hand, which is that of the same accesses through bindings."""

import collections
import csv
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import drawing  # noqa: E402
from support import conservation, tbrsim  # noqa: E402

WIDTH, HEIGHT = 128, 96
BLOCK = 64  # of the L2, which storage goes to in tcor-64k
NODES, TRIANGLES = 24, 64  # as in addresses.c


def quads_of_picture():
    """What a pass with a quad over all of the picture shades: pixels of a quad that are in the same of its two triangles."""
    for y, x, half in ((y, x, half) for y in range(0, HEIGHT, 2) for x in range(0, WIDTH, 2) for half in (True, False)):
        live = [(column, row) for row in (y, y + 1) for column in (x, x + 1)
                if ((column + 0.5) / WIDTH + (row + 0.5) / HEIGHT < 1) == half]
        if live:
            yield live


QUADS = list(quads_of_picture())
HALF = [quad for quad in QUADS if (quad[0][0] + 0.5) / WIDTH + (quad[0][1] + 0.5) / HEIGHT < 1]  # of the first triangle
# Blocks that the quads touch where each pixel has a word in a row of them.
WORDS_OF_PIXELS = sum(len({(y * WIDTH + x) * 4 // BLOCK for x, y in quad}) for quad in QUADS)
DIVIDED = TRIANGLES // 2 * (3 + 7)
# One pass stores a word for each pixel, the next one loads it. The L2 has all of it, and what it has not it is told.
THROUGH_BUFFER = {
    "gpu.passes": 2, "load_store.stores": len(QUADS), "load_store.loads": len(QUADS), "l2.storage.writes": WORDS_OF_PIXELS,
    "l2.storage.reads": WORDS_OF_PIXELS, "l2.storage.misses": WIDTH * HEIGHT * 4 // BLOCK, "dram.storage.read_bytes": 0,
}
EXPECTED = {
    # A quad loads from the one palette of the tints, and from that of the other palettes which each of its columns has: an
    # instruction for each buffer. Three palettes of 16 colours of 16 bytes, and 6 tints, in two blocks, come from memory.
    "pointers": {
        "load_store.loads": sum(1 + len({(x + y // 4) % 3 for x, y in quad}) for quad in QUADS),
        "dram.storage.read_bytes": 3 * 16 * 16 + 2 * BLOCK,
    },
    # Each node is a block, which is read from memory once.
    "list": {"dram.storage.read_bytes": NODES * BLOCK, "load_store.stores": 0},
    # A vertex loads a pointer, and 16 bytes twice, each for itself; vertices follow one another.
    "pulled": {
        "load_store.loads": 3 * 3 * TRIANGLES, "l2.storage.reads": 3 * 3 * TRIANGLES,
        "dram.storage.read_bytes": BLOCK + 3 * TRIANGLES * 32, "dram.vertex.read_bytes": 0,
    },
    # An invocation for each point loads three vertices, 16 bytes twice, each for itself, and adds to a counter.
    "grown": {
        "load_store.loads": 3 * 2 * TRIANGLES, "load_store.atomics": TRIANGLES,
        "dram.storage.read_bytes": BLOCK + 3 * TRIANGLES * 32, "dram.vertex.read_bytes": 0,
    },
    # Each patch loads its level, and each of its vertices its shade: three of a patch that is not divided, else seven. All count.
    "divided": {
        "load_store.loads": TRIANGLES + DIVIDED, "load_store.atomics": TRIANGLES + DIVIDED,
        "dram.storage.read_bytes": 4 * TRIANGLES + 16 * TRIANGLES + BLOCK,
    },
    # 64 invocations, four times 16, store six times 16 bytes, 96 bytes apart, which are in another block each. Half of the
    # vertices are pulled, the others fetched, and are in the L2.
    "written": {
        "gpu.passes": 2, "load_store.stores": 4 * 6, "l2.storage.writes": 4 * 6 * 16,
        "load_store.loads": 3 * 3 * TRIANGLES // 2, "l2.storage.reads": 3 * 3 * TRIANGLES // 2,
        "dram.storage.read_bytes": BLOCK, "dram.vertex.read_bytes": 0,
    },
    # Eight times 16 invocations do seven atomics, one of them another one and a store; four vertices two atomics and a store;
    # each quad three atomics. Then each quad loads once. Of the 64 counters the first, third and fourth 16 are used.
    "counting": {
        "gpu.passes": 3, "load_store.atomics": 8 * 7 + 1 + 4 * 2 + 3 * len(QUADS), "load_store.stores": 1 + 4,
        "load_store.loads": len(QUADS), "dram.storage.read_bytes": 3 * BLOCK,
    },
    # The first pass stores four words of parameters, all quads the same. The second has a draw whose parameters these are after
    # one that stores, too; nothing that it draws is stored before its end, and nothing loaded.
    "parameters": {
        "gpu.passes": 2, "load_store.stores": 4 * len(QUADS) + len(HALF) + len(QUADS), "dram.color.read_bytes": 0,
        "dram.color.write_bytes": 2 * WIDTH * HEIGHT * 4,
    },
    # All load a flag, half of them a word of 256.
    "not_gone": {"gpu.passes": 1, "load_store.loads": 2 * len(QUADS), "dram.storage.read_bytes": 256 * 4 + BLOCK},
    # Three passes load a third of the picture's words each, of buffers of their own.
    "renewed": {
        "gpu.passes": 3, "load_store.loads": len(QUADS), "l2.storage.reads": WORDS_OF_PIXELS,
        "dram.storage.read_bytes": WIDTH * HEIGHT * 4,
    },
    "by_address": THROUGH_BUFFER, "bound": THROUGH_BUFFER, "stored": THROUGH_BUFFER, "loaded": THROUGH_BUFFER,
}


class Addresses(drawing.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = tbrsim.execute(tbrsim.arguments.addresses, check=True).stdout.split()

    def draw(self, scene, *options, size=()):
        return self.picture(tbrsim.arguments.addresses, scene, *options, size=size)

    def test_pictures(self):
        for scene in self.names:
            expected, counted = self.draw(scene, "--driver", "llvmpipe", "--no-model")
            found, ours = self.draw(scene, "--no-model")
            with self.subTest(scene):
                greatest = drawing.greatest_difference(expected, found)
                print(f"{scene}: at most {greatest}/255 from lavapipe's picture")
                self.assertLessEqual(greatest, 2)
                self.assertGreater(len(found.getcolors(1 << 16)), 8)
                self.assertEqual(ours, counted)

    def test_traffic(self):
        self.assertEqual(sorted(self.names), sorted(EXPECTED))
        for scene, expected in EXPECTED.items():
            with self.subTest(scene):
                out = self.path(f"{scene}-out")
                self.draw(scene, "--config", "tcor-64k", "--out", out, size=(WIDTH, HEIGHT))
                total = tbrsim.total(out)
                self.assertEqual({key: total[key] for key in expected}, expected)

    def test_statistics(self):
        """In tiles and without, with a load/store cache and timing."""
        few = ("pointers", "written", "grown", "divided", "counting", "stored", "parameters", "renewed")
        for preset, scenes, *options in (("tcor-64k", self.names), ("imr-8m", few), ("mali-like", few, "--timing", "on")):
            self.check_statistics(tbrsim.arguments.addresses, scenes, preset, *options)

    def test_attribution(self):
        """What the buffers cost is theirs, with any number of threads: together all that there is."""
        for scene, buffers in (("pointers", 4), ("list", 3)):
            recording, out = self.path(f"{scene}-attributed.tbr"), self.path(f"{scene}-attributed")
            self.draw(scene, "--config", "mali-like", "--record", recording)
            for threads in "1", "3":
                tbrsim.run("sim", "--config", "mali-like", "--model-threads", threads, "--attribute", "pass,draw,texture,tile",
                           "--out", out, recording, check=True)
                self.assertEqual(conservation.attribution_errors(out), [])
                with open(f"{out}/textures.csv", encoding="utf-8") as file:
                    costs = [row for row in csv.DictReader(file) if int(row["dram.storage.read_bytes"] or 0)]
                self.assertEqual([row["kind"] for row in costs], ["buffer"] * buffers)

    def test_logged(self):
        """Shaders that are simulated compute the same as others."""
        for scene in ("pulled", "grown", "divided", "written", "counting"):
            expected, counted = self.draw(scene, "--no-model")
            found, ours = self.draw(scene, "--out", self.path(f"{scene}-logged"))
            self.assertEqual((found.tobytes(), ours), (expected.tobytes(), counted))

    def test_invariance(self):
        """The same picture and counters of the program, to the bit, whatever the simulated GPU is like."""
        for scene in ("pointers", "grown", "divided", "written", "counting", "stored", "parameters"):
            expected, counted = self.draw(scene, "--no-model")
            for option, setting in (("--set", "tile.size=8"), ("--set", "tile.size=64"), ("--set", "mode=tbr"), ("--set", "threads=4"),
                                    ("--config", "imr-8m")):
                with self.subTest(scene, setting=setting):
                    found, ours = self.draw(scene, "--no-model", option, setting)
                    self.assertEqual((found.tobytes(), ours), (expected.tobytes(), counted))

    def test_events(self):
        """The four buffers of "pointers": quads load from all three palettes, each pixel from the one that it should, and tints."""
        recording = self.path("events.tbr")
        self.draw("pointers", "--record", recording, "--record-visible", size=(WIDTH, HEIGHT))
        printed = tbrsim.run("export", "--format", "events", "--table", "buffers", recording, check=True).stdout
        rows = list(csv.DictReader(io.StringIO(printed)))
        self.assertEqual({(row["unit"], row["operation"], row["bytes"]) for row in rows}, {("63", "load", "16")})
        loads = collections.Counter((row["resource"], int(row[f"offset{i}"])) for row in rows for i in range(4)
                                    if row[f"offset{i}"])
        pixels = [(x, y) for x in range(WIDTH) for y in range(HEIGHT)]
        palettes = collections.Counter(((x + y // 4) % 3, x // 8 % 16 * 16) for x, y in pixels)
        tints = collections.Counter(y // 16 % 16 * 16 for x, y in pixels)
        resources = sorted({resource for resource, _ in loads}, key=int)
        self.assertEqual(len(resources), 4)  # in the order in which the program made them
        expected = {(resources[palette], offset): count for (palette, offset), count in palettes.items()}
        expected |= {(resources[3], offset): count for offset, count in tints.items()}
        self.assertEqual(dict(loads), expected)

    def test_outside(self):
        """Where no buffer is, loads are zeros, stores and atomics are lost, and a message says so, once."""
        for options in (("--no-model",), ("--out", self.path("outside"))):
            path = self.path("outside.ppm")
            result = tbrsim.run("run", *options, "--", tbrsim.arguments.addresses, "outside", path, str(WIDTH), str(HEIGHT))
            self.assertEqual((result.returncode, result.stdout), (0, ""))
            said = tbrsim.said(result)
            self.assertEqual(said.count("where no buffer is"), 1, said)
            with drawing.Image.open(path) as image:
                found = image.convert("RGB")
            for x in range(WIDTH):
                self.assertEqual(found.getpixel((x, HEIGHT // 2)), (8 * (x % 32), 0, 255))


if __name__ == "__main__":
    tbrsim.main("addresses")
