# SPDX-License-Identifier: MIT
"""Too little memory, from too little for anything to enough: of the address space (RLIMIT_AS), where allocations fail, and of
a control group, where the kernel kills. Nothing hangs; what is missing is said with a status, and finished frames are whole."""

import os
import pathlib
import resource
import sys
import time
import unittest

import whole
from support import tbrsim

MOST = 2 << 30  # bytes that are enough
ENDING = 20  # seconds that processes may take to end
GROUPS = {"replay": 32, "run": 32, "sim": 8, "report": 8}  # MiB that are too little


def limit(size):
    """For preexec_fn: the address space of each process."""
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


class Group:
    """A control group with so many bytes of memory, of either version of them."""

    def __init__(self, name, size):
        root = pathlib.Path("/sys/fs/cgroup")
        unified = (root / "cgroup.controllers").exists()
        self.path = (root if unified else root / "memory") / name
        try:
            if not (root if unified else root / "memory").is_dir():
                raise OSError("no memory controller")
            self.path.mkdir()
            (self.path / ("memory.max" if unified else "memory.limit_in_bytes")).write_text(str(size))
            swap = self.path / ("memory.swap.max" if unified else "memory.memsw.limit_in_bytes")
            if swap.exists():
                swap.write_text("0" if unified else str(size))
        except OSError as error:
            self.close()
            print(f"skipped: a control group cannot limit memory here: {error}")
            raise unittest.SkipTest("a control group cannot limit memory here") from error

    def enter(self):
        """For preexec_fn."""
        (self.path / "cgroup.procs").write_text("0")

    def close(self):
        """Processes that have been killed for their memory may still be ending."""
        end = time.monotonic() + ENDING
        while self.path.is_dir():
            try:
                self.path.rmdir()
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)


class Memory(whole.TestCase):
    def sizes(self):
        """Most of them small: less differs where more is there."""
        return [round(MOST * ((number + self.random.random()) / self.times) ** 2) + (8 << 20) if number else 8 << 20
                for number in range(self.times)]

    def check(self, words, preexec, out, recording=None):
        """Whether memory was too little."""
        result = self.run_command(*words, preexec_fn=preexec)
        if recording:
            return self.check_ended(result, out, recording)
        frames = self.check_statistics(out)
        if result.returncode == 0:
            self.assertEqual(frames, len(self.whole), result.stderr)
        elif result.returncode != -9:  # by the kernel, which lets it say nothing
            self.assertNotEqual(result.stderr, "", f"status {result.returncode}")
            self.assertGreater(result.returncode, 0, result.stderr)
        return result.returncode != 0

    def test_sim(self):
        failed = []
        for number, size in enumerate(self.sizes()):
            with self.subTest(size=size):
                out = self.directory / f"{number}"
                failed.append((size >> 20, self.check(("sim", "--jobs", 2, "--model-threads", 2, "--out", out, self.recording),
                                                      lambda size=size: limit(size), out)))
        print(f"sim: MiB of address space, whether too little: {failed}")
        self.assertTrue(failed[0][1])

    def test_replay(self):
        failed = []
        for number, size in enumerate(self.sizes()):
            with self.subTest(size=size):
                out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
                failed.append((size >> 20, self.check(self.replay(out, recording), lambda size=size: limit(size), out,
                                                      recording)))
        print(f"replay: MiB of address space, whether too little: {failed}")
        self.assertTrue(failed[0][1])

    def test_replayer_that_hangs(self):
        """As apitrace's do where memory is short: in the handler of a signal, in which that is blocked."""
        program = self.path("eglretrace", f"#!{sys.executable}\nimport signal\n"
                                          "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGSEGV])\nsignal.pause()\n")
        program.chmod(0o755)
        result = self.run_command(*self.replay(self.directory / "out", self.directory / "recording.tbr"),
                                  variables={"PATH": f"{self.directory}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("tbrsim: eglretrace: a signal ended it, and it was killed as its report of that did not end", result.stderr)

    def in_group(self, number, words, size):
        """The command in a control group with so many bytes; its result."""
        group = Group(f"tbrsim-test-{os.getpid()}-{number}", size)
        try:
            return self.run_command(*words, preexec_fn=group.enter)
        finally:
            group.close()

    def check_group(self, number, way, size):
        """Whether it was too little memory; what there is, is whole."""
        out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
        page = self.directory / f"{number}.html"
        page.write_text("earlier")
        words = {"replay": self.replay(out, recording), "run": self.run_program(out, recording),
                 "sim": ("sim", "--jobs", 2, "--out", out, self.recording),
                 "report": ("report", "--results", out, "--out", page, self.recording)}[way]
        result = self.in_group(number, words, size)
        self.check_recording(recording)
        frames = self.check_statistics(out)
        if result.returncode == 0:
            self.assertEqual(frames, len(self.whole), result.stderr)
            self.assertTrue(way != "report" or page.read_text().endswith("</html>\n"))
        elif result.returncode != -9:  # by the kernel, which lets it say nothing
            self.assertNotEqual(result.stderr, "", f"status {result.returncode}")
        if result.returncode:
            self.assertEqual(page.read_text(), "earlier")
        return result.returncode != 0

    def test_group(self):
        """Too little for each of the commands, and more."""
        number, failed = 0, {way: [] for way in GROUPS}
        for way, least in GROUPS.items():
            for more in range(max(self.times // len(GROUPS), 1)):
                size = (least << 20) + round((256 << 20) * self.random.random() ** 2 if more else 0)
                with self.subTest(way=way, size=size):
                    failed[way].append((size >> 20, self.check_group(number, way, size)))
                number += 1
            self.assertTrue(failed[way][0][1], f"{way}: {failed[way]}")
        print(f"MiB of control groups, whether too little: {failed}")


if __name__ == "__main__":
    tbrsim.main(times="3", seed="1")
