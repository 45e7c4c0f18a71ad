# SPDX-License-Identifier: MIT
"""tbrsim energy: every unit of every frame is recounted from the counters, to the last digit; what it
says to bad input; which values have no source, of cycles and energy."""

import csv
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from recount import Account  # noqa: E402

sys.path.insert(0, str(tbrsim.SOURCE / "experiments"))
import assumptions  # noqa: E402

CONFIGS = {"TBRSIM_CONFIG_DIR": str(tbrsim.SOURCE / "configs")}  # the presets of the sources
BEYOND_CACHES = {"dram", "mesh", "affinity_table", "texture_bus"}  # of the memory hierarchy
PRESETS = ("tcor-baseline-64k", "tcor-64k", "tcor-128k", "boustro-ro", "banked-traditional", "banked-wide",
           "banked-multiport", "banked-continuous", "banked-interleaved", "nuca-private", "nuca-static",
           "nuca-dynamic", "nuca-dtm", "nuca-dtm-distributed", "mali-like", "powervr-like", "v3d-pi4",
           "rendering-elimination")
AS_RECORDED = ("--set", "tile.size=32", "--set", "mode=tbdr", "--set", "fragment_stage.pixel_kill=0")  # what the presets cannot change in a recording


def add(sums, more, sign=1):
    for key, value in more.items():
        sums[key] = sums.get(key, 0) + sign * value
    return sums


class EnergyTest(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tbrsim.execute(tbrsim.arguments.write_recording, cls.shared / "test.tbr", 7, 5, variables=CONFIGS, check=True)

    def simulate(self, preset, *arguments):
        out = self.directory / preset
        tbrsim.run("sim", "--config", preset, *arguments, "--out", out, self.shared / "test.tbr", variables=CONFIGS,
                   check=True)
        return out

    def energy(self, *arguments):
        return self.fine("energy", *arguments, variables=CONFIGS)

    def refused(self, status, pattern, *arguments):
        super().refused(status, pattern, "energy", *arguments, variables=CONFIGS)

    def check(self, account, sums, config):
        """What the command printed of some frames against sums by unit and kind."""
        hierarchy = BEYOND_CACHES | set(config["caches"])
        self.assertEqual({name: (unit["dynamic"], unit["static"]) for name, unit in account["units"].items()},
                         {name: (sums.get((name, "dynamic"), 0), sums.get((name, "static"), 0))
                          for name in {unit for unit, _ in sums}})
        of_terms = {}
        for term in account["terms"]:
            add(of_terms, {(term["unit"], term["energy"]): term["pJ"]})
            self.assertRegex(term["source"], r"cacti-7\.0-energies\.csv:\d|dram-devices\.csv, |^energy\.")
        self.assertEqual(of_terms, {key: sums.get(key, 0) for key in of_terms})
        self.assertEqual(sum(of_terms.values()), sum(sums.values()))
        for group, units in (("system", None), ("memory_hierarchy", hierarchy), ("gpu", "all but dram")):
            of_group = sum(value for (unit, _), value in sums.items()
                           if units is None or (unit != "dram" if units == "all but dram" else unit in units))
            self.assertEqual(account["groups"][group]["total"], of_group, group)


class Recount(EnergyTest):
    def test_timing(self):
        """stats.json, each frame's and the run's counters of energy; the command, of all frames and of some."""
        for preset in *PRESETS, "nuca-dtm,nuca.remote_copies=hits":
            with self.subTest(preset):
                # Shader cores have other queues, whose energy is not counted.
                out = self.simulate(preset, "--set", "timing=on", "--set", "core=simple", *AS_RECORDED)
                statistics = tbrsim.statistics_files.load(out)
                recount = Account(statistics["run"]["configuration"], True)
                values, before, run_sums = {}, {}, []
                for frame in statistics["frames"]:
                    add(values, frame)
                    now = recount.evaluate(values)
                    sums = add(dict(now), before, -1)
                    for (unit, kind), value in sums.items():
                        self.assertEqual(frame[f"energy.{unit}.{kind}"], value, f"{unit} {kind}")
                    self.assertEqual(sum(sums.values()), frame["energy.system.total"])
                    self.assertEqual({name.split(".")[1] for name in frame if name.startswith("energy.")}
                                     - {"memory_hierarchy", "gpu", "system"}, {unit for unit, _ in sums})
                    run_sums.append(sums)
                    before = now
                for (unit, kind), value in before.items():
                    self.assertEqual(statistics["total"][f"energy.{unit}.{kind}"], value)
                self.assertGreater(statistics["total"]["energy.dram.dynamic"], 0)
                self.assertGreater(statistics["total"]["energy.fragment_stage.dynamic"], 0)
                explained = json.loads(self.energy("--explain", "--json", out))[0]
                self.assertIsNone(explained["missing"])
                self.check(explained, before, recount.config)
                of_some = add(add({}, run_sums[1]), run_sums[2])
                self.check(json.loads(self.energy("--explain", "--json", "--frames", "1-2", out))[0], of_some,
                           recount.config)

    def test_texture_bus(self):
        """Each block that a texture cache reads is charged; not where there is no bus, or the L2 is in the mesh."""
        for preset in ("boustro-ro", "nuca-dtm"):
            out = self.simulate(preset, "--set", "timing=on", "--set", "texture_bus.bytes_per_cycle=32",
                                "--set", "energy.texture_bus_byte=14731", *AS_RECORDED)
            statistics = json.loads((out / "stats.json").read_text())
            total = statistics["total"]
            recount = Account(statistics["run"]["configuration"], True)
            account = json.loads(self.energy("--explain", "--json", out))[0]
            self.check(account, recount.evaluate(total), recount.config)
            self.assertGreater(total["energy.texture_bus.dynamic"], 0)
            self.assertEqual(total["texture_bus.bytes"], total["l2.texture.reads"] * 64)
            self.assertIn("texture_bus.wait_cycles", total)
        for preset, *settings in (("nuca-dtm", "nuca.mesh.l2=center"), ("nuca-dtm", "texture_bus.bytes_per_cycle=0"),
                                  ("boustro-ro",)):
            sets = [argument for setting in settings for argument in ("--set", setting)]
            out = self.simulate(preset, "--set", "timing=on", "--set", "energy.texture_bus_byte=14731", *sets,
                                *AS_RECORDED)
            self.assertNotIn("texture_bus", json.loads(self.energy("--json", out))[0]["units"])

    def test_no_timing(self):
        """Without timing, and with as many cycles as are given: what is there, and what is said to be missing."""
        out = self.simulate("tcor-64k")
        statistics = json.loads((out / "stats.json").read_text())
        self.assertFalse([name for name in statistics["total"] if name.startswith(("energy.", "operations."))])
        self.refused(1, "no cycles for leakage", out)
        account = json.loads(self.energy("--explain", "--json", "--cycles", "123456789", out))[0]
        self.assertEqual(account["missing"], "main memory, most operations of the pipeline")
        recount = Account(statistics["run"]["configuration"], False)
        self.check(account, recount.evaluate(statistics["total"] | {"gpu.cycles": 123456789}), recount.config)
        self.assertIn("not in it, because the simulation had no timing", self.energy("--cycles", "1", out))

    def test_other_keys(self):
        """Other keys of energy: those of a configuration, and single ones."""
        out = self.simulate("tcor-baseline-64k", "--set", "timing=on")
        statistics = json.loads((out / "stats.json").read_text())
        config = statistics["run"]["configuration"]
        config["energy"] |= {"cell": "itrs-hp", "quad_instruction": 100000, "technology": 22}
        account = json.loads(self.energy("--explain", "--json", "--set", "energy.cell=itrs-hp", "--set",
                                         "energy.quad_instruction=100000", "--set", "energy.technology=22", out))[0]
        self.check(account, Account(config, True).evaluate(statistics["total"]), config)
        self.assertEqual(account["preset"], "tcor-baseline-64k")
        self.assertTrue(all("of tcor-baseline-64k and --set, with its source there" in term["source"]
                            for term in account["terms"] if term["source"].startswith("energy.")))
        account = json.loads(self.energy("--explain", "--json", "--config", "nuca-dtm", out))[0]
        self.assertTrue(all("of nuca-dtm, with its source" in term["source"]
                            for term in account["terms"] if term["source"].startswith("energy.")))


class Command(EnergyTest):
    def test_side_by_side(self):
        one = self.simulate("tcor-baseline-64k", "--set", "timing=on")
        other = self.simulate("tcor-64k", "--set", "timing=on")
        lines = self.energy(one, other / "stats.json").splitlines()
        self.assertRegex(lines[0], r"^\[1\] 5 frames on tcor-baseline-64k, \d+ cycles of 600 MHz")
        accounts = json.loads(self.energy("--json", one, other))
        ratio = accounts[1]["groups"]["memory_hierarchy"]["total"] / accounts[0]["groups"]["memory_hierarchy"]["total"]
        line = next(line for line in lines if line.startswith("memory_hierarchy "))
        self.assertIn(f"{100 * (ratio - 1):+.2f} %", line)

    def test_explain(self):
        """A line for each number."""
        out = self.simulate("tcor-64k", "--set", "timing=on")
        terms = json.loads(self.energy("--explain", "--json", out))[0]["terms"]
        lines = self.energy("--explain", out).splitlines()
        for term in terms:
            self.assertTrue(any(line.startswith(term["unit"]) and str(term["pJ"]) in line
                                and term["source"] in line for line in lines), term)

    def test_bad_input(self):
        out = self.simulate("tcor-64k", "--set", "timing=on")
        broken = self.directory / "broken.json"
        broken.write_text('{"run": {}, "frames": [')
        self.refused(1, "broken.json:1: no statistics", broken)
        broken.write_text("{}")
        self.refused(1, "broken.json: holds no statistics", broken)
        self.refused(1, "nowhere: No such file", self.directory / "nowhere")
        self.refused(2, "no statistics; usage")
        self.refused(2, "--frames 3-9: .* has frames 0-4", "--frames", "3-9", out)
        self.refused(2, "--cycles many: expected a number", "--cycles", "many", out)
        self.refused(2, "--set clock_mhz=1: the counts depend on it", "--set", "clock_mhz=1", out)
        self.refused(2, "energy.technology: 28 is no technology", "--set", "energy.technology=28", out)
        self.refused(2, "unknown option '--wrong'", "--wrong", out)
        statistics = json.loads((out / "stats.json").read_text())
        def refused_with(changes, why):
            broken.write_text(json.dumps(statistics | changes))
            self.refused(1, why, broken)
        columns, rows, sums = statistics["columns"], statistics["frames"], statistics["total"]
        refused_with({"columns": ["l2" if name == "l2.total.reads" else name for name in columns],
                      "total": {name: value for name, value in sums.items() if name != "l2.total.reads"}},
                     "has no l2.total.reads")
        refused_with({"frames": []}, "no frame was simulated")
        refused_with({"run": statistics["run"] | {"schema": 99}},
                     "of a later version of tbrsim: its schema is 99, expected at most 1")
        for row in (rows[0][1:], [*rows[0], 1], ["1", *rows[0][1:]], [1.5, *rows[0][1:]], {"gpu.frames": 1}):
            refused_with({"frames": [*rows[1:], row]}, "a frame does not have the file's columns")
        del statistics["columns"]  # as it was written before there were columns
        refused_with({"frames": [dict(zip(columns, row)) for row in rows]}, "of another version of tbrsim")
        without = self.simulate("tcor-64k", "--set", "timing=on")
        statistics = json.loads((without / "stats.json").read_text())
        del statistics["run"]["configuration"]["energy"]
        broken.write_text(json.dumps(statistics))
        self.refused(1, "the configuration tcor-64k has no energy; give one that has with --config, such as", broken)
        self.refused(1, "the configuration imr-8m has no energy", "--config", "imr-8m", without)
        self.energy("--config", "tcor-64k", broken)


class Assumptions(EnergyTest):
    """What is said to have no source, against the presets' comments and data/sensitivity.csv."""

    def expected(self, preset, result, without=()):
        """(values, those that matter, the one that does most) of a preset but for some keys."""
        with open(tbrsim.SOURCE / "data" / "sensitivity.csv", encoding="utf-8", newline="") as file:
            most = {(row["preset"], row["key"]): abs(float(row[f"{result}_most"] or 0)) for row in csv.DictReader(file)}
        assumed = {(where, key) for key, where in assumptions.assumed_of(preset, assumptions.presets()).items()
                   if key not in without and not (result == "cycles" and key.startswith("energy."))}
        matter = [its for its in assumed if most.get(its, 0) > 1]
        return len(assumed), len(matter), max(matter, key=most.get)[1]

    def check_line(self, printed, expected, result):
        lines = re.findall(rf"{result} rests? on (\d+) assumed values; (\d+) of them matter, (\S+) most: up to \d+ % "
                           r"\(docs/trust\.md\)", printed)
        self.assertEqual([(int(count), int(matter), most) for count, matter, most in lines], [expected] * len(lines))
        self.assertEqual(len(lines), 1, printed)

    def sim(self, *options):
        return tbrsim.run("sim", *options, "--out", self.directory / "out", self.shared / "test.tbr", variables=CONFIGS,
                          check=True).stdout

    def test_presets(self):
        for preset in ("tcor-64k", "boustro-ro", "banked-wide", "nuca-dtm", "mali-like", "v3d-pi4"):
            printed = self.sim("--config", preset, "--timing", "on", *AS_RECORDED)
            self.check_line(printed, self.expected(preset, "cycles", ("fragment_stage.pixel_kill",)), "cycles")
        self.assertNotIn("assumed", self.sim("--config", "tcor-64k"))
        self.assertNotIn("assumed", self.sim("--config", "tcor-64k", "--timing", "on", "--csv"))

    def test_recorded(self):
        """Of a recording, whose configuration has no files; of energy, whose statistics have none."""
        printed = self.sim("--timing", "on")
        preset = re.search(r"frames on (\S+)", printed)[1]
        self.check_line(printed, self.expected(preset, "cycles"), "cycles")
        self.check_line(self.energy(self.directory / "out"), self.expected(preset, "energy"), "energy")
        self.check_line(self.energy("--set", "energy.cell=itrs-hp", self.directory / "out"),
                        self.expected(preset, "energy", ["energy.cell"]), "energy")

    def test_set(self):
        """What a user sets is no assumption of a preset, unless it is the same."""
        expected = self.expected("tcor-64k", "cycles", ["dram_system.read_queue"])
        printed = self.sim("--config", "tcor-64k", "--timing", "on", "--set", "dram_system.read_queue=31")
        self.check_line(printed, expected, "cycles")
        own = self.path("own.yaml", "extends: tcor-64k\ndram_system: {read_queue: 31}\ntiming: on\n")
        self.check_line(self.sim("--config", own), expected, "cycles")
        self.assertIn("energy rests on values of own, which is no preset: their sources are not known",
                      self.energy(self.directory / "out"))

    def test_several(self):
        """Of each configuration, where the one before it does not rest on the same."""
        printed = self.sim("--timing", "on", "--config", "tcor-64k", "--config", "tcor-64k,l2.ways=4", "--config", "tcor-baseline-64k")
        self.assertEqual(re.findall(r"^\[(\d)\] cycles rest on (\d+)", printed, re.MULTILINE),
                         [(number, str(self.expected(preset, "cycles")[0]))
                          for number, preset in (("1", "tcor-64k"), ("3", "tcor-baseline-64k"))])

    def test_validated(self):
        """How far off a preset's times were: not where it is changed, nor without timing. Here its file is another one."""
        for path in tbrsim.SOURCE.glob("configs/*.yaml"):
            (self.directory / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        self.path("mali-g52-mc1.yaml", "extends: tcor-baseline-64k\n")

        def lines(*options):
            printed = tbrsim.run("sim", *options, "--out", self.directory / "out", self.shared / "test.tbr",
                                 variables={"TBRSIM_CONFIG_DIR": str(self.directory)}, check=True).stdout
            return re.findall(r"^.*validated against.*$", printed, re.MULTILINE)

        with open(tbrsim.SOURCE / "data" / "validation-summary.csv", encoding="utf-8", newline="") as file:
            row = next(row for row in csv.DictReader(file) if row["preset"] == "mali-g52-mc1")
        line = (f"validated against {row['scenes']} scenes of mali-g52-mc1 at {row['width']}x{row['height']}: "
                f"mean error {float(row['error']):.0f} % (docs/validation.md)")
        timed = ["--config", "mali-g52-mc1", "--timing", "on"]
        self.assertEqual(lines(*timed), [line])
        self.assertEqual(lines(*timed, "--set", "l2.ways=4"), [])
        self.assertEqual(lines("--config", "mali-g52-mc1"), [])
        self.assertEqual(lines("--timing", "on", "--config", "tcor-64k", "--config", "mali-g52-mc1"), [f"[2] {line}"])


if __name__ == "__main__":
    tbrsim.main("write-recording")
