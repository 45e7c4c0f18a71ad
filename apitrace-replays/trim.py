#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Cuts frames FIRST to LAST out of a capture: trim.py WHOLE.trace FIRST LAST TRIMMED.trace

The first of them begins with what later ones may need of earlier frames: uploads and state, but not what is drawn to
the window, or to framebuffer objects that the kept frames draw to as well.
"""
import pathlib
import re
import subprocess
import sys

SWAP = re.compile(r"glXSwapBuffers|eglSwapBuffers")
DRAW = re.compile(r"gl(Multi)?Draw(?!Buffer)|gl(Begin|End|Vertex\d[a-z]+|ArrayElement|Rect[a-z]+|CallLists?)\(|"
                  r"gl(Clear(Buffer[a-z]+)?|BlitFramebuffer(EXT)?|ReadPixels|Finish)\(")
BIND = re.compile(r"glBindFramebuffer[A-Z]*\(target = GL_(?:DRAW_)?FRAMEBUFFER\w*, framebuffer = (\d+)\)")
# Lists are compiled, and feedback buffers filled, by what looks like drawing.
OPENS = re.compile(r"gl(NewList|BeginTransformFeedback)")
CLOSES = re.compile(r"gl(EndList|EndTransformFeedback)")


class Call:
    """A call's number, and the framebuffer object that it draws to, or None."""

    def __init__(self, number, framebuffer, swaps):
        self.number, self.framebuffer, self.swaps = number, framebuffer, swaps


def frames(dump):
    """The calls of each whole frame, from the lines of apitrace dump."""
    bound, is_open, frame = {}, False, []
    for line in dump:
        match = re.match(r"(\d+) @(\d+) (.*)", line)
        if not match:
            continue
        thread, text = match[2], match[3]
        bind = BIND.match(text)
        if bind:
            bound[thread] = int(bind[1])
        is_open = not CLOSES.match(text) and (is_open or bool(OPENS.match(text)))
        draws = DRAW.match(text) and not is_open
        frame.append(Call(int(match[1]), bound.get(thread, 0) if draws else None, bool(SWAP.match(text))))
        if frame[-1].swaps:
            yield frame
            frame = []


def selected(all_frames, first, last):
    """Numbers of the calls that are kept."""
    kept = [call for frame in all_frames[first:last + 1] for call in frame]
    targets = {0} | {call.framebuffer for call in kept}
    targets.discard(None)
    setup = [call for frame in all_frames[:first] for call in frame
             if not call.swaps and call.framebuffer not in targets]
    return [call.number for call in setup + kept]


def ranges(numbers):
    """0, 1, 2, 5 as (0, 2), (5, 5)."""
    first = last = None
    for number in numbers:
        if first is not None and number != last + 1:
            yield first, last
            first = None
        first = number if first is None else first
        last = number
    if first is not None:
        yield first, last


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: trim.py WHOLE.trace FIRST LAST TRIMMED.trace")
    whole, first, last, output = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4])
    with subprocess.Popen(["apitrace", "dump", "--color=never", "--thread-ids", whole], stdout=subprocess.PIPE,
                          text=True, errors="replace") as dump:
        all_frames = list(frames(dump.stdout))
    if dump.returncode:
        sys.exit(f"trim.py: apitrace dump: exit status {dump.returncode}")
    if last >= len(all_frames):
        sys.exit(f"trim.py: {whole} has {len(all_frames)} frames")
    numbers = selected(all_frames, first, last)
    selection = output.with_suffix(".calls")
    selection.write_text("".join(f"{low}-{high}\n" for low, high in ranges(numbers)), encoding="ascii")
    subprocess.run(["apitrace", "trim", f"--calls=@{selection}", f"--output={output}", whole], check=True)


if __name__ == "__main__":
    main()
