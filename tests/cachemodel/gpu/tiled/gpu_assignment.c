/* SPDX-License-Identifier: MIT */
/* Which Fragment Processor takes a quad, where its position in the tile says so: by hand, and against a reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/test.h"

#define MAX_PROCESSORS 16

/* A GPU without timing of so many processors, each with a texture cache, and tiles of so many pixels. */
static struct cm_gpu *
gpu_of(const char *scheduler, const char *assignment, uint32_t processors, uint32_t tile_size)
{
   char settings[5][64];
   snprintf(settings[0], sizeof settings[0], "fragment_stage.scheduler=%s", scheduler);
   snprintf(settings[1], sizeof settings[1], "fragment_stage.assignment=%s", assignment);
   snprintf(settings[2], sizeof settings[2], "fragment_stage.processors=%u", processors);
   snprintf(settings[3], sizeof settings[3], "caches.texture_cache.instances=%u", processors);
   snprintf(settings[4], sizeof settings[4], "tile.size=%u", tile_size);
   struct cm_gpu *gpu =
      test_gpu((const char *const[]){settings[0], settings[1], settings[2], settings[3], settings[4], NULL});
   define_texture(gpu, 1, 64, 64, 1);
   return gpu;
}

/* The processor of a quad in a pass of 3x3 tiles: the one whose texture cache it reads. */
static uint32_t
processor_of(struct cm_gpu *gpu, uint32_t tile_size, uint32_t tile, struct cm_quad quad, uint32_t processors)
{
   uint32_t found = MAX_PROCESSORS;
   uint64_t before[MAX_PROCESSORS];
   char name[64];
   for (uint32_t p = 0; p < processors; p++) {
      snprintf(name, sizeof name, "texture_cache.%u.texture.reads", p);
      before[p] = gpu_total(gpu, name);
   }
   struct pass_builder *pass = pass_new(0, 3 * tile_size, 3 * tile_size, tile_size);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_textures = 1;
   draw->textures[0].resource = 1;
   quad.live = 15;
   pass_quads(pass, tile, 0, 0, &quad, 1);
   pass_footprints(pass, tile, 0, (const struct cm_footprint[]){{.live = 1}}, 1);
   pass_run_and_free(pass, gpu);
   for (uint32_t p = 0; p < processors; p++) {
      snprintf(name, sizeof name, "texture_cache.%u.texture.reads", p);
      if (gpu_total(gpu, name) == before[p])
         continue;
      assert_int_equal(found, MAX_PROCESSORS);
      found = p;
   }
   assert_true(found < processors);
   return found;
}

/* A tile of 4x4 quads and four processors, by hand: the tile's rows of quads, from its top. */
static const struct {
   const char *scheduler;
   const char *rows[4];
} tiles[] = {
   {"interleaved", {"0123", "2301", "0123", "2301"}}, {"sub-tile", {"0011", "0011", "2233", "2233"}},
   {"rows", {"0000", "1111", "2222", "3333"}},        {"columns", {"0123", "0123", "0123", "0123"}},
   {"quad-block", {"0011", "0011", "2233", "2233"}},
};

/* Of 3x3 tiles, the one in the middle is mirrored both ways, those beside it one way. */
TEST(by_hand)
{
   static const struct {
      uint32_t tile;
      bool mirrored_x, mirrored_y;
   } places[] = {{0, false, false}, {1, true, false}, {3, false, true}, {4, true, true}, {8, false, false}};
   for (unsigned t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
      for (unsigned mirrored = 0; mirrored < 2; mirrored++) {
         struct cm_gpu *gpu = gpu_of(tiles[t].scheduler, mirrored ? "mirrored" : "constant", 4, 8);
         for (unsigned p = 0; p < sizeof places / sizeof places[0]; p++) {
            for (uint8_t n = 0; n < 16; n++) {
               const struct cm_quad quad = {.x = n % 4, .y = n / 4};
               const unsigned x = mirrored && places[p].mirrored_x ? 3u - quad.x : quad.x;
               const unsigned y = mirrored && places[p].mirrored_y ? 3u - quad.y : quad.y;
               assert_int_equal(processor_of(gpu, 8, places[p].tile, quad, 4), tiles[t].rows[y][x] - '0');
            }
         }
         cm_gpu_destroy(gpu);
      }
   }
}

/* A coordinate on the screen goes forwards through one tile, and backwards through the next. */
static uint32_t
fold(uint32_t at, uint32_t side)
{
   const uint32_t in_both = at % (2 * side);
   return in_both < side ? in_both : 2 * side - 1 - in_both;
}

/* How many quads of a tile come before one in Z-order: quarter by quarter. */
static uint32_t
rank_in_z(uint32_t x, uint32_t y, uint32_t side)
{
   if (side == 1)
      return 0;
   const uint32_t half = side / 2;
   return ((y >= half) * 2u + (x >= half)) * half * half + rank_in_z(x % half, y % half, half);
}

/* The last of `processors` equal parts of `count` that begins at or before one. */
static uint32_t
part_of(uint32_t number, uint32_t count, uint32_t processors)
{
   uint32_t part = 0;
   while ((part + 1) * count <= number * processors)
      part++;
   return part;
}

static uint32_t
reference(const char *scheduler, uint32_t x, uint32_t y, uint32_t side, uint32_t processors)
{
   if (!strcmp(scheduler, "rows"))
      return part_of(y, side, processors);
   if (!strcmp(scheduler, "columns"))
      return part_of(x, side, processors);
   if (!strcmp(scheduler, "sub-tile"))
      return part_of(rank_in_z(x, y, side), side * side, processors);
   uint32_t next = 0; /* interleaved: each row begins half the processors after the one above */
   for (uint32_t row = 0; row < y; row++)
      next = (next + processors / 2) % processors;
   for (uint32_t column = 0; column < x; column++)
      next = next + 1 == processors ? 0 : next + 1;
   return next;
}

TEST(against_a_reference)
{
   static const char *const schedulers[] = {"interleaved", "sub-tile", "rows", "columns"};
   uint64_t state = 42;
   for (unsigned run = 0; run < 32; run++) {
      const char *scheduler = schedulers[run % 4];
      const bool mirrored = run / 4 % 2;
      const uint32_t tile_size = 16u << random_below(&state, 3), side = tile_size / 2;
      const uint32_t processors = 2 + random_below(&state, side - 1 < 15 ? side - 1 : 15);
      struct cm_gpu *gpu = gpu_of(scheduler, mirrored ? "mirrored" : "constant", processors, tile_size);
      for (unsigned q = 0; q < 40; q++) {
         const uint32_t tile = random_below(&state, 9);
         const struct cm_quad quad = {.x = (uint8_t)random_below(&state, side),
                                      .y = (uint8_t)random_below(&state, side)};
         const uint32_t x = mirrored ? fold(tile % 3 * side + quad.x, side) : quad.x;
         const uint32_t y = mirrored ? fold(tile / 3 * side + quad.y, side) : quad.y;
         assert_int_equal(processor_of(gpu, tile_size, tile, quad, processors),
                          reference(scheduler, x, y, side, processors));
      }
      cm_gpu_destroy(gpu);
   }
}

/* Quads on the two sides of an edge between tiles. */
TEST(neighbours_share_a_processor)
{
   static const char *const schedulers[] = {"interleaved", "sub-tile", "rows", "columns", "quad-block"};
   for (unsigned s = 0; s < 5; s++) {
      struct cm_gpu *gpu = gpu_of(schedulers[s], "mirrored", 4, 16);
      for (uint8_t at = 0; at < 8; at++) {
         for (uint32_t tile = 0; tile < 2; tile++) {
            assert_int_equal(processor_of(gpu, 16, 3 + tile, (struct cm_quad){.x = 7, .y = at}, 4),
                             processor_of(gpu, 16, 3 + tile + 1, (struct cm_quad){.x = 0, .y = at}, 4));
            assert_int_equal(processor_of(gpu, 16, 3 * tile, (struct cm_quad){.x = at, .y = 7}, 4),
                             processor_of(gpu, 16, 3 * tile + 3, (struct cm_quad){.x = at, .y = 0}, 4));
         }
      }
      cm_gpu_destroy(gpu);
   }
}

TEST(refused)
{
   static const struct {
      const char *settings[4], *message;
   } cases[] = {
      {{"fragment_stage.scheduler=rows", "fragment_stage.processors=32", "caches.texture_cache.instances=32"},
       "a tile has 16 of quads for 32 processors"},
      {{"fragment_stage.scheduler=round-robin", "fragment_stage.assignment=mirrored"},
       "quads do not go by their position in the tile"},
      {{"fragment_stage.scheduler=tile", "fragment_stage.assignment=mirrored"},
       "quads do not go by their position in the tile"},
      {{"mode=tbr", "fragment_stage.quad_order=draws"},
       "fragment_stage.quad_order: draws, which mode tbr has anyway"},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      struct cm_config *config = test_config(NULL);
      char error[512] = "";
      for (unsigned s = 0; s < 4 && cases[c].settings[s]; s++)
         assert_true(cm_config_set(config, cases[c].settings[s], error, sizeof error));
      assert_false(cm_config_validate(config, error, sizeof error));
      assert_non_null(strstr(error, cases[c].message));
      cm_config_destroy(config);
   }
}
