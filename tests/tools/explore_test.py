# SPDX-License-Identifier: MIT
"""tbrsim explore: its table against what sim says of each point; what is there is not simulated again, whatever has ended
it; failures are named; fronts against a search of all pairs."""

import csv
import fcntl
import importlib
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import sys
import time
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
import tbrsim as package  # noqa: E402
from tbrsim import duckdb, explore, quantities  # noqa: E402
from tbrsim.explore import pareto  # noqa: E402

PLAN = """recordings: "*.tbr"
configurations: [tcor-baseline-64k, boustro-ro]
settings:
  l2.size: [256K, 1M]
  l2.policy: [lru, opt]
  except: {l2.policy: opt, l2.size: 1M}
"""


class Explore(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        tbrsim.record(cls.shared, "glmark2_function", "--frames", "0-1")
        shutil.copy(cls.shared / "glmark2_function.tbr", cls.shared / "again.tbr")

    def plan(self, text=PLAN, recordings=("glmark2_function",)):
        for name in recordings:
            shutil.copy(self.shared / f"{name}.tbr", self.directory)
        return self.path("plan.yaml", text)

    def rows(self):
        with open(self.path("out/results.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def explore(self, *words, **options):
        return tbrsim.run("explore", "--out", self.path("out"), *words, self.path("plan.yaml"), **options)

    def results(self):
        return sorted(path.name for path in self.path("out/results").iterdir())

    def test_table(self):
        """A row for each combination, in order, with the counters that sim has."""
        self.plan()
        result = self.explore(check=True)
        self.assertTrue(result.stdout.startswith("6 points: 6 simulated, 0 there before, 0 failed\n"), result.stdout)
        rows = self.rows()
        self.assertEqual([(row["configuration"], row["l2.size"], row["l2.policy"]) for row in rows],
                         [(name, *settings) for name in ("tcor-baseline-64k", "boustro-ro")
                          for settings in (("256K", "lru"), ("256K", "opt"), ("1M", "lru"))])
        for row in rows:
            counted = tbrsim.simulate(self.path("glmark2_function.tbr"), "--config", row["configuration"], "--set",
                                         f"l2.size={row['l2.size']}", "--set", f"l2.policy={row['l2.policy']}")
            self.assertEqual(int(row["frames"]), len(counted["frames"]))
            for name, value in counted["total"].items():
                self.assertEqual(float(row[name]), value, name)
        self.assertEqual(len({row["dram.total.reads"] for row in rows if row["configuration"] == "boustro-ro"}), 3)
        back = self.path("back.csv")
        with duckdb.Database() as database:
            database.run(f"COPY (SELECT * FROM '{self.path('out/results.parquet')}') TO '{back}' (FORMAT csv)")
        with open(back, newline="", encoding="utf-8") as file:
            again = list(csv.DictReader(file))
        self.assertEqual([list(row) for row in again], [list(row) for row in rows])
        for row, same in zip(rows, again):
            for name, value in row.items():
                self.assertTrue(value == same[name] or float(value) == float(same[name]), name)
        self.check_deviations(rows)
        self.check_columns(rows)

    def check_deviations(self, rows):
        """Those of the frames that each result has, in the places of results.csv."""
        with open(self.path("out/deviations.csv"), newline="", encoding="utf-8") as file:
            deviations = list(csv.DictReader(file))
        self.assertEqual([list(row) for row in deviations], [list(row) for row in rows])
        for row, deviation in zip(rows, deviations):
            self.assertEqual([row[name] for name in ("configuration", "key", "oracle")],
                             [deviation[name] for name in ("configuration", "key", "oracle")])
            frames = tbrsim.statistics_files.load(self.path("out/results") / row["key"])["frames"]
            for name in frames[0]:
                expected = statistics.stdev([frame[name] for frame in frames])
                self.assertLessEqual(abs(float(deviation[name]) - expected), 1e-5 * expected, name)
        self.assertGreater(sum(float(row["dram.total.reads"]) > 0 for row in deviations), 0)

    def check_columns(self, rows):
        """Each is described, as tbrsim counters does it; points with oracles are marked."""
        with open(self.path("out/columns.csv"), newline="", encoding="utf-8") as file:
            columns = {line["column"]: (line["unit"], line["description"]) for line in csv.DictReader(file)}
        self.assertEqual(list(columns), list(rows[0]))
        known = {line["name"]: (line["measure"], line["description"]) for line in csv.DictReader(io.StringIO(
            tbrsim.run("counters", "--csv", check=True).stdout))}
        for name in rows[0]:
            self.assertTrue(columns[name][1], name)
            if name in known:
                self.assertEqual(columns[name], known[name])
        self.assertGreater(len(known & columns.keys()), 100)
        self.assertEqual([row["oracle"] for row in rows], ["l2" if row["l2.policy"] == "opt" else "" for row in rows])

    def test_oracles(self):
        """Those of cm_policy_needs_future; perfect where a plan sets it."""
        model = tbrsim.SOURCE / "src/cachemodel"
        names = dict(re.findall(r'^   X\((\w+), "([\w-]+)", ', (model / "config/config.h").read_text().partition("CM_POLICIES(X)")[2]
                                .partition("enum cm_policy")[0], re.M))
        self.assertIn("lru", names.values())
        needs = re.search(r"^cm_policy_needs_future.*?^}", (model / "memory/future.c").read_text(), re.M | re.S)[0]
        self.assertEqual({names[name] for name in re.findall(r"CM_POLICY_(\w+)", needs)}, set(quantities.ORACLES))
        self.assertIn(quantities.PERFECT, names.values())
        values = {"caches.l2.policy": "optpt", "caches.vertex_cache.policy": "perfect", "caches.llc.policy": "lru"}
        self.assertEqual(quantities.oracles(values), "l2")
        self.assertEqual(quantities.oracles(values, [("vertex_cache.policy", "perfect"), ("l2.policy", "optpt")]), "l2+vertex_cache")

    def test_outcome(self):
        """Means per frame, and a plot of what each frame has, from Python."""
        self.plan()
        package.use(tbrsim.arguments.tbrsim)
        outcome = explore.explore(self.path("plan.yaml"), self.path("out"))
        frames = outcome.results(outcome.rows[0]["key"]).frames
        self.assertEqual(outcome.per_frame["dram.total.reads"][0], frames["dram.total.reads"].mean())
        self.assertAlmostEqual(outcome.spread["dram.total.reads"][0] / frames["dram.total.reads"].std(), 1, 5)
        self.assertEqual(outcome.per_frame["l2.size"].to_list(), outcome.table["l2.size"].to_list())
        self.assertEqual(outcome.units["dram.total.read_bytes"], "bytes")
        text = outcome._repr_html_()
        self.assertIn("<b>6 points</b> · 0 failed", text)
        self.assertEqual(text.count("<tr>"), 7)
        if importlib.util.find_spec("matplotlib"):
            importlib.import_module("matplotlib").use("Agg")
            axes = outcome.plot("dram.total.reads+dram.total.writes")
            self.assertEqual(axes.get_xlabel(), "l2.size")
            self.assertIn("blocks per frame", axes.get_ylabel())
            self.assertEqual(len(axes.containers), 4)  # two configurations by two policies
            self.assertEqual([line.get_label() for line in axes.containers][1], "tcor-baseline-64k, opt (oracle)")
            with self.assertRaisesRegex(package.Error, "clock_mhz is not varied; these are: configuration, l2.size, l2.policy"):
                outcome.plot("dram.total.reads", x="clock_mhz")
            with self.assertRaisesRegex(package.Error, r"no counter 'dram.reads' \(did you mean dram.total.reads\?\)"):
                outcome.plot("dram.reads")

    def test_nothing_twice(self):
        """Not what is there, not equal content under another name, not a setting that changes nothing."""
        self.plan(recordings=("glmark2_function", "again"))
        self.explore(check=True)
        self.assertEqual(len(self.rows()), 12)
        self.assertEqual(len(self.results()), 6)
        self.assertIn(" 0 simulated, 6 there before", self.explore(check=True).stdout)
        size = tbrsim.keys("tcor-baseline-64k")["caches.l2.size"]
        self.path("plan.yaml", "recordings: again.tbr\nconfigurations: tcor-baseline-64k\nsettings:\n"
                               f"  - {{}}\n  - l2.size: {size}\n  - caches.l2.size: [{size}, 512K]\n")
        result = self.explore(check=True)
        self.assertEqual(len(self.rows()), 4)
        self.assertEqual(len({row["key"] for row in self.rows()}), 2)
        # The preset's L2 has 1 MiB, which was simulated above.
        self.assertEqual(int(size), 1 << 20)
        self.assertIn(" 1 simulated, 1 there before", result.stdout)
        # Another content of the file is another recording.
        tbrsim.record(self.directory, "glmark2_function", "--frames", "0-0", name="again")
        self.assertIn(" 2 simulated, 0 there before", self.explore(check=True).stdout)

    def test_same_whatever_has_ended_it(self):
        """Killed at any moment, it continues, and ends with the same table."""
        self.plan()
        self.explore(check=True)
        expected = self.path("out/results.csv").read_bytes()
        shutil.rmtree(self.path("out"))
        delays = random.Random(1)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            process = tbrsim.start("explore", "--out", self.path("out"), self.path("plan.yaml"), start_new_session=True,
                                   stderr=-3, stdout=-3)
            time.sleep(delays.uniform(0.2, 1.5))
            os.killpg(process.pid, number)
            process.wait()
            for path in self.path("out/results").glob("*") if self.path("out").exists() else []:
                # Whole under its name, else under another.
                if ".part-" not in path.name:
                    self.assertEqual(len(json.loads((path / "stats.json").read_text())["frames"]), 2)
        self.explore(check=True)
        self.assertEqual(self.path("out/results.csv").read_bytes(), expected)
        self.assertFalse([name for name in self.results() if ".part-" in name])

    def test_failures(self):
        """A recording that is no recording: named with its reason, tried as often as --retries says; the others are done."""
        self.plan()
        self.path("broken.tbr", b"not a recording, but long enough to be looked at" * 100)
        result = self.explore("--retries", "1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("6 points: 6 simulated, 0 there before, 6 failed", result.stdout)
        self.assertEqual(len(self.rows()), 6)
        failures = json.loads(self.path("out/failures.json").read_text())
        self.assertEqual(len(failures), 6)
        for failure in failures:
            self.assertTrue(failure["name"].startswith("broken.tbr, "), failure)
            self.assertEqual(len(failure["reasons"]), 2)
            self.assertIn("broken.tbr", failure["reasons"][0])
            self.assertIn(f"tbrsim: {failure['name']}: failed 2 times: ", result.stderr)
        # Mended, only they are simulated.
        shutil.copy(self.shared / "again.tbr", self.path("broken.tbr"))
        self.assertIn("12 points: 0 simulated, 6 there before", self.explore(check=True).stdout)

    def test_disk_full(self):
        """Where files can have few bytes, all fail, and nothing half is left."""
        self.plan()
        result = self.explore("--retries", "0", preexec_fn=lambda: tbrsim.no_room(2000))
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual([name for name in self.results() if ".part-" not in name], [])
        self.assertIn("6 points: 6 simulated", self.explore(check=True).stdout)

    def test_captures(self):
        """Recorded first, once; the frames are those of the replay."""
        shutil.copy(tbrsim.CAPTURES / "glmark2_function.trace", self.directory)
        self.path("plan.yaml", "captures: glmark2_function.trace\nframes: 0-1\nconfigurations: tcor-baseline-64k\n"
                               "settings:\n  l2.size: [256K, 1M]\n")
        self.explore(check=True)
        self.assertEqual(len(list(self.path("out/recordings").iterdir())), 1)
        live = self.path("live")
        for row in self.rows():
            tbrsim.run("replay", "--frames", "0-1", "--out", live, "--set", f"l2.size={row['l2.size']}",
                       self.path("glmark2_function.trace"), check=True)
            for name, value in tbrsim.total(live).items():
                self.assertEqual(float(row[name]), value, name)
        self.assertIn(" 0 simulated, 2 there before", self.explore(check=True).stdout)

    def test_one_at_a_time(self):
        self.plan()
        self.path("out").mkdir()
        with open(self.path("out/lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            result = self.explore()
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1))
        self.assertIn("another tbrsim explore works there", result.stderr)

    def test_refused(self):
        """One message for what is wrong with a plan, before anything is simulated."""
        good = "recordings: glmark2_function.tbr\nconfigurations: tcor-baseline-64k\n"
        for text, pattern in (
                ("", "the file: expected keys"), ("a: b: c", "no YAML"), ("- 1\n", "the file: expected keys"),
                (good + "colour: red\n", "colour: unknown key, expected"),
                (good + "Setings: {}\n", r"Setings: unknown key \(did you mean settings\?\), expected one of"),
                (good + "settings: {l2.size: 1M, expect: {l2.size: 1M}}\n",
                 r"expect: keys and values are of only and except \(did you mean except\?\), those of a setting a list"),
                (good + "settings: {l2.size: 1M..3M}\n", "l2.size: 1M..3M: expected A..B, B being A, 2 A, 4 A or so on"),
                (good + "settings: {l2.policy: [lru, opt], except: {l2.polcy: opt}}\n",
                 r"except: l2.polcy: not of this grid \(did you mean l2.policy\?\), expected one of"),
                (good + "settings: {l2.policy: [lru, opt], except: {l2.policy: LRU}}\n",
                 r"except: l2.policy: no combination has 'LRU' \(did you mean lru\?\), expected one of: lru, opt"),
                (good + "settings: {l2.size: 1M, only: {source: x.tbr}}\n", "only: source: no combination has 'x.tbr'"), ("recordings: x.tbr\n", "expected configurations"),
                ("configurations: a\n", "expected recordings or captures"), (good + "captures: y\n", "one of them"),
                (good.replace("glmark2", "other"), "other_function.tbr: there is no such file"),
                (good + "recordings: again.tbr\n", "recordings: is there twice"),
                (good + "settings: {l2.size: []}\n", "l2.size: the list is empty"),
                (good + "settings: {l2.size: [1M, 1M]}\n", "1M is there twice"),
                (good + "settings: {l2.size: [{a: 1}]}\n", "expected a name or a number"),
                (good + "settings: [1]\n", "expected keys of the configuration"),
                (good + "settings: {l2.size: 1M, only: {l2.ways: 4}}\n", "l2.ways: not of this grid"),
                (good + "settings: {l2.size: 1M, except: {l2.size: 1M}}\n", "the conditions leave nothing"),
                (good + "warm_up: -1\n", "warm_up: -1: expected a number of frames"),
                (good + "pareto: [a, b]\n", "expected pairs of counters"),
                (good + "pareto: [[dram, cycles]]\n", r"pareto: glmark2_function.tbr, tcor-baseline-64k: no counter 'gpu.cycles'.*; those of "
                                                      r"cycles and energy need timing: --timing on, timing: on in a plan's settings; tbrsim counters"),
                (good + "settings: {timing: on}\npareto: [[dram, enery]]\n", r"no counter 'enery' \(did you mean energy\?\); tbrsim counters lists"),
                (good + "settings: {l2.size: [1M, 3]}\n", "1 of 2 combinations are no configurations"),
                (good + "settings: {" + ", ".join(f"k{n}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]" for n in range(9)) + "}\n",
                 "1000000000 combinations, more than"),
                (good + "settings: &a [*a]\n", "."), ("? [1]\n: 2\n", "."), (good + "frames: !!python/object:os.system x\n", "no YAML"),
                ("\0", "no YAML")):
            self.plan(text)
            result = self.explore()
            self.assertEqual(result.returncode, 1, text)
            self.assertRegex(result.stderr, f"^tbrsim: .*{pattern}")
            self.assertNotIn("Traceback", result.stderr)
            self.assertFalse(self.path("out").exists(), text)
        result = tbrsim.run("explore", "--out", self.path("out"), self.path("none.yaml"))
        self.assertEqual((result.returncode, result.stderr), (1, f"tbrsim: {self.path('none.yaml')}: No such file or directory\n"))

    def test_ranges(self):
        """As --vary takes them, in conditions, too."""
        self.plan("recordings: glmark2_function.tbr\nconfigurations: tcor-baseline-64k\nsettings:\n"
                  "  l2.size: [256k..1MB, 8M]\n  l2.ways: 4..16\n  except: {l2.size: 512K..1M, l2.ways: 16}\n")
        lines = self.explore("--list", check=True).stdout.splitlines()
        self.assertEqual([line.partition("l2.size=")[2] for line in lines],
                         [f"{size},l2.ways={ways}" for size in ("256K", "512K", "1M", "8M") for ways in (4, 8, 16)
                          if size not in ("512K", "1M") or ways != 16])
        self.path("plan.yaml", "recordings: glmark2_function.tbr\nconfigurations: tcor-baseline-64k\nsettings: {clock_mhz: 400MHz..1.6GHz}\n")
        self.assertEqual([line.partition("clock_mhz=")[2] for line in self.explore("--list", check=True).stdout.splitlines()],
                         ["400MHz", "800MHz", "1600MHz"])

    def test_list(self):
        self.plan()
        lines = self.explore("--list", check=True).stdout.splitlines()
        self.assertEqual(len(lines), 6)
        self.assertEqual(lines[0], "glmark2_function.tbr, tcor-baseline-64k,l2.size=256K,l2.policy=lru")
        self.assertFalse(self.path("out").exists())
        self.path("plan.yaml", PLAN.replace("l2.size", "l2.sise"))
        self.assertIn("no key 'sise' (did you mean l2.size?)", self.explore("--list").stderr)


class Front(tbrsim.TestCase):
    def test_all_pairs(self):
        numbers = random.Random(7)
        for count in [*range(1, 8), 40]:
            for _ in range(50):
                places = [(numbers.randrange(8), numbers.randrange(8)) for _ in range(count)]
                best = {index for index, (x, y) in enumerate(places)
                        if not any(a <= x and b <= y and (a, b) != (x, y) for a, b in places)}
                self.assertEqual(set(pareto.front(places)), best, places)

    def test_rows(self):
        rows = [{"recording": "a", "configuration": "c", "hits": 9, "reads": 5, "writes": 1},
                {"recording": "a", "configuration": "d", "hits": 8, "reads": 5, "writes": 1},
                {"recording": "b", "configuration": "c", "hits": 1, "reads": 2, "writes": 7}]
        self.assertEqual(pareto.fronts(rows, ["-hits", "reads+writes"]), {"a": [rows[0]], "b": [rows[2]]})
        self.assertEqual(pareto.value(rows[0], "reads + writes"), 6)
        rows = [row | {"frames": 2, "fps": 50} for row in rows]
        self.assertEqual(pareto.per_frame(rows[0], "-hits"), 4.5)
        self.assertEqual(pareto.per_frame(rows[0], "fps"), 50)
        for axis, measures, expected in (
                ("-hits", {"hits": "accesses"}, (1, "hits, accesses per frame (more is better)")),
                ("reads+writes", {"reads": "blocks"}, (1, "reads+writes per frame (less is better)")),
                ("-fps", {"fps": "Hz"}, (1, "frames per second (more is better)"))):
            self.assertEqual(pareto.scale(rows, axis, measures), expected)
        measures = {"energy.system.total": "pJ", "gpu.cycles": "cycles", "dram.total.read_bytes": "bytes", "dram.total.write_bytes": "bytes"}
        large = [{"recording": "a", "energy.system.total": 6e9, "gpu.cycles": 3e6, "dram.total.read_bytes": 1 << 24,
                  "dram.total.write_bytes": 1 << 23, "frames": 2}]
        for axis, expected in (("energy", (1e9, "energy, mJ per frame (less is better)")),
                               ("gpu.cycles", (1e6, "gpu.cycles, million cycles per frame (less is better)")),
                               ("dram", (1 << 20, "dram, MiB per frame (less is better)"))):
            self.assertEqual(pareto.scale(large, axis, measures), expected)
        self.assertEqual([pareto.value(large[0], axis) for axis in ("energy", "cycles", "-dram")], [6e9, 3e6, -3 << 23])
        with self.assertRaisesRegex(package.Error, "pareto: no counter 'configuration'"):
            pareto.value(rows[0], "hits+configuration")

    def test_oracles_are_bounds(self):
        """The front is of designs, but where there are none."""
        rows = [{"recording": "a", "hits": hits, "reads": 1, "oracle": oracle} for hits, oracle in ((9, "l2"), (8, ""), (7, ""))]
        self.assertEqual(pareto.fronts(rows, ["-hits", "reads"]), {"a": [rows[1]]})
        self.assertEqual(pareto.fronts(rows[:1], ["-hits", "reads"]), {"a": [rows[0]]})

    def test_plot(self):
        """It names the front's points alone, by number; of equal ones both at one place; the same file each time."""
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("without matplotlib there are no plots")
        rows = [{"recording": "a", "configuration": name, "l2.size": size, "mode": "x", "frames": 2, "hits": hits, "reads": 6,
                 "oracle": oracle}
                for name, size, hits, oracle in (("c", "1M", 8, ""), ("d", "512K", 8, ""), ("d", "2M", 4, ""), ("c", "2M", 9, "l2"))]
        shown, points = [], []
        axes = importlib.import_module("matplotlib.axes").Axes
        legend, annotate, scatter = axes.legend, axes.annotate, axes.scatter
        with unittest.mock.patch.object(axes, "legend", lambda self, handles, **rest: shown.extend(
                handle.get_label() for handle in handles) or legend(self, handles=handles, **rest)), \
                unittest.mock.patch.object(axes, "annotate", lambda self, text, at, **rest: shown.append((text, at)) or
                                           annotate(self, text, at, **rest)), \
                unittest.mock.patch.object(axes, "scatter", lambda self, x, y, **how: points.append((x, y, how)) or
                                           scatter(self, x, y, **how)):
            pareto.draw(rows, ["-hits", "reads"], ["l2.size", "mode"], self.path("a.png"))
            self.assertEqual(shown, [("1,2", (4, 3)), "configuration", "  c", "  d", "l2.size", "  512K", "  1M", "  2M",
                                     "hollow: with an oracle, a bound", "the Pareto front:", "1  c,l2.size=1M", "2  d,l2.size=512K"])
            pareto.draw(rows, ["-hits", "reads"], ["l2.size", "mode"], self.path("b.png"))
        self.assertEqual(self.path("a.png").read_bytes(), self.path("b.png").read_bytes())
        self.assertEqual([(x, y) for x, y, _ in points[:5]], [([4], [3]), ([4], [3]), ([2], [3]), ([4.5], [3]), ([4, 4], [3, 3])])
        styles = [how for _, _, how in points[:4]]
        self.assertEqual([how["facecolors"] == "none" for how in styles], [False, False, False, True])
        self.assertEqual(styles[0]["edgecolors"], styles[3]["edgecolors"])
        self.assertNotEqual(styles[0]["edgecolors"], styles[1]["edgecolors"])
        self.assertEqual(len({how["marker"] for how in styles}), 3)
        self.assertEqual(styles[2]["marker"], styles[3]["marker"])


if __name__ == "__main__":
    tbrsim.main()
