# SPDX-License-Identifier: MIT
"""Each folder of src that has sources has a README.md: short, and what it names in backticks or links to exists."""

import pathlib
import re
import sys
import tempfile

MOST_LINES = 22
SOURCES = ("*.c", "*.h", "*.cpp", "*.py", "*.in")
# Folders below which a README may name files, from the nearest on.
ROOTS = (".", "src", "src/tools", "src/cachemodel", "src/gallium/drivers/tbrsim")


def problems(top, folder):
    readme = folder / "README.md"
    if not readme.exists():
        return [f"{folder.relative_to(top)} has no README.md"]
    text = readme.read_text(encoding="utf-8")
    found = [f"{readme.relative_to(top)} has more than {MOST_LINES} lines"] if text.count("\n") > MOST_LINES else []
    roots = [folder, folder.parent] + [top / root for root in ROOTS]
    for name in re.findall(r"`([\w*][\w./*-]*(?:\.(?:c|h|cpp|py|csv|in)|/))`", text):
        pattern = name.rstrip("/").replace("NAME", "*")
        if not any(any(root.glob(pattern)) for root in roots) and not any(folder.glob(f"*/**/{pattern}")):
            found.append(f"{readme.relative_to(top)} names {name}, which does not exist")
    for link in re.findall(r"\]\(([^)#]+)", text):
        if not (folder / link).exists():
            found.append(f"{readme.relative_to(top)} links to {link}, which does not exist")
    return found


def check(top):
    folders = [top / "src"] + sorted(path for path in (top / "src").rglob("*") if path.is_dir())
    return [problem for folder in folders if any(any(folder.glob(kind)) for kind in SOURCES) or (folder / "README.md").exists()
            for problem in problems(top, folder)]


def check_itself():
    with tempfile.TemporaryDirectory() as directory:
        top = pathlib.Path(directory)
        (top / "src/part").mkdir(parents=True)
        (top / "src/part/a.c").touch()
        assert check(top) == ["src/part has no README.md"]
        (top / "src/part/README.md").write_text("`a.c`, `b.c`, `part/`, `gone/`, [more](../../docs/no.md)\n", encoding="utf-8")
        assert check(top) == ["src/part/README.md names b.c, which does not exist",
                              "src/part/README.md names gone/, which does not exist",
                              "src/part/README.md links to ../../docs/no.md, which does not exist"]
        (top / "src/part/README.md").write_text("\n" * (MOST_LINES + 1), encoding="utf-8")
        assert check(top) == [f"src/part/README.md has more than {MOST_LINES} lines"]


def main():
    check_itself()
    top = pathlib.Path(__file__).resolve().parents[2]
    found = check(top)
    print("\n".join(found) or f"{len(list((top / 'src').rglob('README.md')))} folders have a README.md")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
