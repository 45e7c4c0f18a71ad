# SPDX-License-Identifier: MIT
"""What the experiment "TCOR" simulates: of each kind the configurations by name, in the order of index.json."""

SIZES = ["64k", "128k"]
# Section V-B: the baseline, TCOR without and with the changes of the L2, both sizes of the Tile Cache.
PRESETS = {f"tcor-{kind}": f"tcor-{kind}" for size in SIZES for kind in (f"baseline-{size}", f"{size}-no-l2", size)}
# TCOR's parts, one after another.
PARTS = {
    "interleaved": "tcor-interleaved-64k",
    "interleaved-l2": "tcor-interleaved-64k,caches.l2.policy=tcor",
    "two-caches": "tcor-64k,primitive_buffer.lines=0,caches.attribute_cache.policy=lru,caches.attribute_cache.index=modulo",
    "lru": "tcor-64k,caches.attribute_cache.policy=lru",
}
# What the paper leaves open: of the Parameter Buffer and of all caches, so the baseline has it, too.
ALLOCATE = {"tcor-baseline-64k": "caches.tile_cache.write_miss", "tcor-64k": "caches.primitive_list_cache.write_miss"}
OF_BOTH = {
    "fetch": lambda preset: f"{ALLOCATE[preset]}=fetch",
    "validate": lambda preset: f"{ALLOCATE[preset]}=validate",
    "validate-l2-fetch": lambda preset: f"{ALLOCATE[preset]}=validate,caches.l2.write_miss=fetch",
    "bounding-box": lambda preset: "parameter_buffer.overlap=bounding-box",
    "pass-end-discard": lambda preset: "parameter_buffer.pass_end=discard",
    "pass-end-write-back": lambda preset: "parameter_buffer.pass_end=write-back",
}
# Of TCOR's caches.
OF_TCOR = {
    "ids-primitives": "primitive_buffer.ids=primitives",
    "modulo": "caches.attribute_cache.index=modulo",
    "xor-fold": "caches.attribute_cache.index=xor-fold",
    "ipoly": "caches.attribute_cache.index=ipoly",
    "ids-primitives-modulo": "primitive_buffer.ids=primitives,caches.attribute_cache.index=modulo",
    "lines-323": "primitive_buffer.lines=323,primitive_buffer.ids=primitives,caches.attribute_cache.index=modulo",
    "lines-512": "primitive_buffer.lines=512",
    "ids-primitives-lines-512": "primitive_buffer.ids=primitives,primitive_buffer.lines=512",
    "lines-1024": "primitive_buffer.lines=1024",
    "entries-48": "primitive_buffer.entry_bytes=48",
    "entries-48-lines-512": "primitive_buffer.entry_bytes=48,primitive_buffer.lines=512",
    "ties-least-id": "primitive_buffer.ties=least-id",
    "ties-lru": "primitive_buffer.ties=lru",
    "ties-mru": "primitive_buffer.ties=mru",
    "next-sets": "primitive_buffer.further_victims=next-sets",
    "queue-1": "primitive_buffer.output_queue=1",
    "queue-64": "primitive_buffer.output_queue=64",
    "dead-lru": "caches.l2.policy=dead-lru",
}
OF_128K = {
    "128k-ids-primitives": "primitive_buffer.ids=primitives",
    "128k-ipoly": "caches.attribute_cache.index=ipoly",
    "128k-lines-754": "primitive_buffer.lines=754,primitive_buffer.ids=primitives,caches.attribute_cache.index=modulo",
}
# All of it together that lets TCOR save accesses of the L2.
MOST = ("caches.primitive_list_cache.write_miss=fetch,primitive_buffer.ids=primitives,primitive_buffer.entry_bytes=48,"
        "primitive_buffer.lines=1024,primitive_buffer.output_queue=1")
# On scenes, all of it that lets TCOR save accesses of the L2 and memory, and that of it which the baseline can have, too.
BINNED = "parameter_buffer.overlap=bounding-box"
SCENE_KINDS = {
    "all-choices": {"all-choices/baseline": f"tcor-baseline-64k,caches.tile_cache.write_miss=fetch,{BINNED}",
                    "all-choices/tcor": f"tcor-64k,{MOST},{BINNED}"},
}
# Scenes with other values of what is not published.
ALTERED = [
    "temple_run,texture_format=rgba8",
    "temple_run,texture_format=rgba8,parameter_buffer_counts=attributes",
    "sniper_3d,parameter_buffer_counts=attributes",
]
# 1.6 GB/s: the 4 B/cycle at 400 MHz of "DTM-NUCA" Table I as the bandwidth of all channels (docs/dram.md).
NARROW = "dram_system.device=LPDDR3_8Gb_x16_800,dram_system.channels=1,dram_system.channel_width=16"
SCENE_TIMED_KINDS = {
    "narrow": {f"narrow/{name}": f"{name},{NARROW}" for name in ("tcor-baseline-64k", "tcor-64k-no-l2", "tcor-64k")},
}
UNLIMITED = "pipeline.tile_queue=0"  # V-B3: the Tile Fetcher by itself

KINDS = {
    "presets": PRESETS,
    "parts": PARTS,
    "both": {f"{name}/{preset}": f"{preset},{setting(preset)}" for name, setting in OF_BOTH.items() for preset in ALLOCATE},
    "choices": {name: f"tcor-64k,{setting}" for name, setting in OF_TCOR.items()}
               | {name: f"tcor-128k,{setting}" for name, setting in OF_128K.items()},
    "most": {"most": f"tcor-64k,{MOST}"},
}
TIMED_KINDS = {
    **{f"time-{size}": {name: its for name, its in PRESETS.items() if size in name} for size in SIZES},
    "fetcher": {name: f"{configuration},{UNLIMITED}" for name, configuration in (PRESETS | PARTS).items()
                if name != "tcor-128k-no-l2"},
}
