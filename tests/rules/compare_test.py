# SPDX-License-Identifier: MIT
"""Runs a program on tbrsim and on llvmpipe of the same build, held to the same version of
OpenGL ES, and compares what they print, line by line."""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

MOST_MESSAGES = 40
VERSION = "3.0"
# Most of llvmpipe's time is the compilation of shaders that run once: without LLVM's optimisations, and for vectors of
# four floats, which change no value.
VARIABLES = {"tbrsim": {}, "llvmpipe": {"GALLIVM_PERF": "nopt", "LP_NATIVE_VECTOR_WIDTH": "128"}}


def lines_of(driver):
    return tbrsim.run("run", "--no-model", "--driver", driver, "--", tbrsim.arguments.program, *tbrsim.arguments.words, check=True,
                      variables={"MESA_GLES_VERSION_OVERRIDE": VERSION, **VARIABLES[driver]}).stdout.splitlines()


def is_close(have, want, tolerance):
    """Whether the numbers after the colons differ by no more than that, and nothing else differs."""
    (what, _, values), (other, _, others) = have.rpartition(": "), want.rpartition(": ")
    pairs = list(itertools.zip_longest(values.split(), others.split(), fillvalue=""))
    if what != other or not all(a.isdigit() and b.isdigit() for a, b in pairs):
        return False
    return all(abs(int(a) - int(b)) <= tolerance for a, b in pairs)


def main():
    parser = tbrsim.command_line(__doc__, "program")
    parser.add_argument("--tolerance", type=int, default=0, help="by which numbers at a line's end may differ")
    parser.add_argument("words", nargs="*", help="arguments of the program")
    tbrsim.parse(parser)
    found, expected = map(lines_of, ("tbrsim", "llvmpipe"))
    pairs = itertools.zip_longest(found, expected, fillvalue="nothing")
    differing = [(have, want) for have, want in pairs
                 if have != want and not is_close(have, want, tbrsim.arguments.tolerance)]
    differences = [f"{have} (llvmpipe: {want})" for have, want in differing]
    for line in differences[:MOST_MESSAGES]:
        print(line)
    print(f"{len(expected)} lines, {len(differences)} differ")
    return 0 if expected and not differences else 1


if __name__ == "__main__":
    sys.exit(main())
