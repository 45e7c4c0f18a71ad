/* SPDX-License-Identifier: MIT */
/* Fragment Processors whose stages are their own (pipeline.lanes): cycles in closed form where all go on to the next tile
 * together, and where each does by itself; against a recurrence on random loads; and what holds for any frames. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/random_pass.h"
#include "support/stages.h"
#include "support/test.h"

#define MAX_TILES 8
#define MAX_PROCESSORS 4
#define INSTRUCTIONS 1000

/* Quads to shade, by tile and processor. */
typedef uint32_t load[MAX_TILES][MAX_PROCESSORS];

/* A GPU without misses, whose processors each take as many columns of quads of a tile. */
static struct cm_gpu *
ideal_gpu(const char *lanes, uint32_t processors, const char *const *changes)
{
   char settings[3][64];
   snprintf(settings[0], sizeof settings[0], "pipeline.lanes=%s", lanes);
   snprintf(settings[1], sizeof settings[1], "fragment_stage.processors=%u", processors);
   snprintf(settings[2], sizeof settings[2], "caches.texture_cache.instances=%u", processors);
   return test_gpu_with((const char *const[]){"timing=on", "mode=tbr", "caches.vertex_cache.policy=perfect",
                                              "caches.texture_cache.policy=perfect",
                                              "caches.tile_cache.policy=perfect",
                                              "caches.instruction_cache.policy=perfect",
                                              "fragment_stage.scheduler=columns", settings[0], settings[1],
                                              settings[2], NULL},
                        changes);
}

static void
add_quads(struct pass_builder *pass, uint32_t tile, const uint32_t *quads, uint32_t processors)
{
   const uint32_t width = 16 / processors;
   bool more = true;
   for (uint32_t n = 0; more; n++) {
      more = false;
      for (uint32_t p = 0; p < processors; p++) {
         const struct cm_quad quad = {.primitive = tile,
                                      .x = (uint8_t)(p * width + n % width),
                                      .y = (uint8_t)(n / width % 16),
                                      .live = 15,
                                      .covered = 15,
                                      .visible = 15,
                                      .written = 15};
         if (n < quads[p])
            pass_quads(pass, tile, 0, 0, &quad, 1);
         more |= n + 1 < quads[p];
      }
   }
}

/* Cycles of a frame of a row of tiles. */
static uint64_t
cycles_of(const char *lanes, load quads, uint32_t tiles, uint32_t processors, uint32_t instructions,
          const char *const *changes)
{
   struct cm_gpu *gpu = ideal_gpu(lanes, processors, changes);
   struct pass_builder *pass = pass_new(0, 32 * tiles, 32, 32);
   struct cm_draw *draw = pass_draw(pass);
   pass->pass.kind = CM_PASS_TBR;
   draw->num_vertices = 1;
   draw->fragment_shader.instructions = instructions;
   for (uint32_t tile = 0; tile < tiles; tile++) {
      pass_primitive(pass, 1, &tile, 1);
      add_quads(pass, tile, quads[tile], processors);
   }
   return cycles_of_pass(gpu, pass);
}

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

static uint64_t
later(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

/* Two processors, two tiles: together they take the slower one's time for each tile, alone the time of the one that has more
 * in both. The second one begins a cycle later, as the Rasterizer passes on a quad per cycle. */
TEST(two_processors_two_tiles)
{
   static const uint32_t cases[][2][2] = {
      {{1, 1}, {1, 1}}, {{5, 1}, {1, 5}}, {{1, 5}, {5, 1}}, {{5, 1}, {5, 1}},
      {{7, 2}, {3, 4}}, {{6, 1}, {1, 6}}, {{0, 8}, {3, 1}},
   };
   const uint64_t rest =
      cycles_of("coupled", (load){{1}, {1}}, 2, 2, INSTRUCTIONS, SETTINGS()) - 2 * INSTRUCTIONS;
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      load quads = {{cases[c][0][0], cases[c][0][1]}, {cases[c][1][0], cases[c][1][1]}};
      uint64_t work[2][2];
      for (unsigned i = 0; i < 4; i++)
         work[i / 2][i % 2] = cases[c][i / 2][i % 2] * INSTRUCTIONS;
      work[0][1] += cases[c][0][1] && cases[c][0][0];
      assert_int_equal(cycles_of("coupled", quads, 2, 2, INSTRUCTIONS, SETTINGS()),
                       rest + later(work[0][0], work[0][1]) + later(work[1][0], work[1][1]));
      assert_int_equal(cycles_of("decoupled", quads, 2, 2, INSTRUCTIONS, SETTINGS()),
                       rest + later(work[0][0] + work[1][0], work[0][1] + work[1][1]));
   }
}

/* When all is done, in quads. */
static uint32_t
recurrence(bool coupled, load quads, uint32_t tiles, uint32_t processors)
{
   uint32_t ends[MAX_PROCESSORS] = {0}, last = 0;
   for (uint32_t t = 0; t < tiles; t++) {
      const uint32_t all = last;
      for (uint32_t p = 0; p < processors; p++) {
         if (quads[t][p])
            ends[p] = (coupled ? all : ends[p]) + quads[t][p];
         last = ends[p] > last ? ends[p] : last;
      }
   }
   return last;
}

/* What follows the last instruction of a tile's last quad, and goes before the first one of its first, is short. */
TEST(recurrence_of_random_loads)
{
   uint64_t state = 7;
   uint32_t differ = 0;
   for (unsigned run = 0; run < 24; run++) {
      load quads = {{0}};
      const char *const *changes = SETTINGS(run % 2 ? "pipeline.tile_buffers=1" : "pipeline.tile_buffers=3");
      const uint32_t processors = 1u << random_below(&state, 3), tiles = 2 + random_below(&state, 7);
      uint32_t expected[2];
      for (uint32_t t = 0; t < tiles; t++) {
         for (uint32_t p = 0; p < processors; p++)
            quads[t][p] = random_below(&state, 3) ? random_below(&state, 12) : 0;
      }
      for (unsigned coupled = 0; coupled < 2; coupled++) {
         const uint64_t cycles =
            cycles_of(coupled ? "coupled" : "decoupled", quads, tiles, processors, INSTRUCTIONS, changes);
         expected[coupled] = recurrence(coupled, quads, tiles, processors);
         assert_in_range(cycles, expected[coupled] * INSTRUCTIONS,
                         expected[coupled] * INSTRUCTIONS + 60 * tiles);
      }
      assert_true(expected[0] <= expected[1]);
      differ += expected[0] < expected[1];
   }
   assert_true(differ > 5);
}

/* Blending waits for a tile buffer. The first processor has one quad of the first tile and six of the second, the other one five
 * and one; they are shaded one after another, and one waits for the Blending Unit. With one buffer the first processor's
 * second quad of the second tile keeps it until the first tile is flushed, after five quads' time; four follow. */
TEST(one_tile_buffer)
{
   load quads = {{1, 5}, {6, 1}};
   for (uint32_t buffers = 1; buffers < 3; buffers++) {
      const char *const *changes =
         SETTINGS(buffers == 1 ? "pipeline.tile_buffers=1" : "pipeline.tile_buffers=2",
                  "pipeline.color_queue=1", "pipeline.fragment_contexts=1");
      const uint64_t cycles = cycles_of("decoupled", quads, 2, 2, INSTRUCTIONS, changes);
      const uint32_t expected = buffers == 1 ? 5 + 4 : 7;
      assert_in_range(cycles, expected * INSTRUCTIONS, expected * INSTRUCTIONS + 60);
   }
}

/* Each lane has an Early Z-Test and a Blending Unit: half of 400 quads more go through each of two. */
TEST(units_of_lanes)
{
   load some = {{200, 200}}, more = {{400, 400}};
   const char *const *tests = SETTINGS("pipeline.early_z_quads=4", "pipeline.early_z_latency=20");
   const char *const *blends = SETTINGS("pipeline.blend_cycles=9");
   static const struct {
      const char *lanes;
      uint32_t units;
   } cases[] = {{"shared", 1}, {"coupled", 2}, {"decoupled", 2}};
   for (unsigned c = 0; c < 3; c++) {
      const char *lanes = cases[c].lanes;
      assert_int_equal(cycles_of(lanes, more, 1, 2, 1, tests) - cycles_of(lanes, some, 1, 2, 1, tests),
                       400 * 5 / cases[c].units);
      assert_int_equal(cycles_of(lanes, more, 1, 2, 1, blends) - cycles_of(lanes, some, 1, 2, 1, blends),
                       400 * 9 / cases[c].units);
   }
}

static void
run_frames(struct cm_gpu *gpu)
{
   uint64_t state = 11;
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < 6; frame++) {
      for (unsigned passes = 1 + frame % 3; passes; passes--)
         pass_run_and_free(random_pass(&state, frame), gpu);
      cm_gpu_frame_end(gpu);
   }
   assert_true(cm_gpu_is_complete(gpu));
}

/* In random frames what stages do are all cycles, of each lane; the caches count the same; and each time it is the same. */
TEST(random_frames)
{
   static const char *const others[][3] = {
      {"pipeline.tile_buffers=1", "pipeline.fragment_queue=1", "pipeline.color_queue=1"},
      {"pipeline.tile_buffers=16", "pipeline.texture_mshrs=1", "caches.l2.size=65536"},
      {"fragment_stage.assignment=mirrored", "tile.order=hilbert", "caches.texture_cache.size=2048"},
   };
   for (unsigned c = 0; c < 6; c++) {
      const char *settings[] = {"timing=on",
                                "mode=tbr",
                                c % 2 ? "pipeline.lanes=decoupled" : "pipeline.lanes=coupled",
                                "fragment_stage.scheduler=sub-tile",
                                others[c / 2][0],
                                others[c / 2][1],
                                others[c / 2][2],
                                NULL};
      struct cm_gpu *on = test_gpu(settings), *again = test_gpu(settings);
      settings[0] = "timing=off";
      struct cm_gpu *off = test_gpu(settings);
      run_frames(on);
      run_frames(again);
      run_frames(off);
      assert_int_equal(assert_stages_add_up(on, 4, 4), 11);
      assert_only_time_is_new(off, on, again);
      cm_gpu_destroy(on);
      cm_gpu_destroy(again);
      cm_gpu_destroy(off);
   }
}

TEST(refused)
{
   static const struct {
      const char *settings[4], *message;
   } cases[] = {
      {{"mode=tbr"}, "quads do not go by their position in the tile"},
      {{"mode=tbr", "fragment_stage.scheduler=tile"}, "quads do not go by their position in the tile"},
      {{"fragment_stage.scheduler=sub-tile"}, "mode is tbdr"},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      struct cm_config *config = test_config((const char *const[]){"timing=on", NULL});
      char error[512] = "";
      assert_true(cm_config_set(config, "pipeline.lanes=decoupled", error, sizeof error));
      for (unsigned s = 0; s < 4 && cases[c].settings[s]; s++)
         assert_true(cm_config_set(config, cases[c].settings[s], error, sizeof error));
      assert_false(cm_config_validate(config, error, sizeof error));
      assert_non_null(strstr(error, cases[c].message));
      cm_config_destroy(config);
   }
}
