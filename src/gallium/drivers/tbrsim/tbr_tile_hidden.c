/* SPDX-License-Identifier: MIT */
/* Independent of the vector level. */
#include "tbr_tile_hidden.h"

#include <string.h>

#include "tbr_tile.h"

uint32_t
tbr_hidden_shade_flags(const struct tbr_tile_thread *thread)
{
   uint32_t flags = 0;
   if (thread->plan.record) {
      flags |= CM_SHADE_DEFERRED;
      flags |= thread->primitives[thread->queue.primitive[0]].run & 1 ? CM_SHADE_RUN : 0;
   }
   if (thread->plan.state->per_sample)
      flags |= (thread->queue.block.sample_id + 1) << CM_SHADE_SAMPLE_SHIFT;
   return flags;
}

static uint32_t
event_primitive(const struct tbr_tile_thread *thread, uint32_t primitive_index)
{
   return thread->pass->event_primitive[thread->primitives[primitive_index].first_block];
}

static uint32_t *
reserve_words(struct tbr_tile_thread *thread, size_t count)
{
   uint32_t *words = cm_tile_events_reserve(thread->texture.events, count);
   if (!words)
      tbr_tile_out_of_memory("the recorded events");
   return words;
}

void
tbr_hidden_record_unshaded(struct tbr_tile_thread *thread, uint32_t primitive_index, uint32_t block,
                           uint32_t covered, uint32_t passed)
{
   uint32_t *words = reserve_words(thread, 2 + TBR_QUADS * CM_QUAD_WORDS);
   uint32_t count = 0;
   for (unsigned n = 0; n < TBR_QUADS; n++) {
      const uint32_t live = passed >> 4 * n & 15;
      if (!(covered >> 4 * n & 15) || (live && thread->plan.shade))
         continue;
      const struct cm_quad quad = {
         .primitive = event_primitive(thread, primitive_index),
         .x = thread->block_x[block] * 2 + (n & 1),
         .y = thread->block_y[block] * 2 + (n >> 1),
         .live = live,
         .covered = covered >> 4 * n & 15,
         .visible = live,
      };
      memcpy(words + 2 + count++ * CM_QUAD_WORDS, &quad, sizeof(quad));
   }
   if (!count)
      return;
   words[0] = CM_EVENT_UNSHADED | count << 8;
   words[1] = thread->plan.state->event_draw;
   thread->texture.events->num_words += 2 + count * CM_QUAD_WORDS;
}

/* ---- flushing ---------------------------------------------------------- */

/* Makes the visibility buffer name primitives as the events do, plus 1. */
static void
name_visible_primitives(struct tbr_tile_thread *thread)
{
   for (uint32_t s = 0; s < thread->pass->samples; s++) {
      uint32_t *place = thread->visibility + s * TBR_TILE_MAX_PIXELS;
      for (uint32_t pixel = 0; pixel < thread->num_blocks * 16; pixel++) {
         if (place[pixel])
            place[pixel] = event_primitive(thread, place[pixel] - 1) + 1;
      }
   }
}

/* The fragments of a quad at which its primitive is seen. sample: 1 + the sample that
 * counts; 0: any. */
static uint32_t
find_visible(const struct tbr_tile_thread *thread, const struct cm_quad *quad, uint32_t sample)
{
   const uint32_t block = (quad->y >> 1) * thread->blocks_x + (quad->x >> 1);
   const uint32_t *place = thread->visibility + block * 16 + (quad->y & 1u) * 8 + (quad->x & 1u) * 4;
   const uint32_t first = sample ? sample - 1 : 0;
   const uint32_t past = sample ? sample : thread->pass->samples;
   uint32_t visible = 0;
   for (uint32_t s = first; s < past; s++) {
      for (unsigned i = 0; i < 4; i++)
         visible |= (uint32_t)(place[s * TBR_TILE_MAX_PIXELS + i] == quad->primitive + 1) << i;
   }
   return visible & quad->live;
}

static void
mark_visible(const struct tbr_tile_thread *thread, uint32_t *event)
{
   const uint32_t sample = cm_event_sample(*event);
   for (uint32_t n = 0; n < cm_event_count(*event); n++) {
      struct cm_quad *quad = (struct cm_quad *)(event + 2) + n;
      quad->visible = find_visible(thread, quad, sample);
   }
}

void
tbr_hidden_flush(struct tbr_tile_thread *thread)
{
   struct cm_tile_events *events = thread->texture.events;
   uint32_t *flush = reserve_words(thread, 1);
   *flush = CM_EVENT_FLUSH;
   name_visible_primitives(thread);
   for (uint32_t *word = events->words + thread->flushed_words; word < flush;
        word += cm_event_next(word) - word) {
      if (cm_event_type(*word) == CM_EVENT_SHADE && *word & CM_SHADE_DEFERRED)
         mark_visible(thread, word);
   }
   for (uint32_t s = 0; s < thread->pass->samples; s++)
      memset(thread->visibility + s * TBR_TILE_MAX_PIXELS, 0,
             thread->num_blocks * 16 * sizeof(*thread->visibility));
   events->num_words++;
   thread->flushed_words = events->num_words;
}
