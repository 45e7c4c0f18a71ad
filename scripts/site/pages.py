# SPDX-License-Identifier: MIT
"""The pages of the site from the documents of the repository: docs/README.md's lists are its table of contents."""

import os
import pathlib
import re
import shutil

# A link of Markdown: what is before its target, the target, its anchor.
LINK = re.compile(r"(\]\()([^)#\s]*)(#[^)\s]*)?(?=\))")
ENTRY = re.compile(r"^( *)- \[([^]]+)\]\(([^)#\s]+)(?:#([^)\s]+))?\)")
FRONT = "README.md"  # the first page of the site
CONTENTS = "docs/README.md"


class Entry:
    """A page in the table of contents, and those below it. part: the anchor of the section that is this page."""

    def __init__(self, title, source, part=None):
        self.title, self.source, self.part, self.children = title, source, part, []


def join(folder, path):
    return os.path.normpath(os.path.join(folder, path))


def read_contents(top):
    """{caption: [entries]} of docs/README.md: sections with lists of links; what is indented is below what it follows."""
    sections, above = {}, []
    for line in (top / CONTENTS).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            sections[line[3:]] = above = []
        elif match := ENTRY.match(line):
            entry = Entry(match[2], join("docs", match[3]), match[4])
            (above[-1].children if match[1] else above).append(entry)
    return sections


def all_of(entries):
    for entry in entries:
        yield entry
        yield from all_of(entry.children)


def name_of(source, part=None):
    """Where a file of the repository is on the site: documents are at its top, all else where it is."""
    if part:
        return f"{part}.md"
    if source in (FRONT, CONTENTS):
        return "index.md"
    return source.removeprefix("docs/")


def cut_section(text, anchor):
    """A document without the section of this anchor, and that section."""
    for match in re.finditer(r"^## (.*)\n(?:(?!## ).*\n?)*", text, flags=re.MULTILINE):
        if re.sub(r"[^\w -]", "", match[1].lower()).replace(" ", "-") == anchor:
            return text[:match.start()] + text[match.end():], match[0].replace("## ", "# ", 1)
    raise ValueError(f"no section #{anchor}")


def toctree(entries, caption=None):
    if not entries:
        return ""
    lines = [f"{entry.title} <{'/' + name_of(entry.source, entry.part).removesuffix('.md')}>" for entry in entries]
    return "\n".join(["", "```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *lines, "```", ""])


class Stage:
    """A folder with the pages as Sphinx takes them: links between them as they are on the site, pictures next to them."""

    def __init__(self, top, folder, sections):
        self.top, self.folder, self.sections = top, folder, sections
        self.entries = [entry for entries in sections.values() for entry in all_of(entries)]
        self.parts = {(entry.source, entry.part) for entry in self.entries if entry.part}
        self.listed = {entry.source for entry in self.entries}
        self.problems = []

    def copy(self, target, there, source):
        if not (self.top / target).is_file():
            self.problems.append(f"{source} links to {target}, which is not there")
            return
        (self.folder / there).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.top / target, self.folder / there)

    def link(self, source, here, path, anchor):
        """A link in a page made of the file `source`, which is at `here` on the site."""
        target = join(os.path.dirname(source), path) if path else source
        part = anchor[1:] if (target, (anchor or "#")[1:]) in self.parts else None
        there = name_of(target, part)
        if there != "index.md" and target not in self.listed:
            there = re.sub(r"\.md$", ".txt", there)  # no page: the file, to be had as it is
            self.copy(target, there, source)
        return (os.path.relpath(there, os.path.dirname(here)) if there != here or not anchor else "") + ("" if part else anchor or "")

    def write(self, text, source, here, children=()):
        text = LINK.sub(lambda match: match[0] if ":" in match[2] else
                        match[1] + self.link(source, here, match[2], match[3]), text)
        path = self.folder / here
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + toctree(children), encoding="utf-8")

    def write_all(self):
        front = (self.top / FRONT).read_text(encoding="utf-8")
        for entry in self.entries:
            path = self.top / entry.source
            if entry.part:
                front, text = cut_section(front, entry.part)
            elif (made := self.folder / name_of(entry.source)).exists():  # by reference.py
                made.write_text(made.read_text(encoding="utf-8") + toctree(entry.children), encoding="utf-8")
                continue
            elif path.is_file():
                text = path.read_text(encoding="utf-8")
            else:
                self.problems.append(f"{CONTENTS} lists {entry.source}, which is not there")
                continue
            self.write(text, entry.source, name_of(entry.source, entry.part), entry.children)
        front += "".join(toctree(entries, caption) for caption, entries in self.sections.items())
        self.write(front, FRONT, "index.md")
        # Tables that a test compares with those of the documents are in folders of their own.
        documents = [path for folder in ("docs", "docs/papers", "docs/experiments") for path in (self.top / folder).glob("*.md")]
        self.problems += [f"{CONTENTS} does not list {source}" for source in sorted(str(path.relative_to(self.top)) for path in documents)
                          if source not in self.listed and source != CONTENTS]


def title_of(path):
    return re.search(r"^# (.*)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1].replace("`", "")


def other_tutorials(top, listed):
    """An entry for each file of docs/tutorials that is not listed, in the order of their names."""
    sources = {entry.source for entry in listed}
    found = [Entry(title_of(path), str(path.relative_to(top))) for path in sorted(pathlib.Path(top, "docs/tutorials").glob("*.md"))]
    return [entry for entry in found if entry.source not in sources]
