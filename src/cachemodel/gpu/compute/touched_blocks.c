/* SPDX-License-Identifier: MIT */
#include "gpu/compute/touched_blocks.h"

#include <assert.h>

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

void
cm_touch_buffer(struct cm_touched_blocks *touched, uint64_t begin, uint64_t end,
                const struct cm_buffer_access *access, uint32_t live, uint32_t bytes)
{
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

void
cm_touch_image(struct cm_touched_blocks *touched, const struct cm_texture_image *image,
               const struct cm_footprint *footprint, uint32_t live)
{
   for (unsigned i = 0; i < 4; i++) {
      if (live >> i & 1)
         touch(touched, texel_address(image, footprint, i), image->layout->sample_bytes);
   }
}
