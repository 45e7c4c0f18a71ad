/* SPDX-License-Identifier: MIT */
/* Any block of a full set, each as likely. */
#include "memory/replacement/generator.h"
#include "memory/replacement/ways.h"

static void
start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   generator_start(cache->shared);
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   const unsigned empty = cm_find_empty_way(lines, ways);
   return empty < ways ? empty : generator_below(cache->shared, ways);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   return lines + way;
}

#define cm_policy_hit cm_ways_hit
#define cm_policy_is_settled cm_ways_has
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_random = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_ways_remove,
   .shared_bytes = sizeof(struct generator),
   .start = start,
};
