/* SPDX-License-Identifier: MIT */
/** For policies whose sets are lists: the lines of a set stand in the policy's order,
 * empty ones at the end. */
#ifndef CM_REPLACEMENT_ORDER_H
#define CM_REPLACEMENT_ORDER_H

#include "memory/cache_internal.h"

/** Moves every line, whichever it is, so that nothing depends on a guess. */
static inline __attribute__((always_inline)) cm_line *
cm_order_move_to_front(cm_line *lines, unsigned ways, unsigned way)
{
   const cm_line line = lines[way];
   for (unsigned i = ways - 1; i > 0; i--)
      lines[i] = i <= way ? lines[i - 1] : lines[i];
   lines[0] = line;
   return lines;
}

static void
cm_order_remove(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   (void)set;
   for (unsigned i = way; i + 1 < cache->ways; i++)
      lines[i] = lines[i + 1];
   lines[cache->ways - 1] = CM_LINE_EMPTY;
}

#endif
