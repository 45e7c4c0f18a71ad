/* SPDX-License-Identifier: MIT */
/** Counts of several threads, each in memory of its own. */
#ifndef CM_COUNTS_H
#define CM_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/** Adds counts to as many sums, then sets the counts to zero. */
static inline void
cm_counts_move(uint64_t *sums, uint64_t *counts, size_t count)
{
   for (size_t c = 0; c < count; c++) {
      sums[c] += counts[c];
      counts[c] = 0;
   }
}

#endif
