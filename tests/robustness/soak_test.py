# SPDX-License-Identifier: MIT
"""A game-like program (soak.c) for --seconds: its memory, threads and descriptors stay as they are, with the model live, with
a recording, and without a model. Prints the figures of each minute."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

WAYS = {
    "live": lambda directory: ["--out", directory / "live"],
    "recorded": lambda directory: ["--out", directory / "recorded", "--record", directory / "soak.tbr"],
    "off": lambda directory: ["--no-model"],
}
SETTLED = 0.4  # of the time, until caches are full and the heap has its size
MOST_KIB = 4096  # more than at first, besides what a frame leaves
FRAME_BYTES = 4096  # of a frame's counters, which are kept until the end


def slope(rows):
    """KiB a minute, by least squares."""
    times, sizes = [row[0] / 60 for row in rows], [row[2] for row in rows]
    middle, mean = sum(times) / len(times), sum(sizes) / len(sizes)
    spread = sum((time - middle) ** 2 for time in times)
    return sum((time - middle) * (size - mean) for time, size in zip(times, sizes)) / spread if spread else 0


def check(way, seconds):
    """Runs one of the ways; whether usage stays flat."""
    with tempfile.TemporaryDirectory() as directory:
        result = tbrsim.run("run", *WAYS[way](pathlib.Path(directory)), "--", tbrsim.arguments.program, seconds,
                            timeout=10 * seconds + 300)
    if result.returncode or "error" in result.stderr:
        print(f"{way}: status {result.returncode}: {result.stderr}")
        return False
    rows = [[int(word) for word in line.split()] for line in result.stdout.splitlines()]
    settled = [row for row in rows if row[0] >= SETTLED * rows[-1][0]]
    for minute in range(rows[-1][0] // 60 + 1):
        row = next(row for row in rows if row[0] >= 60 * minute)
        print(f"{way}: {row[0]:5} s: {row[1]:7} frames, {row[2]:7} KiB, {row[3]} threads, {row[4]} descriptors")
    first, last = settled[0], settled[-1]
    growth, frames = last[2] - first[2], last[1] - first[1]
    print(f"{way}: {growth} KiB more in the last {frames} frames, {slope(settled):.0f} KiB a minute")
    return (growth <= MOST_KIB + (0 if way == "off" else frames * FRAME_BYTES // 1024) and last[3] <= first[3] + 1 and
            last[4] <= first[4] + 1)


def main():
    parser = tbrsim.command_line(__doc__, "program")
    parser.add_argument("--seconds", type=int, default=12, help="for each way")
    parser.add_argument("--ways", default=",".join(WAYS), help="some of live,recorded,off")
    tbrsim.parse(parser)
    flat = [check(way, tbrsim.arguments.seconds) for way in tbrsim.arguments.ways.split(",")]
    return 0 if all(flat) else 1


if __name__ == "__main__":
    sys.exit(main())
