#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds what only tests need and runs all tests; ends with "N passed, N failed". TEST_ARGS go to `meson test`.
. "$(dirname "$0")/common.sh"

find_meson
log=$BUILD/meson-logs/testlog.json
rm -f "$log"
status=0
# shellcheck disable=SC2086
$MESON test -C "$BUILD" --print-errorlogs ${TEST_ARGS:-} || status=$?
[ -e "$log" ] || : >"$log"
/usr/bin/python3 - "$log" <<'END' || status=1
import collections, json, sys
with open(sys.argv[1], encoding="utf-8") as log:
    results = collections.Counter(json.loads(line)["result"] for line in log)
passed = results.pop("OK", 0) + results.pop("EXPECTEDFAIL", 0)
skipped = results.pop("SKIP", 0)
if skipped:
    print(f"{skipped} skipped")
print(f"{passed} passed, {sum(results.values())} failed")
sys.exit(not passed)
END
exit $status
