/* SPDX-License-Identifier: MIT */
/* Bimodal re-reference interval prediction: of 32 inserted blocks, 31 are
 * distant and the last one long. */
#include "memory/replacement/rrip.h"

struct rrip_shared {
   struct rrip rrip;
};

static void
rrip_start(struct cm_cache *cache)
{
   (void)cache;
}

static inline uint8_t
rrip_insertion(struct cm_cache *cache, uint64_t set, enum cm_stream stream)
{
   (void)set;
   (void)stream;
   return rrip_insert_bimodal(cache->shared);
}

#include "memory/replacement/rrip_access.h"

RRIP_REPLACEMENTS(brrip);
