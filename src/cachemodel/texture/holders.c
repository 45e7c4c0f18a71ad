/* SPDX-License-Identifier: MIT */
#include "texture/holders.h"

#include <stdlib.h>

bool
cm_holders_init(struct cm_holders *holders, uint64_t blocks)
{
   uint32_t bits = 4;
   while (1ull << bits < 2 * blocks)
      bits++;
   holders->shift = 64 - bits;
   holders->mask = (1ull << bits) - 1;
   holders->entries = calloc(1ull << bits, sizeof *holders->entries);
   return holders->entries != NULL;
}

void
cm_holders_finish(struct cm_holders *holders)
{
   free(holders->entries);
   holders->entries = NULL;
}

/* Removes an entry: later entries that probed past its index move up. */
static void
take_out(struct cm_holders *holders, uint64_t hole)
{
   struct cm_holders_entry *entries = holders->entries;
   for (uint64_t index = (hole + 1) & holders->mask; entries[index].caches;
        index = (index + 1) & holders->mask) {
      const uint64_t wanted = cm_holders_index(holders, entries[index].block);
      if (((index - wanted) & holders->mask) < ((index - hole) & holders->mask))
         continue;
      entries[hole] = entries[index];
      hole = index;
   }
   entries[hole].caches = 0;
}

void
cm_holders_remove(struct cm_holders *holders, uint64_t block, uint32_t cache)
{
   struct cm_holders_entry *entry = cm_holders_find(holders, block);
   entry->caches &= ~(1ull << cache);
   entry->copies--;
   if (!entry->caches)
      take_out(holders, (uint64_t)(entry - holders->entries));
}
