# SPDX-License-Identifier: MIT
"""Records each trace with the default preset, simulates the recording under every preset (those of immediate-mode
GPUs: another one, made with --record-hidden) and compares the statistics with those of live runs under those presets:
the same to the byte, and nothing lost between units."""

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
TIMED = ["tcor-64k", "imr-8m"]


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


def is_immediate(tbrsim, preset):
    """Whether a preset is an immediate-mode GPU, which needs a recording of all that primitives cover."""
    return re.search(r"^mode=imr$", run(tbrsim, "configs", "--flat", preset), re.MULTILINE) is not None


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
    immediate = [one for one in configurations if is_immediate(tbrsim, one[1][1])]
    simulated = []
    for kind, options, some in (
            ("plain", [], [one for one in configurations if one not in immediate]),
            ("hidden", ["--record-hidden"], immediate)):
        recording = directory / f"{kind}.tbr"
        run(tbrsim, "replay", "--record", recording, *options, "--out", directory / "live" / f"recorded-{kind}", trace)
        if some:
            simulated += zip(some, simulate(tbrsim, recording, some, directory / "simulated" / kind))

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
    run(tbrsim, "sim", "--out", directory / "default", directory / "plain.tbr")
    if any((directory / "live/recorded-plain" / file).read_bytes() != (directory / "default" / file).read_bytes()
           for file in FILES):
        different.append("the recorded configuration")
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
        print(f"{trace.name}: {len(presets) + len(TIMED) + 2} configurations, " +
              ("other statistics from the recording: " + ", ".join(different) if different else "all the same"),
              flush=True)
        failed |= bool(different)
    sys.exit(failed)


if __name__ == "__main__":
    main()
