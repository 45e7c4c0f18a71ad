#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the papers' experiments, and writes a page of all figures and headline claims (page.py).

usage: reproduce.py --out OUT --build BUILD [--captures DIR] [--scenes DIR] [--variants] [--quick] [--cores N]
                    [--profile PROFILE] [--keep-costs] [EXPERIMENT…] [-- OPTION…]

Each experiment runs on apitrace captures, on the scenes that stand for its paper's benchmarks, and with --variants on
variants of these (headline claims alone, for error bars); --quick: on few of both. EXPERIMENT, all: those to run, by
directory of experiments/ or by page of docs/papers/. Results go to OUT/SET/EXPERIMENT, SET being captures, scenes or
variants, recordings to OUT/recordings; what is there from an unfinished run is taken. PROFILE is a profile of
Snakemake's, or one of python/tbrsim/explore/profiles/ (slurm); OPTIONs are Snakemake's: KEY=VALUE, of its
configuration, before others. How long it takes is estimated from
costs.yml, the seconds of each rule's jobs, which --keep-costs writes, and from the speed of this machine.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import yaml

import page
import tables

HERE = pathlib.Path(__file__).resolve().parent
COSTS = HERE / "costs.yml"
QUICK_NOTE = "**A quick run**: one or two scenes per paper, few frames, DTM-NUCA's in a quarter of the pixels; the averages are of these."


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {} if path.exists() else {}


def calibrate(arguments):
    """Seconds of some arithmetic, the best of three times: how fast this machine is."""
    scene = arguments.build / "workloads" / "scene" / "scene"
    description = HERE.parent / "workloads" / "scenes" / "temple_run.yaml"
    times = []
    for _ in range(3):
        begin = time.monotonic()
        subprocess.run([scene, "--print", description], check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - begin)
    return min(times)


def readable(seconds):
    minutes = max(1, round(seconds / 60))
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"


class Step:
    """One experiment on one set of workloads."""

    def __init__(self, experiment, its_set, arguments):
        self.experiment, self.its_set, self.arguments = experiment, its_set, arguments
        self.out = (arguments.out / its_set / experiment).resolve()
        self.assumed = its_set.removeprefix("assumed/") if its_set.startswith("assumed/") else None
        self.settings = "scenes" if self.assumed else its_set
        if arguments.quick and its_set != "captures":
            self.settings = f"quick_{self.settings}"
        self.statistics = self.out / "costs.json"

    def configuration(self):
        build, recordings = self.arguments.build.resolve(), self.arguments.out.resolve() / "recordings"
        yield f"out={self.out}"
        yield f"tbrsim={build}/bin/tbrsim"
        yield f"scene={build}/workloads/scene/scene"
        if self.its_set == "captures":
            yield f"traces={self.arguments.captures.resolve()}"
            yield f"recordings={recordings}/captures/{self.arguments.captures.resolve().name}"
        else:
            yield f"scenes={self.arguments.scenes.resolve()}"
            yield f"recordings={recordings}/scenes"
            yield f"settings={self.settings}"
            if self.assumed:
                yield f"assumed={self.assumed}"

    def target(self):
        return "headlines" if self.its_set == "variants" or self.assumed else "all"

    def snakemake(self, *options):
        """Its output, line by line; what it prints is in log.txt, too."""
        self.out.mkdir(parents=True, exist_ok=True)
        command = ["snakemake", self.target(), "--snakefile", HERE / self.experiment / "Snakefile", "--directory", self.out,
                   "--nolock", "--rerun-incomplete", "--rerun-triggers", "mtime", "params", "input", *options,
                   "--config", *self.configuration(), *self.arguments.options]
        with open(self.out / "log.txt", "w", encoding="utf-8") as log, \
                subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            for line in process.stdout:
                log.write(line)
                yield line
        if process.returncode:
            sys.exit(f"reproduce.py: {self.experiment} on {self.its_set} failed: {log.name}; what is done is kept")

    def remaining(self, costs):
        """Of jobs that are to be done, on one core, in units of calibrate(); None where that was not measured."""
        listed = "".join(self.snakemake("--dryrun", "--quiet", "--cores", "1"))
        jobs = re.findall(r"^(\w+) +(\d+) +\d+ +\d+$", listed, flags=re.MULTILINE)
        known = costs.get(self.experiment, {}).get(self.settings, {})
        jobs = {rule: int(number) for rule, number in jobs}
        if "total" not in jobs:
            return 0 if "Nothing to be done" in listed else None
        rules = set(jobs) - {"all", "total"}
        if not rules <= set(known):
            return None
        return sum(jobs[rule] * known[rule] for rule in rules) / known["calibration"]

    def run(self):
        options = ["--show-failed-logs"]
        if self.arguments.profile:
            profile = HERE.parent / "python" / "tbrsim" / "explore" / "profiles" / self.arguments.profile
            profile = profile if profile.is_dir() else self.arguments.profile
            os.environ["TBRSIM_PROFILE"] = str(profile)
            options += ["--profile", profile]
        else:
            options += ["--cores", self.arguments.cores]
        if self.arguments.keep_costs:
            options += ["--stats", self.statistics]
        for line in self.snakemake(*options):
            if sys.stdout.isatty() and (steps := re.match(r"\d+ of \d+ steps", line)):
                print(f"\r{self.experiment} on {self.its_set}: {steps[0]}", end="", flush=True)
        if sys.stdout.isatty():
            print("\r\033[K", end="")
        printed = self.out / ("headlines" if self.assumed else "figures") / "tables.md"
        if self.its_set != "variants" and printed.exists() and not self.arguments.quick:
            for difference in tables.report(printed, self.experiment, self.its_set, os.environ.get("KEEP_TABLES") == "1"):
                print(difference)

    def costs(self):
        rules = json.loads(self.statistics.read_text(encoding="utf-8"))["rules"]
        return {rule: round(its["mean-runtime"], 2) for rule, its in rules.items() if rule != "all"}


def keep_costs(steps, speed):
    costs = read_yaml(COSTS)
    for step in steps:
        its = costs.setdefault(step.experiment, {})
        if rules := step.costs():
            its[step.settings] = its.get(step.settings, {}) | rules | {"calibration": round(speed, 3)}
    COSTS.write_text("# SPDX-License-Identifier: MIT\n# Written by reproduce.py --keep-costs: seconds of a job of each rule, and of "
                     "calibrate() on that machine.\n" + yaml.safe_dump(costs), encoding="utf-8")


def estimate(steps, costs, scale, cores):
    """Says how long it will take; the time of each step, of which one unit takes `scale` seconds."""
    seconds = [step.remaining(costs) for step in steps]
    unknown = [f"{step.experiment} on {step.its_set}" for step, its in zip(steps, seconds) if its is None]
    seconds = [its or 0 for its in seconds]
    if len(unknown) < len(steps):
        print(f"about {readable(sum(seconds) * scale)} with {cores} {'core' if cores == 1 else 'cores'}", flush=True)
    if unknown:
        print(f"how long it takes is not known: {', '.join(unknown)}", flush=True)
    return seconds


def run(steps, arguments):
    costs, speed = read_yaml(COSTS), calibrate(arguments)
    cores = 1 if arguments.profile else arguments.cores
    scale = speed / cores
    seconds = estimate(steps, costs, scale, cores)
    for number, step in enumerate(steps):
        begin = time.monotonic()
        step.run()
        taken, expected = time.monotonic() - begin, seconds[number] * scale
        # The rest is as much faster or slower as this was, where it was long enough to say so.
        if expected > 60:
            scale *= taken / expected
        rest = sum(seconds[number + 1:]) * scale
        print(f"{step.experiment} on {step.its_set}: {readable(taken)}" + (f"; {readable(rest)} more" if rest else ""),
              flush=True)
    if arguments.keep_costs:
        keep_costs(steps, speed)


def experiment_of(name):
    name = pathlib.Path(name).name
    name = page.PAPERS.get(name, name)
    if not (HERE / name / "Snakefile").exists():
        names = ", ".join(sorted(path.parent.name for path in HERE.glob("*/Snakefile")))
        sys.exit(f"reproduce.py: no experiment {name}; there are {names}")
    return name


def parse():
    own, options = (sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]) if "--" in sys.argv \
        else (sys.argv[1:], [])
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--captures", type=pathlib.Path)
    parser.add_argument("--scenes", type=pathlib.Path)
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--profile")
    parser.add_argument("--keep-costs", action="store_true")
    parser.add_argument("experiments", nargs="*", type=experiment_of)
    arguments = parser.parse_args(own)
    arguments.options = options
    if not arguments.captures and not arguments.scenes:
        parser.error("nothing to run on: TRACES=DIR (--captures), apitrace captures (*.trace), or SCENES=workloads/scenes")
    for directory in filter(None, (arguments.captures, arguments.scenes)):
        if not directory.is_dir():
            parser.error(f"{directory} is no directory")
    return arguments


def main():
    arguments = parse()
    experiments = arguments.experiments or sorted(path.parent.name for path in HERE.glob("*/Snakefile"))
    sets = [its_set for its_set, wanted in (("scenes", arguments.scenes), ("captures", arguments.captures),
                                            ("variants", arguments.scenes and arguments.variants)) if wanted]
    steps = [Step(experiment, its_set, arguments) for its_set in sets for experiment in experiments
             if its_set != "variants" or experiment in page.PAPERS.values()]
    if arguments.scenes:
        assumed = read_yaml(page.ASSUMPTIONS)
        steps += [Step(experiment, f"assumed/{name}", arguments) for experiment in experiments
                  for name in assumed.get(experiment, {}).get("sets", {})]
    run(steps, arguments)
    page.write(arguments.out, arguments.scenes, QUICK_NOTE if arguments.quick else "",
               keep=os.environ.get("KEEP_TABLES") == "1" and not arguments.quick and arguments.variants)
    print(f"the papers' figures: {arguments.out}/index.html")


if __name__ == "__main__":
    main()
