# SPDX-License-Identifier: MIT
"""The jobs of a plan by Snakemake, which brings them to a cluster: each is a process of this package on some node."""
import json
import pathlib
import shutil
import subprocess
import sys

from ..command import executable
from ..errors import Error

HERE = pathlib.Path(__file__).resolve().parent
PROFILES = HERE / "profiles"


def profile_directory(name):
    """That of a profile: the user's, or one of ours."""
    for path in (pathlib.Path(name), PROFILES / name):
        if (path / "config.yaml").exists():
            return path.resolve()
    ours = ", ".join(sorted(path.name for path in PROFILES.iterdir()))
    raise Error(f"--profile {name}: no directory with a config.yaml, and none of ours ({ours})")


def run(store, jobs, profile, retries):
    """Does the jobs; those that have failed with the reasons, as Workers.run()."""
    directory = profile_directory(profile)
    snakemake = shutil.which("snakemake")
    if not snakemake:
        raise Error("snakemake is missing: apt install snakemake")
    store.write("jobs.json", json.dumps({job["key"]: job for job in jobs}, indent=1) + "\n")
    for job in jobs:
        (store.results / f"{job['key']}.failed").unlink(missing_ok=True)
    status = subprocess.run(
        [snakemake, "--snakefile", HERE / "Snakefile", "--directory", store.directory, "--profile", directory,
         "--keep-going", "--rerun-incomplete", "--nolock", "--restart-times", str(retries), "--config",
         f"command={executable()}", f"python={sys.executable}", f"package={HERE.parents[1]}"],
        check=False, stdout=sys.stderr).returncode
    failed = [(job, reasons(store, job)) for job in jobs if not store.has(job["key"])]
    if status and not failed:
        raise Error(f"snakemake ended with status {status}")
    return failed


def reasons(store, job):
    """Why a job has failed, as far as a node could write it."""
    path = store.results / f"{job['key']}.failed"
    if path.exists():
        return [path.read_text(encoding="utf-8").strip()]
    return ["it was killed, or its node was lost; Snakemake's log is in .snakemake/log"]


def work(store, key, record):
    """What a node does: one recording, or one simulation."""
    jobs = json.loads((store.directory / "jobs.json").read_text(encoding="utf-8"))
    note = store.results / f"{key}.failed"
    try:
        if record:
            store.record(next(job for job in jobs.values() if job["recording_key"] == key))
        else:
            store.simulate(jobs[key])
    except (Error, OSError) as error:
        for job in [jobs[key]] if not record else [job for job in jobs.values() if job["recording_key"] == key]:
            try:
                (store.results / f"{job['key']}.failed").write_text(f"{error}\n", encoding="utf-8")
            except OSError:
                pass  # a disk that is full; the error itself is raised
        raise
    note.unlink(missing_ok=True)
