# SPDX-License-Identifier: MIT
""".ci/run with two Mesas: what it makes of each, what it says and when it fails. make is a script that writes down its
arguments and does as FAKE_MAKE says: "PATTERN STATUS SECONDS", lines of which the first that matches counts."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
MAKE = """#!/bin/sh
echo "$*" >>"$FAKE_LOG"
echo "$FAKE_MAKE" | while read -r pattern status seconds; do
   case "$*" in
   $pattern) sleep "$seconds"; exit "$status" ;;
   esac
done
"""
FIRST = ["deps deps-docs", "test ASSERTS=1"]
OTHER = ["deps MESA=26.2", "all MESA=26.2 ASSERTS=1",
         "test MESA=26.2 ASSERTS=1 TEST_ARGS=--suite driver --suite replay --suite conformance"]


class Run(unittest.TestCase):
    def run_ci(self, make="", seconds=100):
        """(exit status, lines that name a Mesa, calls of make)"""
        with tempfile.TemporaryDirectory() as directory:
            checkout = pathlib.Path(directory)
            for path in (".ci", "subprojects", "bin"):
                (checkout / path).mkdir()
            shutil.copy(TOP / ".ci" / "run", checkout / ".ci")
            shutil.copy(TOP / "meson.options", checkout)
            for version in ("25.0", "26.2"):
                (checkout / "subprojects" / f"mesa-{version}.wrap").touch()
            (checkout / "bin" / "make").write_text(MAKE, encoding="utf-8")
            (checkout / "bin" / "make").chmod(0o755)
            log = checkout / "log"
            environment = {"PATH": f"{checkout}/bin:{os.environ['PATH']}", "FAKE_LOG": str(log), "FAKE_MAKE": make,
                           "TBRSIM_CI_SECONDS": str(seconds)}
            result = subprocess.run([checkout / ".ci" / "run"], capture_output=True, text=True, check=False,
                                    env=environment, timeout=60)
            lines = [line for line in result.stdout.splitlines() if line.startswith("Mesa ")]
            return result.returncode, lines, log.read_text(encoding="utf-8").splitlines()

    def check(self, lines, what):
        self.assertEqual(lines, ["Mesa 25.0: all tests passed", f"Mesa 26.2: {what}"])

    def test_time_for_both(self):
        status, lines, calls = self.run_ci()
        self.assertEqual(status, 0)
        self.check(lines, "the suites driver, replay and conformance passed")
        self.assertEqual(calls, FIRST + OTHER)

    def test_no_source(self):
        status, lines, calls = self.run_ci("deps*26.2 2 0")
        self.assertEqual(status, 0)
        self.check(lines, "not built: its source cannot be had here")
        self.assertEqual(calls, FIRST + OTHER[:1])

    def test_no_time(self):
        status, lines, calls = self.run_ci(seconds=0)
        self.assertEqual(status, 0)
        self.check(lines, "not built: no time left")
        self.assertEqual(calls, FIRST + OTHER[:1])

    def test_time_ends_while_building(self):
        status, lines, calls = self.run_ci("all* 0 100", seconds=10)
        self.assertEqual(status, 0)
        self.check(lines, "not tested: no time left after building")
        self.assertEqual(calls, FIRST + OTHER[:2])

    def test_time_ends_while_testing(self):
        status, lines, calls = self.run_ci("test*26.2* 0 100", seconds=10)
        self.assertEqual(status, 0)
        self.check(lines, "tests not finished: no time left")
        self.assertEqual(calls, FIRST + OTHER)

    def test_failures(self):
        for make in ("deps*docs 2 0", "test?ASSERTS* 2 0", "all* 2 0", "test*26.2* 2 0"):
            with self.subTest(make):
                status, lines, _ = self.run_ci(make)
                self.assertNotEqual(status, 0)
                self.assertEqual(lines, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
