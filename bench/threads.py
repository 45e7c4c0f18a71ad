#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How the work on one configuration divides among threads: for each number of threads the processor time of the parts
of `tbrsim sim` that one thread does at a time, the busiest one's share of all, and how many times as fast as on one
thread that lets it be on as many cores. The shares do not depend on how busy the machine is. The prediction for two is
compared with the clock (--clock: on an idle machine of two cores)."""

import argparse
import csv
import pathlib
import subprocess
import tempfile
import time


def simulate(arguments, recording, preset, threads, directory):
    """The parts [(name, seconds, divisible)] of a simulation, and the seconds that it takes by the clock."""
    times = directory / "times.csv"
    begin = time.monotonic()
    subprocess.run([arguments.tbrsim, "sim", "--config", preset, *arguments.set, "--jobs", str(min(threads, 2)),
                    "--model-threads", str(threads), "--work-times", times, "--out", directory / "out", recording],
                   check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    with open(times, encoding="utf-8") as file:
        parts = [(row["part"], float(row["seconds"]), row["divisible"] == "1") for row in csv.DictReader(file)]
    return parts, seconds


def predict(parts, work_of_one, threads):
    """How many times as fast as on one thread: no part that is not divisible takes less than its own time."""
    total = sum(seconds for _, seconds, _ in parts)
    busiest = max(seconds for _, seconds, divisible in parts if not divisible)
    return work_of_one / max(busiest, total / threads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tbrsim", required=True, help="the command")
    parser.add_argument("--config", action="append", help="presets (default: tcor-64k, boustro-fo, nuca-dtm, imr-8m)")
    parser.add_argument("--threads", default="1,2,4,8", help="numbers of threads (default: 1,2,4,8)")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of all configurations")
    parser.add_argument("--clock", action="store_true", help="compare the prediction for two threads with the clock")
    parser.add_argument("recordings", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.set = [word for setting in arguments.set for word in ("--set", setting)]
    presets = arguments.config or ["tcor-64k", "boustro-fo", "nuca-dtm", "imr-8m"]
    print("| recording | configuration | threads | work / that on one thread | busiest part | its share | predicted |" +
          (" by the clock |" if arguments.clock else ""))
    print("| --- | --- | ---: | ---: | --- | ---: | ---: |" + (" ---: |" if arguments.clock else ""))
    for recording in arguments.recordings:
        for preset in presets:
            one, one_seconds = None, None
            for threads in sorted({1, *map(int, arguments.threads.split(","))}):
                with tempfile.TemporaryDirectory() as directory:
                    parts, seconds = simulate(arguments, recording, preset, threads, pathlib.Path(directory))
                total = sum(part[1] for part in parts)
                if one is None:
                    one, one_seconds = total, seconds
                name, busiest = max(((part[0], part[1]) for part in parts if not part[2]), key=lambda part: part[1])
                row = (f"| {recording.stem} | {preset} | {threads} | {total / one:.2f} | {name} | {busiest / total:.2f} | "
                       f"{predict(parts, one, threads) if threads > 1 else 1:.2f} |")
                if arguments.clock:
                    row += f" {one_seconds / seconds:.2f} |"
                print(row, flush=True)


if __name__ == "__main__":
    main()
