/* SPDX-License-Identifier: MIT */
/** Compute passes: work-groups on the processors (docs/compute.md). */
#ifndef CM_COMPUTE_H
#define CM_COMPUTE_H

#include <stdbool.h>
#include <stdint.h>

struct cm_compute;
struct cm_gpu;

/** NULL when out of memory. */
struct cm_compute *cm_compute_create(struct cm_gpu *gpu);
/** NULL is fine. */
void cm_compute_destroy(struct cm_compute *compute);

/** The dispatch begins: its parameters are read, its textures bound. The pass' storages and textures have been found. */
void cm_compute_begin(struct cm_compute *compute);
/** A tile's work-groups. */
void cm_compute_tile(struct cm_compute *compute, uint32_t tile);

/** Parameters of an indirect draw or dispatch, read by the Vertex Stage's index fetch. */
struct cm_indirect;
void cm_compute_read_indirect(struct cm_gpu *gpu, const struct cm_indirect *indirect);

#endif
