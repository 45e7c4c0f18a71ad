# SPDX-License-Identifier: MIT
"""Which frames of a run are like most of its others, and which are not: a frame that loads, above all."""
import math
import statistics

# What frames are compared by.
COUNTERS = ("gpu.passes", "gpu.draws", "vertex_stage.vertices", "fragment_stage.fragments",
            "dram.total.read_bytes", "dram.total.write_bytes")
# A frame with more than so many times the passes or draws of the median looks like loading: the rule of tbrsim advise and
# report --fail-above (src/tools/input/loading_frames.h), for the page, which has results of any origin.
FAR = 10
# With fewer frames there is no telling.
FEWEST = 3


def _plural(count, what):
    return f"{count:,} {what}{'' if count == 1 else 'es' if what.endswith('s') else 's'}"


class Typical:
    """The frames of a run, by how far they are from the median."""

    def __init__(self, columns, count):
        """columns: {counter: its values}; count: of frames."""
        self.count = count
        self.columns = {name: columns.get(name, [0] * count) for name in COUNTERS}
        # Frames in which nothing is rendered are not what anybody asks about.
        drawn = [frame for frame in range(count) if self.columns["gpu.passes"][frame]]
        self.medians = {name: statistics.median_low([values[frame] for frame in drawn or range(count)])
                        for name, values in self.columns.items()}
        self.distances = [self._distance(frame) for frame in range(count)]

    def _distance(self, frame):
        """From the median, in powers of two."""
        return sum(abs(math.log2((values[frame] + 1) / (self.medians[name] + 1)))
                   for name, values in self.columns.items())

    def nearest_first(self, frames=None):
        """The frames (default: all), those nearest to the median first."""
        return sorted(range(self.count) if frames is None else frames,
                      key=lambda frame: (self.distances[frame], frame))

    def window(self, count):
        """The first of so many successive frames that are nearest to the median."""
        sums = [sum(self.distances[first:first + count]) for first in range(self.count - count + 1)]
        return sums.index(min(sums))

    def _why(self, frame):
        """Why the frame looks like loading; None: it does not."""
        for name, what in (("gpu.passes", "pass"), ("gpu.draws", "draw")):
            value, median = self.columns[name][frame], self.medians[name]
            if value > FAR * median > 0:
                return f"frame {frame} has {_plural(value, what)}, where the median is {median:,}: it looks like loading"
        return None

    def outliers(self):
        """{frame: why it looks like loading}."""
        if sum(passes > 0 for passes in self.columns["gpu.passes"]) < FEWEST:
            return {}
        found = {frame: self._why(frame) for frame in range(self.count)}
        return {frame: why for frame, why in found.items() if why}
