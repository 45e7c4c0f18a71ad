# SPDX-License-Identifier: MIT
"""The tables of attributions of captures under every preset, without timing and with it: rows by pass, draw, resource and
tile add up to each frame's counters, exactly."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from support.conservation import attribution_errors  # noqa: E402

tbrsim.TIMEOUT = None  # captures may be of any length


def check(recording, options, directory):
    """The first thing that does not add up; None: all does."""
    tbrsim.run("sim", "--attribute", "pass,draw,texture,tile", "--out", directory, *options, recording, check=True)
    errors = attribution_errors(directory)
    return errors[0] if errors else None


def main():
    parser = tbrsim.command_line(__doc__)
    parser.add_argument("--frames", help="A-B: of each capture; all")
    parser.add_argument("traces", nargs="+", type=pathlib.Path, help="captures, or directories of them")
    tbrsim.parse(parser)
    selected = ["--frames", tbrsim.arguments.frames] if tbrsim.arguments.frames else []
    presets = tbrsim.presets()
    failed = False
    for trace in tbrsim.captures(tbrsim.arguments.traces):
        with tbrsim.display(), tempfile.TemporaryDirectory() as name:
            directory, recordings, checked = pathlib.Path(name), {}, 0
            for preset in presets:
                options = tbrsim.recording_options(preset)
                if options not in recordings:
                    recordings[options] = directory / f"{len(recordings)}.tbr"
                    tbrsim.run("replay", "--no-model", "--record", recordings[options], *options, *selected,
                               "--out", directory / "recorded", trace.resolve(), check=True)
                for timing in ("off", "on"):
                    setting = ["--config", preset, "--set", f"timing={timing}"]
                    if timing == "on" and tbrsim.run("configs", *setting[2:], preset).returncode:
                        continue  # a preset without the keys of timing
                    error = check(recordings[options], setting, directory / f"{preset}-{timing}")
                    checked += 1
                    if error:
                        print(f"{trace.name}, {preset}, timing {timing}: {error}")
                        failed = True
        print(f"{trace.name}: {checked} simulations, tables of 4 attributions each" +
              ("" if failed else ", all sums equal the frames' counters"), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
