/* SPDX-License-Identifier: MIT */
#include "gpu/cleared_blocks.h"

#include <assert.h>
#include <stdlib.h>

#include "gpu/counters.h"

struct cm_cleared_blocks *
cm_cleared_blocks_create(uint64_t address, uint64_t bytes, uint32_t block_shift, enum cm_stream stream,
                         uint64_t *pipeline)
{
   assert(bytes && pipeline);
   const uint64_t first = address >> block_shift, num = ((address + bytes - 1) >> block_shift) - first + 1;
   struct cm_cleared_blocks *cleared = calloc(1, sizeof *cleared + (num + 63) / 64 * sizeof cleared->bits[0]);
   if (!cleared)
      return NULL;
   cleared->first = first;
   cleared->block_shift = block_shift;
   cleared->stream = stream;
   cleared->pipeline = pipeline;
   return cleared;
}

static uint64_t
number_of(const struct cm_cleared_blocks *cleared, uint64_t address)
{
   assert(address >> cleared->block_shift >= cleared->first);
   return (address >> cleared->block_shift) - cleared->first;
}

void
cm_cleared_blocks_add(struct cm_cleared_blocks *cleared, uint64_t address)
{
   const uint64_t number = number_of(cleared, address), bit = 1ull << number % 64;
   const bool was_set = cleared->bits[number / 64] & bit;
   cleared->bits[number / 64] |= bit;
   cleared->set += !was_set;
   cleared->pipeline[CM_PIPELINE_CLEARED_BLOCKS] += !was_set;
}

static void
reset(struct cm_cleared_blocks *cleared, uint64_t number, unsigned counter)
{
   assert(cleared->set && cleared->bits[number / 64] >> number % 64 & 1);
   cleared->bits[number / 64] &= ~(1ull << number % 64);
   cleared->set--;
   cleared->pipeline[counter]++;
}

bool
cm_cleared_blocks_filter(struct cm_cleared_blocks *cleared, uint64_t address, enum cm_access *access)
{
   const uint64_t number = number_of(cleared, address);
   if (!(cleared->bits[number / 64] >> number % 64 & 1))
      return true;
   if (*access == CM_READ) {
      cleared->pipeline[CM_PIPELINE_CLEARED_READS]++;
      return false;
   }
   reset(cleared, number, CM_PIPELINE_CLEARED_WRITTEN);
   *access = CM_WRITE_BLOCK;
   return true;
}

void
cm_cleared_blocks_eliminate(struct cm_cleared_blocks *cleared, struct cm_hierarchy *hierarchy)
{
   for (uint64_t number = 0; cleared->set; number++) {
      if (!(cleared->bits[number / 64] >> number % 64 & 1))
         continue;
      reset(cleared, number, CM_PIPELINE_CLEARED_ELIMINATED);
      cm_hierarchy_access(hierarchy, 0, (cleared->first + number) << cleared->block_shift, cleared->stream,
                          CM_WRITE_BLOCK);
   }
}
