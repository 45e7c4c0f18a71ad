# SPDX-License-Identifier: MIT
"""Measures the DRAM model by itself: requests per second of one core. Writes the table to bench/DRAM.md."""

import argparse
import pathlib
import subprocess

from bench import machine

RESULTS = pathlib.Path(__file__).with_name("DRAM.md")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="bench-dram, as built from bench/dram.c")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS,
                        help="file for the table (default bench/DRAM.md)")
    arguments = parser.parse_args()
    table = subprocess.run([arguments.program], check=True, capture_output=True, text=True).stdout
    text = "\n".join([
        "# The DRAM model by itself",
        "",
        "Requests for blocks of 64 bytes, as [dram.md](../docs/dram.md) schedules them, command by command; millions",
        "a second of processor time on one core, the best of 3. 64 requests are under way: the completion of the",
        "oldest is asked for before the next one is submitted.",
        "",
        "- streaming: reads, one block after the other.",
        "- random: reads of any block of 1 GiB; nearly each needs a precharge and an activate.",
        "- mixed: four streams that jump now and then, two of them writes.",
        "",
        f"Machine: {machine()}.",
        "",
        table])
    arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
