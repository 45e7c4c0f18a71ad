# SPDX-License-Identifier: MIT
"""Reads the files that tbrsim writes, with the standard library alone: stats.json and frames.csv
(docs/statistics.md), index.json of several simulations, tables as CSV."""
import csv
import json
import pathlib

from .errors import Error

# That of stats.json (src/cachemodel/stats/schema.h).
SCHEMA = 1


def within(path, name):
    """A path of a file, or of the directory that has it under this name: the file's."""
    path = pathlib.Path(path)
    return path / name if path.is_dir() else path


def read_json(path):
    """The content of a file of JSON."""
    path = pathlib.Path(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Error(f"{path}: there is no such file") from None
    except ValueError as error:
        raise Error(f"{path}: no JSON: {error}") from None


def read_statistics(path):
    """A stats.json, or that of a directory, as it is: run, columns, frames (a list of values each),
    total."""
    path = within(path, "stats.json")
    statistics = read_json(path)
    if not isinstance(statistics, dict) or not {"run", "total"} <= statistics.keys():
        raise Error(f"{path}: no statistics of tbrsim: no run, no total")
    if "columns" not in statistics:
        raise Error(f"{path}: of another version of tbrsim: no columns")
    if statistics["run"].get("schema", 0) > SCHEMA:
        raise Error(f"{path}: of a later version of tbrsim: its schema is {statistics['run']['schema']}, "
                    f"expected at most {SCHEMA}")
    return statistics


def load(path):
    """The same with each of its frames as {counter: value}: counters that have no column are
    zero."""
    statistics = read_statistics(path)
    zeros = {name: 0 for name in statistics["total"]}
    statistics["frames"] = [zeros | dict(zip(statistics["columns"], row, strict=True))
                            for row in statistics["frames"]]
    return statistics


def load_csv(path):
    """The same frames from a frames.csv, or that of a directory, without counters that have no
    column."""
    with open(within(path, "frames.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: float(value) if name == "fps" else int(value) for name, value in row.items()
             if name != "frame"} for row in rows]


def simulations(directory):
    """What `tbrsim sim` lists of several configurations in index.json, in their order: directory
    (as a path), configuration, preset, settings, recording."""
    path = within(directory, "index.json")
    entries = read_json(path).get("simulations")
    if entries is None:
        raise Error(f"{path}: no list of simulations")
    return [entry | {"directory": path.parent / entry["directory"]} for entry in entries]


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def read_table(path, value=_number):
    """The lines of a table as CSV, {column: value} each. value: what makes one of its text; without
    it, whole numbers are int, others float; what is no number is text."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return [{name: value(text) for name, text in row.items()}
                    for row in csv.DictReader(file)]
    except FileNotFoundError:
        raise Error(f"{path}: there is no such file") from None
