# SPDX-License-Identifier: MIT
"""The energy of counters, worked out by docs/energy.md: from stats.json and data/ alone."""

import csv
import math
import pathlib
from decimal import Decimal

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
FIXED_FUNCTIONS = ("primitive_assembly", "tiling_engine", "rasterizer", "early_z", "texture_unit", "blending")
DESIGNS = {  # kind, writes of a line
    "traditional": ("tex_traditional_32b", 16),
    "wide-bus": ("tex_wide_128b", 4),
    "multi-port": ("tex_multiport_4r_32b", 16),
}
BANKED_PORTS = {"banked-continuous": 128, "banked-interleaved": 32}


def rows(name):
    with open(DATA / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Account:
    """Lines of (unit, kind, events by counters, zJ) or (unit, fW)."""

    def __init__(self, config, has_timing):
        self.config = config
        self.arrays = rows("cacti-7.0-energies.csv")
        self.lines = []  # unit, "dynamic" or "static", function of counters, numerator, denominator: pJ
        self.units = {}
        self.caches()
        if has_timing:
            self.dram()
        self.nuca()
        self.pipeline(has_timing)

    # ---- lines

    def event(self, unit, count, zeptojoules, kind="dynamic"):
        self.lines.append((unit, kind, count, zeptojoules, 10 ** 9))

    def leak(self, unit, femtowatts):
        self.lines.append((unit, "static", "gpu.cycles", femtowatts, self.config["clock_mhz"] * 10 ** 9))

    def evaluate(self, values):
        """pJ by unit and kind of what was counted since the beginning."""
        sums = {}
        for unit, kind, count, numerator, denominator in self.lines:
            counted = values[count] if isinstance(count, str) else count(values)
            key = (unit, kind)
            sums[key] = sums.get(key, 0) + counted * numerator // denominator
        return sums

    # ---- arrays

    def array(self, kind, size, ways=1, bits=None):
        """zJ of a read, zJ of a write, fW."""
        energy = self.config["energy"]
        found = [row for row in self.arrays
                 if row["kind"] == kind and int(row["tech_nm"]) == energy["technology"]
                 and row["cell"] == energy["cell"] and bits in (None, int(row["bus_bits"]))]
        nearest = min({int(row["ways"]) for row in found}, key=lambda w: (max(w / ways, ways / w), w))
        by_size = sorted((int(row["size_bytes"]), tuple(
            int(Decimal(row[column]) * 10 ** 12) for column in ("read_nJ", "write_nJ", "leak_mW")))
            for row in found if int(row["ways"]) == nearest)
        for at, numbers in by_size:
            if at == size:
                return numbers
        above = [entry for entry in by_size if entry[0] > size]
        below = [entry for entry in by_size if entry[0] < size]
        low, high = (below[-1], above[0]) if below else (by_size[0], by_size[1])
        place = (math.log(size) - math.log(low[0])) / (math.log(high[0]) - math.log(low[0]))
        return tuple(int(math.exp(math.log(a) + place * (math.log(b) - math.log(a))) + 0.5)
                     for a, b in zip(low[1], high[1]))

    # ---- caches

    def caches(self):
        for name, cache in self.config["caches"].items():
            if name == "attribute_cache" and "primitive_buffer" in self.config:
                self.attribute_cache(cache)
            elif name == "texture_cache" and "texture_access" in self.config:
                self.texture_cache(cache)
            else:
                self.cache(name, cache)

    def cache(self, name, cache):
        read, write, leakage = self.array("cache", cache["size"], cache["ways"])
        for event, energy in ("reads", read), ("writes", write), ("fills", write), ("writebacks", read):
            self.event(name, f"{name}.total.{event}", energy)
        self.leak(name, leakage * cache["instances"])
        if name == "texture_cache" and self.config.get("nuca", {}).get("organisation", "").startswith("dtm"):
            self.event(name, lambda v: v["nuca.remote_hits"] + v["nuca.l2_accesses"]
                       - v["nuca.local_l2_accesses"], read)
            if self.config["nuca"].get("remote_copies", "none") != "none":
                self.event(name, "nuca.copies", write)

    def texture_cache(self, cache):
        access = self.config["texture_access"]
        if access["design"] in BANKED_PORTS:
            self.banked_texture_cache(cache, access["tags"], BANKED_PORTS[access["design"]])
            return
        kind, parts = DESIGNS[access["design"]]
        read, write, leakage = self.array(kind, cache["size"], cache["ways"])
        self.event("texture_cache", "texture_access.data_banks", read)
        self.event("texture_cache", lambda v: v["texture_cache.total.fills"] * parts, write)
        self.leak("texture_cache", leakage * cache["instances"])

    def banked_texture_cache(self, cache, tags, port):
        """Each way of a bank and of its tags is an array, and all are read."""
        ways, instances = cache["ways"], cache["instances"]
        read, write, leakage = self.array("ram", cache["size"] // 4 // ways, bits=port)
        self.event("texture_cache", lambda v: v["texture_access.data_banks"] * ways, read)
        self.event("texture_cache", lambda v: v["texture_cache.total.fills"] * 512 // port, write)
        self.leak("texture_cache", leakage * 4 * ways * instances)
        sets = cache["size"] // ways // cache["block"]
        tag_bits = 32 - (cache["size"] // ways).bit_length() + 1 + 1
        size = -(-sets * tag_bits // 8)
        arrays, copies = {"shared": (1, 1), "four-arrays": (4, 4), "banked": (4, 1)}[tags]
        read, write, leakage = self.array("ram", -(-size // (4 if tags == "banked" else 1)), bits=32)
        self.event("texture_cache", lambda v: v["texture_access.tag_banks"] * ways, read)
        self.event("texture_cache", lambda v: v["texture_cache.total.fills"] * copies, write)
        self.leak("texture_cache", leakage * arrays * ways * instances)

    def attribute_cache(self, cache):
        read, write, leakage = self.array("ram", cache["size"], bits=384)
        self.event("attribute_cache", "attribute_cache.total.reads", read)
        self.event("attribute_cache", lambda v: v["attribute_cache.total.writes"]
                   - v["attribute_cache.total.bypasses"], write)
        self.event("attribute_cache", "attribute_cache.total.fills", write)
        self.event("attribute_cache", lambda v: v["attribute_cache.total.writebacks"]
                   - v["attribute_cache.total.bypasses"], read)
        self.leak("attribute_cache", leakage)
        lines = self.config["primitive_buffer"]["lines"]
        read, write, leakage = self.array("ram", -(-lines * 41 // 8), bits=128)
        self.event("attribute_cache", lambda v: (v["primitive_buffer.reads"] + v["primitive_buffer.writes"])
                   * -(-cache["ways"] * 41 // 128), read)
        self.event("attribute_cache", lambda v: v["primitive_buffer.reads"] + v["primitive_buffer.writes"]
                   - v["primitive_buffer.bypasses"], write)
        self.leak("attribute_cache", leakage)

    # ---- main memory

    def dram(self):
        system = self.config["dram_system"]
        device = next(row for row in rows("dram-devices.csv") if row["device"] == system["device"])
        timing = {name: system.get("timing", {}).get(name) or int(device[name]) for name in ("tRAS", "tRP", "tRFC")}
        nano = {name: int(Decimal(10 ** 6) * (Decimal(device["VDD_V"]) * Decimal(device[name + "_mA"])
                                              + Decimal(device["VDD1_V"]) * Decimal(device[name + "_1_mA"])))
                for name in ("IDD0", "IDD2P", "IDD2N", "IDD3P", "IDD3N", "IDD4W", "IDD4R", "IDD5AB")}
        of_power = int(Decimal(device["tCK_ns"]) * 1000) * (system["channel_width"] // int(device["device_width"]))
        refreshes = 8 if system.get("refresh") == "per-bank" else 1
        burst = int(device["BL"]) // int(device["beats_per_clock"])
        powers = (
            ("activates", "dynamic", nano["IDD0"] * (timing["tRAS"] + timing["tRP"])
             - nano["IDD3N"] * timing["tRAS"] - nano["IDD2N"] * timing["tRP"]),
            ("read_bursts", "dynamic", (nano["IDD4R"] - nano["IDD3N"]) * burst),
            ("write_bursts", "dynamic", (nano["IDD4W"] - nano["IDD3N"]) * burst),
            ("refreshes", "static", (nano["IDD5AB"] - nano["IDD3N"]) * timing["tRFC"] // refreshes),
            ("active_cycles", "static", nano["IDD3N"]),
            ("precharged_cycles", "static", nano["IDD2N"]),
            ("active_power_down_cycles", "static", nano["IDD3P"]),
            ("precharge_power_down_cycles", "static", nano["IDD2P"]),
        )
        for counter, kind, power in powers:
            self.event("dram", "dram_system." + counter, power * of_power, kind)

    # ---- NUCA

    def nuca(self):
        bus = self.config["energy"].get("texture_bus_byte", 0)
        if bus and any(self.config.get("texture_bus", {}).values()):
            self.event("texture_bus", lambda v: v["texture_cache.texture.fills"] * 64, bus * 10 ** 6)
        nuca = self.config.get("nuca", {"organisation": "private"})
        organisation = nuca["organisation"]
        if organisation == "private":
            return
        bit = self.config["energy"]["mesh_bit"] * 10 ** 6
        for counter, bits in ("hops", 64), ("block_hops", 512), ("notice_hops", 64), ("broadcast_hops", 64):
            self.event("mesh", lambda v, c=counter, b=bits: v["nuca." + c] * b, bit)
        processors = self.config["fragment_stage"]["processors"]
        owner_bits = (processors - 1).bit_length()
        if organisation.startswith("dtm"):
            table = nuca["affinity_table"]
            entry = table["counter_bits"] * processors + owner_bits
            read, write, leakage = self.array("ram", -(-table["buckets"] * entry // 8), bits=128)
            parts = -(-entry // 128)
            self.event("affinity_table", lambda v: v["nuca.requests"] * parts, read)
            self.event("affinity_table", lambda v: v["nuca.requests"] * parts, write)
            tables = 1
            if organisation.endswith("distributed"):
                self.event("affinity_table", lambda v: v["nuca.broadcast_hops"] * parts, write)
                tables = processors
            self.leak("affinity_table", leakage * tables)
        elif organisation == "d-nuca":
            blocks = self.config["caches"]["l2"]["size"] // 64
            read, write, leakage = self.array("ram", -(-blocks * (owner_bits + 1) // 8), bits=32)
            self.event("affinity_table", "nuca.requests", read)
            self.event("affinity_table", lambda v: v["nuca.l2_accesses"] + v["nuca.migrations"], write)
            self.leak("affinity_table", leakage)

    # ---- the pipeline

    def pipeline(self, has_timing):
        energy = self.config["energy"]
        operations = [
            ("primitive_assembly", "tiling_engine.primitives", "primitive_setup"),
            ("tiling_engine", "tiling_engine.pmds", "tile_overlap"),
            ("texture_unit", "fragment_stage.footprints", "texture_footprint"),
        ]
        if self.config["parameter_buffer"].get("levels"):
            operations.append(("tiling_engine", "tiling_engine.entries_dropped", "tile_overlap"))
        # Of an invocation instead of a quad's four.
        self.event("texture_unit", "vertex_stage.footprints", energy["texture_footprint"] * 10 ** 6 // 4)
        if has_timing:
            operations += [
                ("vertex_stage", "operations.vertex_instructions", "vertex_instruction"),
                ("rasterizer", "operations.raster_quads", "raster_quad"),
                ("rasterizer", "operations.quad_attributes", "quad_attribute"),
                ("early_z", "operations.depth_quads", "depth_quad"),
                ("fragment_stage", "operations.quad_instructions", "quad_instruction"),
                ("blending", "operations.color_reads", "blend_quad"),
            ]
        for unit, counter, key in operations:
            self.event(unit, counter, energy[key] * 10 ** 6)
        self.leak("vertex_stage", energy["processor_leakage"] * 10 ** 6
                  * self.config.get("pipeline", {}).get("vertex_processors", 1))
        self.leak("fragment_stage", energy["processor_leakage"] * 10 ** 6
                  * self.config["fragment_stage"]["processors"])
        for unit in FIXED_FUNCTIONS:
            self.leak(unit, energy["unit_leakage"] * 10 ** 6 * (self.lanes() if unit in ("early_z", "blending") else 1))
        if has_timing:
            self.queues()
        read, write, leakage = self.array("ram", self.config["tile"]["size"] ** 2 * 4, bits=128)
        color_buffers = self.config.get("pipeline", {}).get("tile_buffers", 1)
        depth_buffers = 2 if self.config["mode"] == "tbdr" else 1
        for unit, count, stream, reads, writes in (
                ("color_buffer", color_buffers, "color", "color_reads", "color_writes"),
                ("depth_buffer", depth_buffers, "depth", "depth_quads", "depth_writes")):
            first = self.config["streams"][stream]
            if has_timing:
                self.event(unit, "operations." + reads, read)
                self.event(unit, "operations." + writes, write)
            # What is eliminated is read all the same.
            more = ["transaction_elimination.blocks"] if stream == "color" and "transaction_elimination" in self.config else []
            self.event(unit, lambda v, f=first, s=stream, m=more: sum(v[c] for c in (f"{f}.{s}.writes", *m)) * 4, read)
            self.event(unit, lambda v, f=first, s=stream: v[f"{f}.{s}.reads"] * 4, write)
            self.leak(unit, leakage * count)
        if "rendering_elimination" in self.config:
            self.signatures(self.config["rendering_elimination"])

    def signatures(self, config):
        """The Signature Buffer; a table for each byte of a block, and for each byte of a signature that is appended to."""
        size, block = config["signature_bytes"], config["block_bytes"]
        words = -(-size // 4)
        read, write, leakage = self.array("ram", config["signatures"] * size, bits=32)
        table, _, table_leakage = self.array("ram", 256 * size, bits=32)
        unit, counters = "signature_unit", "rendering_elimination."
        self.event(unit, lambda v: (v[counters + "updates"] + v[counters + "compared"]) * words, read)
        self.event(unit, lambda v: v[counters + "updates"] * words, write)
        self.event(unit, lambda v: v[counters + "blocks"] * block * words, table)
        self.event(unit, lambda v: v[counters + "updates"] * size * words, table)
        self.leak(unit, leakage)
        self.leak(unit, table_leakage * (block + size))

    def queues(self):
        """Of "DTM-NUCA", Table I; with a Primitive Buffer, pointers of 4 bytes go to the Rasterizer."""
        pipeline = self.config["pipeline"]
        tile = (pipeline["tile_queue"], 388)
        if "primitive_buffer" in self.config:
            tile = (self.config["primitive_buffer"]["output_queue"], 4)
        for name, (entries, size) in {
                "vertex_input": (pipeline["vertex_queue"], 136), "vertex_output": (pipeline["vertex_queue"], 136),
                "triangle": (pipeline["triangle_queue"], 388), "tile": tile,
                "early_z": (pipeline["fragment_queue"], 233), "fragment": (pipeline["fragment_queue"], 233),
                "color": (pipeline["color_queue"], 24)}.items():
            bits = 512 if size > 4 else 32
            read, write, leakage = self.array("ram", entries * size, bits=bits)
            parts = -(-size * 8 // bits)
            for energy in write, read:
                self.event("queues", lambda v, n=name, p=parts: v[f"queue.{n}.items"] * p, energy)
            self.leak("queues", leakage * (self.lanes() if name in ("early_z", "fragment", "color") else 1))

    def lanes(self):
        """Stages and queues after the Rasterizer: one of each, or one per processor."""
        has_lanes = self.config.get("pipeline", {}).get("lanes", "shared") != "shared"
        return self.config["fragment_stage"]["processors"] if has_lanes else 1
