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

MOST_FRAMES = 4
MOST_FINDINGS = 12


def advice(results, typical, recording, first):
    """The command's answer of the MOST_FRAMES successive frames that are nearest to the median, with their numbers as
    the results have them, or {"problem": why there is none}; without a recording that of advice.json beside the
    statistics, or None. first: the frame of the recording that the results begin with."""
    if not recording:
        path = results.directory / "advice.json"
        return files.read_json(path) if path.exists() else None
    count = min(results.num_frames, MOST_FRAMES)
    begin = typical.window(count)
    with tempfile.TemporaryDirectory(prefix="tbrsim-") as scratch:
        config = pathlib.Path(scratch) / "configuration.yaml"
        configuration = Configuration(results.run["configuration"])
        configuration.update({key: value for key, value in OFF.items() if key != "timing"})
        configuration.save(config)
        try:
            answer = json.loads(call("advise", "--json", "--config", config, "--most",
                                     str(MOST_FINDINGS), "--warm-up", "1" if count > 1 else "0", "--frames",
                                     f"{first + begin}-{first + begin + count - 1}", "--", recording))
        except CommandFailed as error:
            return {"problem": str(error)}
    for finding in answer["findings"]:
        if not finding["settings"]:  # those are of no frame
            finding["frame"] -= first
    return answer
