#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Debian packages of the release that this machine has, into $BUILD/packages, and looks at them with lintian,
# whose errors are errors.
. "$(dirname "$0")/common.sh"

rm -rf "$BUILD/packages"
mkdir -p "$BUILD/packages"
for file in "$UPLOT_TARBALL" "$DUCKDB_LIBRARY"; do
   [ -e "subprojects/packagecache/$file" ] || fail "make deb: $file is missing: 'make deps' fetches it"
done
dpkg-checkbuilddeps || fail "make deb: 'make deps-deb' installs what is missing"
log=$BUILD/packages.log
dpkg-buildpackage --build=binary --no-sign --post-clean --buildinfo-option=-u"$BUILD/packages" \
   --buildinfo-file="$BUILD/packages/tbrsim.buildinfo" --changes-option=-u"$BUILD/packages" \
   --changes-file="$BUILD/packages/tbrsim.changes" >"$log" 2>&1 || {
   tail -n 20 "$log" >&2
   fail "make deb: failed; all of it is in $log"
}
allow=
[ "$(id -u)" != 0 ] || allow=--allow-root
# shellcheck disable=SC2086
lintian --fail-on error --tag-display-limit 0 $allow "$BUILD/packages/tbrsim.changes"
ls "$BUILD"/packages/*.deb
