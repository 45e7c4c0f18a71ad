#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Python package's source distribution and, from what that holds, its wheel, into $BUILD/wheel.
. "$(dirname "$0")/common.sh"

python3 -c 'import setuptools, wheel' 2>/dev/null || fail "make wheel: setuptools or wheel is missing: 'make deps-wheel' installs them"
out=$PWD/$BUILD/wheel
case $BUILD in /*) out=$BUILD/wheel ;; esac
rm -rf "$out"
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The build folder has no older sources: only what the checkout has now gets into a package.
cp -R python "$scratch/python"
cp LICENSE "$scratch/python/"
find "$scratch/python" -name __pycache__ -prune -exec rm -r {} +
# Files of a wheel have the time of the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)
export SOURCE_DATE_EPOCH

build()
{
   (cd "$1" && python3 -B -c "import sys; sys.path.insert(0, ''); import build_backend; build_backend.$2(sys.argv[1])" "$out") \
      >"$out/log" 2>&1 || { cat "$out/log" >&2; fail "make wheel: $2 failed"; }
   rm "$out/log"
}
build "$scratch/python" build_sdist
tar -xzf "$out"/tbrsim-*.tar.gz -C "$scratch"
build "$(echo "$scratch"/tbrsim-*)" build_wheel
ls "$out"/*
