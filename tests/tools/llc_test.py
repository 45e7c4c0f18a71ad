# SPDX-License-Identifier: MIT
"""tbrsim llc: its caches against the counters of tbrsim sim over the same recording, its profile against a recount of
the accesses that tbrsim export writes, its formats against one another, and what it says to bad input."""

import collections
import csv
import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

ALL = ["nru", "lru", "srrip", "drrip", "drrip4", "gs-drrip", "gs-drrip4", "ship-mem", "gspztc", "gspztc-tse", "gspc",
       "opt"]
COUNTS = ["reads", "writes", "hits", "misses", "bypasses", "evictions", "writebacks"]
# A small last-level cache that all streams reach.
SETTINGS = ["caches.l2.size=262144", "caches.l2.ways=16", "streams.color=l2", "streams.depth=l2", "streams.stencil=l2"]
GROUPS = {"vertex": "vertex", "index": "vertex", "hiz": "hiz", "depth": "z", "stencil": "stencil",
          "color": "render_target", "texture": "texture", "display": "display"}


def settings(*more):
    return [word for setting in [*SETTINGS, *more] for word in ("--set", setting)]


class Llc(tbrsim.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shadow, cls.desktop = (tbrsim.record(cls.shared, name, "--no-model")
                                   for name in ("glmark2_shadow", "glmark2_desktop"))

    def compare(self, recording, *arguments):
        return json.loads(self.fine("llc", "--json", *settings(), *arguments, recording))["recordings"][0]

    def caches(self, recording, *arguments):
        """By policy, threshold and the stream that passes by; conservation is checked."""
        caches = {}
        for cache in self.compare(recording, *arguments)["caches"]:
            key = (cache["policy"], cache["threshold"], cache["uncached"])
            self.assertNotIn(key, caches)
            caches[key] = cache
            streams = dict(cache["streams"])
            total = streams.pop("total")
            for name in ["accesses", *COUNTS]:
                self.assertEqual(sum(stream[name] for stream in streams.values()), total[name])
            for stream in [*streams.values(), total]:
                self.assertEqual(stream["accesses"], stream["reads"] + stream["writes"])
                self.assertEqual(stream["accesses"], stream["hits"] + stream["misses"] + stream["bypasses"])
            self.assertEqual(cache["misses"], total["misses"] + total["bypasses"])
            self.assertEqual(cache["misses"], sum(cache["misses_by_frame"]))
            self.assertEqual({name: group["accesses"] for name, group in cache["groups"].items() if group["accesses"]},
                             self.grouped(streams, "accesses"))
            self.assertEqual({name: group["hits"] for name, group in cache["groups"].items() if group["accesses"]},
                             self.grouped(streams, "hits"))
        return caches

    @staticmethod
    def grouped(streams, count):
        groups = collections.Counter()
        for name, stream in streams.items():
            groups[GROUPS.get(name, "other")] += stream[count]
        return dict(groups)

    def simulate(self, recording, *arguments):
        """Counters frame by frame."""
        return tbrsim.simulate(recording, *settings(*arguments[1:]), "--frames", arguments[0])["frames"]

    def check_cache(self, cache, frames, warm_up, unit="l2"):
        self.assertEqual(cache["misses_by_frame"], [frame[f"{unit}.total.misses"] + frame[f"{unit}.total.bypasses"]
                                                    for frame in frames[warm_up:]])
        for stream, counts in cache["streams"].items():
            for name in COUNTS:
                self.assertEqual(counts[name], sum(frame.get(f"{unit}.{stream}.{name}", 0) for frame in frames[warm_up:]),
                                 f"{cache['policy']} {stream} {name}")

    def test_as_sim(self):
        """To the last miss, warm."""
        thresholds = {policy: 8 for policy in ("gspztc", "gspztc-tse", "gspc")}
        for recording, policies in ((self.shadow, [*ALL, "optpt", "fifo"]), (self.desktop, ["drrip", "gspc", "opt"])):
            caches = self.caches(recording, "--policy", ",".join(policies), "--uncached", "color", "--frames", "0-1",
                                 "--warm-up", "1")
            self.assertEqual(len(caches), 2 * len(policies))
            misses = set()
            for policy in policies:
                for uncached in (None, "color") if policy in ("drrip", "gspc", "opt") else (None,):
                    frames = self.simulate(recording, "0-1", f"caches.l2.policy={policy}",
                                           f"caches.l2.uncached={uncached or 'none'}")
                    cache = caches[policy, thresholds.get(policy), uncached]
                    self.check_cache(cache, frames, 1)
                    self.assertGreaterEqual(cache["misses"], caches["opt", None, uncached]["misses"] *
                                            (policy != "optpt"))
                    misses.add(cache["misses"])
            self.assertGreater(len(misses), len(policies) / 2)

    def test_immediate_mode(self):
        """The LLC of GSPC's GPU, which is found; displayable colour may pass by."""
        comparison = json.loads(self.fine("llc", "--json", "--config", "imr-8m", "--size", "1M", "--policy",
                                          "drrip,gspc,opt", "--uncached", "display", "--frames", "0-1", "--warm-up", "1",
                                          self.desktop))["recordings"][0]
        self.assertEqual((comparison["unit"], len(comparison["caches"])), ("llc", 6))
        for cache in comparison["caches"]:
            frames = tbrsim.simulate(self.desktop, "--config", "imr-8m", "--set", "caches.llc.size=1048576", "--set",
                                     f"caches.llc.policy={cache['policy']}", "--set",
                                     f"caches.llc.uncached={cache['uncached'] or 'none'}", "--frames", "0-1")["frames"]
            self.check_cache(cache, frames, 1, "llc")
            for group in "render_target", "texture", "display":
                self.assertGreater(cache["groups"][group]["accesses"], 0)
            self.assertEqual(cache["streams"]["display"]["bypasses"] > 0, cache["uncached"] == "display")

    def test_invalidations(self):
        """Render targets that go to memory past the cache, which has them as textures."""
        past = ("streams.color=dram", "caches.l2.size=4194304")
        policies = ["lru", "drrip", "ship-mem", "gspc", "opt"]
        caches = self.caches(self.desktop, "--set", past[0], "--set", past[1], "--policy", ",".join(policies), "--frames",
                             "0-1", "--warm-up", "1", "--profile")
        for (policy, _, _), cache in caches.items():
            frames = self.simulate(self.desktop, "0-1", *past, f"caches.l2.policy={policy}")
            self.check_cache(cache, frames, 1)
            self.check_profile(cache)
            self.assertGreater(sum(frame["l2.total.invalidations"] for frame in frames[1:]), 0)

    def test_thresholds_and_sizes(self):
        comparison = self.compare(self.shadow, "--policy", "gspztc:2,gspztc:16,gspc:128", "--size", "256K,1M",
                                  "--frames", "0-2", "--warm-up", "0")
        self.assertEqual(comparison["frames"], 3)
        self.assertEqual([(cache["threshold"], cache["size_bytes"]) for cache in comparison["caches"]],
                         [(t, size) for t in (2, 16, 128) for size in (1 << 18, 1 << 20)])
        for cache in comparison["caches"]:
            frames = self.simulate(self.shadow, "0-2", f"caches.l2.size={cache['size_bytes']}",
                                   f"caches.l2.policy={cache['policy']}",
                                   f"caches.l2.gspc.threshold={cache['threshold']}")
            self.check_cache(cache, frames, 0)

    def test_choices(self):
        """What the RRIP policies' papers leave open, as keys of the configuration."""
        policies = {"drrip:hash": ("drrip", "leaders=hash"), "gs-drrip:bank": ("gs-drrip", "leaders=bank")}
        comparison = self.compare(self.shadow, "--policy", ",".join(policies), "--frames", "0-2", "--warm-up", "0")
        for cache, (word, (policy, key)) in zip(comparison["caches"], policies.items()):
            self.assertEqual((cache["policy"], cache["setting"]), tuple(word.split(":")))
            frames = self.simulate(self.shadow, "0-2", f"caches.l2.policy={policy}", f"caches.l2.rrip.{key}")
            self.check_cache(cache, frames, 0)

    def test_oracle(self):
        """What gspc would do if it knew the frame: other misses, of the same accesses, cold and warm."""
        for cold in ((), ("--cold-frames",)):
            caches = self.caches(self.desktop, "--policy", "gspc,gspc-oracle,gspc-frame-oracle,gspc-block-oracle,opt",
                                 "--frames", "0-2", *cold)
            learns, best = caches["gspc", 8, None], caches["opt", None, None]
            for knows in (caches[f"gspc{oracle}", 8, None] for oracle in ("-oracle", "-frame-oracle", "-block-oracle")):
                self.assertEqual(len(knows["misses_by_frame"]), len(learns["misses_by_frame"]))
                self.assertEqual(knows["streams"]["total"]["accesses"], learns["streams"]["total"]["accesses"])
                self.assertNotEqual(knows["misses"], learns["misses"])
                self.assertGreaterEqual(knows["misses"], best["misses"])

    def test_cold_frames(self):
        """A frame alone is cold in any simulation; in a row, each frame begins with nothing."""
        policies = ("--policy", "lru,drrip,ship-mem,gspc,opt", "--size", "4M")
        for policy in ("lru", "drrip", "ship-mem", "gspc", "opt"):
            cache = self.caches(self.shadow, *policies, "--cold-frames", "--frames", "1")[
                policy, 8 if policy == "gspc" else None, None]
            self.check_cache(cache, self.simulate(self.shadow, "1", f"caches.l2.policy={policy}",
                                                    "caches.l2.size=4194304"), 0)
        cold = self.caches(self.shadow, *policies, "--cold-frames", "--frames", "1-3")
        warm = self.caches(self.shadow, *policies, "--warm-up", "0", "--frames", "1-3")
        for key, cache in cold.items():
            self.assertEqual(len(cache["misses_by_frame"]), 3)
            self.assertEqual(cache["streams"]["total"]["accesses"], warm[key]["streams"]["total"]["accesses"])
            if key[0] != "opt":  # whose first frame knows the next ones
                self.assertEqual(cache["misses_by_frame"][0], warm[key]["misses_by_frame"][0])
        self.assertGreater(cold["lru", None, None]["misses"], warm["lru", None, None]["misses"])

    def test_profile_changes_nothing(self):
        options = ("--uncached", "texture", "--frames", "0-2")
        plain, profiled = (self.caches(self.shadow, *options, *more) for more in ((), ("--profile",)))
        for key, cache in profiled.items():
            self.assertEqual(cache["streams"], plain[key]["streams"])
            self.assertNotIn("profile", plain[key])
            self.check_profile(cache)

    def check_profile(self, cache):
        profile, groups = cache["profile"], cache["groups"]
        self.assertEqual(profile["inter_stream_hits"] + profile["intra_stream_hits"], groups["texture"]["hits"])
        self.assertEqual(profile["consumed"], profile["inter_stream_hits"])
        self.assertEqual(profile["intra_stream_hits"],
                         sum(profile["texture_epochs"]["hits"]) + profile["first_texture_hits"])
        for epochs in (profile["texture_epochs"], profile["z_epochs"]):
            for k in range(3):
                entered = epochs["entered"]
                self.assertEqual(epochs["hits"][k], entered[k + 1])
                self.assertAlmostEqual(epochs["death_ratios"][k],
                                       (entered[k] - entered[k + 1]) / entered[k] if entered[k] else 0, places=9)
        predicts = cache["policy"] not in ("nru", "lru", "opt")
        for group in groups.values():
            self.assertLessEqual(group["distant_fills"], group["fills"] if predicts else 0)

    def test_recount(self):
        """The profile of lru and of srrip, recounted from the accesses."""
        seen = self.recount(self.desktop, "srrip") | self.recount(self.shadow, "lru")
        for counter in "consumed", "first", "texture hits 2", "z hits 0":
            self.assertIn(counter, seen)

    def recount(self, recording, policy):
        """What has been counted of anything."""
        accesses = self.fine("export", "--format", "streams", "--unit", "l2", "--frames", "0-1", *settings(),
                             recording).splitlines()
        caches = self.caches(recording, "--policy", "lru,srrip,gspztc", "--profile", "--frames", "0-1", "--warm-up", "1",
                             "--size", "4M")
        recount = Recount(policy, sets=4096, ways=16)
        recount.run(accesses, warm_up=1)
        cache = caches[policy, None, None]
        for name, count in recount.counts().items():
            self.assertEqual(cache["profile"][name], count, f"{policy} {name}")
        for name in ("texture", "z"):
            for kind in ("entered", "hits"):
                self.assertEqual(cache["profile"][f"{name}_epochs"][kind],
                                 [recount.counters[f"{name} {kind} {k}"] for k in range(4)])
        for stream, counts in cache["streams"].items():
            if stream != "total":
                self.assertEqual(counts["hits"], recount.counters[f"{stream} hits"])
        # Long insertions alone; near ones of render targets, which are never distant.
        self.assertEqual({group["distant_fills"] for group in caches["srrip", None, None]["groups"].values()}, {0})
        self.assertEqual(caches["gspztc", 8, None]["groups"]["render_target"]["distant_fills"], 0)
        return {counter for counter, count in recount.counters.items() if count}

    def test_distant_fills(self):
        """brrip: all but every 32nd block; drrip: some."""
        caches = self.caches(self.shadow, "--policy", "brrip,brrip4,drrip", "--profile", "--frames", "0-2", "--warm-up",
                             "0")
        for policy in "brrip", "brrip4":
            groups = caches[policy, None, None]["groups"].values()
            fills = sum(group["fills"] for group in groups)
            self.assertEqual(sum(group["distant_fills"] for group in groups), fills - fills // 32)
        groups = caches["drrip", None, None]["groups"]
        self.assertGreater(groups["texture"]["distant_fills"], 0)

    def test_threads_and_formats(self):
        options = ("--policy", "lru,drrip,drrip:hash,gspc,gspc-oracle,gspc-frame-oracle,gspc-block-oracle,opt", "--uncached", "color",
                   "--profile", "--frames",
                   "0", *settings())
        one, many = (self.fine("llc", "--json", "--jobs", jobs, *options, self.shadow, self.desktop)
                     for jobs in (1, 7))
        self.assertEqual(one, many)
        recordings = json.loads(one)["recordings"]
        self.assertEqual([recording["file"] for recording in recordings], [str(self.shadow), str(self.desktop)])
        file = self.directory / "llc.csv"
        self.assertEqual(self.fine("llc", "--csv", "--out", file, *options, self.shadow, self.desktop), "")
        rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
        expected = [(recording["file"], cache, stream) for recording in recordings for cache in recording["caches"]
                    for stream in cache["streams"]]
        self.assertEqual(len(rows), len(expected))
        for row, (name, cache, stream) in zip(rows, expected):
            self.assertEqual((row["file"], row["policy"], row["uncached"], row["stream"]),
                             (name, cache["policy"], cache["uncached"] or "", stream))
            self.assertEqual(row["threshold"], str(cache["threshold"] or ""))
            self.assertEqual(row["setting"], cache["setting"] or "")
            for count in ("accesses", *COUNTS):
                self.assertEqual(row[count], str(cache["streams"][stream][count]))
        table = self.fine("llc", *options, self.shadow, self.desktop)
        for recording in recordings:
            for cache in recording["caches"]:
                self.assertIn(str(cache["misses"]), table)

    def refused(self, words, *arguments):
        result = tbrsim.run("llc", *arguments, self.shadow)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_bad_options(self):
        self.refused(["--unit dram", "no such cache"], "--unit", "dram")
        self.refused(["--unit attribute_cache", "no such cache"], "--unit", "attribute_cache")
        self.refused(["--unit texture_cache", "l2 comes after it"], "--unit", "texture_cache")
        self.refused(["vertex_cache", "l2", "--unit"], "--set", "caches.vertex_cache.next=dram")
        self.refused(["tcor needs the finished tiles", "tbrsim sim"], "--policy", "tcor")
        self.refused(["--policy lru:4", "gspztc"], "--policy", "lru:4")
        self.refused(["--policy gspc:", "threshold"], "--policy", "gspc:")
        self.refused(["--policy gspc:256", "threshold"], "--policy", "gspc:256")
        self.refused(["threshold", "power of two"], "--policy", "gspc:3")
        self.refused(["--policy drrip", "one of", "complement"], "--policy", "drrip:half")
        self.refused(["--policy ship-mem:8", "expected gspztc"], "--policy", "ship-mem:8")
        self.refused(["--policy drrip-oracle", "gspc-oracle"], "--policy", "drrip-oracle")
        self.refused(["lru", "twice"], "--policy", "lru,drrip,lru")
        self.refused(["--uncached", "expected one of"], "--uncached", "screen")
        self.refused(["power of two"], "--size", "3M")
        self.refused(["gspztc", "sets"], "--size", "4K")
        self.refused(["one configuration"], "--config", "boustro-fo", "--config", "boustro-ro")
        self.refused(["unknown option", "--stream"], "--stream", "texture")
        result = tbrsim.run("llc")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
        for arguments in (("/nonexistent.tbr",), (__file__,), ("--out", "/nonexistent/llc.csv", self.shadow),
                          ("--out", "/dev/full", self.shadow)):
            result = tbrsim.run("llc", "--policy", "lru", *arguments)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)


class Recount:
    """GSPC 2.3, block by block: a cache of dictionaries, and what becomes of the blocks in it."""

    def __init__(self, policy, sets, ways):
        self.policy, self.ways = policy, ways
        # In each set: block → its way, in the order of last uses (lru), or its prediction (srrip).
        self.sets = [{} for _ in range(sets)]
        self.free = [list(range(ways)) for _ in range(sets)]
        self.lives = {}  # block → [owner, epoch, whether it is a render target, whether it has depth]
        self.counters = collections.Counter()

    def run(self, lines, warm_up):
        frames = 0
        for line in lines:
            kind, *words = line.split()
            if kind == "F":
                frames += 1
                if frames == warm_up:
                    self.counters.clear()
            elif kind == "I":
                first, last = (int(word, 16) >> 6 for word in words)
                for block in [block for block in self.lives if first <= block < last]:
                    self.drop(block)
            else:
                self.access(int(words[0], 16) >> 6, words[1])

    def drop(self, block):
        number = block % len(self.sets)
        self.free[number].append(self.sets[number].pop(block)[0])
        del self.lives[block]

    def look_up(self, block):
        """Whether it hits; afterwards the block is there."""
        number = block % len(self.sets)
        blocks = self.sets[number]
        hit = block in blocks
        if hit:
            way = blocks.pop(block)[0]
        else:
            if len(blocks) == self.ways:
                self.drop(self.victim(blocks))
            self.free[number].sort()
            way = self.free[number].pop(0)
            self.lives[block] = ["other", 0, False, False]
        blocks[block] = [way, 0 if hit else 2]
        return hit

    def victim(self, blocks):
        if self.policy == "lru":
            return next(iter(blocks))
        steps = 3 - max(prediction for _, prediction in blocks.values())
        for entry in blocks.values():
            entry[1] += steps
        return min((way, block) for block, (way, prediction) in blocks.items() if prediction == 3)[1]

    def access(self, block, stream):
        hit = self.look_up(block)
        life = self.lives[block]
        self.counters[f"{stream} hits"] += hit
        if stream == "color":
            self.counters["produced"] += not life[2]
            life[:] = ["color", 0, True, False]
        elif stream == "texture" and life[2]:
            self.counters["consumed"] += 1
            life[3] = False
            self.enter(life, "texture")
        elif stream == "texture":
            self.counters["intra"] += hit
            self.counters["first"] += hit and life[0] != "texture"
            self.counters["z consumed"] += life[3]
            life[3] = False
            self.go_on(life, "texture")
        elif stream == "depth":
            self.counters["z produced"] += not life[3]
            life[3] = True
            self.go_on(life, "z")

    def enter(self, life, owner):
        life[:2] = [owner, 0]
        life[2] = life[2] and owner == "z"
        self.counters[f"{owner} entered 0"] += 1

    def go_on(self, life, owner):
        if life[0] != owner:
            self.enter(life, owner)
            return
        self.counters[f"{owner} hits {min(life[1], 3)}"] += 1
        life[1] += 1
        if life[1] <= 3:
            self.counters[f"{owner} entered {life[1]}"] += 1

    def counts(self):
        return {"produced": self.counters["produced"], "consumed": self.counters["consumed"],
                "inter_stream_hits": self.counters["consumed"], "intra_stream_hits": self.counters["intra"],
                "first_texture_hits": self.counters["first"],
                "z_produced": self.counters["z produced"], "z_consumed": self.counters["z consumed"]}


if __name__ == "__main__":
    tbrsim.main()
