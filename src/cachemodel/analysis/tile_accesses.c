/* SPDX-License-Identifier: MIT */
#include "analysis/tile_accesses.h"

#include <stdlib.h>

struct cm_tile_accesses {
   uint32_t *counts;  /* by set */
   uint32_t *touched; /* sets with accesses */
   uint32_t num_touched;
};

struct cm_tile_accesses *
cm_tile_accesses_create(uint32_t sets)
{
   struct cm_tile_accesses *accesses = calloc(1, sizeof *accesses);
   if (!accesses)
      return NULL;
   accesses->counts = calloc(sets, sizeof *accesses->counts);
   accesses->touched = malloc(sets * sizeof *accesses->touched);
   if (accesses->counts && accesses->touched)
      return accesses;
   cm_tile_accesses_destroy(accesses);
   return NULL;
}

void
cm_tile_accesses_destroy(struct cm_tile_accesses *accesses)
{
   if (!accesses)
      return;
   free(accesses->counts);
   free(accesses->touched);
   free(accesses);
}

void
cm_tile_accesses_add(struct cm_tile_accesses *accesses, uint32_t set)
{
   if (accesses->counts[set]++ == 0)
      accesses->touched[accesses->num_touched++] = set;
}

void
cm_tile_accesses_end(struct cm_tile_accesses *accesses, struct cm_histogram *histogram)
{
   for (uint32_t t = 0; t < accesses->num_touched; t++) {
      uint32_t *count = &accesses->counts[accesses->touched[t]];
      histogram->bins[cm_histogram_bin(*count)]++;
      *count = 0;
   }
   accesses->num_touched = 0;
}
