# SPDX-License-Identifier: MIT
"""tbrsim sweep: its points against the counters of tbrsim sim and the counts of tbrsim cache over the same
recording, its formats against one another, and what it says to bad input."""

import csv
import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

COLUMNS = ["policy", "size_bytes", "ways", "sets", "accesses", "reads", "writes", "hits", "misses", "read_misses",
           "write_misses", "bypasses", "writebacks", "miss_ratio", "lower_bound_misses"]
COUNTS = COLUMNS[4:13]
POLICIES = "lru,mru,fifo,random,nru,tree-plru,srrip,brrip,drrip,drrip4,ship-mem,opt,optpt,perfect"


class Sweep(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shadow, cls.texture = cls.recordings = [tbrsim.record(cls.shared, name, "--no-model")
                                                    for name in ("glmark2_shadow", "glmark2_texture")]

    def sweep(self, recording, *arguments):
        """The points by policy, size and ways."""
        rows = list(csv.DictReader(io.StringIO(self.fine("sweep", "--csv", *arguments, recording))))
        self.assertEqual(list(rows[0]), COLUMNS)
        points = {}
        for row in rows:
            key = (row["policy"], int(row["size_bytes"]), int(row["ways"]))
            self.assertNotIn(key, points)
            point = points[key] = {name: int(row[name]) for name in COUNTS + ["sets"]}
            point["lower_bound"] = int(row["lower_bound_misses"]) if row["lower_bound_misses"] else None
            self.assertEqual(point["reads"] + point["writes"], point["accesses"])
            self.assertEqual(point["hits"] + point["misses"] + point["bypasses"], point["accesses"])
            self.assertEqual(point["read_misses"] + point["write_misses"], point["misses"])
            self.assertGreater(point["accesses"], 0)
            self.assertAlmostEqual(float(row["miss_ratio"]),
                                   (point["misses"] + point["bypasses"]) / point["accesses"], places=8)
        return points

    @staticmethod
    def simulate(recording, *arguments):
        return tbrsim.simulate(recording, *arguments)["total"]

    def check_unit(self, point, total, unit):
        for name in ("reads", "writes", "hits", "misses", "bypasses", "writebacks"):
            self.assertEqual(point[name], total.get(f"{unit}.total.{name}", 0), f"{unit} {name}")

    def test_point_is_the_unit(self):
        """What arrives at a unit makes a cache of its shape do what the unit does; invalidations included."""
        invalidations = 0
        for recording in self.recordings:
            points = self.sweep(recording, "--unit", "l2", "--size", "64K,256K", "--ways", "8,16", "--policy", POLICIES)
            self.assertEqual(len(points), 4 * 14)
            self.assertTrue(all(point["lower_bound"] is None for point in points.values()))
            for policy in ("lru", "mru", "srrip", "drrip", "ship-mem", "opt", "optpt"):
                total = self.simulate(recording, "--set", "caches.l2.size=65536", "--set", f"caches.l2.policy={policy}")
                self.check_unit(points[policy, 65536, 8], total, "l2")
                invalidations += total["l2.total.invalidations"]
        self.assertGreater(invalidations, 0)

    def test_stream_is_a_cache_of_its_own(self):
        """Textures as they leave the pipeline: one texture cache for all processors."""
        settings = ("--set", "caches.texture_cache.instances=1", "--set", "caches.texture_cache.size=16384")
        for recording in self.recordings:
            points = self.sweep(recording, "--stream", "Texture", "--size", "4k,16KB", "--ways", "4,FULL", "--policy",
                                "LRU,belady,nru")
            timed = self.sweep(recording, "--timing", "on", "--stream", "texture", "--size", "4k", "--ways", "4", "--policy", "lru")
            self.assertEqual(timed["lru", 4096, 4], points["lru", 4096, 4])
            for policy in ("lru", "opt", "nru"):
                total = self.simulate(recording, *settings, "--set", f"caches.texture_cache.policy={policy}")
                self.check_unit(points[policy, 16384, 4], total, "texture_cache")

    def test_nuca(self):
        """A NUCA is a way of serving what arrives at the texture caches; after them it makes a difference."""
        none = ("--set", "nuca.organisation=none")
        for whose in (("--stream", "texture"), ("--stream", "pb_attribute"), ("--unit", "texture_cache"),
                      ("--unit", "l2")):
            options = ("--config", "nuca-dtm", *whose, "--size", "16K,64K", "--ways", "4", "--policy", "lru,opt")
            same = self.sweep(self.texture, *options) == self.sweep(self.texture, *none, *options)
            self.assertEqual(same, whose != ("--unit", "l2"), whose)

    def test_parameter_buffer(self):
        """A single pass begins with an empty cache in any simulation."""
        points = self.sweep(self.texture, "--stream", "pb_list,pb_attribute", "--size", "1K", "--ways", "2", "--policy",
                            "lru,mru,opt,optpt", "--frames", "1")
        for policy in ("lru", "mru", "opt", "optpt"):
            total = self.simulate(self.texture, "--frames", "1", "--set", "caches.tile_cache.size=1024", "--set",
                                  "caches.tile_cache.ways=2", "--set", f"caches.tile_cache.policy={policy}")
            self.assertEqual(total["gpu.passes"], 1)
            self.check_unit(points[policy, 1024, 2], total, "tile_cache")
        self.assertGreater(points["lru", 1024, 2]["misses"], points["lru", 1024, 2]["lower_bound"])
        point = self.sweep(self.texture, "--unit", "tile_cache", "--size", "1K", "--ways", "2", "--policy",
                           "lru,mru,opt,optpt", "--frames", "1")
        self.assertEqual(point, points)

    def test_lower_bound(self):
        """A pass' attributes are written once and read at least once (TCOR V-A): with room for all of them, each is
        missed once; without any, at least twice. Nothing is below, nothing below opt, and optpt is not above it."""
        for recording in self.recordings:
            options = ("--stream", "pb_attribute", "--ways", "1,full", "--policy")
            points = self.sweep(recording, *options, POLICIES, "--size", "64,1K,4K,16K,64K")
            points |= self.sweep(recording, *options, "lru,opt,optpt", "--size", "1M,16M")
            for (policy, size, ways), point in points.items():
                misses = point["misses"] + point["bypasses"]
                if policy == "perfect":
                    self.assertIsNone(point["lower_bound"])
                    self.assertEqual(misses, 0)
                    continue
                self.assertGreaterEqual(misses, point["lower_bound"])
                self.assertLessEqual(points["optpt", size, ways]["misses"] + points["optpt", size, ways]["bypasses"],
                                     misses)
                if policy != "optpt":
                    self.assertLessEqual(points["opt", size, ways]["misses"], misses)
            writes = points["lru", 64, 1]["writes"]
            self.assertEqual(points["lru", 1 << 24, 1 << 18]["lower_bound"], writes)
            self.assertEqual(points["lru", 1 << 24, 1 << 18]["misses"], writes)
            self.assertGreater(points["lru", 64, 1]["lower_bound"], writes)
            sizes = sorted({size for _, size, _ in points})
            for policy in ("lru", "opt", "optpt"):
                misses = [points[policy, size, size // 64]["misses"] + points[policy, size, size // 64]["bypasses"]
                          for size in sizes]
                self.assertEqual(misses, sorted(misses, reverse=True))
                self.assertGreater(misses[0], misses[-1])

    def test_primitives(self):
        """A primitive is written once and read once for each PMD, whatever the number of its attributes."""
        for recording in self.recordings:
            points = self.sweep(recording, "--stream", "pb_attribute", "--primitives", "--size", "64,1K,16M", "--ways",
                                "full", "--policy", "lru,opt")
            total = self.simulate(recording)
            self.assertGreater(total["tiling_engine.attributes"], total["tiling_engine.primitives"])
            for point in points.values():
                self.assertEqual(point["writes"], total["tiling_engine.primitives"])
                self.assertEqual(point["reads"], total["tiling_engine.pmds"])
            self.assertEqual(points["lru", 1 << 24, 1 << 18]["misses"], total["tiling_engine.primitives"])
            self.assertGreater(points["opt", 64, 1]["lower_bound"], total["tiling_engine.primitives"])
        options = ("--size", "4K", "--ways", "4", "--policy", "lru", "--primitives")
        for wrong in (("--stream", "texture"), ("--unit", "tile_cache"), ("--stream", "pb_list,pb_attribute"),
                      ("--stream", "pb_attribute", "--block", "128")):
            result = tbrsim.run("sweep", *options, *wrong, self.texture)
            self.assertEqual(result.returncode, 2, wrong)
            self.assertIn("--primitives: expected --stream pb_attribute", result.stderr)

    def test_passes_begin_empty(self):
        """Frames one by one are all frames together."""
        options = ("--stream", "pb_attribute", "--size", "4K,64K", "--ways", "4", "--policy", "lru,opt,optpt,fifo")
        both = self.sweep(self.texture, *options, "--frames", "1-2")
        first, second = (self.sweep(self.texture, *options, "--frames", frame) for frame in ("1", "2"))
        for key, point in both.items():
            for name in COUNTS + ["lower_bound"]:
                self.assertEqual(point[name], first[key][name] + second[key][name])

    def test_threads_and_formats(self):
        options = ("--unit", "l2", "--size", "16K,64K", "--ways", "4,full", "--policy", POLICIES, "--index", "xor",
                   "--block", "128", "--config", "boustro-fo", "--set", "caches.l2.policy=opt")
        one, many = (self.fine("sweep", "--csv", "--jobs", jobs, *options, self.shadow) for jobs in (1, 7))
        self.assertEqual(one, many)
        self.assertGreater(one.count("\n"), 10)
        # The other formats, of fewer accesses.
        options = ("--frames", "0", *options)
        one = self.fine("sweep", "--csv", *options, self.shadow)
        file = self.directory / "points.json"
        self.assertEqual(self.fine("sweep", "--json", "--out", file, *options, self.shadow), "")
        report = json.loads(file.read_text(encoding="utf-8"))
        self.assertEqual((report["block_bytes"], report["index"], report["accesses_of"], report["empty_at_each_pass"]),
                         (128, "xor", "l2", False))
        rows = list(csv.DictReader(io.StringIO(one)))
        self.assertEqual(len(rows), len(report["points"]))
        for row, point in zip(rows, report["points"]):
            self.assertEqual(list(point), COLUMNS)
            self.assertEqual({name: row[name] for name in COLUMNS[:13]},
                             {name: str(point[name]) for name in COLUMNS[:13]})
        table = self.fine("sweep", *options, self.shadow)
        for point in report["points"]:
            self.assertIn(str(point["misses"]), table)

    def test_warm_up(self):
        """Frames that fill the caches and are not counted, as in tbrsim sim; in every round of the simulation."""
        options = ("--frames", "0-3", "--warm-up", "2")
        points = self.sweep(self.shadow, "--unit", "l2", *options, "--size", "64K", "--ways", "8", "--policy",
                            "lru,srrip,opt,optpt,perfect")
        for (policy, size, ways), point in points.items():
            total = self.simulate(self.shadow, *options, "--set", f"caches.l2.size={size}", "--set",
                                  f"caches.l2.ways={ways}", "--set", f"caches.l2.policy={policy}")
            self.check_unit(point, total, "l2")
        # Of the Parameter Buffer each pass stands by itself: bounds as well.
        options = ("--stream", "pb_attribute", "--size", "4K", "--ways", "4,full", "--policy", "lru,opt")
        warm, cold = (self.sweep(self.shadow, "--frames", frames, "--warm-up", count, *options)
                      for frames, count in (("0-3", 2), ("2-3", 0)))
        self.assertEqual(warm, cold)
        self.refused(["--warm-up 2 leaves no frame of 2"], "--frames", "0-1", "--warm-up", "2")

    def test_streams_at_a_unit(self):
        """Of what arrives at the L2, the streams' accesses alone; as tbrsim cache counts what export tells of them."""
        for streams in (["texture"], ["color", "texture"]):
            options = ("--unit", "l2", "--set", "streams.color=l2")
            points = self.sweep(self.shadow, *options, "--stream", ",".join(streams), "--size", "64K,256K", "--ways", "8",
                                "--policy", "lru,srrip,opt")
            lines = self.fine("export", "--format", "streams", *options, self.shadow).splitlines()
            accesses = "".join(f"{line}\n" for line in lines if line[0] == "I" or line.split()[-1] in streams)
            for (policy, size, ways), point in points.items():
                counts = json.loads(self.fine("cache", "--json", "--size", size, "--ways", ways, "--policy", policy,
                                              "-", data=accesses))
                self.assertEqual((int(point["accesses"]), int(point["misses"])), (counts["accesses"], counts["misses"]))
                self.assertGreater(counts["misses"], 0)

    def test_full_is_said_once(self):
        points = self.sweep(self.texture, "--stream", "pb_list", "--size", "1K,4K", "--ways", "16,full", "--policy", "lru")
        self.assertEqual(sorted(points), [("lru", 1024, 16), ("lru", 4096, 16), ("lru", 4096, 64)])

    def refused(self, words, *arguments):
        defaults = {"--stream": "texture", "--size": "4K", "--ways": "4", "--policy": "lru"}
        given = dict(zip(arguments[::2], arguments[1::2]))
        options = [word for name, value in (defaults | given).items() if value is not None for word in (name, value)]
        result = tbrsim.run("sweep", *options, self.texture)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_ranges(self):
        """A range is its powers of two."""
        options = ("--stream", "texture", "--policy", "lru", "--frames", "1-1")
        self.assertEqual(self.sweep(self.texture, *options, "--size", "4K..32K,48K", "--ways", "2..4,full"),
                         self.sweep(self.texture, *options, "--size", "4K,8K,16K,32K,48K", "--ways", "2,4,full"))
        self.refused(["--size 4K..9K: expected A..B"], "--size", "4K..9K")
        self.refused(["--size", "twice"], "--size", "4K..16K,8K")

    def test_bad_options(self):
        self.refused(["--stream, --unit or both"], "--stream", None)
        self.refused(["--unit texture_cache", "vertex does not arrive there"], "--unit", "texture_cache", "--stream",
                     "texture,vertex")
        for option in ("--size", "--ways", "--policy"):
            self.refused([f"{option} is missing"], option, None)
        self.refused(["--stream", "expected one of", "pb_attribute"], "--stream", "textures")
        self.refused(["--stream", "twice"], "--stream", "texture,texture")
        self.refused(["--unit l3", "expected one of"], "--stream", None, "--unit", "l3")
        self.refused(["--unit attribute_cache", "no such cache"], "--stream", None, "--unit", "attribute_cache")
        self.refused(["--size", "expected a number"], "--size", "4K,big")
        self.refused(["--size", "expected a number"], "--size", "4K,")
        self.refused(["--size", "at least one block"], "--size", "0")
        self.refused(["--size", "power of two"], "--size", "4K,24K", "--index", "xor")
        self.refused(["--size", "no multiple"], "--size", "100")
        self.refused(["--ways", "at least 1, or full"], "--ways", "0")
        self.refused(["--ways", "out of range"], "--ways", "524288", "--size", "32M")
        self.refused(["--ways", "twice"], "--ways", "full,full")
        self.refused(["--policy", "expected one of", "optpt"], "--policy", "lru,clock")
        self.refused(["tcor needs the finished tiles"], "--policy", "tcor")
        self.refused(["tree-plru", "power of two"], "--policy", "lru,tree-plru", "--ways", "3", "--size", "12K")
        self.refused(["--block", "power of two"], "--block", "48")
        self.refused(["--block 32", "64"], "--stream", None, "--unit", "l2", "--block", "32")
        self.refused(["--index", "modulo, xor"], "--index", "prime")
        self.refused(["--jobs"], "--jobs", "0")
        self.refused(["--frames"], "--frames", "5-4")
        self.refused(["nothing", "preset"], "--config", "nothing")
        self.refused(["tile.size"], "--set", "tile.size=16")
        self.refused(["unknown option", "--waze"], "--waze", "4")
        for files, words in (((), "no recording"), ((self.texture, self.texture), "more than one recording")):
            result = tbrsim.run("sweep", "--stream", "texture", "--size", "4K", "--ways", "4", "--policy", "lru", *files)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)

    def test_bad_files(self):
        options = ("--stream", "texture", "--size", "4K", "--ways", "4", "--policy", "lru")
        for arguments in (("/nonexistent.tbr",), (__file__,), ("--out", "/nonexistent/points.csv", self.texture)):
            result = tbrsim.run("sweep", *options, *arguments)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        result = tbrsim.run("sweep", *options, "--out", "/dev/full", self.texture)
        self.assertEqual(result.returncode, 1)
        self.assertIn("/dev/full", result.stderr)

    def test_help(self):
        out = self.fine("sweep", "--help")
        for word in ("--stream", "--unit", "begins with an empty cache", "optpt", "srrip"):
            self.assertIn(word, out)


if __name__ == "__main__":
    tbrsim.main()
