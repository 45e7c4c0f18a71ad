# SPDX-License-Identifier: MIT
"""Runs piglit on tbrsim and compares the results with the lists next to the driver; what fails also runs on llvmpipe and
softpipe of the same build: nothing may fail here that passes there."""

import collections
import json
import os
import pathlib
import re
import signal
import sys
import tempfile

import expectations
import piglit
import references
from piglit import tbrsim

LISTS = tbrsim.SOURCE / "src" / "gallium" / "drivers" / "tbrsim" / "ci"
COLUMNS = ("Pass", "Fail", "Crash", "Timeout", "Skip")


def parse_arguments():
    parser = tbrsim.command_line(__doc__)
    parser.add_argument("--profile", default="quick_gl", help="piglit's profile (default %(default)s)")
    parser.add_argument("--tests", type=re.compile, metavar="REGEX", help="only tests in whose names this is found")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE",
                        help="only the tests named in a file, compared with the lists only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at once (default: processors)")
    parser.add_argument("--timeout", type=int, default=180, help="seconds a test may take (default %(default)s)")
    parser.add_argument("--mesa", metavar="VERSION", help="the Mesa that was built, of subprojects/mesa-VERSION.wrap")
    parser.add_argument("--no-references", action="store_true", help="compare with the lists only")
    parser.add_argument("--update", action="store_true", help="write the list of failures anew from this run")
    parser.add_argument("--out", type=pathlib.Path, help="directory for results.json")
    tbrsim.parse(parser)
    if not (tbrsim.arguments.no_references or tbrsim.arguments.list or tbrsim.arguments.mesa):
        parser.error("--mesa is missing: the reference drivers' results are kept for each Mesa")
    return tbrsim.arguments


def select(arguments, lists, environment):
    """Names of the tests to run, and how many others the profile has: of what is not exposed, and left out."""
    tests = piglit.profile_tests(arguments.profile)
    if arguments.list:
        wanted = [line for _, line in expectations.lines(arguments.list)]
        unknown = sorted(set(wanted) - set(tests))
        if unknown:
            raise piglit.Failure(f"{arguments.list}: {arguments.profile} has no test {unknown[0]}")
        return wanted, 0, 0
    if arguments.tests:
        tests = [test for test in tests if arguments.tests.search(test)]
    exposed = piglit.exposed(environment)
    inside = [test for test in tests if exposed.has(test)]
    chosen = [test for test in inside if not lists.skips.fullmatch(test)]
    return chosen, len(tests) - len(inside), len(inside) - len(chosen)


def run_references(arguments, results, display, scratch):
    """{driver: {test: Result}} of the tests that fail on tbrsim, which are all that is compared; what is not in the
    cache yet is run and put there."""
    tests = [test for test, result in results.items() if expectations.fails(result, test)]
    others = {}
    for driver in references.DRIVERS:
        cache = references.Cache(tbrsim.SOURCE, arguments.mesa, arguments.profile, driver)
        missing = [test for test in tests if test not in cache.results]
        if missing:
            print(f"{driver}: running {len(missing)} tests; the results are kept in {cache.path}", flush=True)
            environment = piglit.driver_environment(driver, display, scratch)
            piglit.run(arguments.profile, missing, environment, arguments.jobs, arguments.timeout, cache.add)
        others[driver] = {test: cache.results[test] for test in tests if test in cache.results}
    return others


def run_tbrsim(arguments, tests, environment, lists):
    """({test: Result}, names of the tests whose failure the lists do not have but that passed when run again)."""
    results = {}

    def keep(chunk):
        results.update(chunk)
        if arguments.out:
            write_results(arguments.out, results)
        if len(tests) > piglit.CHUNK:
            counts = collections.Counter(result.status for result in results.values())
            print(f"tbrsim: {len(results)} of {len(tests)}: " +
                  ", ".join(f"{counts[status]} {status.lower()}" for status in COLUMNS if counts[status]), flush=True)

    piglit.run(arguments.profile, tests, environment, arguments.jobs, arguments.timeout, keep)
    # Windows that overlap, a busy machine: again, alone. What fails again, fails.
    again = [test for test, result in results.items() if lists.judge({test: result})[0]]
    unstable = []
    if len(again) <= 10 + len(tests) // 50:
        for test, result in piglit.run_chunk(arguments.profile, again, environment, 1, arguments.timeout).items() \
                if again else ():
            if not lists.judge({test: result})[0]:
                unstable.append(test)
            results[test] = result
    if arguments.out:
        write_results(arguments.out, results)
    return results, sorted(unstable)


def write_results(path, results):
    """All of a run so far, with the output of what did not pass."""
    path.mkdir(parents=True, exist_ok=True)
    entries = {test: {"status": result.status, "seconds": round(result.seconds, 2), "subtests": result.subtests,
                      "details": result.details} for test, result in sorted(results.items())}
    (path / "results.json").write_text(json.dumps(entries, indent=1), encoding="utf-8")


def table(all_results):
    rows = [f"{'driver':10}" + "".join(f"{column.lower():>9}" for column in COLUMNS)]
    for driver, results in all_results.items():
        counts = collections.Counter(result.status for result in results.values())
        rows.append(f"{driver:10}" + "".join(f"{counts[column]:9}" for column in COLUMNS))
    return "\n".join(rows)


def section(title, rows):
    if rows:
        print(f"\n{title} ({len(rows)}):")
        print("\n".join(f"  {row}" for row in rows))


def conformance(arguments):
    lists = expectations.Lists.read(LISTS, "tbrsim")
    with tbrsim.display("1280x1024x24") as display, tempfile.TemporaryDirectory() as scratch:
        environment = piglit.driver_environment("tbrsim", display, scratch)
        tests, hidden, left_out = select(arguments, lists, environment)
        if not tests:
            raise piglit.Failure("no test is chosen")
        print(f"{len(tests)} tests of piglit's {arguments.profile}; {hidden} are of versions and extensions that are"
              f" not exposed, {left_out} are in the list of skips", flush=True)
        results, unstable = run_tbrsim(arguments, tests, environment, lists)
        others = {}
        if not arguments.no_references and not arguments.list:
            others = run_references(arguments, results, display, scratch)
    if arguments.update:
        lists.update(LISTS / "tbrsim-fails.txt", results)
        lists = expectations.Lists.read(LISTS, "tbrsim")
    missing = sorted(set(tests) - set(results))
    worse, better = lists.judge(results)
    flaky = lists.flakes
    behind = [row for row in expectations.behind(results, others) if not flaky.fullmatch(row[0])]
    print("\n" + table({"tbrsim": results, **others}))
    section("Failed once, passed when run again", unstable)
    section("Without a result", missing)
    section("Not as in tbrsim-fails.txt", [f"{test}: {status}, listed as {listed}" for test, status, listed in worse])
    section("Better than in tbrsim-fails.txt, take them out of it",
            [f"{test}: {status}, listed as {listed}" for test, status, listed in better])
    section("Fails on tbrsim, passes elsewhere",
            [f"{test}: {status}, passes on {' and '.join(drivers)}" for test, status, drivers in behind])
    if worse and arguments.list:
        for test in dict.fromkeys(test for test, _, _ in worse if test in results):
            print(f"\n{test}: {results[test].details}")
    failed = bool(worse or better or behind or missing)
    print("\nconformance: " + ("FAILED" if failed else "as expected"))
    return int(failed)


def main():
    arguments = parse_arguments()
    if not piglit.installed():
        print("conformance: piglit is not installed; 'make deps' installs it")
        return tbrsim.SKIPPED
    # An end from outside takes down the X server and the tests too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        return conformance(arguments)
    except piglit.Failure as failure:
        sys.exit(f"conformance: {failure}")
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
