/* SPDX-License-Identifier: MIT */
/* Any block of a full set, each as likely. */
#include "memory/replacement/generator.h"
#include "memory/replacement/ways.h"

static void
start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   (void)config;
   generator_start(cache->shared);
}

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
   (void)set;
   const unsigned empty = cm_find_empty_way(lines, ways);
   return empty < ways ? empty : generator_below(cache->shared, ways);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   (void)cache;
   (void)set;
   (void)ways;
   return lines + way;
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

const struct cm_replacement cm_replacement_random = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_ways_remove,
   .shared_bytes = sizeof(struct generator),
   .start = start,
};
