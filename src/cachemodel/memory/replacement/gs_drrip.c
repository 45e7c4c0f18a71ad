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
   uint16_t selectors[GRAPHICS_STREAM_COUNT];
   uint32_t group_shift;
};

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   struct rrip_shared *duel = cache->shared;
   const enum graphics_stream contender = graphics_stream(stream);
   return duel_miss(&duel->selectors[contender], duel->group_shift, set, contender)
             ? rrip_insert_bimodal(&duel->rrip)
             : rrip_insert_long(&duel->rrip);
}

static void
rrip_start(struct cm_cache *cache)
{
   struct rrip_shared *duel = cache->shared;
   for (unsigned contender = 0; contender < GRAPHICS_STREAM_COUNT; contender++)
      duel->selectors[contender] = DUEL_SELECTOR_START;
   duel->group_shift = duel_group_shift(cache->sets, MIN_GROUP_SETS);
}

#define RRIP_STARTS
#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(gs_drrip);
