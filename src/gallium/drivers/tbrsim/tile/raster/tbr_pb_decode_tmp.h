/* SPDX-License-Identifier: MIT */
/* The Tile Fetcher (TCOR II-B): decodes what tbr_pb_encode.c wrote, a tile's list of PMDs
 * and the attributes they name. What is drawn comes from those bytes only. */
#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

/* Attributes of a primitive so many further on in the list are prefetched. */
#define PREFETCH_DISTANCE 4

/* From so many primitives on the queue is drained, to discard them. */
#define DRAIN_PRIMITIVES 4096

/* Before the first primitive of a draw. */
static void
begin_draw(struct tbr_tile_thread *thread, uint32_t draw)
{
   drain_queue(thread);
   plan_draw(thread, draw);
   /* Fragments that are not opaque read the colours: shade the visible ones first. */
   if (thread->has_visible && thread->plan.draws && thread->plan.shade && !thread->plan.record)
      flush_visibility(thread);
}

static void
fetch_primitives(struct tbr_tile_thread *thread)
{
   const struct tbr_pass *pass = thread->pass;
   const uint32_t length = cm_pb_lists_length(pass->lists, thread->tile);
   if (!length)
      return;
   const uint8_t *pmds = cm_pb_lists_pmd(pass->lists, thread->tile, 0);
   const uint32_t pmd_bytes = cm_pmd_bytes(pass->wide);
   struct cm_pmd ahead[PREFETCH_DISTANCE] = {0};
   for (uint32_t n = 0; n < length + PREFETCH_DISTANCE; n++) {
      const struct cm_pmd pmd = ahead[n % PREFETCH_DISTANCE];
      if (n < length) {
         ahead[n % PREFETCH_DISTANCE] = cm_pmd_decode(pmds + (size_t)n * pmd_bytes, pass->wide);
         __builtin_prefetch(tbr_pass_attributes(pass, ahead[n % PREFETCH_DISTANCE].primitive));
      }
      if (n < PREFETCH_DISTANCE)
         continue;
      const struct cm_pb_attribute_block *position = tbr_pass_attributes(pass, pmd.primitive);
      assert(pmd.num_attributes >= 1 && pmd.num_attributes <= 1 + TBR_MAX_INPUTS);
      assert(pmd.num_attributes == 1u + pass->draws[position->draw]->num_inputs);
      if (position->draw != thread->plan.draw)
         begin_draw(thread, position->draw);
      if (unlikely(thread->dump))
         tbr_tile_dump_primitive(thread, position, pmd.primitive, pmd.num_attributes);
      if (!thread->plan.draws)
         continue;
      if (pass->samples == 1)
         rasterize_primitive(thread, position, pmd.primitive, pmd.num_attributes);
      else
         rasterize_multisampled(thread, position, pmd.primitive, pmd.num_attributes);
      if (thread->num_primitives >= DRAIN_PRIMITIVES && !thread->has_visible) {
         drain_queue(thread);
         discard_primitives(thread);
      }
   }
}
