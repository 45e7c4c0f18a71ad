# SPDX-License-Identifier: MIT
"""The notebooks of python/examples: run from beginning to end, and kept without what they printed."""

import importlib.util
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim as harness  # noqa: E402
import tbrsim  # noqa: E402

EXAMPLES = harness.SOURCE / "python/examples"
RUNNER = pathlib.Path(__file__).with_name("run_notebook.py")


class Notebooks(harness.TestCase):
    def run_notebook(self, path):
        """What it prints, run in a checkout of which only the captures are there."""
        folder = self.path("python/examples")
        folder.mkdir(parents=True)
        self.path("apitrace-replays").symlink_to(harness.CAPTURES)
        result = harness.execute(sys.executable, "-B", RUNNER, path, cwd=folder, check=True, variables={
            "TBRSIM": harness.arguments.tbrsim, "PYTHONPATH": str(harness.SOURCE / "python"), "MPLBACKEND": "Agg"})
        left_out = 0 if importlib.util.find_spec("matplotlib") else path.read_text(encoding="utf-8").count('"matplotlib"')
        self.assertEqual(result.stdout.count("left out: matplotlib is missing"), left_out)
        return result.stdout, folder

    def test_all_are_here(self):
        """Each has a test, is what Jupyter writes, and has no output."""
        paths = sorted(EXAMPLES.rglob("*.ipynb"))
        self.assertEqual([path.name for path in paths], ["first_study.ipynb", "two_gpus.ipynb"])
        for path in paths:
            text = path.read_text(encoding="utf-8")
            notebook = json.loads(text)
            self.assertEqual(text, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", path)
            for cell in notebook["cells"]:
                self.assertIn(cell["cell_type"], ("markdown", "code"))
                if cell["cell_type"] == "code":
                    self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), path)

    def test_runner(self):
        """What it shows, what it leaves out, and where a cell fails."""
        def cell(source, **metadata):
            return {"cell_type": "code", "metadata": metadata, "source": source}
        path = self.path("a.ipynb", json.dumps({"cells": [
            cell(["x = 'se'\n", "x + 'ven'"]), cell("x;"), {"cell_type": "markdown", "source": ["no"]}, cell("no", tags=["moons"]),
            cell("def f():\n    raise KeyError(x)\nf()")]}))
        result = harness.execute(sys.executable, "-B", RUNNER, path, cwd=self.directory)
        self.assertEqual((result.returncode, result.stdout), (1, "'seven'\nleft out: moons is missing\n"))
        self.assertRegex(result.stderr, r'File "a.ipynb, cell 4", line 2, in f')

    def test_first_study(self):
        printed, folder = self.run_notebook(EXAMPLES / "first_study.ipynb")
        out = folder / "first-study"
        live = tbrsim.Results(out / "live")
        self.assertIn(f"<td>fragments</td><td>{live.frames['fragment_stage.fragments'].mean():,.0f}</td>", printed)
        simulations = tbrsim.load(out / "sim")
        self.assertEqual(len(simulations), 9)
        self.assertEqual({one.settings["clock_mhz"] for one in simulations.values()}, {500})
        for results in simulations.values():
            energy = results.total["energy.system.total"] / results.num_frames / 1e6
            self.assertIn(f"<td>{round(energy):.1f}</td>", printed)

    def test_two_gpus(self):
        printed, folder = self.run_notebook(EXAMPLES / "two_gpus.ipynb")
        before, after = (tbrsim.Results(folder / "two-gpus" / name) for name in ("baseline", "tcor"))
        totals = [int(one.total["dram.total.read_bytes"]) for one in (before, after)]
        self.assertRegex(printed, rf"<td>{totals[0]}</td>\s*<td>{totals[1]}</td>")
        self.assertIn(f"<td>{100 * (totals[1] / totals[0] - 1):.1f}</td>", printed)
        self.assertIn("<b>18 points</b> · 0 failed", printed)
        largest = (before.draws.fillna({"draw": -1}).groupby(["frame", "pass", "draw"])["l2.total.misses"].sum()
                   - after.draws.fillna({"draw": -1}).groupby(["frame", "pass", "draw"])["l2.total.misses"].sum()).max()
        self.assertGreater(largest, 0)
        self.assertRegex(printed, rf"\b{largest:.1f}\n")


if __name__ == "__main__":
    harness.main()
