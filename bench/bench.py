# SPDX-License-Identifier: MIT
"""Compares the speed of softpipe, llvmpipe, tbrsim and tbrsim --no-model, of the same Mesa
build, on scenes of glmark2 at 960x540 under Xvfb, in turn, scene by scene. Writes the
table to bench/RESULTS.md."""

import argparse
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SCENES = ("build", "texture:texture-filter=mipmap", "shading:shading=phong", "bump:bump-render=normals",
          "effect2d:kernel=blur", "desktop:effect=shadow", "buffer", "ideas", "jellyfish", "refract", "shadow",
          "conditionals", "function", "loop", "terrain")
# Name in the table, and the options of `tbrsim run` that make it.
SUBJECTS = {
    "softpipe": ["--driver", "softpipe", "--no-model"],
    "llvmpipe": ["--driver", "llvmpipe", "--no-model"],
    "tbrsim": [],
    "tbrsim --no-model": ["--no-model"],
}
RESULTS = pathlib.Path(__file__).with_name("RESULTS.md")


def frames_per_second(arguments, scene, options):
    """Frames of the benchmark's measured time, by its own finer figure, the time per frame."""
    command = [arguments.tbrsim, "run", *options]
    with tempfile.TemporaryDirectory() as out:
        if "--no-model" not in options:
            command += ["--out", out]
        command += ["--", "glmark2-es2", "-b", f"{scene}:duration={arguments.duration}", "--size", "960x540"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = re.search(r"FPS: (\d+) FrameTime: ([\d.]+) ms", result.stdout)
    if result.returncode or not found:
        sys.exit(f"{' '.join(command)}: status {result.returncode}\n{result.stdout}")
    return 1000 / float(found[2])


def measure(arguments):
    """{scene: {subject: frames a second}}; the best of the rounds, in each of which all take their turn."""
    results = {}
    for scene in arguments.scenes:
        best = dict.fromkeys(SUBJECTS, 0)
        for _ in range(arguments.rounds):
            for subject, options in SUBJECTS.items():
                best[subject] = max(best[subject], frames_per_second(arguments, scene, options))
        results[scene] = best
        print(f"{scene:32}" + "".join(f"{subject}: {speed:.1f}/s  " for subject, speed in best.items()), flush=True)
    return results


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(value) for value in values) / len(values))


def machine():
    """What the figures depend on: processor, cores, system. No names."""
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/etc/os-release", encoding="utf-8") as file:
        system = dict(line.strip().split("=", 1) for line in file if "=" in line)["PRETTY_NAME"].strip('"')
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB of memory, {system}"


def table(results, arguments):
    lines = ["# Speed",
             "",
             "Frames a second of glmark2-es2 at 960×540 under Xvfb, on drivers of the same Mesa build, one after the",
             f"other, scene by scene: {arguments.duration:g} s each, the best of {arguments.rounds}. Ratios are to"
             " softpipe in the same run.",
             "",
             f"Machine: {machine()}.",
             "",
             "| scene | " + " | ".join(SUBJECTS) + " | " +
             " | ".join(f"{subject} / softpipe" for subject in SUBJECTS if subject != "softpipe") + " |",
             "| --- |" + " ---: |" * (2 * len(SUBJECTS) - 1)]
    for scene, speeds in results.items():
        ratios = [speeds[subject] / speeds["softpipe"] for subject in SUBJECTS if subject != "softpipe"]
        lines.append(f"| {scene} | " + " | ".join(f"{speed:.1f}" for speed in speeds.values()) + " | " +
                     " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
    means = [geometric_mean(speeds[subject] / speeds["softpipe"] for speeds in results.values())
             for subject in SUBJECTS if subject != "softpipe"]
    lines.append("| **geometric mean** |" + " |" * len(SUBJECTS) +
                 " " + " | ".join(f"**{mean:.2f}**" for mean in means) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--duration", type=float, default=2, help="seconds a scene and driver (default 2)")
    parser.add_argument("--rounds", type=int, default=2, help="times each is measured (default 2)")
    parser.add_argument("--scenes", type=lambda value: value.split(" "), default=SCENES,
                        help="scenes instead of the fifteen, separated by blanks")
    parser.add_argument("--output", type=pathlib.Path, default=RESULTS, help="file for the table")
    arguments = parser.parse_args()
    if "DISPLAY" not in os.environ:
        # One X server for all of it.
        os.execv(arguments.tbrsim, [arguments.tbrsim, "run", "--driver", "llvmpipe", "--no-model", "--",
                                    sys.executable] + sys.argv)
    for name in [name for name in os.environ if name.startswith("TBRSIM_")]:
        del os.environ[name]
    results = measure(arguments)
    text = table(results, arguments)
    arguments.output.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
