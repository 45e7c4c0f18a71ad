/* SPDX-License-Identifier: MIT */
/**
 * Loads, stores and atomics of shaders to storage buffers and images (docs/compute.md): instruction by instruction through
 * the processor's load/store cache.
 */
#ifndef CM_STORAGE_H
#define CM_STORAGE_H

#include "util/array.h"

#include <stdint.h>

struct cm_gpu;
struct cm_vertex_access;

/** The load/store units of a GPU: which the pass' shaders use. */
struct cm_storage_stage {
   struct cm_gpu *gpu;
   bool is_used;          /**< the pass accesses storage, or is a compute pass, and that is simulated */
   bool has_refused;      /**< a message has said that something is not simulated */
   struct cm_array bound; /**< of storage.c, by the pass' storages */
   struct cm_array bound_vertex; /**< the same by vertex binding of the pass, if one of them is storage */
   uint32_t num_bound_vertex;    /**< elements of it */
   struct cm_array addressed;    /**< struct cm_resource *, as pass->addressed; NULL: not accessed yet */
};

/** Frees what it owns. */
void cm_storage_finish(struct cm_storage_stage *stage);

/** Finds the resources of the GPU's pass. False when out of memory. */
bool cm_storage_begin(struct cm_storage_stage *stage);

/** Runs an instruction (a CM_EVENT_BUFFER or CM_EVENT_IMAGE) in quads first … end - 1 of the event before it, each
 * distinct block accessed once. storage: number of the pass' storage; live: by quad, those that access at all. Returns whether
 * anything was accessed. */
bool cm_storage_access(struct cm_storage_stage *stage, uint32_t storage, const uint32_t *event,
                       uint32_t first, uint32_t end, uint32_t live, uint32_t processor);

/** Runs an instruction of one invocation of a shader before the rasterizer. The access is not of a texture. */
void cm_storage_access_vertex(struct cm_storage_stage *stage, const struct cm_vertex_access *access,
                              uint32_t processor);

/** The end of the pass: the load/store caches are written back and emptied, and what was stored is stale in read-only
 * caches. */
void cm_storage_end(struct cm_storage_stage *stage);

#endif
