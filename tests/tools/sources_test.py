# SPDX-License-Identifier: MIT
"""What report and advise take: programs, traces, recordings and results; what they make of it, their progress, and the
limits of report --fail-above."""

import json
import os
import pathlib
import pty
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from tbrsim.report.typical import Typical  # noqa: E402

TRACE = tbrsim.CAPTURES / "glmark2_ideas.trace"
RUNNING = "tbrsim (note): running {}; what it draws is recorded, and looked at when it ends\n"
DRAW = ("sh", "-c", '"$0" probe')


class SourcesTest(tbrsim.DisplayTestCase):
    def setUp(self):
        super().setUp()
        self.results = self.directory / "results"
        self.page = self.directory / "page.html"
        self.draw = tbrsim.arguments.displays

    def advice(self, *words, **options):
        """What advise prints as JSON."""
        return self.findings(tbrsim.run("advise", "--json", *words, check=True, **options))

    @staticmethod
    def findings(result):
        """That, but for the recording's name and fingerprint: of some of its frames it is another one."""
        advice = json.loads(result.stdout)
        return {key: value for key, value in advice.items() if key not in ("recording", "run")}


class Report(SourcesTest):
    def report(self, *words, status=0):
        result = tbrsim.run("report", "--out", self.page, "--results", self.results, *words)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(self.page.exists(), status == 0)
        return result

    def test_program(self):
        result = self.report("--frames", "1-2", "--", self.draw, "probe")
        self.assertEqual(result.stderr, RUNNING.format(self.draw))
        self.assertRegex(result.stdout, r"report: .*page.html")
        self.assertEqual(len(tbrsim.frames(self.results)), 2)
        for name in tbrsim.TABLES:
            self.assertTrue((self.results / name).exists(), name)
        self.assertTrue(any(self.results.glob("*/thumbnails/1-0.png")))
        # The recording is of the same frames.
        total = tbrsim.total(self.results)
        self.assertEqual(tbrsim.simulate(self.results / "report.tbr", "--timing", "on")["total"], total)
        self.assertGreater(total["gpu.cycles"], 0)

    def test_program_on_two_gpus(self):
        """It runs once."""
        self.report("--compare-config", "tcor-64k", "--", "sh", "-c", f'echo >>"{self.path("runs")}"; "$0" probe', self.draw)
        self.assertEqual(self.path("runs").read_text(), "\n")
        self.assertEqual(tbrsim.statistics_files.load(self.path("results-compare"))["run"]["preset"], "tcor-64k")

    def test_program_that_a_signal_ends(self):
        result = self.report("--", "sh", "-c", '"$0" probe; kill -TERM $$', self.draw)
        self.assertIn("killed by signal 15", result.stderr)
        self.assertEqual(len(tbrsim.frames(self.results)), 3)

    def test_program_that_draws_nothing(self):
        for words, status in ((("true",), 1), (("sh", "-c", "exit 3"), 3), (("./no-such-program",), 127)):
            result = self.report("--", *words, status=status)
            self.assertRegex(result.stderr.splitlines()[-1], "nothing was recorded|cannot be executed")

    def test_results_without_attributions(self):
        """Their recording is simulated with them, in a directory of its own."""
        tbrsim.run("replay", "--timing", "on", "--record", self.path("x.tbr"), "--out", self.results, "--frames", "0-1", TRACE,
                   check=True)
        before = tbrsim.contents(self.results)
        tbrsim.run("report", "--out", self.page, self.results, check=True)
        self.assertEqual(tbrsim.contents(self.results), before)
        made = self.path("results-report")
        self.assertEqual(tbrsim.total(made), tbrsim.total(self.results))
        self.assertTrue((made / "draws.csv").exists())
        # Those of a process of several, too; without the recording the page is of what there is.
        made.rename(self.path("made"))
        tbrsim.run("report", "--out", self.page, self.results / "glmark2-es2-1", check=True)
        self.path("x.tbr").unlink()
        self.fine("report", "--out", self.page, self.results)
        self.assertFalse(made.exists())

    def test_operands(self):
        self.refused(2, "more than one results, recording, trace or program; of two: tbrsim report --compare b a$", "report",
                     "a", "b")
        self.refused(2, "glxgears: there is no such file, expected a directory of results, a recording .\.tbr., a trace .\.trace, \.gfxr., or a program after --$", "report", "glxgears")
        self.refused(2, "unknown option '-b'; see tbrsim report --help; a program and its options come after --$",
                     "report", "glmark2-es2", "-b", "build")
        self.refused(2, f"{self.draw}: expected a directory of results, ", "report", self.draw)


class Limits(SourcesTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = tbrsim.record(cls.shared, "glmark2_ideas", "--no-model", "--frames", "0-2")
        cls.large, cls.small = cls.shared / "large", cls.shared / "small"
        tbrsim.run("sim", "--timing", "on", "--out", cls.large, cls.recording, check=True)
        tbrsim.run("sim", "--timing", "on", "--set", "l2.size=32K", "--frames", "0-1", "--out", cls.small, cls.recording,
                   check=True)

    def check(self, *words, status=0):
        """The rows that are printed: {name: (first, other, more, limit, whether it is exceeded)}."""
        result = tbrsim.run("report", *words, cwd=self.directory)
        self.assertEqual((result.returncode, result.stderr), (status, ""))
        rows = [re.fullmatch(r"(\S+) +([\d.]+) +([\d.]+) +([+-][\d.]+|\+inf) % +([\d.]+) %(  exceeded)?", line)
                for line in result.stdout.splitlines() if not line.startswith(("per frame", "report: "))]
        return {row[1]: (*map(float, row.groups()[1:5]), bool(row[6])) for row in rows}

    def per_frame(self, directory, *names):
        return sum(tbrsim.total(directory)[name] for name in names) / len(tbrsim.frames(directory))

    def test_limits(self):
        counters = {"dram": ("dram.total.read_bytes", "dram.total.write_bytes"), "cycles": ("gpu.cycles",),
                    "energy": ("energy.system.total",), "l2.total.misses": ("l2.total.misses",)}
        limits = [word for name in counters for word in ("--fail-above", f"{name}=2%")]
        rows = self.check("--compare", self.small, *limits, self.large, status=1)
        self.assertEqual(list(rows), list(counters))
        for name, parts in counters.items():
            first, other = self.per_frame(self.large, *parts), self.per_frame(self.small, *parts)
            more = 100 * (other - first) / first
            self.assertAlmostEqual(rows[name][0], first, 1)
            self.assertAlmostEqual(rows[name][1], other, 1)
            self.assertAlmostEqual(rows[name][2], more, 2)
            self.assertEqual(rows[name][4], more > 2, name)
        # As much as that is allowed; so is less.
        most = rows["l2.total.misses"][2]
        for limit, exceeded in ((f"{most + 0.01:.2f}%", False), (f"{most - 0.01:.2f}%", True)):
            row = self.check("--compare", self.small, "--fail-above", f"l2.total.misses={limit}", self.large,
                             status=int(exceeded))["l2.total.misses"]
            self.assertEqual(row[4], exceeded)
        self.check("--compare", self.large, *limits, self.large)
        self.check("--compare", self.large, "--fail-above", "l2.total.misses=0%", self.small)
        # Without --out there is no page.
        self.assertEqual(list(self.directory.iterdir()), [])
        self.check("--compare", self.small, "--fail-above", "dram=0%", "--out", "page.html", self.large, status=1)
        self.assertTrue(self.page.exists())

    def left_out(self, directory, frames):
        """The frames that --fail-above does not count of results with so many (passes, draws), and its rows; the page's rule
        says the same."""
        statistics = json.loads((self.large / "stats.json").read_text())
        columns = [statistics["columns"].index(name) for name in ("gpu.passes", "gpu.draws")]
        rows = [list(statistics["frames"][number % 3]) for number in range(len(frames))]
        for row, load in zip(rows, frames, strict=True):
            for column, value in zip(columns, load, strict=True):
                row[column] = value
        directory.mkdir(exist_ok=True)
        (directory / "stats.json").write_text(json.dumps(statistics | {"frames": rows}))
        return self.said(directory, directory)

    def said(self, first, other):
        result = tbrsim.run("report", "--compare", other, "--fail-above", "gpu.draws=0%", first)
        said = re.search(r"(?m)^frames? ([\d, ]+) looks? like loading, ", result.stdout)
        return [int(number) for number in said[1].split(", ")] if said else [], result

    def test_loading_frames(self):
        """Frames that look like loading in the first run are not counted, of either run: those that the page leaves out."""
        numbers = random.Random(5)
        cases = [[(20, 9), (2, 9), (2, 9)], [(21, 9), (2, 9), (2, 9)], [(2, 91), (2, 9), (2, 9)], [(2, 90), (2, 9), (2, 9)],
                 [(0, 0)] * 3 + [(1, 5), (40, 90)], [(0, 0)] * 3 + [(1, 5), (1, 5), (40, 90)], [(1, 0), (1, 0), (1, 50)],
                 [(50, 1), (1, 1), (50, 1), (1, 1)], [(50, 1), (1, 1), (1, 1), (50, 1), (1, 1)]]
        cases += [[(numbers.choice((0, 1, 2, 10, 11, 25)), numbers.choice((0, 3, 31, 400))) for _ in range(numbers.randint(1, 9))]
                  for _ in range(20)]
        found = []
        for case in cases:
            columns = dict(zip(("gpu.passes", "gpu.draws"), map(list, zip(*case, strict=True)), strict=True))
            found.append(self.left_out(self.path("loading"), case)[0])
            self.assertEqual(found[-1], list(Typical(columns, len(case)).outliers()), case)
        self.assertEqual(found[:9], [[], [0], [0], [], [], [5], [], [0, 2], [0, 3]])

    def test_loading_is_no_change(self):
        """A frame that loads in both is in no average; one that grows in the other run alone is."""
        usual = [(900, 9), (3, 10), (3, 10), (3, 10)]
        self.left_out(self.path("first"), usual)
        for other, more, status in (([(9, 9999), *usual[1:]], "+0.00", 0), ([*usual[:3], (3, 310)], "+1000.00", 1),
                                    ([*usual, (3, 50)], "+100.00", 1)):
            self.left_out(self.path("other"), other)
            frames, result = self.said(self.path("first"), self.path("other"))
            self.assertEqual((frames, result.returncode), ([0], status), result.stderr)
            self.assertRegex(result.stdout, rf"gpu.draws +10.0 +\d+.0 +{re.escape(more)} %")
        self.left_out(self.path("other"), usual[:1])
        self.refused(1, "no frame is left to compare", "report", "--compare", self.path("other"), "--fail-above",
                     "dram=0%", self.path("first"))

    def test_what_was_nothing(self):
        """More than nothing is above every limit."""
        rows = self.check("--compare", self.small, "--fail-above", "dram.pb_attribute.reads=100%", "--fail-above",
                          "vertex_stage.texture_reads=0%", self.large, status=1)
        self.assertEqual([row[2:] for row in rows.values()], [(float("inf"), 100, True)] + [(0, 0, False)])

    def test_simulated(self):
        """Of recordings, which are simulated; the limits are of another GPU."""
        rows = self.check("--compare-config", "tcor-baseline-64k,l2.size=32K", "--results", self.results, "--fail-above", "dram=1%",
                          self.recording, status=1)
        self.assertEqual(list(rows), ["dram"])
        self.assertTrue(self.path("results-compare").exists())
        self.assertFalse(self.path("report.html").exists())

    def test_refused(self):
        for limit in ("dram", "dram=", "=2%", "dram=2 x", "dram=-1%", "dram=x%", "dram=2%%"):
            self.refused(2, f"--fail-above {limit}: expected a counter and a percentage, as in dram=2%", "report",
                         "--fail-above", limit, self.large)
        self.refused(2, "--fail-above: of what is no other run, expected --compare", "report", "--fail-above", "dram=2%",
                     self.large)
        self.refused(2, "no counter 'cycle' .did you mean cycles..; tbrsim counters lists them$", "report", "--compare",
                     self.small, "--fail-above", "cycle=2%", self.large)
        tbrsim.run("sim", "--out", self.results, self.recording, check=True)
        self.refused(2, "no counter 'gpu.cycles'.*, those of time and energy with --timing on$", "report", "--compare",
                     self.small, "--fail-above", "cycles=2%", self.results)


class Advise(SourcesTest):
    def test_all_are_alike(self):
        """A trace, the recording of it, and the results that were made with that."""
        recording = self.path("x.tbr")
        tbrsim.run("replay", "--record", recording, "--out", self.path("out"), TRACE, check=True)
        expected = self.advice(recording)
        self.assertTrue(expected["findings"])
        self.assertEqual(self.advice(self.path("out")), expected)
        self.assertEqual(self.advice(self.path("out") / "glmark2-es2-1"), expected)
        self.assertEqual(self.advice("--results", self.results, TRACE), expected)
        self.assertEqual(self.advice("--results", self.results, "--", TRACE), expected)
        # Its options are those of the replay, too.
        options = ("--frames", "2-4", "--warm-up", "1", "--config", "tcor-64k", "--set", "l2.ways=4")
        self.assertEqual(self.advice(*options, "--results", self.results, TRACE), self.advice(*options, recording))

    def test_program(self):
        result = tbrsim.run("advise", "--json", "--results", self.results, "--", *DRAW, self.draw)
        self.assertEqual((result.returncode, result.stderr), (0, RUNNING.format("sh")))
        self.assertEqual(self.advice(self.results / "advise.tbr"), self.findings(result))
        result = tbrsim.run("advise", "--results", self.results, "--", "true")
        self.assertEqual(result.returncode, 1)
        self.assertIn("nothing was recorded", result.stderr)

    def test_results_without_a_recording(self):
        """It says what to run."""
        tbrsim.run("replay", "--out", self.path("replayed"), TRACE, check=True)
        tbrsim.run("run", "--out", self.path("live"), "--", self.draw, "probe", check=True)
        recording = tbrsim.record(self.directory, "glmark2_ideas", "--no-model", "--frames", "0")
        tbrsim.run("sim", "--out", self.path("simulated"), recording, check=True)
        for name, answer in (("replayed", f"tbrsim advise {TRACE}$"), ("live", f"tbrsim advise -- {self.draw} probe$"),
                             ("simulated", "the recording or the trace that they are of$")):
            self.refused(2, f"{name}: results without a recording; expected {answer}", "advise", self.path(name))
        self.refused(1, "none.tbr: No such file", "advise", self.path("none.tbr"))


class Progress(SourcesTest):
    def on_terminal(self, *words):
        """What comes to a terminal."""
        terminal, end = pty.openpty()
        output = b""
        with open(terminal, "rb", buffering=0) as file:
            process = tbrsim.start(*words, stdout=end, stderr=end)
            os.close(end)
            while True:
                try:
                    output += file.read(4096)
                except OSError:  # nobody has it open any more
                    break
        self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), 0, output)
        return output.decode()

    def test_terminal(self):
        """The stages have names, and what has no frames left is not said to be ready at once."""
        recording = tbrsim.record(self.directory, "glmark2_ideas", "--no-model", "--frames", "0-3")
        output = self.on_terminal("report", "--timing", "on", "--results", self.results, "--out", self.page, recording)
        self.assertRegex(output, r"\r1 of 2, simulating glmark2_ideas.tbr: simulating: frame \d+ of 4")
        self.assertRegex(output, r"\r2 of 2, page: advise, simulating: frame \d+ of \d+")
        self.assertNotIn("100 %, 0 s left", output)
        lines = output.replace("\r\n", "\n").split("\n")
        # The last word stands alone in its line.
        self.assertRegex(lines[-2].split("\r")[-1], "^report: .*page.html")
        self.assertEqual(len(lines), 2, output)
        # What has its own progress file is shown by its reader alone.
        self.assertNotIn("\rsimulating", output)

    def test_no_terminal(self):
        """Nothing of what is short; lines when it takes long."""
        words = ("advise", "--results", self.results, "--", "sh", "-c")
        short = tbrsim.run(*words, '"$0" probe', self.draw, check=True)
        self.assertEqual(short.stderr, RUNNING.format("sh"))
        long = tbrsim.run(*words, '"$0" probe; sleep 10.1', self.draw, check=True)
        self.assertRegex(long.stderr, r"tbrsim \(note\): 2 of 2, advice: looking: frame \d of 3, \d+ %\n"
                                      r"tbrsim \(note\): 2 of 2, advice: simulating: frame \d of 3, \d+ %\n$")

    def test_interrupt(self):
        """Ctrl-C ends the program; the page is made of what it has drawn."""
        words = [tbrsim.arguments.tbrsim, "report", "--results", self.results, "--out", self.page, "--", "sh", "-c",
                 '"$0" probe; echo drawn; exec sleep 100', self.draw]
        process, terminal = pty.fork()
        if not process:
            os.execve(words[0], list(map(str, words)), tbrsim.environment())
        output = b""
        with open(terminal, "r+b", buffering=0) as file:
            while True:
                try:
                    output += file.read(4096)
                except OSError:  # nobody has it open any more
                    break
                if b"drawn" in output and b"^C" not in output:
                    file.write(b"\x03")
                    output += b"^C"
        self.assertEqual(os.waitpid(process, 0)[1], 0, output)
        self.assertIn("killed by signal 2", output.decode())
        self.assertTrue(self.page.exists(), output)


if __name__ == "__main__":
    tbrsim.main("displays")
