# SPDX-License-Identifier: MIT
"""The examples of docs/extending.md and of two tutorials: the pages quote the files of this folder, and what they add works.

Patches are applied to a copy of the model's sources, which is built without Mesa.
"""
import argparse
import concurrent.futures
import csv
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tutorials import pages  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
PAGES = ("docs/extending.md", "docs/tutorials/add-a-policy.md", "docs/tutorials/add-a-mechanism.md")
LIBRARIES = ["-lcmocka", "-lyaml", "-lzstd", "-lm", "-pthread"]
# The compiler cache finds what it has, in whichever checkout it was compiled.
ENVIRONMENT = {**os.environ, "TBRSIM_CONFIG_DIR": str(ROOT / "configs"), "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}


def run(*command, **options):
    """Runs a command; its output."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          **{"env": ENVIRONMENT, **options})
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def copy_new(source, target):
    if not os.path.exists(target):
        shutil.copy2(source, target)


def apply(patch, directory):
    """Applies a patch, if it is not applied."""
    options = ("-p1", "--fuzz=0", "-i", patch)
    if subprocess.run(["patch", *options, "-R", "-f", "--dry-run"], cwd=directory, capture_output=True).returncode:
        run("patch", *options, cwd=directory)


class Quotes(unittest.TestCase):
    """A block of code after <!-- FILE --> is that file without its license; after <!-- from FILE --> a part of it."""

    def test_blocks_equal_the_files(self):
        quoted = set()
        for name in PAGES:
            page = (ROOT / name).read_text()
            quotes = re.findall(r"<!-- (from )?([\w./-]+) -->\n```\w*\n(.*?)```\n", page, re.DOTALL)
            for part, path, text in quotes:
                file = (ROOT / path).read_text()
                whole = re.sub(r"^(/\*|#) SPDX-License-Identifier: MIT( \*/)?\n", "", file)
                with self.subTest(path):
                    if part:
                        self.assertIn(text, file)
                    else:
                        self.assertEqual(text, whole)
                quoted.add(path)
            self.assertEqual(len(quotes), len(re.findall("<!-- (?!not run|run first|file)", page)))
        self.assertIn("src/cachemodel/access/victim_buffer.c", quoted)
        for name in ("src/cachemodel/memory/replacement/second_chance.c", "second_chance.patch", "counter.patch",
                     "cache.patch", "clipper.patch", "tile_traffic.c", "next_line.c", "two-cores.yaml"):
            self.assertIn(f"tests/extending/{name}", quoted)

    def test_named_files_exist(self):
        page = "".join((ROOT / name).read_text() for name in PAGES)
        names = set(re.findall(r"`((?:src|tests|docs|configs|data)/[\w./-]+)`", page))
        self.assertGreater(len(names), 30)
        for name in sorted(names):
            with self.subTest(name):
                self.assertTrue((ROOT / name).exists())


class Patches(unittest.TestCase):
    """What changes the sources: a policy, a cache, a counter, an optional stage with a field of recordings."""

    @classmethod
    def setUpClass(cls):
        cls.copy = OPTIONS.scratch / "patched"
        shutil.rmtree(cls.copy, ignore_errors=True)
        for folder in ("src/cachemodel", "src/gallium/drivers/tbrsim"):
            shutil.copytree(ROOT / folder, cls.copy / folder)
        # Of a checkout in which somebody followed a tutorial, files and changes are theirs.
        shutil.copytree(FOLDER / "src", cls.copy / "src", dirs_exist_ok=True, copy_function=copy_new)
        shutil.copytree(ROOT / "configs", cls.copy / "configs")
        for patch in sorted(FOLDER.glob("*.patch")):
            apply(patch, cls.copy)
        listed = re.findall(r"^  '([\w/]+\.c)',$", (cls.copy / "src/cachemodel/meson.build").read_text(), re.MULTILINE)
        sources = [cls.copy / "src/cachemodel" / source for source in listed]
        support = [f"cachemodel/support/{name}.c" for name in ("pass_builder", "random_pass", "random_recording")]
        sources += [ROOT / "tests" / source for source in (*support, "support/run_tests.c")]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cls.objects = list(pool.map(cls.compile, sources))
        cls.archive = cls.copy / "libcachemodel.a"
        run("ar", "rcs", cls.archive, *cls.objects)

    @classmethod
    def compile(cls, source, options=()):
        output = cls.copy / (str(source.relative_to(source.anchor)).replace("/", "_") + ".o")
        includes = [cls.copy / "src/cachemodel", OPTIONS.generated, ROOT / "tests/cachemodel", ROOT / "tests"]
        run(*OPTIONS.cc, "-std=gnu11", "-O0", *(f"-I{path}" for path in includes), *options, "-c", source,
            "-o", output, cwd=OPTIONS.build)
        return output

    @classmethod
    def link_command(cls):
        """The command with the patched model, where `make model` would have it; what is built from the same options as the
        build's own."""
        program = cls.copy / "build-model/src/tools/tbrsim"
        program.parent.mkdir(parents=True)
        database = json.loads((OPTIONS.build / "compile_commands.json").read_text())
        sources = {}
        for entry in database:
            source = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            if source.is_relative_to(ROOT / "src/tools") and "/tbrsim.p/" in entry.get("output", ""):
                sources[source] = [word for word in shlex.split(entry["command"])
                                   if word.startswith(("-I", "-D")) and "src/cachemodel" not in word]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda item: cls.compile(*item), sources.items()))
        libraries = ("jansson", "brotlidec", "png", "lzma", "z")
        objects.append(cls.compile(OPTIONS.build / "src/version/version.c", [f"-I{ROOT / 'src/version'}"]))
        run(*OPTIONS.cc, *objects, cls.archive, *(f"-l{name}" for name in libraries), *LIBRARIES, "-o", program)
        return program

    def totals(self, command, recording):
        out = self.copy / "out"
        run(command, "sim", "--timing", "on", "-o", out, recording)
        return json.loads((out / "stats.json").read_text())["total"]

    def run_test(self, name, folder=FOLDER):
        program = self.copy / name
        run(*OPTIONS.cc, self.compile(folder / f"{name}.c"), self.archive, *LIBRARIES, "-o", program)
        run(program, env={**ENVIRONMENT, "TBRSIM_CONFIG_DIR": str(self.copy / "configs")})

    def test_policy(self):
        """Against its reference; and the tests of all policies, which `make model` runs after the tutorial."""
        self.run_test("second_chance_test")
        for name in ("cache_filter", "cache_folding"):
            self.run_test(name, ROOT / "tests/cachemodel/memory")

    def test_cache(self):
        self.run_test("cache_test")

    def test_counter(self):
        self.run_test("counter_test")

    def test_stage(self):
        self.run_test("clipper_test")

    def test_field_of_recordings(self):
        self.run_test("blit_test")

    def test_tutorials(self):
        """Recordings of before the patches give the same statistics; and both tutorials as printed, with the patched command.
        There, recordings are made by the command that was built, which takes a driver."""
        program = self.link_command()
        recording = self.copy / "old.tbr"
        run(OPTIONS.write_recording, recording, 7, 4)
        before, after = (self.totals(command, recording) for command in (OPTIONS.tbrsim, program))
        self.assertEqual(before, {name: after[name] for name in before})
        self.assertEqual(set(after) - set(before), {"tiling_engine.single_tile_primitives"})
        staged = OPTIONS.build / "bin/tbrsim"
        if not staged.exists():
            self.skipTest("the build has no driver")
        for name in PAGES[1:]:
            steps = pages.parse((ROOT / name).read_text())
            folder = pages.make_folder(self.copy / pathlib.Path(name).stem, ROOT, OPTIONS.build)
            (folder / "build-model").symlink_to(self.copy / "build-model")
            results = pages.run(steps, folder, {**ENVIRONMENT, "LC_ALL": "C.UTF-8"})
            for step, status, output in results:
                with self.subTest(page=name, command=step.text):
                    self.assertEqual(status, 0, "\n".join(output[-5:]))
                    if OPTIONS.renew:
                        continue
                    self.assertTrue(pages.matches(step.expected or [], output), "it printed:\n" + "\n".join(output))
            if OPTIONS.renew:
                pages.renew(ROOT / name, results)

    def test_event_in_driver(self):
        """What clipper.patch changes of the driver compiles, where the driver is built."""
        source = "src/gallium/drivers/tbrsim/geometry/tbr_draw_events.c"
        database = OPTIONS.build / "compile_commands.json"
        entries = [entry for entry in json.loads(database.read_text()) if entry["file"].endswith(source)]
        if not entries:
            self.skipTest("the build has no driver")
        words = shlex.split(entries[0]["command"])
        folders = ("src/cachemodel", "src/gallium/drivers/tbrsim")
        options = [word for word in words
                   if word.startswith(("-I", "-D", "-std", "-m")) and not word.startswith(("-MQ", "-MF", "-MD"))]
        run(*OPTIONS.cc, "-fsyntax-only", "-Werror", *(f"-I{self.copy / folder}" for folder in folders), *options,
            self.copy / source, cwd=entries[0]["directory"])


class Recordings(unittest.TestCase):
    """What needs no change of the sources: a preset, a reader, a unit."""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.recording = pathlib.Path(self.directory.name) / "random.tbr"
        run(OPTIONS.write_recording, self.recording, 7, 4)

    def tearDown(self):
        self.directory.cleanup()

    def statistics(self, config, *options):
        """The total of a recording's counters."""
        out = pathlib.Path(self.directory.name) / "out"
        run(OPTIONS.tbrsim, "sim", "--config", config, *options, "-o", out, self.recording)
        return json.loads((out / "stats.json").read_text())["total"]

    def test_preset(self):
        preset = FOLDER / "two-cores.yaml"
        flat = dict(line.split("=", 1) for line in run(OPTIONS.tbrsim, "configs", "--flat", preset).splitlines())
        self.assertEqual(flat["caches.texture_cache.size"], "32768")
        self.assertEqual(flat["caches.l2.policy"], "srrip")
        self.assertEqual(flat["tile.size"], "32")
        self.assertGreater(self.statistics(preset)["l2.total.reads"], 0)

    def test_reader(self):
        config = "tcor-baseline-64k"
        lines = list(csv.DictReader(io.StringIO(run(OPTIONS.tile_traffic, config, self.recording))))
        total = self.statistics(config)
        self.assertEqual(sum(int(line["bytes"]) for line in lines),
                         total["dram.total.read_bytes"] + total["dram.total.write_bytes"])
        self.assertEqual({line["frame"] for line in lines}, {"0", "1", "2", "3"})
        self.assertGreater(len({line["tile"] for line in lines}), 3)

    def test_unit(self):
        entries = 8
        accesses = run(OPTIONS.tbrsim, "export", "--format", "streams", "--unit", "l2", self.recording)
        accesses += "I 0x1000 0x2000\nW 0x1000 color\nF\n"
        done = subprocess.run([OPTIONS.next_line, str(entries)], input=accesses, capture_output=True, text=True,
                              check=True)
        expected, recent, reads, prefetches = [], [], 0, 0
        for line in accesses.splitlines():
            expected.append(line)
            if not line.startswith("R"):
                continue
            reads += 1
            _, address, stream = line.split()
            following = int(address, 16) + 64
            if following not in recent:
                recent = [*recent, following][-entries:]
                expected.append(f"R 0x{following:x} {stream}")
                prefetches += 1
        self.assertEqual(done.stdout.splitlines(), expected)
        self.assertEqual(done.stderr, f"next_line.reads {reads}\nnext_line.prefetches {prefetches}\n")
        self.assertTrue(0 < prefetches < reads)
        cache = run(OPTIONS.tbrsim, "cache", "--format", "streams", "--size", "64K", "--ways", "8", "--policy", "lru",
                    "-", input=done.stdout)
        arrived = sum(line[0] in "RW" for line in expected)
        self.assertRegex(cache, rf"^accesses +{arrived} ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tbrsim")
    parser.add_argument("--tile-traffic", dest="tile_traffic")
    parser.add_argument("--next-line", dest="next_line")
    parser.add_argument("--write-recording", dest="write_recording")
    parser.add_argument("--scratch", type=pathlib.Path)
    parser.add_argument("--generated", help="where generated headers are")
    parser.add_argument("--build", type=pathlib.Path, help="the directory of the build")
    parser.add_argument("--cc", action="append")
    parser.add_argument("--renew", action="store_true", help="write what commands print into the tutorials")
    parser.add_argument("group")
    options = parser.parse_args()
    return options


if __name__ == "__main__":
    OPTIONS = main()
    unittest.main(argv=[sys.argv[0], OPTIONS.group], verbosity=2)
