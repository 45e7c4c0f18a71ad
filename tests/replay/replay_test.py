# SPDX-License-Identifier: MIT
"""Replays the bundled captures and compares them with apitrace-replays/manifest.yml:
the SHA-256 of each frame's pixels, the totals of the counters, and what must hold
between counters. --update writes the manifest instead."""

import hashlib
import pathlib
import sys
import tempfile

import yaml
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402
from support.conservation import consistency_errors  # noqa: E402

MANIFEST = tbrsim.CAPTURES / "manifest.yml"
# Where the manifest is made: most machines have this level, and a machine with a
# higher one can render at it.
LEVEL = "x86-64-v3"
VULKAN_REPLAYER = ("gfxrecon-replay", "gfxrecon-info")


def replay(trace, level, directory):
    """The pixels' checksums, frame by frame, and the parsed statistics."""
    tbrsim.run("replay", "--out", directory, "--snapshots", f"{directory}/frames", tbrsim.CAPTURES / trace, check=True,
               variables={"TBRSIM_ISA": level})
    checksums = []
    for path in sorted(pathlib.Path(directory, "frames").glob("*.png")):
        with Image.open(path) as image:
            size = f"{image.width}x{image.height}\n".encode()
            checksums.append(hashlib.sha256(size + image.convert("RGB").tobytes()).hexdigest())
    return checksums, tbrsim.statistics_files.load(directory), tbrsim.statistics_files.load_csv(directory)


def expectation(checksums, statistics):
    """A manifest's entry: the counters of single instances and the zeros are left out."""
    counters = {name: value for name, value in statistics["total"].items()
                if value and not any(part.isdigit() for part in name.split("."))}
    return {"frames": checksums, "counters": counters}


def compare(expected, found):
    errors = []
    if len(expected["frames"]) != len(found["frames"]):
        errors.append(f"{len(found['frames'])} frames, expected {len(expected['frames'])}")
    for number, (want, have) in enumerate(zip(expected["frames"], found["frames"])):
        if want != have:
            errors.append(f"frame {number}: other pixels")
    for name in sorted(expected["counters"].keys() | found["counters"].keys()):
        want, have = expected["counters"].get(name, 0), found["counters"].get(name, 0)
        if want != have:
            errors.append(f"{name}: {have}, expected {want}")
    return errors


def supports(level):
    """Whether this processor has a vector feature level, by the flags that tell levels apart."""
    needed = {"x86-64": set(), "x86-64-v3": {"avx2", "bmi2", "fma", "movbe"},
              "x86-64-v4": {"avx512f", "avx512bw", "avx512vl"}}
    flags = set()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("flags"):
                flags = set(line.split())
                break
    return level in needed and needed[level] <= flags


def update():
    config = tbrsim.keys("tcor-baseline-64k")
    traces = {}
    tbrsim.need(*VULKAN_REPLAYER)
    for path in sorted([*tbrsim.CAPTURES.glob("*.trace"), *tbrsim.CAPTURES.glob("*.gfxr")]):
        with tempfile.TemporaryDirectory() as directory:
            checksums, statistics, rows = replay(path.name, LEVEL, directory)
        errors = consistency_errors(statistics, rows, config)
        if errors:
            sys.exit("\n".join(f"{path.name}: {error}" for error in errors))
        traces[path.name] = expectation(checksums, statistics)
        print(f"{path.name}: {len(checksums)} frames")
    with open(MANIFEST, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: MIT\n"
                   "# The bundled captures as tbrsim renders them with its default preset: SHA-256 of each\n"
                   "# frame (\"WIDTHxHEIGHT\\n\" and the RGB bytes) and the totals of the counters that are\n"
                   "# not zero. `make update-replays` writes this file; see README.md.\n")
        yaml.safe_dump({"vector_feature_level": LEVEL, "traces": traces}, file)


def test(trace):
    with open(MANIFEST, encoding="utf-8") as file:
        manifest = yaml.safe_load(file)
    if trace.endswith(".gfxr"):
        tbrsim.need(*VULKAN_REPLAYER)
    level = manifest["vector_feature_level"]
    if not supports(level):
        print(f"this processor has not {level}, for which the manifest is")
        return tbrsim.SKIPPED
    with tempfile.TemporaryDirectory() as directory:
        checksums, statistics, rows = replay(trace, level, directory)
    errors = consistency_errors(statistics, rows, tbrsim.keys("tcor-baseline-64k"))
    errors += compare(manifest["traces"][trace], expectation(checksums, statistics))
    for error in errors:
        print(f"{trace}: {error}")
    return 1 if errors else 0


def main():
    parser = tbrsim.command_line(__doc__)
    parser.add_argument("--update", action="store_true", help="write the manifest")
    parser.add_argument("trace", nargs="?", help="file name in apitrace-replays/")
    tbrsim.parse(parser)
    return update() if tbrsim.arguments.update else test(tbrsim.arguments.trace)


if __name__ == "__main__":
    sys.exit(main())
