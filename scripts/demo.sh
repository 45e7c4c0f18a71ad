#!/bin/sh
# SPDX-License-Identifier: MIT
# Replays a bundled capture on the simulated GPU: statistics, frames, comparison.
. "$(dirname "$0")/common.sh"

trace=apitrace-replays/glmark2_shadow.trace
echo "Replaying $trace, a capture of glmark2's scene \"shadow\" (OpenGL ES 2.0, 960x540)."
"$BUILD/bin/tbrsim" replay --out out/demo --snapshots out/demo/frames --check "$trace"
