# SPDX-License-Identifier: MIT
"""Each value of a preset says where it is from. Those that are assumed are the ones of data/assumptions.csv, whose ranges are
valid; data/sensitivity.csv is of these ranges and of the presets as they are; docs/trust.md has what is in both."""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

sys.path.insert(0, str(tbrsim.SOURCE / "experiments"))
import assumption_sensitivity as sensitivity  # noqa: E402
import assumptions  # noqa: E402

os.environ["TBRSIM_CONFIG_DIR"] = str(assumptions.PRESETS)  # the presets of the sources

PRESET = """# a file
description: a GPU
extends: other

mode: tbr                   # Paper I
# What a tile is (Paper II).
tile:
  size: 32
  order: z-order            # Paper III: in no
                            # order; tbrsim's choice
caches:                     # Paper V
  l1:
    size: 64                # an assumption
    # Assumed: as many as
    # there are.
    ways: 4
    latency: 1
  l2: {size: 64, ways: 2}   # TBRSIM's assumption, both
  l3:
    ways: 4                 # as l1
    size: 64                # as l1, twice
  l4: null
"""


def rows():
    return sensitivity.read_csv(sensitivity.RANGES)


class Presets(tbrsim.TestCase):
    def test_comments(self):
        values = {value.key: value for value in assumptions.read_values(PRESET)}
        self.assertEqual([(key, value.comment) for key, value in values.items()], [
            ("mode", "Paper I"), ("tile.size", "What a tile is (Paper II)."), ("tile.order", "Paper III: in no order; tbrsim's choice"),
            ("caches.l1.size", "an assumption"), ("caches.l1.ways", "Assumed: as many as there are."), ("caches.l1.latency", ""),
            ("caches.l2.size", "TBRSIM's assumption, both"), ("caches.l2.ways", "TBRSIM's assumption, both"),
            ("caches.l3.ways", "as l1"), ("caches.l3.size", "as l1, twice")])
        self.assertEqual(values["tile.order"].line, 9)
        self.assertEqual(assumptions.read_assumed(PRESET), {
            "tile.order": [], "caches.l1.size": [], "caches.l1.ways": ["caches.l3.ways"], "caches.l2.size": [], "caches.l2.ways": []})
        texts = {"own": PRESET, "other": "mode: tbr # assumed\nclock_mhz: 1 # assumed\n"
                                         "caches:\n  l1: {banks: 1} # assumed\n  l4: {banks: 1} # assumed\n"}
        self.assertEqual(assumptions.assumed_of("own", texts), {"clock_mhz": "other", "caches.l1.banks": "other"}
                         | dict.fromkeys(assumptions.read_assumed(PRESET), "own"))

    def test_sources(self):
        """No value without a comment, whether a source or that it is assumed."""
        self.assertEqual([f"{name}.yaml:{value.line}: {value.key}" for name, text in assumptions.presets().items()
                          for value in assumptions.read_values(text) if not value.comment], [])

    def test_listed(self):
        """data/assumptions.csv has each assumed value once, and no other."""
        listed = [(row["preset"], row["key"]) for row in rows()]
        self.assertEqual(sorted(listed), sorted((name, key) for name, text in assumptions.presets().items()
                                                for key in assumptions.read_assumed(text)))


class Ranges(tbrsim.TestCase):
    def test_ends(self):
        followers = ["caches.b.ways"]
        row = {"key": "caches.a.ways", "from": "/4", "to": "*4 l2.ways=3"}
        self.assertEqual(sensitivity.settings(row, "from", "8", followers), ["caches.a.ways=2", "caches.b.ways=2"])
        self.assertEqual(sensitivity.settings(row, "from", "2", []), ["caches.a.ways=1"])
        self.assertEqual(sensitivity.settings(row, "to", "8", []), ["caches.a.ways=32", "l2.ways=3"])
        self.assertEqual(sensitivity.settings(row | {"to": ""}, "to", "8", []), [])

    def test_valid(self):
        """Each end is another valid value; what is not varied says why."""
        tool, values = sensitivity.Tbrsim(tbrsim.arguments.tbrsim), {}
        self.assertEqual(tool.flat("tcor-64k", "--set", "l2.ways=4")["caches.l2.ways"], "4")
        for row in rows():
            self.assertEqual(row["why"].startswith("not varied: "), not (row["from"] or row["to"]), row)
            preset = values[row["on"]] = values.get(row["on"]) or tool.flat(row["on"])
            for side in ("from", "to"):
                its = sensitivity.settings(row, side, preset.get(row["key"], "0"), [])
                words = [word for setting in its for word in ("--set", setting)]
                if its:
                    changed = tool.flat(row["on"], "--set", "timing=on", *words)
                    self.assertNotEqual(changed.get(row["key"]), preset.get(row["key"]), row)


class Results(tbrsim.TestCase):
    def test_of_now(self):
        """A row for each range that has ends, of the value that the preset has; after a change of one: make sensitivity."""
        found = [(row["preset"], row["key"], row["value"]) for row in sensitivity.read_csv(sensitivity.RESULTS)]
        tool = sensitivity.Tbrsim(tbrsim.arguments.tbrsim)
        values = {preset: tool.flat(preset) for preset in {row["on"] for row in rows()}}
        self.assertEqual(found, [(row["preset"], row["key"], values[row["on"]].get(row["key"], "0")) for row in rows()
                                 if row["from"] or row["to"]])

    def test_row(self):
        """Means and the largest change of two captures, of a preset without energy, too."""
        row = {"preset": "p", "key": "k"}
        found = [{"": {"cycles": 100, "energy": 50}, "k=1": {"cycles": 110, "energy": 50}, "k=3": {"cycles": 98, "energy": 51}},
                 {"": {"cycles": 10, "energy": 10}, "k=1": {"cycles": 12, "energy": 10}, "k=3": {"cycles": 7, "energy": 10}}]
        self.assertEqual(sensitivity.result(row, "2", found, {"from": ["k=1"], "to": ["k=3"]}), {
            "preset": "p", "key": "k", "value": "2", "cycles_from": "15.00", "cycles_to": "-16.00", "cycles_most": "-30.00",
            "energy_from": "0.00", "energy_to": "1.00", "energy_most": "2.00"})
        without = [{its: {"cycles": 5, "energy": None} for its in ("", "k=1")}]
        self.assertEqual(sensitivity.result(row, "2", without, {"from": ["k=1"], "to": []}), {
            "preset": "p", "key": "k", "value": "2", "cycles_from": "0.00", "cycles_most": "0.00", "energy_most": ""})

    def test_tables(self):
        """The committed tables are of the committed results."""
        printed = sensitivity.TABLES.read_text(encoding="utf-8")
        captures = re.search(r"^Frame 2 of (.+)\.$", printed, re.MULTILINE)[1].split(", ")
        results = sensitivity.read_csv(sensitivity.RESULTS)
        self.assertEqual(printed, sensitivity.tables(results, captures))
        page = sensitivity.PAGE.read_text(encoding="utf-8")
        self.assertEqual(page, sensitivity.page(page, results))
        self.assertNotEqual(page, sensitivity.page(page, results[::-1][:20]))


if __name__ == "__main__":
    tbrsim.main()
