# SPDX-License-Identifier: MIT
"""tbrsim explore --profile slurm on a cluster of one node: jobs killed, a node drained, a node lost, a disk that is full,
an exploration that is interrupted or killed. It ends with the table of this machine alone, and no simulation that has
succeeded is done again. What has to happen in the middle happens while the simulations are held."""

import collections
import contextlib
import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import slurm, tbrsim  # noqa: E402

PLAN = """recordings: game.tbr
configurations: tcor-baseline-64k
settings:
  l2.size: [128K, 256K, 512K, 1M, 2M]
"""
POINTS = 5
# The command, which notes the key of each simulation that it begins and of each that succeeds, and waits while it is held.
COMMAND = """#!/bin/sh
[ "$1" = sim ] || exec {tbrsim} "$@"
key=$(echo "$*" | sed 's/.*results.\\([0-9a-f]*\\)[.]part.*/\\1/')
echo "$key" >>{directory}/begun
while [ -e {directory}/hold ]; do sleep 0.1; done
{tbrsim} "$@" || exit
echo "$key" >>{directory}/succeeded
"""


class Slurm(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = slurm.Cluster(cls.shared / "slurm")
        cls.cluster.directory.mkdir()
        cls.shared.chmod(0o755)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        tbrsim.record(cls.shared, "glmark2_function", "--frames", "0-0", name="game")

    def setUp(self):
        super().setUp()
        self.command = self.path("tbrsim", COMMAND.format(tbrsim=tbrsim.arguments.tbrsim, directory=self.directory))
        self.command.chmod(0o755)
        self.recording = shutil.copy(self.shared / "game.tbr", self.directory)
        self.plan = self.path("plan.yaml", PLAN)
        self.out = self.path("out")
        self.said = self.path("said")
        self.addCleanup(self.cluster.node, "resume")

    # ---- explorations

    def start(self, *words, profile="slurm"):
        profile = ["--profile", profile] if profile else []
        # CI: Snakemake looks after its jobs each second.
        variables = self.cluster.variables | {"CI": "true", "TBRSIM": str(self.command), "PYTHONPATH": str(tbrsim.SOURCE / "python")}
        with open(self.said, "wb") as said:
            process = subprocess.Popen(
                ["/usr/bin/python3", "-B", "-m", "tbrsim.explore", "--directory", str(self.out), *profile, *words, str(self.plan)],
                # Whatever started this test, it can be interrupted.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                env=tbrsim.environment(**variables), stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end(self, process, status=0):
        """What it has said by its end."""
        found = process.wait(tbrsim.TIMEOUT)
        said = self.said.read_text()
        self.assertEqual(found, status, said)
        # Snakemake itself does not expect a disk that is full.
        self.assertNotRegex(said, 'File ".*tbrsim/explore/')
        return said

    def explore(self, *words, **options):
        return self.end(self.start(*words, **options))

    def hold(self):
        self.path("hold", "")

    def release(self):
        self.path("hold").unlink()

    def held(self, process):
        """The jobs that run and whose simulations are held: {number: key}."""
        slurm.wait_until(lambda: len(self.keys("begun")) >= slurm.PROCESSORS, "simulations that are held", alive=process)
        return {number: name.rsplit("=", 1)[1] for number, (name, _) in self.cluster.jobs("RUNNING").items()}

    # ---- what they have left

    def keys(self, name):
        path = self.path(name)
        return path.read_text().split() if path.exists() else []

    def rows(self):
        with open(self.out / "results.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def complete(self):
        """The table is that of this machine alone, and each simulation has succeeded once."""
        self.assertEqual(len(self.rows()), POINTS)
        counts = collections.Counter(self.keys("succeeded"))
        self.assertEqual(counts, dict.fromkeys((row["key"] for row in self.rows()), 1))
        table = (self.out / "results.csv").read_bytes()
        self.out = self.path("alone")
        self.explore(profile=None)
        self.assertEqual((self.out / "results.csv").read_bytes(), table)

    def begun(self):
        """How often each simulation was begun, without those of one."""
        return {key: count for key, count in collections.Counter(self.keys("begun")).items() if count > 1}

    # ---- tests

    def test_one_after_the_other(self):
        """Begun here, continued on the cluster: only what is missing is simulated."""
        self.plan.write_text(PLAN.replace(", 512K, 1M, 2M", ""))
        self.explore(profile=None)
        self.plan.write_text(PLAN)
        self.assertIn("5 points: 3 simulated, 2 there before, 0 failed", self.explore())
        self.assertEqual(self.begun(), {})
        self.assertIn("5 points: 0 simulated, 5 there before, 0 failed", self.explore())
        self.complete()

    def test_captures(self):
        """Of a capture, the cluster makes the recording first, and once."""
        shutil.copy(tbrsim.CAPTURES / "glmark2_function.trace", self.directory)
        self.plan.write_text(PLAN.replace("recordings: game.tbr", "captures: glmark2_function.trace\nframes: 0-0"))
        self.explore()
        self.assertEqual(len(list((self.out / "recordings").iterdir())), 1)
        self.complete()

    def test_job_killed(self):
        """Retried, as often as --retries says."""
        self.hold()
        process = self.start("--retries", "1")
        number, key = min(self.held(process).items())
        self.cluster.call("scancel", number)
        slurm.wait_until(lambda: number not in self.cluster.jobs(), "the job's end")
        self.release()
        self.assertIn("5 points: 5 simulated, 0 there before, 0 failed", self.end(process))
        self.assertEqual(self.begun(), {key: 2})
        self.complete()

    def test_job_killed_without_retries(self):
        """Named, with what Slurm says of it; the next time only it is done."""
        self.hold()
        process = self.start("--retries", "0")
        number, key = min(self.held(process).items())
        self.cluster.call("scancel", number)
        slurm.wait_until(lambda: number not in self.cluster.jobs(), "the job's end")
        self.release()
        said = self.end(process, 1)
        failure, = json.loads((self.out / "failures.json").read_text())
        self.assertRegex(failure["reasons"][0], f"^Slurm's job {number}: CANCELLED .*; node node")
        self.assertEqual(len(failure["reasons"]), 1)
        self.assertIn(f"tbrsim: {failure['name']}: failed: Slurm's job {number}: CANCELLED", said)
        self.assertEqual(len(self.rows()), POINTS - 1)
        self.assertIn("5 points: 1 simulated, 4 there before, 0 failed", self.explore())
        self.assertEqual(self.begun(), {key: 2})
        self.complete()

    def test_node_drained(self):
        """What runs ends, what waits is cancelled with the exploration, and is what is left the next time."""
        self.hold()
        process = self.start()
        self.held(process)
        slurm.wait_until(lambda: len(self.cluster.jobs()) == POINTS, "the other jobs in the queue", alive=process)
        self.cluster.node("drain")
        self.release()
        slurm.wait_until(lambda: len(self.keys("succeeded")) == 2 and not self.cluster.jobs("RUNNING"), "the running jobs' end")
        process.send_signal(signal.SIGINT)
        self.end(process, 130)
        slurm.wait_until(lambda: not self.cluster.jobs(), "an empty queue")
        self.assertEqual(len(self.rows()), 2)
        self.cluster.node("resume")
        self.assertIn("5 points: 3 simulated, 2 there before, 0 failed", self.explore())
        self.assertEqual(self.begun(), {})
        self.complete()

    def test_node_lost(self):
        """Slurm brings its jobs back; they are done again, the others are not."""
        self.hold()
        process = self.start("--retries", "0")
        jobs = self.held(process)
        self.cluster.node("down")
        slurm.wait_until(lambda: not self.cluster.jobs("RUNNING"), "the jobs' end")
        # The node refuses what was submitted in the second in which it ended a job of that number ("Job credential revoked").
        time.sleep(2)
        for number in jobs:
            # At once, and not when Slurm's time for it has come.
            self.cluster.call("scontrol", "update", f"jobid={number}", "starttime=now", check=False)
        self.cluster.node("resume")
        self.release()
        self.assertIn("5 points: 5 simulated, 0 there before, 0 failed", self.end(process))
        self.assertEqual(self.begun(), dict.fromkeys(jobs.values(), 2))
        self.complete()

    def test_exploration_killed(self):
        """Snakemake is interrupted with it, and cancels its jobs. So long the directory is locked."""
        self.hold()
        process = self.start()
        keys = set(self.held(process).values())
        process.kill()
        process.wait()
        slurm.wait_until(lambda: not self.cluster.jobs(), "an empty queue")
        self.release()
        slurm.wait_until(lambda: self.unlocked(), "Snakemake's end")
        self.assertIn("5 points: 5 simulated, 0 there before, 0 failed", self.explore())
        self.assertEqual(self.begun(), dict.fromkeys(keys, 2))
        self.complete()

    def unlocked(self):
        return subprocess.run(["flock", "--nonblock", str(self.out / "lock"), "true"], check=False).returncode == 0

    @contextlib.contextmanager
    def small_disk(self):
        """The directory of results is a file system of its own."""
        self.out.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8M", "tbrsim-test", str(self.out)], check=True)
        where = self.out
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(where)], check=True)

    def fill(self, left):
        """Of the directory's file system so many bytes stay free."""
        room = os.statvfs(self.out)
        (self.out / "ballast").write_bytes(bytes(room.f_bavail * room.f_frsize - left))

    def test_disk_full(self):
        """No half results; all that has failed is named, with the reason, and done when there is room again."""
        with self.small_disk():
            self.hold()
            process = self.start("--retries", "1")
            self.held(process)
            slurm.wait_until(lambda: len(self.cluster.jobs()) == POINTS, "the other jobs in the queue", alive=process)
            self.fill(40 << 10)
            self.release()
            said = self.end(process, 1)
            # The table and the list of failures may have found no room either, but what has failed is said.
            failures = set(re.findall(r"(?m)^tbrsim: (.*): failed", said))
            self.assertGreater(len(failures), 0)
            self.assertIn("No space left on device", said)
            done = len(set(self.keys("succeeded")))
            self.assertIn(f"\n{done} points: {done} simulated, 0 there before, {len(failures)} failed", said)
            self.assertEqual(done + len(failures), POINTS)
            (self.out / "ballast").unlink()
            # Snakemake itself may have ended for want of room. What it has left in the queue finds some now.
            slurm.wait_until(lambda: not self.cluster.jobs(), "an empty queue")
            there = len(set(self.keys("succeeded")))
            self.assertIn(f"5 points: {POINTS - there} simulated, {there} there before, 0 failed", self.explore())
            self.complete()


if __name__ == "__main__":
    if lacks := slurm.missing():
        print("SKIPPED: no cluster can be started here; missing:", *lacks, "('make test-slurm' installs the packages)")
        sys.exit(tbrsim.SKIPPED)
    tbrsim.main()
