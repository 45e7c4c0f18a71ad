/* SPDX-License-Identifier: MIT */
#include "dram/dram_energy.h"

#include <assert.h>

#include "dram/organisation.h"

/* `times` times a chip's power in nW · cycles, in fJ. */
static uint64_t
femtojoules(const struct cm_dram_system_config *config, uint64_t times, uint64_t power)
{
   assert(config->device);
   const struct cm_dram_device *device = cm_dram_device(config->device);
   const uint64_t zeptojoules = power * device->tCK * cm_dram_config_chips(config);
   return (uint64_t)((unsigned __int128)times * zeptojoules / 1000000);
}

/* a − b, 0 where a device's currents make no sense of it. */
static uint64_t
above(uint64_t a, uint64_t b)
{
   return a > b ? a - b : 0;
}

struct cm_dram_energy
cm_dram_energy(const struct cm_dram_system_config *config, const struct cm_dram_system_counters *counters)
{
   const struct cm_dram_device *device = cm_dram_device(config->device);
   const struct cm_dram_timing timing = cm_dram_config_timing(config);
   const uint64_t burst = cm_dram_burst_cycles(device);
   const uint64_t cycle_of_rows = (uint64_t)device->IDD0 * (timing.tRAS + timing.tRP);
   const uint64_t standby = (uint64_t)device->IDD3N * timing.tRAS + (uint64_t)device->IDD2N * timing.tRP;
   const uint64_t refresh =
      above(device->IDD5AB, device->IDD3N) * timing.tRFC / cm_dram_config_refreshes(config);
   return (struct cm_dram_energy){
      .activate = femtojoules(config, counters->activates, above(cycle_of_rows, standby)),
      .read = femtojoules(config, counters->read_bursts, above(device->IDD4R, device->IDD3N) * burst),
      .write = femtojoules(config, counters->write_bursts, above(device->IDD4W, device->IDD3N) * burst),
      .refresh = femtojoules(config, counters->refreshes, refresh),
      .active_standby = femtojoules(config, counters->active_cycles, device->IDD3N),
      .precharge_standby = femtojoules(config, counters->precharged_cycles, device->IDD2N),
      .active_power_down = femtojoules(config, counters->active_power_down_cycles, device->IDD3P),
      .precharge_power_down = femtojoules(config, counters->precharge_power_down_cycles, device->IDD2P),
   };
}
