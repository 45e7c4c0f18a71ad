/* SPDX-License-Identifier: MIT */
/* Dynamic re-reference interval prediction: blocks are inserted as by srrip
 * or brrip, whichever has missed less in sets that always follow one of them. A cache
 * of one set follows the static one. */
#include "memory/replacement/rrip.h"
#include "memory/replacement/set_dueling.h"

struct rrip_shared {
   struct rrip rrip;
   struct duel duel;
};

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   struct rrip_shared *shared = cache->shared;
   return duel_miss(&shared->duel, set, 0) ? rrip_insert_bimodal(&shared->rrip)
                                           : rrip_insert_long(&shared->rrip);
}

static void
rrip_start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   duel_start(&((struct rrip_shared *)cache->shared)->duel, config, cache->sets, DRRIP_MIN_GROUP_SETS, 1);
}

#define RRIP_STARTS
#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(drrip);
