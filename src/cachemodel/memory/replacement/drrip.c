/* SPDX-License-Identifier: MIT */
/* Dynamic re-reference interval prediction: blocks come in as with the static or the
 * bimodal one, whichever has missed less in sets that always follow one of them.
 *
 * The sets are divided into 32 groups of neighbours, or as many groups of 4 as there are
 * ("complement select" of Qureshi et al., "Adaptive Insertion Policies for High Performance
 * Caching", ISCA 2007, III): group g's set whose number within the group is g (modulo the
 * group's size) samples the static policy, the one whose number is ~g the bimodal one.
 * A counter of 10 bits counts up on misses of the static samples and down on those of the
 * bimodal ones; in its upper half, the other sets follow the bimodal policy. A cache of
 * one set follows the static one. */
#include "memory/replacement/rrip.h"

#define NUM_GROUPS 32
#define MIN_GROUP_SETS 4
#define SELECTOR_MAX 1023

struct duel {
   struct rrip rrip;
   uint16_t selector;
   uint32_t group_shift; /* log2 of the sets of a group */
};

enum sample { SAMPLE_NONE, SAMPLE_STATIC, SAMPLE_BIMODAL };

static inline enum sample
sample_of(const struct duel *duel, uint64_t set)
{
   const uint64_t mask = (1ull << duel->group_shift) - 1;
   const uint64_t group = set >> duel->group_shift;
   if (((set ^ group) & mask) == 0)
      return SAMPLE_STATIC;
   return ((set ^ ~group) & mask) == 0 ? SAMPLE_BIMODAL : SAMPLE_NONE;
}

/* What a block that has missed comes in with. */
static uint8_t
insertion(struct duel *duel, uint64_t set)
{
   switch (sample_of(duel, set)) {
   case SAMPLE_STATIC: duel->selector += duel->selector < SELECTOR_MAX; return rrip_insert_long(&duel->rrip);
   case SAMPLE_BIMODAL: duel->selector -= duel->selector > 0; return rrip_insert_bimodal(&duel->rrip);
   default:
      return duel->selector > SELECTOR_MAX / 2 ? rrip_insert_bimodal(&duel->rrip)
                                               : rrip_insert_long(&duel->rrip);
   }
}

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
   cache->state[set * ways + way] = insertion(cache->shared, set);
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
start(struct cm_cache *cache, uint8_t distant)
{
   struct duel *duel = cache->shared;
   uint32_t group_sets = cache->sets / NUM_GROUPS;
   if (group_sets < MIN_GROUP_SETS)
      group_sets = cache->sets < MIN_GROUP_SETS ? cache->sets : MIN_GROUP_SETS;
   duel->rrip.distant = distant;
   duel->selector = SELECTOR_MAX / 2;
   duel->group_shift = (uint32_t)__builtin_ctz(group_sets);
}

static void
start_2_bits(struct cm_cache *cache)
{
   start(cache, 3);
}

static void
start_4_bits(struct cm_cache *cache)
{
   start(cache, 15);
}

const struct cm_replacement cm_replacement_drrip = {
   .access = cm_policy_access,
   .read_sequence = cm_policy_read_sequence,
   .read_grid = cm_policy_read_grid,
   .remove = cm_ways_remove,
   .state_bytes = cm_ways_state_bytes,
   .shared_bytes = sizeof(struct duel),
   .start = start_2_bits,
};

const struct cm_replacement cm_replacement_drrip4 = {
   .access = cm_policy_access,
   .read_sequence = cm_policy_read_sequence,
   .read_grid = cm_policy_read_grid,
   .remove = cm_ways_remove,
   .state_bytes = cm_ways_state_bytes,
   .shared_bytes = sizeof(struct duel),
   .start = start_4_bits,
};
