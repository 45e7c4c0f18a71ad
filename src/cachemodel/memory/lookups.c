/* SPDX-License-Identifier: MIT */
/* Between a private cache and its policy, where a reader asks for the cache's accesses: each becomes an entry
 * of the access stream before it is served. Nothing is folded, because folded accesses do not call the
 * policy. */
#include "memory/cache_internal.h"

static void
access_block(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   cm_cache_append_lookup(cache, block, stream, access);
   cache->served->access(cache, block, stream, access);
   cache->folded_block = CM_NO_BLOCK;
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   cache->accesses[stream][0] += count;
   for (unsigned i = 0; i < count; i++)
      access_block(cache, blocks[i], stream, CM_READ);
}

/* Its reads are looked up one after another. */
static bool
read_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   (void)cache;
   (void)grid;
   (void)stream;
   return false;
}

static void
remove_line(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   cache->served->remove(cache, set, lines, way);
}

static void
invalidate(struct cm_cache *cache, uint64_t first, uint64_t last)
{
   if (cache->served->invalidate)
      cache->served->invalidate(cache, first, last);
}

void
cm_cache_report_lookups(struct cm_cache *cache, struct cm_access_stream *stream, cm_entry entry)
{
   static const struct cm_replacement lookups = {
      .access = access_block,
      .read_sequence = read_sequence,
      .read_grid = read_grid,
      .remove = remove_line,
      .invalidate = invalidate,
   };
   if (cache->lookups)
      return;
   cache->lookups = stream;
   cache->lookup_entry = entry;
   cache->served = cache->replacement;
   cache->replacement = &lookups;
}
