# SPDX-License-Identifier: MIT
"""Recordings: what they hold, and the accesses of their simulation as data frames."""
import json
import pathlib
import subprocess
import tempfile

from . import notebook, quantities
from .command import call, configuration_words, executable, option_words
from .configuration import Configuration
from .errors import CommandFailed, Error, need

CHUNK = 1 << 20  # lines


class Recording:
    """A recording (docs/recording-format.md): what `tbrsim info` says of it.

        recording = Recording("game.tbr")
        recording.frames["fragments"].mean()
        recording.accesses("l2", frames=3)
    """

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.info = json.loads(call("info", "--json", "--", self.path))

    @property
    def kind(self):
        """"hidden": of every mode; "plain": of the recorded one only."""
        return self.info["kind"]

    @property
    def is_whole(self):
        """Whether its program ended, and nothing is missing or damaged."""
        return self.info["end"] == "whole" and not self.info["damage"]

    @property
    def provenance(self):
        """Program, versions and the preset that it was recorded with."""
        return {key: value for key, value in self.info["provenance"].items()
                if key != "configuration"}

    @property
    def configuration(self):
        """What it was recorded with, a Configuration."""
        return Configuration(self.info["provenance"]["configuration"])

    @property
    def frames(self):
        """A row for each frame, by its number in the program: passes, draws, vertices, primitives,
        … fragments, footprints: how many there are of each (`tbrsim info` explains them)."""
        return need("pandas").DataFrame(self.info["frames"]).set_index("number") \
            .rename_axis(index="frame")

    @property
    def sections(self):
        """What takes the file's room: chunks, bytes (decoded), stored_bytes (in the file)."""
        return need("pandas").DataFrame.from_dict(self.info["sections"], orient="index") \
            .rename_axis(index="section")

    @property
    def size(self):
        """Bytes of the file."""
        return self.path.stat().st_size

    # ---- the access stream

    def _export(self, name, unit, frames, config, settings):
        return ["export", "--format", name, *configuration_words(config, settings),
                *option_words(unit=unit, frames=frames), "--", str(self.path)]

    def accesses(self, unit, frames=None, config=None, settings=None):
        """The accesses that arrive at a cache, or at "dram", in their order, one for each block
        (`tbrsim export --format streams`). Columns: frame (of the exported ones, from 0), kind (R
        read, W write, I invalidation of the blocks from address up to end), address and end in
        bytes (end 0 but for I), stream. They take some 30 bytes each: accesses_in_parts() where
        there are too many."""
        parts = list(self.accesses_in_parts(unit, frames, config, settings))
        pandas = need("pandas")
        if not parts:
            return pandas.DataFrame({"frame": [], "kind": [], "address": [], "end": [],
                                     "stream": []})
        joined = pandas.concat(parts, ignore_index=True)
        return joined.astype({"kind": "category", "stream": "category"})

    def accesses_in_parts(self, unit, frames=None, config=None, settings=None, lines=CHUNK):
        """The same, data frame by data frame, each of so many accesses at most."""
        pandas = need("pandas")
        yield from self._streamed(self._export("streams", unit, frames, config, settings),
                                  lambda stream: self._parse(pandas, stream, lines))

    @staticmethod
    def _streamed(words, parse):
        """What parse() makes of what the command prints, while it prints it."""
        command = [executable(), *words]
        with tempfile.TemporaryFile() as messages, \
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=messages) as process:
            finished = False
            try:
                yield from parse(process.stdout)
                finished = True
            finally:
                if not finished:
                    process.terminate()
            if process.wait():
                messages.seek(0)
                raise CommandFailed(command, process.returncode,
                                    messages.read().decode(errors="replace"))

    # ---- the events

    def events(self, table, frames=None):
        """The recording's own events, no simulation (`tbrsim export --format events`): a row for
        each of its "passes", "draws", "primitives", "tiles", "quads", "footprints" (texture
        reads), "buffers" or "images" (accesses to storage), "vertex_reads" and
        "vertex_storage" (texture reads and accesses to storage of vertex, tessellation and geometry
        shaders), "contents" (surfaces that tiles store) and "descriptors" (that shaders of Vulkan name). docs/python.md has the
        columns. A quad takes some 130 bytes: events_in_parts() where there are too many."""
        parts = list(self.events_in_parts(table, frames))
        joined = need("pandas").concat(parts, ignore_index=True)
        return joined.astype({"kind": "category"}) if "kind" in joined else joined

    def events_in_parts(self, table, frames=None, lines=CHUNK):
        """The same, data frame by data frame, each of so many rows at most."""
        pandas = need("pandas")
        # Empty where there is none, in some rows of some parts.
        types = {name: "Int64" for name in ("call", *(axis + str(texel) for texel in range(4)
                                                      for axis in ("x", "y", "offset")))}

        def parse(stream):
            if stream.peek(1):
                with pandas.read_csv(stream, dtype=types, chunksize=lines) as parts:
                    yield from parts

        yield from self._streamed(
            ["export", "--format", "events", *option_words(table=table, frames=frames), "--",
             str(self.path)], parse)

    @staticmethod
    def _parse(pandas, stream, lines):
        frame = 0
        if not stream.peek(1):
            return
        # Lines have one word ("F") to three.
        with pandas.read_csv(stream, sep=" ", names=["kind", "address", "stream"], dtype=str,
                             chunksize=lines, keep_default_na=False) as parts:
            for part in parts:
                ends = part["kind"] == "F"
                frames = (frame + ends.cumsum()).astype("int64")
                frame = int(frames.iloc[-1])
                part, frames = part[~ends], frames[~ends]
                if len(part):
                    yield Recording._addresses(pandas, part, frames)

    @staticmethod
    def _addresses(pandas, part, frames):
        is_range = part["kind"] == "I"
        ends = [int(text, 16) if invalid else 0
                for text, invalid in zip(part["stream"], is_range)]
        return pandas.DataFrame({
            "frame": frames, "kind": part["kind"],
            "address": [int(text, 16) for text in part["address"]], "end": ends,
            "stream": part["stream"].where(~is_range, "")}, index=part.index)

    def next_uses(self, unit, frames=None, config=None, settings=None):
        """The same accesses with when each block is accessed next (libCacheSim's oracleGeneral):
        address and bytes, and next, the number of the next access to the block, -1 for none; the
        index is the access' own number."""
        numpy, pandas = need("numpy"), need("pandas")
        record = numpy.dtype([("time", "<u4"), ("address", "<u8"), ("bytes", "<u4"),
                              ("next", "<i8")])
        with tempfile.NamedTemporaryFile(prefix="tbrsim-") as file:
            words = self._export("oraclegeneral", unit, frames, config, settings)
            call(*words[:-2], "--out", file.name, *words[-2:])
            if pathlib.Path(file.name).stat().st_size % record.itemsize:
                raise Error(f"{self.path}: tbrsim export wrote no whole records")
            records = numpy.fromfile(file.name, dtype=record)
        return pandas.DataFrame({name: records[name].astype("int64")
                                 for name in ("address", "bytes", "next")})

    def __repr__(self):
        end = "" if self.is_whole else f", {self.info['end']}"
        return f"<tbrsim.Recording {self.path}: {len(self.info['frames'])} frames{end}>"

    def _repr_html_(self):
        frames, count = self.frames, len(self.info["frames"])
        facts = [f"{count} frames", quantities.text(self.size, "bytes"), "" if self.is_whole else self.info["end"]]
        return notebook.page(self.path.name, facts, notebook.means(frames) if count else [])
