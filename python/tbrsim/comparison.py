# SPDX-License-Identifier: MIT
"""Two runs side by side, as `tbrsim report --compare` puts them (docs/report.md)."""
import warnings

from .configuration import Configuration
from .errors import Error, need
from .results import Results
from .tables import counters

COLUMNS = ["unit", "this run", "the other", "change", "in %", "deviation", "this run, total", "the other, total"]


def _loading(results):
    """Frames that look like loading."""
    from .report.typical import Typical  # the page's rule; without a comparison no page is needed
    columns = results.frames
    return Typical({name: columns[name].tolist() for name in columns}, results.num_frames).outliers()


def _counted(mine, other):
    """What both runs count per frame, and of the frames in common those that the means are of, and the others."""
    loading = _loading(mine)
    both = range(min(mine.num_frames, other.num_frames))
    frames = [frame for frame in both if frame not in loading]
    if not frames:
        raise Error(f"{mine.directory} and {other.directory} have no frame in common that does not look like loading")
    return frames, [frame for frame in both if frame in loading]


def without_timing(a, b):
    """What a comparison lacks where a run has no timing, as a sentence; None: both have it."""
    timed = ["gpu.cycles" in one.total for one in (a, b)]
    if all(timed):
        return None
    who = "neither run has" if not any(timed) else "the other run does not have" if timed[0] else "this run does not have"
    return f"Cycles and energy are not compared: {who} timing (--timing on)."


def _of_time(results):
    """The counters that a run has by its timing."""
    untimed = Configuration(results.run["configuration"])
    untimed["timing"] = False
    return set(results.total.index) - set(counters(config=untimed).index)


def compare(a, b):
    """The run b against the run a, as `tbrsim report --compare b a`: a data frame with a row for each counter that either
    counted, means per frame. Each run is Results, or the directory of some. Columns:

    - unit;
    - this run, the other: means per frame of a and of b, of the frames that both have. Frames that look like loading in a
      are left out (docs/advice.md);
    - change: what b has more; in %: of what a has;
    - deviation: the standard deviation over the frames of the change of each frame;
    - this run, total; the other, total: the sums over these frames.

    A counter that a run does not have is 0; where one run alone has timing, counters of time and energy are left out, with a
    warning. fps is left out: gpu.cycles has it. `.attrs`: frames, left_out (lists of frames), settings ({key: (value of a,
    value of b)} where they differ), without_timing (what is not compared, and why; None: nothing).

        tbrsim.compare("before", "after").loc["dram.total.read_bytes", "in %"]
    """
    a, b = (one if isinstance(one, Results) else Results(one) for one in (a, b))
    chosen, left_out = _counted(a, b)
    mine, other = (one.frames.loc[chosen].drop(columns="fps", errors="ignore") for one in (a, b))
    lacks, of_time = without_timing(a, b), set()
    timed = [one for one in (a, b) if "gpu.cycles" in one.total]
    if len(timed) == 1:
        warnings.warn(lacks, stacklevel=2)
        of_time = _of_time(timed[0])
    names = [name for name in dict.fromkeys([*mine.columns, *other.columns])
             if name not in of_time and any(name in frames and frames[name].any() for frames in (mine, other))]
    mine, other = (frames.reindex(columns=names, fill_value=0) for frames in (mine, other))
    units, before, change = b.units | a.units, mine.mean(), other.mean() - mine.mean()
    columns = [[units.get(name, "") for name in names], before, other.mean(), change, 100 * change / before.where(before != 0),
               (other - mine).std(), mine.sum(), other.sum()]
    pandas = need("pandas")
    table = pandas.DataFrame(dict(zip(COLUMNS, columns)), index=pandas.Index(names, name="counter"))
    keys = [key for key in a.settings | b.settings if key != "description" and a.settings.get(key) != b.settings.get(key)]
    table.attrs = {"frames": chosen, "left_out": left_out, "without_timing": lacks,
                   "settings": {key: (a.settings.get(key), b.settings.get(key)) for key in keys}}
    return table
