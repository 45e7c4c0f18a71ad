/* SPDX-License-Identifier: MIT */
/**
 * Fast clears: a bit for each block of an attachment's memory, or of its HiZ buffer, which says that the whole block has
 * the clear value, whatever memory and the caches have there. A clear sets the bits of the blocks that it covers and
 * accesses nothing. While a block's bit is set, reads get the value from it; the first write writes the whole block
 * (so that nothing must be fetched) and resets it. Before something that does not know the bits reads the memory,
 * such as textures and the display, the blocks that still have one are written (cm_cleared_blocks_eliminate).
 *
 * The bits are on the GPU: reading and setting them is not an access. For 64-byte blocks they are 1/512 of the attachment.
 */
#ifndef CM_CLEARED_BLOCKS_H
#define CM_CLEARED_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/hierarchy.h"

struct cm_cleared_blocks {
   uint64_t first;        /**< number of the first block */
   uint64_t set;          /**< blocks whose bit is set */
   uint32_t block_shift;  /**< log2 of a block's bytes */
   enum cm_stream stream; /**< the attachment's: that of the writes that eliminate bits */
   uint64_t *pipeline;    /**< where events are counted (gpu/counters.h): by enum cm_pipeline_counter */
   uint64_t bits[];
};

/** For the bytes [address, address + bytes); no bit is set. NULL when out of memory. Free it with free. */
struct cm_cleared_blocks *cm_cleared_blocks_create(uint64_t address, uint64_t bytes, uint32_t block_shift,
                                                   enum cm_stream stream, uint64_t *pipeline);

/** Clears the block of an address. */
void cm_cleared_blocks_add(struct cm_cleared_blocks *cleared, uint64_t address);

/** The outcome of an access to a block whose bit may be set: false, nothing is accessed; else the access may become one
 * to the whole block. */
bool cm_cleared_blocks_filter(struct cm_cleared_blocks *cleared, uint64_t address, enum cm_access *access);

/** Writes the blocks whose bit is set, in ascending order, and resets it. */
void cm_cleared_blocks_eliminate(struct cm_cleared_blocks *cleared, struct cm_hierarchy *hierarchy);

/** An access of an attachment's or of a HiZ buffer's stream. cleared: its bits; NULL: none. */
static inline void
cm_cleared_blocks_access(struct cm_cleared_blocks *cleared, struct cm_hierarchy *hierarchy, uint64_t address,
                         enum cm_stream stream, enum cm_access access)
{
   if (!cleared || !cleared->set || cm_cleared_blocks_filter(cleared, address, &access))
      cm_hierarchy_access(hierarchy, 0, address, stream, access);
}

#endif
