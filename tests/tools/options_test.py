# SPDX-License-Identifier: MIT
"""The options of every command: what --help says of them, and what is said where one is unknown, lacks its value or is
repeated; the same thing has the same name and the same values everywhere."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

COMMANDS = ("run", "replay", "sim", "info", "export", "analyze", "sweep", "report", "energy", "llc", "env", "cache",
            "configs", "counters", "advise", "select", "parquet", "doctor", "explore")
# A value for each option that does not take any text.
VALUES = {"record-isa": "bifrost", "timing": "on", "attribute": "draw", "vary": "l2.ways=4", "frames": "1-2", "warm-up": "1", "unit": "l2",
          "index": "xor", "jobs": "2", "model-threads": "2", "format": "json", "driver": "llvmpipe", "screen": "100x100",
          "max-size": "1M", "tolerance": "1", "timeline": "1", "sets": "4", "most": "3", "retries": "1", "least": "1", "budget": "9",
          "error": "1", "cache": "1M", "table": "quads",
          "size": "4K", "ways": "4", "block": "64", "policy": "lru", "stream": "texture"}
ALIASES = {"point": "unit", "policies": "policy"}
# What is a list elsewhere, or another thing.
OWN_VALUES = {"advise": {"out", "results"}, "cache": {"policy", "size", "ways", "stream", "format"}, "export": {"format", "out"}, "llc": {"out"},
              "run": {"format", "frames", "selected"}, "replay": {"format", "frames", "selected"}, "sim": {"format"},
              "explore": {"profile"}, "report": {"out"}, "select": {"out"}, "sweep": {"out"}}


def options(command):
    """Those of --help: {name: (value, text)}."""
    found, name = {}, None
    for line in tbrsim.run(command, "--help", check=True).stdout.splitlines():
        option = re.match(r"  --([a-z-]+)(?:([ [])(\S+))?(?:  +(.*))?$", line)
        if option:
            name = option[1]
            value = "[" + option[3] if option[2] == "[" else option[3]
            found[name] = (value, option[4] or "")
        elif name and line.startswith(27 * " "):
            found[name] = (found[name][0], f"{found[name][1]} {line.strip()}")
        else:
            name = None
    return found


class Options(tbrsim.TestCase):
    def value(self, command, name):
        if command in ("cache", "export") and name == "format":
            return "din"
        if command in ("run", "replay") and name == "format":
            return "csv"
        return VALUES.get(name, "something")

    def test_help(self):
        for command in COMMANDS:
            text = tbrsim.run(command, "--help", check=True).stdout
            self.assertTrue(text.startswith(f"usage: tbrsim {command} "), text)
            self.assertLessEqual(max(map(len, text.splitlines())), 100, command)
            self.assertEqual(text, tbrsim.run(command, "-h", check=True).stdout)
            for name, (value, help_text) in options(command).items():
                self.assertGreater(len(help_text), 6, f"{command} --{name}")
                if value and value[0] != "[":
                    self.assertRegex(help_text, "default|required|repeated", f"{command} --{name}")

    def test_same_everywhere(self):
        values, texts = {}, {}
        for command in COMMANDS:
            for name, (value, help_text) in options(command).items():
                if name in OWN_VALUES.get(command, ()):
                    continue
                self.assertEqual(values.setdefault(name, value), value, f"{command} --{name}")
                help_text = re.sub(r"default: [^)]*", "", help_text)
                if name != "out":
                    self.assertEqual(texts.setdefault(name, help_text), help_text, f"{command} --{name}")

    def test_settings_of_live_commands(self):
        """Of --config and --set, in their order, after those of the environment."""
        there = {"TBRSIM_CONFIG": "boustro-fo", "TBRSIM_SET": "l2.ways=4\nl2.size=2M"}
        for words, name, settings in (((), "boustro-fo", ["l2.ways=4", "l2.size=2M"]),
                                      (("--config", "tcor-64k", "--set", "l2.ways=16", "--timing", "on"), "tcor-64k",
                                       ["l2.ways=4", "l2.size=2M", "l2.ways=16", "timing=on"]),
                                      (("--set", "mode=tbr", "--config", "tcor-64k,l2.ways=2"), "tcor-64k",
                                       ["l2.ways=4", "l2.size=2M", "mode=tbr", "l2.ways=2"])):
            lines = "\n".join(settings)
            text = self.fine("env", *words, variables={"DISPLAY": ":0", **there})
            self.assertIn(f"export TBRSIM_CONFIG='{name}'\n", text)
            self.assertIn(f"export TBRSIM_SET='{lines}'\n", text)
        self.refused(2, "--config a.yaml,fast: expected key=value after the comma", "run", "--config", "a.yaml,fast")

    def test_settings_of_several_configurations(self):
        """What --help says; tests of recordings have what is simulated."""
        notes = tbrsim.run("sim", "--help", check=True).stdout.split("\n\n")[-1]
        for word in ("belongs to that configuration", "Before the first --config", "ambiguous", "is refused"):
            self.assertIn(word, notes)
        for command in set(COMMANDS) - {"sim"}:
            if "config" in options(command):
                self.refused(2, "--config two: expected one configuration; tbrsim sim takes several", command, "--config",
                             "one", "--config", "two")

    def test_unknown(self):
        for command in COMMANDS:
            self.refused(2, f"unknown option '--fly'; see tbrsim {command} --help", command, "--fly")
            self.refused(2, "unknown option '-x'", command, "-x")

    def test_missing_values(self):
        for command in COMMANDS:
            for name, (value, _) in options(command).items():
                if value and value[0] != "[":
                    self.refused(2, f"--{name} needs a value; see tbrsim {command} --help", command, f"--{name}")
        self.refused(2, "-o needs a value", "llc", "-o")

    def test_repeated(self):
        for command in COMMANDS:
            for name, (value, help_text) in options(command).items():
                words = [f"--{name}", self.value(command, name)] if value and value[0] != "[" else [f"--{name}"]
                if name in ("set", "timing", "attribute", "vary", "fail-above", "help") or name == "config" and command == "sim":
                    continue
                pattern = "expected one configuration" if name == "config" else f"--{name}: given twice"
                self.refused(2, pattern, command, *words, *words)
        self.refused(2, "--json and --csv exclude each other; see tbrsim sim --help", "sim", "--json", "--csv")
        self.refused(2, "--csv and --format exclude each other", "llc", "--csv", "--format", "json")

    def test_other_names(self):
        for command in COMMANDS:
            for alias, name in ALIASES.items():
                if name not in options(command):
                    self.refused(2, f"unknown option '--{alias}'", command, f"--{alias}", "lru")
                    continue
                self.assertIn(f"--{alias} is the same", options(command)[name][1])
                value = self.value(command, name)
                self.refused(2, f"--{alias}: given twice .--{name}", command, f"--{name}", value, f"--{alias}", value)

    def test_wrong_values(self):
        for command in COMMANDS:
            there = options(command)
            for name, wrong, pattern in (("timing", "maybe", "--timing maybe: expected one of: off, on"),
                                         ("frames", "4-2", "--frames 4-2: expected A-B"),
                                         ("warm-up", "-1", "--warm-up -1: expected a number of frames"),
                                         ("unit", "moon", "--unit moon: expected one of: .*dram"),
                                         ("index", "prime", "--index prime: expected one of: modulo, xor"),
                                         ("jobs", "0", "--jobs 0: expected a number of threads"),
                                         ("format", "xml", "--format xml: expected"),
                                         ("driver", "i965", "--driver i965: expected one of: tbrsim, llvmpipe, softpipe"),
                                         ("vary", "l2.ways", "--vary l2.ways: expected KEY=VALUE,VALUE"),
                                         ("out", "", "--out: the name is empty"),
                                         ("record", "", "--record: the name is empty")):
                if name in there:
                    self.refused(2, pattern, command, f"--{name}", wrong)

    def test_operands(self):
        for command, operand in (("sim", "recording"), ("info", "recording"), ("analyze", "recording"),
                                 ("export", "recording"), ("sweep", "recording"), ("llc", "recording"),
                                 ("energy", "statistics"), ("replay", "trace"), ("cache", "trace"), ("run", "program")):
            self.refused(2, f"no {operand}; usage: tbrsim {command} ", command)
            if command not in ("llc", "energy", "run"):
                self.refused(2, f"more than one {operand}; usage", command, "one", "two")
                self.refused(2, f"more than one {operand}; usage", command, "--", "one", "--help")
        for command in ("env", "doctor"):
            self.refused(2, f"'one': tbrsim {command} takes no arguments; usage", command, "one")
        self.refused(2, "no preset has 'one' and the other words in name or description", "configs", "one", "two")
        self.refused(2, "--json takes no value; see tbrsim sim --help", "sim", "--json=1")


if __name__ == "__main__":
    tbrsim.main()
