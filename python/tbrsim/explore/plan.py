# SPDX-License-Identifier: MIT
"""The file that describes an exploration: read, checked, and as the points that it consists of."""
import dataclasses
import difflib
import itertools
import pathlib

from ..command import _text, call, frame_range
from ..errors import CommandFailed, Error, need

MOST = 1_000_000  # combinations, before conditions

KEYS = {"recordings", "captures", "configurations", "settings", "frames", "warm_up", "pareto"}
CONDITIONS = ("only", "except")


@dataclasses.dataclass(frozen=True)
class Point:
    """One simulation: a recording, or a capture that is recorded first, and a GPU."""
    source: pathlib.Path
    configuration: str  # as the plan has it
    settings: tuple  # of (key, value as text), in the plan's order

    @property
    def name(self):
        """For people."""
        changes = "".join(f",{key}={value}" for key, value in self.settings)
        return f"{self.source.name}, {self.configuration}{changes}"


@dataclasses.dataclass
class Plan:
    """A plan as its file says it."""
    path: pathlib.Path
    sources: list  # paths
    captures: bool  # sources are captures, not recordings
    configurations: list
    grids: list  # of {key: list of values as text}, with conditions
    frames: str | None
    warm_up: int | None
    pareto: list  # of pairs of counters

    def file(self, configuration):
        """What --config takes: files are where the plan is."""
        if configuration.endswith(".yaml"):
            return str(self.path.parent / configuration)
        return configuration

    @property
    def columns(self):
        """Keys of settings, in the order in which they come."""
        return list(dict.fromkeys(key for grid in self.grids for key in grid if key not in CONDITIONS))

    def points(self):
        """All points once, in order."""
        found = {}
        for source, configuration, grid in itertools.product(self.sources, self.configurations, self.grids):
            axes = {key: values for key, values in grid.items() if key not in CONDITIONS}
            for values in itertools.product(*axes.values()):
                settings = dict(zip(axes, values))
                there = settings | {"configuration": configuration, "source": source.name}
                if _wanted(grid, there):
                    found[Point(source, configuration, tuple(settings.items()))] = True
        return list(found)


def _wanted(grid, there):
    def matches(condition):
        return all(there.get(key) in values for key, values in condition.items())
    only = grid.get("only")
    return (not only or any(map(matches, only))) and not any(map(matches, grid.get("except", ())))


def _meant(word, names):
    """What a wrong word may have been meant for, to follow it in a message."""
    near = difflib.get_close_matches(str(word).lower(), {str(name).lower(): name for name in names}, 1)
    return f" (did you mean {next(name for name in names if str(name).lower() == near[0])}?)" if near else ""


def _list(value):
    return value if isinstance(value, list) else [value]


class _Reader:
    """Checks values; what is wrong is an Error with its place."""

    def __init__(self, path):
        self.path = pathlib.Path(path).absolute()

    def wrong(self, where, what):
        raise Error(f"{self.path}: {where}: {what}")

    def tree(self):
        """The file's content."""
        yaml = need("yaml")

        class Loader(yaml.SafeLoader):
            """Refuses a key that is there twice."""

        def mapping(loader, node):
            pairs = [(loader.construct_object(key), value) for key, value in node.value]
            for key, _ in pairs:
                if [other for other, _ in pairs].count(key) > 1:
                    self.wrong(key, "is there twice")
            return {key: loader.construct_object(value, deep=True) for key, value in pairs}

        Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
        try:
            with open(self.path, encoding="utf-8") as file:
                tree = yaml.load(file, Loader)
        except OSError as error:
            raise Error(f"{self.path}: {error.strerror}") from None
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
            raise Error(f"{self.path}: no YAML: {' '.join(str(error).split())}") from None
        except (TypeError, ValueError) as error:
            raise Error(f"{self.path}: {error}") from None
        if not isinstance(tree, dict):
            self.wrong("the file", f"expected keys: {', '.join(sorted(KEYS))}")
        for key in tree:
            if key not in KEYS:
                self.wrong(key, f"unknown key{_meant(key, KEYS)}, expected one of: {', '.join(sorted(KEYS))}")
        return tree

    def expanded(self, where, word):
        """The values of a range as --vary takes it, 256K..1M; of another word, itself."""
        if ".." not in word or "/" in word:
            return [word]
        try:
            lines = call("configs", "--vary", f"key={word}").splitlines()
        except CommandFailed as error:
            self.wrong(where, str(error).partition("--vary ")[2])
        return [line.partition("=")[2] for line in lines]

    def texts(self, where, value):
        """A list of names or numbers, or one, as the command takes them."""
        found = []
        for one in _list(value):
            if not isinstance(one, (str, int, float, bool)) or one == "":
                self.wrong(where, f"{one!r}: expected a name or a number")
            found += self.expanded(where, _text(one))
        if not found:
            self.wrong(where, "the list is empty")
        for one in found:
            if found.count(one) > 1:
                self.wrong(where, f"{one} is there twice")
        return found

    def sources(self, key, value):
        """Files, of which patterns may name several."""
        found = []
        for pattern in self.texts(key, value):
            paths = sorted(self.path.parent.glob(pattern)) if not pattern.startswith("/") else \
                sorted(pathlib.Path("/").glob(pattern[1:]))
            if not paths:
                self.wrong(key, f"{pattern}: there is no such file")
            found += paths
        for path in found:
            if [other.name for other in found].count(path.name) > 1:
                self.wrong(key, f"{path.name}: two files have this name")
        return found

    def conditions(self, where, value, known):
        """A list of {key: values}, or one."""
        found = []
        for condition in _list(value):
            if not isinstance(condition, dict) or not condition:
                self.wrong(where, "expected keys with the values that they have")
            for key in condition:
                if key not in known:
                    self.wrong(where, f"{key}: not of this grid{_meant(key, known)}, expected one of: {', '.join(known)}")
            values = {key: self.texts(f"{where}: {key}", value) for key, value in condition.items()}
            # One that no combination has would leave nothing out.
            for key, there in known.items():
                for one in values.get(key, ()):
                    if one not in there:
                        self.wrong(f"{where}: {key}", f"no combination has '{one}'{_meant(one, there)}, expected one of: "
                                                      f"{', '.join(there)}")
            found.append(values)
        return found

    def grid(self, where, value, names):
        """Settings with their values, and conditions, which may have the names, too."""
        if not isinstance(value, dict):
            self.wrong(where, "expected keys of the configuration, each with its values")
        for key in value:
            if isinstance(value[key], dict) and key not in CONDITIONS:
                self.wrong(where, f"{key}: keys and values are of {' and '.join(CONDITIONS)}{_meant(key, CONDITIONS)}, "
                                  "those of a setting a list")
        axes = {key: self.texts(f"{where}: {key}", values) for key, values in value.items() if key not in CONDITIONS}
        known = axes | names
        return axes | {key: self.conditions(f"{where}: {key}", value[key], known)
                       for key in CONDITIONS if key in value}

    def pairs(self, value):
        """Pairs of counters whose Pareto front is drawn."""
        for pair in value:
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                self.wrong("pareto", "expected pairs of counters, [[X, Y], …]; -X where more is better")
        return value


def read(path):
    """A Plan of a file; an Error that says what is wrong in it."""
    reader = _Reader(path)
    tree = reader.tree()
    kinds = [key for key in ("recordings", "captures") if key in tree]
    if len(kinds) != 1:
        reader.wrong("the file", "expected recordings or captures, one of them")
    if "configurations" not in tree:
        reader.wrong("the file", "expected configurations: presets or files")
    warm_up = tree.get("warm_up")
    if warm_up is not None and (not isinstance(warm_up, int) or isinstance(warm_up, bool) or warm_up < 0):
        reader.wrong("warm_up", f"{warm_up!r}: expected a number of frames")
    frames = tree.get("frames")
    sources = reader.sources(kinds[0], tree[kinds[0]])
    configurations = reader.texts("configurations", tree["configurations"])
    names = {"configuration": configurations, "source": [source.name for source in sources]}
    plan = Plan(path=reader.path, sources=sources, captures=kinds[0] == "captures", configurations=configurations,
                grids=[reader.grid("settings", grid, names) for grid in _list(tree.get("settings", {}))],
                frames=None if frames is None else frame_range(frames),
                warm_up=warm_up,
                pareto=reader.pairs(_list(tree.get("pareto", []))))
    count = 0
    for grid in plan.grids:
        size = len(plan.sources) * len(plan.configurations)
        for key, values in grid.items():
            size *= 1 if key in CONDITIONS else len(values)
        count += size
    if count > MOST:
        reader.wrong("settings", f"{count} combinations, more than {MOST}")
    if not plan.points():
        reader.wrong("settings", "the conditions leave nothing")
    return plan
