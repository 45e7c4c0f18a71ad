/* SPDX-License-Identifier: MIT */
/* Random primitives and state for the raster tests. */
#include <math.h>

#include "raster_harness.h"
#include "support/run_tests.h"
#include "util/blend.h"

/* ---- random primitives ------------------------------------------------- */

void
random_positions(uint64_t *random, const struct scene *scene, struct scene_primitive *primitive)
{
   const uint32_t kind = random_below(random, 8);
   const float w = scene->width, h = scene->height;
   float x = random_float(random, -0.1f * w, 1.1f * w), y = random_float(random, -0.1f * h, 1.1f * h);
   for (unsigned v = 0; v < 3; v++) {
      float *p = primitive->position[v];
      if (kind == 0) { /* reaches far out of the framebuffer */
         p[0] = random_float(random, -32768, 32768);
         p[1] = random_float(random, -32768, 32768);
      } else if (kind <= 2) { /* small */
         p[0] = x + random_float(random, -3, 3);
         p[1] = y + random_float(random, -3, 3);
      } else if (kind == 3) { /* on pixel centres and corners: ties everywhere */
         p[0] = floorf(random_float(random, 0, w)) + 0.5f * random_below(random, 2);
         p[1] = floorf(random_float(random, 0, h)) + 0.5f * random_below(random, 2);
      } else if (kind == 4) { /* slivers */
         p[0] = x + (v == 2 ? 0.1f : v * random_float(random, -60, 60));
         p[1] = y + (v == 2 ? 0.1f : v * random_float(random, -60, 60));
      } else {
         p[0] = random_float(random, -0.2f * w, 1.2f * w);
         p[1] = random_float(random, -0.2f * h, 1.2f * h);
      }
   }
   if (random_below(random, 5) == 0) { /* v3 must stay within the guaranteed coordinates too */
      for (unsigned v = 0; v < 3; v++) {
         primitive->position[v][0] = fmaxf(fminf(primitive->position[v][0], 8000), -8000);
         primitive->position[v][1] = fmaxf(fminf(primitive->position[v][1], 8000), -8000);
      }
      primitive->flags |= TBR_PRIMITIVE_PARALLELOGRAM;
   }
}

void
random_colors(uint64_t *random, struct scene_primitive *primitive)
{
   for (unsigned v = 0; v < 3; v++) {
      for (unsigned c = 0; c < 4; c++)
         primitive->color[v][c] = random_float(random, 0, 1);
   }
}

void
add_rectangle(struct scene *scene, uint64_t *random)
{
   struct scene_primitive *primitive = scene_add_primitive(scene);
   primitive->flags |= TBR_PRIMITIVE_PARALLELOGRAM;
   primitive->position[1][0] = scene->width;
   primitive->position[2][1] = scene->height;
   random_colors(random, primitive);
}

/* ---- random state ------------------------------------------------------ */

static void
random_stencil(uint64_t *random, struct tbr_stencil *test)
{
   test->func = random_below(random, 8);
   test->fail_op = random_below(random, 8);
   test->zfail_op = random_below(random, 8);
   test->zpass_op = random_below(random, 8);
   test->valuemask = random_below(random, 2) ? 0xff : random_bits(random);
   test->writemask = random_below(random, 2) ? 0xff : random_bits(random);
   test->reference = random_below(random, 2) ? random_below(random, 4) : random_bits(random);
}

static unsigned
random_factor(uint64_t *random, bool dual_source)
{
   static const uint8_t factors[] = {
      PIPE_BLENDFACTOR_ONE,
      PIPE_BLENDFACTOR_SRC_COLOR,
      PIPE_BLENDFACTOR_SRC_ALPHA,
      PIPE_BLENDFACTOR_DST_ALPHA,
      PIPE_BLENDFACTOR_DST_COLOR,
      PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE,
      PIPE_BLENDFACTOR_CONST_COLOR,
      PIPE_BLENDFACTOR_CONST_ALPHA,
      PIPE_BLENDFACTOR_ZERO,
      PIPE_BLENDFACTOR_INV_SRC_COLOR,
      PIPE_BLENDFACTOR_INV_SRC_ALPHA,
      PIPE_BLENDFACTOR_INV_DST_ALPHA,
      PIPE_BLENDFACTOR_INV_DST_COLOR,
      PIPE_BLENDFACTOR_INV_CONST_COLOR,
      PIPE_BLENDFACTOR_INV_CONST_ALPHA,
      PIPE_BLENDFACTOR_SRC1_COLOR,
      PIPE_BLENDFACTOR_SRC1_ALPHA,
      PIPE_BLENDFACTOR_INV_SRC1_COLOR,
      PIPE_BLENDFACTOR_INV_SRC1_ALPHA,
   };
   return factors[random_below(random, dual_source ? 19 : 15)];
}

void
random_blend(uint64_t *random, struct tbr_draw_state *draw, struct pipe_rt_blend_state *rt)
{
   rt->blend_enable = 1;
   switch (random_below(random, 5)) {
   case 0:
      rt->rgb_src_factor = rt->alpha_src_factor = PIPE_BLENDFACTOR_SRC_ALPHA;
      rt->rgb_dst_factor = rt->alpha_dst_factor = PIPE_BLENDFACTOR_INV_SRC_ALPHA;
      break;
   case 1:
      rt->rgb_src_factor = rt->alpha_src_factor = PIPE_BLENDFACTOR_ONE;
      rt->rgb_dst_factor = rt->alpha_dst_factor = PIPE_BLENDFACTOR_INV_SRC_ALPHA;
      break;
   default:
      rt->rgb_func = random_below(random, 5);
      rt->alpha_func = random_below(random, 5);
      rt->rgb_src_factor = random_factor(random, draw->dual_source);
      rt->rgb_dst_factor = random_factor(random, draw->dual_source);
      rt->alpha_src_factor = random_factor(random, draw->dual_source);
      rt->alpha_dst_factor = random_factor(random, draw->dual_source);
   }
}

static void
random_draw(uint64_t *random, struct scene *scene)
{
   struct tbr_draw_state *draw = scene_add_draw(scene);
   struct program_constants *constants = &scene->constants[scene->num_draws - 1];
   draw->depth_test = random_below(random, 5);
   draw->depth_write = random_below(random, 4);
   draw->depth_func =
      random_below(random, 3) ? PIPE_FUNC_LESS + 2 * random_below(random, 2) : random_below(random, 8);
   if (random_below(random, 4) == 0) {
      draw->depth_near = 0.25f;
      draw->depth_far = 0.75f;
   }
   draw->stencil_test = random_below(random, 3) == 0;
   random_stencil(random, &draw->stencil[0]);
   random_stencil(random, &draw->stencil[1]);
   draw->occlusion_counter = random_below(random, 4);
   draw->bottom_edge_rule = random_below(random, 2);
   if (random_below(random, 3) == 0) {
      draw->scissor_x0 = random_below(random, scene->width / 2);
      draw->scissor_y0 = random_below(random, scene->height / 2);
      draw->scissor_x1 -= random_below(random, scene->width / 2);
      draw->scissor_y1 -= random_below(random, scene->height / 2);
   }
   for (unsigned c = 0; c < 4; c++)
      draw->blend_color[c] = random_float(random, 0, 1);
   switch (random_below(random, 8)) {
   case 0:
   case 1:
   case 2: draw->opaque = true; return;
   case 3:
      draw->shade = NULL; /* depth and stencil only */
      return;
   case 4:
      draw->shader_discards = true;
      constants->discard = 1;
      draw->early_tests = random_below(random, 4) == 0;
      break;
   case 5:
      draw->shader_writes_depth = true;
      constants->depth = 0.125f;
      draw->shader_writes_stencil = random_below(random, 2);
      constants->stencil = random_below(random, 16);
      break;
   default: break;
   }
   draw->dual_source = random_below(random, 4) == 0;
   for (unsigned n = 0; n < scene->num_color; n++) {
      if (random_below(random, 3))
         random_blend(random, draw, &draw->blend.rt[n]);
      if (random_below(random, 4) == 0)
         draw->blend.rt[n].colormask = random_below(random, 16);
   }
}

void
random_scene(uint64_t *random, struct scene *scene, unsigned num_draws, bool flat_depth)
{
   for (unsigned d = 0; d < num_draws; d++) {
      random_draw(random, scene);
      const unsigned count = 1 + random_below(random, 20);
      for (unsigned n = 0; n < count; n++) {
         struct scene_primitive *primitive = scene_add_primitive(scene);
         random_positions(random, scene, primitive);
         random_colors(random, primitive);
         const float z = (float)random_below(random, 65) / 64;
         for (unsigned v = 0; v < 3; v++) {
            primitive->position[v][2] = flat_depth ? z : random_float(random, 0, 1);
            primitive->position[v][3] = flat_depth ? 1 : random_float(random, 0.1f, 3);
         }
         if (random_below(random, 2))
            primitive->flags &= ~TBR_PRIMITIVE_FRONT_FACING;
         if (!flat_depth && random_below(random, 3) == 0)
            primitive->flags |= TBR_PRIMITIVE_OFFSET;
      }
      if (!flat_depth) {
         scene->draws[scene->num_draws - 1].offset_units = random_float(random, -4, 4);
         scene->draws[scene->num_draws - 1].offset_scale = random_float(random, -2, 2);
      }
   }
}
