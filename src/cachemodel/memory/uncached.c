/* SPDX-License-Identifier: MIT */
/* Between a cache and its policy, where a stream bypasses the cache: its accesses go to the next
 * level, and invalidate their block in the cache. Nothing is folded, because folded accesses do
 * not call the policy. */
#include "memory/cache_internal.h"

#include <assert.h>

static void
access_block(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   assert(cache->cached && cache->uncached);
   if (cache->uncached == 1 + (uint32_t)stream) {
      cm_cache_drop(cache, block);
      cm_cache_bypass(cache, block, stream, access);
      return;
   }
   cache->cached->access(cache, block, stream, access);
   cache->folded_block = CM_NO_BLOCK;
}

const struct cm_replacement cm_replacement_uncached = {.access = access_block};
