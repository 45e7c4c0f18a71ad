/* SPDX-License-Identifier: MIT */
/* Rendering elimination: what a skipped tile leaves out, and for which buffers; what is never skipped; random inputs against a
 * model of the buffers' contents; the Signature Unit's counts and cycles in closed form. */
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/stages.h"
#include "support/test.h"
#include "util/message.h"
#include "util/minmax.h"

#define FRAME(n) (CM_SAME_AS_FRAME << ((n) - 1))
#define ALL (FRAME(1) | FRAME(2) | FRAME(3))

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

static const char *const settings[] = {
   "mode=tbr",
   "tile.size=16",
   "frame.buffers=1",
   "rendering_elimination.signature_bytes=4",
   "rendering_elimination.signatures=1024",
   "rendering_elimination.block_bytes=8",
   "rendering_elimination.tile_cycles=1",
   "rendering_elimination.queue=16",
   "rendering_elimination.check_cycles=1",
   NULL,
};

static struct cm_gpu *
eliminating_gpu(const char *const *changes)
{
   return test_gpu_with(settings, changes);
}

static void
define_image(struct cm_gpu *gpu, uint32_t id, bool is_displayable)
{
   struct cm_resource_description image = describe_texture(64, 64, 1, 4);
   image.id = id;
   image.is_displayable = is_displayable;
   cm_gpu_define_resource(gpu, &image);
}

/* A pass of 2x2 tiles to resource 1, with a primitive of two attributes that covers all of them and a quad in each. */
static struct pass_builder *
four_tiles(uint32_t frame, const unsigned *masks)
{
   static const uint32_t tiles[4] = {0, 1, 2, 3};
   struct pass_builder *pass = pass_new(frame, 32, 32, 16);
   pass->pass.kind = CM_PASS_TBR;
   pass_color(pass, 1, 4);
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   draw->fragment_shader = (struct cm_shader){.id = 1, .instructions = 10, .constant_bytes = 20};
   pass_primitive(pass, 2, tiles, 4);
   for (uint32_t tile = 0; tile < 4; tile++) {
      pass_shade(pass, tile, 0, 1, 15);
      pass_same_inputs(pass, tile, masks[tile]);
   }
   return pass;
}

/* What the last frame's tiles did. A tile that is drawn reads a PMD and two attributes, runs a quad, stores 16 blocks. */
static void
expect_tiles(struct cm_gpu *gpu, uint64_t compared, uint64_t skipped)
{
   const uint64_t drawn = 4 - skipped;
   expect_frame(gpu, cm_gpu_frame_end(gpu), {"rendering_elimination.compared", compared},
                {"rendering_elimination.skipped", skipped}, {"rendering_elimination.wrong", 0},
                {"tiling_engine.tiles", drawn}, {"tiling_engine.pmds", 4}, {"tile_cache.pb_list.writes", 4},
                {"tile_cache.pb_list.reads", drawn}, {"tile_cache.pb_attribute.writes", 2},
                {"tile_cache.pb_attribute.reads", 2 * drawn}, {"fragment_stage.quads", drawn},
                {"dram.color.writes", 16 * drawn});
}

TEST(skipped_tiles)
{
   static const unsigned masks[4] = {FRAME(1), FRAME(2), FRAME(3), 0}, all[4] = {ALL, ALL, ALL, ALL};
   for (unsigned buffers = 1; buffers <= 3; buffers++) {
      char setting[32];
      snprintf(setting, sizeof setting, "frame.buffers=%u", buffers);
      struct cm_gpu *gpu = eliminating_gpu(SETTINGS(setting));
      define_image(gpu, 1, true);
      /* Until each buffer has been drawn to, there is nothing to compare with. */
      for (uint32_t frame = 0; frame < buffers; frame++) {
         pass_run_and_free(four_tiles(frame, all), gpu);
         expect_tiles(gpu, 4, 0);
      }
      pass_run_and_free(four_tiles(buffers, masks), gpu);
      expect_tiles(gpu, 4, 1);
      pass_run_and_free(four_tiles(buffers + 1, all), gpu);
      expect_tiles(gpu, 4, 4);
      cm_gpu_destroy(gpu);
   }
}

/* A skipped tile is what it was, also for the frame after it. */
TEST(skipped_for_ever)
{
   static const unsigned all[4] = {ALL, ALL, ALL, ALL};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS("frame.buffers=3"));
   define_image(gpu, 1, true);
   for (uint32_t frame = 0; frame < 12; frame++) {
      pass_run_and_free(four_tiles(frame, all), gpu);
      expect_tiles(gpu, 4, frame < 3 ? 0 : 4);
   }
   cm_gpu_destroy(gpu);
}

/* A pass of four tiles whose inputs are as before, changed by `change`; how many are skipped in the second frame. */
static uint64_t
skipped_with(void (*change)(struct pass_builder *pass), bool is_displayable, const char *const *changes)
{
   static const unsigned all[4] = {ALL, ALL, ALL, ALL};
   struct cm_gpu *gpu = eliminating_gpu(changes);
   define_image(gpu, 1, is_displayable);
   define_image(gpu, 2, true);
   define_image(gpu, 3, false);
   for (uint32_t frame = 0; frame < 2; frame++) {
      struct pass_builder *pass = four_tiles(frame, all);
      if (change)
         change(pass);
      pass_run_and_free(pass, gpu);
      cm_gpu_frame_end(gpu);
   }
   const uint64_t skipped = gpu_total(gpu, "rendering_elimination.skipped");
   assert_int_equal(gpu_total(gpu, "tiling_engine.tiles"), 8 - skipped);
   cm_gpu_destroy(gpu);
   return skipped;
}

static void
load_color(struct pass_builder *pass)
{
   pass->pass.color[0].load = true;
}

static void
store_depth(struct pass_builder *pass)
{
   pass->pass.depth = (struct cm_attachment){.resource = 3, .pixel_bytes = 4, .store = true};
}

static void
use_depth(struct pass_builder *pass)
{
   pass->pass.depth = (struct cm_attachment){.resource = 2, .pixel_bytes = 4, .clear = true};
}

static void
use_storage(struct pass_builder *pass)
{
   static struct cm_storage storage;
   pass->pass.num_storages = 1;
   pass->pass.storages = &storage;
}

static void
resolve_elsewhere(struct pass_builder *pass)
{
   pass->pass.resolve[0] = (struct cm_resolve){.resource = 2, .x1 = 16, .y1 = 16, .target_x = 16};
}

static void
store_two(struct pass_builder *pass)
{
   pass_color(pass, 2, 4);
}

TEST(what_takes_part)
{
   assert_int_equal(skipped_with(NULL, true, SETTINGS()), 4);
   assert_int_equal(skipped_with(use_depth, true, SETTINGS()), 4);
   assert_int_equal(skipped_with(store_two, true, SETTINGS()), 4);
   assert_int_equal(skipped_with(NULL, false, SETTINGS()), 0);
   assert_int_equal(skipped_with(load_color, true, SETTINGS()), 0);
   /* Depth has one buffer, with this frame's predecessor in it. */
   assert_int_equal(skipped_with(store_depth, true, SETTINGS()), 4);
   assert_int_equal(skipped_with(use_storage, true, SETTINGS()), 0);
   assert_int_equal(skipped_with(resolve_elsewhere, true, SETTINGS()), 0);
   /* Four tiles, one buffer. */
   assert_int_equal(skipped_with(NULL, true, SETTINGS("rendering_elimination.signatures=4")), 4);
   assert_int_equal(skipped_with(NULL, true, SETTINGS("rendering_elimination.signatures=3")), 0);
}

/* With two buffers a tile is skipped if its colours are those of two frames before, and its depth that of the frame before. */
TEST(depth_and_two_buffers)
{
   static const unsigned masks[4] = {FRAME(1), FRAME(2), FRAME(1) | FRAME(2), FRAME(3)};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS("frame.buffers=2"));
   define_image(gpu, 1, true);
   define_image(gpu, 3, false);
   for (uint32_t frame = 0; frame < 3; frame++) {
      struct pass_builder *pass = four_tiles(frame, masks);
      store_depth(pass);
      pass_run_and_free(pass, gpu);
      const uint64_t skipped = frame == 2;
      expect_frame(gpu, cm_gpu_frame_end(gpu), {"rendering_elimination.skipped", skipped},
                   {"dram.color.writes", 16 * (4 - skipped)}, {"dram.depth.writes", 16 * (4 - skipped)});
   }
   cm_gpu_destroy(gpu);
}

/* What the second pass of a frame draws over is the first one's. */
TEST(passes_to_the_same_image)
{
   static const unsigned all[4] = {ALL, ALL, ALL, ALL};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS());
   define_image(gpu, 1, true);
   for (uint32_t frame = 0; frame < 3; frame++) {
      for (unsigned p = 0; p < 2; p++) {
         struct pass_builder *pass = four_tiles(frame, all);
         pass->touched[0] = p == 0;
         pass->touched[1] = pass->touched[2] = pass->touched[3] = true;
         pass_run_and_free(pass, gpu);
      }
      /* The first pass alone stores tile 0. */
      expect_frame(gpu, cm_gpu_frame_end(gpu), {"rendering_elimination.compared", 7},
                   {"rendering_elimination.skipped", frame != 0});
   }
   cm_gpu_destroy(gpu);
}

/* Of each draw the constants, 20 bytes, and 8 of its state: 4 blocks of 8 bytes; of each primitive 48 bytes an attribute. */
TEST(signature_unit)
{
   static const uint32_t tiles[4] = {0, 1, 2, 3};
   static const unsigned none[4] = {0};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS());
   define_image(gpu, 1, true);
   struct pass_builder *pass = four_tiles(0, none);
   pass_primitive(pass, 3, tiles + 1, 2);
   pass_draw(pass)->fragment_shader.constant_bytes = 0;
   pass_primitive(pass, 1, tiles, 3);
   pass_run_and_free(pass, gpu);
   expect_frame(gpu, cm_gpu_frame_end(gpu), {"rendering_elimination.blocks", 4 + 12 + 18 + 1 + 6},
                {"rendering_elimination.updates", 4 + 4 + 2 + 3 + 3});
   cm_gpu_destroy(gpu);
}

/* ---- time ------------------------------------------------------------------------- */

/* A frame of so many primitives of one attribute in a tile, signed. */
static uint64_t
cycles_of_primitives(uint32_t count, const char *const *changes)
{
   static const uint32_t tile = 0;
   const char *all[16] = {"timing=on", "caches.vertex_cache.policy=perfect",
                          "caches.tile_cache.policy=perfect", "caches.instruction_cache.policy=perfect",
                          "dram_system.timing.tREFI=1000000"};
   for (unsigned i = 0; changes[i]; i++)
      all[5 + i] = changes[i];
   struct cm_gpu *gpu = eliminating_gpu(all);
   define_image(gpu, 1, true);
   struct pass_builder *pass = pass_new(0, 16, 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   pass_color(pass, 1, 4);
   pass_draw(pass)->num_vertices = 3;
   for (uint32_t p = 0; p < count; p++)
      pass_primitive(pass, 1, &tile, 1);
   pass_shade(pass, 0, 0, 1, 15);
   pass_same_inputs(pass, 0, 0);
   return cycles_of_pass(gpu, pass);
}

/* 400 primitives more take the cycles of what limits, and two in the Tile Fetcher. */
TEST(signature_unit_limits)
{
   const char *const *cases[] = {SETTINGS("rendering_elimination.block_bytes=4"),
                                 SETTINGS("rendering_elimination.tile_cycles=9"),
                                 SETTINGS("rendering_elimination.block_bytes=256"),
                                 SETTINGS("rendering_elimination.tile_cycles=30",
                                          "rendering_elimination.queue=1")};
   static const uint64_t limits[] = {12, 9, 2, 30};
   for (unsigned i = 0; i < 4; i++)
      assert_int_equal(cycles_of_primitives(800, cases[i]) - cycles_of_primitives(400, cases[i]),
                       400 * (limits[i] + 2));
}

/* The cycles of a second frame that draws what the first one drew; skipped: it is recognised. core: pipes, the preset of a GPU
 * with one shader core. */
static uint64_t
cycles_of_second_frame(bool skipped, const char *check_cycles, bool has_core)
{
   static const unsigned masks[2][4] = {{0}, {ALL, ALL, ALL, ALL}};
   const char *all[16] = {NULL};
   unsigned count = 0;
   for (; settings[count]; count++)
      all[count] = settings[count];
   all[count++] = "timing=on";
   all[count++] = check_cycles;
   struct cm_config *config = test_config_of(has_core ? "mali-g52-mc1" : NULL, all);
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   define_image(gpu, 1, true);
   const int cycles = cm_counter_table_find(cm_gpu_counters(gpu), "gpu.cycles");
   uint64_t last = 0;
   for (uint32_t frame = 0; frame < 2; frame++) {
      pass_run_and_free(four_tiles(frame, masks[skipped]), gpu);
      last = cm_gpu_frame_end(gpu)[cycles];
   }
   assert_int_equal(gpu_total(gpu, "rendering_elimination.skipped"), skipped ? 4 : 0);
   assert_true(gpu_total(gpu, "signature_unit.cycles") > 0);
   if (!has_core)
      assert_stages_add_up(gpu, 4, 1);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
   return last;
}

/* All of the frame's checks come before its end. */
TEST(skipped_tiles_cost_their_check)
{
   for (unsigned core = 0; core < 2; core++) {
      const uint64_t drawn = cycles_of_second_frame(false, "rendering_elimination.check_cycles=1", core);
      const uint64_t skipped = cycles_of_second_frame(true, "rendering_elimination.check_cycles=1", core);
      assert_true(skipped < drawn);
      assert_int_equal(cycles_of_second_frame(true, "rendering_elimination.check_cycles=101", core) - skipped,
                       4 * 100);
      assert_int_equal(skipped - cycles_of_second_frame(true, "rendering_elimination.check_cycles=0", core),
                       4);
   }
}

/* ---- random inputs ------------------------------------------------------------------ */

#define SIDE 4
#define TILES (SIDE * SIDE)
#define FRAMES 24

/* A tile's inputs are a number, and so are its pixels, which are the same for different inputs now and then. */
struct buffers {
   uint32_t count;
   uint32_t held[3][TILES], held_since[3][TILES]; /* inputs of what is there; 1 + the frame */
   uint32_t inputs[FRAMES][TILES];                /* of each frame's pass; 0: the tile was not touched */
   uint32_t shown[FRAMES][TILES];                 /* pixels at the end of each frame */
};

static uint32_t
pixels_of(uint32_t inputs)
{
   return inputs / 2;
}

static struct pass_builder *
random_frame(uint64_t *state, uint32_t frame, struct buffers *buffers, uint64_t *skipped)
{
   struct pass_builder *pass = pass_new(frame, SIDE * 16, SIDE * 16, 16);
   pass->pass.kind = CM_PASS_TBR;
   pass_color(pass, 1, 4);
   for (uint32_t tile = 0; tile < TILES; tile++) {
      const uint32_t inputs = random_below(state, 5);
      uint32_t *held = &buffers->held[frame % buffers->count][tile];
      uint32_t *since = &buffers->held_since[frame % buffers->count][tile];
      uint8_t same = 0;
      unsigned mask = 0;
      buffers->inputs[frame][tile] = inputs;
      buffers->shown[frame][tile] = inputs ? pixels_of(inputs) : frame ? buffers->shown[frame - 1][tile] : 99;
      pass->touched[tile] = inputs != 0;
      for (uint32_t n = 1; n <= 3 && n <= frame; n++) {
         mask |= inputs == buffers->inputs[frame - n][tile] ? FRAME(n) : 0;
         same |= buffers->shown[frame][tile] == buffers->shown[frame - n][tile] ? FRAME(n) : 0;
      }
      pass_same_inputs(pass, tile, inputs ? mask : 0);
      pass_same(pass, tile, 0, 1, 1, &same);
      if (!inputs)
         continue;
      *skipped += *held == inputs && frame + 1 - *since <= 3;
      *held = inputs;
      *since = frame + 1;
   }
   return pass;
}

TEST(random_inputs)
{
   for (uint32_t round = 0; round < test_rounds(24); round++) {
      const char *const counts[] = {"frame.buffers=1", "frame.buffers=2", "frame.buffers=3"};
      struct buffers buffers = {.count = round % 3 + 1};
      struct cm_gpu *gpu = eliminating_gpu(SETTINGS(counts[round % 3]));
      uint64_t state = round + 1, skipped = 0, touched = 0;
      define_image(gpu, 1, true);
      for (uint32_t frame = 0; frame < FRAMES; frame++) {
         struct pass_builder *pass = random_frame(&state, frame, &buffers, &skipped);
         for (uint32_t tile = 0; tile < TILES; tile++)
            touched += pass->touched[tile];
         pass_run_and_free(pass, gpu);
         cm_gpu_frame_end(gpu);
      }
      assert_true(skipped > 20);
      expect_counters(gpu, {"rendering_elimination.compared", touched},
                      {"rendering_elimination.skipped", skipped}, {"rendering_elimination.wrong", 0},
                      {"tiling_engine.tiles", touched - skipped},
                      {"dram.color.writes", 16 * (touched - skipped)});
      cm_gpu_destroy(gpu);
   }
}

/* ---- what cannot be -------------------------------------------------------------- */

static unsigned messages;

static void
count_message(enum cm_message_kind kind, const char *text)
{
   assert_int_equal(kind, CM_MESSAGE_ERROR);
   assert_non_null(strstr(text, "has the same inputs as before and other pixels"));
   messages++;
}

/* Tiles with the same inputs whose pixels the renderer knows to differ. */
TEST(wrong_eliminations)
{
   static const unsigned all[4] = {ALL, ALL, ALL, ALL};
   static const uint8_t known[4] = {FRAME(1), FRAME(2), 0, FRAME(1) | CM_SAME_AS_MEMORY};
   struct cm_gpu *gpu = eliminating_gpu(SETTINGS());
   define_image(gpu, 1, true);
   messages = 0;
   cm_set_message_handler(count_message);
   for (uint32_t frame = 0; frame < 2; frame++) {
      struct pass_builder *pass = four_tiles(frame, all);
      for (uint32_t tile = 0; tile < 4; tile++)
         pass_same(pass, tile, 0, 1, 1, &known[tile]);
      pass_run_and_free(pass, gpu);
   }
   cm_set_message_handler(NULL);
   cm_gpu_frame_end(gpu);
   assert_int_equal(messages, 1);
   expect_counters(gpu, {"rendering_elimination.skipped", 4}, {"rendering_elimination.wrong", 2});
   cm_gpu_destroy(gpu);
}
