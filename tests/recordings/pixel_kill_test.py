# SPDX-License-Identifier: MIT
"""Forward pixel kill in live runs and of recordings: the same statistics; what is killed and what is shaded, by how many quads
wait and beside the other modes; events that do not have what it needs."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

CAPTURE = "glmark2_shadow"
FRAMES = ("--frames", "0-1")
SMALL = ("--set", "tile.size=16")
NO_EFFECT = "fragment_stage.pixel_kill has no effect"


class PixelKill(tbrsim.DisplayTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = tbrsim.record(cls.shared, CAPTURE, "--no-model", *FRAMES, *SMALL)

    def simulate(self, *settings, recording=None):
        """The totals of a simulation."""
        out = self.path("sim")
        self.fine("sim", *(word for setting in settings for word in ("--set", setting)), "--out", out, recording or self.recording)
        return tbrsim.total(out)

    def test_live(self):
        """With timing, whose events would have hidden fragments anyway, and without."""
        for timing in "off", "on":
            options = ("--set", "mode=tbr", "--set", "fragment_stage.pixel_kill=64", *SMALL, "--timing", timing)
            self.fine("replay", *options, "--out", self.path(f"live-{timing}"), *FRAMES, tbrsim.CAPTURES / f"{CAPTURE}.trace")
            self.fine("sim", *options, "--out", self.path(f"sim-{timing}"), self.recording)
            self.assertEqual(tbrsim.contents(self.path(f"sim-{timing}")), tbrsim.contents(self.path(f"live-{timing}")))
            self.assertGreater(tbrsim.total(self.path(f"live-{timing}"))["fragment_stage.killed_quads"], 0)
        without, with_cycles = (tbrsim.total(self.path(f"live-{timing}")) for timing in ("off", "on"))
        self.assertEqual(without, {name: with_cycles[name] for name in without})

    def test_waiting(self):
        """The more quads wait, the more are killed; what is killed and what is shaded is what passes the early tests. Not more is
        killed than tbdr hides: in this capture no draw depends on order."""
        passes, visible = self.simulate("mode=tbr"), self.simulate("mode=tbdr")
        shaded = [passes["fragment_stage.fragments"]]
        for waiting in 16, 64, 256, 65536:
            totals = self.simulate("mode=tbr", f"fragment_stage.pixel_kill={waiting}")
            for of in "quads", "fragments":
                self.assertEqual(totals[f"fragment_stage.{of}"] + totals[f"fragment_stage.killed_{of}"], passes[f"fragment_stage.{of}"])
            shaded.append(totals["fragment_stage.fragments"])
        shaded.append(visible["fragment_stage.fragments"])
        self.assertEqual(shaded, sorted(shaded, reverse=True))
        self.assertLess(shaded[3], shaded[2])
        self.assertLess(shaded[2], shaded[0])

    def test_refused(self):
        for mode in "tbdr", "imr":
            settings = ("--set", f"mode={mode}", "--set", "fragment_stage.pixel_kill=64")
            self.refused(2, f"fragment_stage.pixel_kill: 64, but mode {mode} has none, expected 0 or mode: tbr", "sim", *settings,
                         "--out", self.path("none"), self.recording)

    def test_visible_only(self):
        """Events of visible fragments do not say which draws are opaque: nothing is killed, and a message says why."""
        options = ("--set", "mode=tbr", "--set", "fragment_stage.pixel_kill=64", *SMALL)
        recording = self.path("visible.tbr")
        done = tbrsim.run("replay", *options, "--record", recording, "--record-visible", "--out", self.path("live"), *FRAMES,
                          tbrsim.CAPTURES / f"{CAPTURE}.trace", check=True)
        self.assertEqual(done.stderr.count(NO_EFFECT), 1, done.stderr)
        done = tbrsim.run("sim", *options, "--out", self.path("sim"), recording, check=True)
        self.assertEqual(done.stderr.count(NO_EFFECT), 1, done.stderr)
        self.assertEqual(tbrsim.contents(self.path("sim")), tbrsim.contents(self.path("live")))
        self.assertEqual(tbrsim.total(self.path("sim"))["fragment_stage.killed_quads"], 0)


if __name__ == "__main__":
    tbrsim.main()
