# SPDX-License-Identifier: MIT
"""What the command prints of itself: manual pages and shells' completions have what --help has."""

import os
import pathlib
import pty
import re
import select
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

COMPLETION = tbrsim.SOURCE / "src/tools/completion"


def commands():
    """{name: summary} of tbrsim --help."""
    text = tbrsim.run("--help", check=True).stdout
    lines = text.split("explains each):\n")[1].split("\n\n")[0].splitlines()
    return dict(line.strip().split(None, 1) for line in lines)


def plain(page):
    """A manual page's sections as words: {name: words}."""
    sections, words = {}, []
    for line in page.splitlines():
        if line.startswith(".SH "):
            words = sections.setdefault(line[4:], [])
            continue
        if line.startswith("."):
            continue
        line = re.sub(r"\\f[BIR]|\\&", "", line)
        for sign, means in ((r"\-", "-"), (r"\(aq", "'"), (r"\(ha", "^"), (r"\(ti", "~"), (r"\(ga", "`"), (r"\e", "\\")):
            line = line.replace(sign, means)
        words += line.split()
    return sections


class Manual(tbrsim.TestCase):
    def test_same_words(self):
        for name, summary in commands().items():
            page = self.fine(name, "--help=man")
            self.assertRegex(page, rf'^\.TH TBRSIM-{name.upper()} 1 "" "tbrsim [0-9.]+" "tbrsim"\n')
            sections = plain(page)
            self.assertEqual(sections.pop("NAME"), [f"tbrsim-{name}", "-", *summary.split()])
            self.assertIn("SEE ALSO", sections)
            sections.pop("SEE ALSO")
            usage, *text = self.fine(name, "--help").split()
            self.assertEqual(usage, "usage:")
            self.assertEqual([word for words in sections.values() for word in words], text, name)
            # No line begins with what roff takes for a request, but those that are some.
            self.assertFalse([line for line in page.splitlines() if re.match(r"'|\.(?![A-Z]|nf|fi)", line)])

    def test_all(self):
        page = self.fine("--help=man")
        for name, summary in commands().items():
            self.assertIn(f".TP\n.BR tbrsim\\-{name} (1)\n{summary}".replace("'", "\\(aq").replace("-", "\\-")
                          .replace("\\\\-", "\\-"), page)

    def test_installed(self):
        pages = pathlib.Path(tbrsim.arguments.tbrsim).resolve().parents[1] / "share/man/man1"
        expected = {"tbrsim.1"} | {f"tbrsim-{name}.1" for name in commands()}
        self.assertEqual({path.name for path in pages.iterdir()}, expected)
        for name in commands():
            self.assertEqual((pages / f"tbrsim-{name}.1").read_text(), self.fine(name, "--help=man"))
        self.assertEqual((pages / "tbrsim.1").read_text(), self.fine("--help=man"))

    def test_unknown_form(self):
        for words in (("--help=html",), ("sim", "--help=html")):
            self.refused(2, "--help html: expected one of: text, man, options", *words)
        self.assertEqual(self.fine("sim", "--help=text"), self.fine("sim", "--help"))


def names(command):
    """The options of a command's --help."""
    return set(re.findall(r"^  (--[a-z-]+)", tbrsim.run(command, "--help", check=True).stdout, re.MULTILINE))


class Bash(tbrsim.TestCase):
    def complete(self, *words):
        """What completes the last of the words."""
        script = (f"source {COMPLETION / 'tbrsim.bash'}\n"
                  'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tbrsim 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"')
        result = tbrsim.execute("bash", "-c", script, "bash", tbrsim.arguments.tbrsim, *words, check=True,
                                cwd=self.path("."))
        return [line for line in result.stdout.split("\n") if line]

    def test_commands(self):
        self.assertEqual(set(self.complete("")), set(commands()) | {"--help", "--version"})
        self.assertEqual(self.complete("swe"), ["sweep"])

    def test_options(self):
        for command in commands():
            self.assertEqual(set(self.complete(command, "--")), names(command), command)

    def test_values(self):
        for name in ("one.tbr", "two.yaml"):
            self.path(name, "")
        os.mkdir(self.path("folder"))
        self.assertEqual(sorted(self.complete("sim", "--timing", "")), ["off", "on"])
        self.assertEqual(self.complete("sim", "--format", "c"), ["csv"])
        self.assertEqual(self.complete("sim", "--attribute", "draw,te"), ["draw,texture"])
        self.assertEqual(self.complete("sim", "--out", "f"), ["folder"])
        self.assertEqual(sorted(self.complete("sim", "--config", "tcor-128k")), ["tcor-128k", "tcor-128k-no-l2", "tcor-128k-numbered"])
        self.assertEqual(self.complete("sim", "--config", "tw"), ["two.yaml"])
        self.assertEqual(self.complete("sim", "--set", "caches.l2.siz"), ["caches.l2.size="])
        self.assertEqual(self.complete("sim", "--json", "o"), ["one.tbr"])
        self.assertEqual(set(self.complete("configs", "boustro-r")), {name for name in tbrsim.presets() if name.startswith("boustro-r")})

    def test_programs(self):
        """After run's -- any program; elsewhere files."""
        self.assertIn("printf", self.complete("run", "--", "print"))
        self.path("printf.tbr", "")
        self.assertEqual(self.complete("sim", "--", "print"), ["printf.tbr"])


class Zsh(tbrsim.TestCase):
    def shows(self, line, *patterns, limit=90):
        """After a line and a tab the terminal shows all of the patterns, however long the shell takes."""
        process, terminal = pty.fork()
        if not process:
            os.environ.update(tbrsim.environment(TERM="xterm", HOME=str(self.path("."))))
            os.execvp("zsh", ["zsh", "-f", "-i"])
        end, shown = time.monotonic() + limit, ""

        def wait_for(*wanted):
            nonlocal shown
            while not all(re.search(pattern, shown) for pattern in wanted) and time.monotonic() < end:
                if select.select([terminal], [], [], 0.1)[0]:
                    text = os.read(terminal, 65536)
                    # Without the terminal's control sequences.
                    shown += re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r|\x07", b"", text).decode(errors="replace")

        try:
            os.write(terminal, (f"stty columns 200; fpath=({COMPLETION} $fpath); "
                                f"path=({pathlib.Path(tbrsim.arguments.tbrsim).parent} $path)\n"
                                "autoload -U compinit; compinit -u -D; LISTMAX=1000; print -r rea''dy\n").encode())
            wait_for("(?m)^ready$")
            shown = ""
            os.write(terminal, line.encode() + b"\t")
            wait_for(*patterns)
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)
        for pattern in patterns:
            self.assertRegex(shown, pattern)

    def test_commands(self):
        self.shows("tbrsim swe", "sweep ")
        self.shows("tbrsim ", *(rf"{name} +-- {re.escape(summary[:30])}" for name, summary in commands().items()))

    def test_options(self):
        self.shows("tbrsim sim --", "simulate cycles and energy", *(rf"{name}\b" for name in names("sim")))

    def test_values(self):
        self.shows("tbrsim sim --config boustro-ro-perf", "--config boustro-ro-perfect-l1")
        self.shows("tbrsim sim --attribute draw,tex", "draw,texture")
        self.shows("tbrsim sim --set caches.l2.siz", r"caches\.l2\.size=")


if __name__ == "__main__":
    tbrsim.need("bash", "zsh")
    tbrsim.main()
