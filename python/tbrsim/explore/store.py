# SPDX-License-Identifier: MIT
"""Where results are kept, and under which keys: what is in them depends on the key alone, so that nothing is simulated
twice. A key is made of the recording's content, the whole configuration, the frames and the command's own content (its
version). A directory or file gets its name when it is complete, never before."""
import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time

from ..command import executable, option_words
from ..configuration import Configuration
from ..errors import CommandFailed, Error

KEY_LENGTH = 32  # hexadecimal digits


def content(path):
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _key(parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:KEY_LENGTH]


def tree_of(configuration, settings):
    """The whole configuration, as the command says it; a CommandFailed where it refuses it."""
    tree = Configuration(configuration, dict(settings)).tree
    tree.pop("description", None)
    return tree


def _version():
    """That of the command: its content. The renderer is a separate library."""
    command = pathlib.Path(executable()).resolve()
    drivers = sorted(command.parents[1].glob("lib/**/libgallium-*.so"))
    return content(command), [content(driver) for driver in drivers]


class Store:
    """A directory of results."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory).absolute()
        self.results = self.directory / "results"
        self.recordings = self.directory / "recordings"
        # Of a cluster's jobs: a file for each that Snakemake knows to be done, and for each attempt that has failed.
        self.done, self.failed = self.directory / "done", self.directory / "failed"
        self.locks = self.directory / "locks"
        for folder in (self.results, self.recordings):
            folder.mkdir(parents=True, exist_ok=True)
        self._command, self._drivers = _version()
        self._contents, self._lock = {}, threading.Lock()

    # ---- keys

    def content_of(self, path):
        """SHA-256 of a file, which is read again only where it has changed."""
        status = os.stat(path)
        mark = f"{path}:{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"
        names = self.directory / "contents.json"
        if not self._contents and names.exists():
            try:
                self._contents = json.loads(names.read_text())
            except ValueError:
                self._contents = {}  # it was being written
        if mark not in self._contents:
            self._contents[mark] = content(path)
            self.write("contents.json", json.dumps(self._contents, indent=1) + "\n")
        return self._contents[mark]

    def recording_key(self, capture, tile_size, frames):
        """That of a capture's recording."""
        return _key(["recording", self.content_of(capture), self._command, self._drivers, tile_size, frames])

    def result_key(self, recording, tree, frames, warm_up):
        """That of a simulation; recording: its content, or its key where it is made of a capture."""
        return _key(["result", recording, tree, frames, warm_up, self._command])

    # ---- what is there

    def result(self, key):
        """The directory of a result."""
        return self.results / key

    def has(self, key):
        """Whether it is there, whole."""
        return (self.results / key / "stats.json").exists()

    def recording(self, key):
        """The file of a recording."""
        return self.recordings / f"{key}.tbr"

    def write(self, name, text):
        """Replaces a file of the directory by a whole one."""
        part = self.part(self.directory / name)
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(self.directory / name)
        finally:
            part.unlink(missing_ok=True)

    # ---- what is made

    @staticmethod
    def part(path):
        """What something is called until it is complete: it names who makes it."""
        return path.with_name(f"{path.name}.part-{socket.gethostname()}-{os.getpid()}-{threading.get_ident()}")

    def clean(self):
        """Removes what processes of this machine have left unfinished."""
        for folder in (self.directory, self.results, self.recordings):
            for path in folder.glob(f"*.part-{socket.gethostname()}-*"):
                process = int(path.name.rsplit("-", 2)[1])
                if process != os.getpid() and pathlib.Path(f"/proc/{process}").exists():
                    continue
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def record(self, job, started=lambda process: None):
        """Replays a capture into its recording."""
        path = self.recording(job["recording_key"])
        if path.exists():
            return
        part = self.part(path)
        results = self.part(self.results / job["recording_key"])
        settings = [] if job["tile_size"] is None else ["--set", f"tile.size={job['tile_size']}"]
        try:
            _run(["replay", "--no-model", *option_words(record=part, out=results, frames=job["frames"]), *settings,
                  "--", job["source"]], started)
            part.replace(path)
        finally:
            shutil.rmtree(results, ignore_errors=True)
            part.unlink(missing_ok=True)

    def simulate(self, job, started=lambda process: None):
        """Makes the result of a job, unless it is there."""
        key = job["key"]
        if self.has(key):
            return
        part = self.part(self.result(key))
        recording = job["source"]
        frames = job["frames"]
        if job["recording_key"]:
            recording, frames = self.recording(job["recording_key"]), None
        sets = [word for name, value in job["settings"] for word in ("--set", f"{name}={value}")]
        begin = time.time()
        try:
            _run(["sim", *option_words(out=part, jobs=1, frames=frames, warm_up=job["warm_up"]), "--config",
                  job["file"], *sets, "--", recording], started)
            about = {"name": job["name"], "source": job["source"], "seconds": round(time.time() - begin, 3)}
            (part / "job.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
            if not (part / "stats.json").exists():
                raise Error("no stats.json was written")
            try:
                part.rename(self.result(key))
            except OSError:
                if not self.has(key):  # another process has made it meanwhile
                    raise
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _run(words, started):
    command = [executable(), *map(str, words)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        started(process)
        errors = process.communicate()[1].decode(errors="replace")
    if process.returncode:
        raise CommandFailed(command, process.returncode, errors)
