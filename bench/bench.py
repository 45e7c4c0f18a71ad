# SPDX-License-Identifier: MIT
"""Compares speed and memory of softpipe, llvmpipe, tbrsim and tbrsim --no-model, of the same
Mesa build, on scenes of glmark2 at 960x540, the bundled captures and any others, under Xvfb,
in turn, one workload after the other. Writes the tables to bench/RESULTS.md."""

import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
RESULTS = pathlib.Path(__file__).with_name("RESULTS.md")
SCENES = ("build", "texture:texture-filter=mipmap", "shading:shading=phong", "bump:bump-render=normals",
          "effect2d:kernel=blur", "desktop:effect=shadow", "buffer", "ideas", "jellyfish", "refract", "shadow",
          "conditionals", "function", "loop", "terrain")
QUICK_SCENES = ("build", "desktop:effect=shadow", "ideas", "jellyfish")
# Name in the tables, and the options of `tbrsim run` that make it.
SUBJECTS = {
    "softpipe": ["--driver", "softpipe", "--no-model"],
    "llvmpipe": ["--driver", "llvmpipe", "--no-model"],
    "tbrsim": [],
    "tbrsim --no-model": ["--no-model"],
}
THREADS = {f"{number} thread{'s' * (number > 1)}": ["--set", f"threads={number}"] for number in (1, 2)}
# Columns of quotients: (of, by).
SPEED_RATIOS = (("llvmpipe", "softpipe"), ("tbrsim", "softpipe"), ("tbrsim --no-model", "softpipe"),
                ("tbrsim", "llvmpipe"), ("tbrsim --no-model", "llvmpipe"))
# With --other: the two builds take their turn in each round.
BUILDS = {"tbrsim": [], "other tbrsim": []}
BUILD_RATIOS = (("tbrsim", "other tbrsim"),)
MEMORY_RATIOS = (("tbrsim", "llvmpipe"), ("tbrsim --no-model", "llvmpipe"))


@dataclasses.dataclass
class Workload:
    """Something to render: its name, its kind, the command and how its answer says the frames per second, and those of a second
    of processor time if it does."""
    name: str
    kind: str
    command: list
    answer: re.Pattern

    def speed(self, output, seconds="seconds"):
        found = self.answer.search(output)
        if not found or seconds not in self.answer.groupindex or not float(found[seconds]):
            return None
        return float(found["frames"] or 1) / float(found[seconds])


def scene(name, duration):
    # The time per frame is a finer figure than the whole frames per second.
    return Workload(name, "glmark2", ["glmark2-es2", "-b", f"{name}:duration={duration}", "--size", "960x540"],
                    re.compile(r"FPS: \d+ FrameTime: (?P<seconds>[\d.]+)(?P<frames>(?= ms))"))


def capture(path):
    description = subprocess.run(["apitrace", "info", path], capture_output=True, text=True)
    try:
        program = "eglretrace" if "EGL" in json.loads(description.stdout)["API"] else "glretrace"
    except (ValueError, KeyError):
        sys.exit(f"{path}: apitrace cannot read it")
    return Workload(path.stem, "captures", [program, "--benchmark", "--headless", str(path)],
                    re.compile(r"Rendered (?P<frames>\d+) frames in (?P<seconds>[\d.]+) secs"))


@dataclasses.dataclass
class Measurement:
    """Frames a second, the most memory the program had, in MiB, and frames a second of processor time, or None."""
    speed: float
    memory: float
    work: float | None = None


def measure_once(tbrsim, workload, options):
    """A Measurement, or None where the program failed (said on stderr)."""
    command = [tbrsim, "run", *options]
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryFile("w+") as output:
        if "--no-model" not in options:
            command += ["--out", out]
        process = subprocess.Popen([*command, "--", *workload.command], stdout=output, stderr=subprocess.STDOUT)
        # The most that any process had: that of the program, which is far larger than the command.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    speed = workload.speed(text)
    if process.returncode or not speed:
        print(f"{workload.name}: {' '.join(command)}: status {process.returncode}\n{text[-1000:]}", file=sys.stderr)
        return None
    # FrameTime is in milliseconds.
    return Measurement(speed * 1000 if workload.kind == "glmark2" else speed, usage.ru_maxrss / 1024,
                       workload.speed(text, "processors"))


def measure(arguments, workloads, subjects):
    """{workload name: {subject: Measurement}}: the best speed and the most memory of the rounds, in each of
    which all take their turn. A subject that failed once is missing."""
    results = {}
    for workload in workloads:
        best = {}
        failed = set()
        for _ in range(arguments.rounds):
            for subject, options in subjects.items():
                tbrsim = arguments.other if subject == "other tbrsim" else arguments.tbrsim
                once = measure_once(tbrsim, workload, options) if subject not in failed else None
                if not once:
                    failed.add(subject)
                    best.pop(subject, None)
                    continue
                before = best.get(subject, once)
                best[subject] = Measurement(max(before.speed, once.speed), max(before.memory, once.memory),
                                            once.work and max(before.work, once.work))
        results[workload.name] = best
        print(f"{workload.name:32}" + "  ".join(
            f"{subject}: {best[subject].speed:.1f}/s {best[subject].memory:.0f} MiB" if subject in best
            else f"{subject}: failed" for subject in subjects), flush=True)
    return results


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


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


def number(value, digits):
    return "failed" if value is None else f"{value:.{digits}f}"


def quotient(row, attribute, of, by):
    if of not in row or by not in row:
        return None
    return getattr(row[of], attribute) / getattr(row[by], attribute)


def table(title, results, kinds, attribute, columns, ratios, digits):
    """A table of a Measurement's attribute: one row for each workload, geometric means of the ratios below."""
    head = [title, *columns, *(f"{of} / {by}" for of, by in ratios)]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for name, row in results.items():
        values = [number(getattr(row[column], attribute) if column in row else None, digits) for column in columns]
        quotients = [number(quotient(row, attribute, of, by), 2) for of, by in ratios]
        lines.append("| " + " | ".join([name, *values, *quotients]) + " |")
    groups = {f"geometric mean, {kind}": {name for name in results if kinds[name] == kind}
              for kind in dict.fromkeys(kinds.values())}
    if len(groups) > 1:
        groups["geometric mean, all"] = set(results)
    for label, names in groups.items():
        means = []
        for of, by in ratios:
            quotients = [quotient(row, attribute, of, by) for name, row in results.items() if name in names]
            means.append(geometric_mean(value for value in quotients if value is not None))
        lines.append(f"| **{label}** |" + " |" * len(columns) + " " +
                     " | ".join(f"**{number(mean, 2)}**" for mean in means) + " |")
    return lines


def find_slowest(results):
    """The three workloads that are slowest next to llvmpipe, the model live."""
    return sorted((name for name, row in results.items() if quotient(row, "speed", "tbrsim", "llvmpipe")),
                  key=lambda name: quotient(results[name], "speed", "tbrsim", "llvmpipe"))[:3]


def profile(arguments, workload):
    """[(share in per cent, thread, function)] of tbrsim's processor time, the largest first. perf sees all
    processes of a command; the program's threads and the driver's are those that take time."""
    with tempfile.TemporaryDirectory() as out:
        data = str(pathlib.Path(out) / "perf.data")
        subprocess.run(["perf", "record", "-q", "-o", data, arguments.tbrsim, "run", "--out", out, "--",
                        *workload.command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        text = subprocess.run(["perf", "report", "-i", data, "--sort", "comm,symbol", "--stdio", "-q", "-t", "|"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    rows = (line.split("|") for line in text.splitlines() if line.count("|") >= 2)
    return [(float(share.strip().rstrip("%")), thread.strip(), re.sub(r"^\s*\[.\]\s*", "", symbol).strip())
            for share, thread, symbol, *_ in rows]


def profile_tables(profiles):
    """Where the profiled workloads spend their processor time: by thread, and the functions that take most of it."""
    lines = ["", "## Where the three slowest spend their time", "",
             "tbrsim's processor time with the model live, in per cent (perf): `tbrsim:model` are the threads that"
             " simulate",
             "the memory hierarchy, `tbrsim:tile` are those that render, the other is the program's own."]
    for name, rows in profiles.items():
        threads = {}
        for share, thread, _ in rows:
            threads[thread] = threads.get(thread, 0) + share
        sums = ", ".join(f"`{thread}` {share:.0f} %" for thread, share in
                         sorted(threads.items(), key=lambda item: -item[1]) if share >= 1)
        lines += ["", f"{name}: {sums}.", "", "| thread | function | % |", "| --- | --- | ---: |"]
        lines += [f"| {thread} | `{symbol}` | {share:.1f} |" for share, thread, symbol in rows[:8]]
    return lines


def summary(results):
    """The extremes, in words."""
    lines = []
    slower = [f"{name} ({subject})" for name, row in results.items() for subject in list(SUBJECTS)[2:]
              if (quotient(row, "speed", subject, "softpipe") or 1) < 1]
    lines.append("Slower than softpipe: " + (", ".join(slower) or "none") + ".")
    lines.append("The three slowest next to llvmpipe, the model live: " + ", ".join(find_slowest(results)) + ".")
    largest = max((name for name, row in results.items() if quotient(row, "memory", "tbrsim", "llvmpipe")),
                  key=lambda name: quotient(results[name], "memory", "tbrsim", "llvmpipe"), default=None)
    if largest:
        lines.append(f"The most memory next to llvmpipe's: {largest}, "
                     f"{quotient(results[largest], 'memory', 'tbrsim', 'llvmpipe'):.2f} times as much.")
    return lines


def report(arguments, results, workloads, scaling, profiles):
    kinds = {workload.name: workload.kind for workload in workloads}
    lines = ["# Speed and memory",
             "",
             "glmark2-es2's scenes at 960×540 and captures, under Xvfb, on drivers of the same Mesa build, one after"
             " the",
             f"other, workload by workload: {arguments.duration:g} s each scene, captures from their first call to"
             f" their last, the best of {arguments.rounds}.",
             "",
             f"Machine: {machine()}.",
             "",
             "## Frames a second",
             ""]
    lines += table("workload", results, kinds, "speed", list(SUBJECTS), SPEED_RATIOS, 1)
    lines += ["", *summary(results)]
    if scaling:
        lines += ["", "## Threads", "", "Frames a second of tbrsim, the model live, with one and with two threads that"
                  " render.", ""]
        lines += table("workload", scaling, kinds, "speed", list(THREADS), (tuple(reversed(THREADS)),), 1)
    if profiles:
        lines += profile_tables(profiles)
    lines += ["", "## Memory", "", "The most resident memory of the program and the driver in it, in MiB.", ""]
    lines += table("workload", results, kinds, "memory", list(SUBJECTS), MEMORY_RATIOS, 0)
    return "\n".join(lines) + "\n"


def compare_builds(arguments, workloads):
    """The tables of two builds."""
    kinds = {workload.name: workload.kind for workload in workloads}
    results = measure(arguments, workloads, BUILDS)
    lines = table("frames per second", results, kinds, "speed", list(BUILDS), BUILD_RATIOS, 1)
    lines += ["", *table("MiB", results, kinds, "memory", list(BUILDS), BUILD_RATIOS, 0)]
    print("\n".join(lines))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--duration", type=float, default=2, help="seconds per scene and driver (default 2)")
    parser.add_argument("--rounds", type=int, default=2, help="times each is measured (default 2)")
    parser.add_argument("--scenes", type=str.split, default=list(SCENES),
                        help="scenes instead of the fifteen, separated by blanks")
    parser.add_argument("--traces", type=pathlib.Path, metavar="DIR", help="a directory of further captures")
    parser.add_argument("--no-captures", action="store_true", help="leave out the bundled captures")
    parser.add_argument("--no-threads", action="store_true", help="leave out the comparison of one thread with two")
    parser.add_argument("--quick", action="store_true",
                        help="a short look: four scenes, one round, one second; prints the tables only")
    parser.add_argument("--other", type=os.path.abspath, metavar="TBRSIM",
                        help="the command of another build: prints its speed and memory beside this one's, no file")
    parser.add_argument("--output", type=pathlib.Path, help="file for the tables (default bench/RESULTS.md)")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.duration, arguments.rounds, arguments.scenes = 1, 1, list(QUICK_SCENES)
        arguments.no_threads = arguments.no_captures = True
    elif not arguments.output and not arguments.other:
        arguments.output = RESULTS
    return arguments


def find_workloads(arguments):
    workloads = [scene(name, arguments.duration) for name in arguments.scenes]
    paths = [] if arguments.no_captures else sorted((SOURCE / "apitrace-replays").glob("*.trace"))
    if arguments.traces:
        if not arguments.traces.is_dir():
            sys.exit(f"{arguments.traces}: not a directory")
        further = sorted(arguments.traces.glob("*.trace"))
        # A capture of the same name is another length of the same program.
        paths = [path for path in paths if path.name not in {other.name for other in further}] + further
    return workloads + [capture(path) for path in paths]


def main():
    arguments = parse_arguments()
    if "DISPLAY" not in os.environ:
        # One X server for all of it.
        os.execv(arguments.tbrsim, [arguments.tbrsim, "run", "--driver", "llvmpipe", "--no-model", "--",
                                    sys.executable] + sys.argv)
    for name in [name for name in os.environ if name.startswith("TBRSIM_")]:
        del os.environ[name]
    workloads = find_workloads(arguments)
    if arguments.other:
        compare_builds(arguments, workloads)
        return
    results = measure(arguments, workloads, SUBJECTS)
    scaling = {} if arguments.no_threads else measure(arguments, workloads, THREADS)
    by_name = {workload.name: workload for workload in workloads}
    profiles = {}
    if arguments.output and not shutil.which("perf"):
        print("bench: perf is missing; no profile of the slowest", file=sys.stderr)
    elif arguments.output:
        profiles = {name: profile(arguments, by_name[name]) for name in find_slowest(results)}
    text = report(arguments, results, workloads, scaling, profiles)
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    print(text)
    if any(len(row) < len(SUBJECTS) for row in results.values()):
        sys.exit("bench: some programs failed, see above")


if __name__ == "__main__":
    main()
