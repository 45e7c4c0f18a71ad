# SPDX-License-Identifier: MIT
"""The tbrsim command: its answers, and what it says to bad input: one clear line and
an exit status."""

import csv
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import textwrap
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

TRACE = tbrsim.CAPTURES / "glmark2_function.trace"


def servers(parent):
    """Process numbers of the X servers that a process has started."""
    found = set()
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            number, name, _, of = re.match(r"(\d+) \((.*)\) (\S) (\d+)", path.read_text()).groups()
        except OSError:
            continue  # it has ended
        if name == "Xvfb" and int(of) == parent:
            found.add(int(number))
    return found


def exists(process):
    """Whether it runs; one that has ended may wait for its parent to notice."""
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def amount(size):
    """Bytes as the command prints them."""
    unit = 0
    while size >= 1024:
        size, unit = size / 1024, unit + 1
    digits = 0 if size >= 100 or size == int(size) else 1 if size >= 10 else 2
    return f"{size:.{digits}f} {('B', 'KiB', 'MiB', 'GiB')[unit]}"


class Answers(tbrsim.TestCase):
    def test_help(self):
        for arguments in (["--help"], ["run", "--help"], ["replay", "--help"], ["env", "--help"],
                          ["analyze", "--help"], ["cache", "--help"], ["configs", "--help"],
                          ["counters", "--help"], ["energy", "--help"]):
            result = tbrsim.run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertTrue(result.stdout.startswith("usage: tbrsim"))
            self.assertEqual(result.stderr, "")
        self.assertEqual(self.fine("help", "cache"), self.fine("cache", "--help"))
        self.refused(2, "no command 'none'", "help", "none")

    def test_full_output(self):
        """What cannot be printed is an error, whatever prints it."""
        results = self.path("results")
        tbrsim.run("sim", "--out", results, tbrsim.record(self.directory, "glmark2_ideas", "--no-model"), check=True)
        for words in (["--help"], ["--version"], ["sim", "--help"], ["configs"], ["counters"], ["env"], ["doctor"],
                      ["report", "-o", self.path("page.html"), results], ["parquet", results]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                result = subprocess.run([tbrsim.arguments.tbrsim, *map(str, words)], check=False, stdout=full,
                                        env=tbrsim.environment(DISPLAY=":0") if words == ["env"] else tbrsim.environment(),
                                        stderr=subprocess.PIPE, timeout=tbrsim.TIMEOUT)
            self.assertEqual((result.returncode, result.stderr.decode()),
                             (1, "tbrsim: standard output: cannot be written to: No space left on device\n"), words)

    def test_version(self):
        self.assertRegex(tbrsim.run("--version").stdout, r"^tbrsim \d+\.\d+\.\d+\n"
                         r"commit ([0-9a-f]{12}(-dirty)?|\d+\.\d+\.\d+)\nMesa \d+\.\d+\.\d+\n$")

    def test_configs(self):
        names = [line.split()[0] for line in tbrsim.run("configs").stdout.splitlines()]
        self.assertIn("tcor-baseline-64k", names)
        for name in names:
            self.assertRegex(tbrsim.run("configs", "--flat", name).stdout, r"caches\.(l2|llc)\.size=")

    def test_printed_values_are_settings(self):
        values = tbrsim.run("configs", "--flat", "tcor-baseline-64k").stdout.splitlines()
        settings = [argument for value in values for argument in ("--set", value)]
        again = tbrsim.run("configs", "--flat", *settings, "tcor-baseline-64k")
        self.assertEqual(again.stdout.splitlines(), values, again.stderr)

    def test_printed_configuration_is_one(self):
        """What `configs` prints of a preset, with where each value is from, is a configuration with its values."""
        for line in tbrsim.run("configs").stdout.splitlines():
            name = line.split()[0]
            printed = tbrsim.run("configs", "--set", "l2.latency=20", name)
            values = [value for value in printed.stdout.splitlines() if not value.endswith(":")]
            for value in values:
                self.assertRegex(value, r" # ([a-z0-9-]+\.yaml:\d+|--set)$")
            again = self.path("again.yaml")
            again.write_text(printed.stdout)
            self.assertEqual(tbrsim.run("configs", "--flat", str(again)).stdout,
                             tbrsim.run("configs", "--flat", "--set", "l2.latency=20", name).stdout, name)

    def test_the_file_of_the_documentation(self):
        """docs/configurations.md's example is a configuration, and its values are where the document says."""
        text = (tbrsim.SOURCE / "docs/configurations.md").read_text()
        blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^(?: {4}.*)?\n)+", text, re.MULTILINE)]
        own = self.path("phone.yaml", next(block for block in blocks if "# phone.yaml" in block).strip() + "\n")
        printed = tbrsim.run("configs", str(own))
        self.assertEqual(printed.stderr, "")
        excerpt = next(block for block in blocks if "# phone.yaml:" in block and "extends" not in block)
        for line in excerpt.strip().splitlines():
            self.assertIn(line + "\n", printed.stdout)
        again = self.path("again.yaml", printed.stdout)
        values = tbrsim.run("configs", "--flat", str(own)).stdout
        self.assertEqual(tbrsim.run("configs", "--flat", str(again)).stdout, values)
        for value in ("clock_mhz=850", "timing=on", "tile.size=16", "streams.pb_list=l2", "caches.l2.size=1048576",
                      "caches.texture_cache.size=32768", "dram_system.device=LPDDR4_8Gb_x16_3200"):
            self.assertIn(value, values.splitlines())
        self.assertNotIn("tile_cache", values)

    def test_a_file_that_extends(self):
        """A file that extends a preset, and where each value of it comes from."""
        own = self.path("own.yaml")
        own.write_text("description: TCOR with a small L2\nextends: tcor-64k\ncaches:\n  l2:\n    size: 524288\n")
        printed = tbrsim.run("configs", str(own)).stdout
        self.assertIn("    size: 524288 # own.yaml:5\n", printed)
        self.assertIn("    policy: tcor # tcor-64k.yaml:", printed)
        self.assertIn("clock_mhz: 600 # tcor-baseline-64k.yaml:", printed)
        own.write_text("extends: tcor-64k\ncaches:\n  l2:\n    sise: 524288\n")
        self.refused(2, r"own\.yaml:4: caches\.l2\.sise: unknown key .did you mean size.., expected keys of: size, ways", "configs", str(own))

    def test_lists_for_programs(self):
        """counters and configs as JSON and CSV have what they print as tables."""
        rows = json.loads(self.fine("counters", "--json", "--timing", "on"))
        lines = self.fine("counters", "--timing", "on").splitlines()
        self.assertEqual([[row["name"], row["measure"], row["description"]] for row in rows],
                         [line.split(None, 2) for line in lines])
        table = self.fine("counters", "--csv", "--timing", "on").splitlines()
        self.assertEqual(list(csv.DictReader(table)), rows)
        presets = json.loads(self.fine("configs", "--json"))
        self.assertEqual(list(presets), tbrsim.presets())
        for preset in ("tcor-64k", "imr-8m"):
            options = ("--set", "clock_mhz=900", preset)
            tree = self.path("tree.yaml", self.fine("configs", "--json", *options))
            self.assertEqual(self.fine("configs", "--flat", tree), self.fine("configs", "--flat", *options))
        self.refused(2, "--flat and --json: expected one of them", "configs", "--flat", "--json", "imr-8m")

    def test_variations(self):
        """The settings that --vary stands for, ranges among them."""
        self.assertEqual(self.fine("configs", "--vary", "l2.size=64K,256k..1MB", "--vary", "clock_mhz=400MHz..0.8GHz").splitlines(),
                         ["l2.size=64K", "l2.size=256K", "l2.size=512K", "l2.size=1M", "clock_mhz=400MHz", "clock_mhz=800MHz"])
        self.refused(2, "--vary 1M..3M: expected A..B", "configs", "--vary", "l2.size=1M..3M")

    def test_counters(self):
        lines = tbrsim.run("counters").stdout.splitlines()
        self.assertTrue(any(re.match(r"tile_cache\.pb_list\.hits +accesses ", line) for line in lines))
        self.assertEqual(len(lines), len({line.split()[0] for line in lines}))

    def test_counters_with_words(self):
        """Words are looked for in names and descriptions, whatever their letters; a counter has all of them."""
        every = json.loads(self.fine("counters", "--json"))
        for words in (("l2",), ("L2",), ("texture", "misses"), ("pb_list.hits",), ("fragments",)):
            expected = [row for row in every
                        if all(word.lower() in f"{row['name']} {row['description']}".lower() for word in words)]
            self.assertEqual(json.loads(self.fine("counters", "--json", *words)), expected)
            self.assertTrue(0 < len(expected) < len(every), words)
            self.assertEqual(len(self.fine("counters", *words).splitlines()), len(expected))
        self.refused(1, "no counter with 'fly' in name or description", "counters", "fly")
        self.refused(1, "no counter with 'l2' and the other words in", "counters", "l2", "fly")

    def test_env_survives_the_shell(self):
        name = self.path("it's a \"$HOME\" `config`.yaml")
        preset = self.path("x", tbrsim.run("env").stdout)
        source = re.search(r"TBRSIM_CONFIG_DIR='(.*)'", preset.read_text())[1]
        name.write_bytes(pathlib.Path(source, "tcor-baseline-64k.yaml").read_bytes())
        script = 'eval "$("$0" env --config "$1" --set mode=tbr --set threads=2)"; ' \
                 'printf "%s|%s|%s" "$TBRSIM_CONFIG" "$TBRSIM_SET" "$GALLIUM_DRIVER"'
        result = tbrsim.execute("sh", "-c", script, tbrsim.arguments.tbrsim, name, check=True)
        self.assertEqual(result.stdout, f"{name}|mode=tbr\nthreads=2|tbrsim")

    def test_renderer(self):
        result = tbrsim.run("run", "--out", self.directory, "--", "glmark2-es2", "--validate", "-b", "build:duration=0.1")
        self.assertRegex(result.stdout, r"GL_RENDERER: +tbrsim")


class Run(tbrsim.TestCase):
    def out(self):
        return ["--out", self.path("out")]

    def test_status_is_passed_on(self):
        self.assertEqual(tbrsim.run("run", *self.out(), "--", "sh", "-c", "exit 7").returncode, 7)

    def test_relative_out(self):
        result = tbrsim.run("run", "--", "sh", "-c", "cd /; printf %s \"$TBRSIM_OUT\"", cwd=self.directory)
        self.assertEqual(os.path.realpath(result.stdout), os.path.realpath(self.path("tbrsim-out")))

    def start_sleeper(self):
        """The command with a program that sleeps; with it, the program's and the X server's number."""
        process = tbrsim.start("run", *self.out(), "--", "sh", "-c", "echo $$ $DISPLAY; exec sleep 60", text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        program, display = process.stdout.readline().split()
        self.assertRegex(display, r"^:\d+$")
        server, = servers(process.pid)
        return process, int(program), server

    def test_own_display_is_taken_down(self):
        process, program, server = self.start_sleeper()
        os.kill(program, signal.SIGINT)
        self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), 128 + signal.SIGINT)
        self.assertFalse(exists(server))

    def test_given_display_is_used(self):
        result = tbrsim.run("run", *self.out(), "--", "printenv", "DISPLAY", variables={"DISPLAY": ":4711"})
        self.assertEqual(result.stdout, ":4711\n")

    def test_no_recording(self):
        """Options of a recording that there will not be are not passed over."""
        result = tbrsim.run("run", "--driver", "llvmpipe", "--record", self.path("x.tbr"), "--", "true")
        self.assertEqual((result.returncode, result.stderr),
                         (0, f"tbrsim: --driver llvmpipe: recordings are those of tbrsim; {self.path('x.tbr')} is not written\n"))
        for command in ("run", "replay"):
            self.refused(2, "--record-visible: nothing is recorded, expected --record FILE.tbr, too", command, *self.out(),
                         "--record-visible", TRACE)

    def test_no_statistics(self):
        """Options of statistics that there will not be, too; a recording keeps them for `tbrsim sim`."""
        for command, *words in (("replay", TRACE), ("run", "true"), ("env",)):
            for option, value in (("--timing", "on"), ("--attribute", "draw,tile")):
                said = f"{option} on" if option == "--timing" else option
                self.refused(2, f"{said}: nothing is counted with --no-model, nor recorded; expected --record FILE.tbr, too",
                             command, "--no-model", option, value, *words)
        display = {"DISPLAY": ":0"}
        self.fine("env", "--no-model", "--timing", "off", variables=display)
        self.fine("env", "--no-model", "--timing", "on", "--record", self.path("x.tbr"), variables=display)

    def test_environment_without_display(self):
        """It says what EGL's default display needs; the shell's variable is not set, as it would be in the way of windows."""
        alone = tbrsim.run("env", check=True)
        self.assertRegex(alone.stderr, r"^tbrsim: no DISPLAY and no WAYLAND_DISPLAY: EGL's default display needs "
                                       r"EGL_PLATFORM=surfaceless, .*\n$")
        self.assertNotIn("EGL_PLATFORM", alone.stdout)
        for variable in ("DISPLAY", "WAYLAND_DISPLAY", "EGL_PLATFORM"):
            self.assertNotIn("EGL_PLATFORM", self.fine("env", variables={variable: "surfaceless"}))

    def test_last_line(self):
        """run and replay end with a note on stderr: frames, DRAM traffic, where the results are, what to do with them."""
        draw = ("glmark2-es2", "-s", "64x64", "-b", "build:duration=0.1")
        for number, words in enumerate((("run", "--", *draw), ("run", "--", "sh", "-c", '"$@"; exit 3', "sh", *draw),
                                        ("replay", TRACE), ("replay", "--record", "a.tbr", TRACE))):
            folder = self.path(f"{number}")
            folder.mkdir()
            result = tbrsim.run(*words, cwd=folder)
            self.assertEqual(result.returncode, 3 if "exit 3" in str(words) else 0, result.stderr)
            results = tbrsim.statistics_files.load(folder / "tbrsim-out")
            frames, total = len(results["frames"]), results["total"]
            traffic = amount((total["dram.total.read_bytes"] + total["dram.total.write_bytes"]) / frames)
            after = "a.tbr, tbrsim advise a.tbr" if "a.tbr" in words else "tbrsim-out"
            self.assertEqual(result.stderr, f"tbrsim (note): {frames} frames, {traffic} of DRAM traffic per frame in "
                                            f"tbrsim-out; next: tbrsim report {after}\n")
        # No other directory's name is cut, and nothing is summed up that is not there.
        out = self.path("out")
        self.assertIn(f" in {out}; next: tbrsim report {out}\n",
                      tbrsim.run("replay", "--out", out, TRACE, cwd=self.path("0")).stderr)
        self.assertEqual(tbrsim.run("run", "--no-model", "--", "true", cwd=self.directory).stderr, "")

    def test_killed_program(self):
        result = tbrsim.run("run", *self.out(), "--", "sh", "-c", "kill -SEGV $$")
        self.assertEqual(result.returncode, 128 + signal.SIGSEGV)
        self.assertRegex(result.stderr, r"^tbrsim: sh: killed by signal 11 \(Segmentation fault\)\n"
                                        r"tbrsim: no frame was finished on the simulated GPU .one ends at a swap .*unless a signal "
                                        r"ends it.; nothing was written to .*\n$")

    def test_termination_reaches_the_program(self):
        process, program, server = self.start_sleeper()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), 128 + signal.SIGTERM)
        self.assertFalse(exists(program) or exists(server))

    def test_killed_command_leaves_nothing(self):
        process, program, server = self.start_sleeper()
        process.kill()
        process.wait()
        end = time.monotonic() + tbrsim.LONG_WAIT
        while (exists(program) or exists(server)) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertFalse(exists(program) or exists(server))


class Replay(tbrsim.TestCase):
    def replay(self, *arguments):
        """Replays TRACE into self.directory/out; what the command said, its table, its rows."""
        result = tbrsim.run("replay", "--out", self.path("out"), *arguments, TRACE)
        csv = self.path("out") / "frames.csv"
        return result, csv.read_bytes() if csv.exists() else b""

    def test_frames_and_snapshots(self):
        result, csv = self.replay("--frames", "2-4", "--snapshots", self.path("images"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(result.stdout.startswith("3 frames on tcor-baseline-64k"))
        self.assertEqual(csv.count(b"\n"), 4)
        names = sorted(path.name for path in self.path("images").iterdir())
        self.assertEqual(names, [f"frame-{frame:04}.png" for frame in (2, 3, 4)])
        # The same images as when all are taken.
        self.replay("--no-model", "--snapshots", self.path("all"))
        for name in names:
            self.assertEqual((self.path("images") / name).read_bytes(), (self.path("all") / name).read_bytes())

    def test_check(self):
        result, csv = self.replay("--no-model", "--check", "--frames", "0-1")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("every frame is within the tolerance", result.stdout)
        self.assertEqual(csv, b"")
        # softpipe only where it is asked for.
        self.assertNotIn("softpipe", result.stdout)
        logs = {path.name for path in self.path("out").glob("*-images.log")}
        self.assertEqual(logs, {"tbrsim-images.log", "llvmpipe-images.log"})
        both, _ = self.replay("--no-model", "--check=llvmpipe,softpipe", "--frames", "2-3")
        self.assertEqual(both.returncode, 0, both.stdout)
        self.assertRegex(both.stdout, r"llvmpipe max .* softpipe max .* softpipe to llvmpipe max ")
        self.assertRegex(both.stdout, r"(?m)^ +2 .*\n +3 ")
        self.assertEqual(both.stderr, "")
        self.refused(2, "--check=softpipe: expected llvmpipe, or llvmpipe,softpipe", "replay", "--check=softpipe", TRACE)
        # This one's images are llvmpipe's to the bit; blurred ones are rounded otherwise.
        result = tbrsim.run("replay", "--out", self.path("out"), "--no-model", "--check", "--frames", "0-1",
                            "--tolerance", "0", tbrsim.CAPTURES / "glmark2_effect2d.trace")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertRegex(result.stdout, r"past the tolerance: (0|1)")
        self.assertTrue((self.path("out") / "check" / "difference-0000.png").exists())

    def test_messages_of_the_driver_are_not_lost(self):
        for variables in ({"MESA_LOG": "null"}, {"MESA_LOG_FILE": str(self.path("mesa.log"))}):
            result = tbrsim.run("replay", "--out", self.path("out"), TRACE, variables=variables | {"TBRSIM_ISA": "none"})
            self.assertEqual(result.returncode, 1)
            self.assertTrue(result.stderr.startswith("tbrsim: error: TBRSIM_ISA=none: expected x86-64"), result.stderr)

    def test_statistics_are_the_same_every_time(self):
        _, first = self.replay("--set", "threads=1")
        self.assertGreater(first.count(b"\n"), 1)
        for threads in (1, 2, 4):
            _, again = self.replay("--set", f"threads={threads}")
            self.assertEqual(first, again)
        # A comparison next to it, and taking images, changes none of them either.
        _, again = self.replay("--snapshots", self.path("images"))
        self.assertEqual(first, again)


class Progress(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = tbrsim.record(cls.shared, "glmark2_ideas", "--no-model")

    def on_terminal(self, columns, *arguments):
        """Status, and what comes to a terminal of so many columns."""
        terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        output = b""
        with open(terminal, "rb", buffering=0) as file:
            process = tbrsim.start(*arguments, stdout=subprocess.DEVNULL, stderr=end)
            os.close(end)
            while True:
                try:
                    output += file.read(4096)
                except OSError:  # nobody has it open any more
                    break
        return process.wait(timeout=tbrsim.LONG_WAIT), output.decode()

    def screen(self, output, columns):
        """What is left in the last line; no line may have wrapped."""
        line = ""
        for part in output.split("\r"):
            self.assertLess(len(part), columns, output)
            line = part + line[len(part):]
        return line

    def work(self, policies="lru"):
        """Options that make a simulation take a second for each policy."""
        return ["--out", self.path("sim"), "--jobs", "1", "--timing", "on", "--vary", "l2.size=262144,524288,1048576,2097152",
                "--vary", f"l2.policy={policies}", self.recording]

    def test_terminal(self):
        status, output = self.on_terminal(80, "sim", *self.work("opt,drrip,lru"))
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"(simulating|uses): frame \d+ of \d+, \d+ %, \d+ s left, [\d.]+ frames/s")
        self.assertRegex(output, "finding next uses: frame")
        self.assertRegex(output, "simulating: frame")
        self.assertNotIn("\n", output)
        self.assertEqual(self.screen(output, 80).strip(), "")

    def test_narrow_terminal(self):
        status, output = self.on_terminal(30, "sim", *self.work())
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"simulating: frame \d+ of \d+")
        self.assertEqual(self.screen(output, 30).strip(), "")

    def test_errors_have_their_own_line(self):
        data = self.recording.read_bytes()
        cut = self.path("cut.tbr", data[:len(data) - 1000])
        status, output = self.on_terminal(200, "sim", *self.work()[:-1], cut)
        self.assertEqual(status, 1, output)
        lines = [self.screen(line, 201).strip() for line in output.replace("\r\n", "\n").split("\n")]
        self.assertEqual(lines.pop(), "")
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, "^tbrsim: .*cut.tbr: ")

    def test_pipe(self):
        for arguments in (["sim", *self.work()], ["replay", "--out", self.path("out"), "--check", TRACE]):
            self.fine(*arguments)

    def test_file(self):
        """For programs, whatever stderr is: a line of JSON for each work at least, which only grows."""
        sim = ["sim", "--out", self.path("sim"), "--set", "l2.policy=opt", self.recording]
        for arguments, works in ((sim, {"finding next uses", "simulating"}),
                                 (["replay", "--out", self.path("out"), "--check", TRACE], {"simulating", "comparing images"})):
            path = self.path("progress", "")
            self.fine(*arguments, variables={"TBRSIM_PROGRESS": str(path)})
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            self.assertEqual({line["work"] for line in lines}, works)
            for before, after in zip(lines, lines[1:]):
                self.assertLessEqual(after["done"], after["total"])
                if before["work"] == after["work"]:
                    self.assertLessEqual(before["done"], after["done"])
            self.assertEqual(lines[-1]["done"], lines[-1]["total"])

    def test_file_that_cannot_be_written(self):
        self.refused(2, "TBRSIM_PROGRESS=/none/file: No such file", "sim", self.recording,
                     variables={"TBRSIM_PROGRESS": "/none/file"})
        result = tbrsim.run("sim", "--out", self.path("sim"), self.recording, variables={"TBRSIM_PROGRESS": "/dev/full"})
        self.assertEqual((result.returncode, result.stderr),
                         (0, "tbrsim: progress is no longer written: No space left on device\n"))


class BadInput(tbrsim.TestCase):
    def test_output_that_is_read(self):
        """A file that is read is not overwritten, under another name of it neither."""
        recording = tbrsim.record(self.directory, "glmark2_ideas", "--no-model")
        linked, selection, trace = self.path("linked"), self.path("selection.json"), self.path("copy.trace")
        linked.symlink_to(recording)
        tbrsim.run("select", "--out", selection, recording, check=True)
        trace.write_bytes(TRACE.read_bytes())
        config = self.path("mine.yaml")
        config.write_text("description: mine\nextends: tcor-64k\n")
        kept = [(path, path.read_bytes()) for path in (recording, selection, trace, config)]
        self.refused(1, "not a recording; tbrsim replay --record FILE.tbr makes one of a trace", "info", trace)
        self.refused(1, "linked: not an address trace but a recording; tbrsim export makes one of it", "cache", "--size", "4K",
                     "--ways", "4", linked)
        self.refused(1, "not a capture of apitrace or gfxreconstruct but a recording, expected tbrsim sim", "replay", "--out", self.path("out"), recording)
        cache = ("--size", "4K", "--ways", "4", "--policy", "lru")
        for option, read, words in (
                ("out", recording, ("export", "--format", "din", "--unit", "l2")),
                ("out", recording, ("sweep", "--stream", "texture", *cache)), ("out", recording, ("llc", "--policy", "lru")),
                ("out", recording, ("advise",)), ("out", recording, ("report",)), ("out", recording, ("select",)),
                ("work-times", recording, ("sim",)), ("record", trace, ("replay",)),
                ("work-times", selection, ("sim", "--selected", selection))):
            names = (read, linked) if read == recording else (read,)
            for name in names:
                operand = trace if words[0] == "replay" else recording
                self.refused(2, f"--{option} {name}: would overwrite {read}, which is read", *words, f"--{option}", name, operand)
        for option, words in (
                ("out", ("export", "--format", "din", "--unit", "l2", "--config", f"{config},l2.ways=4")),
                ("work-times", ("sim", "--config", config)), ("out", ("report", "--compare-config", f"{config},l2.ways=4"))):
            self.refused(2, f"--{option} {config}: would overwrite {config}, which is read", *words, f"--{option}", config, recording)
        for path, content in kept:
            self.assertEqual(path.read_bytes(), content)
        tbrsim.run("export", "--format", "din", "--unit", "l2", "--out", "/dev/null", recording, check=True)

    def test_usage(self):
        self.refused(2, "no command 'fly'", "fly")
        self.refused(2, "unknown option '--fly'", "run", "--fly", "--", "true")
        self.refused(2, "--config needs a value", "run", "--config")
        self.refused(2, "no program", "run")
        self.refused(2, "no trace", "replay")
        self.refused(2, "--frames 3-1", "replay", "--frames", "3-1", TRACE)
        self.refused(2, "--frames 1-x", "replay", "--frames", "1-x", TRACE)
        self.refused(2, "--tolerance many", "replay", "--tolerance", "many", TRACE)
        self.refused(2, "--screen 3", "run", "--screen", "3", "--", "true")

    def test_settings(self):
        for setting, pattern in (("caches.l2.sizo=1", "sizo.*expected"),
                                 ("caches.l2.size=much", "expected"),
                                 ("caches.l2.size=100", "multiple of.*8.*64"),
                                 ("tile.size=12", "expected"),
                                 ("mode=fast", "expected"),
                                 ("mode", "expected key=value")):
            self.refused(2, pattern, "run", "--set", setting, "--", "true")

    def test_future(self):
        """Policies that have to know the future cannot be simulated live."""
        setting = ("--set", "caches.l2.policy=opt")
        for arguments in (["run", *setting, "--", "true"], ["replay", *setting, TRACE], ["env", *setting]):
            self.refused(2, "caches.l2.policy: opt needs future accesses.*tbrsim sim", *arguments)
        self.assertEqual(tbrsim.run("configs", *setting, "tcor-baseline-64k").returncode, 0)

    def test_config_file(self):
        text = tbrsim.run("env").stdout
        preset = pathlib.Path(re.search(r"TBRSIM_CONFIG_DIR='(.*)'", text)[1], "tcor-baseline-64k.yaml").read_text()
        lines = preset.splitlines()
        number = next(n for n, line in enumerate(lines) if re.match(r"  l2: *(#.*)?$", line)) + 2
        for change, pattern in ((("size:", "sizo:"), "sizo"), ((r"size: *\w+", "size: many"), "expected"),
                                ((r"size: *\w+", "size: 1000"), "multiple")):
            changed = lines[:]
            changed[number - 1] = re.sub(change[0], change[1], changed[number - 1], count=1)
            self.assertNotEqual(changed, lines)
            path = self.path("wrong.yaml", "\n".join(changed) + "\n")
            self.refused(2, f"wrong.yaml:{number}: .*{pattern}", "run", "--config", path, "--", "true")
        self.refused(2, "nowhere.yaml: No such file", "run", "--config", self.path("nowhere.yaml"), "--", "true")
        self.refused(2, "nothing", "run", "--config", "nothing", "--", "true")

    def test_programs(self):
        out = ["--out", self.path("out")]
        self.refused(127, "no-such-program: cannot be executed: No such file", "run", *out, "--", "no-such-program")
        self.refused(126, "cannot be executed: Permission denied", "run", *out, "--", self.path("data", "1"))
        # With a display there is nothing to take down.
        self.refused(127, "no-such-program: cannot be executed", "run", *out, "--", "no-such-program",
                     variables={"DISPLAY": ":4711"})

    def test_traces(self):
        whole = TRACE.read_bytes()
        out = ["--out", self.path("out")]
        self.refused(1, "none.trace: No such file", "replay", *out, self.path("none.trace"))
        self.refused(1, "not a capture of apitrace or gfxreconstruct", "replay", *out, self.path("empty.trace", b""))
        self.refused(1, "not a capture of apitrace or gfxreconstruct", "replay", *out, self.path("text.trace", "This is no trace.\n" * 99))
        self.refused(1, "truncated: it ends after 20000 bytes", "replay", *out,
                     self.path("cut.trace", whole[:20000]))
        for container in ("--snappy", "--zlib"):
            path = self.path("packed.trace")
            tbrsim.execute("apitrace", "repack", container, TRACE, path, check=True)
            self.refused(1, "truncated", "replay", *out, self.path("cut.trace", path.read_bytes()[:-1000]))
        self.refused(2, "has the frames 0-5", "replay", *out, "--frames", "3-6", TRACE)

    def test_output(self):
        blocked = self.path("file", "")
        for command in (["run", "--out", blocked / "out", "--", "true"], ["replay", "--out", blocked / "out", TRACE]):
            self.refused(1, "cannot be created: Not a directory", *command)
        self.refused(1, "cannot be (created|written to)", "run", "--out", "/proc/out", "--", "true")
        self.refused(1, "cannot be written to: File too large", "replay", "--out", self.path("out"), TRACE,
                     preexec_fn=tbrsim.no_room)


if __name__ == "__main__":
    tbrsim.main()
