# SPDX-License-Identifier: MIT
"""The commands of README, the documents and the tutorials, run as they are printed (pages.py), with the output that the page
has of them. Arguments: pages, or the groups `documents` and `tutorials`. --renew writes what has been printed into the pages;
look at the difference before it is kept."""

import pathlib
import shutil
import stat
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from tutorials import pages  # noqa: E402

# Commands that are not run, of all pages: see the reasons there.
MOST_NOT_RUN = 12
# tests/extending runs these, with what they add to the sources.
EXTENDING = ("tutorials/add-a-policy.md", "tutorials/add-a-mechanism.md")
GAME = "one-pass discard-depth mipmaps compressed"  # the program that stands for the reader's: nothing to mend, so quick
FRAMES = 6


def all_pages():
    """By group."""
    docs = tbrsim.SOURCE / "docs"
    found = sorted(page for page in docs.rglob("*.md") if str(page.relative_to(docs)) not in EXTENDING)
    tutorials = [page for page in found if page.parent.name == "tutorials"]
    others = [tbrsim.SOURCE / name for name in ("README.md", "CONTRIBUTING.md", "apitrace-replays/README.md")]
    return {"documents": others + [page for page in found if page not in tutorials], "tutorials": tutorials}


def write_program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class Pages(tbrsim.DisplayTestCase):
    """Each page in a folder of its own that looks like the checkout, with what pages call the reader's: a program `game`, a
    capture of it, a recording, and the programs of others, to be quick with few frames of a small window."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build = pathlib.Path(tbrsim.arguments.tbrsim).parent.parent
        programs = cls.shared / "programs"
        programs.mkdir()
        glmark = shutil.which("glmark2-es2")
        if glmark:
            write_program(programs / "glmark2-es2",
                          f"set -- \"$1\" \"$2:nframes=24\"\nexec {glmark} -s 128x128 \"$@\"")
        cls.game = cls.shared / "game"
        write_program(cls.game, f"exec {cls.build / 'tests/tutorials/small_game'} {FRAMES} {GAME}")
        # TBRSIM: the Python package, which is the checkout's, would look for the command in its folder build.
        cls.environment = tbrsim.environment(
            TBRSIM=str(cls.build / "bin" / "tbrsim"),
            PATH=f"{programs}:{cls.build / 'bin'}:/usr/bin:/bin", LC_ALL="C.UTF-8", HOME=str(cls.shared))
        tbrsim.run("run", "--no-model", "--", "apitrace", "trace", "--api", "egl", "-o", cls.shared / "game.trace", cls.game,
                   check=True, cwd=cls.shared)
        tbrsim.run("run", "--no-model", "--record", cls.shared / "game.tbr", "--", cls.game, check=True, cwd=cls.shared)

    def folder(self):
        folder = pages.make_folder(self.directory / "checkout", tbrsim.SOURCE, self.build)
        for name in ("game", "game.trace", "game.tbr"):
            # Pages may write to them. With the old times: what is written as a run begins is taken for a file of that run.
            shutil.copy2(self.shared / name, folder)
        return folder

    def steps(self, path):
        return pages.parse(path.read_text(encoding="utf-8"), tables=path.name == "README.md")

    def check(self, path):
        steps = self.steps(path)
        for step in steps:
            absent = None if step.name or step.not_run else pages.missing(step, tbrsim.SOURCE)
            if absent is not None:
                self.assertEqual(absent, [], step.text)
                step.not_run = "named only"
        if all(step.not_run for step in steps):
            return
        results = pages.run(steps, self.folder(), self.environment)
        for step, status, output in results:
            with self.subTest(line=step.line, command=step.text):
                self.assertEqual(status, 0, "\n".join(output[-5:]))
                if step.expected is not None and not tbrsim.arguments.renew:
                    self.assertTrue(pages.matches(step.expected, output), "it printed:\n" + "\n".join(output))
        if tbrsim.arguments.renew:
            pages.renew(path, results)


class Marks(unittest.TestCase):
    def test_few_are_not_run(self):
        steps = [step for group in all_pages().values() for page in group
                 for step in pages.parse(page.read_text(encoding="utf-8"))]
        not_run = [step.text for step in steps if step.not_run]
        print(f"{len(steps)} commands and files, of which {len(not_run)} are not run")
        self.assertLessEqual(len(not_run), MOST_NOT_RUN, "\n".join(not_run))

    def test_parser(self):
        steps = pages.parse("# A page\n\n    tbrsim configs     # presets\n    some text\n\n"
                            "<!-- run first: true -->\n<!-- not run (false): it fails -->\n```sh\nA=1 tbrsim \\\nsim\n"
                            "tbrsim false\n```\n\n"
                            "```console\n$ echo 1 \\\n  2\n1 2\n$ true\n```\n\n<!-- file: a -->\n```yaml\nb: 1\n```\n"
                            "| a | `tbrsim sim b.tbr`, `tbrsim sim FILE` |\n", tables=True)
        self.assertEqual([(step.line, step.text, step.name, step.expected, step.not_run) for step in steps],
                         [(3, "tbrsim configs     # presets", "", None, ""), (6, "true", "", None, ""),
                          (9, "A=1 tbrsim \\\nsim", "", None, ""), (11, "tbrsim false", "", None, "it fails"),
                          (15, "echo 1 \\\n  2", "", ["1 2"], ""), (18, "true", "", [], ""),
                          (23, "b: 1\n", "a", None, ""), (25, "tbrsim sim b.tbr", "", None, "")])

    def test_comparison(self):
        page = ["total  12.5 MiB", "...", "in ... s", "end 1"]
        output = ["total 7 MiB", "a", "b", "in 5 s", "end 1"]
        self.assertFalse(pages.matches(page, output))
        self.assertEqual(pages.renewed(page, output), ["total 7 MiB", "...", "in ... s", "end 1"])
        self.assertTrue(pages.matches(["total 7 MiB", "...", "in ... s", "end 1"], output))
        self.assertEqual(pages.renewed(page, ["other"]), ["other"])
        self.assertFalse(pages.matches([], ["a"]))


def add_tests():
    for group, found in all_pages().items():
        for path in found:
            name = str(path.relative_to(tbrsim.SOURCE)).removesuffix(".md").replace("/", "_").replace("-", "_")
            setattr(Pages, f"test_{group}_{name}", lambda self, path=path: self.check(path))


def main():
    parser = tbrsim.command_line(__doc__)
    parser.add_argument("--renew", action="store_true", help="write outputs into the pages")
    rest = parser.parse_known_args(namespace=tbrsim.arguments)[1]
    add_tests()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
