# SPDX-License-Identifier: MIT
"""What a run leaves in its directory (docs/statistics.md), as data frames."""
import json
import pathlib

from . import files, notebook, plot, quantities
from .command import call, option_words
from .configuration import Configuration, flatten
from .errors import Error, need
from .tables import counters

ATTRIBUTIONS = ("passes", "draws", "textures", "tiles")
# Columns of texts, which stay what they are where all of them look like numbers.
TEXTS = ("group", "marker", "label", "format", "kind", "vertex_shader", "fragment_shader", "first_reads", "overwrites")


class Results:
    """The statistics in a directory: those of `tbrsim run`, `replay`, or `sim` with one
    configuration. Read when asked for; the directory may be of a run that has not ended, and then
    has the frames that are complete; refresh() reads it again.

        results = Results("tbrsim-out")
        results.frames["l2.texture.misses"]             # a value for each frame
        results.counters.loc["l2.texture.misses"]       # measure, description, total
    """

    def __init__(self, path):
        """path: a directory, or its stats.json."""
        path = pathlib.Path(path)
        self.directory = path if path.is_dir() else path.parent
        self._path = files.within(path, "stats.json")
        self._read, self._frames, self._counters = files.read_statistics(self._path), None, None

    def refresh(self):
        """Reads the files again; itself."""
        self.__init__(self._path)
        return self

    # ---- what was simulated

    @property
    def run(self):
        """Program, versions, preset, configuration, as stats.json has them."""
        return self._read["run"]

    @property
    def program(self):
        return self.run.get("program")

    @property
    def preset(self):
        return self.run.get("preset")

    @property
    def configuration(self):
        """What was simulated, a Configuration."""
        return Configuration(self.run["configuration"])

    @property
    def settings(self):
        """Values of all keys, {"caches.l2.size": 1048576, …}: docs/configurations.md."""
        return dict(flatten(self.run["configuration"]))

    # ---- counters

    @property
    def num_frames(self):
        return len(self._read["frames"])

    @property
    def frames(self):
        """A row for each frame, from 0; a column for each counter of the configuration, also where
        it is always zero. Units: `units`. With timing, fps: frames per second."""
        if self._frames is None:
            pandas = need("pandas")
            table = pandas.DataFrame(self._read["frames"], columns=self._read["columns"])
            zeros = [name for name in self._read["total"] if name not in table.columns]
            table = pandas.concat(
                [table, pandas.DataFrame(0, index=table.index, columns=zeros)], axis="columns")
            self._frames = table[list(self._read["total"])].rename_axis(index="frame")
        return self._frames.copy()

    @property
    def total(self):
        """The sum of each counter over the frames; fps is that of all of them."""
        return need("pandas").Series(self._read["total"], name=self.preset)

    @property
    def counters(self):
        """The counters: measure (their unit), description, total. Asks the command."""
        if self._counters is None:
            known = counters(config=self.configuration)
            total = self.total
            self._counters = known.reindex(total.index).assign(total=total)
        return self._counters.copy()

    @property
    def units(self):
        """The unit of measure of each counter, {"dram.texture.read_bytes": "bytes", …}."""
        return self.counters["measure"].dropna().to_dict()

    def by_unit(self, events=("reads", "writes", "hits", "misses", "fills", "writebacks")):
        """The totals of `<unit>.<stream>.<event>`: a row for each unit and stream (`total`: all
        its streams), a column for each of the events."""
        pandas = need("pandas")
        rows = {}
        for name, value in self._read["total"].items():
            parts = name.split(".")
            if len(parts) == 3 and parts[2] in events:
                rows.setdefault((parts[0], parts[1]), {})[parts[2]] = value
        index = pandas.MultiIndex.from_tuples(rows, names=["unit", "stream"]) if rows else None
        table = pandas.DataFrame(list(rows.values()), index=index, columns=list(events))
        return table.fillna(0).astype("int64")

    def energy(self, frames=None):
        """Energy by unit in pJ, of a run with timing: columns dynamic, static, total. frames: 3,
        (3, 9) or range(3, 10); default: all."""
        account = json.loads(call("energy", "--json", *option_words(frames=frames), self._path))[0]
        return need("pandas").DataFrame.from_dict(account["units"], orient="index") \
            .rename_axis(index="unit")

    def plot(self, *names, compare=None, axes=None):
        """Counters of one unit ("a+b": a sum) over the frames, and those of another run, compare. Matplotlib's axes."""
        runs = {"this run": self} | ({"the other": compare} if compare else {})
        return plot.by_frame(runs, names, self.units, axes)

    # ---- selected frames

    @property
    def selected(self):
        """Of `sim(selected=…)`: a row for each frame that was simulated and counted, as in
        `frames`: program_frame (its number in the program), weight (the frames that it stands for)
        and warm_up (frames before it). None where all frames were simulated."""
        path = self.directory / "selected.csv"
        if "selected" not in self.run or not path.exists():
            return None
        return need("pandas").read_csv(path, index_col="frame")

    @property
    def estimates(self):
        """Of `sim(selected=…)`: what the counters of all frames add up to: total, and interval:
        total ± interval is the 95 % confidence interval (docs/select.md). Counters that are 0 in all
        selected frames are left out. `.attrs` has frames, selected, simulated."""
        if "selected" not in self.run:
            raise Error(f"{self.directory}: not of tbrsim sim --selected: all frames are there")
        answer = files.read_json(self.directory / "estimate.json")
        counted = answer.pop("counters")
        table = need("pandas").DataFrame.from_dict(counted, orient="index",
                                                   columns=["total", "interval"], dtype=float)
        table.attrs = answer
        return table.rename_axis(index="counter")

    # ---- what causes it

    def _attribution(self, name):
        path = self.directory / f"{name}.csv"
        if not path.exists():
            there = ", ".join(self.attributions) or "none"
            raise Error(f"{path}: there is no such file: this run attributed nothing to {name} "
                        f"(there are: {there})")
        pandas = need("pandas")
        try:
            table = pandas.read_csv(path, dtype=dict.fromkeys(TEXTS, str))
        except (ValueError, pandas.errors.ParserError) as error:
            raise Error(f"{path}: no table: {error}") from None
        # Numbers of what is not of a draw, a texture or a tile are empty; the others stay whole.
        keys = [column for column in table if "." not in column
                and pandas.api.types.is_float_dtype(table[column])]
        return table.astype(dict.fromkeys(keys, "Int64"))

    @property
    def attributions(self):
        """Which of passes, draws, textures and tiles the run has."""
        return [name for name in ATTRIBUTIONS if (self.directory / f"{name}.csv").exists()]

    @property
    def passes(self):
        """passes.csv: a row for each render pass of each frame: frame, pass, …, then counters by
        their names, which have dots. An Error where the run did not write it; see `attributions`.
        Columns without dots say what it is; where they do not apply they are <NA>."""
        return self._attribution("passes")

    @property
    def draws(self):
        """draws.csv: a row for each draw call: frame, pass, draw, …, counters."""
        return self._attribution("draws")

    @property
    def textures(self):
        """textures.csv: a row for each texture: frame, pass, texture, …, counters."""
        return self._attribution("textures")

    @property
    def tiles(self):
        """tiles.csv: a row for each tile: frame, pass, tile, …, counters."""
        return self._attribution("tiles")

    # ---- live runs with several processes

    @property
    def processes(self):
        """processes.csv: folder, program, pid, run, recording, command of each process that drew,
        in their order; None where there is none (`tbrsim sim`)."""
        path = self.directory / "processes.csv"
        if not path.exists():
            return None
        return need("pandas").read_csv(path, dtype={"run": str}, keep_default_na=False)

    def process(self, folder):
        """The results of one process, which `processes` lists by its folder."""
        return Results(self.directory / folder)

    def __repr__(self):
        return (f"<tbrsim.Results {self.directory}: {self.program} on {self.preset}, "
                f"{self.num_frames} frames>")

    def _repr_html_(self):
        return notebook.page(f"{self.program} on {self.preset}", [f"{self.num_frames} frames", self.directory],
                             notebook.results(self))


class Simulations(dict):
    """The results of `tbrsim sim` with several configurations, {directory's name: Results}, in
    their order. `entries` has each one's configuration, preset and settings."""

    def __init__(self, entries):
        super().__init__((pathlib.Path(entry["directory"]).name, Results(entry["directory"]))
                         for entry in entries)
        self.entries = {pathlib.Path(entry["directory"]).name: entry for entry in entries}

    @classmethod
    def load(cls, directory):
        """Those that the index.json of a directory lists."""
        return cls(files.simulations(directory))

    def _keys(self):
        return list(dict.fromkeys(key for entry in self.entries.values()
                                  for key in entry.get("settings", {})))

    def _identity(self, name):
        entry, values = self.entries[name], self[name].settings
        whole = {key: key if key in values else f"caches.{key}" for key in self._keys()}
        return {"configuration": entry["configuration"], "preset": entry["preset"]} | {
            key: values.get(whole[key], entry.get("settings", {}).get(key)) for key in whole}

    def _counters(self):
        """Those of all, in their order."""
        return list(dict.fromkeys(name for results in self.values()
                                  for name in results._read["total"]))

    def table(self, *names):
        """A row for each configuration: configuration, preset, the values of the keys that were
        set, frames, then the totals of the counters (of these; default: all). A counter that a
        configuration does not have is 0."""
        pandas = need("pandas")
        rows = [self._identity(name) | {"frames": results.num_frames}
                | {counter: results._read["total"].get(counter, 0)
                   for counter in names or self._counters()} for name, results in self.items()]
        return pandas.DataFrame(rows, index=pandas.Index(list(self), name="simulation"))

    @property
    def frames(self):
        """The frames of all, with an index of two levels: simulation, frame."""
        pandas, columns = need("pandas"), self._counters()
        return pandas.concat({name: results.frames.reindex(columns=columns, fill_value=0)
                              for name, results in self.items()}, names=["simulation"])

    def plot(self, counter, x=None, axes=None):
        """The means per frame of a counter ("a+b": of a sum), with their standard deviations over the frames, over a key that
        was set (default: the first that is a number); a line for each combination of the others. Matplotlib's axes."""
        identities = {name: self._identity(name) for name in self}
        for name, identity in identities.items():
            identity.pop("configuration")  # it repeats the settings
        if any(list(identities.values()).count(one) > 1 for one in identities.values()):
            identities = {name: {"simulation": name} | one for name, one in identities.items()}
        points = [(identities[name], plot.frame_values(results, counter), bool(quantities.oracles(
            results.settings, self.entries[name].get("settings", {}).items()))) for name, results in self.items()]
        units = {name: unit for results in self.values() for name, unit in results.units.items()}
        return plot.by_setting(points, counter, x, units, axes)

    def __repr__(self):
        return f"<tbrsim.Simulations: {', '.join(self)}>"

    def _repr_html_(self):
        runs = [({key: value for key, value in self._identity(name).items() if key != "configuration"},
                 results._read["total"], results.num_frames) for name, results in self.items()]
        return notebook.page(f"{len(self)} simulations", [], notebook.headlines(runs))


def load(path):
    """The content of a directory: Results, or Simulations where it only has an index.json."""
    path = pathlib.Path(path)
    if path.is_dir() and not (path / "stats.json").exists() and (path / "index.json").exists():
        return Simulations.load(path)
    return Results(path)


def to_parquet(frame, path):
    """Writes a data frame as Parquet, by DuckDB's library as all tables (parquet.write_table). An
    index that has names is columns, the first ones."""
    from . import parquet  # which is a program, too: starting it imports the package first
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    if not frame.columns.is_unique:
        raise Error(f"{path}: cannot be written: several columns have one name")
    parquet.write_table(path, {name: frame[name].tolist() for name in frame.columns})
