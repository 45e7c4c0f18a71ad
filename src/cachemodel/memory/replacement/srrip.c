/* SPDX-License-Identifier: MIT */
/* Static re-reference interval prediction: blocks are inserted as long. */
#include "memory/replacement/rrip.h"

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   return rrip_insert_long(cache->shared);
}

#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(srrip);
