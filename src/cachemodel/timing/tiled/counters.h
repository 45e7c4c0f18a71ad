/* SPDX-License-Identifier: MIT */
/** The counters of the timing (timing/timing.h); what a frame took is counted at its end. */
#ifndef CM_TILED_COUNTERS_H
#define CM_TILED_COUNTERS_H

#include "timing/counter_list.h"

/** Stages, each with a counter <stage>.<state>_cycles for each of its states; of a frame these sum up to its cycles
 * times the units that the stage is of: X(identifier, name, description) */
#define CM_TIMING_STAGES(X)                                                         \
   X(VERTEX_FETCH, "vertex_fetch", "the fetch of indices and vertices")             \
   X(VERTEX_PROCESSORS, "vertex_processors", "the Vertex Processors, summed")       \
   X(PRIMITIVE_ASSEMBLY, "primitive_assembly", "Primitive Assembly")                \
   X(POLYGON_LIST_BUILDER, "polygon_list_builder", "the Polygon List Builder")      \
   X(TILE_FETCHER, "tile_fetcher", "the Tile Fetcher")                              \
   X(HIDDEN_SURFACE_REMOVAL, "hidden_surface_removal", "Hidden Surface Removal")    \
   X(RASTERIZER, "rasterizer", "the Rasterizer")                                    \
   X(EARLY_Z, "early_z", "the Early Z-Test")                                        \
   X(FRAGMENT_PROCESSORS, "fragment_processors", "the Fragment Processors, summed") \
   X(BLENDING_UNIT, "blending_unit", "the Blending Unit")                           \
   X(TILE_BUFFERS, "tile_buffers", "loads and flushes of tiles")

enum cm_timing_stage {
#define CM_TIMING_STAGE_ENUM(id, name, description) CM_TIMING_STAGE_##id,
   CM_TIMING_STAGES(CM_TIMING_STAGE_ENUM)
#undef CM_TIMING_STAGE_ENUM
      CM_TIMING_STAGE_COUNT
};

/** Queues, each with counters queue.<name>.items and queue.<name>.cycles: items that passed, cycles that they were
 * in it, summed. The quotient of cycles and gpu.cycles is the mean occupancy. */
#define CM_TIMING_QUEUES(X)                                                 \
   X(VERTEX_INPUT, "vertex_input", "vertices before the Vertex Processors") \
   X(VERTEX_OUTPUT, "vertex_output", "vertices before Primitive Assembly")  \
   X(TRIANGLE, "triangle", "primitives before the Polygon List Builder")    \
   X(TILE_FETCH, "tile_fetch", "primitives requested by the Tile Fetcher")  \
   X(TILE, "tile", "primitives behind the Tile Fetcher")                    \
   X(EARLY_Z, "early_z", "quads before the Early Z-Test")                   \
   X(EARLY_Z_FLIGHT, "early_z_flight", "quads in the Early Z-Test")         \
   X(FRAGMENT, "fragment", "quads before the Fragment Processors")          \
   X(COLOR, "color", "quads before the Blending Unit")

enum cm_timing_queue {
#define CM_TIMING_QUEUE_ENUM(id, name, description) CM_TIMING_QUEUE_##id,
   CM_TIMING_QUEUES(CM_TIMING_QUEUE_ENUM)
#undef CM_TIMING_QUEUE_ENUM
      CM_TIMING_QUEUE_COUNT
};

/** The others: X(identifier, name, unit of measure, description) */
#define CM_TIMING_EVENTS(X)                                                                              \
   X(CYCLES, "gpu.cycles", "cycles", "cycles of the GPU's clock")                                        \
   X(TIME, "gpu.time", "ns", "gpu.cycles at clock_mhz")                                                  \
   X(TILE_FETCHER_PRIMITIVES, "tile_fetcher.primitives", "primitives",                                   \
     "primitives that the Tile Fetcher put into its output queue")                                       \
   X(TILE_FETCHER_CYCLES, "tile_fetcher.cycles", "cycles",                                               \
     "cycles from the first PMD requested in a pass to the last primitive in its output queue")          \
   X(TEXTURE_MSHR_CYCLES, "texture_cache.mshr_cycles", "cycles",                                         \
     "cycles that misses of the texture caches waited for an MSHR")                                      \
   X(L2_MSHR_CYCLES, "l2.mshr_cycles", "cycles", "cycles that misses of the L2 waited for an MSHR")      \
   X(L2_BANK_CYCLES, "l2.bank_cycles", "cycles", "cycles that accesses of the L2 waited for their bank") \
   X(MESH_CYCLES, "mesh.wait_cycles", "cycles", "cycles that messages waited for a link, or for the table")

enum cm_timing_event {
#define CM_TIMING_EVENT_ENUM(id, name, measure, description) CM_TIMING_EVENT_##id,
   CM_TIMING_EVENTS(CM_TIMING_EVENT_ENUM)
#undef CM_TIMING_EVENT_ENUM
      CM_TIMING_EVENT_COUNT
};

/** Of all of them, one after another: cm_counter.event of the source cm_timing_counters. */
enum {
   CM_TIMING_COUNTER_COUNT =
      CM_PIPELINE_COUNTER_COUNT(CM_TIMING_EVENT_COUNT, CM_TIMING_STAGE_COUNT, CM_TIMING_QUEUE_COUNT),
};

#endif
