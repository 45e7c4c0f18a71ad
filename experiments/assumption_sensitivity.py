#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""By how much cycles and energy change where a preset's assumed value is another one: data/sensitivity.csv of
data/assumptions.csv, and docs/trust/tables.md of both.

usage: assumption_sensitivity.py --tbrsim COMMAND --out DIR [--keep] CAPTURE.trace...

Frames 1 and 2 of each capture are recorded once, with tiles of 32x32, and simulated on each preset of the column "on", with
one assumed value changed at a time; frame 2 is counted. Nothing is simulated twice in DIR: remove it after tbrsim or a preset
has changed. With --keep, data/sensitivity.csv, docs/trust/tables.md and the tables of docs/trust.md are rewritten; else it
says whether they differ.
"""
import argparse
import csv
import io
import json
import pathlib
import re
import subprocess

import assumptions

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANGES, RESULTS = ROOT / "data" / "assumptions.csv", ROOT / "data" / "sensitivity.csv"
TABLES, PAGE = ROOT / "docs" / "trust" / "tables.md", ROOT / "docs" / "trust.md"
SHOWN = 12  # rows of each table of the page
FRAMES, WARM_UP = "1-2", "1"
AS_RECORDED = "tile.size=32"
ISAS = "midgard,bifrost,valhall,v3d"  # of the presets
BATCH = 12  # configurations that are simulated at once: memory
MEASURES = {"cycles": "gpu.cycles", "energy": "energy.system.total"}
COLUMNS = ["preset", "key", "value"] + [f"{measure}_{of}" for measure in MEASURES for of in ("from", "to", "most")]


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Tbrsim:
    """The command."""

    def __init__(self, command):
        self.command = command

    def run(self, *words):
        return subprocess.run([self.command, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True).stdout

    def flat(self, preset, *options):
        """{key: value} of a preset."""
        return dict(line.split("=", 1) for line in self.run("configs", "--flat", *options, preset).splitlines())


def settings(row, side, value, followers):
    """What to set for one end of a row's range, of a key that is `value`: /4 is a quarter of it, *4 four times as much; further
    settings come after it. The keys that are as this one change with it. [] where the range has no such end."""
    if not row[side]:
        return []
    first, *others = row[side].split(" ")
    if first[0] in "/*":
        factor = int(first[1:])
        first = str(int(value) * factor if first[0] == "*" else max(1, int(value) // factor))
    return [f"{key}={first}" for key in [row["key"], *followers]] + others


class Study:
    """One simulation a preset, capture and set of settings; what was simulated is kept in a file for each preset and
    capture."""

    def __init__(self, tbrsim, out):
        self.tbrsim, self.out = tbrsim, out
        self.values = {}  # of presets

    def preset(self, name):
        if name not in self.values:
            self.values[name] = self.tbrsim.flat(name)
        return self.values[name]

    def recording(self, capture):
        path = self.out / f"{capture.stem}.tbr"
        if not path.exists():
            self.tbrsim.run("replay", "--no-model", "--set", AS_RECORDED, "--frames", FRAMES, "--record", path,
                            "--record-isa", ISAS, "--out", self.out / "record", capture)
        return path

    def simulate(self, capture, preset, batch):
        """The measures and the statistics of some sets of settings."""
        words = [word for its in batch for word in ("--config", ",".join([preset, AS_RECORDED, *its]))]
        printed = self.tbrsim.run("sim", "--json", "--timing", "on", "--frames", FRAMES, "--warm-up", WARM_UP, "--jobs", "1", "--out",
                                  self.out / "sim" / preset / capture.stem, *words, self.recording(capture))
        for its in json.loads(printed)["simulations"]:
            yield {name: its["counters"].get(counter) for name, counter in MEASURES.items()}, its["statistics"]

    def of_energy_alone(self, its, base, statistics):
        """The measures where only energies of operations differ: nothing has to be simulated."""
        words = [word for setting in its for word in ("--set", setting)]
        account = json.loads(self.tbrsim.run("energy", "--json", *words, statistics))[0]
        return base | {"energy": account["groups"]["system"]["total"]}

    def measure(self, capture, preset, wanted):
        """{settings as text: measures} of sets of settings, and of none ("")."""
        kept = self.out / f"{preset}-{capture.stem}.json"
        done = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if "" not in done:
            done[""], done["statistics"] = next(self.simulate(capture, preset, [[]]))
        missing = [its for its in wanted if " ".join(its) not in done]
        cheap = [its for its in missing if all(setting.startswith("energy.") for setting in its)]
        for its in cheap:
            done[" ".join(its)] = self.of_energy_alone(its, done[""], done["statistics"])
        kept.write_text(json.dumps(done, indent=1), encoding="utf-8")
        costly = [its for its in missing if its not in cheap]
        for first in range(0, len(costly), BATCH):
            batch = costly[first:first + BATCH]
            for its, (measures, _) in zip(batch, self.simulate(capture, preset, batch), strict=True):
                done[" ".join(its)] = measures
            kept.write_text(json.dumps(done, indent=1), encoding="utf-8")
        return done


def changes(found, its):
    """{measure: [change in per cent on each capture]}; a measure that the preset has not is not there."""
    text = " ".join(its)
    return {measure: [100 * (done[text][measure] / done[""][measure] - 1) for done in found] for measure in MEASURES
            if found[0][""][measure]}


def result(row, value, found, ends):
    """A row of the results: at each end the mean of the captures, and the largest change of all."""
    sides = {side: changes(found, its) for side, its in ends.items() if its}
    result_row = {"preset": row["preset"], "key": row["key"], "value": value}
    for measure in MEASURES:
        every = []
        for side, its in sides.items():
            if measure in its:
                result_row[f"{measure}_{side}"] = f"{sum(its[measure]) / len(its[measure]):.2f}"
                every += its[measure]
        result_row[f"{measure}_most"] = f"{max(every, key=abs):.2f}" if every else ""
    return {name: text.replace("-0.00", "0.00") for name, text in result_row.items()}


def run(study, captures):
    """All rows of the results."""
    followers = {preset: assumptions.read_assumed(text) for preset, text in assumptions.presets().items()}
    rows = [row for row in read_csv(RANGES) if row["from"] or row["to"]]
    values = [study.preset(row["on"]).get(row["key"], "0") for row in rows]
    ends = [{side: settings(row, side, value, followers[row["preset"]][row["key"]]) for side in ("from", "to")}
            for row, value in zip(rows, values)]
    wanted = {}
    for row, its in zip(rows, ends):
        wanted.setdefault(row["on"], []).extend(end for end in its.values() if end)
    costly = sum(not its[0].startswith("energy.") for preset in wanted for its in wanted[preset]) + len(wanted)
    print(f"{costly} simulations of each of {len(captures)} captures", flush=True)
    found = {}
    for capture in captures:
        for preset, sets in wanted.items():
            print(f"{capture.stem}, {preset}: {len(sets)} sets of settings", flush=True)
            found.setdefault(preset, []).append(study.measure(capture, preset, sets))
    return [result(row, value, found[row["on"]], its) for row, value, its in zip(rows, values, ends)]


def csv_text(rows):
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def shown(number):
    """A change as text; nothing where there is none."""
    if not number:
        return ""
    return f"{float(number):+.1f}".replace("-", "−") if abs(float(number)) >= 0.05 else "0.0"


def size_of(row, measure):
    return abs(float(row[f"{measure}_most"] or 0))


def end_text(text):
    """An end of a range without what follows from it."""
    return re.sub(r"^([/*])", lambda found: {"/": "÷ ", "*": "× "}[found[1]], text.split(" ")[0])


def table(rows, measures, why):
    """Lines of a table of results, in their order; why: with the reasons of the ranges."""
    ranges = {(row["preset"], row["key"]): row for row in read_csv(RANGES)}
    columns = [(measure, of) for measure in measures for of in ("from", "to", "most")]
    header = ["preset", "key", "value", "from", "to", *(f"{measure} {of}, %" for measure, of in columns)] + ["why this range"] * why
    yield "| " + " | ".join(header) + " |"
    yield "| --- | --- | --- | --- | --- |" + " ---: |" * len(columns) + " --- |" * why
    for row in rows:
        its = ranges[row["preset"], row["key"]]
        cells = [row["preset"], f"`{row['key']}`", row["value"], end_text(its["from"]), end_text(its["to"])]
        cells += [shown(row.get(f"{measure}_{of}")) for measure, of in columns] + [its["why"]] * why
        yield "| " + " | ".join(cells) + " |"


def tables(rows, captures):
    """docs/trust/tables.md of the results, on captures of these names."""
    ordered = sorted(rows, key=lambda its: (-size_of(its, "cycles"), -size_of(its, "energy"), its["preset"], its["key"]))
    lines = ["## sensitivity", "", f"Frame 2 of {', '.join(captures)}.", "", *table(ordered, MEASURES, True)]
    lines += ["", "## not varied", "", "| preset | key | why |", "| --- | --- | --- |"]
    lines += [f"| {row['preset']} | `{row['key']}` | {row['why'].removeprefix('not varied: ')} |" for row in read_csv(RANGES)
              if not (row["from"] or row["to"])]
    return "\n".join(lines) + "\n"


def page(text, rows):
    """docs/trust.md with the largest of the results, after a comment for each measure."""
    for measure in MEASURES:
        most = sorted(rows, key=lambda its: (-size_of(its, measure), its["preset"], its["key"]))[:SHOWN]
        lines = "".join(f"{line}\n" for line in table(most, [measure], False))
        text, found = re.subn(rf"(<!-- what moves {measure} most -->\n)(\|.*\n)*", lambda its: its[1] + lines, text)
        assert found == 1, measure
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tbrsim", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("captures", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = run(Study(Tbrsim(options.tbrsim), options.out), options.captures)
    names = [capture.stem for capture in options.captures]
    for path, text in ((RESULTS, csv_text(rows)), (TABLES, tables(rows, names)), (PAGE, page(PAGE.read_text(encoding="utf-8"), rows))):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            if options.keep:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)} differs, and was " + ("rewritten: see git diff" if options.keep
                                                                  else "not changed; KEEP_TABLES=1 rewrites it"))


if __name__ == "__main__":
    main()
