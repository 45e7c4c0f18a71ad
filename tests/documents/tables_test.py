# SPDX-License-Identifier: MIT
"""Every number in the tables of docs/experiments/NAME.md is one that the experiment printed."""

import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "experiments"))
import tables  # noqa: E402

PRINTED = """## one

| name | a, % | b, % | a, % |
| --- | ---: | ---: | ---: |
| x | 1.0 | -2.0 | 3.0 |
| y | 4.0 | – | 6.0 |

## two

| name | c |
| --- | ---: |
| x | 7 |
"""


class Documents(unittest.TestCase):
    def test_tables(self):
        for path in sorted((SOURCE / "docs" / "experiments").glob("*.md")):
            with self.subTest(path.stem):
                text = path.read_text(encoding="utf-8")
                self.assertGreater(len(tables.read_tables(text)), 0)
                self.assertEqual(list(tables.problems(text, tables.kept_tables(path.stem))), [])

    def check(self, name, section, count):
        """So many tables of a document, after a heading, against docs/NAME/tables.md."""
        path = SOURCE / "docs" / f"{name}.md"
        text = path.read_text(encoding="utf-8").split(f"## {section}")[1]
        printed = (path.with_suffix("") / "tables.md").read_text(encoding="utf-8")
        self.assertEqual(len(tables.read_tables(text)), count)
        self.assertEqual(list(tables.problems(text, printed)), [])

    def test_scenes(self):
        self.check("workloads", "Asked and got", 2)

    def test_captures(self):
        self.check("captures", "What their frames have", 1)


class Comparison(unittest.TestCase):
    def problems(self, *lines):
        return list(tables.problems("\n".join(["Text", "", *lines, ""]), PRINTED))

    def test_selection(self):
        self.assertEqual(self.problems("| name | b, % |", "| --- | ---: |", "| x | −2.0 |"), [])
        self.assertEqual(self.problems("| name | a, % | a, % |", "| --- | --- | --- |", "| y | 4.0 | 6.0 |"), [])
        self.assertEqual(self.problems("| name | c |", "| --- | ---: |", "| x | 7 |", "", "| name | b, % |", "| --- | --- |"), [])

    def test_changes(self):
        for line in ("| x | -2.1 |", "| x | 1.0 |", "| z | -2.0 |", "| x | 2.0 |", "| x |  |"):
            self.assertEqual(len(self.problems("| name | b, % |", "| --- | ---: |", "| y | – |", line)), 1, line)
        self.assertEqual(len(self.problems("| name | d |", "| --- | ---: |", "| x | 7 |")), 1)
        self.assertEqual(len(self.problems("| name | b, % | a, % | c |", "| --- | --- | --- | --- |")), 1)

    def test_report(self):
        with tempfile.TemporaryDirectory() as directory:
            documents = pathlib.Path(directory)
            (documents / "one").mkdir()
            kept, printed = documents / "one" / "tables.md", documents / "printed.md"
            (documents / "one.md").write_text("| name | c |\n| --- | ---: |\n| x | 7 |\n", encoding="utf-8")
            kept.write_text(PRINTED, encoding="utf-8")
            printed.write_text(PRINTED, encoding="utf-8")
            self.assertEqual(list(tables.report(printed, "one", "captures", False, documents)), [])
            printed.write_text(PRINTED.replace("7", "8"), encoding="utf-8")
            self.assertEqual(len(list(tables.report(printed, "one", "captures", False, documents))), 2)
            self.assertEqual(kept.read_text(encoding="utf-8"), PRINTED)
            # The document's table may be one that was printed of scenes.
            scenes = documents / "one" / "scenes.md"
            scenes.write_text(PRINTED, encoding="utf-8")
            self.assertEqual(len(list(tables.report(printed, "one", "captures", False, documents))), 1)
            self.assertEqual(len(list(tables.report(printed, "one", "scenes", False, documents))), 1)
            scenes.unlink()
            self.assertEqual(len(list(tables.report(printed, "one", "captures", True, documents))), 2)
            self.assertEqual(kept.read_text(encoding="utf-8"), printed.read_text(encoding="utf-8"))

    def test_lines(self):
        self.assertEqual([line for line, _, _ in tables.read_tables(PRINTED)], [3, 10])


if __name__ == "__main__":
    unittest.main()
