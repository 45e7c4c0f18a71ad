/* SPDX-License-Identifier: MIT */
/* Not recently used, as re-reference interval prediction of one bit, which is 0 from a
 * block's coming or use on until all blocks of the set have been used. */
#include "memory/replacement/rrip.h"

#define cm_policy_find rrip_find
#define cm_policy_hit rrip_hit
#define cm_policy_is_settled rrip_is_near

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   return rrip_victim(rrip_of_set(cache, set, ways), ways, 1);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   return rrip_fill(cache, set, lines, ways, way, 0);
}

#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_nru = {
   CM_POLICY_FUNCTIONS,
   RRIP_MEMBERS,
   .start = rrip_start_empty,
};
