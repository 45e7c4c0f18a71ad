/* SPDX-License-Identifier: MIT */
/** The counters of the timing of mode imr (timing/timing.h); what a frame took is counted at its end. Where
 * the meaning is the tile-based pipeline's, so is the name. */
#ifndef CM_IMMEDIATE_COUNTERS_H
#define CM_IMMEDIATE_COUNTERS_H

#include "timing/counter_list.h"

/** Stages: X(identifier, name, description). Their states as in timing/tiled/counters.h. */
#define CM_IMMEDIATE_STAGES(X)                                                                               \
   X(VERTEX_FETCH, "vertex_fetch", "the fetch of indices and vertices")                                      \
   X(PRIMITIVE_ASSEMBLY, "primitive_assembly", "Primitive Assembly")                                         \
   X(HIERARCHICAL_Z, "hierarchical_z", "the Rasterizer's search for regions, and their HiZ test")            \
   X(RASTERIZER, "rasterizer", "the Rasterizer")                                                             \
   X(EARLY_Z, "early_z", "the early depth and stencil tests")                                                \
   X(FRAGMENT_PROCESSORS, "fragment_processors", "the Fragment Processors, which run vertices, too, summed") \
   X(BLENDING_UNIT, "blending_unit", "the Blending Unit; late tests, clears, resolves, the end of a pass")

enum cm_immediate_stage {
#define CM_IMMEDIATE_STAGE_ENUM(id, name, description) CM_IMMEDIATE_STAGE_##id,
   CM_IMMEDIATE_STAGES(CM_IMMEDIATE_STAGE_ENUM)
#undef CM_IMMEDIATE_STAGE_ENUM
      CM_IMMEDIATE_STAGE_COUNT
};

/** Queues, as in timing/tiled/counters.h: X(identifier, name, description) */
#define CM_IMMEDIATE_QUEUES(X)                                                      \
   X(VERTEX, "vertex", "vertices that are fetched and not assembled")               \
   X(TRIANGLE, "triangle", "primitives before the Rasterizer")                      \
   X(HIZ, "hiz", "regions that wait for HiZ")                                       \
   X(DEPTH, "depth", "blocks that wait for the early tests")                        \
   X(COLOR, "color", "blocks from their dispatch until their colours are accessed") \
   X(COLOR_READ, "color_read", "blocks that wait for colours")

enum cm_immediate_queue {
#define CM_IMMEDIATE_QUEUE_ENUM(id, name, description) CM_IMMEDIATE_QUEUE_##id,
   CM_IMMEDIATE_QUEUES(CM_IMMEDIATE_QUEUE_ENUM)
#undef CM_IMMEDIATE_QUEUE_ENUM
      CM_IMMEDIATE_QUEUE_COUNT
};

/** The others: X(identifier, name, unit of measure, description) */
#define CM_IMMEDIATE_EVENTS(X)                                                                             \
   X(CYCLES, "gpu.cycles", "cycles", "cycles of the GPU's clock")                                          \
   X(TIME, "gpu.time", "ns", "gpu.cycles at clock_mhz")                                                    \
   X(TEXTURE_MSHR_CYCLES, "texture_cache.mshr_cycles", "cycles",                                           \
     "cycles that misses of the texture caches waited for an MSHR")                                        \
   X(LLC_MSHR_CYCLES, "llc.mshr_cycles", "cycles", "cycles that misses of the LLC waited for an MSHR")     \
   X(LLC_WRITE_CYCLES, "llc.write_cycles", "cycles", "cycles that writes to memory waited for their turn") \
   X(LLC_BANK_CYCLES, "llc.bank_cycles", "cycles", "cycles that accesses of the LLC waited for their bank")

enum cm_immediate_event {
#define CM_IMMEDIATE_EVENT_ENUM(id, name, measure, description) CM_IMMEDIATE_EVENT_##id,
   CM_IMMEDIATE_EVENTS(CM_IMMEDIATE_EVENT_ENUM)
#undef CM_IMMEDIATE_EVENT_ENUM
      CM_IMMEDIATE_EVENT_COUNT
};

/** Of all of them, one after another: cm_counter.event of the source cm_timing_counters in mode imr. */
enum {
   CM_IMMEDIATE_COUNTER_COUNT =
      CM_PIPELINE_COUNTER_COUNT(CM_IMMEDIATE_EVENT_COUNT, CM_IMMEDIATE_STAGE_COUNT, CM_IMMEDIATE_QUEUE_COUNT),
};

#endif
