/* SPDX-License-Identifier: MIT */
/* First in, first out. The lines of a set are in order of insertion, the last one
 * first; hits change nothing. */
#include "memory/replacement/order.h"

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   (void)cache;
   (void)set;
   (void)ways;
   (void)stream;
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   (void)cache;
   (void)set;
   (void)lines;
   return ways - 1;
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
   (void)set;
   return cm_find_way(lines, cache->ways, block) < cache->ways;
}

#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_fifo = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_order_remove,
};
