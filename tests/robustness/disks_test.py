# SPDX-License-Identifier: MIT
"""Disks that are full at any byte, and folders that cannot be written to: a message and a status, nothing silent, what is
written of finished frames is whole, and earlier results stay or are replaced by whole ones."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import whole
from support import tbrsim

PLAN = "recordings: whole.tbr\nconfigurations: [tcor-baseline-64k, boustro-ro]\n"


class Disks(whole.TestCase):
    def mount(self, options):
        """A small disk of this test; skips it where that needs more rights."""
        path = pathlib.Path(tempfile.mkdtemp(prefix="disk-", dir=self.directory))
        result = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=False,
                                capture_output=True, text=True)
        if result.returncode:
            print(f"skipped: a tmpfs cannot be mounted here: {result.stderr.strip()}")
            raise unittest.SkipTest("a tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(path)], check=True)
        return path

    def sizes(self, needed, count):
        """Bytes of disks, of a page to all that is needed and a half more."""
        return [4096 * (1 + round(needed * 1.5 / 4096 * (number + self.random.random()) / count)) if number else 4096
                for number in range(count)]

    def test_largest_file(self):
        """Files cannot become longer than any number of bytes."""
        largest = self.recording.stat().st_size
        for number in range(self.times):
            out, recording = self.directory / f"{number}", self.directory / f"{number}.tbr"
            size = self.random.randrange(largest)
            with self.subTest(size=size):
                result = self.run_command(*self.replay(out, recording), preexec_fn=lambda size=size: tbrsim.no_room(size),
                                          variables={"MESA_SHADER_CACHE_DISABLE": "true"})
                self.assertTrue(self.check_ended(result, out, recording), f"{size} bytes: {result.stderr}")

    def draw_on_disks(self, what, words):
        """Disks of any size for all that a replay or a program writes; words give its command for a folder."""
        needed = sum(file.stat().st_size for file in (*(self.shared / "whole").iterdir(), self.recording))
        failed = []
        for size in self.sizes(needed, self.times):
            disk = self.mount(f"size={size}")
            with self.subTest(size=size):
                # The cache of programs is on the disk, too.
                result = self.run_command(*words(disk / "out", disk / "recording.tbr"),
                                          variables={"MESA_SHADER_CACHE_DIR": str(disk / "programs")})
                failed.append((size, self.check_ended(result, disk / "out", disk / "recording.tbr")))
        self.assertTrue(failed[0][1])
        print(f"{what}: disks of so many bytes were full: {failed}")

    def test_replay(self):
        self.draw_on_disks("replay", self.replay)

    def test_run(self):
        """The program continues, and its status is its own unless the recording could not be written."""
        self.draw_on_disks("run", self.run_program)

    def test_run_results(self):
        """Without a recording the results' disk is not the program's business: a message, and its status."""
        needed = sum(file.stat().st_size for file in (self.shared / "whole").iterdir())
        for size in self.sizes(needed, self.times):
            disk = self.mount(f"size={size}")
            with self.subTest(size=size):
                result = self.run_command("run", "--out", disk / "out", "--", *self.PROGRAM)
                frames = self.check_statistics(disk / "out")
                if frames < len(self.whole):
                    self.assertRegex(result.stderr, "(?m)^tbrsim: .*No space left on device")

    def test_sim(self):
        """Beside earlier results of the same folder."""
        out = self.directory / "out"
        self.run_command("sim", "--out", out, "--attribute", "draw", self.recording, check=True)
        needed = sum(file.stat().st_size for file in out.iterdir())
        failed = []
        for size in self.sizes(needed, self.times):
            disk = self.mount(f"size={size + 4 * needed}")
            with self.subTest(size=size):
                for _ in range(2):
                    self.run_command("sim", "--out", disk / "out", "--attribute", "draw", self.recording, check=True)
                room = os.statvfs(disk)
                with open(disk / "filler", "wb") as filler:
                    os.posix_fallocate(filler.fileno(), 0, max(room.f_bavail * room.f_bsize - size, 4096))
                before = {path.name: path.read_bytes() for path in (disk / "out").iterdir()}
                result = self.run_command("sim", "--out", disk / "out", "--attribute", "draw", self.recording)
                after = {path.name: path.read_bytes() for path in (disk / "out").iterdir()}
                if result.returncode == 0:
                    self.assertEqual(after, before)  # the same again
                else:
                    self.assertRegex(result.stderr, "(?m)^tbrsim: .*No space left on device")
                    self.check_statistics(disk / "out")
                failed.append((size, result.returncode != 0))
        self.assertTrue(failed[0][1], failed)
        print(f"sim: disks with so many bytes left were full: {failed}")

    def test_report(self):
        """A page that is there stays as it was."""
        page = self.directory / "page.html"
        self.run_command("report", "--results", self.directory / "results", "--out", page, self.recording, check=True)
        needed = page.stat().st_size
        failed = []
        for size in self.sizes(needed, self.times):
            disk = self.mount(f"size={size}")
            with self.subTest(size=size):
                (disk / "page.html").write_text("earlier")
                result = self.run_command("report", "--out", disk / "page.html", self.directory / "results")
                if result.returncode:
                    self.assertRegex(result.stderr, "(?m)^tbrsim: .*No space left on device")
                    self.assertEqual((disk / "page.html").read_text(), "earlier")
                    self.assertEqual(os.listdir(disk), ["page.html"])
                else:
                    self.assertGreater((disk / "page.html").stat().st_size, 10000)
                failed.append((size, result.returncode != 0))
        self.assertTrue(failed[0][1])
        print(f"report: disks of so many bytes were full: {failed}")

    def test_explore(self):
        """What was simulated is whole; on a larger disk it continues from there."""
        plan = self.path("plan.yaml", PLAN)
        shutil.copy(self.recording, self.directory / "whole.tbr")
        words = ("explore", "--retries", "0", "--out")
        self.run_command(*words, self.directory / "out", plan, check=True)
        expected = (self.directory / "out" / "results.csv").read_bytes()
        needed = sum(file.stat().st_size for file in (self.directory / "out").rglob("*") if file.is_file())
        failed = []
        for size in self.sizes(needed, self.times):
            disk = self.mount(f"size={size}")
            with self.subTest(size=size):
                result = self.run_command(*words, disk / "out", plan)
                if result.returncode:
                    self.assertRegex(result.stderr, "(?m)^tbrsim: .*No space left on device")
                    subprocess.run(["mount", "-o", f"remount,size={size + 4 * needed}", str(disk)], check=True)
                    self.run_command(*words, disk / "out", plan, check=True)
                self.assertEqual((disk / "out" / "results.csv").read_bytes(), expected)
                failed.append((size, result.returncode != 0))
        self.assertTrue(failed[0][1])
        print(f"explore: disks of so many bytes were full: {failed}")

    def refused(self, disk, reason):
        """All commands say that they cannot write there."""
        for words in (self.replay(disk / "out", self.directory / "recording.tbr"),
                      self.replay(self.directory / "out", disk / "recording.tbr"),
                      self.run_program(disk / "out", self.directory / "recording.tbr"),
                      self.run_program(self.directory / "out", disk / "recording.tbr"),
                      ("sim", "--out", disk / "out", self.recording),
                      ("report", "--out", disk / "page.html", self.shared / "whole"),
                      ("export", "--format", "din", "--unit", "l2", "--out", disk / "l2.din", self.recording),
                      ("select", "--out", disk / "selection.json", self.recording)):
            with self.subTest(words=words):
                result = self.run_command(*words)
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, f"(?m)^tbrsim: .*{reason}")

    def test_read_only(self):
        disk = self.mount("ro")
        self.refused(disk, "Read-only file system")
        self.assertEqual(os.listdir(disk), [])

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_forbidden(self):
        folder = self.directory / "forbidden"
        folder.mkdir(mode=0o555)
        self.refused(folder, "Permission denied")


if __name__ == "__main__":
    tbrsim.main(times="3", seed="1")
