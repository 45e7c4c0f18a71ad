# SPDX-License-Identifier: MIT
"""Two runs side by side, as `tbrsim report --compare` puts them (docs/report.md)."""
from .errors import Error, need
from .results import Results

COLUMNS = ["unit", "this run", "the other", "change", "in %", "deviation", "this run, total", "the other, total"]


def _loading(results):
    """Frames that look like loading."""
    from .report.typical import Typical  # the page's rule; whoever compares nothing needs no page
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


def compare(a, b):
    """The run b against the run a, as `tbrsim report --compare b a`: a data frame with a row for each counter that either
    counted, means per frame. Each run is Results, or the directory of some. Columns:

    - unit;
    - this run, the other: means per frame of a and of b, of the frames that both have. Frames that look like loading in a
      are left out (docs/advice.md);
    - change: what b has more; in %: of what a has;
    - deviation: the standard deviation over the frames of the change of each frame;
    - this run, total; the other, total: the sums over these frames.

    A counter that a run does not have is 0. fps is left out: gpu.cycles has it. `.attrs`: frames, left_out (lists of frames),
    settings ({key: (value of a, value of b)} where they differ).

        tbrsim.compare("before", "after").loc["dram.total.read_bytes", "in %"]
    """
    a, b = (one if isinstance(one, Results) else Results(one) for one in (a, b))
    chosen, left_out = _counted(a, b)
    mine, other = (one.frames.loc[chosen].drop(columns="fps", errors="ignore") for one in (a, b))
    names = [name for name in dict.fromkeys([*mine.columns, *other.columns])
             if any(name in frames and frames[name].any() for frames in (mine, other))]
    mine, other = (frames.reindex(columns=names, fill_value=0) for frames in (mine, other))
    units, before, change = b.units | a.units, mine.mean(), other.mean() - mine.mean()
    columns = [[units.get(name, "") for name in names], before, other.mean(), change, 100 * change / before.where(before != 0),
               (other - mine).std(), mine.sum(), other.sum()]
    pandas = need("pandas")
    table = pandas.DataFrame(dict(zip(COLUMNS, columns)), index=pandas.Index(names, name="counter"))
    keys = [key for key in a.settings | b.settings if key != "description" and a.settings.get(key) != b.settings.get(key)]
    table.attrs = {"frames": chosen, "left_out": left_out,
                   "settings": {key: (a.settings.get(key), b.settings.get(key)) for key in keys}}
    return table
