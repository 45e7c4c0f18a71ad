/* SPDX-License-Identifier: MIT */
/* Graphics stream-aware dynamic re-reference interval prediction (GSPC, section 3): drrip's
 * duel for each of the four graphics streams, as thread-aware DRRIP has one for each thread
 * (Jaleel et al., ISCA 2010, after the "feedback" variant of their "Adaptive Insertion
 * Policies for Managing Shared Caches", PACT 2008). In a sample of one stream, blocks of
 * the others follow their own selectors; a stream's misses in its samples move its selector. */
#include "memory/replacement/graphics_streams.h"
#include "memory/replacement/rrip.h"
#include "memory/replacement/set_dueling.h"

/* A pair of samples a stream. */
#define MIN_GROUP_SETS (2 * GRAPHICS_STREAM_COUNT)

struct rrip_shared {
   struct rrip rrip;
   struct duel duel;
};

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   struct rrip_shared *shared = cache->shared;
   return duel_miss(&shared->duel, set, graphics_stream(stream)) ? rrip_insert_bimodal(&shared->rrip)
                                                                 : rrip_insert_long(&shared->rrip);
}

static void
rrip_start(struct cm_cache *cache, const struct cm_cache_config *config)
{
   duel_start(&((struct rrip_shared *)cache->shared)->duel, config, cache->sets, MIN_GROUP_SETS,
              GRAPHICS_STREAM_COUNT);
}

#define RRIP_STARTS
#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(gs_drrip);
