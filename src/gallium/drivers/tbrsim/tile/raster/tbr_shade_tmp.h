/* SPDX-License-Identifier: MIT */
/* The fragment processor's queue: quads are gathered until its lanes are full. */
#include "tile/tbr_tile.h"
#include "tile/tbr_regions.h"
#include "tile/tbr_tile_hidden.h"
#include "tile/raster/tbr_vector.h"

/* Each quad's four bits of a mask of lanes. */
TBR_INLINE quad_ints
masks_of_quads(uint32_t lanes)
{
   const quad_ints masks = {0xf, 0xf0, 0xf00, 0xf000}, factors = {0x1000, 0x100, 0x10, 1}, none = {};
   return (((none + (int32_t)lanes) & masks) * factors) >> 12;
}

/* The words of the quads of a whole block: of one primitive, next to each other. A struct cm_quad is the primitive; x, y, live and
 * covered, visible and what is not written yet. */
TBR_INLINE void
write_block(const struct tbr_tile_thread *thread, uint32_t *words)
{
   const struct tbr_fragment_queue *queue = &thread->queue;
   const quad_ints odd_columns = {0, 1, 0, 1}, odd_rows = {0, 0, 1 << 8, 1 << 8}, none = {};
   const uint32_t block = queue->quad[0] / 4;
   assert(queue->count == 4 && queue->quad[0] % 4 == 0);
   const int32_t place = thread->block_x[block] * 2 | thread->block_y[block] * 2 << 8;
   const quad_ints live = masks_of_quads(queue->block.live), covered = masks_of_quads(queue->covered);
   const quad_ints second = (none + place + odd_columns + odd_rows) | live << 16 | live << 24 | covered << 20;
   const quad_ints first =
      none + (int32_t)thread->pass->event_primitive[thread->primitives[queue->primitive[0]].first_block];
   *(quad_ints *)words = __builtin_shuffle(first, second, (quad_ints){0, 4, 1, 5});
   *(quad_ints *)(words + 4) = __builtin_shuffle(first, second, (quad_ints){2, 6, 3, 7});
}

/* continues: the quads of the last event run once more. */
static __attribute__((noinline)) void
record_shade_event(struct tbr_tile_thread *thread, bool continues)
{
   const struct tbr_fragment_queue *queue = &thread->queue;
   struct cm_tile_events *events = thread->texture.events;
   assert(thread->pass->event_primitive && queue->count);
   _Static_assert(CM_QUAD_WORDS == 2 && offsetof(struct cm_quad, x) == 4, "as written here");
   const size_t num_words = 2 + queue->count * CM_QUAD_WORDS;
   thread->shade_words = events->num_words;
   uint32_t *words = cm_tile_events_reserve(events, num_words);
   if (!words)
      tbr_tile_out_of_memory("the recorded events");
   words[0] = CM_EVENT_SHADE | queue->count << 8 | (continues ? CM_SHADE_CONTINUES : 0);
   if (thread->pass->keep_hidden)
      words[0] |= tbr_hidden_shade_flags(thread);
   words[1] = thread->plan.state->event_draw;
   events->num_words += num_words;
   if (queue->whole_block) {
      write_block(thread, words + 2);
      return;
   }
   uint32_t last = ~0u, number = 0;
   for (unsigned n = 0; n < queue->count; n++) {
      /* Most quads are of the primitive of the one before. */
      if (queue->primitive[n] != last) {
         last = queue->primitive[n];
         number = thread->pass->event_primitive[thread->primitives[last].first_block];
      }
      const uint32_t block = queue->quad[n] / 4, quad = queue->quad[n] % 4;
      const uint32_t live = queue->block.live >> 4 * n & 15, covered = queue->covered >> 4 * n & 15;
      /* A struct cm_quad: x, y, live and covered, visible and what is not written yet. */
      words[2 + 2 * n] = number;
      words[3 + 2 * n] = (thread->block_x[block] * 2u + (quad & 1)) |
                         (thread->block_y[block] * 2u + (quad >> 1)) << 8 |
                         (live * 0x101 | covered << 4) << 16;
   }
}

/* Records in the last shade event which fragments passed all tests. */
TBR_INLINE void
record_written(struct tbr_tile_thread *thread, uint32_t written)
{
   if (!thread->texture.events)
      return;
   /* The upper four bits of a quad's second word, which are 0. */
   uint32_t *words = thread->texture.events->words + thread->shade_words + 3;
   for (unsigned n = 0; n < thread->queue.count; n++)
      words[n * CM_QUAD_WORDS] |= (written >> 4 * n & 15) << 28;
}

/* Lanes without a quad repeat the first quad's, so that they compute something
 * harmless. */
static __attribute__((noinline)) void
fill_missing_quads(struct tbr_fragment_queue *queue)
{
   struct tbr_fragment_block *block = &queue->block;
   for (unsigned n = queue->count; n < TBR_QUADS; n++) {
      memcpy(&block->x[4 * n], block->x, 16);
      memcpy(&block->y[4 * n], block->y, 16);
      memcpy(&block->window_x[4 * n], block->window_x, 16);
      memcpy(&block->window_y[4 * n], block->window_y, 16);
      block->planes[n] = block->planes[0];
      block->front_facing[n] = block->front_facing[0];
      queue->quad[n] = queue->quad[0];
   }
}

static void shade_samples(struct tbr_tile_thread *thread);

/* The quads that have lanes of a mask. */
TBR_INLINE uint32_t
quads_of_lanes(uint32_t lanes)
{
   return (lanes & 0x000f ? 1 : 0) | (lanes & 0x00f0 ? 2 : 0) | (lanes & 0x0f00 ? 4 : 0) |
          (lanes & 0xf000 ? 8 : 0);
}

/* Runs the shader for the fragments in block->live; returns those that it leaves alive.
 * again: they have run already, for another sample. */
TBR_INLINE uint32_t
run_shader(struct tbr_tile_thread *thread, bool again)
{
   const struct tbr_draw_state *state = thread->plan.state;
   struct tbr_fragment_block *block = &thread->queue.block;
   if (thread->texture.events)
      record_shade_event(thread, again);
   const uint32_t entered = block->live;
   assert(state->shade && entered && !(entered & ~block->quads));
   if (state->invocation_counter)
      thread->occlusion[state->invocation_counter] += util_bitcount(entered);
   thread->texture.live = entered;
   if (unlikely(state->fetched))
      fetch_framebuffer(thread, thread->pass->samples > 1 ? block->sample_id : 0);
   state->shade(&state->resources, block, &thread->texture);
   if (unlikely(state->regions))
      tbr_regions_record(&thread->texture, state->regions, quads_of_lanes(entered));
   if (unlikely(thread->dump))
      tbr_tile_dump_shaded(thread, entered);
   return block->live & entered;
}

/* Those whose alpha covers a sample: of all samples the first ones, as many as their share is, rounded. */
TBR_INLINE uint32_t
lanes_with_alpha(const float alpha[TBR_LANES], uint32_t samples, uint32_t sample)
{
   const ints covered =
      ints_round(floats_mul(clamp_floats(floats_load(alpha), 0.0f, 1.0f), floats_all((float)samples)));
   return ints_less(ints_all((int32_t)sample), covered);
}

static void
set_alpha_to_one(struct tbr_tile_thread *thread)
{
   struct tbr_fragment_block *block = &thread->queue.block;
   for (unsigned n = 0; n < thread->pass->num_color; n++) {
      if (!thread->color[n].integer)
         floats_store(block->color[n][3], floats_all(1.0f));
   }
   floats_store(block->color_second[3], floats_all(1.0f));
}

/* Shades the queue's fragments of a pixel with one sample. */
TBR_INLINE void
shade_pixels(struct tbr_tile_thread *thread)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_draw_state *state = plan->state;
   uint32_t live = run_shader(thread, false);
   if (unlikely(state->alpha_to_coverage))
      live &= lanes_with_alpha(thread->queue.block.color[0][3], 1, 0);
   if (!plan->early) {
      live = test_queue(thread, 0, no_offset, live);
      if (state->occlusion_counter)
         thread->occlusion[state->occlusion_counter] += util_bitcount(live);
   }
   record_written(thread, live);
   if (unlikely(state->alpha_to_one))
      set_alpha_to_one(thread);
   if (live)
      write_colors(thread, 0, live);
}

/* Shades what is in the queue and writes the results. */
static void
drain_queue(struct tbr_tile_thread *thread)
{
   struct tbr_fragment_queue *queue = &thread->queue;
   if (!queue->count)
      return;
   struct tbr_fragment_block *block = &queue->block;
   if (queue->count < TBR_QUADS)
      fill_missing_quads(queue);
   assert(queue->count <= TBR_QUADS);
   block->quads = (1u << 4 * queue->count) - 1;
   if (thread->pass->samples == 1)
      shade_pixels(thread);
   else
      shade_samples(thread);
   queue->count = 0;
   queue->covered = 0;
   queue->whole_block = false;
   block->live = 0;
}

/* Two fragments of a sample must not be in flight together; other fragments of the
 * same quad may, unless their helpers fetch from it. */
TBR_INLINE bool
conflicts_with_queue(const struct tbr_fragment_queue *queue, uint32_t quad, const struct coverage *coverage,
                     unsigned block_quad, bool fetches, unsigned samples)
{
   for (unsigned n = 0; n < queue->count; n++) {
      if (queue->quad[n] != quad)
         continue;
      if (unlikely(fetches))
         return true;
      for (unsigned s = 0; s < samples; s++) {
         const uint32_t held = samples > 1 ? queue->block.coverage[s] : queue->block.live;
         if (held >> 4 * n & coverage->sample[s] >> 4 * block_quad & 15)
            return true;
      }
   }
   return false;
}

/* Appends quad n of a block whose first pixel's centre is at x, y in the
 * framebuffer; live, covered: masks of its four pixels. Returns its index. */
TBR_INLINE unsigned
append_quad(struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive,
            uint32_t primitive_index, uint32_t block_index, unsigned block_quad, float x, float y,
            uint32_t live, uint32_t covered)
{
   struct tbr_fragment_queue *queue = &thread->queue;
   struct tbr_fragment_block *block = &queue->block;
   assert(live && !(live & ~covered) && queue->count < TBR_QUADS);
   const unsigned n = queue->count++;
   const quad_floats window_x = ((const quad_floats *)tbr_lane_x_float)[block_quad] + x;
   const quad_floats window_y = ((const quad_floats *)tbr_lane_y_float)[block_quad] + y;
   *(quad_floats *)&block->window_x[4 * n] = window_x;
   *(quad_floats *)&block->window_y[4 * n] = window_y;
   *(quad_floats *)&block->x[4 * n] = window_x - primitive->reference_x;
   *(quad_floats *)&block->y[4 * n] = window_y - primitive->reference_y;
   block->planes[n] = primitive->planes;
   block->front_facing[n] = primitive->front_facing;
   block->live |= live << 4 * n;
   queue->covered |= covered << 4 * n;
   queue->quad[n] = block_index * 4 + block_quad;
   queue->primitive[n] = primitive_index;
   return n;
}

/* Fills the empty queue with a block of which each quad is touched. */
TBR_INLINE void
fill_whole_block(struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive,
                 uint32_t primitive_index, uint32_t block_index, float x, float y, uint32_t mask,
                 uint32_t covered)
{
   struct tbr_fragment_queue *queue = &thread->queue;
   struct tbr_fragment_block *block = &queue->block;
   const floats window_x = floats_add(floats_load(tbr_lane_x_float), floats_all(x));
   const floats window_y = floats_add(floats_load(tbr_lane_y_float), floats_all(y));
   floats_store(block->window_x, window_x);
   floats_store(block->window_y, window_y);
   floats_store(block->x, floats_sub(window_x, floats_all(primitive->reference_x)));
   floats_store(block->y, floats_sub(window_y, floats_all(primitive->reference_y)));
   const quad_ints all_zero = {}, numbers = {0, 1, 2, 3};
   *(quad_ints *)block->front_facing = all_zero + (int32_t)primitive->front_facing;
   *(quad_ints *)queue->primitive = all_zero + (int32_t)primitive_index;
   const quad_ints quads = numbers + (int32_t)block_index * 4;
   for (unsigned n = 0; n < TBR_QUADS; n++) {
      block->planes[n] = primitive->planes;
      queue->quad[n] = quads[n];
   }
   assert(!queue->count && !(mask & ~covered));
   queue->whole_block = true;
   queue->covered = covered;
   block->live = mask;
   queue->count = TBR_QUADS;
}

TBR_INLINE bool
touches_all_quads(uint32_t mask)
{
   return (mask & 0x000f) && (mask & 0x00f0) && (mask & 0x0f00) && (mask & 0xf000);
}

/* A block's first pixel centre in the framebuffer. */
TBR_INLINE void
block_center(const struct tbr_tile_thread *thread, uint32_t block_index, float *x, float *y)
{
   *x = (float)(thread->tile_x + 4 * thread->block_x[block_index]) + thread->plan.center;
   *y = (float)(thread->tile_y + 4 * thread->block_y[block_index]) + thread->plan.center;
}

/* Keeps which samples the primitive covers of a block's quad, for a program that reads gl_SampleMaskIn. */
static void
keep_samples_covered(struct tbr_fragment_queue *queue, const struct coverage *before, unsigned block_quad,
                     unsigned place)
{
   for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
      queue->samples_covered[s] |= (before->sample[s] >> 4 * block_quad & 15) << 4 * place;
}

/* Appends the quads of a block that are covered anywhere. covered: in any sample, before tests; before: of each. */
TBR_INLINE void
queue_coverage(struct tbr_tile_thread *thread, uint32_t primitive_index, uint32_t block_index,
               struct coverage coverage, uint32_t covered, const struct coverage *before, unsigned samples)
{
   const bool reads_samples = samples > 1 && thread->plan.state->reads_sample_mask;
   struct tbr_fragment_queue *queue = &thread->queue;
   struct tbr_tile_primitive *primitive = &thread->primitives[primitive_index];
   assert(primitive_index < thread->num_primitives && block_index < thread->num_blocks);
   if (!primitive->planes)
      setup_planes(thread, primitive);
   float x, y;
   block_center(thread, block_index, &x, &y);
   uint32_t mask = 0;
   for (unsigned s = 0; s < samples; s++)
      mask |= coverage.sample[s];
   if (!queue->count && touches_all_quads(mask)) {
      fill_whole_block(thread, primitive, primitive_index, block_index, x, y, mask, covered);
      if (samples > 1)
         memcpy(queue->block.coverage, coverage.sample, sizeof(coverage.sample));
      for (unsigned n = 0; reads_samples && n < 4; n++)
         keep_samples_covered(queue, before, n, n);
      drain_queue(thread);
      return;
   }
   for (unsigned n = 0; n < 4; n++) {
      const uint32_t live = mask >> 4 * n & 15;
      if (!live)
         continue;
      if (conflicts_with_queue(queue, block_index * 4 + n, &coverage, n, thread->plan.state->fetched,
                               samples))
         drain_queue(thread);
      const unsigned place =
         append_quad(thread, primitive, primitive_index, block_index, n, x, y, live, covered >> 4 * n & 15);
      for (unsigned s = 0; samples > 1 && s < samples; s++)
         queue->block.coverage[s] |= (coverage.sample[s] >> 4 * n & 15) << 4 * place;
      if (unlikely(reads_samples))
         keep_samples_covered(queue, before, n, place);
      if (queue->count == TBR_QUADS)
         drain_queue(thread);
   }
}

static void
queue_block(struct tbr_tile_thread *thread, uint32_t primitive_index, uint32_t block_index, uint32_t mask,
            uint32_t covered)
{
   queue_coverage(thread, primitive_index, block_index, (struct coverage){{mask}}, covered, NULL, 1);
}

static void
queue_samples(struct tbr_tile_thread *thread, uint32_t primitive_index, uint32_t block_index,
              struct coverage coverage, uint32_t covered, const struct coverage *before)
{
   queue_coverage(thread, primitive_index, block_index, coverage, covered, before, TBR_MAX_SAMPLES);
}
