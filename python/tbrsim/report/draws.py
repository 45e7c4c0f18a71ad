# SPDX-License-Identifier: MIT
"""What the draws of a recording use, by `tbrsim info --draws`: which textures, and shaders of how many instructions."""
import json
import subprocess

from ..command import executable

STAGES = ("vertex_shader", "fragment_shader")


def _lines(recording):
    """A dictionary for each draw, in the recording's order."""
    command = [executable(), "info", "--draws", "--", str(recording)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          stdin=subprocess.DEVNULL) as process:
        try:
            yield from map(json.loads, process.stdout)
        finally:
            process.kill()


class DrawUses:
    """Of the frames that a run has simulated."""

    def __init__(self, recording, first, frames):
        """first: the number in the recording of the run's frame 0; frames: of the run, that are looked at."""
        self.textures, self.shaders = {}, {}
        wanted = {first + frame for frame in frames}
        for draw in _lines(recording):
            if draw["frame"] > max(wanted, default=-1):
                break
            if draw["frame"] not in wanted:
                continue
            place = (draw["frame"] - first, draw["pass"], draw["draw"])
            self.textures[place] = sorted({one["id"] for one in draw["textures"] if one})
            for stage in STAGES:
                if draw[stage]:
                    self.shaders[draw[stage]["hash"]] = [draw[stage]["label"], draw[stage]["instructions"]]

    def column(self, table):
        """The textures of each row of draws.csv (as columns), None where it is of no draw, or of an earlier frame's."""
        return [self.textures.get((frame, number, draw)) if frame == pass_frame else None
                for frame, pass_frame, number, draw in
                zip(table["frame"], table["pass_frame"], table["pass"], table["draw"], strict=True)]
