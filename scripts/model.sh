#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the cache model, its tests and the command, without Mesa, in a directory of their own, and runs the tests.
. "$(dirname "$0")/common.sh"

find_meson
[ -n "$MESON" ] || fail_without_deps "nothing is built yet"
BUILD=build-model
mkdir -p $BUILD
[ -e $BUILD/build.ninja ] || setup_build -Dmesa=false $BUILD . >$BUILD/setup.log || {
   tail -n 20 $BUILD/setup.log >&2
   fail_without_deps "configuring failed; all of it is in $BUILD/setup.log"
}
ninja -C $BUILD --quiet
[ -e compile_commands.json ] || ln -s $BUILD/compile_commands.json .
BUILD=$BUILD scripts/test.sh
