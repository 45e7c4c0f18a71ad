# SPDX-License-Identifier: MIT
"""The errors of the package, and modules that are not in the standard library."""
import importlib
import os
import sys


class Error(Exception):
    """What went wrong, with which file or command."""


class CommandFailed(Error):
    """A command ended with another status than 0. Its text is what the command said; `command` has
    its words, `status` its exit status (negative: the signal that killed it)."""

    def __init__(self, command, status, message):
        self.command, self.status = [str(word) for word in command], status
        reason = f"signal {-status}" if status < 0 else f"status {status}"
        super().__init__(message.strip() or f"{' '.join(self.command)}: {reason}")


def put(line):
    """Prints a line; an Error where standard output cannot be written to."""
    try:
        print(line, flush=True)
    except OSError as error:
        # Python tries to write the line again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise Error(f"standard output: cannot be written to: {error.strerror}") from None


def run_main(main):
    """Ends the process with what a command's `main` returns; what it raises becomes lines on standard error."""
    try:
        sys.exit(main())
    except Error as error:
        sys.exit("\n".join(line if line.startswith("tbrsim: ") else f"tbrsim: {line}"
                           for line in str(error).splitlines()))
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        sys.exit(f"tbrsim: {file}{error.strerror or error}")
    except KeyboardInterrupt:
        sys.exit(130)


PACKAGES = {"pandas": "python3-pandas", "numpy": "python3-numpy", "yaml": "python3-yaml",
            "matplotlib": "python3-matplotlib", "matplotlib.pyplot": "python3-matplotlib",
            "matplotlib.lines": "python3-matplotlib"}


def need(name):
    """A module that not everything needs; an Error that says how to get it where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        how = f"apt install {PACKAGES[name]}, or pip install {name}"
        if sys.prefix != "/usr":  # Debian's packages are those of its own Python
            how = f"{sys.executable} -m pip install {name}; or start /usr/bin/python3, and apt install {PACKAGES[name]}"
        raise Error(f"{name} is missing: {how}") from None
