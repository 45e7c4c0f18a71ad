/* SPDX-License-Identifier: MIT */
/* Most recently used. The lines of a set are in the order of their last use, as with
 * the least recently used; the victim of a full set is the first line. */
#include "memory/replacement/order.h"

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   return lines[ways - 1] == CM_LINE_EMPTY ? ways - 1 : 0;
}

#define cm_policy_hit cm_order_hit
#define cm_policy_fill cm_order_fill
#define cm_policy_is_settled cm_order_is_first
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_mru = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_order_remove,
};
