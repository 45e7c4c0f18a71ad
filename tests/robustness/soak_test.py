# SPDX-License-Identifier: MIT
"""A game-like program (soak.c), or another one, for --seconds: its memory stays flat (growth.py), with the model live, with a
recording, without a model; its threads and descriptors stay as they are. And the criterion itself: the same program that
loses some memory with each frame on purpose is found out."""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
import growth  # noqa: E402

WAYS = {
    "live": lambda directory: ["--out", directory / "live"],
    "recorded": lambda directory: ["--out", directory / "recorded", "--record", directory / "soak.tbr"],
    "off": lambda directory: ["--no-model"],
}


SOME = 2  # threads or descriptors that come late: the first one that writes to the cache of programs, for one


def resident(number):
    """KiB of a process that are no file's; None: it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{number}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return None
    values = dict(line.split(":", 1) for line in lines)
    return sum(int(values[name].split()[0]) for name in ("RssAnon", "RssShmem") if name in values)


def descendants(number):
    """All processes that a process has started, and theirs."""
    try:
        text = pathlib.Path(f"/proc/{number}/task/{number}/children").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    children = [int(word) for word in text.split()]
    return children + [other for child in children for other in descendants(child)]


def sample(process, seconds):
    """(seconds, KiB) of the largest process that the command has started, once a second, until it ends or so long."""
    rows, began = [], time.monotonic()
    while process.poll() is None and time.monotonic() - began < seconds:
        sizes = [size for size in map(resident, descendants(process.pid)) if size]
        if sizes:
            rows.append((time.monotonic() - began, max(sizes)))
        time.sleep(1)
    return rows


def show(way, what, samples):
    """A line a minute."""
    for minute in range(int(samples[-1][0]) // 60 + 1):
        seconds, kib = next(row for row in samples if row[0] >= min(60 * minute, samples[-1][0]))
        print(f"{way}: {seconds:6.0f} s: {kib} KiB {what}", flush=True)


def judge(way, what, samples):
    flat, said = growth.verdict(samples, 0 if way.startswith("off") else growth.QUEUED)
    print(f"{way}: {what}: {said}{'' if flat else ': it grows'}", flush=True)
    return flat


def run_program(way, directory, length, *lost):
    """soak.c in one of the ways; its lines."""
    result = tbrsim.run("run", *WAYS[way](directory), "--", tbrsim.arguments.program, *length, *lost,
                        timeout=10 * int(length[1]) + 600)
    if result.returncode or "tbrsim: " in result.stderr:
        sys.exit(f"{way}: status {result.returncode}: {result.stderr}")
    return [tuple(float(word) for word in line.split()) for line in result.stdout.splitlines()]


def soak(way, length):
    with tempfile.TemporaryDirectory() as directory:
        rows = run_program(way, pathlib.Path(directory), length)
    memory, heap = ([(row[0], row[column]) for row in rows] for column in (2, 3))
    show(way, "resident", memory)
    flat = [judge(way, "resident", memory), judge(way, "allocated", heap)]
    middle = rows[len(rows) // 2]
    for column, name in ((4, "threads"), (5, "descriptors")):
        same = rows[-1][column] <= middle[column] + SOME
        print(f"{way}: {name}: {middle[column]:.0f}, then {rows[-1][column]:.0f}")
        flat.append(same)
    print(f"{way}: {rows[-1][1]:.0f} frames in {rows[-1][0]:.0f} s")
    return all(flat)


def soak_command(way, command, seconds):
    """Another program, which goes on by itself: for so many seconds."""
    with tempfile.TemporaryDirectory() as directory:
        process = tbrsim.start("run", *WAYS[way](pathlib.Path(directory)), "--", *shlex.split(command),
                               stdout=subprocess.DEVNULL)
        rows = sample(process, seconds)
        ended = process.poll()
        process.terminate()
        process.wait()
    if ended:
        sys.exit(f"{way}: {command}: status {ended} after {rows[-1][0] if rows else 0:.0f} s")
    show(way, "resident", rows)
    return judge(way, "resident", rows)


def finds_leak(length, lost):
    """Whether the criterion finds that a frame loses so many bytes."""
    with tempfile.TemporaryDirectory() as directory:
        rows = run_program("off", pathlib.Path(directory), length, lost)
    return not judge(f"off, {lost} bytes lost with each frame", "resident", [(row[0], row[2]) for row in rows])


def main():
    parser = tbrsim.command_line(__doc__, "program")
    parser.add_argument("--seconds", type=int, help="for each way")
    parser.add_argument("--frames", type=int, default=1800, help="for each way, without --seconds")
    parser.add_argument("--ways", default=",".join(WAYS), help="some of live,recorded,off")
    parser.add_argument("--command", help="another program than ours, with its arguments; needs --seconds")
    parser.add_argument("--lost", type=int, help="bytes with each frame that have to be found, too")
    tbrsim.parse(parser)
    arguments = tbrsim.arguments
    length = ("seconds", arguments.seconds) if arguments.seconds else ("frames", arguments.frames)
    with tbrsim.display():
        os.environ.setdefault("MESA_DEBUG", "silent")
        if arguments.command:
            fine = [soak_command(way, arguments.command, arguments.seconds) for way in arguments.ways.split(",")]
        else:
            fine = [soak(way, length) for way in arguments.ways.split(",")]
        if arguments.lost:
            fine.append(finds_leak(length, arguments.lost))
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
