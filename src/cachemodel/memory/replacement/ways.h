/* SPDX-License-Identifier: MIT */
/** For policies that keep each block in its way, with state beside the lines: the lowest
 * empty way is filled first. */
#ifndef CM_REPLACEMENT_WAYS_H
#define CM_REPLACEMENT_WAYS_H

#include "memory/cache_internal.h"

static inline void
cm_ways_remove(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   (void)cache;
   (void)set;
   lines[way] = CM_LINE_EMPTY;
}

/** A byte of state for each way. */
static inline uint32_t
cm_ways_state_bytes(uint32_t ways)
{
   return ways;
}

#endif
