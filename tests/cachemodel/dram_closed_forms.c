/* SPDX-License-Identifier: MIT */
/* Times and bandwidths that can be written down, on every device: latencies of single requests, streams of row
 * hits, of row conflicts and over all banks, refresh. */
#include "dram/organisation.h"
#include "support/dram_harness.h"
#include "support/test.h"

static uint32_t
larger(uint32_t a, uint32_t b)
{
   return a > b ? a : b;
}

/* Bursts of a block and cycles from the first to the end of the last's data, in one bank. */
static uint32_t
bursts_of(const struct cm_dram_system_config *config)
{
   const uint32_t bytes = cm_dram_config_burst_bytes(config);
   return bytes < 64 ? 64 / bytes : 1;
}

static uint32_t
burst_of(const struct cm_dram_system_config *config)
{
   return cm_dram_device(config->device)->burst_length / 2;
}

static uint32_t
transfer_of(const struct cm_dram_system_config *config)
{
   const struct cm_dram_timing timing = cm_dram_config_timing(config);
   return (bursts_of(config) - 1) * larger(timing.tCCD_L, burst_of(config)) + burst_of(config);
}

static uint64_t
read_at(struct cm_dram_system *system, uint64_t address, uint64_t arrival)
{
   const cm_dram_ticket ticket =
      cm_dram_system_submit(system, address, 64, false, CM_STREAM_TEXTURE, arrival);
   return cm_dram_system_completion(system, ticket) - arrival;
}

/* One request at a time: precharged bank, open row, other row; the controller's latency on top. */
static void
test_latencies(void **unused)
{
   (void)unused;
   for (uint32_t device = 1; device <= cm_dram_device_count(); device++) {
      struct cm_dram_system_config config = dram_plain(device);
      config.controller_latency = 7;
      const struct cm_dram_timing timing = cm_dram_config_timing(&config);
      const uint32_t hit = timing.CL + transfer_of(&config) + 7;
      struct cm_dram_system *system = dram_create(&config);
      assert_int_equal(read_at(system, dram_address(&config, 0, 0, 5, 0), 10), timing.tRCD + hit);
      assert_int_equal(read_at(system, dram_address(&config, 0, 0, 5, 1), 500), hit);
      assert_int_equal(read_at(system, dram_address(&config, 0, 0, 6, 1), 1000),
                       timing.tRP + timing.tRCD + hit);
      assert_int_equal(read_at(system, dram_address(&config, 0, 1, 6, 1), 1500), timing.tRCD + hit);
      struct cm_dram_system_counters counters;
      cm_dram_system_count(system, &counters);
      assert_int_equal(counters.row_hits, 1);
      assert_int_equal(counters.row_misses, 2);
      assert_int_equal(counters.row_conflicts, 1);
      assert_int_equal(counters.activates, 3);
      assert_int_equal(counters.precharges, 1);
      cm_dram_system_destroy(system);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_latencies),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
