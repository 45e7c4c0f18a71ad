# SPDX-License-Identifier: MIT
"""Measures `tbrsim cache`: accesses a second of one core, by policy and by trace format. Writes the tables to
bench/CACHES.md. Debian has no simulator of caches over address traces to compare with: valgrind's runs
programs, and Dinero is not packaged."""

import argparse
import dataclasses
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from bench import machine

RESULTS = pathlib.Path(__file__).with_name("CACHES.md")
SIZE, WAYS, BLOCK = 524288, 8, 64
PART = 1 << 20  # accesses that are made; a trace has them several times
# A last-level cache as GSPC has it, and the policies that it compares, next to lru.
LLC_SIZE, LLC_WAYS = 8 << 20, 16
LLC_POLICIES = ("nru", "srrip", "drrip", "drrip4", "gs-drrip", "ship-mem", "gspztc", "gspztc-tse", "gspc")
POLICIES = ("lru", "mru", "fifo", "random", "nru", "tree-plru", "srrip", "drrip", "ship-mem", "opt", "optpt")


def uniform(generator, _, size=SIZE):
    """Any word of twice the cache: half of all accesses miss, and nothing tells which."""
    return generator.randrange(2 * size) & ~3


def skewed(generator, *_):
    """Some blocks often, many seldom."""
    return min(int(generator.paretovariate(0.5)), 1 << 20) * 2654435761 % (1 << 20) * BLOCK


def scan(generator, position, size=SIZE):
    """Words one after the other through sixteen caches, and a quarter in a small part beside."""
    return generator.randrange(size // 16) + (1 << 32) if position % 4 == 3 else position * 4 % (16 * size)


def blocks(generator, position, size=SIZE):
    """Blocks one after the other through sixteen caches, and half of them in half a cache beside."""
    return generator.randrange(size // 2) + (1 << 32) if position % 2 else position * BLOCK % (16 * size)


TRACES = (uniform, skewed, scan)
LLC_TRACES = (uniform, skewed, blocks)


@dataclasses.dataclass
class Trace:
    """A file of accesses, all reads of a byte; how often the part is in it."""
    path: pathlib.Path
    accesses: int


def write_trace(path, addresses, times, encode):
    with open(path, "wb") as file:
        data = encode(addresses)
        for _ in range(times):
            file.write(data)
    return Trace(path, times * len(addresses))


def records(addresses):
    return b"".join(struct.pack("<IQIq", now >> 10, address, 1, -1) for now, address in enumerate(addresses))


def din(addresses):
    return "".join(f"0 {address:x}\n" for address in addresses).encode()


def plain(addresses):
    return "".join(f"R 0x{address:x}\n" for address in addresses).encode()


def compressed(trace, *command):
    path = trace.path.with_name(f"{trace.path.name}.{command[0]}")
    with open(path, "wb") as file:
        subprocess.run([*command, "-c", trace.path], stdout=file, check=True)
    return Trace(path, trace.accesses)


def measure(arguments, trace, policy, size=SIZE, ways=WAYS):
    """Millions of accesses a second of processor time, reading and decoding included: the best of the rounds."""
    best = 0
    for _ in range(arguments.rounds):
        process = subprocess.Popen([arguments.tbrsim, "cache", "--size", str(size), "--ways", str(ways), "--block",
                                    str(BLOCK), "--policy", policy, "--json", trace.path], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"bench: tbrsim cache failed on {trace.path.name}")
        best = max(best, trace.accesses / (usage.ru_utime + usage.ru_stime) / 1e6)
    return best


def table(head, rows, digits=0):
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return lines + ["| " + " | ".join([row[0], *(f"{value:.{digits}f}" for value in row[1:])]) + " |" for row in rows]


def last_level(arguments, directory):
    """Processor time of each policy next to lru's."""
    generator = random.Random(2)
    rows = {policy: [policy] for policy in LLC_POLICIES}
    for make in LLC_TRACES:
        part = [make(generator, position, LLC_SIZE) for position in range(PART)]
        trace = write_trace(directory / "llc", part, arguments.times, records)
        speeds = {policy: measure(arguments, trace, policy, LLC_SIZE, LLC_WAYS) for policy in ("lru", *LLC_POLICIES)}
        for policy, row in rows.items():
            row.append(speeds["lru"] / speeds[policy])
    return table(["policy", *(make.__name__ for make in LLC_TRACES)], rows.values(), 2)


def report(arguments, directory):
    generator = random.Random(1)
    parts = {make.__name__: [make(generator, position) for position in range(PART)] for make in TRACES}
    binary = {name: write_trace(directory / name, part, arguments.times, records) for name, part in parts.items()}
    policies = [[policy, *(measure(arguments, binary[name], policy) for name in parts)] for policy in POLICIES]

    few = max(1, arguments.times // 4)
    part = parts["scan"]
    formats = {"oraclegeneral": write_trace(directory / "records", part, few, records),
               "din": write_trace(directory / "din", part, few, din),
               "plain": write_trace(directory / "plain", part, few, plain)}
    for name in ("oraclegeneral", "plain"):
        for command in (("gzip", "-1"), ("zstd", "-q"), ("xz", "-1")):
            formats[f"{name}, {command[0]}"] = compressed(formats[name], *command)
    speeds = [[name, measure(arguments, trace, "lru")] for name, trace in formats.items()]

    descriptions = [f"- {make.__name__}: {make.__doc__[0].lower() + make.__doc__[1:]}" for make in TRACES]
    return "\n".join([
        "# Caches over address traces",
        "",
        f"`tbrsim cache`: a cache of {SIZE // 1024} KiB with {WAYS} ways over {arguments.times * PART / 1e6:.0f}"
        " million accesses; millions of accesses a second of",
        f"processor time, reading and decoding included, the best of {arguments.rounds}. For opt and optpt, finding"
        " the next uses is included.",
        "Debian has no other simulator of caches over address traces.",
        "",
        *descriptions,
        "",
        f"Machine: {machine()}.",
        "",
        "## Policies, on binary traces (oracleGeneral)",
        "",
        *table(["policy", *parts], policies),
        "",
        f"## Last-level caches: {LLC_SIZE >> 20} MiB, {LLC_WAYS} ways, processor time next to that of LRU",
        "",
        f"- blocks: {blocks.__doc__[0].lower() + blocks.__doc__[1:]}",
        "",
        *last_level(arguments, directory),
        "",
        "A cache behind others is seldom asked for a block twice in a row, as skewed asks: each hit counts for GSPC's"
        " policies and SHiP, while LRU's next one changes nothing.",
        "",
        "## Formats, with LRU (scan)",
        "",
        *table(["format", "M accesses/s"], speeds),
        ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--rounds", type=int, default=3, help="times each is measured (default 3)")
    parser.add_argument("--times", type=int, default=16, help="millions of accesses of a trace (default 16)")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS,
                        help="file for the tables (default bench/CACHES.md)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        text = report(arguments, pathlib.Path(directory))
    arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
