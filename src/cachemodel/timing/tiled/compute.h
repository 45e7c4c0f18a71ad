/* SPDX-License-Identifier: MIT */
/** Compute passes of the tile-based GPU, be its processors simple or shader cores, and what load/store caches write back at the
 * end of passes. Nothing else runs at the same time. */
#ifndef CM_TILED_COMPUTE_H
#define CM_TILED_COMPUTE_H

#include "timing/pipeline.h"

/** Prepares them for a pipeline, whose memory is a struct cm_tiled_memory and which has texture units. threads: that one of its
 * processors works on at once. */
void cm_tiled_compute_init(struct cm_pipeline *pipeline, uint32_t threads);

/** The most quads, or warps, and runs of compute passes that have accesses to start in a processor's texture and load/store units.
 * contexts: quads or warps that it works on at once; threads: of them. */
uint32_t cm_tiled_compute_accesses(const struct cm_config *config, uint32_t contexts, uint32_t threads);

#endif
