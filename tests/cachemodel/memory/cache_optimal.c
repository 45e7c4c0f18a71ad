/* SPDX-License-Identifier: MIT */
/* OPT and OPTPT against all that any replacement could do, with invalidations; against
 * all other policies, set by set; LRU's inclusion; what goes to the next level. */
#include <stdlib.h>
#include <string.h>

#include "memory/future.h"
#include "memory/next_use.h"
#include "support/outcomes.h"
#include "support/test.h"

/* ---- exhaustive search ------------------------------------------------- */

enum { SEARCH_STEPS = 20, SEARCH_BLOCKS = 7 };

struct search {
   const struct outcome_step *steps;
   uint32_t count, ways;
   bool bypasses;
   /* By step and contents, a bit per block: the fewest misses from there on, and 1; 0: not yet known. */
   uint8_t known[SEARCH_STEPS][1 << SEARCH_BLOCKS];
};

/* The fewest misses from a step on, whatever leaves the cache at each miss. */
static uint32_t
fewest_misses(struct search *search, uint32_t step, uint32_t contents)
{
   if (step == search->count)
      return 0;
   uint8_t *known = &search->known[step][contents];
   if (*known)
      return *known - 1u;
   const uint32_t block = 1u << search->steps[step].block;
   uint32_t fewest = UINT32_MAX;
   if (search->steps[step].invalidates) {
      fewest = fewest_misses(search, step + 1, contents & ~block);
   } else if (contents & block) {
      fewest = fewest_misses(search, step + 1, contents);
   } else if ((uint32_t)__builtin_popcount(contents) < search->ways) {
      fewest = 1 + fewest_misses(search, step + 1, contents | block);
   } else {
      for (uint32_t victim = 1; victim <= contents; victim <<= 1) {
         if (!(contents & victim))
            continue;
         const uint32_t misses = 1 + fewest_misses(search, step + 1, (contents & ~victim) | block);
         fewest = misses < fewest ? misses : fewest;
      }
      if (search->bypasses) {
         const uint32_t misses = 1 + fewest_misses(search, step + 1, contents);
         fewest = misses < fewest ? misses : fewest;
      }
   }
   *known = (uint8_t)(fewest + 1);
   return fewest;
}

TEST(exhaustive_search)
{
   uint64_t state = 11;
   uint32_t invalidations = 0, bypasses = 0, better = 0;
   static struct search search;
   for (unsigned stream = 0; stream < 10000; stream++) {
      struct outcome_step steps[SEARCH_STEPS];
      char opt[SEARCH_STEPS], optpt[SEARCH_STEPS];
      const uint32_t count = 1 + random_below(&state, SEARCH_STEPS), ways = 1 + random_below(&state, 4);
      const uint32_t blocks = 2 + random_below(&state, SEARCH_BLOCKS - 1);
      const bool invalidates = stream % 2;
      for (uint32_t i = 0; i < count; i++)
         steps[i] = (struct outcome_step){.block = random_below(&state, blocks),
                                          .invalidates = invalidates && random_below(&state, 6) == 0};
      find_outcomes(CM_POLICY_OPT, 1, ways, steps, count, opt);
      find_outcomes(CM_POLICY_OPTPT, 1, ways, steps, count, optpt);
      const uint32_t opt_misses = count_outcomes(opt, count, 'm');
      const uint32_t optpt_bypasses = count_outcomes(optpt, count, 'b');
      const uint32_t optpt_misses = count_outcomes(optpt, count, 'm') + optpt_bypasses;

      search.steps = steps;
      search.count = count;
      search.ways = ways;
      for (unsigned i = 0; i < 2; i++) {
         search.bypasses = i == 1;
         memset(search.known, 0, sizeof search.known);
         assert_int_equal(i ? optpt_misses : opt_misses, fewest_misses(&search, 0, 0));
      }
      assert_int_equal(count_outcomes(opt, count, 'b'), 0);
      invalidations += count_outcomes(opt, count, '-');
      bypasses += optpt_bypasses;
      better += optpt_misses < opt_misses;
   }
   assert_true(invalidations > 1000 && bypasses > 1000 && better > 1000); /* or nothing was tested */
}

/* ---- among policies ---------------------------------------------------- */

enum { STREAM_STEPS = 20000, SETS = 8 };

/* Uses near and far, loops and noise. */
static void
make_stream(struct outcome_step *steps, uint64_t seed, uint32_t blocks)
{
   uint64_t state = seed;
   for (uint32_t i = 0; i < STREAM_STEPS; i++) {
      const uint32_t kind = random_below(&state, 3);
      steps[i] = (struct outcome_step){.block = kind == 0   ? i % (2 * blocks)
                                                : kind == 1 ? random_below(&state, blocks / 2)
                                                            : random_below(&state, 8 * blocks)};
   }
}

static void
misses_by_set(enum cm_policy policy, uint32_t ways, const struct outcome_step *steps, uint32_t misses[SETS])
{
   static char outcomes[STREAM_STEPS];
   find_outcomes(policy, SETS, ways, steps, STREAM_STEPS, outcomes);
   memset(misses, 0, SETS * sizeof misses[0]);
   for (uint32_t i = 0; i < STREAM_STEPS; i++)
      misses[steps[i].block % SETS] += outcomes[i] != 'h';
}

TEST(order_of_policies)
{
   static struct outcome_step steps[STREAM_STEPS];
   for (uint32_t ways = 1; ways <= 16; ways *= 2) {
      for (uint64_t seed = 0; seed < 3; seed++) {
         uint32_t optpt[SETS], opt[SETS], other[SETS];
         make_stream(steps, seed, SETS * ways);
         misses_by_set(CM_POLICY_OPTPT, ways, steps, optpt);
         misses_by_set(CM_POLICY_OPT, ways, steps, opt);
         for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
            if (policy == CM_POLICY_PERFECT)
               continue;
            misses_by_set((enum cm_policy)policy, ways, steps, other);
            for (unsigned set = 0; set < SETS; set++)
               assert_true(optpt[set] <= opt[set] && (policy == CM_POLICY_OPTPT || opt[set] <= other[set]));
         }
      }
   }
}

/* What a cache of LRU has, one with more ways has, too. */
TEST(inclusion)
{
   static struct outcome_step steps[STREAM_STEPS];
   static char smaller[STREAM_STEPS], larger[STREAM_STEPS];
   for (uint64_t seed = 0; seed < 4; seed++) {
      make_stream(steps, seed, SETS * 6);
      for (uint32_t i = 0; i < STREAM_STEPS; i++)
         steps[i].invalidates = i % 101 == 100;
      find_outcomes(CM_POLICY_LRU, SETS, 1, steps, STREAM_STEPS, smaller);
      uint32_t more = 0;
      for (uint32_t ways = 2; ways <= 20; ways++) {
         find_outcomes(CM_POLICY_LRU, SETS, ways, steps, STREAM_STEPS, larger);
         for (uint32_t i = 0; i < STREAM_STEPS; i++) {
            assert_true(smaller[i] != 'h' || larger[i] == 'h');
            more += smaller[i] != larger[i];
         }
         memcpy(smaller, larger, sizeof smaller);
      }
      assert_true(more > 1000);
   }
}

/* ---- the next level ---------------------------------------------------- */

static uint64_t
sum(const struct cm_cache *cache, enum cm_cache_event event)
{
   uint64_t result = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      result += cm_cache_counter(cache, (enum cm_stream)stream, event);
   return result;
}

/* One pass of reads and writes through two levels. */
static void
run_levels(struct cm_cache levels[2])
{
   uint64_t state = 3;
   for (unsigned i = 0; i < 40000; i++) {
      const uint64_t address = random_below(&state, random_below(&state, 2) ? 4000 : 40000);
      cm_cache_access(&levels[0], address, (enum cm_stream)random_below(&state, CM_STREAM_COUNT),
                      (enum cm_access)random_below(&state, 3));
      if (i % 5000 == 4999)
         cm_cache_invalidate(&levels[0], address, address + 3000);
   }
}

static void
check_levels(enum cm_policy policy, enum cm_write_miss write_miss, uint32_t next_block)
{
   struct cm_cache_config configs[2] = {
      {.size = 4096, .ways = 4, .block = 64, .instances = 1, .policy = policy, .write_miss = write_miss},
      {.size = 16384, .ways = 8, .block = next_block, .instances = 1, .write_miss = write_miss},
   };
   struct cm_dram dram;
   struct cm_cache levels[2];
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   for (unsigned pass = cm_policy_needs_future(policy) ? 0 : 1; pass < 2; pass++) {
      memset(&dram, 0, sizeof dram);
      assert_true(cm_cache_init(&levels[1], &configs[1], NULL, &dram));
      assert_true(cm_cache_init(&levels[0], &configs[0], &levels[1], &dram));
      if (pass == 0)
         cm_cache_collect(&levels[0], &uses);
      else
         cm_cache_set_future(&levels[0], &uses);
      run_levels(levels);
      cm_next_use_rewind(&uses);
      if (pass == 1) {
         const struct cm_cache *first = &levels[0];
         assert_int_equal(sum(first, CM_CACHE_EVENT_HITS) + sum(first, CM_CACHE_EVENT_MISSES) +
                             sum(first, CM_CACHE_EVENT_BYPASSES),
                          40000);
         assert_int_equal(sum(first, CM_CACHE_EVENT_FILLS), sum(&levels[1], CM_CACHE_EVENT_READS));
         assert_int_equal(sum(first, CM_CACHE_EVENT_WRITEBACKS), sum(&levels[1], CM_CACHE_EVENT_WRITES));
         assert_true(policy == CM_POLICY_PERFECT || sum(first, CM_CACHE_EVENT_WRITEBACKS) > 1000);
         assert_int_equal(policy == CM_POLICY_OPTPT, sum(first, CM_CACHE_EVENT_BYPASSES) > 1000);
      }
      cm_cache_finish(&levels[0]);
      cm_cache_finish(&levels[1]);
   }
   cm_next_use_free(&uses);
}

TEST(next_level)
{
   for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
      check_levels((enum cm_policy)policy, CM_WRITE_MISS_ALLOCATE, 64);
      check_levels((enum cm_policy)policy, CM_WRITE_MISS_FETCH, 64);
      check_levels((enum cm_policy)policy, CM_WRITE_MISS_FETCH, 128);
   }
}
