# SPDX-License-Identifier: MIT
"""What ends a pass, and what it costs, against numbers worked out by hand. Each scene of passes.c is a frame, which draws
over all of a texture of 128x96 pixels of 4 bytes twice, does something in between, and reads it back; tiles are 32x32."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

ALL = 128 * 96 * 4
TILE = 32 * 32 * 4  # all of another texture
LEVELS = [64 * rows for rows in (16, 8, 4, 2, 1)]  # of its mipmaps: a row takes a block

WHOLE = ["read"], 0, ALL


def broken(reason, passes=(), read=0, written=0):
    """The second draw loads what the first has stored; in between there are passes that read and write so much."""
    return [reason, *passes, "read"], ALL + read, 2 * ALL + written


# Why each pass ends; bytes of colour read and written.
EXPECTED = {
    "nothing": WHOLE,
    "flush": broken("flush"),
    "finish": broken("finish"),
    "fence": WHOLE,
    "fence_waited": broken("fence"),
    "fence_polled": broken("fence"),
    "fence_waited_by_server": WHOLE,
    "fence_and_flush": broken("flush"),
    "egl_fence": broken("fence"),
    "query": WHOLE,
    "query_result": broken("query"),
    "query_available": broken("query"),
    "query_again": WHOLE,
    "query_deleted": WHOLE,
    "timer": WHOLE,
    "read_target": broken("read"),
    "read_into_buffer": broken("read"),
    "read_other": WHOLE,
    "change_vertices": WHOLE,
    "change_block": WHOLE,
    "change_other_texture": WHOLE,
    "change_used_texture": WHOLE,
    "change_target": broken("write"),
    "mipmap": (5 * ["copy"] + ["read"], sum(LEVELS), ALL + sum(LEVELS)),
    "mipmap_of_used": broken("copy", 5 * ["copy"], sum(LEVELS), sum(LEVELS)),
    "copy": (["copy", "read"], TILE, ALL + TILE),
    "copy_over_used": broken("copy", ["copy"], TILE, TILE),
    "copy_before_use": (["copy", "read"], TILE, ALL + TILE),
    "copy_and_change": (["copy", "flush", "read"], ALL + TILE, 2 * ALL + TILE),
    "copy_target": broken("copy", ["copy"], TILE, TILE),
    "copy_other": (["copy", "read"], TILE, ALL + TILE),
    "blit_others": (["copy", "read"], TILE, ALL + TILE),
    "blit_to_target": broken("copy", ["copy"], TILE, TILE),
    "other_framebuffer": broken("framebuffer", ["framebuffer"], TILE, TILE),
    "same_framebuffer": WHOLE,
    "barrier": WHOLE,
    "store_and_barrier": broken("barrier"),
    "store_and_use": broken("draw"),
    "compute_of_other": (["unknown", "read"], 0, ALL),
    "compute_of_target": broken("compute", ["unknown"]),
    "vertices_of_other": WHOLE,
    "vertices_of_texture": broken("framebuffer", ["framebuffer"], TILE, TILE),
    "many_primitives": broken("memory"),
    # Its four samples are drawn to in a pass that begins with a clear, and in another one.
    "resolve": (["framebuffer", "resolve", "framebuffer", "read"], ALL + 4 * ALL, 3 * ALL + 8 * ALL),
}


def passes_of(recording):
    """Why the passes of each frame end: {frame: [line of info]}."""
    found = {}
    for line in map(json.loads, tbrsim.run("info", "--passes", recording, check=True).stdout.splitlines()):
        if "read" not in line:
            found.setdefault(line["frame"], []).append(line)
    return found


class Passes(tbrsim.DisplayTestCase):
    def test_scenes(self):
        recording, live = self.path("passes.tbr"), self.path("live")
        names = tbrsim.run("run", "--set", "tile.size=32", "--set", "parameter_buffer.attribute_blocks=64", "--record",
                           recording, "--out", live, "--", tbrsim.arguments.passes, check=True).stdout.splitlines()
        frames, passes = tbrsim.frames(live), passes_of(recording)
        self.assertEqual(names[1:], list(EXPECTED))
        for number, (name, expected) in enumerate(EXPECTED.items(), 1):
            frame = frames[number]
            with self.subTest(name):
                self.assertEqual(([line["end"] for line in passes[number]], frame["dram.color.read_bytes"],
                                  frame["dram.color.write_bytes"]), expected)

    def test_documented(self):
        """docs/passes.md has each scene, and all reasons. Vulkan's scenes are some of tests/vulkan/subpasses.c."""
        text = (tbrsim.SOURCE / "docs" / "passes.md").read_text(encoding="utf-8")
        reasons, scenes = text.split("\n## ")[:2]
        rows = [line.split("|")[1:4:2] for line in scenes.splitlines() if line.startswith("| ")]
        named = {is_vulkan: {name for what, scene in rows if what.startswith(" Vulkan: ") == is_vulkan
                             for name in re.findall("`([^`]*)`", scene)} for is_vulkan in (False, True)}
        self.assertEqual(named[False], set(EXPECTED))
        drawn = (tbrsim.SOURCE / "tests" / "vulkan" / "subpasses.c").read_text(encoding="utf-8")
        self.assertTrue(named[True])
        self.assertLessEqual(named[True], set(re.findall(r'{"(\w+)", draw_', drawn)))
        rows = [line.split("|")[1] for line in reasons.splitlines() if line.startswith("| `")][1:]
        names = (tbrsim.SOURCE / "src" / "cachemodel" / "events" / "event_stream.c").read_text(encoding="utf-8")
        self.assertEqual({name for row in rows for name in re.findall("`([^`]*)`", row)},
                         set(re.findall(r'\[CM_END_\w+\] = "(\w+)"', names)))

    def test_calls(self):
        """Of a replay, the call that ended a pass comes after its last draw and before the next pass', or is its first
        draw."""
        recording = self.path("passes.tbr")
        tbrsim.run("replay", "--frames", "0-2", "--record", recording, "--out", self.path("live"),
                   tbrsim.CAPTURES / "glmark2_desktop.trace", variables={"TBRSIM_CALL_MARKERS": "1"}, check=True)
        draws = {}
        for line in map(json.loads, tbrsim.run("info", "--draws", recording, check=True).stdout.splitlines()):
            draws.setdefault((line["frame"], line["pass"]), []).append(line["call"])
        ends = 0
        found = passes_of(recording)
        del found[0]  # setting up
        for frame, passes in found.items():
            self.assertEqual([line["end"] for line in passes], ["framebuffer"] * (len(passes) - 1) + ["frame"])
            self.assertIsNone(passes[-1]["end_call"])
            for line in passes[:-1]:
                own, following = (draws.get((frame, line["pass"] + i), ()) for i in (0, 1))
                if own and following:  # neither is a clear alone
                    self.assertLess(own[-1], line["end_call"])
                    self.assertLessEqual(line["end_call"], following[0])
                    ends += 1
        self.assertGreater(ends, 0)


if __name__ == "__main__":
    tbrsim.main("passes")
