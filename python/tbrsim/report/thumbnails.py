# SPDX-License-Identifier: MIT
"""The small pictures of passes that `tbrsim run` and `replay --thumbnails` leave next to the statistics."""
import base64
import re


def folder(results):
    """Where they are: the statistics in a directory may be links to those of a process."""
    return (results.directory / "stats.json").resolve().parent / "thumbnails"


def find(results):
    """{frame: [(pass, path), …]}."""
    found = {}
    for path in folder(results).glob("*.png"):
        match = re.fullmatch(r"(\d+)-(\d+)\.png", path.name)
        if match:
            frame, number = map(int, match.groups())
            found.setdefault(frame, []).append((number, path))
    return {frame: sorted(paths) for frame, paths in found.items()}


def table(frame, paths):
    """Those of a frame, as columns of the page: frame, pass, png (in base64)."""
    return {"frame": [frame] * len(paths), "pass": [number for number, _ in paths],
            "png": [base64.b64encode(path.read_bytes()).decode() for _, path in paths]}
