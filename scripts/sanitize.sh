#!/bin/sh
# SPDX-License-Identifier: MIT
# sanitize.sh address|thread: builds library and driver instrumented, in a directory of their own, and runs with
# them the tests of library and driver, the robustness tests, scenes of Vulkan, the bundled captures, recorded and simulated under every
# preset, and some of piglit's tests. With AddressSanitizer also random OpenGL ES and OpenGL for FUZZ_SECONDS, from seed
# FUZZ_SEED=1 on.
# For races it takes what has threads: of the library's tests those of a GPU on several threads, of recorder and timing.
# Fails if a test fails or a sanitizer has reported anything.
. "$(dirname "$0")/common.sh"

sanitizer=${1:-}
case $sanitizer in
address) libraries="libasan libubsan" arguments="" suites="--suite cachemodel --suite driver --suite robustness" ;;
# Mesa as well: its locks and queues order what our code does, and it replaces its futexes, which nothing shows.
thread) libraries="libtsan" arguments="-Db_sanitize=thread" suites="--suite robustness" ;;
*) fail "usage: sanitize.sh address|thread" ;;
esac

BUILD=build-$sanitizer$BUILD_SUFFIX SETUP_ARGS="-Dsanitize=$sanitizer $arguments" scripts/build.sh
BUILD=$(realpath "build-$sanitizer$BUILD_SUFFIX")
export BUILD
reports=$BUILD/reports
rm -rf "$reports"
mkdir -p "$reports/complete"

# The programs that load the driver are not instrumented: the runtime has to be there before them.
preload=
for library in $libraries; do
   preload="$preload $(gcc -print-file-name="$library.so")"
done

# sanitizer_reports.py judges the reports. Sizes that no memory holds are for the programs to handle.
set_options()
{
   suppressions=$(realpath scripts/suppressions)
   # Its record of threads' dynamic variables is wrong with this C library, and the search for leaks ends there.
   export ASAN_OPTIONS="log_path=$1/address:log_exe_name=1:allocator_may_return_null=1:intercept_tls_get_addr=0"
   export LSAN_OPTIONS="exitcode=0:suppressions=$suppressions/leak.txt:print_suppressions=0"
   export UBSAN_OPTIONS="log_path=$1/undefined:print_stacktrace=1"
   export TSAN_OPTIONS="log_path=$1/thread:suppressions=$suppressions/thread.txt:exitcode=0:allocator_may_return_null=1:ignore_noninstrumented_modules=0:history_size=4"
}

status=0
# These free all that they allocate, so that all their leaks count.
set_options "$reports/complete"
TEST_ARGS="$suites --timeout-multiplier 20 ${SANITIZE_TEST_ARGS:-}" scripts/test.sh || status=1

if [ $sanitizer = thread ]; then
   TEST_ARGS="gpu_threads recording_hand_over timing_passes --timeout-multiplier 20" scripts/test.sh || status=1
fi

set_options "$reports"
# Scenes of Vulkan, whose loader keeps what it has allocated.
if [ $sanitizer = address ]; then
   TEST_ARGS="vulkan_addresses vulkan_descriptors vulkan_subpasses vulkan_scenes --timeout-multiplier 20" scripts/test.sh || status=1
fi
sim_options=
case $sanitizer in
address) replay_options=--check ;;
# More threads than processors. The comparison of what is drawn is the other run's.
thread) replay_options="--set threads=4 --model-threads 3" sim_options="--model-threads 3" ;;
esac
# Every preset that can be simulated from one recording: those with its size of tiles.
recorded=tcor-baseline-64k
tiles=$("$BUILD/bin/tbrsim" configs --flat $recorded | grep '^tile.size=')
simulated=
for preset in $("$BUILD/bin/tbrsim" configs | sed 's/ .*//'); do
   "$BUILD/bin/tbrsim" configs --flat "$preset" | grep -qx "$tiles" || continue
   simulated="$simulated --config $preset"
done
for trace in ${SANITIZE_TRACES:-apitrace-replays/*.trace}; do
   echo "$trace"
   # shellcheck disable=SC2086
   { LD_PRELOAD=$preload "$BUILD/bin/tbrsim" replay --out "$BUILD/replay" --config $recorded $replay_options \
      --record "$BUILD/recording.tbr" "$trace" &&
      LD_PRELOAD=$preload "$BUILD/bin/tbrsim" sim --jobs 4 $sim_options --out "$BUILD/simulated" $simulated \
         "$BUILD/recording.tbr"; } >"$BUILD/replay.log" 2>&1 || {
      cat "$BUILD/replay.log"
      status=1
   }
done
# shellcheck disable=SC2086
LD_PRELOAD=$preload /usr/bin/python3 tests/conformance/conformance.py --tbrsim "$BUILD/bin/tbrsim" --timeout 600 \
   --list tests/conformance/quick.txt ${SANITIZE_ARGS:-} || status=1
# Random OpenGL ES and OpenGL, as often as there is time.
if [ $sanitizer = address ]; then
   LD_PRELOAD=$preload /usr/bin/python3 tests/fuzz/driver/driver_test.py --tbrsim "$BUILD/bin/tbrsim" \
      --program "$BUILD/tests/fuzz/driver/fuzz_driver" --first "${FUZZ_SEED:-1}" --count 1000000 \
      --seconds "${FUZZ_SECONDS:-60}" || status=1
fi
/usr/bin/python3 scripts/sanitizer_reports.py "$reports" || status=1
exit $status
