/* SPDX-License-Identifier: MIT */
/* What a draw's state means in this pass and tile, worked out once for a run of
 * its primitives. */
#include "tile/tbr_draw_tests.h"
#include "tile/tbr_tile.h"
#include "tile/raster/tbr_vector.h"

static void
plan_tests(const struct tbr_tile_thread *thread, struct tbr_draw_plan *plan)
{
   const struct tbr_draw_state *state = plan->state;
   const struct tbr_draw_tests tests = tbr_draw_tests(state, thread->has_depth, thread->has_stencil);
   plan->depth_func = state->depth_func;
   plan->depth_test = tests.depth_test;
   plan->depth_write = tests.depth_write;
   plan->stencil_test = tests.stencil_test;
   plan->shader_depth = state->shader_writes_depth;
   plan->shader_stencil = state->shader_writes_stencil;
   plan->early = tests.early;
   plan->reject_early = tests.reject_early;
   plan->hierarchical = tests.hierarchical;
}

/* Where the samples are that coverage and depth are looked at: all in the middle
 * without multisampling. */
static void
plan_samples(const struct tbr_tile_thread *thread, struct tbr_draw_plan *plan)
{
   const struct tbr_draw_state *state = plan->state;
   for (unsigned s = 0; s < thread->pass->samples; s++) {
      for (unsigned c = 0; c < 2; c++) {
         const float offset = state->multisample ? tbr_sample_positions[s][c] - 0.5f : 0;
         plan->sample_offset[s][c] = offset;
         plan->sample[s][c] = (int32_t)((plan->center + offset) * SUBPIXELS);
      }
   }
}

/* Works out what a draw does. The queue must be empty. */
static void
plan_draw(struct tbr_tile_thread *thread, uint32_t draw)
{
   const struct tbr_pass *pass = thread->pass;
   struct tbr_draw_plan *plan = &thread->plan;
   const struct tbr_draw_state *state = pass->draws[draw];
   assert(!thread->queue.count);
   assert(state->scissor_x1 <= pass->width && state->scissor_y1 <= pass->height);
   plan->state = state;
   plan->draw = draw;
   plan->draws = state->sample_mask & BITFIELD_MASK(pass->samples);
   plan->shade = state->shade != NULL;
   plan->center = state->half_pixel_center ? 0.5f : 0.0f;
   plan->clip_x0 = MAX2(state->scissor_x0 - thread->tile_x, 0);
   plan->clip_y0 = MAX2(state->scissor_y0 - thread->tile_y, 0);
   plan->clip_x1 = MIN2(state->scissor_x1 - thread->tile_x, thread->width);
   plan->clip_y1 = MIN2(state->scissor_y1 - thread->tile_y, thread->height);
   plan_samples(thread, plan);
   plan_tests(thread, plan);
   /* The visibility buffer does not know what else a primitive covered in a pixel. */
   plan->record = (pass->deferred || pass->keep_hidden) && state->opaque && plan->shade && plan->early &&
                  !state->centroid && !state->reads_sample_mask;
   for (unsigned n = 0; n < pass->num_color; n++)
      plan_color(thread, plan, n);
}
