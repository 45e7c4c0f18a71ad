# SPDX-License-Identifier: MIT
"""Makes the site of the documents.

    build.py --tbrsim COMMAND --out FOLDER

leaves it in FOLDER/html: index.html can be opened from disk. Every warning is an error: of Doxygen, of Sphinx, of a link
without a page or an anchor, of a document that docs/README.md does not list."""

import argparse
import contextlib
import hashlib
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import links
import pages
import reference

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]


def run_doxygen(out):
    """The folder of its XML."""
    settings = (HERE / "Doxyfile").read_text(encoding="utf-8") + f"OUTPUT_DIRECTORY = {out}\n"
    out.mkdir(parents=True)
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=TOP)
    return out / "xml"


def add_pages(sections, made):
    """The pages that are in no list of docs/README.md: generated ones at the head of their section, tutorials."""
    sections["Reference"][:0] = [made.commands(), made.keys(), made.counters(), made.presets_page()]
    sections["Development"].append(made.interfaces())
    sections["Tutorials"] += pages.other_tutorials(TOP, sections["Tutorials"])
    if not sections["Tutorials"]:
        del sections["Tutorials"]


def add_reports(folder, source):
    """Each page of gallery.py, linked from the picture of its name."""
    page = source / "gallery.md"
    text = page.read_text(encoding="utf-8")
    for report in sorted(folder.glob("*.html")):
        text = re.sub(rf"^!\[.*\]\(gallery/{report.stem}\.png\)$", rf'<a href="gallery/{report.name}">\n\n\g<0>\n\n</a>', text,
                      flags=re.MULTILINE)
        (source / "_reports" / "gallery").mkdir(parents=True, exist_ok=True)
        shutil.copy(report, source / "_reports" / "gallery")
    page.write_text(text, encoding="utf-8")


def add_styles(folder):
    """Our style, and Furo's dark colours for a browser that is dark: Debian 12's has them only after a click on its button."""
    shutil.copytree(HERE / "static", folder)
    furo = pathlib.Path(importlib.util.find_spec("furo").origin).parent / "theme" / "furo" / "static" / "styles" / "furo.css"
    colours = re.search(r'body\[data-theme="?dark"?\] *(\{[^}]*\})', furo.read_text(encoding="utf-8"))[1]
    with (folder / "site.css").open("a", encoding="utf-8") as file:
        file.write("\n@media screen and (prefers-color-scheme: dark) {\n  body:not([data-theme=\"light\"]) " + colours + "\n}\n")


# Sphinx makes millions of objects that stay: to look for garbage as often as Python does takes a fourth of its time.
SPHINX = "import gc, sys; gc.set_threshold(100_000, 20, 20); from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"


def run_sphinx(source, html, variables):
    command = [sys.executable, "-c", SPHINX, "-q", "-W", "--keep-going", "-b", "html", "-d", html.parent / "doctrees",
               source, html]
    return subprocess.run(command, env={**os.environ, **variables}, check=False).returncode


def fingerprint(version, *folders):
    """Of all that Sphinx makes HTML of: the content of folders, this script, the versions of all that is at work."""
    packages = ("sphinx", "docutils", "myst-parser", "markdown-it-py", "furo", "breathe", "pygments")
    found = hashlib.sha256(repr([version, sys.version, *(importlib.metadata.version(name) for name in packages)]).encode())
    found.update(pathlib.Path(__file__).read_bytes())
    for folder in folders:
        # Doxygen's settings name its folder.
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "Doxyfile.xml"):
            content = path.read_bytes()
            found.update(f"{path.relative_to(folder)} {len(content)}\n".encode() + content)
    return found.hexdigest()


def make_html(source, html, xml, version, kept):
    """Whether Sphinx has failed. kept: a folder where pages of the same content may be from before, and are then afterwards."""
    there = kept and kept / fingerprint(version, source, xml)
    if there and there.exists():
        shutil.copytree(there, html)
        return False
    failed = run_sphinx(source, html, {"TBRSIM_VERSION": version, "TBRSIM_DOXYGEN_XML": str(xml)})
    let_names_break(html)
    if there and not failed:
        part = kept.with_name(f"{kept.name}-{os.getpid()}")
        with contextlib.suppress(OSError):  # where it cannot be kept it is made again
            shutil.copytree(html, part / there.name)
            shutil.rmtree(kept, ignore_errors=True)  # the last one is enough
            part.replace(kept)
        shutil.rmtree(part, ignore_errors=True)
    return failed


def let_names_break(html):
    """Lets long names in cells of tables break after their dots, slashes and so on, where they would widen a column."""
    for path in html.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        broken = re.sub(r"<td[^>]*>.*?</td>", lambda cell: re.sub(
            r'(?<=<span class="pre">)[^<]{12,}', lambda name: re.sub(r"([/_.,=])(?=[\w*{])", r"\1<wbr>", name[0]), cell[0]),
            text, flags=re.DOTALL)
        if broken != text:
            path.write_text(broken, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command, whose tables become pages")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder that keeps the last pages, for a next time with the same content")
    parser.add_argument("--gallery", type=pathlib.Path, help="of gallery.py: pages to which the pictures of docs/gallery.md link")
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    os.environ["TBRSIM_CONFIG_DIR"] = str(TOP / "configs")
    # All of it again: in a folder that it knows, Sphinx leaves some links of the API out.
    for folder in ("source", "html", "doctrees", "doxygen"):
        shutil.rmtree(out / folder, ignore_errors=True)
    xml = run_doxygen(out / "doxygen")
    sections = pages.read_contents(TOP)
    source = out / "source"
    add_pages(sections, reference.Reference(TOP, source, [arguments.tbrsim], xml))
    stage = pages.Stage(TOP, source, sections)
    stage.write_all()
    if arguments.gallery:
        add_reports(arguments.gallery, source)
    shutil.copy(HERE / "conf.py", source)
    add_styles(source / "_static")
    version = (TOP / "python" / "tbrsim" / "VERSION").read_text(encoding="utf-8").strip()
    failed = make_html(source, out / "html", xml, version, arguments.keep)
    problems = stage.problems + links.problems(out / "html")
    print("\n".join(problems), file=sys.stderr, end="\n" if problems else "")
    sys.exit(1 if failed or problems else 0)


if __name__ == "__main__":
    main()
