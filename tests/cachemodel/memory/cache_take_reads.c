/* SPDX-License-Identifier: MIT */
/* Reads of all caches of a unit in batches do the same as one after another, to them and to the next level. */
#include <string.h>

#include "memory/cache.h"
#include "support/test.h"

#define INSTANCES 4
#define ENTRIES 1024

/* The caches of a unit, and the one after them: its state shows in which order it was accessed. */
struct level {
   struct cm_cache caches[INSTANCES], next;
   struct cm_dram dram;
};

static void
build(struct level *level, enum cm_policy policy, uint32_t ways)
{
   const struct cm_cache_config config = {
      .size = 16 * ways * 64, .ways = ways, .block = 64, .instances = 1, .policy = policy};
   const struct cm_cache_config next = {.size = 32 * 4 * 64, .ways = 4, .block = 64, .instances = 1};
   assert_true(cm_cache_init(&level->next, &next, NULL, &level->dram));
   for (unsigned i = 0; i < INSTANCES; i++) {
      assert_true(cm_cache_init(&level->caches[i], &config, &level->next, &level->dram));
      level->caches[i].unit = CM_UNIT_TEXTURE_CACHE;
   }
}

static void
finish(struct level *level)
{
   for (unsigned i = 0; i < INSTANCES; i++)
      cm_cache_finish(&level->caches[i]);
   cm_cache_finish(&level->next);
}

/* Reads near the last ones, and now and then an entry of another unit, which the batch ends before. */
static uint32_t
make_batch(cm_entry *entries, uint64_t *state)
{
   const uint32_t count = 1 + random_below(state, ENTRIES);
   const uint64_t base = random_below(state, 400);
   for (uint32_t e = 0; e < count; e++) {
      const enum cm_unit unit = random_below(state, 200) ? CM_UNIT_TEXTURE_CACHE : CM_UNIT_L2;
      const enum cm_stream stream = random_below(state, 8) ? CM_STREAM_TEXTURE : CM_STREAM_SHADER;
      const uint64_t block = base + random_below(state, 200);
      entries[e] =
         cm_entry_access(cm_entry_cache(unit, random_below(state, INSTANCES)), CM_READ, stream, block << 6);
   }
   return count;
}

static void
assert_same_cache(const struct cm_cache *cache, const struct cm_cache *expected)
{
   assert_memory_equal(cache->accesses, expected->accesses, sizeof cache->accesses);
   assert_memory_equal(cache->counts, expected->counts, sizeof cache->counts);
   assert_memory_equal(cache->lines, expected->lines, sizeof(cm_line) * cache->sets * cache->ways);
}

/* Reads without a batch, before one and after it: the batch may have removed what was read last. */
static void
read_each(struct level levels[2], uint64_t address)
{
   for (unsigned i = 0; i < INSTANCES; i++) {
      cm_cache_access(&levels[0].caches[i], address, CM_STREAM_TEXTURE, CM_READ);
      cm_cache_access(&levels[1].caches[i], address, CM_STREAM_TEXTURE, CM_READ);
   }
}

static void
compare(enum cm_policy policy, uint32_t ways)
{
   static struct level levels[2];
   static cm_entry entries[ENTRIES];
   uint64_t state = ways;
   memset(levels, 0, sizeof levels);
   build(&levels[0], policy, ways);
   build(&levels[1], policy, ways);
   for (unsigned round = 0; round < test_rounds(400); round++) {
      const uint32_t count = make_batch(entries, &state);
      const uint64_t address = (uint64_t)random_below(&state, 600) << 6;
      read_each(levels, address);
      for (uint32_t e = 0; e < count;) {
         if (cm_entry_unit(entries[e]) != CM_UNIT_TEXTURE_CACHE) {
            e++;
            continue;
         }
         const uint32_t taken = cm_cache_take_reads(levels[0].caches, entries + e, count - e);
         assert_in_range(taken, 1, count - e);
         for (uint32_t end = e + taken; e < end; e++) {
            assert_int_equal(cm_entry_unit(entries[e]), CM_UNIT_TEXTURE_CACHE);
            cm_cache_access(&levels[1].caches[cm_entry_instance(entries[e])], cm_entry_address(entries[e]),
                            cm_entry_stream(entries[e]), CM_READ);
         }
      }
      read_each(levels, address);
   }
   for (unsigned i = 0; i < INSTANCES; i++)
      assert_same_cache(&levels[0].caches[i], &levels[1].caches[i]);
   assert_same_cache(&levels[0].next, &levels[1].next);
   assert_true(levels[1].next.counts[CM_STREAM_TEXTURE][CM_CACHE_EVENT_MISSES] > 0);
   assert_memory_equal(&levels[0].dram, &levels[1].dram, sizeof levels[0].dram);
   finish(&levels[0]);
   finish(&levels[1]);
}

TEST(policies)
{
   for (uint32_t ways = 2; ways <= 8; ways *= 2) {
      compare(CM_POLICY_LRU, ways);
      compare(CM_POLICY_FIFO, ways);
      compare(CM_POLICY_SRRIP, ways);
   }
}
