# SPDX-License-Identifier: MIT
"""Compares speed and memory of lavapipe, tbrsim and tbrsim --no-model, of the same Mesa build, on the scenes of tests/vulkan that
move, at 960x540, in turn, one scene after the other. Writes the tables to bench/VULKAN.md."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import bench

RESULTS = pathlib.Path(__file__).with_name("VULKAN.md")
SIZE = ("960", "540")
SUBJECTS = {
    "lavapipe": ["--driver", "llvmpipe", "--no-model"],
    "tbrsim": [],
    "tbrsim --no-model": ["--no-model"],
}
RATIOS = (("tbrsim", "lavapipe"), ("tbrsim --no-model", "lavapipe"))
ANSWER = re.compile(r"(?P<frames>\d+) frames in (?P<seconds>[\d.]+) seconds, (?P<processors>[\d.]+) seconds of processors")


def find_workloads(arguments):
    names = arguments.scenes or subprocess.run([arguments.program, "--moving"], check=True, stdout=subprocess.PIPE,
                                               text=True).stdout.split()
    return [bench.Workload(name, "Vulkan", [arguments.program, name, os.devnull, *SIZE, "--frames", str(arguments.frames)], ANSWER)
            for name in names]


def report(arguments, results):
    kinds = dict.fromkeys(results, "scenes")
    lines = ["# Speed and memory of Vulkan",
             "",
             "Scenes of `tests/vulkan` that move, at 960×540, without a window, on drivers of the same Mesa build, one after the other,"
             " scene by",
             f"scene: three quarters of {arguments.frames} frames each, without the first, in which shaders are compiled, the best of"
             f" {arguments.rounds}.",
             "",
             f"Machine: {bench.machine()}.",
             "",
             "## Frames a second of processor time",
             "",
             "Of all threads together: what other programs do on the machine hardly changes it.",
             ""]
    lines += bench.table("scene", results, kinds, "work", list(SUBJECTS), RATIOS, 1)
    lines += ["", "## Frames a second", ""]
    lines += bench.table("scene", results, kinds, "speed", list(SUBJECTS), RATIOS, 1)
    lines += ["", "## Memory", "", "The most resident memory of the program and the driver in it, in MiB.", ""]
    lines += bench.table("scene", results, kinds, "memory", list(SUBJECTS), RATIOS, 0)
    return "\n".join(lines) + "\n"


def compare_builds(arguments, workloads):
    results = bench.measure(arguments, workloads, bench.BUILDS)
    print("\n".join(bench.table("frames per second of processor time", results, dict.fromkeys(results, "scenes"), "work",
                                list(bench.BUILDS), bench.BUILD_RATIOS, 1)))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--program", required=True, type=os.path.abspath, help="vulkan_scenes, as built from tests/vulkan")
    parser.add_argument("--frames", type=int, default=40, help="of each scene and driver (default 40)")
    parser.add_argument("--rounds", type=int, default=2, help="times each is measured (default 2)")
    parser.add_argument("--scenes", type=str.split, help="some scenes, separated by blanks: prints the tables only")
    parser.add_argument("--other", type=os.path.abspath, metavar="TBRSIM",
                        help="the command of another build: prints its speed beside this one's, no file")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    for name in [name for name in os.environ if name.startswith("TBRSIM_")]:
        del os.environ[name]
    workloads = find_workloads(arguments)
    if arguments.other:
        compare_builds(arguments, workloads)
        return
    results = bench.measure(arguments, workloads, SUBJECTS)
    text = report(arguments, results)
    if not arguments.scenes:
        RESULTS.write_text(text, encoding="utf-8")
    print(text)
    if any(len(row) < len(SUBJECTS) for row in results.values()):
        sys.exit("bench: some scenes failed, see above")


if __name__ == "__main__":
    main()
