/* SPDX-License-Identifier: MIT */
/* Entries of the access stream say what was put into them, as text, too, and arrive in order, of which runs are made; a
 * shared side that takes them in batches counts what it would count if it were called access by access. */
#include <stdlib.h>
#include <string.h>

#include "access/access_text.h"
#include "analysis/access_runs.h"
#include "memory/hierarchy.h"
#include "support/random_pass.h"
#include "support/test.h"

/* ---- entries --------------------------------------------------------------- */

TEST(round_trip)
{
   uint64_t state = 1;
   for (unsigned i = 0; i < 10000; i++) {
      const enum cm_entry_kind kind = (enum cm_entry_kind)random_below(&state, CM_ENTRY_KIND_COUNT);
      const unsigned unit = random_below(&state, 32), instance = random_below(&state, 64);
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

/* ---- text ------------------------------------------------------------------ */

TEST(text)
{
   uint64_t state = 3;
   struct cm_unit_arrival written[1000];
   enum cm_arrival_kind kinds[1000];
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);
   for (unsigned i = 0; i < 1000; i++) {
      kinds[i] = (enum cm_arrival_kind)(CM_ARRIVAL_ACCESS + random_below(&state, 3));
      written[i] = (struct cm_unit_arrival){
         .address = 64ull * random_below(&state, 1u << 30),
         .stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT),
         .access = random_below(&state, 2) ? CM_WRITE : CM_READ,
         .mark = CM_MARK_FRAME_END,
      };
      written[i].end = written[i].address + 64ull * random_below(&state, 100);
      cm_access_text_write(file, kinds[i], &written[i]);
   }
   fclose(file);
   const char *line = text;
   for (unsigned i = 0; i < 1000; i++) {
      struct cm_unit_arrival read = {.bytes = 0};
      const char *wrong, *expected, *end = strchr(line, '\n');
      assert_int_equal(cm_access_text_read(line, end, &read, &wrong, &expected), kinds[i]);
      if (kinds[i] != CM_ARRIVAL_MARK)
         assert_int_equal(read.address, written[i].address);
      if (kinds[i] == CM_ARRIVAL_ACCESS)
         assert_true(read.stream == written[i].stream && read.access == written[i].access);
      if (kinds[i] == CM_ARRIVAL_INVALIDATION)
         assert_int_equal(read.end, written[i].end);
      line = end + 1;
   }
   assert_int_equal(line - text, (long)size);
   free(text);

   static const char *const malformed[] = {"",
                                           "R",
                                           "R 1fc0 texture",
                                           "R 0x1fc0",
                                           "R 0x1fc0 texels",
                                           "X 0x1fc0 texture",
                                           "F 1",
                                           "I 0x1000",
                                           "I 0x2000 0x1000",
                                           "I 0x1000 0x2000 0x3000",
                                           "W 0x11111111111111111 color"};
   for (unsigned m = 0; m < sizeof malformed / sizeof malformed[0]; m++) {
      struct cm_unit_arrival read;
      const char *wrong, *expected;
      assert_int_equal(cm_access_text_read(malformed[m], malformed[m] + strlen(malformed[m]), &read, &wrong,
                                           &expected),
                       CM_ARRIVAL_NONE);
   }
}

/* ---- runs ------------------------------------------------------------------ */

struct expected_access {
   uint64_t block;
   enum cm_stream stream;
   bool write;
};

/* Accesses and invalidations that parts still have to bring. */
struct expected_runs {
   struct expected_access list[20000];
   unsigned count, next;
   unsigned invalidations, frames;
};

static void
check_part(void *context, struct cm_access_runs *part)
{
   struct expected_runs *expected = context;
   uint32_t run = 0;
   for (uint32_t i = 0; i <= part->num_invalidations; i++) {
      for (const uint32_t end = cm_access_runs_piece(part, i); run < end; run++) {
         for (uint32_t a = 0; a < part->counts[run]; a++) {
            const struct expected_access *access = &expected->list[expected->next++];
            assert_int_equal(cm_run_block(part->runs[run]), access->block);
            assert_int_equal(cm_run_stream(part->runs[run]), access->stream);
            assert_int_equal(cm_run_is_write(part->runs[run]), access->write);
         }
      }
      if (i == part->num_invalidations)
         continue;
      const struct expected_access *invalidation = &expected->list[expected->next++];
      assert_int_equal(invalidation->stream, CM_STREAM_COUNT);
      assert_int_equal(part->invalidations[i].first, invalidation->block);
      assert_int_equal(part->invalidations[i].last, invalidation->block + 1);
      expected->invalidations++;
   }
   expected->frames += part->ends_frame;
   cm_access_runs_free(part);
}

/* Of all that is in the stream, the accesses to one unit, in blocks of 128 bytes, without a stream. */
TEST(runs)
{
   struct expected_runs *expected = calloc(1, sizeof *expected);
   const struct cm_run_options options = {.unit = CM_UNIT_L2,
                                          .unit_block_shift = 6,
                                          .block_shift = 7,
                                          .streams = ~(1u << CM_STREAM_VERTEX),
                                          .take = check_part,
                                          .context = expected};
   struct cm_run_reader *runs = cm_run_reader_create(&options);
   const struct cm_access_reader reader = cm_run_reader_reader(runs);
   uint64_t state = 19;
   unsigned frames = 0;
   for (unsigned i = 0; i < 20000; i++) {
      static const enum cm_stream streams[] = {CM_STREAM_VERTEX, CM_STREAM_TEXTURE, CM_STREAM_COLOR};
      cm_entry entries[2];
      unsigned count = 1;
      const enum cm_stream stream = streams[random_below(&state, 3)];
      const uint64_t address = 64ull * random_below(&state, 4);
      const unsigned what = random_below(&state, 100);
      const bool write = random_below(&state, 4) == 0;
      if (what == 0) {
         entries[0] = cm_entry_make(CM_ENTRY_MARK, CM_MARK_FRAME_END, 0, stream, 0);
         frames++;
      } else if (what == 1) {
         entries[0] = cm_entry_make(CM_ENTRY_RANGE, 0, 0, stream, 256 >> CM_ENTRY_ADDRESS_SHIFT);
         entries[1] =
            cm_entry_make(CM_ENTRY_INVALIDATE, CM_UNIT_L2, 0, stream, 511 >> CM_ENTRY_ADDRESS_SHIFT);
         expected->list[expected->count++] = (struct expected_access){2, CM_STREAM_COUNT, false};
         count = 2;
      } else if (what == 2) {
         entries[0] = cm_entry_make(CM_ENTRY_ORIGIN, random_below(&state, CM_ORIGIN_COUNT), 0, stream, i);
      } else if (what < 20) {
         entries[0] = cm_entry_dram(write, stream, address, 64);
      } else {
         const enum cm_unit unit = what < 40 ? CM_UNIT_TEXTURE_CACHE : CM_UNIT_L2;
         entries[0] =
            cm_entry_access(cm_entry_cache(unit, 0), write ? CM_WRITE_BLOCK : CM_READ, stream, address);
         if (unit == CM_UNIT_L2 && stream != CM_STREAM_VERTEX)
            expected->list[expected->count++] = (struct expected_access){address >> 7, stream, write};
      }
      reader.read(reader.context, entries, count);
   }
   cm_run_reader_end(runs);
   assert_true(cm_run_reader_complete(runs));
   assert_int_equal(expected->next, expected->count);
   assert_int_equal(expected->frames, frames);
   assert_true(expected->invalidations > 100 && expected->count > 5000);
   cm_run_reader_destroy(runs);
   free(expected);
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

TEST(order)
{
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
   /* What causes an access changes nothing of it. */
   cm_access_stream_append(&pair->hierarchies[0].shared.arriving,
                           cm_entry_make(CM_ENTRY_ORIGIN, block % CM_ORIGIN_COUNT, 0, stream, block));
   for (unsigned h = 0; h < 2; h++)
      cm_hierarchy_access_range(&pair->hierarchies[h], processor, address, 20 + 44 * (block % 4), stream,
                                write);
}

static void
random_pass_of_pair(struct pair *pair, const struct cm_config *config, uint64_t *state)
{
   memset(pair->last_tiles, 0, sizeof pair->last_tiles);
   for (unsigned h = 0; h < 2; h++)
      cm_hierarchy_parameter_buffer_begin(&pair->hierarchies[h], CM_PB_LAYOUT_INTERLEAVED, 0, TILES,
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

TEST(shared_side)
{
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
