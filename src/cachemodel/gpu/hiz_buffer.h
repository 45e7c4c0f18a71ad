/* SPDX-License-Identifier: MIT */
/**
 * The layout of hierarchical depth: for each region of CM_HIZ_SIZE x CM_HIZ_SIZE pixels of a depth attachment
 * the bounds of its depths. GSPC has a HiZ buffer and a cache for it (sections 1 and 2.1) and gives no layout.
 * What follows is tbrsim's assumption.
 *
 * A region has a least and a greatest depth of 16 bits each, for all samples of its pixels. Regions are in
 * blocks of 4x4 regions, 64 bytes, that of 32x32 pixels; blocks of a level are in rows; levels and layers
 * follow one another as those of the depth buffer do.
 */
#ifndef CM_HIZ_BUFFER_H
#define CM_HIZ_BUFFER_H

#include <stdint.h>

#include "events/event_stream.h"

#define CM_HIZ_REGION_BYTES 4
#define CM_HIZ_BLOCK_REGIONS 4 /**< of a block's side */
#define CM_HIZ_BLOCK_BYTES (CM_HIZ_BLOCK_REGIONS * CM_HIZ_BLOCK_REGIONS * CM_HIZ_REGION_BYTES)
/** Pixels of a block's side. */
#define CM_HIZ_BLOCK_SIZE (CM_HIZ_SIZE * CM_HIZ_BLOCK_REGIONS)

struct cm_hiz_level {
   uint64_t offset;        /**< bytes from the beginning of the layer */
   uint32_t block_columns; /**< blocks a row */
   uint32_t block_rows;
};

struct cm_hiz_buffer {
   uint64_t address; /**< of the first byte; set by its allocator */
   uint64_t bytes;
   uint64_t layer_bytes; /**< from layer (or slice) to layer */
   uint32_t layers;      /**< or slices of level 0 */
   uint32_t num_levels;
   struct cm_hiz_level levels[CM_MAX_LEVELS];
};

/** The layout for a depth buffer; its address is not set. */
void cm_hiz_buffer_init(struct cm_hiz_buffer *buffer, const struct cm_resource_description *resource);

/** The first byte of a level's layer. Out of range, they wrap around. */
uint64_t cm_hiz_layer_address(const struct cm_hiz_buffer *buffer, uint32_t level, uint32_t layer);

/** Bytes from a layer's first byte to the region of a pixel. */
static inline uint64_t
cm_hiz_region_offset(const struct cm_hiz_level *level, uint32_t x, uint32_t y)
{
   const uint32_t column = x / CM_HIZ_SIZE, row = y / CM_HIZ_SIZE;
   const uint64_t block =
      (uint64_t)(row / CM_HIZ_BLOCK_REGIONS) * level->block_columns + column / CM_HIZ_BLOCK_REGIONS;
   const uint32_t region = row % CM_HIZ_BLOCK_REGIONS * CM_HIZ_BLOCK_REGIONS + column % CM_HIZ_BLOCK_REGIONS;
   return block * CM_HIZ_BLOCK_BYTES + region * CM_HIZ_REGION_BYTES;
}

#endif
