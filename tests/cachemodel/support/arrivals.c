/* SPDX-License-Identifier: MIT */
#include "support/arrivals.h"

#include "gpu/gpu.h"
#include "support/test.h"

static void
read_entries(void *context, const cm_entry *entries, uint32_t count)
{
   struct test_arrivals *arrivals = context;
   for (uint32_t i = 0; i < count; i++) {
      struct cm_unit_arrival arrival;
      if (cm_arrivals_decode(&arrivals->arrivals, entries[i], &arrival) == CM_ARRIVAL_ACCESS)
         arrivals->access(arrivals->context, &arrival);
   }
}

void
test_read_arrivals(struct cm_gpu *gpu, enum cm_unit unit, struct test_arrivals *arrivals)
{
   arrivals->arrivals = (struct cm_arrivals){.unit = unit, .block_shift = 6};
   const struct cm_access_reader reader = {.read = read_entries, .context = arrivals, .units = 1u << unit};
   assert_true(cm_gpu_add_reader(gpu, &reader));
}
