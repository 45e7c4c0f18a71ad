# SPDX-License-Identifier: MIT
"""The programs that advice is for (programs.c), each as it should not be (bad) and as it is once it follows the advice
(good): the image is the same, what the two differ in costs what is worked out here, and `tbrsim advise` says of bad what
makes it good, and how much that saves. Arguments: Targets, Fragments or Geometry, the tests to run."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from tbrsim.report.typical import Typical  # noqa: E402

FRAMES = 4
PIXELS = 512 * 512
COLOR = 4 * PIXELS * FRAMES  # bytes of color of the window, or of a target of its size, in all frames
IMMEDIATE_SHADING = ("--set", "mode=tbr")
REUSE = ("--set", "vertex_stage.reuse_entries=32")
COMPRESSION = ("--config", "mali-like", "--set", "tile.size=32")
BOUSTROPHEDONIC = ("--set", "frame.traversal=boustrophedonic")
# Pixels of the eight layers.
LAYERS = sum((512 - 16 * layer)**2 for layer in range(8))

# Of each program: options of the simulation, and counters, bad and good.
EXPECTED = {
    # The target is loaded for an image that is drawn over everything.
    "unneeded_load": ((), {"dram.color.read_bytes": (COLOR, 0), "dram.color.write_bytes": (2 * COLOR, 2 * COLOR)}),
    # Depth of 16 bits is stored.
    "unneeded_store": ((), {"dram.depth.write_bytes": (COLOR // 2, 0), "dram.depth.read_bytes": (0, 0)}),
    # The second part of the pass loads and stores the quarter of the target that it draws to.
    "broken_pass": ((), {"gpu.passes": (4 * FRAMES, 3 * FRAMES), "dram.color.read_bytes": (COLOR // 4, 0),
                         "dram.color.write_bytes": (COLOR * 10 // 4, COLOR * 9 // 4)}),
    # The target is stored, and read.
    "mergeable_pass": ((), {"gpu.passes": (2 * FRAMES, FRAMES), "dram.color.write_bytes": (2 * COLOR, COLOR)}),
    "target_never_read": ((), {"gpu.passes": (2 * FRAMES, FRAMES), "dram.color.write_bytes": (2 * COLOR, COLOR),
                               "fragment_stage.fragments": (2 * PIXELS * FRAMES, PIXELS * FRAMES)}),
    # Pixels of 8 bytes.
    "wide_target": ((), {"dram.color.write_bytes": (3 * COLOR, 2 * COLOR)}),
    # A GPU that defers shading does not care.
    "overdraw": (IMMEDIATE_SHADING, {"fragment_stage.fragments": (LAYERS * FRAMES, PIXELS * FRAMES)}),
    # Three quarters of the half of the fence that is not behind the wall.
    "discard": ((), {"fragment_stage.fragments": ((PIXELS + PIXELS // 2 * 3 // 4) * FRAMES, PIXELS * FRAMES)}),
    # The blocks of ETC1, 8 bytes for 4 x 4 texels: of every second row of blocks of 1024 x 1024 texels, of 128 x 128.
    "no_mipmaps": ((), {"dram.texture.read_bytes": (1024 * 1024 // 2 // 2, 128 * 128 // 2)}),
    # Each square has two triangles.
    "unindexed_vertices": ((), {"vertex_stage.vertices": (6 * 45**2 * FRAMES, 6 * 45**2 * FRAMES)}),
    "tiny_triangles": ((), {"tiling_engine.primitives": (2 * 224**2 * FRAMES, 2 * 112**2 * FRAMES)}),
    # Nine attributes, the position included, or five.
    "large_parameter_buffer": ((), {"tiling_engine.attributes": (9 * 2 * 36**2 * FRAMES, 5 * 2 * 36**2 * FRAMES)}),
}

# The same for what has no such simple numbers: what bad costs at least, in units of good.
RATIOS = {
    "no_mipmaps": ((), {"texture_cache.texture.misses": 100}),
    "uncompressed": ((), {"texture_cache.texture.misses": 4, "dram.texture.read_bytes": 8}),
    "unshared_vertices": (REUSE, {"vertex_stage.vertices": 5, "vertex_cache.vertex.misses": 1.2}),
    "unindexed_vertices": (REUSE, {"vertex_stage.vertices": 5, "dram.vertex.read_bytes": 6}),
    "tiny_triangles": ((), {"dram.vertex.read_bytes": 3.5, "dram.pb_attribute.read_bytes": 3.5,
                            "fragment_stage.footprints": 1.2}),
    "large_parameter_buffer": ((), {"dram.pb_attribute.read_bytes": 20, "dram.pb_attribute.write_bytes": 20}),
    "tile_order": ((), {"l2.texture.misses": 100}),
}

# What `tbrsim advise` finds in bad: the rule, the options, where, and what it says that is saved. Of a measure: the share
# of the difference between bad and good, and by how much of that it may be off. What becomes of the last frame's depth and
# target is not known: their savings are of the other frames.
ADVICE = {
    "unneeded_load": ("unneeded-load", (), {"pass": 0, "passes": FRAMES}, {"dram_bytes": (1, 0)}),
    "unneeded_store": ("unneeded-store", (), {"pass": 0, "passes": FRAMES - 1}, {"dram_bytes": (1, 0)}),
    "broken_pass": ("broken-pass", (), {"pass": 0, "passes": FRAMES}, {"dram_bytes": (1, 0.001)}),
    # That nothing else reads what the target stores, the next frame says. The L2 keeps more or less of the Parameter Buffer.
    "mergeable_pass": ("mergeable-pass", ("--frames", "0-2"), {"pass": 0, "passes": 3, "frames_not_known": 0},
                       {"dram_bytes": (1, 0.002), "texture_reads": (1, 0)}),
    "target_never_read": ("target-never-read", (), {"pass": 0, "passes": FRAMES - 1},
                          {"dram_bytes": (1, 0.001), "fragments": (1, 0), "vertices": (1, 0)}),
    "wide_target": ("wide-target", COMPRESSION, {"pass": 0, "passes": FRAMES}, {"dram_bytes": (1, 0), "l2_accesses": (1, 0)}),
    "overdraw": ("overdraw", IMMEDIATE_SHADING, {"pass": 0}, {"fragments": (1, 0)}),
    "discard": ("late-tests", (), {"pass": 0, "draw": 1}, {"fragments": (1, 0)}),
    # The coarser level is taken of every second texel of the first, as it is laid out.
    "no_mipmaps": ("no-mipmaps", (), {"pass": 0}, {"l2_accesses": (1, 0.005), "dram_bytes": (1, 0.15)}),
    "uncompressed": ("uncompressed", (), {"pass": 0}, {"dram_bytes": (1, 0), "l2_accesses": (1, 0)}),
    # All uses of a vertex at once: no order of triangles does that.
    "unshared_vertices": ("vertices-fetched-again", REUSE, {"pass": 0, "draw": 0}, {"vertices": (1, 0.02)}),
    "tiny_triangles": ("tiny-primitives", (), {"pass": 0, "draw": 0},
                       {"dram_bytes": (1, 0.001), "l2_accesses": (1, 0.001), "vertices": (1, 0)}),
    "large_parameter_buffer": ("parameter-buffer", (), {"pass": 0, "passes": FRAMES},
                               {"dram_bytes": (1, 0.001), "l2_accesses": (1, 0.001)}),
}
# What is found in good all the same: a quarter of 100,352 triangles are still many.
REST = {"tiny_triangles": {"parameter-buffer"}}


class Pairs(tbrsim.DisplayTestCase):
    def record(self, name, polarity):
        """The recording of a program, and the hash that it prints."""
        recording = self.path(f"{name}_{polarity}.tbr")
        result = tbrsim.run("run", "--no-model", "--record", recording, "--", tbrsim.arguments.programs, name,
                            polarity, check=True)
        self.assertRegex(result.stdout, "^[0-9a-f]{16}\n$")
        return recording, result.stdout

    def totals(self, recordings, options):
        return [tbrsim.simulate(recording, *options)["total"] for recording in recordings]

    def pair(self, name, same_image=True):
        """Records both programs of a pair, and checks what they cost; the recordings."""
        (bad, bad_image), (good, good_image) = self.record(name, "bad"), self.record(name, "good")
        self.assertEqual(bad_image == good_image, same_image)
        for options, counters, check in ((*EXPECTED.get(name, ((), {})), self.assertEqual),
                                         (*RATIOS.get(name, ((), {})), self.assert_at_least)):
            totals = self.totals((bad, good), options) if counters else ()
            for counter, expected in counters.items():
                check(tuple(total[counter] for total in totals), expected, counter)
        if name in ADVICE:
            self.check_advice(name, bad, good)
        return bad, good

    def advise(self, recording, *options):
        """What the command says, but for the order of tiles: there is always a better one."""
        advice = json.loads(self.fine("advise", "--json", "--least", "2", *options, recording))
        advice["findings"] = [finding for finding in advice["findings"] if finding["rule"] != "tile-order"]
        return advice

    def check_advice(self, name, *recordings):
        rule, options, place, saved = ADVICE[name]
        bad, good = (self.advise(recording, *options) for recording in recordings)
        finding, = (finding for finding in bad["findings"] if finding["rule"] == rule)
        self.assertEqual({key: finding[key] for key in place}, place)
        for measure, (share, tolerance) in saved.items():
            difference = share * (bad["a_frame_has"][measure] - good["a_frame_has"][measure])
            self.assertGreater(difference, 0)
            self.assertAlmostEqual(finding["saves"][measure] / difference, 1, delta=tolerance + 1e-9, msg=measure)
        self.assertEqual({finding["rule"] for finding in good["findings"]}, REST.get(name, set()))
        if finding["resource"]:
            self.assertEqual(finding["resource"]["width"], 1024 if name in ("no_mipmaps", "uncompressed") else 512)

    def assert_at_least(self, found, ratio, counter):
        self.assertGreaterEqual(found[0], ratio * found[1], counter)


class Targets(Pairs):
    def test_unneeded_load(self):
        self.pair("unneeded_load")

    def test_unneeded_store(self):
        self.pair("unneeded_store")

    def test_broken_pass(self):
        self.pair("broken_pass")

    def test_mergeable_pass(self):
        self.pair("mergeable_pass")

    def test_target_never_read(self):
        self.pair("target_never_read")

    def test_wide_target(self):
        """Only a GPU that compresses has something to say."""
        bad, _ = self.pair("wide_target")
        self.assertEqual(self.advise(bad)["findings"], [])

    def test_several(self):
        """What three findings save together is what the program saves that has none of them. The first frame loads."""
        bad, good = (self.advise(recording) for recording in self.pair("several"))
        for advice in bad, good:
            self.assertEqual([frame["frame"] for frame in advice["loading_frames"]], [0])
            self.assertGreater(advice["loading_frames"][0]["passes"], 40)
            self.assertEqual(advice["frames"], FRAMES - 1)
        self.assertEqual({finding["rule"] for finding in bad["findings"]},
                         {"unneeded-load", "unneeded-store", "broken-pass"})
        for finding in bad["findings"]:
            self.assertEqual((finding["frame"], finding["passes"]),
                             (1, FRAMES - 2 if finding["rule"] == "unneeded-store" else FRAMES - 1))
        self.assertEqual(good["findings"], [])
        self.assertIsNone(good["together"])
        self.assertEqual(bad["together"]["without"], [])
        difference = bad["a_frame_has"]["dram_bytes"] - good["a_frame_has"]["dram_bytes"]
        self.assertGreater(difference, COLOR / FRAMES)
        # Nothing clears what the last frame stores: that saves nothing there, and all of it in the others.
        self.assertEqual(bad["together"]["frames_not_known"], 1)
        self.assertAlmostEqual(bad["together"]["others"]["saves"]["dram_bytes"] / difference, 1, delta=0.001)
        store, = (finding for finding in bad["findings"] if finding["rule"] == "unneeded-store")
        missing = store["evidence"]["bytes of the image"] / (FRAMES - 1)
        self.assertAlmostEqual(bad["together"]["saves"]["dram_bytes"] / (difference - missing), 1, delta=0.001)
        # With a frame after those that are simulated it is known of all.
        bad_part, good_part = (self.advise(self.path(f"several_{which}.tbr"), "--frames", "1-2") for which in ("bad", "good"))
        self.assertEqual([finding["frames_not_known"] for finding in [*bad_part["findings"], bad_part["together"]]], [0] * 4)
        difference = bad_part["a_frame_has"]["dram_bytes"] - good_part["a_frame_has"]["dram_bytes"]
        self.assertAlmostEqual(bad_part["together"]["saves"]["dram_bytes"] / difference, 1, delta=0.001)
        broken, = (finding for finding in bad["findings"] if finding["rule"] == "broken-pass")
        self.assertEqual((broken["break"]["reason"], broken["break"]["next_pass"]), ("flush", 1))
        self.assertIn("glFlush", broken["remedy"])
        # With the frame that loads it is another picture.
        every = self.advise(self.path("several_bad.tbr"), "--all-frames")
        self.assertEqual((every["frames"], every["loading_frames"]), (FRAMES, []))
        # The page's rule is the same.
        frames = tbrsim.simulate(self.path("several_bad.tbr"))["frames"]
        columns = {name: [frame[name] for frame in frames] for name in ("gpu.passes", "gpu.draws")}
        self.assertEqual(list(Typical(columns, FRAMES).outliers()), [0])

    def test_fine(self):
        """Nothing is loaded but textures; what is stored is the target, and the window."""
        recording, _ = self.record("fine", "good")
        total, = self.totals([recording], IMMEDIATE_SHADING)
        self.assertEqual(total["gpu.passes"], 2 * FRAMES)
        self.assertEqual(total["fragment_stage.fragments"], 2 * PIXELS * FRAMES)
        for counter, moved in {"color.read": 0, "color.write": 2 * COLOR, "depth.read": 0, "depth.write": 0}.items():
            self.assertEqual(total[f"dram.{counter}_bytes"], moved, counter)
        self.assertEqual(self.advise(recording, *IMMEDIATE_SHADING)["findings"], [])


class Fragments(Pairs):
    def test_overdraw(self):
        for recording in self.pair("overdraw"):
            # Nothing is shaded twice where shading is deferred, whatever the order. The window's depth stays in the
            # tiles, although its pixels are read in the end.
            total, = self.totals([recording], ("--set", "mode=tbdr"))
            self.assertEqual(total["fragment_stage.fragments"], PIXELS * FRAMES)
            self.assertEqual((total["dram.depth.read_bytes"], total["dram.depth.write_bytes"]), (0, 0))

    def test_discard(self):
        self.pair("discard")

    def test_no_mipmaps(self):
        self.pair("no_mipmaps")

    def test_uncompressed(self):
        self.pair("uncompressed")

    def test_tile_order(self):
        """Of large textures, the GPU finds those at the end of the last frame where it turns round."""
        for recording, share in zip(self.pair("tile_order", same_image=False), (0.7, 1), strict=True):
            forward, turning = (self.totals([recording], options)[0]["l2.texture.misses"]
                                for options in ((), BOUSTROPHEDONIC))
            self.assertLessEqual(turning, share * forward)
            self.assertGreaterEqual(turning, (share - 0.1) * forward)
            findings = json.loads(self.fine("advise", "--json", "--least", "2", recording))["findings"]
            self.assertEqual([finding["rule"] for finding in findings], ["tile-order"] if share < 1 else [])
            for finding in findings:
                self.assertIn("frame.traversal=boustrophedonic", finding["settings"])
                self.assertGreater(finding["saves_percent"]["dram_bytes"], 20)


class Geometry(Pairs):
    def test_unshared_vertices(self):
        self.pair("unshared_vertices")

    def test_unindexed_vertices(self):
        """What vertices hold is not in the stream: that they are the same is nothing that advice can say."""
        for recording in self.pair("unindexed_vertices"):
            self.assertEqual(self.advise(recording, *REUSE)["findings"], [])

    def test_tiny_triangles(self):
        self.pair("tiny_triangles")

    def test_large_parameter_buffer(self):
        self.pair("large_parameter_buffer")


if __name__ == "__main__":
    tbrsim.main("programs")
