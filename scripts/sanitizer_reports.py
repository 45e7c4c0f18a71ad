# SPDX-License-Identifier: MIT
"""Reads the report files of sanitized programs and prints the findings that concern us: every error of
AddressSanitizer and UBSan, races and lock orders that our own code takes part in, and leaks.
A program that ends with its contexts alive leaks all of theirs, which is not ours to mend: of its leaks those count
that our code allocated and that nothing else leaked holds. Reports in a directory `complete` are of programs that
destroy everything: there each leak counts, whoever allocated it.
Ends with status 1 if there is any finding, or if there is no directory of reports."""

import argparse
import pathlib
import re
import sys

# Where a stack's frame is in our code: as the debug information names it, or by our functions' prefixes.
OURS = re.compile(r"src/(cachemodel|tools|gallium/drivers/tbrsim)/| in (tbr|tbrsim|cm)_|^\s*#\d+ (tbr|tbrsim|cm)_")
TESTS = re.compile(r"tests/\w+/\w+\.c")
ALLOCATOR = re.compile(r" in (__interceptor_\w+|malloc|calloc|realloc|os_malloc\w*|posix_memalign|aligned_alloc|"
                       r"strdup|rzalloc\w*|ralloc\w*|operator new.*) ")
FRAME = re.compile(r"\s*#\d+ ")
INTERCEPTOR = re.compile(r"/libsanitizer/")
LEAK = re.compile(r"(?:Direct|Indirect) leak of ")
# A report of ThreadSanitizer stands between lines of equal signs.
RACE = re.compile(r"^WARNING: ThreadSanitizer: .*?(?=^={18}|\Z)", re.M | re.S)
# Its paragraphs that tell where memory, locks and threads come from, not what was done.
ORIGIN = re.compile(r"\s*(Location is|Mutex M\d+ .*created|Thread T\d+|As if synchronized|SUMMARY)")
ERROR = re.compile(r"ERROR: AddressSanitizer|runtime error:|FATAL: ThreadSanitizer|ThreadSanitizer:DEADLYSIGNAL|"
                   r"Sanitizer:? CHECK failed|LeakSanitizer has encountered")


def leaks(text, complete):
    """Leaks that concern us."""
    for part in re.split(r"\n\s*\n", text):
        part = part.strip()
        if not LEAK.match(part) or (part.startswith("Indirect") and not complete):
            continue
        frames = [line for line in part.splitlines() if FRAME.match(line) and not ALLOCATOR.search(line)]
        if complete or (frames and (OURS.search(frames[0]) or TESTS.search(frames[0]))):
            yield part


def is_our_race(report):
    """Whether a stack of what was done, not only of where things come from, has a frame of library or driver,
    or ends in one of a test: all that Mesa does is called by some test."""
    for part in re.split(r"\n\s*\n", report):
        frames = [line for line in part.splitlines() if FRAME.match(line) and not INTERCEPTOR.search(line)]
        if frames and not ORIGIN.match(part) and (any(map(OURS.search, frames)) or TESTS.search(frames[0])):
            return True
    return False


def findings(text, complete):
    """The parts of a report file that concern us."""
    start = text.find("ERROR: LeakSanitizer")
    errors = text if start < 0 else text[:start]
    if ERROR.search(errors):
        yield errors.strip()
    yield from (report.strip() for report in RACE.findall(errors) if is_our_race(report))
    if start >= 0:
        yield from leaks(text[start:], complete)


def key(finding):
    """What tells findings apart: not addresses, processes, sizes and numbers of threads."""
    return re.sub(r"0x[0-9a-f]+|==\d+==|\bpid=\d+|tid=\d+|\b[TM]\d+\b|\d+ byte\(s\)|in \d+ object\(s\)", "", finding)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", type=pathlib.Path, help="directory of report files")
    arguments = parser.parse_args()
    if not arguments.reports.is_dir():
        sys.exit(f"sanitizer: no directory {arguments.reports}")
    files = sorted(path for path in arguments.reports.rglob("*") if path.is_file())
    seen = {}
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        for finding in findings(text, path.parent.name == "complete"):
            seen.setdefault(key(finding), []).append((path, finding))
    for same in seen.values():
        path, finding = same[0]
        print(f"{finding}\n({len(same)} times; {path})\n")
    print(f"sanitizer: {len(seen)} findings in {len(files)} reports")
    sys.exit(bool(seen))


if __name__ == "__main__":
    main()
