# SPDX-License-Identifier: MIT
"""Design spaces: a plan's recordings, configurations and settings, all combinations, in one table (docs/explore.md)."""
import csv
import fcntl
import functools
import io
import json
import pathlib

from .. import duckdb, files
from ..errors import CommandFailed, Error, need
from ..parquet import write_table
from . import cluster, pareto
from .plan import read
from .store import Store, tree_of
from .work import Progress, Workers

__all__ = ["Outcome", "explore", "read"]

SHOWN = 10  # combinations of a list that may be long


class Outcome:
    """What an exploration has brought: `rows`, a dictionary for each point that has been simulated; `failed`, of the others
    their names and the reasons; `files`, what was written; `problem`, why the table was not (None: it was); `there`, how
    many simulations were there before."""

    def __init__(self, rows, failed, written, problem, simulated, there):
        self.rows, self.failed, self.files, self.problem = rows, failed, written, problem
        self.simulated, self.there = simulated, there

    @property
    def table(self):
        """The rows as a data frame."""
        return need("pandas").DataFrame(self.rows)


def trees_of(plan, points):
    """The configuration of each point; an Error that names all points that the command refuses."""
    refused, trees = [], []
    find = functools.cache(tree_of)  # points differ in their recordings, too
    for point in points:
        try:
            trees.append(find(plan.file(point.configuration), point.settings))
        except CommandFailed as error:
            refused.append(f"{point.name}: {str(error).removeprefix('tbrsim: ')}")
    if refused:
        more = [f"and {len(refused) - SHOWN} more"] if len(refused) > SHOWN else []
        raise Error("\n".join([f"{plan.path}: {len(refused)} of {len(points)} combinations are no configurations; "
                               "'only' and 'except' leave combinations out", *refused[:SHOWN], *more]))
    return trees


def _job(store, plan, point, tree):
    tile_size = None if tree.get("mode") == "imr" else tree["tile"]["size"]
    recording = store.recording_key(point.source, tile_size, plan.frames) if plan.captures else None
    return {
        "key": store.result_key(recording or store.content_of(point.source), tree, plan.frames, plan.warm_up),
        "name": point.name, "source": str(point.source), "file": plan.file(point.configuration),
        "settings": point.settings, "frames": plan.frames, "warm_up": plan.warm_up,
        "recording_key": recording, "tile_size": tile_size, "weight": point.source.stat().st_size,
    }


def _rows(store, plan, points, jobs):
    rows = []
    for point, job in zip(points, jobs):
        if not store.has(job["key"]):
            continue
        statistics = files.read_statistics(store.result(job["key"]))
        settings = dict(point.settings)
        rows.append({"recording": point.source.stem, "configuration": point.configuration}
                    | {key: settings.get(key, "") for key in plan.columns}
                    | {"key": job["key"], "frames": len(statistics["frames"])} | statistics["total"])
    return rows


def _csv(rows):
    """Columns are those of all rows: other GPUs have other counters."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _write(store, plan, rows, failed):
    """The table and what belongs to it; what was written."""
    written = [store.directory / "results.csv"]
    store.write("failures.json", json.dumps([{"name": name, "reasons": reasons} for name, reasons in failed], indent=1) + "\n")
    store.write("results.csv", _csv(rows))
    parquet = _parquet(store.directory / "results.parquet", rows)
    for number, pair in enumerate(plan.pareto if rows else [], 1):
        front = {name: [row["key"] for row in best] for name, best in pareto.fronts(rows, pair).items()}
        store.write(f"pareto-{number}.json", json.dumps({"x": pair[0], "y": pair[1], "front": front}, indent=1) + "\n")
        path = store.directory / f"pareto-{number}.png"
        pareto.draw(rows, pair, plan.columns, path)
        written.append(path)
    return written + parquet


def _parquet(path, rows):
    """The table for other programs, where DuckDB's library is there; of another plan's rows none stays."""
    path.unlink(missing_ok=True)
    try:
        duckdb.find()
    except Error:
        return []
    if not rows:
        return []
    names = dict.fromkeys(name for row in rows for name in row)
    # As in results.csv, a setting that a row does not have is empty, a counter that its GPU does not have is null.
    return [write_table(path, {name: [row.get(name) for row in rows] for name in names})]


def explore(plan, out, jobs=None, retries=2, profile=None, progress=None):
    """Simulates what a plan (a file, or what read() returned) has and `out` has not; an Outcome. jobs: how many at a
    time (default: one a core); retries: attempts after a failed one; profile: a profile of Snakemake, whose jobs it
    then are."""
    plan = read(plan) if isinstance(plan, (str, pathlib.Path)) else plan
    if plan.pareto:
        need("matplotlib")
    if profile:
        cluster.profile_directory(profile)
    points = plan.points()
    trees = trees_of(plan, points)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    with open(pathlib.Path(out, "lock"), "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Error(f"{out}: another tbrsim explore works there") from None
        store = Store(out)
        store.clean()
        all_jobs = [_job(store, plan, point, tree) for point, tree in zip(points, trees)]
        different = {job["key"]: job for job in all_jobs}
        wanted = [job for key, job in different.items() if not store.has(key)]
        # The longest first, so that the last ones are short.
        wanted.sort(key=lambda job: -job["weight"])
        there = len(different) - len(wanted)
        failed, written, problem = [], [], None
        try:
            if profile and wanted:
                failed = cluster.run(store, wanted, profile, retries, lock)
            elif wanted:
                failed = Workers(store, jobs, retries).run(wanted, progress or Progress(wanted, there))
        finally:
            # An interrupted exploration's table has what is there.
            rows = _rows(store, plan, points, all_jobs)
            named = [(job["name"], reasons) for job, reasons in failed]
            try:
                written = _write(store, plan, rows, named)
            except OSError as error:
                problem = f"{out}: the table is not written: {error.strerror}"
        return Outcome(rows, named, written, problem, len(wanted) - len(failed), there)
