#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the site of the documents, $BUILD/docs/html, with the command of $BUILD; where Mesa is not built there, with
# the cache model's command alone, which prints the same of itself.
. "$(dirname "$0")/common.sh"

if [ -e "$BUILD/build.ninja" ]; then
   scripts/build.sh
   command=$BUILD/bin/tbrsim
else
   find_meson
   [ -n "$MESON" ] || fail_without_deps "nothing is built yet"
   mkdir -p build-model
   [ -e build-model/build.ninja ] || setup_build -Dmesa=false build-model . >build-model/setup.log
   ninja -C build-model --quiet src/tools/tbrsim
   command=build-model/src/tools/tbrsim
fi
set -- --tbrsim "$command" --out "$BUILD/docs"
[ ! -d "$BUILD/gallery" ] || set -- "$@" --gallery "$BUILD/gallery"
/usr/bin/python3 -B scripts/site/build.py "$@"
echo "$BUILD/docs/html/index.html"
