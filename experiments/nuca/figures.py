#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "DTM-NUCA", from what its Snakefile ran.

usage: figures.py [--headlines] ENERGIES RESULTS OUTPUT NAME…

ENERGIES is data/cacti-7.0-energies.csv. RESULTS holds, for each capture NAME, the statistics of simulations,
KIND/NAME/*/stats.json (tbrsim sim). OUTPUT takes the tables (Markdown and CSV) and the plots (PNG).
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support import run_figures, mean, number, of_each, share, signed, write_headlines, write_table, write_tables  # noqa: E402
from results import COMPARED, ORGANISATIONS, PAPER, Areas, Capture, average  # noqa: E402
import plots  # noqa: E402

SWEEP_FRAMES = 1  # that are counted where there are many simulations
SIZES = plots.SIZES
PROCESSORS = plots.PROCESSORS
TABLES = COMPARED[1:]
SCHEDULERS = {f"`{name}`": {"scheduler": name} for name in ("round-robin", "quad-block", "sub-tile", "tile")}
SCHEDULERS["`round-robin`, linear textures"] = {"placement": "linear"}
SHARERS = [4, 8, 32]
UNITS = ["footprint", "fragment", "texel"]
EPOCHS = [100, 1000, 10000, 20000, 50000, 100000]
WIDTHS, CONTEXTS = [8, 16, 32, 64], [1, 2, 4]
# Figure 1: blocks in one and in all four texture caches. Figure 7: the private caches with as many L2 accesses, KiB.
PAPER_DEGREES = {1: "15.4", 4: "about 50"}
PAPER_SIZE = {"dtm-nuca": 128, "dtm-nuca-distributed": 64}
PAPER_FOUR = {"dtm-nuca": 10.2, "dtm-nuca-distributed": 7.0}  # Figure 11, speed-up
PAPER_AREA = {"dtm-nuca": 0.02, "dtm-nuca-distributed": 0.54}
TEXTURES = ["texture_cache", "mesh", "affinity_table", "texture_bus"]
CHOICES = {
    "the presets": {},
    "linear textures": {"placement": "linear"},
    "modulo indexing": {"index": "modulo"},
    "D-NUCA: blocks go to the last requester": {"migration": "last-requester"},
    "remote hits keep the replacement state": {"remote_hits": "keep"},
    "256 buckets": {"buckets": 256},
    "margin of 0 %": {"threshold": 0},
    "margin of 100 %": {"threshold": 100},
    "owners are kept at epochs": {"owner": "keep"},
    "owners are released at epochs": {"owner": "release"},
    "local misses are counted": {"counted": "local-misses"},
    "counters are reset to zero": {"reset": "zero"},
}
MACHINES = {
    "the presets": {},
    "no bus, the table shares a router, counters are reset to zero": {"bus": 0, "node": "shared", "reset": "zero"},
    "local misses are counted": {"counted": "local-misses"},
    "`quad-block`": {"scheduler": "quad-block"},
}


def percent(value):
    """A change."""
    return signed(-value)


def titles(what, kinds=None):
    return [f"{ORGANISATIONS[kind]}, {what}" for kind in kinds or COMPARED]


def rows_of(captures, function, form=number):
    """A row of numbers for each capture, and their averages."""
    values = {capture.name: function(capture) for capture in captures}
    rows = [[name, *map(form, cells)] for name, cells in values.items()]
    return [*rows, ["**average**", *(form(mean(column)) for column in zip(*values.values()))]]


def system_energy(capture, kind, **settings):
    return capture.energy(kind, ["system"], **settings)


# What is compared with the paper's averages, and how it is written.
MEASURES = {"decrease": (Capture.decrease, signed, "L2 accesses"), "local": (Capture.local, number, "local hits, %"),
            "speed-up": (Capture.speed_up, percent, "speed-up"), "energy": (system_energy, percent, "energy")}


def measured(captures, measures, kinds=None, **settings):
    """Averages of the organisations with these settings, measure by measure."""
    return [form(average(captures, lambda c, f=function, k=kind: f(c, k, **settings)))
            for function, form, _ in (MEASURES[measure] for measure in measures) for kind in kinds or COMPARED]


def paper_says(measures):
    return [MEASURES[measure][1](PAPER[measure][kind]) for measure in measures for kind in COMPARED]


def measure_titles(measures, kinds=None):
    return [title for measure in measures for title in titles(MEASURES[measure][2], kinds)]


# ---- figures of the paper ---------------------------------------------------


def summary_table(captures):
    header = ["per cent", *(cell for kind in COMPARED for cell in (ORGANISATIONS[kind], "paper"))]
    return header, [[title, *(cell for pair in zip(measured(captures, [measure]), paper_says([measure])) for cell in pair)]
                    for measure, (_, _, title) in MEASURES.items()]


def headlines(captures):
    """The summary's numbers; L2 accesses as a change."""
    for measure, (function, _, title) in MEASURES.items():
        sign = -1 if measure == "decrease" else 1
        for kind in COMPARED:
            here = of_each(captures, lambda capture, f=function, k=kind, s=sign: s * f(capture, k))
            unit = "% of requests" if measure == "local" else "%"
            yield f"{title.removesuffix(', %')}, {ORGANISATIONS[kind]}, {unit}", sign * PAPER[measure][kind], here


def captures_table(captures):
    header = ["capture", "frames", "footprints per frame", "requests per frame", "private caches: hits, %",
              "L2 accesses a frame", "copies of a requested block"]
    rows = []
    for capture in captures:
        private = capture.find()
        frames = len(private.frames)
        footprints, requests, accesses = (f"{private[name] / frames:.0f}" for name in
                                          ("fragment_stage.footprints", "nuca.requests", "nuca.l2_accesses"))
        rows.append([capture.name, frames, footprints, requests, number(private.of_requests("nuca.local_hits")), accesses,
                     number(private.a_request("nuca.replication_sum"))])
    return header, [*rows, ["**average**", "", "", "", private_hits(captures), "", ""]]


def private_hits(captures, **settings):
    return number(average(captures, lambda c: c.private(**settings).of_requests("nuca.local_hits")))


def replication_table(captures):
    header = ["capture", "in one cache", "in two", "in three", "in all four", "in more than one"]

    def row(capture):
        degrees = capture.degrees()
        return [*degrees, sum(degrees[1:])]

    paper = ["paper's average", *(PAPER_DEGREES.get(degree, "") for degree in range(1, 5)), "84.6"]
    return header, [*rows_of(captures, row), paper]


def decreases_table(captures):
    header = ["capture", *ORGANISATIONS.values()]
    rows = rows_of(captures, lambda c: [c.decrease(kind) for kind in ORGANISATIONS], signed)
    return header, [*rows, ["paper's average", "", *paper_says(["decrease"])]]


def local_parts(simulation):
    return [simulation.of_requests("nuca.local_hits"), simulation.of_requests("nuca.local_l2_accesses"),
            simulation.of_requests("nuca.remote_hits"),
            simulation.of_requests("nuca.l2_accesses") - simulation.of_requests("nuca.local_l2_accesses")]


def local_table(captures):
    parts = ["own cache", "own cache from the L2", "another cache", "another cache from the L2"]
    header = ["capture", *(f"{ORGANISATIONS[kind]}, {part}" for kind in COMPARED for part in parts)]
    rows = rows_of(captures, lambda c: [part for kind in COMPARED for part in local_parts(c.find(organisation=kind))])
    return header, [*rows, ["paper's average", *(cell for said in paper_says(["local"]) for cell in (said, "", "", ""))]]


def hops_table(captures):
    header = ["capture", "private: requests per cycle", "DTM-NUCA: hits in old owners, % of requests", *titles("hops per request"),
              *titles("cycles in the mesh's queues, a request")]

    def row(capture):
        simulations = [capture.find(organisation=kind) for kind in COMPARED]
        private = capture.find()
        return [private["nuca.requests"] / private["gpu.cycles"], simulations[1].of_requests("nuca.old_owner_hits"),
                *(s.a_request("nuca.hops") for s in simulations), *(s.a_request("mesh.wait_cycles") for s in simulations)]

    return header, rows_of(captures, row)


def reached(capture, kind):
    """The least private cache, KiB, with no more L2 accesses than the organisation's; more than all: infinite."""
    if math.isnan(capture.decrease(kind)):
        return math.nan
    limit = 1 - capture.decrease(kind) / 100
    return min((size for size in SIZES if capture.normalised_size(size) <= limit), default=math.inf)


def reached_text(value):
    return "–" if math.isnan(value) else "> 512 KiB" if math.isinf(value) else f"{value} KiB"


def sizes_table(captures):
    header = ["capture", *(f"private {size} KiB" for size in SIZES), *(ORGANISATIONS[kind] for kind in TABLES),
              *(f"{ORGANISATIONS[kind]} is reached by" for kind in TABLES)]
    rows = [[capture.name, *(number(capture.normalised_size(size), 2) for size in SIZES),
             *(number(1 - capture.decrease(kind) / 100, 2) for kind in TABLES),
             *(reached_text(reached(capture, kind)) for kind in TABLES)] for capture in captures]
    averages = {size: average(captures, lambda c, s=size: c.normalised_size(s)) for size in SIZES}
    ours = {kind: 1 - average(captures, lambda c, k=kind: c.decrease(k)) / 100 for kind in TABLES}
    rows.append(["**average**", *(number(averages[size], 2) for size in SIZES), *(number(ours[kind], 2) for kind in TABLES),
                 *(reached_text(min((size for size in SIZES if averages[size] <= ours[kind]), default=math.inf))
                   for kind in TABLES)])
    rows.append(["paper's average", *("" for _ in SIZES), *(number(1 - PAPER["decrease"][kind] / 100, 2) for kind in TABLES),
                 *(f"{PAPER_SIZE[kind]} KiB" for kind in TABLES)])
    return header, rows


def bounds(capture):
    """Speed-ups of private caches with an L2 that answers at once, and with texture caches that always hit."""
    private = capture.find()["gpu.cycles"]
    return [100 * (private / capture.find(**settings)["gpu.cycles"] - 1)
            for settings in ({"l2_latency": 0}, {"organisation": "none", "policy": "perfect"})]


def speed_table(captures):
    header = ["capture", *titles("speed-up"), "private: an L2 of no latency", "private: texture caches always hit",
              "private: the bus is busy, %", "private: cycles that a block waits for the bus"]

    def row(capture):
        private = capture.find()
        return [*(capture.speed_up(kind) for kind in COMPARED), *bounds(capture), bus_busy(private),
                private["texture_bus.wait_cycles"] / private["nuca.l2_accesses"] if private["nuca.l2_accesses"] else math.nan]

    rows = [[cells[0], *map(percent, cells[1:6]), *map(number, cells[6:])]
            for cells in [[c.name, *row(c)] for c in captures] + [["**average**", *map(mean, zip(*map(row, captures)))]]]
    return header, [*rows, ["paper's average", *paper_says(["speed-up"]), "", "", "", ""]]


def bus_busy(simulation):
    width = simulation.configuration["texture_bus"]["bytes_per_cycle"]
    return share(simulation["texture_bus.bytes"] / width, simulation["gpu.cycles"])


def ports_table(captures):
    """Tables of two requests per cycle."""
    kinds, its = COMPARED[:2], {"node": "shared", "ports": 2}
    header = ["capture", *titles("two ports, speed-up", kinds), *titles("two ports, energy", kinds)]
    rows = rows_of(captures, lambda c: [*(c.speed_up(kind, **its) for kind in kinds),
                                        *(system_energy(c, kind, **its) for kind in kinds)], percent)
    paper = [percent(PAPER[what][kind]) for what in ("speed-up", "energy") for kind in kinds]
    return header, [*rows, ["paper's average", *paper]]


def energy_table(captures):
    parts = {"textures": TEXTURES, "GPU": ["gpu"], "memory": ["dram"], "all": ["system"]}
    header = ["capture", *(f"{ORGANISATIONS[kind]}, {part}" for kind in COMPARED for part in parts)]
    rows = rows_of(captures, lambda c: [c.energy(kind, units) for kind in COMPARED for units in parts.values()], percent)
    return header, [*rows, ["paper's average", *(cell for said in paper_says(["energy"]) for cell in ("", "", "", said))]]


def energy_parts_table(captures):
    """Where the energy goes, of what all takes with private caches."""
    units = {"texture caches": ["texture_cache"], "bus": ["texture_bus"], "mesh": ["mesh"],
             "tables, directory": ["affinity_table"], "L2": ["l2"], "memory": ["dram"], "all": ["system"]}
    header = ["organisation", *list(units)[:-2], "the rest of the GPU", "memory", "all"]
    rows = []
    for kind in ("private", *COMPARED):
        def of_all(capture, its, kind=kind):
            return share(capture.find(organisation=kind).energy(its), capture.find().energy(["system"]))

        shares = {title: average(captures, lambda c, its=its: of_all(c, its)) for title, its in units.items()}
        rest = shares["all"] - sum(value for title, value in shares.items() if title != "all")
        cells = [*(shares[title] for title in list(units)[:-2]), rest, shares["memory"], shares["all"]]
        rows.append([ORGANISATIONS.get(kind, "private"), *map(number, cells)])
    return header, rows


def processors_table(captures):
    measures = ["decrease", "local", "speed-up"]
    header = ["processors", "private: L2 accesses, of 4 processors'", *measure_titles(measures, TABLES)]

    def growth(capture, count):
        before = capture.find(processors=4)["nuca.l2_accesses"]
        return capture.find(processors=count)["nuca.l2_accesses"] / before if before else math.nan

    rows = [[count, number(average(captures, lambda c, n=count: growth(c, n)), 2),
             *measured(captures, measures, TABLES, processors=count)] for count in PROCESSORS]
    for count, paper in ((4, PAPER_FOUR), (32, PAPER["speed-up"])):
        rows.append([f"paper, {count}", "", *([""] * 4), *(percent(paper[kind]) for kind in TABLES)])
    return header, rows


# ---- area -------------------------------------------------------------------


def area_table(capture, energies):
    """V-A. Logic is inferred from its leakage: as dense as that of a cache of 1 MiB, as in the presets."""
    areas, configuration = Areas(energies), capture.find().configuration
    caches, processors = configuration["caches"], configuration["fragment_stage"]["processors"]
    power = {row["size_bytes"]: float(row["leak_mW"]) for row in areas.rows if row["kind"] == "cache" and row["ways"] == "8"}
    nanowatts = 1e6 * power[str(1 << 20)] / areas.find("cache", 1 << 20, ways=8)
    entry = configuration["nuca"]["affinity_table"]
    bits = entry["counter_bits"] * processors + (processors - 1).bit_length()
    table = areas.ram(entry["buckets"] * bits / 8, 128)
    parts = {
        "Fragment and Vertex Processors": (processors + configuration["pipeline"]["vertex_processors"])
        * configuration["energy"]["processor_leakage"] / nanowatts,
        "other units": 6 * configuration["energy"]["unit_leakage"] / nanowatts,
        "texture caches": processors * areas.cache(caches["texture_cache"]),
        "L2": areas.cache(caches["l2"]),
        "other caches": sum(areas.cache(caches[name]) for name in ("vertex_cache", "tile_cache", "instruction_cache")),
    }
    whole = sum(parts.values())
    rows = [[title, number(area, 3), number(share(area, whole), 3), ""] for title, area in parts.items()]
    rows.append(["GPU", number(whole, 3), "100.000", ""])
    for title, area, kind in (("Affinity Table", table, "dtm-nuca"),
                              (f"{processors} Affinity Tables", processors * table, "dtm-nuca-distributed"),
                              (f"the mesh's buffers, {processors} of 1 KiB", processors * areas.ram(1024, 128), None)):
        rows.append([title, number(area, 4), number(share(area, whole), 3), PAPER_AREA.get(kind, "")])
    return ["part", "mm²", "of the GPU, %", "paper, %"], rows


# ---- choices ----------------------------------------------------------------


def choices_table(captures):
    measures = ["decrease", "local"]
    header = ["choice", "private: hits, %", *measure_titles(measures)]
    rows = [[title, private_hits(captures, **settings), *measured(captures, measures, **settings)]
            for title, settings in CHOICES.items()]
    return header, [*rows, ["paper", "", *paper_says(measures)]]


def requests_table(captures):
    """Units of a request."""
    measures = ["local", "decrease", "speed-up", "energy"]
    header = ["request", "private: hits, %", *measure_titles(measures)]
    rows = [[f"`{unit}`", private_hits(captures, requests=unit), *measured(captures, measures, requests=unit)] for unit in UNITS]
    return header, [*rows, ["paper", "", *paper_says(measures)]]


def units_table(captures):
    """The same, capture by capture."""
    kinds = {"private": "private: hits, %", **{kind: f"{ORGANISATIONS[kind]}: local hits, %" for kind in TABLES}}
    header = ["capture", *(f"{title}, `{unit}`" for title in kinds.values() for unit in UNITS)]
    return header, rows_of(captures, lambda c: [c.local(kind, requests=unit) for kind in kinds for unit in UNITS])


def machines_table(captures):
    """Choices that were simulated with time and energy."""
    measures = ["decrease", "speed-up", "energy"]
    rows = [[title, *measured(captures, measures, **settings)] for title, settings in MACHINES.items()]
    return ["choice", *measure_titles(measures)], [*rows, ["paper", *paper_says(measures)]]


def schedulers_table(captures):
    measures = ["local", "decrease"]
    header = ["scheduler", "Figure 1: in one of four, %", "in all four, %", "private: hits, %", *measure_titles(measures)]
    rows = []
    for title, settings in SCHEDULERS.items():
        degrees = [average(captures, lambda c, d=degree: c.degrees(**settings)[d]) for degree in (0, 3)]
        rows.append([title, *map(number, degrees), private_hits(captures, **settings), *measured(captures, measures, **settings)])
    return header, [*rows, ["paper", PAPER_DEGREES[1], PAPER_DEGREES[4], "", *paper_says(measures)]]


def sharers_table(captures):
    """Of so many processors, round-robin: how many caches have a block decides what is local."""
    measures = ["local", "decrease"]
    header = ["processors", "copies of a requested block", "private: hits, %", *measure_titles(measures)]
    rows = [[count, number(average(captures, lambda c: c.private(processors=count).a_request("nuca.replication_sum"))),
             private_hits(captures, processors=count), *measured(captures, measures, processors=count)] for count in SHARERS]
    return header, [*rows, ["paper", "", "", *paper_says(measures)]]


def epochs_table(captures):
    measures, resets = ["decrease", "local"], ["halve", "zero"]
    header = ["epoch, accesses", *(f"{title}, {reset}" for reset in resets for title in measure_titles(measures, TABLES))]
    return header, [[epoch, *(cell for reset in resets
                              for cell in measured(captures, measures, TABLES, epoch=epoch, reset=reset))] for epoch in EPOCHS]


def bandwidth_table(captures):
    captures = [c for c in captures if c.find(bus=8, contexts=1)]
    tables = [("d-nuca", 1), ("d-nuca", 2), ("dtm-nuca", 1), ("dtm-nuca", 2), ("dtm-nuca", 4)]
    header = ["bus, bytes per cycle", "quads per processor", "private: the bus is busy, %",
              *(f"{ORGANISATIONS[kind]}, {ports} {'port' if ports == 1 else 'ports'}" for kind, ports in tables),
              ORGANISATIONS["dtm-nuca-distributed"]]
    rows = []
    for width in WIDTHS:
        for contexts in CONTEXTS:
            its = {"bus": width, "contexts": contexts}
            rows.append([width, contexts, number(average(captures, lambda c: bus_busy(c.find(**its)))),
                         *(cell for kind, ports in tables
                           for cell in measured(captures, ["speed-up"], [kind], node="shared", ports=ports, **its)),
                         *measured(captures, ["speed-up"], TABLES[1:], **its)])
    dynamic, central, distributed = paper_says(["speed-up"])
    return header, [*rows, ["paper", "", "", dynamic, "", central, "", "", distributed]]


def altered_table(captures, altered):
    """Scenes with other values of what the papers do not publish (SCENE,KEY=VALUE), and as they are."""
    measures = ["decrease", "speed-up", "energy"]
    scenes = [(scene, [its for its in captures if its.name == scene.name.split(",")[0]]) for scene in altered]
    rows = [[its.name.replace(",", ", "), *measured([its], measures)] for scene, plain in scenes for its in (*plain, scene)]
    return ["scene", *measure_titles(measures)], [*rows, ["paper's average", *paper_says(measures)]]


def main(energies, results, output, names, only_headlines):
    output.mkdir(parents=True, exist_ok=True)
    altered = [Capture(results, name) for name in names if "," in name]
    names = [name for name in names if "," not in name]
    captures = sorted((Capture(results, name) for name in names), key=lambda capture: capture.find()["nuca.requests"])
    if only_headlines:
        write_headlines(output, headlines(captures))
        return
    beginnings = [Capture(results, capture.name, SWEEP_FRAMES) for capture in captures]
    swept = [capture for capture in beginnings if capture.find(organisation="dtm-nuca", epoch=100)]
    tables = {
        "summary": summary_table(captures), "captures": captures_table(captures), "replication": replication_table(captures),
        "l2-accesses": decreases_table(captures), "sizes": sizes_table(captures), "local": local_table(captures),
        "hops": hops_table(captures), "requests": requests_table(beginnings), "requests-captures": units_table(beginnings),
        "speed-up": speed_table(captures), "ports": ports_table(beginnings), "energy": energy_table(captures),
        "energy-parts": energy_parts_table(captures),
        "processors": processors_table(swept), "area": area_table(captures[0], energies),
        "schedulers": schedulers_table(swept), "choices": choices_table(swept), "epochs": epochs_table(swept),
        "machines": machines_table(swept), "bandwidth": bandwidth_table(beginnings),
    }
    if any(capture.find(organisation="d-nuca", processors=4) for capture in swept):
        tables["sharers"] = sharers_table(swept)
    if altered:
        tables["altered"] = altered_table(captures, altered)
    write_headlines(output, headlines(captures))
    for name, table in tables.items():
        write_table(output, name, *table)
    write_tables(output)
    plots.write(output, captures, swept, bounds)


if __name__ == "__main__":
    run_figures(__doc__, main, paths=3)
