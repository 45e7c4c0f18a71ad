/* SPDX-License-Identifier: MIT */
/* Any block of a full set, each as likely. The generator is xorshift64* (Vigna, "An
 * experimental exploration of Marsaglia's xorshift generators, scrambled"), which begins
 * alike in each cache and goes on once an eviction: nothing depends on time. */
#include "memory/replacement/ways.h"

#define SEED 0x9e3779b97f4a7c15ull

struct generator {
   uint64_t state;
};

static void
start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   (void)config;
   ((struct generator *)cache->shared)->state = SEED;
}

static uint32_t
random_below(struct generator *generator, uint32_t n)
{
   uint64_t state = generator->state;
   state ^= state >> 12;
   state ^= state << 25;
   state ^= state >> 27;
   generator->state = state;
   const uint64_t high = state * 0x2545f4914f6cdd1dull >> 32;
   return (uint32_t)(high * n >> 32);
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
   return empty < ways ? empty : random_below(cache->shared, ways);
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
