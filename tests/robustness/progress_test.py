# SPDX-License-Identifier: MIT
"""The driver says on a terminal that it is compiling shaders, and nothing in a pipe."""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

LINE = re.compile(r"tbrsim: compiling shaders: (\d+) in (\d+) s; render passes: (\d+); no frame for (\d+) s")
CLEAR = "\r\x1b[K"


def run(stderr):
    """The program compiles and draws with hundreds of programs and never ends a frame."""
    return tbrsim.start("run", "--no-model", "--", tbrsim.arguments.robustness, "programs", "400", stderr=stderr,
                        variables={"MESA_SHADER_CACHE_DISABLE": "true"}, stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL)


def read_all(terminal):
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            return text.decode()
        text += part


class Progress(tbrsim.TestCase):
    def test_terminal(self):
        terminal, end = os.openpty()
        process = run(end)
        os.close(end)
        text = read_all(terminal)
        os.close(terminal)
        self.assertEqual(process.wait(timeout=tbrsim.LONG_WAIT), 0)
        lines = [[int(number) for number in found] for found in LINE.findall(text)]
        self.assertGreater(len(lines), 1, text)
        for before, after in zip(lines, lines[1:]):
            self.assertTrue(all(a <= b for a, b in zip(before, after)), text)
        # A line may come again where the program has not run in between.
        self.assertLess(lines[0][0], lines[-1][0])
        self.assertGreater(lines[0][0], 0)
        # One line, rewritten each time, and removed in the end.
        self.assertEqual(text, "".join(CLEAR + found[0] for found in LINE.finditer(text)) + CLEAR)

    def test_pipe(self):
        process = run(subprocess.PIPE)
        _, text = process.communicate(timeout=300)
        self.assertEqual((process.returncode, text), (0, b""))


if __name__ == "__main__":
    tbrsim.main("robustness")
