# SPDX-License-Identifier: MIT
"""Reads of what passes have drawn that have no events (CM_NAME_READ): each once, after the pass that drew it and before
the next one, for what the scenes of reads.c do."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

FRAMES = 3
# The passes of a frame, by their target's label (the window has none), and "!" with the label of what is read.
EXPECTED = {
    "unread": ["target", ""],
    "sampled": ["target", ""],
    "read_back": ["target", "!target", ""],
    "read_twice": ["target", "!target", "target", "!target", ""],
    "pixel_buffer": ["target", "!target", ""],
    "vertex_texture": ["target", "!target", ""],
    "vertex_texture_bound": ["other", "target", "!other", "", "other"],
    "geometry_texture": ["target", "!target", ""],
    "blit": ["target", "other", ""],
    "copy_within": ["target", "!target", ""],
    "changed_while_read": ["target", "!target", ""],
    "invalidated": ["target", ""],
}


class Reads(tbrsim.DisplayTestCase):
    def record(self, scene):
        """The recording of a scene; what is read live and offline is the same."""
        recording, live, simulated = self.path("scene.tbr"), self.path("live"), self.path("simulated")
        tbrsim.run("run", "--record", recording, "--out", live, "--", tbrsim.arguments.reads, scene, check=True)
        tbrsim.run("sim", "--out", simulated, recording, check=True)
        self.assertEqual(tbrsim.contents(simulated), tbrsim.contents(live))
        return recording

    def check(self, scene, expected):
        recording = self.record(scene)
        lines = tbrsim.run("info", "--passes", recording, check=True).stdout.splitlines()
        found = [f"!{line['read']['label']}" if "read" in line else line["color"][0]["label"]
                 for line in map(json.loads, lines)]
        self.assertEqual(found, expected)
        info = json.loads(tbrsim.run("info", "--json", recording, check=True).stdout)
        self.assertEqual(info["reads_without_events"], sum(word.startswith("!") for word in expected))

    def test_late(self):
        """One of the first frame's drawing, however often it is read."""
        self.check("read_late", ["target", "", "!target", "", ""])


def add_test(scene):
    setattr(Reads, f"test_{scene}", lambda self: self.check(scene, EXPECTED[scene] * FRAMES))


for each in EXPECTED:
    add_test(each)


if __name__ == "__main__":
    tbrsim.main("reads")
