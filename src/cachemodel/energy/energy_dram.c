/* SPDX-License-Identifier: MIT */
/* What main memory takes: the parts of dram/dram_energy.h, by what its system counts. */
#include <stdio.h>

#include "dram/device.h"
#include "dram/dram_energy.h"
#include "energy/energy_internal.h"

/* What a part is for one event: a million of them in fJ are one in zJ. */
#define A_MILLION 1000000

/* X(part, counter, whether it is there without any access, what, how it is made) */
#define PARTS(X)                                                                                       \
   X(activate, activates, false, "rows activated and precharged", "IDD0 tRC - IDD3N tRAS - IDD2N tRP") \
   X(read, read_bursts, false, "bursts read", "(IDD4R - IDD3N) BL / beats_per_clock")                  \
   X(write, write_bursts, false, "bursts written", "(IDD4W - IDD3N) BL / beats_per_clock")             \
   X(refresh, refreshes, true, "refreshes", "(IDD5AB - IDD3N) tRFC, an eighth with per-bank refresh")  \
   X(active_standby, active_cycles, true, "cycles with a row open", "IDD3N")                           \
   X(precharge_standby, precharged_cycles, true, "cycles with no row open", "IDD2N")                   \
   X(active_power_down, active_power_down_cycles, true, "cycles powered down, a row open", "IDD3P")    \
   X(precharge_power_down, precharge_power_down_cycles, true, "cycles powered down, no row open", "IDD2P")

static bool
add_part(struct cm_energy_builder *builder, const char *counter, bool is_static, const char *what,
         const char *formula, uint64_t energy)
{
   const struct cm_dram_device *device = cm_dram_device(builder->config->dram_system.device);
   char note[200];
   snprintf(note, sizeof note, "dram-devices.csv, %s: for each supply V * (%s) a chip", device->name,
            formula);
   struct cm_energy_term *term = cm_energy_add_events(builder, CM_UNIT_DRAM, what, counter, 1, energy, note);
   if (term)
      term->is_static = is_static;
   return term;
}

bool
cm_energy_add_dram(struct cm_energy_builder *builder)
{
   const struct cm_dram_system_config *config = &builder->config->dram_system;
   if (!config->device || !cm_energy_has_counter(builder, CM_ENERGY_DRAM_COUNTERS "activates"))
      return true;
#define ADD(part, counter, is_static, what, formula)                                     \
   {                                                                                     \
      const struct cm_dram_system_counters million = {.counter = A_MILLION};             \
      if (!add_part(builder, CM_ENERGY_DRAM_COUNTERS #counter, is_static, what, formula, \
                    cm_dram_energy(config, &million).part))                              \
         return false;                                                                   \
   }
   PARTS(ADD)
#undef ADD
   return true;
}
