#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "DTexL", from what its Snakefile ran.

usage: figures.py [--headlines] RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, the statistics of simulations, KIND/NAME/*/stats.json (tbrsim sim). OUTPUT takes the
tables (Markdown and CSV) and the plots (PNG).
"""
import functools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (change, decrease, run_figures, legend_above, load_statistics, mean, new_plot, number, of_each,  # noqa: E402
                     plot_bars, save, share, write_headlines, write_table, write_tables)

WARM_UP = 1  # frames that are not counted: the caches are empty
PAPER = {"accesses": -46.8, "speed-up": 19.3, "energy": -6.3}  # the abstract
SCHEDULERS = ["interleaved", "sub-tile", "rows", "columns"]
ASSIGNMENTS = ["constant", "mirrored"]
ORDERS = ["z-order", "hilbert", "scanline"]
SIZES = [16, 32, 64, 128]
BUFFERS = [2, 4, 16]
CONTEXTS = [1, 2, 4]
LANES = ["coupled", "decoupled"]
BASELINE = {"scheduler": "interleaved", "assignment": "constant", "order": "z-order", "lanes": "coupled", "size": 64, "buffers": 2,
            "contexts": 4}
DTEXL = {**BASELINE, "scheduler": "sub-tile", "assignment": "mirrored", "order": "hilbert", "lanes": "decoupled"}
COUPLED = {**DTEXL, "lanes": "coupled"}
NO_BARRIER = {**BASELINE, "lanes": "decoupled"}
SHARED = {"baseline, one lane": {**BASELINE, "lanes": "shared"}, "DTexL, one lane": {**DTEXL, "lanes": "shared"}}


def settings_of(configuration):
    """What a simulation is known by."""
    return (configuration["fragment_stage"]["scheduler"], configuration["fragment_stage"].get("assignment", "constant"),
            configuration["tile"]["order"], configuration["pipeline"].get("lanes", "shared"),
            configuration["caches"]["texture_cache"]["size"] // 1024, configuration["pipeline"]["tile_buffers"],
            configuration["pipeline"]["fragment_contexts"])


class Capture:
    """One capture's simulations: the sums of the frames that count."""

    def __init__(self, results, name):
        self.name, self.simulations = name, {}
        for path in sorted(results.glob(f"*/{name}/*/stats.json")):
            statistics = load_statistics(path)
            frames = statistics["frames"][WARM_UP:]
            configuration = statistics["run"]["configuration"]
            sums = {counter: sum(frame.get(counter, 0) for frame in frames) for counter in frames[0]}
            kept = self.simulations.setdefault(settings_of(configuration), {})
            kept.update(sums)
            self.frames, self.processors = len(frames), configuration["fragment_stage"]["processors"]

    def find(self, settings):
        return self.simulations[tuple(settings[key] for key in BASELINE)]

    def accesses(self, settings):
        return sum(self.find(settings)[f"l2.total.{event}"] for event in ("reads", "writes"))

    def texture_accesses(self, settings):
        return self.find(settings)["l2.texture.reads"]

    def texture_misses(self, settings):
        return self.find(settings)["dram.texture.reads"]

    def change_of(self, function, after, before=None):
        """By how many per cent it is more than in the baseline."""
        return -decrease(function(before or BASELINE), function(after))

    def accesses_change(self, settings, before=None):
        return self.change_of(self.accesses, settings, before)

    def texture_change(self, settings, before=None):
        return self.change_of(self.texture_accesses, settings, before)

    def speed_up(self, settings, before=None):
        return 100 * (self.find(before or BASELINE)["gpu.cycles"] / self.find(settings)["gpu.cycles"] - 1)

    def energy_change(self, settings, unit):
        return self.change_of(lambda its: self.find(its)[f"energy.{unit}.total"], settings)

    def share_of(self, settings, state):
        its = self.find(settings)
        return share(its[f"fragment_processors.{state}_cycles"], its["gpu.cycles"] * self.processors)


def average(captures, function):
    return mean(function(capture) for capture in captures)


def rows_of(captures, function, form=change):
    """A row for each capture, and their averages."""
    values = {capture.name: function(capture) for capture in captures}
    return [*([name, *map(form, row)] for name, row in values.items()),
            ["**average**", *(form(mean(column)) for column in zip(*values.values()))]]


def headlines(captures):
    yield "L2 accesses, %", PAPER["accesses"], of_each(captures, lambda c: c.accesses_change(DTEXL))
    yield "speed-up, %", PAPER["speed-up"], of_each(captures, lambda c: c.speed_up(DTEXL))
    yield "energy, GPU, %", PAPER["energy"], of_each(captures, lambda c: c.energy_change(DTEXL, "gpu"))


def captures_table(captures):
    header = ["capture", "frames", "quads per frame", "texture cache hits, %", "L2 accesses per frame", "of them textures, %",
              "processors busy, %", "cycles per frame"]
    rows = []
    for capture in captures:
        its, frames = capture.find(BASELINE), capture.frames
        hits = share(its["texture_cache.texture.hits"], its["texture_cache.texture.reads"])
        rows.append([capture.name, frames, f"{its['fragment_stage.quads'] / frames:.0f}", number(hits),
                     f"{capture.accesses(BASELINE) / frames:.0f}",
                     number(share(capture.texture_accesses(BASELINE), capture.accesses(BASELINE))),
                     number(capture.share_of(BASELINE, "busy")), f"{its['gpu.cycles'] / frames:.0f}"])
    return header, rows


def groupings_table(captures):
    """Changes of L2 texture accesses: averages."""
    header = ["quads to processors", "assignment", *ORDERS]
    rows = []
    for scheduler in SCHEDULERS:
        for assignment in ASSIGNMENTS:
            its = [{**BASELINE, "scheduler": scheduler, "assignment": assignment, "order": order} for order in ORDERS]
            rows.append([f"`{scheduler}`", assignment,
                         *(change(average(captures, lambda c, s=settings: c.texture_change(s))) for settings in its)])
    return header, rows


def accesses_table(captures):
    """Of DTexL's parts one after another, and of the whole."""
    grouped = {**BASELINE, "scheduler": "sub-tile"}
    mirrored = {**grouped, "assignment": "mirrored"}
    steps = [grouped, mirrored, DTEXL]
    header = ["capture", "`sub-tile`, textures", "and mirrored, textures", "and `hilbert`, textures", "all accesses",
              "textures, from memory"]
    rows = rows_of(captures, lambda c: [*(c.texture_change({**step, "lanes": "coupled"}) for step in steps), c.accesses_change(DTEXL),
                                        c.change_of(c.texture_misses, DTEXL)])
    return header, [*rows, ["paper's average", "", "", "", change(PAPER["accesses"]), ""]]


def sizes_table(captures):
    """Against the baseline with texture caches of the same size."""
    header = ["capture", *(f"{size} KiB" for size in SIZES)]
    return header, rows_of(captures, lambda c: [c.texture_change({**DTEXL, "size": size}, {**BASELINE, "size": size})
                                                for size in SIZES])


def speed_table(captures):
    runs = {**SHARED, "baseline, decoupled": NO_BARRIER, "DTexL, coupled": COUPLED, "DTexL": DTEXL}
    header = ["capture", *(f"{title}, speed-up" for title in runs)]
    return header, [*rows_of(captures, lambda c: [c.speed_up(its) for its in runs.values()]),
                    ["paper's average", "", "", "", "", change(PAPER["speed-up"])]]


def contexts_table(captures):
    """Speed-up over the baseline with as many quads in flight on each processor."""
    header = ["capture", *(f"{number} {'quad' if number == 1 else 'quads'} in flight" for number in CONTEXTS)]
    return header, rows_of(captures, lambda c: [c.speed_up({**DTEXL, "contexts": its}, {**BASELINE, "contexts": its})
                                                for its in CONTEXTS])


def processors_table(captures):
    """What the processors do, in per cent of their cycles."""
    runs = {"baseline": BASELINE, "DTexL, coupled": COUPLED, "DTexL": DTEXL}
    states = ["busy", "starved", "memory"]  # and blocked, the rest
    header = ["capture", *(f"{title}: {state}" for title in runs for state in states)]
    return header, rows_of(captures, lambda c: [c.share_of(its, state) for its in runs.values() for state in states], number)


def buffers_table(captures):
    """Speed-up over the baseline, which has two tile buffers."""
    header = ["capture", *(f"{lanes}, {buffers} tile buffers" for buffers in BUFFERS for lanes in LANES)]
    return header, rows_of(captures, lambda c: [c.speed_up({**DTEXL, "lanes": lanes, "buffers": buffers})
                                                for buffers in BUFFERS for lanes in LANES])


def energy_table(captures):
    header = ["capture", "all", "GPU", "memory hierarchy"]
    rows = rows_of(captures, lambda c: [c.energy_change(DTEXL, unit) for unit in ("system", "gpu", "memory_hierarchy")])
    return header, [*rows, ["paper's average", "", change(PAPER["energy"]), ""]]  # "total GPU energy"


TABLES = {"captures": captures_table, "groupings": groupings_table, "l2-accesses": accesses_table, "sizes": sizes_table,
          "speed-up": speed_table, "processors": processors_table, "contexts": contexts_table, "buffers": buffers_table, "energy": energy_table}


def plot(captures, output, name, title, series):
    figure, axes = new_plot(title, "change, %")
    plot_bars(axes, [*(capture.name for capture in captures), "average"],
              {label: [*map(function, captures), average(captures, function)] for label, function in series.items()})
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, name)


def main(results, output, names, only):
    output.mkdir(parents=True, exist_ok=True)
    captures = [Capture(results, name) for name in names]
    write_headlines(output, headlines(captures))
    if only:
        return
    for name, table in TABLES.items():
        write_table(output, name, *table(captures))
    plot(captures, output, "l2-accesses", "L2 accesses of DTexL against the baseline",
         {"textures": functools.partial(Capture.texture_change, settings=DTEXL), "all": lambda c: c.accesses_change(DTEXL)})
    plot(captures, output, "speed-up", "Speed-up over the baseline",
         {"DTexL, coupled": lambda c: c.speed_up(COUPLED), "DTexL": lambda c: c.speed_up(DTEXL)})
    write_tables(output)


if __name__ == "__main__":
    run_figures(__doc__, main)
