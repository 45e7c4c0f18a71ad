# SPDX-License-Identifier: MIT
"""Events that tell of hidden fragments, as recordings have them, answer for both modes: rendered with
them, the scenes of render_scenes and the bundled captures give the same images and the same
frames.csv, byte for byte, as without them, in mode tbr and in mode tbdr; and so does one
recording of them, whichever mode it was made in. One without them (--record-visible) answers for its own mode."""

import itertools
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

SIZES = ("8", "32", "64")


def run(command, out):
    """What the program prints, and the statistics."""
    result = tbrsim.run(command[0], "--out", out, *command[1:], check=True)
    # A replay says where its files are.
    images = result.stdout if command[0] == "run" else ""
    return images, pathlib.Path(out, "frames.csv").read_bytes()


def differences(name, command):
    """How often hidden fragments in the events change anything, and whether modes differ at all."""
    count, found = 0, {}
    with tempfile.TemporaryDirectory() as top:
        for mode in ("tbr", "tbdr"):
            for kind, options in (("none", []), ("hidden", ["--record", f"{top}/{mode}.tbr"]),
                                  ("visible", ["--record-visible", "--record", f"{top}/{mode}-visible.tbr"])):
                settings = ["--set", f"mode={mode}", *options]
                found[mode, kind] = run([command[0], *settings, *command[1:]], f"{top}/{mode}-{kind}")
            for kind, (number, what) in itertools.product(("hidden", "visible"), enumerate(("images", "frames.csv"))):
                if found[mode, kind][number] != found[mode, "none"][number]:
                    count += 1
                    print(f"{name}, mode {mode}: other {what} with a recording, {kind}")
        for recorded, mode in (*itertools.product(("tbr", "tbdr"), repeat=2), ("tbr-visible", "tbr"),
                               ("tbdr-visible", "tbdr")):
            recording = ["sim", "--set", f"mode={mode}", f"{top}/{recorded}.tbr"]
            if run(recording, f"{top}/sim-{recorded}-{mode}")[1] != found[mode, "none"][1]:
                count += 1
                print(f"{name}, recording {recorded}: other frames.csv in mode {mode}")
    return count, found["tbr", "none"][1] != found["tbdr", "none"][1]


def main():
    parser = tbrsim.command_line(__doc__, "program")
    parser.add_argument("--captures", nargs="+", metavar="NAME", help="of the bundled ones; all")
    parser.add_argument("--sizes", nargs="+", default=SIZES, help=f"of tiles, for the scenes; {', '.join(SIZES)}")
    tbrsim.parse(parser)
    captures = tbrsim.arguments.captures or [path.stem for path in sorted(tbrsim.CAPTURES.glob("*.trace"))]
    runs = [(f"scenes, tiles of {size}", ["run", "--set", f"tile.size={size}", "--", tbrsim.arguments.program, "window",
                                          "203", "117", "2"]) for size in tbrsim.arguments.sizes]
    runs += [(name, ["replay", tbrsim.CAPTURES / f"{name}.trace"]) for name in captures]
    failures = unlike = 0
    with tbrsim.display():
        for name, command in runs:
            count, modes_differ = differences(name, command)
            failures += count
            unlike += modes_differ
    print(f"{len(runs)} programs, the modes differ in {unlike} of them, {failures} differences")
    return 0 if not failures and unlike > len(tbrsim.arguments.sizes) else 1


if __name__ == "__main__":
    sys.exit(main())
