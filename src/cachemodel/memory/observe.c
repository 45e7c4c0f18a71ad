/* SPDX-License-Identifier: MIT */
/* Between a cache and its policy: tells the cache's observer of each access first. Nothing is
 * folded, because folded accesses would not come here. */
#include "memory/cache_internal.h"

/* The block that has left, and who else is told. */
struct leaving {
   uint64_t block;
   void (*left)(void *context, const struct cm_cache *cache, uint64_t block);
   void *context;
};

static void
note(void *context, const struct cm_cache *cache, uint64_t block)
{
   struct leaving *leaving = context;
   leaving->block = block;
   if (leaving->left)
      leaving->left(leaving->context, cache, block);
}

static void
serve_and_tell(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   const uint64_t *counts = cache->counts[stream];
   const uint64_t misses = counts[CM_CACHE_EVENT_MISSES], bypasses = counts[CM_CACHE_EVENT_BYPASSES];
   struct leaving leaving = {CM_NO_BLOCK, cache->left, cache->left_context};
   cache->left = note;
   cache->left_context = &leaving;
   cache->observed->access(cache, block, stream, access);
   cache->left = leaving.left;
   cache->left_context = leaving.context;

   enum cm_outcome outcome = CM_HIT;
   if (counts[CM_CACHE_EVENT_MISSES] != misses)
      outcome = CM_MISS;
   else if (counts[CM_CACHE_EVENT_BYPASSES] != bypasses)
      outcome = CM_BYPASS;
   const uint64_t evicted = outcome == CM_MISS && leaving.block != CM_NO_BLOCK
                               ? leaving.block << cache->block_shift
                               : CM_NO_ADDRESS;
   cache->observer->served(cache->observer->context, block << cache->block_shift, stream, outcome, evicted);
}

static void
observe(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   const struct cm_observer *observer = cache->observer;
   observer->access(observer->context, block << cache->block_shift, 1u << cache->block_shift, stream, access);
   if (observer->served)
      serve_and_tell(cache, block, stream, access);
   else
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
   for (uint64_t b = 0; observer && b < blocks; b++)
      observer->access(observer->context, first + b * block_bytes, block_bytes, stream,
                       write ? CM_WRITE_BLOCK : CM_READ);
   const enum cm_token_kind kind = write ? CM_TOKEN_DRAM_WRITE : CM_TOKEN_DRAM_READ;
   for (uint64_t b = 0; dram->tap && b < blocks; b++)
      cm_tap_add(dram->tap,
                 cm_token_make(kind, first + b * block_bytes, stream, (uint32_t)__builtin_ctz(block_bytes)));
}
