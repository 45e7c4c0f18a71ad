/* SPDX-License-Identifier: MIT */
/* The visibility buffer of hidden surface removal: opaque primitives are only
 * noted at the pixels where they are seen; each pixel is shaded once, when
 * something needs its colour or the tile ends. */
#include "tile/tbr_tile.h"
#include "tile/tbr_tile_hidden.h"
#include "tile/raster/tbr_vector.h"

/* Takes what is visible out of the buffer, in the tile's order of blocks: what is seen of a
 * primitive in any sample of a block is one entry. Those of a block come in the order of their
 * first fragments, then of their primitives. */
TBR_INLINE uint32_t
collect_visible(struct tbr_tile_thread *thread, unsigned samples)
{
   struct tbr_visible_block *entries = thread->visible;
   uint32_t count = 0;
   for (uint32_t block = 0; block < thread->num_blocks; block++) {
      uint32_t *const pixels = thread->visibility + block * 16;
      uint32_t left[TBR_MAX_SAMPLES], any = 0;
      for (unsigned s = 0; s < samples; s++)
         any |= left[s] = ints_equal(ints_load(pixels + s * TBR_TILE_MAX_PIXELS), ints_all(0)) ^ 0xffff;
      if (!any)
         continue;
      while (any) {
         const unsigned lane = __builtin_ctz(any);
         uint32_t primitive = UINT32_MAX;
         for (unsigned s = 0; s < samples; s++) {
            if (samples == 1 || left[s] >> lane & 1)
               primitive = MIN2(primitive, pixels[s * TBR_TILE_MAX_PIXELS + lane]);
         }
         assert(primitive <= thread->num_primitives && count < thread->visible_capacity);
         struct tbr_visible_block *entry = &entries[count++];
         entry->primitive = primitive - 1;
         entry->block = block;
         any = 0;
         for (unsigned s = 0; s < samples; s++) {
            const uint32_t live =
               ints_equal(ints_load(pixels + s * TBR_TILE_MAX_PIXELS), ints_all(primitive));
            entry->live[s] = live;
            any |= left[s] &= ~live;
         }
      }
      for (unsigned s = 0; s < samples; s++)
         ints_store(pixels + s * TBR_TILE_MAX_PIXELS, ints_all(0));
   }
   return count;
}

static void
queue_visible(struct tbr_tile_thread *thread, const struct tbr_visible_block *entry)
{
   if (thread->pass->samples == 1) {
      queue_block(thread, entry->primitive, entry->block, entry->live[0], entry->live[0]);
      return;
   }
   struct coverage coverage;
   uint32_t covered = 0;
   for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
      covered |= coverage.sample[s] = entry->live[s];
   queue_samples(thread, entry->primitive, entry->block, coverage, covered, &coverage);
}

/* No fragment refers to the tile's primitives any more. */
static void
discard_primitives(struct tbr_tile_thread *thread)
{
   assert(!thread->queue.count && !thread->has_visible);
   thread->num_primitives = 0;
   thread->num_runs = 0;
   thread->chunk = NULL;
}

/* Puts the entries into the order of their draws, otherwise keeping theirs. */
static const struct tbr_visible_block *
sort_visible(struct tbr_tile_thread *thread, uint32_t count)
{
   const struct tbr_visible_block *entries = thread->visible;
   const struct tbr_tile_primitive *primitives = thread->primitives;
   uint32_t *offset = thread->run_offsets;
   memset(offset, 0, thread->num_runs * sizeof(*offset));
   for (uint32_t n = 0; n < count; n++)
      offset[primitives[entries[n].primitive].run]++;
   uint32_t sum = 0;
   for (uint32_t run = 0; run < thread->num_runs; run++) {
      const uint32_t length = offset[run];
      offset[run] = sum;
      sum += length;
   }
   assert(sum == count && thread->num_runs <= thread->run_offsets_capacity);
   for (uint32_t n = 0; n < count; n++)
      thread->sorted[offset[primitives[entries[n].primitive].run]++] = entries[n];
   return thread->sorted;
}

/* Shades the visible fragments, each exactly once, draw by draw so that the
 * fragment processor's lanes are full. */
static void
flush_visibility(struct tbr_tile_thread *thread)
{
   drain_queue(thread);
   if (!thread->has_visible)
      return;
   thread->has_visible = false;
   if (thread->pass->keep_hidden) {
      tbr_hidden_flush(thread);
      discard_primitives(thread);
      return;
   }
   const uint32_t draw_before = thread->plan.draw;
   const uint32_t count =
      thread->pass->samples == 1 ? collect_visible(thread, 1) : collect_visible(thread, TBR_MAX_SAMPLES);
   const struct tbr_visible_block *entries = thread->visible;
   const struct tbr_tile_primitive *primitives = thread->primitives;
   if (thread->num_runs > 1)
      entries = sort_visible(thread, count);
   for (uint32_t n = 0; n < count; n++) {
      const uint32_t draw = primitives[entries[n].primitive].draw;
      if (draw != thread->plan.draw) {
         drain_queue(thread);
         plan_draw(thread, draw);
      }
      queue_visible(thread, &entries[n]);
   }
   drain_queue(thread);
   if (draw_before != thread->plan.draw)
      plan_draw(thread, draw_before);
   discard_primitives(thread);
}
