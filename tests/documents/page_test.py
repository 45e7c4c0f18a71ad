# SPDX-License-Identifier: MIT
"""The page of the papers' evaluations: claims that come out, their spread over variants of scenes, what moves them.
Skipped where the packages of scripts/packages-experiments.txt are not installed."""

import importlib.util
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "experiments"))
if missing := [name for name in ("markdown", "matplotlib", "numpy") if importlib.util.find_spec(name) is None]:
    print("not installed:", *missing)
    sys.exit(77)
import page  # noqa: E402
import sensitivity  # noqa: E402

FREE = [{"key": "overdraw", "range": [2.0, 4.0]}, {"key": "mesh", "range": [2, 16]},
        {"key": "order", "range": ["strips", "scattered"]}]


def make_png(path):
    figure, _ = page.new_plot("", "")
    page.save(figure, path.parent, path.stem)


class Results(unittest.TestCase):
    """A directory of results of one paper, the banked texture cache's."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.out = pathlib.Path(directory.name) / "out"
        self.scenes = pathlib.Path(directory.name) / "scenes"
        self.scenes.mkdir()
        for name in ("one", "two"):
            (self.scenes / f"{name}.yaml").write_text(yaml.safe_dump({"name": name, "free": FREE}), encoding="utf-8")
        self.sets = pathlib.Path(directory.name) / "sets.yml"
        self.assume({})
        patch = unittest.mock.patch.object(page, "ASSUMPTIONS", self.sets)
        patch.start()
        self.addCleanup(patch.stop)

    def assume(self, sets):
        self.sets.write_text(yaml.safe_dump(sets), encoding="utf-8")

    def write_headlines(self, directory, claims):
        directory.mkdir(parents=True)
        (directory / "headlines.json").write_text(json.dumps(
            [{"claim": claim, "paper": paper, "here": here} for claim, paper, here in claims]), encoding="utf-8")

    def write_figures(self, its_set, claims):
        figures = self.out / its_set / "banked" / "figures"
        self.write_headlines(figures, claims)
        text = (SOURCE / "docs" / "experiments" / "banked" / "tables.md").read_text(encoding="utf-8")
        (figures / "tables.md").write_text(text, encoding="utf-8")
        for plot in re.findall(r"docs/experiments/banked/([\w-]+)\.png",
                               (SOURCE / "docs" / "papers" / "banked.md").read_text(encoding="utf-8")):
            make_png(figures / f"{plot}.png")

    def write_variants(self, count, value):
        """value: a function of a variant's values."""
        directory = self.out / "recordings" / "scenes" / f"{count}-variants"
        directory.mkdir(parents=True)
        numbers, here = random.Random(5), {}
        for scene in ("one", "two"):
            for number in range(1, count + 1):
                values = {"overdraw": numbers.uniform(2, 4), "mesh": numbers.randint(2, 16),
                          "order": numbers.choice(["strips", "scattered"])}
                (directory / f"{scene}~{number}.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
                here[f"{scene}~{number}"] = value(scene, values)
        self.write_headlines(self.out / "variants" / "banked" / "headlines", [("accesses, %", -50, here)])
        return here

    def write_page(self):
        page.write(self.out, self.scenes)
        return (self.out / "index.md").read_text(encoding="utf-8")

    def claims(self):
        """The page before its first plot."""
        return self.write_page().split("![")[0]


class Page(Results):
    def test_claims(self):
        self.write_figures("scenes", [("accesses, %", -50, {"one": -20.0, "two": -40.0}), ("energy, %", 10, {"one": -10.0}),
                                      ("times, times", 3, {"one": None, "two": 3.9})])
        self.write_figures("captures", [("accesses, %", -50, {"three": -60.0})])
        text = self.claims()
        self.assertIn("\n1 of 3 headline claims on 2 scenes; 1 of 1 headline claims on 1 capture.\n", text)
        self.assertIn("\n| accesses, % | −50.0 | −30.0 | −60.0 ✓ |\n", text)
        self.assertIn("\n| energy, % | +10.0 | −10.0 | – |\n", text)
        self.assertIn("\n| times, times | 3.0 | 3.9 ✓ | – |\n", text)

    def test_all_in_one_file(self):
        self.write_figures("scenes", [("accesses, %", -50, {"one": -30.0})])
        text, html = self.write_page(), (self.out / "index.html").read_text(encoding="utf-8")
        images = re.findall(r"!\[.*?\]\((.*?)\)", text)
        self.assertGreater(len(images), 4)
        self.assertTrue(all((self.out / image).exists() for image in images))
        self.assertEqual(html.count('src="data:image/png;base64,'), len(images))
        self.assertNotIn('src="plots', html)
        self.assertNotIn("http", re.sub(r'"data:[^"]*"', "", html).replace("http://www.w3.org", ""))

    def test_a_figure_that_was_not_drawn(self):
        self.write_figures("scenes", [("accesses, %", -50, {"one": -30.0})])
        next((self.out / "scenes" / "banked" / "figures").glob("*.png")).unlink()
        with self.assertRaisesRegex(FileNotFoundError, "it was not drawn"):
            self.write_page()

    def test_variants(self):
        self.write_figures("scenes", [("accesses, %", -50, {"one": -30.0})])
        here = self.write_variants(12, lambda scene, values: -20.0 - 5 * (values["overdraw"] - 2) - 10 * (scene == "two"))
        averages = [(here[f"one~{number}"] + here[f"two~{number}"]) / 2 for number in range(1, 13)]
        low, high = (f"{value:+.1f}".replace("-", "−") for value in (min(averages), max(averages)))
        self.assertIn(f"\n| accesses, % | −50.0 | −30.0 | {low} to {high} | overdraw −10.0 |\n", self.claims())


    def test_assumptions(self):
        self.write_figures("scenes", [("accesses, %", -50, {"one": -30.0}), ("energy, %", 10, {"one": 9.0}), ("time, %", 2, {"one": -1.0})])
        self.write_headlines(self.out / "assumed" / "less" / "banked" / "headlines",
                             [("accesses, %", -50, {"one": -40.0, "two": -50.0}), ("energy, %", 10, {"one": 10.0, "two": None}),
                              ("time, %", 2, {"one": 4.0, "two": 4.0})])
        self.assume({"banked": {"sets": {"less": {"what": "All is less.", "settings": ["a=1"]}}, "why": "x.md#why"}})
        text = self.claims()
        self.assertIn("\nWith `less` 2 of 3. All is less. (`a=1`)\n", text)
        self.assertIn("\n| accesses, % | −50.0 | −30.0 | −45.0 ✓ | with `less` |\n", text)
        self.assertIn("\n| energy, % | +10.0 | +9.0 ✓ | +10.0 ✓ | with defaults and `less` |\n", text)
        self.assertIn("\n| time, % | +2.0 | −1.0 | +4.0 | no: [why](x.md#why) |\n", text)

    def test_a_claim_without_a_reason(self):
        """One that comes out with nothing needs where that is explained."""
        self.write_figures("scenes", [("time, %", 2, {"one": -1.0})])
        self.assume({"banked": {"why": "x.md#why"}})
        self.assertIn("\n| time, % | +2.0 | −1.0 | no: [why](x.md#why) |\n", self.claims())
        self.assume({"banked": {"sets": {}}})
        with self.assertRaisesRegex(ValueError, "time, % comes out with no set"):
            self.claims()

    def test_total(self):
        its = page.Page.__new__(page.Page)
        its.assumed = {"less": None, "more": None}
        its.claims = [page.Claim("a, %", 9, {"scenes": 8.0}, None, None, {"less": -9.0, "more": 9.0}),
                      page.Claim("b, %", 9, {"scenes": 1.0}, None, None, {"less": None, "more": 8.0}),
                      page.Claim("c, %", 9, {}, None, None, {"less": 9.0, "more": 2.0})]
        self.assertEqual(its.comes_out(), (3, 1, 2))


class Documents(unittest.TestCase):
    def test_page(self):
        """One page of all papers, from the documents' tables and plots."""
        experiments = SOURCE / "docs" / "experiments"
        with tempfile.TemporaryDirectory() as directory:
            pages = [page.Page(name, {"captures": experiments / experiment}, {}, None, pathlib.Path(directory))
                     for name, experiment in page.PAPERS.items()]
            text = page.compose(pages)
            for path in experiments.glob("*/*.png"):
                if path.parent.name != "together":
                    self.assertEqual(len(list(pathlib.Path(directory).rglob(path.name))), 1, path.name)
        self.assertEqual(len(re.findall(r" headline claims on \d+ captures\.", text)), len(page.PAPERS))
        for name, experiment in page.PAPERS.items():
            for section, table in page.read_sections(experiments / experiment).items():
                if section != "headlines":
                    self.assertIn(table, text, f"{name}: {section}")

    def test_headlines(self):
        """The document: each claim comes out with something, or has where it is said why not; its first line counts the marks."""
        text = (SOURCE / "docs" / "headlines.md").read_text(encoding="utf-8")
        introduction, *parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
        totals = []
        for name, part in zip(parts[::2], parts[1::2]):
            header, _, *rows = [line[2:-2].split(" | ") for line in part.splitlines() if line.startswith("| ")]
            last = header.index("comes out")
            marks = [[cell.endswith("✓") for cell in row[2:last]] for row in rows]
            for row, its in zip(rows, marks):
                link = re.fullmatch(r"no: \[why\]\((.+)#.+\)", row[last])
                self.assertEqual(any(its), link is None, f"{name}: {row[0]}")
                self.assertTrue(link is None or (SOURCE / "docs" / link[1]).exists(), f"{name}: {row[last]}")
            counts = [sum(its) for its in zip(*marks)]
            totals.append((len(rows), counts[0], max(counts)))
        self.assertIn("\nOf {} claims {} come out with the presets and scenes as they are, and {} with one set".format(*map(sum, zip(*totals))),
                      introduction)

    def test_assumption_sets(self):
        """A paper has one entry: of two, YAML would take the last one and say nothing."""
        text = (SOURCE / "experiments" / "assumption_sets.yml").read_text(encoding="utf-8")
        names = re.findall(r"^([\w-]+):", text, flags=re.MULTILINE)
        self.assertEqual(sorted(set(names)), sorted(names))
        self.assertLessEqual(set(names), set(page.PAPERS.values()))

    def test_what_comes_out(self):
        self.assertTrue(page.holds(-33.5, -25.0))
        self.assertTrue(page.holds(5.0, 6.6))
        self.assertFalse(page.holds(-33.5, -22.0))
        self.assertFalse(page.holds(-33.5, 33.5))
        self.assertFalse(page.holds(4.0, 5.5))


class Sensitivity(Results):
    def influences(self, count, value):
        here = self.write_variants(count, value)
        return sensitivity.influences(here, sensitivity.Positions(self.scenes, self.out / "recordings" / "scenes"))

    def test_slopes(self):
        """Those of the two parameters that matter, whatever the scene's own level is; ranges of 8 to 1 are in equal ratios."""
        noise = random.Random(1)
        found, together = self.influences(40, lambda scene, values: (100 if scene == "one" else 0) + 3 * (values["overdraw"] - 2)
                                - 4 * (values["order"] == "scattered") + noise.gauss(0, 0.3))
        self.assertTrue(together)
        slopes = {key: slope for key, slope, _ in found}
        self.assertEqual([key for key, *_ in found][:2], ["overdraw", "order"])
        self.assertAlmostEqual(slopes["overdraw"], 6, delta=0.6)
        self.assertAlmostEqual(slopes["order"], -4, delta=0.6)
        self.assertTrue(all(0.05 < error < 0.4 for *_, error in found))

    def test_nothing_moves_it(self):
        noise = random.Random(2)
        here = self.write_variants(40, lambda scene, values: noise.gauss(0, 0.01))
        positions = sensitivity.Positions(self.scenes, self.out / "recordings" / "scenes")
        self.assertEqual(sensitivity.most(here, positions), "none")

    def test_one_by_one(self):
        """With fewer variants, what matters most by far is found, with a larger error; noise is not."""
        here = self.write_variants(6, lambda scene, values: (100 if scene == "one" else 0) + 3 * (values["overdraw"] - 2))
        positions = sensitivity.Positions(self.scenes, self.out / "recordings" / "scenes")
        found, together = sensitivity.influences(here, positions)
        self.assertFalse(together)
        self.assertEqual(found[0][0], "overdraw")
        self.assertAlmostEqual(found[0][1], 6, delta=1e-6)
        self.assertEqual(sensitivity.most(here, positions).split(",")[0], "overdraw +6.0")
        noise = random.Random(3)
        self.assertEqual(sensitivity.most({name: noise.gauss(0, 1) for name in here}, positions), "none for certain")

    def test_too_few(self):
        self.assertIsNone(self.influences(4, lambda scene, values: values["overdraw"]))


class Workflows(unittest.TestCase):
    def jobs(self, directory, experiment, target, *configuration):
        """{rule: how many jobs} of an experiment."""
        result = subprocess.run(
            ["snakemake", target, "--snakefile", SOURCE / "experiments" / experiment / "Snakefile",
             "--directory", directory, "--nolock", "--dryrun", "--quiet", "--cores", "1", "--config", *configuration,
             f"out={directory}/out", f"recordings={directory}/recordings"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(re.findall(r"^(\w+) +(\d+) +1 +1$", result.stdout, flags=re.MULTILINE))

    @unittest.skipUnless(shutil.which("snakemake"), "snakemake is not installed")
    def test_every_experiment_has_its_jobs(self):
        """Of the claims of each paper, from scenes, their variants and captures."""
        assumptions = yaml.safe_load(page.ASSUMPTIONS.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "few.trace").touch()
            scenes = f"scenes={SOURCE / 'workloads' / 'scenes'}"
            for experiment in page.PAPERS.values():
                for workloads, settings, target, records in (
                        (f"traces={directory}", "scenes", "all", 1), (scenes, "scenes", "all", 1),
                        (scenes, "quick_scenes", "all", 1), (scenes, "variants", "headlines", 24),
                        (scenes, "quick_variants", "headlines", 2)):
                    with self.subTest(experiment=experiment, settings=settings, workloads=workloads):
                        jobs = self.jobs(directory, experiment, target, workloads, f"settings={settings}")
                        self.assertEqual(jobs["headlines" if target == "headlines" else "figures"], "1")
                        self.assertGreaterEqual(int(jobs["record"]), records)
                        self.assertEqual("draw" in jobs, target == "headlines")
                for name in assumptions.get(experiment, {}).get("sets", {}):
                    with self.subTest(experiment=experiment, assumed=name):
                        jobs = self.jobs(directory, experiment, "headlines", scenes, "settings=scenes", f"assumed={name}")
                        self.assertEqual(jobs["headlines"], "1")
                        self.assertGreaterEqual(int(jobs["record"]), 1)


if __name__ == "__main__":
    unittest.main()
