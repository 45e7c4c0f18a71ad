#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the targets of tests/fuzz with clang, libFuzzer, AddressSanitizer and UBSan, in a directory of their own,
# and runs each for FUZZ_SECONDS. FUZZ_TARGETS: only these. What they find to be new inputs is kept in
# build-fuzz/corpus for the next time. Fails at the first finding.
# The targets `driver` and `vulkan` are random OpenGL ES and OpenGL, and random command buffers of Vulkan, on what `make all ASSERTS=1` has
# built, from seed FUZZ_SEED on (default: the time).
. "$(dirname "$0")/common.sh"

find_meson
[ -n "$MESON" ] || fail "make fuzz: Meson $MESON_VERSION or later is missing; run 'make deps' first"
for CC in clang-19 clang ''; do
   [ -n "$CC" ] || fail "make fuzz: no clang with libFuzzer; install clang and libclang-rt-dev of its version"
   echo 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return data && size > 9; }' |
      $CC -fsanitize=fuzzer,address -x c -o /dev/null - 2>/dev/null && break
done

BUILD=build-fuzz
export CC
mkdir -p $BUILD
[ -e $BUILD/build.ninja ] || setup_build -Dmesa=false -Dfuzz=true -Dbuildtype=debugoptimized $BUILD . >$BUILD/setup.log || {
   tail -n 20 $BUILD/setup.log >&2
   fail "make fuzz: configuring failed"
}
ninja -C $BUILD --quiet

# A test of random programs, with a program that draws them: TARGET TEST PROGRAM COUNT
fuzz_random()
{
   built=build-asserts$BUILD_SUFFIX
   [ -x "$built/tests/$3" ] || {
      echo "$1: not run, as it is not built: make all ASSERTS=1"
      return 0
   }
   seed=${FUZZ_SEED:-$(date +%s)}
   /usr/bin/python3 "tests/$2" --tbrsim "$built/bin/tbrsim" --program "$built/tests/$3" --first "$seed" --count "$4" \
      --seconds "${FUZZ_SECONDS:-60}" || fail "make fuzz: $1 failed; FUZZ_SEED=$seed repeats it"
}

for target in ${FUZZ_TARGETS:-$(cd tests/fuzz && echo *.c) driver vulkan}; do
   target=${target%.c}
   echo "$target"
   case $target in
   driver) fuzz_random driver fuzz/driver/driver_test.py fuzz/driver/fuzz_driver 1000000 && continue ;;
   vulkan)
      for kind in random random_transfers random_states random_lookups; do
         fuzz_random vulkan "vulkan/${kind}_test.py" "vulkan/vulkan_$kind" 12
      done
      continue
      ;;
   esac
   mkdir -p "$BUILD/corpus/$target" "$BUILD/findings"
   "$BUILD/tests/fuzz/fuzz_$target" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 -verbosity=0 \
      -close_fd_mask=2 -print_final_stats=1 -artifact_prefix="$BUILD/findings/$target-" "$BUILD/corpus/$target" \
      "tests/fuzz/seeds/$target" ||
      fail "make fuzz: $target failed; its input is in $BUILD/findings"
done
