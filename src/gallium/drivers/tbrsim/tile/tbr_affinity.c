/* SPDX-License-Identifier: MIT */
#include "tile/tbr_affinity.h"

#include "util/u_thread.h"

void
tbr_affinity_init(struct tbr_affinity *affinity, unsigned number, unsigned num_threads)
{
   *affinity = (struct tbr_affinity){.own = -1};
   if (sched_getaffinity(0, sizeof(affinity->allowed), &affinity->allowed) != 0)
      return;
   const unsigned count = CPU_COUNT(&affinity->allowed);
   if (count < 2 || count != num_threads)
      return;
   for (unsigned cpu = 0, found = 0; cpu < CPU_SETSIZE; cpu++) {
      if (CPU_ISSET(cpu, &affinity->allowed) && found++ == number)
         affinity->own = cpu;
   }
}

bool
tbr_affinity_is_own(const struct tbr_affinity *affinity)
{
   return affinity->own < 0 || (!affinity->is_bound && util_get_current_cpu() == affinity->own);
}

void
tbr_affinity_return(struct tbr_affinity *affinity)
{
   if (tbr_affinity_is_own(affinity))
      return;
   if (!affinity->is_bound) {
      cpu_set_t own;
      CPU_ZERO(&own);
      CPU_SET(affinity->own, &own);
      /* taskset and control groups change it while the program runs. */
      if (sched_getaffinity(0, sizeof(affinity->allowed), &affinity->allowed) != 0 ||
          !CPU_ISSET(affinity->own, &affinity->allowed) || sched_setaffinity(0, sizeof(own), &own) != 0)
         return;
   }
   affinity->is_bound = sched_setaffinity(0, sizeof(affinity->allowed), &affinity->allowed) != 0;
}
