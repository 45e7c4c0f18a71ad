# SPDX-License-Identifier: MIT
"""What `tbrsim doctor` asks Python: which of some modules are there. A line for each: its name and its version."""
import importlib
import sys

from .errors import Error

FETCHED = {"uplot": ".report.uplot", "duckdb": ".duckdb"}


def version(name):
    """That of a module, or of what `make deps` fetches; None where it is not there."""
    if name in FETCHED:
        library = importlib.import_module(FETCHED[name], __package__)
        try:
            return f"{library.VERSION}, {library.find()}"
        except Error:
            return None
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    return getattr(module, "__version__", "without a version")


def main():
    for name in sys.argv[1:]:
        found = version(name)
        if found:
            print(f"{name}: {found}")


if __name__ == "__main__":
    main()
