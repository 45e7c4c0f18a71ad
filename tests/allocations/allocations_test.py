# SPDX-License-Identifier: MIT
"""Each command of the cache model with an allocation that fails, any one, or that one and some or all after it: it never
hangs and is never ended by a signal; it succeeds with the result that it always has, or says what is missing, with a status,
and the statistics that are there are the first frames'. --times allocations of each command, chosen by --seed; --times 0:
all."""

import pathlib
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

LONGEST = 120  # seconds; more is a hang
SHORT_WHILE = 30  # allocations that fail in a row
NO_MEMORY = "(o|O)ut of memory|Cannot allocate memory|Resource temporarily unavailable"  # the latter of threads
FULL_RECORDING = tbrsim.SOURCE / "tests/recordings/version-4.tbr"  # of all quads, also those that are hidden
CONFIGS = {"TBRSIM_CONFIG_DIR": str(tbrsim.SOURCE / "configs")}  # the presets of the sources


class Allocations(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.random = random.Random(int(tbrsim.arguments.seed))
        cls.recording = cls.shared / "recording.tbr"
        tbrsim.execute(tbrsim.arguments.write_recording, cls.recording, 7, 4, variables=CONFIGS, check=True)
        cls.statistics = cls.shared / "statistics"
        tbrsim.run("sim", "--out", cls.statistics, "--timing", "on", cls.recording, variables=CONFIGS, check=True)
        cls.selection = cls.shared / "selection.json"
        tbrsim.run("select", "--out", cls.selection, cls.recording, variables=CONFIGS, check=True)
        cls.trace = cls.shared / "accesses.din"
        tbrsim.run("export", "--format", "din", "--unit", "l2", "--out", cls.trace, cls.recording, variables=CONFIGS,
                   check=True)

    def run_with(self, words, which, out, **more):
        """The command with allocations that fail; its status, what it printed and said. Its files are new ones."""
        shutil.rmtree(out, ignore_errors=True)
        variables = CONFIGS | {"LD_PRELOAD": tbrsim.arguments.library, "FAIL_ALLOCATIONS": which,
                               "FAIL_ALLOCATIONS_OF": "tbrsim"} | more
        return tbrsim.run(*words, variables=variables, timeout=LONGEST)

    @staticmethod
    def files(out):
        return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}

    def check_statistics(self, out, whole):
        """What is there of frames is what a whole run has of its first ones."""
        for name in ("stats.json", "frames.csv"):
            for path in out.rglob(name):
                self.assertIn(str(path.relative_to(out)), whole)
        for path in out.rglob("stats.json"):
            statistics = tbrsim.statistics_files.load(path.parent)
            for name, value in statistics["total"].items():
                if name == "fps":  # of a rate, there is no sum
                    continue
                self.assertEqual(value, sum(frame[name] for frame in statistics["frames"]), f"{path}: {name}")
        for path in out.rglob("frames.csv"):
            lines = path.read_bytes().splitlines()
            undisturbed = whole[str(path.relative_to(out))].splitlines()
            if lines[0] == undisturbed[0]:  # of the first frames, there may be fewer columns
                self.assertEqual(lines, undisturbed[:len(lines)])
            tbrsim.statistics_files.load_csv(path.parent)

    def check(self, *words, **variables):
        """A command, of which OUT becomes a directory of its own."""
        out = self.directory / "out"
        count = self.path("count")
        words = [out if word == "OUT" else word for word in words]
        normal = self.run_with(words, "", out, FAIL_ALLOCATIONS_COUNT=str(count), **variables)
        self.assertEqual(normal.returncode, 0, normal.stderr)
        whole = self.files(out) if out.exists() else {}
        number = int(count.read_text())
        times = int(tbrsim.arguments.times)
        chosen = range(1, number + 1) if not times else sorted(
            self.random.randrange(1, number + 1) for _ in range(times))
        refused = 0
        for which in (f"{n}{form}" for n in chosen for form in ("", "-", f"-{n + SHORT_WHILE}")):
            with self.subTest(command=words[0], fails=which, of=number):
                try:
                    result = self.run_with(words, which, out, **variables)
                except subprocess.TimeoutExpired:
                    self.fail(f"it hangs: {' '.join(map(str, words))}")
                if result.returncode == 0:
                    self.assertEqual(result.stdout, normal.stdout)
                    self.assertEqual(self.files(out) if out.exists() else {}, whole)
                    continue
                refused += 1
                self.assertIn(result.returncode, (1, 2), result.stderr)
                self.assertRegex(result.stderr, f"(?m)^tbrsim: .*({NO_MEMORY})")
                if out.exists():
                    self.check_statistics(out, whole)
        print(f"{' '.join(map(str, words))}: {number} allocations, {len(chosen)} of them failed, {refused} refused")
        self.assertTrue(refused or not chosen)

    def test_sim(self):
        self.check("sim", "--out", "OUT", self.recording)

    def test_sim_threads(self):
        self.check("sim", "--jobs", 3, "--model-threads", 3, "--out", "OUT", self.recording)

    def test_sim_threads_growing(self):
        """What threads hand over of many misses."""
        self.check("sim", "--jobs", 3, "--model-threads", 3, "--set", "caches.texture_cache.size=64", "--set",
                   "caches.texture_cache.ways=1", "--out", "OUT", self.recording, FAIL_ALLOCATIONS_GROWING="16384")

    def test_sim_nuca_growing(self):
        """The same of requests, which the timing gets with what they cause."""
        self.check("sim", "--jobs", 3, "--model-threads", 3, "--config", "nuca-dtm", "--timing", "on", "--set",
                   "nuca.requests=texel", "--set", "caches.texture_cache.size=512", "--out", "OUT", self.recording,
                   FAIL_ALLOCATIONS_GROWING="16384")

    def test_sim_immediate_growing(self):
        """And of primitives, with the timing's calls."""
        self.check("sim", "--jobs", 3, "--model-threads", 3, "--config", "imr-8m", "--timing", "on", "--out", "OUT",
                   FULL_RECORDING, FAIL_ALLOCATIONS_GROWING="16384")

    def test_sim_timing(self):
        self.check("sim", "--timing", "on", "--timeline", "11", "--out", "OUT", self.recording)

    def test_sim_configurations(self):
        self.check("sim", "--jobs", 3, "--out", "OUT", "--csv", "--vary", "l2.size=256K,1M", "--vary", "l2.policy=lru,opt",
                   self.recording)

    def test_sim_attributed(self):
        self.check("sim", "--attribute", "draw,texture,tile", "--out", "OUT", self.recording)

    def test_sim_selected(self):
        self.check("sim", "--selected", self.selection, "--out", "OUT", self.recording)

    def test_sweep(self):
        self.check("sweep", "--jobs", 2, "--stream", "pb_attribute", "--size", "16K,64K", "--ways", "4,full", "--policy",
                   "lru,opt", self.recording)

    def test_analyze(self):
        self.check("analyze", "--config", "tcor-baseline-64k", self.recording)

    def test_advise(self):
        self.check("advise", self.recording)

    def test_export(self):
        self.check("export", "--format", "din", "--unit", "l2", self.recording)

    def test_export_events(self):
        self.check("export", "--format", "events", "--table", "quads", self.recording)

    def test_llc(self):
        self.check("llc", "--policy", "drrip,gspc,opt", self.recording)

    def test_select(self):
        self.check("select", "--out", "OUT", self.recording)

    def test_info(self):
        self.check("info", "--json", self.recording)

    def test_cache(self):
        self.check("cache", "--size", "1M", "--ways", "16", "--policy", "opt", self.trace)

    def test_energy(self):
        self.check("energy", self.statistics)

    def test_configs(self):
        self.check("configs", "tcor-64k")
        self.check("counters")


if __name__ == "__main__":
    tbrsim.main("library", "write-recording", times="2", seed="1")
