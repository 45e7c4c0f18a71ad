# SPDX-License-Identifier: MIT
"""Runs a program on tbrsim and on llvmpipe of the same build, held to the same version of
OpenGL ES, and compares what they print, line by line."""

import argparse
import itertools
import os
import subprocess
import sys

MOST_MESSAGES = 40
VERSION = "3.0"


def lines_of(arguments, driver):
    command = [arguments.tbrsim, "run", "--no-model", "--driver", driver, "--", arguments.program]
    environment = dict(os.environ, MESA_GLES_VERSION_OVERRIDE=VERSION)
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: status {result.returncode}")
    return result.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    parser.add_argument("--program", required=True, type=os.path.abspath)
    arguments = parser.parse_args()
    found, expected = lines_of(arguments, "tbrsim"), lines_of(arguments, "llvmpipe")
    pairs = itertools.zip_longest(found, expected, fillvalue="nothing")
    differences = [f"{have} (llvmpipe: {want})" for have, want in pairs if have != want]
    for line in differences[:MOST_MESSAGES]:
        print(line)
    print(f"{len(expected)} lines, {len(differences)} differ")
    return 0 if expected and not differences else 1


if __name__ == "__main__":
    sys.exit(main())
