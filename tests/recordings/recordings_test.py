# SPDX-License-Identifier: MIT
"""Recordings: what is recorded, tbrsim sim, info and export, and what they say to bad input."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

TRACE = tbrsim.CAPTURES / "glmark2_ideas.trace"
SHORT_TRACE = tbrsim.CAPTURES / "glmark2_function.trace"


class RecordingTest(tbrsim.DisplayTestCase):
    """Each group has one recording, made for its first test."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = tbrsim.record(cls.shared, "glmark2_ideas")
        cls.live = cls.shared / "live"

    def setUp(self):
        super().setUp()
        self.out = self.directory


class Recording(RecordingTest):
    def test_statistics_are_those_without(self):
        self.fine("replay", "--out", self.out, TRACE)
        self.assertEqual(tbrsim.contents(self.out), tbrsim.contents(self.live))

    def test_same_file_every_time(self):
        for number, options in enumerate(([], ["--no-model"], ["--snapshots", self.out / "images"])):
            path = self.out / f"{number}.tbr"
            self.fine("replay", "--record", path, "--out", self.out / "out", *options, TRACE)
            self.assertEqual(path.read_bytes(), self.recording.read_bytes(), options)

    def test_same_events_with_any_number_of_threads(self):
        path = self.out / "threads.tbr"
        for threads in (1, 3):
            self.fine("replay", "--no-model", "--record", path, "--set", f"threads={threads}", "--out", self.out, TRACE)
            self.fine("sim", "--config", "tcor-baseline-64k", "--out", self.out / "sim", path)
            self.assertEqual(tbrsim.contents(self.out / "sim"), tbrsim.contents(self.live))

    def test_frames(self):
        path = self.out / "frames.tbr"
        self.fine("replay", "--frames", "2-4", "--record", path, "--out", self.out / "live", TRACE)
        self.fine("sim", "--out", self.out / "sim", path)
        self.assertEqual(tbrsim.contents(self.out / "sim"), tbrsim.contents(self.out / "live"))
        numbers = [frame["number"] for frame in json.loads(self.fine("info", "--json", path))["frames"]]
        self.assertEqual(numbers, [2, 3, 4])
        # The same frames of a recording of all.
        self.fine("sim", "--frames", "2-4", "--out", self.out / "part", self.recording)
        self.assertEqual(tbrsim.contents(self.out / "part"), tbrsim.contents(self.out / "live"))

    def test_frames_apart(self):
        path = self.out / "apart.tbr"
        self.fine("replay", "--frames", "0,2-3,5", "--record", path, "--out", self.out / "live", "--snapshots",
                  self.out / "images", TRACE)
        self.fine("sim", "--out", self.out / "sim", path)
        self.assertEqual(tbrsim.contents(self.out / "sim"), tbrsim.contents(self.out / "live"))
        numbers = [frame["number"] for frame in json.loads(self.fine("info", "--json", path))["frames"]]
        self.assertEqual(numbers, [0, 2, 3, 5])
        self.assertEqual(sorted(image.name for image in (self.out / "images").iterdir()),
                         [f"frame-{number:04}.png" for number in numbers])
        # What does not depend on caches is what these frames have in a recording of all.
        frames, whole = tbrsim.frames(self.out / "live"), tbrsim.frames(self.live)
        for name in ("vertex_stage.vertices", "tiling_engine.pmds", "fragment_stage.fragments",
                     "fragment_stage.footprints", "dram.color.write_bytes"):
            self.assertEqual([frame[name] for frame in frames], [whole[number][name] for number in numbers])
        for frames, message in (("3,2", "3,2: expected A-B"), ("0,99", "the frames 0-")):
            self.refused(2, message, "replay", "--frames", frames, "--out", self.out / "none", TRACE)
        self.refused(2, "follow one another, not 0,2$", "replay", "--frames", "0,2", "--timing", "on", "--timeline", "0",
                     "--out", self.out / "none", TRACE)

    def test_selected_frames(self):
        """A recording of the selected frames alone is estimated from as that of all is."""
        selection, path = self.out / "selection.json", self.out / "selected.tbr"
        self.fine("select", "--budget", "4", "--error", "0", "--out", selection, self.recording)
        self.fine("replay", "--selected", selection, "--no-model", "--record", path, "--out", self.out, TRACE)
        recorded = json.loads(self.fine("info", "--json", path))["frames"]
        whole = json.loads(self.fine("info", "--json", self.recording))["frames"]
        self.assertLess(len(recorded), len(whole))
        estimates = []
        for out, recording in (("part", path), ("whole", self.recording)):
            self.fine("sim", "--selected", selection, "--out", self.out / out, recording)
            estimates.append(json.loads((self.out / out / "estimate.json").read_text())["counters"])
        self.assertEqual(estimates[0], estimates[1])
        self.refused(2, "not with --frames$", "replay", "--selected", selection, "--frames", "1", "--out", self.out, TRACE)

    def test_run(self):
        path = self.out / "run.tbr"
        result = tbrsim.run("run", "--record", path, "--out", self.out / "live", "--", "glmark2-es2", "-b",
                            "build:nframes=5:duration=1000", "--size", "200x150")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.fine("sim", "--out", self.out / "sim", path)
        self.assertEqual(tbrsim.contents(self.out / "sim"), tbrsim.contents(self.out / "live"))
        # A program's status is passed on; one that draws nothing leaves nothing.
        result = tbrsim.run("run", "--record", path, "--out", self.out, "--", "sh", "-c", "exit 7")
        self.assertEqual(result.returncode, 7)
        self.refused(1, "run.tbr: nothing was recorded$", "run", "--record", path, "--out", self.out, "--", "true")

    def test_full_disk(self):
        path = self.out / "full.tbr"
        limited = self.recording.stat().st_size // 2
        # The program continues: all statistics are there.
        self.refused(1, "full.tbr: File too large; the recording ends after [1-9]", "replay", "--record", path,
                     "--out", self.out / "live", TRACE, preexec_fn=lambda: tbrsim.no_room(limited))
        self.assertEqual(tbrsim.contents(self.out / "live"), tbrsim.contents(self.live))
        result = self.refused(1, "full.tbr: offset .*; [1-9][0-9]* complete frames precede it$", "sim", "--out",
                              self.out / "sim", path)
        whole = int(re.search(r"; (\d+) complete", result.stderr)[1])
        self.assertEqual(tbrsim.frames(self.out / "sim"), tbrsim.frames(self.live)[:whole])

    def test_killed(self):
        path = self.out / "killed.tbr"
        script = 'echo $$; exec glmark2-es2 -b build:duration=60 --size 200x150'
        # With an X server of its own the command continues, and has a status.
        process = tbrsim.start("run", "--record", path, "--out", self.out, "--", "sh", "-c", script, text=True,
                               variables={"DISPLAY": ""}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        program = int(process.stdout.readline())
        while not path.exists() or path.stat().st_size < 100000:
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        os.kill(program, signal.SIGKILL)
        self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), 128 + signal.SIGKILL)
        result = self.refused(1, "killed.tbr: offset .*; [1-9][0-9]* complete frames precede it$", "sim", "--out",
                              self.out / "sim", path)
        whole = int(re.search(r"; (\d+) complete", result.stderr)[1])
        self.assertEqual(len(tbrsim.frames(self.out / "sim")), whole)

    def test_info(self):
        info = json.loads(self.fine("info", "--json", self.recording))
        # With hidden fragments: of mode tbr.
        counters = tbrsim.simulate(self.recording, "--set", "mode=tbr")["total"]
        for count, counter in (("passes", "gpu.passes"), ("draws", "gpu.draws"),
                               ("primitives", "tiling_engine.primitives"), ("pmds", "tiling_engine.pmds"),
                               ("attributes", "tiling_engine.attributes"), ("tiles", "tiling_engine.tiles"),
                               ("quads", "fragment_stage.quads"), ("fragments", "fragment_stage.fragments"),
                               ("footprints", "fragment_stage.footprints")):
            self.assertEqual(info["total"][count], counters[counter], count)
            self.assertEqual(sum(frame[count] for frame in info["frames"]), counters[counter], count)
        self.assertEqual(info["provenance"]["preset"], "tcor-baseline-64k")
        self.assertEqual(info["provenance"]["configuration"]["tile"]["size"], 32)
        stored = sum(section["stored_bytes"] for section in info["sections"].values())
        self.assertEqual(stored + 32 + 20, self.recording.stat().st_size)
        self.assertGreater(info["textures"]["bytes"], 0)
        text = self.fine("info", self.recording)
        self.assertRegex(text, r"(?m)^preset: tcor-baseline-64k$")
        self.assertRegex(text, r"(?m)^tiles +[1-9]\d* +[1-9]\S* .*[1-9]\S* [KM]?i?B$")


class Simulation(RecordingTest):
    def test_jobs(self):
        for jobs in (1, 2, 5):
            self.fine("sim", "--jobs", jobs, "--out", self.out / str(jobs), "--config", "boustro-fo", "--config",
                      "boustro-ro", self.recording)
            for name in ("boustro-fo", "boustro-ro"):
                self.assertEqual(tbrsim.contents(self.out / str(jobs) / name), tbrsim.contents(self.out / "1" / name))

    def test_threads_without_effect(self):
        """A message says so, for each such configuration once, and why."""
        done = tbrsim.run("sim", "--model-threads", 2, "--out", self.out, "--config", "boustro-fo", "--config",
                          "tcor-64k,timing=on", "--config", "boustro-fo,attribution.pass=on", self.recording, check=True)
        lines = [line for line in done.stderr.splitlines() if "--model-threads" in line]
        self.assertEqual(sorted(lines), [
            "tbrsim: boustro-fo,attribution.pass=on: --model-threads 2 has no effect: counts are attributed (attribution.*)"])
        self.fine("sim", "--jobs", 8, "--timing", "on", "--out", self.out, self.recording)  # threads that nobody asked for

    def test_threads_of_timing(self):
        """Frames are timed by any number of threads, with the same files."""
        options = "--timing", "on", "--timeline", "1", "--config"
        for preset in ("tcor-64k", "nuca-dtm", "tcor-64k,attribution.pass=on"):
            for threads in (1, 2, 3, 4, 8):
                tbrsim.run("sim", "--model-threads", threads, "--out", self.out / str(threads), *options, preset,
                           self.recording, check=True)
                self.assertEqual(tbrsim.contents(self.out / str(threads)), tbrsim.contents(self.out / "1"), preset)

    def test_threads_by_processors(self):
        """One configuration has a thread on one processor and several on more, and the same statistics."""
        for jobs in (1, 2, 8):
            times = self.directory / f"{jobs}.csv"
            self.fine("sim", "--jobs", jobs, "--out", self.out / str(jobs), "--work-times", times, "--config", "tcor-64k",
                      self.recording)
            parts = [line.split(",")[1] for line in times.read_text().splitlines()[1:]]
            divided = [] if jobs == 1 else ["shared side", "texture caches", "shading"]
            self.assertEqual(parts, ["reading", "decoding", "main thread", *divided])
            self.assertEqual(tbrsim.contents(self.out / "1"), tbrsim.contents(self.out / str(jobs)))

    def test_settings_belong_to_their_configuration(self):
        text = self.fine("sim", "--out", self.out, "--set", "caches.l2.ways=16", "--config", "boustro-fo", "--set",
                         "caches.l2.size=262144", "--config", "boustro-fo", self.recording)
        names = ("boustro-fo,caches.l2.ways=16,caches.l2.size=262144", "boustro-fo,caches.l2.ways=16")
        first, second = ("boustro-fo-l2.ways-16-l2.size-262144", "boustro-fo-l2.ways-16")
        for number, (name, directory) in enumerate(zip(names, (first, second)), start=1):
            self.assertIn(f"[{number}] {name}: ", text)
            self.assertEqual(self.index()[directory]["configuration"], name)
        for name, size in ((first, 262144), (second, 1048576)):
            cache = tbrsim.configuration(self.out / name)["caches"]["l2"]
            self.assertEqual((cache["size"], cache["ways"]), (size, 16))
        row = re.search(r"(?m)^l2\.total\.misses +(\d+) +(\d+) +([-+][\d.]+) %$", text)
        self.assertEqual([int(row[1]), int(row[2])], [tbrsim.total(self.out / name)["l2.total.misses"]
                                                      for name in (first, second)])
        self.assertAlmostEqual(float(row[3]), 100 * (int(row[2]) / int(row[1]) - 1), delta=0.006)

    def index(self):
        """What is in which directory."""
        entries = json.loads((self.out / "index.json").read_text())["simulations"]
        directories = {entry["directory"]: entry for entry in entries}
        self.assertEqual(len(directories), len(entries))
        return directories

    def timed(self):
        """Configurations and whether they have timing, as the index and the statistics say."""
        result = {}
        for directory, entry in self.index().items():
            result[entry["configuration"]] = tbrsim.configuration(self.out / directory).get("timing", "off")
        return result

    def test_options_behind_the_file(self):
        self.fine("sim", self.recording, "--timing", "on", "--set", "caches.l2.ways=16", "--out", self.out)
        configuration = tbrsim.configuration(self.out)
        self.assertEqual((configuration["timing"], configuration["caches"]["l2"]["ways"]), ("on", 16))
        for arguments in (["info", self.recording, "--json"], ["configs", "boustro-fo", "--set", "caches.l2.ways=16"],
                          ["export", self.recording, "--format", "din", "--frames", "0-0", "--point", "l2"],
                          ["analyze", self.recording, "--json"], ["energy", self.out, "--json", "--config", "nuca-dtm"],
                          ["sweep", self.recording, "--stream", "texture", "--size", "4K", "--ways", "4", "--policy", "lru"],
                          ["llc", self.recording, "--unit", "l2", "--policies", "lru"]):
            self.fine(*arguments)
        # After "--", there are only files.
        self.refused(2, "more than one recording", "sim", "--", self.recording, "--timing")

    def test_settings_for_all(self):
        timing = ["--timing", "on"]
        one, other = ["--config", "boustro-fo"], ["--config", "tcor-64k"]
        for arguments, expected in (
                ([*timing, *one, *other, self.recording], {"boustro-fo,timing=on": "on", "tcor-64k,timing=on": "on"}),
                ([*one, *other, self.recording, *timing], {"boustro-fo,timing=on": "on", "tcor-64k,timing=on": "on"}),
                ([*one, *timing, *other, self.recording], {"boustro-fo,timing=on": "on", "tcor-64k": "off"}),
                ([*one, *timing, *other, *timing, self.recording],
                 {"boustro-fo,timing=on": "on", "tcor-64k,timing=on": "on"}),
                ([*one, "--config", "tcor-64k,timing=on", self.recording],
                 {"boustro-fo": "off", "tcor-64k,timing=on": "on"}),
                # For all, the two would be the same.
                ([*other, *other, *timing, self.recording], {"tcor-64k": "off", "tcor-64k,timing=on": "on"})):
            self.out = self.out / "next"
            self.fine("sim", "--frames", "0-0", "--out", self.out, *arguments)
            self.assertEqual(self.timed(), expected, arguments)
        for arguments in ([*one, *other, *timing, self.recording], [self.recording, *one, *other, *timing]):
            self.refused(2, "timing=on after --config tcor-64k: for all .* before the first --config; for this one: "
                         "--config tcor-64k,timing=on$", "sim", *arguments)

    def check_table(self, text, totals):
        """The table of several runs is in parts that fit 100 columns; all runs are there, with their counts."""
        parts, seen = text.rstrip("\n").split("\n\n")[1:], []
        self.assertGreater(len(parts), 1)
        for part in parts:
            self.assertLessEqual(max(map(len, part.splitlines())), 100)
            titles, *rows = [re.split(" {2,}", line) for line in part.splitlines()]
            self.assertEqual((titles[0], len(rows) > 9), ("counter", True))
            for column, title in enumerate(titles[1:], 1):
                run, what = re.fullmatch(r"\[(\d)\] (total|change)", title).groups()
                seen.append((int(run), what))
                for row in rows:
                    count, first = (totals[number].get(row[0], 0) for number in (int(run) - 1, 0))
                    if what == "total":
                        self.assertEqual(int(row[column].replace("-", "0")), count, f"{row[0]}, {title}")
                    elif first and row[column] != "-":
                        self.assertAlmostEqual(float(row[column].removesuffix(" %")), 100 * (count / first - 1), delta=0.006)
        self.assertEqual(seen, [(run, what) for run in range(1, len(totals) + 1) for what in ("total", "change")[:1 + (run > 1)]])

    def test_vary(self):
        text = self.fine("sim", "--frames", "0-0", "--out", self.out, "--config", "boustro-fo", "--config", "boustro-ro",
                         "--vary", "caches.l2.ways=4,8", "--vary", "l2.policy=lru,opt", self.recording)
        index = self.index()
        self.assertEqual(list(index), [f"boustro-{order}-l2.ways-{ways}-l2.policy-{policy}" for order in ("fo", "ro")
                                       for ways in (4, 8) for policy in ("lru", "opt")])
        self.assertIn("[8] boustro-ro,caches.l2.ways=8,l2.policy=opt: ", text)
        for directory, entry in index.items():
            l2 = tbrsim.configuration(self.out / directory)["caches"]["l2"]
            self.assertEqual({"caches.l2.ways": str(l2["ways"]), "l2.policy": l2["policy"]}, entry["settings"])
        self.check_table(text, [tbrsim.total(self.out / directory) for directory in index])
        # A range is its powers of two, in the unit that the key takes.
        for number, (range_, values) in enumerate((("l2.size=512K..2M,3M", ["512K", "1M", "2M", "3M"]), ("l2.ways=4..16", ["4", "8", "16"]),
                                                   ("clock_mhz=600MHz..1.2GHz", ["600MHz", "1200MHz"]))):
            self.out = self.path(f"range-{number}")
            self.fine("sim", "--frames", "0-0", "--out", self.out, "--vary", range_, self.recording)
            self.assertEqual([value for entry in self.index().values() for value in entry["settings"].values()], values)
        for range_ in ("256K..3M", "4M..256K", "0..8"):
            self.refused(2, f"--vary {range_}: expected A..B, B being A, 2 A, 4 A or so on", "sim", "--vary", f"l2.size={range_}",
                         self.recording)
        self.refused(2, "wrong value '..', expected a whole number", "sim", "--vary", "l2.size=..", self.recording)
        self.refused(2, "--vary l2.ways: expected KEY=VALUE,VALUE", "sim", "--vary", "l2.ways", self.recording)
        self.refused(2, "l2.ways is varied twice", "sim", "--vary", "l2.ways=4", "--vary", "l2.ways=8", self.recording)

    def test_formats(self):
        """The sums of all counters, as the statistics have them, for other programs."""
        options = ("--out", self.out, "--config", "boustro-fo", "--config", "tcor-64k,timing=on", "--vary", "l2.ways=4,8",
                   self.recording)
        simulations = json.loads(self.fine("sim", "--format", "json", *options))["simulations"]
        rows = list(csv.DictReader(io.StringIO(self.fine("sim", "--csv", *options))))
        self.assertEqual(len(simulations), 4)
        for simulation, row in zip(simulations, rows, strict=True):
            totals = tbrsim.total(pathlib.Path(simulation["statistics"]))
            for name, value in simulation["counters"].items():
                self.assertEqual(totals.get(name, 0), value)
                self.assertEqual(row[name], str(value))
            # A rate is no sum.
            self.assertLessEqual({name for name, value in totals.items() if value} - simulation["counters"].keys(), {"fps"})
            self.assertEqual(simulation["settings"]["l2.ways"], row["l2.ways"])
            self.assertEqual(row["timing"], simulation["settings"].get("timing", ""))
            self.assertEqual((row["configuration"], row["frames"]),
                             (simulation["configuration"], str(simulation["frames"])))
        self.assertEqual([row["l2.ways"] for row in rows], ["4", "8", "4", "8"])
        self.refused(2, "--format xml: expected one of: table, csv, json", "sim", "--format", "xml", self.recording)

    def test_warm_up(self):
        """Frames that are not counted fill the caches: the others are what they are in a run of all."""
        self.fine("sim", "--frames", "0-3", "--set", "caches.l2.policy=opt", "--out", self.out / "all", self.recording)
        self.fine("sim", "--frames", "0-3", "--set", "caches.l2.policy=opt", "--warm-up", "2", "--out", self.out / "warm",
                  self.recording)
        frames = {name: tbrsim.frames(self.out / name) for name in ("all", "warm")}
        self.assertEqual([{name: value for name, value in frame.items() if value} for frame in frames["warm"]],
                         [{name: value for name, value in frame.items() if value} for frame in frames["all"][2:]])
        self.assertEqual(tbrsim.statistics_files.load(self.out / "warm")["run"]["warm_up"], "2")
        self.refused(2, "--warm-up 4 leaves no frame of 4 to count", "sim", "--frames", "0-3", "--warm-up", "4",
                     self.recording)

    def test_what_made_them(self):
        """Statistics name the commit that rendered, that which simulated, and the recording; else a live run's are the
        same."""
        recording = tbrsim.record(self.out, "glmark2_shadow", "--frames", "0-1", name="made")
        live = tbrsim.statistics_files.load(self.out / "live")["run"]
        commit, = re.findall("^commit (.*)$", self.fine("--version"), re.MULTILINE)
        self.assertEqual((live["schema"], live["commit"], live["simulator"]), (1, commit, commit))
        self.assertNotIn("recording", live)
        self.fine("sim", "--out", self.out / "made", recording)
        simulated = tbrsim.statistics_files.load(self.out / "made")["run"]
        fingerprint = json.loads(self.fine("info", "--json", recording))["fingerprint"]
        self.assertRegex(fingerprint, "^[0-9a-f]{16}$")
        self.assertEqual(simulated, live | {"recording": fingerprint})
        expected = {name: simulated[name] for name in ("schema", "tbrsim", "simulator", "recording")}
        for words in (("sweep", "--unit", "l2", "--size", "64K", "--ways", "4", "--policy", "lru"), ("llc", "--policy", "lru"),
                      ("analyze",), ("advise",), ("sim", "--out", self.out / "made")):
            results = json.loads(self.fine(*words, "--json", recording))
            self.assertEqual(results.get("recordings", [results])[0]["run"], expected, words)
        renamed = self.out / "renamed.tbr"
        recording.rename(renamed)
        self.assertIn(fingerprint, self.fine("info", renamed))
        self.assertNotIn(fingerprint, self.fine("info", self.recording))

    def test_directories(self):
        """Plain names; the index of what was simulated before is kept."""
        preset = self.out / "my GPU.yaml"
        preset.write_text(self.fine("configs", "boustro-fo", "--help") and
                          (pathlib.Path(re.search(r"TBRSIM_CONFIG_DIR='(.*)'", self.fine("env"))[1]) /
                           "boustro-fo.yaml").read_text())
        settings = [f"pipeline.{key}=2" for key in ("vertex_mshrs", "tile_mshrs", "texture_mshrs", "instruction_mshrs")]
        long = ",".join(["boustro-fo", *settings])
        for configurations in (["boustro-fo", preset], ["boustro-ro", long], ["boustro-ro", long]):
            self.fine("sim", "--frames", "0-0", "--out", self.out,
                      *[word for one in configurations for word in ("--config", one)], self.recording)
        index = self.index()
        self.assertEqual({entry["configuration"] for entry in index.values()},
                         {"boustro-fo", "my GPU", "boustro-ro", long})
        for directory in index:
            self.assertRegex(directory, r"^[A-Za-z0-9._-]{1,80}$")
            self.assertTrue((self.out / directory / "stats.json").exists())

    def test_optimal_policies(self):
        names = {}
        for policy in ("lru", "srrip", "opt", "optpt"):
            names[policy] = f"boustro-fo-l2.policy-{policy}"
        self.fine("sim", "--out", self.out, *[argument for policy in names
                                              for argument in ("--config", "boustro-fo", "--set",
                                                               f"caches.l2.policy={policy}")], self.recording)
        totals = {policy: tbrsim.total(self.out / name) for policy, name in names.items()}
        misses = {policy: counters["l2.total.misses"] + counters["l2.total.bypasses"]
                  for policy, counters in totals.items()}
        self.assertLessEqual(misses["optpt"], misses["opt"])
        self.assertLess(misses["opt"], misses["lru"])
        self.assertLess(misses["opt"], misses["srrip"])

    def test_refused(self):
        # What decides what is rendered, or which passes there are.
        self.refused(2, "tile.size: the recording was made with 32 and cannot be simulated with 16; one made with "
                     "--set tile.size=16 can$", "sim", "--set", "tile.size=16", self.recording)
        visible = tbrsim.record(self.out, "glmark2_ideas", "--no-model", "--record-visible", name="visible")
        self.refused(2, "mode: the recording was made with tbdr and cannot be simulated with tbr; one made without "
                     "--record-visible can$", "sim", "--set", "mode=tbr", visible)
        self.assertLess(visible.stat().st_size, self.recording.stat().st_size)
        self.refused(2, "parameter_buffer.attribute_blocks: the recording was made with 2097152, which divides "
                     "other passes than 64$", "sim", "--set", "parameter_buffer.attribute_blocks=64", self.recording)
        most = json.loads(self.fine("info", "--json", self.recording))["total"]["most_attribute_blocks"]
        self.fine("sim", "--out", self.out, "--set", f"parameter_buffer.attribute_blocks={most}", self.recording)
        self.refused(2, "attribute_blocks", "sim", "--set", f"parameter_buffer.attribute_blocks={most - 1}",
                     self.recording)

    def test_divided_passes(self):
        """Recorded with passes in parts, for which only the same number of blocks can be simulated."""
        path = self.out / "parts.tbr"
        setting = "parameter_buffer.attribute_blocks=2000"
        self.fine("replay", "--set", setting, "--record", path, "--out", self.out / "live", TRACE)
        self.fine("sim", "--out", self.out / "sim", "--config", "tcor-baseline-64k", "--set", setting, path)
        self.assertEqual(tbrsim.contents(self.out / "sim"), tbrsim.contents(self.out / "live"))
        self.refused(2, "was made with 2000, which divides other passes than 2097152$", "sim", "--config",
                     "tcor-baseline-64k", path)


class Export(RecordingTest):
    def first_frame(self):
        """The counters of the first frame."""
        return tbrsim.frames(self.live)[0]

    def export(self, kind, point, *options):
        path = self.out / "accesses"
        self.fine("export", "--format", kind, "--point", point, "-o", path, *options, self.recording)
        return path

    def test_cache(self):
        """Our cache over what arrives at the L2 counts what the L2 did."""
        counters = tbrsim.total(self.live)
        self.assertEqual(counters["l2.total.invalidations"], 0)
        for kind in ("din", "oraclegeneral"):
            path = self.export(kind, "l2")
            result = json.loads(self.fine("cache", "--size", "1M", "--ways", "8", "--json", "--format", kind, path))
            self.assertEqual(result["accesses"], counters["l2.total.reads"] + counters["l2.total.writes"])
            self.assertEqual((result["hits"], result["misses"]),
                             (counters["l2.total.hits"], counters["l2.total.misses"]))
            if kind == "din":
                self.assertEqual(result["writebacks"], counters["l2.total.writebacks"])

    def test_streams(self):
        """With streams and invalidations, a cache of any policy is the L2 itself."""
        recording, path = self.out / "desktop.tbr", self.out / "accesses"
        self.fine("replay", "--no-model", "--record", recording, "--out", self.out / "replay",
                  TRACE.parent / "glmark2_desktop.trace")
        # Render targets that go to memory past the cache, which has them as textures.
        self.fine("export", "--format", "streams", "--unit", "l2", "--set", "streams.color=dram", "--out", path, recording)
        for policy in ("lru", "opt", "gspc"):
            self.fine("sim", "--set", "streams.color=dram", "--set", "caches.l2.size=4194304", "--set", f"caches.l2.policy={policy}", "--out", self.out,
                      recording)
            counters = tbrsim.total(self.out)
            self.assertGreater(counters["l2.total.invalidations"], 0)
            result = json.loads(self.fine("cache", "--size", "4M", "--ways", "8", "--json", "--policy", policy, path))
            for stream, counts in {"total": result, **result["streams"]}.items():
                self.assertEqual(counts["accesses"], counters[f"l2.{stream}.reads"] + counters[f"l2.{stream}.writes"])
                for event in ("hits", "misses", "writebacks"):
                    self.assertEqual(counts[event], counters[f"l2.{stream}.{event}"], (policy, stream, event))
            self.assertGreater(len(result["streams"]), 3)
        self.assertIn("\ntexture\n", self.fine("cache", "--size", "1M", "--ways", "8", path))
        self.refused(2, "--stream texture: the trace has the streams", "cache", "--size", "1M", "--ways", "8", "--stream",
                     "texture", path)

    def test_memory(self):
        counters = self.first_frame()
        lines = self.export("dramsim3", "dram", "--frames", "0-0").read_text().splitlines()
        for number, line in enumerate(lines):
            if not re.fullmatch(rf"0x[0-9A-F]+ (READ|WRITE) {number}", line):
                self.fail(line)
        self.assertEqual(sum(" READ " in line for line in lines), counters["dram.total.reads"])
        self.assertEqual(sum(" WRITE " in line for line in lines), counters["dram.total.writes"])

    def test_every_cache(self):
        counters = self.first_frame()
        for unit in ("vertex_cache", "tile_cache", "texture_cache", "instruction_cache"):
            lines = self.export("din", unit, "--frames", "0-0").read_text().splitlines()
            self.assertEqual(sum(line.startswith("0 ") for line in lines), counters[f"{unit}.total.reads"])
            self.assertEqual(sum(line.startswith("1 ") for line in lines), counters[f"{unit}.total.writes"])

    def test_next_accesses(self):
        data = self.export("oraclegeneral", "l2", "--frames", "1-1").read_bytes()
        accesses = list(struct.iter_unpack("<IQIq", data))
        self.assertEqual([access[0] for access in accesses], list(range(len(accesses))))
        last = {}
        for number, (_, address, size, following) in reversed(list(enumerate(accesses))):
            self.assertEqual(following, last.get(address, -1))
            self.assertEqual((size, address % 64), (64, 0))
            last[address] = number

    def test_standard_output(self):
        data = self.fine("export", "--format", "din", "--point", "l2", self.recording)
        self.assertEqual(data, self.export("din", "l2").read_text())

    def test_refused(self):
        self.refused(2, "--format xml: expected one of: din, ", "export", "--format", "xml", self.recording)
        self.refused(2, "--unit moon: expected", "export", "--point", "moon", self.recording)
        self.refused(2, "--unit is missing", "export", "--format", "din", self.recording)
        for words in (["din", "--unit", "l2", "--table", "quads"], ["events"]):
            self.refused(2, "--format events and --table go together", "export", "--format", *words, self.recording)
        events = ["export", "--format", "events", "--table", "quads", self.recording]
        self.refused(2, "--unit: events are of no unit", *events, "--unit", "l2")
        for words in (["--config", "tcor-64k"], ["--set", "clock_mhz=500"], ["--timing", "on"]):
            self.refused(2, "events are not simulated", *events, *words)
        self.refused(1, "/dev/full: cannot be written to", *events, "--out", "/dev/full")
        self.refused(1, "/dev/full: cannot be written to: No space left on device$", "export", "--format", "din", "--point", "l2", "-o",
                     "/dev/full", self.recording)


class BadInput(RecordingTest):
    def test_usage(self):
        for command in ("sim", "info", "export"):
            self.assertTrue(self.fine(command, "--help").startswith(f"usage: tbrsim {command}"))
            self.refused(2, "unknown option '--fly'", command, "--fly")
        self.refused(2, "no recording", "sim")
        self.refused(2, "no recording", "info")
        self.refused(2, "more than one recording", "sim", self.recording, self.recording)
        self.refused(2, "--jobs 0", "sim", "--jobs", "0", self.recording)
        self.refused(2, "two configurations are the same: boustro-fo$", "sim", "--config", "boustro-fo", "--config",
                     "boustro-fo", self.recording)
        self.refused(2, "--frames 3-900: .*has the frames 0-", "sim", "--frames", "3-900", self.recording)
        self.refused(1, "record: cannot be written to|cannot be written to", "replay", "--record", "/nowhere/x.tbr",
                     "--out", self.out, SHORT_TRACE)
        self.refused(1, "not a regular file", "replay", "--record", "/dev/full", "--out", self.out, SHORT_TRACE)

    def test_files(self):
        data = self.recording.read_bytes()
        path = self.out / "bad.tbr"
        for content, pattern in ((b"", "bad.tbr: offset 0: the file is empty"),
                                 (b"no recording at all, but text", "bad.tbr: offset 0: not a recording"),
                                 (data[:20], "bad.tbr: offset 20: the file is truncated"),
                                 (data[:8] + b"\xff" + data[9:], "offset 8: a recording of version 255, expected"),
                                 (data[:40] + b"\xff" * 16 + data[56:], "offset 32: the header of a chunk is corrupt"),
                                 (data[:70] + b"\xff" * 16 + data[86:], "offset 32: a chunk is corrupt")):
            path.write_bytes(content)
            for command in (["sim", "--out", self.out], ["info"], ["export", "--format", "din", "--point", "l2"]):
                self.refused(1, pattern, *command, path)
        self.refused(1, "No such file or directory", "info", self.out / "nothing.tbr")

    def test_truncated(self):
        """What comes before is simulated as if nothing had happened, and the status tells."""
        data = self.recording.read_bytes()
        path = self.out / "cut.tbr"
        for size in (len(data) * 2 // 3, len(data) - 1):
            path.write_bytes(data[:size])
            result = self.refused(1, "cut.tbr: offset .*; [1-9][0-9]* complete frames precede it$", "sim", "--out",
                                  self.out, path)
            whole = int(re.search(r"; (\d+) complete", result.stderr)[1])
            self.assertEqual(tbrsim.frames(self.out), tbrsim.frames(self.live)[:whole])
            self.assertTrue(result.stdout.startswith(f"{whole} frames on "))

    def test_damaged_within(self):
        data = bytearray(self.recording.read_bytes())
        path = self.out / "flipped.tbr"
        middle = len(data) // 2
        data[middle:middle + 16] = bytes(byte ^ 255 for byte in data[middle:middle + 16])
        path.write_bytes(data)
        result = self.refused(1, "flipped.tbr: offset [1-9]", "sim", "--out", self.out, path)
        found = tbrsim.frames(self.out)
        self.assertGreater(len(found), 0)
        self.assertEqual(found, tbrsim.frames(self.live)[:len(found)])
        self.assertTrue(result.stdout.startswith(f"{len(found)} frames on "))
        for words in (("sweep", "--unit", "l2", "--size", "64K", "--ways", "4", "--policy", "lru"), ("llc", "--policy", "lru")):
            # Counts of some frames are not printed as those of all; but these can be asked for.
            result = self.refused(1, "flipped.tbr: offset [1-9]", *words, path)
            self.assertEqual(result.stdout, "")
            self.fine(*words, "--frames", f"0-{len(found) - 1}", path)

    def test_damage_with_threads(self):
        """Passes are decoded at the same time; the first damage in the file ends the simulation, whoever finds it when."""
        data = self.recording.read_bytes()
        path = self.out / "flipped.tbr"
        for part in range(1, 16):
            first, second = len(data) * part // 16, len(data) * (part + 1) // 16 - 1
            path.write_bytes(bytes(byte ^ 255 if at in (first, second) else byte for at, byte in enumerate(data)))
            expected = None
            configurations = ("--config", "tcor-64k", "--config", "boustro-fo") if part % 2 else ("--config", "tcor-64k")
            for jobs in (1, 2, 8):
                result = tbrsim.run("sim", "--jobs", jobs, *configurations, "--out", self.out / "found", path)
                files = {path: path.read_bytes() for path in sorted((self.out / "found").rglob("*")) if path.is_file()}
                found = result.returncode, result.stdout, result.stderr, files
                self.assertEqual(expected or found, found)
                expected = found
                shutil.rmtree(self.out / "found", ignore_errors=True)
            self.assertRegex(expected[2], "flipped.tbr: offset [1-9]")


if __name__ == "__main__":
    tbrsim.main()
