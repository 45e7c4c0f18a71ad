# SPDX-License-Identifier: MIT
"""Measures `tbrsim sweep`: 100 caches in one pass over a recording against as many passes, each with one cache.
Writes bench/SWEEPS.md."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bench import SOURCE, geometric_mean, machine

sys.path.insert(0, str(SOURCE / "python"))
import tbrsim  # noqa: E402

RESULTS = pathlib.Path(__file__).with_name("SWEEPS.md")
# TCOR Figures 12 and 13, as 100 points.
SIZES = ("16K", "64K", "256K", "1M")
WAYS = ("1", "2", "4", "8", "full")
POLICIES = ("lru", "mru", "srrip", "drrip", "opt")
# Of all points every so manieth is simulated by itself, too.
STEP = 10


def clean():
    return {name: value for name, value in os.environ.items() if not name.startswith("TBRSIM_")}


def sweep(arguments, recording, stream, jobs, sizes, ways, policies):
    """Seconds of processor time and of the clock; the number of points; their accesses."""
    begin = time.monotonic()
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        process = subprocess.Popen(
            [arguments.tbrsim, "sweep", "--stream", stream, "--size", ",".join(sizes), "--ways", ",".join(ways),
             "--policy", ",".join(policies), *frames_of(arguments, recording), "--jobs", str(jobs), "--csv", "--out",
             out.name, recording], stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"bench: tbrsim sweep failed on {recording.name}")
        rows = tbrsim.files.read_table(out.name)
    return (usage.ru_utime + usage.ru_stime, time.monotonic() - begin, len(rows), rows[0]["accesses"])


def frames_of(arguments, recording):
    """The first frames, where there are as many."""
    numbers = [frame["number"] for frame in tbrsim.Recording(recording).info["frames"]]
    return ["--frames", f"{numbers[0]}-{min(numbers[-1], numbers[0] + arguments.frames - 1)}"]


def measure(arguments, recording, stream):
    """A row of the table."""
    busy, clock, points, accesses = sweep(arguments, recording, stream, 2, SIZES, WAYS, POLICIES)
    every = [(size, ways, policy) for policy in POLICIES for ways in WAYS for size in SIZES][::STEP]
    single = sum(sweep(arguments, recording, stream, 1, (size,), (ways,), (policy,))[0]
                 for size, ways, policy in every) / len(every) * points
    row = [points, accesses / 1e6, clock, busy, points * accesses / busy / 1e6, single / busy]
    print(f"{recording.stem:20} {stream:14}" + " ".join(f"{value:9.2f}" for value in row), flush=True)
    return row


HEAD = ("recording", "stream", "points", "accesses, M", "seconds on 2 cores", "processor seconds",
        "M accesses × points per second", "point by point / one pass")


def report(arguments, rows):
    lines = ["# Sweeps",
             "",
             f"`tbrsim sweep` of {len(SIZES) * len(WAYS) * len(POLICIES)} points ({', '.join(SIZES)}; {', '.join(WAYS)}"
             f" ways; {', '.join(POLICIES)}) over the first {arguments.frames} frames of",
             "recordings, decoding included. Point by point: processor time of sweeps with one point each"
             f" (every {STEP}th of them is",
             "measured, the average taken for all), next to that of the sweep with all.",
             "",
             f"Machine: {machine()}.",
             "",
             "| " + " | ".join(HEAD) + " |", "| --- | --- |" + " ---: |" * (len(HEAD) - 2)]
    for (name, stream), row in rows.items():
        lines.append(f"| {name} | {stream} | " +
                     " | ".join(f"{value:.2f}" if value < 10 else f"{value:.0f}" for value in row) + " |")
    for stream in dict.fromkeys(stream for _, stream in rows):
        mean = geometric_mean(row[-1] for (_, other), row in rows.items() if other == stream)
        lines.append(f"| **geometric mean** | {stream} |" + " |" * (len(HEAD) - 3) + f" **{mean:.2f}** |")
    return "\n".join(lines) + "\n"


def record(trace, directory):
    recording = pathlib.Path(directory) / f"{trace.stem}.tbr"
    tbrsim.call("replay", "--no-model", "--record", recording, "--out", pathlib.Path(directory) / "replay", trace,
                env=clean())
    return recording


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--traces", type=pathlib.Path, default=SOURCE / "apitrace-replays", metavar="DIR",
                        help="a directory of captures to record (default: the bundled ones)")
    parser.add_argument("--recordings", type=pathlib.Path, metavar="DIR", help="recordings instead of captures")
    parser.add_argument("--streams", default="pb_attribute,texture", help="whose accesses (default pb_attribute,texture)")
    parser.add_argument("--frames", type=int, default=30, help="of each (default 30)")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS, help="file for the table")
    arguments = parser.parse_args()
    tbrsim.use(arguments.tbrsim)
    rows = {}
    with tempfile.TemporaryDirectory() as directory:
        recordings = sorted(arguments.recordings.glob("*.tbr")) if arguments.recordings else \
            [record(trace, directory) for trace in sorted(arguments.traces.glob("*.trace"))]
        if not recordings:
            sys.exit("no recordings")
        for stream in arguments.streams.split(","):
            for recording in recordings:
                rows[recording.stem, stream] = measure(arguments, recording, stream)
    text = report(arguments, rows)
    arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
