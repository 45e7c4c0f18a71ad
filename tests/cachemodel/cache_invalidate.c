/* SPDX-License-Identifier: MIT */
/* Invalidation drops exactly the blocks of a range, writes dirty ones back, and
 * leaves the order of the others as it was. */
#include "support/reference_cache.h"
#include "support/test.h"

static void
test_against_reference(void **unused)
{
   const struct cm_cache_config config = {
      .size = 8192, .ways = 4, .block = 64, .instances = 1, .next = CM_UNIT_DRAM};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct reference_cache reference;
   uint64_t state = 7;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   reference_cache_init(&reference, &config, NULL);
   for (unsigned round = 0; round < 200; round++) {
      for (unsigned i = 0; i < 500; i++) {
         const uint64_t address = random_below(&state, 32768);
         const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
         const enum cm_access access = (enum cm_access)random_below(&state, 3);
         cm_cache_access(&cache, address, stream, access);
         reference_cache_access(&reference, address, stream, access);
      }
      const uint64_t begin = random_below(&state, 32768);
      const uint64_t end = begin + 1 + random_below(&state, 9000);
      cm_cache_invalidate(&cache, begin, end);
      reference_cache_invalidate(&reference, begin, end);
      assert_caches_equal(&cache, &reference);
   }
   uint64_t dropped = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      dropped += cm_cache_counter(&cache, (enum cm_stream)stream, CM_CACHE_EVENT_INVALIDATIONS);
   assert_true(dropped > 1000);
   cm_cache_finish(&cache);
   reference_cache_finish(&reference);
}

static void
test_accessed_block_is_gone(void **unused)
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

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_reference),
      cmocka_unit_test(test_accessed_block_is_gone),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
