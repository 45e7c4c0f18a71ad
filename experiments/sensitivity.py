# SPDX-License-Identifier: MIT
"""How much headline claims depend on what a paper leaves open of its benchmarks, from variants of scenes."""
import pathlib
import sys

import numpy
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "workloads"))
from variants import position_of  # noqa: E402

SHOWN = 3  # parameters of a claim
ERRORS = 2  # of standard errors, from which on a parameter is said to matter
FREEDOM = 8  # of a fit, at least: values that there are beyond its parameters


def split_name(name):
    """The scene and the number of a variant."""
    scene, number = name.split("~")
    return scene, int(number)


def spread(values):
    """(smallest, largest) average of the scenes: those of the first variants, of the second ones, ...; None of no values."""
    suites = {}
    for name, value in values.items():
        if value is not None:
            suites.setdefault(split_name(name)[1], []).append(value)
    averages = [sum(its) / len(its) for its in suites.values()]
    return (min(averages), max(averages)) if averages else None


class Positions:
    """Where in their ranges the free parameters of variants are. Directories: scenes, of descriptions; recordings, which
    has those of variants."""

    def __init__(self, scenes, recordings):
        self.scenes, self.recordings = scenes, recordings

    def of(self, names):
        """{variant: {free parameter: 0 to 1}}."""
        directory = self.recordings / f"{max(split_name(name)[1] for name in names)}-variants"
        found = {}
        for name in names:
            free = yaml.safe_load((self.scenes / f"{split_name(name)[0]}.yaml").read_text(encoding="utf-8"))["free"]
            values = yaml.safe_load((directory / f"{name}.yaml").read_text(encoding="utf-8"))
            found[name] = {parameter["key"]: position_of(parameter, values[parameter["key"]]) for parameter in free}
        return found


def centered(columns, scenes):
    """Without each scene's own average: what its variants differ in."""
    result = columns.astype(float)
    for scene in set(scenes):
        rows = [number for number, its in enumerate(scenes) if its == scene]
        result[rows] -= result[rows].mean(axis=0)
    return result


def one_by_one(at, ours, scenes):
    """Slopes and standard errors of least squares with one parameter each. Parameters are drawn independently of each other
    (workloads/variants.py), so that the others' influence is noise."""
    squares = (at ** 2).sum(axis=0)
    slopes = at.T @ ours / squares
    left = ((ours[:, None] - at * slopes) ** 2).sum(axis=0)
    return slopes, numpy.sqrt(left / (len(ours) - scenes - 1) / squares)


def influences(values, positions):
    """[(parameter, by how much the value is more at its range's end than at its beginning, standard error)], the largest
    first, by linear least squares over all variants; and whether of all parameters together, or, where there are too few
    variants, of each by itself. None where there are too few even for that."""
    its_positions = positions.of(values)
    names = [name for name, value in values.items() if value is not None]
    scenes = [split_name(name)[0] for name in names]
    parameters = sorted({key for name in names for key in its_positions[name]})
    at = centered(numpy.array([[its_positions[name].get(key, 0) for key in parameters] for name in names]), scenes)
    moving = at.std(axis=0) > 0
    parameters, at = [key for key, moves in zip(parameters, moving) if moves], at[:, moving]
    freedom = len(names) - len(set(scenes)) - len(parameters)
    if len(names) - len(set(scenes)) - 1 < FREEDOM:
        return None
    ours = centered(numpy.array([values[name] for name in names]), scenes)
    if freedom < FREEDOM:
        return sorted(zip(parameters, *one_by_one(at, ours, len(set(scenes)))), key=lambda its: -abs(its[1])), False
    slopes, *_ = numpy.linalg.lstsq(at, ours, rcond=None)
    variance = ((ours - at @ slopes) ** 2).sum() / freedom
    errors = numpy.sqrt(variance * numpy.diag(numpy.linalg.pinv(at.T @ at)))
    return sorted(zip(parameters, slopes, errors), key=lambda its: -abs(its[1])), True


def most(values, positions):
    """The parameters that move a claim most, as text."""
    found = influences(values, positions)
    if found is None:
        return "too few variants to tell"
    # Of many that are tried one by one, some are two errors off by chance.
    slopes, together = found
    errors = ERRORS if together else ERRORS + 1
    moving = [(key, slope) for key, slope, error in slopes if abs(slope) > errors * error and abs(slope) >= 0.05][:SHOWN]
    return ", ".join(f"{key} {slope:+.1f}".replace("-", "−") for key, slope in moving) or ("none" if together else "none for certain")
