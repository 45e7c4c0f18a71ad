/* SPDX-License-Identifier: MIT */
/* Between a cache and its policy, where a stream bypasses the cache: its accesses go to the next
 * level, and invalidate their block in the cache. Nothing is folded, because folded accesses do
 * not call the policy. */
#include "memory/cache_internal.h"

#include <assert.h>

static bool
passes_by(const struct cm_cache *cache, enum cm_stream stream)
{
   return cache->uncached == 1 + (uint32_t)stream;
}

static void
access_block(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   assert(cache->cached && cache->uncached);
   if (passes_by(cache, stream)) {
      cm_cache_drop(cache, block);
      cm_cache_bypass(cache, block, stream, access);
      return;
   }
   cache->cached->access(cache, block, stream, access);
   cache->folded_block = CM_NO_BLOCK;
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   if (passes_by(cache, stream)) {
      cm_cache_read_one_by_one(cache, blocks, count, stream);
      return;
   }
   cache->cached->read_sequence(cache, blocks, count, stream);
   cache->folded_block = CM_NO_BLOCK;
}

static bool
read_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   if (passes_by(cache, stream))
      return false;
   const bool done = cache->cached->read_grid(cache, grid, stream);
   cache->folded_block = CM_NO_BLOCK;
   return done;
}

const struct cm_replacement cm_replacement_uncached = {
   .access = access_block,
   .read_sequence = read_sequence,
   .read_grid = read_grid,
};
