#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variants of a scene: its description with other values of what the paper leaves open (`free`).

usage: variants.py SCENE DESCRIPTION COUNT OUT

SCENE is the program, whose arithmetic says whether a description contradicts itself. OUT, a directory, gets COUNT
descriptions, NAME~1.yaml and so on. They are a Latin hypercube: of each free parameter every variant has another one of
COUNT equal parts of the range, at random; ranges of 4 to 1 and more are divided into equal ratios. Where a variant
contradicts itself, it is drawn again, without the parts. The same description and COUNT give the same variants.
"""
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import yaml

ATTEMPTS = 100
WIDE = 4  # of ranges: the largest value over the smallest


def is_whole(parameter, description):
    return all(isinstance(value, int) for value in (description[parameter["key"]], *parameter["range"]))


def value_at(parameter, description, position):
    """The value at a position in its range, 0 to below 1."""
    key, choices = parameter["key"], parameter["range"]
    if isinstance(choices[0], str):
        return choices[int(position * len(choices))]
    low, high = choices
    if key.endswith("_size"):  # powers of two, as textures are in games
        low, high = (int(math.log2(end)) for end in choices)
        return 2 ** (low + int(position * (high - low + 1)))
    if is_whole(parameter, description):
        if low > 0 and high >= WIDE * low:
            return round(low * (high / low) ** position)
        return low + int(position * (high - low + 1))
    if low > 0 and high >= WIDE * low:
        return round(low * (high / low) ** position, 3)
    return round(low + position * (high - low), 3)


def position_of(parameter, value):
    """Where in its range a value is, 0 to 1: what value_at made it of, about."""
    choices = parameter["range"]
    if isinstance(choices[0], str):
        return choices.index(value) / (len(choices) - 1)
    low, high = choices
    if low > 0 and high >= WIDE * low:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def draw_variants(description, count, is_possible):
    """Descriptions; is_possible says of one whether it can be rendered."""
    numbers = random.Random(f"{description['name']} {description['seed']} {count}")
    parameters = description["free"]
    fixed = {key: value for key, value in description.items() if key not in ("free", "differs")}
    columns = [numbers.sample(range(count), count) for _ in parameters]
    for number in range(count):
        positions = [(column[number] + numbers.random()) / count for column in columns]
        for _ in range(ATTEMPTS):
            variant = fixed | {parameter["key"]: value_at(parameter, description, position)
                               for parameter, position in zip(parameters, positions)}
            if is_possible(variant):
                break
            positions = [numbers.random() for _ in parameters]
        else:
            sys.exit(f"variants.py: {description['name']}: {ATTEMPTS} draws of the free parameters contradict themselves")
        yield variant


def main(scene, path, count, out):
    description = yaml.safe_load(path.read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)

    def text(variant):
        return f"# Of {path.name}, drawn by variants.py.\n" + yaml.safe_dump(variant, sort_keys=False)

    def is_possible(variant):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as trial:
            trial.write(text(variant))
            trial.flush()
            return subprocess.run([scene, "--print", trial.name], capture_output=True, check=False).returncode == 0

    for number, variant in enumerate(draw_variants(description, count, is_possible), start=1):
        (out / f"{description['name']}~{number}.yaml").write_text(text(variant), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), pathlib.Path(sys.argv[4]))
