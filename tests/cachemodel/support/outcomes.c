/* SPDX-License-Identifier: MIT */
#include "outcomes.h"

#include "memory/future.h"
#include "memory/next_use.h"
#include "test.h"

static void
run_step(struct cm_cache *cache, const struct outcome_step *step)
{
   if (step->invalidates)
      cm_cache_invalidate(cache, step->block << 6, (step->block << 6) + 1);
   else
      cm_cache_access(cache, step->block << 6, CM_STREAM_TEXTURE, CM_READ);
}

static void
collect(const struct cm_cache_config *config, const struct outcome_step *steps, uint32_t count,
        struct cm_next_use *uses)
{
   struct cm_dram dram = {0};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, config, NULL, &dram));
   cm_cache_collect(&cache, uses);
   for (uint32_t i = 0; i < count; i++)
      run_step(&cache, &steps[i]);
   cm_next_use_rewind(uses);
   cm_cache_finish(&cache);
}

void
find_outcomes(enum cm_policy policy, uint32_t sets, uint32_t ways, const struct outcome_step *steps,
              uint32_t count, char *outcomes)
{
   const struct cm_cache_config config = {.size = 64 * sets * ways,
                                          .ways = ways,
                                          .block = 64,
                                          .instances = 1,
                                          .policy = policy,
                                          .next = CM_UNIT_DRAM};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   if (cm_policy_needs_future(policy))
      collect(&config, steps, count, &uses);
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   cm_cache_set_future(&cache, &uses);
   const uint64_t *counts = cache.counts[CM_STREAM_TEXTURE];
   for (uint32_t i = 0; i < count; i++) {
      const uint64_t misses = counts[CM_CACHE_EVENT_MISSES], bypasses = counts[CM_CACHE_EVENT_BYPASSES];
      run_step(&cache, &steps[i]);
      outcomes[i] = 'h';
      if (steps[i].invalidates)
         outcomes[i] = '-';
      else if (counts[CM_CACHE_EVENT_MISSES] != misses)
         outcomes[i] = 'm';
      else if (counts[CM_CACHE_EVENT_BYPASSES] != bypasses)
         outcomes[i] = 'b';
   }
   cm_cache_finish(&cache);
   cm_next_use_free(&uses);
}

uint32_t
count_outcomes(const char *outcomes, uint32_t count, char outcome)
{
   uint32_t sum = 0;
   for (uint32_t i = 0; i < count; i++)
      sum += outcomes[i] == outcome;
   return sum;
}
