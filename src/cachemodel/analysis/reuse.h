/* SPDX-License-Identifier: MIT */
/**
 * How a stream of block accesses reuses its blocks, within a frame and from frame
 * to frame: what Section III of "Boustrophedonic Frames" measures of the texture
 * accesses that arrive at the L2. The stream is analysed alone; other streams in
 * the same cache change nothing.
 *
 * The blocks are spread over sets as in a cache of that many sets, and each
 * set is analysed by itself. The reuse distance of an access is the number of
 * different other blocks of its set that were accessed since the block's last
 * access: an LRU cache of w ways hits exactly the accesses of a distance below w.
 *
 * Everything is counted per frame; frames count from 0, the first that was analysed.
 * Distances are exact whatever their length, at a cost of a logarithm of the set's blocks per
 * access; memory grows with the different blocks of the stream.
 */
#ifndef CM_REUSE_H
#define CM_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/histogram.h"
#include "config/config.h"

/** What was counted in one frame, or the sum over several. */
struct cm_reuse_counts {
   /** accesses = first + intra + inter */
   uint64_t accesses;
   uint64_t first;                      /**< to blocks that were never accessed before */
   uint64_t intra;                      /**< to blocks accessed before in this frame */
   uint64_t inter;                      /**< to blocks accessed last in an earlier frame */
   struct cm_histogram intra_distances; /**< reuse distances of the intra accesses (Figure 6) */
   struct cm_histogram inter_distances; /**< of the inter accesses (Figure 7) */

   uint64_t blocks;     /**< different blocks accessed: the footprint */
   uint64_t insertions; /**< of them, those not accessed in the frame before; 0 in frame 0 */
   uint64_t deletions;  /**< blocks accessed in the frame before, not in this one */

   /* Inter-iteration reuse distances (III-D, Figure 5): of the blocks accessed both in
    * this frame and in the one before, called reuses. In each set, with s the blocks of the
    * frame before, the sub-trace of the last accesses of a frame is its blocks in the order
    * of their last accesses, the sub-trace of the first accesses that of their first. The
    * IIRD of a block between two sub-traces, the one after the other, is the number of
    * different other blocks from its occurrence in the first to that in the second.
    * The sums are over reuses, so an average is a sum divided by reuses. */
   uint64_t reuses;
   uint64_t sum_maximum; /**< s - 1 of the reuse's set: the distance in a circular trace; half of it
                             * is the average of an alternate reverse one, the minimum of loop traces */
   uint64_t
      sum_last_first; /**< from the frame before's last accesses to this one's first: the reuse distance */
   uint64_t
      sum_last_last; /**< from the frame before's last accesses to this one's last, which would be its first
                             * if this frame's accesses came in reverse order */
};

struct cm_reuse;

/** For blocks spread over this many sets (a power of two) with this index. NULL when out of memory. */
struct cm_reuse *cm_reuse_create(uint32_t sets, enum cm_index index);
void cm_reuse_destroy(struct cm_reuse *reuse);

/** One access to a block (a block number, not an address). */
void cm_reuse_access(struct cm_reuse *reuse, uint64_t block);
/** Ends the frame; later accesses belong to the next one. */
void cm_reuse_frame_end(struct cm_reuse *reuse);

/** The set of a block. */
uint32_t cm_reuse_set(const struct cm_reuse *reuse, uint64_t block);

/** What was counted in the frames first … last that have ended. */
struct cm_reuse_counts cm_reuse_sum(const struct cm_reuse *reuse, uint32_t first, uint32_t last);

/** False once out of memory: the counts are not complete. */
bool cm_reuse_is_complete(const struct cm_reuse *reuse);

#endif
