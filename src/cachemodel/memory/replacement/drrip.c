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

struct rrip_shared {
   struct rrip rrip;
   uint16_t selector;
   uint32_t group_shift; /* log2 of the sets of a group */
};

enum sample { SAMPLE_NONE, SAMPLE_STATIC, SAMPLE_BIMODAL };

static inline enum sample
sample_of(const struct rrip_shared *duel, uint64_t set)
{
   const uint64_t mask = (1ull << duel->group_shift) - 1;
   const uint64_t group = set >> duel->group_shift;
   if (((set ^ group) & mask) == 0)
      return SAMPLE_STATIC;
   return ((set ^ ~group) & mask) == 0 ? SAMPLE_BIMODAL : SAMPLE_NONE;
}

/* What a block that has missed comes in with. */
static uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set)
{
   struct rrip_shared *duel = cache->shared;
   switch (sample_of(duel, set)) {
   case SAMPLE_STATIC: duel->selector += duel->selector < SELECTOR_MAX; return rrip_insert_long(&duel->rrip);
   case SAMPLE_BIMODAL: duel->selector -= duel->selector > 0; return rrip_insert_bimodal(&duel->rrip);
   default:
      return duel->selector > SELECTOR_MAX / 2 ? rrip_insert_bimodal(&duel->rrip)
                                               : rrip_insert_long(&duel->rrip);
   }
}

static void
rrip_start(struct cm_cache *cache)
{
   struct rrip_shared *duel = cache->shared;
   uint32_t group_sets = cache->sets / NUM_GROUPS;
   if (group_sets < MIN_GROUP_SETS)
      group_sets = cache->sets < MIN_GROUP_SETS ? cache->sets : MIN_GROUP_SETS;
   duel->selector = SELECTOR_MAX / 2;
   duel->group_shift = (uint32_t)__builtin_ctz(group_sets);
}

#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(drrip);
