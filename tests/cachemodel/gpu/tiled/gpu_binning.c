/* SPDX-License-Identifier: MIT */
/* Primitives binned by their boxes of tiles: a diagonal one by hand; random ones have the traffic of primitives that
 * overlap all tiles of their boxes. */
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"

TEST(diagonal)
{
   static const struct {
      const char *setting;
      uint64_t tiles; /* that have it */
   } cases[] = {{"parameter_buffer.overlap=exact", 2}, {"parameter_buffer.overlap=bounding-box", 4}};
   for (unsigned i = 0; i < 2; i++) {
      struct cm_gpu *gpu = test_gpu((const char *const[]){cases[i].setting, NULL});
      struct pass_builder *pass = pass_new(0, 96, 64, 32); /* 3 x 2 tiles */
      pass_draw(pass);
      pass_primitive(pass, 3, (const uint32_t[]){1, 5}, 2); /* tiles 1 and 5: the box has 2 and 4, too */
      pass->touched[1] = pass->touched[5] = true;
      pass_run(pass, gpu);
      expect_counters(gpu, {"tiling_engine.primitives", 1}, {"tiling_engine.pmds", cases[i].tiles},
                      {"tiling_engine.tiles", cases[i].tiles}, {"tile_cache.pb_list.writes", cases[i].tiles},
                      {"tile_cache.pb_list.reads", cases[i].tiles}, {"tile_cache.pb_attribute.writes", 3},
                      {"tile_cache.pb_attribute.reads", 3 * cases[i].tiles});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

#define COLUMNS 7
#define ROWS 5

/* A primitive of some tiles; boxed: of all tiles between them. */
static void
add_primitive(struct pass_builder *pass, uint64_t seed, bool boxed)
{
   bool covers[ROWS][COLUMNS] = {{false}}, draws[ROWS][COLUMNS];
   uint32_t tiles[ROWS * COLUMNS], count = 0;
   const uint32_t attributes = 1 + random_below(&seed, 4);
   for (unsigned i = 0; i < 1 + seed % 3; i++)
      covers[random_below(&seed, ROWS)][random_below(&seed, COLUMNS)] = true;
   memcpy(draws, covers, sizeof covers);
   for (unsigned y = 0; boxed && y < ROWS; y++) {
      for (unsigned x = 0; x < COLUMNS; x++) {
         bool left = false, right = false, above = false, below = false;
         for (unsigned v = 0; v < ROWS; v++) {
            for (unsigned u = 0; u < COLUMNS; u++) {
               left |= draws[v][u] && u <= x;
               right |= draws[v][u] && u >= x;
               above |= draws[v][u] && v <= y;
               below |= draws[v][u] && v >= y;
            }
         }
         covers[y][x] = left && right && above && below;
      }
   }
   for (unsigned t = 0; t < ROWS * COLUMNS; t++) {
      if (covers[t / COLUMNS][t % COLUMNS])
         tiles[count++] = t;
      pass->touched[t] |= boxed ? covers[t / COLUMNS][t % COLUMNS] : draws[t / COLUMNS][t % COLUMNS];
   }
   pass_primitive(pass, attributes, tiles, count);
}

static void
run(struct cm_gpu *gpu, bool boxed)
{
   for (uint32_t frame = 0; frame < 20; frame++) {
      struct pass_builder *pass = pass_new(frame, COLUMNS * 32, ROWS * 32, 32);
      uint64_t state = frame;
      pass_draw(pass);
      for (unsigned p = 0; p < 60; p++)
         add_primitive(pass, (uint64_t)random_next(&state) << 20 | p, boxed);
      pass_run_and_free(pass, gpu);
   }
}

TEST(boxes)
{
   static const char *const layouts[] = {"parameter_buffer.layout=baseline",
                                         "parameter_buffer.layout=interleaved"};
   static const char *const names[] = {
      "tiling_engine.pmds",
      "tiling_engine.tiles",
      "tile_cache.pb_list.reads",
      "tile_cache.pb_list.misses",
      "tile_cache.pb_list.writebacks",
      "tile_cache.pb_attribute.reads",
      "tile_cache.pb_attribute.hits",
      "tile_cache.total.fills",
      "l2.total.reads",
      "l2.pb_list.writes",
   };
   for (unsigned i = 0; i < 2; i++) {
      struct cm_gpu *binned =
         test_gpu((const char *const[]){layouts[i], "parameter_buffer.overlap=bounding-box",
                                        "caches.tile_cache.size=2048", NULL});
      struct cm_gpu *overlapping =
         test_gpu((const char *const[]){layouts[i], "caches.tile_cache.size=2048", NULL});
      struct cm_gpu *exact = test_gpu((const char *const[]){layouts[i], "caches.tile_cache.size=2048", NULL});
      run(binned, false);
      run(overlapping, true);
      run(exact, false);
      for (unsigned n = 0; n < sizeof names / sizeof names[0]; n++)
         assert_int_equal(gpu_total(binned, names[n]), gpu_total(overlapping, names[n]));
      assert_true(gpu_total(binned, "tiling_engine.pmds") > gpu_total(exact, "tiling_engine.pmds"));
      assert_true(gpu_total(binned, "l2.total.reads") > 1000); /* or nothing was tested */
      cm_gpu_destroy(binned);
      cm_gpu_destroy(overlapping);
      cm_gpu_destroy(exact);
   }
}
