/* SPDX-License-Identifier: MIT */
/* Observing changes no counter, and the observer is told of what the counters count: at each
 * unit, for each stream; a cache fed with what arrived at the L2 does what the L2 did. */
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "support/nuca_harness.h"
#include "support/random_pass.h"
#include "support/test.h"

struct observed {
   uint64_t reads[CM_STREAM_COUNT], writes[CM_STREAM_COUNT], bytes[CM_STREAM_COUNT];
   struct cm_cache *cache; /* what arrives goes there too; NULL: nowhere */
};

static void
observe(void *context, uint64_t address, uint32_t bytes, enum cm_stream stream, enum cm_access access)
{
   struct observed *observed = context;
   assert_int_equal(address % bytes, 0);
   *(access == CM_READ ? &observed->reads[stream] : &observed->writes[stream]) += 1;
   observed->bytes[stream] += bytes;
   if (observed->cache)
      cm_cache_access(observed->cache, address, stream, access);
}

/* Random frames; the counters' values, to be freed. */
static uint64_t *
run(const char *const *assignments, enum cm_unit unit, const struct cm_observer *observer,
    struct cm_counter_table **table)
{
   struct cm_config *config = test_config(assignments);
   struct cm_gpu *gpu = test_gpu(assignments);
   uint64_t state = 11;
   *table = cm_gpu_counter_table_create(config);
   if (observer)
      cm_gpu_observe(gpu, unit, observer);
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < 6; frame++) {
      struct pass_builder *pass = random_pass(&state, frame);
      pass_run(pass, gpu);
      pass_free(pass);
      cm_gpu_frame_end(gpu);
   }
   uint64_t *values = malloc((*table)->count * sizeof *values);
   memcpy(values, cm_gpu_total(gpu), (*table)->count * sizeof *values);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
   return values;
}

static uint64_t
value(const struct cm_counter_table *table, const uint64_t *values, enum cm_unit unit, unsigned stream,
      const char *event)
{
   char name[128];
   snprintf(name, sizeof name, "%s.%s.%s", cm_unit_names[unit], cm_stream_names[stream], event);
   const int index = cm_counter_table_find(table, name);
   return index < 0 ? 0 : values[index];
}

static void
check_unit(const char *const *assignments, enum cm_unit unit)
{
   struct observed observed = {.cache = NULL};
   const struct cm_observer observer = {.access = observe, .context = &observed};
   struct cm_counter_table *table, *again;
   uint64_t *plain = run(assignments, unit, NULL, &table);
   uint64_t *values = run(assignments, unit, &observer, &again), seen = 0;
   assert_memory_equal(plain, values, table->count * sizeof *plain);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      assert_int_equal(observed.reads[stream], value(table, values, unit, stream, "reads"));
      assert_int_equal(observed.writes[stream], value(table, values, unit, stream, "writes"));
      if (unit == CM_UNIT_DRAM)
         assert_int_equal(observed.bytes[stream], value(table, values, unit, stream, "read_bytes") +
                                                     value(table, values, unit, stream, "write_bytes"));
      seen += observed.reads[stream] + observed.writes[stream];
   }
   assert_true(seen > 100);
   free(plain);
   free(values);
   cm_counter_table_destroy(table);
   cm_counter_table_destroy(again);
}

static void
test_every_unit(void **unused)
{
   (void)unused;
   static const char *const no_texture_cache[] = {"streams.texture=dram", NULL};
   static const char *const mru[] = {"caches.l2.policy=mru", "caches.texture_cache.policy=fifo", NULL};
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      const bool is_split = unit == CM_UNIT_PRIMITIVE_LIST_CACHE || unit == CM_UNIT_ATTRIBUTE_CACHE;
      if (unit >= CM_UNIT_INDEX_CACHE && unit <= CM_UNIT_LLC)
         continue; /* of mode imr: gpu_immediate_reference.c */
      if (unit != CM_UNIT_TILE_CACHE)
         check_unit(test_tcor_settings, (enum cm_unit)unit);
      if (is_split)
         continue;
      check_unit(NULL, (enum cm_unit)unit);
      check_unit(test_nuca_settings, (enum cm_unit)unit);
      check_unit(mru, (enum cm_unit)unit);
   }
   check_unit(no_texture_cache, CM_UNIT_DRAM);
}

/* Nothing that is written past the caches is read through them: that would be invalidated. */
static void
test_what_arrives_is_all_there_is(void **unused)
{
   (void)unused;
   static const char *const assignments[] = {"streams.color=l2", "streams.depth=l2", "streams.stencil=l2",
                                             "caches.l2.size=65536", NULL};
   struct cm_config *config = test_config(assignments);
   struct cm_dram dram = {0};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, &config->caches[CM_UNIT_L2], NULL, &dram));
   struct observed observed = {.cache = &cache};
   const struct cm_observer observer = {.access = observe, .context = &observed};
   struct cm_counter_table *table;
   uint64_t *values = run(assignments, CM_UNIT_L2, &observer, &table), misses = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const uint64_t *counts = cache.counts[stream];
      misses += counts[CM_CACHE_EVENT_MISSES];
      assert_int_equal(counts[CM_CACHE_EVENT_MISSES], value(table, values, CM_UNIT_L2, stream, "misses"));
      assert_int_equal(counts[CM_CACHE_EVENT_WRITEBACKS],
                       value(table, values, CM_UNIT_L2, stream, "writebacks"));
   }
   assert_true(misses > 100);
   free(values);
   cm_counter_table_destroy(table);
   cm_cache_finish(&cache);
   cm_config_destroy(config);
}

static void
tell_invalidation(void *context, uint64_t begin, uint64_t end)
{
   uint64_t *bytes = context;
   bytes[0] = begin;
   bytes[1] = end;
}

static void
ignore_access(void *context, uint64_t address, uint32_t bytes, enum cm_stream stream, enum cm_access access)
{
   (void)context;
   (void)address;
   (void)bytes;
   (void)stream;
   (void)access;
}

/* The observer is told of whole blocks, whether the cache has them or not; they leave it as ever. */
static void
test_invalidation(void **unused)
{
   (void)unused;
   const struct cm_cache_config config = {
      .size = 1024, .ways = 4, .block = 64, .instances = 1, .policy = CM_POLICY_LRU, .next = CM_UNIT_DRAM};
   uint64_t bytes[2] = {0, 0};
   const struct cm_observer observer = {.access = ignore_access,
                                        .context = bytes,
                                        .invalidate = tell_invalidation};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   cm_cache_observe(&cache, &observer);
   cm_cache_access(&cache, 256, CM_STREAM_TEXTURE, CM_READ);
   cm_cache_invalidate(&cache, 100, 300);
   assert_int_equal(bytes[0], 64);
   assert_int_equal(bytes[1], 320);
   cm_cache_access(&cache, 256, CM_STREAM_TEXTURE, CM_READ);
   assert_int_equal(cm_cache_counter(&cache, CM_STREAM_TEXTURE, CM_CACHE_EVENT_MISSES), 2);
   cm_cache_finish(&cache);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_unit),
      cmocka_unit_test(test_what_arrives_is_all_there_is),
      cmocka_unit_test(test_invalidation),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
