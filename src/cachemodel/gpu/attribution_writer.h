/* SPDX-License-Identifier: MIT */
/**
 * Writes attributions next to stats.json, as the keys attribution.* ask for them (docs/attribution.md): passes.csv, draws.csv,
 * textures.csv, tiles.csv. Each begins with the columns
 *
 *    frame        in which the accesses happened
 *    pass_frame   of the render pass that caused them; an earlier one for blocks that it left in the caches, and negative
 *                 for one before the first that is counted
 *    pass         number of the render pass in that frame
 *
 * and the columns of its keys, empty if there is none or if it is of an earlier frame; then come counters.
 */
#ifndef CM_ATTRIBUTION_WRITER_H
#define CM_ATTRIBUTION_WRITER_H

#include "gpu/gpu.h"

struct cm_attribution_writer;
struct cm_stats_writer;

/** Adds the configuration's tables to a writer that has no frame yet. table: of the GPU's counters; must outlive both.
 * With none asked for, *created is NULL. False when out of memory. */
bool cm_attribution_writer_create(const struct cm_config *config, const struct cm_counter_table *table,
                                  struct cm_stats_writer *stats, struct cm_attribution_writer **created);
/** NULL is fine. */
void cm_attribution_writer_destroy(struct cm_attribution_writer *writer);

/** Before cm_stats_writer_frame, after cm_gpu_frame_end: the frame's rows. writer: NULL is fine. */
void cm_attribution_writer_frame(struct cm_attribution_writer *writer, struct cm_gpu *gpu);

#endif
