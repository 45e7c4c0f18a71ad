/* SPDX-License-Identifier: MIT */
/**
 * The measurements of "Boustrophedonic Frames" on the accesses that arrive at a cache or
 * at memory, for each stream separately: shares of first, intra-frame and inter-frame
 * accesses, reuse distances, IIRDs, footprints (analysis/reuse.h), and how many
 * accesses the sets get while a tile is rendered, without sets that get none (Figure 8):
 * where it is one, reversing the tiles reverses the accesses to the set.
 */
#ifndef CM_ANALYSIS_H
#define CM_ANALYSIS_H

#include "access/arrivals.h"
#include "analysis/reuse.h"
#include "config/units.h"

struct cm_analysis;

/** For blocks spread over this many sets (a power of two) with this index. NULL when out of memory. */
struct cm_analysis *cm_analysis_create(uint32_t sets, enum cm_index index);
void cm_analysis_destroy(struct cm_analysis *analysis);

/** The reader that takes from the access stream: accesses to blocks of a unit (of 1 << block_shift bytes), in which tile
 * they are, and the frames' ends. The analysis must outlive it. */
struct cm_access_reader
cm_analysis_reader(struct cm_analysis *analysis, enum cm_unit unit, unsigned block_shift);

/** What was counted of a stream in the frames first … last together, the first that ended being 0. */
struct cm_reuse_counts
cm_analysis_reuse(const struct cm_analysis *analysis, enum cm_stream stream, uint32_t first, uint32_t last);
/** Accesses of a stream to a set in a tile, over the tiles of the frames first … last. */
struct cm_histogram
cm_analysis_tiles(const struct cm_analysis *analysis, enum cm_stream stream, uint32_t first, uint32_t last);

/** False once out of memory: the counts are not complete. */
bool cm_analysis_is_complete(const struct cm_analysis *analysis);

#endif
