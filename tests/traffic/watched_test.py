# SPDX-License-Identifier: MIT
"""What is counted does not depend on who asks: glretrace's metrics of frames and of draws, and GALLIUM_HUD, leave the
statistics as they are, and add up to them; those of frames are the frames'."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

COUNTERS = ("fragment_stage.fragments", "dram.total.write_bytes")


class Watched(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.enterClassContext(tbrsim.display())

    def replay(self, capture, *options):
        """The statistics of a replay and what glretrace printed."""
        result = tbrsim.run("run", "--out", self.directory, "--", "eglretrace", "--benchmark", *options,
                            tbrsim.CAPTURES / capture, check=True)
        return tbrsim.total(self.directory), tbrsim.frames(self.directory), result.stdout.splitlines()

    def watch(self, capture, option):
        """What glretrace reported of each frame or draw, by counter; None where it did not ask."""
        total, frames, _ = self.replay(capture)
        metrics = "GL_AMD_performance_monitor: " + ", ".join(COUNTERS)
        watched_total, watched_frames, printed = self.replay(capture, f"{option}={metrics}")
        self.assertEqual(watched_total, total)
        self.assertEqual(watched_frames, frames)
        columns = next(line for line in printed if line.startswith("#")).split("\t")
        rows = [line.split("\t") for line in printed if line.startswith(("frame\t", "call\t"))]
        return frames, [{counter: None if row[columns.index(counter)] == "-" else int(row[columns.index(counter)])
                         for counter in COUNTERS} for row in rows]

    def check(self, capture):
        for option in ("--pframes", "--pdrawcalls"):
            with self.subTest(option):
                frames, reported = self.watch(capture, option)
                self.assertGreaterEqual(len(reported), len(frames))
                if option == "--pframes":
                    # Read before the swap: a row has the frame before it, the first one from the first query on.
                    self.assertEqual(reported[2:], [{counter: frame[counter] for counter in COUNTERS}
                                                    for frame in frames[1:]])
                self.assertEqual(sum(part["fragment_stage.fragments"] or 0 for part in reported),
                                 sum(frame["fragment_stage.fragments"] for frame in frames))

    def test_descriptions(self):
        """GL_INTEL_performance_query has the counters' descriptions and units, and changes nothing either."""
        total, frames, printed = self.replay("glmark2_shadow.trace", "--pdrawcalls="
                                             "GL_INTEL_performance_query: fragment_stage.fragments, gpu.passes")
        self.assertEqual((total, frames), self.replay("glmark2_shadow.trace")[:2])
        self.assertIn(["183257", "1"], [line.split("\t")[-2:] for line in printed])
        result = tbrsim.run("run", "--out", self.directory, "--", "eglretrace", "--list-metrics",
                            tbrsim.CAPTURES / "glmark2_shadow.trace", check=True)
        lines = [line.strip() for line in result.stdout.splitlines()]
        described = {metric.split()[2]: text.removeprefix("Description:").strip()
                     for metric, text in zip(lines, lines[1:]) if metric.startswith("Metric #")}
        self.assertEqual(described["dram.total.read_bytes"], "main memory: bytes read; all streams (bytes)")
        self.assertEqual(described["fragment_stage.fragments"], "fragments shaded, helpers not counted (fragments)")

    def test_graphs(self):
        """GALLIUM_HUD, written to files and not drawn, has each frame but the first, and changes nothing."""
        total, frames, _ = self.replay("glmark2_shadow.trace")
        graphs = self.directory / "graphs"
        graphs.mkdir()
        tbrsim.run("run", "--out", self.directory, "--", "eglretrace", "--benchmark", "--headless",
                   tbrsim.CAPTURES / "glmark2_shadow.trace", check=True,
                   variables={"GALLIUM_HUD": ",".join(COUNTERS), "GALLIUM_HUD_VISIBLE": "false",
                              "GALLIUM_HUD_PERIOD": "0", "GALLIUM_HUD_DUMP_DIR": str(graphs)})
        self.assertEqual((tbrsim.total(self.directory), tbrsim.frames(self.directory)), (total, frames))
        for counter in COUNTERS:
            values = [int(line) for line in (graphs / counter).read_text().split()]
            self.assertGreater(len(values), 5)
            self.assertEqual(values[1:], [frame[counter] for frame in frames[1:len(values)]])

    def test_many_draws_a_pass(self):
        self.check("glmark2_ideas.trace")

    def test_several_passes_a_frame(self):
        self.check("glmark2_shadow.trace")


if __name__ == "__main__":
    tbrsim.main()
