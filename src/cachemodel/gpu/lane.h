/* SPDX-License-Identifier: MIT */
/**
 * The Fragment Processors, simulated beside the stages: a lane runs the quads of tiles, and appends what they access to a
 * stream of its own.
 *
 * Where all that quads do to the texture caches is read, by a policy that allows it, a lane has filters in front of these
 * (memory/filter.h): then there may be several lanes, each of which runs other tiles, in any order. The reads that the filters
 * pass on are served in the order of tiles (cm_lane_serve_textures). Otherwise a single lane reads the texture caches
 * themselves.
 *
 * All that a lane counts is its own, until cm_lane_add_counts.
 */
#ifndef CM_LANE_H
#define CM_LANE_H

#include "gpu/gpu_internal.h"

#define CM_MAX_PROCESSORS 64

struct cm_lane {
   struct cm_gpu *gpu;
   struct cm_shading *shading;
   struct cm_cache *filters; /**< by instance of the texture caches; NULL: it reads these */
   struct cm_texture_path texture;
   uint64_t pipeline[CM_PIPELINE_COUNT];
   struct cm_dram dram;
   struct cm_access_stream stream;         /**< what it accesses: a list that grows, the caller's */
   const struct cm_shader_memory *shaders; /**< by draw of the pass */
   bool out_of_memory;                     /**< something was not simulated */
};

/** Whether a GPU can have lanes. What lanes append to the stream must be served by the shared side: cm_lanes_share moves
 * caches there that are private otherwise. */
bool cm_lanes_are_possible(const struct cm_gpu *gpu);
/** False when out of memory. */
bool cm_lanes_share(struct cm_gpu *gpu);
/** Whether these lanes have filters; a GPU without them has one lane. */
bool cm_lanes_filter(const struct cm_gpu *gpu);

/** False when out of memory. */
bool cm_lane_init(struct cm_lane *lane, struct cm_gpu *gpu);
void cm_lane_finish(struct cm_lane *lane);

/** Before tiles that do not follow those that the lane has run. */
void cm_lane_begin(struct cm_lane *lane);

/** Where the texture caches append what they miss, and count accesses to memory. */
void cm_lanes_connect_textures(struct cm_gpu *gpu, struct cm_access_stream *stream, struct cm_dram *dram);

/** Serves the reads of texture caches that filters have passed on; all other entries, and those that the caches add, go
 * where cm_lanes_connect_textures says. */
void cm_lanes_serve_textures(struct cm_gpu *gpu, const cm_entry *entries, uint32_t count,
                             struct cm_access_stream *stream);

/** Whether a unit is one of the private texture caches. */
bool cm_lanes_have(const struct cm_gpu *gpu, enum cm_unit unit);

/** Makes room in a stream that is a list: for `take` of struct cm_access_stream. Without memory entries are lost, and a bool,
 * the context, is set. */
void cm_lane_grow(void *out_of_memory, struct cm_access_stream *stream);

/** Adds what it has counted to the GPU's counts. */
void cm_lane_add_counts(struct cm_lane *lane);

/** Reads a draw's fragment shader. */
void cm_lane_fetch_shader(struct cm_lane *lane, uint32_t draw, uint32_t processor);

#endif
