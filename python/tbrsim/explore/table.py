# SPDX-License-Identifier: MIT
"""The tables of an exploration: sums of the counters, how far frames differ, what the columns are."""
import csv
import io
import math

from .. import files, quantities
from ..command import call, configuration_words
from ..configuration import flatten

ABOUT = {"recording": "name of the recording", "configuration": "as in the plan",
         "oracle": "caches whose policy knows the accesses to come, or never misses: a bound, not a design",
         "key": "directory of the result, in results/", "frames": "frames that were counted"}


def _deviation(values):
    """Sample standard deviation, to six digits; of one value none."""
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return float(f"{math.sqrt(math.fsum((one - mean) ** 2 for one in values) / (len(values) - 1)):.6g}")


def rows(store, plan, points, jobs, trees):
    """Of the points whose results are there: the rows of results.csv, those of deviations.csv, and the points."""
    sums, deviations, there = [], [], []
    for point, job, tree in zip(points, jobs, trees):
        if not store.has(job["key"]):
            continue
        statistics = files.read_statistics(store.result(job["key"]))
        settings = dict(point.settings)
        begin = {"recording": point.source.stem, "configuration": point.configuration} \
            | {key: settings.get(key, "") for key in plan.columns} \
            | {"oracle": quantities.oracles(dict(flatten(tree)), point.settings), "key": job["key"],
               "frames": len(statistics["frames"])}
        spread = {name: 0.0 for name in statistics["total"]}
        spread |= {name: _deviation(values) for name, values in zip(statistics["columns"], zip(*statistics["frames"]))}
        sums.append(begin | statistics["total"])
        deviations.append(begin | spread)
        there.append(point)
    return sums, deviations, there


def counters(plan, point):
    """What the GPU of a point counts, {name: (unit, description)}, as the command lists it."""
    answer = call("counters", "--csv", *configuration_words(plan.file(point.configuration), dict(point.settings)))
    return {line["name"]: (line["measure"], line["description"]) for line in csv.DictReader(io.StringIO(answer))}


def columns(plan, sums, points):
    """What the columns are: {name: (unit, description)}. Asks the command for what the GPUs of the points count."""
    known = {}
    for row, point in zip(sums, points):
        counted = [name for name in row if "." in name and name not in plan.columns]
        if all(name in known for name in counted):
            continue
        known |= counters(plan, point)
    about = {name: ("", text) for name, text in ABOUT.items()} | {key: ("", "setting") for key in plan.columns}
    about["fps"] = ("frames per second", "of all frames together")
    names = dict.fromkeys(name for row in sums for name in row)
    return {name: about.get(name) or known.get(name, ("", "")) for name in names}


def text(table):
    """Rows as CSV. Columns are those of all rows: other GPUs have other counters."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in table for name in row)), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return file.getvalue()


def columns_text(about):
    """What columns() gives as CSV."""
    return text([{"column": name, "unit": unit, "description": description} for name, (unit, description) in about.items()])
