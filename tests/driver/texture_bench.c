/* SPDX-License-Identifier: MIT */
/** Times a call of the texture unit (16 fragments) on each vector feature level:
 * nanoseconds without events, and with them. An argument chooses the scenes whose
 * names contain it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "texture_test.h"
#include "util/macros.h"

/** Calls that cover a 64 × 64 block of pixels. */
#define CALLS 256
#ifdef __AVX__
#define BENCH_STORE 32
#else
#define BENCH_STORE 16
#endif

struct scene {
   const char *name;
   enum pipe_texture_target target;
   enum pipe_format format;
   unsigned size;
   double texels_a_pixel;
   uint8_t min, mag, mip, wrap;
   bool seamless;
};

static double
now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/** Coordinates of a rotated square of pixels, quad after quad. */
static void
fill_coordinates(const struct scene *scene, float (*coords)[3][TBR_LANES])
{
   const double step = scene->texels_a_pixel / scene->size;
   for (unsigned call = 0; call < CALLS; call++) {
      for (unsigned lane = 0; lane < TBR_LANES; lane++) {
         const unsigned quad = call * TBR_QUADS + lane / 4;
         const double px = quad % 32 * 2 + (lane & 1), py = quad / 32 * 2 + (lane >> 1 & 1);
         const double s = 0.15 + (px * 0.966 - py * 0.259) * step, t = 0.1 + (px * 0.259 + py * 0.966) * step;
         const bool cube = scene->target == PIPE_TEXTURE_CUBE;
         coords[call][0][lane] = (float)(cube ? 2 * s - 1 : s);
         coords[call][1][lane] = (float)(cube ? 2 * t - 1 : t);
         coords[call][2][lane] = 0.9f;
      }
   }
}

/** As generated code leaves them: in stores of 16 or 32 bytes. */
static void
copy_coordinates(struct tbr_sample_arguments *arguments, float (*coords)[TBR_LANES])
{
   typedef float vector __attribute__((vector_size(BENCH_STORE), aligned(BENCH_STORE)));
   const volatile vector *from = (const volatile vector *)coords;
   volatile vector *to = (volatile vector *)arguments->coords;
   for (unsigned i = 0; i < sizeof(arguments->coords) / sizeof(vector); i++)
      to[i] = from[i];
}

static double
time_calls(const struct tbr_texture_binding *binding, float (*coords)[3][TBR_LANES], bool record)
{
   static _Alignas(64) struct tbr_sample_arguments arguments;
   struct cm_tile_events events = {0};
   struct tbr_texture_thread thread = {.events = record ? &events : NULL, .live = 0xffff};
   arguments.active = 0xffff;
   double best = 1e30;
   for (unsigned run = 0; run < 60; run++) {
      const double start = now();
      for (unsigned repeat = 0; repeat < 8; repeat++) {
         events.num_words = 0;
         for (unsigned call = 0; call < CALLS; call++) {
            copy_coordinates(&arguments, coords[call]);
            binding->sample(&thread, binding, &arguments);
         }
      }
      best = MIN2(best, (now() - start) / (8 * CALLS));
   }
   free(events.words);
   return best;
}

int
main(int argc, char **argv)
{
   const uint8_t nearest = PIPE_TEX_FILTER_NEAREST, linear = PIPE_TEX_FILTER_LINEAR;
   const uint8_t repeat = PIPE_TEX_WRAP_REPEAT, clamp = PIPE_TEX_WRAP_CLAMP_TO_EDGE;
   const uint8_t none = PIPE_TEX_MIPFILTER_NONE;
   const uint8_t mip_nearest = PIPE_TEX_MIPFILTER_NEAREST, mip_linear = PIPE_TEX_MIPFILTER_LINEAR;
   const enum pipe_texture_target flat = PIPE_TEXTURE_2D, cube = PIPE_TEXTURE_CUBE;
   const enum pipe_format rgba = PIPE_FORMAT_R8G8B8A8_UNORM, bgrx = PIPE_FORMAT_B8G8R8X8_UNORM;
   const enum pipe_format z24 = PIPE_FORMAT_Z24X8_UNORM, rgba32f = PIPE_FORMAT_R32G32B32A32_FLOAT;
   const struct scene scenes[] = {
      {"2D nearest repeat", flat, rgba, 256, 0.9, nearest, nearest, none, repeat, false},
      {"2D bilinear repeat", flat, rgba, 256, 0.9, linear, linear, none, repeat, false},
      {"2D bilinear repeat, 32 texels", flat, rgba, 32, 0.9, linear, linear, none, repeat, false},
      {"2D bilinear clamp, BGRX", flat, bgrx, 256, 0.9, linear, linear, none, clamp, false},
      {"2D bilinear mip nearest", flat, rgba, 256, 1.8, linear, linear, mip_nearest, repeat, false},
      {"2D trilinear, minified", flat, rgba, 256, 1.8, linear, linear, mip_linear, repeat, false},
      {"2D trilinear, magnified", flat, rgba, 256, 0.5, linear, linear, mip_linear, repeat, false},
      {"2D bilinear R8", flat, PIPE_FORMAT_R8_UNORM, 256, 0.9, linear, linear, none, repeat, false},
      {"2D bilinear RGB565", flat, PIPE_FORMAT_B5G6R5_UNORM, 256, 0.9, linear, linear, none, repeat, false},
      {"2D bilinear Z24", flat, z24, 256, 0.9, linear, linear, none, clamp, false},
      {"2D nearest Z24", flat, z24, 256, 0.9, nearest, nearest, none, clamp, false},
      {"cube bilinear", cube, rgba, 128, 0.7, linear, linear, none, clamp, false},
      {"cube trilinear, minified", cube, rgba, 128, 1.8, linear, linear, mip_linear, clamp, false},
      {"cube bilinear seamless", cube, rgba, 128, 0.7, linear, linear, none, clamp, true},
      {"2D bilinear RGBA32F", flat, rgba32f, 256, 0.9, linear, linear, none, repeat, false},
   };
   static _Alignas(64) float coords[CALLS][3][TBR_LANES];

   printf("%-32s", "ns a call of 16 fragments");
   for (unsigned level = 0; level < texture_test_num_levels(); level++)
      printf("%12s  +events", texture_test_level_name(level));
   printf("\n");
   for (unsigned i = 0; i < ARRAY_SIZE(scenes); i++) {
      const struct scene *scene = &scenes[i];
      if (argc > 1 && !strstr(scene->name, argv[1]))
         continue;
      struct texture_test_image image;
      const struct texture_test_description description = {
         .target = scene->target,
         .format = scene->format,
         .width = scene->size,
         .height = scene->size,
         .layers = scene->target == PIPE_TEXTURE_CUBE ? 6 : 1,
         .levels = scene->mip == none ? 1 : 8,
      };
      texture_test_image_init(&image, &description);
      struct pipe_sampler_state *sampler = &image.binding.sampler;
      sampler->wrap_s = sampler->wrap_t = sampler->wrap_r = scene->wrap;
      sampler->min_img_filter = scene->min;
      sampler->mag_img_filter = scene->mag;
      sampler->min_mip_filter = scene->mip;
      sampler->seamless_cube_map = scene->seamless;
      fill_coordinates(scene, coords);
      printf("%-32s", scene->name);
      for (unsigned level = 0; level < texture_test_num_levels(); level++) {
         texture_test_use_level(level);
         tbr_texture_binding_prepare(&image.binding);
         const double silent = time_calls(&image.binding, coords, false);
         printf("%12.1f %8.1f", silent, time_calls(&image.binding, coords, true));
      }
      printf("\n");
      texture_test_image_free(&image);
   }
   return 0;
}
