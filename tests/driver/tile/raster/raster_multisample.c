/* SPDX-License-Identifier: MIT */
/* Multisampled passes against single-sampled ones: a sample's image, shaded once a
 * sample, is that of the scene moved by the sample's distance from the centre. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "raster_harness.h"
#include "support/run_tests.h"

static const uint32_t tile_sizes[] = {8, 32, 64};

#define FOR_EACH_RUN(run) FOR_EACH_RUN_OF(run, tile_sizes, false)

/* A multisampled random scene whose corners lie on the grid of 1/256 pixel, with room
 * to be moved. */
static void
make_scene(struct scene *scene, uint64_t *random, enum pipe_format color, enum pipe_format depth)
{
   scene_init(scene, 45 + random_below(random, 60), 45 + random_below(random, 60), color, depth);
   random_scene(random, scene, 6, false);
   scene->samples = TBR_MAX_SAMPLES;
   for (unsigned n = 0; n < scene->num_draws; n++) {
      struct tbr_draw_state *draw = &scene->draws[n];
      draw->half_pixel_center = true;
      draw->multisample = true;
      draw->sample_mask = random_below(random, 4) ? 15 : random_below(random, 15) + 1;
   }
   for (uint32_t n = 0; n < scene->num_primitives; n++) {
      for (unsigned v = 0; v < 3; v++) {
         for (unsigned c = 0; c < 2; c++) {
            float *p = &scene->primitives[n].position[v][c];
            *p = rintf(fmaxf(fminf(*p, 8000), -8000) * 256) / 256;
         }
      }
   }
}

/* The scene as one sample of it sees it. */
static struct scene
single_sampled(const struct scene *scene, unsigned sample)
{
   struct scene moved = *scene;
   moved.samples = 1;
   moved.primitives = malloc(scene->num_primitives * sizeof(*moved.primitives));
   memcpy(moved.primitives, scene->primitives, scene->num_primitives * sizeof(*moved.primitives));
   for (unsigned n = 0; n < moved.num_draws; n++) {
      struct tbr_draw_state *draw = &moved.draws[n];
      draw->multisample = draw->per_sample = false;
      draw->sample_mask = draw->sample_mask >> sample & 1;
   }
   for (uint32_t n = 0; n < moved.num_primitives; n++) {
      for (unsigned v = 0; v < 3; v++) {
         for (unsigned c = 0; c < 2; c++)
            moved.primitives[n].position[v][c] += 0.5f - tbr_sample_positions[sample][c];
      }
   }
   return moved;
}

static void
assert_sample_equal(const struct image *image, const struct image *single, unsigned sample)
{
   assert_int_equal(image->color_bytes[0], TBR_MAX_SAMPLES * single->color_bytes[0]);
   assert_memory_equal(image->color[0] + sample * single->color_bytes[0], single->color[0],
                       single->color_bytes[0]);
   if (single->depth_bytes)
      assert_memory_equal(image->depth + sample * single->depth_bytes, single->depth, single->depth_bytes);
}

TEST(samples_are_moved_images)
{
   static const enum pipe_format depths[] = {PIPE_FORMAT_Z24_UNORM_S8_UINT, PIPE_FORMAT_Z32_FLOAT,
                                             PIPE_FORMAT_Z16_UNORM, PIPE_FORMAT_Z32_FLOAT_S8X24_UINT};
   static const enum pipe_format colors[] = {PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_B5G6R5_UNORM,
                                             PIPE_FORMAT_R16G16B16A16_FLOAT};
   uint64_t random = 11;
   for (unsigned round = 0; round < 12; round++) {
      struct scene scene;
      make_scene(&scene, &random, colors[round % 3], depths[round % 4]);
      for (unsigned n = 0; n < scene.num_draws; n++)
         scene.draws[n].per_sample = true;
      struct image single[TBR_MAX_SAMPLES];
      for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++) {
         struct scene moved = single_sampled(&scene, s);
         const struct run run = {levels[0], 16, false, false, 0, 0};
         scene_render(&moved, &run, &single[s]);
         scene_finish(&moved);
      }
      FOR_EACH_RUN(run)
      {
         struct image image;
         scene_render(&scene, &run, &image);
         for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
            assert_sample_equal(&image, &single[s], s);
         for (unsigned n = 1; n < 4; n++)
            assert_int_equal(image.occlusion[n], single[0].occlusion[n] + single[1].occlusion[n] +
                                                    single[2].occlusion[n] + single[3].occlusion[n]);
         image_finish(&image);
      }
      for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
         image_finish(&single[s]);
      scene_finish(&scene);
   }
}

/* Without multisampling all samples of a pixel are its centre. */
TEST(multisampling_off)
{
   uint64_t random = 12;
   for (unsigned round = 0; round < 6; round++) {
      struct scene scene;
      make_scene(&scene, &random, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z24_UNORM_S8_UINT);
      for (unsigned n = 0; n < scene.num_draws; n++) {
         scene.draws[n].multisample = false;
         scene.draws[n].sample_mask = ~0u;
      }
      struct scene one = scene;
      one.samples = 1;
      struct image single;
      scene_render(&one, &(struct run){levels[0], 16, false, false, 0, 0}, &single);
      FOR_EACH_RUN(run)
      {
         struct image image;
         scene_render(&scene, &run, &image);
         for (unsigned s = 0; s < TBR_MAX_SAMPLES; s++)
            assert_sample_equal(&image, &single, s);
         image_finish(&image);
      }
      image_finish(&single);
      scene_finish(&scene);
   }
}

/* Shaded once per pixel, also with what only counts for whole fragments: the same image
 * for every level, tile size and mode, and in two passes. */
TEST(invariance)
{
   uint64_t random = 13;
   for (unsigned round = 0; round < 10; round++) {
      struct scene scene;
      make_scene(&scene, &random, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z24_UNORM_S8_UINT);
      for (unsigned n = 0; n < scene.num_draws; n++) {
         scene.draws[n].alpha_to_coverage = scene.draws[n].shade && random_below(&random, 3) == 0;
         scene.draws[n].alpha_to_one = random_below(&random, 3) == 0;
         scene.draws[n].opaque &= !scene.draws[n].alpha_to_coverage;
      }
      struct image first;
      scene_render(&scene, &(struct run){levels[0], 16, false, false, 0, 0}, &first);
      FOR_EACH_RUN(run)
      {
         struct image image;
         run.record = true;
         run.split = run.tile_size == 32 ? scene.num_primitives / 2 : 0;
         scene_render(&scene, &run, &image);
         assert_images_equal(&first, &image, "a run");
         assert_int_equal(image.shaded, image.recorded);
         image_finish(&image);
      }
      image_finish(&first);
      scene_finish(&scene);
   }
}

/* Opaque triangles: hidden surface removal shades no more than once per sample. */
TEST(deferred_shades_visible)
{
   uint64_t random = 14;
   struct scene scene;
   scene_init(&scene, 64, 64, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z32_FLOAT);
   scene.samples = TBR_MAX_SAMPLES;
   struct tbr_draw_state *draw = scene_add_draw(&scene);
   draw->multisample = draw->opaque = draw->depth_test = draw->depth_write = true;
   draw->half_pixel_center = true;
   draw->sample_mask = 15;
   for (unsigned n = 0; n < 5; n++)
      add_rectangle(&scene, &random);
   FOR_EACH_RUN(run)
   {
      struct image image;
      scene_render(&scene, &run, &image);
      if (run.deferred)
         assert_int_equal(image.shaded, 64 * 64);
      image_finish(&image);
   }
   scene_finish(&scene);
}

/* One recording of all that passes early Z tells what either mode shades, in its order,
 * whether programs run once per pixel or once per sample. */
TEST(hidden_fragments)
{
   uint64_t random = 15;
   uint64_t hidden = 0;
   for (unsigned round = 0; round < 24; round++) {
      struct scene scene;
      make_scene(&scene, &random, PIPE_FORMAT_R8G8B8A8_UNORM, PIPE_FORMAT_Z24_UNORM_S8_UINT);
      if (round % 3 == 0)
         scene.samples = 1;
      for (unsigned n = 0; n < scene.num_draws; n++) {
         struct tbr_draw_state *draw = &scene.draws[n];
         draw->multisample = scene.samples > 1;
         draw->per_sample = scene.samples > 1 && random_below(&random, 2);
         draw->sample_mask = 15;
      }
      FOR_EACH_RUN(run)
      {
         struct image image, full_image;
         run.record = true;
         scene_render(&scene, &run, &image);
         struct run full = run;
         full.keep_hidden = true;
         scene_render(&scene, &full, &full_image);
         assert_images_equal(&image, &full_image, "with hidden fragments");
         assert_int_equal(image.recorded_order, full_image.recorded_order);
         if (run.deferred)
            hidden += full_image.shaded - image.shaded;
         else
            assert_int_equal(image.shaded, full_image.shaded);
         image_finish(&image);
         image_finish(&full_image);
      }
      scene_finish(&scene);
   }
   assert_true(hidden > 10000);
}
