# SPDX-License-Identifier: MIT
"""Animations of particles.c: their pictures against llvmpipe's, from a capture of it, and what they do to memory, by hand, on
tcor-64k: storage goes to the L2, whose blocks have 64 bytes; 16 invocations access it together."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

FRAMES = 4


class Particles(tbrsim.TestCase):
    def replay(self, name):
        """The frames' counters. The window gets its size in the first one, which comes too late for llvmpipe's."""
        trace = self.directory / f"{name}.trace"
        tbrsim.run("run", "--driver", "llvmpipe", "--no-model", "--", "apitrace", "trace", "--api", "egl", "-o", trace,
                   tbrsim.arguments.particles, name, str(FRAMES), check=True)
        done = tbrsim.run("replay", "--config", "tcor-64k", "--check", "--frames", f"1-{FRAMES - 1}", "--out",
                          self.directory / name, trace, check=True)
        self.assertIn("every frame is within the tolerance", done.stdout)
        return tbrsim.frames(self.directory / name)

    def test_bodies(self):
        # 8 work-groups of 4 vectors. A vector loads its bodies, then 8 times a part of all, and its velocities; stores
        # these and the bodies. 512 of each, 16 bytes, are 128 blocks.
        loads, stores = 8 * 4 * (1 + 8 + 1), 8 * 4 * 2
        for frame in self.replay("bodies"):
            self.assertEqual((frame["compute_stage.work_groups"], frame["compute_stage.invocations"],
                              frame["compute_stage.barriers"]), (8, 512, 8 * 8 * 2))
            self.assertEqual((frame["load_store.loads"], frame["load_store.stores"], frame["load_store.atomics"]),
                             (loads, stores, 0))
            # A vector's 16 times 16 bytes are four blocks, which its stores write as a whole.
            self.assertEqual((frame["l2.storage.reads"], frame["l2.storage.writes"]), (4 * loads, 4 * stores))
            self.assertLessEqual(frame["l2.storage.fills"], 2 * 128)
            # What was stored is drawn.
            self.assertEqual(frame["vertex_stage.vertices"], 512)

    def test_fountain(self):
        frames = self.replay("fountain")
        for frame in frames:
            self.assertEqual((frame["compute_stage.work_groups"], frame["compute_stage.invocations"]), (32, 4096))
            self.assertEqual(frame["load_store.loads"], 4096 // 16)
            # Each vector stores its state; one with any particle above the ground counts and stores these.
            counted = frame["load_store.atomics"]
            self.assertEqual(frame["load_store.stores"], 4096 // 16 + counted)
            self.assertLessEqual(counted, 4096 // 16)
            # Those that were counted, and no others, are drawn.
            drawn = frame["vertex_stage.vertices"]
            self.assertTrue(0 < counted <= drawn < min(4096, 16 * counted + 1), drawn)
        self.assertEqual(len(frames), FRAMES - 1)


if __name__ == "__main__":
    tbrsim.main("particles")
