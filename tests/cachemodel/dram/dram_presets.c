/* SPDX-License-Identifier: MIT */
/* What the presets say of their memory: every one has a DRAM system; bandwidths and latencies are those that
 * the comments and docs/dram.md name. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "dram/organisation.h"
#include "support/dram_harness.h"
#include "support/pass_builder.h"
#include "support/test.h"

static void
check_preset(const char *name, const char *description, void *context)
{
   struct cm_config *config = test_config_of(name, NULL);
   const struct cm_dram_system_config *dram = &config->dram_system;
   if (!dram->device)
      fail_msg("%s has no dram_system", name);
   static const struct {
      const char *prefix, *device;
      uint32_t channels, megabytes_per_second, CL, tRCD, tRP;
   } memories[] = {
      {"imr", "DDR3_4Gb_x16_1600", 2, 25600, 15, 15, 15},
      {"banked-imr", "DDR3_4Gb_x16_1600", 2, 25600, 15, 15, 15},
      {"mali-g52-mc1", "LPDDR4_8Gb_x16_3200", 2, 12800, 34, 29, 29},
      {"mali-g57-mc2", "LPDDR4X_8Gb_x16_4266", 2, 17057, 44, 39, 39},
      {"mali-t860-mp4", "DDR3_4Gb_x16_1866", 1, 7476, 13, 13, 13},
      {"mali", "LPDDR5_16Gb_x16_6400", 4, 51200, 17, 15, 15},
      {"bxm-4-64", "LPDDR4X_8Gb_x16_4266", 4, 34115, 44, 39, 39},
      {"vc4-pi3", "LPDDR3_8Gb_x16_800", 2, 3200, 6, 8, 8},
      {"v3d", "LPDDR4_8Gb_x16_3200", 2, 12800, 34, 29, 29},
      {"", "LPDDR3_8Gb_x32_1333", 2, 10666, 10, 12, 12},
   };
   unsigned i = 0;
   while (strncmp(name, memories[i].prefix, strlen(memories[i].prefix)) != 0)
      i++;
   assert_string_equal(cm_dram_device(dram->device)->name, memories[i].device);
   assert_int_equal(dram->channels, memories[i].channels);
   const struct cm_dram_timing timing = cm_dram_config_timing(dram);
   assert_int_equal(timing.CL, memories[i].CL);
   assert_int_equal(timing.tRCD, memories[i].tRCD);
   assert_int_equal(timing.tRP, memories[i].tRP);
   assert_true(timing.tRPab >= timing.tRP); /* also where tRP is the preset's own */
   struct cm_dram_system *system = dram_create(dram);
   assert_int_equal((uint64_t)cm_dram_system_bytes_per_cycle(system) * 1000000 /
                       cm_dram_device(dram->device)->tCK,
                    memories[i].megabytes_per_second);
   cm_dram_system_destroy(system);
   cm_config_destroy(config);
   ++*(unsigned *)context;
}

TEST(every_preset_has_memory)
{
   char error[512];
   unsigned count = 0;
   assert_true(cm_config_list_presets(NULL, check_preset, &count, error, sizeof error));
   assert_true(count >= 20);
}

/* LPDDR5 fills its bus only from several bank groups; the preset's mapping sends a stream of blocks to all of them. */
TEST(streams_of_lpddr5)
{
   struct cm_config *config = test_config_of("mali-like", NULL);
   struct cm_dram_system *system = dram_create(&config->dram_system);
   const uint64_t blocks = 20000;
   for (uint64_t i = 0; i < blocks; i++)
      cm_dram_system_submit(system, i * 64, 64, false, CM_STREAM_COLOR, 0);
   const uint64_t end = cm_dram_system_drain(system);
   const uint64_t peak = blocks * 64 / cm_dram_system_bytes_per_cycle(system);
   assert_true(end >= peak);
   assert_true(end * 100 <= peak * 125);
   cm_dram_system_destroy(system);
   cm_config_destroy(config);
}

/* 10.7 GB/s; an open row's block after 50 cycles of the GPU, another row's after 72 (TCOR Table I: 50-100
 * cycles). */
TEST(tile_based)
{
   struct cm_config *config = test_config_of(NULL, NULL);
   struct cm_dram_system *system = dram_create(&config->dram_system);
   const struct cm_dram_clock clock = cm_dram_system_clock(system, config->clock_mhz);
   /* 16 B each 1.5 ns. */
   assert_int_equal(cm_dram_system_bytes_per_cycle(system), 16);
   assert_int_equal(cm_dram_device(config->dram_system.device)->tCK, 1500);
   /* Soon after each other, so that nothing is powered down. 1 KiB further on: the same channel and row. 2
    * channels * 4 KiB * 8 banks further on: another row. */
   static const struct {
      uint64_t address, arrival, latency;
   } reads[] = {{0, 0, 0}, {1024, 40, 56}, {65536, 70, 80}};
   for (unsigned i = 0; i < sizeof reads / sizeof reads[0]; i++) {
      const cm_dram_ticket ticket =
         cm_dram_system_submit(system, reads[i].address, 64, false, CM_STREAM_TEXTURE, reads[i].arrival);
      const uint64_t latency = cm_dram_system_completion(system, ticket) - reads[i].arrival;
      if (i) /* the first activates, after nothing */
         assert_int_equal(latency, reads[i].latency);
   }
   assert_int_equal(56 * clock.from.value / clock.to.value, 50);
   assert_int_equal(80 * clock.from.value / clock.to.value, 72);
   cm_dram_system_destroy(system);
   cm_config_destroy(config);
}

/* "DTM-NUCA" Table I: LPDDR3 of 400 MHz, 4 B per cycle: so much each channel has, and a stream of reads gets nearly all. */
TEST(four_bytes_a_cycle)
{
   for (uint32_t channels = 1; channels <= 2; channels++) {
      struct cm_config *config = test_config_of(
         "nuca-private",
         (const char *const[]){"dram_system.device=LPDDR3_8Gb_x16_800", "dram_system.channel_width=16",
                               channels == 1 ? "dram_system.channels=1" : "dram_system.channels=2", NULL});
      struct cm_dram_system *system = dram_create(&config->dram_system);
      assert_int_equal(cm_dram_device(config->dram_system.device)->tCK, 2500);
      assert_int_equal(cm_dram_system_bytes_per_cycle(system), 4 * channels);
      const uint64_t blocks = 5000, peak = blocks * 64 / (4 * channels);
      for (uint64_t i = 0; i < blocks; i++)
         cm_dram_system_submit(system, i * 64, 64, false, CM_STREAM_TEXTURE, 0);
      const uint64_t end = cm_dram_system_drain(system);
      assert_in_range(end, peak, peak * 110 / 100);
      cm_dram_system_destroy(system);
      cm_config_destroy(config);
   }
}

/* GSPC 5.4: DDR3-1867 10-10-10 is the same preset with four keys changed. */
TEST(faster_memory)
{
   static const char *const keys[] = {"dram_system.device=DDR3_4Gb_x16_1866", "dram_system.timing.CL=10",
                                      "dram_system.timing.tRCD=10", "dram_system.timing.tRP=10"};
   char error[512] = "";
   struct cm_config *config = test_config_of("imr-8m", NULL);
   for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++)
      assert_true(cm_config_set(config, keys[i], error, sizeof error));
   assert_true(cm_config_validate(config, error, sizeof error));
   const struct cm_dram_timing timing = cm_dram_config_timing(&config->dram_system);
   assert_int_equal(timing.CL, 10);
   assert_int_equal(timing.tRAS, 32);
   cm_config_destroy(config);
}
