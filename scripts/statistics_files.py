# SPDX-License-Identifier: MIT
"""Reads what tbrsim writes of a program's frames: stats.json and frames.csv (docs/statistics.md)."""
import csv
import json
import pathlib


def load(path):
    """A stats.json, or that of a directory, with each of its frames as {counter: value}: counters that have no column
    are zero."""
    path = pathlib.Path(path)
    path = path / "stats.json" if path.is_dir() else path
    with open(path, encoding="utf-8") as file:
        statistics = json.load(file)
    if "columns" not in statistics:
        raise ValueError(f"{path}: of another version of tbrsim: no columns")
    zeros = {name: 0 for name in statistics["total"]}
    statistics["frames"] = [zeros | dict(zip(statistics["columns"], row, strict=True)) for row in statistics["frames"]]
    return statistics


def load_csv(path):
    """The same frames from a frames.csv, or that of a directory, without counters that have no column."""
    path = pathlib.Path(path)
    path = path / "frames.csv" if path.is_dir() else path
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: float(value) if name == "fps" else int(value) for name, value in row.items() if name != "frame"}
            for row in rows]
