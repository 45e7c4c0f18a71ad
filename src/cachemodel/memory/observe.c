/* SPDX-License-Identifier: MIT */
/* Between a cache and its policy: tells the cache's observer of each access first. Nothing is
 * folded, because folded accesses would not come here. */
#include "memory/cache_internal.h"

static void
observe(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   const struct cm_observer *observer = cache->observer;
   observer->access(observer->context, block << cache->block_shift, 1u << cache->block_shift, stream, access);
   cache->observed->access(cache, block, stream, access);
   cache->folded_block = CM_NO_BLOCK;
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   cache->accesses[stream][0] += count;
   for (unsigned i = 0; i < count; i++)
      observe(cache, blocks[i], stream, CM_READ);
}

/* Its reads come one after another. */
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
   cache->observed->remove(cache, set, lines, way);
}

static void
invalidate(struct cm_cache *cache, uint64_t first, uint64_t last)
{
   const struct cm_observer *observer = cache->observer;
   if (observer->invalidate)
      observer->invalidate(observer->context, first << cache->block_shift, (last + 1) << cache->block_shift);
   if (cache->observed->invalidate)
      cache->observed->invalidate(cache, first, last);
}

static const struct cm_replacement replacement_observe = {
   .access = observe,
   .read_sequence = read_sequence,
   .read_grid = read_grid,
   .remove = remove_line,
   .invalidate = invalidate,
};

void
cm_cache_observe(struct cm_cache *cache, const struct cm_observer *observer)
{
   cache->observer = observer;
   cache->observed = cache->replacement;
   cache->replacement = &replacement_observe;
}

void
cm_dram_tell(const struct cm_dram *dram, uint64_t address, enum cm_stream stream, bool write, uint64_t blocks,
             uint32_t block_bytes)
{
   const struct cm_observer *observer = dram->observer;
   const uint64_t first = address & ~(uint64_t)(block_bytes - 1);
   for (uint64_t b = 0; b < blocks; b++)
      observer->access(observer->context, first + b * block_bytes, block_bytes, stream,
                       write ? CM_WRITE_BLOCK : CM_READ);
}
