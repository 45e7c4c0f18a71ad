/* SPDX-License-Identifier: MIT */
/* The Parameter Buffer is what is drawn: a wrong bit in it is a wrong pixel. */
#include <string.h>

#include "raster_harness.h"
#include "support/run_tests.h"

#define WIDTH 48
#define HEIGHT 40
#define TILE_SIZE 16
/* Attribute blocks of a primitive in these scenes: position and one input. */
#define BLOCKS 2
/* The second triangle's first block. */
#define SECOND BLOCKS

/* Two overlapping triangles of different colours and depths. */
static void
make_scene(struct scene *scene)
{
   static const float positions[2][3][4] = {
      {{1.5f, 2.25f, 0.25f, 1}, {44.5f, 5.75f, 0.5f, 0.5f}, {9.25f, 37.5f, 0.75f, 0.25f}},
      {{46.25f, 38.5f, 0.5f, 1}, {3.75f, 33.5f, 0.5f, 1}, {30.5f, 1.25f, 0.5f, 1}},
   };
   scene_init(scene, WIDTH, HEIGHT, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z24X8_UNORM);
   scene->depth.clear = true;
   scene->depth.clear_value.f[0] = 1;
   scene->color[0].clear = true;
   struct tbr_draw_state *draw = scene_add_draw(scene);
   draw->depth_test = draw->depth_write = true;
   draw->depth_func = PIPE_FUNC_LESS;
   for (unsigned n = 0; n < 2; n++) {
      struct scene_primitive *primitive = scene_add_primitive(scene);
      memcpy(primitive->position, positions[n], sizeof positions[n]);
      for (unsigned v = 0; v < 3; v++) {
         for (unsigned c = 0; c < 4; c++)
            primitive->color[v][c] = 0.125f + 0.0625f * (float)(n + 3 * v + 2 * c);
      }
   }
}

static bool
images_equal(const struct image *a, const struct image *b)
{
   return !memcmp(a->color[0], b->color[0], a->color_bytes[0]) && !memcmp(a->depth, b->depth, a->depth_bytes);
}

/* Whether the damage shows in the image, in both modes alike. */
static bool
shows(const struct damage *damage)
{
   bool different[2];
   for (unsigned deferred = 0; deferred < 2; deferred++) {
      struct scene scene;
      make_scene(&scene);
      struct run run = {tbr_isa_get(), TILE_SIZE, deferred, false, 0, 0, {DAMAGE_NONE, 0, 0, 0}};
      struct image whole, damaged;
      scene_render(&scene, &run, &whole);
      run.damage = *damage;
      scene_render(&scene, &run, &damaged);
      different[deferred] = !images_equal(&whole, &damaged);
      image_finish(&whole);
      image_finish(&damaged);
      scene_finish(&scene);
   }
   assert_int_equal(different[0], different[1]);
   return different[0];
}

/* The upper mantissa bits of every coordinate and colour that is drawn. */
TEST(every_attribute_is_drawn)
{
   for (uint32_t block = 0; block < 2 * BLOCKS; block++) {
      for (uint32_t number = 0; number < 12; number++) {
         const bool flat = block == SECOND && number % 4 == 3;
         const struct damage damage = {DAMAGE_ATTRIBUTES, block, number * 4 + 2, 0x60};
         if (!flat && !shows(&damage))
            fail_msg("bits 0x60 of byte %u of attribute block %u are not drawn", damage.byte, block);
      }
   }
}

TEST(facing_and_shape_are_drawn)
{
   const uint32_t flags = offsetof(struct cm_pb_attribute_block, flags);
   const struct damage damage = {DAMAGE_ATTRIBUTES, 0, flags, TBR_PRIMITIVE_PARALLELOGRAM};
   assert_true(shows(&damage));
}

/* The PMD's primitive decides what a tile draws; its OPT number does not. */
TEST(lists_are_drawn)
{
   const struct damage other_primitive = {DAMAGE_LIST, 0, 0, SECOND};
   assert_true(shows(&other_primitive));
   const struct damage opt_number = {DAMAGE_LIST, 0, 3, 0xff};
   assert_false(shows(&opt_number));
}

/* The last tile's ID is for the L2 only (TCOR III-D1). */
TEST(last_tile_is_not_drawn)
{
   const struct damage damage = {DAMAGE_ATTRIBUTES, 0, offsetof(struct cm_pb_attribute_block, last_tile),
                                 0xff};
   assert_false(shows(&damage));
}
