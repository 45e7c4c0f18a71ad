/* SPDX-License-Identifier: MIT */
/**
 * What the processors and fixed-function units of a tile-based GPU did, as far as the event stream shows it: the
 * operations that energy is counted for (docs/energy.md). Counted independently of the memory hierarchy, tile by tile, and
 * only where the configuration asks for it (cm_config_counts_operations).
 *
 * Mode tbr: each quad is rasterised with its attributes, then tested (TCOR II-A). Mode tbdr: hidden surfaces are
 * removed by a rasterizer and a test of depth of their own, over all quads and without attributes; the visible
 * quads are then rasterised once more ("DTM-NUCA" II-C). Only passes of CM_PASS_FULL have the quads that are
 * not shaded; for other passes, hidden ones are missing here.
 */
#ifndef CM_OPERATIONS_H
#define CM_OPERATIONS_H

#include <stdint.h>

#include "events/event_stream.h"
#include "stats/counters.h"

struct cm_gpu;

/** Counters operations.<name>: X(identifier, name, unit of measure, description) */
#define CM_OPERATIONS(X)                                                                                  \
   X(VERTEX_INSTRUCTIONS, "vertex_instructions", "instructions",                                          \
     "vertex shader instructions that ran, per vertex; of other stages before quads, per invocation")     \
   X(QUAD_INSTRUCTIONS, "quad_instructions", "instructions",                                              \
     "fragment shader instructions that ran, per quad; of compute shaders per four invocations")          \
   X(RASTER_QUADS, "raster_quads", "quads",                                                               \
     "quads rasterised; where hidden surfaces are removed before, those too")                             \
   X(QUAD_ATTRIBUTES, "quad_attributes", "attributes", "attributes interpolated, each for a quad")        \
   X(DEPTH_QUADS, "depth_quads", "quads", "quads whose depths were compared with the Z-Buffer's")         \
   X(DEPTH_WRITES, "depth_writes", "quads", "of these, those that replaced them")                         \
   X(COLOR_WRITES, "color_writes", "quads", "quads written to the Color Buffer, each attachment counted") \
   X(COLOR_READS, "color_reads", "quads", "quads read from it: blended with, or fetched by shaders")

enum cm_operation {
#define CM_OPERATION_ENUM(id, name, measure, description) CM_OPERATION_##id,
   CM_OPERATIONS(CM_OPERATION_ENUM)
#undef CM_OPERATION_ENUM
      CM_OPERATION_COUNT
};

/** Read from cm_gpu.operations. */
extern const struct cm_counter_source cm_operation_counters;

/** Instructions of so many invocations of a draw's shader before the rasterizer: as many as the mean of those that ran, rounded
 * to the nearest number. The draw is of the current pass. */
uint64_t cm_operations_instructions(const struct cm_gpu *gpu, const struct cm_draw *draw,
                                    enum cm_preraster_stage stage, uint64_t invocations);

/** A draw's vertex shader ran for so many vertices, and the shaders after it as often as the draw says. */
void cm_operations_vertices(struct cm_gpu *gpu, const struct cm_draw *draw, uint64_t vertices);

/** A tile of the pass: its recorded events, and those that are shaded, which may be the same. */
void cm_operations_tile(struct cm_gpu *gpu, const struct cm_tile_events *recorded,
                        const struct cm_tile_events *shaded, uint64_t *operations);

#endif
