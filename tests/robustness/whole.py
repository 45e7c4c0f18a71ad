# SPDX-License-Identifier: MIT
"""What kills_test.py, disks_test.py and memory_test.py share: a recorded replay that nothing disturbed, and whether what a
disturbed one has left is whole: the first frames of it, and nothing else."""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

TRACE = tbrsim.CAPTURES / "glmark2_ideas.trace"
LONGEST = 300  # seconds on a busy machine; more is a hang


class TestCase(tbrsim.DisplayTestCase):
    """A script's --times is how often each of its tests disturbs something, --seed makes other choices."""

    PROGRAM = ("eglretrace", "--benchmark", "--headless", TRACE)  # which draws the same frames

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(int(tbrsim.arguments.seed))
        cls.times = int(tbrsim.arguments.times)
        cls.recording = cls.shared / "whole.tbr"
        cls.programs = cls.shared / "programs"  # Mesa's cache of them, of this test alone
        cls.run_command(*cls.replay(cls.shared / "whole", cls.recording), check=True)
        cls.whole = tbrsim.statistics_files.load_csv(cls.shared / "whole")

    @classmethod
    def variables(cls):
        return {"MESA_SHADER_CACHE_DIR": str(cls.programs)}

    @classmethod
    def run_command(cls, *words, variables=None, **options):
        """The command to its end. It has a session of its own, of which nothing is left if it hangs."""
        try:
            return tbrsim.run(*words, variables=cls.variables() | (variables or {}), timeout=LONGEST, **options)
        except subprocess.TimeoutExpired as expired:
            raise AssertionError(f"it hangs: {' '.join(map(str, words))}") from expired

    @staticmethod
    def replay(out, recording):
        return ("replay", "--out", out, "--record", recording, TRACE)

    @classmethod
    def run_program(cls, out, recording):
        return ("run", "--out", out, "--record", recording, "--", *cls.PROGRAM)

    def is_beginning(self, rows):
        """Frames are the first ones of those of the undisturbed run; their number."""
        self.assertLessEqual(len(rows), len(self.whole))
        for row, whole in zip(rows, self.whole):
            names = row.keys() | whole.keys()
            self.assertEqual({name: row.get(name, 0) for name in names}, {name: whole.get(name, 0) for name in names})
        return len(rows)

    def check_statistics(self, out):
        """What is there is whole; how many frames."""
        if not (out / "stats.json").exists():
            return 0
        statistics = tbrsim.statistics_files.load(out)
        for name, value in statistics["total"].items():
            if name != "fps":
                self.assertEqual(value, sum(frame[name] for frame in statistics["frames"]), name)
        frames = self.is_beginning(statistics["frames"])
        # Killed between its two writes, frames.csv has a frame more than stats.json.
        rows = self.is_beginning(tbrsim.statistics_files.load_csv(out))
        self.assertIn(rows - frames, (0, 1))
        return frames

    def check_recording(self, path):
        """Its whole frames can be simulated; what is missing is said, with their number. How many there are."""
        if not path.exists():
            return 0
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory, "out")
            result = self.run_command("sim", "--out", out, path)
            frames = self.is_beginning(tbrsim.statistics_files.load_csv(out)) if out.exists() else 0
            if result.returncode or frames < len(self.whole):
                said = re.search(r"; (\d+) complete frames? precede", result.stderr)
                self.assertTrue(said, f"{frames} frames: {result.stderr}")
                self.assertEqual(int(said[1]), frames, result.stderr)
            return frames

    def check_ended(self, result, out, recording):
        """It has succeeded, or says why not; what is there is whole. Whether it has failed."""
        if result.returncode == 0:
            self.assertEqual(self.check_statistics(out), len(self.whole), result.stderr)
            self.assertEqual(self.check_recording(recording), len(self.whole), result.stderr)
            return False
        # The loader of shared libraries has a message and a status, too.
        self.assertRegex(result.stderr, "(?m)^tbrsim: |error while loading shared libraries", f"status {result.returncode}")
        self.check_statistics(out)
        self.check_recording(recording)
        return True
