#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/traffic.png: memory traffic of a frame by stream, one bar a replayed capture.

usage: traffic.py OUTPUT.png NAME=STATS.json…   (statistics of `tbrsim replay --out`)
"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from tbrsim.files import read_statistics  # noqa: E402

STREAMS = ["vertex", "index", "pb_list", "pb_attribute", "texture", "color", "depth", "stencil", "shader", "constant"]
COLORS = ["#4e79a7", "#a0cbe8", "#f28e2b", "#ffbe7d", "#59a14f", "#b6992d", "#f1ce63", "#d37295", "#bab0ac", "#79706e"]


def mebibytes(stats, stream):
    total = stats["total"]
    traffic = sum(total.get(f"dram.{stream}.{direction}_bytes", 0) for direction in ("read", "write"))
    return traffic / len(stats["frames"]) / 2**20


def main(output, captures):
    named = [capture.split("=", 1) for capture in captures]
    loaded = [(name, read_statistics(path)) for name, path in named]
    figure, axes = pyplot.subplots(figsize=(8, 3.2), layout="constrained")
    left = [0.0] * len(loaded)
    for stream, color in zip(STREAMS, COLORS):
        widths = [mebibytes(stats, stream) for _, stats in loaded]
        if max(widths) > 0.01:
            axes.barh([name for name, _ in loaded], widths, left=left, color=color, label=stream)
            left = [a + b for a, b in zip(left, widths)]
    axes.invert_yaxis()
    axes.set_xlabel("memory traffic, MiB a frame")
    axes.set_title(f"glmark2 scenes at 960×540 on {loaded[0][1]['run']['preset']}", fontsize=10)
    axes.legend(fontsize=8, ncols=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(output, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
