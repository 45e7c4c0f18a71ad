# SPDX-License-Identifier: MIT
"""Shader cores in live runs and of recordings: the same statistics, whatever recorded and with any number of threads; and the
line of what bounds a run."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import tbrsim  # noqa: E402

CAPTURE = "glmark2_ideas"
FRAMES = ("--frames", "0-3")
PRESET = "mali-g52-mc1"
PER_TILE = "v3d-pi4"  # its tiles shade vertices
TWO_CORES = "mali-g57-mc2"
# Of each part the counters of cycles, of which the greatest counts; those of CORES are sums over the cores.
CORES = {
    "arithmetic": ("shader_core.issue", "shader_core.fma", "shader_core.cvt"),
    "special functions": ("shader_core.sfu",),
    "varyings": ("shader_core.varying",),
    "texture": ("shader_core.texture",),
    "load/store": ("shader_core.load_store",),
    "fill": ("shader_core.tile", "tile_buffers"),
    "rasterizer": ("rasterizer", "shader_core.depth"),
    "tile lists": ("tile_fetcher",),
}
ONE_OF_ALL = {"geometry": ("vertex_fetch", "primitive_assembly"), "tiling": ("polygon_list_builder",)}


class ShaderCores(tbrsim.DisplayTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # By a driver that simulates no shader cores.
        cls.recording = tbrsim.record(cls.shared, CAPTURE, "--no-model", "--record-isa", "bifrost,valhall,v3d", *FRAMES,
                                      *tbrsim.recording_options(PRESET))

    def test_live(self):
        size = tbrsim.keys(PRESET)["tile.size"]
        for preset in (PRESET, PER_TILE):
            options = ("--config", preset, "--set", f"tile.size={size}", "--timing", "on", "--out")
            live, sim = self.path(f"{preset}-live"), self.path(f"{preset}-sim")
            self.fine("replay", *options, live, *FRAMES, tbrsim.CAPTURES / f"{CAPTURE}.trace")
            self.fine("sim", *options, sim, self.recording)
            self.assertGreater(tbrsim.total(sim)["shader_core.warps"], 0)
            self.assertEqual(tbrsim.contents(sim), tbrsim.contents(live))

    def test_threads(self):
        """Six simulations, on a thread and on three."""
        found = []
        for jobs in (1, 3):
            out = self.path(f"{jobs}")
            self.fine("sim", "--jobs", jobs, "--out", out, "--config", PRESET, "--set", "timing=on", "--set",
                      "parameter_buffer.attributes=primitives", "--vary", "shader_core.overlap=none,frames", "--vary",
                      "shader_core.vertices=whole,positions-first,per-tile", self.recording)
            found.append({path.name: tbrsim.contents(path) for path in sorted(out.iterdir()) if path.is_dir()})
        self.assertEqual(found[0], found[1])
        cycles = {tbrsim.total(self.path("1") / name)["gpu.cycles"] for name in found[0]}
        self.assertEqual((len(found[0]), len(cycles)), (6, 6))

    def test_without_code(self):
        """An instruction set that was not recorded counts as what the renderer executes, and a message says so."""
        for isa in ("nir", "midgard"):
            done = tbrsim.run("sim", "--config", PRESET, "--timing", "on", "--set", f"shader.isa={isa}", "--out", self.path(isa),
                              self.recording, check=True)
            names = [name for _, name in re.findall(r"([1-9]\d*) of \1 shaders have no code for (\w+): ", done.stderr)]
            self.assertEqual(names, [] if isa == "nir" else [isa], done.stderr)
        self.assertEqual(tbrsim.frames(self.path("nir")), tbrsim.frames(self.path("midgard")))

    def test_load(self):
        """The three parts with the greatest loads; none without shader cores."""
        for preset in (PRESET, TWO_CORES):
            out = self.path(preset)
            text = self.fine("sim", "--config", preset, "--timing", "on", "--out", out, self.recording)
            totals, cores = tbrsim.total(out), int(tbrsim.keys(preset)["fragment_stage.processors"])
            loads = {part: max(totals[f"{counter}.busy_cycles"] for counter in counters) / totals["gpu.cycles"] / number
                     for parts, number in ((CORES, cores), (ONE_OF_ALL, 1)) for part, counters in parts.items()}
            loads["bandwidth"] = totals["dram_system.busy_cycles"] / totals["dram_system.channel_cycles"]
            greatest = sorted(loads, key=lambda part: -loads[part])[:3]
            expected = ", ".join(f"{part} {100 * loads[part]:.0f} %" for part in greatest)
            self.assertEqual(re.findall(r"(?m)^load: (.*)$", text), [expected])
            self.assertTrue(all(0 <= load <= 1 for load in loads.values()), loads)
        for options in (["--set", "core=simple"], ["--set", "mode=imr"], ["--timing", "off"]):
            done = tbrsim.run("sim", "--config", PRESET, *options, "--out", self.path("none"), self.recording)
            self.assertNotIn("load: ", done.stdout, options)


if __name__ == "__main__":
    tbrsim.main()
