# SPDX-License-Identifier: MIT
"""What `tbrsim report` starts; it has checked the options."""
import argparse
import pathlib
import sys

from . import open_results, uplot, write
from .. import files
from ..errors import Error, need, put, run_main


def frame_range(text):
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def parse():
    parser = argparse.ArgumentParser(prog="python3 -m tbrsim.report", description=__doc__)
    parser.add_argument("--check", action="store_true",
                        help="only look for what the page needs")
    parser.add_argument("--compare", help="a directory of results")
    parser.add_argument("--compare-source", help="what was simulated for it")
    parser.add_argument("--compare-frames", help="those of it that were simulated")
    parser.add_argument("--frames", type=frame_range)
    parser.add_argument("--source", help="what was simulated for the page")
    parser.add_argument("--source-frames", help="those of it that were simulated")
    parser.add_argument("--reuse", action="store_true", help="reuse distances of the recording, too")
    parser.add_argument("--recording", help="the recording of what was simulated")
    parser.add_argument("--max-size", type=int, required=True, help="bytes")
    parser.add_argument("--out", required=True)
    parser.add_argument("directory")
    return parser.parse_args()


def simulated(source, frames):
    """What was simulated for the page, in words; None: nothing was."""
    if source and frames:
        return f"{source}, its frames {frames}, which are numbered from 0 here"
    return source


def note_simulations(directory):
    """Says of what the page is where a directory has the results of a run and of simulations."""
    directory = pathlib.Path(directory)
    if (directory / "stats.json").exists() and (directory / "index.json").exists():
        names = ", ".join(str(entry["directory"]) for entry in files.simulations(directory))
        print(f"tbrsim: {directory}: the page is of the run in stats.json, not of the simulations next to it: {names}",
              file=sys.stderr)


def main():
    arguments = parse()
    need("pandas")
    if arguments.check:
        uplot.load()
        if arguments.compare and not arguments.compare_source:
            open_results(arguments.compare)
        if not arguments.source:
            open_results(arguments.directory)
        folder = pathlib.Path(arguments.out).parent
        if not folder.is_dir():
            raise Error(f"{folder}: there is no such directory")
        return
    if not arguments.source:
        note_simulations(arguments.directory)
    if arguments.compare and not arguments.compare_source:
        note_simulations(arguments.compare)
    source = simulated(arguments.source, arguments.source_frames)
    compared = simulated(arguments.compare_source, arguments.compare_frames)
    first = frame_range(arguments.source_frames)[0] if arguments.source_frames else None
    size, notes = write(arguments.directory, arguments.out, compare=arguments.compare,
                        frames=arguments.frames, source=source, recording=arguments.recording,
                        first=first, compare_source=compared, max_size=arguments.max_size,
                        reuse_distances=arguments.reuse)
    for note in notes:
        print(f"tbrsim: {arguments.out}: {note[0].lower()}{note[1:-1]}", file=sys.stderr)
    put(f"report: {pathlib.Path(arguments.out)} ({size / 1024:.0f} KB)")


if __name__ == "__main__":
    run_main(main)
