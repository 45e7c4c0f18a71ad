/* SPDX-License-Identifier: MIT */
#include "memory/liveness.h"

#include <assert.h>

void
cm_liveness_begin_pass(struct cm_liveness *liveness, enum cm_pb_layout layout, uint64_t buffer,
                       uint32_t num_tiles, const uint32_t *last_tiles, uint64_t num_blocks)
{
   assert(last_tiles || !num_blocks);
   cm_liveness_end_pass(liveness); /* a pass that ran out of memory has not ended */
   liveness->num_tiles = num_tiles;
   liveness->layout = layout;
   liveness->buffer = buffer;
   liveness->last_tiles = last_tiles;
   liveness->num_blocks = num_blocks;
}

void
cm_liveness_end_pass(struct cm_liveness *liveness)
{
   liveness->tiles_done = liveness->first_tile + liveness->num_tiles;
   liveness->first_tile = liveness->tiles_done;
   liveness->num_tiles = 0;
   liveness->num_blocks = 0;
}

/* Of a block of PB-Lists: the traversal position of its tile. */
static uint32_t
list_tile(const struct cm_liveness *liveness, uint64_t block)
{
   assert(liveness->num_tiles);
   if (liveness->layout == CM_PB_LAYOUT_INTERLEAVED)
      return (uint32_t)(block % liveness->num_tiles);
   const uint64_t run = block / CM_PB_BASELINE_BLOCKS;
   return run < liveness->num_tiles ? (uint32_t)run : liveness->num_tiles - 1;
}

/* Of one block of the Parameter Buffer, in signals since the pass began; 0: it is not used. */
static uint64_t
signals_to_death(const struct cm_liveness *liveness, uint64_t address, enum cm_stream stream)
{
   if ((address & CM_PB_SECOND_BUFFER) != liveness->buffer)
      return 0;
   address -= liveness->buffer;
   assert(address >= (stream == CM_STREAM_PB_LIST ? CM_PB_LISTS_ADDRESS : CM_PB_ATTRIBUTES_ADDRESS));
   if (stream == CM_STREAM_PB_LIST)
      return (uint64_t)list_tile(liveness, (address - CM_PB_LISTS_ADDRESS) / CM_PB_BLOCK_BYTES) + 1;
   const uint64_t block = (address - CM_PB_ATTRIBUTES_ADDRESS) / CM_PB_BLOCK_BYTES;
   return block < liveness->num_blocks ? (uint64_t)liveness->last_tiles[block] + 1 : 0;
}

uint64_t
cm_liveness_death(const struct cm_liveness *liveness, uint64_t address, uint32_t bytes, enum cm_stream stream)
{
   assert(bytes && !(bytes & (bytes - 1)));
   if ((stream != CM_STREAM_PB_LIST && stream != CM_STREAM_PB_ATTRIBUTE) || !liveness->num_tiles)
      return 0;
   uint64_t latest = 0;
   const uint64_t end = address + bytes;
   for (; address < end; address += CM_PB_BLOCK_BYTES) {
      const uint64_t signals = signals_to_death(liveness, address, stream);
      latest = signals > latest ? signals : latest;
   }
   return liveness->first_tile + latest;
}
