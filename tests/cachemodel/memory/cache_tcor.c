/* SPDX-License-Identifier: MIT */
/* TCOR's L2 (III-D): the order of victims, dead blocks that are not written back, passes after one
 * another at the same addresses; and that no block whose content is still wanted gets lost. */
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_config.h"
#include "memory/hierarchy.h"
#include "support/arrivals.h"
#include "support/random_pass.h"
#include "support/test.h"

#define LIST(block) (CM_PB_LISTS_ADDRESS + (uint64_t)(block) * 64)
#define ATTRIBUTE(block) (CM_PB_ATTRIBUTES_ADDRESS + (uint64_t)(block) * 64)
#define TEXEL(block) ((uint64_t)(block) * 64)

/* ---- one set ----------------------------------------------------------- */

struct one_set {
   struct cm_dram dram;
   struct cm_cache cache;
   struct cm_liveness liveness;
   uint32_t last_tiles[64];
};

static void
build(struct one_set *set, uint32_t ways, enum cm_policy policy)
{
   const struct cm_cache_config config = {
      .size = ways * 64, .ways = ways, .block = 64, .instances = 1, .policy = policy, .next = CM_UNIT_DRAM};
   memset(set, 0, sizeof *set);
   assert_true(cm_cache_init(&set->cache, &config, NULL, &set->dram));
   set->cache.liveness = &set->liveness;
}

static void
access_block(struct one_set *set, uint64_t address, enum cm_access access)
{
   const enum cm_stream stream = address >= CM_PB_ATTRIBUTES_ADDRESS ? CM_STREAM_PB_ATTRIBUTE
                                 : address >= CM_PB_LISTS_ADDRESS    ? CM_STREAM_PB_LIST
                                                                     : CM_STREAM_TEXTURE;
   cm_cache_access(&set->cache, address, stream, access);
}

static bool
holds(const struct one_set *set, uint64_t address)
{
   for (uint32_t way = 0; way < set->cache.ways; way++) {
      if (set->cache.lines[way] != CM_LINE_EMPTY && set->cache.lines[way] >> 8 == address >> 6)
         return true;
   }
   return false;
}

/* Each step brings one more block in, and names the one that has to leave. */
TEST(order_of_victims)
{
   struct one_set set;
   build(&set, 6, CM_POLICY_TCOR);
   set.last_tiles[0] = 3;
   set.last_tiles[1] = 1;
   set.last_tiles[2] = 3;
   cm_liveness_begin_pass(&set.liveness, CM_PB_LAYOUT_INTERLEAVED, 0, 4, set.last_tiles, 64);

   access_block(&set, ATTRIBUTE(0), CM_WRITE_BLOCK); /* until tile 3 */
   access_block(&set, ATTRIBUTE(1), CM_WRITE_BLOCK); /* until tile 1 */
   access_block(&set, LIST(0), CM_WRITE);            /* of tile 0 */
   access_block(&set, TEXEL(1), CM_READ);
   access_block(&set, LIST(6), CM_WRITE); /* of tile 6 % 4 = 2 */
   access_block(&set, TEXEL(2), CM_READ);

   /* Nothing is dead: no Parameter Buffer, the least recently used. */
   access_block(&set, TEXEL(3), CM_READ);
   assert_false(holds(&set, TEXEL(1)));
   /* Tile 0 is done: its list is dead, though others were used longer ago. */
   cm_liveness_tile_done(&set.liveness, 0);
   access_block(&set, TEXEL(4), CM_READ);
   assert_false(holds(&set, LIST(0)));
   assert_int_equal(cm_cache_counter(&set.cache, CM_STREAM_PB_LIST, CM_CACHE_EVENT_DEAD_EVICTIONS), 1);
   assert_int_equal(cm_cache_counter(&set.cache, CM_STREAM_PB_LIST, CM_CACHE_EVENT_WRITEBACKS_SAVED), 1);
   assert_int_equal(cm_cache_counter(&set.cache, CM_STREAM_PB_LIST, CM_CACHE_EVENT_WRITEBACKS), 0);
   /* Tiles 1 and 2 are done: an attribute and a list are dead, the attribute was used before. */
   cm_liveness_tile_done(&set.liveness, 2);
   access_block(&set, TEXEL(5), CM_READ);
   assert_false(holds(&set, ATTRIBUTE(1)));
   access_block(&set, TEXEL(6), CM_READ);
   assert_false(holds(&set, LIST(6)));
   /* Texels 2, 3, 4, 5, 6 and a live attribute: the least recently used texel. */
   access_block(&set, TEXEL(2), CM_READ);
   access_block(&set, ATTRIBUTE(2), CM_WRITE_BLOCK);
   assert_false(holds(&set, TEXEL(3)));
   for (uint32_t t = 0; t < 4; t++)
      access_block(&set, LIST(3 + 4 * t), CM_WRITE);
   /* Only live blocks of the Parameter Buffer are left: the least recently used is written back. */
   assert_int_equal(set.dram.counts[CM_STREAM_PB_ATTRIBUTE][CM_DRAM_EVENT_WRITES], 0);
   access_block(&set, LIST(19), CM_WRITE);
   assert_false(holds(&set, ATTRIBUTE(0)));
   assert_true(holds(&set, ATTRIBUTE(2)));
   assert_int_equal(set.dram.counts[CM_STREAM_PB_ATTRIBUTE][CM_DRAM_EVENT_WRITES], 1);
   cm_cache_finish(&set.cache);
}

/* Without the preference for live blocks of the Parameter Buffer. */
TEST(dead_then_lru)
{
   struct one_set set;
   build(&set, 4, CM_POLICY_DEAD_LRU);
   set.last_tiles[0] = 3;
   set.last_tiles[1] = 1;
   cm_liveness_begin_pass(&set.liveness, CM_PB_LAYOUT_INTERLEAVED, 0, 4, set.last_tiles, 64);
   access_block(&set, ATTRIBUTE(0), CM_WRITE_BLOCK); /* until tile 3 */
   access_block(&set, TEXEL(1), CM_READ);
   access_block(&set, ATTRIBUTE(1), CM_WRITE_BLOCK); /* until tile 1 */
   access_block(&set, TEXEL(2), CM_READ);
   /* Nothing is dead: the least recently used, which is live. */
   access_block(&set, TEXEL(3), CM_READ);
   assert_false(holds(&set, ATTRIBUTE(0)));
   assert_int_equal(set.dram.counts[CM_STREAM_PB_ATTRIBUTE][CM_DRAM_EVENT_WRITES], 1);
   /* The other one is dead, though a texel was used longer ago. */
   cm_liveness_tile_done(&set.liveness, 1);
   access_block(&set, TEXEL(4), CM_READ);
   assert_false(holds(&set, ATTRIBUTE(1)));
   assert_int_equal(cm_cache_counter(&set.cache, CM_STREAM_PB_ATTRIBUTE, CM_CACHE_EVENT_WRITEBACKS_SAVED), 1);
   assert_int_equal(set.dram.counts[CM_STREAM_PB_ATTRIBUTE][CM_DRAM_EVENT_WRITES], 1);
   access_block(&set, TEXEL(5), CM_READ);
   assert_false(holds(&set, TEXEL(1)));
   cm_cache_finish(&set.cache);
}

/* What a pass left is dead in the next one, until this one writes there itself. */
TEST(passes)
{
   struct one_set set;
   build(&set, 2, CM_POLICY_TCOR);
   set.last_tiles[0] = 1;
   cm_liveness_begin_pass(&set.liveness, CM_PB_LAYOUT_INTERLEAVED, 0, 2, set.last_tiles, 1);
   access_block(&set, ATTRIBUTE(0), CM_WRITE_BLOCK);
   access_block(&set, LIST(1), CM_WRITE);
   cm_liveness_end_pass(&set.liveness);

   cm_liveness_begin_pass(&set.liveness, CM_PB_LAYOUT_INTERLEAVED, 0, 2, set.last_tiles, 1);
   access_block(&set, ATTRIBUTE(0), CM_WRITE_BLOCK); /* a hit; lives until tile 1 of this pass */
   access_block(&set, TEXEL(0), CM_READ);            /* in place of the dead list, used last */
   assert_true(holds(&set, ATTRIBUTE(0)));
   assert_false(holds(&set, LIST(1)));
   access_block(&set, TEXEL(1), CM_READ); /* in place of the other texel */
   assert_true(holds(&set, ATTRIBUTE(0)));
   cm_liveness_tile_done(&set.liveness, 1);
   access_block(&set, TEXEL(2), CM_READ);
   assert_false(holds(&set, ATTRIBUTE(0)));
   assert_int_equal(cm_cache_counter(&set.cache, CM_STREAM_PB_ATTRIBUTE, CM_CACHE_EVENT_WRITEBACKS_SAVED), 1);
   assert_int_equal(set.dram.counts[CM_STREAM_PB_LIST][CM_DRAM_EVENT_WRITES] +
                       set.dram.counts[CM_STREAM_PB_ATTRIBUTE][CM_DRAM_EVENT_WRITES],
                    0);
   cm_cache_finish(&set.cache);
}

/* The pass before ends with the very access that the next one begins with, which a cache would fold. */
TEST(passes_that_meet)
{
   struct cm_config *config =
      test_config((const char *const[]){"caches.l2.size=128", "caches.l2.ways=2", "caches.l2.policy=tcor",
                                        "streams.pb_attribute=l2", "streams.texture=l2", NULL});
   struct cm_hierarchy hierarchy;
   assert_true(cm_hierarchy_init(&hierarchy, config));
   static const uint32_t last_tiles[1] = {0};
   for (unsigned pass = 0; pass < 2; pass++) {
      cm_hierarchy_parameter_buffer_begin(&hierarchy, CM_PB_LAYOUT_INTERLEAVED, 0, 1, last_tiles, 1);
      cm_hierarchy_parameter_buffer_primitive(&hierarchy, 0, 1, last_tiles[0]);
      cm_hierarchy_access(&hierarchy, 0, ATTRIBUTE(0), CM_STREAM_PB_ATTRIBUTE, CM_WRITE_BLOCK);
      if (pass == 0)
         cm_hierarchy_parameter_buffer_end(&hierarchy);
   }
   cm_hierarchy_access(&hierarchy, 0, TEXEL(0), CM_STREAM_TEXTURE, CM_READ);
   cm_hierarchy_access(&hierarchy, 0, TEXEL(1), CM_STREAM_TEXTURE, CM_READ);
   cm_shared_side_run(&hierarchy.shared);
   assert_int_equal(cm_cache_counter(hierarchy.caches[CM_UNIT_L2], CM_STREAM_PB_ATTRIBUTE,
                                     CM_CACHE_EVENT_DEAD_EVICTIONS),
                    0);
   cm_hierarchy_finish(&hierarchy);
   cm_config_destroy(config);
}

/* ---- times of death ---------------------------------------------------- */

TEST(deaths)
{
   static const uint32_t last_tiles[4] = {2, 0, 4, 1};
   struct cm_liveness liveness = {0};
   cm_liveness_begin_pass(&liveness, CM_PB_LAYOUT_BASELINE, 0, 5, last_tiles, 4);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(0), 64, CM_STREAM_PB_ATTRIBUTE), 3);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(1), 64, CM_STREAM_PB_ATTRIBUTE), 1);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(0), 128, CM_STREAM_PB_ATTRIBUTE), 3);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(2), 128, CM_STREAM_PB_ATTRIBUTE), 5);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(9), 64, CM_STREAM_PB_ATTRIBUTE), 0);
   assert_int_equal(cm_liveness_death(&liveness, TEXEL(9), 64, CM_STREAM_TEXTURE), 0);
   /* 64 blocks per tile; what is beyond is of some tile. */
   assert_int_equal(cm_liveness_death(&liveness, LIST(63), 64, CM_STREAM_PB_LIST), 1);
   assert_int_equal(cm_liveness_death(&liveness, LIST(64), 64, CM_STREAM_PB_LIST), 2);
   assert_int_equal(cm_liveness_death(&liveness, LIST(5 * 64), 64, CM_STREAM_PB_LIST), 5);
   cm_liveness_end_pass(&liveness);
   assert_int_equal(liveness.tiles_done, 5);
   assert_int_equal(cm_liveness_death(&liveness, LIST(1), 64, CM_STREAM_PB_LIST), 0);
   cm_liveness_begin_pass(&liveness, CM_PB_LAYOUT_INTERLEAVED, 0, 3, last_tiles, 4);
   assert_int_equal(cm_liveness_death(&liveness, LIST(0), 64, CM_STREAM_PB_LIST), 6);
   assert_int_equal(cm_liveness_death(&liveness, LIST(7), 64, CM_STREAM_PB_LIST), 7);
   assert_int_equal(cm_liveness_death(&liveness, LIST(2), 128, CM_STREAM_PB_LIST), 8);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(1), 64, CM_STREAM_PB_ATTRIBUTE), 6);
   cm_liveness_end_pass(&liveness);
   /* In the second buffer; blocks of the first one, which are written back now, were the pass' before. */
   assert_int_equal(liveness.tiles_done, 8);
   cm_liveness_begin_pass(&liveness, CM_PB_LAYOUT_INTERLEAVED, CM_PB_SECOND_BUFFER, 3, last_tiles, 4);
   const uint64_t second = CM_PB_SECOND_BUFFER;
   assert_int_equal(cm_liveness_death(&liveness, LIST(7) + second, 64, CM_STREAM_PB_LIST), 10);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(0) + second, 64, CM_STREAM_PB_ATTRIBUTE), 11);
   assert_int_equal(cm_liveness_death(&liveness, LIST(7), 64, CM_STREAM_PB_LIST), 8);
   assert_int_equal(cm_liveness_death(&liveness, ATTRIBUTE(0), 64, CM_STREAM_PB_ATTRIBUTE), 8);
}

/* ---- nothing wanted gets lost ------------------------------------------ */

#define MAX_BLOCKS 65536

/* The version of each block of the Parameter Buffers that was written to the L2 last, and that
 * memory has. */
struct versions {
   uint32_t written[4][MAX_BLOCKS], in_memory[4][MAX_BLOCKS];
   uint64_t reads_from_memory;
   uint64_t writes[2]; /* by Parameter Buffer */
};

static uint32_t *
version(uint32_t versions[4][MAX_BLOCKS], uint64_t address, enum cm_stream stream)
{
   const bool list = stream == CM_STREAM_PB_LIST, second = address & CM_PB_SECOND_BUFFER;
   address -= second ? CM_PB_SECOND_BUFFER : 0;
   const uint64_t block = (address - (list ? CM_PB_LISTS_ADDRESS : CM_PB_ATTRIBUTES_ADDRESS)) / 64;
   assert_true(block < MAX_BLOCKS);
   return &versions[2 * second + list][block];
}

static void
at_l2(void *context, const struct cm_unit_arrival *arrival)
{
   struct versions *versions = context;
   const enum cm_stream stream = arrival->stream;
   if ((stream == CM_STREAM_PB_LIST || stream == CM_STREAM_PB_ATTRIBUTE) && arrival->access != CM_READ) {
      ++*version(versions->written, arrival->address, stream);
      versions->writes[(arrival->address & CM_PB_SECOND_BUFFER) != 0]++;
   }
}

static void
at_memory(void *context, const struct cm_unit_arrival *arrival)
{
   struct versions *versions = context;
   const enum cm_stream stream = arrival->stream;
   if (stream != CM_STREAM_PB_LIST && stream != CM_STREAM_PB_ATTRIBUTE)
      return;
   const uint32_t written = *version(versions->written, arrival->address, stream);
   uint32_t *in_memory = version(versions->in_memory, arrival->address, stream);
   if (arrival->access == CM_READ) {
      assert_int_equal(*in_memory, written);
      versions->reads_from_memory++;
   } else {
      *in_memory = written;
   }
}

static void
run_with_versions(const char *const *settings)
{
   struct versions *versions = calloc(1, sizeof *versions);
   struct test_arrivals l2 = {.access = at_l2, .context = versions};
   struct test_arrivals memory = {.access = at_memory, .context = versions};
   char error[512];
   struct cm_config *config = cm_config_load("tcor-64k", NULL, error, sizeof error);
   assert_non_null(config);
   for (; *settings; settings++)
      assert_true(cm_config_set(config, *settings, error, sizeof error));
   struct cm_gpu *gpu = cm_gpu_create(config, NULL, 0);
   assert_non_null(gpu);
   test_read_arrivals(gpu, CM_UNIT_L2, &l2);
   test_read_arrivals(gpu, CM_UNIT_DRAM, &memory);
   define_random_resources(gpu);
   uint64_t state = 3;
   for (uint32_t p = 0; p < 60; p++)
      pass_run_and_free(random_pass(&state, p / 2), gpu);
   /* Or nothing was tested. */
   assert_true(gpu_total(gpu, "l2.total.writebacks_saved") > 500);
   assert_true(versions->reads_from_memory > 100 && versions->writes[0] > 100);
   assert_int_equal(versions->writes[1] > 100, config->parameter_buffer.buffers == 2);
   cm_gpu_destroy(gpu);
   cm_config_destroy(config);
   free(versions);
}

TEST(nothing_wanted_gets_lost)
{
   run_with_versions((const char *const[]){"caches.l2.size=8192", "caches.l2.ways=4",
                                           "caches.attribute_cache.size=4096", "primitive_buffer.lines=16",
                                           NULL});
   run_with_versions(
      (const char *const[]){"caches.l2.size=8192", "caches.primitive_list_cache.size=512",
                            "caches.primitive_list_cache.ways=2", "parameter_buffer.layout=baseline",
                            "frame.traversal=boustrophedonic", "caches.attribute_cache.size=4096",
                            "primitive_buffer.lines=8", NULL});
   run_with_versions((const char *const[]){"caches.l2.size=8192", "caches.l2.ways=4",
                                           "caches.l2.policy=dead-lru", "caches.attribute_cache.size=4096",
                                           "primitive_buffer.lines=16", NULL});
   run_with_versions(
      (const char *const[]){"caches.l2.size=8192", "caches.l2.ways=4", "caches.primitive_list_cache.size=512",
                            "caches.primitive_list_cache.ways=2", "caches.attribute_cache.size=4096",
                            "primitive_buffer.lines=16", "parameter_buffer.buffers=2", NULL});
}
