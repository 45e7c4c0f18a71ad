# SPDX-License-Identifier: MIT
"""Random OpenGL ES and OpenGL by seeds (driver.c), with the model live and recorded. Fails where the driver crashes or an assertion does;
where what is defined differs from llvmpipe's of the same Mesa by more than rounding; where any of it differs between modes and
sizes of tiles, by a bit; and where the recording's statistics differ from the live ones, by a byte.
Says which seed it was; `driver --verbose SEED` shows its shaders and steps, `--steps A-B` leaves some out."""

import array
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from support import tbrsim  # noqa: E402

# What both runs of tbrsim are configured as; the first one is recorded.
RECORDED = ("--config", "tcor-64k", "--set", "threads=2")
OTHER = ("--set", "mode=tbr", "--set", "tile.size=16", "--no-model")
ANSWERS = ("error", "feedback-count", "hit-count")  # that both drivers have to give to OpenGL
ANY = 1e30  # a tolerance: drivers may differ
LIMIT = 600  # seconds that a run of seeds may take


def records(path):
    """(seed, name, kind, tolerance, values) of a dump."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        seed, name, kind, tolerance, count = data[at:end].decode().split()
        at = end + 1 + 4 * int(count)
        yield int(seed), name, kind, float(tolerance), data[end + 1:at]


def is_close(one, other, tolerance, relative):
    if one == other or tolerance == ANY or (one != one and other != other):
        return True
    return abs(one - other) <= tolerance + relative * max(abs(one), abs(other))


def compare(first, second, exactly, only=()):
    """The differences between two dumps, or between their records of some names, as lines."""
    firsts, seconds = list(records(first)), list(records(second))
    if [record[:3] for record in firsts] != [record[:3] for record in seconds]:
        yield f"{len(firsts)} records and {len(seconds)}, or other ones"
    for (seed, name, kind, tolerance, values), (*_, others) in zip(firsts, seconds):
        if values == others or (only and name not in only):
            continue
        code, relative = ("f", 0 if exactly else 0.016) if kind == "f" else ("I", 0)
        pairs = list(zip(array.array(code, values), array.array(code, others)))
        wrong = [i for i, (a, b) in enumerate(pairs) if not is_close(a, b, 0 if exactly else tolerance, relative)]
        if wrong or exactly:
            i = wrong[0] if wrong else 0
            yield (f"seed {seed}: {name}: {len(wrong)} of {len(pairs)} values differ, the first at {i}: "
                   f"{pairs[i][0]:.7g}, {pairs[i][1]:.7g}")


class Failure(Exception):
    """What went wrong with some seeds."""


def draw(seeds, words, options, dump):
    result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, *words, "--dump", dump, seeds[0], len(seeds),
                        timeout=LIMIT, variables={"MESA_SHADER_CACHE_DISABLE": "true", "MESA_DEBUG": "silent"})
    if result.returncode:
        last = [line for line in result.stdout.splitlines() if line.startswith("seed")][-1:]
        raise Failure(f"{' '.join(map(str, options))}: status {result.returncode} at {' '.join(last)}: {result.stderr[-3000:]}")
    errors = [line for line in result.stderr.splitlines() if line.startswith("tbrsim: error")]
    if errors:
        raise Failure(f"{' '.join(map(str, options))}: seeds {seeds[0]} to {seeds[-1]}: {errors[0]}")


def check(directory, seeds, words):
    """Draws some seeds in all ways; differences as lines."""
    names = {way: directory / f"{way}.dump" for way in ("recorded", "other", "llvmpipe")}
    recording = directory / "recording.tbr"
    draw(seeds, words, [*RECORDED, "--out", directory / "live", "--record", recording], names["recorded"])
    draw(seeds, words, OTHER, names["other"])
    lines = [f"modes and tiles: {line}" for line in compare(names["recorded"], names["other"], True)]
    if "--wild" not in words:
        only = ANSWERS if "--desktop" in words and not tbrsim.arguments.values else ()
        draw(seeds, words, ["--no-model", "--driver", "llvmpipe"], names["llvmpipe"])
        lines += [f"llvmpipe: {line}" for line in compare(names["recorded"], names["llvmpipe"], False, only)]
    tbrsim.run("sim", *RECORDED, "--out", directory / "sim", recording, check=True)
    if tbrsim.contents(directory / "live") != tbrsim.contents(directory / "sim"):
        lines.append(f"seeds {seeds[0]} to {seeds[-1]}: the recording's statistics differ from the live ones")
    return lines


def check_chunk(seeds, words):
    """The same; where a run fails, how it ended."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            return check(pathlib.Path(directory), seeds, words)
        except Failure as failure:
            return [str(failure)]


def main():
    parser = tbrsim.command_line(__doc__, "program")
    parser.add_argument("--first", type=int, default=1, help="seed")
    parser.add_argument("--count", type=int, default=4, help="of seeds")
    parser.add_argument("--chunk", type=int, default=10, help="seeds of a process")
    parser.add_argument("--api", choices=("es", "desktop", "both"), default="both")
    parser.add_argument("--wild", choices=("no", "yes", "both"), default="both")
    parser.add_argument("--values", action="store_true", help="compare OpenGL's images with llvmpipe's, too: not all of what "
                        "differs has been explained")
    parser.add_argument("--seconds", type=int, default=1 << 30, help="begin nothing after so long")
    tbrsim.parse(parser)
    options = tbrsim.arguments
    ways = [[*api, *wild] for api in ([], ["--desktop"]) if options.api in ("both", "desktop" if api else "es")
            for wild in ([], ["--wild"]) if options.wild in ("both", "yes" if wild else "no")]
    began, lines, done = time.monotonic(), [], 0
    for first in range(options.first, options.first + options.count, options.chunk):
        if time.monotonic() - began > options.seconds:
            break
        seeds = range(first, min(first + options.chunk, options.first + options.count))
        for words in ways:
            for line in check_chunk(seeds, words):
                print(" ".join([*words, line]), flush=True)
                lines.append(line)
        done += len(seeds)
    print(f"{done} seeds, {len(lines)} differences")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
