# SPDX-License-Identifier: MIT
"""A Wayland client: Weston's triangle on a headless Weston, as a screenshot shows it and the statistics count it.
Skipped where Weston is not installed."""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

PROGRAMS = ("weston", "weston-simple-egl", "weston-screenshooter")


def wait_for(condition, what, seconds=tbrsim.LONG_WAIT):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"wayland_test: {what}")
        time.sleep(0.05)


def has_triangle(directory, variables):
    """Whether a screenshot shows the triangle's three colours and what is between them."""
    tbrsim.execute("weston-screenshooter", cwd=directory, variables=variables, check=True)
    path = next(pathlib.Path(directory).glob("wayland-screenshot-*.png"))
    pixels = set(Image.open(path).convert("RGB").getdata())
    path.unlink()
    strong = [any(pixel[c] > 160 and sum(pixel) - pixel[c] < 110 for pixel in pixels) for c in range(3)]
    return all(strong) and len(pixels) > 500


def check(directory):
    variables = {"XDG_RUNTIME_DIR": directory, "WAYLAND_DISPLAY": "tbrsim-test"}
    server = subprocess.Popen(["weston", "--backend=headless-backend.so", "--use-pixman", "--shell=desktop-shell.so",
                               "--width=320", "--height=240", "--socket=tbrsim-test", "--idle-time=0", "--debug",
                               f"--log={directory}/weston.log"],
                              env=tbrsim.environment(**variables), stderr=subprocess.DEVNULL)
    client = None
    try:
        wait_for(pathlib.Path(directory, "tbrsim-test").exists, "Weston does not start")
        client = tbrsim.start("run", "--out", f"{directory}/out", "--", "weston-simple-egl", variables=variables,
                              stdout=subprocess.DEVNULL)
        wait_for(lambda: client.poll() is None and has_triangle(directory, variables), "there is no triangle")
        client.send_signal(signal.SIGTERM)
        client.wait(timeout=tbrsim.LONG_WAIT)
    finally:
        for process in (client, server):
            if process and process.poll() is None:
                process.kill()
                process.wait()
    frames = tbrsim.frames(f"{directory}/out")
    if not frames or any(frame["gpu.draws"] != 1 for frame in frames):
        sys.exit(f"wayland_test: of {len(frames)} frames not all have a draw")
    # The triangle turns with the time of day: seen edge-on it covers no pixel.
    covered = sum(frame["fragment_stage.fragments"] > 0 for frame in frames)
    if 2 * covered < len(frames):
        sys.exit(f"wayland_test: of {len(frames)} frames {covered} have fragments")


def main():
    tbrsim.parse(tbrsim.command_line(__doc__))
    tbrsim.need(*PROGRAMS)
    with tempfile.TemporaryDirectory() as directory:
        check(directory)


if __name__ == "__main__":
    main()
