# SPDX-License-Identifier: MIT
"""What compilers of real GPUs make of shaders: against the compilers' own statistics, and counted by hand."""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

ISAS = ("midgard", "bifrost", "valhall", "v3d")
PIPES = ("issue", "fma", "cvt", "sfu", "varying", "texture", "load_store", "tile")
CODE = re.compile(r"(\w+) shader (\d+): code of (\w+), (\w+), (\d+) bytes, (\d+) registers, threads / (\d), "
                  r"(\d+) spills, (\d+) fills")
REGION = re.compile(r"   region (\d+): (.*)")


class Code:
    """A part of a shader's code, as TBRSIM_DEBUG=shaders prints it."""

    def __init__(self, found):
        self.stage, self.shader, self.isa, self.part = found[1], int(found[2]), found[3], found[4]
        self.bytes, self.registers, self.threads, self.spills, self.fills = map(int, found.groups()[4:])
        self.regions = []

    def sum(self, pipe):
        return sum(region[pipe] for region in self.regions)

    def __repr__(self):
        return f"{self.stage} {self.shader} {self.isa} {self.part} {self.regions}"


def read_codes(path):
    codes = []
    for line in path.read_text().splitlines():
        if found := CODE.match(line):
            codes.append(Code(found))
        elif found := REGION.match(line):
            counts = dict(reversed(word.split()) for word in found[2].split(", "))
            codes[-1].regions.append({pipe: int(counts[pipe]) for pipe in PIPES})
    return codes


class CompilersTest(tbrsim.TestCase):
    def draw(self, *words, isas=ISAS, cache="true"):
        """The codes of what a program draws, what the compilers and the program say, and the statistics."""
        path, out = self.path("codes.txt"), self.path("out")
        options = ["--record", self.path("a.tbr"), "--record-isa", ",".join(isas)] if isas else []
        result = tbrsim.run("run", *options, "--out", out, "--", *words, check=True, variables={
            "TBRSIM_DEBUG": "shaders", "TBRSIM_DEBUG_FILE": str(path),
            "MESA_SHADER_CACHE_DISABLE": cache, "MESA_SHADER_CACHE_DIR": str(self.shared / "cache"),
            "MIDGARD_MESA_DEBUG": "shaderdb", "BIFROST_MESA_DEBUG": "shaderdb", "V3D_DEBUG": "shaderdb"})
        lines = [line for line in result.stderr.splitlines() if line.startswith("SHADER-DB")]
        return read_codes(path), lines, result.stdout.split()

    def draw_programs(self):
        """By name and instruction set: the code of each fragment shader of the program; of the others by stage."""
        codes, _, names = self.draw(tbrsim.arguments.program)
        fragments = [code for code in codes if code.stage == "fragment"]
        self.assertEqual(len(fragments), len(names) * len(ISAS))
        found = {(name, code.isa): code for name, code in zip((n for n in names for _ in ISAS), fragments)}
        return found | {(code.stage, code.isa): code for code in codes if code.stage == "compute"}

    def check_statistics(self, code, line):
        """Our sums are the compiler's. Its counts are cycles at rates of its own; a texture read with a varying is
        counted as load/store of Valhall."""
        def number(unit):
            return float(re.search(rf"([\d.]+) {unit}(?:,|$)", line)[1])

        def ours(*pipes):
            return [code.sum(pipe) for pipe in pipes]

        spills = re.search(r"(\d+):(\d+) spills:fills", line)
        self.assertEqual([code.spills, code.fills], [int(spills[1]), int(spills[2])], line)
        if code.isa == "bifrost":
            preloads = number("preloads")
            texture, varying = ours("texture", "varying")
            self.assertEqual(ours("issue", "fma", "load_store"),
                             [number("tuples"), round(24 * number("arith")), number("ldst")], line)
            self.assertEqual(varying + 8 * texture, 16 * number("vary") + 8 * 2 * number("texture") + preloads, line)
            self.assertEqual(code.bytes // 16, number("quadwords"), line)
            self.assertEqual(code.threads == 1, number("threads") == 2, line)
        elif code.isa == "valhall":
            self.assertEqual(ours("issue", "fma", "cvt", "sfu", "texture"),
                             [number("inst"), round(64 * number("fma")), round(64 * number("cvt")),
                              round(16 * number("sfu")), round(4 * number("t"))], line)
            self.assertEqual(sum(ours("varying", "load_store")), round(16 * number("v")) + number("ls"), line)
            self.assertEqual(code.bytes // 16, number("quadwords"), line)
            self.assertEqual(code.threads == 1, number("threads") == 2, line)
        elif code.isa == "midgard":
            self.assertEqual(ours("issue"), [number("bundles")], line)
            self.assertEqual(4 // code.threads, number("threads"), line)
            self.assertEqual(code.registers, 4 * number("registers"), line)
        else:
            self.assertEqual(ours("issue"), [number("inst")], line)
            self.assertEqual(4 // code.threads, number("threads"), line)
            self.assertEqual(code.bytes, 8 * number("inst"), line)

    def compare(self, *words):
        codes, lines, _ = self.draw(*words)
        self.assertEqual(len(codes), len(lines))
        self.assertEqual({code.isa for code in codes}, set(ISAS))
        for code, line in zip(codes, lines):
            self.check_statistics(code, line)
        return codes

    def test_statistics_of_programs(self):
        self.compare(tbrsim.arguments.program)

    def test_statistics_of_captures(self):
        tbrsim.need("eglretrace")
        if os.environ.get("TBRSIM_SANITIZE", "none") != "none":
            self.skipTest("eglretrace is not instrumented")
        for capture in ("glmark2_ideas", "glmark2_shadow", "glmark2_effect2d"):
            with self.subTest(capture):
                self.compare("eglretrace", "--headless", tbrsim.CAPTURES / f"{capture}.trace")

    def test_by_hand(self):
        """Of a full-screen shader's code so much is in its source: components of 16 bits that are interpolated, texture reads,
        loads and stores."""
        codes = self.draw_programs()
        for name, varying, texture in (("constant", 0, 0), ("varying", 8, 0), ("textures", 8, 2), ("multiply-adds", 2, 0),
                                       ("highp", 8, 0), ("selection", 8, 0)):
            for isa in ISAS:
                code = codes[name, isa]
                with self.subTest(name=name, isa=isa):
                    self.assertEqual([code.sum("varying"), code.sum("texture")], [varying, texture])
                    self.assertEqual([code.spills, code.fills], [0, 0])
                    self.assertGreater(code.sum("tile"), 0)
        # A varying of mediump has half the bits, but for V3D.
        self.assertEqual([codes["mediump", isa].sum("varying") for isa in ISAS], [4, 4, 4, 8])
        # A multiply-add is one operation where it can be fused; two of 16 bits are one.
        self.assertEqual([codes[name, "valhall"].sum("fma") for name in ("multiply-adds", "highp", "mediump")], [8, 8, 4])
        self.assertGreaterEqual(codes["multiply-adds", "bifrost"].sum("fma"), 8)
        self.assertGreaterEqual(codes["multiply-adds", "v3d"].sum("fma"), 16)
        # Coverage and blending.
        self.assertEqual([codes["constant", isa].sum("tile") for isa in ("bifrost", "valhall")], [2, 2])
        for isa in ("midgard", "bifrost", "valhall", "v3d"):
            self.assertGreaterEqual(codes["compute", isa].sum("load_store"), 2)

    def test_regions(self):
        codes = self.draw_programs()

        def regions(name, isa, pipe):
            return [region[pipe] for region in codes[name, isa].regions]

        for (name, isa), code in codes.items():
            self.assertEqual(len(code.regions), len(codes[name, "bifrost"].regions), (name, isa))
        # The loop's body: three multiply-adds, and four uniforms, by index.
        self.assertEqual(regions("loop", "valhall", "fma")[0], 0)
        self.assertEqual(sum(regions("loop", "valhall", "fma")), 3)
        self.assertEqual(sum(regions("loop", "valhall", "load_store")[1:]), 1)
        self.assertEqual(regions("loop", "bifrost", "varying")[1:], [0] * (len(regions("loop", "bifrost", "varying")) - 1))
        self.assertEqual(sum(regions("compute", "valhall", "fma")[1:]), 1)
        for isa in ISAS:
            with self.subTest(isa=isa):
                # One side reads textures, the other does not.
                textures = regions("branch", isa, "texture")
                self.assertEqual((textures[0], sorted(textures)[-2:]), (0, [0, 2]))
                # What follows the jump back is another region than what is before it.
                textures, issued = regions("continue", isa, "texture"), regions("continue", isa, "issue")
                self.assertEqual((textures[0], sum(textures)), (0, 1))
                self.assertTrue([i for i, count in enumerate(issued) if i and count and not textures[i]])
                # Loops that are unrolled, and branches that are selections, are in the region around them.
                for name in ("multiply-adds", "selection"):
                    self.assertEqual(sum(regions(name, isa, "issue")[1:]), 0, name)

    def test_again(self):
        """The same codes each time, and from the cache on disk; nothing that is counted without them changes."""
        statistics = []
        codes = []
        for isas, cache in ((ISAS, "true"), (ISAS, "false"), (ISAS, "false"), ((), "true")):
            codes.append(str(self.draw(tbrsim.arguments.program, isas=isas, cache=cache)[0]))
            statistics.append([path.read_bytes() for path in sorted(self.path("out").glob("**/frames.csv"))])
        self.assertEqual(len(set(codes[:3])), 1)
        self.assertEqual(codes[3], "[]")
        self.assertTrue(statistics[0])
        self.assertEqual([entry == statistics[0] for entry in statistics], [True] * 4)

    def test_wrong_names(self):
        self.refused(2, "--record-isa .*: expected one of: midgard, bifrost, valhall, v3d", "run", "--record",
                     self.path("a.tbr"), "--record-isa", "bifrost,g52", "--", "true")
        self.refused(2, "--record-isa: nothing is recorded, expected --record FILE.tbr, too", "run", "--record-isa", "v3d",
                     "--", "true")


if __name__ == "__main__":
    tbrsim.main("program")
