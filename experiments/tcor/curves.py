# SPDX-License-Identifier: MIT
"""TCOR V-A: misses of the Attribute Cache over sizes, ways and policies, and the lower bound."""
import math

from captures import KIBIBYTE, PAPER_CLASS, PRIMITIVE_BYTES
from support import COLORS, mean, new_plot, number, save, write_table

PAPER_REACHES = {"opt": 55, "lru": 375}  # KiB (V-A)
# A curve has reached the lower bound when it is no more than this above it, per cent.
REACHED = [1, 2, 5]


def kibibytes(value):
    return "–" if math.isnan(value) else f"{value / KIBIBYTE:.0f}"


def average_ratios(captures, kind, policy, value, ways=None):
    """Of each size the captures' average of misses per access."""
    points = {}
    for capture in captures:
        for row in capture.sweeps[kind]:
            if row["policy"] == policy and (ways is None or row["ways"] == ways) and row["accesses"]:
                points.setdefault(row["size_bytes"], []).append(row[value] / row["accesses"])
    return {size: mean(ratios) for size, ratios in sorted(points.items())}


def reaches(capture, policy, above=1, kind="full"):
    """The smallest fully associative cache, bytes, that reaches the lower bound of a capture."""
    sizes = [row["size_bytes"] for row in capture.sweeps[kind]
             if row["policy"] == policy and row["misses"] <= (1 + above / 100) * row["lower_bound_misses"]]
    return min(sizes, default=math.nan)


def suite_reaches(captures, policy, above=1, kind="full"):
    """The same of the average curve."""
    misses, bound = (average_ratios(captures, kind, policy, value) for value in ("misses", "lower_bound_misses"))
    return min((size for size in misses if misses[size] <= (1 + above / 100) * bound[size]), default=math.nan)


def bound_table(captures):
    used = [capture for capture in captures if capture.primitives]
    rows = [[capture.name, f"{capture.primitives / capture.passes:.0f}",
             kibibytes(PRIMITIVE_BYTES * capture.primitives / capture.passes), kibibytes(reaches(capture, "opt")),
             kibibytes(reaches(capture, "lru")), number(reaches(capture, "lru") / reaches(capture, "opt"))]
            for capture in used]
    return ["capture", "primitives per pass", "KiB", "OPT reaches the bound at, KiB", "LRU at, KiB", "LRU / OPT"], rows


def estimators_table(captures):
    """Where the bound is reached, by what is averaged and by how near is near enough."""
    header = ["where the bound is reached", "misses above it, at most, %",
              *(f"{policy.upper()}, {title}, KiB" if policy != "ratio" else f"LRU / OPT, {title}"
                for title in ("all captures", PAPER_CLASS) for policy in ("opt", "lru", "ratio"))]
    groups = [captures, [capture for capture in captures if capture.is_like_paper()]]
    estimators = {
        "average of the captures' sizes": lambda some, *its: mean(reaches(capture, *its) for capture in some),
        "of the average curve": suite_reaches,
    }
    rows = []
    for kind in ("full", "blocks"):
        for title, estimator in estimators.items():
            for above in REACHED:
                sizes = [[estimator(some, policy, above, kind) for policy in ("opt", "lru")] for some in groups]
                rows.append([f"{title}, {'primitives' if kind == 'full' else 'blocks'}", above, *(
                    cell for opt, lru in sizes for cell in (kibibytes(opt), kibibytes(lru), number(lru / opt)))])
    rows.append(["the paper", "", *[PAPER_REACHES["opt"], PAPER_REACHES["lru"],
                                    number(PAPER_REACHES["lru"] / PAPER_REACHES["opt"])] * 2])
    return header, rows


def ratios_table(captures, kind, columns):
    """Miss ratios, average of the captures: a column is (title, policy, ways)."""
    curves = [average_ratios(captures, kind, policy, "misses", ways) for _, policy, ways in columns]
    return ["cache, KiB", *(title for title, _, _ in columns)], [
        [kibibytes(size), *(number(curve[size], 3) for curve in curves)] for size in curves[0]]


def plot_curve(axes, ratios, style="-", **keys):
    axes.plot([size / KIBIBYTE for size in ratios], list(ratios.values()), style, **keys)


def finish(figure, axes, output, name, captures, columns=1):
    plot_curve(axes, average_ratios(captures, "full", "opt", "lower_bound_misses"), ":", color="black", linewidth=1,
               label="lower bound")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel("cache, KiB (three attributes per primitive)", fontsize=9)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", linewidth=0.4)
    axes.legend(fontsize=8, frameon=False, ncols=columns)
    save(figure, output, name)


def plot_full(output, captures):
    figure, axes = new_plot("Primitives: misses of a fully associative L1 (Figures 1 and 11), average of the captures",
                            "miss ratio")
    for color, policy in zip(COLORS, ("lru", "opt")):
        plot_curve(axes, average_ratios(captures, "full", policy, "misses"), color=color, label=policy.upper())
    finish(figure, axes, output, "figure-11-fully-associative", captures)


def plot_ways(output, captures):
    figure, axes = new_plot("Primitives: misses by associativity (Figure 12), average of the captures", "miss ratio")
    for policy, style in (("lru", "--"), ("opt", "-")):
        for color, ways in zip(COLORS, (1, 2, 4, 8)):
            plot_curve(axes, average_ratios(captures, "ways", policy, "misses", ways), style, color=color,
                       label=f"{policy.upper()}, {ways}-way")
        plot_curve(axes, average_ratios(captures, "full", policy, "misses"), style, color="grey",
                   label=f"{policy.upper()}, full")
    finish(figure, axes, output, "figure-12-associativity", captures, 2)


def plot_policies(output, captures):
    figure, axes = new_plot("Primitives: misses of a 4-way L1 by policy (Figure 13), average of the captures",
                            "miss ratio")
    for color, policy in zip(COLORS, ("mru", "srrip", "drrip", "lru", "opt")):
        plot_curve(axes, average_ratios(captures, "policies", policy, "misses"), color=color, label=policy.upper())
    finish(figure, axes, output, "figure-13-policies", captures)


def write_curves(output, captures):
    write_table(output, "lower-bound", *bound_table(captures))
    write_table(output, "estimators", *estimators_table(captures))
    full = average_ratios(captures, "full", "lru", "misses")
    ways = average_ratios(captures, "ways", "lru", "misses", 1)
    header, rows = ratios_table(captures, "ways", [(f"{policy.upper()}, {count}-way", policy, count)
                                                   for policy in ("lru", "opt") for count in (1, 2, 4, 8)])
    write_table(output, "associativity", [*header, "LRU, full"],
                [[*row, number(full[size], 3)] for row, size in zip(rows, ways)])
    write_table(output, "policies", *ratios_table(captures, "policies", [(policy.upper(), policy, 4) for policy in
                                                                         ("mru", "srrip", "drrip", "lru", "opt")]))
    plot_full(output, captures)
    plot_ways(output, captures)
    plot_policies(output, captures)
