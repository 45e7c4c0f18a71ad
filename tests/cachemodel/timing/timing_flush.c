/* SPDX-License-Identifier: MIT */
/* Loads and flushes of tiles in closed form. A block of a flush is done with when the memory controller or the L2 has
 * taken it, one of a load when its data is there. */
#include "support/pass_builder.h"
#include "support/test.h"
#include "util/minmax.h"

#define TILE 32

/* A frame of a column of tiles, of so many bytes a pixel: all flushed, or loaded only. */
static uint64_t
cycles_of_tiles(uint32_t tiles, uint8_t pixel_bytes, bool load, const char *const *changes)
{
   const char *const settings[] = {
      "timing=on",
      "mode=tbr",
      "caches.vertex_cache.policy=perfect",
      "caches.tile_cache.policy=perfect",
      "caches.instruction_cache.policy=perfect",
      "dram_system.timing.tREFI=1000000", /* no refresh */
      "dram_system.power_down_after=0",
      NULL,
   };
   struct cm_gpu *gpu = test_gpu_with(settings, changes);
   struct cm_resource_description surface = describe_texture(TILE, TILE * tiles, 1, pixel_bytes);
   cm_gpu_define_resource(gpu, &surface);
   struct pass_builder *pass = pass_new(0, TILE, TILE * tiles, TILE);
   pass->pass.kind = CM_PASS_TBR;
   pass_color(pass, surface.id, pixel_bytes);
   pass->pass.color[0].load = load;
   pass->pass.color[0].store = !load;
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   for (uint32_t tile = 0; tile < tiles; tile++) {
      pass_primitive(pass, 1, &tile, 1);
      pass_shade(pass, tile, 0, 1, 15);
   }
   return cycles_of_pass(gpu, pass);
}

#define SETTINGS(...)                 \
   (const char *const[])              \
   {                                  \
      __VA_ARGS__ __VA_OPT__(, ) NULL \
   }

/* Cycles that 64 blocks more of a tile take: a tile has 1024 pixels. */
static uint64_t
of_a_tile(bool load, const char *const *changes)
{
   return cycles_of_tiles(1, 8, load, changes) - cycles_of_tiles(1, 4, load, changes);
}

/* The queues of the two channels have room for all 128 blocks: a block takes the cycles of the stage, however few are on
 * their way at once. So it does where the L2 takes them, a bank's access each cycle. */
TEST(writes_are_posted)
{
   static const char *const requests[] = {"pipeline.flush_requests=1", "pipeline.flush_requests=128"};
   for (unsigned i = 0; i < 2; i++) {
      assert_int_equal(of_a_tile(false, SETTINGS(requests[i], "dram_system.write_queue=64")), 64);
      assert_int_equal(of_a_tile(false, SETTINGS(requests[i], "dram_system.write_queue=64",
                                                 "pipeline.flush_cycles=3")),
                       3 * 64);
      assert_int_equal(of_a_tile(false, SETTINGS(requests[i], "streams.color=l2")), 64);
      /* All blocks in one bank of the L2, four cycles each. */
      assert_int_equal(of_a_tile(false, SETTINGS(requests[i], "streams.color=l2", "pipeline.l2_banks=1",
                                                 "pipeline.l2_bank_cycles=4")),
                       i ? 64 : 4 * 64);
   }
}

/* With one block on its way the stage waits for each one's data. */
TEST(loads_wait_for_their_data)
{
   const uint64_t one = of_a_tile(true, SETTINGS("pipeline.load_requests=1"));
   const uint64_t as_flush =
      of_a_tile(true, SETTINGS("pipeline.flush_requests=1", "pipeline.load_requests=0"));
   assert_true(one > 64 * 50); /* an open row's block takes 50 cycles (configs/tcor-baseline-64k.yaml) */
   assert_int_equal(one, as_flush);
   assert_true(of_a_tile(true, SETTINGS("pipeline.load_requests=16")) < one / 4);
}

/* More tiles than the queue holds: the rate of the bus. A block is two bursts of four of DRAM's cycles, ten of which are
 * nine of the GPU. Their addresses are consecutive, so rows open while others transfer; 1 % is for where that does not fit. */
TEST(rate_of_the_bus)
{
   static const char *const requests[] = {"pipeline.flush_requests=1", "pipeline.flush_requests=128"};
   for (unsigned i = 0; i < 2; i++) {
      const char *const *settings = SETTINGS(requests[i], "dram_system.channels=1");
      const uint64_t by_hand = 20 * 64 * 8 * 9 / 10;
      const uint64_t cycles =
         cycles_of_tiles(60, 4, false, settings) - cycles_of_tiles(40, 4, false, settings);
      assert_in_range(cycles, by_hand, by_hand * 101 / 100);
   }
}

/* A frame of 512 x 512 pixels that is cleared and stored, 16384 blocks. */
static uint64_t
cycles_of_cleared(const char *const *changes)
{
   const char *settings[8] = {"timing=on", "mode=tbr"};
   for (unsigned i = 0; changes[i]; i++)
      settings[2 + i] = changes[i];
   struct cm_gpu *gpu = test_gpu(settings);
   define_texture(gpu, 1, 512, 512, 1);
   struct pass_builder *pass = pass_new(0, 512, 512, TILE);
   pass->pass.kind = CM_PASS_TBR;
   pass_color(pass, 1, 4);
   pass->pass.color[0].clear = true;
   for (uint32_t tile = 0; tile < 256; tile++)
      pass->touched[tile] = true;
   return cycles_of_pass(gpu, pass);
}

/* A block takes eight cycles of a channel, 7.2 of the GPU. With blocks in turn on both channels, these are the frame's
 * 58982; a refresh of 210 ns every 3.9 us is 5 % of them. */
TEST(cleared_frame)
{
   const uint64_t by_hand = 16384 / 2 * 72 / 10;
   const uint64_t cycles = cycles_of_cleared(SETTINGS("dram_system.interleave=64"));
   assert_in_range(cycles, by_hand, by_hand * 107 / 100);
}

/* With the interleave of 256 bytes, 256 blocks, four tiles, go to a channel, then 256 to the other one. When the stage comes to
 * the next four, the channel before has as many left as its queue and the buffer hold, if these are not more than half of the
 * four tiles: so many are written at the same time as others, and the others one after another. */
TEST(cleared_frame_channel_by_channel)
{
   static const struct {
      const char *buffer;
      uint32_t size;
   } cases[] = {{"pipeline.flush_requests=1", 1},
                {"pipeline.flush_requests=16", 16},
                {"pipeline.flush_requests=64", 64},
                {"pipeline.flush_requests=128", 128}};
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      const uint32_t left = cm_min(cases[i].size + 32, 128);
      const uint64_t by_hand = 64 * (256 - left) * 72 / 10;
      assert_in_range(cycles_of_cleared(SETTINGS(cases[i].buffer)), by_hand, by_hand * 111 / 100);
   }
}
