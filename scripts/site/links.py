# SPDX-License-Identifier: MIT
"""Checks a folder of HTML pages: every link between them has a page, and an anchor where it names one; whatever a
page needs to be shown (scripts, styles, pictures) is in the folder.

    links.py FOLDER"""

import html.parser
import pathlib
import sys
import urllib.parse

EXTERNAL = ("http", "https", "mailto")
NEEDED = {"script": "src", "link": "href", "img": "src", "source": "src", "iframe": "src"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.needed = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        # Of <link>, "search" and "canonical" are for programs.
        if values.get(NEEDED.get(tag)) and values.get("rel") not in ("search", "canonical"):
            self.needed.append(values[NEEDED[tag]])


def target_of(page, link):
    """The file and the anchor of a link from a page."""
    parts = urllib.parse.urlsplit(link)
    path = urllib.parse.unquote(parts.path)
    return (page.parent / path).resolve() if path else page, urllib.parse.unquote(parts.fragment)


def problems_of(page, parsed, pages):
    for link in parsed.needed:
        scheme = urllib.parse.urlsplit(link).scheme
        if scheme in EXTERNAL or link.startswith("//"):
            yield f"needs {link} from the network"
        elif scheme != "data" and not target_of(page, link)[0].is_file():
            yield f"needs {link}, which is not there"
    for link in parsed.links:
        if urllib.parse.urlsplit(link).scheme in EXTERNAL:
            continue
        target, anchor = target_of(page, link)
        if not target.is_file():
            yield f"links to {link}, which is not there"
        elif anchor and target in pages and anchor not in pages[target].anchors:
            yield f"links to {link}, which has no such anchor"


def problems(folder):
    folder = pathlib.Path(folder).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = [f"{page.relative_to(folder)} {problem}" for page, parsed in pages.items()
             for problem in problems_of(page, parsed, pages)]
    return found or ([] if pages else [f"{folder} has no pages"])


if __name__ == "__main__":
    sys.exit("\n".join(problems(sys.argv[1])) or 0)
