/* SPDX-License-Identifier: MIT */
/* Framebuffer fetch: what the on-chip buffers hold at the queue's pixels, as the shader sees it. No fragment
 * before these at any of the pixels is still in flight (conflicts_with_queue). */
#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

static void
fetch_color(struct tbr_tile_thread *thread, unsigned n, uint32_t sample)
{
   const struct tbr_tile_color *buffer = &thread->color[n];
   const uint16_t *quad = thread->queue.quad;
   float(*planes)[TBR_LANES] = thread->queue.block.last[TBR_COLOR0 + n];
   struct colors colors = {};
   if (thread->pass->color[n].memory) {
      const uint8_t *pixels = buffer->pixels + sample * buffer->sample_bytes;
      if (buffer->kind == TBR_COLOR_BYTES || buffer->kind == TBR_COLOR_UNORM) {
         colors = unpack_channels(buffer, gather_pixels(buffer, pixels, quad));
      } else {
         uint8_t raw[TBR_LANES * 16];
         gather_raw_pixels(buffer, pixels, quad, raw);
         colors = unpack_raw_pixels(buffer, raw);
      }
   }
   store_colors(planes, colors);
}

static void
fetch_depth(struct tbr_tile_thread *thread, uint32_t sample)
{
   float *const depth = thread->queue.block.last[TBR_DEPTH][0];
   const int32_t *stored = thread->depth + sample * TBR_TILE_MAX_PIXELS;
   const ints values = thread->has_depth ? ints_gather_quads(stored, thread->queue.quad) : ints_all(0);
   if (thread->depth_is_float || !thread->has_depth) {
      ints_store(depth, order_float_bits(values));
      return;
   }
   floats_store(depth, floats_from_ints(values));
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      depth[lane] /= thread->depth_scale;
}

static void
fetch_stencil(struct tbr_tile_thread *thread, uint32_t sample)
{
   const uint8_t *stored = thread->stencil + sample * TBR_TILE_MAX_PIXELS;
   int32_t values[TBR_LANES];
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      values[lane] = thread->has_stencil ? stored[4 * thread->queue.quad[lane / 4] + lane % 4] : 0;
   ints_store(thread->queue.block.last[TBR_STENCIL][0], ints_load(values));
}

/* Helpers outside of the framebuffer. */
static uint32_t
lanes_outside(const struct tbr_tile_thread *thread)
{
   uint32_t outside = 0;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const unsigned quad = thread->queue.quad[lane / 4], pixel = (quad & 3) * 4 + lane % 4;
      const int32_t x = 4 * thread->block_x[quad / 4] + tbr_lane_x[pixel];
      const int32_t y = 4 * thread->block_y[quad / 4] + tbr_lane_y[pixel];
      outside |= (uint32_t)(x >= thread->width || y >= thread->height) << lane;
   }
   return outside;
}

/* What the buffers hold there depends on how the tile began. */
static void
zero_outside(struct tbr_tile_thread *thread)
{
   struct tbr_fragment_block *block = &thread->queue.block;
   u_foreach_bit (lane, lanes_outside(thread)) {
      for (unsigned n = 0; n < TBR_NUM_ATTACHMENTS; n++) {
         for (unsigned c = 0; c < 4; c++)
            block->last[n][c][lane] = 0;
      }
   }
}

/* Reads what the draw's shader asks for at a sample (0 of single-sampled passes). */
static __attribute__((noinline)) void
fetch_framebuffer(struct tbr_tile_thread *thread, uint32_t sample)
{
   const uint32_t fetched = thread->plan.state->fetched;
   assert(fetched && sample < thread->pass->samples);
   u_foreach_bit (i, fetched >> TBR_COLOR0)
      fetch_color(thread, i, sample);
   if (fetched >> TBR_DEPTH & 1)
      fetch_depth(thread, sample);
   if (fetched >> TBR_STENCIL & 1)
      fetch_stencil(thread, sample);
   if (thread->width % 2 || thread->height % 2)
      zero_outside(thread);
}
