# SPDX-License-Identifier: MIT
"""What is counted does not depend on who asks: glretrace's metrics of frames and of draws, and GALLIUM_HUD, leave the
statistics as they are, and add up to them; those of frames are the frames'."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

COUNTERS = ("fragment_stage.fragments", "dram.total.write_bytes")


class Watched(tbrsim.DisplayTestCase):
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

    def test_graphs_beside_metrics(self):
        """GALLIUM_HUD and glretrace's metrics of draws, on the same counters in one context: each has its own."""
        _, frames, printed = self.replay("glmark2_shadow.trace", "--pdrawcalls=GL_AMD_performance_monitor: " + COUNTERS[0])
        graphs = self.directory / "graphs"
        graphs.mkdir()
        result = tbrsim.run("run", "--out", self.directory, "--", "eglretrace", "--benchmark", "--headless",
                            f"--pdrawcalls=GL_AMD_performance_monitor: {COUNTERS[0]}",
                            tbrsim.CAPTURES / "glmark2_shadow.trace", check=True,
                            variables={"GALLIUM_HUD": ",".join(COUNTERS), "GALLIUM_HUD_VISIBLE": "false",
                                       "GALLIUM_HUD_PERIOD": "0", "GALLIUM_HUD_DUMP_DIR": str(graphs)})
        rows = [[line for line in lines if line.startswith("call\t")] for lines in (result.stdout.splitlines(), printed)]
        # GALLIUM_HUD's first query, which begins as the first buffers are swapped, has the pass of the draw before it.
        differing = [both for both in zip(*rows, strict=True) if both[0] != both[1]]
        self.assertEqual(len(differing), 1)
        self.assertEqual(differing[0][0].split("\t")[-1], "0")
        self.assertEqual(tbrsim.frames(self.directory), frames)
        for counter in COUNTERS:
            values = [int(line) for line in (graphs / counter).read_text().split()]
            self.assertGreater(len(values), 5)
            self.assertEqual(values[1:], [frame[counter] for frame in frames[1:len(values)]])

    def test_hit_rates(self):
        """Of a cache and a stream, per cent with decimals: in graphs and in glretrace's metrics the frames' own."""
        frames = self.replay("glmark2_shadow.trace")[1]
        graphs = self.directory / "graphs"
        graphs.mkdir()
        names = ("l2.total.hit_percent", "texture_cache.texture.hit_percent")
        tbrsim.run("run", "--out", self.directory, "--", "eglretrace", "--benchmark", "--headless",
                   tbrsim.CAPTURES / "glmark2_shadow.trace", check=True,
                   variables={"GALLIUM_HUD": ",".join(names), "GALLIUM_HUD_VISIBLE": "false",
                              "GALLIUM_HUD_PERIOD": "0", "GALLIUM_HUD_DUMP_DIR": str(graphs)})
        self.assertEqual(tbrsim.frames(self.directory), frames)
        _, watched, lines = self.replay("glmark2_shadow.trace", "--pframes=GL_AMD_performance_monitor: " + ", ".join(names))
        self.assertEqual(watched, frames)
        printed = [line.split("\t") for line in lines]
        columns = next(line for line in printed if line[0].startswith("#"))
        rows = [line for line in printed if line[0] == "frame"]
        for name in names:
            place = name.rsplit(".", 1)[0]
            expected = [100 * frame[f"{place}.hits"] / (frame[f"{place}.reads"] + frame[f"{place}.writes"])
                        for frame in frames]
            self.assertGreater(len({round(rate, 3) for rate in expected}), 1)
            shown = [float(line) for line in (graphs / name).read_text().split()]
            self.assertGreater(len(shown), 5)
            for value, rate in zip(shown[1:], expected[1:]):
                self.assertAlmostEqual(value, rate, delta=0.006)  # two decimals
            # As in check(): a row has the frame before it.
            reported = [float(row[columns.index(name)]) for row in rows[2:]]
            for value, rate in zip(reported, expected[1:], strict=True):
                self.assertAlmostEqual(value, rate, delta=0.002)

    def test_groups(self):
        """A group has a cache's counters and the rates of those that count hits, and all can be asked for at once."""
        result = tbrsim.run("run", "--no-model", "--", "eglretrace", "--list-metrics",
                            tbrsim.CAPTURES / "glmark2_shadow.trace", check=True)
        self.assertNotIn("hit_percent", result.stdout)
        result = tbrsim.run("run", "--out", self.directory, "--", "eglretrace", "--list-metrics",
                            tbrsim.CAPTURES / "glmark2_shadow.trace", check=True)
        amd = result.stdout.split("GL_AMD_performance_monitor", 1)[1].split("GL_INTEL_performance_query", 1)[0]
        names = [line.split()[2] for line in amd.splitlines() if line.strip().startswith("Metric #")]
        listed = tbrsim.run("counters", check=True).stdout
        hits = [name for name in names if name.endswith(".hits")]
        self.assertGreater(len(hits), 20)
        self.assertEqual([name for name in names if name.endswith(".hit_percent")],
                         [name.replace(".hits", ".hit_percent") for name in hits])
        self.assertEqual({name for name in names if not name.endswith(".hit_percent")},
                         {name for name in names if name in listed})

    def test_many_draws_a_pass(self):
        self.check("glmark2_ideas.trace")

    def test_several_passes_a_frame(self):
        self.check("glmark2_shadow.trace")


if __name__ == "__main__":
    tbrsim.main()
