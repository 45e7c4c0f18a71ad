/* SPDX-License-Identifier: MIT */
/** Compute passes: work-groups on the processors (docs/compute.md). */
#ifndef CM_COMPUTE_H
#define CM_COMPUTE_H

#include "texture/unit.h"

struct cm_gpu;
struct cm_indirect;
struct cm_resource;
struct cm_shader_code;
struct cm_storage_stage;

struct cm_compute_stage {
   struct cm_gpu *gpu;
   struct cm_storage_stage *storage;
   uint64_t has_shader;               /**< a bit for each processor that holds the pass' */
   uint32_t processor;                /**< of the current work-group */
   uint32_t running;                  /**< word 0 of the invocations that run; 0: none do */
   const struct cm_shader_code *code; /**< the pass' shader's, if that has control flow; else NULL */
   uint64_t instructions;             /**< of four invocations that run region 0 alone */
   uint64_t more;                     /**< of the invocations that run, besides these */
   struct cm_texture_unit units[CM_MAX_TEXTURE_UNITS], no_unit;
};

/** The dispatch begins: its parameters are read, its textures, which are listed by unit, bound. The pass' storages have been
 * found. */
void cm_compute_begin(struct cm_compute_stage *compute, struct cm_resource *const *textures);
/** A tile's work-groups. */
void cm_compute_tile(struct cm_compute_stage *compute, uint32_t tile);

/** Parameters of an indirect draw or dispatch, read by the Vertex Stage's index fetch. */
void cm_compute_read_indirect(struct cm_gpu *gpu, const struct cm_indirect *indirect);

#endif
