# SPDX-License-Identifier: MIT
"""Measures recordings and their simulation over captures: what recording costs next to the live model, bytes on
disk, accesses a second of `tbrsim sim`, what several configurations share. Writes bench/RECORDINGS.md."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bench import SOURCE, geometric_mean, machine, measure_once
from captures import measure_captures

sys.path.insert(0, str(SOURCE / "python"))
import tbrsim  # noqa: E402

RESULTS = pathlib.Path(__file__).with_name("RECORDINGS.md")
FIRST_UNITS = ("vertex_cache", "texture_cache", "tile_cache", "instruction_cache")
OPT = ["--config", "tcor-baseline-64k", "--set", "caches.l2.policy=opt"]
# As many L2 caches as a sweep over its size has.
SEVERAL = [word for size in (262144, 524288, 1048576, 2097152)
           for word in ("--config", "tcor-baseline-64k", "--set", f"caches.l2.size={size}")]


def simulate(arguments, recording, out, *options):
    """Seconds of processor time and of the clock that `tbrsim sim` takes: the least of the rounds."""
    least = [float("inf"), float("inf")]
    for _ in range(arguments.rounds):
        begin = time.monotonic()
        process = subprocess.Popen([arguments.tbrsim, "sim", "--out", out, *options, recording],
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"bench: tbrsim sim failed on {recording.name}")
        least = [min(least[0], usage.ru_utime + usage.ru_stime), min(least[1], time.monotonic() - begin)]
    return least


def accesses(out):
    """Accesses of blocks at the first caches."""
    total = tbrsim.files.read_statistics(out)["total"]
    return sum(total.get(f"{unit}.total.{kind}", 0) for unit in FIRST_UNITS for kind in ("reads", "writes"))


def record(arguments, workload, recording):
    """Frames a second with and without recording, in turn."""
    speeds = {"live": 0, "recorded": 0}
    for _ in range(arguments.rounds):
        for name, options in (("live", []), ("recorded", ["--record", str(recording), "--record-visible"])):
            once = measure_once(arguments, workload, options)
            if not once:
                sys.exit(f"bench: {workload.name} failed")
            speeds[name] = max(speeds[name], once.speed)
    return speeds


def measure(arguments, workload):
    """A row of the table."""
    with tempfile.TemporaryDirectory() as directory:
        out, recording = pathlib.Path(directory) / "out", pathlib.Path(directory) / "recording.tbr"
        speeds = record(arguments, workload, recording)
        one, _ = simulate(arguments, recording, out, "--jobs", "1")
        count = accesses(out)
        opt, _ = simulate(arguments, recording, out, "--jobs", "1", *OPT)
        several, slow = simulate(arguments, recording, out, "--jobs", "1", *SEVERAL)
        _, fast = simulate(arguments, recording, out, "--jobs", "2", *SEVERAL)
        size = recording.stat().st_size
    row = [count / 1e6, size / 2**20, size / count, speeds["live"] / speeds["recorded"], count / one / 1e6,
           count / opt / 1e6, several / one, slow / fast]
    print(f"{workload.name:20}" + " ".join(f"{value:8.2f}" for value in row), flush=True)
    return row


HEAD = ("capture", "accesses, M", "size, MiB", "bytes per access", "time recorded / live", "LRU, M/s", "OPT, M/s",
        "four configurations / one", "1 core / 2 cores")
# Columns whose geometric means mean something.
MEANS = range(2, len(HEAD) - 1)


def report(arguments, rows):
    lines = ["# Recordings",
             "",
             "An access is one of a block at a first cache, all streams together. Recorded / live: time of the program"
             " with the model",
             "live, with `--record --record-visible` and without. LRU, OPT: `tbrsim sim` of `tcor-baseline-64k`, with its LRU caches, and"
             " with OPT in the",
             "L2 (one pass to find the next uses, another to simulate); millions of accesses a second of processor"
             " time, all levels",
             "simulated, reading and decoding included. Four configurations (sizes of the L2) share the decoding:"
             " processor time",
             f"next to that of one; and how much sooner two cores are done with them. The best of {arguments.rounds}.",
             "",
             f"Machine: {machine()}.",
             "",
             "| " + " | ".join(HEAD) + " |", "| --- |" + " ---: |" * (len(HEAD) - 1)]
    for name, row in rows.items():
        lines.append(f"| {name} | " + " | ".join(f"{value:.2f}" if value < 10 else f"{value:.0f}" for value in row) + " |")
    means = [f"**{geometric_mean(row[n] for row in rows.values()):.2f}**" if n in MEANS else "" for n in
             range(len(HEAD) - 1)]
    lines.append("| **geometric mean** | " + " | ".join(means) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    measure_captures(__doc__, RESULTS, measure, report)
