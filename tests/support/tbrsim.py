# SPDX-License-Identifier: MIT
"""What tests in Python share: how the command is found and run, and how its statistics are read. A script parses its
command line with main(), or with parse(); afterwards `arguments` has it."""

import argparse
import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
from tbrsim import files as statistics_files  # noqa: E402

CAPTURES = SOURCE / "apitrace-replays"
STATISTICS = ("stats.json", "frames.csv")
TABLES = ("passes.csv", "draws.csv", "textures.csv", "tiles.csv")
# A member of "run" in stats.json.
RECORDING = re.compile(rb'"recording": "[0-9a-f]{16}", ')
TIMELINE = "timeline.pftrace"
SKIPPED = 77  # the exit status that Meson takes for "skipped"
TIMEOUT = 400  # seconds that a program may take
LONG_WAIT = 200  # seconds: a limit for what takes one or two on an idle machine

arguments = argparse.Namespace()
_display = {}  # the environment variable of the display that is open


# ---- the command line of a test

def command_line(description, *programs, **defaults):
    """A parser with the command, each program (--a-b for "a-b") and options that have defaults."""
    parser = argparse.ArgumentParser(description=description)
    for name in ("tbrsim", *programs):
        parser.add_argument(f"--{name}", required=True, type=os.path.abspath, help="path of the program")
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", default=default, help=f"default: {default}")
    return parser


def parse(parser):
    """Parses the command line of a script."""
    parser.parse_args(namespace=arguments)


def main(*programs, **defaults):
    """Runs the unit tests of the script, of which the command line may name some."""
    parser = command_line(sys.modules["__main__"].__doc__, *programs, **defaults)
    rest = parser.parse_known_args(namespace=arguments)[1]
    unittest.main(argv=[sys.argv[0], *rest])


def need(*programs):
    """Ends the script as skipped where a program is not installed."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        sys.exit(SKIPPED)


# ---- running programs

def environment(**variables):
    """That of all programs: without settings of tbrsim, without a display but display()'s; and with the variables."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("TBRSIM_") and name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return clean | _display | variables


@contextlib.contextmanager
def display(screen="1920x1080x24"):
    """An X server for all that is run meanwhile; its name. Without one, each `tbrsim run` starts its own."""
    reader, writer = os.pipe()
    # What is preloaded is for the tests, not for the server.
    clean = {name: value for name, value in environment().items() if name != "LD_PRELOAD"}
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-noreset", "-nolisten", "tcp", "-screen", "0", screen], env=clean,
        pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        if not number:
            sys.exit("Xvfb does not start")
        _display["DISPLAY"] = f":{number}"
        yield _display["DISPLAY"]
    finally:
        _display.clear()
        server.terminate()
        server.wait()


def execute(*command, variables=None, check=False, data=None, **options):
    """Runs a program on data, text or bytes, to its end; its status and, as text, its output. With check it has to
    succeed."""
    result = subprocess.run([str(word) for word in command], env=environment(**(variables or {})), check=False,
                            input=data.encode() if isinstance(data, str) else data, capture_output=True,
                            **({"timeout": TIMEOUT} | options))
    result.stdout, result.stderr = result.stdout.decode(), result.stderr.decode()
    if check and result.returncode:
        raise AssertionError(f"{' '.join(result.args)}: status {result.returncode}: {result.stderr}")
    return result


def run(*words, **options):
    """The same of the command."""
    return execute(arguments.tbrsim, *words, **options)


def said(result):
    """What is on stderr but for notes: those of run and replay, which sum results up, and of stages that take long."""
    return re.sub(r"(?m)^tbrsim \(note\): (\d+ frames?,|\d of \d,) .*\n", "", result.stderr)


def start(*words, variables=None, **options):
    """The command as a process that goes on."""
    return subprocess.Popen([arguments.tbrsim, *map(str, words)], env=environment(**(variables or {})), **options)


def no_room(size=0):
    """For preexec_fn: files cannot be longer, in bytes, as if the disk were full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


# ---- recordings and statistics

def record(directory, capture, *options, name=None):
    """Records a capture; the recording's path. The statistics, unless there is no model, are in DIRECTORY/live."""
    path = pathlib.Path(directory, f"{name or capture}.tbr")
    run("replay", "--record", path, "--out", pathlib.Path(directory, "live"), *options, CAPTURES / f"{capture}.trace",
        check=True)
    return path


def simulate(recording, *options):
    """The statistics of `tbrsim sim` with one configuration."""
    with tempfile.TemporaryDirectory() as out:
        run("sim", "--out", out, *options, recording, check=True)
        return statistics_files.load(out)


def total(directory):
    """The sums of the counters."""
    return statistics_files.load(directory)["total"]


def frames(directory):
    """Each frame's counters."""
    return statistics_files.load(directory)["frames"]


def configuration(directory):
    """What was simulated: a tree of keys."""
    return statistics_files.load(directory)["run"]["configuration"]


def contents(directory):
    """The files of statistics as they are, byte for byte, with the tables of attributions and the timeline that are
    there. Left out is what a live run has not: which recording they are of."""
    tables = [name for name in (*TABLES, TIMELINE) if pathlib.Path(directory, name).exists()]
    files = [(name, pathlib.Path(directory, name).read_bytes()) for name in (*STATISTICS, *tables)]
    return [(name, RECORDING.sub(b"", content, count=1) if name == "stats.json" else content) for name, content in files]


def keys(*options):
    """What `tbrsim configs` prints of a configuration: {key: value}."""
    lines = run("configs", "--flat", *options, check=True).stdout.splitlines()
    return dict(line.split("=", 1) for line in lines)


def captures(paths):
    """The captures that paths name: files, or directories of them."""
    found = [trace for path in map(pathlib.Path, paths)
             for trace in (sorted(path.glob("*.trace")) if path.is_dir() else [path])]
    if not found:
        sys.exit("no traces")
    return found


def recording_options(preset):
    """How a recording is made that the preset can be simulated with: what it settles is as in the preset."""
    values = keys(preset)
    return () if values["mode"] == "imr" else ("--set", f"tile.size={values['tile.size']}")


def presets():
    """The names of those that come with the command."""
    return [line.split()[0] for line in run("configs", check=True).stdout.splitlines()]


class TestCase(unittest.TestCase):
    """With a directory for all tests of the class (shared) and one for each (directory)."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=self.shared)))

    def path(self, name, content=None):
        """A path in the test's directory; with a content the file is written."""
        path = self.directory / name
        if content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def fine(self, *words, **options):
        """The command succeeds and reports nothing; what it prints."""
        result = run(*words, **options)
        self.assertEqual((result.returncode, said(result)), (0, ""))
        return result.stdout

    def refused(self, status, pattern, *words, **options):
        """The command ends with this status and one line, which matches; its result."""
        result = run(*words, **options)
        self.assertEqual(result.returncode, status, result.stderr)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertRegex(lines[0], "^tbrsim: .*" + pattern)
        return result


class DisplayTestCase(TestCase):
    """With one X server for all that the tests of the class run."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.enterClassContext(display())
