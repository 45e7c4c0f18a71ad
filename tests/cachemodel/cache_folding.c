/* SPDX-License-Identifier: MIT */
/* Folding changes no counter: a cache that may fold and one whose fold is taken
 * away after each access do the same. */
#include <string.h>

#include "memory/cache.h"
#include "support/test.h"

static void
test_folding_is_exact(void **unused)
{
   (void)unused;
   static const uint32_t ways[] = {1, 2, 4, 8};
   for (unsigned w = 0; w < 4; w++) {
      const struct cm_cache_config config = {
         .size = 64 * 8 * ways[w], .ways = ways[w], .block = 64, .instances = 1, .next = CM_UNIT_DRAM};
      struct cm_dram drams[2] = {0};
      struct cm_cache folding, plain;
      assert_true(cm_cache_init(&folding, &config, NULL, &drams[0]));
      assert_true(cm_cache_init(&plain, &config, NULL, &drams[1]));
      uint64_t state = w, folded = 0;
      for (unsigned i = 0; i < 200000; i++) {
         const uint64_t address = random_below(&state, 4096 * (w + 1));
         const unsigned repetitions = 1 + random_below(&state, 3);
         for (unsigned r = 0; r < repetitions; r++) {
            const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
            const enum cm_access access = (enum cm_access)random_below(&state, 3);
            folded += address >> 6 == folding.folded_block;
            cm_cache_access(&folding, address, stream, access);
            plain.folded_block = CM_NO_BLOCK;
            cm_cache_access(&plain, address, stream, access);
         }
      }
      assert_true(folded > 100000); /* or nothing was tested */
      assert_memory_equal(folding.accesses, plain.accesses, sizeof plain.accesses);
      assert_memory_equal(folding.counts, plain.counts, sizeof plain.counts);
      assert_memory_equal(&drams[0], &drams[1], sizeof drams[0]);
      cm_cache_finish(&folding);
      cm_cache_finish(&plain);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {cmocka_unit_test(test_folding_is_exact)};
   return cmocka_run_group_tests(tests, NULL, NULL);
}
