# SPDX-License-Identifier: MIT
"""Design spaces: a plan's recordings, configurations and settings, all combinations, in one table (docs/explore.md)."""
import fcntl
import functools
import json
import pathlib

from .. import duckdb, notebook, plot, quantities
from ..errors import CommandFailed, Error, need
from ..parquet import write_table
from ..results import Results
from . import cluster, pareto, table
from .plan import read
from .store import Store, tree_of
from .work import Progress, Workers

__all__ = ["Outcome", "explore", "read"]

SHOWN = 10  # combinations of a list that may be long


class Outcome:
    """What an exploration has brought: `rows`, a dictionary for each point that has been simulated, with the sums of its
    counters; `deviations`, the same with their standard deviations over the frames; `units`, {counter: its unit}; `failed`, of
    the others their names and the reasons; `files`, what was written; `problem`, why the table was not (None: it was);
    `simulated`, and `there`, how many simulations were there before."""

    def __init__(self, directory, columns, rows, deviations, units, failed, simulated, there):
        self.directory, self.columns = directory, columns
        self.rows, self.deviations, self.units, self.failed = rows, deviations, units, failed
        self.simulated, self.there = simulated, there
        self.files, self.problem = [], None

    @property
    def table(self):
        """The rows as a data frame: sums over the frames."""
        return need("pandas").DataFrame(self.rows)

    @property
    def per_frame(self):
        """The same per frame: means. fps is as it is in `table`."""
        rows = [{name: value / row["frames"] if name in self.units and name != "fps" else value
                 for name, value in row.items()} for row in self.rows]
        return need("pandas").DataFrame(rows)

    @property
    def spread(self):
        """The standard deviation over the frames of each counter, in the same places."""
        return need("pandas").DataFrame(self.deviations)

    def results(self, key):
        """What was simulated for a row, by its key: Results."""
        return Results(self.directory / "results" / key)

    def plot(self, counter, x=None, recording=None, axes=None):
        """The means per frame of a counter ("a+b": of a sum), with their standard deviations, over a setting; a line for each
        combination of the others. recording: only of this one. Matplotlib's axes."""
        points = [({name: row[name] for name in ("recording", "configuration", *self.columns)},
                   plot.frame_values(self.results(row["key"]), counter), bool(row["oracle"]))
                  for row in self.rows if recording in (None, row["recording"])]
        return plot.by_setting(points, counter, x, self.units, axes)

    def __repr__(self):
        return f"<tbrsim.explore.Outcome {self.directory}: {len(self.rows)} points, {len(self.failed)} failed>"

    def _repr_html_(self):
        shown = ("recording", "configuration", *self.columns, "oracle", "frames")
        return notebook.page(f"{len(self.rows)} points", [f"{len(self.failed)} failed", str(self.directory)],
                             notebook.headlines([({name: row[name] for name in shown}, row, row["frames"]) for row in self.rows]))


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
    _check_pareto(plan, points, trees)
    return trees


def _check_pareto(plan, points, trees):
    """An Error where a pair of pareto names what some GPUs do not count."""
    names = {name for pair in plan.pareto for axis in pair for name in quantities.names_of(axis)} - {"frames"}
    # Which counters there are is a matter of the configuration and its timing.
    of_gpus = {(point.configuration, str(tree.get("timing"))): point for point, tree in zip(points, trees)} if names else {}
    for point in of_gpus.values():
        there = set(table.counters(plan, point))
        there |= {"fps"} if "gpu.cycles" in there else set()
        for name in sorted(names - there):
            raise Error(f"{plan.path}: pareto: {point.name}: {quantities.no_counter(name, there)}")


def _job(store, plan, point, tree):
    tile_size = None if tree.get("mode") == "imr" else tree["tile"]["size"]
    recording = store.recording_key(point.source, tile_size, plan.frames) if plan.captures else None
    return {
        "key": store.result_key(recording or store.content_of(point.source), tree, plan.frames, plan.warm_up),
        "name": point.name, "source": str(point.source), "file": plan.file(point.configuration),
        "settings": point.settings, "frames": plan.frames, "warm_up": plan.warm_up,
        "recording_key": recording, "tile_size": tile_size, "weight": point.source.stat().st_size,
    }


def _write(store, plan, outcome, about):
    """The tables and what belongs to them; what was written for people."""
    sums, deviations = outcome.rows, outcome.deviations
    written = [store.directory / "results.csv"]
    store.write("failures.json", json.dumps([{"name": name, "reasons": reasons} for name, reasons in outcome.failed], indent=1) + "\n")
    store.write("results.csv", table.text(sums))
    store.write("deviations.csv", table.text(deviations))
    store.write("columns.csv", table.columns_text(about))
    parquet = _parquet(store.directory / "results.parquet", sums) + _parquet(store.directory / "deviations.parquet", deviations)
    for number, pair in enumerate(plan.pareto if sums else [], 1):
        front = {name: [row["key"] for row in best] for name, best in pareto.fronts(sums, pair).items()}
        store.write(f"pareto-{number}.json", json.dumps({"x": pair[0], "y": pair[1], "front": front}, indent=1) + "\n")
        path = store.directory / f"pareto-{number}.png"
        pareto.draw(sums, pair, plan.columns, path, outcome.units)
        written.append(path)
    return written + parquet


def _parquet(path, rows):
    """A table for other programs, where DuckDB's library is there; of another plan's rows none stays."""
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
    time (default: one per core); retries: attempts after a failed one; profile: a profile of Snakemake, whose jobs it
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
        failed = []
        try:
            if profile and wanted:
                failed = cluster.run(store, wanted, profile, retries, lock)
            elif wanted:
                failed = Workers(store, jobs, retries).run(wanted, progress or Progress(wanted, there))
        finally:
            # An interrupted exploration's table has what is there.
            sums, deviations, done = table.rows(store, plan, points, all_jobs, trees)
            about = table.columns(plan, sums, done)
            named = [(job["name"], reasons) for job, reasons in failed]
            outcome = Outcome(store.directory, plan.columns, sums, deviations,
                              {name: unit for name, (unit, _) in about.items() if unit}, named, len(wanted) - len(failed), there)
            try:
                outcome.files = _write(store, plan, outcome, about)
            except OSError as error:
                outcome.problem = f"{out}: the table is not written: {error.strerror}"
        return outcome
