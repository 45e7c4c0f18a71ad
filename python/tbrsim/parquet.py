# SPDX-License-Identifier: MIT
"""Tables as Parquet: those of results, frames.csv and those of --attribute, next to them (docs/attribution.md), and any
other. `tbrsim parquet` and --format parquet start it as a program; it needs DuckDB's library, and
of Python the standard library alone."""
import argparse
import contextlib
import csv
import io
import json
import numbers
import os
import pathlib
import tempfile

from . import files
from .command import call, configuration_words
from .configuration import Configuration
from .duckdb import Database, identifier, quoted
from .errors import Error, put, run_main

# With which the tables of --attribute begin (src/cachemodel/stats/table_file.h).
TABLE_KEYS = b"frame,pass_frame,pass,"
TABLES = ("frames", "passes", "draws", "textures", "tiles")
NUMBER, TEXT, REAL, TRUTH = "BIGINT", "VARCHAR", "DOUBLE", "BOOLEAN"

# What a row is of: type, unit, description. All other columns are counters, whole numbers.
KEYS = {
    "frame": (NUMBER, "number", "the frame in which the accesses happened, from 0"),
    "pass_frame": (NUMBER, "number", "the frame of the pass that caused them; a negative one is of the warm-up"),
    "pass": (NUMBER, "number", "the render pass that caused them, in that frame, from 0"),
    "tile_size": (NUMBER, "pixels", "length of a tile's side"),
    "tiles_x": (NUMBER, "tiles", "tiles in a row"),
    "tiles_y": (NUMBER, "tiles", "rows of tiles"),
    "draws": (NUMBER, "draws", "draws of the pass"),
    "primitives": (NUMBER, "primitives", "primitives of the pass"),
    "first_reads": (TEXT, "", "stores that the pass is the first to read, as RESOURCE@FRAME:PASS"),
    "overwrites": (TEXT, "", "stores that the pass replaces before anything reads them, likewise"),
    "draw": (NUMBER, "number", "the draw in its pass, from 0; null: the accesses are of none"),
    "call": (NUMBER, "number", "the trace's call that drew; null: not of a replay"),
    "group": (TEXT, "", "the program's debug groups around the draw"),
    "marker": (TEXT, "", "the program's last debug marker before the draw"),
    "vertex_shader": (TEXT, "", "hash of the vertex shader, 16 hexadecimal digits"),
    "fragment_shader": (TEXT, "", "hash of the fragment shader, 16 hexadecimal digits"),
    "resource": (NUMBER, "number", "the resource, from 1 in the order of creation; null: the accesses are of none"),
    "kind": (TEXT, "", "texture, buffer or window"),
    "width": (NUMBER, "pixels", "of a layer; null of a buffer"),
    "height": (NUMBER, "pixels", "of a layer; null of a buffer"),
    "depth": (NUMBER, "pixels", "of a 3D texture; null of a buffer"),
    "layers": (NUMBER, "layers", "layers of an array or faces of a cube; null of a buffer"),
    "levels": (NUMBER, "levels", "mipmap levels; null of a buffer"),
    "samples": (NUMBER, "samples", "samples per pixel; null of a buffer"),
    "bytes": (NUMBER, "bytes", "memory that the resource takes"),
    "format": (TEXT, "", "the resource's format"),
    "label": (TEXT, "", "the program's own name of the resource"),
    "tile": (NUMBER, "number", "the tile's row-major number in its pass; null: the accesses are of none"),
    "column": (NUMBER, "number", "the tile's column, from 0"),
    "row": (NUMBER, "number", "the tile's row, from 0"),
    "fps": (REAL, "frames per second", "at the configuration's clock"),
}


def counters(configuration):
    """The counters of a configuration, {name: (type, unit, description)}."""
    listed = call("counters", "--csv", *configuration_words(Configuration(configuration)))
    return {row["name"]: (NUMBER, row["measure"], row["description"])
            for row in csv.DictReader(io.StringIO(listed))}


def schema(path, known):
    """The columns of a table as CSV, {name: (type, unit, description)}."""
    with open(path, encoding="utf-8", newline="") as file:
        names = next(csv.reader(file), [])
    missing = [name for name in names if name not in KEYS and name not in known]
    if missing or not names:
        raise Error(f"{path}: {missing[0] if missing else 'nothing'}: no column of this version of tbrsim")
    return {name: KEYS.get(name) or known[name] for name in names}


def _copy(database, path, out, types, metadata=None, empty_texts=False):
    """A table as CSV as Parquet. types: {name: type}; metadata: {key: JSON} of the file; empty_texts:
    "" in quotation marks is a text, and no null."""
    part = out.with_name(f".{out.name}.new")
    columns = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in types.items())
    pairs = ", ".join(f"{identifier(key)}: {quoted(json.dumps(value))}"
                      for key, value in (metadata or {}).items())
    try:
        database.run(
            f"COPY (SELECT {', '.join(map(identifier, types))} FROM read_csv({quoted(path)}, "
            f"columns = {{{columns}}}, auto_detect = false, header = true, delim = ',', quote = '\"', "
            f"escape = '\"', nullstr = '', allow_quoted_nulls = {str(not empty_texts).lower()})) "
            f"TO {quoted(part)} (FORMAT parquet, COMPRESSION zstd"
            f"{f', KV_METADATA {{{pairs}}}' if pairs else ''})")
        part.replace(out)
    except (Error, OSError) as error:
        with contextlib.suppress(OSError):  # of a disk that is read-only
            part.unlink(missing_ok=True)
        raise Error(f"{out}: cannot be written: {error}") from None
    return out


def convert(database, path, columns, run):
    """Writes a CSV table of results as Parquet, next to it. run: of stats.json."""
    described = {name: {"unit": unit, "description": text}
                 for name, (_, unit, text) in columns.items()}
    return _copy(database, path, path.with_suffix(".parquet"),
                 {name: kind for name, (kind, _, _) in columns.items()},
                 {"tbrsim.columns": described, "tbrsim.run": run})


def _null(value):
    return value is None or value != value  # not a number


def _type(values):
    """Of a column with these values, without nulls."""
    for kind, python in ((TRUTH, bool), (NUMBER, numbers.Integral), (REAL, numbers.Real)):
        if values and all(isinstance(value, python) for value in values):
            return kind
    return TEXT


def _cell(value, kind):
    """A value as it is in a line of CSV; nothing: null."""
    if _null(value):
        return ""
    if kind == TEXT:
        return '"' + str(value).replace('"', '""') + '"'
    return str(value).lower() if kind == TRUTH else repr(float(value)) if kind == REAL else str(value)


def write_table(path, columns):
    """Writes columns, {name: list of values}, all as long, as Parquet. A column is of integers, of
    numbers, of truth values, or of texts; None and NaN are null."""
    path = pathlib.Path(path)
    columns = {str(name): list(values) for name, values in columns.items()}
    if not columns:
        raise Error(f"{path}: cannot be written: a table without columns")
    types = {name: _type([value for value in values if not _null(value)])
             for name, values in columns.items()}
    with Database() as database, tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
        file.write(",".join(_cell(name, TEXT) for name in columns) + "\n")
        for row in zip(*columns.values(), strict=True):
            file.write(",".join(map(_cell, row, types.values())) + "\n")
        file.flush()
        return _copy(database, file.name, path, types, empty_texts=True)


def _link(directory, table):
    """Beside links to the tables of the last process, links to its Parquet."""
    link, target = directory / f"{table}.csv", directory / f"{table}.parquet"
    if link.is_symlink():
        part = directory / f".{table}.parquet.new"
        part.unlink(missing_ok=True)
        part.symlink_to(pathlib.Path(os.readlink(link)).with_suffix(".parquet"))
        part.replace(target)


def _is_ours(path):
    """Whether a file is a table of results: one of the name that another program has written is left alone."""
    if not path.is_file():
        return False
    with open(path, "rb") as file:
        return path.name == "frames.csv" or file.read(len(TABLE_KEYS)) == TABLE_KEYS


def directories(path):
    """The directories with tables of their own that belong to a directory of results: those of its
    processes, of its simulations, or itself."""
    path = pathlib.Path(path)
    if path.is_file():
        raise Error(f"{path}: a file, expected a directory of results")
    found = []
    if (path / "stats.json").is_symlink():
        with open(path / "processes.csv", encoding="utf-8", newline="") as file:
            found = [path / row["folder"] for row in csv.DictReader(file)]
    elif (path / "stats.json").exists() or not (path / "index.json").exists():
        found = [path]
    # A run and simulations may be in one directory, one after the other.
    if (path / "index.json").exists():
        found += [entry["directory"] for entry in files.simulations(path)
                  if not found or (entry["directory"] / "stats.json").exists()]
    return found


def write(path):
    """All tables in a directory of results as Parquet; the files that were written."""
    written = []
    with Database() as database:
        for directory in directories(path):
            run = files.read_statistics(directory)["run"]
            known = counters(run["configuration"])
            tables = [directory / f"{table}.csv" for table in TABLES]
            written += [convert(database, table, schema(table, known), run)
                        for table in tables if _is_ours(table)]
    if (pathlib.Path(path) / "stats.json").is_symlink():
        for table in TABLES:
            _link(pathlib.Path(path), table)
    return written


def main():
    parser = argparse.ArgumentParser(prog="python3 -m tbrsim.parquet", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only look for what is needed")
    parser.add_argument("--list", action="store_true", help="print the files that are written")
    parser.add_argument("directories", nargs="*")
    arguments = parser.parse_args()
    if arguments.check:
        Database().close()
        return
    for directory in arguments.directories:
        for path in write(directory):
            if arguments.list:
                put(path)


if __name__ == "__main__":
    run_main(main)
