# SPDX-License-Identifier: MIT
"""Compares the statistics of two builds: each replays and records the traces, and simulates its recordings under every
preset that the older one has, without and with timing. What is not the same to the byte is listed, and makes it fail.
The versions that stats.json names are left out."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

tbrsim.TIMEOUT = None  # captures may be of any length
# Live runs, with their options.
LIVE = {
    "default": (),
    "tcor-64k, timing": ("--config", "tcor-64k", "--set", "timing=on"),
    "imr-8m, timing": ("--config", "imr-8m", "--set", "timing=on"),
}


def statistics(directory):
    """Its files, without what stats.json says of the run."""
    content = tbrsim.statistics_files.load(directory)
    del content["run"]
    return content, pathlib.Path(directory, "frames.csv").read_bytes()


def results(command, trace, presets, directory):
    """The statistics of a build by configuration."""
    tbrsim.arguments.tbrsim = command
    found, recordings = {}, {}
    for name, options in LIVE.items():
        tbrsim.run("replay", *frame_options(), "--out", directory / "live", *options, trace, check=True)
        found[f"live, {name}"] = statistics(directory / "live")
    for preset, options in presets.items():
        if options not in recordings:
            recordings[options] = directory / f"{len(recordings)}.tbr"
            tbrsim.run("replay", "--no-model", *frame_options(), "--record", recordings[options], *options, trace,
                       check=True)
        for timing in ("off", "on"):
            out = directory / "simulated"
            tbrsim.run("sim", "--out", out, "--config", preset, "--set", f"timing={timing}", recordings[options],
                       check=True)
            found[f"{preset}, timing {timing}"] = statistics(out)
    return found


def frame_options():
    return ("--frames", tbrsim.arguments.frames) if tbrsim.arguments.frames else ()


def main():
    parser = tbrsim.command_line(__doc__, "other")
    parser.add_argument("--frames", help="only these frames: FIRST-LAST")
    parser.add_argument("traces", nargs="+", type=pathlib.Path, help="captures, or directories of them")
    tbrsim.parse(parser)
    builds = {"this build": tbrsim.arguments.tbrsim, "the other": tbrsim.arguments.other}
    traces = tbrsim.captures(tbrsim.arguments.traces)
    tbrsim.arguments.tbrsim = tbrsim.arguments.other
    presets = {preset: tbrsim.recording_options(preset) for preset in tbrsim.presets()}
    failed = False
    for trace in traces:
        found = []
        for command in builds.values():
            with tempfile.TemporaryDirectory() as directory:
                found.append(results(command, trace.resolve(), presets, pathlib.Path(directory)))
        different = [name for name in found[0] if found[0][name] != found[1][name]]
        print(f"{trace.name}: {len(found[0])} runs, " +
              ("different: " + ", ".join(different) if different else "all the same"), flush=True)
        failed |= bool(different)
    sys.exit(failed)


if __name__ == "__main__":
    main()
