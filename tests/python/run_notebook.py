# SPDX-License-Identifier: MIT
"""Runs a notebook as Jupyter does, without Jupyter: cells in their order, in one namespace; what the last expression of a cell
shows is printed, as HTML where it has that. Cells whose tag is a module that is missing are left out."""

import ast
import importlib.util
import json
import pathlib
import sys


def show(value):
    """What a notebook has below a cell."""
    if value is None:
        return
    html = getattr(value, "_repr_html_", None)
    print(html() if html else repr(value))


def run_cell(source, name, namespace):
    """Runs a cell, named in tracebacks; a ; at its end shows nothing."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    if last:
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
        if not source.rstrip().endswith(";"):
            show(value)


def main():
    path = pathlib.Path(sys.argv[1])
    namespace = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] != "code":
            continue
        missing = [tag for tag in cell["metadata"].get("tags", []) if not importlib.util.find_spec(tag)]
        if missing:
            print(f"left out: {', '.join(missing)} is missing")
        else:
            run_cell("".join(cell["source"]), f"{path.name}, cell {number}", namespace)


if __name__ == "__main__":
    main()
