# SPDX-License-Identifier: MIT
"""Frame rates (GSPC's Figures 15 to 17): single frames, each simulated by itself from cold caches."""
import math

from support import (change as percent, legend_above, load_statistics, mean, new_plot, number, plot_bars, save, share,
                     write_table)

# What the Snakefile simulates; SIZE is the main machine's. Where that has the paper's 8 MiB, there is no other such kind.
KINDS = {"main": "SIZE", "cached": "SIZE, displayed colour cached", "8m": "8 MiB (Figure 15)", "16m": "16 MiB (Figure 16)",
         "dram": "SIZE, DDR3-1867 10-10-10 (Figure 17)", "cores": "SIZE, 64 cores, 8 samplers (Figure 17)",
         "permuted": "SIZE, banks permuted", "queued": "SIZE, banks permuted, 64 writes queued",
         "rows": "SIZE, rows open and close at once"}
# Of these, what the paper does not vary.
CONTROLLERS = ["permuted", "queued", "rows"]
# The paper's averages of NRU, GS-DRRIP and GSPC against DRRIP, per cent.
PAPER = {"8m": (-7.0, 0.8, 8.0), "16m": (-3.0, 4.0, 11.8), "dram": (-7.0, None, 7.1), "cores": (-5.3, None, 5.9)}
POLICIES = {"nru": "NRU", "gs-drrip": "GS-DRRIP", "gspc": "GSPC"}


class Runs:
    """One capture's frames under all policies of one kind."""

    def __init__(self, directories):
        self.frames = {}
        for path in (path for directory in directories for path in sorted(directory.glob("*/stats.json"))):
            statistics = load_statistics(path)
            policy = statistics["run"]["configuration"]["caches"]["llc"]["policy"]
            self.frames.setdefault(policy, []).extend(statistics["frames"])

    def total(self, policy, counter):
        """Not a number without the policy."""
        return sum(frame[counter] for frame in self.frames[policy]) if policy in self.frames else math.nan

    def frames_per_second(self, policy):
        return math.nan if policy not in self.frames else 1e9 * len(self.frames[policy]) / self.total(policy, "gpu.time")

    def faster(self, policy, base="drrip"):
        """Frames per second against the base, per cent."""
        return 100 * (self.frames_per_second(policy) / self.frames_per_second(base) - 1)

    def change(self, policy, *counters):
        """Of counters' sum against DRRIP's, per cent; not a number where DRRIP has nothing."""
        after, before = (sum(self.total(key, counter) for counter in counters) for key in (policy, "drrip"))
        return 100 * (after / before - 1) if before else math.nan

    def row_hits(self, policy):
        """Of DRAM's bursts, per cent."""
        hits, *others = (self.total(policy, f"dram_system.row_{event}") for event in ("hits", "misses", "conflicts"))
        return share(hits, hits + sum(others))

    def bus_busy(self, policy):
        return share(self.total(policy, "dram_system.busy_cycles"), self.total(policy, "dram_system.channel_cycles"))


# What is printed next to the frame rates, against DRRIP: counters. Pipelines wait for reads, not for writes.
MEASURES = {"misses": ("llc.total.misses", "llc.total.bypasses"), "bytes read": ("dram.total.read_bytes",),
            "bytes written": ("dram.total.write_bytes",), "writes' waits": ("llc.write_cycles",)}
BYTES = ["bytes read", "bytes written"]


def rates_table(captures):
    """Each capture's."""
    header = ["capture", "DRRIP, frames per second", *(f"{name}, %" for name in POLICIES.values()),
              *(f"{name}, {measure}, %" for name in POLICIES.values() for measure in MEASURES),
              *(f"row hits, {name}, %" for name in ("DRRIP", *POLICIES.values())), "DRAM's bus busy, DRRIP, %"]
    rows, values = [], []
    for name, runs in captures.items():
        values.append([*map(runs.faster, POLICIES),
                       *(runs.change(policy, *counters) for policy in POLICIES for counters in MEASURES.values())])
        rows.append([name, number(runs.frames_per_second("drrip"), 0), *map(percent, values[-1]),
                     *(number(runs.row_hits(policy)) for policy in ("drrip", *POLICIES)), number(runs.bus_busy("drrip"))])
    rows.append(["**all**", number(mean(runs.frames_per_second("drrip") for runs in captures.values()), 0),
                 *(percent(mean(column)) for column in zip(*values)),
                 *(number(mean(runs.row_hits(policy) for runs in captures.values())) for policy in ("drrip", *POLICIES)),
                 number(mean(runs.bus_busy("drrip") for runs in captures.values()))])
    return header, rows


def title(kind, kinds, size):
    return KINDS["8m"] if kind == "main" and "8m" not in kinds else KINDS[kind].replace("SIZE", size)


def paper_of(kind, kinds):
    return PAPER["8m"] if kind == "main" and "8m" not in kinds else PAPER.get(kind, (None, None, None))


def summary_table(kinds, size):
    header = ["frame rate against DRRIP, %", *(cell for name in POLICIES.values() for cell in (f"{name}, paper", name)),
              *(f"{name}'s misses" for name in POLICIES.values()), *(f"GSPC's {measure}" for measure in BYTES),
              "row hits, DRRIP, %", "row hits, GSPC, %", "DRAM's bus busy, %"]
    rows = []
    for kind, captures in kinds.items():
        runs = list(captures.values())
        row = [title(kind, kinds, size)]
        for policy, paper in zip(POLICIES, paper_of(kind, kinds)):
            row += [percent(paper), percent(mean(its.faster(policy) for its in runs))]
        row += [percent(mean(its.change(policy, *MEASURES["misses"]) for its in runs)) for policy in POLICIES]
        row += [percent(mean(its.change("gspc", *counters) for its in runs)) for counters in map(MEASURES.get, BYTES)]
        row += [number(mean(its.row_hits(policy) for its in runs)) for policy in ("drrip", "gspc")]
        rows.append([*row, number(mean(its.bus_busy("drrip") for its in runs))])
    return header, rows


def absolute_table(kinds):
    """GSPC's frames per second, and what they gain from 8 to 16 MiB."""
    smaller, larger = ([runs.frames_per_second("gspc") for runs in its.values()]
                       for its in (kinds.get("8m", kinds["main"]), kinds["16m"]))
    gain = mean(100 * (after / before - 1) for before, after in zip(smaller, larger))
    return ["GSPC", "paper", "here"], [["frames per second, 8 MiB", "26.1", number(mean(smaller), 0)],
                                       ["frames per second, 16 MiB", "32.4", number(mean(larger), 0)],
                                       ["16 MiB against 8 MiB, %", "+24.1", percent(gain)]]


def plot(output, kinds, size):
    figure, axes = new_plot("Frames per second against DRRIP, average of the captures (Figures 15 to 17)", "per cent", width=10.0)
    labels = [text.replace(" (", "\n(").replace(", ", ",\n", 1) for text in (title(kind, kinds, size) for kind in kinds)]
    plot_bars(axes, labels, {title: [mean(runs.faster(policy) for runs in captures.values()) for captures in kinds.values()]
                             for policy, title in POLICIES.items()})
    axes.axhline(0, color="black", linewidth=0.6)
    legend_above(axes)
    save(figure, output, "figure-15-17-frame-rates")


def read(directory, kind, names):
    return {name: Runs([frame / name for frame in sorted((directory / kind).iterdir())]) for name in names}


def write(directory, output, names, size):
    """All tables and the plot, from the captures' runs by kind, which it returns; directory has KIND/FRAME/NAME/*/stats.json.
    size: the main machine's cache."""
    kinds = {kind: read(directory, kind, names) for kind in KINDS if (directory / kind).exists()}
    write_table(output, "frame-rates", *summary_table(kinds, size))
    write_table(output, "frames-a-second", *absolute_table(kinds))
    for kind, captures in kinds.items():
        write_table(output, f"frame-rates-{kind}", *rates_table(captures))
    plot(output, {kind: its for kind, its in kinds.items() if kind not in CONTROLLERS}, size)
    return kinds
