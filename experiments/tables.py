# SPDX-License-Identifier: MIT
"""The tables of docs/experiments/NAME.md against those that the experiment printed: docs/experiments/NAME/tables.md of
captures, scenes.md of scenes, SET.md of scenes with a set of assumptions; and that implied_shares.py made of these, implied.md.

A document's table may have some of a printed table's columns, in its order, and some of its rows; each cell is as
printed.
"""
import pathlib
import re

DOCUMENTS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "experiments"
# The pages of docs/papers/ and the experiment that regenerates its figures.
PAPERS = {"tcor": "tcor", "boustrophedonic": "boustrophedonic", "dtm-nuca": "nuca", "gspc": "gspc", "banked": "banked",
          "dtexl": "dtexl", "rendering-elimination": "elimination"}
KEPT = {"captures": "tables.md", "scenes": "scenes.md"}
IMPLIED = "implied.md"


def cells(line):
    return [cell.strip().replace("−", "-") for cell in line.strip().strip("|").split("|")]


def read_tables(text):
    """(line, header, rows) of each table of a Markdown text."""
    lines, tables = text.splitlines(), []
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            continue
        if number and lines[number - 1].startswith("|"):
            if set(line) - set("|-: "):
                tables[-1][2].append(cells(line))
        else:
            tables.append((number + 1, cells(line), []))
    return tables


def columns(header, printed):
    """Where a document's columns are in a printed table; None where it lacks one."""
    at, found = -1, []
    for cell in header:
        if cell not in printed[at + 1:]:
            return None
        at = printed.index(cell, at + 1)
        found.append(at)
    return found


def problems(document, printed):
    """What a document's tables say that was not printed."""
    printed = read_tables(printed)
    for line, header, rows in read_tables(document):
        candidates = [(found, its_rows) for _, its_header, its_rows in printed
                      if (found := columns(header, its_header)) is not None]
        if not candidates:
            yield f"line {line}: no printed table has the columns {' | '.join(header)}"
            continue
        wrong = [[row for row in rows if row not in [[its[at] for at in found] for its in its_rows]]
                 for found, its_rows in candidates]
        for row in min(wrong, key=len):
            yield f"table of line {line}: not printed: {' | '.join(row)}"


def figures_of(page):
    """(the paper's figure, what it is, what regenerates it: items, differences) of the rows of a page of docs/papers/."""
    for _, _, rows in read_tables(page.split("\n## Figures and tables\n")[1]):
        for figure, what, results, differences in rows:
            items = [re.sub(r"^tables? ", "", item).split(": ")[-1] for item in re.split(r"[,;]\s*", results)]
            yield figure, what, items, differences


def kept_tables(name, documents=DOCUMENTS, without=None):
    """What experiments printed on all kinds of workloads, and what follows from it."""
    paths = sorted((documents / name).glob("*.md"))
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path != without)


def report(printed, name, workloads, keep, documents=DOCUMENTS):
    """How the document differs from what an experiment printed; with keep, that becomes what the test compares with."""
    file = KEPT.get(workloads, f"{workloads.removeprefix('assumed/')}.md")
    kept, text = documents / name / file, printed.read_text(encoding="utf-8")
    if not kept.exists() or kept.read_text(encoding="utf-8") != text:
        if keep:
            kept.write_text(text, encoding="utf-8")
        yield f"docs/experiments/{name}/{kept.name} differs from what was printed, and was " + (
            "rewritten: see git diff" if keep else "not changed; KEEP_TABLES=1 rewrites it")
    document = (documents / f"{name}.md").read_text(encoding="utf-8")
    for problem in problems(document, f"{text}\n{kept_tables(name, documents, kept)}"):
        yield f"docs/experiments/{name}.md, {problem}"
