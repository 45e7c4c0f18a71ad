#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the experiments of experiments/ over a directory of captures, TRACES, or of descriptions of scenes, SCENES
# (workloads/scenes). EXPERIMENTS, those to run (all); results go to $BUILD/experiments, of scenes to $BUILD/experiments/scenes.
# EXPERIMENTS_ARGS go to snakemake. At last a page of the papers whose experiments have results, index.html.
. "$(dirname "$0")/common.sh"

case ${TRACES:+traces}${SCENES:+scenes} in
traces) directory=$TRACES results=$BUILD/experiments workloads=traces ;;
scenes) directory=$SCENES results=$BUILD/experiments/scenes workloads=scenes ;;
*) fail "make experiments TRACES=DIR or SCENES=DIR: apitrace captures (*.trace), or descriptions of scenes (workloads/scenes)" ;;
esac
[ -d "$directory" ] || fail "make experiments: $directory is no directory"
command -v snakemake >/dev/null && /usr/bin/python3 -c 'import markdown, matplotlib' 2>/dev/null ||
   fail "make experiments: install the Debian packages snakemake, python3-markdown and python3-matplotlib first"

for experiment in ${EXPERIMENTS:-experiments/*/Snakefile}; do
   name=$(basename "${experiment%/Snakefile}")
   out=$results/$name
   mkdir -p "$out"
   # shellcheck disable=SC2086
   snakemake --snakefile "experiments/$name/Snakefile" --directory "$out" --cores "${CORES:-1}" --quiet rules --show-failed-logs --nolock \
      --config "$workloads=$(realpath "$directory")" "out=$(realpath "$out")" "recordings=$(realpath "$results")/recordings" \
      "tbrsim=$(realpath "$BUILD")/bin/tbrsim" "scene=$(realpath "$BUILD")/workloads/scene/scene" \
      ${EXPERIMENTS_ARGS:-} || fail "make experiments: $name failed"
   /usr/bin/python3 experiments/tables.py "$out/figures/tables.md" "$name" $([ $workloads = traces ] && echo captures || echo scenes)
   echo "$name: tables and plots are in $out/figures"
done

pages=
for experiment in experiments/*/Snakefile; do
   name=$(basename "${experiment%/Snakefile}")
   if [ -e "$results/$name/figures/tables.md" ]; then
      pages="$pages $([ $workloads = traces ] && echo captures || echo scenes):$name=$results/$name/figures"
   fi
done
# shellcheck disable=SC2086
/usr/bin/python3 experiments/page.py "$results" $pages
echo "the papers' figures: $results/index.html"
