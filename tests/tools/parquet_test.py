# SPDX-License-Identifier: MIT
"""Tables as Parquet: read back they are those as CSV, to the byte; their columns have types and units; they do not outlive
the run that they are of; and where DuckDB's library is missing the command says so before it simulates."""

import csv
import importlib.util
import json
import pathlib
import shutil
import sys
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

from tbrsim import duckdb, fetched, parquet  # noqa: E402
from tbrsim.errors import Error  # noqa: E402

ALL = ["--attribute", "pass,draw,texture,tile"]
HOSTILE = ('frame,pass_frame,pass,draw,call,group,marker,dram.total.reads\n'
           '0,-2,0,,,,,9223372036854775807\n'
           '0,0,1,3,17,"a ""b"", c\nd",it\'s,0\n'
           '1,1,0,0,,sky,\\,12\n')


def query(statement, directory):
    """The rows of a statement's answer, as texts."""
    answer = pathlib.Path(directory, "answer.csv")
    with duckdb.Database() as database:
        database.run(f"COPY ({statement}) TO {duckdb.quoted(answer)} (FORMAT csv)")
    with open(answer, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class TestCase(tbrsim.TestCase):
    def csv_of(self, path):
        """A file of Parquet as the CSV that tbrsim writes."""
        back = self.path("back.csv")
        with duckdb.Database() as database:
            database.run(f"COPY (SELECT * FROM read_parquet({duckdb.quoted(path)})) TO {duckdb.quoted(back)} "
                         "(FORMAT csv, HEADER, NULLSTR '')")
        return back.read_text()

    def described(self, path, key="tbrsim.columns"):
        rows = query(f"SELECT decode(value) AS value FROM parquet_kv_metadata({duckdb.quoted(path)}) "
                     f"WHERE decode(key) = '{key}'", self.directory)
        return json.loads(rows[0]["value"])

    def types(self, path):
        rows = query(f"SELECT name, type FROM parquet_schema({duckdb.quoted(path)}) WHERE type IS NOT NULL",
                     self.directory)
        return {row["name"]: row["type"] for row in rows}

    def check_tables(self, directory, names):
        """All tables of a directory."""
        self.assertEqual(sorted(path.stem for path in directory.glob("*.parquet")), sorted(names))
        for name in names:
            path = directory / f"{name}.parquet"
            text = (directory / f"{name}.csv").read_text()
            if "fps" in text.splitlines()[0]:
                rows, back = (list(csv.reader(part.splitlines())) for part in (text, self.csv_of(path)))
                self.assertEqual([row[:-1] for row in rows], [row[:-1] for row in back])
                self.assertEqual([float(row[-1]) for row in rows[1:]], [float(row[-1]) for row in back[1:]])
            else:
                self.assertEqual(self.csv_of(path), text)
            self.assertEqual(list(self.described(path)), text.splitlines()[0].split(","))
            if importlib.util.find_spec("pyarrow"):
                import pyarrow.parquet
                self.assertEqual(pyarrow.parquet.read_table(path).num_rows, len(rows_of(text)))


def rows_of(text):
    return list(csv.DictReader(text.splitlines(True)))


class Parquet(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = tbrsim.record(cls.shared, "glmark2_shadow", "--no-model", "--frames", "0-1")

    def test_offline(self):
        out = self.path("sim")
        done = self.fine("sim", "--format", "parquet", *ALL, "--timing", "on", "--out", out, self.recording)
        self.assertIn(f"parquet:    {out}/*.parquet\n", done)
        self.check_tables(out, ["frames", "passes", "draws", "textures", "tiles"])
        run = tbrsim.statistics_files.load(out)["run"]
        self.assertLessEqual({"schema", "commit", "simulator", "recording"}, run.keys())
        for name in ("frames", "tiles"):
            self.assertEqual(self.described(out / f"{name}.parquet", "tbrsim.run"), run)
        types = self.types(out / "draws.parquet")
        self.assertEqual([types[name] for name in ("frame", "call", "dram.total.reads", "gpu.draws")], ["INT64"] * 4)
        self.assertEqual([types[name] for name in ("group", "fragment_shader")], ["BYTE_ARRAY"] * 2)
        self.assertEqual(self.types(out / "frames.parquet")["fps"], "DOUBLE")
        described = self.described(out / "tiles.parquet")
        self.assertEqual(described["dram.total.read_bytes"]["unit"], "bytes")
        self.assertEqual(described["gpu.cycles"]["unit"], "cycles")
        self.assertEqual(described["tile"]["unit"], "number")
        energy = [value["unit"] for name, value in described.items() if name.startswith("energy.")]
        self.assertEqual(set(energy), {"pJ"})

    def test_after_another_run(self):
        """Neither the tables of a run before nor their Parquet stay."""
        out = self.path("again")
        self.fine("sim", "--format", "parquet", "--attribute", "pass,tile", "--out", out, self.recording)
        self.check_tables(out, ["frames", "passes", "tiles"])
        (out / "other.parquet").write_bytes(b"PAR1")
        self.fine("sim", "--attribute", "draw", "--out", out, self.recording)
        self.assertEqual([path.name for path in out.glob("*.parquet")], ["other.parquet"])
        (out / "draws.parquet").write_bytes(b"mine")
        self.fine("sim", "--out", out, self.recording)
        self.assertEqual((out / "draws.parquet").read_bytes(), b"mine")

    def test_other_files(self):
        """What others have put there under a table's name is left alone, whatever it is."""
        out = self.path("others")
        out.mkdir()
        (out / "textures.csv").write_text("name,frame\ngrass,3\n")
        (out / "tiles.csv").write_bytes(b"\xff\0")
        (out / "draws.csv").mkdir()
        (out / "passes.csv").write_text("")
        self.fine("sim", "--format", "parquet", "--out", out, self.recording)
        self.check_tables(out, ["frames"])
        self.assertEqual((out / "textures.csv").read_text(), "name,frame\ngrass,3\n")
        self.assertEqual((out / "tiles.csv").read_bytes(), b"\xff\0")

    def test_several_simulations(self):
        out = self.path("several")
        self.fine("sim", "--format", "parquet", "--vary", "l2.size=1M,2M", "--out", out, self.recording)
        folders = sorted(path.parent for path in out.glob("*/stats.json"))
        self.assertEqual(len(folders), 2)
        for folder in folders:
            self.check_tables(folder, ["frames"])
            (folder / "frames.parquet").unlink()
        listed = self.fine("parquet", out).splitlines()
        self.assertEqual(sorted(listed), [str(folder / "frames.parquet") for folder in folders])
        # A run in the same directory, too.
        self.fine("sim", "--out", out, self.recording)
        listed = self.fine("parquet", out).splitlines()
        self.assertEqual(sorted(listed), sorted(str(folder / "frames.parquet") for folder in (out, *folders)))

    def test_live(self):
        """A process has its tables in its folder, and links to them next to it."""
        out = self.path("live")
        replay = ["replay", "--frames", "0-1", "--out", out, tbrsim.CAPTURES / "glmark2_shadow.trace"]
        self.fine(*replay, "--format", "parquet", "--attribute", "draw")
        folder = next(out.glob("*/stats.json")).parent
        self.check_tables(folder, ["frames", "draws"])
        self.check_tables(out, ["frames", "draws"])
        self.assertTrue((out / "draws.parquet").is_symlink())
        self.fine(*replay)
        self.assertEqual(list(out.glob("**/*.parquet")), [])
        self.assertEqual([path for path in out.iterdir() if path.is_symlink() and not path.exists()], [])

    def test_hostile(self):
        """Empty fields, quotes, newlines, the largest number."""
        path = self.path("draws.csv")
        path.write_text(HOSTILE)
        columns = parquet.schema(path, {"dram.total.reads": (parquet.NUMBER, "accesses", "x")})
        with duckdb.Database() as database:
            out = parquet.convert(database, path, columns, {"program": "it's"})
        self.assertEqual(rows_of(self.csv_of(out)), rows_of(HOSTILE))
        nulls = query(f"SELECT draw IS NULL AS a, \"group\" IS NULL AS b FROM read_parquet({duckdb.quoted(out)})",
                      self.directory)
        self.assertEqual([tuple(row.values()) for row in nulls],
                         [("true", "true"), ("false", "false"), ("false", "false")])

    def test_unknown_column(self):
        path = self.path("draws.csv")
        path.write_text("frame,pass_frame,pass,draw,no.such.counter\n")
        with self.assertRaisesRegex(Error, "draws.csv: no.such.counter: no column of this version of tbrsim"):
            parquet.schema(path, {})

    def test_damaged(self):
        """What cannot be read leaves no file."""
        path = self.path("draws.csv")
        path.write_text(HOSTILE.replace("17,", "seventeen,"))
        columns = parquet.schema(path, {"dram.total.reads": (parquet.NUMBER, "accesses", "x")})
        with duckdb.Database() as database, self.assertRaisesRegex(Error, "(?s)draws.parquet: cannot be written: .*call"):
            parquet.convert(database, path, columns, {})
        self.assertEqual([name.name for name in self.directory.iterdir()], ["draws.csv"])

    def test_keys(self):
        """Each column of the tables that is no counter is described, and nothing else is."""
        source = (tbrsim.SOURCE / "src/cachemodel/gpu/attribution_writer.c").read_text()
        header = (tbrsim.SOURCE / "src/cachemodel/stats/table_file.h").read_text()
        found = {"fps"}
        for line in [*source.splitlines(), *header.splitlines()]:
            for text in line.split('"')[1::2]:
                if text.count(",") >= 2 and text.replace(",", "").replace("_", "").isalpha():
                    found |= set(text.strip(",").split(","))
        self.assertEqual(found, set(parquet.KEYS))
        self.assertIn(f'#define CM_TABLE_KEYS "{parquet.TABLE_KEYS.decode()}"\n', header)

    def test_missing_library(self):
        """A command without the library says so in a line, before it writes anything."""
        prefix = pathlib.Path(tbrsim.arguments.tbrsim).resolve().parents[1]
        copy = self.path("prefix")
        shutil.copytree(prefix / "share" / "tbrsim" / "python", copy / "share" / "tbrsim" / "python")
        (copy / "share" / "tbrsim" / "configs").symlink_to(prefix / "share" / "tbrsim" / "configs")
        (copy / "bin").mkdir()
        shutil.copy(prefix / "bin" / "tbrsim", copy / "bin")
        out = self.path("none")
        done = tbrsim.execute(copy / "bin" / "tbrsim", "sim", "--format", "parquet", "--out", out, self.recording)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Atbrsim: Parquet needs DuckDB's library, libduckdb-[\d.]+so, which is "
                                      r"missing: make deps && make\n\Z")
        self.assertFalse(out.exists())

    def test_unusable_library(self):
        path = self.path(duckdb.NAME)
        path.write_bytes(b"no library")
        with unittest.mock.patch.object(fetched, "find", lambda name: path), \
                self.assertRaisesRegex(Error, f"{duckdb.NAME}: DuckDB's library cannot be used: "):
            duckdb.Database()

    def test_refused(self):
        done = tbrsim.run("run", "--no-model", "--format", "parquet", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--format parquet: there are no tables without the model", done.stderr)
        done = tbrsim.run("parquet", self.directory)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Atbrsim: .*stats.json: there is no such file\n\Z")


if __name__ == "__main__":
    tbrsim.main()
