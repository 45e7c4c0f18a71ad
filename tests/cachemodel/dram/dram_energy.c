/* SPDX-License-Identifier: MIT */
/* The energy of the DRAM system: numbers worked out by hand, and the datasheets' currents come back out of
 * what they were measured at. */
#include <string.h>

#include "dram/dram_energy.h"
#include "dram/organisation.h"
#include "support/dram_harness.h"
#include "support/test.h"

static struct cm_dram_energy
energy_at(const struct cm_dram_system_config *config, struct cm_dram_system *system, uint64_t cycle)
{
   struct cm_dram_system_counters counters;
   cm_dram_system_advance(system, cycle);
   cm_dram_system_count(system, &counters);
   return cm_dram_energy(config, &counters);
}

/* The sum of the parts, in fJ. */
static uint64_t
total(const struct cm_dram_energy *energy)
{
   uint64_t sum = 0;
#define ADD(name, description) sum += energy->name;
   CM_DRAM_ENERGIES(ADD)
#undef ADD
   return sum;
}

/* Two chips of LPDDR3-1333, 1.5 ns: from 1.2 V IDD0 40, IDD2P 1.3, IDD2N 20, IDD3P 7, IDD3N 20.5, IDD4R 220, IDD4W
 * 215, IDD5AB 150 mA; from VDD1's 1.8 V 8, 0.8, 0.8, 1.4, 2, 2, 2, 28. */
TEST(by_hand)
{
   struct cm_dram_system_config config = dram_plain(dram_device_number("LPDDR3_8Gb_x32_1333"));
   config.channel_width = 64;
   struct cm_dram_system_counters counters = {
      .activates = 1,
      .read_bursts = 1,
      .write_bursts = 1,
      .refreshes = 1,
      .active_cycles = 1000,
      .precharged_cycles = 1000,
      .active_power_down_cycles = 1000,
      .precharge_power_down_cycles = 1000,
   };
   const struct cm_dram_energy energy = cm_dram_energy(&config, &counters);
   /* In fJ: mA * cycles * 1.2 V * 1.5 ns = 1800 fJ for each, 2700 of VDD1's, and two chips. */
   assert_int_equal(energy.activate, (1600 - 574 - 240) * 3600 +  /* 20.5 * 28 = 574, 20 * 12 = 240 */
                                        (3200 - 560 - 96) * 540); /* 2 * 28 = 56, 0.8 * 12 = 9.6 */
   assert_int_equal(energy.read, 798 * 3600);                     /* (220 - 20.5) * 4 */
   assert_int_equal(energy.write, 778 * 3600);                    /* (215 - 20.5) * 4 */
   assert_int_equal(energy.refresh, 18130 * 3600 + 3640 * 5400);  /* (150 - 20.5) * 140, 26 * 140 */
   assert_int_equal(energy.active_standby, 20500 * 3600 + 2000 * 5400);
   assert_int_equal(energy.precharge_standby, 20000 * 3600 + 800 * 5400);
   assert_int_equal(energy.active_power_down, 7000 * 3600 + 1400 * 5400);
   assert_int_equal(energy.precharge_power_down, 1300 * 3600 + 800 * 5400);
   assert_int_equal(total(&energy), energy.activate + energy.read + energy.write + energy.refresh +
                                       energy.active_standby + energy.precharge_standby +
                                       energy.active_power_down + energy.precharge_power_down);
}

/* DDR3 leaves precharge power-down within tXP only with its DLL running (fast exit, IDD2P1), which saves nothing of
 * IDD2N; with the DLL off it draws IDD2P0, and takes tXPDLL, 24 ns. */
TEST(power_down_has_the_current_of_its_exit)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_device *device = cm_dram_device(number);
      if (strncmp(device->name, "DDR3", 4) == 0 && device->timing.tXP * device->tCK < 24000)
         assert_int_equal(device->IDD2P, device->IDD2N);
   }
}

/* fJ that all chips take in some cycles; power is that of one, in nW. */
static uint64_t
drawn(const struct cm_dram_system_config *config, uint64_t power, uint64_t cycles)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   return (uint64_t)((unsigned __int128)power * cycles * device->tCK * cm_dram_config_chips(config) /
                     1000000);
}

static void
assert_near(uint64_t a, uint64_t b)
{
   /* Each part is rounded down by itself. */
   if (a > b + 10 || b > a + 10)
      fail_msg("%llu and %llu fJ", (unsigned long long)a, (unsigned long long)b);
}

/* Nothing asked for: the standby with no row open and the refreshes, which draw IDD5AB in all. */
TEST(idle)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      struct cm_dram_system_config config = dram_plain(number);
      const struct cm_dram_device *device = cm_dram_device(number);
      const uint64_t refreshing = 50ull * device->timing.tRFC;
      for (int power_down = 0; power_down < 2; power_down++) {
         config.power_down_after = power_down ? 20 : 0;
         const uint64_t end =
            50ull * device->timing.tREFI + device->timing.tRFC + (power_down ? device->timing.tXP : 0);
         struct cm_dram_system *system = dram_create(&config);
         const struct cm_dram_energy energy = energy_at(&config, system, end);
         assert_int_equal(energy.activate + energy.read + energy.write + energy.active_power_down, 0);
         assert_near(energy.refresh + energy.active_standby, drawn(&config, device->IDD5AB, refreshing));
         if (!power_down) {
            assert_near(energy.precharge_standby, drawn(&config, device->IDD2N, end - refreshing));
            assert_int_equal(energy.precharge_power_down, 0);
         } else {
            /* CKE is high for 20 cycles at the beginning, and while a refresh waits tXP; after a refresh,
             * which is longer than 20 cycles, the rank goes down at once. */
            const uint64_t standby = 20 + 50ull * device->timing.tXP;
            assert_near(energy.precharge_standby, drawn(&config, device->IDD2N, standby));
            assert_near(energy.precharge_power_down,
                        drawn(&config, device->IDD2P, end - refreshing - standby));
         }
         cm_dram_system_destroy(system);
      }
   }
}

/* Eight per-bank refreshes take what one of the rank takes, above the standby. */
TEST(per_bank_refresh)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      struct cm_dram_system_config config = dram_plain(number);
      struct cm_dram_system_counters counters = {.refreshes = 100};
      if (!cm_dram_device(number)->refresh_banks)
         continue;
      const uint64_t of_ranks = cm_dram_energy(&config, &counters).refresh;
      config.refresh = CM_DRAM_REFRESH_PER_BANK;
      counters.refreshes = 800;
      assert_near(cm_dram_energy(&config, &counters).refresh, of_ranks);
   }
}

/* A bank that is activated and precharged every tRC draws IDD0, a full data bus IDD4R or IDD4W. */
TEST(datasheet_loads)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      const struct cm_dram_system_config config = dram_plain(number);
      const struct cm_dram_device *device = cm_dram_device(number);
      const struct cm_dram_timing *timing = &device->timing;
      struct cm_dram_system_counters counters = {.activates = 1000,
                                                 .active_cycles = 1000ull * timing->tRAS,
                                                 .precharged_cycles = 1000ull * timing->tRP};
      struct cm_dram_energy energy = cm_dram_energy(&config, &counters);
      assert_near(total(&energy), drawn(&config, device->IDD0, 1000ull * (timing->tRAS + timing->tRP)));
      const uint64_t burst = device->burst_length / device->beats_per_clock;
      counters = (struct cm_dram_system_counters){.read_bursts = 1000, .active_cycles = 1000 * burst};
      energy = cm_dram_energy(&config, &counters);
      assert_near(total(&energy), drawn(&config, device->IDD4R, 1000 * burst));
      counters = (struct cm_dram_system_counters){.write_bursts = 1000, .active_cycles = 1000 * burst};
      energy = cm_dram_energy(&config, &counters);
      assert_near(total(&energy), drawn(&config, device->IDD4W, 1000 * burst));
   }
}

/* One read of a precharged bank, then nothing: each cycle is in one of the states, and the parts are as many
 * times the currents as there were commands. */
TEST(one_read)
{
   for (uint32_t number = 1; number <= cm_dram_device_count(); number++) {
      struct cm_dram_system_config config = dram_plain(number);
      const struct cm_dram_device *device = cm_dram_device(number);
      config.timing.tREFI = 10000;
      struct cm_dram_system *system = dram_create(&config);
      cm_dram_system_submit(system, 0, 64, false, CM_STREAM_TEXTURE, 100);
      const struct cm_dram_energy energy = energy_at(&config, system, 5000);
      assert_near(energy.precharge_standby, drawn(&config, device->IDD2N, 100));
      assert_near(energy.active_standby, drawn(&config, device->IDD3N, 4900));
      assert_int_equal(energy.refresh + energy.write, 0);
      assert_true(energy.activate > 0 && energy.read > 0);
      cm_dram_system_destroy(system);
   }
}
