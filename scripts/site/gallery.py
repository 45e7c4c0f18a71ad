# SPDX-License-Identifier: MIT
"""The report pages of the gallery, and the pictures of their first screen that docs/gallery.md shows.

    gallery.py --tbrsim COMMAND --out FOLDER [--pictures docs/gallery] [NAME ...]

Pictures need Chromium and PIL (make deps-programs has them)."""

import argparse
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ("glmark2_desktop", "glmark2_shadow", "glmark2_ideas", "glmark2_buffer", "glmark2_function", "glmark2_texture")
SIZE = (1000, 640)


def take_picture(page, picture):
    from PIL import Image

    subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}",
                    "--virtual-time-budget=10000", f"--screenshot={picture}", page.resolve().as_uri()],
                   check=True, capture_output=True)
    with Image.open(picture) as image:
        few = image.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tbrsim", required=True, type=os.path.abspath)
    parser.add_argument("--out", required=True, type=pathlib.Path, help="for the pages")
    parser.add_argument("--pictures", type=pathlib.Path, help="for the pictures of them, too")
    parser.add_argument("names", nargs="*", default=CAPTURES, help="captures of apitrace-replays (default: six)")
    arguments = parser.parse_args()
    for folder in filter(None, (arguments.out, arguments.pictures)):
        folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.names:
        page = arguments.out / f"{name}.html"
        subprocess.run([arguments.tbrsim, "report", "--out", page.resolve(), f"apitrace-replays/{name}.trace"], check=True, cwd=TOP)
        if arguments.pictures:
            take_picture(page, arguments.pictures / f"{name}.png")


if __name__ == "__main__":
    main()
