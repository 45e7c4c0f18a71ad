#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "GSPC", from what its Snakefile ran.

usage: figures.py RESULTS OUTPUT NAME…

RESULTS holds, for each capture NAME, comparisons of last-level caches (tbrsim llc --json): cold/NAME.json, with the
profile, uncached/NAME.json, and warm/NAME.json. OUTPUT takes the tables (Markdown and CSV) and the plots (PNG).
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support import (label_captures, legend_above, load, mean, new_plot, number, plot_bars, save,  # noqa: E402
                     share, write_table)

MEBIBYTE = 1 << 20
SIZES = {"2 MiB": 2 * MEBIBYTE, "8 MiB": 8 * MEBIBYTE, "16 MiB": 16 * MEBIBYTE}
SCALED, PAPER_SIZE, LARGE = SIZES
GROUPS = {"vertex": "vertex", "hiz": "HiZ", "z": "Z", "stencil": "stencil", "render_target": "render target",
          "texture": "texture", "display": "display", "other": "other"}
# Changes of misses against DRRIP, per cent: what the paper says of 8 MiB (Figures 1, 12 and 14).
PAPER = {"nru": 6.2, "lru": 7.2, "srrip": None, "drrip4": -0.4, "ship-mem": 0.0, "gs-drrip": -2.9, "gs-drrip4": -1.7, "gspztc": -4.8,
         "gspztc-tse": -11.5, "gspc": -11.8, "drrip+ucd": 0.0, "gspc+ucd": -13.1, "opt": -36.6}
POLICIES = list(PAPER)
ISO_OVERHEAD = ["lru", "drrip4", "gs-drrip4", "gspc"]
THRESHOLDS = [2, 4, 8]
# A capture renders to texture where the optimal policy has so many of its texture hits on render targets.
RENDERS_TO_TEXTURE = 1


class Capture:
    """One capture's caches by size, policy ("gspztc:2" with a threshold, "gspc+ucd"); and the warm ones."""

    def __init__(self, results, name):
        self.name = name
        cold, uncached, warm = (load(results / run / f"{name}.json")["recordings"][0]
                                for run in ("cold", "uncached", "warm"))
        self.frames = cold["frames"]
        self.caches = self.by_key(uncached) | self.by_key(cold)
        self.warm = self.by_key(warm)
        self.accesses = self.cache("opt", LARGE)["streams"]["total"]["accesses"]
        # Bytes a frame; where they fit into the cache, its blocks, each missed once.
        self.footprint = 64 * self.cache("opt", LARGE)["misses"] / self.frames
        profile = self.cache("opt", LARGE)["profile"]
        self.texture_hits = profile["inter_stream_hits"] + profile["intra_stream_hits"]
        self.renders_to_texture = share(profile["inter_stream_hits"], self.texture_hits) >= RENDERS_TO_TEXTURE

    @staticmethod
    def by_key(recording):
        caches = {}
        for cache in recording["caches"]:
            key = cache["policy"]
            if cache["threshold"] not in (None, 8):
                key += f":{cache['threshold']}"
            if cache["uncached"]:
                key += "+ucd"
            caches[key, cache["size_bytes"]] = cache
        return caches

    def cache(self, policy, size, warm=False):
        return (self.warm if warm else self.caches)[policy, SIZES[size]]

    def change(self, policy, size, base="drrip", warm=False):
        """Of misses, per cent."""
        before, after = (self.cache(key, size, warm)["misses"] for key in (base, policy))
        return 100 * (after - before) / before if before else math.nan

    def hit_rate(self, policy, size, *groups):
        accesses, hits = (sum(self.cache(policy, size)["groups"][group][count] for group in groups)
                          for count in ("accesses", "hits"))
        return 100 * hits / accesses if accesses else math.nan

    def profile(self, policy, size):
        return self.cache(policy, size)["profile"]

    def consumed(self, policy, size):
        profile = self.profile(policy, size)
        return 100 * profile["consumed"] / profile["produced"] if profile["produced"] else math.nan

    def distant(self, policy, size, *groups):
        fills, distant = (sum(self.cache(policy, size)["groups"][group][count] for group in groups)
                          for count in ("fills", "distant_fills"))
        return 100 * distant / fills if fills else math.nan


def signed(value):
    if math.isnan(value):
        return "–"
    return f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0.0"


def groups_of(captures):
    """Those with render to texture, and the others."""
    yield "render to texture", [capture for capture in captures if capture.renders_to_texture]
    yield "others", [capture for capture in captures if not capture.renders_to_texture]
    yield "all", captures


def with_averages(captures, header, values, paper=None, form=signed):
    """A row for each capture, and the averages."""
    rows = [[capture.name, *map(form, values(capture))] for capture in captures]
    for label, members in groups_of(captures):
        if members:
            rows.append([f"**{label}**", *(form(mean(column)) for column in zip(*map(values, members)))])
    if paper:
        rows.append(["paper's average", *(form(value) if value is not None else "" for value in paper)])
    return ["capture", *header], rows


# ---- tables -------------------------------------------------------------------


def captures_table(captures):
    """What there is to gain: misses beyond one a block."""
    header = ["capture", "frames", "LLC accesses a frame", "OPT misses at 16 MiB, MiB a frame",
              "DRRIP misses / these, 2 MiB", "8 MiB", "16 MiB", "texture hits on render targets, %", "display hits, %"]
    rows = []
    for capture in captures:
        profile = capture.profile("opt", LARGE)
        rows.append([capture.name, capture.frames, f"{capture.accesses / capture.frames:.0f}",
                     f"{capture.footprint / MEBIBYTE:.2f}",
                     *(number(64 * capture.cache("drrip", size)["misses"] / capture.frames / capture.footprint, 2)
                       for size in SIZES),
                     number(share(profile["inter_stream_hits"], capture.texture_hits)),
                     number(capture.hit_rate("opt", LARGE, "display"))])
    return header, rows


def accesses_table(captures):
    """Figure 4."""
    def shares(capture):
        groups = capture.cache("drrip", PAPER_SIZE)["groups"]
        return [share(groups[group]["accesses"], capture.accesses) for group in GROUPS]

    paper = [4, 7, 10, None, 40, 34, None, None]
    return with_averages(captures, GROUPS.values(), shares, paper, number)


def misses_table(captures, size, warm=False):
    """Figures 1, 12 and 14."""
    policies = [policy for policy in POLICIES if not (warm and policy.endswith("+ucd"))]
    paper = None if warm or size == LARGE else [PAPER[policy] for policy in policies]
    return with_averages(captures, [policy.upper() for policy in policies],
                         lambda capture: [capture.change(policy, size, warm=warm) for policy in policies], paper)


def thresholds_table(captures, size):
    """Figure 11."""
    keys = {t: "gspztc" if t == 8 else f"gspztc:{t}" for t in THRESHOLDS}
    return with_averages(captures, [f"t = {t}" for t in THRESHOLDS],
                         lambda capture: [capture.change(key, size, "gspztc:16") for key in keys.values()])


TARGETS = ("render_target", "display")


def rates_table(captures, size):
    """Figures 5 and 13: averages over the captures."""
    header = ["policy", "texture hits, %", "render targets consumed, %", "render target hits, %", "Z hits, %"]
    rows = []
    for policy in POLICIES:
        if policy.endswith("+ucd"):
            continue
        rows.append([policy.upper(), *(number(mean(values)) for values in (
            [capture.hit_rate(policy, size, "texture") for capture in captures],
            [capture.consumed(policy, size) for capture in captures if capture.renders_to_texture],
            [capture.hit_rate(policy, size, *TARGETS) for capture in captures],
            [capture.hit_rate(policy, size, "z") for capture in captures]))])
    rows.append(["paper: NRU", "18.4", "13", "41.5", "58"])
    rows.append(["paper: DRRIP", "22.0", "16", "50.1", "58"])
    rows.append(["paper: GSPC", "", "", "57.7", ""])
    rows.append(["paper: OPT", "53.4", "51", "59.8", "77.1"])
    return header, rows


def reuse_table(captures, size):
    """Figures 6, 7, 8 and 9."""
    def values(capture):
        optimal = capture.profile("opt", size)
        hits = optimal["inter_stream_hits"] + optimal["intra_stream_hits"]
        textures, depths = ([ratio if epochs["entered"][k] else math.nan
                             for k, ratio in enumerate(epochs["death_ratios"])]
                            for epochs in (optimal["texture_epochs"], optimal["z_epochs"]))
        intra = optimal["texture_epochs"]["hits"]
        return [share(optimal["inter_stream_hits"], hits) if hits else math.nan,
                share(intra[0], sum(intra)) if sum(intra) else math.nan,
                *(100 * ratio for ratio in (*textures, *depths)),
                capture.distant("drrip", size, *TARGETS), capture.distant("drrip", size, "texture"),
                capture.distant("gspc", size, *TARGETS)]

    header = ["inter-stream texture hits, OPT", "intra-stream hits in E0, OPT",
              *(f"{stream} deaths E{k}, OPT" for stream in ("texture", "Z") for k in range(3)),
              "targets in as 3, DRRIP", "textures in as 3, DRRIP", "targets in as 3, GSPC"]
    paper = [55, 79, 81, 73, 53, 61, 38, 26, 25, 36, None]
    return with_averages(captures, header, values, paper, lambda value: number(value, 0))


# ---- plots --------------------------------------------------------------------


def plot_misses(output, name, title, captures, size, policies, base="drrip"):
    figure, axes = new_plot(title, f"of {base.upper()}'s misses", width=10.0)
    series = {policy.upper(): [1 + capture.change(policy, size, base) / 100 for capture in captures] +
              [1 + mean(capture.change(policy, size, base) for capture in captures) / 100] for policy in policies}
    plot_bars(axes, [*(capture.name for capture in captures), "average"], series)
    axes.axhline(1, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, name)


def plot_accesses(output, captures):
    figure, axes = new_plot("Accesses to the LLC by stream (Figure 4)", "per cent", width=9.0)
    names = [capture.name for capture in captures]
    bottom = [0.0] * len(captures)
    for index, (group, label) in enumerate(GROUPS.items()):
        values = [share(capture.cache("drrip", PAPER_SIZE)["groups"][group]["accesses"], capture.accesses)
                  for capture in captures]
        axes.bar(names, values, 0.7, bottom=bottom, label=label, color=f"C{index}")
        bottom = [before + value for before, value in zip(bottom, values)]
    label_captures(axes, names)
    axes.set_ylim(0, 100)
    legend_above(axes)
    save(figure, output, "figure-4-accesses")


def main(results, output, names):
    output.mkdir(parents=True, exist_ok=True)
    captures = sorted((Capture(results, name) for name in names), key=lambda capture: capture.footprint)
    write_table(output, "captures", *captures_table(captures))
    write_table(output, "accesses", *accesses_table(captures))
    for size in SIZES:
        tag = size.replace(" ", "").lower()
        write_table(output, f"misses-{tag}", *misses_table(captures, size))
        write_table(output, f"misses-warm-{tag}", *misses_table(captures, size, warm=True))
        write_table(output, f"thresholds-{tag}", *thresholds_table(captures, size))
        write_table(output, f"rates-{tag}", *rates_table(captures, size))
        write_table(output, f"reuse-{tag}", *reuse_table(captures, size))
        plot_misses(output, f"figure-1-12-{tag}", f"Misses of the LLC, {size} (Figures 1 and 12)", captures, size,
                    ["nru", "gs-drrip", "gspztc", "gspztc-tse", "gspc", "opt"])
        plot_misses(output, f"figure-14-{tag}", f"Policies of the same state, {size} (Figure 14)", captures, size,
                    ISO_OVERHEAD)
    plot_accesses(output, captures)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:])
