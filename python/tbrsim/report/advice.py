# SPDX-License-Identifier: MIT
"""What `tbrsim advise` says of a recording (docs/advice.md), for the page's list of findings."""
import json
import pathlib
import tempfile

from .. import files
from ..command import call
from ..configuration import Configuration
from ..errors import CommandFailed
from ..recording import Recording
from .reuse import OFF

MOST_FRAMES = 4
MOST_FINDINGS = 12


def advice(results, recording, first=None):
    """The command's answer of the first MOST_FRAMES frames, or {"problem": why there is none}; without a recording that of
    advice.json beside the statistics, or None. first: the frame of the recording that the results begin with; None: its
    first one."""
    if not recording:
        path = results.directory / "advice.json"
        return files.read_json(path) if path.exists() else None
    try:
        if first is None:
            first = Recording(recording).info["frames"][0]["number"]
    except CommandFailed as error:
        return {"problem": str(error)}
    count = min(results.num_frames, MOST_FRAMES)
    with tempfile.TemporaryDirectory(prefix="tbrsim-") as scratch:
        config = pathlib.Path(scratch) / "configuration.yaml"
        configuration = Configuration(results.run["configuration"])
        configuration.update({key: value for key, value in OFF.items() if key != "timing"})
        configuration.save(config)
        try:
            return json.loads(call("advise", "--json", "--config", config, "--most",
                                   str(MOST_FINDINGS), "--warm-up", "1" if count > 1 else "0",
                                   "--frames", f"{first}-{first + count - 1}", "--", recording))
        except CommandFailed as error:
            return {"problem": str(error)}
