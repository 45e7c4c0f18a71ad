# SPDX-License-Identifier: MIT
"""What benches over captures share: their command line, and a table with a row for each capture."""

import argparse
import os
import pathlib
import sys

from bench import SOURCE, capture


def measure_captures(description, results, measure, report):
    """The whole bench: measure(arguments, workload) gives a capture's row, report(arguments, rows) the text that goes to
    the file results."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath, help="the command")
    parser.add_argument("--traces", type=pathlib.Path, default=SOURCE / "apitrace-replays", metavar="DIR",
                        help="a directory of captures (default: the bundled ones)")
    parser.add_argument("--rounds", type=int, default=1, help="times each is measured (default 1)")
    parser.add_argument("--output", type=pathlib.Path, default=results, help="file for the table")
    arguments = parser.parse_args()
    if "DISPLAY" not in os.environ:
        os.execv(arguments.tbrsim, [arguments.tbrsim, "run", "--driver", "llvmpipe", "--no-model", "--",
                                    sys.executable] + sys.argv)
    for name in [name for name in os.environ if name.startswith("TBRSIM_")]:
        del os.environ[name]
    rows = {path.stem: measure(arguments, capture(path)) for path in sorted(arguments.traces.glob("*.trace"))}
    if not rows:
        sys.exit(f"{arguments.traces}: no captures")
    text = report(arguments, rows)
    arguments.output.write_text(text, encoding="utf-8")
    print(text)
