/* SPDX-License-Identifier: MIT */
/* A texture of one block: each live fragment reads that block once, wherever its texels lie, inside the texture or past its edges.
 * So footprints of any texels, of one or of four, read what footprints of the first texel read. */
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"

#define NUM_QUADS 600

/* Two textures of one block, and one of many, which moves them out of the caches. */
static void
define_textures(struct cm_gpu *gpu)
{
   define_texture(gpu, 1, 1, 1, 1);
   define_texture(gpu, 2, 16, 1, 1);
   define_texture(gpu, 3, 64, 64, 1);
}

static struct cm_footprint
random_footprint(uint32_t unit, uint64_t *state)
{
   struct cm_footprint footprint = {.live = (uint8_t)random_below(state, 16), .linear = 1};
   for (unsigned f = 0; f < 4; f++) {
      if (unit < 2) { /* up to two texels outside */
         footprint.linear = (uint8_t)random_below(state, 2);
         footprint.texel[f].x = (int16_t)((int)random_below(state, unit ? 20 : 5) - 2);
         footprint.texel[f].y = (int16_t)((int)random_below(state, 5) - 2);
      } else {
         footprint.texel[f].x = (int16_t)random_below(state, 60);
         footprint.texel[f].y = (int16_t)random_below(state, 60);
      }
   }
   return footprint;
}

/* inside: what reads a texture of one block reads its first texel. */
static struct pass_builder *
random_quads(uint64_t seed, bool inside)
{
   uint64_t state = seed;
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   for (unsigned d = 0; d < 2; d++) {
      struct cm_draw *draw = pass_draw(pass);
      draw->fragment_shader = (struct cm_shader){.id = 1 + d, .instructions = 6};
      draw->num_textures = 3;
      for (unsigned unit = 0; unit < 3; unit++)
         draw->textures[unit] =
            (struct cm_texture_binding){.resource = 1 + unit, .texel_bytes = 4, .repeat_s = d, .repeat_t = d};
   }
   for (unsigned n = 0; n < NUM_QUADS; n++) {
      const uint32_t quads = 1 + random_below(&state, 4), unit = random_below(&state, 3);
      struct cm_footprint footprints[4];
      pass_shade(pass, 0, n * 2 / NUM_QUADS, quads, 15);
      for (uint32_t q = 0; q < quads; q++) {
         footprints[q] = random_footprint(unit, &state);
         footprints[q].quad = (uint8_t)q;
         if (inside && unit < 2)
            footprints[q] = (struct cm_footprint){.quad = (uint8_t)q, .live = footprints[q].live};
      }
      pass_footprints(pass, 0, unit, footprints, quads);
   }
   return pass;
}

static void
check(const char *const settings[])
{
   for (uint64_t seed = 1; seed <= 10; seed++) {
      uint64_t expected[2048];
      for (unsigned inside = 0; inside < 2; inside++) {
         struct cm_gpu *gpu = test_gpu(settings);
         define_textures(gpu);
         pass_run_and_free(random_quads(seed, inside), gpu);
         const uint64_t *values = cm_gpu_total(gpu);
         const size_t bytes = cm_gpu_counters(gpu)->count * sizeof *values;
         assert_true(bytes <= sizeof expected);
         assert_true(gpu_total(gpu, "texture_cache.texture.misses") > 100);
         if (inside)
            assert_memory_equal(values, expected, bytes);
         else
            memcpy(expected, values, bytes);
         cm_gpu_destroy(gpu);
      }
   }
}

#define CACHES "caches.texture_cache.size=512", "caches.texture_cache.ways=2"

TEST(counters)
{
   check((const char *const[]){CACHES, NULL});
   check((const char *const[]){CACHES, "texture.placement=morton-4k", NULL});
   check((const char *const[]){CACHES, "caches.texture_cache.policy=srrip", NULL});
   check((const char *const[]){CACHES, "mode=tbdr", NULL});
}

TEST(cycles)
{
   check((const char *const[]){CACHES, "timing=on", NULL});
}
