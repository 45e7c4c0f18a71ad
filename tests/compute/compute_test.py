# SPDX-License-Identifier: MIT
"""What the cases of compute.c do to memory, by hand and by the counters, on tcor-64k: storage goes to the L2, whose blocks
have 64 bytes; 16 invocations access it together. Live, from a recording, and with any number of threads alike."""

import collections
import csv
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from support.conservation import attribution_errors  # noqa: E402

WORDS = 4096
EXPECTED = {
    # 1,024 invocations copy 16 bytes each: an instruction of 16 of them touches 4 whole blocks, which need no read.
    "copy": {
        "gpu.passes": 1, "compute_stage.work_groups": 16, "compute_stage.invocations": WORDS // 4,
        "load_store.loads": 64, "load_store.stores": 64, "l2.storage.reads": 256, "l2.storage.writes": 256,
        "l2.storage.fills": 256, "dram.storage.read_bytes": 4 * WORDS,
    },
    # One invocation writes three words, then 64 work-groups of 64, 4 x 2 x 8: 16 invocations have four rows of 4 words,
    # 16 bytes of four blocks each.
    "indirect": {
        "gpu.passes": 2, "compute_stage.work_groups": 65, "compute_stage.invocations": WORDS + 1,
        "load_store.stores": WORDS // 16 + 3, "l2.storage.writes": WORDS // 4 + 3, "l2.storage.fills": 0,
    },
    # 16 work-groups read 256 words each, and wait eight times; one lane of each stores a word.
    "reduction": {
        "compute_stage.work_groups": 16, "compute_stage.barriers": 16 * 8, "load_store.loads": WORDS // 16,
        "load_store.stores": 16, "l2.storage.reads": WORDS // 16, "l2.storage.writes": 16,
        "dram.storage.read_bytes": 4 * WORDS,
    },
    # 8 x 8 work-groups of 8 x 8 words of a grid of 64 x 64, whose rows are four blocks; 16 invocations are two rows of half a
    # block. They load these two blocks, and those above and below, but for the rows outside of the grid (of 8 work-groups
    # each). A word to the left is in another block in every second column of work-groups but the first, one to the right in
    # the others but the last: three columns each, of 32 times 16 invocations, two rows.
    "stencil": {
        "compute_stage.work_groups": 64, "compute_stage.invocations": WORDS, "load_store.loads": 5 * 256,
        "load_store.stores": 256, "l2.storage.reads": 5 * 256 * 2 - 2 * 8 + 2 * 3 * 32 * 2,
        "l2.storage.writes": 2 * 256, "dram.storage.read_bytes": 4 * WORDS,
    },
    # 64 work-groups of 36 invocations, in 16, 16 and 4, read two words in each of 8 steps, with two barriers. Both
    # matrices are read from memory once.
    "matrix": {
        "compute_stage.work_groups": 64, "compute_stage.invocations": 64 * 36, "compute_stage.barriers": 64 * 16,
        "load_store.loads": 64 * 3 * 8 * 2, "load_store.stores": 64 * 3, "dram.storage.read_bytes": 2 * 48 * 48 * 4,
    },
    # 4,096 of 4,100 invocations do seven atomics, in 40 work-groups of 6 full vectors and one of 4 lanes, and one of 6;
    # one does three more, and stores what they return.
    "atomics": {
        "compute_stage.work_groups": 41, "compute_stage.invocations": 4100, "load_store.loads": 40 * 7 + 6,
        "load_store.atomics": 7 * (40 * 7 + 6) + 3, "load_store.stores": 3,
    },
    # 4 work-groups of 4 vectors load a word of a table of 64 entries of 16 bytes, which begins after 16 bytes of the
    # block, at computed places: invocation n word 2 of entry 5n modulo 64. What comes before the table is a constant,
    # and the block's 1,040 bytes are read as such once.
    "uniforms": {
        "compute_stage.work_groups": 4, "load_store.loads": 16, "load_store.stores": 16, "l2.storage.writes": 16,
        "l2.storage.reads": sum(len({(16 + 5 * n % 64 * 16 + 8) // 64 for n in range(first, first + 16)})
                                for first in range(0, 256, 16)),
        "l2.constant.reads": 17,
    },
    # 40 x 24 texels: the first dispatch stores them in 5 x 3 of 6 x 3 work-groups of four vectors, the second one loads,
    # fetches (each quad by itself) and stores them.
    "images": {
        "gpu.passes": 2, "compute_stage.work_groups": 18 + 15, "load_store.loads": 60, "load_store.stores": 2 * 60,
        "fragment_stage.footprints": 240,
    },
}


class Compute(tbrsim.DisplayTestCase):
    def run_case(self, name, *options, out="live"):
        case = [name] if name else []
        tbrsim.run("run", *options, "--out", self.directory / out, "--", tbrsim.arguments.compute, *case, check=True)
        return tbrsim.frames(self.directory / out)

    def check(self, name):
        frame, = self.run_case(name, "--config", "tcor-64k")
        self.assertEqual({key: frame[key] for key in EXPECTED[name]}, EXPECTED[name])

    def test_fragments(self):
        """Each quad that is shaded, those of both triangles' edges twice, adds to two counters, and loads and stores."""
        frame, = self.run_case("fragments", "--config", "tcor-64k")
        quads = frame["fragment_stage.quads"]
        self.assertEqual(quads, 2 * (32 * 32 + 32))
        self.assertEqual(frame["gpu.passes"], 2)  # the barrier ends one
        self.assertEqual((frame["load_store.atomics"], frame["load_store.loads"], frame["load_store.stores"]),
                         (2 * quads, quads, quads))

    def test_hidden(self):
        """Each quad that is seen loads once, those of both triangles' edges twice; hidden ones do not. A run that makes a recording,
        which has them, counts the same, and so does the simulation of that."""
        frame, = frames = self.run_case("hidden", "--config", "tcor-64k")
        quads = 32 * 32 + 32
        self.assertEqual((frame["fragment_stage.quads"], frame["load_store.loads"], frame["load_store.stores"]), (quads, quads, 0))
        recording = self.directory / "hidden.tbr"
        self.assertEqual(self.run_case("hidden", "--config", "tcor-64k", "--record", recording, out="recorded"), frames)
        for threads in "1", "3":
            tbrsim.run("sim", "--model-threads", threads, "--out", self.directory / "sim", recording, check=True)
            self.assertEqual(tbrsim.frames(self.directory / "sim"), frames)

    def test_cleared(self):
        """A clear drops no draw that has stored: four vertices, and 16 x 16 fragments in quads, eight of them of both triangles."""
        frame, = self.run_case("cleared", "--config", "tcor-64k")
        self.assertEqual(frame["load_store.atomics"], 4 + 8 * 8 + 8)

    def events(self, case, table):
        """The rows of a table of events of a case, and its counters."""
        recording = self.directory / f"{case}.tbr"
        frame, = self.run_case(case, "--config", "tcor-64k", "--record", recording)
        printed = tbrsim.run("export", "--format", "events", "--table", table, recording, check=True).stdout
        return list(csv.DictReader(io.StringIO(printed))), frame

    def test_events_of_buffers(self):
        """256 times four invocations load and store 16 bytes each, all of the two buffers."""
        rows, _ = self.events("copy", "buffers")
        self.assertEqual({(row["operation"], row["bytes"], row["live"], row["quad"]) for row in rows},
                         {("load", "16", "15", "-1"), ("store", "16", "15", "-1")})
        for operation in ("load", "store"):
            of_one = [row for row in rows if row["operation"] == operation]
            self.assertEqual(len({row["resource"] for row in of_one}), 1)
            self.assertEqual(sorted(int(row[f"offset{i}"]) for row in of_one for i in range(4)),
                             list(range(0, 4 * WORDS, 16)))
        passes, _ = self.events("copy", "passes")
        self.assertEqual([(row["buffer_accesses"], row["image_accesses"]) for row in passes], [("512", "0")])

    def test_events_of_images(self):
        """Every texel of 40 x 24 is stored, then loaded and stored in another image, turned by a quarter."""
        rows, _ = self.events("images", "images")
        texels = [(x, y) for x in range(40) for y in range(24)]
        turned = [(x, y) for x in range(24) for y in range(40)]
        for number, operation, expected in ((0, "store", texels), (1, "load", texels), (1, "store", turned)):
            accessed = [(int(row[f"x{i}"]), int(row[f"y{i}"])) for row in rows for i in range(4)
                        if (int(row["pass"]), row["operation"]) == (number, operation)]
            self.assertEqual(sorted(accessed), expected, (number, operation))
        passes, _ = self.events("images", "passes")
        self.assertEqual([row["image_accesses"] for row in passes], ["240", "480"])

    def test_events_of_fragments(self):
        """What a quad accesses names it."""
        rows, frame = self.events("fragments", "buffers")
        quads, _ = self.events("fragments", "quads")
        self.assertEqual(len(quads), frame["fragment_stage.quads"])
        counted = collections.Counter((row["pass"], row["quad"]) for row in rows if row["operation"] == "atomic")
        self.assertEqual(set(counted.values()), {2})
        self.assertEqual(len(counted), frame["fragment_stage.quads"])

    def test_same_from_recording(self):
        """All cases in one program, on presets of both modes and with a load/store cache."""
        recording = self.directory / "all.tbr"
        parts = ("--attribute", "pass,draw,texture,tile")
        self.run_case(None, "--config", "tcor-64k", "--record", recording, *parts, "--set", "threads=1")
        first = {name: (self.directory / "live" / name).read_bytes() for name in ("frames.csv", "tiles.csv")}
        cached = ("--set", "tile.size=32")
        for preset, settings in (("tcor-64k", ()), ("imr-8m", ()), ("nuca-dtm", ()), ("mali-like", cached)):
            self.run_case(None, "--config", preset, *settings, *parts)
            tbrsim.run("sim", "--config", preset, *settings, *parts, "--out", self.directory / "sim", recording,
                       check=True)
            for table in ("frames", "passes", "draws", "textures", "tiles"):
                live, simulated = (self.directory / out / f"{table}.csv" for out in ("live", "sim"))
                self.assertEqual(live.read_bytes(), simulated.read_bytes(), f"{preset}: {table}")
            self.assertEqual(attribution_errors(self.directory / "live"), [])
            for name, content in first.items():  # with two threads what one has counted
                if preset == "tcor-64k":
                    self.assertEqual((self.directory / "live" / name).read_bytes(), content)

    def test_cycles(self):
        """The same from a recording; time changes no other counter, and takes cycles."""
        recording = self.directory / "all.tbr"
        for preset in ("tcor-64k", "nuca-dtm", "imr-8m"):
            self.run_case(None, "--config", preset, "--timing", "on", "--record", recording)
            tbrsim.run("sim", "--config", preset, "--timing", "on", "--out", self.directory / "sim", recording, check=True)
            live, simulated = (self.directory / out / "frames.csv" for out in ("live", "sim"))
            self.assertEqual(live.read_bytes(), simulated.read_bytes(), preset)
            untimed, = self.run_case(None, "--config", preset, out="untimed")
            timed, = tbrsim.frames(self.directory / "live")
            self.assertEqual({key: timed[key] for key in untimed}, untimed, preset)
            self.assertGreater(timed["compute_stage.cycles"], 0, preset)


for case in EXPECTED:
    setattr(Compute, f"test_{case}", lambda self, case=case: self.check(case))


if __name__ == "__main__":
    tbrsim.main("compute")
