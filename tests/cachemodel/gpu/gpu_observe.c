/* SPDX-License-Identifier: MIT */
/* Observing changes no counter, and the observer is told of what the counters count: at each
 * unit, for each stream; a cache fed with what arrived at the L2 does what the L2 did. */
#include <stdlib.h>
#include <string.h>

#include "memory/hierarchy.h"
#include "support/arrivals.h"
#include "support/nuca_harness.h"
#include "support/random_pass.h"
#include "support/test.h"

struct observed {
   uint64_t reads[CM_STREAM_COUNT], writes[CM_STREAM_COUNT], bytes[CM_STREAM_COUNT];
   struct cm_cache *cache; /* what arrives goes there too; NULL: nowhere */
};

static void
observe(void *context, const struct cm_unit_arrival *arrival)
{
   struct observed *observed = context;
   assert_int_equal(arrival->address % arrival->bytes, 0);
   *(arrival->access == CM_READ ? &observed->reads[arrival->stream] : &observed->writes[arrival->stream]) +=
      1;
   observed->bytes[arrival->stream] += arrival->bytes;
   if (observed->cache)
      cm_cache_access(observed->cache, arrival->address, arrival->stream, arrival->access);
}

/* Random frames; the counters' values, to be freed. */
static uint64_t *
run(const char *const *assignments, enum cm_unit unit, struct test_arrivals *arrivals,
    struct cm_counter_table **table)
{
   struct cm_config *config = test_config(assignments);
   struct cm_gpu *gpu = test_gpu(assignments);
   uint64_t state = 11;
   *table = cm_gpu_counter_table_create(config);
   if (arrivals)
      test_read_arrivals(gpu, unit, arrivals);
   define_random_resources(gpu);
   for (uint32_t frame = 0; frame < 6; frame++) {
      pass_run_and_free(random_pass(&state, frame), gpu);
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
   struct test_arrivals arrivals = {.access = observe, .context = &observed};
   struct cm_counter_table *table, *again;
   uint64_t *plain = run(assignments, unit, NULL, &table);
   uint64_t *values = run(assignments, unit, &arrivals, &again), seen = 0;
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

TEST(every_unit)
{
   static const char *const no_texture_cache[] = {"streams.texture=dram", NULL};
   static const char *const mru[] = {"caches.l2.policy=mru", "caches.texture_cache.policy=fifo", NULL};
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      const bool is_split = unit == CM_UNIT_PRIMITIVE_LIST_CACHE || unit == CM_UNIT_ATTRIBUTE_CACHE;
      if (unit >= CM_UNIT_INDEX_CACHE && unit < CM_UNIT_DRAM)
         continue; /* of mode imr: gpu_immediate_reference.c; of storage: gpu_compute.c */
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
TEST(what_arrives_is_all_there_is)
{
   static const char *const assignments[] = {"streams.color=l2", "streams.depth=l2", "streams.stencil=l2",
                                             "caches.l2.size=65536", NULL};
   struct cm_config *config = test_config(assignments);
   struct cm_dram dram = {0};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, &config->caches[CM_UNIT_L2], NULL, &dram));
   struct observed observed = {.cache = &cache};
   struct test_arrivals arrivals = {.access = observe, .context = &observed};
   struct cm_counter_table *table;
   uint64_t *values = run(assignments, CM_UNIT_L2, &arrivals, &table), misses = 0;
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

/* Readers learn of whole blocks that are invalidated, once for all instances, whether caches have them or not. */
static void
expect_invalidations(void *context, const cm_entry *entries, uint32_t count)
{
   struct cm_arrivals *arrivals = context;
   for (uint32_t i = 0; i < count; i++) {
      struct cm_unit_arrival arrival;
      if (cm_arrivals_decode(&arrivals[1], entries[i], &arrival) != CM_ARRIVAL_INVALIDATION)
         continue;
      assert_int_equal(arrival.address, 64);
      assert_int_equal(arrival.end, 320);
      arrivals[0].range++;
   }
}

TEST(invalidation)
{
   struct cm_config *config = test_config(NULL);
   for (enum cm_unit unit = CM_UNIT_TEXTURE_CACHE; unit <= CM_UNIT_L2;
        unit += CM_UNIT_L2 - CM_UNIT_TEXTURE_CACHE) {
      struct cm_hierarchy hierarchy;
      struct cm_arrivals arrivals[2] = {{.range = 0}, {.unit = unit, .block_shift = 6}};
      const struct cm_access_reader reader = {.read = expect_invalidations,
                                              .context = arrivals,
                                              .units = 1u << unit};
      assert_true(cm_hierarchy_init(&hierarchy, config));
      assert_true(cm_hierarchy_add_reader(&hierarchy, &reader));
      for (unsigned i = 0; i < 2; i++) {
         cm_hierarchy_access(&hierarchy, 0, 256, CM_STREAM_TEXTURE, CM_READ);
         cm_hierarchy_invalidate(&hierarchy, unit, 100, 300);
      }
      cm_shared_side_run(&hierarchy.shared);
      assert_int_equal(arrivals[0].range, 2);
      assert_int_equal(cm_cache_counter(hierarchy.caches[CM_UNIT_TEXTURE_CACHE], CM_STREAM_TEXTURE,
                                        CM_CACHE_EVENT_MISSES),
                       unit == CM_UNIT_TEXTURE_CACHE ? 2 : 1);
      cm_hierarchy_finish(&hierarchy);
   }
   cm_config_destroy(config);
}
