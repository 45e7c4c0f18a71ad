# SPDX-License-Identifier: MIT
"""Records each trace with the default preset, simulates the recording under every preset and compares the statistics
with those of live runs under those presets: the same to the byte, and nothing lost between units. Presets of other
tiles take a recording each. --part N/M: only the presets whose turn it is, each once in M parts."""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from support.conservation import errors_of_run  # noqa: E402

tbrsim.TIMEOUT = None  # captures may be of any length
# A GPU that simulates a frame when it knows the next one.
LATE, WRITTEN = "boustro-ro", "parameter_buffer.written=among-tiles"
# Everything that a recording leaves open, unlike the presets, of which this is one.
OPEN = "banked-continuous"
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
    "attribution.pass": "on",
    "attribution.draw": "on",
    "attribution.texture": "on",
    "attribution.tile": "on",
}
# Those whose cycles and energy are compared, too.
TIMED = ["tcor-64k", "dtexl", "imr-8m", "mali-like"]


def known_beforehand(preset):
    """Whether a live run can have the preset: not with policies that know the future."""
    return not any(key.startswith("caches.") and key.endswith(".policy") and value in ("opt", "optpt")
                   for key, value in tbrsim.keys(preset).items())


def simulate(recording, configurations, out):
    """Simulates a recording; the directories of the statistics, in the order of the configurations."""
    words = [("--config", ",".join((preset, *settings[1::2]))) for _, (_, preset, *settings) in configurations]
    tbrsim.run("sim", "--out", out, *sum(words, ()), recording, check=True)
    if len(configurations) == 1:
        return [out]
    index = json.loads((out / "index.json").read_text())["simulations"]
    return [out / entry["directory"] for entry in index]


def differences(trace, presets, timed, directory):
    """Names of the configurations whose statistics differ."""
    settings = [argument for key, value in SETTINGS.items() for argument in ("--set", f"{key}={value}")]
    configurations = [(preset, ["--config", preset]) for preset in presets]
    configurations.append((",".join([OPEN, *settings[1::2]])[:200], ["--config", OPEN, *settings]))
    configurations.append((",".join([LATE, WRITTEN]), ["--config", LATE, "--set", WRITTEN]))
    configurations += [(f"{preset},timing=on", ["--config", preset, "--set", "timing=on"]) for preset in timed]
    by_recording = {}
    for one in configurations:
        by_recording.setdefault(tbrsim.recording_options(one[1][1]), []).append(one)
    simulated = []
    for number, (options, some) in enumerate(by_recording.items()):
        recording = directory / f"{number}.tbr"
        tbrsim.run("replay", "--record", recording, *options, "--out", directory / "recorded" / str(number), trace,
                   check=True)
        simulated += zip(some, simulate(recording, some, directory / "simulated" / str(number)))

    different = []
    for (name, options), statistics in simulated:
        live = directory / "live" / name
        tbrsim.run("replay", "--out", live, *options, trace, check=True)
        errors = errors_of_run(live, tbrsim.keys(*options[2:], options[1]))
        if errors:
            sys.exit(f"{trace.name}, {name}: {errors[0]}")
        if tbrsim.contents(live) != tbrsim.contents(statistics):
            different.append(name)
    # The configuration it was recorded with is the one that is simulated if none is named.
    for number in range(len(by_recording)):
        tbrsim.run("sim", "--out", directory / "default" / str(number), directory / f"{number}.tbr", check=True)
        if tbrsim.contents(directory / "recorded" / str(number)) != tbrsim.contents(directory / "default" / str(number)):
            different.append(f"the configuration of recording {number}")
    return different


def take_part(presets, part):
    """Those presets that a part of them has, and those of TIMED."""
    number, parts = map(int, part.split("/"))
    return presets[number::parts], TIMED[number:number + 1]


def main():
    parser = tbrsim.command_line(__doc__)
    parser.add_argument("--part", metavar="N/M", help="of the presets; all")
    parser.add_argument("traces", nargs="+", type=pathlib.Path, help="captures, or directories of them")
    tbrsim.parse(parser)
    traces = tbrsim.captures(tbrsim.arguments.traces)
    presets = [preset for preset in tbrsim.presets() if known_beforehand(preset)]
    timed = TIMED
    if tbrsim.arguments.part:
        presets, timed = take_part(presets, tbrsim.arguments.part)
    failed = False
    for trace in traces:
        with tbrsim.display(), tempfile.TemporaryDirectory() as directory:
            different = differences(trace.resolve(), presets, timed, pathlib.Path(directory))
        print(f"{trace.name}: {len(presets) + len(timed) + 2} configurations, " +
              ("other statistics from the recording: " + ", ".join(different) if different else "all the same"),
              flush=True)
        failed |= bool(different)
    sys.exit(failed)


if __name__ == "__main__":
    main()
