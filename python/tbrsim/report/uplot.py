# SPDX-License-Identifier: MIT
"""uPlot, which draws the charts: its release as npm has it, which `make deps` fetches, is read
without being unpacked."""
import dataclasses
import hashlib
import tarfile

from .. import fetched
from ..errors import Error

VERSION = "1.6.32"
SHA256 = "4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d"
NAME = f"uplot-{VERSION}.tgz"


@dataclasses.dataclass
class Library:
    """Texts of the release."""
    script: str
    style: str
    licence: str


def find():
    """The file of the release."""
    path = fetched.find(NAME)
    if not path:
        raise Error(f"{NAME}, which draws the charts, is missing: make deps && make")
    return path


def load():
    """The release's script, style sheet and licence."""
    path = find()
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise Error(f"{path}: it is not uPlot {VERSION} with SHA-256 {SHA256}: remove it, then "
                    "make deps && make")
    with tarfile.open(path) as archive:
        def read(name):
            return archive.extractfile(f"package/{name}").read().decode()
        return Library(read("dist/uPlot.iife.min.js"), read("dist/uPlot.min.css"),
                       f"uPlot {VERSION}\n\n{read('LICENSE')}")
