#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How the work on one configuration divides among processors. For each number N of --threads, `tbrsim sim` runs with --jobs N and
--model-threads N; printed are the part that is the busiest of those that one thread does at a time, its share of the processor time of
all, and how many times as fast as on one thread that lets it be on N cores. The shares do not depend on how busy the machine is. The prediction for two is
compared with the clock (--clock: on an idle machine of two cores, or as root with --real-time, which keeps others off): the
median of --rounds runs of each, one after the other."""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bench import SOURCE


def clean():
    return {name: value for name, value in os.environ.items() if not name.startswith("TBRSIM_")}


def record(arguments, trace, directory):
    recording = directory / f"{trace.stem}.tbr"
    subprocess.run([arguments.tbrsim, "replay", "--no-model", "--record", recording, "--out", directory / "replay", trace],
                   check=True, stdout=subprocess.DEVNULL, env=clean())
    return recording


def read_parts(times):
    """The parts [(name, seconds, divisible)] of a simulation that --work-times has written."""
    with open(times, encoding="utf-8") as file:
        return [(row["part"], float(row["seconds"]), row["divisible"] == "1") for row in csv.DictReader(file)]


def simulate(arguments, recording, preset, threads, directory):
    """The parts [(name, seconds, divisible)] of a simulation, and the seconds that it takes by the clock."""
    times = directory / "times.csv"
    begin = time.monotonic()
    subprocess.run([*(["chrt", "-r", "1"] if arguments.real_time else []),
                    arguments.tbrsim, "sim", "--config", preset, *arguments.set, "--jobs", str(threads),
                    "--model-threads", str(threads), "--work-times", times, "--out", directory / "out", recording],
                   check=True, stdout=subprocess.DEVNULL, env=clean())
    seconds = time.monotonic() - begin
    return read_parts(times), seconds


def predict(parts, work_of_one, threads):
    """How many times as fast as on one thread: no part that is not divisible takes less than its own time."""
    total = sum(seconds for _, seconds, _ in parts)
    busiest = max(seconds for _, seconds, divisible in parts if not divisible)
    return work_of_one / max(busiest, total / threads)


def clock(arguments, recording, preset, threads, directory):
    """How many times as fast as on one thread, by the clock: runs alternate, so that others on the machine meet both."""
    ratios = [simulate(arguments, recording, preset, 1, directory)[1] /
              simulate(arguments, recording, preset, threads, directory)[1] for _ in range(arguments.rounds)]
    return statistics.median(ratios)


def print_rows(arguments, recording, preset, directory):
    one = None
    for threads in sorted({1, *map(int, arguments.threads.split(","))}):
        parts, _ = simulate(arguments, recording, preset, threads, directory)
        total = sum(part[1] for part in parts)
        one = one or total
        name, busiest = max(((part[0], part[1]) for part in parts if not part[2]), key=lambda part: part[1])
        row = (f"| {recording.stem} | {preset} | {threads} | {total / one:.2f} | {name} | {busiest / total:.2f} | "
               f"{predict(parts, one, threads) if threads > 1 else 1:.2f} |")
        if arguments.clock:
            row += f" {clock(arguments, recording, preset, threads, directory):.2f} |" if threads == 2 else " |"
        print(row, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--config", action="append", help="presets (default: tcor-64k, boustro-fo, nuca-dtm, imr-8m)")
    parser.add_argument("--threads", default="1,2,4,8", help="numbers of threads (default: 1,2,4,8)")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of all configurations")
    parser.add_argument("--clock", action="store_true", help="compare the prediction for two threads with the clock")
    parser.add_argument("--real-time", action="store_true", help="run with real-time priority (chrt)")
    parser.add_argument("--rounds", type=int, default=3, help="of --clock: runs of each (default: 3)")
    parser.add_argument("--traces", type=pathlib.Path, default=SOURCE / "apitrace-replays", metavar="DIR",
                        help="captures to record, without RECORDING (default: the bundled ones)")
    parser.add_argument("recordings", nargs="*", type=pathlib.Path, metavar="RECORDING")
    arguments = parser.parse_args()
    arguments.set = [word for setting in arguments.set for word in ("--set", setting)]
    presets = arguments.config or ["tcor-64k", "boustro-fo", "nuca-dtm", "imr-8m"]
    print("| recording | configuration | threads | work / that on one thread | busiest part | its share | predicted |" +
          (" by the clock |" if arguments.clock else ""))
    print("| --- | --- | ---: | ---: | --- | ---: | ---: |" + (" ---: |" if arguments.clock else ""))
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        recordings = arguments.recordings or [record(arguments, trace, directory)
                                              for trace in sorted(arguments.traces.glob("*.trace"))]
        if not recordings:
            sys.exit("no recordings")
        for recording in recordings:
            for preset in presets:
                print_rows(arguments, recording, preset, directory)


if __name__ == "__main__":
    main()
