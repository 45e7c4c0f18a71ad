/* SPDX-License-Identifier: MIT */
/* A pass that collects next uses: the accesses are what matters, not what the cache does
 * with them. */
#include <assert.h>

#include "memory/next_use.h"
#include "memory/replacement/ways.h"

static void
collect(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   assert(cache->future);
   cm_next_use_add(cache->future, &block, 1);
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   assert(cache->future);
   cache->accesses[stream][0] += count;
   cm_next_use_add(cache->future, blocks, count);
}

static void
invalidate(struct cm_cache *cache, uint64_t first, uint64_t last)
{
   cm_next_use_invalidate(cache->future, first, last);
}

const struct cm_replacement cm_replacement_collect = {
   .access = collect,
   .read_sequence = read_sequence,
   .remove = cm_ways_remove, /* no line is ever filled */
   .invalidate = invalidate,
};
