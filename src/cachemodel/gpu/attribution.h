/* SPDX-License-Identifier: MIT */
/**
 * Attribution of a simulated GPU: the counters of each render pass, draw, resource and tile (memory/attribution.h), where
 * the keys attribution.* ask for them.
 *
 * Attributed are the counters of caches, memory and access units, those of instances summed up; of the stages
 * (CM_PIPELINE_COUNTERS, frames excepted) and their operations; the GPU's cycles, by passes and tiles; and the dynamic energy of units whose energy is made of
 * these alone. Rows by resources have only fragment_stage.footprints of the stages. The rows of a frame add up to the
 * frame's counters. Energy, which is whole picojoules of all that was counted so far, is attributed as if the rows had
 * happened one after another.
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
   const uint64_t *energy; /**< dynamic, by enum cm_energy_unit, in pJ; NULL: none is counted */
};

/** The rows by a part of the origin, within passes. */
struct cm_attributed_rows {
   uint32_t count;
   const struct cm_attributed_row *list; /**< by passes in their order, and in these by number */
   struct cm_attributed_row sum;         /**< of their counts and energies */
};

/** For the last frame, after cm_gpu_frame_end; valid until the next call. False: the configuration asks
 * for no rows by that part, or, with a message, out of memory. */
bool cm_gpu_attributed_rows(struct cm_gpu *gpu, enum cm_origin_part part, struct cm_attributed_rows *rows);

/** Which counters of a configuration's table (gpu/counters.h) rows by a part have: sets a flag for each. False when out of
 * memory. */
bool cm_attributed_counters(const struct cm_config *config, const struct cm_counter_table *table,
                            enum cm_origin_part part, bool *flags);

/** The value of a counter that rows by the part have. */
uint64_t cm_gpu_attributed_value(const struct cm_gpu *gpu, const struct cm_attributed_row *row,
                                 const struct cm_counter *counter);

#endif
