# SPDX-License-Identifier: MIT
"""Programs and systems that misbehave: images stay right, statistics of finished frames stay."""

import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

TRACE = tbrsim.CAPTURES / "glmark2_ideas.trace"
NO_CACHE = {"MESA_SHADER_CACHE_DISABLE": "true"}


class Hostile(tbrsim.TestCase):
    def hostile(self, what):
        return tbrsim.run("run", "--driver", tbrsim.arguments.driver, "--out", self.directory, "--",
                          tbrsim.arguments.hostile, what, variables=NO_CACHE)

    def finished_frames(self, killed=False):
        """How many frames stats.json and frames.csv hold; both must be whole. Of a process that
        was killed between its two writes, frames.csv has one frame more."""
        statistics = tbrsim.statistics_files.load(self.directory)
        rows = tbrsim.statistics_files.load_csv(self.directory)
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
        process = tbrsim.start("run", "--out", self.directory, "--", tbrsim.arguments.scenes, "window", 203, 117, 1000,
                               variables=NO_CACHE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        written = self.path("frames.csv")
        deadline = time.monotonic() + tbrsim.LONG_WAIT
        while time.monotonic() < deadline:
            if written.exists() and written.read_bytes().count(b"\n") > 20:
                break
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "render_scenes":
                os.kill(int(child), signal.SIGKILL)
        self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), 128 + signal.SIGKILL)
        self.assertGreaterEqual(self.finished_frames(killed=True), 20)

    def test_full_disk(self):
        result = tbrsim.run("replay", "--out", self.directory, TRACE, variables=NO_CACHE,
                            preexec_fn=lambda: tbrsim.no_room(20000))
        self.assertEqual(result.returncode, 1, result.stderr)
        said = [line for line in result.stderr.splitlines() if line.startswith("tbrsim: ")]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertIn("File too large", said[0])
        self.assertIn(self.finished_frames(), range(1, 13))


if __name__ == "__main__":
    tbrsim.main("hostile", "scenes", driver="tbrsim")
