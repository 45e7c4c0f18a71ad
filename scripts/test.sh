#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds what only tests need and runs all tests; says which took most processor time, and ends with "N passed, N failed".
# TEST_ARGS go to `meson test`.
. "$(dirname "$0")/common.sh"

find_meson
log=$BUILD/meson-logs/testlog.json
# A wrapper is in the name of the log.
timed=$BUILD/meson-logs/testlog-python3.json
rm -f "$log" "$timed"
status=0
# shellcheck disable=SC2086
# One more than there are processors: many tests wait, for a display, a process that is to be killed, a time limit.
MESON_TESTTHREADS=${MESON_TESTTHREADS:-$(($(nproc) + 1))}
export MESON_TESTTHREADS
# Limits are a multiple of what a test takes on an idle machine. If other programs run at the same time, perhaps with
# a higher priority, tests take longer; only a test that hangs is to be ended.
$MESON test -C "$BUILD" --print-errorlogs --timeout-multiplier 4 --wrapper "/usr/bin/python3 -IS $PWD/scripts/timed.py" ${TEST_ARGS:-} || status=$?
[ ! -e "$timed" ] || mv "$timed" "$log"
[ -e "$log" ] || : >"$log"
/usr/bin/python3 scripts/test_times.py "$log" || status=1
exit $status
