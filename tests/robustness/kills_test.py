# SPDX-License-Identifier: MIT
"""Kills at random moments, full disks, folders that cannot be written to, too little memory: what has been written of finished
frames is whole and is what it would have been, a recording can be read, and all else is said with a status. --times and
--seed make it longer and another one."""

import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

TRACE = tbrsim.CAPTURES / "glmark2_ideas.trace"
LONGEST = 120  # seconds; more is a hang


def limit_memory(mebibytes):
    resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))


class Kills(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(int(tbrsim.arguments.seed))
        cls.times = int(tbrsim.arguments.times)
        cls.recording = cls.shared / "whole.tbr"
        for _ in range(2):  # the second time, shaders are cached
            began = time.monotonic()
            tbrsim.run(*cls.replay(cls.shared / "whole", cls.recording), check=True)
            cls.duration = time.monotonic() - began
        cls.whole = tbrsim.statistics_files.load_csv(cls.shared / "whole")

    @staticmethod
    def replay(out, recording):
        return ("replay", "--out", out, "--record", recording, TRACE)

    def is_beginning(self, rows):
        """Frames are the first ones of those of an undisturbed run; their number."""
        for row, whole in zip(rows, self.whole):
            names = row.keys() | whole.keys()
            self.assertEqual({name: row.get(name, 0) for name in names}, {name: whole.get(name, 0) for name in names})
        self.assertLessEqual(len(rows), len(self.whole))
        return len(rows)

    def check_statistics(self, out):
        """What is there is whole; how many frames."""
        if not (out / "stats.json").exists():
            return 0
        statistics = tbrsim.statistics_files.load(out)
        for name, value in statistics["total"].items():
            self.assertEqual(value, sum(frame[name] for frame in statistics["frames"]))
        frames = self.is_beginning(statistics["frames"])
        # Killed between its two writes, one file has a frame more than the other.
        rows = self.is_beginning(tbrsim.statistics_files.load_csv(out))
        self.assertIn(rows - frames, (-1, 0, 1))
        return frames

    def check_recording(self, path):
        """Its whole frames can be simulated; what is missing is said, with their number. How many there are."""
        if not path.exists():
            return 0
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, "out")
            result = tbrsim.run("sim", "--out", out, path, timeout=LONGEST)
            frames = self.is_beginning(tbrsim.statistics_files.load_csv(out)) if out.exists() else 0
            if result.returncode or frames < len(self.whole):
                said = re.search(r"; (\d+) complete frames? precede", result.stderr)
                self.assertTrue(said, f"{frames} frames: {result.stderr}")
                self.assertEqual(int(said[1]), frames, result.stderr)
            return frames

    def killed(self, words, after, out=None, frames=0):
        """Runs the command and kills it and all that it has started, so many seconds after it began, or after it has
        written so many frames; whether it was still running."""
        process = tbrsim.start(*words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        written = out / "frames.csv" if frames else None
        while written and process.poll() is None and not (
                written.exists() and written.read_bytes().count(b"\n") > frames):
            time.sleep(0.002)
        try:
            process.wait(timeout=after)
            return False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=LONGEST)
            return True

    def test_kill_replay(self):
        kills, frames = 0, []
        for number in range(self.times):
            out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
            if number % 2:
                when = self.random.uniform(0.1, 0.9) * self.duration, out, 0
            else:
                when = self.random.uniform(0, 0.05), out, self.random.randrange(1, len(self.whole))
            kills += self.killed(self.replay(out, recording), *when)
            frames.append((self.check_statistics(out), self.check_recording(recording)))
        print(f"replay: {kills} of {self.times} killed; frames of statistics and recording: {frames}")

    def test_kill_sim(self):
        began = time.monotonic()
        tbrsim.run("sim", "--out", self.directory / "undisturbed", self.recording, check=True)
        duration = time.monotonic() - began
        kills = 0
        for number in range(self.times):
            out = self.directory / f"{number}"
            kills += self.killed(("sim", "--out", out, self.recording), self.random.uniform(0, 1) * duration)
            self.check_statistics(out)
        print(f"sim: {kills} of {self.times} killed")

    def check_ended(self, result, out, recording):
        """It has succeeded, or says why not; what is there is whole. Whether it has failed."""
        if result.returncode == 0:
            self.assertEqual(self.check_statistics(out), len(self.whole), result.stderr)
            self.assertEqual(self.check_recording(recording), len(self.whole), result.stderr)
            return False
        self.assertNotEqual(result.stderr, "", f"status {result.returncode} without a message")
        self.check_statistics(out)
        self.check_recording(recording)
        return True

    def test_largest_file(self):
        """Files cannot become longer than any number of bytes."""
        largest = self.recording.stat().st_size
        for number in range(self.times):
            out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
            size = self.random.randrange(largest)
            result = tbrsim.run(*self.replay(out, recording), preexec_fn=lambda size=size: tbrsim.no_room(size),
                                variables={"MESA_SHADER_CACHE_DISABLE": "true"}, timeout=LONGEST)
            self.assertTrue(self.check_ended(result, out, recording), f"{size} bytes: {result.stderr}")

    def mount(self, path, options):
        path.mkdir()
        result = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=False,
                                capture_output=True, text=True)
        if result.returncode:
            self.skipTest(f"a tmpfs cannot be mounted here: {result.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(path)], check=True)

    def test_full_disk(self):
        """Of 4 KiB to what is needed and a half more."""
        needed = sum(file.stat().st_size for file in (*(self.shared / "whole").iterdir(), self.recording))
        sizes = [1 + round((needed * 1.5 / 4096) * number / self.times) for number in range(self.times)]
        failed = []
        for pages in sizes:
            disk = self.directory / f"disk-{pages}"
            self.mount(disk, f"size={pages * 4}k")
            result = tbrsim.run(*self.replay(disk / "out", disk / "recording.tbr"), timeout=LONGEST)
            failed.append(self.check_ended(result, disk / "out", disk / "recording.tbr"))
        self.assertTrue(failed[0])
        print(f"disks of {[pages * 4 for pages in sizes]} KiB: full {failed}")

    def test_read_only(self):
        disk = self.directory / "disk"
        self.mount(disk, "ro")
        for words in (self.replay(disk / "out", self.directory / "recording.tbr"),
                      self.replay(self.directory / "out", disk / "recording.tbr"),
                      ("sim", "--out", disk / "out", self.recording)):
            result = tbrsim.run(*words, timeout=LONGEST)
            self.assertNotEqual(result.returncode, 0, words)
            self.assertIn("Read-only file system", result.stderr)

    def test_memory(self):
        """Address space from too little for anything to enough."""
        failed = []
        for number in range(self.times):
            size = 8 + round(2000 * (number / self.times) ** 2)
            out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
            for words in (self.replay(out, recording), ("sim", "--out", self.directory / f"{number}-sim", self.recording)):
                result = tbrsim.run(*words, preexec_fn=lambda size=size: limit_memory(size), timeout=LONGEST)
                if words[0] == "sim":
                    self.assertTrue(result.returncode == 0 or result.stderr, f"{size} MiB: status {result.returncode}")
                    self.check_statistics(self.directory / f"{number}-sim")
                else:
                    failed.append((size, self.check_ended(result, out, recording)))
        print(f"memory in MiB, whether it was too little: {failed}")
        self.assertTrue(failed[0][1])


if __name__ == "__main__":
    tbrsim.main(times="3", seed="1")
