#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What simulating time costs `tbrsim sim`: its time with timing on divided by that with timing off, on two processors, and how many
times as fast two processors time as one. By the clock: the median of --rounds runs of each, which alternate, bound to so many
processors; on an idle machine. By processor time, which does not depend on how busy the machine is: no part that one thread does at a
time takes less than its own time (bench/threads.py)."""

import argparse
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bench import SOURCE
from threads import clean, read_parts, record

PRESETS = ["tcor-64k", "imr-8m", "nuca-dtm"]


def simulate(arguments, recording, preset, timing, processors, directory):
    """Seconds by the clock, and by processor time."""
    times = directory / "times.csv"
    allowed = sorted(os.sched_getaffinity(0))[:processors]
    begin = time.monotonic()
    subprocess.run([arguments.tbrsim, "sim", "--config", preset, "--timing", timing, "--jobs", str(processors),
                    "--model-threads", str(processors), "--work-times", times, "--out", directory / "out", recording],
                   check=True, stdout=subprocess.DEVNULL, env=clean(), preexec_fn=lambda: os.sched_setaffinity(0, allowed))
    seconds = time.monotonic() - begin
    parts = read_parts(times)
    busiest = max(part[1] for part in parts if not part[2])
    return seconds, sum(part[1] for part in parts) if processors == 1 else max(busiest, sum(part[1] for part in parts) / processors)


def ratios(arguments, recording, preset, directory):
    """(on / off on two processors, on on one / on two), by the clock and by processor time."""
    rounds = []
    for _ in range(arguments.rounds):
        off, on, alone = (simulate(arguments, recording, preset, timing, processors, directory)
                          for timing, processors in (("off", 2), ("on", 2), ("on", 1)))
        rounds.append([(on[way] / off[way], alone[way] / on[way]) for way in (0, 1)])
    return [[statistics.median(of[way][which] for of in rounds) for which in (0, 1)] for way in (0, 1)]


def mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--config", action="append", help=f"presets (default: {', '.join(PRESETS)})")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--traces", type=pathlib.Path, default=SOURCE / "apitrace-replays", metavar="DIR",
                        help="captures to record, without RECORDING (default: the bundled ones)")
    parser.add_argument("recordings", nargs="*", type=pathlib.Path, metavar="RECORDING")
    arguments = parser.parse_args()
    presets = arguments.config or PRESETS
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit("two processors are needed")
    print("| recording | " + " | ".join(f"{preset}: on / off | by work | 2 against 1 | by work" for preset in presets) + " |")
    print("| --- |" + " ---: | ---: | ---: | ---: |" * len(presets))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for recording in arguments.recordings or [record(arguments, trace, directory)
                                                  for trace in sorted(arguments.traces.glob("*.trace"))]:
            row = []
            for preset in presets:
                (on, faster), (on_by_work, faster_by_work) = ratios(arguments, recording, preset, directory)
                row += [on, on_by_work, faster, faster_by_work]
            print(f"| {recording.stem} | " + " | ".join(f"{value:.2f}" for value in row) + " |", flush=True)
            rows.append(row)
    if not rows:
        sys.exit("no recordings")
    print("| **geometric mean** | " + " | ".join(f"{mean(column):.2f}" for column in zip(*rows)) + " |")


if __name__ == "__main__":
    main()
