/* SPDX-License-Identifier: MIT */
/* Between a private cache and its policy, where a reader asks for the cache's accesses: each becomes an entry
 * of the access stream before it is served. Nothing is folded, because folded accesses do not call the
 * policy. */
#include "memory/cache_internal.h"

#include <assert.h>

static void
access_block(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   cm_cache_append_lookup(cache, block, stream, access);
   cache->served->access(cache, block, stream, access);
   cache->folded_block = CM_NO_BLOCK;
}

void
cm_cache_report_lookups(struct cm_cache *cache, struct cm_access_stream *stream, cm_entry entry)
{
   assert(stream && cm_entry_unit(entry) == (unsigned)cache->unit);
   static const struct cm_replacement lookups = {.access = access_block};
   if (cache->lookups)
      return;
   cache->lookups = stream;
   cache->lookup_entry = entry;
   cache->served = cache->replacement;
   cache->replacement = &lookups;
}
