/* SPDX-License-Identifier: MIT */
/** Random textures, samplers and arguments. */
#include <math.h>
#include <string.h>

#include "texture_test.h"
#include "util/macros.h"
#include "util/u_math.h"

static unsigned
random_size(unsigned most)
{
   switch (texture_test_below(4)) {
   case 0: return 1u << texture_test_below(util_logbase2(most) + 1);
   case 1: return 1 + texture_test_below(4);
   default: return 1 + texture_test_below(most);
   }
}

/** Coordinates: each quad somewhere, its pixels some texels apart. */
static void
random_coordinates(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments)
{
   const struct tbr_texture_level *level = &binding->levels[0];
   const bool cube = binding->target == PIPE_TEXTURE_CUBE || binding->target == PIPE_TEXTURE_CUBE_ARRAY;
   const bool texels = binding->sampler.unnormalized_coords || binding->target == PIPE_TEXTURE_RECT;
   const double size[3] = {level->width, level->height, level->depth};

   for (unsigned quad = 0; quad < TBR_QUADS; quad++) {
      const double range = texture_test_below(3) ? 2.0 : 0.6;
      const double step = exp2(texture_test_uniform(-3, binding->num_levels + 1.0));
      for (unsigned i = 0; i < 3; i++) {
         double at = cube ? texture_test_uniform(-1, 1) : 0.5 + texture_test_uniform(-range, range);
         double dx = step * texture_test_uniform(-1, 1) / (texels ? 1 : size[i]);
         double dy = step * texture_test_uniform(-1, 1) / (texels ? 1 : size[i]);
         if (texels)
            at *= size[i];
         if (cube && texture_test_below(4) == 0 && i < 2)
            at = (texture_test_below(2) ? 1 : -1) * texture_test_uniform(0.95, 1.0);
         if (i == 2 && !cube && binding->target != PIPE_TEXTURE_3D) {
            at = texture_test_uniform(-1, binding->num_layers + 1);
            dx = dy = 0;
         }
         for (unsigned pixel = 0; pixel < 4; pixel++) {
            const unsigned lane = quad * 4 + pixel;
            arguments->coords[i][lane] = (float)(at + (pixel & 1 ? dx : 0) + (pixel & 2 ? dy : 0));
            arguments->ddx[i][lane] = (float)(dx * texture_test_uniform(0.5, 2));
            arguments->ddy[i][lane] = (float)(dy * texture_test_uniform(0.5, 2));
         }
      }
      for (unsigned lane = quad * 4; lane < quad * 4 + 4; lane++) {
         arguments->cube_layer[lane] = (float)texture_test_uniform(-1, binding->num_layers / 6 + 1);
         arguments->compare[lane] = (float)texture_test_uniform(-0.2, 1.2);
         arguments->lod[lane] = (float)texture_test_uniform(-2, binding->num_levels + 1.0);
      }
   }
}

void
texture_random_sampler(struct tbr_texture_binding *binding, const uint8_t *wraps, unsigned num_wraps)
{
   struct pipe_sampler_state *sampler = &binding->sampler;
   sampler->wrap_s = wraps[texture_test_below(num_wraps)];
   sampler->wrap_t = wraps[texture_test_below(num_wraps)];
   sampler->wrap_r = wraps[texture_test_below(num_wraps)];
   sampler->min_img_filter = texture_test_below(2);
   sampler->mag_img_filter = texture_test_below(2);
   sampler->min_mip_filter = texture_test_below(3);
   sampler->compare_func = texture_test_below(8);
   sampler->seamless_cube_map = texture_test_below(2);
   if (texture_test_below(3) == 0)
      sampler->lod_bias = (float)texture_test_uniform(-2, 2);
   if (texture_test_below(3) == 0) {
      sampler->min_lod = (float)texture_test_uniform(-1, 2);
      sampler->max_lod = sampler->min_lod + (float)texture_test_uniform(0, 3);
   }
   for (unsigned i = 0; i < 4; i++)
      sampler->border_color.f[i] = (float)texture_test_uniform(-0.5, 1.5);
   if (texture_test_below(3) == 0)
      for (unsigned i = 0; i < 4; i++)
         binding->swizzle[i] = (uint8_t)texture_test_below(6);
}

void
texture_random_image(struct texture_test_image *image, enum pipe_texture_target target,
                     enum pipe_format format, unsigned most)
{
   struct texture_test_description d = {.target = target, .format = format};
   d.width = random_size(most);
   d.height = random_size(most);
   switch (target) {
   case PIPE_TEXTURE_1D: d.height = 1; break;
   case PIPE_TEXTURE_1D_ARRAY:
      d.height = 1;
      d.layers = 1 + texture_test_below(5);
      break;
   case PIPE_TEXTURE_2D_ARRAY: d.layers = 1 + texture_test_below(5); break;
   case PIPE_TEXTURE_3D: d.depth = random_size(16); break;
   case PIPE_TEXTURE_CUBE:
      d.height = d.width;
      d.layers = 6;
      break;
   case PIPE_TEXTURE_CUBE_ARRAY:
      d.height = d.width;
      d.layers = 6 * (1 + texture_test_below(3));
      break;
   default: break;
   }
   const unsigned chain = util_logbase2(MAX3(d.width, d.height, MAX2(d.depth, 1))) + 1;
   d.levels = target == PIPE_TEXTURE_RECT ? 1 : texture_test_below(3) ? chain : 1 + texture_test_below(chain);
   texture_test_image_init(image, &d);
}

void
texture_random_arguments(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments)
{
   memset(arguments, 0, sizeof(*arguments));
   random_coordinates(binding, arguments);
   arguments->active = texture_test_below(4) ? 0xffff : (uint32_t)texture_test_random() & 0xffff;
   arguments->lod_control = (uint8_t)texture_test_below(4);
}
