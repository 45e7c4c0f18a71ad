/* SPDX-License-Identifier: MIT */
/* Depth and stencil tests, sixteen fragments at a time. */
#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t long2 __attribute__((vector_size(16)));

/* ---- stencil: a byte per lane -------------------------------------------- */

TBR_INLINE bytes16
bytes_from_mask(uint32_t mask)
{
   static const bytes16 bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
   const long2 spread = {(mask & 0xff) * 0x0101010101010101u, (mask >> 8 & 0xff) * 0x0101010101010101u};
   return (bytes16)(((bytes16)spread & bits) == bits);
}

TBR_INLINE uint32_t
mask_from_bytes(bytes16 bytes)
{
#if defined(__SSE2__)
   return _mm_movemask_epi8((__m128i)bytes);
#else
   uint32_t mask = 0;
   for (unsigned lane = 0; lane < 16; lane++)
      mask |= (uint32_t)(bytes[lane] >> 7) << lane;
   return mask;
#endif
}

static uint32_t
test_stencil(const struct tbr_stencil *test, bytes16 stencil)
{
   const bytes16 value = stencil & test->valuemask;
   const uint8_t reference = test->reference & test->valuemask;
   switch (test->func) {
   case PIPE_FUNC_NEVER: return 0;
   case PIPE_FUNC_LESS: return mask_from_bytes((bytes16)(value > reference));
   case PIPE_FUNC_EQUAL: return mask_from_bytes((bytes16)(value == reference));
   case PIPE_FUNC_LEQUAL: return mask_from_bytes((bytes16)(value >= reference));
   case PIPE_FUNC_GREATER: return mask_from_bytes((bytes16)(value < reference));
   case PIPE_FUNC_NOTEQUAL: return mask_from_bytes((bytes16)(value != reference));
   case PIPE_FUNC_GEQUAL: return mask_from_bytes((bytes16)(value <= reference));
   default: return 0xffff;
   }
}

/* The stencil values after an operation on the lanes of the mask. The reference
 * is a lane's own because a shader may export it. */
static bytes16
update_stencil(const struct tbr_stencil *test, unsigned operation, bytes16 stencil, bytes16 reference,
               uint32_t mask)
{
   bytes16 new;
   switch (operation) {
   case PIPE_STENCIL_OP_ZERO: new = (bytes16){}; break;
   case PIPE_STENCIL_OP_REPLACE: new = reference; break;
   case PIPE_STENCIL_OP_INCR: new = stencil + ((bytes16)(stencil != 0xff) & 1); break;
   case PIPE_STENCIL_OP_DECR: new = stencil - ((bytes16)(stencil != 0) & 1); break;
   case PIPE_STENCIL_OP_INCR_WRAP: new = stencil + 1; break;
   case PIPE_STENCIL_OP_DECR_WRAP: new = stencil - 1; break;
   case PIPE_STENCIL_OP_INVERT: new = ~stencil; break;
   default: return stencil;
   }
   const bytes16 bits = bytes_from_mask(mask) & test->writemask;
   return (stencil & ~bits) | (new &bits);
}

/* ---- depth: an integer a lane ------------------------------------------ */

/* Depth as it is stored and compared: a unorm's integer, or the float's bits in
 * integers' order. */
TBR_INLINE ints
depth_encode(const struct tbr_tile_thread *thread, const struct tbr_draw_state *state, floats z)
{
   z = floats_min(floats_max(z, floats_all(state->depth_near)), floats_all(state->depth_far));
   if (!thread->depth_is_float)
      return ints_round(floats_mul(z, floats_all(thread->depth_scale)));
   /* Adding 0 makes -0 compare equal to 0. */
   return order_float_bits(ints_from_bits(floats_add(z, floats_all(0.0f))));
}

/* Depth at pixel centres dx, dy from the primitive's reference point. Always in this order, so that a
 * fragment's depth does not depend on the caller. */
TBR_INLINE floats
depth_evaluate(const struct tbr_plane *plane, floats dx, floats dy)
{
   const floats z = floats_add(floats_add(floats_all(plane->base), floats_mul(floats_all(plane->ddx), dx)),
                               floats_mul(floats_all(plane->ddy), dy));
   return floats_add(z, floats_all(plane->offset));
}

TBR_INLINE uint32_t
test_depth(unsigned function, ints z, ints stored)
{
   switch (function) {
   case PIPE_FUNC_NEVER: return 0;
   case PIPE_FUNC_LESS: return ints_less(z, stored);
   case PIPE_FUNC_EQUAL: return ints_equal(z, stored);
   case PIPE_FUNC_LEQUAL: return ints_less(stored, z) ^ 0xffff;
   case PIPE_FUNC_GREATER: return ints_less(stored, z);
   case PIPE_FUNC_NOTEQUAL: return ints_equal(z, stored) ^ 0xffff;
   case PIPE_FUNC_GEQUAL: return ints_less(z, stored) ^ 0xffff;
   default: return 0xffff;
   }
}

/* The whole sequence for lanes of one face: returns those that pass both tests.
 * *stencil is updated; the caller writes depth. */
static uint32_t
test_stencil_and_depth(const struct tbr_draw_plan *plan, const struct tbr_stencil *test, bytes16 *stencil,
                       bytes16 reference, uint32_t stencil_pass, uint32_t depth_pass, uint32_t mask)
{
   const uint32_t failed = mask & ~stencil_pass;
   const uint32_t depth_failed = mask & stencil_pass & ~depth_pass;
   const uint32_t passed = mask & stencil_pass & depth_pass;
   if (failed)
      *stencil = update_stencil(test, test->fail_op, *stencil, reference, failed);
   if (depth_failed)
      *stencil = update_stencil(test, test->zfail_op, *stencil, reference, depth_failed);
   if (passed)
      *stencil = update_stencil(test, test->zpass_op, *stencil, reference, passed);
   return passed;
}

/* ---- before the shader: a block of one primitive ---------------------- */

/* Pixel centres of a block, or samples at an offset from them, relative to the
 * primitive's reference point. Exact: all are multiples of 1/256. */
TBR_INLINE void
block_positions(const struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive,
                uint32_t block_x, uint32_t block_y, const float offset[2], floats *dx, floats *dy)
{
   const float center = thread->plan.center;
   const float x =
      (float)(thread->tile_x + (int32_t)block_x * 4) + center - primitive->reference_x + offset[0];
   const float y =
      (float)(thread->tile_y + (int32_t)block_y * 4) + center - primitive->reference_y + offset[1];
   *dx = floats_add(floats_load(tbr_lane_x_float), floats_all(x));
   *dy = floats_add(floats_load(tbr_lane_y_float), floats_all(y));
}

TBR_INLINE ints
block_depth(const struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive,
            uint32_t block_x, uint32_t block_y, const float offset[2])
{
   floats dx, dy;
   block_positions(thread, primitive, block_x, block_y, offset, &dx, &dy);
   return depth_encode(thread, thread->plan.state, depth_evaluate(&primitive->depth, dx, dy));
}

static const float no_offset[2];

/* Depth and stencil tests of a sample (0 of single-sampled passes) at an offset from
 * the centres, with all their effects; returns the surviving lanes. */
TBR_INLINE uint32_t
test_block(struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive, uint32_t block_x,
           uint32_t block_y, uint32_t sample, const float offset[2], uint32_t mask)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const uint32_t first = sample * TBR_TILE_MAX_PIXELS + (block_y * thread->blocks_x + block_x) * 16;
   assert(sample < thread->pass->samples);
   ints z = {};
   uint32_t depth_pass = 0xffff;
   if (plan->depth_test) {
      z = block_depth(thread, primitive, block_x, block_y, offset);
      depth_pass = test_depth(plan->depth_func, z, ints_load(thread->depth + first));
   }
   if (plan->stencil_test) {
      const struct tbr_stencil *test = &plan->state->stencil[!primitive->front_facing];
      bytes16 *place = (bytes16 *)(thread->stencil + first);
      bytes16 stencil = *place;
      mask = test_stencil_and_depth(plan, test, &stencil, (bytes16){} + test->reference,
                                    test_stencil(test, stencil), depth_pass, mask);
      *place = stencil;
   } else {
      mask &= depth_pass;
   }
   if (plan->depth_write && mask)
      ints_store_masked(thread->depth + first, mask, z);
   return mask;
}

/* The lanes that are not certain to fail a later depth test, nothing written. */
TBR_INLINE uint32_t
reject_block(const struct tbr_tile_thread *thread, const struct tbr_tile_primitive *primitive,
             uint32_t block_x, uint32_t block_y, uint32_t sample, const float offset[2], uint32_t mask)
{
   const uint32_t first = sample * TBR_TILE_MAX_PIXELS + (block_y * thread->blocks_x + block_x) * 16;
   const ints z = block_depth(thread, primitive, block_x, block_y, offset);
   return mask & test_depth(thread->plan.depth_func, z, ints_load(thread->depth + first));
}

/* ---- after the shader: the queue's quads ------------------------------ */

/* Depth of the queue's fragments at an offset from where they were shaded. */
static ints
queue_depth(const struct tbr_tile_thread *thread, const float offset[2])
{
   const struct tbr_fragment_block *block = &thread->queue.block;
   if (thread->plan.shader_depth)
      return depth_encode(thread, thread->plan.state, floats_load(block->depth));
   float z[TBR_LANES];
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const struct tbr_plane *plane = &block->planes[lane / 4][TBR_PLANE_DEPTH];
      z[lane] = plane->base + plane->ddx * (block->x[lane] + offset[0]) +
                plane->ddy * (block->y[lane] + offset[1]) + plane->offset;
   }
   return depth_encode(thread, thread->plan.state, floats_load(z));
}

static uint32_t
test_queue_stencil(struct tbr_tile_thread *thread, uint8_t *buffer, uint32_t depth_pass, uint32_t mask)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_fragment_queue *queue = &thread->queue;
   bytes16 stencil;
   for (unsigned n = 0; n < TBR_QUADS; n++)
      memcpy((uint8_t *)&stencil + 4 * n, buffer + 4 * queue->quad[n], 4);
   uint32_t face_lanes[2] = {0, 0};
   for (unsigned n = 0; n < TBR_QUADS; n++)
      face_lanes[!queue->block.front_facing[n]] |= 0xfu << 4 * n;
   uint32_t passed = 0;
   for (unsigned face = 0; face < 2; face++) {
      const uint32_t lanes = mask & face_lanes[face];
      if (!lanes)
         continue;
      struct tbr_stencil test = plan->state->stencil[face];
      bytes16 reference = (bytes16){} + test.reference;
      uint32_t stencil_pass;
      if (plan->shader_stencil) {
         stencil_pass = 0;
         for (unsigned lane = 0; lane < TBR_LANES; lane++) {
            test.reference = reference[lane] = queue->block.stencil[lane];
            stencil_pass |= test_stencil(&test, stencil) & 1u << lane;
         }
      } else {
         stencil_pass = test_stencil(&test, stencil);
      }
      passed |= test_stencil_and_depth(plan, &test, &stencil, reference, stencil_pass, depth_pass, lanes);
   }
   const bytes16 written = bytes_from_mask(mask);
   for (unsigned n = 0; n < TBR_QUADS; n++) {
      for (unsigned pixel = 0; pixel < 4; pixel++) {
         if (written[4 * n + pixel])
            buffer[4 * queue->quad[n] + pixel] = stencil[4 * n + pixel];
      }
   }
   return passed;
}

/* Depth and stencil tests of a sample of the queue's live fragments, which are all
 * at different pixels; returns the survivors. */
static uint32_t
test_queue(struct tbr_tile_thread *thread, uint32_t sample, const float offset[2], uint32_t mask)
{
   const struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_fragment_queue *queue = &thread->queue;
   int32_t *const depth = thread->depth + sample * TBR_TILE_MAX_PIXELS;
   assert(sample < thread->pass->samples && !plan->early);
   ints z = {};
   uint32_t depth_pass = 0xffff;
   if (plan->depth_test) {
      z = queue_depth(thread, offset);
      depth_pass = test_depth(plan->depth_func, z, ints_gather_quads(depth, queue->quad));
   }
   if (plan->stencil_test)
      mask = test_queue_stencil(thread, thread->stencil + sample * TBR_TILE_MAX_PIXELS, depth_pass, mask);
   else
      mask &= depth_pass;
   if (plan->depth_write && mask)
      ints_scatter_quads(depth, queue->quad, mask, z);
   return mask;
}
