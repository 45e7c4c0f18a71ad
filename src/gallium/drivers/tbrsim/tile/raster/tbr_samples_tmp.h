/* SPDX-License-Identifier: MIT */
/* Multisampling: fragments are shaded once per pixel, or once per sample where the draw wants it,
 * and their colours go to all samples that they cover. Tests are done sample by sample. */
#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

/* Lanes whose sample mask has the bit of a sample. */
TBR_INLINE uint32_t
lanes_with_sample(const uint32_t mask[TBR_LANES], uint32_t sample)
{
   return ints_negative(ints_shift_left(ints_load(mask), 31 - sample));
}

/* Where a fragment's centroid inputs are evaluated: the centre if the primitive covers
 * all samples, else its first sample. */
static void
find_centroids(struct tbr_tile_thread *thread)
{
   struct tbr_fragment_block *block = &thread->queue.block;
   uint32_t whole = block->live, left = block->live;
   for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
      whole &= block->coverage[s];
   left &= ~whole;
   memcpy(block->centroid_x, block->x, sizeof(block->x));
   memcpy(block->centroid_y, block->y, sizeof(block->y));
   for (unsigned s = 0; s < TBR_MAX_SAMPLES && left; s++) {
      u_foreach_bit (lane, left & block->coverage[s]) {
         block->centroid_x[lane] += thread->plan.sample_offset[s][0];
         block->centroid_y[lane] += thread->plan.sample_offset[s][1];
      }
      left &= ~block->coverage[s];
   }
}

/* With early tests and without post-depth coverage it has samples that have failed. */
static void
fill_sample_mask(struct tbr_tile_thread *thread)
{
   const struct tbr_draw_state *state = thread->plan.state;
   struct tbr_fragment_block *block = &thread->queue.block;
   const bool before = thread->plan.early && !state->post_depth_coverage && !state->per_sample;
   const uint32_t *coverage = before ? thread->queue.samples_covered : block->coverage;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      block->sample_mask_in[lane] = 0;
      for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
         block->sample_mask_in[lane] |= (coverage[s] >> lane & 1) << s;
   }
}

/* Runs the shader for the fragments in block->live and writes what it gives to the
 * samples first … last that they cover. from_center: whether they are shaded at their
 * pixels' centres; again: whether they have run already. */
static void
shade_coverage(struct tbr_tile_thread *thread, unsigned first, unsigned last, bool from_center, bool again)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_draw_state *state = plan->state;
   struct tbr_fragment_block *block = &thread->queue.block;
   if (state->reads_sample_mask)
      fill_sample_mask(thread);
   assert(first <= last && last < TBR_MAX_SAMPLES);
   const uint32_t live = run_shader(thread, again);

   uint32_t coverage[TBR_MAX_SAMPLES], written = 0;
   for (unsigned s = first; s <= last; s++) {
      coverage[s] = block->coverage[s] & live;
      if (state->writes_sample_mask)
         coverage[s] &= lanes_with_sample(block->sample_mask, s);
      if (state->alpha_to_coverage)
         coverage[s] &= lanes_with_alpha(block->color[0][3], TBR_MAX_SAMPLES, s);
      if (!plan->early) {
         coverage[s] = test_queue(thread, s, from_center ? plan->sample_offset[s] : no_offset, coverage[s]);
         if (state->occlusion_counter)
            thread->occlusion[state->occlusion_counter] += util_bitcount(coverage[s]);
      }
      written |= coverage[s];
   }
   record_written(thread, written);
   if (state->alpha_to_one)
      set_alpha_to_one(thread);
   bool same = first == 0 && last == TBR_MAX_SAMPLES - 1;
   for (unsigned s = first; s <= last; s++)
      same = same && coverage[s] == coverage[first];
   if (same) {
      if (coverage[first])
         write_colors_of_pixels(thread, coverage[first]);
      return;
   }
   for (unsigned s = first; s <= last; s++) {
      if (coverage[s])
         write_colors(thread, s, coverage[s]);
   }
}

/* Runs the shader once for each sample that is covered anywhere. */
static void
shade_each_sample(struct tbr_tile_thread *thread)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   struct tbr_fragment_block *block = &thread->queue.block;
   uint32_t coverage[TBR_MAX_SAMPLES];
   memcpy(coverage, block->coverage, sizeof(coverage));
   const floats x = floats_load(block->x), y = floats_load(block->y);
   const floats window_x = floats_load(block->window_x), window_y = floats_load(block->window_y);
   bool again = false;
   for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++) {
      if (!coverage[s])
         continue;
      const floats dx = floats_all(plan->sample_offset[s][0]), dy = floats_all(plan->sample_offset[s][1]);
      floats_store(block->x, floats_add(x, dx));
      floats_store(block->y, floats_add(y, dy));
      floats_store(block->window_x, floats_add(window_x, dx));
      floats_store(block->window_y, floats_add(window_y, dy));
      memset(block->coverage, 0, sizeof(block->coverage));
      block->coverage[s] = block->live = coverage[s];
      block->sample_id = s;
      shade_coverage(thread, s, s, false, again);
      again = true;
   }
}

/* Shades the queue's fragments of a multisampled pass. */
static __attribute__((noinline)) void
shade_samples(struct tbr_tile_thread *thread)
{
   struct tbr_fragment_block *block = &thread->queue.block;
   if (thread->plan.state->per_sample) {
      shade_each_sample(thread);
   } else {
      block->sample_id = 0;
      if (thread->plan.state->centroid)
         find_centroids(thread);
      shade_coverage(thread, 0, TBR_MAX_SAMPLES - 1, true, false);
   }
   memset(block->coverage, 0, sizeof(block->coverage));
   if (thread->plan.state->reads_sample_mask)
      memset(thread->queue.samples_covered, 0, sizeof(thread->queue.samples_covered));
}
