# SPDX-License-Identifier: MIT
"""The site of the documents is made without a warning, its links have pages and anchors, and what checks that finds faults.
Links between the documents hold on a forge, too. The site itself needs the packages of scripts/packages-docs.txt."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests"))
from support import tbrsim  # noqa: E402

sys.path.insert(0, str(SOURCE / "scripts" / "site"))
import links  # noqa: E402
import pages  # noqa: E402

MISSING = [name for name in ("sphinx", "myst_parser", "furo", "breathe") if importlib.util.find_spec(name) is None]
MISSING += [] if shutil.which("doxygen") else ["doxygen"]
CONFIGS = {"TBRSIM_CONFIG_DIR": str(SOURCE / "configs")}
DOCUMENTS = ("*.md", "docs/**/*.md", "bench/*.md", "data/*.md", "apitrace-replays/*.md", "src/**/*.md")


def write(folder, files):
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def without_code(text):
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    """Those that a forge gives headings."""
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    names = []
    for heading in re.findall(r"^#+ (.*)", text, flags=re.MULTILINE):
        heading = re.sub(r"\]\([^)]*\)", "", heading)
        name = re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return names


class Forge(unittest.TestCase):
    def test_links(self):
        wrong = []
        for path in sorted({path for pattern in DOCUMENTS for path in SOURCE.glob(pattern)}):
            for _, target, anchor in pages.LINK.findall(without_code(path.read_text(encoding="utf-8"))):
                there = path.parent / target if target else path
                if ":" in target:
                    continue
                if not there.exists():
                    wrong.append(f"{path.relative_to(SOURCE)}: {target}")
                elif anchor and there.suffix == ".md" and anchor[1:] not in anchors(there):
                    wrong.append(f"{path.relative_to(SOURCE)}: {target}{anchor}")
        self.assertEqual(wrong, [])


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_links(self):
        write(self.folder, {
            "index.html": '<a href="a.html#here">a</a><a href="a.html#gone">a</a><a href="https://example.org/x">x</a>'
                          '<img src="data:image/png;base64,"><a href="#top">t</a>',
            "a.html": '<h1 id="here">A</h1><a href="folder/b.html">b</a><img src="gone.png"><script src="//cdn/x.js"></script>'})
        self.assertEqual(links.problems(self.folder), [
            "a.html needs gone.png, which is not there", "a.html needs //cdn/x.js from the network",
            "a.html links to folder/b.html, which is not there", "index.html links to a.html#gone, which has no such anchor",
            "index.html links to #top, which has no such anchor"])
        self.assertEqual(len(links.problems(self.folder / "folder")), 1)

    def test_contents(self):
        write(self.folder / "top", {
            "README.md": "# Front\n\n[a](docs/a.md#part)\n\n## Asked often\n\n[all](docs/README.md)\n\n## Rest\n\nrest\n",
            "docs/README.md": "# All\n\n## Start\n\n- [A](a.md): first\n  - [Below](papers/b.md)\n- [Questions](../README.md#asked-often)\n"
                              "- [Gone](gone.md)\n",
            "docs/a.md": "# A\n\n## Part\n\n[questions](../README.md#asked-often), [data](../data/x.csv), [no](../data/no.csv)\n",
            "docs/papers/b.md": "# B\n\n[a](../a.md)\n", "docs/c.md": "# C\n", "data/x.csv": "1\n"})
        stage = pages.Stage(self.folder / "top", self.folder / "out", pages.read_contents(self.folder / "top"))
        stage.write_all()
        self.assertEqual(stage.problems, ["docs/a.md links to data/no.csv, which is not there",
                                          "docs/README.md lists docs/gone.md, which is not there",
                                          "docs/README.md does not list docs/c.md"])
        text = {str(path.relative_to(self.folder / "out")): path.read_text(encoding="utf-8")
                for path in (self.folder / "out").rglob("*.*")}
        self.assertIn("[a](a.md#part)", text["index.md"])
        self.assertNotIn("Asked", text["index.md"])
        self.assertIn(":caption: Start\n\nA </a>\nQuestions </asked-often>\n", text["index.md"])
        self.assertIn("# Asked often\n\n[all](index.md)", text["asked-often.md"])
        self.assertIn("[questions](asked-often.md), [data](data/x.csv)", text["a.md"])
        self.assertIn("Below </papers/b>", text["a.md"])
        self.assertIn("[a](../a.md)", text["papers/b.md"])
        self.assertEqual(text["data/x.csv"], "1\n")


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        # Sphinx takes most of this test's time: pages of the same content are taken from the last time that it had no warning.
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tbrsim"
        result = subprocess.run([sys.executable, "-B", SOURCE / "scripts/site/build.py", "--tbrsim", tbrsim.arguments.tbrsim,
                                 "--out", cls.folder, "--keep", cache / "site"], capture_output=True, text=True, check=False)
        cls.said = result.stdout + result.stderr
        cls.status = result.returncode

    def page(self, name):
        return (self.folder / "html" / name).read_text(encoding="utf-8").replace("<wbr>", "")

    def test_no_warning(self):
        self.assertEqual((self.status, self.said), (0, ""))

    def test_kept_pages(self):
        """Those of another content are not taken: a word, a name, a version."""
        import build
        one, other = self.folder / "one", self.folder / "other"
        write(one, {"a.md": "a", "b.md": "b"})
        write(other, {"a.md": "a", "b.md": "c"})
        names = [build.fingerprint("1", one), build.fingerprint("1", other), build.fingerprint("2", one)]
        (one / "b.md").rename(one / "c.md")
        names.append(build.fingerprint("1", one))
        self.assertEqual(len(set(names)), 4)
        (one / "c.md").rename(one / "b.md")
        self.assertEqual(build.fingerprint("1", one), names[0])

    def test_sections(self):
        captions = re.findall(r'class="caption"[^>]*><span class="caption-text">([^<]*)', self.page("index.html"))
        listed = [name for name in pages.read_contents(SOURCE) if name != "Tutorials" or any((SOURCE / "docs/tutorials").glob("*.md"))]
        self.assertEqual(captions, listed)

    def test_reference(self):
        """What the program has is on the site, and found by its search."""
        keys = json.loads(tbrsim.run("configs", "--keys", "--json", check=True, variables=CONFIGS).stdout)
        page = self.page("reference/keys.html")
        self.assertEqual([key["key"] for key in keys if key["takes"] and f">{key['key']}<" not in page], [])
        counters = json.loads(tbrsim.run("counters", "--json", "--timing", "on", check=True, variables=CONFIGS).stdout)
        page = self.page("reference/counters.html")
        self.assertEqual([counter["name"] for counter in counters if f">{counter['name']}<" not in page], [])
        commands = [line.split()[0] for line in tbrsim.run("--help=options", check=True).stdout.splitlines()]
        for name in commands:
            if not name.startswith("-"):
                self.assertIn(f"usage: tbrsim {name}", self.page(f"reference/commands/{name}.html"))
        self.assertIn("cm_gpu_create", self.page("reference/api/gpu.html"))
        page = self.page("reference/api/access.html")
        self.assertIn("<p>Units on the access stream: in front of a shared cache, they", page)
        self.assertIn("Keys access_units.&lt;name&gt;.* configure them", page)
        self.assertIn("cm_gpu_creat", self.page("searchindex.js"))


if __name__ == "__main__":
    tbrsim.main()
