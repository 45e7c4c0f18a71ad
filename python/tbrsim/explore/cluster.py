# SPDX-License-Identifier: MIT
"""The jobs of a plan by Snakemake, which brings them to a cluster: each is a process of this package on some node."""
import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

from ..command import executable
from ..errors import Error

HERE = pathlib.Path(__file__).resolve().parent
PROFILES = HERE / "profiles"
PR_SET_PDEATHSIG = 1  # of <sys/prctl.h>


def profile_directory(name):
    """That of a profile: the user's, or one of ours."""
    for path in (pathlib.Path(name), PROFILES / name):
        if (path / "config.yaml").exists():
            return path.resolve()
    ours = ", ".join(sorted(path.name for path in PROFILES.iterdir()))
    raise Error(f"--profile {name}: no directory with a config.yaml, and none of ours ({ours})")


def run(store, jobs, profile, retries, lock):
    """Does the jobs; those that have failed with the reasons, as Workers.run(). lock: the file by which the directory is
    locked, as long as Snakemake lives."""
    directory = profile_directory(profile)
    snakemake = shutil.which("snakemake")
    if not snakemake:
        raise Error("snakemake is missing: apt install snakemake")
    store.write("jobs.json", json.dumps({job["key"]: job for job in jobs}, indent=1) + "\n")
    for folder in (store.done, store.failed):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    store.locks.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [snakemake, "--snakefile", HERE / "Snakefile", "--directory", store.directory, "--profile", directory,
         "--keep-going", "--rerun-incomplete", "--nolock", "--restart-times", str(retries), "--config",
         f"command={executable()}", f"python={sys.executable}", f"package={HERE.parents[1]}"],
        env=os.environ | {"TBRSIM_PROFILE": str(directory)}, stdin=subprocess.DEVNULL, stdout=sys.stderr,
        pass_fds=[lock.fileno()], start_new_session=True, preexec_fn=_interruptible)
    try:
        status = process.wait()
    except BaseException:
        # It cancels what it has submitted.
        process.send_signal(signal.SIGINT)
        process.wait()
        raise
    failed = [(job, reasons(store, job)) for job in jobs if not store.has(job["key"])]
    if status and not failed:
        raise Error(f"snakemake ended with status {status}")
    return failed


def _interruptible():
    """For preexec_fn: Snakemake is interrupted when this process ends, whatever ends it; even where a shell has started
    this process in the background, so that it ignores interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)


def reasons(store, job):
    """Why a job has failed, of each attempt that a node or the profile could write down: store.failed has a file of each."""
    keys = [key for key in (job["recording_key"], job["key"]) if key]
    notes = sorted((path for key in keys for path in store.failed.glob(f"{key}-*")), key=lambda path: path.stat().st_mtime_ns)
    found = [text for path in notes if (text := path.read_text(encoding="utf-8").strip())]
    return found or ["nothing says why: it was killed, its node was lost, its disk was full, or it was not begun; "
                     "Snakemake's log is in .snakemake/log"]


def work(store, key, record):
    """What a node does: one recording, or one simulation."""
    jobs = json.loads((store.directory / "jobs.json").read_text(encoding="utf-8"))
    try:
        # A job of an earlier Snakemake may be at it still.
        lock = open(store.locks / key, "w", encoding="utf-8")
        fcntl.flock(lock, fcntl.LOCK_EX)
        if record:
            store.record(next(job for job in jobs.values() if job["recording_key"] == key))
        else:
            store.simulate(jobs[key])
    except (Error, OSError) as error:
        attempt = os.environ.get("SLURM_JOB_ID") or f"{socket.gethostname()}-{os.getpid()}"
        with contextlib.suppress(OSError):  # a disk that is full; the error itself is raised
            (store.failed / f"{key}-{attempt}").write_text(f"{error}\n", encoding="utf-8")
        raise
