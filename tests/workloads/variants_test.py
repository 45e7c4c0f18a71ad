# SPDX-License-Identifier: MIT
"""Variants of scenes: each free parameter has values all over its range, and none that contradicts the others."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCENES = SOURCE / "workloads" / "scenes"
sys.path.insert(0, str(SOURCE / "workloads"))
import variants  # noqa: E402

COUNT = 8
DESCRIPTION = {"name": "few", "seed": 1, "order": "strips", "mesh": 6, "overdraw": 2.5, "texture_size": 256, "textures": 24,
               "reuse": 2,
               "free": [{"key": "order", "range": ["strips", "scattered"]}, {"key": "mesh", "range": [3, 10]},
                        {"key": "overdraw", "range": [1.8, 3.4]}, {"key": "texture_size", "range": [128, 512]},
                        {"key": "textures", "range": [2, 512]}],
               "differs": [{"of": "reuse", "why": "it does"}]}


def draw(is_possible=lambda variant: True, **changes):
    return list(variants.draw_variants(DESCRIPTION | changes, COUNT, is_possible))


class Variants(unittest.TestCase):
    def test_each_part_of_a_range_once(self):
        drawn = draw()
        self.assertEqual(len(drawn), COUNT)
        self.assertEqual(sorted(one["mesh"] for one in drawn), list(range(3, 11)))
        self.assertEqual(sorted(int((one["overdraw"] - 1.8) / 0.2 + 1e-9) for one in drawn), list(range(COUNT)))
        # Two to the power of 1 to 9, in eight equal parts.
        for part, one in enumerate(sorted(one["textures"] for one in drawn)):
            self.assertTrue(2 ** (part + 1) <= one <= 2 ** (part + 2), one)
        self.assertEqual(sorted(one["order"] for one in drawn), ["scattered"] * 4 + ["strips"] * 4)
        self.assertEqual({one["texture_size"] for one in drawn}, {128, 256, 512})

    def test_what_is_published_stays(self):
        for one in draw():
            self.assertEqual(one["reuse"], 2)
            self.assertEqual(set(one), set(DESCRIPTION) - {"free", "differs"})

    def test_the_same_again(self):
        self.assertEqual(draw(), draw())
        self.assertNotEqual(draw(), draw(seed=2))

    def test_contradictions_are_drawn_anew(self):
        drawn = draw(lambda one: one["order"] == "strips" and one["mesh"] < 6)
        self.assertEqual({one["order"] for one in drawn}, {"strips"})
        self.assertLess(max(one["mesh"] for one in drawn), 6)
        with self.assertRaises(SystemExit):
            draw(lambda one: False)

    def test_positions(self):
        for parameter in DESCRIPTION["free"]:
            for position in (0.05, 0.3, 0.6, 0.95):
                value = variants.value_at(parameter, DESCRIPTION, position)
                width = {"order": 0.5, "texture_size": 0.5}.get(parameter["key"], 0.15)
                self.assertAlmostEqual(variants.position_of(parameter, value), position, delta=width)

    def test_all_scenes_have_ranges(self):
        for path in SCENES.glob("*.yaml"):
            description = yaml.safe_load(path.read_text(encoding="utf-8"))
            for parameter in description["free"]:
                position = variants.position_of(parameter, description[parameter["key"]])
                self.assertTrue(0 <= position <= 1, f"{path.name}: {parameter}")

    def test_the_program_renders_them(self):
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory)
            variants.main(PROGRAM, SCENES / "temple_run.yaml", 2, out)
            self.assertEqual(sorted(path.name for path in out.iterdir()), ["temple_run~1.yaml", "temple_run~2.yaml"])
            for path in out.iterdir():
                subprocess.run([PROGRAM, "--print", path], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
