/* SPDX-License-Identifier: MIT */
/**
 * The texture unit against a reference in double, on random textures, samplers
 * and coordinates: colours within a tolerance, footprints exactly; and all
 * vector feature levels, and all groupings of quads, to the bit.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "texture_test.h"
#include "support/run_tests.h"
#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/u_math.h"

static const uint8_t all_wraps[] = {
   PIPE_TEX_WRAP_REPEAT,
   PIPE_TEX_WRAP_CLAMP,
   PIPE_TEX_WRAP_CLAMP_TO_EDGE,
   PIPE_TEX_WRAP_CLAMP_TO_BORDER,
   PIPE_TEX_WRAP_MIRROR_REPEAT,
   PIPE_TEX_WRAP_MIRROR_CLAMP,
   PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE,
   PIPE_TEX_WRAP_MIRROR_CLAMP_TO_BORDER,
};
static const uint8_t edge_wraps[] = {
   PIPE_TEX_WRAP_REPEAT,
   PIPE_TEX_WRAP_CLAMP_TO_EDGE,
   PIPE_TEX_WRAP_MIRROR_REPEAT,
   PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE,
};
static const uint8_t rect_wraps[] = {
   PIPE_TEX_WRAP_CLAMP,
   PIPE_TEX_WRAP_CLAMP_TO_EDGE,
   PIPE_TEX_WRAP_CLAMP_TO_BORDER,
};

/** The tolerance of filtered 8-bit channels: a tenth of a step. */
static const double byte_tolerance = 0.1 / 255;

/** Two-dimensional textures of 8-bit formats: what the fast functions serve. */
TEST(bytes)
{
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_B8G8R8A8_UNORM, PIPE_FORMAT_R8G8B8X8_UNORM,
      PIPE_FORMAT_B8G8R8X8_UNORM, PIPE_FORMAT_R8_UNORM,       PIPE_FORMAT_L8_UNORM,
      PIPE_FORMAT_A8_UNORM,       PIPE_FORMAT_R8G8_UNORM,     PIPE_FORMAT_L8A8_UNORM,
      PIPE_FORMAT_R8G8B8_UNORM,
   };
   texture_check_begin();
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      texture_random_image(&image, PIPE_TEXTURE_2D, formats[texture_test_below(ARRAY_SIZE(formats))], 300);
      if (texture_test_below(3))
         texture_random_sampler(&image.binding, edge_wraps, ARRAY_SIZE(edge_wraps));
      else
         texture_random_sampler(&image.binding, all_wraps, ARRAY_SIZE(all_wraps));
      texture_random_arguments(&image.binding, &arguments);
      texture_check_call(&image.binding, &arguments, byte_tolerance);
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

/** The packed, depth, float, compressed and other formats. */
TEST(formats)
{
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_B5G6R5_UNORM,       PIPE_FORMAT_B5G5R5A1_UNORM, PIPE_FORMAT_B4G4R4A4_UNORM,
      PIPE_FORMAT_Z16_UNORM,          PIPE_FORMAT_Z24X8_UNORM,    PIPE_FORMAT_Z24_UNORM_S8_UINT,
      PIPE_FORMAT_Z32_FLOAT,          PIPE_FORMAT_R32_FLOAT,      PIPE_FORMAT_R32G32B32A32_FLOAT,
      PIPE_FORMAT_R16G16B16A16_UNORM, PIPE_FORMAT_R8G8B8A8_SNORM, PIPE_FORMAT_R8G8B8A8_SRGB,
      PIPE_FORMAT_DXT1_RGB,
   };
   texture_check_begin();
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_format format = formats[texture_test_below(ARRAY_SIZE(formats))];
      texture_random_image(&image, texture_test_below(3) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_CUBE, format, 64);
      texture_random_sampler(&image.binding, all_wraps, ARRAY_SIZE(all_wraps));
      if (texture_test_below(4) == 0) {
         image.binding.sampler.min_img_filter = image.binding.sampler.mag_img_filter =
            PIPE_TEX_FILTER_NEAREST;
         image.binding.sampler.min_mip_filter = PIPE_TEX_MIPFILTER_NONE;
      }
      texture_random_arguments(&image.binding, &arguments);
      texture_check_call(&image.binding, &arguments,
                         format == PIPE_FORMAT_DXT1_RGB             ? 1.5 / 255
                         : format == PIPE_FORMAT_R32G32B32A32_FLOAT ? 1e-3
                                                                    : 5e-4);
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

TEST(cubes)
{
   texture_check_begin();
   for (unsigned i = 0; i < 3000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      texture_random_image(&image, texture_test_below(4) ? PIPE_TEXTURE_CUBE : PIPE_TEXTURE_CUBE_ARRAY,
                           texture_test_below(2) ? PIPE_FORMAT_R8G8B8A8_UNORM : PIPE_FORMAT_B8G8R8X8_UNORM,
                           32);
      texture_random_sampler(&image.binding, edge_wraps, ARRAY_SIZE(edge_wraps));
      texture_random_arguments(&image.binding, &arguments);
      texture_check_call(&image.binding, &arguments, 3 * byte_tolerance);
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

/** Every other target; comparisons, offsets, gathers. */
TEST(targets)
{
   static const enum pipe_texture_target targets[] = {
      PIPE_TEXTURE_1D,       PIPE_TEXTURE_2D,       PIPE_TEXTURE_3D,   PIPE_TEXTURE_RECT,
      PIPE_TEXTURE_1D_ARRAY, PIPE_TEXTURE_2D_ARRAY, PIPE_TEXTURE_CUBE, PIPE_TEXTURE_CUBE_ARRAY,
   };
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_R8G8B8A8_UNORM,
      PIPE_FORMAT_R32_FLOAT,
      PIPE_FORMAT_Z32_FLOAT,
      PIPE_FORMAT_Z16_UNORM,
   };
   texture_check_begin();
   for (unsigned i = 0; i < 6000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_texture_target target = targets[texture_test_below(ARRAY_SIZE(targets))];
      const enum pipe_format format = formats[texture_test_below(ARRAY_SIZE(formats))];
      const bool cube = target == PIPE_TEXTURE_CUBE || target == PIPE_TEXTURE_CUBE_ARRAY;
      const bool rect = target == PIPE_TEXTURE_RECT;
      texture_random_image(&image, target, format, 40);
      texture_random_sampler(&image.binding, rect ? rect_wraps : all_wraps,
                             rect ? ARRAY_SIZE(rect_wraps) : ARRAY_SIZE(all_wraps));
      texture_random_arguments(&image.binding, &arguments);
      arguments.shadow = (format == PIPE_FORMAT_Z32_FLOAT || format == PIPE_FORMAT_Z16_UNORM) &&
                         target != PIPE_TEXTURE_3D && texture_test_below(2);
      if (!cube && texture_test_below(3) == 0) {
         arguments.has_offset = true;
         for (unsigned axis = 0; axis < 3; axis++)
            for (unsigned lane = 0; lane < TBR_LANES; lane++)
               arguments.offset[axis][lane] = (int)texture_test_below(16) - 8;
      }
      if (target != PIPE_TEXTURE_3D && target != PIPE_TEXTURE_1D && target != PIPE_TEXTURE_1D_ARRAY &&
          texture_test_below(4) == 0) {
         arguments.operation = TBR_TEXTURE_GATHER;
         arguments.gather_component = (uint8_t)texture_test_below(4);
      }
      texture_check_call(&image.binding, &arguments, 1e-3);
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

TEST(fetch)
{
   static const enum pipe_texture_target targets[] = {
      PIPE_TEXTURE_1D,       PIPE_TEXTURE_2D,       PIPE_TEXTURE_3D,
      PIPE_TEXTURE_1D_ARRAY, PIPE_TEXTURE_2D_ARRAY, PIPE_BUFFER,
   };
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_R8G8B8A8_UNORM,     PIPE_FORMAT_R32_UINT,   PIPE_FORMAT_R8G8B8A8_UINT,
      PIPE_FORMAT_R32G32B32A32_FLOAT, PIPE_FORMAT_R8G8_UNORM, PIPE_FORMAT_Z24X8_UNORM,
   };
   texture_check_begin();
   for (unsigned i = 0; i < 2000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_texture_target target = targets[texture_test_below(ARRAY_SIZE(targets))];
      const enum pipe_format format = formats[texture_test_below(ARRAY_SIZE(formats))];
      if (target == PIPE_BUFFER) {
         const struct texture_test_description d = {.target = target,
                                                    .format = format,
                                                    .width = 1 + texture_test_below(100000)};
         texture_test_image_init(&image, &d);
      } else {
         texture_random_image(&image, target, format, 40);
      }
      texture_random_arguments(&image.binding, &arguments);
      for (unsigned c = 0; target != PIPE_BUFFER && c < 4; c++)
         image.binding.swizzle[c] = (uint8_t)texture_test_below(6);
      arguments.operation = TBR_TEXTURE_FETCH;
      arguments.lod_control = TBR_LOD_EXPLICIT;
      for (unsigned lane = 0; lane < TBR_LANES; lane++) {
         const unsigned most[3] = {image.binding.levels[0].width, image.binding.levels[0].height,
                                   MAX2(image.binding.levels[0].depth, image.binding.num_layers)};
         for (unsigned axis = 0; axis < 3; axis++) {
            int32_t c = (int32_t)texture_test_below(most[axis] + 4) - 2;
            memcpy(&arguments.coords[axis][lane], &c, sizeof(c));
         }
         int32_t level = (int32_t)texture_test_below(image.binding.num_levels + 2) - 1;
         memcpy(&arguments.lod[lane], &level, sizeof(level));
      }
      texture_check_call(&image.binding, &arguments, 1e-6);
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

/** The bits that Mesa's format functions decode of a texel. */
static void
decode_texel(const struct tbr_texture_binding *binding, unsigned level, unsigned layer, unsigned x,
             unsigned y, uint32_t bits[4])
{
   const struct tbr_texture_level *image = &binding->levels[level];
   const uint8_t *texel = image->texels + layer * image->layer_stride + y * image->row_stride +
                          x * util_format_get_blocksize(binding->format);
   float channels[4];
   if (util_format_is_depth_or_stencil(binding->format)) {
      util_format_unpack_description(binding->format)->unpack_z_float(channels, 0, texel, 0, 1, 1);
      channels[1] = channels[2] = channels[0];
      channels[3] = 1.0f;
   } else {
      util_format_fetch_rgba_func(binding->format)(channels, texel, 0, 0);
   }
   memcpy(bits, channels, sizeof(channels));
}

/** Fetches or samples a texel a lane without filtering: the bits that the format holds. */
static void
check_exact(struct tbr_texture_binding *binding, bool fetch)
{
   _Alignas(64) struct tbr_sample_arguments arguments = {.active = 0xffff, .lod_control = TBR_LOD_EXPLICIT};
   uint32_t expected[TBR_LANES][4];
   arguments.operation = fetch ? TBR_TEXTURE_FETCH : TBR_TEXTURE_SAMPLE;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const unsigned level = texture_test_below(binding->num_levels);
      const unsigned layer = texture_test_below(binding->num_layers);
      const unsigned x = texture_test_below(binding->levels[level].width),
                     y = texture_test_below(binding->levels[level].height);
      decode_texel(binding, level, layer, x, y, expected[lane]);
      if (fetch) {
         memcpy(&arguments.coords[0][lane], &x, sizeof(x));
         memcpy(&arguments.coords[1][lane], &y, sizeof(y));
         memcpy(&arguments.coords[2][lane], &layer, sizeof(layer));
         memcpy(&arguments.lod[lane], &level, sizeof(level));
      } else {
         arguments.coords[0][lane] = ((float)x + 0.5f) / (float)binding->levels[level].width;
         arguments.coords[1][lane] = ((float)y + 0.5f) / (float)binding->levels[level].height;
         arguments.coords[2][lane] = (float)layer;
         arguments.lod[lane] = (float)level;
      }
   }
   for (unsigned isa = 0; isa < texture_test_num_levels(); isa++) {
      struct tbr_texture_thread thread = {0};
      texture_test_use_level(isa);
      tbr_texture_binding_prepare(binding);
      binding->sample(&thread, binding, &arguments);
      for (unsigned lane = 0; lane < TBR_LANES; lane++, texture_compared++)
         for (unsigned i = 0; i < 4; i++)
            if (memcmp(&arguments.texel[i][lane], &expected[lane][i], 4)) {
               texture_print_case(binding, &arguments, lane);
               fail_msg("component %u is %.9g, Mesa has %08x", i, arguments.texel[i][lane],
                        expected[lane][i]);
            }
   }
}

/** Formats that are decoded a vector at a time, to the bit: not a number and infinity, too. */
TEST(exact)
{
   static const struct {
      enum pipe_format format;
      bool sampled; /**< exactly, too, where nothing is filtered */
   } formats[] = {
      {PIPE_FORMAT_R9G9B9E5_FLOAT, true},     {PIPE_FORMAT_R11G11B10_FLOAT, true},
      {PIPE_FORMAT_R16_FLOAT, true},          {PIPE_FORMAT_R16G16_FLOAT, true},
      {PIPE_FORMAT_R16G16B16_FLOAT, true},    {PIPE_FORMAT_R16G16B16A16_FLOAT, true},
      {PIPE_FORMAT_R32_FLOAT, true},          {PIPE_FORMAT_R32G32_FLOAT, true},
      {PIPE_FORMAT_R32G32B32_FLOAT, true},    {PIPE_FORMAT_R32G32B32A32_FLOAT, true},
      {PIPE_FORMAT_R16G16B16X16_FLOAT, true}, {PIPE_FORMAT_L16A16_FLOAT, true},
      {PIPE_FORMAT_R10G10B10A2_UNORM, true},  {PIPE_FORMAT_R16G16B16A16_UNORM, true},
      {PIPE_FORMAT_R8G8B8A8_UNORM, true},     {PIPE_FORMAT_B8G8R8X8_UNORM, true},
      {PIPE_FORMAT_R8G8_UNORM, true},         {PIPE_FORMAT_L8A8_UNORM, true},
      {PIPE_FORMAT_R8_UNORM, true},           {PIPE_FORMAT_A8_UNORM, true},
      {PIPE_FORMAT_B5G6R5_UNORM, false},      {PIPE_FORMAT_R8G8B8A8_SRGB, false},
      {PIPE_FORMAT_Z16_UNORM, true},          {PIPE_FORMAT_Z24X8_UNORM, false},
      {PIPE_FORMAT_X8Z24_UNORM, false},       {PIPE_FORMAT_Z24_UNORM_S8_UINT, false},
      {PIPE_FORMAT_Z32_FLOAT, true},
   };
   texture_check_begin();
   for (unsigned i = 0; i < 4000; i++) {
      struct texture_test_image image;
      const unsigned f = i % ARRAY_SIZE(formats);
      texture_random_image(&image, texture_test_below(2) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_2D_ARRAY,
                           formats[f].format, 64);
      image.binding.sampler.wrap_s = image.binding.sampler.wrap_t = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
      image.binding.sampler.min_mip_filter = PIPE_TEX_MIPFILTER_NEAREST;
      check_exact(&image.binding, !formats[f].sampled || texture_test_below(2));
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

/** Several probes a fragment, of every format and target that has them. */
TEST(anisotropic)
{
   static const enum pipe_texture_target targets[] = {
      PIPE_TEXTURE_2D, PIPE_TEXTURE_2D, PIPE_TEXTURE_2D_ARRAY, PIPE_TEXTURE_CUBE, PIPE_TEXTURE_RECT,
   };
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_R8G8B8A8_UNORM,
      PIPE_FORMAT_R32G32B32A32_FLOAT,
      PIPE_FORMAT_Z16_UNORM,
   };
   unsigned several = 0;
   texture_check_begin();
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_texture_target target = targets[texture_test_below(ARRAY_SIZE(targets))];
      const enum pipe_format format = formats[texture_test_below(ARRAY_SIZE(formats))];
      const bool rect = target == PIPE_TEXTURE_RECT;
      texture_random_image(&image, target, format, 64);
      texture_random_sampler(&image.binding, rect ? rect_wraps : edge_wraps,
                             rect ? ARRAY_SIZE(rect_wraps) : ARRAY_SIZE(edge_wraps));
      image.binding.sampler.max_anisotropy = 1u << texture_test_below(5);
      texture_random_arguments(&image.binding, &arguments);
      arguments.shadow = format == PIPE_FORMAT_Z16_UNORM && texture_test_below(2);
      if (texture_test_below(8) == 0)
         arguments.operation = TBR_TEXTURE_LODQ;
      texture_check_call(&image.binding, &arguments, arguments.shadow ? 2e-3 : 1e-3);
      several += image.binding.private_state.max_anisotropy > 1;
      texture_test_image_free(&image);
   }
   printf("%u of 4000 textures took several probes\n", several);
   assert_true(several > 1500);
   texture_check_finish();
}

/** Integer textures: bits, never filtered. */
TEST(integers)
{
   texture_check_begin();
   for (unsigned i = 0; i < 1500; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      texture_random_image(&image, texture_test_below(2) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_2D_ARRAY,
                           texture_test_below(2) ? PIPE_FORMAT_R32_UINT : PIPE_FORMAT_R8G8B8A8_UINT, 40);
      texture_random_sampler(&image.binding, edge_wraps, ARRAY_SIZE(edge_wraps));
      image.binding.sampler.min_img_filter = image.binding.sampler.mag_img_filter = PIPE_TEX_FILTER_NEAREST;
      texture_random_arguments(&image.binding, &arguments);
      texture_check_call(&image.binding, &arguments, 0);
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

TEST(query_lod)
{
   texture_check_begin();
   for (unsigned i = 0; i < 1500; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      texture_random_image(&image, texture_test_below(2) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_CUBE,
                           PIPE_FORMAT_R8G8B8A8_UNORM, 64);
      texture_random_sampler(&image.binding, edge_wraps, ARRAY_SIZE(edge_wraps));
      for (unsigned c = 0; c < 4; c++)
         image.binding.swizzle[c] = (uint8_t)c;
      texture_random_arguments(&image.binding, &arguments);
      arguments.operation = TBR_TEXTURE_LODQ;
      texture_check_call(&image.binding, &arguments, 1e-4);
      texture_test_image_free(&image);
   }
   texture_check_finish();
}

/** What no shader should pass must not read outside the texture: infinities, no
 * numbers, huge values. (The memory ends with the texels.) */
TEST(wild_coordinates)
{
   static const float wild[] = {INFINITY, -INFINITY, NAN,   1e30f, -1e30f,      3e9f,   -3e9f,
                                1e-40f,   -1e-40f,   -0.0f, 1.0f,  0.99999994f, -1e-9f, 16777216.0f};
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments, first;
      struct texture_test_image image;
      const enum pipe_texture_target targets[] = {PIPE_TEXTURE_2D, PIPE_TEXTURE_CUBE, PIPE_TEXTURE_3D};
      texture_random_image(&image, targets[texture_test_below(3)], PIPE_FORMAT_R8G8B8A8_UNORM, 40);
      texture_random_sampler(&image.binding, all_wraps, ARRAY_SIZE(all_wraps));
      texture_random_arguments(&image.binding, &arguments);
      for (unsigned lane = 0; lane < TBR_LANES; lane++) {
         for (unsigned axis = 0; axis < 3; axis++) {
            arguments.coords[axis][lane] = wild[texture_test_below(ARRAY_SIZE(wild))];
            arguments.ddx[axis][lane] = wild[texture_test_below(ARRAY_SIZE(wild))];
         }
         arguments.lod[lane] = wild[texture_test_below(ARRAY_SIZE(wild))];
      }
      for (unsigned isa = 0; isa < texture_test_num_levels(); isa++) {
         struct cm_tile_events events = {0};
         struct tbr_texture_thread thread = {.events = &events, .live = 0xffff};
         struct texture_recorded recorded[TBR_LANES];
         texture_test_use_level(isa);
         tbr_texture_binding_prepare(&image.binding);
         struct tbr_sample_arguments result = arguments;
         image.binding.sample(&thread, &image.binding, &result);
         texture_decode_events(&image.binding, &events, recorded);
         if (isa == 0)
            first = result;
         for (unsigned lane = 0; lane < TBR_LANES; lane++)
            for (unsigned c = 0; c < 4; c++) {
               if (!(arguments.active >> lane & 1))
                  continue;
               assert_true(result.texel[c][lane] >= -0.5f && result.texel[c][lane] <= 1.5f);
               if (memcmp(&result.texel[c][lane], &first.texel[c][lane], 4)) {
                  for (unsigned pixel = 0; pixel < 4; pixel++)
                     texture_print_case(&image.binding, &arguments, (lane & ~3u) + pixel);
                  fail_msg("%s differs in lane %u", texture_test_level_name(isa), lane);
               }
            }
         free(events.words);
      }
      texture_test_image_free(&image);
   }
}

/** Equal texels filter to exactly that texel, and full scale is exactly one. */
TEST(flat_color)
{
   for (unsigned i = 0; i < 300; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const uint8_t value = i & 1 ? (uint8_t)texture_test_random() : 255;
      texture_random_image(&image, i & 2 ? PIPE_TEXTURE_2D : PIPE_TEXTURE_CUBE, PIPE_FORMAT_R8G8B8A8_UNORM,
                           40);
      texture_random_sampler(&image.binding, edge_wraps, ARRAY_SIZE(edge_wraps));
      for (unsigned c = 0; c < 4; c++)
         image.binding.swizzle[c] = (uint8_t)c;
      for (unsigned l = 0; l < image.binding.num_levels; l++)
         memset((uint8_t *)(uintptr_t)image.binding.levels[l].texels, value,
                (size_t)image.binding.levels[l].layer_stride * image.binding.num_layers);
      texture_random_arguments(&image.binding, &arguments);
      arguments.active = 0xffff;
      texture_test_use_level(texture_test_num_levels() - 1);
      tbr_texture_binding_prepare(&image.binding);
      struct tbr_texture_thread thread = {0};
      image.binding.sample(&thread, &image.binding, &arguments);
      const float exact = (float)value * (1.0f / 255.0f);
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         for (unsigned c = 0; c < 4; c++)
            assert_true(fabsf(arguments.texel[c][lane] - exact) <= (value == 255 ? 0.0f : 1e-7f));
      texture_test_image_free(&image);
   }
}

TEST(empty)
{
   _Alignas(64) struct tbr_sample_arguments arguments = {.active = 0xffff};
   struct cm_tile_events events = {0};
   struct tbr_texture_thread thread = {.events = &events, .live = 0xffff};
   struct tbr_texture_binding binding;
   tbr_texture_binding_init_empty(&binding);
   binding.sample(&thread, &binding, &arguments);
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      for (unsigned c = 0; c < 4; c++)
         assert_true(arguments.texel[c][lane] == (c == 3 ? 1.0f : 0.0f));
   assert_int_equal(events.num_words, 0);
}

/** Random blocks of S3TC, many with equal ends of their colours or alphas: the bytes of Mesa's functions. */
TEST(s3tc)
{
   static const enum pipe_format formats[] = {PIPE_FORMAT_DXT1_RGB, PIPE_FORMAT_DXT1_RGBA,
                                              PIPE_FORMAT_DXT3_RGBA, PIPE_FORMAT_DXT5_RGBA};
   for (unsigned i = 0; i < 100000; i++) {
      const enum pipe_format format = formats[i % ARRAY_SIZE(formats)];
      const unsigned bytes = util_format_get_blocksize(format);
      uint8_t block[16], *colors = block + bytes - 8;
      for (unsigned b = 0; b < sizeof(block); b++)
         block[b] = (uint8_t)texture_test_below(256);
      if (!texture_test_below(4))
         memcpy(colors + 2, colors, 2);
      if (bytes == 16 && !texture_test_below(4))
         block[1] = block[0];
      uint32_t texels[16], expected[16];
      tbr_s3tc_choose_decoder(format)(block, texels);
      util_format_unpack_description(format)->unpack_rgba_8unorm_rect((uint8_t *)expected, 16, block, bytes,
                                                                      4, 4);
      assert_memory_equal(texels, expected, sizeof(expected));
   }
}
