/* SPDX-License-Identifier: MIT */
/* Entries of the access stream say what was put into them, and arrive in order; a shared side that takes them in batches
 * counts what it would count if it were called access by access. */
#include <stdlib.h>
#include <string.h>

#include "memory/hierarchy.h"
#include "support/random_pass.h"
#include "support/test.h"

/* ---- entries --------------------------------------------------------------- */

static void
test_round_trip(void **unused)
{
   (void)unused;
   uint64_t state = 1;
   for (unsigned i = 0; i < 10000; i++) {
      const enum cm_entry_kind kind = (enum cm_entry_kind)random_below(&state, CM_ENTRY_KIND_COUNT);
      const unsigned unit = random_below(&state, 16), instance = random_below(&state, 128);
      const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
      const uint64_t value =
         ((uint64_t)random_below(&state, 1u << 22) << 22) | random_below(&state, 1u << 22);
      const cm_entry entry = cm_entry_make(kind, unit, instance, stream, value);
      assert_int_equal(cm_entry_kind(entry), kind);
      assert_int_equal(cm_entry_unit(entry), unit);
      assert_int_equal(cm_entry_instance(entry), instance);
      assert_int_equal(cm_entry_stream(entry), stream);
      assert_int_equal(cm_entry_value(entry), value);
      assert_int_equal(cm_entry_address(entry), value * 16);

      /* Of all entries, accesses to the same instance alone. */
      const cm_entry name = cm_entry_cache(random_below(&state, 2), random_below(&state, 2));
      const cm_entry other = cm_entry_access(name, CM_WRITE, CM_STREAM_COLOR, 4096);
      const bool same =
         kind <= CM_ENTRY_LAST_ACCESS && unit == cm_entry_unit(other) && instance == cm_entry_instance(other);
      assert_int_equal(cm_entry_access_to(entry, other) <= CM_ENTRY_LAST_ACCESS, same);
      assert_true(!same || cm_entry_access_to(entry, other) == (unsigned)kind);
   }
   const cm_entry access =
      cm_entry_access(cm_entry_cache(CM_UNIT_L2, 3), CM_WRITE_BLOCK, CM_STREAM_DEPTH, (1ull << 48) - 64);
   assert_int_equal(cm_entry_kind(access), CM_ENTRY_WRITE_BLOCK);
   assert_int_equal(cm_entry_unit(access), CM_UNIT_L2);
   assert_int_equal(cm_entry_instance(access), 3);
   assert_int_equal(cm_entry_stream(access), CM_STREAM_DEPTH);
   assert_int_equal(cm_entry_address(access), (1ull << 48) - 64);
   const cm_entry memory = cm_entry_dram(true, CM_STREAM_TEXTURE, 4096, 128);
   assert_int_equal(cm_entry_kind(memory), CM_ENTRY_DRAM_WRITE);
   assert_int_equal(cm_entry_unit(memory), CM_UNIT_DRAM);
   assert_int_equal(1 << cm_entry_instance(memory), 128);
   assert_int_equal(cm_entry_address(memory), 4096);
}

/* ---- batches --------------------------------------------------------------- */

static void
expect_next(void *context, struct cm_access_stream *stream)
{
   uint64_t *next = context;
   assert_true(stream->count > 0 && stream->count <= stream->capacity);
   for (uint32_t i = 0; i < stream->count; i++)
      assert_int_equal(cm_entry_value(stream->entries[i]), (*next)++);
   stream->count = 0;
}

static void
test_order(void **unused)
{
   (void)unused;
   uint64_t next = 0, state = 7;
   struct cm_access_stream stream;
   assert_true(cm_access_stream_init(&stream, expect_next, &next));
   const uint64_t count = 5 * CM_ACCESS_BATCH + 17;
   for (uint64_t i = 0; i < count; i++) {
      cm_access_stream_append(&stream, cm_entry_make(CM_ENTRY_MARK, 0, 0, CM_STREAM_COLOR, i));
      if (random_below(&state, 100) == 0)
         cm_access_stream_drain(&stream);
   }
   cm_access_stream_drain(&stream);
   cm_access_stream_drain(&stream); /* nothing is left */
   assert_int_equal(next, count);
   cm_access_stream_finish(&stream);
}

/* ---- the shared side ------------------------------------------------------- */

#define TILES 32
#define BLOCKS 400

/* One with batches, one whose shared side takes each entry at once. */
struct pair {
   struct cm_hierarchy hierarchies[2];
   uint32_t last_tiles[BLOCKS];
};

static void
random_access(struct pair *pair, uint64_t *state)
{
   static const enum cm_stream streams[] = {CM_STREAM_VERTEX, CM_STREAM_TEXTURE, CM_STREAM_COLOR,
                                            CM_STREAM_PB_ATTRIBUTE, CM_STREAM_PB_LIST};
   const enum cm_stream stream = streams[random_below(state, 5)];
   const bool write = stream == CM_STREAM_COLOR || (stream >= CM_STREAM_PB_LIST && random_below(state, 2));
   const uint32_t block = random_below(state, BLOCKS), processor = random_below(state, 4);
   uint64_t address = 4096ull + 64 * block;
   if (stream == CM_STREAM_PB_ATTRIBUTE)
      address = CM_PB_ATTRIBUTES_ADDRESS + 64ull * block;
   if (stream == CM_STREAM_PB_LIST)
      address = CM_PB_LISTS_ADDRESS + 64ull * block;
   for (unsigned h = 0; h < 2; h++)
      cm_hierarchy_access_range(&pair->hierarchies[h], processor, address, 20 + 44 * (block % 4), stream,
                                write);
}

static void
random_pass_of_pair(struct pair *pair, const struct cm_config *config, uint64_t *state)
{
   memset(pair->last_tiles, 0, sizeof pair->last_tiles);
   for (unsigned h = 0; h < 2; h++)
      cm_hierarchy_parameter_buffer_begin(&pair->hierarchies[h], CM_PB_LAYOUT_INTERLEAVED, TILES,
                                          pair->last_tiles, BLOCKS);
   for (uint32_t first = 0; first < BLOCKS; first += 4) {
      const uint32_t last = random_below(state, TILES);
      for (unsigned b = 0; b < 4; b++)
         pair->last_tiles[first + b] = last;
      for (unsigned h = 0; h < 2; h++)
         cm_hierarchy_parameter_buffer_primitive(&pair->hierarchies[h], first, 4, last);
      random_access(pair, state);
   }
   for (uint32_t tile = 0; tile < TILES; tile++) {
      for (unsigned i = 0; i < 60; i++)
         random_access(pair, state);
      for (unsigned h = 0; h < 2; h++)
         cm_hierarchy_parameter_buffer_tile_done(&pair->hierarchies[h], tile);
   }
   for (unsigned h = 0; h < 2; h++) {
      cm_hierarchy_parameter_buffer_end(&pair->hierarchies[h]);
      cm_hierarchy_written_past(&pair->hierarchies[h], config, CM_STREAM_STENCIL, 4097, 4096 + 64 * 100 + 3);
   }
}

static void
compare_pair(const char *const *assignments, bool dies)
{
   struct cm_config *config = test_config(assignments);
   struct pair *pair = calloc(1, sizeof *pair);
   for (unsigned h = 0; h < 2; h++)
      assert_true(cm_hierarchy_init(&pair->hierarchies[h], config));
   pair->hierarchies[1].shared.arriving.capacity = 1;
   uint64_t state = 5;
   for (unsigned pass = 0; pass < 6; pass++)
      random_pass_of_pair(pair, config, &state);
   assert_true(pair->hierarchies[0].shared.arriving.count > 0);
   cm_shared_side_run(&pair->hierarchies[0].shared);

   const struct cm_cache *l2 = pair->hierarchies[0].caches[CM_UNIT_L2];
   uint64_t accesses = 0, dead = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      accesses += l2->accesses[stream][0] + l2->accesses[stream][1];
      dead += l2->counts[stream][CM_CACHE_EVENT_DEAD_EVICTIONS];
   }
   assert_true(accesses > 1000);
   assert_int_equal(dies, dead > 100);
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; i < pair->hierarchies[0].instances[unit]; i++) {
         const struct cm_cache *a = &pair->hierarchies[0].caches[unit][i];
         const struct cm_cache *b = &pair->hierarchies[1].caches[unit][i];
         assert_memory_equal(a->accesses, b->accesses, sizeof a->accesses);
         assert_memory_equal(a->counts, b->counts, sizeof a->counts);
         assert_memory_equal(a->lines, b->lines, (size_t)a->sets * a->ways * sizeof *a->lines);
      }
   }
   assert_memory_equal(pair->hierarchies[0].dram.counts, pair->hierarchies[1].dram.counts,
                       sizeof pair->hierarchies[0].dram.counts);
   for (unsigned h = 0; h < 2; h++)
      cm_hierarchy_finish(&pair->hierarchies[h]);
   free(pair);
   cm_config_destroy(config);
}

static void
test_shared_side(void **unused)
{
   (void)unused;
   compare_pair((const char *const[]){"caches.l2.size=16384", "caches.l2.policy=lru", "streams.color=l2",
                                      NULL},
                false);
   compare_pair((const char *const[]){"caches.l2.size=16384", "caches.l2.policy=tcor", "streams.color=l2",
                                      "streams.pb_attribute=l2", NULL},
                true);
   compare_pair((const char *const[]){"caches.l2.size=16384", "caches.l2.policy=tcor", "caches.l2.block=128",
                                      "streams.pb_attribute=l2", "streams.texture=l2", NULL},
                true);
   compare_pair((const char *const[]){"caches.l2.size=16384", "caches.l2.policy=drrip",
                                      "caches.l2.uncached=color", "streams.color=l2", NULL},
                false);
   /* A second shared level, and lines that are fetched ahead. */
   compare_pair((const char *const[]){"caches.l2.size=16384", "caches.l2.next=llc", "caches.llc.size=8388608",
                                      "caches.llc.ways=16", "caches.llc.instances=1", "caches.llc.block=64",
                                      "caches.llc.next=dram", "streams.color=llc", NULL},
                false);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_shared_side),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
