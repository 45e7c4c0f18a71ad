/* SPDX-License-Identifier: MIT */
/* The L2's latency that follows from its array: numbers by hand, and that reads take so long. */
#include "energy/energy.h"
#include "gpu/gpu_config.h"
#include "support/pass_builder.h"
#include "support/test.h"

/* Access times of data/cacti-7.0-energies.csv, times the clock, rounded up, and nine cycles. */
TEST(by_hand)
{
   static const struct {
      const char *size, *ways, *technology, *cell, *clock;
      uint32_t cycles;
   } cases[] = {
      {"l2.size=1M", "l2.ways=8", "energy.technology=32", "energy.cell=itrs-lstp", "clock_mhz=600", 3 + 9},
      {"l2.size=256K", "l2.ways=8", "energy.technology=32", "energy.cell=itrs-lstp", "clock_mhz=600", 2 + 9},
      {"l2.size=4M", "l2.ways=8", "energy.technology=32", "energy.cell=itrs-lstp", "clock_mhz=600", 4 + 9},
      {"l2.size=16M", "l2.ways=8", "energy.technology=32", "energy.cell=itrs-lstp", "clock_mhz=600", 7 + 9},
      /* 3.57271 ns at 1.2 GHz: 4.29; of 22 nm 2.88569 ns: 3.46; of fast cells 1.52807 ns: 1.83. */
      {"l2.size=1M", "l2.ways=8", "energy.technology=32", "energy.cell=itrs-lstp", "clock_mhz=1200", 5 + 9},
      {"l2.size=1M", "l2.ways=8", "energy.technology=22", "energy.cell=itrs-lstp", "clock_mhz=1200", 4 + 9},
      {"l2.size=1M", "l2.ways=8", "energy.technology=32", "energy.cell=itrs-hp", "clock_mhz=1200", 2 + 9},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct cm_config *config =
         test_config((const char *const[]){cases[i].size, cases[i].ways, cases[i].technology, cases[i].cell,
                                           cases[i].clock, NULL});
      char error[300];
      uint32_t cycles = 0;
      assert_true(cm_energy_find_latency(config, &cycles, error, sizeof error));
      assert_int_equal(cycles, cases[i].cycles);
      cm_config_destroy(config);
   }
}

/* At the papers' size, technology and clock it is the papers' number. */
TEST(is_tcors)
{
   struct cm_config *config = test_config_of("tcor-baseline-64k", (const char *const[]){NULL});
   char error[300];
   uint32_t cycles;
   assert_true(cm_energy_find_latency(config, &cycles, error, sizeof error));
   assert_int_equal(config->caches[CM_UNIT_L2].latency, 12);
   assert_int_equal(cycles, 12);
   cm_config_destroy(config);
}

/* A larger one than the table has, and none: an error where time is simulated, and only there. */
TEST(out_of_the_table)
{
   char error[1024];
   struct cm_config *config =
      test_config((const char *const[]){"l2.latency=auto", "l2.size=32M", "timing=off", NULL});
   assert_true(cm_config_validate(config, error, sizeof error));
   assert_true(cm_config_set(config, "timing=on", error, sizeof error));
   assert_false(cm_config_validate(config, error, sizeof error));
   cm_config_destroy(config);
}

/* Cycles of a frame whose texture reads miss in the texture cache. */
static uint64_t
cycles_of_reads(const char *size, const char *latency)
{
   struct cm_gpu *gpu = test_gpu((const char *const[]){"timing=on", "mode=tbr", size, latency, NULL});
   define_texture(gpu, 1, 256, 256, 1);
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   const uint32_t tile = 0;
   pass->pass.kind = CM_PASS_TBR;
   struct cm_draw *draw = pass_draw(pass);
   draw->num_vertices = 3;
   draw->num_textures = 1;
   draw->textures[0].resource = 1;
   pass_primitive(pass, 1, &tile, 1);
   for (uint32_t q = 0; q < 64; q++) {
      const int16_t at = (int16_t)(4 * q);
      const struct cm_footprint footprint = {.live = 15, .texel = {{at, at}, {at, at}, {at, at}, {at, at}}};
      pass_shade(pass, 0, 0, 1, 15);
      pass_footprints(pass, 0, 0, &footprint, 1);
   }
   return cycles_of_pass(gpu, pass);
}

TEST(reads_take_so_long)
{
   assert_int_equal(cycles_of_reads("l2.size=1M", "l2.latency=auto"),
                    cycles_of_reads("l2.size=1M", "l2.latency=12"));
   assert_int_equal(cycles_of_reads("l2.size=16M", "l2.latency=auto"),
                    cycles_of_reads("l2.size=16M", "l2.latency=16"));
   assert_true(cycles_of_reads("l2.size=16M", "l2.latency=auto") >
               cycles_of_reads("l2.size=16M", "l2.latency=12"));
}
