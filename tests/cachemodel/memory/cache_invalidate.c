/* SPDX-License-Identifier: MIT */
/* Invalidation drops exactly the blocks of a range, writes dirty ones back, and
 * leaves the order of the others as it was. */
#include "support/reference_cache.h"
#include "support/test.h"

/* Ranges of any size, of a cache of so many ways and sets. Returns the blocks that were dropped. */
static uint64_t
compare_with_reference(uint32_t ways, uint32_t sets)
{
   const struct cm_cache_config config = {
      .size = ways * sets * 64, .ways = ways, .block = 64, .instances = 1, .next = CM_UNIT_DRAM};
   const uint32_t memory = 4 * (uint32_t)config.size;
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct reference_cache reference;
   uint64_t state = 7;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   reference_cache_init(&reference, &config, NULL);
   for (unsigned round = 0; round < 200; round++) {
      for (unsigned i = 0; i < 2 * ways * sets; i++) {
         const uint64_t address = random_below(&state, memory);
         const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
         const enum cm_access access = (enum cm_access)random_below(&state, 3);
         cm_cache_access(&cache, address, stream, access);
         reference_cache_access(&reference, address, stream, access);
      }
      const uint64_t begin = random_below(&state, memory);
      const uint64_t end = begin + 1 + random_below(&state, random_below(&state, 2) ? memory / 4 : 64);
      cm_cache_invalidate(&cache, begin, end);
      reference_cache_invalidate(&reference, begin, end);
      assert_caches_equal(&cache, &reference);
   }
   uint64_t dropped = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      dropped += cm_cache_counter(&cache, (enum cm_stream)stream, CM_CACHE_EVENT_INVALIDATIONS);
   cm_cache_finish(&cache);
   reference_cache_finish(&reference);
   return dropped;
}

/* Lines are looked at eight at once: sets of fewer and of more, whole numbers of them and not, and caches of fewer lines. */
TEST(against_reference)
{
   static const uint32_t ways[] = {1, 2, 3, 4, 5, 6, 8, 12, 16};
   for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
      for (uint32_t sets = 1; sets <= 32; sets *= 2)
         assert_true(compare_with_reference(ways[w], sets) > 20);
   }
}

TEST(accessed_block_is_gone)
{
   const struct cm_cache_config config = {
      .size = 4096, .ways = 4, .block = 64, .instances = 1, .next = CM_UNIT_DRAM};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   cm_cache_access(&cache, 128, CM_STREAM_TEXTURE, CM_READ);
   cm_cache_invalidate(&cache, 128, 129);
   cm_cache_access(&cache, 128, CM_STREAM_TEXTURE, CM_READ);
   assert_int_equal(cm_cache_counter(&cache, CM_STREAM_TEXTURE, CM_CACHE_EVENT_MISSES), 2);
   assert_int_equal(cm_cache_counter(&cache, CM_STREAM_TEXTURE, CM_CACHE_EVENT_HITS), 0);
   cm_cache_finish(&cache);
}
