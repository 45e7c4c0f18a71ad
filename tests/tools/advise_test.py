# SPDX-License-Identifier: MIT
"""tbrsim advise: savings are the difference of two simulations; the formats say the same; what it says to bad input."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402


class Advise(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.desktop = tbrsim.record(cls.shared, "glmark2_desktop", "--no-model", "--frames", "0-3")
        cls.text = tbrsim.run("advise", "--jobs", "3", cls.desktop, check=True).stdout

    def advise(self, recording, *options):
        return json.loads(self.fine("advise", "--json", *options, recording))

    def test_baseline(self):
        """What a frame has, as sim counts it."""
        for options in ((), ("--config", "imr-8m", "--timing", "on"), ("--frames", "1-3", "--warm-up", "1")):
            advice = self.advise(self.desktop, "--most", "0", *options)
            counters = tbrsim.simulate(self.desktop, *options)
            total, frames = counters["total"], len(counters["frames"])
            self.assertEqual(advice["frames"], frames)
            self.assertAlmostEqual(advice["a_frame_has"]["dram_bytes"] * frames,
                                   total["dram.total.read_bytes"] + total["dram.total.write_bytes"], delta=1)
            self.assertAlmostEqual(advice["a_frame_has"]["fragments"] * frames, total["fragment_stage.fragments"], delta=1)
            self.assertEqual("cycles" in advice["a_frame_has"], "gpu.cycles" in total)

    def test_findings(self):
        """The window is left between its clear and its windows, in every frame; the picture below them covers it."""
        advice = self.advise(self.desktop, "--least", "0")
        self.assertEqual(advice["a_frame_has"], self.advise(self.desktop, "--most", "0")["a_frame_has"])
        found = {}
        for finding in advice["findings"]:
            found.setdefault(finding["rule"], []).append(finding)
            for key, saved in finding["saves"].items():
                self.assertAlmostEqual(finding["saves_percent"].get(key, 0),
                                       100 * saved / (advice["a_frame_has"][key] or 1), places=6)
        window = [finding for finding in found["unneeded-load"] if finding["resource"]["kind"] == "window"]
        self.assertEqual(len(window), 1)
        size = window[0]["resource"]["width"] * window[0]["resource"]["height"] * 4
        # Its load, all of it, once per frame but for the first; and what the caches held of it.
        self.assertAlmostEqual(window[0]["saves"]["dram_bytes"] / size, window[0]["passes"] / advice["frames"], delta=0.02)
        self.assertEqual(window[0]["saves"]["fragments"], 0)
        self.assertIn("window", [finding["resource"]["kind"] for finding in found["broken-pass"]])
        self.assertEqual(len(found.get("tile-order", [])), 1)
        self.assertEqual(advice["loading_frames"], [])
        # With all of them, no more is saved than is there, and no less than by the best one. All frames are counted; where it
        # is not known what becomes of a store, that saves nothing.
        together, frames = advice["together"], advice["frames"]
        self.assertEqual(together["frames_not_known"], max(finding["frames_not_known"] for finding in advice["findings"]
                                                           if any(share > 0 for share in finding["saves_percent"].values())))
        for measure in "dram_bytes", "fragments", "vertices":
            for finding in advice["findings"]:
                if finding["rule"] != "tile-order":
                    known = (frames - finding["frames_not_known"]) / frames
                    self.assertGreaterEqual(together["saves"][measure], 0.95 * known * finding["saves"][measure])
            self.assertLess(together["saves"][measure], advice["a_frame_has"][measure])
        shares = [max(finding["saves_percent"][measure] for measure in ("dram_bytes", "fragments", "vertices", "texture_reads"))
                  for finding in advice["findings"]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertEqual({finding["break"]["reason"] for finding in found["broken-pass"]}, {"framebuffer"})
        # The window's pass in two parts and the load of the second are two ways to save the same.
        places = {finding["rule"]: advice["findings"].index(finding) for finding in found["broken-pass"] + window
                  if finding["resource"]["kind"] == "window"}
        for finding in advice["findings"]:
            here = advice["findings"].index(finding)
            self.assertEqual(finding["same_loads"], [other for other in places.values() if other != here and here in places.values()])

    def test_order(self):
        """The saving of another order is that of its settings."""
        advice = self.advise(self.desktop, "--least", "0", "--most", "0")
        self.assertEqual([finding["rule"] for finding in advice["findings"]], ["tile-order"])
        self.assertGreater(advice["not_simulated"], 0)
        settings = [word for setting in advice["findings"][0]["settings"].split(", ") for word in ("--set", setting)]
        total = tbrsim.simulate(self.desktop, *settings)["total"]
        self.assertAlmostEqual(
            advice["a_frame_has"]["dram_bytes"] - advice["findings"][0]["saves"]["dram_bytes"],
            (total["dram.total.read_bytes"] + total["dram.total.write_bytes"]) / advice["frames"], delta=1)

    def test_text(self):
        """The text has the findings of the JSON, in the same order, and a limit leaves out those that save less."""
        text = self.text
        findings = self.advise(self.desktop)["findings"]
        titles = re.findall(r"(?m)^(\d+\. [^:]*):", text)
        self.assertEqual(titles, [f"{number + 1}. {finding['title']}" for number, finding in enumerate(findings)])
        self.assertEqual(len({finding["title"] for finding in findings}), len(findings))
        for finding in findings:
            self.assertTrue(finding["title"].startswith(finding["rule"]))
        self.assertGreater(len(findings), 1)
        self.assertEqual(text.count("\nall of these together"), 1)
        for number, finding in enumerate(findings):
            for other in finding["same_loads"]:
                self.assertRegex(text, rf"\n{number + 1}\. .*\n   overlap: {other + 1}\. \({findings[other]['rule']}\)")
        self.assertEqual(text.splitlines()[0], f"{self.desktop} on tcor-baseline-64k, frames 0 to 3")
        self.assertRegex(text.splitlines()[1], r"^per frame: \d\S* MiB of DRAM traffic, .* thousand L2 accesses, ")
        self.assertNotRegex(text, r"\b1 frames|: yes|energy pj|known: 0|simulated: 0")
        self.assertRegex(self.fine("advise", "--frames", "1", "--most", "1", self.desktop), r", frame 1\n(.*\n)*\d+ more findings were not simulated")
        self.assertNotIn("looks like loading", text)
        self.assertIn("nothing found that saves 100 %", self.fine("advise", "--least", "100", "--most", "0", self.desktop))

    def test_threads(self):
        self.assertEqual(self.fine("advise", "--jobs", "1", self.desktop), self.text)

    def test_bad_input(self):
        for option, value in (("--most", "x"), ("--most", "1001"), ("--least", "-1"), ("--least", "101")):
            self.refused(2, f"{option} {value}: expected", "advise", option, value, self.desktop)
        self.refused(1, "nothing.tbr", "advise", self.path("nothing.tbr"))


if __name__ == "__main__":
    tbrsim.main()
