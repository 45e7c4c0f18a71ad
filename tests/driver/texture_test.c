/* SPDX-License-Identifier: MIT */
/**
 * The texture unit against a reference in double, on random textures, samplers
 * and coordinates: colours within a tolerance, footprints exactly; and all
 * vector feature levels, and all groupings of quads, to the bit.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "texture_test.h"
#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/u_math.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** Counts of a test's lanes, to show that it compared what it claims to. */
static unsigned compared, skipped;

/* ---- footprints --------------------------------------------------------- */

/** Distinct texels that the recorded footprints name for a lane. */
struct recorded {
   unsigned count;
   struct texture_reference_read reads[2 * TEXTURE_REFERENCE_MAX_READS];
};

static int
resolve(int index, int size, bool repeat)
{
   if (index < -1 || index > size)
      fail_msg("texel %d of %d", index, size);
   if (index < 0)
      return repeat ? size - 1 : 0;
   if (index >= size)
      return repeat ? 0 : size - 1;
   return index;
}

static void
add_read(struct recorded *recorded, struct texture_reference_read read)
{
   for (unsigned i = 0; i < recorded->count; i++)
      if (!memcmp(&recorded->reads[i], &read, sizeof(read)))
         return;
   assert_true(recorded->count < COUNT(recorded->reads));
   recorded->reads[recorded->count++] = read;
}

/** Reads back the events of one call, as the consumer does. */
static void
decode_events(const struct tbr_texture_binding *binding, const struct cm_tile_events *events,
              struct recorded recorded[TBR_LANES])
{
   const bool repeat_s = tbr_texture_repeats(binding->sampler.wrap_s);
   const bool repeat_t = tbr_texture_repeats(binding->sampler.wrap_t);
   const bool buffer = binding->target == PIPE_BUFFER;

   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      recorded[lane].count = 0;
   for (size_t at = 0; at < events->num_words;) {
      const uint32_t word = events->words[at++];
      assert_int_equal(word & 0xff, CM_EVENT_FOOTPRINTS);
      assert_int_equal(word >> 16, binding->unit);
      const unsigned count = word >> 8 & 0xff;
      assert_int_not_equal(count, 0);
      assert_true(at + count * CM_FOOTPRINT_WORDS <= events->num_words);
      for (unsigned i = 0; i < count; i++, at += CM_FOOTPRINT_WORDS) {
         struct cm_footprint footprint;
         memcpy(&footprint, events->words + at, sizeof(footprint));
         assert_in_range(footprint.quad, 0, TBR_QUADS - 1);
         assert_in_range(footprint.live, 1, 15);
         assert_in_range(footprint.linear, 0, 1);
         assert_in_range(footprint.level, 0, binding->num_levels - 1);
         const struct tbr_texture_level *level = &binding->levels[footprint.level];
         for (unsigned pixel = 0; pixel < 4; pixel++) {
            if (!(footprint.live >> pixel & 1))
               continue;
            const unsigned lane = footprint.quad * 4u + pixel;
            for (int tap = 0; tap < (footprint.linear ? 4 : 1); tap++) {
               int x = footprint.texel[pixel].x + (tap & 1), y = footprint.texel[pixel].y + (tap >> 1);
               if (!buffer) {
                  x = resolve(x, (int)level->width, repeat_s);
                  y = resolve(y, (int)level->height, repeat_t);
               }
               add_read(&recorded[lane],
                        (struct texture_reference_read){footprint.level, footprint.layer, x, y});
            }
         }
      }
   }
}

static void
print_case(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
           unsigned lane)
{
   const struct pipe_sampler_state *s = &binding->sampler;
   printf(
      "%s target %u %ux%ux%u layers %u levels %u wrap %u %u %u min %u mag %u mip %u seamless %u lod %g..%g "
      "bias %g unnormalized %u | operation %u lod_control %u shadow %u offset %u "
      "lane %u coords %.9g %.9g %.9g lod %g\n",
      util_format_name(binding->format), binding->target, binding->levels[0].width, binding->levels[0].height,
      binding->levels[0].depth, binding->num_layers, binding->num_levels, s->wrap_s, s->wrap_t, s->wrap_r,
      s->min_img_filter, s->mag_img_filter, s->min_mip_filter, s->seamless_cube_map, s->min_lod, s->max_lod,
      s->lod_bias, s->unnormalized_coords, arguments->operation, arguments->lod_control, arguments->shadow,
      arguments->has_offset, lane, arguments->coords[0][lane], arguments->coords[1][lane],
      arguments->coords[2][lane], arguments->lod[lane]);
}

/* ---- one call ------------------------------------------------------------ */

static void
compare_reads(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
              unsigned lane, const struct texture_reference *reference, const struct recorded *recorded)
{
   bool equal = recorded->count == reference->num_reads;
   for (unsigned i = 0; equal && i < reference->num_reads; i++) {
      bool found = false;
      for (unsigned j = 0; j < recorded->count; j++)
         found |= !memcmp(&reference->reads[i], &recorded->reads[j], sizeof(recorded->reads[j]));
      equal = found;
   }
   if (equal)
      return;
   print_case(binding, arguments, lane);
   for (unsigned i = 0; i < reference->num_reads; i++)
      printf("  reads    level %u layer %u (%d, %d)\n", reference->reads[i].level, reference->reads[i].layer,
             reference->reads[i].x, reference->reads[i].y);
   for (unsigned i = 0; i < recorded->count; i++)
      printf("  recorded level %u layer %u (%d, %d)\n", recorded->reads[i].level, recorded->reads[i].layer,
             recorded->reads[i].x, recorded->reads[i].y);
   fail_msg("footprints differ");
}

static void
compare_lane(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
             unsigned lane, const struct texture_reference *reference, double tolerance)
{
   for (unsigned i = 0; i < 4; i++) {
      if (reference->integer) {
         uint32_t bits;
         memcpy(&bits, &arguments->texel[i][lane], sizeof(bits));
         if (bits == (uint32_t)reference->texel[i])
            continue;
      } else if (fabs(arguments->texel[i][lane] - reference->texel[i]) <= tolerance) {
         continue;
      }
      print_case(binding, arguments, lane);
      fail_msg("component %u is %.9g, not %.9g", i, arguments->texel[i][lane], reference->texel[i]);
   }
}

/** The arguments with the quads in another order, or one quad four times. */
static void
permute_quads(const struct tbr_sample_arguments *from, struct tbr_sample_arguments *to,
              const unsigned order[4])
{
   *to = *from;
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      const unsigned source = order[lane / 4] * 4 + lane % 4;
      for (unsigned i = 0; i < 3; i++) {
         to->coords[i][lane] = from->coords[i][source];
         to->ddx[i][lane] = from->ddx[i][source];
         to->ddy[i][lane] = from->ddy[i][source];
         to->offset[i][lane] = from->offset[i][source];
      }
      to->cube_layer[lane] = from->cube_layer[source];
      to->compare[lane] = from->compare[source];
      to->lod[lane] = from->lod[source];
   }
   to->active = 0xffff;
}

static void
check_grouping(const struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments)
{
   _Alignas(64) struct tbr_sample_arguments all, permuted;
   const unsigned orders[2][4] = {{3, 1, 0, 2}, {texture_test_below(4)}};
   struct tbr_texture_thread thread = {0};
   permute_quads(arguments, &all, (const unsigned[4]){0, 1, 2, 3});
   binding->sample(&thread, binding, &all);
   for (unsigned o = 0; o < 2; o++) {
      unsigned order[4];
      for (unsigned i = 0; i < 4; i++)
         order[i] = o == 0 ? orders[0][i] : orders[1][0];
      permute_quads(arguments, &permuted, order);
      binding->sample(&thread, binding, &permuted);
      for (unsigned lane = 0; lane < TBR_LANES; lane++)
         for (unsigned i = 0; i < 4; i++)
            if (memcmp(&permuted.texel[i][lane], &all.texel[i][order[lane / 4] * 4 + lane % 4], 4)) {
               print_case(binding, arguments, lane);
               fail_msg("depends on the other quads");
            }
   }
}

/** Samples on every feature level, with and without events, and compares. */
static void
check_call(struct tbr_texture_binding *binding, const struct tbr_sample_arguments *arguments,
           double tolerance)
{
   _Alignas(64) struct tbr_sample_arguments results[TEXTURE_TEST_MAX_LEVELS];
   struct cm_tile_events events[TEXTURE_TEST_MAX_LEVELS] = {{0}};
   const uint32_t live = texture_test_below(4) ? (uint32_t)texture_test_random() & 0xffff : 0xffff;

   for (unsigned isa = 0; isa < texture_test_num_levels(); isa++) {
      struct tbr_texture_thread thread = {.events = &events[isa], .live = live};
      texture_test_use_level(isa);
      tbr_texture_binding_prepare(binding);
      results[isa] = *arguments;
      binding->sample(&thread, binding, &results[isa]);
      for (unsigned lane = 0; isa && lane < TBR_LANES; lane++)
         for (unsigned i = 0; i < 4; i++)
            if (arguments->active >> lane & 1 &&
                memcmp(&results[isa].texel[i][lane], &results[0].texel[i][lane], 4)) {
               print_case(binding, arguments, lane);
               fail_msg("%s and %s differ: component %u %.9g %.9g", texture_test_level_name(isa),
                        texture_test_level_name(0), i, results[isa].texel[i][lane],
                        results[0].texel[i][lane]);
            }
      assert_int_equal(events[isa].num_words, events[0].num_words);
      struct recorded of_level[TBR_LANES], of_first[TBR_LANES];
      decode_events(binding, &events[isa], of_level);
      decode_events(binding, &events[0], of_first);
      assert_memory_equal(of_level[0].reads, of_first[0].reads,
                          of_first[0].count * sizeof(of_first[0].reads[0]));
      check_grouping(binding, arguments);
      thread.events = NULL;
      struct tbr_sample_arguments *silent = &results[TEXTURE_TEST_MAX_LEVELS - 1];
      if (isa == 0) {
         *silent = *arguments;
         binding->sample(&thread, binding, silent);
         assert_memory_equal(silent->texel, results[0].texel, sizeof(silent->texel));
      }
   }

   struct recorded recorded[TBR_LANES];
   decode_events(binding, &events[0], recorded);
   for (unsigned lane = 0; lane < TBR_LANES; lane++) {
      if (!(arguments->active >> lane & 1)) {
         assert_int_equal(recorded[lane].count, 0);
         continue;
      }
      struct texture_reference reference;
      texture_reference_sample(binding, arguments, lane, &reference);
      if (reference.ambiguous) {
         skipped++;
         continue;
      }
      compared++;
      compare_lane(binding, &results[0], lane, &reference, tolerance);
      if (live >> lane & 1)
         compare_reads(binding, arguments, lane, &reference, &recorded[lane]);
      else
         assert_int_equal(recorded[lane].count, 0);
   }
   for (unsigned isa = 0; isa < TEXTURE_TEST_MAX_LEVELS; isa++)
      free(events[isa].words);
}

/* ---- random cases --------------------------------------------------------- */

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

static void
random_sampler(struct tbr_texture_binding *binding, const uint8_t *wraps, unsigned num_wraps)
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

/** A random texture of the target and format, with a full or shorter chain. */
static void
random_image(struct texture_test_image *image, enum pipe_texture_target target, enum pipe_format format,
             unsigned most)
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

static void
random_arguments(const struct tbr_texture_binding *binding, struct tbr_sample_arguments *arguments)
{
   memset(arguments, 0, sizeof(*arguments));
   random_coordinates(binding, arguments);
   arguments->active = texture_test_below(4) ? 0xffff : (uint32_t)texture_test_random() & 0xffff;
   arguments->lod_control = (uint8_t)texture_test_below(4);
}

/** The tolerance of filtered 8-bit channels: a tenth of a step. */
static const double byte_tolerance = 0.1 / 255;

static void
begin(void)
{
   compared = skipped = 0;
}

static void
finish(void)
{
   printf("%u fragments compared, %u skipped\n", compared, skipped);
   assert_true(compared > 10000);
   assert_true(skipped < compared / 3);
}

/** Two-dimensional textures of 8-bit formats: what the fast functions serve. */
static void
test_bytes(void **state)
{
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_B8G8R8A8_UNORM, PIPE_FORMAT_R8G8B8X8_UNORM,
      PIPE_FORMAT_B8G8R8X8_UNORM, PIPE_FORMAT_R8_UNORM,       PIPE_FORMAT_L8_UNORM,
      PIPE_FORMAT_A8_UNORM,       PIPE_FORMAT_R8G8_UNORM,     PIPE_FORMAT_L8A8_UNORM,
      PIPE_FORMAT_R8G8B8_UNORM,
   };
   (void)state;
   begin();
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      random_image(&image, PIPE_TEXTURE_2D, formats[texture_test_below(COUNT(formats))], 300);
      if (texture_test_below(3))
         random_sampler(&image.binding, edge_wraps, COUNT(edge_wraps));
      else
         random_sampler(&image.binding, all_wraps, COUNT(all_wraps));
      random_arguments(&image.binding, &arguments);
      check_call(&image.binding, &arguments, byte_tolerance);
      texture_test_image_free(&image);
   }
   finish();
}

/** The packed, depth, float, compressed and other formats. */
static void
test_formats(void **state)
{
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_B5G6R5_UNORM,       PIPE_FORMAT_B5G5R5A1_UNORM, PIPE_FORMAT_B4G4R4A4_UNORM,
      PIPE_FORMAT_Z16_UNORM,          PIPE_FORMAT_Z24X8_UNORM,    PIPE_FORMAT_Z24_UNORM_S8_UINT,
      PIPE_FORMAT_Z32_FLOAT,          PIPE_FORMAT_R32_FLOAT,      PIPE_FORMAT_R32G32B32A32_FLOAT,
      PIPE_FORMAT_R16G16B16A16_UNORM, PIPE_FORMAT_R8G8B8A8_SNORM, PIPE_FORMAT_R8G8B8A8_SRGB,
      PIPE_FORMAT_DXT1_RGB,
   };
   (void)state;
   begin();
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_format format = formats[texture_test_below(COUNT(formats))];
      random_image(&image, texture_test_below(3) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_CUBE, format, 64);
      random_sampler(&image.binding, all_wraps, COUNT(all_wraps));
      if (texture_test_below(4) == 0) {
         image.binding.sampler.min_img_filter = image.binding.sampler.mag_img_filter =
            PIPE_TEX_FILTER_NEAREST;
         image.binding.sampler.min_mip_filter = PIPE_TEX_MIPFILTER_NONE;
      }
      random_arguments(&image.binding, &arguments);
      check_call(&image.binding, &arguments,
                 format == PIPE_FORMAT_DXT1_RGB             ? 1.5 / 255
                 : format == PIPE_FORMAT_R32G32B32A32_FLOAT ? 1e-3
                                                            : 5e-4);
      texture_test_image_free(&image);
   }
   finish();
}

static void
test_cubes(void **state)
{
   (void)state;
   begin();
   for (unsigned i = 0; i < 3000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      random_image(&image, texture_test_below(4) ? PIPE_TEXTURE_CUBE : PIPE_TEXTURE_CUBE_ARRAY,
                   texture_test_below(2) ? PIPE_FORMAT_R8G8B8A8_UNORM : PIPE_FORMAT_B8G8R8X8_UNORM, 32);
      random_sampler(&image.binding, edge_wraps, COUNT(edge_wraps));
      random_arguments(&image.binding, &arguments);
      check_call(&image.binding, &arguments, 3 * byte_tolerance);
      texture_test_image_free(&image);
   }
   finish();
}

/** Every other target; comparisons, offsets, gathers. */
static void
test_targets(void **state)
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
   (void)state;
   begin();
   for (unsigned i = 0; i < 6000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_texture_target target = targets[texture_test_below(COUNT(targets))];
      const enum pipe_format format = formats[texture_test_below(COUNT(formats))];
      const bool cube = target == PIPE_TEXTURE_CUBE || target == PIPE_TEXTURE_CUBE_ARRAY;
      const bool rect = target == PIPE_TEXTURE_RECT;
      random_image(&image, target, format, 40);
      random_sampler(&image.binding, rect ? rect_wraps : all_wraps,
                     rect ? COUNT(rect_wraps) : COUNT(all_wraps));
      random_arguments(&image.binding, &arguments);
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
      check_call(&image.binding, &arguments, 1e-3);
      texture_test_image_free(&image);
   }
   finish();
}

static void
test_fetch(void **state)
{
   static const enum pipe_texture_target targets[] = {
      PIPE_TEXTURE_1D,       PIPE_TEXTURE_2D,       PIPE_TEXTURE_3D,
      PIPE_TEXTURE_1D_ARRAY, PIPE_TEXTURE_2D_ARRAY, PIPE_BUFFER,
   };
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_R8G8B8A8_UNORM,     PIPE_FORMAT_R32_UINT,   PIPE_FORMAT_R8G8B8A8_UINT,
      PIPE_FORMAT_R32G32B32A32_FLOAT, PIPE_FORMAT_R8G8_UNORM, PIPE_FORMAT_Z24X8_UNORM,
   };
   (void)state;
   begin();
   for (unsigned i = 0; i < 2000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_texture_target target = targets[texture_test_below(COUNT(targets))];
      const enum pipe_format format = formats[texture_test_below(COUNT(formats))];
      if (target == PIPE_BUFFER) {
         const struct texture_test_description d = {.target = target,
                                                    .format = format,
                                                    .width = 1 + texture_test_below(100000)};
         texture_test_image_init(&image, &d);
      } else {
         random_image(&image, target, format, 40);
      }
      random_arguments(&image.binding, &arguments);
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
      check_call(&image.binding, &arguments, 1e-6);
      texture_test_image_free(&image);
   }
   finish();
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
      for (unsigned lane = 0; lane < TBR_LANES; lane++, compared++)
         for (unsigned i = 0; i < 4; i++)
            if (memcmp(&arguments.texel[i][lane], &expected[lane][i], 4)) {
               print_case(binding, &arguments, lane);
               fail_msg("component %u is %.9g, Mesa has %08x", i, arguments.texel[i][lane],
                        expected[lane][i]);
            }
   }
}

/** Formats that are decoded a vector at a time, to the bit: not a number and infinity, too. */
static void
test_exact(void **state)
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
   (void)state;
   begin();
   for (unsigned i = 0; i < 4000; i++) {
      struct texture_test_image image;
      const unsigned f = i % COUNT(formats);
      random_image(&image, texture_test_below(2) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_2D_ARRAY, formats[f].format,
                   64);
      image.binding.sampler.wrap_s = image.binding.sampler.wrap_t = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
      image.binding.sampler.min_mip_filter = PIPE_TEX_MIPFILTER_NEAREST;
      check_exact(&image.binding, !formats[f].sampled || texture_test_below(2));
      texture_test_image_free(&image);
   }
   finish();
}

/** Several probes a fragment, of every format and target that has them. */
static void
test_anisotropic(void **state)
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
   (void)state;
   begin();
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const enum pipe_texture_target target = targets[texture_test_below(COUNT(targets))];
      const enum pipe_format format = formats[texture_test_below(COUNT(formats))];
      const bool rect = target == PIPE_TEXTURE_RECT;
      random_image(&image, target, format, 64);
      random_sampler(&image.binding, rect ? rect_wraps : edge_wraps,
                     rect ? COUNT(rect_wraps) : COUNT(edge_wraps));
      image.binding.sampler.max_anisotropy = 1u << texture_test_below(5);
      random_arguments(&image.binding, &arguments);
      arguments.shadow = format == PIPE_FORMAT_Z16_UNORM && texture_test_below(2);
      if (texture_test_below(8) == 0)
         arguments.operation = TBR_TEXTURE_LODQ;
      check_call(&image.binding, &arguments, arguments.shadow ? 2e-3 : 1e-3);
      several += image.binding.private_state.max_anisotropy > 1;
      texture_test_image_free(&image);
   }
   printf("%u of 4000 textures took several probes\n", several);
   assert_true(several > 1500);
   finish();
}

/** Integer textures: bits, never filtered. */
static void
test_integers(void **state)
{
   (void)state;
   begin();
   for (unsigned i = 0; i < 1500; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      random_image(&image, texture_test_below(2) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_2D_ARRAY,
                   texture_test_below(2) ? PIPE_FORMAT_R32_UINT : PIPE_FORMAT_R8G8B8A8_UINT, 40);
      random_sampler(&image.binding, edge_wraps, COUNT(edge_wraps));
      image.binding.sampler.min_img_filter = image.binding.sampler.mag_img_filter = PIPE_TEX_FILTER_NEAREST;
      random_arguments(&image.binding, &arguments);
      check_call(&image.binding, &arguments, 0);
      texture_test_image_free(&image);
   }
   finish();
}

static void
test_query_lod(void **state)
{
   (void)state;
   begin();
   for (unsigned i = 0; i < 1500; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      random_image(&image, texture_test_below(2) ? PIPE_TEXTURE_2D : PIPE_TEXTURE_CUBE,
                   PIPE_FORMAT_R8G8B8A8_UNORM, 64);
      random_sampler(&image.binding, edge_wraps, COUNT(edge_wraps));
      for (unsigned c = 0; c < 4; c++)
         image.binding.swizzle[c] = (uint8_t)c;
      random_arguments(&image.binding, &arguments);
      arguments.operation = TBR_TEXTURE_LODQ;
      check_call(&image.binding, &arguments, 1e-4);
      texture_test_image_free(&image);
   }
   finish();
}

/** What no shader should pass must not read outside the texture: infinities, no
 * numbers, huge values. (The memory ends with the texels.) */
static void
test_wild_coordinates(void **state)
{
   static const float wild[] = {INFINITY, -INFINITY, NAN,   1e30f, -1e30f,      3e9f,   -3e9f,
                                1e-40f,   -1e-40f,   -0.0f, 1.0f,  0.99999994f, -1e-9f, 16777216.0f};
   (void)state;
   for (unsigned i = 0; i < 4000; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments, first;
      struct texture_test_image image;
      const enum pipe_texture_target targets[] = {PIPE_TEXTURE_2D, PIPE_TEXTURE_CUBE, PIPE_TEXTURE_3D};
      random_image(&image, targets[texture_test_below(3)], PIPE_FORMAT_R8G8B8A8_UNORM, 40);
      random_sampler(&image.binding, all_wraps, COUNT(all_wraps));
      random_arguments(&image.binding, &arguments);
      for (unsigned lane = 0; lane < TBR_LANES; lane++) {
         for (unsigned axis = 0; axis < 3; axis++) {
            arguments.coords[axis][lane] = wild[texture_test_below(COUNT(wild))];
            arguments.ddx[axis][lane] = wild[texture_test_below(COUNT(wild))];
         }
         arguments.lod[lane] = wild[texture_test_below(COUNT(wild))];
      }
      for (unsigned isa = 0; isa < texture_test_num_levels(); isa++) {
         struct cm_tile_events events = {0};
         struct tbr_texture_thread thread = {.events = &events, .live = 0xffff};
         struct recorded recorded[TBR_LANES];
         texture_test_use_level(isa);
         tbr_texture_binding_prepare(&image.binding);
         struct tbr_sample_arguments result = arguments;
         image.binding.sample(&thread, &image.binding, &result);
         decode_events(&image.binding, &events, recorded);
         if (isa == 0)
            first = result;
         for (unsigned lane = 0; lane < TBR_LANES; lane++)
            for (unsigned c = 0; c < 4; c++) {
               if (!(arguments.active >> lane & 1))
                  continue;
               assert_true(result.texel[c][lane] >= -0.5f && result.texel[c][lane] <= 1.5f);
               if (memcmp(&result.texel[c][lane], &first.texel[c][lane], 4)) {
                  for (unsigned pixel = 0; pixel < 4; pixel++)
                     print_case(&image.binding, &arguments, (lane & ~3u) + pixel);
                  fail_msg("%s differs in lane %u", texture_test_level_name(isa), lane);
               }
            }
         free(events.words);
      }
      texture_test_image_free(&image);
   }
}

/** Equal texels filter to exactly that texel, and full scale is exactly one. */
static void
test_flat_color(void **state)
{
   (void)state;
   for (unsigned i = 0; i < 300; i++) {
      _Alignas(64) struct tbr_sample_arguments arguments;
      struct texture_test_image image;
      const uint8_t value = i & 1 ? (uint8_t)texture_test_random() : 255;
      random_image(&image, i & 2 ? PIPE_TEXTURE_2D : PIPE_TEXTURE_CUBE, PIPE_FORMAT_R8G8B8A8_UNORM, 40);
      random_sampler(&image.binding, edge_wraps, COUNT(edge_wraps));
      for (unsigned c = 0; c < 4; c++)
         image.binding.swizzle[c] = (uint8_t)c;
      for (unsigned l = 0; l < image.binding.num_levels; l++)
         memset((uint8_t *)(uintptr_t)image.binding.levels[l].texels, value,
                (size_t)image.binding.levels[l].layer_stride * image.binding.num_layers);
      random_arguments(&image.binding, &arguments);
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

static void
test_empty(void **state)
{
   _Alignas(64) struct tbr_sample_arguments arguments = {.active = 0xffff};
   struct cm_tile_events events = {0};
   struct tbr_texture_thread thread = {.events = &events, .live = 0xffff};
   struct tbr_texture_binding binding;
   (void)state;
   tbr_texture_binding_init_empty(&binding);
   binding.sample(&thread, &binding, &arguments);
   for (unsigned lane = 0; lane < TBR_LANES; lane++)
      for (unsigned c = 0; c < 4; c++)
         assert_true(arguments.texel[c][lane] == (c == 3 ? 1.0f : 0.0f));
   assert_int_equal(events.num_words, 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes),       cmocka_unit_test(test_formats),
      cmocka_unit_test(test_cubes),       cmocka_unit_test(test_targets),
      cmocka_unit_test(test_fetch),       cmocka_unit_test(test_exact),
      cmocka_unit_test(test_anisotropic), cmocka_unit_test(test_integers),
      cmocka_unit_test(test_query_lod),   cmocka_unit_test(test_wild_coordinates),
      cmocka_unit_test(test_flat_color),  cmocka_unit_test(test_empty),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
