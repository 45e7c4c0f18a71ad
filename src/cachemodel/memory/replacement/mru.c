/* SPDX-License-Identifier: MIT */
/* Most recently used. The lines of a set are in the order of their last use, as with
 * the least recently used; the victim of a full set is the first line. */
#include "memory/replacement/order.h"

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   (void)cache;
   (void)set;
   (void)stream;
   return way ? cm_order_move_to_front(lines, ways, way) : lines;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   (void)cache;
   (void)set;
   return lines[ways - 1] == CM_LINE_EMPTY ? ways - 1 : 0;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   (void)cache;
   (void)set;
   return cm_order_move_to_front(lines, ways, way);
}

static inline __attribute__((always_inline)) bool
cm_policy_is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   (void)cache;
   (void)set;
   return lines[0] >> 8 == block;
}

#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_mru = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_order_remove,
};
