# SPDX-License-Identifier: MIT
"""What `tbrsim advise` says of a recording (docs/advice.md), for the page's list of findings."""
import json
import pathlib
import tempfile

from .. import files
from ..command import call
from ..configuration import Configuration
from ..errors import CommandFailed
from .reuse import OFF

WHOLE = 6  # frames: a run of no more is looked at as a whole, as the command does
MOST_FRAMES = 4  # of a longer one
MOST_FINDINGS = 12


def advice(results, typical, recording, first):
    """The command's answer of all frames, with their numbers as the results have them; of a longer run of those
    MOST_FRAMES successive ones that are nearest to the median, the first of which warms up, with "typical", the command that
    prints the same. {"problem": why} where there is none. Without a recording that of advice.json next to the statistics,
    or None. first: the frame of the recording that the results begin with."""
    if not recording:
        path = results.directory / "advice.json"
        return files.read_json(path) if path.exists() else None
    is_whole = results.num_frames <= WHOLE
    count = results.num_frames if is_whole else MOST_FRAMES
    begin = 0 if is_whole else typical.window(count)
    frames = ["--frames", f"{first + begin}-{first + begin + count - 1}"] + ([] if is_whole else ["--warm-up", "1"])
    with tempfile.TemporaryDirectory(prefix="tbrsim-") as scratch:
        config = pathlib.Path(scratch) / "configuration.yaml"
        configuration = Configuration(results.run["configuration"])
        configuration.update({key: value for key, value in OFF.items() if key != "timing"})
        configuration.save(config)
        try:
            answer = json.loads(call("advise", "--json", "--config", config, "--most",
                                     str(MOST_FINDINGS), *frames, "--", recording))
        except CommandFailed as error:
            return {"problem": str(error)}
    for finding in answer["findings"]:
        if not finding["settings"]:  # those are of no frame
            finding["frame"] -= first
    answer["frame_numbers"] = [number - first for number in answer["frame_numbers"]]
    answer["typical"] = None if is_whole else f"tbrsim advise {' '.join(frames)}"
    return answer
