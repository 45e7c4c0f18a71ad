# SPDX-License-Identifier: MIT
"""Programs and systems that misbehave: images stay right, statistics of finished frames stay."""

import argparse
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import statistics_files  # noqa: E402

ARGUMENTS = None
TRACE = pathlib.Path(__file__).resolve().parents[2] / "apitrace-replays" / "glmark2_ideas.trace"


def environment():
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("TBRSIM_") and name != "DISPLAY"}
    return clean | {"MESA_SHADER_CACHE_DISABLE": "true"}


class Hostile(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.out = directory.name

    def hostile(self, what):
        command = [ARGUMENTS.tbrsim, "run", "--driver", ARGUMENTS.driver, "--out", self.out, "--",
                   ARGUMENTS.hostile, what]
        return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, timeout=60)

    def finished_frames(self, killed=False):
        """How many frames stats.json and frames.csv hold; both must be whole. Of a process that
        was killed between its two writes, frames.csv has one frame more."""
        statistics, rows = statistics_files.load(self.out), statistics_files.load_csv(self.out)
        frames = statistics["frames"]
        for name, value in statistics["total"].items():
            self.assertEqual(value, sum(frame[name] for frame in frames))
        self.assertIn(len(rows) - len(frames), (0, 1) if killed else (0,))
        self.assertEqual([dict.fromkeys(frames[0], 0) | row for row in rows[:len(frames)]], frames)
        return len(frames)

    def test_resize(self):
        result = self.hostile("resize")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_bounds(self):
        result = self.hostile("bounds")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_abort(self):
        result = self.hostile("abort")
        self.assertEqual(result.returncode, 128 + signal.SIGABRT, result.stderr)
        self.assertIn("killed by signal 6 (Aborted)", result.stderr)
        self.assertEqual(self.finished_frames(), 5)

    def test_kill(self):
        process = subprocess.Popen(
            [ARGUMENTS.tbrsim, "run", "--out", self.out, "--", ARGUMENTS.scenes, "window", "203", "117", "1000"],
            env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        written = pathlib.Path(self.out, "frames.csv")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if written.exists() and written.read_bytes().count(b"\n") > 20:
                break
            time.sleep(0.02)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "render_scenes":
                os.kill(int(child), signal.SIGKILL)
        self.assertEqual(process.wait(timeout=20), 128 + signal.SIGKILL)
        self.assertGreaterEqual(self.finished_frames(killed=True), 20)

    def test_full_disk(self):
        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
        result = subprocess.run([ARGUMENTS.tbrsim, "replay", "--out", self.out, TRACE], env=environment(),
                                capture_output=True, text=True, check=False, timeout=60, preexec_fn=little_room)
        self.assertEqual(result.returncode, 1, result.stderr)
        said = [line for line in result.stderr.splitlines() if line.startswith("tbrsim: ")]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertIn("File too large", said[0])
        self.assertIn(self.finished_frames(), range(1, 13))


def main():
    global ARGUMENTS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    parser.add_argument("--hostile", required=True, type=os.path.abspath)
    parser.add_argument("--scenes", required=True, type=os.path.abspath)
    parser.add_argument("--driver", default="tbrsim")
    ARGUMENTS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
