# SPDX-License-Identifier: MIT
"""Pages that the program's own tables make: its commands, keys, counters and presets, and the cache model's interfaces."""

import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree

from pages import Entry

GROUPS = {"access": "The access stream", "advice": "Advice", "analysis": "Reuse, sweeps, last-level caches",
          "config": "Configurations", "dram": "DRAM", "energy": "Energy", "events": "Events and recordings",
          "gpu": "GPUs", "memory": "Caches", "results": "Results", "selection": "Representative frames",
          "stats": "Counters", "texture": "Textures", "tiling": "Tiles and the Parameter Buffer", "timing": "Timing",
          "util": "Utilities"}


class Reference:
    """Writes the pages below a folder. command: of tbrsim, a list; xml: Doxygen's folder."""

    def __init__(self, top, folder, command, xml):
        self.top, self.folder, self.command = top, folder / "reference", command
        self.members = Members(xml)
        self.folder.mkdir(parents=True)

    def run(self, *words):
        return subprocess.run([*self.command, *words], check=True, capture_output=True, text=True).stdout

    def write(self, name, title, text):
        path = self.folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {title}\n\n{text}", encoding="utf-8")
        return Entry(title, f"docs/reference/{name}.md")

    # ---- commands

    def commands(self):
        listed = [line.split("\t") for line in self.run("--help=options").splitlines()]
        listed = [words for words in listed if not words[0].startswith("-")]
        text = "".join(f"- [tbrsim {name}](commands/{name}.md): {what}\n" for name, what in listed)
        entry = self.write("commands", "Commands", text)
        entry.children = [self.one_command(name) for name, _ in listed]
        return entry

    def one_command(self, name):
        before, _, behind = re.split(r"((?:^  --.*\n(?:^ {20,}.*\n)*)+)", self.run(name, "--help"), maxsplit=1, flags=re.MULTILINE)
        rows = [line.split("\t") for line in self.run(name, "--help=options").splitlines()]
        options = "".join(f"`{' '.join(filter(None, (option, value)))}`\n: {escape(what)}\n\n" for option, value, what in rows)
        return self.write(f"commands/{name}", f"tbrsim {name}",
                          fenced(before) + f"\n## Options\n\n{options}" + (fenced(behind) if behind.strip() else ""))

    # ---- counters

    def presets(self):
        return {name: text for name, text in json.loads(self.run("configs", "--json")).items()}

    def counters(self):
        """Of all presets, with and without timing, by unit."""
        found = {}
        for preset in self.presets():
            for timing in ("off", "on"):
                for counter in json.loads(self.run("counters", "--json", "--config", preset, "--timing", timing)):
                    found.setdefault(counter["name"].split(".")[0], {})[counter["name"]] = counter
        text = ("The counters of all presets, including those of `timing: on`. A configuration has the counters of its units:\n"
                "`tbrsim counters --config NAME` lists them.\n\n")
        for unit, counters in found.items():
            text += f"## {unit}\n\n| counter | measure | what |\n| --- | --- | --- |\n"
            text += "".join(f"| `{c['name']}` | {c['measure']} | {escape(c['description'])} |\n" for c in counters.values()) + "\n"
        return self.write("counters", "Counters", text)

    def presets_page(self):
        text = "The configurations that `--config` takes by name. A comment gives each value's source, or says that it is an assumption.\n\n"
        for name, what in self.presets().items():
            text += f"## {name}\n\n{escape(what)}.\n\n" + fenced((self.top / "configs" / f"{name}.yaml").read_text(encoding="utf-8"))
        return self.write("presets", "Presets", text)

    # ---- keys

    def keys(self):
        values = dict(line.split("=", 1) for line in self.run("configs", "--flat", "tcor-baseline-64k").splitlines())
        sections = {"general": ""}
        for key in json.loads(self.run("configs", "--keys", "--json")):
            name = key["key"].split(".")[0]
            section = "general" if name == key["key"] and key["takes"] else name
            sections[section] = sections.get(section, "") + self.one_key(key, values.get(key["key"]))
        text = ("The keys of configuration files and of `--set KEY=VALUE`, which may omit `caches.`. `NAME` stands for a cache's "
                "name.\nValues are those of the default preset, `tcor-baseline-64k`, if it has the key.\n\n")
        return self.write("keys", "Keys of configurations", text + "".join(
            f"## {section}\n\n{keys}" for section, keys in sections.items()))

    def one_key(self, key, value):
        path, takes = key["key"], key["takes"]
        what = [escape(takes.replace(" from 0 to 4294967295", ""))] if takes else []
        what += ["optional"] if key["optional"] else []
        what += [f"in the default preset `{value}`"] if value and path != "description" else []
        own = key["description"] or self.members.description(path)
        first = ". ".join(filter(None, ("; ".join(what), escape(own))))
        values = "".join(f"  - {line}\n" for line in self.members.values(path))
        return f"`{path}`\n: {first}\n{values}\n" if first else ""

    # ---- the cache model's interfaces

    def interfaces(self):
        children = []
        for folder, title in GROUPS.items():
            text = f"`src/cachemodel/{folder}/`\n"
            for header in sorted((self.top / "src" / "cachemodel" / folder).rglob("*.h")):
                name = str(header.relative_to(self.top / "src" / "cachemodel"))
                if name in self.members.headers:
                    text += f"\n## {name}\n\n```{{doxygenfile}} {name}\n:sections: briefdescription detaileddescription " \
                            "define enum func innerclass typedef var\n```\n"
            children.append(self.write(f"api/{folder}", title, text))
        text = "The C interfaces of the cache model (`src/cachemodel`), by folder, from the comments of its headers.\n\n"
        entry = self.write("api", "API of the cache model", text + "".join(
            f"- [{child.title}]({child.source.removeprefix('docs/reference/')})\n" for child in children))
        entry.children = children
        missing = {path.name for path in (self.top / "src" / "cachemodel").iterdir() if path.is_dir()} - set(GROUPS)
        if missing:
            raise ValueError(f"no title for folders of src/cachemodel: {', '.join(sorted(missing))}")
        return entry


class Members:
    """What the headers say of the members of struct cm_config, by Doxygen: of keys, whose paths are theirs. headers: those
    that Doxygen has read."""

    def __init__(self, folder):
        self.structs, self.enums, self.headers = {}, {}, set()
        for path in pathlib.Path(folder).glob("*.xml"):
            root = xml.etree.ElementTree.parse(path).getroot()
            for compound in root.iter("compounddef"):
                if compound.get("kind") == "struct":
                    self.structs[compound.find("compoundname").text] = list(compound.iter("memberdef"))
                elif compound.get("kind") == "file":
                    self.headers.add(compound.find("location").get("file"))
            for enum in root.iter("memberdef"):
                if enum.get("kind") == "enum" and enum.find("name").text:
                    self.enums[enum.find("name").text] = enum

    def find(self, path):
        """The member of a key."""
        members, member, last = self.structs["cm_config"], None, None
        for name in path.split("."):
            alike = [one for one in members if one.find("name").text == name]
            if last is not None:  # of a struct without a name Doxygen lists the members among those around it
                alike = [one for one in alike if line_of(one) <= last]
            if name == "NAME":
                continue
            if not alike:
                return None
            member = max(alike, key=line_of)
            kind = text_of(member.find("type"))
            nameless = "@" in kind
            last = line_of(member) if nameless else None
            members = members if nameless else self.structs.get(kind.removeprefix("struct ").strip(), [])
        return member

    def description(self, path):
        member = self.find(path)
        return "" if member is None else sentence(described(member))

    def values(self, path):
        """What its enumeration says of each value: those that begin with its name in quotes."""
        member = self.find(path)
        enum = None if member is None else self.enums.get(text_of(member.find("type")).removeprefix("enum ").strip())
        for value in [] if enum is None else enum.iter("enumvalue"):
            if match := re.match(r'"([\w-]+)"[:, ]* *(.*)', described(value), flags=re.DOTALL):
                if match[2]:
                    yield f"`{match[1]}`: {escape(match[2])}"


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def described(element):
    return " ".join(filter(None, (text_of(element.find("briefdescription")), text_of(element.find("detaileddescription")))))


def line_of(member):
    return int(member.find("location").get("line"))


def sentence(text):
    """Without "optional", which the table of keys says, and Doxygen's notes of what follows."""
    text = re.sub(r"^[Oo]ptional[;:,.]? *", "", text)
    return text[:1].upper() + text[1:]


def escape(text):
    """Text as Markdown: what it has of Markdown's signs is text."""
    return re.sub(r"([\\`*_<>|\[\]~#])", r"\\\1", text)


def fenced(text):
    return f"````text\n{text.strip(chr(10))}\n````\n"
