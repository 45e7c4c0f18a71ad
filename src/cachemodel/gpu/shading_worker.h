/* SPDX-License-Identifier: MIT */
/**
 * The Fragment Processors, simulated in parallel with the other stages: a shading worker runs the quads of a segment's tiles.
 *
 * What a texture cache holds when a read reaches it is not known yet: it depends on earlier tiles. So each worker has filters
 * in front of the texture caches (memory/filter.h), which begin each segment empty. They count the reads that
 * hit and change nothing whatever the caches hold, and append all others to the segment's list. The texture caches serve these
 * in the order of tiles (gpu/parallel/texture_worker.h). So there may be several workers, which run different segments,
 * in any order. In mode imr a segment has primitives in place of tiles, and their other accesses, too, are in the list: which
 * is served in order.
 *
 * All that a worker counts is its own, until cm_shading_worker_add_counts.
 */
#ifndef CM_SHADING_WORKER_H
#define CM_SHADING_WORKER_H

#include "gpu/gpu_internal.h"
#include "gpu/shaded_events.h"
#include "timing/log.h"
#include "util/threads.h"

#define CM_MAX_PROCESSORS 64

struct cm_fragment_stage;
struct cm_immediate;
struct cm_segment;

/** Where the fragment shaders of a pass, and the descriptor sets that they name, are in memory. */
struct cm_known_shaders {
   const struct cm_shader_memory *shaders; /**< by draw of the pass */
   const uint64_t *sets;                   /**< by number in the pass' descriptors */
};

struct cm_shading_worker {
   struct cm_gpu *gpu;
   struct cm_worker tasks; /**< of parallel.c, which sets it, and the next two */
   struct cm_parallel *parallel;
   uint64_t segment; /**< number of the one that it has claimed */
   struct cm_shading *shading;
   struct cm_shaded_events shaded; /**< of a tile */
   struct cm_cache *filters;       /**< by instance of the texture caches */
   struct cm_texture_path texture; /**< the GPU's, through the filters */
   uint64_t pipeline[CM_PIPELINE_COUNT];
   uint64_t operations[CM_OPERATION_COUNT];
   struct cm_hierarchy view;       /**< where its accesses other than to textures go */
   struct cm_access_stream stream; /**< what it accesses: the list of its segment */
   struct cm_immediate *immediate; /**< in mode imr; else NULL */
   const struct cm_known_shaders *known;
   /* With timing, but for mode imr, where all of it is in the stream. */
   struct cm_request_log requests; /**< the groups and lookups of a tile */
   struct cm_quad_log *quads;      /**< its quads */
   bool out_of_memory;             /**< something was not simulated */
};

/** Moves the caches of shaders that are private to the shared side: what shading workers append to the stream must be served
 * there, in order. False when out of memory. */
bool cm_shading_workers_share(struct cm_gpu *gpu);

/** For a GPU that can have some (cm_parallel_can_shade). False when out of memory. */
bool cm_shading_worker_init(struct cm_shading_worker *worker, struct cm_gpu *gpu,
                            const struct cm_fragment_stage *stage);
/** Once what it accesses is shared; immediate: of the GPU, in mode imr. False when out of memory. */
bool cm_shading_worker_connect(struct cm_shading_worker *worker, const struct cm_immediate *immediate);
void cm_shading_worker_finish(struct cm_shading_worker *worker);

/** Runs the quads of a segment's tiles. */
void cm_shading_worker_run(struct cm_shading_worker *worker, struct cm_segment *segment);

/** Adds what it has counted to the GPU's counts. */
void cm_shading_worker_add_counts(struct cm_shading_worker *worker);

/** A processor that held another one gets a draw's fragment shader. In mode imr only the texture worker knows what it held before
 * the segment. */
void cm_shading_worker_hold_shader(struct cm_shading_worker *worker, uint32_t draw, uint32_t processor);

/** Reads a draw's fragment shader. */
void cm_known_shader_fetch(const struct cm_known_shaders *known, struct cm_gpu *gpu,
                           struct cm_hierarchy *hierarchy, uint32_t draw, uint32_t processor);

#endif
