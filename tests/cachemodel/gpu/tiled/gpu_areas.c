/* SPDX-License-Identifier: MIT */
/* Groups of quads that read near what the last ones have read: counted by areas (gpu/tiled/own_processors.c), and footprint by
 * footprint, as counts by resource need it. */
#include <string.h>

#include "gpu/counters.h"
#include "support/pass_builder.h"
#include "support/test.h"

#define GROUPS 20000
#define SIZE 256 /* texels of the textures' first levels */

struct walk {
   uint64_t state;
   int x, y; /* of the next group, in texels */
   struct pass_builder *pass;
};

/* A group's footprints of an instruction: of quads of 2 x 2 texels, mostly all of them, whole and of one level. */
static void
add_instruction(struct walk *walk, uint32_t unit, uint32_t num_quads, uint8_t live)
{
   struct cm_footprint footprints[4];
   uint32_t count = 0;
   const uint8_t level = (uint8_t)(random_below(&walk->state, 8) == 0);
   const bool linear = random_below(&walk->state, 4) != 0, strays = random_below(&walk->state, 10) == 0;
   for (uint32_t q = 0; q < num_quads; q++) {
      if (random_below(&walk->state, 20) == 0)
         continue;
      struct cm_footprint *footprint = &footprints[count++];
      *footprint = (struct cm_footprint){.quad = (uint8_t)q, .level = level, .live = live, .linear = linear};
      if (strays && random_below(&walk->state, 2))
         footprint->level ^= 1;
      if (strays && random_below(&walk->state, 2))
         footprint->layer = 1;
      if (strays && random_below(&walk->state, 2))
         footprint->live = (uint8_t)(1 + random_below(&walk->state, 15)) & live;
      if (!footprint->live)
         footprint->live = live;
      for (int f = 0; f < 4; f++) {
         footprint->texel[f].x = (int16_t)(walk->x + (int)(q & 1) * 2 + (f & 1));
         footprint->texel[f].y = (int16_t)(walk->y + (int)(q >> 1) * 2 + (f >> 1));
      }
   }
   if (count)
      pass_footprints(walk->pass, 0, unit, footprints, count);
}

static void
add_group(struct walk *walk)
{
   const uint32_t num_quads = random_below(&walk->state, 12) ? 4 : 1 + random_below(&walk->state, 4);
   const uint8_t live = random_below(&walk->state, 12) ? 15 : (uint8_t)(1 + random_below(&walk->state, 15));
   pass_shade(walk->pass, 0, 0, num_quads, live);
   for (uint32_t n = random_below(&walk->state, 4); n > 0; n--)
      add_instruction(walk, random_below(&walk->state, 2), num_quads, live);
   /* Often the same texels again; seldom others. */
   walk->x = (walk->x + (int)random_below(&walk->state, 3)) % (SIZE / 2 - 8);
   if (random_below(&walk->state, 40) == 0)
      walk->y = (int)random_below(&walk->state, SIZE / 2 - 8);
}

/* All counters' values. */
static uint64_t *
run(const char *const settings[5], uint64_t seed, const char *by_resource, uint32_t *count)
{
   const char *list[6] = {NULL};
   char error[300];
   memcpy(list, settings, 5 * sizeof *list);
   unsigned n = 0;
   while (list[n])
      n++;
   list[n] = by_resource;
   struct cm_config *config = test_config(list);
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_non_null(gpu);
   struct walk walk = {.state = seed, .pass = pass_new(0, 32, 32, 32)};
   struct cm_draw *draw = pass_draw(walk.pass);
   draw->fragment_shader = (struct cm_shader){.id = 7, .instructions = 8};
   draw->num_textures = 2;
   for (uint32_t unit = 0; unit < 2; unit++) {
      define_texture(gpu, 1 + unit, SIZE, SIZE, 2);
      draw->textures[unit].resource = 1 + unit;
   }
   for (unsigned g = 0; g < test_rounds(GROUPS); g++)
      add_group(&walk);
   pass_run(walk.pass, gpu);
   *count = cm_gpu_counters(gpu)->count;
   uint64_t *values = malloc(*count * sizeof *values);
   memcpy(values, cm_gpu_total(gpu), *count * sizeof *values);
   assert_true(gpu_total(gpu, "texture_cache.texture.hits") > 0);
   assert_true(gpu_total(gpu, "texture_cache.texture.misses") > 0);
   pass_free(walk.pass);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
   return values;
}

static void
test_counts(void **unused)
{
   static const char *const settings[][5] = {
      {NULL},
      {"caches.texture_cache.size=1024", "caches.texture_cache.ways=2"},
      {"caches.texture_cache.policy=fifo"},
      {"caches.texture_cache.policy=tree-plru"},
      {"caches.texture_cache.ways=8"},
      {"fragment_stage.processors=8", "caches.texture_cache.instances=4"},
      {"fragment_stage.processors=6", "caches.texture_cache.instances=6"},
      {"texture.placement=linear"},
   };
   for (unsigned s = 0; s < sizeof settings / sizeof settings[0]; s++) {
      for (uint64_t seed = 1; seed <= 2; seed++) {
         uint32_t count, other;
         uint64_t *values = run(settings[s], seed, NULL, &count);
         uint64_t *expected = run(settings[s], seed, "attribution.texture=on", &other);
         assert_int_equal(count, other);
         if (memcmp(values, expected, count * sizeof *values))
            fail_msg("%s, seed %d: areas count something else", settings[s][0] ? settings[s][0] : "preset",
                     (int)seed);
         free(values);
         free(expected);
      }
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
