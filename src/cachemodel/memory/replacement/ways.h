/* SPDX-License-Identifier: MIT */
/** For policies that keep each block in its way, with state outside the lines: the lowest
 * empty way is filled first. */
#ifndef CM_REPLACEMENT_WAYS_H
#define CM_REPLACEMENT_WAYS_H

#include "memory/cache_internal.h"

static inline void
cm_ways_remove(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   lines[way] = CM_LINE_EMPTY;
}

/** A hit, or a fill, that changes nothing. */
static inline __attribute__((always_inline)) cm_line *
cm_ways_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
            enum cm_stream stream)
{
   return lines + way;
}

/** Whether a block is present, for policies with such hits. */
static inline __attribute__((always_inline)) bool
cm_ways_has(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   return cm_find_way(lines, cache->ways, block) < cache->ways;
}

#endif
