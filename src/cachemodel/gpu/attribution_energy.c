/* SPDX-License-Identifier: MIT */
/* Energies of attributed rows. A term's energy is that of all its events so far, in whole picojoules; a row's is by how much
 * it grows with the row's events, after those of all rows before. So rows add up to what the frame has. */
#include <string.h>

#include "gpu/attribution_internal.h"

/* Events of a term before the frame. */
static uint64_t
events_before(const struct cm_gpu *gpu, const struct cm_energy_term *term)
{
   return cm_energy_term_events(term, gpu->total) - cm_energy_term_events(term, gpu->frame);
}

struct row {
   const struct cm_gpu *gpu;
   const struct cm_attributed_row *row;
};

static uint64_t
value_of(const void *context, uint32_t counter)
{
   const struct row *of = context;
   return cm_gpu_attributed_value(of->gpu, of->row, &of->gpu->table->counters[counter]);
}

/* Whether all its counters are attributed. */
static bool
is_attributed(const struct cm_energy_term *term, const bool *flags)
{
   bool all = !term->is_static && !term->by_time;
   for (uint32_t c = 0; all && c < term->num_counters; c++)
      all = flags[term->counters[c]];
   return all;
}

bool
cm_gpu_attribute_energy(struct cm_gpu *gpu, struct cm_attributed_rows *rows, struct cm_attributed_row *list)
{
   const struct cm_energy *energy = gpu->energy;
   struct cm_gpu_attribution *attribution = gpu->attribution;
   const size_t units = CM_ENERGY_UNIT_COUNT;
   if (!cm_array_reserve(&attribution->energies, (rows->count + 1) * units, sizeof(uint64_t)))
      return false;
   uint64_t *energies = attribution->energies.data, *sum = energies + rows->count * units;
   memset(energies, 0, (rows->count + 1) * units * sizeof *energies);
   for (uint32_t t = 0; t < energy->num_terms; t++) {
      const struct cm_energy_term *term = &energy->terms[t];
      if (!is_attributed(term, attribution->has_counter))
         continue;
      uint64_t events = events_before(gpu, term), before = cm_energy_of_events(term, events);
      for (uint32_t r = 0; r < rows->count; r++) {
         events += cm_energy_count_events(term, value_of, &(struct row){gpu, &list[r]});
         const uint64_t now = cm_energy_of_events(term, events);
         energies[r * units + term->unit] += now - before;
         sum[term->unit] += now - before;
         before = now;
      }
   }
   for (uint32_t r = 0; r < rows->count; r++)
      list[r].energy = energies + r * units;
   rows->sum.energy = sum;
   return true;
}
