# SPDX-License-Identifier: MIT
"""Where the files are that `make deps` fetches: the package or the command reads them, and no package has them."""
import pathlib

from .command import executable
from .errors import Error


def places(name):
    """Where a file may be: next to the staged package, in the checkout, next to the command."""
    package = pathlib.Path(__file__).resolve().parents[2]
    yield package / name
    yield package / "subprojects" / "packagecache" / name
    try:
        yield pathlib.Path(executable()).resolve().parents[1] / "share" / "tbrsim" / name
    except Error:
        pass


def find(name):
    """The file; None where it is not there."""
    return next((path for path in places(name) if path.exists()), None)
