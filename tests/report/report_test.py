# SPDX-License-Identifier: MIT
"""tbrsim report: the numbers in the page against the files that it is made of, what the command refuses, and the page in
Chromium, where that is installed."""

import base64
import csv
import html
import json
import pathlib
import re
import shutil
import sys
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

CHROMIUM = shutil.which("chromium")
TABLES = ("passes", "draws", "textures", "tiles")


def unpack(page):
    """What the page has: {id: value}."""
    found = re.findall(r'<script type="text/plain" id="([\w-]+)">([^<]*)</script>', page)
    return {name: json.loads(zlib.decompress(base64.b64decode(text))) for name, text in found}


def cell(text):
    """A cell of a table as JSON has it."""
    if not text:
        return None
    return int(text) if re.fullmatch(r"-?\d+", text) else text


class TestCase(tbrsim.TestCase):
    """With a recording of glmark2_desktop, which has several passes, and its results with timing and without."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.recording = tbrsim.record(cls.shared, "glmark2_desktop", "--no-model", "--frames", "0-3")
        cls.timed, cls.plain = cls.shared / "timed", cls.shared / "plain"
        tbrsim.run("sim", "--timing", "on", "--attribute", ",".join(("pass", "draw", "texture", "tile")), "--out",
                   cls.timed, cls.recording, check=True)
        tbrsim.run("sim", "--config", "tcor-64k", "--attribute", "pass,draw", "--frames", "0-1", "--out", cls.plain,
                   cls.recording, check=True)

    def report(self, *words):
        """The page, and what it has; what it notes is on standard error, too. What is simulated for it is without
        timing unless that is asked for: this takes most of the time."""
        out = self.path("page.html")
        simulates = any(str(word).endswith((".tbr", ".trace")) for word in words)
        timing = ("--timing", "off") if simulates and "--timing" not in words else ()
        result = tbrsim.run("report", "--out", out, *timing, *words, check=True)
        self.assertRegex(result.stdout, rf"^report: {out} \(\d+ KB\)\n$")
        page = out.read_text()
        data = unpack(page)
        self.assertEqual(tbrsim.said(result), "".join(f"tbrsim: {out}: {note[0].lower()}{note[1:-1]}\n" for note in data["data"]["notes"]))
        return page, data

    def changed(self, directory, name, change):
        """A copy of results with another table: change(rows) of {column: text} each."""
        copy = self.path(f"{directory.name}-{name}")
        shutil.copytree(directory, copy)
        with open(copy / f"{name}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        columns = list(rows[0])
        with open(copy / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(change(rows))
        return copy

    def same_frames(self, directory, run):
        """The counters are those of stats.json."""
        expected = json.loads((directory / "stats.json").read_text())
        for column, name in enumerate(expected["columns"]):
            self.assertEqual(run["frames"][name], [row[column] for row in expected["frames"]], name)
        self.assertEqual(run["total"], {name: value for name, value in expected["total"].items() if value})
        self.assertEqual(run["num_frames"], len(expected["frames"]))

    def same_tables(self, directory, which, data, tables=TABLES):
        """The rows are those of the CSVs; columns that are missing are zero."""
        for name in tables:
            with open(directory / f"{name}.csv", encoding="utf-8", newline="") as file:
                rows = [{key: cell(text) for key, text in row.items()} for row in csv.DictReader(file)]
            for frame in {row["frame"] for row in rows}:
                expected = [row for row in rows if row["frame"] == frame]
                columns = data[f"{which}-{frame}"][name]
                self.assertEqual(len(columns["frame"]), len(expected))
                for key in expected[0]:
                    values = columns.get(key, [0] * len(expected))
                    self.assertEqual(values, [row[key] for row in expected], f"{name}: {key}, frame {frame}")


class Data(TestCase):
    def test_numbers(self):
        page, data = self.report(self.timed)
        self.same_frames(self.timed, data["data"]["a"])
        self.same_tables(self.timed, "a", data)
        self.assertEqual(data["data"]["left_out"], [])
        self.assertEqual(data["data"]["counters"]["dram.total.read_bytes"][0], "bytes")
        self.assertLess(len(page), 1 << 20)

    def test_targets(self):
        """What passes render to, against the rows of textures.csv, and what becomes of it, against those of passes.csv."""
        def rows_of(name):
            with open(self.timed / f"{name}.csv", encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))
        first, stores = {}, {}
        for row in rows_of("textures"):
            place = [int(row["pass_frame"]), int(row["pass"])]
            if row["kind"] in ("texture", "window") and sum(int(value) for name, value in row.items() if re.search(r"\.(color|depth|stencil)\.writes$", name)):
                first[row["resource"]] = min(first.get(row["resource"], place), place)
        for row in rows_of("passes"):
            for column, fate in (("first_reads", "read"), ("overwrites", "overwritten")):
                for resource, place in re.findall(r"(\d+)@(\d+:\d+)", row[column]):
                    stores.setdefault(resource, {})[place] = [fate, int(row["pass_frame"]), int(row["pass"])]
        targets = self.report(self.timed)[1]["data"]["a"]["targets"]
        self.assertEqual(targets, {resource: {"first": place, "stores": stores.get(resource, {})} for resource, place in first.items()})
        # The desktop's own picture is read, in the same frame; so is what the window is cleared to.
        self.assertIn(["read", 3, 2], [fate for entry in targets.values() for fate in entry["stores"].values()])
        self.assertEqual(self.report(self.plain)[1]["data"]["a"]["targets"], {})

    def test_typical_frames(self):
        """The page opens at the frame that is nearest to the median, and a frame that loads is named."""
        loading = self.path("loading")
        shutil.copytree(self.timed, loading)
        statistics = json.loads((loading / "stats.json").read_text())
        passes = statistics["columns"].index("gpu.passes")
        self.assertEqual([row[passes] for row in statistics["frames"]], [18, 3, 3, 3])
        data = self.report(self.timed)[1]["data"]
        self.assertEqual((data["a"]["opens_at"] > 0, data["notes"], data["a"]["outliers"]), (True, [], {}))
        statistics["frames"][2][passes] = 5002
        (loading / "stats.json").write_text(json.dumps(statistics))
        data = self.report(loading)[1]["data"]
        self.assertEqual(data["notes"], ["Frame 2 has 5,002 passes, where the median is 3: it looks like loading."])
        self.assertEqual((list(data["a"]["outliers"]), data["a"]["opens_at"] == 2), (["2"], False))
        sys.path.insert(0, str(tbrsim.SOURCE / "python"))
        from tbrsim.report.typical import Typical
        alike = Typical({"gpu.passes": [2, 2, 2], "gpu.draws": [80, 100, 110]}, 3)
        self.assertEqual((alike.nearest_first(), alike.outliers(), alike.window(2)), ([1, 2, 0], {}, 1))
        # Frames in which nothing is drawn are not typical, however many there are.
        idle = Typical({"gpu.passes": [0, 0, 0, 1, 1], "gpu.draws": [0, 0, 0, 9, 10]}, 5)
        self.assertEqual((idle.nearest_first()[:2], idle.window(2)), ([3, 4], 3))
        # Traffic alone is no sign of it.
        traffic = Typical({"gpu.passes": [1] * 4, "gpu.draws": [9] * 4, "dram.total.read_bytes": [10 << 20, 1 << 20, 1 << 20, 12 << 20]}, 4)
        self.assertEqual((traffic.outliers(), traffic.nearest_first()[:2]), ({}, [1, 2]))

    def test_textures_of_draws(self):
        """Which textures each draw uses, and the shaders' sizes, as tbrsim info has them."""
        data = self.report("--results", self.path("results"), "--frames", "1-2", self.recording)[1]
        expected, shaders = {}, {}
        for draw in map(json.loads, self.fine("info", "--draws", self.recording).splitlines()):
            expected[draw["frame"], draw["pass"], draw["draw"]] = sorted({one["id"] for one in draw["textures"] if one})
            if draw["frame"] in (1, 2):
                shaders |= {draw[stage]["hash"]: [draw[stage]["label"], draw[stage]["instructions"]] for stage in ("vertex_shader", "fragment_shader")}
        self.assertEqual(data["data"]["a"]["shaders"], shaders)
        for frame in (0, 1):
            draws = data[f"a-{frame}"]["draws"]
            rows = list(zip(draws["frame"], draws["pass_frame"], draws["pass"], draws["draw"], draws["textures"]))
            self.assertEqual({(number, draw): used for _, of, number, draw, used in rows if of == frame and draw is not None},
                             {(number, draw): used for (one, number, draw), used in expected.items() if one == frame + 1})
            self.assertEqual({used for _, of, _, draw, used in rows if of != frame or draw is None}, {None})

    def test_names_that_are_numbers(self):
        """A program may call its groups 1 and 2."""
        named = self.changed(self.timed, "draws", lambda rows: [row | {"group": row["draw"]} for row in rows])
        self.assertIn("7", self.report(named)[1]["a-1"]["draws"]["group"])

    def test_two_runs(self):
        _, data = self.report("--compare", self.plain, self.timed)
        self.assertEqual(data["data"]["notes"], ["Cycles and energy are not compared: the other run does not have timing (--timing on)."])
        self.same_frames(self.timed, data["data"]["a"])
        self.same_frames(self.plain, data["data"]["b"])
        self.same_tables(self.plain, "b", data, ("passes", "draws"))

    def test_two_gpus(self):
        """One recording on two simulated GPUs: each as tbrsim sim simulates it."""
        out = self.path("results")
        _, data = self.report("--results", out, "--frames", "1", "--config", "tcor-64k,l2.ways=4",
                              "--compare-config", "tcor-baseline-64k,l2.ways=16", self.recording)
        for which, directory, name in (("a", out, "tcor-64k,l2.ways=4"),
                                       ("b", self.path("results-compare"), "tcor-baseline-64k,l2.ways=16")):
            alone = self.path(f"alone-{which}")
            self.fine("sim", "--config", name, "--attribute", "pass,draw,texture,tile", "--frames", "1",
                      "--out", alone, self.recording)
            self.assertEqual((alone / "stats.json").read_bytes(), (directory / "stats.json").read_bytes())
            self.same_frames(alone, data["data"][which])
            self.same_tables(alone, which, data, ("passes", "draws"))
            self.assertEqual(data["data"][which]["source"],
                             f"{self.recording.name}, its frames 1-1, which are numbered from 0 here")
        self.assertEqual([data["data"][which]["settings"]["caches.l2.ways"] for which in "ab"], [4, 16])

    def test_results_and_a_recording(self):
        _, data = self.report("--results", self.path("results"), "--set", "l2.ways=16", "--compare", self.recording, self.timed)
        self.same_frames(self.timed, data["data"]["a"])
        self.same_frames(self.path("results-compare"), data["data"]["b"])
        self.assertEqual(data["data"]["b"]["settings"]["caches.l2.ways"], 16)
        self.assertIsNone(data["data"]["a"]["source"])

    def test_two_traces(self):
        """The second is replayed, too; one on two GPUs is replayed once, and its recording simulated."""
        out, other = self.path("results"), self.path("results-compare")
        trace, compared = (tbrsim.CAPTURES / f"glmark2_{name}.trace" for name in ("function", "buffer"))
        _, data = self.report("--results", out, "--frames", "0", "--compare", compared, trace)
        self.assertEqual([data["data"][which]["title"] for which in "ab"], [trace.name, compared.name])
        self.same_frames(other, data["data"]["b"])
        self.assertTrue((other / "processes.csv").exists())
        _, data = self.report("--results", out, "--frames", "1", "--compare-config", "imr-2m", trace)
        self.assertEqual([data["data"][which]["title"] for which in "ab"], [trace.name] * 2)
        self.same_frames(other, data["data"]["b"])
        self.assertFalse((other / "processes.csv").exists())
        alone = self.path("alone")
        self.fine("replay", "--config", "imr-2m", "--frames", "1", "--out", alone, trace)
        self.same_frames(alone, data["data"]["b"])

    def test_some_frames(self):
        _, data = self.report("--frames", "1-2", self.timed)
        self.assertEqual(sorted(data), ["a-1", "a-2", "data"])
        self.assertEqual(data["data"]["a"]["num_frames"], 4)

    def test_too_large(self):
        """A frame that does not fit, such as one that loads, leaves room for the others; what puts it in is said, and does."""
        whole, data = self.report(self.timed)
        size = len(whole.encode()) - 4000
        page, data = self.report("--max-size", size, self.timed)
        self.assertLessEqual(len(page.encode()), size)
        self.assertEqual([one["frame"] for one in data["data"]["left_out"]], [0])
        self.assertEqual(sorted(data), ["a-1", "a-2", "a-3", "data"])
        said, = data["data"]["notes"]
        self.assertRegex(said, rf"^Frame 0 was left out: its data exceeds --max-size {size}\. Try --frames 0 or --max-size \d+M\.$")
        self.assertEqual(data["data"]["left_out"][0]["say"], said)
        self.assertIn("a-0", self.report("--max-size", re.search(r"\d+M", said)[0], self.timed)[1])
        self.assertIn("a-0", self.report("--max-size", size, "--frames", "0", self.timed)[1])
        # So small that no frame fits.
        data = self.report("--max-size", "100K", self.timed)[1]
        self.assertEqual(sorted(data), ["data"])
        self.assertRegex(data["data"]["notes"][0], r"^Frames 0-3 were left out: their data exceeds --max-size 100K\. Try --frames A-B or --max-size 1M\.$")
        self.assertRegex(data["data"]["left_out"][1]["say"], r"^Frame 1 was left out: .* Try --frames 1 --max-size 1M or --max-size 1M\.$")

    def test_nothing_from_elsewhere(self):
        page, data = self.report(self.timed)
        self.assertNotRegex(page, r"<(link|img|iframe)|(src|href)=\"?(http|//)|@import|url\(")
        self.assertIn("Copyright (c) 2022 Leon Sorokin", page)
        notices = (tbrsim.SOURCE / "subprojects" / "NOTICES.md").read_text()
        self.assertIn("Copyright (c) 2022 Leon Sorokin", notices)
        self.assertRegex(data["data"]["a"]["configuration"], r"clock_mhz: 600 # tcor-baseline-64k\.yaml:\d+\n")
        self.assertRegex(data["data"]["a"]["configuration"], r"timing: on # --set\n")

    def test_no_paths(self):
        """A page is sent to others: it does not say where things are on its machine."""
        self.assertNotIn(str(self.shared), json.dumps(self.report("--compare", self.plain, self.timed)[1]))
        sys.path.insert(0, str(tbrsim.SOURCE / "python"))
        from tbrsim.report import shared_command, shared_path, shared_source
        self.assertEqual(shared_command("/a/b/game --map=/c/d.map e/f ./g '/h/i'"), "game --map=d.map e/f ./g 'i'")
        self.assertEqual((shared_path("/a/b c/d"), shared_path("runs/after")), ("d", "runs/after"))
        self.assertEqual(shared_source("/a b/c.tbr, its frames 1-2, numbered"), "c.tbr, its frames 1-2, numbered")

    def check_reuse(self, reuse):
        """The curves at some sizes: what caches of these sizes hit."""
        self.assertEqual((reuse["frames"], reuse["warm_up"], [unit["unit"] for unit in reuse["units"]]), (1, 1, ["texture_cache", "l2"]))
        self.assertEqual(reuse["units"][0]["sizes"], [[65536, "one instance"], [262144, "all 4"]])
        unit = reuse["units"][1]
        for stream in ("texture", "pb_attribute"):
            lines = self.fine("sweep", "--csv", "--config", "tcor-baseline-64k", "--unit", "l2", "--policy", "lru", "--ways", "full", "--size", "512,64K,1M",
                              "--stream", stream, "--warm-up", "1", "--frames", "0-1", self.recording).splitlines()
            counts = unit["streams"][stream]
            for row in csv.DictReader(lines):
                hits = sum(one["intra"] + one["inter"] for one in counts["bins"] if (one["last"] + 1) * unit["block"] <= int(row["size_bytes"]))
                self.assertEqual((counts["accesses"], hits), (int(row["accesses"]), int(row["hits"])), f"{stream}, {row['size_bytes']}")

    def test_a_configuration_of_ones_own(self):
        """Of a file that is no preset the page has the values alone, and says so."""
        own = self.path("own.yaml", "extends: tcor-64k\nclock_mhz: 900\n")
        self.fine("sim", "--config", own, "--frames", "0", "--out", self.path("own"), self.recording)
        run = self.report(self.path("own"))[1]["data"]["a"]
        self.assertIn("clock_mhz=900\n", run["configuration"])
        self.assertEqual(run["origin"], "values alone, without their sources: own is not one of the presets that tbrsim configs lists")

    def test_of_recordings(self):
        """They are simulated first; the results are those of tbrsim sim."""
        out, alone = self.path("results"), self.path("alone")
        self.fine("sim", "--attribute", "pass,draw,texture,tile", "--frames", "0-1", "--out", alone, self.recording)
        _, data = self.report("--results", out, "--timing", "off", "--frames", "0-1", "--reuse", self.recording)
        self.assertEqual(tbrsim.contents(out), tbrsim.contents(alone))
        self.same_tables(alone, "a", data)
        self.assertEqual(data["data"]["a"]["source"], f"{self.recording.name}, its frames 0-1, which are numbered from 0 here")
        self.check_reuse(data["data"]["a"]["reuse"])
        advice = json.loads(self.fine("advise", "--json", "--most", "12", "--frames", "0-1", self.recording))
        self.assertGreater(len(advice["findings"]), 1)
        self.assertEqual({finding["frame"] for finding in data["data"]["a"]["advice"]["findings"] if not finding["settings"]}, {0})
        self.assertIsNone(data["data"]["a"]["advice"]["typical"])
        for key in ("findings", "frame_numbers", "a_frame_has", "save_less", "not_simulated", "overdraw_known"):
            self.assertEqual(data["data"]["a"]["advice"][key], advice[key])
        # With timing, unless it is told not to.
        options = ("--frames", "1", "--config", "tcor-64k", "--set", "l2.ways=16")
        _, data = self.report("--results", out, "--timing", "on", *options, self.recording)
        self.fine("sim", "--timing", "on", "--attribute", "pass,draw,texture,tile", "--out", self.path("timed"), *options, self.recording)
        self.assertEqual(tbrsim.contents(out), tbrsim.contents(self.path("timed")))
        self.assertIn("cycles", data["data"]["a"]["advice"]["a_frame_has"])
        self.assertEqual(tbrsim.configuration(out)["caches"]["l2"]["ways"], 16)
        self.assertEqual((data["data"]["a"]["run"]["preset"], data["data"]["a"]["num_frames"]), ("tcor-64k", 1))
        self.assertIsNone(data["data"]["a"]["reuse"])
        # Frame 1 of the recording is frame 0 of the page.
        self.assertEqual({finding["frame"] for finding in data["data"]["a"]["advice"]["findings"] if not finding["settings"]}, {0})
        self.assertIn("its frames 1-1", data["data"]["a"]["source"])


class Command(TestCase):
    def test_refusals(self):
        out = ("--out", self.path("page.html"))
        none = self.path("none")
        self.refused(2, "no results, recording, trace or program; usage: tbrsim report ", "report", *out)
        self.refused(2, "none: there is no such file, expected a directory of results, a recording .*, a trace", "report", *out, none)
        for words in (("--timing", "on"), ("--set", "l2.ways=4"), ("--config", "tcor-64k"), ("--results", none), ("--reuse",)):
            self.refused(2, "it is results; .*are for recordings and traces", "report", *out, *words, self.timed)
        self.refused(2, "--max-size x: expected a number", "report", *out, "--max-size", "x", self.timed)
        self.refused(1, "stats.json: there is no such file", "report", *out, self.directory)
        self.refused(1, "stats.json: there is no such file", "report", *out, "--compare", self.directory, self.timed)
        self.refused(2, "none: there is no such file, expected a directory of results", "report", *out, "--compare", none, self.timed)
        self.refused(2, "--compare-config: .* is results; expected a recording or a trace", "report", *out, "--compare-config",
                     "imr-2m", self.timed)
        self.refused(2, "it is results; .*--reuse", "report", *out, "--reuse", "--compare", self.recording, self.timed)
        before = (pathlib.Path(self.timed) / "stats.json").read_bytes()
        self.refused(2, "--compare .*: the first run's results would replace these; expected --results", "report", *out, "--results",
                     self.timed, "--compare", self.timed, self.recording)
        self.assertEqual((pathlib.Path(self.timed) / "stats.json").read_bytes(), before)
        self.refused(1, "--frames 4-5: the run has 4 frames, 0 to 3", "report", *out, "--frames", "4-5", self.timed)
        self.refused(1, "none/page.html: No such file", "report", "--out", none / "page.html", self.timed)
        self.refused(2, "l2.ways", "report", *out, "--results", none, "--set", "l2.ways=x", self.recording)
        self.refused(1, r"x\.tbr: ", "report", *out, "--results", none, self.path("x.tbr", "no"))
        self.assertFalse(self.path("page.html").exists())

    def test_several_simulations(self):
        several = self.path("several")
        tbrsim.run("sim", "--config", "tcor-64k", "--config", "imr-2m", "--frames", "0", "--out", several, self.recording, check=True)
        self.refused(1, "it has several simulations: name one of tcor-64k, imr-2m", "report", "--out", self.path("page.html"), several)

    def test_run_and_simulations(self):
        """Which of both the page is of, where a directory has them one after the other."""
        both = self.path("both")
        tbrsim.run("sim", "--frames", "0", "--out", both, self.recording, check=True)
        tbrsim.run("sim", "--config", "tcor-64k", "--config", "imr-2m", "--frames", "0", "--out", both, self.recording, check=True)
        result = tbrsim.run("report", "--out", self.path("page.html"), both, check=True)
        self.assertEqual(result.stderr, f"tbrsim: {both}: the page is of the run in stats.json, not of the simulations "
                         f"next to it: {both}/tcor-64k, {both}/imr-2m\n")

    def test_before_a_simulation(self):
        """What is missing is said before the recording is simulated."""
        out = self.path("results")
        self.path("empty").mkdir()
        for words in (("--out", self.path("none/page.html")), ("--compare", self.path("empty"))):
            self.refused(1, "there is no such", "report", *words, "--results", out, self.recording)
        blocked = self.path("modules")
        blocked.mkdir()
        (blocked / "pandas.py").write_text("raise ImportError\n")
        # What the environment has in PYTHONPATH comes after the package and before the system.
        self.refused(1, "pandas is missing: apt install python3-pandas", "report", "--results", out, self.recording,
                     variables={"PYTHONPATH": str(blocked)}, cwd=self.directory)
        self.assertFalse(out.exists())


# Sorts the draws by a column, selects frames by keys, chooses a counter of tiles; what comes out is in attributes.
PROBE = """<script>
const wait = () => new Promise((done) => setTimeout(done, 50));
(async () => {
  while (!("ready" in document.documentElement.dataset)) await wait();
  const put = (name, value) => document.documentElement.setAttribute(`data-${name}`, value);
  const cells = (id, column) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => row.children[column].title || row.children[column].textContent).join(";");
  const head = (text) => [...document.querySelectorAll("#draws thead button")].findIndex((button) => button.textContent.startsWith(text));
  put("read", cells("draws", head("DRAM read")));
  document.querySelectorAll("#draws thead button")[head("fragments")].click();
  put("fragments", cells("draws", head("fragments")));
  document.querySelectorAll("#draws thead button")[head("fragments")].click();
  put("ascending", cells("draws", head("fragments")));
  put("sort", document.querySelectorAll("#draws thead th")[head("fragments")].getAttribute("aria-sort"));
  put("opened", document.querySelector("nav input").value);
  for (const key of ["Home", "ArrowRight"]) {
    document.querySelector(".chart").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await wait();
  }
  put("frame", document.querySelector("nav input").value);
  put("caption", document.querySelector("#draws caption").textContent);
  const counter = [...document.querySelectorAll("#tiles select")][1];
  counter.value = "tiling_engine.pmds";
  counter.dispatchEvent(new Event("change"));
  const map = document.querySelector("#tiles canvas");
  map.focus();
  map.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  put("tile", document.querySelector("#tiles output").textContent);
  const find = async (place) => {
    location.hash = place;
    await wait();
    const line = document.activeElement;
    return `${line.closest("section")?.id}: ${[...line.children].slice(0, 2).map((one) => one.textContent).join(" ")}`;
  };
  put("found", [await find("frame=2&pass=1&draw=7"), await find("frame=2&pass=2"), await find("frame=1&pass=1&draw=0")].join("; "));
  const filter = document.querySelector("#draws input[type=search]");
  const filtered = (text) => {
    filter.value = text;
    filter.dispatchEvent(new Event("input"));
    return document.querySelectorAll("#draws tbody tr").length;
  };
  put("filtered", `${filtered("draw none")} of ${filtered("")}; ${filtered("nonsense")}`);
  filtered("");
  const rows = document.querySelector("#draws .tools select");
  rows.value = "fragment shader";
  rows.dispatchEvent(new Event("change"));
  put("sums", [...document.querySelectorAll("#draws tbody tr")].map((row) => `${row.children[0].textContent}: ${row.children[1].textContent}`).sort().join("; "));
  put("columns", [...document.querySelectorAll("#draws thead button")].map((one) => one.textContent.replace(/ [▲▼]/, "")).join("; "));
  put("graph", [...document.querySelectorAll("#graph .graph > li")].map((node) => node.innerText.replace(/\\s+/g, " ")).join(" | "));
  put("lines", document.querySelectorAll("#graph .lane").length);
  const link = document.querySelector("#graph .target a");
  link.click();
  put("link", `${link.textContent}: ${document.activeElement.id}`);
  put("done", "");
})();
</script></body>"""


# Sizes of the pictures in graph and table; whether the map of tiles shows more of it as its colours fade.
PICTURES = """<script>
const wait = () => new Promise((done) => setTimeout(done, 50));
(async () => {
  while (!("ready" in document.documentElement.dataset)) await wait();
  const put = (name, value) => document.documentElement.setAttribute(`data-${name}`, value);
  const pictures = [...document.querySelectorAll("img.thumbnail")];
  // Not decode(): virtual time waits for loads, and not for other threads.
  await Promise.all(pictures.map((one) => one.complete || new Promise((loaded) => one.addEventListener("load", loaded))));
  put("pictures", pictures.map((one) => `${one.naturalWidth} × ${one.naturalHeight}`).join(" "));
  const slider = document.querySelector("#tiles input[type=range]");
  const canvas = document.querySelector("#tiles canvas");
  const shown = (value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
    return canvas.toDataURL();
  };
  put("curves", document.querySelectorAll("#reuse .uplot").length);
  put("covered", slider.parentElement.hidden === false && shown(0) !== shown(100));
})();
</script></body>"""


# The page's head, and where the links of its findings lead.
VERDICT = """<script>
(async () => {
  const wait = () => new Promise((done) => setTimeout(done, 50));
  while (!("ready" in document.documentElement.dataset)) await wait();
  const put = (name, value) => document.documentElement.setAttribute(`data-${name}`, value);
  put("figures", document.querySelector("#head .figures").innerText.replace(/\\s+/g, " "));
  put("bound", document.querySelector("#head .bound").innerText);
  put("advice", document.querySelector("#advice").innerText.replace(/\\s+/g, " "));
  put("findings", document.querySelectorAll("#head .best li").length);
  put("order", [...document.querySelectorAll("main > section")].map((one) => one.id).join(" "));
  const places = [];
  for (const link of document.querySelectorAll("#head .best li:first-child a")) {
    link.click();
    for (let n = 0; n < 4; n++) await wait();
    const line = document.activeElement;
    const frame = document.querySelector("nav input").value;
    places.push(line.matches("tr") ? `${link.hash} ${frame} ${line.closest("section").id} ${[0, 1].map((n) => line.children[n].textContent).join(" ")}` : `${link.hash} ${line.querySelector("h3")?.textContent.split(":")[0]}`);
  }
  put("places", places.join("; "));
})();
</script></body>"""


# What the comparison pairs, of the frame in the address, and how it marks changes.
COMPARED = """<script>
(async () => {
  const wait = () => new Promise((done) => setTimeout(done, 50));
  while (!("ready" in document.documentElement.dataset)) await wait();
  const put = (name, value) => document.documentElement.setAttribute(`data-${name}`, value);
  for (const select of document.querySelectorAll("#compare select")) {
    select.value = "dram.total.write_bytes";
    select.dispatchEvent(new Event("change"));
  }
  const tables = [...document.querySelectorAll("#compare table")].slice(-2);
  const cells = (table) => [...table.querySelectorAll("tbody tr")].map((row) => [0, 1].map((n) => row.children[n].textContent).join(" ")).sort().join("; ");
  put("passes", cells(tables[0]));
  put("draws", cells(tables[1]));
  put("marks", [[100, 50], [100, 150], [100, 100], [0, 1]].map(([a, b]) => [relative(a, b)].map((one) => `${one.className || ""} ${one.textContent || one}`.trim())).join("; "));
  put("head", document.querySelector("#head .change").innerText.replace(/\\s+/g, " "));
  put("graph", [...document.querySelectorAll("#graph .pass > b")].map((one) => one.textContent).join("; "));
  const within = (cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return text.getBoundingClientRect().right <= cell.getBoundingClientRect().right;
  };
  const labels = [...document.querySelectorAll("#textures td")].filter((cell) => cell.textContent.startsWith("tertiles"));
  put("labels", labels.length > 0 && labels.every(within));
  put("same", document.querySelector("#compare").innerText.includes("Both runs have the same settings."));
})();
</script></body>"""


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Browser(TestCase):
    def dom(self, page, address=""):
        """The document after its scripts have run, as attributes of its root and as text; nothing was reported."""
        path = self.path("shown.html", page)
        result = tbrsim.execute(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                                f"--user-data-dir={self.path('profile')}", "--virtual-time-budget=20000",
                                "--dump-dom", f"file://{path}{address}", variables={"HOME": str(self.directory)}, check=True)
        self.assertEqual([line for line in result.stderr.splitlines() if "CONSOLE" in line], [])
        root = re.search(r"<html[^>]*>", result.stdout)[0]
        return dict(re.findall(r'data-(\w+)="([^"]*)"', root)), result.stdout

    def check_graph(self, attributes):
        """Frame 1 of the desktop: what is blurred and behind it is of frame 0, one pass draws all into a texture, one draws
        that into the window, which was cleared by a pass of its own."""
        earlier, clear, desktop, window = attributes["graph"].split(" | ")
        self.assertEqual(len(re.findall(r"#\d+ r8g8b8a8_unorm, \d+ × \d+ read by pass 1", earlier)), 4)
        self.assertRegex(clear, r"^Pass 0 960 × 540, 0 draws DRAM: .* written window #\d+ b8g8r8a8_unorm, 960 × 540 colour: 1\.98 MiB stored; read by pass 2$")
        self.assertRegex(desktop, r"^Pass 1 960 × 540, 25 draws .*(reads #\d+ \(.*, of an earlier frame\) ){4}1 other texture .*; read by pass 2$")
        self.assertRegex(window, r"loads window #\d+ \(1\.98 MiB, of pass 0\) reads #\d+ \(.*, of pass 1\) window .*; shown$")
        # A piece of line for each row that a target is passed on in: of four through three rows, of the window three, of the texture two.
        self.assertEqual(attributes["lines"], str(4 * 3 + 3 + 2))
        self.assertEqual(attributes["link"], "pass 1: pass-1")

    def check_draws(self, attributes, draws):
        """Links find their rows; the filter, and the sums by shader, whose columns are a few."""
        self.assertEqual(attributes["found"], "draws: 1 7; passes: 2 960 × 540; draws: 1 0")
        rows = list(zip(draws["draw"], draws["fragment_shader"]))
        self.assertEqual(attributes["filtered"], f"{sum(draw is None for draw, _ in rows)} of {len(rows)}; 0")
        shaders = [shader for draw, shader in rows if draw is not None]
        sums = {f"{shader}: {shaders.count(shader)}" for shader in shaders} | {"none: traffic of no draw, such as tile loads and stores: 0"}
        self.assertEqual(set(attributes["sums"].split("; ")), sums)
        self.assertEqual(attributes["columns"].split("; ")[:2], ["fragment shader", "draws"])
        self.assertRegex(attributes["columns"], r"energy \(\d+\.\d % of the frame's\); DRAM read; DRAM written; vertices; fragments; cycles of shading; cycles of waiting for data$")

    def test_page(self):
        page, data = self.report("--compare", self.plain, self.timed)
        attributes, text = self.dom(page.replace("</body>", PROBE))
        self.assertIn("done", attributes, text[-2000:])
        opened = data["data"]["a"]["opens_at"]
        self.assertEqual(attributes["opened"], str(opened))
        draws = data[f"a-{opened}"]["draws"]

        def shown(name):
            return [int(value.replace(",", "")) for value in attributes[name].split(";")]
        self.assertEqual(shown("read"), sorted(draws["dram.total.read_bytes"], reverse=True))
        self.assertEqual(shown("fragments"), sorted(draws["fragment_stage.fragments"], reverse=True))
        self.assertEqual(shown("ascending"), sorted(draws["fragment_stage.fragments"]))
        self.assertEqual((attributes["sort"], attributes["frame"]), ("ascending", "1"))
        self.assertEqual(html.unescape(attributes["caption"]), '26 draws in frame 1. Row "none": traffic of no draw, such as tile loads and stores.')
        tiles, frame = data["a-1"]["tiles"], 1
        largest = max(set(tiles["pass"]), key=lambda one: sum(
            count for count, of, place in zip(tiles["fragment_stage.fragments"], tiles["pass"], tiles["column"])
            if of == one and place is not None))
        row = next(row for row in range(len(tiles["frame"])) if (tiles["pass"][row], tiles["pass_frame"][row], tiles["column"][row],
                                                                 tiles["row"][row]) == (largest, frame, 1, 0))
        self.assertRegex(attributes["tile"], rf"column 1, row 0: {tiles['tiling_engine.pmds'][row]:,}$")
        self.check_draws(attributes, data["a-1"]["draws"])
        self.assertIn('id="compare"', text)
        self.check_graph(attributes)

    def test_verdict(self):
        """The head has the selected frame's time, traffic and what bounds it, and findings with links to what they are about."""
        advised = self.path("advised")
        shutil.copytree(self.timed, advised)
        self.fine("advise", "--json", "--timing", "on", "--most", "8", "--frames", "0-1", "--warm-up", "1", "-o", advised / "advice.json", self.recording)
        answer = json.loads((advised / "advice.json").read_text())
        answer["together"] = {"saves": {"dram_bytes": 2 << 20}, "saves_percent": {"dram_bytes": 12.5}, "without": [1],
                              "frames_not_known": 1, "others": {"saves": {"dram_bytes": 3 << 20}, "saves_percent": {"dram_bytes": 18.75}}}
        answer["loading_frames"] = [{"frame": 0, "passes": 900, "draws": 9}]
        answer["hidden_overdraw"] = {"fragments": 3e6, "of_opaque": 4e6}
        answer |= {"frame_numbers": [0, 1, 3], "typical": "tbrsim advise --frames 0-3"}
        answer["findings"][0] |= {"same_loads": [1]} | {
            "break": {"reason": "glFenceSync", "next_pass": 2, "last_call_before": 17, "end_call": 18, "first_call_after": 19, "meanwhile": None},
            "or": answer["together"] | {"condition": "with 4 bits per texel"}, "assumption": "what is read is read once"}
        (advised / "advice.json").write_text(json.dumps(answer))
        page, data = self.report(advised)
        run = data["data"]["a"]
        attributes, _ = self.dom(page.replace("</body>", VERDICT))
        frame = run["opens_at"]
        cycles = run["frames"]["gpu.cycles"][frame]
        traffic = sum(run["frames"][f"dram.total.{one}_bytes"][frame] for one in ("read", "write"))
        self.assertIn(f"{cycles / 600e3:.2f} ms of frame time:", attributes["figures"])
        self.assertIn(f"{60 * traffic / 1e9:.2f} GB/s of DRAM at 60 frames per second", attributes["figures"])
        shares = {stage: sum(run["frames"].get(f"{stage}.{state}_cycles", [0] * 4)[frame] for state in ("busy", "memory")) /
                  sum(run["frames"].get(f"{stage}.{state}_cycles", [0] * 4)[frame] for state in ("busy", "memory", "starved", "blocked"))
                  for stage in ("vertex_processors", "tile_fetcher", "rasterizer", "fragment_processors")}
        self.assertIn(max(shares, key=shares.get).replace("_", " "), attributes["bound"])
        self.assertRegex(attributes["bound"], r"DRAM's buses are busy \d+\.\d % of the time\.$")
        findings = [one for one in run["advice"]["findings"] if not one["settings"]]
        self.assertEqual(attributes["findings"], str(min(3, len(findings))))
        self.assertEqual(attributes["order"], "advice totals frames graph draws textures passes tiles configuration")
        for said in ("All of them together, but for the order of tiles: saves 2 MiB of DRAM traffic (12.5 %) per frame, without number 2,",
                     "In 1 frame it is not known what becomes of some stores: these save nothing there. In the others, it saves 3 MiB of DRAM traffic",
                     "Each finding was simulated, over frames 0 to 1, 3, which are most like the others (tbrsim advise --frames 0-3 prints the same), with",
                     f"Overlap number 2 ({answer['findings'][1]['rule']}) saves loads that this one saves",
                     "1 frame that looks like loading is not counted", "This GPU hides 3 million opaque fragments per frame (75.0 % of all)", "Ends by glFenceSync, call 18",
                     "Goes on in pass 2, between call 17 and call 19", "With 4 bits per texel, it saves 2 MiB", "Simulated what is read is read once"):
            self.assertIn(said, attributes["advice"])
        first = findings[0]
        places = html.unescape(attributes["places"]).split("; ")
        self.assertEqual(places[0], f"#advice-{run['advice']['findings'].index(first) + 1} {first['title']}")
        self.assertIn(f"#frame={first['frame']}&pass={first['pass']} {first['frame']} passes {first['pass']} 960 × 540", places)
        if first["resource"]:
            self.assertIn(f"#frame={first['frame']}&texture={first['resource']['id']} {first['frame']} textures {first['resource']['id']} ", places[1])
        plain, text = self.dom(self.report(self.plain)[0].replace("</body>", VERDICT))
        run = tbrsim.statistics_files.load(self.plain)["run"]
        self.assertIn(f"commit {run['commit']},", text)
        self.assertIn(f"recording {run['recording']}<", text)
        self.assertEqual(plain["bound"], "Frame time, and what bounds it, are not known: this run has no timing. "
                         "tbrsim report of a recording or a trace simulates it, unless with --timing off.")

    def test_two_runs(self):
        """A pass that only one run has does not shift the others; passes are called as the program calls them; less is better."""
        def name(rows):
            """Draws of pass 1 are within one group."""
            return [row | {"group": f"scene/{row['draw']}"} if row["pass"] == "1" and row["draw"] else row for row in rows]

        def remove(rows):
            """Pass 0 is not there, and the next ones are earlier by 1."""
            return [row | {"pass": int(row["pass"]) - 1} for row in rows if row["pass"] != "0"]
        def label(rows):
            return [row | {"label": "tertilesc3hw" * 4} if row["kind"] == "texture" else row for row in rows]
        named = self.changed(self.changed(self.timed, "draws", name), "textures", label)
        other = self.changed(self.changed(named, "draws", remove), "passes", remove)
        page, _ = self.report("--compare", other, named)
        attributes, _ = self.dom(page.replace("</body>", COMPARED), "#frame=2")
        self.assertEqual(attributes["passes"], "0 (other: –) 960 × 540; 1 (other: 0) scene; 2 (other: 1) 960 × 540")
        pairs = attributes["draws"].split("; ")
        self.assertEqual([pair for pair in pairs if not re.fullmatch(r"(1 \(other: 0\)|2 \(other: 1\)) (\d+|none)", pair)], ["0 (other: –) none (other: –)"])
        self.assertGreater(len(pairs), 10)
        self.assertEqual(attributes["marks"], "better ▼ −50.0 %; worse ▲ +50.0 %; 0.0 %; new")
        self.assertRegex(attributes["head"], r"^The other run \(.*\) against this one, per frame: DRAM traffic 0\.0 %, cycles 0\.0 %, energy 0\.0 %, ")
        self.assertEqual(attributes["graph"], "Earlier frames; Pass 0; Pass 1: scene; Pass 2")
        self.assertEqual((attributes["same"], attributes["labels"]), ("true", "true"))

    def test_of_traces(self):
        out = self.path("results")
        page, data = self.report("--results", out, "--frames", "0", "--set", "l2.ways=16", "--reuse", tbrsim.CAPTURES / "glmark2_function.trace")
        self.same_frames(out, data["data"]["a"])
        self.same_tables(out, "a", data)
        self.assertEqual(data["data"]["a"]["title"], "glmark2_function.trace")
        self.assertEqual(data["data"]["a"]["program"], "glmark2-es2")
        # The replay's pictures of passes are in the page.
        pictures = {path.name: path.read_bytes() for path in out.glob("*/thumbnails/*.png")}
        self.assertTrue(pictures)
        table = data["a-0"]["thumbnails"]
        self.assertEqual({f"0-{number}.png": base64.b64decode(png) for number, png in zip(table["pass"], table["png"])}, pictures)
        attributes, _ = self.dom(page.replace("</body>", PICTURES))
        # The head has that of the last pass; both passes are of the window, which has its size from the first on.
        self.assertEqual(attributes["pictures"], " ".join(["160 × 90"] * 5))
        self.assertEqual((attributes["covered"], attributes["curves"]), ("true", "1"))
        # The replay was recorded for its reuse distances.
        self.assertEqual([sorted(unit["streams"]) for unit in data["data"]["a"]["reuse"]["units"]][0], [])
        # Without the replay's log the program's name is known, too.
        (out / "replay.log").unlink()
        run = self.report(out)[1]["data"]["a"]
        self.assertEqual((run["title"], run["program"]), ("glmark2-es2", "glmark2-es2"))

    def test_without_attributions(self):
        """A run that has none, and one of an immediate-mode GPU."""
        bare, immediate = self.path("bare"), self.path("immediate")
        self.fine("sim", "--frames", "0-1", "--out", bare, self.recording)
        self.fine("sim", "--config", "imr-8m", "--timing", "on", "--attribute", "pass,draw,texture,tile", "--frames", "0",
                  "--out", immediate, self.recording)
        for directory, what in ((bare, "This run has no draws: simulate it with --attribute draw."), (immediate, "LLC")):
            attributes, text = self.dom(self.report(directory)[0])
            self.assertIn("ready", attributes, directory)
            self.assertIn(what, text)

    def test_what_is_left_out(self):
        page, data = self.report("--max-size", "100K", self.timed)
        attributes, text = self.dom(page)
        self.assertIn("ready", attributes)
        for said in (*data["data"]["notes"], data["data"]["left_out"][data["data"]["a"]["opens_at"]]["say"]):
            self.assertIn(said, text)
        attributes, text = self.dom(self.report("--frames", "1", self.timed)[0], "#frame=2")
        self.assertIn("Frame 2 is not among those of --frames 1-1.", text)

        def many(rows):
            """A frame of 100 passes."""
            last = next(row for row in rows if row["frame"] == row["pass_frame"] == "2" and row["pass"] == "2")
            return rows + [last | {"pass": number} for number in range(3, 100)]
        attributes, text = self.dom(self.report(self.changed(self.timed, "passes", many))[0], "#frame=2")
        self.assertIn("Show all 100 passes (60 are shown)", text)
        self.assertEqual(len(re.findall(r'id="pass-\d+"', text)), 60)


if __name__ == "__main__":
    tbrsim.main()
