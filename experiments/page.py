#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One page of the papers' evaluations, figure by figure, from what their experiments have printed and drawn.

usage: page.py OUT SET:EXPERIMENT=FIGURES …

OUT is a directory, for index.md with its plots and index.html, which has them in it. SET is what the workloads are
(scenes, captures), EXPERIMENT a directory of experiments/, FIGURES where its figures.py has written its tables.md and
plots. Which of them belong to which figure of a paper is what docs/papers/ says.
"""
import base64
import pathlib
import re
import shutil
import sys

from tables import figures_of, read_tables

DOCUMENTS = pathlib.Path(__file__).resolve().parent.parent / "docs"
# The pages of docs/papers/ and the experiment that regenerates its figures.
PAPERS = {"tcor": "tcor", "boustrophedonic": "boustrophedonic", "dtm-nuca": "nuca", "gspc": "gspc", "banked": "banked"}
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
    sections = {name: text.strip() for name, text in zip(parts[1::2], parts[2::2])}
    if "headlines" not in sections:
        sys.exit(f"{figures}/tables.md has no headline claims: remove it and run its experiment again")
    return sections


def read_headlines(table):
    """{claim: (the paper's value, ours)}."""
    (_, _, rows), = read_tables(table)
    return {claim: (float(paper), float(here)) for claim, paper, here in rows}


def percent(value):
    return f"{value:+.1f}".replace("-", "−")


class Page:
    """A paper's part of the page; sources: {set: directory of figures}."""

    def __init__(self, name, sources, out):
        self.text = (DOCUMENTS / "papers" / f"{name}.md").read_text(encoding="utf-8")
        self.name, self.sources, self.out = name, sources, out
        self.tables = {its_set: read_sections(figures) for its_set, figures in sources.items()}
        self.headlines = {its_set: read_headlines(tables["headlines"]) for its_set, tables in self.tables.items()}

    def claims(self):
        """The headline claims: one line each, the paper's value beside ours."""
        claims = {claim: paper for values in self.headlines.values() for claim, (paper, _) in values.items()}
        yield f"| claim | paper | {' | '.join(self.sources)} |"
        yield "| --- | ---: |" + " ---: |" * len(self.sources)
        for claim, paper in claims.items():
            ours = [values.get(claim) for values in self.headlines.values()]
            cells = ["–" if its is None else percent(its[1]) + (" ✓" if holds(paper, its[1]) else "") for its in ours]
            yield f"| {claim} | {percent(paper)} | {' | '.join(cells)} |"

    def count(self, its_set):
        values = self.headlines[its_set].values()
        return f"{sum(holds(*value) for value in values)} of {len(values)} headline claims on {its_set}"

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
        yield from self.claims()
        for row in figures_of(self.text):
            yield from self.figure(*row)


def inlined(page, out):
    """Plots as part of the page."""
    def image(match):
        data = base64.b64encode((out / match[1]).read_bytes()).decode("ascii")
        return f'src="data:image/png;base64,{data}"'
    return re.sub(r'src="(plots/[^"]+)"', image, page)


def compose(pages):
    lines = ["# The papers' evaluations on tbrsim", "",
             "✓: sign as the paper's, and within a third of its size. Percentages are changes against the paper's baseline."]
    for page in pages:
        lines += page.lines()
    return "\n".join(lines) + "\n"


def html(text, out):
    import markdown  # python3-markdown, which only this needs

    body = markdown.markdown(text, extensions=["tables", "md_in_html", "toc"])
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>tbrsim: the papers</title>\n'
            f"<style>{STYLE}</style>\n</head>\n<body>\n{inlined(body, out)}\n</body>\n</html>\n")


def main(arguments):
    if len(arguments) < 2:
        sys.exit(__doc__)
    out = pathlib.Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    figures = {}
    for argument in arguments[1:]:
        its_set, experiment, directory = re.fullmatch(r"([\w-]+):([\w-]+)=(.+)", argument).groups()
        figures.setdefault(experiment, {})[its_set] = pathlib.Path(directory)
    text = compose(Page(name, figures[experiment], out) for name, experiment in PAPERS.items() if experiment in figures)
    (out / "index.md").write_text(text, encoding="utf-8")
    (out / "index.html").write_text(html(text, out), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
