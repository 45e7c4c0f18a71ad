# SPDX-License-Identifier: MIT
"""test_times.py LOG: of Meson's log of tests that scripts/timed.py has run, the processor time and the results."""
import collections
import json
import re
import sys

SHOWN = 8  # tests that are named
LONG = 60  # seconds of all tests from which on some are named

results, seconds = collections.Counter(), {}
with open(sys.argv[1], encoding="utf-8") as log:
    for line in log:
        test = json.loads(line)
        results[test["result"]] += 1
        used = re.findall(r"^processor time: ([\d.]+) s$", test.get("stderr", ""), re.MULTILINE)
        seconds[test["name"].split(" / ")[-1]] = float(used[-1]) if used else 0
total = sum(seconds.values())
if total >= LONG:
    most = sorted(seconds.items(), key=lambda pair: -pair[1])[:SHOWN]
    print("most processor time: " + ", ".join(f"{name} {used:.0f} s" for name, used in most))
print(f"processor time of the tests: {total:.0f} s")
passed = results.pop("OK", 0) + results.pop("EXPECTEDFAIL", 0)
skipped = results.pop("SKIP", 0)
if skipped:
    print(f"{skipped} skipped")
print(f"{passed} passed, {sum(results.values())} failed")
sys.exit(not passed)
