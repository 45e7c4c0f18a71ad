#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the experiments of experiments/ over a directory of captures. TRACES is that
# directory; EXPERIMENTS, those to run (all); results go to $BUILD/experiments. EXPERIMENTS_ARGS go to snakemake.
. "$(dirname "$0")/common.sh"

[ -n "${TRACES:-}" ] || fail "make experiments TRACES=DIR: DIR is a directory of apitrace captures (*.trace)"
[ -d "$TRACES" ] || fail "make experiments: $TRACES is no directory"
command -v snakemake >/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null ||
   fail "make experiments: install the Debian packages snakemake and python3-matplotlib first"

for experiment in ${EXPERIMENTS:-experiments/*/}; do
   out=$BUILD/$experiment
   mkdir -p "$out"
   # shellcheck disable=SC2086
   snakemake --snakefile "${experiment}Snakefile" --directory "$out" --cores "${CORES:-1}" --quiet rules --show-failed-logs --nolock \
      --config "traces=$(realpath "$TRACES")" "out=$(realpath "$out")" "recordings=$(realpath "$BUILD")/experiments/recordings" "tbrsim=$(realpath "$BUILD")/bin/tbrsim" \
      ${EXPERIMENTS_ARGS:-} || fail "make experiments: $experiment failed"
   printed=${out}figures/tables.md
   if [ -e "$printed" ]; then
      /usr/bin/python3 experiments/tables.py "$printed" "$(basename "$experiment")"
   fi
   echo "${experiment%/}: tables and plots are in ${out}figures"
done
