# SPDX-License-Identifier: MIT
"""Studies with tbrsim as scripts: runs are started and awaited, results are data frames,
configurations and recordings are objects (docs/python.md).

The command does the work, and checks options and configurations; the package calls it and reads
what it writes. Counts are in the units that `counters()` names, sizes in bytes, energy in pJ.
pandas is needed where a data frame is made, numpy for Recording.next_uses; the rest is the standard
library.
"""
import pathlib

from . import files
from .command import call, executable, use
from .comparison import compare
from .configuration import Configuration, presets
from .errors import CommandFailed, Error
from .recording import Recording
from .results import Results, Simulations, load, to_parquet
from .runs import Pool, Progress, Run, replay, run, sim
from .tables import Analysis, advise, analyze, cache, counters, llc, select, sweep, table

__all__ = [
    "Analysis", "CommandFailed", "Configuration", "Error", "Pool", "Progress", "Recording",
    "Results", "Run", "Simulations", "advise", "analyze", "cache", "call", "compare", "counters",
    "executable", "files", "llc", "load", "presets", "replay", "run", "select", "sim",
    "sweep", "table", "to_parquet", "use",
]

__version__ = (pathlib.Path(__file__).parent / "VERSION").read_text(encoding="ascii").strip()
