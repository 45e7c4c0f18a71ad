# SPDX-License-Identifier: MIT
"""tbrsim select and tbrsim sim --selected: recordings of which the right answer is known, estimates recounted from the
counters of the frames, what is said to bad input."""

import csv
import importlib.util
import json
import math
import os
import pathlib
import re
import sys
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

import tbrsim as package  # noqa: E402

CONFIGS = {"TBRSIM_CONFIG_DIR": str(tbrsim.SOURCE / "configs")}  # the presets of the sources
CACHES = ("--config", "tcor-64k")
TIMED = (*CACHES, "--set", "timing=on")


class Select(tbrsim.TestCase):
    def record(self, name, pattern):
        path = self.directory / f"{name}.tbr"
        tbrsim.execute(tbrsim.arguments.write_frames, path, pattern, variables=CONFIGS, check=True)
        return path

    def select(self, recording, *options):
        """The selection, and the file it is in."""
        path = recording.with_suffix(".json")
        self.output = self.fine("select", *options, "--out", path, recording, variables=CONFIGS)
        return json.loads(path.read_text()), path

    def estimate(self, recording, path, *options, config=TIMED):
        """Estimates and statistics of the selected frames."""
        out = self.directory / "estimated"
        self.output = self.fine("sim", *config, "--selected", path, "--out", out, *options, recording,
                                variables=CONFIGS)
        return (json.loads((out / "estimate.json").read_text()), json.loads((out / "stats.json").read_text()),
                list(csv.DictReader((out / "selected.csv").read_text().splitlines())))

    def whole(self, recording, *options, config=TIMED):
        out = self.directory / "whole"
        self.fine("sim", *config, *options, "--out", out, recording, variables=CONFIGS)
        return json.loads((out / "stats.json").read_text())

    def refused(self, status, pattern, *arguments):
        super().refused(status, pattern, *arguments, variables=CONFIGS)

    # ---- what is known beforehand

    def test_alternating_frames(self):
        """Two kinds of frames in turn: one of each is enough, and the totals are exact."""
        recording = self.record("alternating", "AB" * 50)
        selection, path = self.select(recording)
        self.assertEqual(selection["frames"], 100)
        of = selection["represented_by"]
        self.assertEqual(len(set(of[2::2])), 1)
        self.assertEqual(len(set(of[3::2])), 1)
        self.assertNotEqual(of[2], of[3])
        self.assertLessEqual(len(selection["selected"]), 4)
        self.assertAlmostEqual(selection["expected_error"], 0)
        # Caches begin empty: the first three frames of each kind are not yet as all others.
        estimate, stats, _ = self.estimate(recording, path, "--warm-up", 6, config=CACHES)
        whole = self.whole(recording, config=CACHES)
        self.assertEqual(whole["frames"][6:8] * 47, whole["frames"][6:])
        values = {frame["frame"]: dict(zip(stats["columns"], values))
                  for frame, values in zip(selection["selected"], stats["frames"])}
        steady = [frame["frame"] for frame in selection["selected"] if frame["weight"] > 1]
        self.assertEqual(sorted(frame % 2 for frame in steady), [0, 1])
        for column, name in enumerate(whole["columns"]):
            for frame in steady:
                self.assertEqual(values[frame].get(name, 0), whole["frames"][frame][column], name)
        # What does not depend on caches is so from the first frame on.
        for name in ("gpu.frames", "gpu.passes", "gpu.draws", "fragment_stage.fragments", "tiling_engine.pmds",
                     "vertex_stage.vertices", "fragment_stage.footprints"):
            found = estimate["counters"][name]
            self.assertAlmostEqual(found["total"], whole["total"][name])
            self.assertAlmostEqual(found["interval"], 0)
        self.assertRegex(self.output, r"100 frames on tcor-64k")

    def test_phases(self):
        """Kinds of frames one after another: no cluster has frames of two kinds, and the weights are their numbers."""
        pattern = "A" * 40 + "B" * 25 + "C" * 30 + "A" * 25
        selection, _ = self.select(self.record("phases", pattern), "--budget", 30)
        kinds = {}
        for letter, cluster in zip(pattern, selection["represented_by"]):
            kinds.setdefault(cluster, set()).add(letter)
        self.assertTrue(all(len(letters) == 1 for letters in kinds.values()), kinds)
        for number, frame in enumerate(selection["selected"]):
            self.assertEqual(frame["weight"], selection["represented_by"].count(number))
            self.assertEqual(selection["represented_by"][frame["frame"]], number)
        self.assertEqual(sum(frame["weight"] for frame in selection["selected"]), len(pattern))

    # ---- estimates

    def test_estimates_are_recounted(self):
        """Totals and intervals follow from the selected frames' counters and the file."""
        recording = self.record("random", "ABCDEFGHABCDEFGHIJKLMNIJKLMN" * 3)
        selection, path = self.select(recording, "--budget", 20, "--error", 0)
        frames = selection["selected"]
        estimate, stats, rows = self.estimate(recording, path)
        self.assertEqual(len(stats["frames"]), len(frames))
        self.assertEqual([int(row["program_frame"]) for row in rows], [frame["frame"] for frame in frames])
        self.assertEqual([int(row["weight"]) for row in rows], [frame["weight"] for frame in frames])
        self.assertLessEqual(estimate["simulated"], 20)
        self.assertEqual(stats["run"]["selected"], str(path))
        widths = 0
        for column, name in enumerate(stats["columns"]):
            if name == "fps":
                continue
            values = [frame[column] for frame in stats["frames"]]
            total = sum(frame["weight"] * value for frame, value in zip(frames, values))
            variance = 0
            for frame, value in zip(frames, values):
                slopes = [(values[near["selected"]] - value) ** 2 / near["distance"] for near in frame["neighbours"]]
                variance += frame["weight"] ** 2 * frame["spread"] * sum(slopes) / max(1, len(slopes))
            found = estimate["counters"].get(name, {"total": 0, "interval": 0})
            self.assertAlmostEqual(found["total"], total, delta=1e-6 * (1 + total))
            self.assertAlmostEqual(found["interval"], 1.96 * math.sqrt(variance), delta=1e-6 * (1 + total))
            widths += found["interval"] > 0
        self.assertGreater(widths, 10)

    def test_all_frames(self):
        """With all frames selected, or as warm-up, nothing is estimated: the statistics are those of all frames."""
        recording = self.record("few", "ABCDE1FGHIJ")
        selection, path = self.select(recording, "--budget", 10, "--error", 0)
        self.assertEqual(len(selection["selected"]), 10)
        estimate, stats, _ = self.estimate(recording, path)
        whole = self.whole(recording)
        self.assertEqual(stats["frames"], whole["frames"])
        self.assertEqual(stats["columns"], whole["columns"])
        self.assertEqual({name: value["total"] for name, value in estimate["counters"].items()},
                         {name: value for name, value in whole["total"].items() if value and name != "fps"})
        # Of one frame after all others the statistics are its own.
        selection, path = self.select(recording, "--budget", 1)
        number = selection["selected"][0]["frame"]
        _, stats, rows = self.estimate(recording, path, "--warm-up", 100)
        self.assertEqual(int(rows[0]["warm_up"]), number)
        by_name = dict(zip(whole["columns"], whole["frames"][number]))
        self.assertEqual(dict(zip(stats["columns"], stats["frames"][0])),
                         {name: value for name, value in by_name.items() if name in stats["columns"]})

    def test_verify(self):
        recording = self.record("checked", "AB" * 30)
        _, path = self.select(recording)
        self.estimate(recording, path, "--verify", "--warm-up", 6)
        self.assertRegex(self.output, r"(?m)^DRAM bytes .* [+-]0\.\d\d %$")
        self.assertRegex(self.output, r"fine: the largest error is [01]\.\d\d %")
        # One frame for all.
        recording = self.record("bad", "A" * 30 + "B" * 30)
        _, path = self.select(recording, "--budget", 2)
        result = tbrsim.run("sim", *TIMED, "--selected", path, "--verify=0.1", "--out", self.directory / "out", recording,
                            variables=CONFIGS)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"not as good as asked: the largest error is \d+\.\d\d %")

    def test_several_configurations(self):
        recording = self.record("several", "ABC" * 20)
        _, path = self.select(recording)
        out = self.directory / "several"
        output = self.fine("sim", "--config", "tcor-64k", "--config", "tcor-128k", "--selected", path, "--csv",
                           "--out", out, recording, variables=CONFIGS)
        rows = list(csv.DictReader(output.splitlines()))
        self.assertEqual([row["configuration"] for row in rows], ["tcor-64k", "tcor-128k"])
        for row in rows:
            estimate = json.loads((out / row["configuration"] / "estimate.json").read_text())
            self.assertEqual(int(row["dram.total.reads"]), round(estimate["counters"]["dram.total.reads"]["total"]))

    @unittest.skipIf(importlib.util.find_spec("pandas") is None, "pandas is not installed")
    def test_python(self):
        recording = self.record("python", "ABC" * 20)
        path = self.directory / "python.json"
        with unittest.mock.patch.dict(os.environ, CONFIGS):
            package.use(tbrsim.arguments.tbrsim)
            chosen = package.select(recording, path, budget=20)
            self.assertEqual(chosen["weight"].sum(), 60)
            self.assertEqual(chosen.attrs["frames"], 60)
            results = package.sim(recording, config="tcor-64k", selected=path, out=self.directory / "one").wait()
            whole = package.sim(recording, config="tcor-64k", out=self.directory / "all").wait()
        self.assertEqual(list(results.selected["weight"]), list(chosen["weight"]))
        self.assertEqual(list(results.selected["program_frame"]), list(chosen["frame"]))
        self.assertEqual(results.estimates.attrs["frames"], 60)
        estimated = results.estimates.loc["fragment_stage.fragments"]
        self.assertAlmostEqual(estimated["total"], whole.total["fragment_stage.fragments"])
        self.assertIsNone(whole.selected)
        with self.assertRaisesRegex(package.Error, "not of tbrsim sim --selected"):
            whole.estimates  # pylint: disable=pointless-statement

    # ---- options

    def test_budget_and_error(self):
        recording = self.record("budget", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 2)
        for budget in (8, 13, 30):
            selection, _ = self.select(recording, "--budget", budget, "--error", 0)
            simulated = int(re.search(r"these are (\d+) frames", self.output)[1])
            self.assertLessEqual(simulated, budget)
            ranges = re.search(r"frames to simulate: (\S+)", self.output)[1]
            count = sum(int(part.split("-")[-1]) - int(part.split("-")[0]) + 1 for part in ranges.split(","))
            self.assertEqual(count, simulated)
        many = len(self.select(recording, "--budget", 52, "--error", 1)[0]["selected"])
        few = len(self.select(recording, "--budget", 52, "--error", 10)[0]["selected"])
        self.assertLess(few, many)

    def test_standard_output(self):
        recording = self.record("printed", "AAB")
        printed = json.loads(self.fine("select", recording, variables=CONFIGS))
        self.assertEqual(printed, self.select(recording)[0])

    def test_wrong_input(self):
        recording = self.record("input", "ABABAB")
        selection, path = self.select(recording)
        other = self.record("other", "CDCDCD")
        self.refused(2, "--budget 0: expected a number of frames", "select", "--budget", 0, recording)
        self.refused(2, "--error 200: expected per cent", "select", "--error", 200, recording)
        self.refused(1, "no such file|No such file", "select", self.directory / "none.tbr")
        self.refused(2, "not with --frames or --timeline", "sim", "--selected", path, "--frames", "1-2", recording)
        self.refused(2, "nothing to compare without --selected", "sim", "--verify", recording)
        self.refused(2, "above 0 and at most 100", "sim", "--selected", path, "--verify=0", recording)
        self.refused(2, "selected of another recording", "sim", *TIMED, "--selected", path, other)
        self.refused(1, "No such file", "sim", *TIMED, "--selected", self.directory / "none.json", recording)
        short = self.record("short", "A")
        self.refused(2, r"has no frame \d", "sim", *TIMED, "--selected", path, short)
        broken = self.directory / "broken.json"
        for change, message in (
                (("tbrsim_selection", 99), "another version"), (("tbrsim_selection", None), "is no count"),
                (("selected", []), "has no frames"), (("frames", 7), "do not add up"),
                (("expected_error", -1), "no number")):
            broken.write_text(json.dumps(selection | dict([change])))
            self.refused(1, message, "sim", *TIMED, "--selected", broken, recording)
        for change, message in (
                (("frame", -1), "is no count"), (("weight", "many"), "is no count"), (("spread", None), "no number"),
                (("neighbours", [{"selected": 100, "distance": 1}]), "is no count"),
                (("neighbours", [{"selected": 0, "distance": 0}]), "distance of a neighbour is 0"),
                (("neighbours", 3), "no list"), (("warm_up", [1]), "no list"), (("warm_up", [3] + [1] * 11), "ascending")):
            first = selection["selected"][0] | dict([change])
            broken.write_text(json.dumps(selection | {"selected": [first] + selection["selected"][1:]}))
            self.refused(1, message, "sim", *TIMED, "--selected", broken, recording)
        broken.write_text("{")
        self.refused(1, "broken.json", "sim", *TIMED, "--selected", broken, recording)


if __name__ == "__main__":
    tbrsim.main("write-frames")
