/* SPDX-License-Identifier: MIT */
/** The Polygon List Builder's second half (the first is geometry/tbr_pb_encode.c): the tiles' lists. */
#include "pass/tbr_batch.h"

#include <string.h>

bool
tbr_batch_write_lists(struct tbr_batch *batch, enum cm_pb_layout layout)
{
   struct tbr_pass *pass = &batch->pass;
   const uint32_t num_tiles = pass->tiles_x * pass->tiles_y;

   assert(batch->state == TBR_BATCH_RECORDING);
   pass->wide = cm_pb_needs_wide(num_tiles, batch->num_blocks, batch->max_attributes);
   if (batch->lists) {
      if (!cm_pb_lists_reset(batch->lists, pass->wide, num_tiles, batch->position.data))
         return false;
   } else {
      batch->lists = cm_pb_lists_create(layout, pass->wide, num_tiles, batch->position.data, true);
      if (!batch->lists)
         return false;
   }

   pass->lists = batch->lists;
   pass->attribute_pages = (const struct cm_pb_attribute_block *const *)batch->pages.data;
   pass->attribute_page_shift = TBR_PAGE_SHIFT;
   const uint32_t *first_blocks = batch->first_blocks.data;
   const uint32_t *primitive_tiles = batch->events.primitive_tiles.data;
   bool *touched = batch->events.touched.data;
   util_dynarray_foreach (&batch->events.primitives, struct cm_primitive, primitive) {
      const uint32_t block = *first_blocks++;
      const uint32_t *tiles = &primitive_tiles[primitive->first_tile];
      assert((primitive->first_tile + primitive->num_tiles) * sizeof *tiles <=
             batch->events.primitive_tiles.size);
      uint32_t last;
      if (!cm_pb_lists_append(batch->lists, block, primitive->num_attributes, tiles, primitive->num_tiles,
                              NULL, NULL, NULL, &last))
         return false;
      assert(last < num_tiles);
      struct cm_pb_attribute_block *blocks = tbr_batch_block(batch, block);
      for (uint32_t a = 0; a < primitive->num_attributes; a++)
         blocks[a].last_tile = last;
      for (uint32_t t = 0; t < primitive->num_tiles; t++)
         touched[tiles[t]] = true;
   }
   for (unsigned i = 0; i < pass->num_color; i++)
      tbr_batch_touch_resolved(batch, &pass->resolve[i]);
   if (batch->cleared)
      memset(touched, true, num_tiles * sizeof(bool));
   return true;
}
