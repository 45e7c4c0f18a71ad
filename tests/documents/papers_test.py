# SPDX-License-Identifier: MIT
"""What docs/papers/ name is there: files, and keys of configurations or counters with their values."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

CONFIGS = {"TBRSIM_CONFIG_DIR": str(tbrsim.SOURCE / "configs")}
FILE = re.compile(r"[\w./-]+(\.(c|h|py|md|csv|png|yaml|smk|sh)|/|Snakefile)")
KEY = re.compile(r"([a-z0-9_]+(\.[a-z0-9_]+)+|mode|timing|clock_mhz|threads)(=([\w-]+))?")
PRESET = re.compile(r"(banked|boustro|imr|nuca|tcor)-[\w*-]+")
# Names in `…` that are none of these: values of keys named beside them, commands, options, kinds of arrays.
PAGES = sorted((tbrsim.SOURCE / "docs" / "papers").glob("*.md"))


def names(text):
    """Inline code, not blocks."""
    return set(re.findall(r"`([^`\n]+)`", text))


class Papers(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.presets = [path.stem for path in (tbrsim.SOURCE / "configs").glob("*.yaml")]
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


if __name__ == "__main__":
    tbrsim.main()
