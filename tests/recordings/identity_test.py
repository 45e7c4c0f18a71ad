# SPDX-License-Identifier: MIT
"""Records each trace with the default preset, simulates the recording under every preset and compares the statistics
with those of live runs under those presets: the same to the byte, and nothing lost between units. Presets of
immediate-mode GPUs take another recording, made with --record-hidden; those of other tiles, or of mode tbr, one each."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.conservation import configuration, errors_of_run  # noqa: E402

FILES = ("stats.json", "frames.csv")
# Everything that a recording leaves open, unlike the presets.
SETTINGS = {
    "tile.order": "hilbert",
    "frame.traversal": "boustrophedonic",
    "parameter_buffer.layout": "interleaved",
    "vertex_stage.reuse_entries": "16",
    "fragment_stage.processors": "3",
    "caches.texture_cache.instances": "2",
    "caches.l2.policy": "srrip",
    "caches.l2.index": "xor",
    "texture.row_alignment": "1",
    "streams.color": "l2",
}
# Those whose cycles and energy are compared, too.
TIMED = ["tcor-64k", "imr-8m", "mali-like"]


def run(*arguments):
    """Runs the command, without settings from outside; what it prints."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TBRSIM_")}
    result = subprocess.run(list(map(str, arguments)), env=clean, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def known_beforehand(tbrsim, preset):
    """Whether a live run can have the preset: not with policies that know the future."""
    return not re.search(r"^caches\..*\.policy=(opt|optpt)$", run(tbrsim, "configs", "--flat", preset), re.MULTILINE)


def recording_options(tbrsim, preset):
    """How a recording is made that the preset can be simulated with: what it settles is as in the preset."""
    values = dict(line.split("=", 1) for line in run(tbrsim, "configs", "--flat", preset).splitlines())
    if values["mode"] == "imr":
        return ("--record-hidden",)
    return ("--set", f"mode={values['mode']}", "--set", f"tile.size={values['tile.size']}")


def simulate(tbrsim, recording, configurations, out):
    """Simulates a recording; the directories of the statistics, in the order of the configurations."""
    run(tbrsim, "sim", "--out", out, *sum((options for _, options in configurations), []), recording)
    if len(configurations) == 1:
        return [out]
    index = json.loads((out / "index.json").read_text())["simulations"]
    return [out / entry["directory"] for entry in index]


def differences(tbrsim, trace, presets, directory):
    """Names of the configurations whose statistics differ."""
    settings = [argument for key, value in SETTINGS.items() for argument in ("--set", f"{key}={value}")]
    configurations = [(preset, ["--config", preset]) for preset in presets]
    configurations.append((",".join([presets[0], *settings[1::2]])[:200], ["--config", presets[0], *settings]))
    configurations += [(f"{preset},timing=on", ["--config", preset, "--set", "timing=on"]) for preset in TIMED]
    by_recording = {}
    for one in configurations:
        by_recording.setdefault(recording_options(tbrsim, one[1][1]), []).append(one)
    simulated = []
    for number, (options, some) in enumerate(by_recording.items()):
        recording = directory / f"{number}.tbr"
        run(tbrsim, "replay", "--record", recording, *options, "--out", directory / "recorded" / str(number), trace)
        simulated += zip(some, simulate(tbrsim, recording, some, directory / "simulated" / str(number)))

    different = []
    for (name, options), statistics in simulated:
        live = directory / "live" / name
        run(tbrsim, "replay", "--out", live, *options, trace)
        errors = errors_of_run(live, configuration(tbrsim, *options[2:], options[1]))
        if errors:
            sys.exit(f"{trace.name}, {name}: {errors[0]}")
        if any((live / file).read_bytes() != (statistics / file).read_bytes() for file in FILES):
            different.append(name)
    # The configuration it was recorded with is the one that is simulated if none is named.
    for number in range(len(by_recording)):
        run(tbrsim, "sim", "--out", directory / "default" / str(number), directory / f"{number}.tbr")
        if any((directory / "recorded" / str(number) / file).read_bytes() !=
               (directory / "default" / str(number) / file).read_bytes() for file in FILES):
            different.append(f"the configuration of recording {number}")
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("traces", nargs="+", type=pathlib.Path, help="captures, or directories of them")
    arguments = parser.parse_args()
    traces = [trace for path in arguments.traces
              for trace in (sorted(path.glob("*.trace")) if path.is_dir() else [path])]
    if not traces:
        sys.exit("no traces")
    listed = [line.split()[0] for line in run(arguments.tbrsim, "configs").splitlines()]
    presets = [preset for preset in listed if known_beforehand(arguments.tbrsim, preset)]
    failed = False
    for trace in traces:
        with tempfile.TemporaryDirectory() as directory:
            different = differences(arguments.tbrsim, trace.resolve(), presets, pathlib.Path(directory))
        print(f"{trace.name}: {len(presets) + len(TIMED) + 1} configurations, " +
              ("other statistics from the recording: " + ", ".join(different) if different else "all the same"),
              flush=True)
        failed |= bool(different)
    sys.exit(failed)


if __name__ == "__main__":
    main()
