/* SPDX-License-Identifier: MIT */
/* Every organisation of the texture caches against a naive model, on random requests and random choices of
 * all keys: what each request finds, what each cache holds, every counter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "support/naive_nuca.h"
#include "support/nuca_harness.h"
#include "support/test.h"

#define BLOCKS 400
#define REQUESTS 2500
#define MOST_BLOCKS 8
/* Requests that are listed before they are served. */
#define MOST_LISTED 20

static uint32_t
one_of(uint64_t *state, const uint32_t *values, uint32_t count)
{
   return values[random_below(state, count)];
}
#define ONE_OF(state, ...) \
   one_of(state, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Small caches, and all keys of the organisation at random. */
static struct cm_config *
random_config(uint64_t *state, enum cm_nuca_kind kind)
{
   struct cm_config *config = nuca_config((const char *const[]){NULL});
   struct cm_cache_config *cache = &config->caches[CM_UNIT_TEXTURE_CACHE];
   struct cm_nuca_config *nuca = &config->nuca;
   config->fragment_stage.processors = ONE_OF(state, 1, 2, 3, 4, 5, 8, 16, 32, 64);
   cache->instances = config->fragment_stage.processors;
   cache->ways = ONE_OF(state, 1, 2, 4);
   cache->size = cache->block * cache->ways * ONE_OF(state, 1, 2, 4, 16);
   cache->index = ONE_OF(state, CM_INDEX_MODULO, CM_INDEX_XOR);
   config->caches[CM_UNIT_L2].size = NAIVE_FORMER * 64;
   nuca->organisation = kind;
   nuca->requests =
      ONE_OF(state, CM_NUCA_REQUESTS_FOOTPRINT, CM_NUCA_REQUESTS_FRAGMENT, CM_NUCA_REQUESTS_TEXEL);
   nuca->interleave_blocks = ONE_OF(state, 1, 2, 16);
   nuca->migration = ONE_OF(state, CM_NUCA_MIGRATION_NEXT_REQUESTER, CM_NUCA_MIGRATION_LAST_REQUESTER);
   nuca->remote_hits = ONE_OF(state, CM_NUCA_REMOTE_HITS_UPDATE, CM_NUCA_REMOTE_HITS_KEEP);
   nuca->remote_copies = ONE_OF(state, CM_NUCA_REMOTE_COPIES_NONE, CM_NUCA_REMOTE_COPIES_HITS,
                                CM_NUCA_REMOTE_COPIES_MISSES, CM_NUCA_REMOTE_COPIES_ALL);
   nuca->affinity_table = (struct cm_affinity_config){
      .page_blocks = ONE_OF(state, 1, 2, 8),
      .buckets = ONE_OF(state, 1, 3, 8, 32, 40),
      .counter_bits = ONE_OF(state, 1, 2, 4, 5),
      .threshold_percent = ONE_OF(state, 0, 25, 50, 100),
      .counted = ONE_OF(state, CM_AFFINITY_COUNTED_ALL, CM_AFFINITY_COUNTED_LOCAL_MISSES),
      .epoch_accesses = ONE_OF(state, 10, 100, 500, 10000),
      .epoch_owner = ONE_OF(state, CM_EPOCH_OWNER_RECOMPUTE, CM_EPOCH_OWNER_KEEP, CM_EPOCH_OWNER_RELEASE),
      .epoch_reset = ONE_OF(state, CM_EPOCH_RESET_ZERO, CM_EPOCH_RESET_HALVE),
   };
   nuca->mesh = (struct cm_mesh_config){
      .columns = 1 + random_below(state, config->fragment_stage.processors),
      .hop_cycles = ONE_OF(state, 0, 1, 3),
      .accesses_per_cycle = ONE_OF(state, 1, 2, 7),
      .table = ONE_OF(state, CM_MESH_NODE_CENTER, CM_MESH_NODE_CORNER),
      .table_node = ONE_OF(state, CM_TABLE_NODE_SHARED, CM_TABLE_NODE_OWN),
      .l2 = ONE_OF(state, CM_MESH_NODE_BUS, CM_MESH_NODE_CENTER, CM_MESH_NODE_CORNER),
   };
   return config;
}

/* Blocks of a quad: near to where the last ones were, of few places that many processors like; often some are the same. */
static int
random_blocks(uint64_t *state, uint64_t *blocks)
{
   const uint32_t middle =
      random_below(state, 10) ? random_below(state, 60) : random_below(state, BLOCKS - 8);
   const int count = 1 + (int)random_below(state, MOST_BLOCKS);
   for (int b = 0; b < count; b++)
      blocks[b] = b && random_below(state, 2) ? blocks[b - 1] : 1000 + middle + random_below(state, 8);
   return count;
}

static void
compare(struct nuca_harness *harness, const struct naive_nuca *naive, uint64_t seed)
{
   static const char *const names[] = {
#define NAME(id, name, measure, description) name,
      CM_NUCA_EVENTS(NAME)
#undef NAME
   };
   const struct cm_cache *caches = harness->hierarchy.caches[CM_UNIT_TEXTURE_CACHE];
   for (int event = 0; event < CM_NUCA_EVENT_COUNT; event++) {
      const uint64_t value = nuca_harness_count(harness, &cm_nuca_counters, event);
      if (value != naive->counts[event])
         fail_msg("seed %llu: %s is %llu, the naive model has %llu", (unsigned long long)seed, names[event],
                  (unsigned long long)value, (unsigned long long)naive->counts[event]);
   }
   uint64_t requests = 0, accesses = 0;
   for (int p = 0; p < naive->processors; p++) {
      assert_int_equal(nuca_harness_count(harness, &cm_replication_counters, p + 1), naive->degrees[p + 1]);
      requests += naive->degrees[p + 1];
      accesses += cm_cache_counter(&caches[p], CM_STREAM_TEXTURE, CM_CACHE_EVENT_READS);
      for (uint64_t block = 1000; block < 1000 + BLOCKS; block++)
         assert_int_equal(cm_cache_probe(&caches[p], block), naive_nuca_has(naive, p, block));
   }
   const uint64_t *counts = naive->counts;
   assert_int_equal(counts[CM_NUCA_LOCAL_HITS] + counts[CM_NUCA_REMOTE_HITS] + counts[CM_NUCA_L2_ACCESSES],
                    counts[CM_NUCA_REQUESTS]);
   assert_int_equal(requests, counts[CM_NUCA_REQUESTS]);
   assert_int_equal(accesses, counts[CM_NUCA_REQUESTS]);
   cm_shared_side_run(&harness->hierarchy.shared);
   assert_int_equal(cm_cache_counter(harness->hierarchy.caches[CM_UNIT_L2], CM_STREAM_TEXTURE,
                                     CM_CACHE_EVENT_READS),
                    counts[CM_NUCA_L2_ACCESSES]);
}

/* Serves what is listed; for `take` of a stream, too. */
static void
serve_list(void *nuca, struct cm_access_stream *list)
{
   for (uint32_t served = 0; served < list->count;)
      served += cm_nuca_take(nuca, list->entries + served, list->count - served);
   list->count = 0;
}

/* Adds up what the streams made happen, for the test to know that they tested it. */
static void
run_stream(enum cm_nuca_kind kind, uint64_t seed, uint64_t *sums)
{
   uint64_t state = seed * 2654435761u + kind;
   struct nuca_harness harness;
   nuca_harness_init(&harness, random_config(&state, kind));
   struct naive_nuca *naive = naive_nuca_new(harness.config);
   struct cm_cache *caches = harness.hierarchy.caches[CM_UNIT_TEXTURE_CACHE];
   struct cm_access_stream list;
   assert_true(cm_access_stream_init(&list, serve_list, harness.nuca));
   for (int i = 0; i < REQUESTS; i++) {
      uint64_t blocks[MOST_BLOCKS];
      const int count = random_blocks(&state, blocks);
      const uint32_t favourite =
         (uint32_t)(blocks[0] / 8 + (uint64_t)i / 700) % harness.config->fragment_stage.processors;
      const uint32_t processor = random_below(&state, 2)
                                    ? favourite
                                    : random_below(&state, harness.config->fragment_stage.processors);
      if (seed % 2)
         cm_nuca_list(harness.nuca, &list, processor, blocks, (unsigned)count);
      else
         cm_nuca_read(harness.nuca, processor, blocks, (unsigned)count);
      naive_nuca_read(naive, (int)processor, blocks, count);
      const bool invalidates = random_below(&state, 200) == 0, compares = i % 250 == 0 || i == REQUESTS - 1;
      if (invalidates || compares || i % MOST_LISTED == 0)
         serve_list(harness.nuca, &list);
      if (invalidates) {
         const uint64_t first = 1000 + random_below(&state, BLOCKS), last = first + random_below(&state, 20);
         for (int p = 0; p < naive->processors; p++)
            cm_cache_invalidate(&caches[p], first << 6, (last + 1) << 6);
         naive_nuca_invalidate(naive, first, last);
      }
      if (compares)
         compare(&harness, naive, seed);
   }
   for (int event = 0; event < CM_NUCA_EVENT_COUNT; event++)
      sums[event] += naive->counts[event];
   naive_nuca_free(naive);
   cm_access_stream_finish(&list);
   nuca_harness_finish(&harness);
}

static void
run_streams(enum cm_nuca_kind kind, const enum cm_nuca_event *happened, unsigned count)
{
   uint64_t sums[CM_NUCA_EVENT_COUNT] = {0};
   for (uint64_t seed = 0; seed < test_rounds(60); seed++)
      run_stream(kind, seed, sums);
   for (unsigned i = 0; i < count; i++)
      assert_true(sums[happened[i]] > 500);
}

TEST(private)
{
   run_streams(CM_NUCA_PRIVATE, (const enum cm_nuca_event[]){CM_NUCA_LOCAL_HITS, CM_NUCA_L2_ACCESSES}, 2);
}

TEST(static)
{
   run_streams(CM_NUCA_STATIC, (const enum cm_nuca_event[]){CM_NUCA_REMOTE_HITS, CM_NUCA_HOPS}, 2);
}

TEST(dynamic)
{
   run_streams(CM_NUCA_DYNAMIC,
               (const enum cm_nuca_event[]){CM_NUCA_REMOTE_HITS, CM_NUCA_MIGRATIONS, CM_NUCA_NOTICE_HOPS}, 3);
}

TEST(dtm)
{
   run_streams(CM_NUCA_DTM,
               (const enum cm_nuca_event[]){CM_NUCA_REMOTE_HITS, CM_NUCA_OLD_OWNER_HITS,
                                            CM_NUCA_OWNERSHIP_CHANGES, CM_NUCA_EPOCHS, CM_NUCA_NOTICE_HOPS,
                                            CM_NUCA_COPIES},
               6);
}

TEST(distributed)
{
   run_streams(CM_NUCA_DTM_DISTRIBUTED,
               (const enum cm_nuca_event[]){CM_NUCA_REMOTE_HITS, CM_NUCA_OLD_OWNER_HITS,
                                            CM_NUCA_OWNERSHIP_CHANGES, CM_NUCA_EPOCHS, CM_NUCA_BROADCAST_HOPS,
                                            CM_NUCA_COPIES},
               6);
}

/* Requests for a block in a row, served together and one by one, with any policy of the caches. */
static void
compare_repeats(enum cm_nuca_kind kind, enum cm_policy policy, uint64_t seed)
{
   struct nuca_harness harnesses[2];
   uint64_t state = seed;
   for (unsigned h = 0; h < 2; h++) {
      state = seed;
      struct cm_config *config = random_config(&state, kind);
      config->caches[CM_UNIT_TEXTURE_CACHE].policy = policy;
      config->nuca.requests = CM_NUCA_REQUESTS_FRAGMENT;
      nuca_harness_init(&harnesses[h], config);
   }
   for (int i = 0; i < REQUESTS; i++) {
      uint64_t blocks[MOST_BLOCKS];
      const uint32_t count = (uint32_t)random_blocks(&state, blocks);
      const uint32_t processor = random_below(&state, harnesses[0].config->fragment_stage.processors);
      cm_nuca_read(harnesses[0].nuca, processor, blocks, count);
      for (uint32_t b = 0; b < count; b++)
         cm_nuca_read(harnesses[1].nuca, processor, &blocks[b], 1);
   }
   for (int event = 0; event < CM_NUCA_EVENT_COUNT; event++)
      assert_int_equal(nuca_harness_count(&harnesses[0], &cm_nuca_counters, event),
                       nuca_harness_count(&harnesses[1], &cm_nuca_counters, event));
   for (uint32_t p = 0; p < harnesses[0].config->fragment_stage.processors; p++) {
      const struct cm_cache *caches[2];
      for (unsigned h = 0; h < 2; h++)
         caches[h] = &harnesses[h].hierarchy.caches[CM_UNIT_TEXTURE_CACHE][p];
      for (uint64_t block = 1000; block < 1000 + BLOCKS; block++)
         assert_int_equal(cm_cache_probe(caches[0], block), cm_cache_probe(caches[1], block));
      assert_int_equal(cm_cache_counter(caches[0], CM_STREAM_TEXTURE, CM_CACHE_EVENT_READS),
                       cm_cache_counter(caches[1], CM_STREAM_TEXTURE, CM_CACHE_EVENT_READS));
   }
   for (unsigned h = 0; h < 2; h++)
      nuca_harness_finish(&harnesses[h]);
}

TEST(repeats)
{
   static const enum cm_policy policies[] = {CM_POLICY_LRU,   CM_POLICY_FIFO,  CM_POLICY_RANDOM,
                                             CM_POLICY_SRRIP, CM_POLICY_BRRIP, CM_POLICY_TREE_PLRU,
                                             CM_POLICY_NRU};
   for (unsigned policy = 0; policy < sizeof policies / sizeof policies[0]; policy++) {
      for (unsigned kind = CM_NUCA_PRIVATE; kind <= CM_NUCA_DTM_DISTRIBUTED; kind++)
         compare_repeats((enum cm_nuca_kind)kind, policies[policy], 5 * policy + kind);
   }
}
