/* SPDX-License-Identifier: MIT */
/* Bimodal re-reference interval prediction: of 32 inserted blocks, 31 are
 * distant and the last one long. */
#include "memory/replacement/rrip.h"

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   return rrip_insert_bimodal(cache->shared);
}

#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(brrip);
