/* SPDX-License-Identifier: MIT */
/**
 * Attribution of a simulated GPU: the counters of each render pass, draw, resource and tile (memory/attribution.h), where
 * the keys attribution.* ask for them.
 *
 * Attributed are the counters of caches, memory and access units, those of instances summed up, and of the stages
 * (CM_PIPELINE_COUNTERS, frames excepted); by resources, of the stages only fragment_stage.footprints. The rows of a
 * frame add up to the frame's counters.
 */
#ifndef CM_GPU_ATTRIBUTION_H
#define CM_GPU_ATTRIBUTION_H

#include "access/origin.h"
#include "gpu/gpu.h"

/** The counters of a pass, draw, resource or tile in a frame. */
struct cm_attributed_row {
   uint32_t
      frames_ago; /**< that its pass was rendered: what it has written may be written back in a later frame */
   uint32_t pass; /**< number in that frame, from 0 */
   /** By draws: 1 + the number in the pass; by resources: the ID; by tiles: 1 + the row-major number. 0: none. */
   uint32_t number;
   const uint64_t *counts; /**< for cm_gpu_attributed_value */
};

/** The rows by a part of the origin; within a pass. */
struct cm_attributed_rows {
   uint32_t count;
   const struct cm_attributed_row *list; /**< by passes in their order, and in these by number */
   const uint64_t *sum;                  /**< of their counts */
};

/** Of the last frame, after cm_gpu_frame_end; valid until the next call. Whether the configuration asks for
 * rows by that part. False, and a message, when out of memory, too. */
bool cm_gpu_attributed_rows(struct cm_gpu *gpu, enum cm_origin_part part, struct cm_attributed_rows *rows);

/** Whether rows by a part have a counter of the table (gpu/counters.h). */
bool cm_counter_is_attributed(const struct cm_counter *counter, enum cm_origin_part part);

/** A counter's value, of counts that rows have. */
uint64_t
cm_gpu_attributed_value(const struct cm_gpu *gpu, const uint64_t *counts, const struct cm_counter *counter);

#endif
