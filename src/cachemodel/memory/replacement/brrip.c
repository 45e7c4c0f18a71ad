/* SPDX-License-Identifier: MIT */
/* Bimodal re-reference interval prediction: of 32 blocks that come into the cache, 31
 * come in as distant and the last one as long. */
#include "memory/replacement/rrip.h"

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   cache->state[set * ways + way] = 0;
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   const struct rrip *rrip = cache->shared;
   return rrip_victim(cache->state + set * ways, lines, ways, rrip->distant);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   cache->state[set * ways + way] = rrip_insert_bimodal(cache->shared);
   return lines + way;
}

static inline __attribute__((always_inline)) bool
cm_policy_is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   return rrip_is_near(cache, set, lines, block);
}

#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

static void
start_2_bits(struct cm_cache *cache)
{
   ((struct rrip *)cache->shared)->distant = 3;
}

static void
start_4_bits(struct cm_cache *cache)
{
   ((struct rrip *)cache->shared)->distant = 15;
}

const struct cm_replacement cm_replacement_brrip = {
   .access = cm_policy_access,
   .read_sequence = cm_policy_read_sequence,
   .read_grid = cm_policy_read_grid,
   .remove = cm_ways_remove,
   .state_bytes = cm_ways_state_bytes,
   .shared_bytes = sizeof(struct rrip),
   .start = start_2_bits,
};

const struct cm_replacement cm_replacement_brrip4 = {
   .access = cm_policy_access,
   .read_sequence = cm_policy_read_sequence,
   .read_grid = cm_policy_read_grid,
   .remove = cm_ways_remove,
   .state_bytes = cm_ways_state_bytes,
   .shared_bytes = sizeof(struct rrip),
   .start = start_4_bits,
};
