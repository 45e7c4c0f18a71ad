# SPDX-License-Identifier: MIT
"""Arrays of descriptors with an index for each invocation: pictures are those of lavapipe of the same Mesa, recordings give the
statistics of the run, and reads are those worked out by hand."""

import collections
import pathlib
import re
import sys

from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import drawing  # noqa: E402
from support import conservation, tbrsim  # noqa: E402

WIDTH, HEIGHT, TILE = 128, 96, 32
TILES = WIDTH // TILE * (HEIGHT // TILE)
PIXELS = [(x, y) for y in range(HEIGHT) for x in range(WIDTH)]
LINE = 64  # bytes, of textures 16 texels in a row
TEXTURES = 4
PRESET = "tcor-64k"


def number_of(x, columns):
    """The texture or buffer of a pixel, as in the shaders: so many columns have the same one."""
    return (x + 1) // columns % TEXTURES


def lines_of(columns):
    """Lines of all textures, or buffers, that pixels read their own word of."""
    return len({(number_of(x, columns), y, x * 4 // LINE) for x, y in PIXELS})


def loads():
    """Instructions of quads, an instruction for each buffer that a quad's pixels load from; those at the diagonal are two quads of
    two triangles."""
    buffers = collections.defaultdict(set)
    for x, y in PIXELS:
        half = (x + 0.5) / WIDTH + (y + 0.5) / HEIGHT < 1
        buffers[x // 2, y // 2, half].add(number_of(x, 1))
    return sum(map(len, buffers.values()))


# Each pixel reads one texel, or word, of one of four: nothing of the others.
BY_HAND = {
    "stripes": {"texture_cache.texture.reads": len(PIXELS), "dram.texture.read_bytes": lines_of(TILE) * LINE},
    "lanes": {"texture_cache.texture.reads": len(PIXELS), "dram.texture.read_bytes": lines_of(1) * LINE},
    "words": {
        "load_store.loads": loads(), "l2.storage.reads": len(PIXELS), "dram.storage.read_bytes": lines_of(1) * LINE,
        "dram.texture.read_bytes": 0,
    },
    # A dispatch of 32x32 invocations, each of which reads a texel three times, of four textures of 16x16.
    "images": {"texture_cache.texture.reads": 3 * 32 * 32, "dram.texture.read_bytes": TEXTURES * 16 * 16 * 4},
}
# Of a stage: uniform blocks and blocks that are inline in sets, and whether a layout may have as many, and one more of the former;
# textures of a variable count, in all.
SAID = {"limits": "14 4 1 0", "partial": "32"}
# Descriptors of a set that shaders name: of an array all that the set's layout has, whichever the shader reads.
DESCRIPTORS = {"stripes": TEXTURES, "words": TEXTURES, "textures": 32, "partial": 32, "blocks": 6, "limits": 14}


class Indexing(drawing.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.names = tbrsim.execute(tbrsim.arguments.indexing, check=True).stdout.split()

    def draw(self, scene, *options):
        return self.picture(tbrsim.arguments.indexing, scene, *options, size=(WIDTH, HEIGHT))

    def count(self, scene, *options):
        out = self.path(f"{scene}-out")
        self.draw(scene, *options, "--out", out)
        return tbrsim.total(out)

    def test_pictures(self):
        for scene in self.names:
            with self.subTest(scene):
                found, said = self.draw(scene, "--no-model")
                expected, _ = self.draw(scene, "--driver", "llvmpipe", "--no-model")
                self.assertLessEqual(drawing.greatest_difference(expected, found), 1)
                self.assertGreater(len(found.getcolors(1 << 16)), 3)
                self.assertEqual(said.strip(), SAID.get(scene, ""))

    def test_by_hand(self):
        """The same with tiles, whatever quads are shaded together."""
        for scene, expected in BY_HAND.items():
            for options in (), ("--set", f"tile.size={TILE}"), ("--set", "mode=tbr"), ("--model-threads", "1"):
                with self.subTest(scene, options=options):
                    total = self.count(scene, "--config", PRESET, *options)
                    self.assertEqual({name: total[name] for name in expected}, expected)

    def test_descriptors(self):
        for scene, lines in DESCRIPTORS.items():
            with self.subTest(scene):
                total = self.count(scene, "--config", PRESET, "--set", f"tile.size={TILE}")
                self.assertEqual(total["dram.descriptor.read_bytes"], lines * LINE)
                self.assertEqual(total["instruction_cache.descriptor.reads"],
                                 lines * total["fragment_stage.program_switches"])

    def test_one_instruction(self):
        """How numbers are told apart is the renderer's: a quad runs as many instructions whether its pixels have one or two."""
        counts = set()
        for scene in "stripes", "lanes":
            total = self.count(scene, "--config", "mali-g52-mc1", "--set", "timing=on")
            counts.add(total["operations.quad_instructions"] / total["fragment_stage.quads"])
        self.assertEqual(len(counts), 1)
        self.assertTrue(counts.pop().is_integer())

    def test_statistics(self):
        """Counters add up; a recording's are those of the run, to the byte."""
        for preset in (PRESET, "imr-8m", "mali-g52-mc1"):
            configuration = tbrsim.keys(preset)
            for scene in self.names:
                with self.subTest(scene, preset=preset):
                    live, sim = self.path(f"{preset}-{scene}-live"), self.path(f"{preset}-{scene}-sim")
                    recording = self.path(f"{preset}-{scene}.tbr")
                    self.draw(scene, "--config", preset, "--record", recording, "--out", live)
                    self.assertEqual(conservation.errors_of_run(live, configuration), [])
                    tbrsim.run("sim", "--config", preset, "--out", sim, recording, check=True)
                    self.assertEqual(tbrsim.contents(sim), tbrsim.contents(live))

    def test_compilers(self):
        """What compilers of real GPUs do not take is counted as it is executed, and nothing is said."""
        for preset in "mali-t860-mp4", "mali-g57-mc2", "v3d-pi4":
            for scene in "textures", "instances", "images", "texels", "lanes", "words":
                with self.subTest(scene, preset=preset):
                    self.draw(scene, "--config", preset, "--out", self.path(f"{preset}-{scene}"))

    def test_missing(self):
        """What the device does not have is named, and what needs it is left out."""
        picture = self.path("beyond.ppm")
        result = tbrsim.run("run", "--no-model", "--", tbrsim.arguments.indexing, "beyond", picture, check=True)
        self.assertIn("a fragment shader uses more than 32 pairs of a texture and a sampler, which the simulated GPU does not have",
                      result.stderr)
        with Image.open(picture) as image:
            self.assertEqual(len(image.getcolors()), 1)

    def test_features(self):
        """What is there is listed, and what is not, is not."""
        listed = tbrsim.run("run", "--no-model", "--", "vulkaninfo", check=True).stdout
        found = dict(re.findall(r"^\s*(\w+)\s*= (true|false)$", listed, re.MULTILINE))
        kinds = ("UniformBuffer", "SampledImage", "StorageBuffer", "StorageImage", "UniformTexelBuffer", "StorageTexelBuffer")
        there = [f"shader{kind}Array{how}Indexing" for kind in kinds for how in ("Dynamic", "NonUniform")]
        there += [f"descriptorBinding{what}" for what in ("PartiallyBound", "UpdateUnusedWhilePending", "VariableDescriptorCount")]
        there.append("runtimeDescriptorArray")
        self.assertEqual([name for name in there if found[name] != "true"], [])
        missing = [name for name in found if name.endswith("UpdateAfterBind") and name.startswith("descriptorBinding")]
        self.assertGreater(len(missing), 5)
        self.assertEqual([name for name in (*missing, "descriptorIndexing") if found[name] != "false"], [])


if __name__ == "__main__":
    tbrsim.main("indexing")
