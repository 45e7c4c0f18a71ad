#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables and plots of the experiment "GSPC", from what its Snakefile ran.

usage: figures.py [--headlines] OUT OUTPUT NAME…

OUT holds, for each capture NAME, comparisons of last-level caches (tbrsim llc --json), results/RUN/NAME.json, and
simulations with timing, timed/KIND/FRAME/NAME (timed.py). OUTPUT takes the tables (Markdown and CSV) and the plots (PNG).
"""
import functools
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from support import (change as percent, run_figures, label_captures, legend_above, load, mean, new_plot, number,  # noqa: E402
                     of_each, plot_bars, save, share, write_headlines, write_table, write_tables)
import criterion  # noqa: E402
import timed  # noqa: E402

MEBIBYTE = 1 << 20
# Runs, and what they are; the first is the main machine, others differ from it in what the title says. Where the main
# machine has 8 MiB, there are neither the runs that scale nor 8m.
SETTINGS = {"main": "main", "clears": "clears in memory", "render-caches": "the paper's render caches",
            "kept": "render caches kept", "hiz": "finer HiZ, fewer reads of Z", "samples": "GSPC's samples spread", "warm": "warm",
            "three": "clears in memory, the paper's render caches, DRRIP by groups", "8m": "8 MiB", "16m": "16 MiB"}
LARGE = "16m"
GROUPS = {"vertex": "vertex", "hiz": "HiZ", "z": "Z", "stencil": "stencil", "render_target": "render target",
          "texture": "texture", "display": "display", "other": "other"}
# Changes of misses against DRRIP, per cent: what the paper says of 8 MiB (Figures 1, 12 and 14).
PAPER = {"nru": 6.2, "lru": 7.2, "srrip": None, "brrip": None, "drrip": 0.0, "drrip4": -0.4, "ship-mem": 0.0, "gs-drrip": -2.9,
         "gs-drrip4": -1.7, "gspztc": -4.8, "gspztc-tse": -11.5, "gspc": -11.8, "drrip+ucd": 0.0, "gspc+ucd": -13.1,
         "opt": -36.6}
POLICIES = list(PAPER)
FEWER = ["nru", "srrip", "brrip", "drrip", "gs-drrip", "gspztc", "gspztc-tse", "gspc", "drrip+ucd", "gspc+ucd", "opt"]
ISO_OVERHEAD = ["lru", "drrip4", "gs-drrip4", "gspc"]
THRESHOLDS = [2, 4, 8]
LEADERS = ["complement", "groups", "hash", "bank"]
LEARNERS = ["gspztc", "gspztc-tse", "gspc"]
TARGETS = ("render_target", "display")
# A capture renders to texture where textures read so many of its render targets' blocks in one frame, per cent; OPT.
RENDERS_TO_TEXTURE = 1


class Capture:
    """One capture's caches by run and policy ("gspztc:2" with a threshold, "drrip:hash", "gspc+ucd")."""

    def __init__(self, results, name):
        self.name = name
        self.runs, self.frames = {}, 0
        for run in sorted(path.parent.name for path in results.glob(f"*/{name}.json")):
            recording = load(results / run / f"{name}.json")["recordings"][0]
            self.runs[run] = self.by_key(recording)
            self.frames = recording["frames"]
        # The preset's leaders are complement; the base of the variants is the same cache again.
        for key, cache in self.runs.get("variants", {}).items():
            self.runs["main"].setdefault(key, cache)

    @functools.cached_property
    def footprint(self):
        """Bytes per frame; where they fit into the cache, its blocks, each missed once."""
        return 64 * self.cache("opt", LARGE)["misses"] / self.frames

    @functools.cached_property
    def size(self):
        """Of the main machine's cache."""
        return f"{self.cache('opt')['size_bytes'] // MEBIBYTE} MiB"

    @property
    def scaled(self):
        return "8m" in self.runs

    @functools.cached_property
    def renders_to_texture(self):
        return self.consumed("opt", LARGE) >= RENDERS_TO_TEXTURE

    @staticmethod
    def by_key(recording):
        caches = {}
        for cache in recording["caches"]:
            key = cache["policy"]
            if cache["threshold"] not in (None, 8):
                key += f":{cache['threshold']}"
            if cache["setting"]:
                key += f":{cache['setting']}"
            if cache["uncached"]:
                key += "+ucd"
            caches[key] = cache
        return caches

    def cache(self, policy, run="main"):
        return self.runs[run][policy]

    def accesses(self, run="main"):
        return self.cache("opt", run)["streams"]["total"]["accesses"]

    def cleared(self):
        """More accesses with clears in memory, per cent; not a number where these did not run."""
        return 100 * self.accesses("clears") / self.accesses() - 100 if "clears" in self.runs else math.nan

    def change(self, policy, run="main", base="drrip"):
        """Of misses, per cent; not a number where the run does not have the policy."""
        if policy not in self.runs[run]:
            return math.nan
        before, after = (self.cache(key, run)["misses"] for key in (base, policy))
        return 100 * (after - before) / before if before else math.nan

    def stream_shares(self, run="main"):
        groups = self.cache("drrip", run)["groups"]
        return [share(groups[group]["accesses"], self.accesses(run)) for group in GROUPS]

    def hit_rate(self, policy, run, *groups):
        return ratio(sum(self.cache(policy, run)["groups"][group]["hits"] for group in groups),
                     sum(self.cache(policy, run)["groups"][group]["accesses"] for group in groups))

    def profile(self, policy, run="main"):
        return self.cache(policy, run)["profile"]

    def texture_hits(self, policy, run="main"):
        profile = self.profile(policy, run)
        return profile["inter_stream_hits"] + profile["intra_stream_hits"]

    def texture_hits_on(self, kind, run="main", policy="opt"):
        """Of render targets (consumed) or depth (z_consumed), per cent of the texture hits."""
        return share(self.profile(policy, run)[kind], self.texture_hits(policy, run))

    def consumed(self, policy, run="main", prefix=""):
        profile = self.profile(policy, run)
        return ratio(profile[f"{prefix}consumed"], profile[f"{prefix}produced"])

    def death_ratios(self, stream, policy="opt", run="main"):
        epochs = self.profile(policy, run)[f"{stream}_epochs"]
        return [100 * death if epochs["entered"][k] else math.nan for k, death in enumerate(epochs["death_ratios"])]

    def epoch_shares(self, policy="opt", run="main"):
        hits = self.profile(policy, run)["texture_epochs"]["hits"]
        return [ratio(count, sum(hits)) for count in hits]

    def distant(self, policy, run, *groups):
        return ratio(sum(self.cache(policy, run)["groups"][group]["distant_fills"] for group in groups),
                     sum(self.cache(policy, run)["groups"][group]["fills"] for group in groups))


def ratio(part, whole):
    return 100 * part / whole if whole else math.nan


def whole(value):
    return number(value, 0)


def title(policy):
    return policy.upper()


def sizes_of(captures):
    """The runs with the caches that the paper has, and before them the scaled one."""
    return {**({"main": captures[0].size} if captures[0].scaled else {}),
            "8m" if captures[0].scaled else "main": "8 MiB", "16m": "16 MiB"}


def settings_of(captures):
    return {run: text for run, text in SETTINGS.items() if run in captures[0].runs}


def groups_of(captures):
    """Those with render to texture, and the others."""
    yield "render to texture", [capture for capture in captures if capture.renders_to_texture]
    yield "others", [capture for capture in captures if not capture.renders_to_texture]
    yield "all", captures


def with_averages(captures, header, values, paper=None, form=percent):
    """A row for each capture, and the averages."""
    rows = [[capture.name, *map(form, values(capture))] for capture in captures]
    for label, members in groups_of(captures):
        if members:
            rows.append([f"**{label}**", *(form(mean(column)) for column in zip(*map(values, members)))])
    if paper:
        rows.append(["paper's average", *(form(value) if value is not None else "" for value in paper)])
    return ["capture", *header], rows


# ---- what is compared ---------------------------------------------------------


def captures_table(captures):
    """What there is to gain: misses beyond one per block; what clears in memory add."""
    header = ["capture", "frames", "LLC accesses a frame", "more with clears in memory, %",
              "OPT misses at 16 MiB, MiB per frame",
              *(f"DRRIP misses / these, {size}" if run == "main" else size for run, size in sizes_of(captures).items()),
              "texture hits on render targets, %", "on depth, %", "display hits, %"]
    rows = []
    for capture in captures:
        rows.append([capture.name, capture.frames, f"{capture.accesses() / capture.frames:.0f}",
                     number(capture.cleared()),
                     f"{capture.footprint / MEBIBYTE:.2f}",
                     *(number(64 * capture.cache("drrip", run)["misses"] / capture.frames / capture.footprint, 2)
                       for run in sizes_of(captures)),
                     number(capture.texture_hits_on("consumed", LARGE)), number(capture.texture_hits_on("z_consumed", LARGE)),
                     number(capture.hit_rate("opt", LARGE, "display"))])
    rows.append(["**all**", "", number(mean(c.accesses() / c.frames for c in captures), 0),
                 number(mean(c.cleared() for c in captures)), *[""] * (len(header) - 4)])
    return header, rows


def accesses_table(captures):
    """Figure 4."""
    paper = [4, 7, 10, None, 40, 34, None, None]
    return with_averages(captures, GROUPS.values(), Capture.stream_shares, paper, number)


def streams_table(captures):
    """Figure 4's averages by what the paper leaves open."""
    rows = [[text, number(mean(c.accesses(run) / c.frames for c in captures), 0),
             *(number(mean(column)) for column in zip(*(c.stream_shares(run) for c in captures)))]
            for run, text in settings_of(captures).items() if run not in ("warm", "16m")]
    return ["machine", "accesses a frame", *(f"{name}, %" for name in GROUPS.values())], rows


# ---- misses --------------------------------------------------------------------


def results_table(captures):
    """Figures 1, 12 and 14: averages."""
    members, size = dict(groups_of(captures)), captures[0].size
    columns = [(its, run, captures) for run, its in sizes_of(captures).items()]
    if captures[0].scaled:
        columns[:1] = [(f"{size}, scaled", "main", captures),
                       (f"{size}, render to texture", "main", members["render to texture"]),
                       (f"{size}, others", "main", members["others"])]
    columns.append((f"{size}, warm", "warm", captures))
    rows = [[title(policy), "" if PAPER[policy] is None else percent(PAPER[policy]),
             *(percent(mean(c.change(policy, run) for c in of)) for _, run, of in columns)] for policy in POLICIES]
    return ["misses against DRRIP, %", "paper, 8 MiB", *(name for name, _, _ in columns)], rows


def settings_table(captures):
    """The averages, by what the paper leaves open."""
    rows = [[text, *(percent(mean(c.change(policy, run) for c in captures)) for policy in FEWER)]
            for run, text in settings_of(captures).items()]
    rows.append(["paper, 8 MiB", *("" if PAPER[policy] is None else percent(PAPER[policy]) for policy in FEWER)])
    return ["misses against DRRIP, %", *map(title, FEWER)], rows


def misses_table(captures, run):
    """Figures 1, 12 and 14."""
    policies = [policy for policy in POLICIES if policy in captures[0].runs[run] and policy != "drrip"]
    header, rows = with_averages(captures, map(title, policies),
                                 lambda capture: [capture.change(policy, run) for policy in policies],
                                 [PAPER[policy] for policy in policies] if run in ("main", "8m") else None)
    misses = {capture.name: capture.cache("drrip", run)["misses"] / capture.frames for capture in captures}
    for row in rows:
        row.insert(1, whole(misses[row[0]]) if row[0] in misses else "")
    return [header[0], "DRRIP's, a frame", *header[1:]], rows


def thresholds_table(captures):
    """Figure 11."""
    keys = {t: "gspztc" if t == 8 else f"gspztc:{t}" for t in THRESHOLDS}
    return with_averages(captures, [f"t = {t}" for t in THRESHOLDS],
                         lambda capture: [capture.change(key, base="gspztc:16") for key in keys.values()])


def duels_table(captures):
    """Which sets duel: against SRRIP, the policy that does not."""
    keys = ["brrip", *(policy if leaders == "complement" else f"{policy}:{leaders}"
                       for policy in ("drrip", "gs-drrip") for leaders in LEADERS)]
    header = ["BRRIP", *(f"{title(policy)}, {leaders}" for policy in ("drrip", "gs-drrip") for leaders in LEADERS)]
    return with_averages(captures, header, lambda capture: [capture.change(key, base="srrip") for key in keys])


def oracles_table(captures):
    """What learning too late costs."""
    keys = [key for policy in LEARNERS for key in (policy, f"{policy}-oracle", f"{policy}-frame-oracle")]
    return with_averages(captures, [*map(title, keys), "OPT"],
                         lambda capture: [capture.change(key) for key in [*keys, "opt"]])


# ---- rates and reuse -----------------------------------------------------------


def rates_table(captures, run):
    """Figures 5 and 13: averages over the captures."""
    header = ["policy", "texture hits, %", "render targets consumed, %", "render target and display hits, %",
              "render target hits, %", "Z hits, %"]
    rows = []
    for policy in (policy for policy in POLICIES if policy in captures[0].runs[run]):
        rows.append([title(policy), *(number(mean(values)) for values in (
            [capture.hit_rate(policy, run, "texture") for capture in captures],
            [capture.consumed(policy, run) for capture in captures if capture.renders_to_texture],
            [capture.hit_rate(policy, run, *TARGETS) for capture in captures],
            [capture.hit_rate(policy, run, "render_target") for capture in captures],
            [capture.hit_rate(policy, run, "z") for capture in captures]))])
    rows.append(["paper: NRU", "18.4", "13", "", "41.5", "58"])
    rows.append(["paper: DRRIP", "22.0", "16", "", "50.1", "58"])
    rows.append(["paper: GSPC", "", "", "", "57.7", ""])
    rows.append(["paper: OPT", "53.4", "51", "", "59.8", "77.1"])
    return header, rows


FIGURE_5 = ["opt", "drrip", "nru"]


def hits_table(captures):
    """Figure 5."""
    kinds = {"texture": ("texture",), "render target": TARGETS, "Z": ("z",)}
    return with_averages(captures, [f"{kind}, {title(policy)}" for kind in kinds for policy in FIGURE_5],
                         lambda capture: [capture.hit_rate(policy, "main", *groups) for groups in kinds.values()
                                          for policy in FIGURE_5],
                         [53.4, 22.0, 18.4, 59.8, 50.1, 41.5, 77.1, 58, 58], number)


def texture_hits_table(captures):
    """Figure 6; the hits are per cent of OPT's."""
    def values(capture):
        hits = capture.texture_hits("opt")
        return [*(ratio(capture.profile(policy)[f"{kind}_stream_hits"], hits) for policy in FIGURE_5
                  for kind in ("inter", "intra")), *(capture.consumed(policy) for policy in FIGURE_5)]

    header = [*(f"{kind}-stream hits, {title(policy)}" for policy in FIGURE_5 for kind in ("inter", "intra")),
              *(f"consumed, {title(policy)}" for policy in FIGURE_5)]
    return with_averages(captures, header, values, [55, 45, None, None, None, None, 51, 16, 13], whole)


def epochs_table(captures):
    """Figures 7 and 9, OPT."""
    header = [*(f"texture hits in {epoch}" for epoch in ("E0", "E1", "E2", "E3+")),
              *(f"{stream} deaths E{k}" for stream in ("texture", "Z") for k in range(3))]
    return with_averages(captures, header,
                         lambda c: [*c.epoch_shares(), *c.death_ratios("texture"), *c.death_ratios("z")],
                         [79, 15, 4, 2, 81, 73, 53, 61, 38, 26], whole)


def insertions_table(captures):
    """Figure 8: fills with an RRPV of 3; GSPC's, too."""
    return with_averages(captures, [f"{kind}, {title(policy)}" for policy in ("drrip", "gspc")
                                    for kind in ("render targets", "textures")],
                         lambda c: [c.distant(policy, "main", *groups) for policy in ("drrip", "gspc")
                                    for groups in (TARGETS, ("texture",))],
                         [25, 36, None, None], whole)


def consumption_table(captures):
    """What textures read of render targets and of depth, in one frame and over frames."""
    size = captures[0].size
    runs = {"main": f"{size}, cold", "warm": f"{size}, warm", "16m": "16 MiB, cold", "warm-16m": "16 MiB, warm"}
    header = [f"{what}, {text}" for what in ("render targets", "depth") for text in runs.values()]
    return with_averages(captures, header, lambda c: [c.consumed("opt", run, prefix) for prefix in ("", "z_") for run in runs],
                         form=number)


# ---- plots --------------------------------------------------------------------


def plot_misses(output, name, text, captures, run, policies):
    figure, axes = new_plot(text, "of DRRIP's misses", width=10.0)
    series = {title(policy): [1 + change / 100 for change in changes_of(captures, policy, run)] for policy in policies}
    plot_bars(axes, [*(capture.name for capture in captures), "average"], series)
    axes.axhline(1, color="black", linewidth=0.6)
    axes.set_ylim(bottom=min(0.5, min(map(min, series.values()))))
    legend_above(axes)
    save(figure, output, name)


def changes_of(captures, policy, run, base="drrip"):
    changes = [capture.change(policy, run, base) for capture in captures]
    return [*changes, mean(changes)]


def plot_panels(output, name, text, captures, panels):
    """Panels above one another: panels is {title: {label: function of a capture}}."""
    from matplotlib import pyplot
    figure, all_axes = pyplot.subplots(len(panels), 1, figsize=(9.5, 1.2 + 2.1 * len(panels)), sharex=True,
                                       layout="constrained", squeeze=False)
    names = [*(capture.name for capture in captures), "average"]
    for axes, (panel, functions) in zip(all_axes[:, 0], panels.items()):
        series = {}
        for label, function in functions.items():
            values = [function(capture) for capture in captures]
            series[label] = [*values, mean(values)]
        plot_bars(axes, names, series)
        axes.set_ylabel(panel, fontsize=8)
        axes.tick_params(labelsize=8)
        axes.legend(fontsize=7, frameon=False, ncols=1, loc="center left", bbox_to_anchor=(1.0, 0.5))
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.suptitle(text, fontsize=10)
    save(figure, output, name)


def plot_accesses(output, captures):
    figure, axes = new_plot("Accesses to the LLC by stream (Figure 4)", "per cent", width=9.0)
    names = [capture.name for capture in captures]
    bottom = [0.0] * len(captures)
    for index, (label, values) in enumerate(zip(GROUPS.values(), zip(*map(Capture.stream_shares, captures)))):
        axes.bar(names, values, 0.7, bottom=bottom, label=label, color=f"C{index}")
        bottom = [before + value for before, value in zip(bottom, values)]
    label_captures(axes, names)
    axes.set_ylim(0, 100)
    legend_above(axes)
    save(figure, output, "figure-4-accesses")


def plot_settings(output, captures):
    """All but warm, whose percentages are of few misses."""
    figure, axes = new_plot("Misses by what the paper leaves open, average of the captures", "against DRRIP, %", width=10.0)
    names = {**SETTINGS, "three": "clears in memory, paper's\nrender caches, groups", "render-caches": "the paper's\nrender caches",
             "hiz": "finer HiZ,\nfewer reads of Z", "samples": "GSPC's samples\nspread"}
    names = {run: names[run] for run in settings_of(captures) if run != "warm"}
    policies = ["nru", "gs-drrip", "gspztc", "gspztc-tse", "gspc", "opt"]
    plot_bars(axes, list(names.values()), {title(policy): [mean(c.change(policy, run) for c in captures) for run in names]
                                           for policy in policies})
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "settings")


def at(policy, function, *arguments):
    """A function of a capture."""
    return lambda capture: function(capture, policy, *arguments)


def plot_reuse(output, captures):
    """Figures 5 to 9 and 13."""
    plot_panels(output, "figure-5-hits", "Hits of the LLC (Figure 5), %", captures, {
        kind: {title(policy): at(policy, Capture.hit_rate, "main", *groups) for policy in FIGURE_5}
        for kind, groups in {"texture": ("texture",), "render target": TARGETS, "Z": ("z",)}.items()})
    plot_panels(output, "figure-6-texture-hits",
                "Texture hits on render targets, and render targets that are consumed (Figure 6), %", captures, {
                    "inter-stream hits,\n% of OPT's hits": {
                        title(policy): lambda c, p=policy: ratio(c.profile(p)["inter_stream_hits"], c.texture_hits("opt"))
                        for policy in FIGURE_5},
                    "intra-stream hits,\n% of OPT's hits": {
                        title(policy): lambda c, p=policy: ratio(c.profile(p)["intra_stream_hits"], c.texture_hits("opt"))
                        for policy in FIGURE_5},
                    "consumed, %": {title(policy): at(policy, Capture.consumed) for policy in FIGURE_5}})
    plot_panels(output, "figure-7-9-epochs", "Epochs of textures and of Z under OPT (Figures 7 and 9), %", captures, {
        "texture hits": {epoch: lambda c, k=k: c.epoch_shares()[k] for k, epoch in enumerate(("E0", "E1", "E2", "E3+"))},
        "texture deaths": {f"E{k}": lambda c, k=k: c.death_ratios("texture")[k] for k in range(3)},
        "Z deaths": {f"E{k}": lambda c, k=k: c.death_ratios("z")[k] for k in range(3)}})
    plot_panels(output, "figure-8-insertions", "Fills with an RRPV of 3 (Figure 8), %", captures, {
        title(policy): {"render targets": at(policy, Capture.distant, "main", *TARGETS),
                        "textures": at(policy, Capture.distant, "main", "texture")} for policy in ("drrip", "gspc")})
    policies = ["gs-drrip", "gspztc", "gspztc-tse", "gspc", "gspc+ucd"]
    figure, axes = new_plot("Rates by policy, average of the captures (Figure 13)", "per cent")
    rates = {"texture hits": lambda c, p: c.hit_rate(p, "main", "texture"),
             "render targets\nconsumed": lambda c, p: c.consumed(p) if c.renders_to_texture else math.nan,
             "render target\nhits": lambda c, p: c.hit_rate(p, "main", "render_target"),
             "Z hits": lambda c, p: c.hit_rate(p, "main", "z")}
    plot_bars(axes, list(rates), {title(policy): [mean(rate(c, policy) for c in captures) for rate in rates.values()]
                                  for policy in policies})
    legend_above(axes)
    save(figure, output, "figure-13-rates")


def plot_thresholds(output, captures):
    figure, axes = new_plot("Misses of GSPZTC against t = 16 (Figure 11)", "per cent", width=9.0)
    plot_bars(axes, [*(capture.name for capture in captures), "average"],
              {f"t = {t}": changes_of(captures, "gspztc" if t == 8 else f"gspztc:{t}", "main", "gspztc:16") for t in THRESHOLDS})
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "figure-11-thresholds")


def headlines(captures, timed_runs):
    """Of the main machine, next to the paper's of 8 MiB."""
    for policy in ("nru", "gs-drrip", "gspztc", "gspztc-tse", "gspc", "gspc+ucd", "opt"):
        yield f"misses against DRRIP, {title(policy)}, %", PAPER[policy], of_each(captures, lambda c, p=policy: c.change(p))
    if timed_runs:
        yield ("frames per second against DRRIP, GSPC, %", 8.0,
               {name: runs.faster("gspc") for name, runs in timed_runs.items()})


def altered_table(altered):
    """Scenes with other values of what the paper does not publish."""
    policies = ["nru", "gs-drrip", "gspztc", "gspztc-tse", "gspc", "opt"]
    rows = [[capture.name.replace(",", ", "), *(percent(capture.change(policy, "altered")) for policy in policies),
             *(whole(capture.hit_rate(policy, "altered", *groups)) for groups in (TARGETS, ("z",)) for policy in ("drrip", "opt"))]
            for capture in altered]
    rows.append(["paper's average", *(percent(PAPER[policy]) for policy in policies), "50", "60", "58", "77"])
    return ["scene", *map(title, policies), *(f"hits of {what}, {policy}, %" for what in ("render targets", "Z")
                                              for policy in ("DRRIP", "OPT"))], rows


def hiz_share(capture, run="main"):
    return share(capture.cache("drrip", run)["groups"]["hiz"]["accesses"], capture.accesses(run))


def tried_table(results):
    """What was tried of scenes and GPUs, by how often render targets and Z hit and how much HiZ is accessed; then the misses."""
    rows = []
    for kind, (changes, settings) in criterion.TRIED.items():
        captures, run = [Capture(results, name) for name in criterion.scenes_of(kind)], f"tried-{kind}"
        rates = [mean(values) for values in zip(*(
            [*(its.hit_rate("drrip", run, *groups) for groups in (TARGETS, ("z",), ("texture",))), hiz_share(its, run)] for its in captures))]
        off = mean(abs(rates[at] / criterion.PAPER[at] - 1) for at in criterion.JUDGED)
        rows.append([changes.replace(",", ", ") or "as they are", settings.replace("immediate.", "").replace(",", ", ") or "defaults",
                     *map(number, rates), whole(100 * off),
                     *(percent(mean(its.change(policy, run) for its in captures)) for policy in criterion.POLICIES)])
    rows.append(["paper", "", *map(number, criterion.PAPER), "",
                 *("" if (paper := PAPER.get(policy)) is None else percent(paper) for policy in criterion.POLICIES)])
    return ["scenes", "GPU", "targets hit, %", "Z hits, %", "textures hit, %", "HiZ, % of accesses", "off, %",
            *map(title, criterion.POLICIES)], rows


def assumed_tables():
    """With a set of assumptions: the misses, a frame oracle's too, and what hits."""
    policies = [*criterion.POLICIES[:-1], "drrip+ucd", "gspc+ucd", "opt"]
    yield ("assumed-misses", ["capture", "DRRIP's, a frame", *map(title, policies)],
           lambda c: [c.cache("drrip")["misses"] / c.frames, *map(c.change, policies)], [whole, *[percent] * len(policies)],
           ["", *("" if (paper := PAPER.get(policy)) is None else percent(paper) for policy in policies)])
    kinds = {"render target": TARGETS, "Z": ("z",), "texture": ("texture",)}
    yield ("assumed-hits", ["capture", *(f"{kind}, {title(policy)}" for kind in kinds for policy in FIGURE_5), "HiZ, % of accesses"],
           lambda c: [*(c.hit_rate(policy, "main", *groups) for groups in kinds.values() for policy in FIGURE_5),
                      hiz_share(c)], [number] * (3 * len(kinds) + 1),
           ["59.8", "50.1", "41.5", "77.1", "58.0", "58.0", "53.4", "22.0", "18.4", "7.0"])


def write_assumed(output, captures):
    for name, header, values, forms, paper in assumed_tables():
        columns = [values(capture) for capture in captures]
        rows = [[capture.name, *(form(value) for form, value in zip(forms, its))] for capture, its in zip(captures, columns)]
        rows.append(["**all**", *(form(mean(column)) for form, column in zip(forms, zip(*columns)))])
        write_table(output, name, header, [*rows, ["paper's average", *paper]])
    write_tables(output)


def main(out, output, names, only_headlines):
    output.mkdir(parents=True, exist_ok=True)
    if only_headlines:
        captures = [Capture(out / "results", name) for name in names]
        is_assumed = "gspc-frame-oracle" in captures[0].runs["main"]
        write_headlines(output, headlines(captures, {} if is_assumed else timed.read(out / "timed", "main", names)))
        if is_assumed:
            write_assumed(output, captures)
        return
    captures = sorted((Capture(out / "results", name) for name in names), key=lambda capture: capture.footprint)
    write_table(output, "results", *results_table(captures))
    write_table(output, "settings", *settings_table(captures))
    for label, members in list(groups_of(captures))[:2]:
        if members and members != captures:
            write_table(output, f"settings-{label.replace(' ', '-')}", *settings_table(members))
    write_table(output, "captures", *captures_table(captures))
    write_table(output, "accesses", *accesses_table(captures))
    write_table(output, "streams", *streams_table(captures))
    runs = captures[0].runs
    for run in (run for run in ("main", "8m", "16m", "warm", "clears") if run in runs):
        write_table(output, f"misses-{run}", *misses_table(captures, run))
    if "gspc-oracle" in runs["main"]:
        write_table(output, "duels", *duels_table(captures))
        write_table(output, "oracles", *oracles_table(captures))
    write_table(output, "thresholds", *thresholds_table(captures))
    for run in sizes_of(captures):
        write_table(output, f"rates-{run}", *rates_table(captures, run))
    write_table(output, "hits", *hits_table(captures))
    write_table(output, "texture-hits", *texture_hits_table(captures))
    write_table(output, "epochs", *epochs_table(captures))
    write_table(output, "insertions", *insertions_table(captures))
    write_table(output, "consumption", *consumption_table(captures))
    altered = [Capture(out / "results", path.stem) for path in sorted((out / "results" / "altered").glob("*.json"))]
    if altered:
        write_table(output, "altered", *altered_table(altered))
    if (out / "results" / "tried-hiz").is_dir():
        write_table(output, "tried", *tried_table(out / "results"))
    timed_runs = timed.write(out / "timed", output, [capture.name for capture in captures], captures[0].size)
    write_headlines(output, headlines(captures, timed_runs["main"]))
    plot_misses(output, "figure-1-12", f"Misses of the LLC, {captures[0].size} (Figures 1 and 12)", captures, "main",
                ["nru", "gs-drrip", "gspztc", "gspztc-tse", "gspc", "opt"])
    plot_misses(output, "figure-14", f"Policies of the same state, {captures[0].size} (Figure 14)", captures, "main", ISO_OVERHEAD)
    plot_accesses(output, captures)
    plot_settings(output, captures)
    plot_reuse(output, captures)
    plot_thresholds(output, captures)
    write_tables(output)


if __name__ == "__main__":
    run_figures(__doc__, main)
