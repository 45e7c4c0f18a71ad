# SPDX-License-Identifier: MIT
"""Kills at random moments: the command with all that it has started, the command alone, the program alone, or SIGTERM to the
command. Nothing goes on afterwards; what has been written of finished frames is whole and is what it would have been, the
recording can be read up to its last one, and Mesa's cache of compiled programs, in which each kill may have cut off
something, does no harm."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import whole
from support import tbrsim


def session(number):
    """The processes of a session that have not ended, and what they are."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = path.read_text().rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, _, _, of = rest.split()[:4]
        if int(of) == number and state not in "ZX":
            found[int(path.parent.name)] = name.split("(", 1)[1]
    return found


class Kills(whole.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        began = time.monotonic()  # with programs in the cache
        cls.run_command(*cls.replay(cls.shared / "again", cls.shared / "again.tbr"), check=True)
        cls.duration = time.monotonic() - began

    def end(self, process, way):
        """Kills in one of the ways; afterwards nothing is left. False: it has ended by itself just before, with success."""
        if way == "all":
            os.killpg(process.pid, signal.SIGKILL)
        elif way == "program":
            for number in session(process.pid):
                if number != process.pid:
                    os.kill(number, signal.SIGKILL)
        else:
            process.send_signal(signal.SIGTERM if way == "terminated" else signal.SIGKILL)
        process.wait(timeout=whole.LONGEST)
        deadline = time.monotonic() + whole.LONGEST
        while (left := session(process.pid)) and time.monotonic() < deadline:
            time.sleep(0.01)
        for number in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.assertFalse(left, f"left after {way}")
        if way == "terminated":
            self.assertIn(process.returncode, (-signal.SIGTERM, 128 + signal.SIGTERM, 0))
        elif way != "program":
            # It may have ended by itself just before.
            self.assertIn(process.returncode, (-signal.SIGKILL, 0))
        return process.returncode != 0

    def killed(self, words, way, after, written=None, frames=0):
        """Runs the command and kills it so many seconds after it began, or after the file has so many frames; whether it was
        still running then."""
        process = tbrsim.start(*words, variables=self.variables(), start_new_session=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        while frames and process.poll() is None and not (
                written.exists() and written.read_bytes().count(b"\n") > frames):
            time.sleep(0.002)
        try:
            process.wait(timeout=after)
            return False
        except subprocess.TimeoutExpired:
            return self.end(process, way)

    def ways(self, first):
        return [("all", "terminated", "alone", "program")[(first + number) % 4] for number in range(self.times)]

    def test_replay(self):
        kills, frames = 0, []
        for number, way in enumerate(self.ways(0)):
            out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
            if number % 5 == 0:
                shutil.rmtree(self.programs, ignore_errors=True)  # compiles, and is killed while it writes the cache
            if self.random.random() < 0.5:
                when = self.random.uniform(0.1, 0.9) * self.duration, None, 0
            else:
                when = self.random.uniform(0, 0.05), out / "frames.csv", self.random.randrange(1, len(self.whole))
            with self.subTest(number=number, way=way, when=when):
                kills += self.killed(self.replay(out, recording), way, *when)
                frames.append((self.check_statistics(out), self.check_recording(recording)))
        print(f"replay: {kills} of {self.times} killed; frames of statistics and recording: {frames}")
        # With what the kills have left of the cache: the pictures, too.
        out, recording = self.directory / "after", self.directory / "after.tbr"
        result = self.run_command("replay", "--check", *self.replay(out, recording)[1:])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.check_statistics(out), len(self.whole))

    def test_sim(self):
        began = time.monotonic()
        self.run_command("sim", "--out", self.directory / "undisturbed", self.recording, check=True)
        duration = time.monotonic() - began
        kills = 0
        for number, way in enumerate(self.ways(1)):
            out = self.directory / f"{number}"
            with self.subTest(number=number, way=way):
                kills += self.killed(("sim", "--out", out, self.recording), way, self.random.uniform(0, 1) * duration)
                self.check_statistics(out)
        print(f"sim: {kills} of {self.times} killed")

    def test_report(self):
        """The page is the old one or the new one, never part of it."""
        words = ("report", "--timing", "off", "--results", self.directory / "results", "--out", self.directory / "page.html",
                 self.recording)
        began = time.monotonic()
        self.run_command(*words, check=True)
        duration = time.monotonic() - began
        page = (self.directory / "page.html").read_bytes()
        kills = 0
        for number, way in enumerate(self.ways(2)[::2]):  # half as often: it takes long
            with self.subTest(number=number, way=way):
                kills += self.killed(words, way, self.random.uniform(0, 1) * duration)
                self.assertEqual((self.directory / "page.html").read_bytes(), page)
                self.check_statistics(self.directory / "results")
        print(f"report: {kills} of {(self.times + 1) // 2} killed")

    def test_replayer_that_does_not_end(self):
        """As apitrace's may where SIGTERM interrupts the allocator, which its handler calls: it ends with the command."""
        ready = self.directory / "ready"
        program = self.path("eglretrace", f"#!{sys.executable}\nimport pathlib\nimport signal\n"
                                          "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
                                          f"pathlib.Path('{ready}').touch()\nsignal.pause()\n")
        program.chmod(0o755)
        for way in ("alone", "terminated"):
            process = tbrsim.start(*self.replay(self.directory / "out", self.directory / "recording.tbr"),
                                   variables=self.variables() | {"PATH": f"{self.directory}:{os.environ['PATH']}"},
                                   start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not ready.exists() and process.poll() is None:
                time.sleep(0.01)
            ready.unlink()
            self.end(process, way)


if __name__ == "__main__":
    tbrsim.main(times="3", seed="1")
