/* SPDX-License-Identifier: MIT */
/**
 * The counters of a configuration: which there are, in which order, what they
 * mean. Values are arrays of uint64_t in the table's order.
 *
 * A cache or memory counter is <unit>.<stream>.<event>; the stream "total" is the
 * sum over the unit's streams. A cache with several instances also has
 * <unit>.<instance>.<stream>.<event>; the counter without the number is their sum.
 * Counters of the pipeline are <stage>.<event>. A configuration with nuca also has, at the end,
 * nuca.<event>, nuca.replication.<n> (requests after which n texture caches hold the block) and
 * mesh.<router>.<direction>.messages (messages that crossed the link). After them, where energy is
 * counted, come operations.<name> and energy.<unit>.dynamic and .static, in pJ, the same of
 * groups of units (energy/energy.h), whose .total is the sum of both; before those of energy, where timing is on,
 * its counters (timing/tiled/counters.h).
 *
 * What holds for every frame, unit and stream:
 *    hits + misses + bypasses = reads + writes
 *    fills of a unit's users (per stream) = reads of the unit, writebacks = writes
 * misses exceed fills by the writes that allocate a block without reading it; a read that
 * is passed on counts as a fill all the same, a write that is passed on as a write-back.
 */
#ifndef CM_COUNTERS_H
#define CM_COUNTERS_H

#include <stdint.h>

#include "config/units.h"

struct cm_config;

/** X(identifier, name, unit of measure, description) */
/** The last two are counted where the policy is TCOR's. */
#define CM_CACHE_EVENTS(X)                                                                                 \
   X(READS, "reads", "accesses", "reads")                                                                  \
   X(WRITES, "writes", "accesses", "writes")                                                               \
   X(HITS, "hits", "accesses", "accesses that found their block")                                          \
   X(MISSES, "misses", "accesses", "accesses that did not find their block")                               \
   X(BYPASSES, "bypasses", "accesses", "accesses passed on to the next level past the cache")              \
   X(FILLS, "fills", "blocks", "blocks read from the next level")                                          \
   X(EVICTIONS, "evictions", "blocks", "valid blocks replaced by another")                                 \
   X(WRITEBACKS, "writebacks", "blocks", "dirty blocks written to the next level")                         \
   X(INVALIDATIONS, "invalidations", "blocks", "blocks dropped because memory was written past the cache") \
   X(DEAD_EVICTIONS, "dead_evictions", "blocks", "evictions of blocks that nobody reads any more")         \
   X(WRITEBACKS_SAVED, "writebacks_saved", "blocks",                                                       \
     "dirty blocks dropped because nobody reads them any more")

enum cm_cache_event {
#define CM_CACHE_EVENT_ENUM(id, name, measure, description) CM_CACHE_EVENT_##id,
   CM_CACHE_EVENTS(CM_CACHE_EVENT_ENUM)
#undef CM_CACHE_EVENT_ENUM
      CM_CACHE_EVENT_COUNT
};

#define CM_DRAM_EVENTS(X)                             \
   X(READS, "reads", "blocks", "blocks read")         \
   X(WRITES, "writes", "blocks", "blocks written")    \
   X(READ_BYTES, "read_bytes", "bytes", "bytes read") \
   X(WRITE_BYTES, "write_bytes", "bytes", "bytes written")

enum cm_dram_event {
#define CM_DRAM_EVENT_ENUM(id, name, measure, description) CM_DRAM_EVENT_##id,
   CM_DRAM_EVENTS(CM_DRAM_EVENT_ENUM)
#undef CM_DRAM_EVENT_ENUM
      CM_DRAM_EVENT_COUNT
};

/** Counters of the pipeline: X(identifier, name, unit of measure, description) */
#define CM_PIPELINE_COUNTERS(X)                                                                           \
   X(FRAMES, "gpu.frames", "frames", "frames")                                                            \
   X(PASSES, "gpu.passes", "passes", "render passes")                                                     \
   X(DRAWS, "gpu.draws", "draws", "draw calls, each instance counted")                                    \
   X(INDICES, "vertex_stage.indices", "indices", "vertex indices read")                                   \
   X(VERTICES, "vertex_stage.vertices", "vertices", "vertices fetched")                                   \
   X(VERTICES_REUSED, "vertex_stage.vertices_reused", "vertices", "vertices found transformed")           \
   X(VERTEX_TEXTURE_READS, "vertex_stage.texture_reads", "reads",                                         \
     "texture instructions run by vertex and geometry programs; not simulated")                           \
   X(PRIMITIVES, "tiling_engine.primitives", "primitives", "primitives binned")                           \
   X(ATTRIBUTES, "tiling_engine.attributes", "blocks", "attributes written to PB-Attributes")             \
   X(PMDS, "tiling_engine.pmds", "PMDs", "PMDs written to PB-Lists, one a primitive and tile")            \
   X(TILES, "tiling_engine.tiles", "tiles", "tiles with primitives or cleared")                           \
   X(QUADS, "fragment_stage.quads", "quads", "quads shaded")                                              \
   X(FRAGMENTS, "fragment_stage.fragments", "fragments", "fragments shaded, helpers not counted")         \
   X(FOOTPRINTS, "fragment_stage.footprints", "footprints",                                               \
     "texture reads of a quad, each mipmap level and slice counted")                                      \
   X(PROGRAM_SWITCHES, "fragment_stage.program_switches", "switches",                                     \
     "times a fragment processor took up another draw, which fetches its program")                        \
   X(PRIMITIVE_READS, "primitive_buffer.reads", "primitives", "primitives read by the Tile Fetcher")      \
   X(PRIMITIVE_WRITES, "primitive_buffer.writes", "primitives",                                           \
     "primitives written by the Polygon List Builder")                                                    \
   X(PRIMITIVE_HITS, "primitive_buffer.hits", "primitives", "reads that found their primitive")           \
   X(PRIMITIVE_MISSES, "primitive_buffer.misses", "primitives",                                           \
     "reads that did not find their primitive, and writes that took a line")                              \
   X(PRIMITIVE_BYPASSES, "primitive_buffer.bypasses", "primitives", "writes passed on to the next level") \
   X(PRIMITIVE_EVICTIONS, "primitive_buffer.evictions", "primitives",                                     \
     "primitives replaced by another, or there when the pass ended")                                      \
   X(PRIMITIVE_FURTHER_EVICTIONS, "primitive_buffer.further_evictions", "primitives",                     \
     "of evictions, those that had to leave for the room of their attributes alone")                      \
   X(PRIMITIVE_LOCK_WAITS, "primitive_buffer.lock_waits", "primitives",                                   \
     "primitives that the Rasterizer had to consume before a read found room")                            \
   X(RASTERIZED_PRIMITIVES, "rasterizer.primitives", "primitives", "primitives rasterized")               \
   X(RASTERIZED_QUADS, "rasterizer.quads", "quads", "quads that primitives cover")                        \
   X(FAILED_QUADS, "rasterizer.failed_quads", "quads",                                                    \
     "of quads, those that the early tests left nothing of")                                              \
   X(HIDDEN_QUADS, "rasterizer.hidden_quads", "quads",                                                    \
     "of quads, those that needed no such test: their region was known to be nearer")                     \
   X(HIZ_TESTS, "rasterizer.hiz_tests", "regions",                                                        \
     "regions of 8x8 pixels of a primitive that were compared with hierarchical depth")                   \
   X(HIDDEN_REGIONS, "rasterizer.hidden_regions", "regions", "of hiz_tests, those with nothing left")

/** The counters from here on are those of a Primitive Buffer: not listed where there is none. */
#define CM_PIPELINE_FIRST_OF_PRIMITIVE_BUFFER CM_PIPELINE_PRIMITIVE_READS
/** The counters from here on are those of mode imr: not listed in others. */
#define CM_PIPELINE_FIRST_OF_IMMEDIATE CM_PIPELINE_RASTERIZED_PRIMITIVES

enum cm_pipeline_counter {
#define CM_PIPELINE_ENUM(id, name, measure, description) CM_PIPELINE_##id,
   CM_PIPELINE_COUNTERS(CM_PIPELINE_ENUM)
#undef CM_PIPELINE_ENUM
      CM_PIPELINE_COUNT
};

/** What a texture cache's design does with the footprints of fragments (texture/access.h), all texture
 * caches together: texture_access.<event>, where the configuration has texture_access. */
#define CM_TEXTURE_ACCESS_EVENTS(X)                                                                     \
   X(FOOTPRINTS, "footprints", "footprints", "reads of 2x2 texels, or of one, by a fragment")           \
   X(ACCESSES, "accesses", "accesses", "accesses to the cache that these take")                         \
   X(ONE_BANK, "one_bank_accesses", "accesses", "those that activate one data bank, or port")           \
   X(TWO_BANKS, "two_bank_accesses", "accesses", "those that activate two")                             \
   X(THREE_BANKS, "three_bank_accesses", "accesses", "those that activate three")                       \
   X(FOUR_BANKS, "four_bank_accesses", "accesses", "those that activate four")                          \
   X(DATA_BANKS, "data_banks", "activations", "data banks activated; ports where there are no banks")   \
   X(TAG_BANKS, "tag_banks", "activations", "tag banks activated; tag arrays where there are no banks") \
   X(DATA_CONFLICTS, "data_bank_conflicts", "accesses",                                                 \
     "accesses in which texels wait for another row of their data bank")                                \
   X(TAG_CONFLICTS, "tag_bank_conflicts", "accesses",                                                   \
     "accesses in which texels wait for another line of their tag bank")                                \
   X(ENERGY, "energy", "fJ", "energy of the accesses and of the lines that misses replace: (C + M) * E")

enum cm_texture_access_event {
#define CM_TEXTURE_ACCESS_EVENT_ENUM(id, name, measure, description) CM_TEXTURE_ACCESS_EVENT_##id,
   CM_TEXTURE_ACCESS_EVENTS(CM_TEXTURE_ACCESS_EVENT_ENUM)
#undef CM_TEXTURE_ACCESS_EVENT_ENUM
      CM_TEXTURE_ACCESS_EVENT_COUNT
};

/** What processors and fixed-function units did (gpu/operations.h): operations.<name>, where
 * cm_config_counts_operations: X(identifier, name, unit of measure, description) */
#define CM_OPERATIONS(X)                                                                                  \
   X(VERTEX_INSTRUCTIONS, "vertex_instructions", "instructions",                                          \
     "instructions of vertex programs, run for a vertex")                                                 \
   X(QUAD_INSTRUCTIONS, "quad_instructions", "instructions",                                              \
     "instructions of fragment programs, run for a quad")                                                 \
   X(RASTER_QUADS, "raster_quads", "quads",                                                               \
     "quads rasterised; where hidden surfaces are removed before, those too")                             \
   X(QUAD_ATTRIBUTES, "quad_attributes", "attributes", "attributes interpolated, each for a quad")        \
   X(DEPTH_QUADS, "depth_quads", "quads", "quads whose depths were compared with the Z-Buffer's")         \
   X(DEPTH_WRITES, "depth_writes", "quads", "of these, those that replaced them")                         \
   X(COLOR_WRITES, "color_writes", "quads", "quads written to the Color Buffer, each attachment counted") \
   X(COLOR_READS, "color_reads", "quads", "of these, those that depend on what it held: blended")

enum cm_operation {
#define CM_OPERATION_ENUM(id, name, measure, description) CM_OPERATION_##id,
   CM_OPERATIONS(CM_OPERATION_ENUM)
#undef CM_OPERATION_ENUM
      CM_OPERATION_COUNT
};

/** Counters of the texture caches as a NUCA (texture/nuca.h), where a configuration has one:
 * X(identifier, name, unit of measure, description) */
#define CM_NUCA_EVENTS(X)                                                                                  \
   X(REQUESTS, "requests", "requests", "blocks that processors asked for")                                 \
   X(LOCAL_HITS, "local_hits", "requests", "served by the processor's own texture cache")                  \
   X(OLD_OWNER_HITS, "old_owner_hits", "requests",                                                         \
     "of local_hits, those of blocks whose bucket another processor owns")                                 \
   X(REMOTE_HITS, "remote_hits", "requests", "served by another processor's texture cache")                \
   X(L2_ACCESSES, "l2_accesses", "requests", "served by the next level")                                   \
   X(LOCAL_L2_ACCESSES, "local_l2_accesses", "requests",                                                   \
     "of l2_accesses, those whose block came into the processor's own texture cache")                      \
   X(MIGRATIONS, "migrations", "blocks", "blocks that came into another texture cache than they left")     \
   X(OWNERSHIP_CHANGES, "ownership_changes", "buckets", "buckets that changed owners, in each table")      \
   X(EPOCHS, "epochs", "epochs", "times the Affinity Table's counters were reset")                         \
   X(BROADCASTS, "broadcasts", "packets", "packets broadcast, one a node and bucket that it owned")        \
   X(HOPS, "hops", "hops", "hops of requests and answers")                                                 \
   X(NOTICE_HOPS, "notice_hops", "hops", "hops of messages that no request waits for, but for broadcasts") \
   X(BROADCAST_HOPS, "broadcast_hops", "hops", "hops of broadcast packets, a link of their tree each")     \
   X(REPLICATION_SUM, "replication_sum", "blocks",                                                         \
     "copies of requested blocks in all texture caches right after each request")

enum cm_nuca_event {
#define CM_NUCA_ENUM(id, name, measure, description) CM_NUCA_##id,
   CM_NUCA_EVENTS(CM_NUCA_ENUM)
#undef CM_NUCA_ENUM
      CM_NUCA_EVENT_COUNT
};

/** What counts: which part of the GPU, and what a counter's `event` is. */
enum cm_counter_source {
   CM_COUNTER_UNIT,        /**< a cache or memory: enum cm_cache_event, cm_dram_event */
   CM_COUNTER_PIPELINE,    /**< enum cm_pipeline_counter; from CM_PIPELINE_COUNT on: that and an
                               * enum cm_texture_access_event */
   CM_COUNTER_NUCA,        /**< enum cm_nuca_event */
   CM_COUNTER_REPLICATION, /**< the texture caches that held a block after it was requested */
   CM_COUNTER_OPERATION,   /**< enum cm_operation */
   CM_COUNTER_ENERGY,      /**< what energy/energy.h calls it */
   CM_COUNTER_TIMING,      /**< timing/tiled/counters.h; in mode imr immediate_counters.h */
   CM_COUNTER_MESH,        /**< a link: router * CM_MESH_DIRECTION_COUNT + direction (texture/mesh.h) */
};

/** One counter. */
struct cm_counter {
   char name[64];
   const char *measure; /**< unit of measure: "accesses", "blocks", "bytes" … */
   char description[192];
   /* Where it belongs; what a report groups by. */
   enum cm_counter_source source;
   int unit;     /**< enum cm_unit; -1: none, the source is no unit */
   int instance; /**< -1: the sum of the unit's instances */
   int stream;   /**< enum cm_stream; -1: total over the streams, and where the source is no unit */
   int event;    /**< what of it, as the source says */
};

struct cm_counter_table {
   uint32_t count;
   struct cm_counter *counters;
};

/** The table of a configuration; NULL when memory is out. */
struct cm_counter_table *cm_counter_table_create(const struct cm_config *config);
void cm_counter_table_destroy(struct cm_counter_table *table);

/** Index of a counter by its name, or -1. A linear search: not for hot paths. */
int cm_counter_table_find(const struct cm_counter_table *table, const char *name);

/** Whether accesses of the stream can reach the unit in this configuration; not where it has no such stream. */
int cm_stream_reaches(const struct cm_config *config, enum cm_stream stream, enum cm_unit unit);

#endif
