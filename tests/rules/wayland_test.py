# SPDX-License-Identifier: MIT
"""A Wayland client: Weston's triangle on a headless Weston, as a screenshot shows it and the statistics count it.
Skipped where Weston is not installed."""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import statistics_files  # noqa: E402

PROGRAMS = ("weston", "weston-simple-egl", "weston-screenshooter")
SKIPPED = 77


def wait_for(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"wayland_test: {what}")
        time.sleep(0.05)


def has_triangle(directory, environment):
    """Whether a screenshot shows the triangle's three colours and what is between them."""
    subprocess.run(["weston-screenshooter"], cwd=directory, env=environment, check=True, timeout=20)
    path = next(pathlib.Path(directory).glob("wayland-screenshot-*.png"))
    pixels = set(Image.open(path).convert("RGB").getdata())
    path.unlink()
    strong = [any(pixel[c] > 160 and sum(pixel) - pixel[c] < 110 for pixel in pixels) for c in range(3)]
    return all(strong) and len(pixels) > 500


def check(tbrsim, directory):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("TBRSIM_") and name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment |= {"XDG_RUNTIME_DIR": directory, "WAYLAND_DISPLAY": "tbrsim-test"}
    server = subprocess.Popen(["weston", "--backend=headless-backend.so", "--use-pixman", "--shell=desktop-shell.so",
                               "--width=320", "--height=240", "--socket=tbrsim-test", "--idle-time=0", "--debug",
                               f"--log={directory}/weston.log"], env=environment, stderr=subprocess.DEVNULL)
    client = None
    try:
        wait_for(pathlib.Path(directory, "tbrsim-test").exists, "Weston does not start")
        client = subprocess.Popen([tbrsim, "run", "--out", f"{directory}/out", "--", "weston-simple-egl"],
                                  env=environment, stdout=subprocess.DEVNULL)
        wait_for(lambda: client.poll() is None and has_triangle(directory, environment), "there is no triangle")
        client.send_signal(signal.SIGTERM)
        client.wait(timeout=20)
    finally:
        for process in (client, server):
            if process and process.poll() is None:
                process.kill()
                process.wait()
    frames = statistics_files.load(f"{directory}/out")["frames"]
    if not frames or any(frame["gpu.draws"] != 1 or not frame["fragment_stage.fragments"] for frame in frames):
        sys.exit(f"wayland_test: of {len(frames)} frames not all have a draw")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    arguments = parser.parse_args()
    if not all(shutil.which(program) for program in PROGRAMS):
        return SKIPPED
    with tempfile.TemporaryDirectory() as directory:
        check(arguments.tbrsim, directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
