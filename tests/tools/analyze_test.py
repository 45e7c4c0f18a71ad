# SPDX-License-Identifier: MIT
"""tbrsim analyze: its values against the counters of tbrsim sim over the same recording, its
report against its JSON, and what it says to bad input."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

TRAVERSALS = ("forward", "boustrophedonic")
WAYS = 8


def counted(frames, name):
    """A counter over the frames that analyze counts: all but the first."""
    return sum(frame.get(name, 0) for frame in frames[1:])


class Analyze(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = tbrsim.record(cls.shared, "glmark2_texture", "--no-model")

    def analyze(self, *arguments):
        return json.loads(self.fine("analyze", "--json", *arguments, self.recording))

    def simulate(self, preset, *settings):
        """The frames' counters of each traversal."""
        return {traversal: tbrsim.simulate(self.recording, "--config", preset, *settings, "--set",
                                           f"frame.traversal={traversal}")["frames"] for traversal in TRAVERSALS}

    def check_counters(self, unit, analysis, simulated):
        streams_with_accesses = 0
        for traversal in TRAVERSALS:
            frames = simulated[traversal]
            simulation = analysis["simulations"][traversal]
            for stream in ("vertex", "index", "pb_list", "pb_attribute", "texture", "color", "depth", "shader"):
                accesses = counted(frames, f"{unit}.{stream}.reads") + counted(frames, f"{unit}.{stream}.writes")
                values = simulation["streams"].get(stream, {"accesses": 0, "first": 0, "intra": 0, "inter": 0})
                self.assertEqual(values["accesses"], accesses, f"{traversal} {stream}")
                self.assertEqual(values["first"] + values["intra"] + values["inter"], accesses)
                streams_with_accesses += accesses > 0
                if unit != "dram":
                    self.assertEqual(simulation["misses"].get(stream, 0), counted(frames, f"{unit}.{stream}.misses"))
                self.assertEqual(simulation["memory_accesses"].get(stream, 0),
                                 counted(frames, f"dram.{stream}.reads") + counted(frames, f"dram.{stream}.writes"))
        self.assertGreaterEqual(streams_with_accesses, 2)

    def test_counters(self):
        settings = ["--set", "caches.l2.size=65536"]
        simulated = self.simulate("boustro-fo", *settings)
        for point in ("l2", "texture_cache", "tile_cache", "dram"):
            self.check_counters(point, self.analyze(*settings, "--unit", point), simulated)

    def test_distances_are_lru_hits(self):
        """Of an L2 that textures have for themselves, as all L1 caches but theirs are perfect."""
        preset, settings = "boustro-fo-perfect-l1", ["--set", "caches.l2.size=65536"]
        analysis, simulated = self.analyze("--config", preset, *settings), self.simulate(preset, *settings)
        for traversal in TRAVERSALS:
            texture = analysis["simulations"][traversal]["streams"]["texture"]
            hits = sum(entry["count"] for name in ("intra_distances", "inter_distances") for entry in texture[name]
                       if entry["last"] < WAYS)
            self.assertGreater(hits, 0)
            self.assertLess(hits, texture["accesses"])
            self.assertEqual(hits, counted(simulated[traversal], "l2.texture.hits"))

    def test_iird(self):
        texture = self.analyze()["simulations"]["forward"]["streams"]["texture"]
        iird = texture["iird"]
        self.assertGreater(iird["reuses"], 0)
        self.assertLessEqual(iird["reuses"], texture["inter"])
        self.assertAlmostEqual(iird["minimum"], iird["maximum"] / 2)
        self.assertEqual(texture["blocks"], iird["reuses"] + texture["insertions"])

    def test_policies_that_know_the_future(self):
        """What arrives at the L2 does not depend on its policy, what it misses does."""
        settings = ["--config", "boustro-fo-perfect-l1", "--set", "caches.l2.size=65536"]
        lru = self.analyze(*settings)["simulations"]["forward"]
        opt = self.analyze(*settings, "--set", "caches.l2.policy=opt")["simulations"]["forward"]
        self.assertEqual(lru["streams"], opt["streams"])
        self.assertLess(opt["misses"]["texture"], lru["misses"]["texture"])

    def test_text(self):
        """The report has the numbers of the JSON, which --out writes to a file."""
        out = self.directory / "results"
        printed = self.fine("analyze", "--out", out, self.recording)
        analysis = json.loads((out / "analysis.json").read_text(encoding="utf-8"))
        self.assertEqual(analysis, self.analyze())
        for traversal in TRAVERSALS:
            texture = analysis["simulations"][traversal]["streams"]["texture"]
            intra = f"{100 * texture['intra'] / texture['accesses']:.2f} %"
            self.assertRegex(printed, rf"(?m)^{traversal} +{texture['accesses'] / analysis['frames']:.1f} +{intra} ")
            self.assertRegex(printed, rf"(?m)^{traversal} +{texture['iird']['reuses']} +{texture['iird']['maximum']:.1f} ")

    def test_frames_and_sets(self):
        analysis = self.analyze("--frames", "1-3", "--sets", "1")
        self.assertEqual((analysis["first_frame"], analysis["last_frame"], analysis["frames"]), (2, 3, 2))
        self.assertEqual(analysis["sets"], 1)
        both, second = self.analyze("--frames", "1-3"), self.analyze("--frames", "1-3", "--warm-up", "2")
        self.assertEqual((second["first_frame"], second["frames"]), (3, 1))
        first = self.analyze("--frames", "1-2")
        for traversal in TRAVERSALS:
            for name in ("streams", "misses"):
                one, other, sums = (values["simulations"][traversal][name] for values in (first, second, both))
                take = (lambda values: values["texture"]["accesses"]) if name == "streams" else \
                       (lambda values: values["texture"])
                self.assertEqual(take(one) + take(other), take(sums))
        texture = analysis["simulations"]["forward"]["streams"]["texture"]
        blocks = texture["blocks"] / analysis["frames"]
        self.assertGreater(texture["iird"]["maximum"], 0.9 * blocks - 2)
        self.assertLess(texture["iird"]["maximum"], 1.1 * blocks)

    def refused(self, status, pattern, *arguments):
        super().refused(status, pattern, "analyze", *arguments)

    def test_bad_input(self):
        self.refused(2, "no recording")
        self.refused(2, "more than one recording", self.recording, self.recording)
        self.refused(2, "expected a power of two", "--sets", "3", self.recording)
        self.refused(2, "--unit l3 .did you mean l2..: expected one of: vertex_cache", "--unit", "l3", self.recording)
        self.refused(2, "--warm-up 1 leaves no frame of 1 to count", "--frames", "1", self.recording)
        self.refused(2, "--warm-up 100 leaves no frame", "--warm-up", "100", self.recording)
        self.refused(2, "expected a number of frames", "--warm-up", "x", self.recording)
        self.refused(2, "the name is empty", "--out", "", self.recording)
        self.refused(2, "unknown option", "--wrong", self.recording)
        self.refused(2, "needs a value", "--sets")
        self.refused(2, "tile.size", "--set", "tile.size=16", self.recording)
        self.refused(1, "", self.directory / "none.tbr")
        self.refused(1, "", tbrsim.CAPTURES / "glmark2_texture.trace")
        self.refused(1, "Not a directory", "--out", self.path("file", "") / "out", self.recording)


if __name__ == "__main__":
    tbrsim.main()
