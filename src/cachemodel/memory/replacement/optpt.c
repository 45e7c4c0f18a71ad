/* SPDX-License-Identifier: MIT */
/* The optimal replacement with bypass (McFarling, "Cache Replacement with Dynamic
 * Exclusion", 1992; "Boustrophedonic Frames" II-D): the victim of a full set is the block
 * whose next use is farthest. If that of the missing block is farther than all of them,
 * the missing block bypasses the cache. */
#include "memory/replacement/future.h"

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   const unsigned empty = cm_find_empty_way(lines, ways);
   if (empty < ways)
      return empty;
   const uint32_t *next = future_of_set(cache, set, ways);
   const unsigned farthest = future_farthest_way(next, ways);
   if (cm_next_use_peek(cache->future) <= next[farthest])
      return farthest;
   cm_next_use_take(cache->future);
   return ways;
}

#define CM_POLICY_BYPASSES true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_optpt = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_ways_remove,
   .way_bytes = FUTURE_WAY_BYTES,
};
