/* SPDX-License-Identifier: MIT */
#include "gpu/compute/touched_blocks.h"

#include <assert.h>
#include <string.h>

#include "texture/texel_order.h"
#include "util/minmax.h"

static uint64_t
bits(uint32_t count)
{
   return count < 64 ? (1ull << count) - 1 : UINT64_MAX;
}

bool
cm_touches_whole_block(const struct cm_touched_blocks *touched, uint32_t number)
{
   assert(number < touched->count);
   return touched->masks && touched->shift <= 6 && touched->mask[number] == bits(1u << touched->shift);
}

/* Neighbours usually touch the same block. */
static inline void
touch_block(struct cm_touched_blocks *touched, uint64_t block)
{
   const uint32_t count = touched->count;
   uint32_t b = touched->last;
   if (b < count && touched->block[b] == block)
      return;
   for (b = 0; b < count && touched->block[b] != block; b++)
      ;
   touched->last = b;
   if (b < count)
      return;
   touched->block[b] = block;
   touched->mask[b] = 0;
   touched->count++;
}

/* Bytes that are within a block. */
static inline void
touch_part(struct cm_touched_blocks *touched, uint64_t address, uint32_t bytes)
{
   const uint32_t offset = (uint32_t)(address & ((1ull << touched->shift) - 1));
   touch_block(touched, address >> touched->shift);
   if (touched->masks && offset < 64)
      touched->mask[touched->last] |= bits(bytes) << offset;
}

static inline void
touch(struct cm_touched_blocks *touched, uint64_t address, uint32_t bytes)
{
   const uint64_t next = ((address >> touched->shift) + 1) << touched->shift;
   const uint32_t first = (uint32_t)cm_min64(bytes, next - address);
   touch_part(touched, address, first);
   if (first < bytes)
      touch_part(touched, next, bytes - first);
}

/* Whether loads of all four are in the same block, its number then in *block. */
static inline bool
is_one_block(const struct cm_touched_blocks *touched, uint64_t begin, uint64_t end,
             const struct cm_buffer_access *access, uint32_t bytes, uint64_t *block)
{
   const uint32_t *offset = access->offset;
   const uint64_t first = begin + cm_min(cm_min(offset[0], offset[1]), cm_min(offset[2], offset[3]));
   const uint64_t last = begin + cm_max(cm_max(offset[0], offset[1]), cm_max(offset[2], offset[3])) + bytes;
   *block = first >> touched->shift;
   return last <= end && (last - 1) >> touched->shift == *block;
}

void
cm_touch_buffer(struct cm_touched_blocks *touched, uint64_t begin, uint64_t end,
                const struct cm_buffer_access *access, uint32_t live, uint32_t bytes)
{
   uint64_t block;
   if (live == 15 && !touched->masks && is_one_block(touched, begin, end, access, bytes, &block)) {
      touch_block(touched, block);
      return;
   }
   for (unsigned i = 0; i < 4; i++) {
      const uint64_t address = begin + access->offset[i];
      if (live >> i & 1 && address + bytes <= end)
         touch(touched, address, bytes);
   }
}

void
cm_touch_image_buffer(struct cm_touched_blocks *touched, uint64_t begin, uint64_t end,
                      const struct cm_footprint *footprint, uint32_t live, uint32_t texel_bytes)
{
   for (unsigned i = 0; i < 4; i++) {
      const uint64_t texel =
         (uint64_t)(uint16_t)footprint->texel[i].y * 32768 + (uint16_t)footprint->texel[i].x;
      const uint64_t address = begin + texel * texel_bytes;
      if (live >> i & 1 && address + texel_bytes <= end)
         touch(touched, address, texel_bytes);
   }
}

/* ---- texels ------------------------------------------------------------------ */

static uint64_t
texel_address(const struct cm_texture_image *image, const struct cm_footprint *footprint, unsigned fragment)
{
   const struct cm_texture_level *level = image->level;
   const uint32_t x = (uint16_t)footprint->texel[fragment].x, y = (uint16_t)footprint->texel[fragment].y;
   /* A texel of a compressed format is accessed as a whole block. */
   return image->address + image->layout->placement->texel_offset(image->layout, level,
                                                                  cm_min(x, level->columns - 1),
                                                                  cm_min(y, level->rows - 1));
}

/* Whether all four texels are in the same rectangle of texels that is a block. */
static inline bool
are_in_one_block(const struct cm_block_shape *shape, const struct cm_footprint *footprint)
{
   uint32_t texel[4];
   memcpy(texel, footprint->texel, sizeof texel);
   const uint32_t different = (texel[0] ^ texel[1]) | (texel[0] ^ texel[2]) | (texel[0] ^ texel[3]);
   return !((different & UINT16_MAX) >> shape->column_shift | (different >> 16) >> shape->row_shift);
}

void
cm_touch_image(struct cm_touched_blocks *touched, const struct cm_texture_image *image,
               const struct cm_footprint *footprint, uint32_t live)
{
   /* What is accessed of a compressed texture are its blocks. */
   const struct cm_texture_layout *layout = image->layout;
   const bool has_shape = (image->has_rows_of_blocks || image->has_tiles_of_blocks) &&
                          layout->block_width == 1 && layout->block_height == 1;
   if (has_shape && !touched->masks && live == 15 && are_in_one_block(&image->shape, footprint)) {
      touch_block(touched, texel_address(image, footprint, 0) >> touched->shift);
      return;
   }
   for (unsigned i = 0; i < 4; i++) {
      if (live >> i & 1)
         touch(touched, texel_address(image, footprint, i), layout->sample_bytes);
   }
}
