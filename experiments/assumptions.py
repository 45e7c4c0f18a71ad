# SPDX-License-Identifier: MIT
"""Which values of the presets are assumptions: those whose comments say so (docs/configurations.md, "Sources of values").

A value's comment is what follows it on its line and in the lines below that are indented further than its key; where nothing
does, the lines above that are indented as its key is; where there are none either, that of the mapping it is in.
"""
import pathlib
import re

import yaml

PRESETS = pathlib.Path(__file__).resolve().parent.parent / "configs"
ASSUMED = re.compile(r"\bassum(ed|ption)|\btbrsim's choice", re.IGNORECASE)
# A whole comment that names the neighbouring mapping whose value this one is, too.
AS_ANOTHER = re.compile(r"as (\w+)$")
NO_VALUES = {"description", "extends"}


class Value:
    """A value of a preset: its dotted key, its text, its comment ("": none) and the line it is in."""

    def __init__(self, key, text, comment, line):
        self.key, self.text, self.comment, self.line = key, text, comment, line

    def is_assumed(self):
        return bool(ASSUMED.search(self.comment))

    def other_key(self):
        """The key of the neighbouring mapping whose value this is; None."""
        found = AS_ANOTHER.match(self.comment)
        parts = self.key.split(".")
        return ".".join([*parts[:-2], found[1], parts[-1]]) if found and len(parts) > 2 else None


def behind(lines, key):
    """The comment after a key's value and below."""
    first = re.search(r"(?:^|\s)# ?(.*)$", lines[key.start_mark.line])
    words = [first[1]] if first else []
    for line in lines[key.start_mark.line + 1:] if first else []:
        found = re.match(r"( *)# ?(.*)$", line)
        if not found or len(found[1]) <= key.start_mark.column:
            break
        words.append(found[2])
    return " ".join(words)


def above(lines, key):
    """The comment lines directly above a key."""
    words = []
    for line in reversed(lines[:key.start_mark.line]):
        found = re.match(r"( *)# ?(.*)$", line)
        if not found or len(found[1]) != key.start_mark.column:
            break
        words.insert(0, found[2])
    return " ".join(words)


def read_values(text):
    """The values that a preset sets, in its order; those that it removes (null) are none."""
    lines, values = text.splitlines(), []

    def read(mapping, path, its_comment):
        for key, value in mapping.value:
            comment = behind(lines, key) or above(lines, key)
            if isinstance(value, yaml.MappingNode):
                read(value, f"{path}{key.value}.", comment)
            elif value.value != "null" and key.value not in NO_VALUES:
                values.append(Value(path + key.value, value.value, comment or its_comment, key.start_mark.line + 1))

    read(yaml.compose(text), "", "")
    return values


def read_assumed(text):
    """{key: keys that are as it is} of a preset's assumed values."""
    values = read_values(text)
    assumed = {value.key: [] for value in values if value.is_assumed()}
    for value in values:
        if value.other_key() in assumed:
            assumed[value.other_key()].append(value.key)
    return assumed


def presets():
    """{preset: its text}."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(PRESETS.glob("*.yaml"))}


def removed(text):
    """The keys of what a preset removes of its base."""
    def read(mapping, path):
        for key, value in mapping.value:
            if isinstance(value, yaml.MappingNode):
                yield from read(value, f"{path}{key.value}.")
            elif value.value == "null":
                yield path + key.value
    return set(read(yaml.compose(text), ""))


def assumed_of(name, texts):
    """{key: the preset that assumes it} of a preset with all that it extends; texts: of presets()."""
    base = re.search(r"^extends: (\S+)", texts[name], re.MULTILINE)
    found = assumed_of(base[1], texts) if base else {}
    changed = {value.key for value in read_values(texts[name])} | removed(texts[name])
    kept = {key: preset for key, preset in found.items() if not any(f"{key}.".startswith(f"{other}.") for other in changed)}
    return kept | dict.fromkeys(read_assumed(texts[name]), name)
