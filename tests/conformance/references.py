# SPDX-License-Identifier: MIT
"""Results of the reference drivers. They take long and change only with Mesa and piglit,
so they are kept in the user's cache, outside the checkout."""

import hashlib
import json
import os
import pathlib
import re
import subprocess

import piglit

DRIVERS = ("llvmpipe", "softpipe")


def mesa_identity(source, mesa):
    """What decides how the reference drivers of Mesa MESA behave: its source, our patch of it, its options, LLVM. The
    library's own build id would not do: it changes with every change of tbrsim, which is linked into it."""
    identity = hashlib.sha256()
    for path in (f"mesa-{mesa}.wrap", f"packagefiles/mesa-{mesa}.patch"):
        identity.update((source / "subprojects" / path).read_bytes())
    options = re.search(r"subproject\((.*?)\n  \)", (source / "meson.build").read_text(encoding="utf-8"), re.S)
    if not options:
        raise piglit.Failure("meson.build has no subproject Mesa")
    identity.update(options[1].encode())
    llvm = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libllvm19"], capture_output=True, text=True)
    identity.update(llvm.stdout.encode())
    return identity.hexdigest()[:16]


class Cache:
    """One reference driver's results, {test: Result}, for one Mesa, piglit and profile."""

    def __init__(self, source, mesa, profile, driver):
        base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        self.path = (base / "tbrsim" / "conformance" /
                     f"mesa-{mesa_identity(source, mesa)}_piglit-{piglit.installed()}_{profile}" / f"{driver}.json")
        self.results = {}
        if self.path.exists():
            with open(self.path, encoding="utf-8") as file:
                self.results = {test: piglit.Result(**entry) for test, entry in json.load(file).items()}

    def add(self, results):
        """Takes new results and writes all of them; a run that is interrupted loses no more than one chunk."""
        self.results.update(results)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        entries = {test: {"status": result.status, "subtests": result.subtests, "seconds": round(result.seconds, 2)}
                   for test, result in sorted(self.results.items())}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(entries, indent=0), encoding="utf-8")
        part.replace(self.path)
