/* SPDX-License-Identifier: MIT */
/**
 * A part of the Fragment Processors, simulated beside the others on a thread of its own: their texture units and texture
 * caches, which no other processor uses. Each lane goes through all events of a tile and runs the quads of its
 * processors. What it appends to the access stream goes to a list of its own, in which marks say to which quad
 * entries belong, so that the lists of all lanes can be merged in the order of quads.
 *
 * All that a lane counts is its own, until cm_lane_add_counts.
 */
#ifndef CM_LANE_H
#define CM_LANE_H

#include "gpu/gpu_internal.h"
#include "gpu/segment.h"

#define CM_MAX_PROCESSORS 64

struct cm_lane {
   struct cm_gpu *gpu;
   struct cm_shading *shading;
   unsigned number, count; /**< of all lanes */
   bool has_processor[CM_MAX_PROCESSORS];
   bool counts_for_all; /**< this lane counts the quads that read nothing, whoever runs them */
   struct cm_texture_path texture;
   uint64_t pipeline[CM_PIPELINE_COUNT];
   struct cm_dram dram;
   struct cm_access_stream stream;         /**< what its caches append to: a list that grows, the caller's */
   const struct cm_shader_memory *shaders; /**< by draw of the pass */
   bool out_of_memory;                     /**< something was not simulated */
};

/** How many lanes a GPU can have; 0: its Fragment Processors cannot be simulated beside the stages. What lanes append to
 * the stream must be served by the shared side: cm_lanes_share moves caches there that are private otherwise. */
unsigned cm_lanes_count(const struct cm_gpu *gpu);
/** False when out of memory. */
bool cm_lanes_share(struct cm_gpu *gpu);

/** Lane `number` of `count`. False when out of memory. */
bool cm_lane_init(struct cm_lane *lane, struct cm_gpu *gpu, unsigned number, unsigned count);
void cm_lane_finish(struct cm_lane *lane);

/** The accesses of its texture caches go to a stream: its own, or that of the stages. */
void cm_lane_connect(struct cm_lane *lane, struct cm_access_stream *stream);

/** Adds what it has counted to the GPU's counts. */
void cm_lane_add_counts(struct cm_lane *lane);

/** Reads a draw's fragment shader. */
void cm_lane_fetch_shader(struct cm_lane *lane, uint32_t draw, uint32_t processor);

/** A quad begins at a place in the tile; places ascend. Returns how many entries there are before it. */
static inline uint32_t
cm_lane_begin_quad(struct cm_lane *lane, uint64_t place)
{
   const uint32_t before = lane->stream.count;
   cm_access_stream_append(&lane->stream,
                           cm_entry_make(CM_ENTRY_MARK, CM_QUAD_MARK, 0, (enum cm_stream)0, place));
   return before;
}

/** It ends; one that has no entries leaves no mark. */
static inline void
cm_lane_end_quad(struct cm_lane *lane, uint32_t before)
{
   if (lane->stream.count == before + 1)
      lane->stream.count = before;
}

#endif
