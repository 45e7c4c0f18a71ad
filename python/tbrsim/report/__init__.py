# SPDX-License-Identifier: MIT
"""A page of a run's results, with everything in it: totals, frames, draws, textures, heat maps of
tiles, two runs side by side (docs/report.md). `tbrsim report` starts it as a program."""
import base64
import contextlib
import html
import itertools
import json
import pathlib
import re
import zlib

from .. import files
from ..command import call
from ..comparison import without_timing
from ..configuration import flatten
from ..errors import CommandFailed, Error, need
from ..recording import Recording
from ..results import ATTRIBUTIONS, Results
from . import thumbnails, uplot
from .advice import advice
from .draws import DrawUses
from .reuse import reuse
from .room import option_size, script, take_frames, what_is_left_out
from .targets import targets
from .typical import Typical

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("data.js", "format.js", "places.js", "table.js", "thumbnails.js", "charts.js", "verdict.js", "overview.js",
           "details.js", "graph.js", "heatmap.js", "reuse.js", "advice.js", "compare.js", "page.js")
MAX_SIZE = 8 << 20
FIRST_LINES = 20  # of a replay's log
MOST_NOTED = 3  # frames that are not like the others


def pack(value):
    """A value as text for the page: JSON, deflated, in base64."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _cells(series):
    """The values of a column: None where there is none."""
    return [None if missing else value.item() if hasattr(value, "item") else value
            for value, missing in zip(series.tolist(), series.isna().tolist(), strict=True)]


def _columns(table, keys):
    """A table as {column: values}, without counters that are zero in all rows."""
    return {name: _cells(table[name]) for name in table
            if name in keys or "." not in name or table[name].any()}


def configuration_text(results):
    """The configuration as YAML, each value with the file and line that it is from, and "sources";
    of a file that is no preset its values alone, and why."""
    run = results.run
    values = dict(flatten(run["configuration"]))
    preset = run.get("preset")
    try:
        if not preset:
            raise Error("there is no name of a preset")
        base = dict(flatten(json.loads(call("configs", "--json", "--", preset))))
        changed = [f"{key}={'on' if value is True else 'off' if value is False else value}"
                   for key, value in values.items() if base.get(key) != value]
        words = [word for setting in changed for word in ("--set", setting)]
        same = json.loads(call("configs", "--json", *words, "--", preset))
        if dict(flatten(same)) != values:
            raise Error(f"{preset} has other keys now")
        return call("configs", *words, "--", preset), "sources"
    except (CommandFailed, Error) as error:
        lines = "".join(f"{key}={value}\n" for key, value in values.items())
        if isinstance(error, CommandFailed):
            error = f"{preset} is not one of the presets that tbrsim configs lists"
        return lines, f"values alone, without their sources: {error}"


def open_results(path):
    """The results in a directory; an Error where it has several."""
    path = pathlib.Path(path)
    if (path / "index.json").exists() and not (path / "stats.json").exists():
        names = ", ".join(entry["directory"].name for entry in files.simulations(path))
        raise Error(f"{path}: it has several simulations: name one of {names}")
    return Results(path)


def shared_path(path):
    """A path as the page has it, which is sent to others: of an absolute one the last name."""
    path = pathlib.PurePath(path)
    return path.name if path.is_absolute() else str(path)


def shared_command(command):
    """A command likewise."""
    return re.sub(r"(?<![^\s=\"'])/\S*/(?=[^\s/])", "", command)


def shared_source(source):
    """What was simulated, in words, likewise."""
    path, comma, frames = source.partition(", its frames")
    return shared_path(path) + comma + frames


class _Run:
    """What the page has of one run."""

    def __init__(self, path, which, selected=None):
        """which: "a", or "b" of what it is compared with; selected: (first, last) of the frames
        whose attributions are wanted; None: all."""
        self.results, self.which = open_results(path), which
        count = self.results.num_frames
        if not count:
            raise Error(f"{path}: the run has no frames")
        if which == "a" and selected and selected[0] >= count:
            raise Error(f"--frames {selected[0]}-{selected[1]}: the run has "
                        f"{count} frames, 0 to {count - 1}")
        first, last = selected or (0, count - 1)
        self.selected = range(first, min(last, count - 1) + 1)
        read = files.read_statistics(self.results.directory / "stats.json")
        self.counters = [name for name in read["total"] if name.count(".") == 2]
        self.frames = {name: [row[column] for row in read["frames"]]
                       for column, name in enumerate(read["columns"])}
        self.typical = Typical(self.frames, count)
        self._tables, self.uses = None, None

    def program(self):
        """What was run, or the program of the trace that was replayed. One of the first lines of a replay's log names it, after
        Mesa's messages about its options; otherwise it is the name of the process."""
        log = self.results.directory / "replay.log"
        if log.exists():
            with log.open(encoding="utf-8", errors="replace") as file:
                for line in itertools.islice(file, FIRST_LINES):
                    if re.fullmatch(r"(/|[A-Za-z]:\\)[^:]*[^:/\\]\n", line):
                        return re.split(r"[/\\]", line.rstrip("\n"))[-1]
        processes = self.results.processes
        if processes is None or len(processes) != 1:
            return self.results.program
        command, program = processes["command"].iloc[0], self.results.program
        is_replay = command.startswith(("eglretrace ", "glretrace ")) and command.split()[0] != program
        return program if is_replay else shared_command(command)

    def _title(self, source):
        """The trace's or the recording's name, or the program's."""
        if source:
            return pathlib.PurePath(source.split(", its frames")[0]).name
        processes = self.results.processes
        command = processes["command"].iloc[0] if processes is not None and len(processes) == 1 else ""
        name = pathlib.PurePath(command.split()[-1]).name if command.endswith(".trace") else ""
        if name and not re.fullmatch(r"tbrsim-\w{6}\.trace", name):
            return name
        # Of a part of a trace the command names a copy, which is gone.
        return pathlib.PurePath(self.program()).name if name else self.results.program or "run"

    def summary(self, path, source):
        """All but the attributions. source: what was simulated for the page, as text; None: the
        run was there."""
        results = self.results
        text, origin = configuration_text(results)
        run = {key: value for key, value in results.run.items() if key != "configuration"}
        return {
            "title": self._title(source), "program": self.program(), "path": shared_path(path),
            "source": source and shared_source(source),
            "run": run, "settings": results.settings,
            "configuration": text, "origin": origin, "num_frames": results.num_frames,
            "frames": self.frames,
            "total": {name: value for name, value in results.total.items() if value},
            "counters": self.counters,
            "attributions": results.attributions, "targets": targets(results),
            "first": self.selected[0], "last": self.selected[-1],
            "outliers": self.typical.outliers(),
        }

    def pack(self, frame):
        """The attributions of a frame, {table: {column: values}}, as text; None: there are none."""
        if self._tables is None:
            names = [name for name in results_of(self.results) if self.which == "a" or name != "tiles"]
            self._tables = {name: getattr(self.results, name) for name in names}
            self._keys = {name: [column for column in table if "." not in column]
                          for name, table in self._tables.items()}
            self._groups = {name: dict(list(table.groupby("frame", sort=True)))
                            for name, table in self._tables.items()}
            self._pictures = thumbnails.find(self.results) if self.which == "a" else {}
        if not self._tables:
            return None
        columns = {name: _columns(groups[frame], self._keys[name])
                   for name, groups in self._groups.items() if frame in groups}
        if self.uses and "draws" in columns:
            columns["draws"]["textures"] = self.uses.column(columns["draws"])
        if frame in self._pictures:
            columns["thumbnails"] = thumbnails.table(frame, self._pictures[frame])
        return pack(columns)


def results_of(results):
    """The attributions that a run has, in the order of ATTRIBUTIONS."""
    return [name for name in ATTRIBUTIONS if name in results.attributions]


def _counters(runs):
    """Measure and description of the counters that the page has."""
    found = {}
    for run in runs:
        table = run.results.counters
        table = table[table["total"] != 0]
        for name, measure, description in zip(table.index, table["measure"], table["description"],
                                              strict=True):
            if isinstance(measure, str):
                found[name] = [measure, description]
    return found


def generate(path, compare=None, frames=None, source=None, recording=None, first=None,
             compare_source=None, max_size=MAX_SIZE, reuse_distances=False):
    """The page of the results in a directory, as text, and what to say about it, as sentences.

    compare: another directory, to compare it with. frames: (first, last) of the frames whose draws,
    textures and tiles the page has; None: all of them, as far as max_size bytes have room, those nearest to the median
    first. source, compare_source: what was simulated for the page. recording: one of the run,
    whose frame `first` is the first of the results (None: both begin alike), for advice, the textures of draws
    and, with reuse_distances, these."""
    need("pandas")
    library = uplot.load()
    runs = [_Run(path, "a", frames)] + ([_Run(compare, "b", frames)] if compare else [])
    data = {"a": runs[0].summary(path, source), "counters": _counters(runs)}
    both = [frame for frame in runs[0].selected if all(frame in run.selected for run in runs)]
    data["a"]["opens_at"] = runs[0].typical.nearest_first(both or runs[0].selected)[0]
    if recording and first is None:
        first = Recording(recording).info["frames"][0]["number"]
    data["a"]["advice"] = advice(runs[0].results, runs[0].typical, recording, first)
    data["a"]["reuse"] = None
    if recording:
        runs[0].uses = DrawUses(recording, first, runs[0].selected)
        data["a"]["shaders"] = runs[0].uses.shaders
        if reuse_distances:
            data["a"]["reuse"] = reuse(runs[0].results, runs[0].typical, recording, first)
    if compare:
        data["b"] = runs[1].summary(compare, compare_source)
    template = (HERE / "page.html").read_text(encoding="utf-8")
    style = library.style + (HERE / "page.css").read_text(encoding="utf-8")
    scripts = "".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    data["max_size"] = option_size(max_size)
    fixed = len((template + style + scripts + library.script + library.licence + pack(data)).encode())
    fixed += 4096 + 64 * runs[0].results.num_frames  # what is said of frames that are left out
    taken, left_out = take_frames(runs, max_size, fixed)
    data["left_out"] = [one | {"say": what_is_left_out([one], max_size)} for one in left_out]
    outliers = list(runs[0].typical.outliers().values())[:MOST_NOTED]
    notes = [f"{why[0].upper()}{why[1:]}." for why in outliers]
    if left_out:
        notes.append(what_is_left_out(left_out, max_size))
    lacks = compare and without_timing(*(run.results for run in runs))
    if lacks:
        notes.append(lacks)
    data["notes"] = notes
    parts = {
        "title": html.escape(f"{data['a']['title']} on {runs[0].results.preset}"),
        "style": style, "data": script("data", pack(data)) + taken, "library": library.script, "scripts": scripts,
        "licence": html.escape(library.licence),
    }
    for name, text in parts.items():
        template = template.replace(f"<!--{name}-->", text, 1)
    return template, notes


def write(path, out, **options):
    """Writes the page of generate() to a file; its size in bytes, and what to say about it."""
    text, notes = generate(path, **options)
    text, out = text.encode(), pathlib.Path(out)
    part = out.with_name(out.name + ".part")
    try:
        part.write_bytes(text)
        part.replace(out)
    except OSError as error:
        with contextlib.suppress(OSError):  # of a disk that is read-only
            part.unlink(missing_ok=True)
        raise Error(f"{out}: {error.strerror}") from None
    return len(text), notes
