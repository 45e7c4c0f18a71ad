# SPDX-License-Identifier: MIT
"""A cluster of one node with Slurm, all of it in a directory: a controller, a node of two processors, munge. For root."""

import contextlib
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "sinfo", "snakemake")
PROCESSORS = 2
CONFIGURATION = """ClusterName=tbrsim
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.pid
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=2
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs={processors} RealMemory=1000000
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
SlurmdParameters=config_overrides
"""


def missing():
    """What of it this machine lacks, as a list of words."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    lacks = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    return lacks + ([] if os.geteuid() == 0 else ["root's rights"])


def _free_ports(number):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def wait_until(condition, what, seconds=120, alive=None):
    """Waits for a condition that is bound to come; alive: a process that has to live so long."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if alive and alive.poll() is not None:
            raise AssertionError(f"{what}: the process has ended with status {alive.returncode}")
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not after {seconds} s")
        time.sleep(0.1)
    return value


class Cluster:
    """It runs from start() to stop()."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self._daemons = []
        self.variables = {"SLURM_CONF": str(self.directory / "slurm.conf"),
                          "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}

    def _daemon(self, *words):
        with open(self.directory / f"{words[0]}.log", "wb") as log:
            # They end with the test, whatever ends it.
            command = ["setpriv", "--pdeathsig", "TERM", *map(str, words)]
            self._daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                  env=os.environ | self.variables, start_new_session=True))

    def start(self):
        # munge's users have to come to its socket.
        self.directory.chmod(0o755)
        for name in ("state", "spool"):
            (self.directory / name).mkdir()
        key = self.directory / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        (self.directory / "slurm.conf").write_text(CONFIGURATION.format(
            directory=self.directory, host=socket.gethostname().split(".")[0], ports=_free_ports(2),
            processors=PROCESSORS), encoding="utf-8")
        self._daemon("munged", "--foreground", f"--key-file={key}", f"--socket={self.directory / 'munge.socket'}",
                     f"--pid-file={self.directory / 'munged.pid'}", f"--log-file={self.directory / 'munge.log'}",
                     f"--seed-file={self.directory / 'munge.seed'}", "--num-threads=2")
        wait_until((self.directory / "munge.socket").exists, "munge's socket", alive=self._daemons[-1])
        self._daemon("slurmctld", "-D")
        self._daemon("slurmd", "-D", "-N", "node")
        wait_until(lambda: self.call("sinfo", "--noheader", "--format=%T", check=False) == "idle\n", "an idle node",
                   alive=self._daemons[1])

    def stop(self):
        if len(self._daemons) == 3:
            self.call("scancel", "--user=root", check=False)
            with contextlib.suppress(AssertionError):
                wait_until(lambda: not self.jobs(), "an empty queue", 20)
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def call(self, *words, check=True):
        """A command of Slurm's; what it prints."""
        return subprocess.run(list(map(str, words)), env=os.environ | self.variables, check=check, text=True,
                              stdout=subprocess.PIPE, stderr=None if check else subprocess.DEVNULL, timeout=60).stdout

    def jobs(self, state=None):
        """Those in the queue: {number: (name, state)}."""
        lines = self.call("squeue", "--noheader", "--format=%i %T %j", check=False).splitlines()
        rows = [line.split(maxsplit=2) for line in lines]
        return {number: (name, its) for number, its, name in rows if state in (None, its)}

    def node(self, state):
        """The node becomes drain or down, or is resumed where it was one of them."""
        if state != "resume" or self.call("sinfo", "--noheader", "--format=%E") != "none\n":
            self.call("scontrol", "update", "nodename=node", f"state={state}", "reason=test")
