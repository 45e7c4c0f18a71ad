# SPDX-License-Identifier: MIT
"""Measures what a sample of a texture takes on llvmpipe, tbrsim --no-model and tbrsim, of the same Mesa build: each
target, format and operation, in turn. Writes the table to bench/TEXTURES.md."""

import argparse
import math
import pathlib
import subprocess
import tempfile

from bench import machine

RESULTS = pathlib.Path(__file__).with_name("TEXTURES.md")
# Name in the table, and the options of `tbrsim run` that make it.
SUBJECTS = {
    "llvmpipe": ["--driver", "llvmpipe", "--no-model"],
    "tbrsim --no-model": ["--no-model"],
    "tbrsim": [],
}


def measure(arguments):
    """{row: {subject: nanoseconds}}: the least of the rounds, in each of which all take their turn."""
    results = {}
    for _ in range(arguments.rounds):
        for subject, options in SUBJECTS.items():
            with tempfile.TemporaryDirectory() as out:
                command = [arguments.tbrsim, "run", *options, *([] if "--no-model" in options else ["--out", out]),
                           "--", arguments.program, *([arguments.only] if arguments.only else [])]
                text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            for line in text.splitlines():
                *cells, nanoseconds = line.split(" | ")
                if len(cells) == 4:
                    row = results.setdefault(tuple(cells), {})
                    row[subject] = min(row.get(subject, math.inf), float(nanoseconds))
    return results


def table(results):
    yield "| target | format | operation | filter | llvmpipe | tbrsim --no-model | times | tbrsim | times |"
    yield "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for cells, row in results.items():
        base, alone, live = (row[subject] for subject in SUBJECTS)
        yield (f"| {' | '.join(cells)} | {base:.1f} | {alone:.1f} | {alone / base:.2f} | "
               f"{live:.1f} | {live / base:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, help="the command of the build")
    parser.add_argument("--program", required=True, help="bench-textures, as built from bench/textures.c")
    parser.add_argument("--only", help="rows that contain this, printed but not written")
    parser.add_argument("--rounds", type=int, default=2, help="of which the least counts (default 2)")
    arguments = parser.parse_args()
    results = measure(arguments)
    ratios = [row["tbrsim --no-model"] / row["llvmpipe"] for row in results.values()]
    text = "\n".join([
        "# A sample of a texture",
        "",
        "Nanoseconds of processor time, of all threads together, that a fragment shader takes for a round of a loop that",
        "samples a texture of 64 × 64 texels and adds the result up; `times` is relative to llvmpipe of the same Mesa. Each",
        "figure is the least of several draws of 256 × 256 fragments.",
        "",
        f"Machine: {machine()}.",
        "",
        *table(results),
        "",
        f"Without the model: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} times llvmpipe's time (geometric "
        f"mean), {max(ratios):.2f} times at most, more than twice in {sum(ratio > 2 for ratio in ratios)} of "
        f"{len(ratios)} rows.",
        ""])
    if not arguments.only:
        RESULTS.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
