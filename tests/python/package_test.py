# SPDX-License-Identifier: MIT
"""The Python package: what it reads against what the command prints, and what it says where a file
is missing or the command refuses."""

import concurrent.futures
import csv
import importlib.util
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim as harness  # noqa: E402

sys.path.insert(0, str(harness.SOURCE / "python"))
import pandas  # noqa: E402

import tbrsim  # noqa: E402
from tbrsim import duckdb, quantities  # noqa: E402

TRACE = harness.CAPTURES / "glmark2_function.trace"


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        tbrsim.use(harness.arguments.tbrsim)
        for name in set(os.environ) - set(harness.environment()):
            self.enterContext(unittest.mock.patch.dict(os.environ))
            del os.environ[name]

    def says(self, pattern, function, *arguments, **options):
        with self.assertRaisesRegex(tbrsim.Error, pattern):
            function(*arguments, **options)


class Recorded(TestCase):
    """With a recording of three frames."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = harness.record(cls.shared, "glmark2_function", "--no-model", "--frames",
                                       "0-2")


class Files(Recorded):
    """What a directory has, as objects."""

    def setUp(self):
        super().setUp()
        self.out = self.path("sim")
        self.fine_sim("--timing", "on")
        self.results = tbrsim.Results(self.out)

    def fine_sim(self, *options):
        harness.run("sim", "--out", self.out, *options, self.recording, check=True)

    def test_frames(self):
        frames = self.results.frames
        expected = tbrsim.files.load(self.out)["frames"]
        self.assertEqual(frames.to_dict("records"), expected)
        self.assertEqual(frames.index.name, "frame")
        self.assertEqual(list(frames.columns), list(self.results.total.index))
        written = pandas.read_csv(self.out / "frames.csv", index_col="frame")
        pandas.testing.assert_frame_equal(frames[written.columns], written)
        self.assertEqual(tbrsim.files.load_csv(self.out), written.to_dict("records"))
        counted = frames.drop(columns="fps").sum()
        self.assertTrue((counted == self.results.total.drop("fps")).all())

    def test_what_was_simulated(self):
        self.assertEqual(self.results.preset, "tcor-baseline-64k")
        self.assertEqual(self.results.configuration["timing"], "on")
        self.assertEqual(self.results.settings, self.results.configuration.values)
        self.assertEqual(self.results.num_frames, 3)
        self.assertIsNone(self.results.processes)

    def test_units_of_counters(self):
        table = self.results.counters
        lines = harness.run("counters", "--timing", "on", check=True).stdout.splitlines()
        known = {line.split()[0]: line.split()[1] for line in lines}
        self.assertEqual(self.results.units, known)
        self.assertEqual(set(table.index) - set(known), {"fps"})
        self.assertEqual(table.loc["dram.total.read_bytes", "measure"], "bytes")
        self.assertEqual(table.loc["gpu.frames", "total"], 3)

    def test_by_unit(self):
        table = self.results.by_unit()
        total = self.results.total
        for unit, stream in (("l2", "texture"), ("dram", "total"), ("tile_cache", "pb_list")):
            for event in ("reads", "hits", "misses"):
                self.assertEqual(table.loc[(unit, stream), event],
                                 total.get(f"{unit}.{stream}.{event}", 0))

    def test_energy(self):
        energy = self.results.energy()
        self.assertEqual(energy["total"].sum(), self.results.total["energy.system.total"])
        first = self.results.energy(frames=0)
        self.assertLess(first.loc["dram", "total"], energy.loc["dram", "total"])
        self.fine_sim()
        without = tbrsim.Results(self.out)
        self.says("no cycles|timing|cycles", without.energy)

    def test_attributions(self):
        self.assertEqual(self.results.attributions, [])
        self.says(r"passes\.csv: there is no such file.*there are: none", getattr, self.results,
                  "passes")
        (self.out / "draws.csv").write_text(
            "frame,pass,draw,l2.texture.misses\n0,0,1,22\n0,1,4,5\n")
        self.assertEqual(self.results.attributions, ["draws"])
        draws = self.results.draws
        self.assertEqual(draws.groupby("frame")["l2.texture.misses"].sum().to_dict(), {0: 27})
        (self.out / "textures.csv").write_text(
            "frame,pass,texture,kind,l2.texture.misses\n0,0,7,window,22\n0,0,,,5\n")
        textures = self.results.textures
        self.assertEqual(str(textures["texture"][0]), "7")
        self.assertTrue(textures["texture"].isna()[1])
        self.assertEqual(textures["l2.texture.misses"].dtype, "int64")
        self.says(r"tiles\.csv: .*there are: draws, textures", getattr, self.results, "tiles")
        (self.out / "tiles.csv").write_text("")
        self.says(r"tiles\.csv: no table", getattr, self.results, "tiles")

    def test_refresh(self):
        frames = self.results.frames
        self.fine_sim("--frames", "0-1")
        pandas.testing.assert_frame_equal(self.results.frames, frames)
        self.assertEqual(len(self.results.refresh().frames), 2)

    def test_files_that_are_not_statistics(self):
        self.says("none/stats.json: there is no such file", tbrsim.Results,
                  self.path("none/stats.json"))
        self.says("x.json: no JSON", tbrsim.Results, self.path("x.json", "{"))
        self.says("x.json: no statistics", tbrsim.Results, self.path("x.json", "{}"))
        self.says("x.json: of another version of tbrsim: no columns", tbrsim.Results,
                  self.path("x.json", '{"run": {}, "total": {}}'))
        self.says("x.json: of a later version of tbrsim: its schema is 99, expected at most 1", tbrsim.Results,
                  self.path("x.json", '{"run": {"schema": 99}, "columns": [], "frames": [], "total": {}}'))
        self.says("index.json: no list of simulations", tbrsim.files.simulations,
                  self.path("index.json", "{}"))

    def test_simulations(self):
        self.fine_sim("--config", "tcor-64k", "--config", "imr-2m", "--vary", "clock_mhz=600,900")
        index = self.out / "index.json"
        (self.out / "stats.json").unlink()
        several = tbrsim.load(self.out)
        self.assertEqual(list(several), [entry["directory"] for entry in
                                         json.loads(index.read_text())["simulations"]])
        table = several.table()
        self.assertEqual(list(table["clock_mhz"]), [600, 900, 600, 900])
        self.assertEqual(list(table["preset"]), ["tcor-64k"] * 2 + ["imr-2m"] * 2)
        self.assertEqual(table["llc.total.reads"].dtype, "int64")
        for name, results in several.items():
            for counter, value in results.total.items():
                self.assertEqual(table.loc[name, counter], value)
        self.assertEqual(table["llc.total.reads"].iloc[0], 0)
        self.assertEqual(several.frames.shape, (4 * 3, len(table.columns) - 4))
        self.assertEqual(list(several.table("gpu.frames").columns),
                         ["configuration", "preset", "clock_mhz", "frames", "gpu.frames"])

    def test_table(self):
        path = self.path("x.csv", "policy,ways,ratio,none\nlru,4,0.5,\n")
        self.assertEqual(tbrsim.files.read_table(path),
                         [{"policy": "lru", "ways": 4, "ratio": 0.5, "none": ""}])

    def test_parquet(self):
        path = self.path("frames.parquet")
        frame = pandas.DataFrame({"a": [1, -2, 2 ** 53 + 1], "b": [0.1, float("nan"), float("inf")], "c": ["", 'x "y", z\n', None],
                                  "d": [True, False, True], "e.f": ["1", "true", "-"]}, index=pandas.Index([7, 8, 9], name="frame"))
        tbrsim.to_parquet(frame, path)
        back = self.path("back.csv")
        with duckdb.Database() as database:
            for query, expected in (
                    ("SELECT * FROM 'P' WHERE a = 9007199254740993 AND b = 'inf'::DOUBLE AND c IS NULL AND d", "9,"),
                    ("SELECT * FROM 'P' WHERE c = '' AND b = 0.1 AND \"e.f\" = '1'", "7,"),
                    ("SELECT * FROM 'P' WHERE c = 'x \"y\", z' || chr(10) AND b IS NULL AND NOT d", "8,")):
                database.run(f"COPY ({query.replace('P', str(path))}) TO '{back}' (FORMAT csv, HEADER false)")
                self.assertTrue(back.read_text().startswith(expected), query)
            tbrsim.to_parquet(self.results.frames, path)
            database.run(f"COPY (SELECT * FROM '{path}') TO '{back}' (FORMAT csv)")
        written = self.results.frames
        written = written.reset_index() if written.index.names != [None] else written
        pandas.testing.assert_frame_equal(pandas.read_csv(back), written, check_dtype=False)
        self.says("a table without columns", tbrsim.to_parquet, pandas.DataFrame(), path)
        self.says("several columns have one name", tbrsim.to_parquet, pandas.DataFrame([[1, 2]], columns=["a", "a"]), path)


class Configurations(TestCase):
    def test_presets(self):
        self.assertEqual(list(tbrsim.presets()), harness.presets())

    def test_values(self):
        for preset in ("tcor-64k", "imr-8m", "nuca-dtm"):
            values = tbrsim.Configuration(preset).values
            self.assertEqual({key: str(value) for key, value in values.items()},
                             harness.keys(preset))
        gpu = tbrsim.Configuration("tcor-64k", {"l2.size": "2M"})
        self.assertEqual(gpu["l2.size"], 2 << 20)
        self.assertEqual(gpu["caches.l2.size"], 2 << 20)
        self.assertEqual(gpu.tree["caches"]["l2"]["size"], 2 << 20)
        with self.assertRaisesRegex(KeyError, "l2.speed: not in tcor-64k"):
            gpu["l2.speed"]
        self.assertIsNone(gpu.get("l2.speed"))

    def test_the_command_checks(self):
        gpu = tbrsim.Configuration("tcor-64k")
        before = gpu.values
        self.says("caches.l2.size: 3 is no multiple", gpu.__setitem__, "l2.size", 3)
        self.says("no key 'speed'", gpu.update, {"l2.ways": 4, "l2.speed": 3})
        self.assertEqual(gpu.values, before)
        gpu.update({"l2.size": 3 * 64 * 64, "l2.ways": 3})
        self.assertEqual(gpu["l2.ways"], 3)
        self.says("no preset|No such|expected", tbrsim.Configuration, "moon")

    def test_files(self):
        own = self.path("own.yaml",
                        "extends: tcor-64k\ndescription: mine, really\nclock_mhz: 900\n")
        gpu = tbrsim.Configuration(own)
        self.assertEqual((gpu["clock_mhz"], gpu.description), (900, "mine, really"))
        gpu["l2.policy"] = "lru"
        gpu.save(self.path("saved.yaml"))
        self.assertEqual(tbrsim.Configuration(self.path("saved.yaml")), gpu)
        self.assertNotEqual(tbrsim.Configuration(own), gpu)
        self.says("expected a name that ends with .yaml", gpu.save, self.path("saved.json"))
        differences = gpu.differences(tbrsim.Configuration(own))
        self.assertEqual(differences.to_dict("index"),
                         {"caches.l2.policy": {"here": "lru", "other": "tcor"}})

    def test_what_options_have(self):
        """However a configuration was made, --config takes it."""
        gpu = tbrsim.Configuration("tcor-64k", {"l2.ways": 16})
        self.assertEqual(gpu.word(), "tcor-64k,l2.ways=16")
        for other in (tbrsim.Configuration(gpu.tree), gpu.with_settings({"description": "a, b"})):
            values = harness.keys(other.word())
            self.assertEqual(values["caches.l2.ways"], "16")
            self.assertEqual(values["description"], other.description)

    def test_removal(self):
        gpu = tbrsim.Configuration("tcor-baseline-64k")
        self.says("streams|tile_cache", gpu.__delitem__, "caches.tile_cache")
        gpu.update({"streams.pb_list": "l2", "streams.pb_attribute": "l2"})
        del gpu["caches.tile_cache"]
        self.assertNotIn("caches.tile_cache.size", gpu)
        self.assertIn("caches.l2.size", gpu)
        with self.assertRaises(KeyError):
            del gpu["caches.moon"]


class Recordings(Recorded):
    def setUp(self):
        super().setUp()
        self.object = tbrsim.Recording(self.recording)

    def test_info(self):
        info = json.loads(self.fine("info", "--json", self.recording))
        self.assertEqual(self.object.info, info)
        self.assertTrue(self.object.is_whole)
        self.assertEqual(self.object.kind, "hidden")
        self.assertEqual(self.object.provenance["preset"], "tcor-baseline-64k")
        self.assertEqual(self.object.configuration, tbrsim.Configuration())
        frames = self.object.frames
        self.assertEqual(list(frames.index), [0, 1, 2])
        self.assertEqual(frames["quads"].sum(), info["total"]["quads"])
        self.assertEqual(self.object.sections["stored_bytes"].to_dict(),
                         {name: one["stored_bytes"] for name, one in info["sections"].items()})

    def test_accesses(self):
        text = self.fine("export", "--format", "streams", "--unit", "l2", self.recording)
        frame, expected = 0, []
        for line in text.splitlines():
            kind, *words = line.split()
            if kind == "F":
                frame += 1
            elif kind == "I":
                expected.append((frame, kind, int(words[0], 16), int(words[1], 16), ""))
            else:
                expected.append((frame, kind, int(words[0], 16), 0, words[1]))
        accesses = self.object.accesses("l2")
        self.assertEqual(list(accesses.itertuples(index=False, name=None)), expected)
        self.assertEqual(set(accesses["frame"]), {0, 1, 2})
        parts = list(self.object.accesses_in_parts("l2", lines=1000))
        self.assertGreater(len(parts), 10)
        joined = pandas.concat(parts, ignore_index=True)
        self.assertEqual(list(joined.itertuples(index=False, name=None)), expected)

    def test_some_accesses(self):
        """Who stops reading stops the command."""
        parts = self.object.accesses_in_parts("l2", lines=10)
        self.assertEqual(len(next(parts)), 10)
        parts.close()
        self.says("--unit moon: expected one of", self.object.accesses, "moon")

    def test_next_uses(self):
        uses = self.object.next_uses("l2", frames=1)
        accesses = self.object.accesses("l2", frames=1)
        accesses = accesses[accesses["kind"] != "I"]
        self.assertEqual(list(uses["address"]), list(accesses["address"]))
        nearest, expected = {}, []
        for number, address in reversed(list(uses["address"].items())):
            expected.append(nearest.get(address, -1))
            nearest[address] = number
        self.assertEqual(list(uses["next"]), expected[::-1])

    def test_no_recording(self):
        self.says("x.tbr", tbrsim.Recording, self.path("x.tbr", "no"))


class Events(TestCase):
    """With a recording that has several passes, texture reads and hidden fragments."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = harness.record(cls.shared, "glmark2_shadow", "--no-model", "--frames", "0-1")

    def setUp(self):
        super().setUp()
        self.object = tbrsim.Recording(self.recording)

    def test_sums_of_events(self):
        """The rows of each table sum up to what `tbrsim info` has of each frame, and to what a
        simulation counts."""
        frames = self.object.frames
        self.assertGreater(frames["footprints"].min(), 0)
        tables = {name: self.object.events(name) for name in
                  ("passes", "draws", "primitives", "tiles", "quads", "footprints")}
        for name in ("passes", "draws", "primitives", "tiles", "footprints"):
            self.assertEqual(tables[name].groupby("frame").size().to_dict(), frames[name].to_dict())
        shaded = tables["quads"].query("shaded == 1")
        self.assertEqual(shaded.groupby("frame").size().to_dict(), frames["quads"].to_dict())
        self.assertEqual(shaded["live"].map(int.bit_count).groupby(shaded["frame"]).sum().to_dict(),
                         frames["fragments"].to_dict())
        for name in ("passes", "draws", "tiles"):
            sums = tables[name].groupby("frame").sum(numeric_only=True)
            for column in set(frames.columns) & set(sums.columns):
                self.assertEqual(sums[column].to_dict(), frames[column].to_dict(), (name, column))
            self.assertGreater(sums["unshaded_quads"].min(), 0)
            self.assertEqual(sums["unshaded_quads"].sum(), (tables["quads"]["shaded"] == 0).sum())
        self.assertEqual(tables["primitives"]["pmds"].sum(), frames["pmds"].sum())
        # A deferred GPU shades what is visible of opaque draws, another one what lives.
        for mode, mask in (("tbr", "live"), ("tbdr", "visible")):
            counted = tbrsim.sim(self.recording, out=self.path(mode),
                                 settings={"mode": mode}).wait().frames
            bits = shaded[mask].map(int.bit_count)
            self.assertEqual(bits.groupby(shaded["frame"]).sum().to_list(),
                             counted["fragment_stage.fragments"].to_list())
            self.assertEqual((bits > 0).groupby(shaded["frame"]).sum().to_list(),
                             counted["fragment_stage.quads"].to_list())
            if mode == "tbr":
                self.assertEqual(frames["footprints"].to_list(),
                                 counted["fragment_stage.footprints"].to_list())
            for name in ("passes", "draws"):
                self.assertEqual(tables[name].groupby("frame").size().to_list(),
                                 counted[f"gpu.{name}"].to_list())

    def test_places_of_events(self):
        """Rows of one table agree with those of another that they name."""
        keys = ["frame", "pass"]
        quads, tiles, draws = map(self.object.events, ("quads", "tiles", "draws"))
        placed = quads.merge(tiles, on=[*keys, "tile"], suffixes=("", "_of_tile"))
        self.assertEqual(len(placed), len(quads))
        size = self.object.configuration["tile.size"]
        for axis in "xy":
            inside = placed[axis] - placed[f"{axis}_of_tile"]
            self.assertTrue(inside.between(0, size - 2).all() and (inside % 2 == 0).all())
        primitives = quads.merge(self.object.events("primitives"), on=[*keys, "primitive"],
                                 suffixes=("", "_of_primitive"))
        self.assertEqual(list(primitives["draw"]), list(primitives["draw_of_primitive"]))
        reads = self.object.events("footprints")
        joined = reads.merge(quads, on=[*keys, "quad"], suffixes=("", "_of_quad"))
        self.assertEqual(len(joined), len(reads))
        self.assertTrue((joined["shaded"] == 1).all())
        for name in ("tile", "draw"):
            self.assertEqual(list(joined[name]), list(joined[f"{name}_of_quad"]))
        self.assertTrue((joined["live"] & ~joined["live_of_quad"] == 0).all())
        self.assertEqual(list(reads["x2"].notna()), list(reads["live"] & 4 != 0))
        of_draws = quads[quads["shaded"] == 1].groupby([*keys, "draw"]).size()
        self.assertEqual(of_draws.to_dict(), {key: count for key, count in draws.set_index(
            [*keys, "draw"])["quads"].items() if count})

    def test_some_events(self):
        joined = pandas.concat(self.object.events_in_parts("quads", frames=1, lines=1000),
                               ignore_index=True)
        whole = self.object.events("quads")
        pandas.testing.assert_frame_equal(
            joined, whole[whole["frame"] == 1].reset_index(drop=True))
        parts = self.object.events_in_parts("quads", lines=10)
        self.assertEqual(len(next(parts)), 10)
        parts.close()
        self.says("--table moons: expected", self.object.events, "moons")


class Tables(Recorded):
    """The same as the command's CSV."""

    def same(self, table, *words):
        rows = list(csv.DictReader(io.StringIO(self.fine(*words))))
        self.assertEqual(list(table.columns), list(rows[0]))
        self.assertEqual(len(table), len(rows))
        for column in table.columns:
            self.assertEqual([self.value(cell) for cell in table[column].astype(object).fillna("")],
                             [self.value(row[column]) for row in rows])

    @staticmethod
    def value(cell):
        """A number, if it is one."""
        try:
            return float(cell)
        except ValueError:
            return cell

    def test_sweep(self):
        table = tbrsim.sweep(self.recording, ["16K", 65536], [4, "full"], ["lru", "opt"],
                             stream="texture", frames=(1, 2), warm_up=1)
        self.same(table, "sweep", "--csv", "--size", "16K,65536", "--ways", "4,full", "--policy",
                  "lru,opt", "--stream", "texture", "--frames", "1-2", "--warm-up", "1",
                  self.recording)
        self.says("--policy", tbrsim.sweep, self.recording, "16K", 4, "none", stream="texture")
        with self.assertRaises(TypeError):
            tbrsim.sweep(self.recording, "16K", 4, "lru", stream="texture", json=True)

    def test_llc(self):
        table = tbrsim.llc([self.recording, self.recording], config="imr-2m",
                           policy=["lru", "gspc"], cold_frames=True)
        self.same(table, "llc", "--csv", "--config", "imr-2m", "--policy", "lru,gspc",
                  "--cold-frames", self.recording, self.recording)

    def test_sim(self):
        table = tbrsim.table(self.recording, config=tbrsim.Configuration("tcor-64k"),
                             settings={"clock_mhz": 500}, vary={"l2.size": ["512K", "1M"]},
                             out=self.path("out"))
        self.same(table, "sim", "--csv", "--set", "clock_mhz=500", "--config", "tcor-64k", "--vary",
                  "l2.size=512K,1M", "--out", self.path("out"), self.recording)
        self.assertTrue((self.path("out") / "index.json").exists())
        again = tbrsim.table(self.recording, config="tcor-64k", settings={"clock_mhz": 500},
                             vary={"l2.size": ["512K", "1M"]})
        pandas.testing.assert_frame_equal(again, table.drop(columns="statistics"))

    def test_advise(self):
        found = tbrsim.advise(self.recording, least=0, settings={"mode": "tbr"})
        printed = json.loads(self.fine("advise", "--json", "--least", "0", "--set", "mode=tbr",
                                       self.recording))
        self.assertGreater(len(found), 0)
        self.assertEqual(list(found["rule"]), [one["rule"] for one in printed["findings"]])
        self.assertEqual(list(found["evidence"]), [one["evidence"] for one in printed["findings"]])
        self.assertEqual(list(found["saves.dram_bytes"]),
                         [one["saves"]["dram_bytes"] for one in printed["findings"]])
        self.assertEqual(found.attrs["a_frame_has"], printed["a_frame_has"])
        self.assertEqual(len(tbrsim.advise(self.recording, least=100)), 0)

    def test_analyze(self):
        analysis = tbrsim.analyze(self.recording, unit="l2")
        printed = json.loads(self.fine("analyze", "--json", "--unit", "l2", self.recording))
        self.assertEqual(analysis.summary, printed)
        forward = printed["simulations"]["forward"]
        frames = {name: getattr(analysis, name).query("traversal == 'forward' and stream == 'vertex'")
                  for name in ("streams", "histograms", "traffic")}
        self.assertEqual(frames["streams"]["accesses"].sum(), forward["streams"]["vertex"]["accesses"])
        self.assertEqual(frames["streams"]["iird.reuses"].sum(), forward["streams"]["vertex"]["iird"]["reuses"])
        self.assertEqual(frames["traffic"]["misses"].sum(), forward["misses"]["vertex"])
        for kind, found in frames["histograms"].groupby("kind"):
            self.assertEqual(found["count"].sum(), sum(one["count"] for one in forward["streams"]["vertex"][kind]))

    def test_cache(self):
        trace = self.path("l2.txt", self.fine("export", "--format", "streams", "--unit", "l2",
                                              self.recording))
        table = tbrsim.cache(trace, "64K", 4, policy="srrip")
        printed = json.loads(self.fine("cache", "--json", "--size", "64K", "--ways", "4",
                                       "--policy", "srrip", trace))
        streams, run = printed.pop("streams"), printed.pop("run")
        self.assertEqual(table.to_dict("index"), streams | {"total": printed})
        self.assertEqual(table.attrs["run"], run)
        plain = tbrsim.cache(self.path("plain.txt", "R 0x0\nR 0x0\n"), 4096, 4,
                             trace_format="plain")
        self.assertEqual(plain.loc["total", "hits"], 1)

    def test_counters(self):
        table = tbrsim.counters(config="imr-2m", timing=True)
        self.same(table.reset_index(), "counters", "--csv", "--config", "imr-2m", "--timing", "on")


class Runs(Recorded):
    def test_replay(self):
        run = tbrsim.replay(TRACE, out=self.path("out"), record=self.path("x.tbr"),
                            config="tcor-64k", settings={"l2.size": "2M"}, frames=(0, 1))
        results = run.wait(timeout=100)
        self.assertEqual(results.frames.shape[0], 2)
        self.assertEqual(results.settings["caches.l2.size"], 2 << 20)
        self.assertIn("statistics:", run.output)
        self.assertEqual(run.messages, "")
        self.assertEqual(list(run.recording.frames.index), [0, 1])
        self.assertEqual(run.progress(), ("simulating", 2, 2))
        processes = results.processes
        self.assertEqual(list(processes["program"]), ["glmark2-es2"])  # which was captured
        self.assertEqual(run.recording.info["provenance"]["program"], "glmark2-es2")
        one = results.process(processes["folder"][0])
        pandas.testing.assert_frame_equal(one.frames, results.frames)

    def test_program(self):
        results = tbrsim.run(["eglretrace", "--benchmark", TRACE], out=self.path("out")).wait()
        self.assertGreater(results.num_frames, 2)
        none = tbrsim.run("true", out=self.path("none"), no_model=True)
        self.assertIsNone(none.wait())
        self.says("records nothing", getattr, none, "recording")
        self.assertFalse(self.path("none").exists())

    def test_sim(self):
        one = tbrsim.sim(self.recording, out=self.path("one"), config="tcor-64k", jobs=1).wait()
        self.assertEqual(one.preset, "tcor-64k")
        several = tbrsim.sim(tbrsim.Recording(self.recording), out=self.path("several"),
                             config=["tcor-64k", "boustro-fo"], timing=True).wait()
        self.assertEqual(len(several), 2)
        self.assertEqual({results.settings["timing"] for results in several.values()}, {"on"})

    def test_progress(self):
        run = tbrsim.sim(self.recording, out=self.path("out"), timing=True, jobs=1,
                         vary={"l2.policy": ["lru", "opt", "drrip"]})
        self.says("still runs; wait", getattr, run, "results")
        seen = []
        while run.poll() is None:
            seen.append(run.progress())
            time.sleep(0.01)
        seen = [one for one in seen if one] + [run.progress()]
        self.assertEqual((seen[-1].work, seen[-1].done, seen[-1].total), ("simulating", 3, 3))
        self.assertEqual(seen[-1].share, 1)
        self.assertEqual(str(seen[-1]), "simulating: 3 of 3, 100 %")
        self.assertTrue(all(one.done <= one.total for one in seen))
        self.assertEqual(len(run.wait()), 3)

    def test_failures(self):
        run = tbrsim.sim(self.path("none.tbr"), out=self.path("out"))
        with self.assertRaises(tbrsim.CommandFailed) as caught:
            run.wait()
        self.assertEqual(caught.exception.status, 1)
        self.assertRegex(str(caught.exception), "none.tbr: No such file")
        self.says("no key 'speed'", tbrsim.sim(self.recording, settings={"l2.speed": 1},
                                               out=self.path("out")).wait)
        tbrsim.use(self.path("none"))
        self.says("none .of tbrsim.use.: there is no such program", tbrsim.sim, self.recording)
        self.says("none .of tbrsim.use.", tbrsim.presets)

    def test_stop(self):
        begun = self.path("begun")
        run = tbrsim.run(["sh", "-c", f"touch '{begun}'; exec sleep 1000"], out=self.path("out"))
        while not begun.exists():
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        with self.assertRaisesRegex(TimeoutError, "still runs after 0.2 s"):
            run.wait(timeout=0.2)
        self.says("another run writes its results there", tbrsim.run, "true", out=self.path("out"))
        with run:
            self.assertIsNone(run.poll())
        self.assertNotEqual(run.poll(), 0)
        self.says("sh|status|signal", run.wait)
        # The directory is free again.
        tbrsim.run("true", out=self.path("out"), no_model=True).wait()

    def test_many_wait(self):
        """What a run printed is read once, whichever of the threads that wait sees its end."""
        for index in range(5):
            run = tbrsim.sim(self.recording, out=self.path(f"out{index}"), frames=(0, 0))
            with concurrent.futures.ThreadPoolExecutor(8) as threads:
                results = [future.result() for future in [threads.submit(run.wait)
                                                          for _ in range(8)]]
            self.assertEqual([one.num_frames for one in results], 8 * [1])


class Pools(Recorded):
    def test_many(self):
        sizes = ["128K", "256K", "512K", "1M"]
        with tbrsim.Pool(2) as pool:
            futures = [pool.submit(tbrsim.sim, self.recording, out=self.path(size),
                                   settings={"l2.size": size}, jobs=1) for size in sizes]
            futures.append(pool.submit(tbrsim.sweep, self.recording, "16K", 4, "lru",
                                       stream="texture"))
            most = 0
            while not all(future.done() for future in futures):
                most = max(most, len(pool.progress()[2]))
                time.sleep(0.01)
            pool.wait()
        self.assertLessEqual(most, 2)
        results = [future.result() for future in futures]
        self.assertEqual([one.settings["caches.l2.size"] for one in results[:-1]],
                         [size << 10 for size in (128, 256, 512, 1024)])
        self.assertEqual(len(results[-1]), 1)
        self.assertEqual(pool.progress(), (5, 5, []))

    def test_one_fails(self):
        with tbrsim.Pool(2) as pool:
            good = pool.submit(tbrsim.sim, self.recording, out=self.path("good"))
            bad = pool.submit(tbrsim.sim, self.path("none.tbr"), out=self.path("bad"))
            pool.wait()
        self.assertEqual(good.result().num_frames, 3)
        self.says("none.tbr", bad.result)

    def test_the_block_fails(self):
        """What runs is ended, of which the test's own end would be too late; what waits does not begin."""
        with self.assertRaises(ZeroDivisionError), tbrsim.Pool(1) as pool:
            first = pool.submit(tbrsim.run, ["sleep", "1000"], out=self.path("first"))
            second = pool.submit(tbrsim.run, ["sleep", "1000"], out=self.path("second"))
            while not pool.progress()[2]:
                self.assertFalse(first.done())
                time.sleep(0.01)
            raise ZeroDivisionError
        self.assertTrue(second.cancelled())
        self.assertIsInstance(first.exception(), tbrsim.CommandFailed)


class Comparisons(Recorded):
    """compare() against stats.json and against what report --fail-above prints; plots and notebooks' HTML."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        harness.run("sim", "--timing", "on", "--config", "tcor-baseline-64k", "--config", "tcor-64k", "--vary",
                    "l2.policy=lru,opt", "--out", cls.shared / "sim", cls.recording, check=True)
        harness.run("sim", "--out", cls.shared / "plain", cls.recording, check=True)

    def setUp(self):
        super().setUp()
        self.several = tbrsim.load(self.shared / "sim")
        self.lru, self.opt, self.tcor, _ = self.several.values()

    def loading(self):
        """Results whose first of four frames has many passes."""
        content = json.loads((self.shared / "plain" / "stats.json").read_text())
        columns, frames = content["columns"], content["frames"]
        frames.append(frames[-1])
        first = dict(zip(columns, frames[0]))
        first["gpu.passes"] *= 100
        frames[0] = list(first.values())
        self.path("loading").mkdir()
        self.path("loading/stats.json", json.dumps(content))
        return self.path("loading")

    def test_compare(self):
        table = tbrsim.compare(self.lru, self.tcor)
        mine, other = (tbrsim.files.load(one.directory)["frames"] for one in (self.lru, self.tcor))
        for name in ("dram.total.read_bytes", "gpu.cycles", "l2.total.hits", "tile_cache.total.misses"):
            row = table.loc[name]
            before, after = ([frame.get(name, 0) for frame in frames] for frames in (mine, other))
            self.assertEqual(row["this run, total"], sum(before))
            self.assertEqual(row["the other, total"], sum(after))
            self.assertAlmostEqual(row["this run"], sum(before) / 3)
            self.assertAlmostEqual(row["change"], (sum(after) - sum(before)) / 3)
            self.assertAlmostEqual(row["in %"], 100 * (sum(after) / sum(before) - 1))
            self.assertAlmostEqual(row["deviation"], statistics.stdev(b - a for a, b in zip(before, after)))
        self.assertEqual(table.loc["dram.total.read_bytes", "unit"], "bytes")
        self.assertEqual(table.loc["primitive_list_cache.total.hits", "this run"], 0)
        self.assertTrue(pandas.isna(table.loc["primitive_list_cache.total.hits", "in %"]))
        self.assertNotIn("fps", table.index)
        self.assertTrue(((table["this run, total"] != 0) | (table["the other, total"] != 0)).all())
        self.assertEqual(table.attrs["settings"]["caches.tile_cache.size"], (65536, None))
        self.assertNotIn("description", table.attrs["settings"])
        self.assertEqual(tbrsim.compare(self.lru.directory, self.opt).attrs["settings"], {"caches.l2.policy": ("lru", "opt")})
        self.assertIsNone(table.attrs["without_timing"])

    def test_without_timing(self):
        """Nothing is said to have changed from or to nothing that one run does not count."""
        plain = self.shared / "plain"
        alike = tbrsim.compare(plain, plain)
        self.assertEqual(alike.attrs["without_timing"], "Cycles and energy are not compared: neither run has timing (--timing on).")
        for runs, who in (((self.lru, plain), "the other run"), ((plain, self.lru), "this run")):
            with self.assertWarnsRegex(UserWarning, f"not compared: {who} does not have timing"):
                table = tbrsim.compare(*runs)
            self.assertEqual(set(table.index), set(alike.index))
            self.assertTrue((table["change"] == 0).all())

    def test_as_the_command(self):
        printed = self.fine("report", "--compare", self.tcor.directory, "--fail-above", "cycles=100%", "--fail-above",
                            "l2.total.misses=100%", self.lru.directory)
        table = tbrsim.compare(self.lru, self.tcor)
        for name, counter in (("cycles", "gpu.cycles"), ("l2.total.misses", "l2.total.misses")):
            row = table.loc[counter]
            self.assertRegex(printed, rf"(?m)^{name} +{row['this run']:.1f} +{row['the other']:.1f} +{row['in %']:+.2f} %")

    def test_loading_frames(self):
        loading = self.loading()
        table = tbrsim.compare(loading, self.shared / "plain")
        self.assertEqual((table.attrs["frames"], table.attrs["left_out"]), ([1, 2], [0]))
        self.assertTrue((table["change"] == 0).all())
        self.assertEqual(table.loc["gpu.frames", "this run, total"], 2)
        one = self.path("one")
        harness.run("sim", "--frames", "0-0", "--out", one, self.recording, check=True)
        self.says("have no frame in common that does not look like loading", tbrsim.compare, loading, one)

    def test_plots(self):
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("without matplotlib there are no plots")
        importlib.import_module("matplotlib").use("Agg")
        axes = self.lru.plot("dram.total.read_bytes", "dram.total.write_bytes", compare=self.tcor)
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("frame", "MiB per frame"))
        self.assertEqual([line.get_label() for line in axes.lines],
                         [f"{run}, dram.total.{way}_bytes" for run in ("this run", "the other") for way in ("read", "write")])
        self.assertEqual(list(axes.lines[0].get_ydata()), list(self.lru.frames["dram.total.read_bytes"] / 2 ** 20))
        self.says("have several units", self.lru.plot, "gpu.cycles", "dram.total.read_bytes")
        self.says("no counter 'moons'", self.lru.plot, "moons")
        self.says("name a counter", self.lru.plot)
        axes = self.several.plot("gpu.cycles", x="l2.policy")
        self.assertEqual([tick.get_text() for tick in axes.get_xticklabels()], ["lru", "opt"])
        self.assertEqual([line.get_label() for line in axes.containers], ["tcor-baseline-64k", "tcor-baseline-64k (oracle)",
                                                                        "tcor-64k", "tcor-64k (oracle)"])
        self.assertAlmostEqual(axes.containers[0].lines[0].get_ydata()[0] * 1000, self.lru.frames["gpu.cycles"].mean())
        self.says("moons is not varied; these are: preset, l2.policy", self.several.plot, "gpu.cycles", x="moons")

    def test_html(self):
        """Numbers of results, and nothing that HTML would take for its own."""
        text = self.lru._repr_html_()
        self.assertEqual(text.count("<tr>"), text.count("</tr>"))
        cycles = self.lru.frames["gpu.cycles"]
        self.assertIn(f"<td>cycles</td><td>{cycles.mean():,.0f}</td><td>{cycles.std():,.0f}</td>", text)
        hits, misses = (self.lru.total[f"l2.total.{event}"] for event in ("hits", "misses"))
        self.assertIn(f"<td>l2 hit rate</td><td>{100 * hits / (hits + misses):.1f} %</td>", text)
        self.assertIn("<td>tcor-64k</td><td>on</td><td>opt</td>", self.several._repr_html_())
        recording = tbrsim.Recording(self.recording)
        self.assertIn(f"<td>draws</td><td>{recording.frames['draws'].mean():,.0f}</td>", recording._repr_html_())
        self.assertIn("<td>caches.l2.size</td><td>1M</td>", tbrsim.Configuration()._repr_html_())
        self.assertIn("<td>pb_list</td>", tbrsim.analyze(self.recording)._repr_html_())
        failed = tbrsim.sim(self.path("<b>.tbr"), out=self.path("out"))
        while failed.poll() is None:
            time.sleep(0.01)
        self.assertIn("&lt;b&gt;.tbr: No such file", failed._repr_html_())
        self.assertIn("ended with status 1", failed._repr_html_())
        self.assertNotIn("<b>.tbr", failed._repr_html_())

    def test_texts(self):
        for value, measure, expected in ((0, "bytes", "0 bytes"), (1023, "bytes", "1,023 bytes"), (1536, "bytes", "1.50 KiB"),
                                         (12.34 * 2 ** 20, "bytes", "12.3 MiB"), (2e9, "pJ", "2.00 mJ"), (12345, "", "12,345")):
            self.assertEqual(quantities.text(value, measure), expected)
        for key, value, expected in (("caches.l2.size", 1 << 20, "1M"), ("l2.size", 1000, "1000"), ("timing", True, "on")):
            self.assertEqual(quantities.setting_text(key, value), expected)
        for word, expected in (("256K", 262144), ("1.5 GHz", 1.5e9), ("2MiB", 2 << 20), (7, 7), ("lru", None), (True, None)):
            self.assertEqual(quantities.number(word), expected)


class Packages(TestCase):
    def test_without_packages(self):
        """Whoever needs no data frames needs no pandas. Of a Python that is not Debian's, Debian's packages are no help."""
        for prefix, how in (("/usr", "apt install python3-pandas, or pip install pandas"),
                            ("/opt", f"{sys.executable} -m pip install pandas; or start /usr/bin/python3, and apt install "
                             "python3-pandas")):
            script = (f"import sys; sys.modules['pandas'] = sys.modules['numpy'] = None; sys.prefix = {prefix!r}\n"
                      "import tbrsim\nassert tbrsim.Configuration('imr-8m')['llc.size'] == 8 << 20\n"
                      "tbrsim.counters()")
            result = subprocess.run(
                [sys.executable, "-c", script], capture_output=True, text=True, check=False,
                env=harness.environment(TBRSIM=harness.arguments.tbrsim,
                                        PYTHONPATH=str(harness.SOURCE / "python")))
            self.assertTrue(result.stderr.rstrip().endswith(f"Error: pandas is missing: {how}"), result.stderr)


if __name__ == "__main__":
    harness.main()
