/* SPDX-License-Identifier: MIT */
/* The raster pipeline against a scalar reference, and against itself: coverage,
 * tests, blending, and images that do not depend on tile size, mode or level. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "raster_harness.h"
#include "support/run_tests.h"
#include "util/blend.h"
#include "util/format/u_format.h"

static const uint32_t tile_sizes[] = {8, 16, 32, 64};

#define FOR_EACH_RUN(run) FOR_EACH_RUN_OF(run, tile_sizes, true)

static void
describe(char text[100], const struct run *run)
{
   snprintf(text, 100, "%s, tiles of %u, %s, split at %u", run->isa->name, run->tile_size,
            run->deferred ? "deferred" : "immediate", run->split);
}

/* ---- coverage ---------------------------------------------------------- */

/* Every covering primitive adds exactly 1/255. */
static void
make_counting(struct tbr_draw_state *draw)
{
   struct pipe_rt_blend_state *rt = &draw->blend.rt[0];
   rt->blend_enable = 1;
   rt->rgb_src_factor = rt->rgb_dst_factor = rt->alpha_src_factor = rt->alpha_dst_factor =
      PIPE_BLENDFACTOR_ONE;
   draw->interpolation[0] = TBR_INTERPOLATE_CONSTANT;
}

static void
set_count_color(struct scene_primitive *primitive)
{
   for (unsigned v = 0; v < 3; v++) {
      for (unsigned c = 0; c < 4; c++)
         primitive->color[v][c] = c == 0 ? 1.0f / 255.0f : 0.0f;
   }
}

TEST(coverage)
{
   uint64_t random = 1;
   for (unsigned round = 0; round < 12; round++) {
      struct scene scene;
      scene_init(&scene, 61 + round * 7, 83 - round * 5, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_NONE);
      struct tbr_draw_state *draw = scene_add_draw(&scene);
      make_counting(draw);
      draw->bottom_edge_rule = round & 1;
      draw->half_pixel_center = round % 3 != 2;
      if (round & 2) {
         draw->scissor_x0 = 5;
         draw->scissor_y0 = 11;
         draw->scissor_x1 = 55;
         draw->scissor_y1 = 26;
      }
      for (unsigned n = 0; n < 120; n++) {
         struct scene_primitive *primitive = scene_add_primitive(&scene);
         random_positions(&random, &scene, primitive);
         set_count_color(primitive);
      }
      struct reference reference;
      reference_render(&scene, &reference);
      FOR_EACH_RUN(run)
      {
         struct image image;
         scene_render(&scene, &run, &image);
         uint64_t covered = 0;
         for (uint32_t at = 0; at < scene.width * scene.height; at++) {
            if (image.color[0][at * 4] != reference.coverage[at])
               fail_msg("round %u, %s: pixel %u, %u covered by %u primitives, not %u", round, run.isa->name,
                        at % scene.width, at / scene.width, image.color[0][at * 4], reference.coverage[at]);
            covered += reference.coverage[at];
         }
         assert_int_equal(image.shaded, covered);
         assert_int_equal(image.recorded, covered);
         image_finish(&image);
      }
      reference_finish(&reference);
      scene_finish(&scene);
   }
}

/* A jittered grid of triangles covers each of its pixels once, whichever way the
 * triangles turn. */
TEST(shared_edges)
{
   enum { GRID = 17 };
   uint64_t random = 2;
   struct scene scene;
   scene_init(&scene, 96, 96, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_NONE);
   make_counting(scene_add_draw(&scene));
   float points[GRID][GRID][2];
   for (int y = 0; y < GRID; y++) {
      for (int x = 0; x < GRID; x++) {
         const bool inside_x = x > 0 && x < GRID - 1, inside_y = y > 0 && y < GRID - 1;
         points[y][x][0] = x * 6 + (inside_x ? random_float(&random, -2, 2) : 0);
         points[y][x][1] = y * 6 + (inside_y ? random_float(&random, -2, 2) : 0);
      }
   }
   for (int y = 0; y + 1 < GRID; y++) {
      for (int x = 0; x + 1 < GRID; x++) {
         const float *corner[4] = {points[y][x], points[y][x + 1], points[y + 1][x + 1], points[y + 1][x]};
         for (unsigned half = 0; half < 2; half++) {
            struct scene_primitive *primitive = scene_add_primitive(&scene);
            const unsigned turn = random_below(&random, 2);
            for (unsigned v = 0; v < 3; v++) {
               const float *p = corner[v == 0 ? 0 : (v == 1) == (turn == 0) ? 1 + half : 2 + half];
               memcpy(primitive->position[v], p, 8);
            }
            set_count_color(primitive);
         }
      }
   }
   FOR_EACH_RUN(run)
   {
      struct image image;
      scene_render(&scene, &run, &image);
      for (uint32_t at = 0; at < scene.width * scene.height; at++)
         assert_int_equal(image.color[0][at * 4], 1);
      image_finish(&image);
   }
   scene_finish(&scene);
}

/* ---- state ------------------------------------------------------------- */

static int64_t
stored_depth(const struct scene *scene, const struct image *image, size_t at)
{
   const uint8_t *bytes = image->depth + at * util_format_get_blocksize(scene->depth.format);
   uint32_t word = 0;
   float z;
   memcpy(&word, bytes, util_format_get_blocksize(scene->depth.format) == 2 ? 2 : 4);
   switch (scene->depth.format) {
   case PIPE_FORMAT_Z16_UNORM: return word;
   case PIPE_FORMAT_Z24X8_UNORM:
   case PIPE_FORMAT_Z24_UNORM_S8_UINT: return word & 0xffffff;
   case PIPE_FORMAT_X8Z24_UNORM:
   case PIPE_FORMAT_S8_UINT_Z24_UNORM: return word >> 8;
   default: memcpy(&z, &word, 4); return llrint(z * 0x1p40);
   }
}

static uint8_t
stored_stencil(const struct scene *scene, const struct image *image, size_t at)
{
   switch (scene->depth.format) {
   case PIPE_FORMAT_Z24_UNORM_S8_UINT: return image->depth[at * 4 + 3];
   case PIPE_FORMAT_S8_UINT_Z24_UNORM: return image->depth[at * 4];
   case PIPE_FORMAT_Z32_FLOAT_S8X24_UINT: return image->depth[at * 8 + 4];
   default: return image->depth[at];
   }
}

static void
check_against_reference(const struct scene *scene, const struct image *image,
                        const struct reference *reference, const char *what)
{
   const struct util_format_description *description = util_format_description(scene->depth.format);
   for (size_t at = 0; at < (size_t)scene->width * scene->height; at++) {
      for (unsigned c = 0; c < 4; c++) {
         const double expected = reference->color[at][c] * 255,
                      difference = image->color[0][at * 4 + c] - expected;
         /* Several layers of blending carry a rounding difference on. */
         if (fabs(difference) > 3)
            fail_msg("%s: pixel %zu, %zu component %u is %u, not %g", what, at % scene->width,
                     at / scene->width, c, image->color[0][at * 4 + c], expected);
      }
      if (util_format_has_depth(description)) {
         const int64_t difference = stored_depth(scene, image, at) - reference->depth[at];
         if (difference < -1 || difference > 1)
            fail_msg("%s: depth of pixel %zu off by %lld", what, at, (long long)difference);
      }
      if (util_format_has_stencil(description) && stored_stencil(scene, image, at) != reference->stencil[at])
         fail_msg("%s: stencil of pixel %zu, %zu is %u, not %u", what, at % scene->width, at / scene->width,
                  stored_stencil(scene, image, at), reference->stencil[at]);
   }
   for (unsigned n = 1; n < 4; n++)
      assert_int_equal(image->occlusion[n], reference->occlusion[n]);
}

TEST(state_against_reference)
{
   static const enum pipe_format depth_formats[] = {
      PIPE_FORMAT_Z24_UNORM_S8_UINT,    PIPE_FORMAT_Z16_UNORM,   PIPE_FORMAT_S8_UINT_Z24_UNORM,
      PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, PIPE_FORMAT_S8_UINT,     PIPE_FORMAT_Z32_FLOAT,
      PIPE_FORMAT_Z24X8_UNORM,          PIPE_FORMAT_X8Z24_UNORM, PIPE_FORMAT_NONE,
   };
   uint64_t random = 3;
   for (unsigned round = 0; round < 54; round++) {
      struct scene scene;
      scene_init(&scene, 70, 53, PIPE_FORMAT_R8G8B8A8_UNORM, depth_formats[round % 9]);
      scene.depth.clear_value.ui[1] = round;
      random_scene(&random, &scene, 6, true);
      struct reference reference;
      reference_render(&scene, &reference);
      for (unsigned deferred = 0; deferred < 2; deferred++) {
         const struct run run = {levels[round % num_levels], tile_sizes[round / 3 % 4], deferred, true, 0, 0};
         char what[100];
         describe(what, &run);
         struct image image;
         scene_render(&scene, &run, &image);
         check_against_reference(&scene, &image, &reference, what);
         assert_int_equal(image.shaded, image.recorded);
         image_finish(&image);
      }
      reference_finish(&reference);
      scene_finish(&scene);
   }
}

/* ---- invariance -------------------------------------------------------- */

static void
check_invariance(const struct scene *scene, bool split)
{
   struct image first;
   struct run base = {levels[0], 64, false, false, 0, 0};
   scene_render(scene, &base, &first);
   FOR_EACH_RUN(run)
   {
      if (split)
         run.split = scene->num_primitives / 2;
      char what[100];
      describe(what, &run);
      struct image image;
      scene_render(scene, &run, &image);
      assert_images_equal(&first, &image, what);
      image_finish(&image);
   }
   image_finish(&first);
}

TEST(invariance)
{
   uint64_t random = 4;
   for (unsigned round = 0; round < 12; round++) {
      struct scene scene;
      scene_init(&scene, 130, 75, PIPE_FORMAT_B8G8R8A8_UNORM,
                 round & 1 ? PIPE_FORMAT_Z32_FLOAT_S8X24_UINT : PIPE_FORMAT_Z24_UNORM_S8_UINT);
      random_scene(&random, &scene, 12, false);
      check_invariance(&scene, round & 2);
      scene_finish(&scene);
   }
}

/* Every format keeps its image through a partial render: pixels have the format's
 * precision on chip too. */
TEST(formats)
{
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_R8G8B8A8_UNORM,     PIPE_FORMAT_B8G8R8A8_UNORM,     PIPE_FORMAT_B8G8R8X8_UNORM,
      PIPE_FORMAT_R8G8B8X8_UNORM,     PIPE_FORMAT_A8R8G8B8_UNORM,     PIPE_FORMAT_X8R8G8B8_UNORM,
      PIPE_FORMAT_B5G6R5_UNORM,       PIPE_FORMAT_B5G5R5A1_UNORM,     PIPE_FORMAT_B4G4R4A4_UNORM,
      PIPE_FORMAT_R10G10B10A2_UNORM,  PIPE_FORMAT_R8_UNORM,           PIPE_FORMAT_R8G8_UNORM,
      PIPE_FORMAT_A8_UNORM,           PIPE_FORMAT_L8A8_UNORM,         PIPE_FORMAT_R16_UNORM,
      PIPE_FORMAT_R8G8B8A8_SRGB,      PIPE_FORMAT_B8G8R8A8_SRGB,      PIPE_FORMAT_R8G8B8A8_SNORM,
      PIPE_FORMAT_R16G16B16A16_FLOAT, PIPE_FORMAT_R32G32B32A32_FLOAT, PIPE_FORMAT_R11G11B10_FLOAT,
      PIPE_FORMAT_R32_FLOAT,          PIPE_FORMAT_R16G16B16A16_UNORM, PIPE_FORMAT_R8G8B8A8_UINT,
      PIPE_FORMAT_R32G32B32A32_SINT,  PIPE_FORMAT_R16G16_SINT,        PIPE_FORMAT_R10G10B10A2_UINT,
   };
   uint64_t random = 5;
   for (unsigned n = 0; n < sizeof(formats) / sizeof(formats[0]); n++) {
      struct scene scene;
      scene_init(&scene, 45, 70, formats[n], PIPE_FORMAT_Z16_UNORM);
      scene.color[0].clear_value.f[0] = 0.3f;
      scene.num_color = 2;
      scene.color[1].format = formats[(n * 5 + 3) % (sizeof(formats) / sizeof(formats[0]))];
      random_scene(&random, &scene, 10, false);
      check_invariance(&scene, true);
      scene_finish(&scene);
   }
}

/* ---- blending ---------------------------------------------------------- */

TEST(blend)
{
   uint64_t random = 6;
   uint64_t pixels = 0, different = 0;
   for (unsigned round = 0; round < 400; round++) {
      struct scene scene;
      scene_init(&scene, 32, 32, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_NONE);
      for (unsigned c = 0; c < 4; c++)
         scene.color[0].clear_value.f[c] = random_float(&random, 0, 1);
      struct tbr_draw_state *draw = scene_add_draw(&scene);
      draw->dual_source = round & 1;
      for (unsigned c = 0; c < 4; c++)
         draw->blend_color[c] = random_float(&random, 0, 1);
      random_blend(&random, draw, &draw->blend.rt[0]);
      draw->blend.rt[0].colormask = random_below(&random, 3) ? 15 : random_below(&random, 16);
      add_rectangle(&scene, &random);
      struct reference reference;
      reference_render(&scene, &reference);
      struct image image;
      scene_render(&scene, &(struct run){levels[round % num_levels], 32, true, false, 0, 0}, &image);
      for (size_t at = 0; at < (size_t)32 * 32 * 4; at++) {
         const double difference = image.color[0][at] - reference.color[at / 4][at % 4] * 255;
         if (fabs(difference) > 1.01)
            fail_msg("round %u: pixel %zu component %zu is %u, not %g", round, at / 4, at % 4,
                     image.color[0][at], reference.color[at / 4][at % 4] * 255);
         different += fabs(difference) > 0.5;
         pixels++;
      }
      image_finish(&image);
      reference_finish(&reference);
      scene_finish(&scene);
   }
   /* Only what lies within float precision of a tie may round the other way. */
   assert_true(different * 1000 < pixels);
}

/* The special cases give what the general case gives: made general by a second
 * equation that computes the same. */
TEST(blend_special_cases)
{
   static const uint8_t factors[][2] = {
      {PIPE_BLENDFACTOR_SRC_ALPHA, PIPE_BLENDFACTOR_INV_SRC_ALPHA},
      {PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_INV_SRC_ALPHA},
      {PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ONE},
      {PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ZERO},
   };
   for (unsigned n = 0; n < 4; n++) {
      struct image images[2];
      for (unsigned general = 0; general < 2; general++) {
         uint64_t random = 7;
         struct scene scene;
         scene_init(&scene, 40, 40, PIPE_FORMAT_B8G8R8A8_UNORM, PIPE_FORMAT_NONE);
         struct tbr_draw_state *draw = scene_add_draw(&scene);
         struct pipe_rt_blend_state *rt = &draw->blend.rt[0];
         rt->blend_enable = 1;
         rt->rgb_src_factor = factors[n][0];
         rt->alpha_src_factor = factors[n][0];
         rt->rgb_dst_factor = factors[n][1];
         rt->alpha_dst_factor = factors[n][1];
         if (general) { /* the same factors under the names they have for the alpha component */
            if (rt->alpha_src_factor == PIPE_BLENDFACTOR_ONE)
               rt->alpha_src_factor = PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE;
            else
               rt->alpha_src_factor = PIPE_BLENDFACTOR_SRC_COLOR;
         }
         for (unsigned layer = 0; layer < 12; layer++)
            add_rectangle(&scene, &random);
         scene_render(&scene, &(struct run){levels[num_levels - 1], 32, true, false, 0, 0}, &images[general]);
         scene_finish(&scene);
      }
      assert_images_equal(&images[0], &images[1], "special case of blending");
      image_finish(&images[0]);
      image_finish(&images[1]);
   }
}

static uint8_t
logic(unsigned operation, uint8_t s, uint8_t d)
{
   /* Bit s * 2 + d of the operation's number is the result: the truth table. */
   uint8_t result = 0;
   for (unsigned bit = 0; bit < 8; bit++) {
      const unsigned row = (s >> bit & 1) * 2 + (d >> bit & 1);
      result |= (operation >> row & 1) << bit;
   }
   return result;
}

TEST(logic_operations)
{
   for (unsigned operation = 0; operation < 16; operation++) {
      struct scene scene;
      uint64_t random = 8 + operation;
      scene_init(&scene, 16, 16, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_NONE);
      scene.num_color = 2;
      scene.color[1] = scene.color[0];
      scene.color[1].format = PIPE_FORMAT_R8G8B8A8_UINT;
      for (unsigned c = 0; c < 4; c++) {
         scene.color[0].clear_value.f[c] = random_float(&random, 0, 1);
         scene.color[1].clear_value.ui[c] = random_below(&random, 256);
      }
      struct tbr_draw_state *draw = scene_add_draw(&scene);
      draw->blend.logicop_enable = 1;
      draw->blend.logicop_func = operation;
      draw->blend.rt[0].colormask = draw->blend.rt[1].colormask = 7;
      draw->interpolation[0] = TBR_INTERPOLATE_CONSTANT;
      add_rectangle(&scene, &random);
      struct image image;
      scene_render(&scene, &(struct run){levels[operation % num_levels], 16, true, false, 0, 0}, &image);
      for (unsigned c = 0; c < 4; c++) {
         const uint8_t source = (uint8_t)lrintf(scene.primitives[0].color[0][c] * 255);
         const uint8_t before = (uint8_t)lrintf(scene.color[0].clear_value.f[c] * 255);
         assert_int_equal(image.color[0][c], c < 3 ? logic(operation, source, before) : before);
         /* The program's floats are the integers' bits: all saturate. */
         const uint8_t integer_before = scene.color[1].clear_value.ui[c];
         assert_int_equal(image.color[1][c], c < 3 ? logic(operation, 255, integer_before) : integer_before);
      }
      image_finish(&image);
      scene_finish(&scene);
   }
}

/* ---- hidden surface removal, depth ------------------------------------- */

TEST(deferred_shades_once)
{
   uint64_t random = 9;
   struct scene scene;
   scene_init(&scene, 100, 100, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z24X8_UNORM);
   for (unsigned d = 0; d < 5; d++) {
      struct tbr_draw_state *draw = scene_add_draw(&scene);
      draw->opaque = true;
      draw->depth_test = draw->depth_write = true;
      for (unsigned n = 0; n < 60; n++) {
         struct scene_primitive *primitive = scene_add_primitive(&scene);
         random_positions(&random, &scene, primitive);
         random_colors(&random, primitive);
         for (unsigned v = 0; v < 3; v++)
            primitive->position[v][2] = random_float(&random, 0, 0.99f);
      }
   }
   struct reference reference;
   reference_render(&scene, &reference);
   FOR_EACH_RUN(run)
   {
      struct image image;
      scene_render(&scene, &run, &image);
      if (run.deferred)
         assert_int_equal(image.shaded, reference.visible);
      else
         assert_true(image.shaded > reference.visible);
      assert_int_equal(image.shaded, image.recorded);
      image_finish(&image);
   }
   reference_finish(&reference);
   scene_finish(&scene);
}

/* A sloped plane drawn twice: an offset of n units decides the second one's test. */
TEST(polygon_offset)
{
   static const enum pipe_format formats[] = {PIPE_FORMAT_Z16_UNORM, PIPE_FORMAT_Z24X8_UNORM,
                                              PIPE_FORMAT_Z32_FLOAT};
   static const struct {
      float units, scale, clamp;
      int nearer; /* than the plane without offset: -1, 0, 1 */
   } cases[] = {{0, 0, 0, 0},  {-2, 0, 0, 1},     {2, 0, 0, -1},      {0, -1, 0, 1},
                {0, 1, 0, -1}, {2, 0, 1e-30f, 0}, {-2, 0, -1e-30f, 0}};
   for (unsigned f = 0; f < 3; f++) {
      for (unsigned n = 0; n < sizeof(cases) / sizeof(cases[0]); n++) {
         struct scene scene;
         scene_init(&scene, 32, 32, PIPE_FORMAT_R8G8B8A8_UNORM, formats[f]);
         uint64_t random = 10;
         for (unsigned layer = 0; layer < 3; layer++) {
            struct tbr_draw_state *draw = scene_add_draw(&scene);
            draw->depth_test = true;
            draw->depth_write = layer == 0;
            draw->depth_func = layer == 0 ? PIPE_FUNC_LESS : layer == 1 ? PIPE_FUNC_LESS : PIPE_FUNC_GREATER;
            draw->occlusion_counter = layer;
            draw->offset_units = cases[n].units;
            draw->offset_scale = cases[n].scale;
            draw->offset_clamp = cases[n].clamp;
            add_rectangle(&scene, &random);
            struct scene_primitive *primitive = &scene.primitives[layer];
            primitive->position[0][2] = 0.25f;
            primitive->position[1][2] = 0.5f;
            primitive->position[2][2] = 0.375f;
            if (layer)
               primitive->flags |= TBR_PRIMITIVE_OFFSET;
         }
         struct image image;
         scene_render(&scene, &(struct run){levels[n % num_levels], 16, false, false, 0, 0}, &image);
         assert_int_equal(image.occlusion[1], cases[n].nearer > 0 ? 1024 : 0);
         assert_int_equal(image.occlusion[2], cases[n].nearer < 0 ? 1024 : 0);
         image_finish(&image);
         scene_finish(&scene);
      }
   }
}

/* A triangle that goes far past the scene, of depths within 0 … 1: what is summed up on the way to a fragment's depth
 * may be much larger than that. */
static void
add_steep_triangle(struct scene *scene, uint64_t *random, float nearest, float farthest)
{
   struct scene_primitive *primitive = scene_add_primitive(scene);
   const float x = random_float(random, 0, 64), y = random_float(random, 0, 64);
   const float angle = random_float(random, 0, 6.2831853f), length = random_float(random, 8, 400);
   for (unsigned v = 0; v < 3; v++) {
      const float along = v == 0 ? -length : v == 1 ? length : random_float(random, -length, length);
      const float aside = v == 2 ? random_float(random, 4, 40) : 0;
      primitive->position[v][0] = x + along * cosf(angle) - aside * sinf(angle);
      primitive->position[v][1] = y + along * sinf(angle) + aside * cosf(angle);
      primitive->position[v][2] = random_float(random, nearest, farthest);
      primitive->position[v][3] = 1;
   }
}

/* One unit of polygon offset makes every depth of a triangle another one, and a nearer or a farther one, in all
 * formats: tests that come early, and those after a program that discards nothing here. */
TEST(polygon_offset_unit)
{
   static const enum pipe_format formats[] = {
      PIPE_FORMAT_Z16_UNORM,
      PIPE_FORMAT_Z24X8_UNORM,
      PIPE_FORMAT_X8Z24_UNORM,
      PIPE_FORMAT_Z24_UNORM_S8_UINT,
      PIPE_FORMAT_S8_UINT_Z24_UNORM,
      PIPE_FORMAT_Z32_FLOAT,
      PIPE_FORMAT_Z32_FLOAT_S8X24_UINT,
   };
   enum { ROUNDS = 60 };
   uint64_t random = 12;
   for (unsigned round = 0; round < ROUNDS * ARRAY_SIZE(formats); round++) {
      struct scene scene;
      scene_init(&scene, 64, 64, PIPE_FORMAT_R8G8B8A8_UNORM, formats[round / ROUNDS]);
      const float units = round & 1 ? 1 : -1, scale = round & 2 ? random_float(&random, 0, 0.001f) : 0;
      const float farthest = ldexpf(random_float(&random, 0.6f, 0.95f), -(int)random_below(&random, 8));
      add_steep_triangle(&scene, &random, 0.1f * farthest, farthest);
      const struct scene_primitive triangle = scene.primitives[0];
      for (unsigned layer = 0; layer < 3; layer++) {
         struct tbr_draw_state *draw = scene_add_draw(&scene);
         draw->depth_test = true;
         draw->depth_write = layer == 0;
         draw->depth_func = layer == 0   ? PIPE_FUNC_ALWAYS
                            : layer == 1 ? PIPE_FUNC_EQUAL
                            : units < 0  ? PIPE_FUNC_LESS
                                         : PIPE_FUNC_GREATER;
         draw->occlusion_counter = 1 + layer;
         draw->offset_units = layer == 0 ? 0 : units;
         draw->offset_scale = units * scale;
         draw->shader_discards = round & 4;
         struct scene_primitive *primitive = layer == 0 ? &scene.primitives[0] : scene_add_primitive(&scene);
         *primitive = triangle;
         primitive->draw = layer;
         primitive->flags |= layer == 0 ? 0 : TBR_PRIMITIVE_OFFSET;
      }
      for (unsigned level = 0; level < num_levels; level++) {
         struct image image;
         scene_render(&scene, &(struct run){levels[level], 32, round & 8, false, 0, 0}, &image);
         if (image.occlusion[2] != 0 || image.occlusion[3] != image.occlusion[1])
            fail_msg("%s, round %u: of %u fragments %u are at the same depth, %u pass",
                     util_format_name(formats[round / ROUNDS]), round, (unsigned)image.occlusion[1],
                     (unsigned)image.occlusion[2], (unsigned)image.occlusion[3]);
         image_finish(&image);
      }
      scene_finish(&scene);
   }
}

/* Fragments that wait for their program have not written depth yet: what is
 * dropped before the program must fail in any case. */
TEST(early_rejection)
{
   static const float depths[] = {0.3f, 0.5f, 0.4f, 0.3f, 0.6f};
   for (unsigned function = 0; function < 8; function++) {
      struct scene scene;
      scene_init(&scene, 8, 8, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z24X8_UNORM);
      scene.depth.clear_value.f[0] = 0.5f;
      struct tbr_draw_state *draw = scene_add_draw(&scene);
      draw->shader_discards = draw->depth_test = draw->depth_write = true;
      draw->depth_func = function;
      draw->occlusion_counter = 1;
      for (unsigned n = 0; n < 5; n++) {
         struct scene_primitive *primitive = scene_add_primitive(&scene);
         for (unsigned v = 0; v < 3; v++) {
            primitive->position[v][0] = v == 1 ? 2 : 0;
            primitive->position[v][1] = v == 2 ? 2 : 0;
            primitive->position[v][2] = depths[n];
            primitive->color[v][0] = 0.2f * n;
         }
      }
      struct reference reference;
      reference_render(&scene, &reference);
      struct image image;
      scene_render(&scene, &(struct run){levels[function % num_levels], 8, false, false, 0, 0}, &image);
      check_against_reference(&scene, &image, &reference, "depth test after a discard");
      image_finish(&image);
      reference_finish(&reference);
      scene_finish(&scene);
   }
}

/* An X channel reads as alpha 1, whatever is in memory. */
TEST(unused_alpha)
{
   static const enum pipe_format formats[] = {PIPE_FORMAT_R8G8B8X8_UNORM, PIPE_FORMAT_R8G8B8_UNORM};
   for (unsigned n = 0; n < 2; n++) {
      struct scene scene;
      scene_init(&scene, 20, 20, formats[n], PIPE_FORMAT_NONE);
      scene.color[0].clear = false;
      struct tbr_draw_state *draw = scene_add_draw(&scene);
      struct pipe_rt_blend_state *rt = &draw->blend.rt[0];
      rt->blend_enable = 1;
      rt->rgb_src_factor = PIPE_BLENDFACTOR_DST_ALPHA;
      rt->rgb_dst_factor = PIPE_BLENDFACTOR_INV_DST_ALPHA;
      rt->alpha_src_factor = rt->alpha_dst_factor = PIPE_BLENDFACTOR_ONE;
      uint64_t random = 12;
      draw->interpolation[0] = TBR_INTERPOLATE_CONSTANT;
      add_rectangle(&scene, &random);
      struct image image;
      scene_render(&scene, &(struct run){levels[n % num_levels], 16, false, false, 0, 0}, &image);
      for (unsigned c = 0; c < 3; c++)
         assert_int_equal(image.color[0][c], lrintf(scene.primitives[0].color[0][c] * 255));
      image_finish(&image);
      scene_finish(&scene);
   }
}

/* Storing only one of depth and stencil leaves the other, which shares its
 * pixels, alone. */
TEST(shared_pixels)
{
   static const enum pipe_format formats[] = {PIPE_FORMAT_Z24_UNORM_S8_UINT, PIPE_FORMAT_S8_UINT_Z24_UNORM,
                                              PIPE_FORMAT_Z32_FLOAT_S8X24_UINT};
   for (unsigned n = 0; n < 6; n++) {
      struct scene scene;
      scene_init(&scene, 21, 18, PIPE_FORMAT_R8G8B8A8_UNORM, formats[n / 2]);
      scene.depth.clear_value.f[0] = 0.75f;
      scene.depth.clear_value.ui[1] = 0xc3;
      scene.drop_depth = n & 1;
      scene.drop_stencil = !scene.drop_depth;
      struct image before, image;
      const struct run run = {levels[n % num_levels], 16, true, false, 0, 0};
      scene_render(&scene, &run, &image);
      before = image;
      before.depth = malloc(image.depth_bytes);
      memset(before.depth, 0x5a, image.depth_bytes);
      for (size_t at = 0; at < (size_t)21 * 18; at++) {
         const int64_t expected = n >= 4 ? llrint(0.75 * 0x1p40) : llrint(0.75 * 16777215);
         const int64_t depth = scene.drop_depth ? stored_depth(&scene, &before, at) : expected;
         assert_true(stored_depth(&scene, &image, at) == depth);
         assert_int_equal(stored_stencil(&scene, &image, at), scene.drop_stencil ? 0x5a : 0xc3);
      }
      free(before.depth);
      image_finish(&image);
      scene_finish(&scene);
   }
}

TEST(perspective)
{
   uint64_t random = 13;
   struct scene scene;
   scene_init(&scene, 64, 64, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_NONE);
   scene_add_draw(&scene);
   for (unsigned n = 0; n < 40; n++) {
      struct scene_primitive *primitive = scene_add_primitive(&scene);
      random_colors(&random, primitive);
      for (unsigned v = 0; v < 3; v++) {
         primitive->position[v][0] = random_float(&random, 0, 64);
         primitive->position[v][1] = random_float(&random, 0, 64);
         primitive->position[v][3] = random_float(&random, 0.2f, 4);
      }
   }
   struct reference reference;
   reference_render(&scene, &reference);
   FOR_EACH_RUN(run)
   {
      struct image image;
      scene_render(&scene, &run, &image);
      for (size_t at = 0; at < (size_t)64 * 64 * 4; at++)
         assert_true(fabs(image.color[0][at] - reference.color[at / 4][at % 4] * 255) < 1.01);
      image_finish(&image);
   }
   reference_finish(&reference);
   scene_finish(&scene);
}

/* More primitives in a tile than are remembered at once, none of them hidden. */
TEST(many_blended)
{
   uint64_t random = 14;
   struct scene scene;
   scene_init(&scene, 24, 24, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_NONE);
   make_counting(scene_add_draw(&scene));
   for (unsigned n = 0; n < 40000; n++) {
      struct scene_primitive *primitive = scene_add_primitive(&scene);
      const float x = random_float(&random, -1, 23), y = random_float(&random, -1, 23);
      for (unsigned v = 0; v < 3; v++) {
         primitive->position[v][0] = x + (v == 1 ? 2 : 0);
         primitive->position[v][1] = y + (v == 2 ? 2 : 0);
         primitive->color[v][n % 4] = n % 7 / 255.0f;
      }
   }
   check_invariance(&scene, true);
   scene_finish(&scene);
}

TEST(many_primitives)
{
   uint64_t random = 11;
   struct scene scene;
   scene_init(&scene, 16, 16, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z24X8_UNORM);
   struct tbr_draw_state *draw = scene_add_draw(&scene);
   draw->opaque = draw->depth_test = draw->depth_write = true;
   for (unsigned n = 0; n < 1000000; n++) {
      struct scene_primitive *primitive = scene_add_primitive(&scene);
      const float x = random_float(&random, 0, 15), y = random_float(&random, 0, 15);
      for (unsigned v = 0; v < 3; v++) {
         primitive->position[v][0] = x + (v == 1 ? 3 : 0);
         primitive->position[v][1] = y + (v == 2 ? 3 : 0);
         primitive->position[v][2] = 1 - (float)n / 1000000;
         primitive->color[v][n % 4] = 1;
      }
   }
   struct image images[2];
   for (unsigned deferred = 0; deferred < 2; deferred++)
      scene_render(&scene, &(struct run){levels[num_levels - 1], 16, deferred, false, 0, 0},
                   &images[deferred]);
   assert_images_equal(&images[0], &images[1], "a million primitives in a tile");
   assert_true(images[1].shaded <= 256);
   assert_true(images[0].shaded > 1000000);
   image_finish(&images[0]);
   image_finish(&images[1]);
   scene_finish(&scene);
}
