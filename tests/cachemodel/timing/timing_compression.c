/* SPDX-License-Identifier: MIT */
/* What compressed framebuffers add to cycles: a tile's superblocks, and blocks that are read as texture. */
#include <string.h>

#include "support/pass_builder.h"
#include "support/stages.h"
#include "support/test.h"

/* No refresh, nor power-down: all else takes as long whenever it begins. */
#define SETTINGS(...)                                                                                    \
   ((const char *const[]){"timing=on", "mode=tbr", "caches.vertex_cache.policy=perfect",                 \
                          "caches.tile_cache.policy=perfect", "caches.instruction_cache.policy=perfect", \
                          "dram_system.timing.tREFI=1000000", "dram_system.power_down_after=0",          \
                          "dram_system.write_queue=64", __VA_ARGS__ __VA_OPT__(, ) NULL})

static struct pass_builder *
one_quad(void)
{
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   static const uint32_t tile = 0;
   pass->pass.kind = CM_PASS_TBR;
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   pass_primitive(pass, 1, &tile, 1);
   pass_shade(pass, 0, 0, 1, 15);
   return pass;
}

/* A tile of 32 x 32 pixels, four superblocks, stored or loaded; then a quad that reads a texel of it. Sizes are such that
 * superblocks have a body (20), or none (0). */
static uint64_t
cycles_of(uint8_t size, bool load, bool read, const char *const *changes)
{
   struct cm_gpu *gpu = test_gpu_with(test_compression_settings, changes);
   define_texture(gpu, 1, 32, 32, 1);
   struct pass_builder *pass = one_quad();
   pass_color(pass, 1, 4);
   pass->touched[0] = true;
   memset(pass_content(pass, 0, 0, 2, 2), size, 64);
   if (load) {
      pass_run(pass, gpu);
      pass->pass.color[0].load = true;
      pass->pass.color[0].store = false;
   }
   if (!read)
      return cycles_of_pass(gpu, pass);
   pass_run_and_free(pass, gpu);
   pass = one_quad();
   pass->draws[0].num_textures = 1;
   pass->draws[0].textures[0].resource = 1;
   pass_footprints(pass, 0, 0, &(struct cm_footprint){.live = 15}, 1);
   return cycles_of_pass(gpu, pass);
}

/* Cycles that a setting adds. */
static uint64_t
added(uint8_t size, bool load, bool read, const char *setting)
{
   return cycles_of(size, load, read, SETTINGS(setting)) - cycles_of(size, load, read, SETTINGS());
}

TEST(superblocks)
{
   assert_int_equal(added(20, false, false, "framebuffer_compression.superblock_cycles=10"), 40);
   assert_int_equal(added(0, false, false, "framebuffer_compression.superblock_cycles=10"), 40);
   /* Stored once, and then loaded: the first few cycles of a load are hidden by what else the tile waits for. */
   assert_int_equal(added(0, true, false, "framebuffer_compression.superblock_cycles=60") -
                       added(0, true, false, "framebuffer_compression.superblock_cycles=50"),
                    80);
}

TEST(textures)
{
   assert_int_equal(added(20, false, true, "framebuffer_compression.decompression_cycles=25"), 25);
   assert_int_equal(added(0, false, true, "framebuffer_compression.decompression_cycles=25"), 25);
}

/* Timing changes nothing that is counted without it, and stages add up. */
TEST(only_time_is_new)
{
   struct cm_gpu *gpus[3];
   for (unsigned g = 0; g < 3; g++) {
      uint64_t state = 5;
      gpus[g] = test_gpu_with(test_compression_settings,
                              (const char *const[]){g ? "timing=on" : "timing=off",
                                                    "framebuffer_compression.superblock_cycles=3",
                                                    "framebuffer_compression.decompression_cycles=3", NULL});
      define_texture(gpus[g], 1, 100, 70, 1);
      for (unsigned n = 0; n < 4; n++) {
         struct pass_builder *pass = pass_new(0, 100, 70, 32);
         struct cm_draw *draw = pass_draw(pass);
         if (n % 2 == 0) {
            pass_color(pass, 1, 4);
            pass->pass.color[0].load = n > 0;
            memset(pass->touched, true, pass->pass.tiles_x * pass->pass.tiles_y);
            pass_random_contents(pass, 0, &state);
         }
         draw->num_textures = n % 2;
         draw->textures[0].resource = 1;
         for (uint32_t tile = 0; n % 2 && tile < 12; tile++) {
            const struct cm_footprint footprint = {.live = 15,
                                                   .linear = 1,
                                                   .texel = {{(int16_t)(7 * tile), (int16_t)(5 * tile)}}};
            pass_shade(pass, tile, 0, 1, 15);
            pass_footprints(pass, tile, 0, &footprint, 1);
         }
         pass_run_and_free(pass, gpus[g]);
      }
      cm_gpu_frame_end(gpus[g]);
   }
   assert_true(gpu_total(gpus[1], "framebuffer_compression.texture.body_bytes") > 0);
   assert_true(assert_stages_add_up(gpus[1], 4, 1) > 0);
   assert_only_time_is_new(gpus[0], gpus[1], gpus[2]);
   for (unsigned g = 0; g < 3; g++)
      cm_gpu_destroy(gpus[g]);
}

/* Tiles of one colour whose headers are in their cache write nothing: the next tile may be shaded before the Tile Fetcher has left the one
 * before. */
TEST(tiles_without_writes)
{
   struct cm_config *config = test_compression_config(
      SETTINGS("tile.size=16", "caches.header_cache.size=64K", "caches.tile_cache.policy=lru"));
   for (uint32_t round = 0; round < 8; round++) {
      uint64_t state = round;
      struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
      define_texture(gpu, 1, 512, 512, 1);
      struct pass_builder *pass = pass_new(0, 512, 512, 16);
      pass->pass.kind = CM_PASS_TBR;
      pass_color(pass, 1, 4);
      pass_draw(pass)->num_vertices = 3;
      for (uint32_t tile = 0; tile < 1024; tile++) {
         pass_primitive(pass, 1 + random_below(&state, 8), &tile, 1);
         pass_shade(pass, tile, 0, 1 + random_below(&state, 4), 15);
         pass->touched[tile] = true;
         memset(pass_content(pass, tile, 0, 1, 1), 0, 16);
      }
      pass_run_and_free(pass, gpu);
      cm_gpu_frame_end(gpu);
      assert_true(cm_gpu_is_complete(gpu));
      cm_gpu_destroy(gpu);
   }
   cm_config_destroy(config);
}
