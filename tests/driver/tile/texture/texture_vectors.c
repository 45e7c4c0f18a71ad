/* SPDX-License-Identifier: MIT */
/** The vector functions against the general one, which takes a fragment at a time: results and events of every
 * target, format, filter, wrap mode and operation, to the bit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tile/tbr_isa.h"
#include "texture_test.h"
#include "support/run_tests.h"
#include "util/format/u_format.h"
#include "util/macros.h"

static const enum pipe_format formats[] = {
   PIPE_FORMAT_R8_UNORM,
   PIPE_FORMAT_R8G8_UNORM,
   PIPE_FORMAT_R8G8B8A8_UNORM,
   PIPE_FORMAT_B8G8R8X8_UNORM,
   PIPE_FORMAT_R8G8B8_UNORM,
   PIPE_FORMAT_L8_UNORM,
   PIPE_FORMAT_A8_UNORM,
   PIPE_FORMAT_L8A8_UNORM,
   PIPE_FORMAT_I8_UNORM,
   PIPE_FORMAT_B5G6R5_UNORM,
   PIPE_FORMAT_B5G5R5A1_UNORM,
   PIPE_FORMAT_B4G4R4A4_UNORM,
   PIPE_FORMAT_R10G10B10A2_UNORM,
   PIPE_FORMAT_R10G10B10A2_UINT,
   PIPE_FORMAT_R16_UNORM,
   PIPE_FORMAT_R16G16_UNORM,
   PIPE_FORMAT_R16G16B16A16_UNORM,
   PIPE_FORMAT_R8_SNORM,
   PIPE_FORMAT_R8G8_SNORM,
   PIPE_FORMAT_R8G8B8A8_SNORM,
   PIPE_FORMAT_R16_SNORM,
   PIPE_FORMAT_R16G16_SNORM,
   PIPE_FORMAT_R16G16B16A16_SNORM,
   PIPE_FORMAT_R8G8B8A8_SRGB,
   PIPE_FORMAT_B8G8R8X8_SRGB,
   PIPE_FORMAT_R8_SRGB,
   PIPE_FORMAT_R16_FLOAT,
   PIPE_FORMAT_R16G16_FLOAT,
   PIPE_FORMAT_R16G16B16A16_FLOAT,
   PIPE_FORMAT_R32_FLOAT,
   PIPE_FORMAT_R32G32_FLOAT,
   PIPE_FORMAT_R32G32B32_FLOAT,
   PIPE_FORMAT_R32G32B32A32_FLOAT,
   PIPE_FORMAT_R11G11B10_FLOAT,
   PIPE_FORMAT_R9G9B9E5_FLOAT,
   PIPE_FORMAT_R8_UINT,
   PIPE_FORMAT_R8G8B8A8_SINT,
   PIPE_FORMAT_R16_SINT,
   PIPE_FORMAT_R16G16_UINT,
   PIPE_FORMAT_R16G16B16A16_SINT,
   PIPE_FORMAT_R32_UINT,
   PIPE_FORMAT_R32G32_SINT,
   PIPE_FORMAT_R32G32B32A32_UINT,
   PIPE_FORMAT_L8_UINT,
   PIPE_FORMAT_Z16_UNORM,
   PIPE_FORMAT_Z24X8_UNORM,
   PIPE_FORMAT_X8Z24_UNORM,
   PIPE_FORMAT_Z24_UNORM_S8_UINT,
   PIPE_FORMAT_Z32_FLOAT,
   PIPE_FORMAT_Z32_FLOAT_S8X24_UINT,
   PIPE_FORMAT_S8_UINT,
   PIPE_FORMAT_X24S8_UINT,
   PIPE_FORMAT_X32_S8X24_UINT,
   PIPE_FORMAT_DXT1_RGB,
   PIPE_FORMAT_DXT1_SRGBA,
   PIPE_FORMAT_DXT3_SRGBA,
   PIPE_FORMAT_DXT5_RGBA,
   PIPE_FORMAT_RGTC1_UNORM,
   PIPE_FORMAT_RGTC2_UNORM,
   PIPE_FORMAT_RGTC2_SNORM,
   PIPE_FORMAT_LATC1_UNORM,
   PIPE_FORMAT_LATC2_UNORM,
   PIPE_FORMAT_BPTC_RGBA_UNORM,
   PIPE_FORMAT_BPTC_SRGBA,
   PIPE_FORMAT_BPTC_RGB_FLOAT,
   PIPE_FORMAT_ETC1_RGB8,
};

static const enum pipe_texture_target targets[] = {
   PIPE_TEXTURE_1D,   PIPE_TEXTURE_1D_ARRAY,   PIPE_TEXTURE_2D, PIPE_TEXTURE_2D_ARRAY, PIPE_TEXTURE_RECT,
   PIPE_TEXTURE_CUBE, PIPE_TEXTURE_CUBE_ARRAY, PIPE_TEXTURE_3D, PIPE_TEXTURE_3D,
};

static const uint8_t wraps[] = {
   PIPE_TEX_WRAP_REPEAT,          PIPE_TEX_WRAP_CLAMP_TO_EDGE,
   PIPE_TEX_WRAP_MIRROR_REPEAT,   PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE,
   PIPE_TEX_WRAP_CLAMP_TO_BORDER, PIPE_TEX_WRAP_CLAMP,
   PIPE_TEX_WRAP_MIRROR_CLAMP,    PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER,
};

static bool
is_cube(unsigned target)
{
   return target == PIPE_TEXTURE_CUBE || target == PIPE_TEXTURE_CUBE_ARRAY;
}

/** A buffer, or a multisampled texture of one level: the layers of an array are the planes of its samples. */
static void
random_fetched_image(struct texture_test_image *image, enum pipe_format format)
{
   const bool plain =
      util_format_description(format)->block.width == 1 && !util_format_is_depth_or_stencil(format);
   if (plain && texture_test_below(2)) {
      const struct texture_test_description d = {
         .target = PIPE_BUFFER,
         .format = format,
         .width = texture_test_below(8) ? 1 + texture_test_below(100000) : 0,
      };
      texture_test_image_init(image, &d);
      return;
   }
   texture_random_image(image, PIPE_TEXTURE_2D_ARRAY, format, 40);
   struct tbr_texture_binding *binding = &image->binding;
   binding->target = PIPE_TEXTURE_2D;
   binding->num_samples = binding->num_layers;
   binding->sample_stride = binding->levels[0].layer_stride;
   binding->num_levels = binding->num_layers = 1;
}

/** Integers' bits as coordinates of fetches, inside and just outside. */
static void
random_fetches(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments)
{
   const struct tbr_texture_level *level = &binding->levels[0];
   const unsigned most[3] = {level->width, level->height, MAX2(level->depth, binding->num_layers)};
   arguments->operation = TBR_TEXTURE_FETCH;
   arguments->lod_control = texture_test_below(4) ? TBR_LOD_EXPLICIT : TBR_LOD_IMPLICIT;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      for (unsigned axis = 0; axis < 3; axis++) {
         const int32_t c = (int32_t)texture_test_below(most[axis] + 4) - 2;
         memcpy(&arguments->coords[axis][lane], &c, sizeof(c));
      }
      const int32_t wanted = (int32_t)texture_test_below(binding->num_levels + 2) - 1;
      memcpy(&arguments->lod[lane], &wanted, sizeof(wanted));
      arguments->sample[lane] = (int32_t)texture_test_below(binding->num_samples + 2) - 1;
   }
   arguments->has_sample = binding->num_samples > 1;
}

/** What no shader should pass. */
static void
make_wild(struct tbr_sample_arguments *arguments)
{
   static const float wild[] = {INFINITY, -INFINITY,  NAN,   1e30f, -1e30f,     3e9f,
                                1e-40f,   -0.0f,      1.0f,  -1.0f, 33554434.f, 16777218.0f,
                                -1e-9f,   8388609.0f, 65535, 0.0f,  -16777218.f};
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      for (unsigned axis = 0; axis < 3; axis++)
         if (texture_test_below(3) == 0)
            arguments->coords[axis][lane] = wild[texture_test_below(ARRAY_SIZE(wild))];
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      arguments->lod[lane] = wild[texture_test_below(ARRAY_SIZE(wild))];
}

static void
random_call(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments)
{
   const bool depth = util_format_has_depth(util_format_description(binding->format));
   const unsigned target = binding->target;
   texture_random_arguments(binding, arguments);
   if (target == PIPE_BUFFER || binding->num_samples > 1) {
      random_fetches(binding, arguments);
      return;
   }
   if (texture_test_below(8) == 0)
      make_wild(arguments);
   arguments->shadow = depth && target != PIPE_TEXTURE_3D && texture_test_below(2);
   if (!is_cube(target) && texture_test_below(3) == 0) {
      arguments->has_offset = true;
      for (unsigned axis = 0; axis < 3; axis++)
         for (unsigned lane = 0; lane < TBR_LANES; lane++)
            arguments->offset[axis][lane] = (int)texture_test_below(80) - 40;
   }
   switch (texture_test_below(5)) {
   case 0:
      if (!is_cube(target))
         random_fetches(binding, arguments);
      break;
   case 1:
      if (target == PIPE_TEXTURE_2D || target == PIPE_TEXTURE_2D_ARRAY || target == PIPE_TEXTURE_RECT ||
          is_cube(target))
         arguments->operation = TBR_TEXTURE_GATHER;
      arguments->gather_component = (uint8_t)texture_test_below(4);
      break;
   case 2:
      if (texture_test_below(3) == 0)
         arguments->operation = TBR_TEXTURE_LODQ;
      break;
   }
}

/** The same bits, or both not a number: which of several is up to the processor. */
static bool
is_same(const struct tbr_texture_binding *binding, const float *a, const float *b)
{
   return memcmp(a, b, sizeof(*a)) == 0 || (!binding->private_state.integer && isnan(*a) && isnan(*b));
}

/** Both functions, of one feature level. */
static void
compare(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments)
{
   _Alignas(64) struct tbr_sample_arguments general = *arguments, vectors = *arguments;
   const uint32_t live = texture_test_below(4) ? (uint32_t)texture_test_random() & 0xffff : 0xffff;
   static struct tbr_texture_thread thread;
   struct cm_tile_events events[2] = {{0}, {0}};
   thread.live = live;
   thread.generation++;
   thread.events = &events[0];
   tbr_isa_get()->sample_general(&thread, binding, &general);
   thread.events = &events[1];
   tbr_isa_get()->sample_vectors(&thread, binding, &vectors);
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      if (!(arguments->active >> lane & 1))
         continue;
      texture_compared++;
      for (unsigned i = 0; i < 4; i++)
         if (!is_same(binding, &general.texel[i][lane], &vectors.texel[i][lane])) {
            texture_print_case(binding, arguments, lane);
            fail_msg("%s: component %u is %.9g, not %.9g", tbr_isa_get()->name, i, vectors.texel[i][lane],
                     general.texel[i][lane]);
         }
   }
   if (events[0].num_words != events[1].num_words ||
       (events[0].num_words && memcmp(events[0].words, events[1].words, events[0].num_words * 4))) {
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         texture_print_case(binding, arguments, lane);
      fail_msg("%s: other events: %zu words and %zu", tbr_isa_get()->name, events[0].num_words,
               events[1].num_words);
   }
   free(events[0].words);
   free(events[1].words);
}

TEST(vectors)
{
   unsigned served = 0;
   texture_check_begin();
   for (unsigned i = 0; i < 12000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_texture_target target = targets[texture_test_below(ARRAY_SIZE(targets))];
      const enum pipe_format format = formats[i % ARRAY_SIZE(formats)];
      if (texture_test_below(8) == 0)
         random_fetched_image(&image, format);
      else
         texture_random_image(&image, target, format, 40);
      texture_random_sampler(&image.binding, target == PIPE_TEXTURE_RECT ? wraps + 4 : wraps,
                             target == PIPE_TEXTURE_RECT ? 2
                             : texture_test_below(3)     ? 4
                                                         : 8);
      random_call(&image.binding, &arguments);
      for (unsigned isa = 0; isa < texture_test_num_levels(); isa++) {
         texture_test_use_level(isa);
         tbr_texture_binding_prepare(&image.binding);
         served += image.binding.private_state.vectors;
         if (image.binding.private_state.vectors)
            compare(&image.binding, &arguments);
      }
      texture_test_image_free(&image);
   }
   printf("%u of %u bindings served\n", served, 12000 * texture_test_num_levels());
   assert_true(served > 12000 * texture_test_num_levels() * 9 / 10);
   texture_check_finish();
}
