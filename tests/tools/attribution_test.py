# SPDX-License-Identifier: MIT
"""Attribution: the rows of passes.csv, draws.csv, textures.csv and tiles.csv add up to frames.csv, are the same live, of
any number of threads and from a recording, change nothing else, and do not outlive the run that they are of."""

import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from support.conservation import ATTRIBUTION_KEYS as KEYS, attribution_errors, read_table as table  # noqa: E402

ALL = ["--attribute", "pass,draw,texture,tile"]
class Attribution(tbrsim.TestCase):
    def check_sums(self, directory):
        self.assertEqual(attribution_errors(directory), [])
        for name, keys in KEYS.items():
            rows = table(directory, name)
            self.assertEqual(list(rows[0])[:3 + len(keys)], ["frame", "pass_frame", "pass", *keys])
            self.assertGreater(len(rows[0]), 40)
            for row in rows:
                self.assertLessEqual(int(row["pass_frame"]), int(row["frame"]))

    def test_sums_live_and_offline(self):
        """The LLC of imr-8m keeps dirty blocks from frame to frame."""
        for config in ("tcor-64k", "imr-8m"):
            with self.subTest(config):
                directory = self.shared / config
                recording = tbrsim.record(directory, "glmark2_shadow", "--config", config, *ALL)
                live = directory / "live"
                self.check_sums(live)
                for name, options in (("offline", []), ("named", ["--config", config, *ALL])):
                    self.fine("sim", "--out", directory / name, *options, recording)
                    self.assertEqual(tbrsim.contents(live), tbrsim.contents(directory / name))
                later = [row for row in table(live, "draws") if row["pass_frame"] != row["frame"]]
                if config == "imr-8m":
                    self.assertTrue(any(int(row["dram.total.write_bytes"]) for row in later))
                self.fine("sim", "--out", directory / "plain", "--set", "attribution.pass=off", "--set",
                          "attribution.draw=off", "--set", "attribution.texture=off", "--set",
                          "attribution.tile=off", recording)
                self.assertEqual((live / "frames.csv").read_bytes(),
                                 (directory / "plain" / "frames.csv").read_bytes())

    def test_threads(self):
        directories = []
        for threads in ("1", "3"):
            directories.append(self.shared / threads)
            self.fine("replay", *ALL, "--set", f"threads={threads}", "--out", directories[-1],
                      tbrsim.CAPTURES / "glmark2_desktop.trace")
        for name in KEYS:
            self.assertEqual(*((directory / f"{name}.csv").read_bytes() for directory in directories))

    def test_resources(self):
        """The texture and the framebuffer of a program that has one of each."""
        out = self.shared / "texture"
        self.fine("replay", "--attribute", "texture", "--out", out, tbrsim.CAPTURES / "glmark2_texture.trace")
        self.assertFalse((out / "draws.csv").exists())
        rows = [row for row in table(out, "textures") if row["frame"] == "1" and row["pass_frame"] == "1"]
        sampled = [row for row in rows if int(row["texture_cache.texture.reads"])]
        written = [row for row in rows if int(row["dram.color.write_bytes"])]
        self.assertEqual([row["kind"] for row in sampled], ["texture"])
        self.assertEqual([row["kind"] for row in written], ["window"])
        self.assertEqual(int(written[0]["dram.color.write_bytes"]),
                         int(table(out, "frames")[1]["dram.color.write_bytes"]))

    def test_calls(self):
        """Replays have the numbers of the calls, that apitrace dump prints, and shaders' hashes."""
        trace = tbrsim.CAPTURES / "glmark2_shadow.trace"
        out = self.shared / "calls"
        self.fine("replay", "--attribute", "draw", "--out", out, trace)
        dump = tbrsim.execute("apitrace", "dump", "--color=never", "--calls=draw", trace, check=True).stdout
        calls = {line.split()[0] for line in dump.splitlines()}
        rows = [row for row in table(out, "draws") if row["draw"] and row["pass_frame"] == row["frame"]]
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertIn(row["call"], calls)
            self.assertRegex(row["fragment_shader"], "^[0-9a-f]{16}$")
        self.assertEqual(len({(row["frame"], row["call"]) for row in rows}), len(rows))

    def test_tables_of_a_run_before(self):
        recording = tbrsim.record(self.shared, "glmark2_buffer", "--no-model")
        out = self.shared / "again"
        for parts in ("pass,tile", "draw"):
            self.fine("sim", "--attribute", parts, "--out", out, recording)
        self.assertEqual({name for name in KEYS if (out / f"{name}.csv").exists()}, {"draws"})
        self.fine("sim", "--out", out, recording)
        self.assertEqual({name for name in KEYS if (out / f"{name}.csv").exists()}, set())

    def test_warm_up(self):
        """Frames that are not counted have passes before the first one."""
        recording = tbrsim.record(self.shared, "glmark2_ideas", "--no-model")
        out = self.shared / "warm"
        self.fine("sim", "--attribute", "pass", "--warm-up", "2", "--out", out, recording)
        frames = {row["pass_frame"] for row in table(out, "passes") if row["frame"] == "0"}
        self.assertLessEqual(frames, {"-2", "-1", "0"})
        self.assertIn("-1", frames)

    def test_wrong_part(self):
        done = tbrsim.run("sim", "--attribute", "pass,pixel", "none.tbr")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--attribute pixel: expected one of: pass, draw, texture, tile", done.stderr)


if __name__ == "__main__":
    tbrsim.main()
