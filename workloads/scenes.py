#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Renders the scenes of workloads/scenes on tbrsim and prints what each has beside what the papers publish of it.

usage: scenes.py --tbrsim TBRSIM --program SCENE [--out DIR] [--frames N] [NAME…]

Each scene is rendered once, on TCOR's baseline GPU with early depth tests only, and recorded; the first frame, which
loads textures, is not counted. Scenes of several render passes are rendered on GSPC's GPU. Fails where something is
more than 5 % off and the description does not say why (`differs`). With KEEP_TABLES=1, tables of all scenes that do not
fail are kept in docs/workloads/tables.md, with which the test document_tables compares docs/workloads.md.
"""
import argparse
import json
import os
import pathlib
import sys

import yaml

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP / "python"))
import tbrsim  # noqa: E402

MEBIBYTE = 1 << 20
TILE = 32
TOLERANCE = 0.05
WARM_UP = 1
KEPT = TOP / "docs" / "workloads" / "tables.md"
PRINTED = []
CONFIGURATION = ("--config", "tcor-baseline-64k", "--set", "mode=tbr")
# GSPC 2.2, Figure 4: the averages of twelve applications, per cent of the accesses to the LLC.
STREAMS = {"render targets": 40, "textures": 34, "Z": 10, "HiZ": 7, "vertices": 4, "rest": 5}
GROUPS = {"color": "render targets", "texture": "textures", "depth": "Z", "hiz": "HiZ", "vertex": "vertices",
          "index": "vertices"}


def run_tbrsim(*words):
    """What the command prints; it has a display of its own."""
    return tbrsim.call(*words, env={key: value for key, value in os.environ.items() if key != "DISPLAY"})


def stream_shares(counters):
    """Shares of the accesses to the LLC, per cent, and how many there are."""
    accesses = dict.fromkeys(STREAMS, 0)
    for name, value in counters.items():
        unit, stream, *event = name.split(".")
        if unit == "llc" and stream != "total" and event[0] in ("reads", "writes"):
            accesses[GROUPS.get(stream, "rest")] += value
    total = sum(accesses.values())
    return {stream: 100 * value / total for stream, value in accesses.items()}, total


class Scene:
    """A description, and what running it shows."""

    def __init__(self, path, arguments):
        self.path, self.arguments = path, arguments
        self.description = yaml.safe_load(path.read_text(encoding="utf-8"))
        self.name = self.description["name"]
        self.width, self.height = map(int, self.description["resolution"].split("x"))
        self.out = arguments.out / self.name
        self.reasons = {one["of"]: one["why"] for one in self.description.get("differs", [])}

    def asks(self, key):
        return self.description.get(key)

    @property
    def has_passes(self):
        return self.asks("target") not in (None, "window")

    def command(self, *words):
        try:
            return run_tbrsim(*words)
        except tbrsim.Error as error:
            sys.exit(f"{self.name}: {error}")

    def run(self, *options, frames):
        self.command("run", "--screen", f"{self.width + 16}x{self.height + 16}", *options, "--out", self.out, "--",
                     self.arguments.program, "--window", "--frames", frames, self.path)
        return tbrsim.files.load(self.out)["frames"]

    def sums(self, frames):
        return {name: sum(frame.get(name, 0) for frame in frames) for name in set().union(*frames)}

    def texture_values(self, recording):
        """Bytes of textures that a frame reads, whole blocks, and their share of the memory accesses, per cent:
        "Boustrophedonic Frames", Table I."""
        text = self.command("analyze", "--config", "boustro-fo", "--set", "mode=tbr", "--unit", "texture_cache", "--json",
                            recording)
        simulation = json.loads(text)["simulations"]["forward"]
        memory = simulation["memory_accesses"]
        share = 100 * memory.get("texture", 0) / sum(memory.values())
        return simulation["streams"]["texture"]["footprint_bytes_per_frame"], share

    def single_pass(self):
        """(characteristic, asked, got) of what the mobile papers publish."""
        recording = self.out.with_suffix(".tbr")
        frames = self.run(*CONFIGURATION, "--timing", "on", "--record", recording, frames=self.arguments.frames)
        count, sums = len(frames) - WARM_UP, self.sums(frames[WARM_UP:])
        primitives, pmds = sums["tiling_engine.primitives"], sums["tiling_engine.pmds"]
        tiles = -(-self.width // TILE) * -(-self.height // TILE)
        further = self.asks("reuse_counts") == "further-tiles"
        attribute = 48 if self.asks("parameter_buffer_counts") == "attributes" else 64
        instructions = sums["operations.quad_instructions"] / sums["fragment_stage.quads"]
        vertex = sums["operations.vertex_instructions"]
        footprint, share = self.texture_values(recording)
        recording.unlink()
        got = {
            "parameter_buffer": (attribute * sums["tiling_engine.attributes"] + 4 * pmds) / count / MEBIBYTE,
            "reuse": pmds / primitives - further,
            "primitives": primitives / count,
            "tiles_per_primitive": pmds / primitives,
            "primitives_per_tile": pmds / count / tiles,
            "texture_footprint": footprint / MEBIBYTE,
            "texture_share": share,
            "average_instructions": instructions,
            "vertex_share": vertex / (instructions * sums["fragment_stage.fragments"]),
        }
        return [(key, self.asks(key), value) for key, value in got.items() if self.asks(key)]

    def streams(self):
        """Shares of the accesses to the LLC of GSPC's GPU, per cent, and the accesses of a frame."""
        frames = self.run("--config", "imr-8m", frames=WARM_UP + 1)
        return stream_shares(self.sums(frames[WARM_UP:]))


def judge(asked, got, reason):
    if abs(got / asked - 1) <= TOLERANCE:
        return "", True
    return (reason, True) if reason else ("**not as asked**", False)


def write_line(line):
    print(line, flush=True)
    PRINTED.append(line)


def write_row(*cells):
    write_line("| " + " | ".join(cells) + " |")


def mobile_table(scenes):
    good = True
    write_row("scene", "characteristic", "asked", "got", "why")
    write_row("---", "---", "---:", "---:", "---")
    for scene in scenes:
        for key, asked, got in scene.single_pass():
            why, fine = judge(asked, got, scene.reasons.get(key))
            good &= fine
            write_row(scene.name, key, f"{asked:g}", f"{got:.3g}" if got < 1000 else f"{got:.0f}", why)
    return good


def stream_table(scenes):
    """The paper gives averages of its twelve only; no single scene can be held to them."""
    write_row("scene", *(f"{stream}, %" for stream in STREAMS), "million accesses a frame")
    write_row("---", *("---:" for _ in STREAMS), "---:")
    rows = []
    for scene in scenes:
        shares, total = scene.streams()
        rows.append(shares)
        write_row(scene.name, *(f"{share:.0f}" for share in shares.values()), f"{total / 1e6:.2f}")
    write_row("**average**", *(f"{sum(row[stream] for row in rows) / len(rows):.0f}" for stream in STREAMS), "")
    write_row("paper's average", *(str(share) for share in STREAMS.values()), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    parser.add_argument("--program", required=True, type=os.path.abspath)
    parser.add_argument("--out", default="build/scenes", type=lambda path: pathlib.Path(path).absolute())
    parser.add_argument("--frames", default=3, type=int)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    tbrsim.use(arguments.tbrsim)
    if arguments.frames <= WARM_UP:
        parser.error(f"--frames {arguments.frames}: the first is not counted, so that {WARM_UP + 1} are needed")
    descriptions = TOP / "workloads" / "scenes"
    paths = ([descriptions / f"{name}.yaml" for name in arguments.names] or sorted(descriptions.glob("*.yaml")))
    for path in paths:
        if not path.exists():
            sys.exit(f"make scenes: there is no {path.relative_to(TOP)}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    scenes = [Scene(path, arguments) for path in paths]
    mobile = [scene for scene in scenes if not scene.has_passes]
    others = [scene for scene in scenes if scene.has_passes]
    good = mobile_table(mobile) if mobile else True
    if mobile and others:
        write_line("")
    if others:
        stream_table(others)
    if os.environ.get("KEEP_TABLES") == "1" and good and not arguments.names:
        KEPT.write_text("\n".join([*PRINTED, ""]), encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
