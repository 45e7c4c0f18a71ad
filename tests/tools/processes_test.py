# SPDX-License-Identifier: MIT
"""Several processes in one run, runs one after another in one directory, runs that draw nothing: every process that
draws has its statistics and its recording, and nothing is lost before there is something new."""

import csv
import json
import os
import pathlib
import random
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

NOT_DRAWN = "tbrsim: no frame was finished on the simulated GPU (one ends at a swap of buffers, or where a program that " \
            "never swaps exits, unless a signal ends it); nothing was written to"


class ProcessesTest(tbrsim.DisplayTestCase):
    def setUp(self):
        super().setUp()
        self.out = self.directory / "out"
        self.draw = tbrsim.arguments.displays

    def run_in(self, out, *command, options=(), **more):
        return tbrsim.run("run", "--out", out, *options, "--", *command, **more)

    def shell(self, script, out=None, **options):
        """Runs a shell's script, which knows $draw; nothing but the lines that are expected may be said."""
        result = self.run_in(out or self.out, "sh", "-c", f"draw='{self.draw}'; {script}", **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return tbrsim.said(result).splitlines()

    def index(self, out=None):
        path = (out or self.out) / "processes.csv"
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def frames(self, folder):
        """How many frames a folder has; both files are whole."""
        frames, rows = tbrsim.frames(folder), tbrsim.statistics_files.load_csv(folder)
        self.assertEqual([dict.fromkeys(frames[0], 0) | row for row in rows], frames)
        return len(frames)

    def content(self, directory):
        """All that is in a directory, as it is."""
        return {str(path.relative_to(directory)): os.readlink(path) if path.is_symlink() else path.read_bytes()
                for path in directory.rglob("*") if path.is_symlink() or path.is_file()}


class Folders(ProcessesTest):
    def test_one_process(self):
        self.assertEqual(self.shell("$draw probe"), [])
        row, = self.index()
        self.assertEqual((row["folder"], row["program"], row["recording"]), ("displays-1", "displays", ""))
        self.assertEqual(row["command"], f"{self.draw} probe")
        for name in tbrsim.STATISTICS:
            self.assertEqual(os.readlink(self.out / name), f"displays-1/{name}")
        self.assertEqual(self.frames(self.out), 3)
        self.assertEqual(sorted(os.listdir(self.out)), ["displays-1", "frames.csv", "processes.csv", "stats.json"])
        self.assertEqual(sorted(os.listdir(self.out / "displays-1")), sorted(tbrsim.STATISTICS))

    def test_at_once(self):
        said = self.shell("for i in 1 2 3 4 5 6 7 8 9 10; do $draw probe & done; $draw after; wait")
        self.assertEqual(len(said), 1, said)
        self.assertIn("11 processes drew: ", said[0])
        self.assertIn(str(self.out / "processes.csv"), said[0])
        rows = self.index()
        folders = [f"displays-{n}" for n in range(1, 12)]
        self.assertEqual([row["folder"] for row in rows], folders)
        self.assertEqual(len({row["pid"] for row in rows}), 11)
        self.assertEqual(len({row["run"] for row in rows}), 1)
        for row in rows:
            self.assertEqual(self.frames(self.out / row["folder"]), 5 if row["command"].endswith("after") else 3)
        # What they hold depends on the program alone.
        same = {tuple((self.out / row["folder"] / name).read_bytes() for name in tbrsim.STATISTICS) for row in rows
                if row["command"].endswith("probe")}
        self.assertEqual(len(same), 1)
        self.assertEqual(os.readlink(self.out / "stats.json"), f"{folders[-1]}/stats.json")

    def test_one_after_another(self):
        said = self.shell("$draw probe; $draw none; cp $draw ./'a, \"b\"\n'; ./'a, \"b\"\n' after", cwd=self.directory)
        self.assertEqual(len(said), 1, said)
        self.assertIn("2 processes drew", said[0])
        self.assertEqual([row["folder"] for row in self.index()], ["displays-1", "a___b__-1"])
        self.assertEqual(self.index()[1]["program"], "a, \"b\"\n")
        self.assertEqual(self.frames(self.out / "displays-1"), 3)
        self.assertEqual(self.frames(self.out), 5)  # the last one's

    def test_child_that_draws(self):
        # The parent's threads may be writing, and hold locks, when it forks.
        self.assertEqual(len(self.shell("for i in 1 2 3 4 5 6; do $draw child; done")), 1)
        frames = [self.frames(self.out / row["folder"]) for row in self.index()]
        # Of each pair, which process is the first to have a frame depends on their threads.
        self.assertEqual([sorted(frames[n:n + 2]) for n in range(0, len(frames), 2)], [[1, 2]] * 6)

    def test_frames_fit(self):
        """A kilobyte a frame, in both files together."""
        self.shell("glmark2-es2 -b build:nframes=25:duration=1000 --size 200x150 >/dev/null")
        rows = [max(map(len, (self.out / name).read_bytes().splitlines()[2 if name == "stats.json" else 0:][1:20]))
                for name in tbrsim.STATISTICS]
        self.assertLess(sum(rows), 1000)

    def test_new_run_replaces(self):
        self.shell("$draw probe; $draw probe; cp $draw ./other; ./other probe", cwd=self.directory)
        (self.out / "notes").write_text("mine")
        (self.out / "displays-2" / "notes").write_text("mine")
        (self.out / "displays-7").mkdir()
        (self.out / "displays-7" / "stats.json").write_text("mine, too")
        self.assertEqual(self.shell("$draw after"), [])
        self.assertEqual([row["folder"] for row in self.index()], ["displays-1"])
        self.assertEqual(self.frames(self.out), 5)
        self.assertEqual(sorted(self.content(self.out)),
                         ["displays-1/frames.csv", "displays-1/stats.json", "displays-2/notes",
                          "displays-7/stats.json", "frames.csv", "notes", "processes.csv", "stats.json"])

    def test_older_form_is_replaced(self):
        self.out.mkdir()
        for name in tbrsim.STATISTICS:
            (self.out / name).write_text("of an earlier version")
        self.shell("true")
        self.assertEqual((self.out / "stats.json").read_text(), "of an earlier version")
        self.shell("$draw probe")
        self.assertEqual(self.frames(self.out), 3)

    def test_links_are_not_followed(self):
        self.shell("$draw probe")
        outside = self.directory / "outside-1"
        outside.mkdir()
        (outside / "stats.json").write_text("mine")
        row = self.index()[0]
        os.symlink(outside, self.out / "link-1")
        with open(self.out / "processes.csv", "a", encoding="utf-8", newline="") as file:
            for folder in ("link-1", "../outside-1", str(outside), ".", "..", ""):
                csv.writer(file, lineterminator="\n").writerow((row | {"folder": folder}).values())
        self.assertEqual(self.shell("$draw after"), [])
        self.assertEqual((outside / "stats.json").read_text(), "mine")
        self.assertTrue((self.out / "link-1").is_symlink())
        self.assertEqual([row["folder"] for row in self.index()], ["displays-1"])
        self.assertEqual(self.frames(self.out), 5)

    def test_shell_adds_up(self):
        script = f"""eval "$("{tbrsim.arguments.tbrsim}" env --out "$1")"; "$2" probe; "$2" after
                     "{tbrsim.arguments.tbrsim}" run -- "$2" probe; "$2" none"""
        for _ in range(2):  # the second shell is another run
            result = tbrsim.execute("sh", "-c", script, "sh", self.out, self.draw)
            self.assertEqual((result.returncode, tbrsim.said(result)), (0, ""))
            self.assertEqual([row["folder"] for row in self.index()], ["displays-1", "displays-2", "displays-3"])
            self.assertEqual([self.frames(self.out / row["folder"]) for row in self.index()], [3, 5, 3])

    def test_without_a_run(self):
        """Each process is one of its own."""
        script = f"""eval "$("{tbrsim.arguments.tbrsim}" env --out "$1")"; unset TBRSIM_RUN; "$2" probe; "$2" after"""
        result = tbrsim.execute("sh", "-c", script, "sh", self.out, self.draw)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual([row["folder"] for row in self.index()], ["displays-1"])
        self.assertEqual(self.frames(self.out), 5)

    def test_two_runs_at_once(self):
        script = '"$1" probe; exec "$2" window 203 117 100000'
        first = tbrsim.start("run", "--out", self.out, "--", "sh", "-c", script, "sh", self.draw, tbrsim.arguments.scenes,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(first.wait)
        self.addCleanup(first.terminate)
        deadline = time.monotonic() + tbrsim.LONG_WAIT
        while not (self.out / "render_scenes-1" / "stats.json").exists() and time.monotonic() < deadline:
            self.assertIsNone(first.poll())
            time.sleep(0.01)
        self.assertEqual(len(self.shell("$draw probe; $draw probe")), 1)
        self.assertIsNone(first.poll())
        self.assertEqual([row["folder"] for row in self.index()], ["displays-1", "render_scenes-1", "displays-2", "displays-3"])
        self.assertEqual([self.frames(self.out / f"displays-{n}") for n in (1, 2, 3)], [3, 3, 3])
        first.terminate()
        first.wait()
        self.assertGreater(self.frames(self.out / "render_scenes-1"), 0)
        self.shell("$draw after")
        self.assertEqual([row["folder"] for row in self.index()], ["displays-1"])
        self.assertEqual(sorted(path.name for path in self.out.iterdir() if path.is_dir()), ["displays-1"])

    def test_sim_replaces(self):
        recording = self.directory / "x.tbr"
        self.shell("$draw probe; $draw after", options=("--record", recording))
        self.assertEqual(tbrsim.run("sim", "--out", self.out, recording).returncode, 0)
        self.assertEqual(self.frames(self.out), 3)
        self.assertEqual(sorted(os.listdir(self.out)), ["frames.csv", "stats.json"])
        before = self.content(self.out)
        result = tbrsim.run("sim", "--out", self.out, recording, preexec_fn=lambda: tbrsim.no_room(9000))
        self.assertEqual(result.returncode, 1)
        self.assertEqual((self.content(self.out), result.stdout), (before, ""))

    def test_tables_of_the_run_before(self):
        """Beside statistics are no tables of another run, whichever of run and sim came first; files of others stay."""
        recording = self.directory / "x.tbr"
        own = {"passes.parquet": b"mine"}
        self.out.mkdir()
        for name, content in own.items():
            (self.out / name).write_bytes(content)
        rich = ("--timing", "on", "--attribute", "draw,tile", "--timeline", "0", "--format", "parquet", "--out", self.out)
        self.run_in(self.out, self.draw, "probe", options=("--record", recording), check=True)
        tbrsim.run("sim", *rich, recording, check=True)
        self.assertIn("draws.parquet", os.listdir(self.out))
        self.run_in(self.out, self.draw, "probe", check=True)
        self.assertEqual(sorted(os.listdir(self.out)), sorted(["displays-1", "frames.csv", "processes.csv", "stats.json", *own]))
        self.run_in(self.out, self.draw, "probe", options=rich[:-2], check=True)
        self.assertIn("draws.parquet", os.listdir(self.out))
        tbrsim.run("sim", "--out", self.out, recording, check=True)
        self.assertEqual(sorted(os.listdir(self.out)), sorted(["frames.csv", "stats.json", *own]))
        for name, content in own.items():
            self.assertEqual((self.out / name).read_bytes(), content)


class Nothing(ProcessesTest):
    """A run that draws nothing changes nothing, and says so."""

    def test_nothing_is_left(self):
        for command in (["true"], [self.draw, "none"], ["sh", "-c", "exit 7"]):
            result = self.run_in(self.out / "within", *command)
            self.assertEqual(result.returncode, 7 if command[0] == "sh" else 0)
            self.assertEqual(result.stderr, f"{NOT_DRAWN} {self.out}/within\n")
            self.assertFalse(self.out.exists())
        self.assertEqual(self.run_in(self.out, "no-such-program").returncode, 127)
        self.assertEqual(tbrsim.run("env", "--out", self.out).returncode, 0)
        self.assertFalse(self.out.exists())

    def test_earlier_results_stay(self):
        recording = self.directory / "x.tbr"
        self.shell("$draw probe; $draw after", options=("--record", recording))
        before = self.content(self.directory)
        for status, command in ((1, ["true"]), (127, ["no-such-program"]), (1, [self.draw, "none"]),
                                (-signal.SIGSEGV, ["sh", "-c", "kill -SEGV $$"])):
            result = self.run_in(self.out, *command, options=("--record", recording))
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertEqual(self.content(self.directory), before)
        self.assertEqual(self.run_in(self.out, "true").stderr, f"{NOT_DRAWN} {self.out}\n")
        self.assertEqual(self.content(self.directory), before)

    def test_no_model(self):
        for command in (["run", "--no-model", "--out", self.out, "--", self.draw, "probe"],
                        ["env", "--no-model", "--out", self.out]):
            result = tbrsim.run(*command)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(result.stderr, f"tbrsim: --no-model: there are no statistics without the model; {self.out} "
                                            "gets none\n")
            self.assertFalse(self.out.exists())
        self.assertEqual(tbrsim.run("run", "--no-model", "--", "true").stderr, "")

    def test_replay_without_frames(self):
        """It does not take earlier results for its own."""
        trace = tbrsim.CAPTURES / "glmark2_function.trace"
        self.shell("$draw probe")
        before = self.content(self.out)
        result = tbrsim.run("replay", "--out", self.out, trace, preexec_fn=lambda: tbrsim.no_room(5000))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, "^tbrsim: .*File too large; no statistics are written\n$")
        after = self.content(self.out)
        after.pop("replay.log")
        self.assertEqual(after, before)


class Hostile(ProcessesTest):
    def test_full_disk(self):
        self.shell("$draw probe")
        before = self.content(self.out)
        result = self.run_in(self.out, self.draw, "after", preexec_fn=lambda: tbrsim.no_room(5000))
        self.assertEqual(result.returncode, 0)
        driver, command = result.stderr.splitlines()
        self.assertIn("File too large; no statistics are written", driver)
        self.assertEqual(command, f"tbrsim: {self.out}: cannot be written to: File too large; nothing was written to {self.out}")
        self.assertEqual(self.content(self.out), before)
        result = self.run_in(self.directory / "new", self.draw, "after", preexec_fn=lambda: tbrsim.no_room(5000))
        self.assertEqual(os.listdir(self.directory / "new"), [])

    def test_index_of_others(self):
        self.shell("$draw probe")
        whole = (self.out / "processes.csv").read_bytes()
        for garbage in (b"", b"a,b,c\n1,2,3\n", whole[:-1], whole + b"x\n", whole + b"\0\n", bytes(range(256)) * 99,
                        whole.replace(b"folder", b"folders"), whole + b'"' * 7):
            (self.out / "processes.csv").write_bytes(garbage)
            before = self.content(self.out)
            result = self.run_in(self.out, self.draw, "after")
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
            self.assertIn("processes.csv: not written by tbrsim; the results cannot be written", result.stderr)
            # A program that is run without the command says the same, and continues.
            script = f'eval "$("{tbrsim.arguments.tbrsim}" env)"; TBRSIM_OUT="$1" "$2" after'
            result = tbrsim.execute("sh", "-c", script, "sh", self.out, self.draw)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (0, 1), result.stderr)
            self.assertIn("processes.csv: not written by tbrsim; the results cannot be written", result.stderr)
            self.assertEqual(self.content(self.out), before)

    def test_no_directory(self):
        self.out.write_text("a file")
        script = f'eval "$("{tbrsim.arguments.tbrsim}" env)"; TBRSIM_OUT="$1" "$2" after'
        for out in (self.out, self.out / "within", "/proc/out"):
            result = self.run_in(out, self.draw, "after")
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
            result = tbrsim.execute("sh", "-c", script, "sh", out, self.draw)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (0, 1), result.stderr)
            self.assertRegex(result.stderr, f"^tbrsim: error: {out}: (Not a directory|No such file or directory)$")

    def test_killed_at_any_moment(self):
        """What is listed is whole, and the next run continues from there."""
        chance = random.Random(7)
        outputs = []
        for _ in range(25):
            process = tbrsim.start("run", "--out", self.out, "--", "sh", "-c",
                                   f"for i in 1 2 3; do {self.draw} after & {self.draw} probe; done; wait",
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
            outputs.append(process.stdout)
            time.sleep(chance.uniform(0.02, 0.5))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if (self.out / "processes.csv").exists():
                rows = self.index()
                self.assertGreater(len(rows), 0)
                for row in rows:
                    self.assertGreater(len(tbrsim.frames(self.out / row["folder"])), 0)
                    self.assertGreater(len(tbrsim.statistics_files.load_csv(self.out / row["folder"])), 0)
            if (self.out / "stats.json").exists():
                tbrsim.statistics_files.load(self.out)
        # Programs may outlive the command for a moment, and what they still write is kept.
        for output in outputs:
            output.read()
            output.close()
        self.shell("$draw probe")
        row, = self.index()
        self.assertEqual(self.frames(self.out / row["folder"]), 3)
        self.assertEqual(self.frames(self.out), 3)


class Recordings(ProcessesTest):
    def setUp(self):
        super().setUp()
        self.recording = self.directory / "x.tbr"

    def recorded_frames(self, path):
        result = tbrsim.run("info", "--json", path)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return len(json.loads(result.stdout)["frames"])

    def test_several(self):
        said = self.shell("for i in 1 2 3; do $draw probe & done; wait; $draw after",
                          options=("--record", self.recording))
        rows = self.index()
        self.assertEqual(len([line for line in said if "is another process' recording; that of displays" in line]), 3)
        paths = [pathlib.Path(row["recording"]) for row in rows]
        self.assertEqual(len(set(paths)), 4)
        self.assertIn(self.recording, paths)
        self.assertEqual(sorted(path.name for path in self.directory.glob("*.tbr")), sorted(path.name for path in paths))
        for row, path in zip(rows, paths):
            self.assertIn(path.name, ("x.tbr", f"x.{row['folder']}.tbr"))
            self.assertEqual(self.recorded_frames(path), self.frames(self.out / row["folder"]))
            self.assertEqual(tbrsim.run("sim", "--out", self.directory / "sim", path).returncode, 0)
            self.assertEqual(tbrsim.contents(self.directory / "sim"), tbrsim.contents(self.out / row["folder"]))

    def test_beside_the_statistics(self):
        """In the same directory, which is not there before anything is drawn."""
        for name in ("x.tbr", "in/x.tbr"):
            recording = self.out / name
            result = self.run_in(self.out, "true", options=("--record", recording))
            self.assertEqual(result.stderr, f"{NOT_DRAWN} {self.out}; {recording}: nothing was recorded\n")
            self.assertEqual(self.out.exists(), name != "x.tbr")
            self.shell("$draw probe & $draw probe; wait", options=("--record", recording))
            self.assertEqual(sorted(self.recorded_frames(path) for path in recording.parent.glob("*.tbr")), [3, 3])
        result = self.run_in(self.out, self.draw, "probe", options=("--record", self.directory / "no" / "x.tbr"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("no/x.tbr: cannot be written to: No such file or directory", result.stderr)

    def test_without_statistics(self):
        self.shell("$draw probe; $draw after; $draw probe", options=("--no-model", "--record", self.recording))
        self.assertFalse(self.out.exists())
        self.assertEqual({path.name: self.recorded_frames(path) for path in self.directory.glob("*.tbr")},
                         {"x.tbr": 3, "x.displays-1.tbr": 5, "x.displays-2.tbr": 3})
        # Those of an earlier run are replaced.
        self.shell("$draw after; $draw probe", options=("--no-model", "--record", self.recording))
        self.assertEqual({path.name: self.recorded_frames(path) for path in self.directory.glob("*.tbr")},
                         {"x.tbr": 5, "x.displays-1.tbr": 3, "x.displays-2.tbr": 3})

    def test_other_files(self):
        """What is no file is not replaced; a link to one stays."""
        target = self.directory / "target"
        target.write_text("old")
        os.utime(target, (1, 1))
        os.symlink("target", self.directory / "link.tbr")
        self.shell("$draw probe", options=("--record", self.directory / "link.tbr"))
        self.assertEqual(self.recorded_frames(target), 3)
        self.assertTrue((self.directory / "link.tbr").is_symlink())
        script = f'eval "$("{tbrsim.arguments.tbrsim}" env)"; TBRSIM_RECORD="$1" "$2" probe'
        os.mkfifo(self.directory / "fifo")
        for path in (self.directory / "fifo", self.directory):
            result = tbrsim.execute("sh", "-c", script, "sh", path, self.draw)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (0, 1), result.stderr)
            self.assertIn("nothing is recorded", result.stderr)
            self.assertFalse(path.is_file())


class Parent(ProcessesTest):
    """The command is there until its program ends, and is not noticed."""

    def setUp(self):
        super().setUp()
        # Background jobs of a shell, and of nohup, ignore these, and so do their programs: tests may be one.
        for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL),
                                (signal.SIGHUP, signal.SIG_DFL)):
            self.addCleanup(signal.signal, number, signal.signal(number, handler))

    def start(self, *command, **options):
        process = tbrsim.start("run", "--no-model", "--", *command, text=True, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                self.addCleanup(stream.close)
        return process

    @staticmethod
    def state(process):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]

    def wait_for(self, condition):
        deadline = time.monotonic() + tbrsim.LONG_WAIT
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(condition())

    def test_streams(self):
        result = tbrsim.run("run", "--no-model", "--", "sh", "-c", "cat; cat >&2 /dev/null; exit 9",
                                data="text\n")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (9, "text\n", ""))
        # The end of the program's output is seen when it is there.
        process = self.start("sh", "-c", "echo a; exec sleep 60 >&-", stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.read(), "a\n")
        self.assertIsNone(process.poll())

    def test_signals_are_passed_on(self):
        script = ("for name in USR1 USR2 HUP INT QUIT TERM; do trap \"echo $name\" $name; done; echo ready; "
                  "while :; do sleep 0.01; done")
        process = self.start("sh", "-c", script, stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGINT, signal.SIGINT, signal.SIGQUIT,
                       signal.SIGTERM, signal.SIGTERM):
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), f"{number.name[3:]}\n")

    def test_ends_as_the_program(self):
        for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGINT):
            process = self.start("sh", "-c", f"kill -{int(number)} $$", stderr=subprocess.DEVNULL)
            self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), -number)
        self.assertEqual(self.start("sh", "-c", "exit 139", stderr=subprocess.DEVNULL).wait(timeout=tbrsim.LONG_WAIT), 139)

    def test_stops_with_the_program(self):
        process = self.start("sh", "-c", "echo $$; exec sleep 60", stdout=subprocess.PIPE)
        program = int(process.stdout.readline())
        for _ in range(3):
            os.kill(program, signal.SIGSTOP)
            self.wait_for(lambda: self.state(program) == "T" and self.state(process.pid) == "T")
            process.send_signal(signal.SIGCONT)
            self.wait_for(lambda: self.state(program) == "S" and self.state(process.pid) == "S")

    def test_terminal(self):
        """Control-C arrives once; control-Z stops both, which a shell sees, and both continue."""
        # Not by print: the signal may come before print has returned, and it refuses to be called again.
        program = ("import os, signal, time\nsignal.signal(signal.SIGINT, lambda *_: os.write(1, b'interrupted\\n'))\n"
                   "os.write(1, b'ready\\n')\nwhile True: time.sleep(0.01)\n")
        # What a shell does with a job.
        shell = ("import os, signal, sys\nsignal.signal(signal.SIGTTOU, signal.SIG_IGN)\njob = os.fork()\nif not job:\n"
                 "    os.setpgid(0, 0)\n    os.tcsetpgrp(0, os.getpid())\n    signal.signal(signal.SIGTTOU, signal.SIG_DFL)\n"
                 "    os.execv(sys.argv[1], sys.argv[1:])\n"
                 "while os.WIFSTOPPED(os.waitpid(job, os.WUNTRACED)[1]):\n"
                 "    print('stopped', flush=True)\n    os.killpg(job, signal.SIGCONT)\nprint('ended', flush=True)\n")
        number, terminal = os.forkpty()
        if not number:
            os.execve(sys.executable, [sys.executable, "-c", shell, tbrsim.arguments.tbrsim, "run", "--no-model", "--",
                                       sys.executable, "-c", program], tbrsim.environment())
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.waitpid, number, 0)
        self.addCleanup(os.kill, number, signal.SIGKILL)

        def said(seconds, until=None):
            text, deadline = "", time.monotonic() + seconds
            while time.monotonic() < deadline and not (until and until in text):
                if select.select([terminal], [], [], 0.05)[0]:
                    text += os.read(terminal, 4096).decode()
            return text
        self.assertIn("ready", said(tbrsim.LONG_WAIT, "ready"))
        for _ in range(3):
            os.write(terminal, b"\x03")
            self.assertIn("interrupted", said(tbrsim.LONG_WAIT, "interrupted"))
            self.assertNotIn("interrupted", said(0.3))
            os.write(terminal, b"\x1a")
            self.assertIn("stopped", said(tbrsim.LONG_WAIT, "stopped"))
            self.assertNotIn("stopped", said(0.3))
        os.write(terminal, b"\x1c")  # SIGQUIT
        self.assertIn("ended", said(tbrsim.LONG_WAIT, "ended"))


if __name__ == "__main__":
    tbrsim.main("displays", "scenes")
