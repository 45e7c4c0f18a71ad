# SPDX-License-Identifier: MIT
"""Which frames' attributions the page has room for."""


def take_frames(runs, max_size, fixed):
    """The attributions of the frames that fit in addition to what is there anyway (bytes), those nearest to the median
    first: the page's parts as text, and [{"frame", "alone", "all"}] of the frames that are left out: the page's size
    with this frame alone, and with all those before it, too."""
    order = runs[0].typical.nearest_first(runs[0].selected)
    if len(runs) > 1:
        order += [frame for frame in runs[1].selected if frame not in runs[0].selected]
    taken, left_out, size, together = [], [], fixed, fixed
    for frame in order:
        packed = [(run, run.pack(frame)) for run in runs if frame in run.selected]
        text = "".join(script(f"{run.which}-{frame}", part) for run, part in packed if part)
        together += len(text)
        if size + len(text) <= max_size:
            size += len(text)
            taken.append(text)
        else:
            left_out.append({"frame": frame, "alone": fixed + len(text), "all": together})
    return "".join(taken), sorted(left_out, key=lambda one: one["frame"])


def option_size(size, up=False):
    """A size as --max-size takes it; up: rounded up to megabytes, with what a change of the options may add."""
    if up:
        return f"{-(-size * 101 // (100 << 20))}M"
    return next((f"{size >> shift}{unit}" for shift, unit in ((20, "M"), (10, "K")) if not size & (1 << shift) - 1), str(size))


def _ranges(frames):
    """"0, 3-5"."""
    pieces = []
    for frame in frames:
        if pieces and pieces[-1][1] == frame - 1:
            pieces[-1][1] = frame
        else:
            pieces.append([frame, frame])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in pieces)


def what_is_left_out(left_out, max_size):
    """Which frames are left out, and what puts them into the page, as a sentence."""
    several = len(left_out) > 1
    options = [f"--frames {'A-B' if several else left_out[0]['frame']}"]
    if not several and left_out[0]["alone"] > max_size:
        options[0] += f" --max-size {option_size(left_out[0]['alone'], True)}"
    options.append(f"--max-size {option_size(max(one['all'] for one in left_out), True)}")
    return (f"{'Frames' if several else 'Frame'} {_ranges([one['frame'] for one in left_out])} "
            f"{'were' if several else 'was'} left out: {'their' if several else 'its'} data exceeds "
            f"--max-size {option_size(max_size)}. Try {' or '.join(options)}.")


def script(name, text):
    return f'<script type="text/plain" id="{name}">{text}</script>\n'
