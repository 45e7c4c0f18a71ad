# SPDX-License-Identifier: MIT
"""The commands that a page of the documents prints: found, run, and what they print compared.

A page has commands in two forms. In a block of ```console a line with "$ " is a command (a line that ends with a backslash
goes on), and what follows is all that it prints, to both outputs; "..." in a line stands for anything, a line of it for any
lines. In an indented block, or one of ```sh, a line that begins with a program of PROGRAMS is a command, of which only the
status counts. So is `tbrsim ...` in a table, where a page's are wanted (tables). A page's commands run in one shell, in order, each with status 0.

Comments before a block, which readers do not see:

    <!-- file: NAME -->            the block is that file, in the folder where the commands run
    <!-- not run: REASON -->       none of the block's commands is run
    <!-- not run (WORDS): REASON -->     nor those that have these words

and anywhere

    <!-- run first: COMMAND -->    what a reader of the page has done before

Of `make TARGET` and `snakemake` it is only checked that the target or the Snakefile is there: they take minutes."""

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess

PROGRAMS = ("tbrsim", "build/bin/tbrsim", "build/workloads/scene/scene", "make", "snakemake", "apitrace", "pip", "export", "zcat",
            "apitrace-replays/capture.sh", "trace_processor_shell", "python3")
ASSIGNMENT = re.compile(r"[A-Z_]+=(\"[^\"]*\"|\S*)$")
MARK = re.compile(r"<!-- (file|run first|not run)(?: \(([^)]*)\))?: (.*) -->$")
NUMBER = r"\d[\d,]*(?:\.\d+)?"
SHELL_TIMEOUT = 500  # seconds, of a page
# What commands say meanwhile on a slow machine.
PROGRESS = re.compile(r"tbrsim \(note\): (\d of \d, .*|.*: frame \d+ of \d+, .* %)|explore: \d+ of \d+ simulated")
END = "\x01"  # between what two commands print


@dataclasses.dataclass
class Step:
    """A command, or a file (name)."""
    line: int
    text: str
    name: str = ""
    expected: list | None = None  # the lines that it prints; None: not compared
    first: int = 0  # the line of the page where they begin
    not_run: str = ""  # the reason


def is_command(line):
    """Whether the line of a block that has no prompts is a command: a program after assignments."""
    words = line.split()
    while words and ASSIGNMENT.match(words[0]):
        words.pop(0)
    return bool(words) and words[0] in PROGRAMS


def logical_lines(lines, first):
    """(number, text) of each, lines that end with a backslash joined."""
    text, start = "", first
    for number, line in enumerate(lines, first):
        start = start if text else number
        text += line
        if not line.endswith("\\"):
            yield start, text
            text = ""
        else:
            text += "\n"


def console_steps(lines, first):
    """The steps of a block of ```console."""
    steps = []
    open_line = False
    for number, line in enumerate(lines, first):
        if open_line:
            steps[-1].text += "\n" + line
        elif line.startswith("$ "):
            steps.append(Step(number, line[2:], expected=[]))
        elif not steps:
            raise AssertionError(f"line {number}: a block of console begins with a command")
        else:
            steps[-1].expected.append(line)
            continue
        steps[-1].first = number + 1
        open_line = line.endswith("\\")
    return steps


def inline_steps(number, line):
    """Commands in a row of a table, but for those with a word in capitals: a placeholder."""
    if line.startswith("|"):
        for text in re.findall(r"`(tbrsim [^`]*)`", line):
            if len(text.split()) > 2 and not re.search(r"\b[A-Z]{3,}\b|…", text):
                yield Step(number, text)


def block_steps(language, lines, first, marks):
    """The steps of a block, after the marks that stand before it."""
    for kind, _, value in marks:
        if kind == "file":
            return [Step(first, "\n".join(lines) + "\n", name=value)]
    if language == "console":
        steps = console_steps(lines, first)
    elif language in ("", "sh"):
        steps = [Step(number, text) for number, text in logical_lines(lines, first) if is_command(text)]
    else:
        return []
    for kind, words, reason in marks:
        for step in steps:
            if kind == "not run" and (words or "") in step.text:
                step.not_run = reason
    return steps


def parse(text, tables=False):
    """The steps of a page, in order; tables: with those in tables."""
    lines = text.splitlines()
    steps, marks, n = [], [], 0
    while n < len(lines):
        line = lines[n]
        mark = MARK.match(line.strip())
        fence = re.match(r"```(\w*)$", line)
        if mark and mark[1] == "run first":
            steps.append(Step(n + 1, mark[3]))
        elif mark:
            marks.append(mark.groups())
        elif fence:
            end = lines.index("```", n + 1)
            steps += block_steps(fence[1], lines[n + 1:end], n + 2, marks)
            n, marks = end, []
        elif line.startswith("    "):
            end = n
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end]):
                end += 1
            steps += block_steps("", [indented[4:] for indented in lines[n:end]], n + 1, marks)
            n, marks = end - 1, []
        elif line:
            steps += inline_steps(n + 1, line) if tables else []
            if marks:
                raise AssertionError(f"line {n + 1}: no block after a mark")
        n += 1
    return steps


# ---- what is only looked at ------------------------------------------------------------------

def missing(step, root):
    """What `make` and `snakemake` of a step name that is not there; None where the step is something else."""
    if step.text.split()[0] not in ("make", "snakemake"):
        return None
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    found = []
    for part in re.split(";|&&", step.text):
        program, *words = shlex.split(part, comments=True)
        if program == "make":
            found += [word for word in words
                      if "=" not in word and not re.search(rf"^{re.escape(word)}:", makefile, re.MULTILINE)]
        elif program == "snakemake":
            found += [word for word in words if word.endswith("Snakefile") and not (root / word).exists()]
    return found


# ---- running ---------------------------------------------------------------------------------

def run(steps, folder, environment):
    """Runs the steps of a page in a folder; the steps that ran, each with its status and lines of output. In these the
    folder is "...", and progress is left out."""
    script, ran = [f"cd {shlex.quote(str(folder))}"], []
    for step in steps:
        if step.name:
            script.append(f"printf %s {shlex.quote(step.text)} >{shlex.quote(step.name)}")
        elif not step.not_run:
            script.append(f"eval {shlex.quote(step.text)} </dev/null; printf '{END}%d{END}' $?")
            ran.append(step)
    done = subprocess.run(["bash", "-c", "\n".join(script)], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SHELL_TIMEOUT, check=False)
    parts = done.stdout.decode(errors="replace").replace(str(folder), "...").split(END)
    statuses = [int(status) for status in parts[1::2]]
    outputs = [[line.rstrip() for line in output.splitlines() if not PROGRESS.match(line)] for output in parts[0::2]]
    if len(statuses) != len(ran):
        raise AssertionError(f"the shell ended at {ran[len(statuses)].text}: {parts[-1]}")
    return list(zip(ran, statuses, outputs))


# ---- comparing and renewing output -----------------------------------------------------------

def pattern(lines, loose=False):
    """A regular expression for the lines of a page; loose: numbers and the width of columns may differ."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
            continue
        text = re.escape(line.rstrip()).replace(re.escape("..."), ".*")
        if loose:
            text = re.sub(r"\d[\d,]*(?:\\\.\d+)?", lambda match: NUMBER, text)
            text = re.sub(r"(?:\\ )+", " +", text)
        parts.append(text + "\n")
    return "".join(parts)


def matches(expected, output):
    """Whether lines are what a page has."""
    return bool(re.fullmatch(pattern(expected), "".join(line + "\n" for line in output)))


def renewed(expected, output):
    """The lines of a page with the numbers of an output, where that is all that differs; else the output itself."""
    rest = "".join(line + "\n" for line in output)
    if not re.fullmatch(pattern(expected, loose=True), rest):
        return output
    lines = []
    for n, line in enumerate(expected):
        following = pattern(expected[n + 1:], loose=True)
        found = re.match(rf"({pattern([line], loose=True)}){following}\Z", rest)[1]
        same = re.fullmatch(pattern([line]), found)
        lines.append(line if same else found.rstrip("\n"))
        rest = rest[len(found):]
    return lines


def renew(path, results):
    """Writes a page again, with what its commands have printed."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for step, status, output in reversed(results):
        if step.expected is not None and not status and not matches(step.expected, output):
            start = step.first - 1
            lines[start:start + len(step.expected)] = renewed(step.expected, output)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def make_folder(folder, root, build):
    """A folder that looks like the checkout at `root`, built in `build`."""
    folder.mkdir(parents=True)
    for entry in root.iterdir():
        if not entry.name.startswith((".", "build", "tbrsim-out")):
            (folder / entry.name).symlink_to(entry)
    os.symlink(build, folder / "build")
    return pathlib.Path(folder)
