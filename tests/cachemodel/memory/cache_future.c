/* SPDX-License-Identifier: MIT */
/* Next uses against a plain search, with invalidations; the passes of a hierarchy with
 * several such caches, and what is said where there is no future. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/gpu_config.h"
#include "gpu/gpu.h"
#include "memory/future.h"
#include "memory/next_use.h"
#include "support/test.h"

/* An access to a block, or the invalidation of blocks from … to. */
struct step {
   bool invalidates;
   uint64_t block, to;
};

static void
check_next_uses(uint64_t seed, uint64_t distinct, uint64_t stride, unsigned count)
{
   struct step *steps = calloc(count, sizeof *steps);
   struct cm_next_use uses;
   uint64_t state = seed;
   cm_next_use_init(&uses);
   for (unsigned i = 0; i < count; i++) {
      steps[i].invalidates = random_below(&state, 50) == 0;
      steps[i].block = stride * random_below(&state, (uint32_t)distinct);
      steps[i].to = steps[i].block + random_below(&state, 4) * random_below(&state, 1000) * stride;
      if (steps[i].invalidates)
         cm_next_use_invalidate(&uses, steps[i].block, steps[i].to);
      else
         cm_next_use_add(&uses, &steps[i].block, 1);
   }
   assert_int_equal(uses.problem, CM_NEXT_USE_FINE);
   cm_next_use_rewind(&uses);
   uint32_t position = 0;
   for (unsigned i = 0; i < count; i++) {
      if (steps[i].invalidates)
         continue;
      uint32_t expected = CM_NEVER_USED, other = position;
      for (unsigned j = i + 1; j < count; j++) {
         const struct step *step = &steps[j];
         if (step->invalidates && step->block <= steps[i].block && step->to >= steps[i].block)
            break;
         other += !step->invalidates;
         if (!step->invalidates && step->block == steps[i].block) {
            expected = other;
            break;
         }
      }
      assert_int_equal(cm_next_use_peek(&uses), expected);
      assert_int_equal(cm_next_use_take(&uses), expected);
      position++;
   }
   assert_int_equal(uses.count, position);
   cm_next_use_free(&uses);
   free(steps);
}

TEST(next_uses)
{
   check_next_uses(1, 1, 1, 100);
   check_next_uses(2, 10, 1, 3000);
   check_next_uses(3, 3000, 1, 10000);
   check_next_uses(4, 3000, 4, 10000);
   check_next_uses(5, 3000, 1ull << 40, 10000);
   check_next_uses(6, 20000, 7, 20000);
}

/* Sequences and single accesses add the same. */
TEST(sequences)
{
   enum { COUNT = 100000 };
   uint64_t *blocks = calloc(COUNT, sizeof *blocks), state = 5;
   struct cm_next_use uses[2];
   cm_next_use_init(&uses[0]);
   cm_next_use_init(&uses[1]);
   for (unsigned i = 0; i < COUNT; i++) {
      blocks[i] = random_below(&state, 1 + i / 3);
      cm_next_use_add(&uses[0], &blocks[i], 1);
   }
   for (unsigned done = 0; done < COUNT;) {
      unsigned part = 1 + random_below(&state, 5000);
      part = done + part < COUNT ? part : COUNT - done;
      cm_next_use_add(&uses[1], blocks + done, part);
      done += part;
   }
   assert_int_equal(uses[0].count, COUNT);
   assert_int_equal(uses[1].count, COUNT);
   assert_memory_equal(uses[0].next, uses[1].next, COUNT * sizeof *uses[0].next);
   cm_next_use_free(&uses[0]);
   cm_next_use_free(&uses[1]);
   free(blocks);
}

/* ---- hierarchies ------------------------------------------------------- */

static struct cm_config *
load_config(const char *const *settings, unsigned count)
{
   char error[512];
   struct cm_config *config = cm_config_load(NULL, NULL, error, sizeof error);
   if (!config)
      fail_msg("%s", error);
   for (unsigned i = 0; i < count; i++) {
      if (!cm_config_set(config, settings[i], error, sizeof error))
         fail_msg("%s", error);
   }
   if (!cm_config_validate(config, error, sizeof error))
      fail_msg("%s", error);
   return config;
}

static void
drive_hierarchy(struct cm_hierarchy *hierarchy, const struct cm_config *config, uint64_t seed)
{
   static const enum cm_stream streams[] = {CM_STREAM_VERTEX, CM_STREAM_PB_LIST, CM_STREAM_TEXTURE,
                                            CM_STREAM_SHADER};
   uint64_t state = seed;
   for (unsigned i = 0; i < 60000; i++) {
      const enum cm_stream stream = streams[random_below(&state, 4)];
      const uint64_t address = 64ull * random_below(&state, random_below(&state, 2) ? 300 : 3000);
      cm_hierarchy_access(hierarchy, random_below(&state, 4), address, stream,
                          stream == CM_STREAM_PB_LIST ? CM_WRITE_BLOCK : CM_READ);
      if (i % 5000 == 4999)
         cm_hierarchy_written_past(hierarchy, config, CM_STREAM_COLOR, address, address + 20000);
   }
   cm_shared_side_run(&hierarchy->shared);
}

static uint64_t
misses_of(const struct cm_hierarchy *hierarchy, enum cm_unit unit)
{
   uint64_t misses = 0;
   for (uint32_t i = 0; i < hierarchy->instances[unit]; i++) {
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         misses +=
            cm_cache_counter(&hierarchy->caches[unit][i], (enum cm_stream)stream, CM_CACHE_EVENT_MISSES);
         misses +=
            cm_cache_counter(&hierarchy->caches[unit][i], (enum cm_stream)stream, CM_CACHE_EVENT_BYPASSES);
      }
   }
   return misses;
}

/* All passes; the misses of each unit in the last one. */
static void
simulate(const struct cm_config *config, unsigned passes, uint64_t misses[CM_CACHE_COUNT])
{
   struct cm_futures *futures = cm_futures_create(config);
   assert_non_null(futures);
   for (unsigned pass = 0; pass < passes; pass++) {
      struct cm_hierarchy hierarchy;
      char error[256] = "";
      assert_true(cm_hierarchy_init(&hierarchy, config));
      assert_int_equal(cm_futures_is_last_pass(futures), pass + 1 == passes);
      cm_futures_apply(futures, &hierarchy);
      drive_hierarchy(&hierarchy, config, 3);
      if (!cm_futures_end_pass(futures, error, sizeof error))
         fail_msg("%s", error);
      for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++)
         misses[unit] = misses_of(&hierarchy, (enum cm_unit)unit);
      cm_hierarchy_finish(&hierarchy);
   }
   cm_futures_destroy(futures);
}

#define SMALL_CACHES                                                                        \
   "caches.texture_cache.size=4096", "caches.tile_cache.size=4096", "caches.l2.size=32768", \
      "caches.vertex_cache.size=4096"

TEST(hierarchy)
{
   static const char *const settings[] = {SMALL_CACHES, "caches.l2.policy=opt",
                                          "caches.texture_cache.policy=opt",
                                          "caches.tile_cache.policy=optpt"};
   uint64_t lru[CM_CACHE_COUNT], l2[CM_CACHE_COUNT], l1[CM_CACHE_COUNT], both[CM_CACHE_COUNT];
   struct cm_config *config = load_config(settings, 4);
   simulate(config, 1, lru);
   cm_config_destroy(config);
   config = load_config(settings, 5);
   simulate(config, 2, l2);
   cm_config_destroy(config);
   static const char *const only_first[] = {SMALL_CACHES, "caches.texture_cache.policy=opt",
                                            "caches.tile_cache.policy=optpt"};
   config = load_config(only_first, 6);
   simulate(config, 2, l1);
   cm_config_destroy(config);
   config = load_config(settings, 7);
   simulate(config, 3, both);

   /* A cache's decisions depend on what is before it only, and are better than others. */
   assert_int_equal(l2[CM_UNIT_TEXTURE_CACHE], lru[CM_UNIT_TEXTURE_CACHE]);
   assert_int_equal(l1[CM_UNIT_TEXTURE_CACHE], both[CM_UNIT_TEXTURE_CACHE]);
   assert_int_equal(l1[CM_UNIT_TILE_CACHE], both[CM_UNIT_TILE_CACHE]);
   assert_int_equal(l1[CM_UNIT_VERTEX_CACHE], lru[CM_UNIT_VERTEX_CACHE]);
   assert_true(l1[CM_UNIT_TEXTURE_CACHE] < lru[CM_UNIT_TEXTURE_CACHE]);
   assert_true(l1[CM_UNIT_TILE_CACHE] < lru[CM_UNIT_TILE_CACHE]);
   assert_true(l2[CM_UNIT_L2] < lru[CM_UNIT_L2]);
   assert_true(both[CM_UNIT_L2] < l1[CM_UNIT_L2]);
   cm_config_destroy(config);
}

/* A pass that is not like the one before it is refused. */
TEST(other_accesses)
{
   static const char *const settings[] = {SMALL_CACHES, "caches.l2.policy=opt"};
   struct cm_config *config = load_config(settings, 5);
   struct cm_futures *futures = cm_futures_create(config);
   char error[256] = "";
   for (unsigned pass = 0; pass < 2; pass++) {
      struct cm_hierarchy hierarchy;
      assert_true(cm_hierarchy_init(&hierarchy, config));
      cm_futures_apply(futures, &hierarchy);
      drive_hierarchy(&hierarchy, config, pass);
      assert_int_equal(cm_futures_end_pass(futures, error, sizeof error), pass == 0);
      cm_hierarchy_finish(&hierarchy);
   }
   assert_string_equal(error, "caches.l2: the accesses differ from those of the pass before");
   cm_futures_destroy(futures);
   cm_config_destroy(config);
}

/* A live run knows no future, and says so. */
TEST(live)
{
   static const char *const settings[] = {"caches.l2.policy=optpt"};
   struct cm_config *config = load_config(settings, 1);
   char error[512] = "";
   struct cm_gpu *gpu = cm_gpu_create(config, error, sizeof error);
   assert_null(gpu);
   assert_true(strncmp(error, "caches.l2.policy: optpt", 23) == 0);
   assert_non_null(strstr(error, "tbrsim sim"));
   assert_null(strchr(error, '\n'));

   struct cm_futures *futures = cm_futures_create(config);
   gpu = cm_gpu_create_with_futures(config, futures, NULL, 0);
   assert_non_null(gpu);
   cm_gpu_destroy(gpu);
   cm_futures_destroy(futures);
   cm_config_destroy(config);
}
