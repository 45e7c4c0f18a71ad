# SPDX-License-Identifier: MIT
"""tbrsim report: the numbers in the page against the files that it is made of, what the command refuses, and the page in
Chromium, where that is installed."""

import base64
import csv
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
        """The page, and what it has."""
        out = self.path("page.html")
        self.assertRegex(self.fine("report", "--out", out, *words), rf"^report: {out} \(\d+ KB\)\n$")
        page = out.read_text()
        return page, unpack(page)

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
        self.assertEqual(data["data"]["a"]["left_out"], [])
        self.assertEqual(data["data"]["counters"]["dram.total.read_bytes"][0], "bytes")
        self.assertLess(len(page), 1 << 20)

    def test_targets(self):
        """What passes render to, and the last pass that reads it: against the rows of textures.csv."""
        with open(self.timed / "textures.csv", encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["kind"] in ("texture", "window")]

        def sum_of(row, event, *streams):
            return sum(int(value) for name, value in row.items() for stream in streams if name.endswith(f".{stream}.{event}"))
        first, read = {}, {}
        for row in rows:
            place = [int(row["pass_frame"]), int(row["pass"])]
            if sum_of(row, "writes", "color", "depth", "stencil"):
                first[row["resource"]] = min(first.get(row["resource"], place), place)
            if sum_of(row, "reads", "color", "depth", "stencil", "texture"):
                read[row["resource"]] = max(read.get(row["resource"], place), place)
        expected = {resource: {"first": place, "read": read.get(resource)} for resource, place in first.items()}
        targets = self.report(self.timed)[1]["data"]["a"]["targets"]
        self.assertEqual(targets, expected)
        # The desktop's own picture, and the windows that are blurred behind others, are read; the depth buffer is not.
        self.assertIn(None, [entry["read"] for entry in targets.values()])
        self.assertIn([3, 2], [entry["read"] for entry in targets.values()])
        self.assertEqual(self.report(self.plain)[1]["data"]["a"]["targets"], {})

    def test_two_runs(self):
        _, data = self.report("--compare", self.plain, self.timed)
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
                             f"{self.recording}, its frames 1-1, which are numbered from 0 here")
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
        """What there is no room for is left out, and listed."""
        size = len(self.report("--frames", "0", self.timed)[0].encode()) + 2000
        page, data = self.report("--max-size", size, self.timed)
        self.assertLessEqual(len(page.encode()), size)
        self.assertEqual(data["data"]["a"]["left_out"], [1, 2, 3])
        self.assertEqual(sorted(data), ["a-0", "data"])

    def test_nothing_from_elsewhere(self):
        page, data = self.report(self.timed)
        self.assertNotRegex(page, r"<(link|img|iframe)|(src|href)=\"?(http|//)|@import|url\(")
        self.assertIn("Copyright (c) 2022 Leon Sorokin", page)
        notices = (tbrsim.SOURCE / "subprojects" / "NOTICES.md").read_text()
        self.assertIn("Copyright (c) 2022 Leon Sorokin", notices)
        self.assertRegex(data["data"]["a"]["configuration"], r"clock_mhz: 600 # tcor-baseline-64k\.yaml:\d+\n")
        self.assertRegex(data["data"]["a"]["configuration"], r"timing: on # --set\n")

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
        self.fine("sim", "--timing", "on", "--attribute", "pass,draw,texture,tile", "--frames", "0-1", "--out", alone, self.recording)
        _, data = self.report("--results", out, "--timing", "on", "--frames", "0-1", self.recording)
        self.assertEqual(tbrsim.contents(out), tbrsim.contents(alone))
        self.same_tables(alone, "a", data)
        self.assertIn(str(self.recording), data["data"]["a"]["source"])
        self.check_reuse(data["data"]["a"]["reuse"])
        advice = json.loads(self.fine("advise", "--json", "--timing", "on", "--most", "12", "--warm-up", "1", "--frames", "0-1",
                                      self.recording))
        self.assertGreater(len(advice["findings"]), 1)
        for key in ("findings", "a_frame_has", "save_less", "not_simulated", "overdraw_known"):
            self.assertEqual(data["data"]["a"]["advice"][key], advice[key])
        _, data = self.report("--results", out, "--frames", "1", "--config", "tcor-64k", "--set", "l2.ways=16", self.recording)
        self.assertEqual(tbrsim.configuration(out)["caches"]["l2"]["ways"], 16)
        self.assertEqual((data["data"]["a"]["run"]["preset"], data["data"]["a"]["num_frames"]), ("tcor-64k", 1))
        self.assertEqual([data["data"]["a"]["reuse"][key] for key in ("frames", "warm_up")], [1, 0])
        self.assertIn("its frames 1-1", data["data"]["a"]["source"])


class Command(TestCase):
    def test_refusals(self):
        out = ("--out", self.path("page.html"))
        none = self.path("none")
        self.refused(2, "no results, recording or trace; usage: tbrsim report ", "report", *out)
        self.refused(2, "none: expected a directory of results, a recording .* or a trace", "report", *out, none)
        for words in (("--timing", "on"), ("--set", "l2.ways=4"), ("--config", "tcor-64k"), ("--results", none)):
            self.refused(2, "it is results; .*are of recordings and traces", "report", *out, *words, self.timed)
        self.refused(2, "--max-size x: expected a number", "report", *out, "--max-size", "x", self.timed)
        self.refused(1, "stats.json: there is no such file", "report", *out, self.directory)
        self.refused(1, "stats.json: there is no such file", "report", *out, "--compare", self.directory, self.timed)
        self.refused(2, "none: expected a directory of results, a recording .* or a trace", "report", *out, "--compare", none, self.timed)
        self.refused(2, "--compare-config: .* is results; expected a recording or a trace", "report", *out, "--compare-config",
                     "imr-2m", self.timed)
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
                         f"beside it: {both}/tcor-64k, {both}/imr-2m\n")

    def test_before_a_simulation(self):
        """What is missing is said before the recording is simulated."""
        out = self.path("results")
        self.path("empty").mkdir()
        for words in (("--out", self.path("none/page.html")), ("--compare", self.path("empty"))):
            self.refused(1, "there is no such", "report", *words, "--results", out, self.recording)
        blocked = self.path("modules")
        blocked.mkdir()
        (blocked / "pandas.py").write_text("raise ImportError\n")
        # What the environment has in PYTHONPATH is behind the package, and in front of the system.
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
  document.querySelector(".chart").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  await wait();
  put("frame", document.querySelector("nav input").value);
  put("caption", document.querySelector("#draws caption").textContent);
  const counter = [...document.querySelectorAll("#tiles select")][1];
  counter.value = "tiling_engine.pmds";
  counter.dispatchEvent(new Event("change"));
  const map = document.querySelector("#tiles canvas");
  map.focus();
  map.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  put("tile", document.querySelector("#tiles output").textContent);
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
  await Promise.all(pictures.map((one) => one.decode()));
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


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Browser(TestCase):
    def dom(self, page, *options):
        """The document after its scripts have run, as attributes of its root and as text; nothing was reported."""
        path = self.path("shown.html", page)
        result = tbrsim.execute(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                                f"--user-data-dir={self.path('profile')}", "--virtual-time-budget=20000", *options,
                                "--dump-dom", f"file://{path}", variables={"HOME": str(self.directory)}, check=True)
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
        self.assertRegex(window, r"reads #\d+ \(.*, of pass 1\) loads window #\d+ \(1\.98 MiB, of pass 0\) window .*; shown$")
        # A piece of line for each row that a target is passed on in: of four through three rows, of the window three, of the texture two.
        self.assertEqual(attributes["lines"], str(4 * 3 + 3 + 2))
        self.assertEqual(attributes["link"], "pass 1: pass-1")

    def test_page(self):
        page, data = self.report("--compare", self.plain, self.timed)
        attributes, text = self.dom(page.replace("</body>", PROBE))
        self.assertIn("done", attributes, text[-2000:])
        draws = data["a-0"]["draws"]

        def shown(name):
            return [int(value.replace(",", "")) for value in attributes[name].split(";")]
        self.assertEqual(shown("read"), sorted(draws["dram.total.read_bytes"], reverse=True))
        self.assertEqual(shown("fragments"), sorted(draws["fragment_stage.fragments"], reverse=True))
        self.assertEqual(shown("ascending"), sorted(draws["fragment_stage.fragments"]))
        self.assertEqual((attributes["sort"], attributes["frame"]), ("ascending", "1"))
        self.assertIn("of frame 1;", attributes["caption"])
        tiles, frame = data["a-1"]["tiles"], 1
        largest = max(set(tiles["pass"]), key=lambda one: sum(
            count for count, of, place in zip(tiles["fragment_stage.fragments"], tiles["pass"], tiles["column"])
            if of == one and place is not None))
        row = next(row for row in range(len(tiles["frame"])) if (tiles["pass"][row], tiles["pass_frame"][row], tiles["column"][row],
                                                                 tiles["row"][row]) == (largest, frame, 1, 0))
        self.assertRegex(attributes["tile"], rf"column 1, row 0: {tiles['tiling_engine.pmds'][row]:,}$")
        self.assertIn('id="compare"', text)
        self.check_graph(attributes)

    def test_of_traces(self):
        out = self.path("results")
        page, data = self.report("--results", out, "--frames", "0", "--set", "l2.ways=16", tbrsim.CAPTURES / "glmark2_function.trace")
        self.same_frames(out, data["data"]["a"])
        self.same_tables(out, "a", data)
        self.assertEqual(data["data"]["a"]["title"], "glmark2_function.trace")
        # The replay's pictures of passes are in the page.
        pictures = {path.name: path.read_bytes() for path in out.glob("*/thumbnails/*.png")}
        self.assertTrue(pictures)
        table = data["a-0"]["thumbnails"]
        self.assertEqual({f"0-{number}.png": base64.b64decode(png) for number, png in zip(table["pass"], table["png"])}, pictures)
        attributes, _ = self.dom(page.replace("</body>", PICTURES))
        sizes = [f"{width} × {height}" for width, height in ((32, 32), (160, 90))]
        self.assertEqual(attributes["pictures"], " ".join(sizes * 2))
        self.assertEqual((attributes["covered"], attributes["curves"]), ("true", "1"))
        # The replay was recorded for its reuse distances.
        self.assertEqual([sorted(unit["streams"]) for unit in data["data"]["a"]["reuse"]["units"]][0], [])

    def test_without_attributions(self):
        """A run that has none, and one of an immediate-mode GPU."""
        bare, immediate = self.path("bare"), self.path("immediate")
        self.fine("sim", "--frames", "0-1", "--out", bare, self.recording)
        self.fine("sim", "--config", "imr-8m", "--timing", "on", "--attribute", "pass,draw,texture,tile", "--frames", "0",
                  "--out", immediate, self.recording)
        for directory, what in ((bare, "The page has no draws of this frame"), (immediate, "LLC")):
            attributes, text = self.dom(self.report(directory)[0])
            self.assertIn("ready", attributes, directory)
            self.assertIn(what, text)

    def test_what_is_left_out(self):
        attributes, text = self.dom(self.report("--frames", "0", "--max-size", "100K", self.timed)[0])
        self.assertIn("ready", attributes)
        self.assertIn("it would be larger than 100 KiB", text)


if __name__ == "__main__":
    tbrsim.main()
