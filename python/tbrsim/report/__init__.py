# SPDX-License-Identifier: MIT
"""A page of a run's results, with everything in it: totals, frames, draws, textures, heat maps of
tiles, two runs side by side (docs/report.md). `tbrsim report` starts it as a program."""
import base64
import contextlib
import html
import json
import pathlib
import re
import zlib

from .. import files
from ..command import call
from ..configuration import flatten
from ..errors import CommandFailed, Error, need
from ..results import ATTRIBUTIONS, Results
from . import thumbnails, uplot
from .advice import advice
from .reuse import reuse
from .targets import targets

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("data.js", "format.js", "table.js", "thumbnails.js", "charts.js", "overview.js", "details.js",
           "graph.js", "heatmap.js", "reuse.js", "advice.js", "compare.js", "page.js")
MAX_SIZE = 8 << 20


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


class _Run:
    """What the page has of one run."""

    def __init__(self, path, which, selected=None):
        """which: "a", or "b" of what it is compared with; selected: (first, last) of the frames
        whose attributions are wanted; None: all."""
        self.results, self.which, self.selected = open_results(path), which, selected
        if not self.results.num_frames:
            raise Error(f"{path}: the run has no frames")
        if which == "a" and selected and selected[0] >= self.results.num_frames:
            raise Error(f"--frames {selected[0]}-{selected[1]}: the run has "
                        f"{self.results.num_frames} frames, 0 to {self.results.num_frames - 1}")

    def _command(self):
        """The program's command line, where the run was live and of one program."""
        processes = self.results.processes
        if processes is None or len(processes) != 1:
            return None
        return processes["command"].iloc[0]

    def summary(self, path, source):
        """All but the attributions. source: what was simulated for the page, as text; None: the
        run was there."""
        results = self.results
        read = files.read_statistics(results.directory / "stats.json")
        text, origin = configuration_text(results)
        run = {key: value for key, value in results.run.items() if key != "configuration"}
        command, title = self._command(), results.program or "run"
        if source:
            title = pathlib.PurePath(source.split(", its frames")[0]).name
        elif command and command.endswith(".trace"):
            # Of a part of a trace it names a copy, which is gone.
            name = pathlib.PurePath(command.split()[-1]).name
            title = title if re.fullmatch(r"tbrsim-\w{6}\.trace", name) else name
        return {
            "title": title, "command": command, "path": str(path), "source": source,
            "run": run, "settings": results.settings,
            "configuration": text, "origin": origin, "num_frames": results.num_frames,
            "frames": {name: [row[column] for row in read["frames"]]
                       for column, name in enumerate(read["columns"])},
            "total": {name: value for name, value in results.total.items() if value},
            "counters": [name for name in read["total"] if name.count(".") == 2],
            "attributions": results.attributions, "targets": targets(results),
        }

    def frames(self):
        """The attributions of a frame each, {table: {column: values}}, as text; from the first
        frame on."""
        names = [name for name in results_of(self.results) if self.which == "a" or name != "tiles"]
        if not names:
            return
        tables = {name: getattr(self.results, name) for name in names}
        keys = {name: [column for column in table if "." not in column]
                for name, table in tables.items()}
        groups = {name: dict(list(table.groupby("frame", sort=True)))
                  for name, table in tables.items()}
        pictures = thumbnails.find(self.results) if self.which == "a" else {}
        first, last = self.selected or (0, self.results.num_frames - 1)
        for frame in range(first, min(last, self.results.num_frames - 1) + 1):
            columns = {name: _columns(groups[name][frame], keys[name])
                       for name in names if frame in groups[name]}
            if frame in pictures:
                columns["thumbnails"] = thumbnails.table(frame, pictures[frame])
            yield frame, pack(columns)


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


def _take_frames(runs, room):
    """The attributions of the frames that there is room for, in characters: [(run, frame, text)],
    {which: frames that are left out}."""
    taken, left_out = [], {run.which: [] for run in runs}
    sources = {run.which: run.frames() for run in runs}
    full = False
    while sources:
        for which, source in list(sources.items()):
            try:
                frame, text = next(source)
            except StopIteration:
                del sources[which]
                continue
            full = full or len(text) > room
            if full:
                left_out[which].append(frame)
            else:
                room -= len(text)
                taken.append((which, frame, text))
    return taken, left_out


def _script(name, text):
    return f'<script type="text/plain" id="{name}">{text}</script>\n'


def generate(path, compare=None, frames=None, source=None, recording=None, first=None,
             compare_source=None, max_size=MAX_SIZE):
    """The page of the results in a directory, as text.

    compare: another directory, put beside it. frames: (first, last) of the frames whose draws,
    textures and tiles the page has; None: all of them, as far as max_size bytes have room; the
    page says which are left out. source, compare_source: what was simulated for the page. recording: one of the run,
    whose frame `first` is the first of the results (None: both begin alike), for advice
    and reuse distances."""
    need("pandas")
    library = uplot.load()
    runs = [_Run(path, "a", frames)] + ([_Run(compare, "b", frames)] if compare else [])
    data = {"a": runs[0].summary(path, source), "counters": _counters(runs)}
    data["a"]["advice"] = advice(runs[0].results, recording, first)
    data["a"]["reuse"] = reuse(runs[0].results, recording, first) if recording else None
    if compare:
        data["b"] = runs[1].summary(compare, compare_source)
    template = (HERE / "page.html").read_text(encoding="utf-8")
    style = library.style + (HERE / "page.css").read_text(encoding="utf-8")
    scripts = "".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    fixed = len(template) + len(style) + len(scripts) + len(library.script) + len(pack(data))
    taken, left_out = _take_frames(runs, max_size - fixed)
    for which, numbers in left_out.items():
        data[which]["left_out"] = numbers
    data["max_size"] = max_size
    packed = _script("data", pack(data)) + "".join(
        _script(f"{which}-{frame}", text) for which, frame, text in taken)
    parts = {
        "title": html.escape(f"{data['a']['title']} on {runs[0].results.preset}"),
        "style": style, "data": packed, "library": library.script, "scripts": scripts,
        "licence": html.escape(library.licence),
    }
    for name, text in parts.items():
        template = template.replace(f"<!--{name}-->", text, 1)
    return template


def write(path, out, **options):
    """Writes the page of generate() to a file; its size in bytes, and the number of frames whose
    attributions are left out."""
    text = generate(path, **options).encode()
    out = pathlib.Path(out)
    part = out.with_name(out.name + ".part")
    try:
        part.write_bytes(text)
        part.replace(out)
    except OSError as error:
        with contextlib.suppress(OSError):  # of a disk that is read-only
            part.unlink(missing_ok=True)
        raise Error(f"{out}: {error.strerror}") from None
    return len(text)
