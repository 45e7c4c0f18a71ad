# SPDX-License-Identifier: MIT
"""Reads the report files of sanitized programs and prints the findings that concern us: every error, and leaks of
memory that our own code allocated and that nothing else leaked holds (programs that end without freeing their
contexts are not ours to mend).
Ends with status 1 if there is any."""

import argparse
import pathlib
import re
import sys

# Where a stack's frame is in our code: as the debug information names it, or by our functions' prefixes.
OURS = re.compile(r"src/(cachemodel|tools|gallium/drivers/tbrsim)/| in (tbr|tbrsim|cachemodel)_")
ALLOCATOR = re.compile(r" in (__interceptor_\w+|malloc|calloc|realloc|os_malloc\w*|posix_memalign|aligned_alloc|"
                       r"strdup|rzalloc\w*|ralloc\w*|operator new.*) ")
# Titles of a report's parts.
# What an indirect leak belongs to is a direct one: a program that ends with its contexts alive leaks all of theirs.
LEAK = re.compile(r"^Direct leak of ", re.M)
ERROR = re.compile(r"(ERROR: AddressSanitizer|runtime error:|WARNING: ThreadSanitizer|ThreadSanitizer: )")


def allocated_by_us(leak):
    """Whether the first frame that is not an allocator's is ours."""
    for line in leak.splitlines():
        if re.match(r"\s*#\d+ ", line) and not ALLOCATOR.search(line):
            return bool(OURS.search(line))
    return False


def findings(text):
    """The parts of a report file that concern us."""
    errors, leaks = text, []
    start = text.find("ERROR: LeakSanitizer")
    if start >= 0:
        errors = text[:start]
        leaks = [part.strip() for part in re.split(r"\n\n", text[start:]) if LEAK.match(part.strip())]
    if ERROR.search(errors):
        yield errors.strip()
    yield from (leak for leak in leaks if allocated_by_us(leak))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reports", type=pathlib.Path, help="directory of report files")
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.reports.iterdir() if path.is_file())
    seen = {}
    for path in files:
        for finding in findings(path.read_text(encoding="utf-8", errors="replace")):
            # One finding from many programs is one finding: addresses and process numbers do not tell them apart.
            key = re.sub(r"0x[0-9a-f]+|==\d+==|\bpid=\d+|\bof \d+ byte\(s\) in \d+", "", finding)
            seen.setdefault(key, []).append(finding)
    for same in seen.values():
        print(f"{same[0]}\n({len(same)} times)\n")
    print(f"sanitizer: {len(seen)} findings in {len(files)} reports")
    sys.exit(bool(seen))


if __name__ == "__main__":
    main()
