/* SPDX-License-Identifier: MIT */
/**
 * All counters of a GPU, and their order:
 *
 *    <stage>.<event>                        what the stages of the pipeline did (below)
 *    transaction_elimination.<event>, rendering_elimination.<event>
 *                                           elimination (below)
 *    primitive_buffer.<event>               memory/attribute_cache.h
 *    rasterizer.<event>                     in mode imr (below)
 *    texture_access.<event>                 texture/access.h
 *    <unit>.<stream>.<event>, …             caches and memory (memory/counters.h)
 *    <unit>.<event>                         units on the access stream (access/access_unit.h)
 *    nuca.<event>, nuca.replication.<n>, mesh.<router>.<direction>.messages
 *                                           texture/nuca.h
 *    framebuffer_compression.<stream>.<event>   gpu/compression.h
 *    operations.<name>                      gpu/operations.h
 *    gpu.cycles, <stage>.<state>_cycles, queue.<name>.<event>, dram_system.<event>, …
 *                                           timing/tiled/tiled.c; in mode imr timing/immediate/immediate.c
 *    energy.<unit>.dynamic and .static, in pJ, the same for groups of units, whose .total is the sum of both
 *                                           energy/energy.h
 *
 * each if the configuration has what they count.
 */
#ifndef CM_GPU_COUNTERS_H
#define CM_GPU_COUNTERS_H

#include "stats/counters.h"

/** The table of a configuration; NULL when out of memory. */
struct cm_counter_table *cm_gpu_counter_table_create(const struct cm_config *config);

/** Of the stages: X(identifier, name, unit of measure, description) */
#define CM_PIPELINE_COUNTERS(X)                                                                           \
   X(FRAMES, "gpu.frames", "frames", "frames")                                                            \
   X(PASSES, "gpu.passes", "passes", "render passes")                                                     \
   X(DRAWS, "gpu.draws", "draws", "draw calls, each instance counted")                                    \
   X(INDICES, "vertex_stage.indices", "indices", "vertex indices read")                                   \
   X(VERTICES, "vertex_stage.vertices", "vertices", "vertices fetched")                                   \
   X(VERTICES_REUSED, "vertex_stage.vertices_reused", "vertices", "vertices reused after transformation") \
   X(VERTEX_TEXTURE_READS, "vertex_stage.texture_reads", "reads",                                         \
     "texture instructions of the shaders before the rasterizer")                                         \
   X(VERTEX_FOOTPRINTS, "vertex_stage.footprints", "footprints",                                          \
     "texture reads of an invocation before the rasterizer, each mipmap level and slice counted")         \
   X(PATCHES, "tessellation_stage.patches", "patches", "patches tessellated")                             \
   X(CONTROL_INVOCATIONS, "tessellation_stage.control_invocations", "invocations",                        \
     "invocations of tessellation control shaders")                                                       \
   X(EVALUATION_INVOCATIONS, "tessellation_stage.evaluation_invocations", "invocations",                  \
     "invocations of tessellation evaluation shaders: vertices that tessellation made")                   \
   X(GEOMETRY_INVOCATIONS, "geometry_stage.invocations", "invocations",                                   \
     "invocations of geometry shaders, each instance counted")                                            \
   X(PRIMITIVES, "tiling_engine.primitives", "primitives", "primitives binned")                           \
   X(ATTRIBUTES, "tiling_engine.attributes", "blocks", "attributes written to PB-Attributes")             \
   X(PMDS, "tiling_engine.pmds", "PMDs", "PMDs written to PB-Lists, one per primitive and list")          \
   X(TILES, "tiling_engine.tiles", "tiles", "tiles with primitives or cleared")                           \
   X(QUADS, "fragment_stage.quads", "quads", "quads shaded")                                              \
   X(FRAGMENTS, "fragment_stage.fragments", "fragments", "fragments shaded, helpers not counted")         \
   X(FOOTPRINTS, "fragment_stage.footprints", "footprints",                                               \
     "texture reads of a quad, each mipmap level and slice counted")                                      \
   X(PROGRAM_SWITCHES, "fragment_stage.program_switches", "switches",                                     \
     "times a fragment processor switched to another draw, which fetches its shader")                     \
   X(WORK_GROUPS, "compute_stage.work_groups", "work-groups", "work-groups of compute shaders")           \
   X(INVOCATIONS, "compute_stage.invocations", "invocations", "invocations of compute shaders")           \
   X(BARRIERS, "compute_stage.barriers", "barriers", "barriers that a whole work-group has reached")      \
   X(STORAGE_LOADS, "load_store.loads", "instructions",                                                   \
     "loads of storage by sub-groups, or quads of fragments")                                             \
   X(STORAGE_STORES, "load_store.stores", "instructions", "stores, likewise")                             \
   X(STORAGE_ATOMICS, "load_store.atomics", "instructions", "atomics, likewise")                          \
   X(KILLED_QUADS, "fragment_stage.killed_quads", "quads",                                                \
     "quads killed by a later one before they were shaded")                                               \
   X(KILLED_FRAGMENTS, "fragment_stage.killed_fragments", "fragments", "fragments of these")              \
   X(RASTERIZED_PRIMITIVES, "rasterizer.primitives", "primitives", "primitives rasterized")               \
   X(RASTERIZED_QUADS, "rasterizer.quads", "quads", "quads that primitives cover")                        \
   X(FAILED_QUADS, "rasterizer.failed_quads", "quads",                                                    \
     "of quads, those without a fragment that passes the early tests")                                    \
   X(HIDDEN_QUADS, "rasterizer.hidden_quads", "quads",                                                    \
     "of quads, those that needed no such test: their region was known to be nearer")                     \
   X(HIZ_TESTS, "rasterizer.hiz_tests", "regions",                                                        \
     "regions of a primitive that were compared with hierarchical depth")                                 \
   X(HIDDEN_REGIONS, "rasterizer.hidden_regions", "regions", "of hiz_tests, those rejected")              \
   X(CLEARED_BLOCKS, "fast_clear.blocks", "blocks", "memory blocks whose bit was set by a clear")         \
   X(CLEARED_READS, "fast_clear.reads", "blocks", "reads of such blocks, which need no access")           \
   X(CLEARED_WRITTEN, "fast_clear.written", "blocks", "such blocks that were drawn to")                   \
   X(CLEARED_ELIMINATED, "fast_clear.eliminated", "blocks",                                               \
     "such blocks that were written because a texture unit or the display reads them")                    \
   X(ENTRIES_READ, "tiling_engine.entries_read", "PMDs", "PMDs of hierarchical lists read")               \
   X(ENTRIES_DROPPED, "tiling_engine.entries_dropped", "PMDs",                                            \
     "of entries_read, those of primitives that were not binned into the tile")

/** The counters from here on are those of fragment_stage.pixel_kill: not listed without it. */
#define CM_PIPELINE_FIRST_OF_KILL CM_PIPELINE_KILLED_QUADS
/** The counters from here on are those of mode imr: not listed in others. */
#define CM_PIPELINE_FIRST_OF_IMMEDIATE CM_PIPELINE_RASTERIZED_PRIMITIVES
/** Those from here on are listed with immediate.clears: fast only. */
#define CM_PIPELINE_FIRST_OF_CLEARS CM_PIPELINE_CLEARED_BLOCKS
/** Those from here on are not of mode imr, but of parameter_buffer.levels. */
#define CM_PIPELINE_FIRST_OF_LEVELS CM_PIPELINE_ENTRIES_READ

/** Of elimination (docs/elimination.md), each half where the configuration has it: X(identifier, name, unit of measure, description) */
#define CM_TRANSACTION_COUNTERS(X)                                                               \
   X(COMPARED_STORES, "compared", "tiles", "tiles whose pixels were compared with the buffer's") \
   X(ELIMINATED_STORES, "eliminated", "tiles", "of these, those that were not stored")           \
   X(ELIMINATED_BLOCKS, "blocks", "blocks", "accesses that these would have made")
#define CM_RENDERING_COUNTERS(X)                                                                           \
   X(SIGNED_BLOCKS, "blocks", "blocks", "blocks of attributes and constants that the Signature Unit took") \
   X(SIGNED_TILES, "updates", "updates",                                                                   \
     "times that it added a primitive or a draw's constants to a tile's signature")                        \
   X(COMPARED_TILES, "compared", "tiles", "tiles whose signatures were compared")                          \
   X(SKIPPED_TILES, "skipped", "tiles", "of these, those that were not drawn")                             \
   X(WRONG_TILES, "wrong", "tiles", "of these, those whose pixels are known to differ: must be 0")

enum cm_elimination_counter {
#define CM_ELIMINATION_ENUM(id, name, measure, description) CM_ELIMINATION_##id,
   CM_TRANSACTION_COUNTERS(CM_ELIMINATION_ENUM) CM_RENDERING_COUNTERS(CM_ELIMINATION_ENUM)
#undef CM_ELIMINATION_ENUM
      CM_ELIMINATION_COUNT
};

enum cm_pipeline_counter {
#define CM_PIPELINE_ENUM(id, name, measure, description) CM_PIPELINE_##id,
   CM_PIPELINE_COUNTERS(CM_PIPELINE_ENUM)
#undef CM_PIPELINE_ENUM
      CM_PIPELINE_COUNT
};

#endif
