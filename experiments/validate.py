#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predicted frame times of glmark2's scenes beside those that people measured on GPUs that are sold: data/validation.csv,
and the tables and plots of docs/validation.md.

usage: validate.py --tbrsim COMMAND --clock frame-clock.so --out DIR [--only DEVICE] [--ranges] [--keep]

data/hardware-glmark2.csv has what was measured, data/hardware-runs.csv the preset and the size of each run. Scenes are
recorded once, in DIR/recordings: remove it after the driver has changed. Each is simulated anew. --ranges also
simulates the presets without each mechanism, and each of their assumed values at both ends of its range
(data/assumptions.csv); of a preset's runs that of the smallest surface. With --keep, the
committed results are written anew; else it says whether they differ.
"""
import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import statistics
import subprocess

import assumption_sensitivity as sensitivity
import assumptions
from validation import bounds, scenes
from validation.accuracy import Accuracy, harmonic_mean

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED, RUNS = ROOT / "data" / "hardware-glmark2.csv", ROOT / "data" / "hardware-runs.csv"
RESULTS, RANGE_RESULTS = ROOT / "data" / "validation.csv", ROOT / "data" / "validation-ranges.csv"
SUMMARY = ROOT / "data" / "validation-summary.csv"  # of which the command makes its line about a preset
PAGE, PLOTS = ROOT / "docs" / "validation.md", ROOT / "docs" / "validation"
COLUMNS = ["device", "width", "height", "preset", "settings", "scene", "measured_ms", "predicted_ms", "bound", "dram_ms", "excluded"]
RANGE_COLUMNS = ["device", "width", "height", "preset", "key", "value", "settings", "ratio", "error", "scaled_error"]
SUMMARY_COLUMNS = ["device", "width", "height", "preset", "settings", "scenes", "rank_correlation", "ratio", "error", "scaled_error"]
FASTEST = "within 10 % of the fastest scene: the CPU or the display bounds it"
NEAR_FASTEST = 1.1  # frames that take at most so many times as long as the device's fastest are bound by something else
ISAS = "midgard,bifrost,valhall,v3d"  # what a preset may name as shader.isa
# What each mechanism is worth: (key, its value without the mechanism, what this value needs besides).
MECHANISMS = [("core", "simple", ["fragment_stage.scheduler=round-robin", "shader.isa=nir"]), ("shader.isa", "nir", []),
              ("shader_core.vertices", "whole", []), ("shader_core.overlap", "none", []),
              ("framebuffer_compression.mode", "none", []), ("transaction_elimination.signature_bytes", "0", []),
              ("fragment_stage.pixel_kill", "0", []), ("parameter_buffer.levels", "0", []),
              ("parameter_buffer.attributes", "primitives", [])]


def run_name(run):
    return f"{run['device']}-{run['width']}x{run['height']}"


class Validation:
    def __init__(self, tbrsim, clock, out):
        self.tool, self.clock, self.out = sensitivity.Tbrsim(tbrsim), clock, out
        self.has_isas = "--record-isa" in self.tool.run("run", "--help")

    def recording(self, run, scene):
        """Of a run's scene; made where it is not there."""
        tile = self.tool.flat(run["preset"])["tile.size"]
        folder = f"{run['width']}x{run['height']}{run['options']}-tiles-{tile}"
        path = self.out / "recordings" / folder / f"{scenes.file_name(scene)}.tbr"
        if not path.exists():
            options = ["--set", f"tile.size={tile}"] + (["--record-isa", ISAS] if self.has_isas else [])
            scenes.record(self.tool.command, self.clock, scene, run, path, options)
        return path

    def simulate(self, run, scene, settings):
        """[(milliseconds a frame, counters)] of a scene, for each set of settings of the run's preset."""
        out = self.out / "sim" / run_name(run) / scenes.file_name(scene)
        words = [word for its in settings for word in ("--config", ",".join([run["preset"], *run["settings"].split(), *its]))]
        printed = self.tool.run("sim", "--json", "--timing", "on", "--jobs", "1", "--out", out, *words,
                                self.recording(run, scene))
        for its in json.loads(printed)["simulations"]:
            frames = sensitivity.read_csv(pathlib.Path(its["statistics"]) / "frames.csv")
            yield harmonic_mean([float(frame["gpu.time"]) / 1e6 for frame in frames]), its["counters"], len(frames)

    def predict(self, run, rows, settings):
        """{scene: simulate()} of what was measured in a run; as many scenes at once as there are processors."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda row: list(self.simulate(run, row["scene"], settings)), rows)
            return {row["scene"]: its for row, its in zip(rows, found, strict=True)}

    def memory_bandwidth(self, preset):
        """Of the DRAM's pins, in bytes a millisecond."""
        values = self.tool.flat(preset)
        devices = {row["device"]: row for row in sensitivity.read_csv(ROOT / "data" / "dram-devices.csv")}
        device = devices[values["dram_system.device"]]
        bits = int(values["dram_system.channels"]) * int(values["dram_system.channel_width"])
        return bits / 8 * float(device["beats_per_clock"]) / float(device["tCK_ns"]) * 1e6


def is_same_device(row, other):
    """Were two rows of MEASURED measured with the same GPU, driver and version of glmark2?"""
    return all(row[key].split(" --")[0] == other[key].split(" --")[0] for key in ("gpu", "driver", "glmark2"))


def contradicted(run, runs, measured):
    """Scenes of a run that the same device draws in no more time on a larger surface: the GPU is not what they wait for."""
    pixels = {its["device"]: int(its["width"]) * int(its["height"]) for its in runs}
    larger = [row for row in measured if pixels.get(row["device"], 0) > pixels[run["device"]]]
    return {row["scene"] for row in measured for other in larger
            if row["device"] == run["device"] and row["scene"] == other["scene"] and is_same_device(row, other)
            and float(other["frame_time_ms"]) <= float(row["frame_time_ms"])}


def reason(row, fastest, dram_ms, is_contradicted=False):
    """Why a scene is not compared; "" where it is."""
    measured = float(row["frame_time_ms"])
    if scenes.name_of(row["scene"]) in scenes.NOT_COMPARED:
        return scenes.NOT_COMPARED[scenes.name_of(row["scene"])]
    if measured <= NEAR_FASTEST * fastest:
        return FASTEST
    if is_contradicted:
        return "no faster than on a larger surface: not the GPU's time"
    if dram_ms > measured:
        return "its DRAM traffic alone takes longer"
    return ""


def results(validation, run, rows, others=frozenset()):
    """The rows of RESULTS of a run; others: the scenes that are contradicted()."""
    found, bandwidth = validation.predict(run, rows, [[]]), validation.memory_bandwidth(run["preset"])
    fastest = min(float(row["frame_time_ms"]) for row in rows)
    for row in rows:
        predicted, counters, frames = found[row["scene"]][0]
        traffic = (counters["dram.total.read_bytes"] + counters["dram.total.write_bytes"]) / frames
        its = {key: run[key] for key in ("device", "width", "height", "preset", "settings")}
        yield its | {"scene": row["scene"], "measured_ms": row["frame_time_ms"], "predicted_ms": f"{predicted:.3f}",
                     "bound": bounds.bound(counters), "dram_ms": f"{traffic / bandwidth:.3f}",
                     "excluded": reason(row, fastest, traffic / bandwidth, row["scene"] in others)}


def compared(rows):
    """(measured, predicted) of a run's scenes that are compared."""
    return [(float(row["measured_ms"]), float(row["predicted_ms"])) for row in rows if not row["excluded"]]


def ranges_of(validation, preset):
    """[(key, value, settings)] without each of the mechanisms, and for each end of the ranges of a preset's own assumed values
    that change cycles."""
    followers = assumptions.read_assumed(assumptions.presets()[preset])
    values = validation.tool.flat(preset)
    for key, without, others in MECHANISMS:
        if values.get(key, without) != without:
            yield key, values[key], [f"{key}={without}", *others]
    for row in sensitivity.read_csv(sensitivity.RANGES):
        if row["preset"] == preset and not row["key"].startswith("energy."):
            for side in ("from", "to"):
                its = sensitivity.settings(row, side, values.get(row["key"], "0"), followers[row["key"]])
                if its:
                    yield row["key"], values.get(row["key"], "0"), its


def range_results(validation, run, rows):
    """The rows of RANGE_RESULTS of a run, of its scenes that are compared (rows of RESULTS)."""
    ends = list(ranges_of(validation, run["preset"]))
    rows = [row for row in rows if not row["excluded"]]
    found = validation.predict(run, rows, [its for _, _, its in ends]) if ends else {}
    for number, (key, value, its) in enumerate(ends):
        accuracy = Accuracy([(float(row["measured_ms"]), found[row["scene"]][number][0]) for row in rows])
        yield {name: run[name] for name in ("device", "width", "height", "preset")} | {
            "key": key, "value": value, "settings": " ".join(its), "ratio": f"{accuracy.ratio:.2f}",
            "error": f"{accuracy.error:.1f}", "scaled_error": f"{accuracy.scaled_error:.1f}"}


def smallest(runs, preset):
    """Of a preset's runs that with the fewest pixels."""
    return min((run for run in runs if run["preset"] == preset), key=lambda run: int(run["width"]) * int(run["height"]))


def csv_text(columns, rows):
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def by_run(rows):
    """{(device, width, height): its rows}."""
    found = {}
    for row in rows:
        found.setdefault((row["device"], row["width"], row["height"]), []).append(row)
    return found


def summary(rows):
    """How near the predictions of each run are: the rows of SUMMARY."""
    for (device, width, height), its in by_run(rows).items():
        a = Accuracy(compared(its))
        yield {"device": device, "width": width, "height": height, "preset": its[0]["preset"], "settings": its[0]["settings"],
               "scenes": a.count,
               "rank_correlation": f"{a.rank_correlation:.2f}", "ratio": f"{a.ratio:.2f}", "error": f"{a.error:.1f}",
               "scaled_error": f"{a.scaled_error:.1f}"}


def summary_table(rows):
    """Lines of the summary."""
    yield "| run | preset | scenes | rank correlation | predicted / measured | mean error, % | with one factor, % |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for its in summary(rows):
        preset = ",".join([its["preset"], *its["settings"].split()])
        yield (f"| {its['device']}, {its['width']}×{its['height']} | `{preset}` | {its['scenes']} | "
               f"{its['rank_correlation']} | {its['ratio']} | {its['error']} | {its['scaled_error']} |")


def scene_table(rows):
    """Lines: a run's scenes."""
    yield "| scene | measured, ms | predicted, ms | predicted / measured | bound by | left out |"
    yield "| --- | ---: | ---: | ---: | --- | --- |"
    for row in rows:
        measured, predicted = float(row["measured_ms"]), float(row["predicted_ms"])
        yield (f"| {row['scene'].replace(':', ' ')} | {measured:.2f} | {predicted:.2f} | {predicted / measured:.2f} | "
               f"{row['bound']} | {row['excluded']} |")


def pairs(rows):
    """[(device, other)]: runs among the rows of RESULTS of the same device, where other draws more pixels or has a slower clock."""
    of_device = {row["device"]: row for row in sensitivity.read_csv(MEASURED)}
    names = list(dict.fromkeys(row["device"] for row in rows))
    time = {name: sum(float(row["measured_ms"]) for row in rows if row["device"] == name) for name in names}
    return [(name, other) for name in names for other in names
            if is_same_device(of_device[name], of_device[other]) and time[name] < time[other]]


def differences(rows, device, other):
    """[(scene, measured, predicted)]: the milliseconds that a frame takes more in the run of other, of scenes in which that is the GPU's."""
    usable = {name: {row["scene"]: row for row in rows if row["device"] == name and row["excluded"] in ("", FASTEST)}
              for name in (device, other)}
    return [(scene, *(float(usable[other][scene][key]) - float(row[key]) for key in ("measured_ms", "predicted_ms")))
            for scene, row in usable[device].items() if scene in usable[other]]


def difference_table(rows, device, other):
    """Lines: differences()."""
    yield "| scene | measured, ms | predicted, ms | predicted / measured |"
    yield "| --- | ---: | ---: | ---: |"
    found = differences(rows, device, other)
    for scene, measured, predicted in found:
        yield f"| {scene.replace(':', ' ')} | {measured:.2f} | {predicted:.2f} | {predicted / measured:.2f} |"
    yield f"| all (median) | | | {statistics.median(predicted / measured for _, measured, predicted in found):.2f} |"


def range_table(rows):
    """Lines: a run's results at both ends of what is assumed."""
    yield "| key | value | instead | predicted / measured | mean error, % | with one factor, % |"
    yield "| --- | ---: | --- | ---: | ---: | ---: |"
    for row in rows:
        yield (f"| `{row['key']}` | {row['value']} | {row['settings'].replace(row['key'] + '=', '')} | {row['ratio']} | "
               f"{row['error']} | {row['scaled_error']} |")


def page(text, rows, ranges):
    """docs/validation.md with the tables of results, each behind a comment that names it."""
    tables = {"all runs": summary_table(rows)}
    tables |= {f"scenes of {'-'.join(run[:1])}, {run[1]}x{run[2]}": scene_table(its) for run, its in by_run(rows).items()}
    tables |= {f"{other} less {device}": difference_table(rows, device, other) for device, other in pairs(rows)}
    tables |= {f"ranges of {run[0]}, {run[1]}x{run[2]}": range_table(its) for run, its in by_run(ranges).items()}
    for name, lines in tables.items():
        new = "".join(f"{line}\n" for line in lines)
        text, found = re.subn(rf"(<!-- {re.escape(name)} -->\n)(\|.*\n)*", lambda its: its[1] + new, text)
        assert found == 1, name
    return text


def plot(rows, output, name):
    """Predicted over measured time of a run's scenes, both in logarithms."""
    from support import COLORS, new_plot, save
    figure, axes = new_plot(name.replace("-", " "), "predicted, ms", width=5.5, height=4.5)
    for label, color, its in (("compared", COLORS[0], [row for row in rows if not row["excluded"]]),
                              ("left out", "#bbbbbb", [row for row in rows if row["excluded"]])):
        axes.scatter(*zip(*((float(row["measured_ms"]), float(row["predicted_ms"])) for row in its)), s=14, color=color, label=label)
    times = [float(row[key]) for row in rows for key in ("measured_ms", "predicted_ms")]
    ends = [min(times) / 1.2, max(times) * 1.2]
    axes.plot(ends, ends, color="black", linewidth=0.6)
    axes.set(xscale="log", yscale="log", xlim=ends, ylim=ends)
    axes.set_xlabel("measured, ms", fontsize=9)
    axes.legend(fontsize=8, frameon=False)
    save(figure, output, name)


def keep(path, text, is_kept):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        if is_kept:
            path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(ROOT)} differs, and was " + ("written anew: see git diff" if is_kept
                                                              else "not changed; KEEP_TABLES=1 writes it anew"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tbrsim", required=True)
    parser.add_argument("--clock", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only")
    parser.add_argument("--ranges", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    validation = Validation(options.tbrsim, options.clock.resolve(), options.out)
    measured, rows, ranges = sensitivity.read_csv(MEASURED), [], []
    runs = sensitivity.read_csv(RUNS)
    for run in runs:
        if options.only in (None, run["device"]):
            print(f"{run_name(run)}: {run['preset']}", flush=True)
            its = list(results(validation, run, [row for row in measured if row["device"] == run["device"]],
                               contradicted(run, runs, measured)))
            if options.ranges and run is smallest(runs, run["preset"]):
                ranges += range_results(validation, run, its)
            rows += its
    print("\n".join(summary_table(rows)))
    (options.out / "validation.csv").write_text(csv_text(COLUMNS, rows), encoding="utf-8")
    for run, its in by_run(rows).items():
        plot(its, options.out, "-".join(run))
    if options.only:
        return
    if not options.ranges:
        ranges = sensitivity.read_csv(RANGE_RESULTS)
    keep(RESULTS, csv_text(COLUMNS, rows), options.keep)
    keep(SUMMARY, csv_text(SUMMARY_COLUMNS, summary(rows)), options.keep)
    keep(RANGE_RESULTS, csv_text(RANGE_COLUMNS, ranges), options.keep)
    keep(PAGE, page(PAGE.read_text(encoding="utf-8"), rows, ranges), options.keep)
    if options.keep:
        for run, its in by_run(rows).items():
            plot(its, PLOTS, "-".join(run))


if __name__ == "__main__":
    main()
