/* SPDX-License-Identifier: MIT */
/* Bimodal re-reference interval prediction: of each 32 inserted blocks the
 * last one is long, the others are distant. */
#include "memory/replacement/rrip.h"

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   return rrip_insert_bimodal(cache->shared);
}

#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(brrip);
