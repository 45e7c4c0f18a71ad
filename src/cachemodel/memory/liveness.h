/* SPDX-License-Identifier: MIT */
/**
 * Until when the Tile Fetcher reads a block of the Parameter Buffer (TCOR III-D1).
 *
 * A block of PB-Lists belongs to one tile, which follows from its address where lists are
 * interleaved; a block of PB-Attributes carries the last tile that uses it in its spare
 * bytes. The Tile Fetcher signals each tile that it has finished with. Render passes
 * reuse the Parameter Buffer's addresses, so a tile's number alone does not tell whether a
 * block is dead: times here are counts of signals since the beginning, and a pass that ends
 * signals the tiles it has not visited. A cache stores the time of death with each line; a
 * line of an earlier pass is therefore dead, whatever this pass stores at its address.
 */
#ifndef CM_LIVENESS_H
#define CM_LIVENESS_H

#include <assert.h>
#include <stdint.h>

#include "config/units.h"
#include "tiling/parameter_buffer.h"

struct cm_liveness {
   uint64_t tiles_done; /**< signals since the beginning: a block whose time of death is not later is dead */
   uint64_t first_tile; /**< tiles_done when the current pass began */
   uint32_t num_tiles;  /**< of the pass; 0: no current pass, all blocks are dead */
   enum cm_pb_layout layout;
   uint64_t buffer; /**< of the pass, added to addresses: 0, or CM_PB_SECOND_BUFFER */
   /** Traversal position of the last tile that uses the primitive of each attribute block. */
   const uint32_t *last_tiles;
   uint64_t num_blocks; /**< entries of last_tiles */
};

/** The time of death of a stream's block of `bytes` (a power of two); the latest one if it
 * contains several 64-byte blocks. 0 for streams that are not the Parameter Buffer's. Blocks
 * that the pass does not use, and those of the other buffer, are dead from the beginning; those beyond a tile's own 64 blocks in
 * the baseline layout, whose addresses do not name a tile, live as long as the pass. */
uint64_t cm_liveness_death(const struct cm_liveness *liveness, uint64_t address, uint32_t bytes,
                           enum cm_stream stream);

/** A pass begins, with its Parameter Buffer in `buffer`. last_tiles (num_blocks long) must stay valid until it ends. */
void cm_liveness_begin_pass(struct cm_liveness *liveness, enum cm_pb_layout layout, uint64_t buffer,
                            uint32_t num_tiles, const uint32_t *last_tiles, uint64_t num_blocks);

/** The Tile Fetcher has finished with the tile at this traversal position, and with all before it. */
static inline void
cm_liveness_tile_done(struct cm_liveness *liveness, uint32_t position)
{
   assert(position < liveness->num_tiles);
   liveness->tiles_done = liveness->first_tile + position + 1;
}

/** The pass ends: its Parameter Buffer is dead. */
void cm_liveness_end_pass(struct cm_liveness *liveness);

#endif
