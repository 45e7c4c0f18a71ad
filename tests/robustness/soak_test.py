# SPDX-License-Identifier: MIT
"""A game-like program (soak.c), a browser with a page of WebGL (soak.html) or another program, for --seconds: its memory stays
flat (growth.py), with the model live, with a recording, without a model; threads and descriptors of soak.c stay as they are.
And the criterion itself: the same program that loses some memory with each frame on purpose is found out."""

import os
import pathlib
import re
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


HERE = pathlib.Path(__file__).resolve().parent
CHROMIUM = ("chromium", "--no-sandbox", "--no-first-run", "--ignore-gpu-blocklist", "--use-gl=angle", "--use-angle=gl",
            "--in-process-gpu", "--enable-logging=stderr", "--log-level=0", "--disable-background-timer-throttling",
            "--disable-renderer-backgrounding", "--window-size=1200,800")
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
    """(seconds, KiB) of all processes that the command has started, once per second, until it ends or so long."""
    rows, began = [], time.monotonic()
    while process.poll() is None and time.monotonic() - began < seconds:
        kib = sum(size for size in map(resident, descendants(process.pid)) if size)
        if kib:
            rows.append((time.monotonic() - began, kib))
        time.sleep(1)
    return rows


def show(way, what, samples):
    """A line per minute."""
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


def run_for(way, directory, command, seconds):
    """Another program, which goes on by itself, for so many seconds: its samples, and what it printed."""
    log = directory / "log"
    with log.open("w") as output:
        process = tbrsim.start("run", *WAYS[way](directory), "--", *command, stdout=output, stderr=subprocess.STDOUT,
                               variables={"ALSOFT_DRIVERS": "null"})
        rows = sample(process, seconds)
        ended = process.poll()
        process.terminate()
        process.wait()
    text = log.read_text(errors="replace")
    if ended is not None:
        sys.exit(f"{way}: {command[0]}: status {ended} after {rows[-1][0] if rows else 0:.0f} s: {text[-2000:]}")
    return rows, text


def soak_command(way, command, seconds):
    with tempfile.TemporaryDirectory() as directory:
        rows, _ = run_for(way, pathlib.Path(directory), shlex.split(command), seconds)
    show(way, "resident", rows)
    return judge(way, "resident", rows)


def simulated_frames(directory):
    """Of the process that has most."""
    totals = [tbrsim.total(path.parent) for path in directory.rglob("stats.json")
              if (path.parent / "frames.csv").exists()]
    return max((total["gpu.frames"] for total in totals), default=0)


def soak_browser(way, seconds):
    """Chromium with soak.html in a window. The page's script draws, reads back and says where it is wrong."""
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        command = (*CHROMIUM, f"--user-data-dir={directory / 'profile'}", f"file://{HERE / 'soak.html'}")
        rows, text = run_for(way, directory, command, seconds)
        frames = simulated_frames(directory / way) if way != "off" else None
    wrong = re.findall(r"CONSOLE.*(?:wrong after|ERROR).*", text)
    drawn = [int(number) for number in re.findall(r"soak: (\d+) frames drawn", text)]
    print(f"{way}: {drawn[-1] if drawn else 0} drawn by the page, {frames} frames simulated; {wrong[:1] or 'no error'}")
    show(way, "resident", rows)
    goes_on = len(drawn) >= 2 and drawn[-1] > drawn[-2]  # contexts that stay lost draw nothing
    return all((judge(way, "resident", rows), not wrong, goes_on, frames is None or frames > 0))


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
    parser.add_argument("--browser", action="store_true", help="Chromium instead of our program; needs --seconds")
    parser.add_argument("--lost", type=int, help="bytes with each frame that have to be found, too")
    tbrsim.parse(parser)
    arguments = tbrsim.arguments
    length = ("seconds", arguments.seconds) if arguments.seconds else ("frames", arguments.frames)
    with tbrsim.display():
        os.environ.setdefault("MESA_DEBUG", "silent")
        if arguments.browser:
            tbrsim.need("chromium")
            fine = [soak_browser(way, arguments.seconds) for way in arguments.ways.split(",")]
        elif arguments.command:
            fine = [soak_command(way, arguments.command, arguments.seconds) for way in arguments.ways.split(",")]
        else:
            fine = [soak(way, length) for way in arguments.ways.split(",")]
        if arguments.lost:
            fine.append(finds_leak(length, arguments.lost))
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
