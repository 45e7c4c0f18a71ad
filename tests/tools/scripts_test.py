# SPDX-License-Identifier: MIT
"""What the Makefile's scripts are made of: a test's processor time, what make demo compiles, for which CPU."""

import json
import pathlib
import re
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

SCRIPTS = tbrsim.SOURCE / "scripts"
NINJA = """rule make
  command = echo $out >>log; {command}
build staged.o: make
build staged: make staged.o
build test.o: make
build test: make test.o
default staged test
"""


class Times(tbrsim.TestCase):
    def timed(self, script):
        return tbrsim.execute("/usr/bin/python3", "-IS", SCRIPTS / "timed.py", "sh", "-c", script)

    def test_status(self):
        """Those of the test, and its output."""
        for script, status in (("echo out; echo err >&2", 0), ("exit 77", 77), ("kill -SEGV $$", -signal.SIGSEGV),
                               ("kill -KILL $$", -signal.SIGKILL)):
            result = self.timed(script)
            self.assertEqual(result.returncode, status, script)
            self.assertEqual(result.stdout, "out\n" if "out" in script else "")
            self.assertRegex(result.stderr, r"^(err\n)?processor time: \d+\.\d\d s\n$")

    def test_time(self):
        """That of programs which the test has started, too; not what it sleeps."""
        burn = "end = time.process_time() + 0.4\nwhile time.process_time() < end: pass"
        busy = self.timed(f"/usr/bin/python3 -c 'import time; exec(\"\"\"{burn}\"\"\")'")
        idle = self.timed("sleep 0.4")
        seconds = [float(re.search(r"time: (\S+) s", result.stderr)[1]) for result in (busy, idle)]
        self.assertGreaterEqual(seconds[0], 0.4)
        self.assertLess(seconds[1], 0.4)

    def test_sum(self):
        tests = [("a", "OK", "x\nprocessor time: 40.25 s\n"), ("b", "FAIL", "processor time: 30.50 s\n"), ("c", "SKIP", "")]
        log = self.path("log", "".join(json.dumps({"name": f"tbrsim:suite / {name}", "result": result, "stderr": said}) + "\n"
                                       for name, result, said in tests))
        result = tbrsim.execute("/usr/bin/python3", SCRIPTS / "test_times.py", log)
        self.assertEqual(result.stdout.splitlines(), ["most processor time: a 40 s, b 30 s, c 0 s",
                                                      "processor time of the tests: 71 s", "1 skipped", "1 passed, 1 failed"])


class Staged(tbrsim.TestCase):
    def build(self, command):
        self.path("build.ninja", NINJA.format(command=command))
        (self.directory / "meson-info").mkdir(exist_ok=True)
        plan = {str(self.directory / name): {"tag": tag} for name, tag in (("staged", "runtime"), ("test", None))}
        self.path("meson-info/intro-install_plan.json", json.dumps({"targets": plan, "data": {}}))
        return tbrsim.execute("/usr/bin/python3", SCRIPTS / "build_staged.py", self.directory)

    def test_only_what_is_staged(self):
        result = self.build("touch $out")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, "2 steps to build (nearly all of it is Mesa)\n")
        self.assertEqual(self.path("log").read_text().split(), ["staged.o", "staged"])
        self.assertEqual(self.build("touch $out").stdout, "")

    def test_failure(self):
        """What the compiler has said, and no zero."""
        result = self.build("echo wrong; false")
        self.assertEqual(result.returncode, 1)
        self.assertIn("\nwrong\n", result.stderr)


class Level(tbrsim.TestCase):
    def test_same_as_driver(self):
        """What make demo compiles is what the driver takes."""
        found = {entry["name"]: entry for entry in json.loads(tbrsim.run("doctor", "--json", check=True).stdout)}
        level = tbrsim.execute(SCRIPTS / "cpu_level.sh", check=True).stdout.strip()
        self.assertIn(f", {level if level != 'all' else 'native'}, ", found["EGL"]["detail"])


if __name__ == "__main__":
    tbrsim.main()
