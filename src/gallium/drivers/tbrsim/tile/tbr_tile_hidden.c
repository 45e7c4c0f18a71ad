/* SPDX-License-Identifier: MIT */
/* Independent of the vector level. */
#include "tile/tbr_tile_hidden.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "tile/tbr_tile.h"

uint32_t
tbr_hidden_shade_flags(const struct tbr_tile_thread *thread)
{
   uint32_t flags = 0;
   assert(thread->queue.count);
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

/* ---- hierarchical depth -------------------------------------------------- */

/* Depth as the tile's buffer holds it: depth_encode of tbr_depth_stencil_tmp.h. */
static int32_t
encode_depth(const struct tbr_tile_thread *thread, float z)
{
   const struct tbr_draw_state *state = thread->plan.state;
   z = fminf(fmaxf(z, state->depth_near), state->depth_far);
   if (!thread->depth_is_float)
      return (int32_t)rintf(z * thread->depth_scale);
   int32_t bits;
   z += 0.0f;
   memcpy(&bits, &z, sizeof bits);
   return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

/* The pixels of a region that are in the framebuffer, within the tile. */
struct region {
   int32_t x0, y0, x1, y1;
};

/* What of a primitive is nearest in a region (least), or farthest where tests are for greater: by its plane
 * at the region's corners, but not beyond its vertices. */
static float
find_bound(const struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive,
           const struct region *region, bool least)
{
   const struct cm_pb_attribute_block *position = primitive->attributes;
   const struct tbr_plane *plane = &primitive->depth;
   const float sign = least ? 1.0f : -1.0f;
   float at_corners = INFINITY, at_vertices = INFINITY;
   for (unsigned corner = 0; corner < 4; corner++) {
      const int32_t x = corner & 1 ? region->x1 : region->x0, y = corner & 2 ? region->y1 : region->y0;
      const float dx = (float)(thread->tile_x + x) - primitive->reference_x;
      const float dy = (float)(thread->tile_y + y) - primitive->reference_y;
      at_corners =
         fminf(at_corners, sign * (plane->base + plane->ddx * dx + plane->ddy * dy + plane->offset));
   }
   const float first = position->vertex[0][2];
   const float z[4] = {first, position->vertex[1][2], position->vertex[2][2],
                       position->vertex[1][2] + position->vertex[2][2] - first};
   const unsigned vertices = position->flags & TBR_PRIMITIVE_PARALLELOGRAM ? 4 : 3;
   for (unsigned v = 0; v < vertices; v++)
      at_vertices = fminf(at_vertices, sign * (z[v] + plane->offset));
   return sign * fmaxf(at_corners, at_vertices);
}

/* What is farthest (of tests for greater: nearest) in the tile's buffer. */
static int32_t
find_stored(const struct tbr_tile_thread *thread, const struct region *region, bool least)
{
   int32_t stored = least ? INT32_MIN : INT32_MAX;
   for (uint32_t s = 0; s < thread->pass->samples; s++) {
      for (int32_t y = region->y0; y < region->y1; y++) {
         for (int32_t x = region->x0; x < region->x1; x++) {
            const uint32_t block = (uint32_t)(y >> 2) * thread->blocks_x + (uint32_t)(x >> 2);
            const uint32_t lane = (y & 2u) * 4 + (x & 2u) * 2 + (y & 1u) * 2 + (x & 1u);
            const int32_t z = thread->depth[s * TBR_TILE_MAX_PIXELS + block * 16 + lane];
            if (least ? z > stored : z < stored)
               stored = z;
         }
      }
   }
   return stored;
}

/* Whether a block's fragments, which all fail the depth test, need no look at their depth: CM_UNSHADED_HIDDEN. */
static bool
is_hidden_by_region(const struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive,
                    uint32_t block)
{
   const unsigned func = thread->plan.depth_func;
   const bool least = func == PIPE_FUNC_LESS || func == PIPE_FUNC_LEQUAL;
   struct region region = {thread->block_x[block] * 4 & ~(CM_HIZ_SIZE - 1),
                           thread->block_y[block] * 4 & ~(CM_HIZ_SIZE - 1), 0, 0};
   region.x1 = MIN2(region.x0 + CM_HIZ_SIZE, thread->width);
   region.y1 = MIN2(region.y0 + CM_HIZ_SIZE, thread->height);
   const int32_t bound = encode_depth(thread, find_bound(thread, primitive, &region, least));
   const int32_t stored = find_stored(thread, &region, least);
   switch (func) {
   case PIPE_FUNC_LESS: return bound >= stored;
   case PIPE_FUNC_LEQUAL: return bound > stored;
   case PIPE_FUNC_GREATER: return bound <= stored;
   default: return bound < stored;
   }
}

void
tbr_hidden_record_unshaded(struct tbr_tile_thread *thread, uint32_t primitive_index, uint32_t block,
                           uint32_t covered, uint32_t passed)
{
   assert(!(passed & ~covered) && block < thread->num_blocks);
   assert(primitive_index < thread->num_primitives);
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
         .written = live,
      };
      memcpy(words + 2 + count++ * CM_QUAD_WORDS, &quad, sizeof(quad));
   }
   if (!count)
      return;
   const bool hidden = thread->plan.hierarchical && !passed &&
                       is_hidden_by_region(thread, &thread->primitives[primitive_index], block);
   words[0] = CM_EVENT_UNSHADED | count << 8 | (hidden ? CM_UNSHADED_HIDDEN : 0);
   words[1] = thread->plan.state->event_draw;
   thread->texture.events->num_words += 2 + count * CM_QUAD_WORDS;
}

/* ---- flushing ---------------------------------------------------------- */

/* Makes the visibility buffer name primitives as the events do, plus 1. */
static void
name_visible_primitives(struct tbr_tile_thread *thread)
{
   for (uint32_t s = 0; s < thread->pass->samples; s++) {
      uint32_t *pixels = thread->visibility + s * TBR_TILE_MAX_PIXELS;
      for (uint32_t pixel = 0; pixel < thread->num_blocks * 16; pixel++) {
         if (pixels[pixel])
            pixels[pixel] = event_primitive(thread, pixels[pixel] - 1) + 1;
      }
   }
}

/* The fragments of a quad at which its primitive is seen. sample: 1 + the sample that
 * counts; 0: any. */
static uint32_t
find_visible(const struct tbr_tile_thread *thread, const struct cm_quad *quad, uint32_t sample)
{
   assert(!sample || sample <= thread->pass->samples);
   const uint32_t block = (quad->y >> 1) * thread->blocks_x + (quad->x >> 1);
   const uint32_t *pixels = thread->visibility + block * 16 + (quad->y & 1u) * 8 + (quad->x & 1u) * 4;
   const uint32_t first = sample ? sample - 1 : 0;
   const uint32_t past = sample ? sample : thread->pass->samples;
   uint32_t visible = 0;
   for (uint32_t s = first; s < past; s++) {
      for (unsigned i = 0; i < 4; i++)
         visible |= (uint32_t)(pixels[s * TBR_TILE_MAX_PIXELS + i] == quad->primitive + 1) << i;
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
   assert(!thread->queue.count && thread->flushed_words <= events->num_words);
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
