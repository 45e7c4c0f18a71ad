/* SPDX-License-Identifier: MIT */
/* The optimal replacement of blocks (Belady, "A Study of Replacement Algorithms for a
 * Virtual-Storage Computer", 1966; Mattson et al., "Evaluation Techniques for Storage
 * Hierarchies", 1970): the block of a full set leaves whose next use is farthest. */
#include "memory/replacement/future.h"

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   future_of_set(cache, set, ways)[way] = cm_next_use_take(cache->future);
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   const unsigned empty = cm_find_empty_way(lines, ways);
   return empty < ways ? empty : future_farthest_way(future_of_set(cache, set, ways), ways);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   return cm_policy_hit(cache, set, lines, ways, way);
}

/* Each access takes its next use. */
static inline __attribute__((always_inline)) bool
cm_policy_is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   (void)cache;
   (void)set;
   (void)lines;
   (void)block;
   return false;
}

#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT false
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_opt = {
   .access = cm_policy_access,
   .read_sequence = cm_policy_read_sequence,
   .read_grid = cm_policy_read_grid,
   .remove = cm_ways_remove,
   .state_bytes = future_state_bytes,
};
