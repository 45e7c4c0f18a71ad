# SPDX-License-Identifier: MIT
"""What people type who do not know the command yet: what is wrong, and what they may have meant."""

import csv
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

# What is typed, and what is answered.
GUESSES = (
    ("advice x.tbr", "no command 'advice' (did you mean advise?); tbrsim --help lists them"),
    ("simulate x.tbr", "no command 'simulate' (did you mean sim?); tbrsim --help lists them"),
    ("reprot out", "no command 'reprot' (did you mean report?); tbrsim --help lists them"),
    ("conf", "no command 'conf' (did you mean configs?); tbrsim --help lists them"),
    ("Run true", "no command 'Run' (did you mean run?); tbrsim --help lists them"),
    ("diff a b", "no command 'diff' (did you mean report --compare?); tbrsim --help lists them"),
    ("compare a b", "no command 'compare' (did you mean report --compare?); tbrsim --help lists them"),
    ("list", "no command 'list' (did you mean configs?); tbrsim --help lists them"),
    ("keys", "no command 'keys' (did you mean configs --keys?); tbrsim --help lists them"),
    ("presets", "no command 'presets' (did you mean configs?); tbrsim --help lists them"),
    ("version", "no command 'version' (did you mean --version?); tbrsim --help lists them"),
    ("profile game", "no command 'profile' (did you mean report?); tbrsim --help lists them"),
    ("record game", "no command 'record' (did you mean run --record?); tbrsim --help lists them"),
    ("fly", "no command 'fly'; tbrsim --help lists them"),
    ("--config x run", "unknown option '--config'; a command's options come after it; tbrsim --help lists commands"),
    ("-v", "unknown option '-v' (did you mean --version?); a command's options come after it"),
    ("--verison", "unknown option '--verison' (did you mean --version?); a command's options come after it"),
    ("sim --set l2.size 2M x.tbr", "--set l2.size: no value, expected key=value"),
    ("run --conifg x true", "unknown option '--conifg' (did you mean --config?); see tbrsim run --help"),
    ("run --outdir=x true", "unknown option '--outdir=x' (did you mean --out?); see tbrsim run --help"),
    ("run --output x true", "unknown option '--output' (did you mean --out?); see tbrsim run --help"),
    ("sim --frame 3 x.tbr", "x.tbr: No such file or directory"),  # an abbreviation
    ("sim --thread 3 x.tbr", "unknown option '--thread' (did you mean --model-threads?); see tbrsim sim --help"),
    ("report --co x", "unknown option '--co' (did you mean --compare, --compare-config or --config?); see tbrsim report --help"),
    ("sim --quiet=yes x.tbr", "unknown option '--quiet=yes'; see tbrsim sim --help"),
    ("env --config mali", "no preset 'mali' (did you mean mali-g52-mc1, mali-g57-mc2 or mali-like?), expected one of those that tbrsim configs lists, or a .yaml file"),
    ("env --config mali-lik.yaml", "mali-lik.yaml: No such file or directory (did you mean mali-like?)"),
    ("configs malilike", "no preset 'malilike' (did you mean mali-like?), expected one of those that tbrsim configs lists, or a .yaml file"),
    ("configs --flat mali", "no preset 'mali' (did you mean mali-g52-mc1, mali-g57-mc2 or mali-like?), expected one of those that tbrsim configs lists, or a .yaml file"),
    ("configs --flat tcor table", "--flat and --set: expected one configuration"),
    ("configs mali zz", "no preset has 'mali' and the other words in name or description"),
    ("env --set l2.sise=2M", "caches.l2.sise: no key 'sise' (did you mean l2.size?), expected keys of: size, ways, block,"),
    ("env --set l2=2M", "l2: no key 'l2' (did you mean l2.size, l2.ways or l2.block?), expected keys of: description,"),
    ("env --set tile_size=16", "tile_size: no key 'tile_size' (did you mean tile.size?), expected keys of: description,"),
    ("env --set mode=ibr", "mode: wrong value 'ibr' (did you mean tbr or imr?), expected one of: tbdr, tbr, imr"),
    ("env --driver llvm", "--driver llvm (did you mean llvmpipe?): expected one of: tbrsim, llvmpipe, softpipe"),
    ("sim --jobs -1 x.tbr", "--jobs -1: expected a number of threads"),
    ("sim --frames 3..1 x.tbr", "--frames 3..1: expected A-B with A <= B, frames counting from 0"),
    ("sim --verify=0% x.tbr", "--verify=0%: expected per cent, above 0 and at most 100"),
    ("select --error 101% x.tbr", "--error 101%: expected per cent of a total, 0 to 100"),
    ("export --format dramsim --unit dram x.tbr", "--format dramsim (did you mean dramsim3?): expected one of: din, oraclegeneral,"),
    ("export --format din --unit l1 x.tbr", "--unit l1 (did you mean l2?): expected one of: "),
    ("export --format din --unit texture x.tbr", "--unit texture (did you mean texture_cache, texture_cache_l2 or "),
    ("cache --size 4K --ways 4 --policy lur x.din", "--policy lur (did you mean lru?): expected one of: lru, mru,"),
    ("counters --attribute draws", "unknown option '--attribute'; see tbrsim counters --help"),
    ("run --attribute draws true", "--attribute draws (did you mean draw?): expected one of: pass, draw, texture, tile"),
    ("sim --json --csv x.tbr", "--json and --csv exclude each other; see tbrsim sim --help"),
)


class Guesses(tbrsim.TestCase):
    def test_guesses(self):
        for typed, answer in GUESSES:
            with self.subTest(typed):
                result = tbrsim.run(*typed.split(), cwd=self.directory)
                self.assertIn(result.returncode, (1, 2))
                self.assertEqual(result.stdout, "")
                self.assertEqual(result.stderr[:len(answer) + 8], f"tbrsim: {answer}")
                self.assertEqual(result.stderr.count("\n"), 1)

    def test_no_command(self):
        """All of them, a line each; there is no result, so it is on standard error."""
        result = tbrsim.run()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        listed = [line.split("\t") for line in tbrsim.run("--help=options", check=True).stdout.splitlines()]
        self.assertTrue(listed)
        for name, summary in listed:
            self.assertRegex(result.stderr, rf"(?m)^  {name} +{re.escape(summary)}$")

    def test_other_kinds_of_files(self):
        """What is one of the four that tbrsim has, but not the one that a command takes."""
        recording, out = self.path("x.tbr"), self.path("out")
        tbrsim.run("replay", "--record", recording, "--out", out, tbrsim.CAPTURES / "glmark2_function.trace", check=True)
        for command in ("sim", "info", "analyze"):
            self.refused(1, f"out: not a regular file; the recording of these results is {recording}$", command, out)
            self.refused(1, "--record FILE.tbr of tbrsim run and replay makes a recording in addition to results$", command,
                         self.directory)
        self.refused(127, "x.tbr: cannot be executed: No such file or directory; it is a recording, expected tbrsim report, "
                     "advise or sim$", "run", "x.tbr", cwd=self.directory)
        self.refused(126, "function.trace: cannot be executed: Permission denied; it is a trace, expected tbrsim replay$", "run",
                     tbrsim.CAPTURES / "glmark2_function.trace")
        self.refused(126, "out: cannot be executed: Permission denied; it is a directory$", "run", out)
        self.path("tool", "")
        self.refused(127, "tool: cannot be executed: No such file or directory; expected ./tool for the file of this name$",
                     "run", "tool", cwd=self.directory)
        for wrong in (recording, self.path("empty", "")):
            self.refused(1, f"{wrong}: no selection of tbrsim select: line 1: ", "sim", "--selected", wrong, recording)
        for wrong in (recording, out / "frames.csv", out / "stats.json"):
            self.refused(1, f"{wrong}: a file, expected a directory of results$", "parquet", wrong)
        # Statistics are taken as the results that they are in.
        self.refused(1, f"stats.json: .*; the recording of these results is {recording}$", "info", out / "stats.json")
        tbrsim.run("advise", "--most", 0, out / "stats.json", check=True)
        self.refused(1, "x.tbr:1: no statistics: .*; tbrsim sim makes results of a recording$", "energy", recording)
        self.refused(1, "tbrsim replay makes results of a trace$", "energy", tbrsim.CAPTURES / "glmark2_function.trace")

    def test_spellings(self):
        """What is not written as the documents write it, but can mean one thing only."""
        recording = self.path("x.tbr")
        tbrsim.run("replay", "--record", recording, "--frames", "0..2", "--attribute", "PASS,Draw", "--out", self.path("out"),
                   tbrsim.CAPTURES / "glmark2_function.trace", check=True)
        with open(self.path("out/draws.csv"), encoding="utf-8") as file:
            calls = {draw["call"] for draw in csv.DictReader(file) if draw["draw"]}
        self.assertTrue(calls - {""})
        for one, other in (("sim --frames 1..2 --csv", "sim --frames 1-2 --csv"),
                           ("export --format DRAMsim3 --unit DRAM", "export --format dramsim3 --unit dram"),
                           ("export --format oracleGeneral --unit l2", "export --format oraclegeneral --unit l2"),
                           ("export --table draws", "export --format events --table draws"),
                           ("select --error 1%", "select --error 1"),
                           ("advise --least 1%", "advise --least 1"),
                           ("llc --policy ALL --frames 0", "llc --policy all --frames 0"),
                           ("sweep --stream PB_ATTRIBUTE --primitives --size 4k --ways full --policy LRU --csv",
                            "sweep --stream pb_attribute --primitives --size 4096 --ways full --policy lru --csv")):
            with self.subTest(one):
                results = [subprocess.run([tbrsim.arguments.tbrsim, *words.split(), recording], cwd=self.directory,
                                          check=True, capture_output=True).stdout for words in (one, other)]
                self.assertTrue(results[0])
                self.assertEqual(*results)

    def test_words_of_configurations(self):
        """What is no name of a GPU filters their list."""
        everything = tbrsim.run("configs", check=True).stdout.splitlines()
        for words in (["mali"], ["Mali-Like"], ["TCOR", "table"]):
            found = tbrsim.run("configs", *words, check=True).stdout.splitlines()
            expected = [line for line in everything if all(word.lower() in line.lower() for word in words)]
            self.assertTrue(0 < len(found) < len(everything))
            self.assertEqual(found, expected)
            self.assertEqual(list(json.loads(tbrsim.run("configs", "--json", *words, check=True).stdout)),
                             [line.split()[0] for line in expected])
        # The name of one that begins the others' names.
        self.assertIn("caches:", tbrsim.run("configs", "tcor-64k", check=True).stdout)

    def test_keys_of_configurations(self):
        """All that presets have is listed, once for all caches, and takes their values."""
        keys = {key["key"]: key for key in json.loads(tbrsim.run("configs", "--keys", "--json", check=True).stdout)}
        for preset in tbrsim.presets():
            for line in tbrsim.run("configs", "--flat", preset, check=True).stdout.splitlines():
                path, value = line.split("=", 1)
                takes = keys[re.sub(r"^caches\.\w+", "caches.NAME", path)]["takes"]
                if takes.startswith("one of: "):
                    self.assertIn(value, takes.removeprefix("one of: ").split(", "), path)
                elif not takes.startswith("a text"):
                    self.assertTrue(value.isdigit() or takes.endswith(f", or {value}"), line)
        self.assertEqual((keys["caches.l2"]["takes"], keys["caches.l2"]["optional"]), (None, True))
        self.assertEqual((keys["mode"]["takes"], keys["mode"]["optional"]), ("one of: tbdr, tbr, imr", False))
        found = tbrsim.run("configs", "--keys", "L2", "banks", check=True).stdout.splitlines()
        self.assertEqual([line.split()[0] for line in found], ["pipeline.l2_banks"])
        self.assertIn(": banks of the L2: block n is in bank n % l2_banks", found[0])
        self.assertIn("no key has 'l9'", tbrsim.run("configs", "--keys", "l9").stderr)
        self.assertEqual(tbrsim.run("configs", "--keys", "--flat").returncode, 2)

    def test_files_of_configurations(self):
        """A file whose name is no file's to --config."""
        self.path("my.yml", "extends: tcor-64k\n")
        result = tbrsim.run("env", "--config", "my.yml", cwd=self.directory)
        self.assertEqual(result.stderr, "tbrsim: no preset 'my.yml', expected ./my.yml for the file of this name\n")
        tbrsim.run("env", "--config", "./my.yml", cwd=self.directory, check=True)


if __name__ == "__main__":
    tbrsim.main()
