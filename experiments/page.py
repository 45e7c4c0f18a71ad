#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One page of the papers' evaluations, figure by figure, from what their experiments have printed and drawn.

usage: page.py OUT [SCENES]

OUT is a directory, for index.md with its plots and index.html, which has them in it. It holds results of reproduce.py:
SET/EXPERIMENT/figures, where figures.py has written its tables and plots of a set of workloads (scenes, captures),
variants/EXPERIMENT/headlines, the headline claims of variants of scenes, whose descriptions are in SCENES, and
assumed/NAME/EXPERIMENT/headlines, those of a set of assumptions (assumption_sets.yml). Which tables
and plots belong to which figure of a paper is what docs/papers/ says.
"""
import base64
import json
import pathlib
import re
import shutil
import sys

import yaml

import sensitivity
from support import claimed, mean, new_plot, save
from tables import PAPERS, figures_of

DOCUMENTS = pathlib.Path(__file__).resolve().parent.parent / "docs"
ASSUMPTIONS = pathlib.Path(__file__).resolve().parent / "assumption_sets.yml"
# Sets of workloads, and how their values are drawn.
MARKS = {"scenes": {"marker": "o", "color": "#4e79a7"}, "captures": {"marker": "x", "color": "#e15759"}}
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: 13px; } td, th { padding: 2px 8px; border-bottom: 1px solid #8884; }
img { max-width: 100%; background: #fff; } summary { cursor: pointer; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } a { color: #8ab4f8; } }
@media print { details > * { display: block; } }
"""


def holds(paper, value):
    """Whether a claim comes out: its sign, and its size within a third."""
    return paper * value > 0 and abs(value - paper) <= abs(paper) / 3


def read_sections(figures):
    """{name: the table's text} of tables.md."""
    parts = re.split(r"^## (.+)$", (figures / "tables.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2])}


def read_headlines(directory):
    """{claim: (the paper's value, {workload: ours})}; nothing where the experiment has not run."""
    path = directory / "headlines.json"
    claims = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {its["claim"]: (its["paper"], its["here"]) for its in claims}


def average(values):
    """Of workloads; None of none."""
    numbers = [value for value in values.values() if value is not None]
    return mean(numbers) if numbers else None


class Claim:
    """A headline claim: the paper's value, ours on each set of workloads, on scenes with each set of assumptions, and from which
    to which it is on variants of the scenes."""

    def __init__(self, title, paper, ours, spread, moved_by, assumed):
        self.title, self.paper, self.ours, self.spread, self.moved_by = title, paper, ours, spread, moved_by
        self.assumed = assumed

    def comes_out(self, why):
        """With which assumptions, or where it is said why with none."""
        tried = {"defaults": self.ours.get("scenes"), **{f"`{name}`": its for name, its in self.assumed.items()}}
        out = [name for name, value in tried.items() if value is not None and holds(self.paper, value)]
        if not out and not why:
            raise ValueError(f"{ASSUMPTIONS.name}: {self.title} comes out with no set, and no why says where that is explained")
        return f"with {' and '.join(out)}" if out else f"no: [why]({why})"

    def cells(self, sets, assumptions):
        ours = [*(self.ours.get(its_set) for its_set in sets), *self.assumed.values()]
        yield from ("–" if its is None else claimed(self.title, its) + (" ✓" if holds(self.paper, its) else "") for its in ours)
        if assumptions:
            yield self.comes_out(assumptions.get("why"))
        if self.moved_by is not None:
            yield "–" if self.spread is None else " to ".join(claimed(self.title, its) for its in self.spread)
            yield self.moved_by


class Page:
    """A paper's part of the page; sources: {set: directory of figures}; varied: headlines of variants of scenes; assumed: {name:
    headlines} of sets of assumptions."""

    def __init__(self, name, sources, varied, positions, out, assumed=None):
        self.assumed = assumed or {}
        self.assumptions = (yaml.safe_load(ASSUMPTIONS.read_text(encoding="utf-8")).get(PAPERS[name]) if "scenes" in sources else None) or {}
        self.text = (DOCUMENTS / "papers" / f"{name}.md").read_text(encoding="utf-8")
        self.name, self.sources, self.out = name, sources, out
        self.tables = {its_set: read_sections(figures) for its_set, figures in sources.items()}
        headlines = {its_set: read_headlines(figures) for its_set, figures in sources.items()}
        self.workloads = {its_set: max((len(here) for _, here in values.values()), default=0)
                          for its_set, values in headlines.items()}
        titles = {claim: paper for values in headlines.values() for claim, (paper, _) in values.items()}
        self.has_variants = bool(varied)
        self.claims = [Claim(title, paper, {its_set: average(values[title][1]) for its_set, values in headlines.items()
                                            if title in values},
                             sensitivity.spread(varied[title][1]) if title in varied else None,
                             sensitivity.most(varied[title][1], positions) if title in varied else
                             "–" if varied else None,
                             {its: average(values[title][1]) if title in values else None
                              for its, values in self.assumed.items()}) for title, paper in titles.items()]

    def held(self, value_of):
        """Of how many claims there is a value, value_of(claim), and how many of these come out: (come out, all)."""
        ours = [(claim.paper, value) for claim in self.claims if (value := value_of(claim)) is not None]
        return sum(holds(*its) for its in ours), len(ours)

    def claims_table(self):
        """One line each, the paper's value next to ours."""
        sets = list(self.sources)
        header = ["claim", "paper", *sets, *(f"`{name}`" for name in self.assumed), *(["comes out"] if self.assumptions else []),
                  *(["scenes: from, to", "what moves it most"] if self.has_variants else [])]
        yield f"| {' | '.join(header)} |"
        yield ("| --- |" + " ---: |" * (1 + len(sets) + len(self.assumed)) + (" --- |" if self.assumptions else "")
               + (" ---: | --- |" if self.has_variants else ""))
        for claim in self.claims:
            cells = claim.cells(sets, self.assumptions)
            yield f"| {' | '.join([claim.title, claimed(claim.title, claim.paper), *cells])} |"

    def assumed_lines(self):
        """What each set of assumptions is, and how many claims come out with it."""
        for name in self.assumed:
            its = self.assumptions["sets"][name]
            held, of_all = self.held(lambda claim, name=name: claim.assumed[name])
            changes = ", ".join(f"`{change}`" for change in [*its.get("scenes", []), *its.get("settings", []),
                                                             *(f"{a}: {b}" for a, b in its.get("presets", {}).items()),
                                                             *(f"arrays: {arrays}" for arrays in [its.get("arrays")] if arrays)])
            yield f"With `{name}` {held} of {of_all}. {its['what'].strip()} ({changes})\n"

    def claims_plot(self):
        """The paper's values next to ours, with error bars; claims in per cent and others apart."""
        units = {}
        for claim in self.claims:
            units.setdefault(claim.title.rsplit(", ", 1)[-1], []).append(claim)
        for number, (unit, claims) in enumerate(units.items()):
            figure, axes = new_plot(f"Headline claims: {unit}", "", height=1.0 + 0.32 * len(claims))
            rows = range(len(claims))
            axes.barh(rows, [claim.paper for claim in claims], 0.7, color="#d0d0d0", label="paper")
            for its_set, style in MARKS.items():
                points = [(claim.ours[its_set], row) for row, claim in zip(rows, claims) if claim.ours.get(its_set) is not None]
                if points:
                    axes.plot(*zip(*points), linestyle="", label=its_set, **style)
            spreads = [(row, *claim.spread) for row, claim in zip(rows, claims) if claim.spread]
            if spreads:
                at, low, high = zip(*spreads)
                axes.hlines(at, low, high, color=MARKS["scenes"]["color"], linewidth=1.5, label="variants of scenes")
            axes.set_yticks(list(rows), [claim.title.rsplit(", ", 1)[0] for claim in claims])
            axes.invert_yaxis()
            axes.axvline(0, color="black", linewidth=0.6)
            axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
            name = pathlib.Path("plots") / "claims" / f"{self.name}-{number}"
            (self.out / name).parent.mkdir(parents=True, exist_ok=True)
            save(figure, self.out, str(name))
            yield f"![headline claims: {unit}]({name}.png)\n"

    def count(self, its_set):
        held, of_all = self.held(lambda claim: claim.ours.get(its_set))
        workloads = self.workloads[its_set]
        return f"{held} of {of_all} headline claims on {workloads} {its_set.removesuffix('s') if workloads == 1 else its_set}"

    def comes_out(self):
        """Claims; how many come out on scenes with the defaults, and with the set of assumptions with which most do."""
        defaults, _ = self.held(lambda claim: claim.ours.get("scenes"))
        sets = [self.held(lambda claim, name=name: claim.assumed[name])[0] for name in self.assumed]
        return len(self.claims), defaults, max([defaults, *sets])

    def plot(self, its_set, path):
        """A plot that the experiment has drawn: a copy of it in the page's directory."""
        drawn = self.sources[its_set] / pathlib.Path(path).name
        if not drawn.exists():
            raise FileNotFoundError(f"{drawn}: docs/papers/{self.name}.md names it, and it was not drawn")
        copy = pathlib.Path("plots") / its_set / self.name / drawn.name
        (self.out / copy).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(drawn, self.out / copy)
        return f"![{its_set}: {drawn.stem}]({copy})"

    def figure(self, figure, what, items, differences):
        """A figure or table of the paper: the plots and tables of each set."""
        plots = [match[1] for item in items if (match := re.fullmatch(r"`docs/experiments/[\w-]+/(.+\.png)`", item))]
        for its_set in self.sources:
            tables = [item for item in items if item in self.tables[its_set] and item != "headlines"]
            if not plots and not tables:
                continue
            yield f"\n### {figure.replace('–', 'Beside the paper')}: {what}, {its_set}\n"
            if differences:
                yield f"{differences}\n"
            for path in plots:
                yield f"{self.plot(its_set, path)}\n"
            for table in tables:
                yield f"<details markdown=\"1\"><summary>{table}</summary>\n\n{self.tables[its_set][table]}\n\n</details>\n"

    def lines(self):
        title = self.text.splitlines()[0].lstrip("# ").split(":")[0]
        yield f"\n## {title}\n"
        yield "; ".join(map(self.count, self.sources)) + ".\n"
        yield from self.assumed_lines()
        yield from self.claims_table()
        yield ""
        yield from self.claims_plot()
        for row in figures_of(self.text):
            yield from self.figure(*row)


def inlined(page, out):
    """Plots as part of the page."""
    def image(match):
        data = base64.b64encode((out / match[1]).read_bytes()).decode("ascii")
        return f'src="data:image/png;base64,{data}"'
    return re.sub(r'src="(plots/[^"]+)"', image, page)


def compose(pages, note=""):
    lines = ["# The papers' evaluations on tbrsim", "", *([note, ""] if note else []),
             "✓: sign as the paper's, and within a third of its size. Percentages are changes against the paper's baseline.",
             "From, to: the least and the largest average of the scenes, over variants of them that differ in what the paper",
             "leaves open; beside it the parameters that move a claim most, and by how much over their whole range",
             "(docs/workloads.md)."]
    for page in pages:
        lines += page.lines()
    return "\n".join(lines) + "\n"


def html(text, out):
    import markdown  # python3-markdown, which only this needs

    body = markdown.markdown(text, extensions=["tables", "md_in_html", "toc"])
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<link rel="icon" href="data:,">\n'
            f"<title>tbrsim: the papers</title>\n"
            f"<style>{STYLE}</style>\n</head>\n<body>\n{inlined(body, out)}\n</body>\n</html>\n")


def headlines(pages):
    """The claims of all papers as a document, docs/headlines.md."""
    yield from ("# Headline claims", "",
                "The papers' headline claims, and ours on the scenes, as `KEEP_TABLES=1 make reproduce` prints them (✓: the sign is"
                " right, and the value within a third). From, to: the smallest and largest average over all scenes, when what"
                " the papers leave open about their games is drawn at random from its ranges. What moves it most: how much larger"
                " the claim is at the end of a free parameter's range than at its beginning, by linear least squares over all"
                " variants, for parameters whose slope exceeds two standard errors. If there are too few variants for all"
                " parameters together, each is fitted by itself, and its slope must exceed three standard errors.", "",
                "Of {} claims {} come out with the presets and scenes as they are, and {} with one set of assumptions for each paper, the one"
                " with which most do.".format(*map(sum, zip(*(its.comes_out() for its in pages)))), "")
    for its in pages:
        yield from (f"## {its.text.splitlines()[0].lstrip('# ')}", "", *(its.count(its_set) + "." for its_set in its.sources),
                    *([] if its.has_variants else ["No variants were run."]), "", *its.assumed_lines(), *its.claims_table(), "")


def assumed_headlines(out, experiment):
    """{set of assumptions: headlines} of those that were run."""
    sets = yaml.safe_load(ASSUMPTIONS.read_text(encoding="utf-8")).get(experiment, {}).get("sets", {})
    found = {name: read_headlines(out / "assumed" / name / experiment / "headlines") for name in sets}
    return {name: its for name, its in found.items() if its}


def write(out, scenes, note="", keep=False):
    """The page of all results in a directory; scenes: descriptions, or None where there are no variants; note: what to say
    of them first; keep: writes the document of the claims."""
    pages = []
    for name, experiment in PAPERS.items():
        directories = {its_set: out / its_set / experiment / "figures" for its_set in MARKS}
        sources = {its_set: figures for its_set, figures in directories.items() if (figures / "tables.md").exists()}
        varied = read_headlines(out / "variants" / experiment / "headlines") if scenes else {}
        positions = sensitivity.Positions(scenes, out / "recordings" / "scenes")
        if sources:
            pages.append(Page(name, sources, varied, positions, out, assumed_headlines(out, experiment)))
    if keep:
        (DOCUMENTS / "headlines.md").write_text("\n".join(headlines(pages)), encoding="utf-8")
    text = compose(pages, note)
    (out / "index.md").write_text(text, encoding="utf-8")
    (out / "index.html").write_text(html(text, out), encoding="utf-8")


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    write(pathlib.Path(arguments[0]), pathlib.Path(arguments[1]) if len(arguments) == 2 else None)


if __name__ == "__main__":
    main(sys.argv[1:])
