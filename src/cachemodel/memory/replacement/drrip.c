/* SPDX-License-Identifier: MIT */
/* Dynamic re-reference interval prediction: blocks are inserted as by srrip
 * or brrip, whichever has missed less in sets that always follow one of them. A cache
 * of one set follows the static one. */
#include "memory/replacement/rrip.h"
#include "memory/replacement/set_dueling.h"

struct rrip_shared {
   struct rrip rrip;
   uint16_t selector;
   uint32_t group_shift;
};

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   struct rrip_shared *duel = cache->shared;
   return duel_miss(&duel->selector, duel->group_shift, set, 0) ? rrip_insert_bimodal(&duel->rrip)
                                                                : rrip_insert_long(&duel->rrip);
}

static void
rrip_start(struct cm_cache *cache)
{
   struct rrip_shared *duel = cache->shared;
   duel->selector = DUEL_SELECTOR_START;
   duel->group_shift = duel_group_shift(cache->sets, DRRIP_MIN_GROUP_SETS);
}

#define RRIP_STARTS
#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(drrip);
