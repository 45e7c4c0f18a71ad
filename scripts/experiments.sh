#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the experiments of experiments/ over a directory of captures, TRACES, or of descriptions of scenes, SCENES
# (workloads/scenes). EXPERIMENTS, those to run (all); results go to $BUILD/experiments, of scenes to $BUILD/experiments/scenes.
# EXPERIMENTS_ARGS go to snakemake.
. "$(dirname "$0")/common.sh"

case ${TRACES:+traces}${SCENES:+scenes} in
traces) directory=$TRACES results=$BUILD/experiments workloads=traces ;;
scenes) directory=$SCENES results=$BUILD/experiments/scenes workloads=scenes ;;
*) fail "make experiments TRACES=DIR or SCENES=DIR: apitrace captures (*.trace), or descriptions of scenes (workloads/scenes)" ;;
esac
[ -d "$directory" ] || fail "make experiments: $directory is no directory"
command -v snakemake >/dev/null && /usr/bin/python3 -c 'import matplotlib' 2>/dev/null ||
   fail "make experiments: install the Debian packages snakemake and python3-matplotlib first"

for experiment in ${EXPERIMENTS:-experiments/*/}; do
   name=$(basename "$experiment")
   out=$results/$name
   mkdir -p "$out"
   # shellcheck disable=SC2086
   snakemake --snakefile "experiments/$name/Snakefile" --directory "$out" --cores "${CORES:-1}" --quiet rules --show-failed-logs --nolock \
      --config "$workloads=$(realpath "$directory")" "out=$(realpath "$out")" "recordings=$(realpath "$results")/recordings" \
      "tbrsim=$(realpath "$BUILD")/bin/tbrsim" "scene=$(realpath "$BUILD")/workloads/scene/scene" \
      ${EXPERIMENTS_ARGS:-} || fail "make experiments: $name failed"
   # The documents are of captures.
   if [ "$workloads" = traces ]; then
      /usr/bin/python3 experiments/tables.py "$out/figures/tables.md" "$name"
   fi
   echo "$name: tables and plots are in $out/figures"
done
