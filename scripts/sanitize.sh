#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitize.sh address|thread: builds library and driver instrumented, in a directory of their own, and runs the
# bundled captures and the short part of the conformance tests with them. Fails if a sanitizer has reported
# anything.
. "$(dirname "$0")/common.sh"

sanitizer=${1:-}
case $sanitizer in
address) libraries="libasan libubsan" ;;
thread) libraries="libtsan" ;;
*) fail "usage: sanitize.sh address|thread" ;;
esac

BUILD=build-$sanitizer SETUP_ARGS="-Dsanitize=$sanitizer" scripts/build.sh
BUILD=$(realpath "build-$sanitizer")
reports=$BUILD/reports
rm -rf "$reports"
mkdir -p "$reports"

# The programs that load the driver are not instrumented: the runtime has to be there before them.
preload=
for library in $libraries; do
   preload="$preload $(gcc -print-file-name="$library.so")"
done
suppressions=$(realpath scripts/suppressions)
# The allocator's own limits and a program's own leaks are no findings: sanitizer_reports.py sorts them out.
export ASAN_OPTIONS="log_path=$reports/address:detect_leaks=1:allocator_may_return_null=1"
export LSAN_OPTIONS="exitcode=0:suppressions=$suppressions/leak.txt:print_suppressions=0"
export UBSAN_OPTIONS="log_path=$reports/undefined:print_stacktrace=1"
export TSAN_OPTIONS="log_path=$reports/thread:suppressions=$suppressions/thread.txt:exitcode=0:ignore_noninstrumented_modules=0"

status=0
for trace in ${SANITIZE_TRACES:-apitrace-replays/*.trace}; do
   echo "$trace"
   LD_PRELOAD=$preload "$BUILD/bin/tbrsim" replay --out "$BUILD/replay" --check "$trace" >"$BUILD/replay.log" 2>&1 || {
      cat "$BUILD/replay.log"
      status=1
   }
done
LD_PRELOAD=$preload /usr/bin/python3 tests/conformance/conformance.py --tbrsim "$BUILD/bin/tbrsim" --timeout 600 \
   --list tests/conformance/quick.txt ${SANITIZE_ARGS:-} || status=1
/usr/bin/python3 scripts/sanitizer_reports.py "$reports" || status=1
exit $status
