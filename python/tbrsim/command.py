# SPDX-License-Identifier: MIT
"""The tbrsim command: where it is, its options from keyword arguments, what it prints."""
import os
import pathlib
import shutil
import subprocess

from .errors import CommandFailed, Error

_chosen = None
_BUILT = pathlib.Path(__file__).resolve().parents[2] / "build" / "bin" / "tbrsim"


def use(path):
    """From now on the command is this file; None: it is looked for again."""
    global _chosen
    _chosen = None if path is None else os.path.abspath(path)


def executable():
    """Path of the command: that of use(), $TBRSIM, the one that `make` built in the checkout that
    the package is in, or the one in $PATH."""
    for path, origin in ((_chosen, "tbrsim.use"), (os.environ.get("TBRSIM"), "$TBRSIM")):
        if path:
            if not os.access(path, os.X_OK):
                raise Error(f"{path} (of {origin}): there is no such program")
            return str(path)
    found = str(_BUILT) if _BUILT.exists() else shutil.which("tbrsim")
    if not found:
        raise Error("the tbrsim command is not found: build it (make), or name it: "
                    "tbrsim.use(PATH), TBRSIM=PATH in the environment")
    return found


def call(*words, env=None):
    """Runs the command with these words to its end; what it prints. env: its environment
    (default: this process's)."""
    command = [executable(), *map(str, words)]
    result = subprocess.run(command, env=env, check=False, capture_output=True,
                            stdin=subprocess.DEVNULL)
    if result.returncode:
        raise CommandFailed(command, result.returncode, result.stderr.decode(errors="replace"))
    return result.stdout.decode(errors="replace")


# ---- options

def _text(value):
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(map(_text, value))
    return str(value)


def frame_range(frames):
    """What --frames takes: of 3, "3-9", "3-9,12", (3, 9) or range(3, 10)."""
    if isinstance(frames, range):
        if frames.step != 1 or not frames:
            raise Error(f"frames={frames}: expected one frame after another, one at least")
        frames = (frames[0], frames[-1])
    return "-".join(map(str, frames)) if isinstance(frames, (list, tuple)) else str(frames)


def option_words(**options):
    """Options of the command: warm_up=1 is --warm-up 1, a list has commas, True is an option
    without a value, None and False leave it out. The command checks names and values."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.rstrip("_").replace("_", "-"))
        if value is not True:
            words.append(frame_range(value) if name == "frames" else _text(value))
    return words


def configuration_words(config=None, settings=None, timing=None, vary=None):
    """The simulated GPUs: config is a name, a file, a Configuration, or a list of them; settings,
    {key: value}, and timing, True or False, are of all; vary is {key: list of values, or as --vary has them: "256K..4M"}."""
    words = [word for key, value in (settings or {}).items()
             for word in ("--set", f"{key}={_text(value)}")]
    if timing is not None:
        words += ["--timing", _text(timing)]
    if config is not None:
        for one in config if isinstance(config, (list, tuple)) else [config]:
            words += ["--config", one.word() if hasattr(one, "word") else str(one)]
    for key, values in (vary or {}).items():
        words += ["--vary", f"{key}={_text(values if isinstance(values, str) else list(values))}"]
    return words
