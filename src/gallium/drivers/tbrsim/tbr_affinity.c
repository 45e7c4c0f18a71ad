/* SPDX-License-Identifier: MIT */
#include "tbr_affinity.h"

#include "util/u_thread.h"

void
tbr_affinity_init(struct tbr_affinity *affinity, unsigned number, unsigned num_threads)
{
   affinity->own = -1;
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

void
tbr_affinity_return(const struct tbr_affinity *affinity)
{
   if (affinity->own < 0 || util_get_current_cpu() == affinity->own)
      return;
   cpu_set_t own;
   CPU_ZERO(&own);
   CPU_SET(affinity->own, &own);
   if (sched_setaffinity(0, sizeof(own), &own) == 0)
      sched_setaffinity(0, sizeof(affinity->allowed), &affinity->allowed);
}
