/* SPDX-License-Identifier: MIT */
#include "support/stages.h"

#include <stdio.h>
#include <string.h>

#include "support/pass_builder.h"
#include "support/test.h"
#include "timing/timing.h"

static uint32_t
units_of(const char *name, uint32_t processors, uint32_t lanes)
{
   if (!strncmp(name, "vertex_processors.", 18) || !strncmp(name, "fragment_processors.", 20))
      return processors;
   return !strncmp(name, "early_z.", 8) || !strncmp(name, "blending_unit.", 14) ? lanes : 1;
}

unsigned
assert_stages_add_up(struct cm_gpu *gpu, uint32_t processors, uint32_t lanes)
{
   static const char *const states[] = {"busy", "starved", "blocked", "memory"};
   const struct cm_counter_table *table = cm_gpu_counters(gpu);
   const uint64_t cycles = gpu_total(gpu, "gpu.cycles");
   unsigned stages = 0;
   for (uint32_t c = 0; c < table->count; c++) {
      const char *name = table->counters[c].name, *end = strstr(name, ".busy_cycles");
      if (table->counters[c].source != &cm_timing_counters || !end || !strncmp(name, "dram_system", 11))
         continue;
      uint64_t sum = 0;
      for (unsigned state = 0; state < 4; state++) {
         char other[80];
         snprintf(other, sizeof other, "%.*s.%s_cycles", (int)(end - name), name, states[state]);
         sum += gpu_total(gpu, other);
      }
      assert_int_equal(sum, cycles * units_of(name, processors, lanes));
      stages++;
   }
   return stages;
}

void
assert_only_time_is_new(struct cm_gpu *off, struct cm_gpu *on, struct cm_gpu *again)
{
   const struct cm_counter_table *table = cm_gpu_counters(off), *larger = cm_gpu_counters(on);
   const uint64_t *values = cm_gpu_total(off), *timed = cm_gpu_total(on);
   assert_true(larger->count > table->count);
   for (uint32_t c = 0; c < table->count; c++) {
      assert_string_equal(table->counters[c].name, larger->counters[c].name);
      assert_int_equal(values[c], timed[c]);
   }
   assert_memory_equal(timed, cm_gpu_total(again), larger->count * sizeof *timed);
}
