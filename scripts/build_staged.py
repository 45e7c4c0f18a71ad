# SPDX-License-Identifier: MIT
"""build_staged.py BUILD: compiles what is staged, nothing that only tests and benchmarks need, and says how far it is and
how long it takes at the speed so far: on a terminal in one line, elsewhere in a line now and then."""
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TAGS = ("runtime", "tbrsim")
SAY = 30  # seconds between lines
# What a step counts: these are as long as so many others, of some half a second each.
LONG = {"tbr_isa.c.o": 200, "nir_opt_algebraic.c": 20, "libgallium-": 20}


def weight(step):
    """Of a step, by what ninja calls it."""
    return next((its for name, its in LONG.items() if name in step), 1)


def staged(build):
    """What ninja is asked for: the files that the installation takes from the build."""
    plan = json.loads((build / "meson-info" / "intro-install_plan.json").read_text())
    return sorted({os.path.relpath(file, build) for file, entry in plan["targets"].items() if entry["tag"] in TAGS})


def duration(seconds):
    """In words."""
    return f"{round(seconds)} s" if seconds < 90 else f"{round(seconds / 60)} min"


class Progress:
    """What is done of all, by weight."""

    def __init__(self, steps):
        self.steps, self.done, self.count = steps, 0, 0
        self.all = sum(map(weight, steps))
        self.begin = self.said = time.monotonic()

    def take(self, step):
        """A step has been done."""
        self.done += weight(step)
        self.count += 1
        now = time.monotonic()
        spent = now - self.begin
        left = max(self.all - self.done, 0) * spent / self.done
        line = f"{self.count} of {len(self.steps)} steps, {duration(spent)}" + \
            (f", about {duration(left)} left" if spent > 5 else "")
        if sys.stdout.isatty():
            print(f"\r\033[K{line}", end="", flush=True)
        elif now - self.said >= SAY:
            self.said = now
            print(line, flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    ninja = ["ninja", "-C", str(build)]
    targets = staged(build)
    listed = subprocess.run([*ninja, "-n", *targets], capture_output=True, text=True, check=True).stdout
    steps = re.findall(r"^\[\d+/\d+\] (.*)$", listed, re.MULTILINE)
    progress = Progress(steps)
    if steps:
        print(f"{len(steps)} steps to build (nearly all of it is Mesa)", flush=True)
    # Without a terminal, ninja prints a line for each step that has ended, and what the step says.
    with subprocess.Popen([*ninja, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said = []
        for line in process.stdout:
            if match := re.match(r"\[\d+/\d+\] (.*)$", line):
                progress.take(match[1])
            else:
                said.append(line)
    if sys.stdout.isatty() and steps:
        print("\r\033[K", end="")
    if process.returncode:
        sys.exit("".join(said[-60:]))


if __name__ == "__main__":
    main()
