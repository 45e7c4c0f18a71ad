# SPDX-License-Identifier: MIT
"""The driver's lists of expected results, in the form of Mesa's continuous integration, and
what a run has that they do not have."""

import dataclasses
import re

import piglit

FAILURES = ("Fail", "Crash", "Timeout")


def lines(path):
    """A list's lines without comments and blank lines, with their numbers."""
    if not path.exists():
        raise piglit.Failure(f"{path} is missing")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            yield number, line


def patterns(path):
    """One regular expression for a list of them; it never matches where there are none."""
    expressions = []
    for number, line in lines(path):
        try:
            re.compile(line)
        except re.error as error:
            raise piglit.Failure(f"{path}:{number}: {error}") from error
        expressions.append(f"(?:{line})")
    return re.compile("|".join(expressions) or r"(?!)")


@dataclasses.dataclass
class Lists:
    """What is known of a driver: {test: status} that fail, patterns of unstable tests and of tests to leave out."""
    fails: dict
    flakes: re.Pattern
    skips: re.Pattern

    @classmethod
    def read(cls, directory, driver):
        fails = {}
        path = directory / f"{driver}-fails.txt"
        for number, line in lines(path):
            test, _, status = line.rpartition(",")
            if not test or status not in FAILURES:
                raise piglit.Failure(f"{path}:{number}: not TEST,{'|'.join(FAILURES)}")
            if test in fails:
                raise piglit.Failure(f"{path}:{number}: {test} is there twice")
            fails[test] = status
        return cls(fails, patterns(directory / f"{driver}-flakes.txt"), patterns(directory / f"{driver}-skips.txt"))

    def judge(self, results):
        """(unexpected failures, results better than listed) as lists of (test, status, listed status)."""
        worse, better = [], []
        for test, result in sorted(results.items()):
            for name, status in result.flat(test):
                listed = self.fails.get(name, "Pass")
                if self.flakes.fullmatch(name) or self.flakes.fullmatch(test):
                    continue
                if status in FAILURES and status != listed:
                    worse.append((name, status, listed))
                elif status not in FAILURES and listed in FAILURES:
                    better.append((name, status, listed))
        return worse, better

    def update(self, path, results):
        """Rewrites the list of failures: the lines of tests that ran are replaced, comments stay."""
        ran = {name: status for test, result in results.items() for name, status in result.flat(test)}
        fails = {name: status for name, status in ran.items()
                 if status in FAILURES and not self.flakes.fullmatch(name)}
        kept, known = [], set()
        for line in path.read_text(encoding="utf-8").splitlines():
            test = line.strip().rpartition(",")[0]
            if not test or line.startswith("#"):
                kept.append(line)
            elif test in fails or test not in ran:
                kept.append(f"{test},{fails.get(test, self.fails.get(test))}")
                known.add(test)
        kept += [f"{test},{status}" for test, status in sorted(fails.items()) if test not in known]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")


def fails(result, test):
    """Whether the test or one of its subtests does."""
    return any(status in FAILURES for _, status in result.flat(test))


def behind(results, references):
    """(test, status, names of the reference drivers that pass it), sorted, of the tests that do not."""
    passing = {}
    for driver, reference in references.items():
        for test, result in reference.items():
            for name, status in result.flat(test):
                if status == "Pass":
                    passing.setdefault(name, []).append(driver)
    return [(name, status, passing[name])
            for test, result in sorted(results.items())
            for name, status in result.flat(test)
            if status in FAILURES and name in passing]
