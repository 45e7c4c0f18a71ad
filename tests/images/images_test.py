# SPDX-License-Identifier: MIT
"""Renders the scenes of render_scenes and compares.

invariance TILE_SIZE: on every surface, with the default preset and this tile size, tile orders, frame
traversals, modes, numbers of threads, Parameter Buffers and the model on and off give the same bits as the preset as it
stands: any three values of these (and of tile sizes) together somewhere, or with --all each combination.
limits WIDTHxHEIGHT: the same bits for both layouts of the Parameter Buffer, in both modes, where scenes
of this size draw tens of thousands of primitives with as many attributes as there can be.
likeness SURFACE: tbrsim's images are like llvmpipe's: at most TOLERANCE of a frame's pixels, or
at most as many as of softpipe's, are off by more than 2/255. Where those two are farther apart
than that, being like softpipe's will do."""

import itertools
import pathlib
import random
import sys
import tempfile

from PIL import Image, ImageChops

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

# Odd on purpose: no tile size divides it.
WIDTH, HEIGHT, FRAMES = 203, 117, 3
TOLERANCE = 0.01
PAIRS = (("tbrsim", "llvmpipe"), ("tbrsim", "softpipe"), ("softpipe", "llvmpipe"))
SURFACES = ("window", "pbuffer", "fbo", "surfaceless")


FACTORS = {
    "tile.size": ("8", "16", "32", "64"),
    "surface": SURFACES,
    "tile.order": ("scanline", "z-order", "hilbert"),
    "frame.traversal": ("forward", "boustrophedonic"),
    "mode": ("tbdr", "tbr"),
    "threads": ("1", "2", "4"),
    # Both layouts, and one so small that passes are drawn in parts.
    "parameter_buffer": ("layout=baseline", "layout=interleaved", "attribute_blocks=64"),
    "model": (True, False),
}


def threes(combination):
    """All that is in a combination of any three factors."""
    return set(itertools.combinations(enumerate(combination), 3))


def covering(combinations, numbers):
    """Some of the combinations, in which there is each three that is in all of them."""
    left = set().union(*map(threes, combinations))
    while left:
        # Of some that have one of them, that which has most others.
        wanted = min(left)
        having = [one for one in combinations if all(one[place] == value for place, value in wanted)]
        best = max(numbers.sample(having, min(20, len(having))), key=lambda one: len(threes(one) & left))
        left -= threes(best)
        yield best


def render(surface, driver="tbrsim", settings=(), model=True, directory=None, size=(WIDTH, HEIGHT, FRAMES)):
    """The lines the program prints, and with a directory its images there."""
    options = ["--driver", driver]
    for setting in settings:
        options += ["--set", setting]
    with tempfile.TemporaryDirectory() as out:
        options += ["--out", out] if model else ["--no-model"]
        result = tbrsim.run("run", *options, "--", tbrsim.arguments.program, surface, *size,
                            *([directory] if directory else []), check=True)
    return result.stdout.splitlines()


def invariance():
    combinations = list(itertools.product(*FACTORS.values()))
    if not tbrsim.arguments.all:
        combinations = list(covering(combinations, random.Random(1)))
    combinations = [one for one in combinations if one[0] == tbrsim.arguments.what]
    expected, failures = {}, 0
    for size, surface, *values, buffer, model in combinations:
        if surface not in expected:
            expected[surface] = render(surface)
        settings = [f"tile.size={size}", f"parameter_buffer.{buffer}", *map("=".join, zip(list(FACTORS)[2:], values))]
        found = render(surface, settings=settings, model=model)
        for want, have in zip(expected[surface], found, strict=True):
            if want != have:
                failures += 1
                print(f"{surface}, {' '.join(settings)}, model {'on' if model else 'off'}: {have}, expected {want}")
    print(f"{len(combinations)} runs, {failures} frames differ")
    return failures == 0 and len(combinations) > 0


def limits():
    size = (*tbrsim.arguments.what.split("x"), 1)
    expected = render("pbuffer", size=size)
    failures = runs = 0
    for layout, mode in itertools.product(("baseline", "interleaved"), ("tbdr", "tbr")):
        found = render("pbuffer", settings=(f"parameter_buffer.layout={layout}", f"mode={mode}"),
                       size=size)
        runs += 1
        for want, have in zip(expected, found, strict=True):
            if want != have:
                failures += 1
                print(f"{layout}, {mode}: {have}, expected {want}")
    print(f"{runs} runs, {failures} frames differ")
    return failures == 0 and runs > 0


def share_of_far_pixels(left, right):
    with Image.open(left) as a, Image.open(right) as b:
        difference = ImageChops.difference(a.convert("RGB"), b.convert("RGB"))
    far = [channel.point(lambda value: 255 if value > 2 else 0) for channel in difference.split()]
    union = ImageChops.lighter(ImageChops.lighter(far[0], far[1]), far[2])
    return union.histogram()[255] / (WIDTH * HEIGHT)


def likeness():
    passed = True
    drivers = {"tbrsim": tbrsim.arguments.driver, "llvmpipe": "llvmpipe", "softpipe": "softpipe"}
    with tempfile.TemporaryDirectory() as top:
        paths = {name: pathlib.Path(top, name) for name in drivers}
        for name, driver in drivers.items():
            paths[name].mkdir()
            render(tbrsim.arguments.what, driver, model=name == "tbrsim", directory=paths[name])
        images = sorted(path.name for path in paths["tbrsim"].iterdir())
        for image in images:
            llvmpipe, softpipe, reference = (share_of_far_pixels(paths[one] / image, paths[other] / image)
                                             for one, other in PAIRS)
            good = llvmpipe <= max(TOLERANCE, reference) or softpipe <= TOLERANCE
            passed &= good
            print(f"{image}: {llvmpipe:.3%} of the pixels off by more than 2/255 from llvmpipe's, {softpipe:.3%} "
                  f"from softpipe's (those from each other: {reference:.3%}){'' if good else ': too many'}")
    return passed and len(images) > 0


def main():
    parser = tbrsim.command_line(__doc__, "program", driver="tbrsim")
    parser.add_argument("test", choices=("invariance", "likeness", "limits"))
    parser.add_argument("--all", action="store_true", help="invariance: of all combinations")
    parser.add_argument("what", help="tile size, surface, or size")
    tbrsim.parse(parser)
    with tbrsim.display():
        return 0 if globals()[tbrsim.arguments.test]() else 1


if __name__ == "__main__":
    sys.exit(main())
