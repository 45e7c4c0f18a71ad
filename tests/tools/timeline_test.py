# SPDX-License-Identifier: MIT
"""Timelines: the same live, of a program and of a replay, and from a recording; of the frames that were asked for, with
the cycles, times and bytes of the statistics, which they do not change; as far as a program came that is killed."""

import csv
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import perfetto, tbrsim  # noqa: E402

FILE = tbrsim.TIMELINE
TIMED = ["--timing", "on"]
CAPTURE = tbrsim.CAPTURES / "glmark2_shadow.trace"
ROUNDS = 1  # of the program that draws: two dozen frames each
# Tracks that have slices of tiles, and of draws.
TILES = ["Tile Fetcher", "Hidden Surface Removal", "Rasterizer and Early Z-Test", "Fragment Processors", "Blending Unit",
         "Tile flush"]
DRAWS = ["Vertex fetch", "Vertices on the Fragment Processors", "Primitive Assembly", "Hierarchical Z", "Rasterizer",
         "Early Z-Test", "Fragment Processors", "Blending Unit"]


def timeline(directory):
    return perfetto.Timeline(pathlib.Path(directory, FILE).read_bytes())


def rows(directory):
    with open(pathlib.Path(directory, "frames.csv"), newline="") as file:
        return list(csv.DictReader(file))


class Timelines(tbrsim.DisplayTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = cls.shared / "recording.tbr"
        tbrsim.run("run", "--no-model", "--record", cls.recording, "--", tbrsim.arguments.scenes, "window", 203, 117,
                   ROUNDS, check=True)

    def check(self, directory, first, last):
        """The frames' cycles, times and bytes are those of the statistics, whose first frame is 0."""
        found, counted = timeline(directory), rows(directory)
        frames = found.frames()
        self.assertEqual([frame.name for frame in frames], [f"frame {n}" for n in range(first, last + 1)])
        ends = [0]
        for row in counted:
            ends.append(ends[-1] + int(row["gpu.time"]))
        for n, frame in zip(range(first, last + 1), frames):
            row = counted[n]
            self.assertEqual((frame.begin, frame.end), (ends[n], ends[n + 1]))
            self.assertEqual((frame.notes["cycles"], frame.notes["passes"]),
                             (int(row["gpu.cycles"]), int(row["gpu.passes"])))
            for what in ("read", "write"):
                self.assertEqual(found.sum(f"DRAM {what} bandwidth", frame),
                                 int(row.get(f"dram.total.{what}_bytes", 0)), f"{what}s of {frame.name}")
        for name, slices in found.tracks.items():
            self.assertEqual(found.parents[name], "tbrsim DRAM" if name.startswith("channel ") else "tbrsim GPU")
            for before, after in zip(slices, slices[1:]):
                if before.depth == after.depth:
                    self.assertLessEqual(before.end, after.begin, name)
        self.assertEqual({found.units[f"DRAM {what} bandwidth"] for what in ("read", "write")}, {"B/s"})
        return found

    def slices(self, found, track, *names):
        """A track has slices, all of them with a name of these sorts and with their pass."""
        self.assertTrue(found.tracks[track], track)
        for piece in found.tracks[track]:
            self.assertIn(piece.name.split()[0], names)
            self.assertIn("pass", piece.notes)
        return found.tracks[track]

    def draw(self, out, *options, rounds=ROUNDS):
        """A program draws; its statistics, and its recording."""
        recording = out / "recording.tbr"
        self.fine("run", "--out", out, "--record", recording, *options, "--", tbrsim.arguments.scenes, "window", 203, 117,
                  rounds)
        return recording

    def same_offline(self, out, recording, *options):
        self.fine("sim", "--out", out / "sim", *options, recording)
        self.assertEqual(tbrsim.contents(out), tbrsim.contents(out / "sim"))

    def test_tiles(self):
        for mode in ("tbdr", "tbr"):
            with self.subTest(mode):
                out, options = self.directory / mode, [*TIMED, "--set", f"mode={mode}", "--timeline", "1-3"]
                self.same_offline(out, self.draw(out, *options), *options)
                # A process' folder has it, and a link leads there.
                self.assertEqual(os.readlink(out / FILE), f"render_scenes-1/{FILE}")
                self.check_tiles(self.check(out, 1, 3), rows(out)[1:4], mode)

    def check_tiles(self, found, counted, mode):
        tiles, passes, draws = (sum(int(row[name]) for row in counted)
                                for name in ("tiling_engine.tiles", "gpu.passes", "gpu.draws"))
        for track in TILES:
            if track == "Hidden Surface Removal" and mode == "tbr":
                self.assertNotIn(track, found.tracks)
            else:
                self.assertLessEqual(len(self.slices(found, track, "tile")), tiles)
        self.assertEqual(len(found.tracks["Tile flush"]), tiles)
        # What takes no time has no slice: a pass that only clears has no geometry.
        self.assertLessEqual(len(self.slices(found, "Geometry Pipeline", "pass")), passes)
        self.assertLessEqual(len(self.slices(found, "Vertex fetch", "draw")), draws)
        drawn = [piece for piece in found.tracks["Frames and passes"] if piece.depth]
        self.assertEqual((len(drawn), sum(piece.notes["draws"] for piece in drawn)), (passes, draws))
        self.assertIn("L2 misses per cycle", found.counters)
        self.assertIn("queue color", found.counters)

    def test_immediate(self):
        out, options = self.directory, [*TIMED, "--config", "imr-8m", "--timeline", "1-3"]
        self.same_offline(out, self.draw(out, *options), *options)
        found = self.check(out, 1, 3)
        for track in DRAWS:
            self.slices(found, track, "draw")
        self.slices(found, "Clears, resolves, write-backs", "clear", "resolve", "write")
        misses = sum(value * (end - begin) for begin, end, value in found.counters["LLC misses per cycle"])
        self.assertGreater(misses, 0)

    def test_replay(self):
        out, options = self.directory, [*TIMED, "--frames", "0-1", "--timeline", "1"]
        recording = out / "recording.tbr"
        text = self.fine("replay", "--out", out, "--record", recording, *options, CAPTURE)
        self.assertIn(f"timeline:   {out}/{FILE}\n", text)
        self.same_offline(out, recording, *options)
        self.check(out, 1, 1)

    def test_part_of_a_recording(self):
        """Frames have their numbers in the program, wherever the simulation begins; its time begins with it."""
        out = self.directory
        part = [*TIMED, "--frames", "2-5", "--timeline", "4-5"]
        self.draw(out, *part)
        frames = timeline(out).frames()
        self.assertEqual([frame.name for frame in frames], ["frame 4", "frame 5"])
        self.assertEqual([frame.notes["cycles"] for frame in frames], [int(row["gpu.cycles"]) for row in rows(out)[2:]])
        self.assertEqual(frames[0].begin, sum(int(row["gpu.time"]) for row in rows(out)[:2]))
        self.fine("sim", "--out", out / "part", *part, self.recording)
        self.assertEqual((out / "part" / FILE).read_bytes(), (out / FILE).read_bytes())
        # The first frames that are simulated may not be counted.
        self.fine("sim", "--out", out / "warm", *part, "--warm-up", "2", self.recording)
        self.assertEqual((out / "warm" / FILE).read_bytes(), (out / FILE).read_bytes())
        # Nor is it the first frame of the program that a recording begins with.
        self.fine("sim", "--out", out / "own", *TIMED, "--timeline", "4-5", out / "recording.tbr")
        self.assertEqual((out / "own" / FILE).read_bytes(), (out / FILE).read_bytes())
        self.refused(2, "--timeline 1: expected frames that are simulated and counted, of 2-5$", "sim", *TIMED,
                     "--timeline", "1", out / "recording.tbr")

    def test_several_configurations(self):
        """They have one each, and attribution changes none."""
        out, alone = self.directory / "both", self.directory / "alone"
        self.fine("sim", "--out", out, "--config", "tcor-64k", *TIMED, "--config", "imr-8m", *TIMED, "--attribute",
                  "pass,draw,tile", "--timeline", "1", self.recording)
        self.fine("sim", "--out", alone, "--config", "imr-8m", *TIMED, "--timeline", "1", self.recording)
        found = [path.parent for path in sorted(out.glob(f"*/{FILE}"))]
        self.assertEqual([path.name.split("-timing")[0] for path in found], ["imr-8m", "tcor-64k"])
        for path in found:
            self.check(path, 1, 1)
        self.assertEqual((found[0] / FILE).read_bytes(), (alone / FILE).read_bytes())

    def test_statistics_are_the_same(self):
        for config in ("tcor-64k", "imr-8m"):
            plain, with_it = self.directory / config / "plain", self.directory / config / "timeline"
            self.fine("sim", "--out", plain, "--config", config, *TIMED, self.recording)
            self.fine("sim", "--out", with_it, "--config", config, *TIMED, "--timeline", "0-2", self.recording)
            for name in tbrsim.STATISTICS:
                self.assertEqual((plain / name).read_bytes(), (with_it / name).read_bytes())
            # It does not outlive the run that it is of; what is not ours stays.
            self.assertTrue((with_it / FILE).exists())
            self.fine("sim", "--out", with_it, "--config", config, *TIMED, self.recording)
            self.assertFalse((with_it / FILE).exists())
            (with_it / FILE).write_text("another program's")
            self.fine("sim", "--out", with_it, "--config", config, *TIMED, self.recording)
            self.assertTrue((with_it / FILE).exists())

    def test_names(self):
        """Passes have the debug group that their draws share, draws their own, and passes the label of their target."""
        out = self.shared / "names"
        self.fine("run", "--out", out, *TIMED, "--timeline", "0-1", "--", tbrsim.arguments.names)
        found = self.check(out, 0, 1)
        draws = [piece.name for piece in found.tracks["Vertex fetch"]]
        self.assertTrue(any(name.endswith(": shadow pass/terrain") for name in draws), draws)
        self.assertTrue(any("target" in piece.notes for piece in found.tracks["Geometry Pipeline"]))
        passes = [piece.name for piece in found.tracks["Frames and passes"] if piece.depth]
        self.assertTrue(all(name.startswith("pass ") for name in passes))

    def test_killed(self):
        """Frames that ended are there, and whole."""
        out = self.directory
        process = tbrsim.start("run", "--out", out, *TIMED, "--timeline", "2-100000", "--", tbrsim.arguments.scenes,
                               "window", 203, 117, 100000, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        written, deadline = out / "frames.csv", time.monotonic() + tbrsim.LONG_WAIT
        while time.monotonic() < deadline and not (written.exists() and written.read_bytes().count(b"\n") > 12):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "render_scenes":
                os.kill(int(child), signal.SIGKILL)
        self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), -signal.SIGKILL)
        frames = len(timeline(out).frames())
        # It may have come between the files of a frame.
        self.assertIn(len(rows(out)) - 2 - frames, (0, 1))
        self.check(out, 2, frames + 1)

    def test_ends_before(self):
        """What is not there is said."""
        result = tbrsim.run("run", "--out", self.directory, *TIMED, "--timeline", "2-100000", "--", tbrsim.arguments.scenes,
                            "window", 203, 117, ROUNDS, check=True)
        frames = len(rows(self.directory)) - 2
        self.assertIn(f"{FILE} has {frames} of the frames 2-100000", result.stderr)
        self.check(self.directory, 2, frames + 1)

    def test_full_disk(self):
        """A frame that could not be written is not there in part, and the statistics continue."""
        out = self.directory / "full"
        sizes = self.directory / "whole"
        part = ["--frames", "0-9", "--timeline", "0-9"]
        self.fine("sim", "--out", sizes, *TIMED, *part, self.recording)
        limit = (sizes / FILE).stat().st_size * 3 // 4
        self.assertGreater(limit, (sizes / "stats.json").stat().st_size)
        result = tbrsim.run("sim", "--out", out, *TIMED, *part, self.recording,
                            preexec_fn=lambda: tbrsim.no_room(limit))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, f"{FILE}: File too large; the timeline is written no further than frame [1-9]")
        self.assertEqual((out / "frames.csv").read_bytes(), (sizes / "frames.csv").read_bytes())
        frames = len(timeline(out).frames())
        self.assertIn(frames, range(1, 10))
        self.check(out, 0, frames - 1)

    def test_environment(self):
        text = self.fine("env", "--out", self.directory, *TIMED, "--timeline", "3-4")
        self.assertIn("export TBRSIM_TIMELINE='3-4'\n", text)
        self.assertIn("unset TBRSIM_TIMELINE\n", self.fine("env"))
        result = tbrsim.execute("sh", "-c", f"eval '{text.replace(chr(39), chr(34))}'; \"$0\" window 203 117 1",
                                tbrsim.arguments.scenes, check=True)
        self.assertEqual(result.stderr, "")
        self.check(self.directory, 3, 4)

    def test_without_statistics(self):
        """There is no timeline where there are none, and a message says so."""
        result = tbrsim.execute("sh", "-c", f"eval '{self.fine('env', *TIMED).replace(chr(39), chr(34))}'; "
                                "TBRSIM_TIMELINE=1 \"$0\" window 203 117 1", tbrsim.arguments.scenes, check=True)
        self.assertRegex(result.stderr, "TBRSIM_TIMELINE=1: there are no statistics for it to be next to")

    def test_refused(self):
        recording = self.recording
        last = len(tbrsim.simulate(recording)["frames"]) - 1
        self.refused(2, "--timeline 4-2: expected A-B with A <= B, or A, frames counting from 0$", "sim", "--timeline",
                     "4-2", recording)
        self.refused(2, "--timeline -1: expected A-B", "run", "--timeline=-1", "--", "true")
        for words in (("sim", recording), ("replay", CAPTURE), ("run", "--", "true"), ("env", "--out", "x")):
            self.refused(2, "--timeline 1: .* has no timing, expected --timing on$", words[0], "--timing", "off",
                         "--timeline", "1", *words[1:])
        self.refused(2, f"--timeline 1-{last + 1}: expected frames that are simulated and counted, of 0-{last}$", "sim",
                     *TIMED, "--timeline", f"1-{last + 1}", recording)
        self.refused(2, "--timeline 1: expected frames that are simulated and counted, of 2-", "sim", *TIMED,
                     "--warm-up", "2", "--timeline", "1", recording)
        self.refused(2, "--timeline 1: expected frames that are simulated, of 2-3$", "run", *TIMED, "--frames", "2-3",
                     "--timeline", "1", "--", "true")
        self.refused(2, "--timeline 1: there are no statistics .*, expected --out DIR$", "env", *TIMED, "--timeline", "1")
        self.refused(2, "--timeline 1: there are no statistics .*, expected no --no-model$", "run", *TIMED, "--no-model",
                     "--timeline", "1", "--", "true")
        self.refused(2, "--timeline 1: there are no statistics .*, expected --driver tbrsim$", "run", *TIMED, "--driver",
                     "llvmpipe", "--timeline", "1", "--", "true")


if __name__ == "__main__":
    tbrsim.main("scenes", "names")
