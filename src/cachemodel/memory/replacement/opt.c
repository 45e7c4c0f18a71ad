/* SPDX-License-Identifier: MIT */
/* The optimal replacement of blocks (Belady, "A Study of Replacement Algorithms for a
 * Virtual-Storage Computer", 1966; Mattson et al., "Evaluation Techniques for Storage
 * Hierarchies", 1970): the victim of a full set is the block whose next use is farthest. */
#include "memory/replacement/future.h"

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   const unsigned empty = cm_find_empty_way(lines, ways);
   return empty < ways ? empty : future_farthest_way(future_of_set(cache, set, ways), ways);
}

#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_opt = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_ways_remove,
   .way_bytes = FUTURE_WAY_BYTES,
};
