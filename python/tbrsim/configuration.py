# SPDX-License-Identifier: MIT
"""Configurations of the simulated GPU as objects. The command knows the keys and checks the
values."""
import atexit
import hashlib
import json
import pathlib
import shutil
import tempfile

from . import notebook, quantities
from .command import _text, call
from .errors import CommandFailed, Error, need

_written = None


def _directory():
    """Where trees become files, as long as the process lasts."""
    global _written
    if _written is None:
        _written = pathlib.Path(tempfile.mkdtemp(prefix="tbrsim-configurations-"))
        atexit.register(shutil.rmtree, _written, ignore_errors=True)
    return _written


def flatten(tree, prefix=""):
    """The values of a tree of keys by their whole keys: (key, value) each."""
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


class Configuration:
    """A simulated GPU: a preset or a YAML file (its `extends` resolved), and settings of its keys.

        gpu = Configuration("tcor-64k", {"l2.size": "2M"})
        gpu["caches.l2.ways"] = 16          # the command checks it; Error where it refuses
        gpu["l2.size"]                      # 2097152, in bytes as all sizes; l2: caches.l2
        gpu.save("large.yaml")

    docs/configurations.md has the keys' units; `tbrsim configs NAME` prints them with sources.
    """

    def __init__(self, base="tcor-baseline-64k", settings=None):
        """base: a preset's name, a file, or a tree of keys as stats.json has it."""
        self._tree = base if isinstance(base, dict) else None
        self._base = None if isinstance(base, dict) else str(base)
        self._settings = dict(settings or {})
        self._resolved = None
        self._resolve()

    # ---- what the command says of it

    def _file(self):
        """Of a tree: it as a file, for JSON is YAML."""
        text = json.dumps(self._tree)
        folder = _directory() / hashlib.sha256(text.encode()).hexdigest()[:16]
        path = folder / "configuration.yaml"
        if not path.exists():
            folder.mkdir(exist_ok=True)
            unfinished = folder / f"{id(self)}.part"
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(path)
        return str(path)

    def _words(self, *options):
        sets = [word for key, value in self._settings.items()
                for word in ("--set", f"{key}={_text(value)}")]
        return ["configs", *options, *sets, "--", self._base or self._file()]

    def _resolve(self):
        if self._resolved is None:
            self._resolved = json.loads(call(*self._words("--json")))
        return self._resolved

    def word(self):
        """What --config takes."""
        base = self._base or self._file()
        settings = [f"{key}={_text(value)}" for key, value in self._settings.items()]
        if any("," in part for part in (base, *settings)):
            return Configuration(self.tree).word()
        return ",".join([base, *settings])

    # ---- values

    @property
    def tree(self):
        """All values: a dictionary of dictionaries, as stats.json has it."""
        return json.loads(json.dumps(self._resolve()))

    @property
    def values(self):
        """All values by their whole keys: {"caches.l2.size": 1048576, …}."""
        return dict(flatten(self._resolve()))

    @property
    def description(self):
        return self["description"]

    def _whole_key(self, key):
        values = self.values
        for name in (key, f"caches.{key}"):
            if name in values:
                return name
        raise KeyError(f"{key}: not in {self.name}; keys that are left out have their default")

    @property
    def name(self):
        """The preset or file, with what was changed."""
        base = self._base or f"configuration '{self._tree.get('description', '')}'"
        changes = [f"{key}={_text(value)}" for key, value in self._settings.items()]
        return ",".join([base, *changes])

    def __getitem__(self, key):
        return self.values[self._whole_key(key)]

    def get(self, key, default=None):
        """The value of a key; default where it is left out."""
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        return self.get(key) is not None

    def keys(self):
        return self.values.keys()

    def __setitem__(self, key, value):
        self.update({key: value})

    def update(self, settings):
        """Changes several values at once, which only together need to be valid. Nothing changes
        where the command refuses them."""
        before = self._settings, self._resolved
        # A key that is set again is set after the others.
        kept = {key: value for key, value in self._settings.items() if key not in settings}
        self._settings, self._resolved = kept | dict(settings), None
        try:
            self._resolve()
        except CommandFailed:
            self._settings, self._resolved = before
            raise

    def __delitem__(self, key):
        """Removes what is optional: a cache, a key."""
        tree = self.tree
        *parents, last = key.split(".")
        at = tree
        for name in parents:
            at = at.get(name) if isinstance(at, dict) else None
        if not isinstance(at, dict) or last not in at:
            raise KeyError(f"{key}: not in {self.name}")
        del at[last]
        changed = Configuration(tree)
        self._tree, self._base, self._settings = changed._tree, None, {}
        self._resolved = changed._resolved

    def with_settings(self, settings):
        """Another configuration, with these values changed."""
        other = self.copy()
        other.update(settings)
        return other

    def copy(self):
        return Configuration(self._tree if self._base is None else self._base, self._settings)

    def differences(self, other):
        """A data frame of the keys whose values differ, a column for each of the two."""
        pandas = need("pandas")
        mine, others = self.values, other.values
        keys = [key for key in mine | others if mine.get(key) != others.get(key)]
        return pandas.DataFrame({"here": [mine.get(key) for key in keys],
                                 "other": [others.get(key) for key in keys]},
                                index=pandas.Index(keys, name="key"), dtype=object)

    def __eq__(self, other):
        if not isinstance(other, Configuration):
            return NotImplemented
        return self._resolve() == other._resolve()

    __hash__ = None

    def save(self, path):
        """Writes all values as YAML that --config takes, each with where it comes from."""
        path = pathlib.Path(path)
        if path.suffix != ".yaml":
            raise Error(f"{path}: expected a name that ends with .yaml, as --config needs")
        path.write_text(call(*self._words()), encoding="utf-8")

    def __repr__(self):
        return f"<tbrsim.Configuration {self.name}>"

    def _repr_html_(self):
        values = self.values
        rows = [{"key": key, "value": quantities.setting_text(key, value)} for key, value in values.items() if key != "description"]
        return notebook.page(self.name, [values.get("description", "")], rows, most=len(rows))


def presets():
    """The GPUs that come with tbrsim: {name: description}."""
    return json.loads(call("configs", "--json"))
