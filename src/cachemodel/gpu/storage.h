/* SPDX-License-Identifier: MIT */
/**
 * Loads, stores and atomics of shaders to storage buffers and images (docs/compute.md): instruction by instruction through
 * the processor's load/store cache.
 */
#ifndef CM_STORAGE_H
#define CM_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

struct cm_gpu;
struct cm_vertex_access;

/** Finds the resources of the pass' storages. False when out of memory. */
bool cm_storage_begin(struct cm_gpu *gpu);

/** What an instruction (a CM_EVENT_BUFFER or CM_EVENT_IMAGE) does in quads first … end - 1 of the event before it, each
 * distinct block accessed once. storage: number of the pass' storage; live: by quad, those that access at all. Whether
 * anything was accessed. */
bool cm_storage_access(struct cm_gpu *gpu, uint32_t storage, const uint32_t *event, uint32_t first,
                       uint32_t end, uint32_t live, uint32_t processor);

/** What an instruction of one invocation of a shader before the rasterizer does. The access is not of a texture. */
void cm_storage_access_vertex(struct cm_gpu *gpu, const struct cm_vertex_access *access, uint32_t processor);

/** The end of the pass: the load/store caches are written back and emptied, and what was stored is stale in read-only
 * caches. */
void cm_storage_end(struct cm_gpu *gpu);

#endif
