# SPDX-License-Identifier: MIT
"""What docs/papers/ name is there: files, keys of configurations or counters, tables, plots; and the presets have what they
say. What docs/related-work.md says is there has a key, a preset, a command or a page."""

import functools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

sys.path.append(str(tbrsim.SOURCE / "experiments"))
import tables  # noqa: E402

CONFIGS = {"TBRSIM_CONFIG_DIR": str(tbrsim.SOURCE / "configs")}
FILE = re.compile(r"[\w./-]+(\.(c|h|py|md|csv|png|yaml|smk|sh)|/|Snakefile)")
KEY = re.compile(r"([a-z0-9_]+(\.[a-z0-9_]+)+|mode|timing|clock_mhz|threads)(=([\w-]+))?")
VALUE = re.compile(r"`([a-z0-9_]+(?:\.[a-z0-9_]+)+)=([\w-]+)`")
PRESET = re.compile(r"(banked|boustro|dtexl|imr|nuca|tcor)-[\w*-]+")
# Names in `…` that are none of these: values of keys named beside them, commands, options, kinds of arrays.
PAGES = sorted((tbrsim.SOURCE / "docs" / "papers").glob("*.md"))
RELATED = tbrsim.SOURCE / "docs" / "related-work.md"


def names(text):
    """Inline code, not blocks."""
    return set(re.findall(r"`([^`\n]+)`", text))


def related(text):
    """(paper, whether it is there, with what) of each row of the tables of related work."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and not line.startswith(("| paper |", "| --- |")):
            yield cells[0], cells[2], cells[3]


def presets_of(text):
    """The presets that a page names."""
    return re.findall(r"`configs/([\w-]+)\.yaml`", text)


def stated(text):
    """(key, value) of each `key=value` in the last column of the tables of mechanisms and parameters."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE):
        if section.startswith(("Mechanisms", "Parameters")):
            for line in section.splitlines():
                if line.startswith("|"):
                    yield from VALUE.findall(line.split("|")[-2])


@functools.cache
def flat(preset):
    return tbrsim.run("configs", "--flat", preset, variables=CONFIGS, check=True).stdout.splitlines()


def has_value(preset, key, value):
    """Whether a preset has this value; None if the key is not in its listing, and may be a default."""
    found = [line for line in flat(preset) if line.startswith(f"{key}=")]
    return found == [f"{key}={value}"] if found else None


def is_default(preset, key, value):
    """Whether a key with this value changes nothing in a preset, which leaves it out."""
    result = tbrsim.run("configs", "--flat", "--set", f"{key}={value}", preset, variables=CONFIGS)
    return result.returncode == 0 and result.stdout.splitlines() == flat(preset)


def is_true(presets, key, value):
    """Whether all presets that have a key, at least one, have it with this value."""
    found = {preset: has_value(preset, key, value) for preset in presets}
    if set(found.values()) == {None}:
        return all(is_default(preset, key, value) for preset in presets)
    return False not in found.values()


class Papers(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.presets = [path.stem for path in (tbrsim.SOURCE / "configs").glob("*.yaml")]
        cls.keys = tbrsim.run("configs", "--keys", variables=CONFIGS, check=True).stdout
        cls.commands = set(re.findall(r"^  (\w+)  ", tbrsim.run("--help", check=True).stdout, re.MULTILINE))
        cls.counters = set()
        for preset in cls.presets:
            listed = tbrsim.run("counters", "--config", preset, variables=CONFIGS, check=True).stdout
            cls.counters |= set(re.findall(r"[a-z0-9_]+(?:\.[a-z0-9_]+)+", listed))

    def is_key(self, key, value):
        """Whether some preset takes the key, and the value, if there is one, is of its kind."""
        result = tbrsim.run("configs", "--flat", "--set", f"{key}={value or '@'}", "tcor-64k", variables=CONFIGS)
        message = result.stdout + result.stderr
        return "no key" not in message and (value is None or "wrong value" not in message)

    def test_pages(self):
        self.assertGreater(len(PAGES), 0)
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            found = names(text)
            self.assertGreater(len(found), 20)
            for name in sorted(found):
                with self.subTest(page.stem, name=name):
                    if FILE.fullmatch(name):
                        self.assertTrue((tbrsim.SOURCE / name).exists())
                    elif match := KEY.fullmatch(name):
                        self.assertTrue(name in self.counters or self.is_key(match[1], match[4]))
                    elif PRESET.fullmatch(name):
                        self.assertTrue(any(pathlib.PurePath(preset).match(name) for preset in self.presets))
            for link in re.findall(r"\]\(([^)#]+)", text):
                with self.subTest(page.stem, link=link):
                    self.assertTrue((page.parent / link).exists())

    def is_there(self, name):
        """Whether a name in `…` of the table of related work is a key, several keys (a.b.*), a preset or a command."""
        if match := re.fullmatch(r"([\w.]+)\.\*", name):
            key = re.sub(r"^caches\.\w+$", "caches.NAME", match[1])
            return f"\n{key}." in self.keys and (match[1] == key or f"\n{match[1]} " in self.keys)
        if name.startswith("tbrsim "):
            return name.split()[1] in self.commands
        match = KEY.fullmatch(name)
        return name in self.presets or bool(match and self.is_key(match[1], match[4]))

    def test_related_work(self):
        rows = list(related(RELATED.read_text(encoding="utf-8")))
        self.assertGreater(len(rows), 35)
        self.assertEqual(len({paper for paper, _, _ in rows}), len(rows))
        for paper, there, how in rows:
            with self.subTest(paper):
                self.assertIn(there, ("yes", "partly", "no"))
                self.assertEqual([name for name in sorted(names(how)) if not self.is_there(name)], [])
                self.assertTrue(there != "yes" or names(how) or "](" in how)

    def test_wrong_related_work(self):
        for name in ("caches.no_cache.*", "no_mapping.*", "tbrsim fly", "no-preset", "l2.no_key", "mode=no_mode"):
            self.assertFalse(self.is_there(name), name)
        self.assertEqual(list(related("| paper | a | here | b |\n| --- | --- | --- | --- |\n| P | m | yes | `k`, `l` |")),
                         [("P", "yes", "`k`, `l`")])

    def test_figures(self):
        """Each figure is regenerated by a table that is printed, a plot that the page shows, or something else that the
        page names; or it says why not. No table is forgotten."""
        for page in PAGES:
            text, regenerated = page.read_text(encoding="utf-8"), set()
            experiment = tbrsim.SOURCE / "docs" / "experiments" / tables.PAPERS[page.stem]
            printed = set(re.findall(r"^## (.+)$", (experiment / "tables.md").read_text(encoding="utf-8"), re.MULTILINE))
            shown = re.findall(r"^!\[.+\]\((.+)\)$", text, re.MULTILINE)
            for figure, _, items, differences in tables.figures_of(text):
                for item in items:
                    with self.subTest(page.stem, figure=figure, item=item):
                        if match := re.fullmatch(r"`docs/(experiments/.+\.png)`", item):
                            self.assertIn(f"../{match[1]}", shown)
                        elif item == "–":
                            self.assertTrue(differences)
                        else:
                            self.assertTrue(item in printed or "`" in item or "](" in item)
                    regenerated.add(item)
            self.assertEqual(printed - regenerated, set(), page.stem)
            self.assertEqual({path.name for path in experiment.glob("*.png")}, {pathlib.Path(path).name for path in shown})

    def test_values(self):
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            values = list(stated(text))
            self.assertGreater(len(values), 3)
            for key, value in values:
                with self.subTest(page.stem, key=key, value=value):
                    self.assertTrue(is_true(presets_of(text), key, value))

    def test_wrong_values(self):
        nuca = ["nuca-private", "nuca-dtm"]
        self.assertTrue(is_true(nuca, "texture_bus.bytes_per_cycle", "16"))
        self.assertTrue(is_true(nuca, "texture_bus.latency", "0"))
        self.assertFalse(is_true(nuca, "texture_bus.bytes_per_cycle", "0"))
        self.assertFalse(is_true(nuca, "texture_bus.latency", "1"))
        self.assertFalse(is_true(["boustro-fo"], "texture.placement", "linear"))
        self.assertFalse(is_true(["boustro-fo"], "texture.no_such_key", "1"))
        self.assertEqual(list(stated("## Parameters\n| a | `b.c=1` | `d.e=f` |\n## Figures\n| a | `g.h=2` |\n")), [("d.e", "f")])


if __name__ == "__main__":
    tbrsim.main()
