/* SPDX-License-Identifier: MIT */
/**
 * The layout of hierarchical depth: for each region of a depth attachment the bounds of its depths. GSPC has a HiZ
 * buffer and a cache for it (sections 1 and 2.1) and gives no layout. What follows is tbrsim's assumption.
 *
 * A region is 8x8 pixels, or what the configuration says (struct cm_immediate_config), and has a least and a greatest
 * depth of 16 bits each, or other bounds of some number of bytes, for all samples of its pixels or for each. Regions are in
 * blocks of 64 bytes, with as many columns as rows of regions or twice as many: 4x4 regions of 4 bytes, 32x32 pixels. Blocks of
 * a level are in rows; levels and layers follow one another as those of the depth buffer do.
 */
#ifndef CM_HIZ_BUFFER_H
#define CM_HIZ_BUFFER_H

#include <stdint.h>

#include "config/config.h"
#include "events/event_stream.h"

#define CM_HIZ_BLOCK_SHIFT 6
#define CM_HIZ_BLOCK_BYTES (1u << CM_HIZ_BLOCK_SHIFT)

struct cm_hiz_level {
   uint64_t offset;        /**< bytes from the beginning of the layer */
   uint32_t block_columns; /**< blocks per row */
   uint32_t block_rows;
};

/** Of a region's bounds, if the configuration does not say. */
#define CM_HIZ_REGION_BYTES 4u

/** Regions and their blocks; logarithms of pixels. */
struct cm_hiz_shape {
   uint32_t region_column_shift, region_row_shift;
   uint32_t block_column_shift, block_row_shift;
   uint32_t region_bytes;
};

struct cm_hiz_buffer {
   uint64_t address;                  /**< of the first byte; set by its allocator */
   struct cm_cleared_blocks *cleared; /**< NULL: no fast clear yet; the allocator's */
   struct cm_hiz_shape shape;
   uint64_t bytes;
   uint64_t layer_bytes; /**< from layer (or slice) to layer */
   uint32_t layers;      /**< or slices of level 0 */
   uint32_t num_levels;
   struct cm_hiz_level levels[CM_MAX_LEVELS];
};

/** The layout for a depth buffer; its address is not set. */
void cm_hiz_buffer_init(struct cm_hiz_buffer *buffer, const struct cm_resource_description *resource,
                        const struct cm_immediate_config *config);

/** The first byte of a level's layer. Out of range, they wrap around. */
uint64_t cm_hiz_layer_address(const struct cm_hiz_buffer *buffer, uint32_t level, uint32_t layer);

/** Bytes from a layer's first byte to the region of a pixel. */
static inline uint64_t
cm_hiz_region_offset(const struct cm_hiz_buffer *buffer, const struct cm_hiz_level *level, uint32_t x,
                     uint32_t y)
{
   const struct cm_hiz_shape *shape = &buffer->shape;
   const uint64_t block =
      (uint64_t)(y >> shape->block_row_shift) * level->block_columns + (x >> shape->block_column_shift);
   const uint32_t column = (x & ((1u << shape->block_column_shift) - 1)) >> shape->region_column_shift;
   const uint32_t row = (y & ((1u << shape->block_row_shift) - 1)) >> shape->region_row_shift;
   const uint32_t region = (row << (shape->block_column_shift - shape->region_column_shift)) + column;
   return block * CM_HIZ_BLOCK_BYTES + region * shape->region_bytes;
}

#endif
