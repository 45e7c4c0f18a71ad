/* SPDX-License-Identifier: MIT */
/**
 * The memory blocks that an instruction of the load/store unit touches: the accesses of its invocations joined by block, in
 * the order of the first invocation that touches each.
 */
#ifndef CM_TOUCHED_BLOCKS_H
#define CM_TOUCHED_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "events/event_stream.h"
#include "texture/placement.h"

/** An invocation's bytes are in two blocks at most. */
#define CM_MAX_TOUCHED_BLOCKS (2 * CM_INVOCATIONS)

struct cm_touched_blocks {
   uint32_t shift; /**< binary logarithm of a block's bytes */
   bool masks;     /**< which bytes are touched matters: they are stored to */
   uint32_t count;
   uint32_t last;                         /**< the one that was touched last */
   uint64_t block[CM_MAX_TOUCHED_BLOCKS]; /**< numbers: address >> shift */
   uint64_t mask[CM_MAX_TOUCHED_BLOCKS];  /**< of `masks`: which bytes, of blocks of up to 64 */
};

/** An instruction without invocations yet. masks: it stores. */
static inline void
cm_touched_blocks_init(struct cm_touched_blocks *touched, uint32_t shift, bool masks)
{
   touched->shift = shift;
   touched->masks = masks;
   touched->count = touched->last = 0;
}

/** Whether every byte of a touched block is touched; false unless `masks`. */
bool cm_touches_whole_block(const struct cm_touched_blocks *touched, uint32_t number);

/** The part of a storage buffer that four invocations access, each so many bytes. begin, end: addresses of the binding, and
 * of the end of the buffer; what reaches beyond touches nothing. live: those that access. */
void cm_touch_buffer(struct cm_touched_blocks *touched, uint64_t begin, uint64_t end,
                     const struct cm_buffer_access *access, uint32_t live, uint32_t bytes);

/** The texels that four invocations access. image: that of the footprint's layer and sample. */
void cm_touch_image(struct cm_touched_blocks *touched, const struct cm_texture_image *image,
                    const struct cm_footprint *footprint, uint32_t live);

/** The same for an image that is a buffer. begin, end: as in cm_touch_buffer. */
void cm_touch_image_buffer(struct cm_touched_blocks *touched, uint64_t begin, uint64_t end,
                           const struct cm_footprint *footprint, uint32_t live, uint32_t texel_bytes);

#endif
