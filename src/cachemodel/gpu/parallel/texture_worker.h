/* SPDX-License-Identifier: MIT */
/**
 * The private texture caches, simulated in parallel with the other stages: the texture worker serves the reads that the filters of shading
 * workers have passed on, or all that these have requested of a NUCA, in the order of tiles.
 *
 * The caches are connected to the lists of segments while it uses them, and to the main thread's stream otherwise.
 */
#ifndef CM_TEXTURE_WORKER_H
#define CM_TEXTURE_WORKER_H

#include "gpu/gpu_internal.h"
#include "util/threads.h"

struct cm_known_shaders;
struct cm_segment;
struct cm_shading;

struct cm_texture_worker {
   struct cm_gpu *gpu;
   struct cm_worker tasks;         /**< of parallel.c, which sets it */
   struct cm_access_stream stream; /**< what leaves the caches: the list of the segment that it serves */
   struct cm_hierarchy
      view; /**< where what the caches read of memory is counted; in mode imr shaders are read there */
   struct cm_shading *shading; /**< in mode imr: the GPU's, which know what each processor holds */
   const struct cm_known_shaders *known;
   uint64_t shaders_held; /**< processors that got another one, in mode imr */
   bool is_connected;     /**< the caches append to that list */
   bool out_of_memory;
};

void cm_texture_worker_init(struct cm_texture_worker *worker, struct cm_gpu *gpu);
/** Once what shading workers access is shared. False when out of memory. */
bool cm_texture_worker_share(struct cm_texture_worker *worker);
void cm_texture_worker_finish(struct cm_texture_worker *worker);

/** The next level of a texture cache that is private to it; CM_UNIT_DRAM: there is none. */
enum cm_unit cm_texture_next_private(const struct cm_gpu *gpu, enum cm_unit unit);

/** Whether a unit is one of the private texture caches. */
bool cm_texture_worker_has(const struct cm_texture_worker *worker, enum cm_unit unit);

/** Lets the caches append their misses to the lists of segments, or to the main thread's; then no task with tiles may run. */
void cm_texture_worker_connect(struct cm_texture_worker *worker, bool connected);

/** Invalidates the segment's blocks, and serves its filtered reads. */
void cm_texture_worker_run(struct cm_texture_worker *worker, struct cm_segment *segment);

/** Adds what it has counted to the GPU's counts. */
void cm_texture_worker_add_counts(struct cm_texture_worker *worker);

#endif
