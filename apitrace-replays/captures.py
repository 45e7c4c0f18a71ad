#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes captures of programs at the papers' resolutions, and prints what a frame of each is.

usage: captures.py --tbrsim TBRSIM [--out DIR] [--install] [NAME-WIDTHxHEIGHT…]

Captures that capture.sh made before are used again. Each is replayed once, without the model, and recorded in OUT; the
recording is used again while it is newer than the capture. The first frame, in which everything is loaded, is not
counted. With KEEP_TABLES=1 the table of all captures is kept in docs/captures/tables.md, with which a test compares
docs/captures.md.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "workloads"))
import scenes  # noqa: E402
from scenes import tbrsim  # noqa: E402

WIDE, LARGE, SQUARE = "1960x768", "1920x1200", "1280x1024"
SETS = {
    # They draw to textures.
    "glmark2_desktopblur": (WIDE, LARGE, SQUARE), "glmark2_refract": (WIDE, LARGE), "glmark2_shadow": (WIDE, LARGE),
    "glmark2_terrain": (WIDE,), "minetest": (WIDE,), "supertux": (WIDE,), "supertuxkart": (WIDE,),
    # They draw to the window.
    "gcompris": (WIDE,), "glmark2_bump": (WIDE,), "glmark2_jellyfish": (WIDE,),
    "glmark2_texture": (WIDE,), "neverball": (WIDE,), "neverputt": (WIDE,), "openarena": (WIDE,), "torcs": (WIDE,),
    "warzone2100": (WIDE,),
}
KEPT = TOP / "docs" / "captures" / "tables.md"
# TCOR's baseline without hidden surface removal, and an immediate-mode GPU with an LLC of 2 MiB.
CONFIGURATIONS = ("--config", "tcor-baseline-64k", "--set", "mode=tbr", "--config", "imr-2m")


def names():
    return [f"{name}-{size}" for name, sizes in SETS.items() for size in sizes]


class Capture:
    """A capture, its recording, and what the simulation counts in its frames."""

    def __init__(self, name, arguments):
        self.name, self.tbrsim, self.out = name, arguments.tbrsim, arguments.out / name
        self.program, _, self.size = name.rpartition("-")
        self.options = ["--size", self.size, *(["--install"] if arguments.install else [])]
        self.recording = arguments.out / f"{name}.tbr"

    def make(self):
        """capture.sh prints which file it is."""
        with open(f"{self.out}.log", "w", encoding="utf-8") as log:
            script = subprocess.run([TOP / "apitrace-replays" / "capture.sh", *self.options, self.program],
                                    env=os.environ | {"TBRSIM": self.tbrsim}, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=log, text=True, check=False)
        if script.returncode:
            raise tbrsim.Error(f"cannot be captured; see {self.out}.log")
        self.trace = pathlib.Path(script.stdout.strip())

    def record(self):
        if self.recording.exists() and self.recording.stat().st_mtime > self.trace.stat().st_mtime:
            return
        unfinished = self.recording.with_suffix(".part")
        scenes.run_tbrsim("replay", "--no-model", "--record", unfinished, "--out", self.out, self.trace)
        unfinished.replace(self.recording)

    def simulate(self):
        """Cells of the table's row."""
        text = scenes.run_tbrsim("sim", "--json", "--warm-up", scenes.WARM_UP, *CONFIGURATIONS, "--out", self.out,
                                 self.recording)
        tiled, immediate = json.loads(text)["simulations"]
        frames, counters = tiled["frames"], tiled["counters"]
        shares, accesses = scenes.stream_shares(immediate["counters"])
        yield from (self.program, self.size.replace("x", "×"), str(frames))
        yield f"{self.trace.stat().st_size / scenes.MEBIBYTE:.1f}"
        yield f"{counters['gpu.passes'] / frames:.1f}"
        yield f"{counters['tiling_engine.primitives'] / frames:.0f}"
        parameter_buffer = 64 * counters["tiling_engine.attributes"] + 4 * counters["tiling_engine.pmds"]
        yield f"{parameter_buffer / frames / scenes.MEBIBYTE:.2f}"
        yield f"{counters.get('texture_cache.texture.misses', 0) / frames / 1000:.0f}"
        yield f"{accesses / frames / 1e6:.2f}"
        yield from (f"{share:.0f}" for share in shares.values())


HEADER = ("program", "size", "frames", "capture, MiB", "passes", "primitives", "Parameter Buffer, MiB",
          "texture misses, thousand", "LLC accesses, million", *(f"{stream}, %" for stream in scenes.STREAMS))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    parser.add_argument("--out", default="build/captures", type=lambda path: pathlib.Path(path).absolute())
    parser.add_argument("--install", action="store_true", help="install packages that are missing, as root")
    parser.add_argument("--list", action="store_true", help="print the names of all captures")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(names()))
        return 0
    tbrsim.use(arguments.tbrsim)
    arguments.out.mkdir(parents=True, exist_ok=True)
    scenes.write_row(*HEADER)
    scenes.write_row("---", "---", *("---:" for _ in HEADER[2:]))
    failed = False
    for name in arguments.names or names():
        capture = Capture(name, arguments)
        try:
            capture.make()
            capture.record()
            scenes.write_row(*capture.simulate())
        except tbrsim.Error as error:
            print(f"make captures: {name}: {error}", file=sys.stderr)
            failed = True
    if os.environ.get("KEEP_TABLES") == "1" and not failed and not arguments.names:
        KEPT.write_text("\n".join([*scenes.PRINTED, ""]), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
