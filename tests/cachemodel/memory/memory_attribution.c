/* SPDX-License-Identifier: MIT */
/* Attribution at one cache, against a naive cache whose lines remember who wrote them. */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "memory/cache.h"
#include "support/pass_builder.h"
#include "support/test.h"

#define SETS 16
#define WAYS 4
#define BLOCKS 200 /* accessed; more than fit */
#define DRAWS 5

enum count { READS, WRITES, MISSES, EVICTIONS, FILLS, WRITEBACKS, DRAM_READS, DRAM_WRITES, NUM_COUNTS };

struct naive_line {
   uint64_t block;
   bool valid, dirty;
   uint32_t pass, draw;
   uint64_t last_use;
};

struct naive_row {
   uint32_t pass, draw;
   uint64_t counts[NUM_COUNTS];
};

static struct naive_line lines[SETS][WAYS];
static struct naive_row rows[4096];
static unsigned num_rows;
static uint64_t now;

static uint64_t *
counts_of(uint32_t pass, uint32_t draw)
{
   for (unsigned r = 0; r < num_rows; r++) {
      if (rows[r].pass == pass && rows[r].draw == draw)
         return rows[r].counts;
   }
   assert_true(num_rows < sizeof rows / sizeof rows[0]);
   rows[num_rows] = (struct naive_row){.pass = pass, .draw = draw};
   return rows[num_rows++].counts;
}

static void
naive_access(uint32_t pass, uint32_t draw, uint64_t block, bool write)
{
   struct naive_line *set = lines[block % SETS], *line = NULL;
   uint64_t *mine = counts_of(pass, draw);
   now++;
   mine[write ? WRITES : READS]++;
   for (unsigned way = 0; way < WAYS; way++)
      line = set[way].valid && set[way].block == block ? &set[way] : line;
   if (!line) {
      mine[MISSES]++;
      line = &set[0];
      for (unsigned way = 0; way < WAYS; way++) {
         if (line->valid && (!set[way].valid || set[way].last_use < line->last_use))
            line = &set[way];
      }
      if (line->valid) {
         mine[EVICTIONS]++;
         if (line->dirty) {
            counts_of(line->pass, line->draw)[WRITEBACKS]++;
            counts_of(line->pass, line->draw)[DRAM_WRITES]++;
         }
      }
      if (!write) {
         mine[FILLS]++;
         mine[DRAM_READS]++;
      }
      *line = (struct naive_line){.block = block, .valid = true};
   }
   line->last_use = now;
   if (write) {
      line->dirty = true;
      line->pass = pass;
      line->draw = draw;
   }
}

static uint32_t
column(const struct cm_attribution *attribution, enum count count)
{
   static const unsigned events[NUM_COUNTS] = {CM_CACHE_EVENT_READS,  CM_CACHE_EVENT_WRITES,
                                               CM_CACHE_EVENT_MISSES, CM_CACHE_EVENT_EVICTIONS,
                                               CM_CACHE_EVENT_FILLS,  CM_CACHE_EVENT_WRITEBACKS,
                                               CM_DRAM_EVENT_READS,   CM_DRAM_EVENT_WRITES};
   const enum cm_unit unit = count < DRAM_READS ? CM_UNIT_L2 : CM_UNIT_DRAM;
   return attribution->first_column[unit][CM_STREAM_TEXTURE] + events[count];
}

static void
compare_row(const struct cm_attribution *attribution, const struct cm_attribution_table *table, uint32_t row,
            const uint64_t *expected)
{
   const uint64_t *values = (const uint64_t *)table->values.data + (size_t)row * attribution->num_columns;
   for (unsigned c = 0; c < NUM_COUNTS; c++)
      assert_int_equal(values[column(attribution, (enum count)c)], expected[c]);
}

/* The table by draws is that of the naive cache; it has no other rows. */
static void
compare_draws(struct cm_attribution *attribution)
{
   const struct cm_attribution_table *table = cm_attribution_table(attribution, CM_ORIGIN_DRAW);
   for (uint32_t r = 0; r < table->keys.count; r++) {
      const struct cm_attributed key = cm_attribution_table_row_key(table, r);
      compare_row(attribution, table, r, counts_of(key.pass, key.number));
   }
   assert_int_equal(table->keys.count, num_rows);
}

/* In the table by passes each has the sum of its draws. */
static void
compare_passes(struct cm_attribution *attribution)
{
   const struct cm_attribution_table *table = cm_attribution_table(attribution, CM_ORIGIN_PASS);
   unsigned draws = 0;
   for (uint32_t r = 0; r < table->keys.count; r++) {
      const struct cm_attributed key = cm_attribution_table_row_key(table, r);
      uint64_t expected[NUM_COUNTS] = {0};
      for (unsigned n = 0; n < num_rows; n++) {
         for (unsigned c = 0; rows[n].pass == key.pass && c < NUM_COUNTS; c++)
            expected[c] += rows[n].counts[c];
         draws += rows[n].pass == key.pass;
      }
      assert_int_equal(key.number, 0);
      compare_row(attribution, table, r, expected);
   }
   assert_int_equal(draws, num_rows);
}

static void
compare(struct cm_attribution *attribution)
{
   compare_draws(attribution);
   compare_passes(attribution);
   assert_false(attribution->out_of_memory);
}

static void
run(uint64_t seed, unsigned accesses, unsigned accesses_a_pass, unsigned accesses_a_frame)
{
   struct cm_config *config = test_config(
      (const char *const[]){"attribution.draw=on", "attribution.pass=on", "caches.l2.policy=lru", NULL});
   const struct cm_cache_config shape = {
      .size = SETS * WAYS * 64, .ways = WAYS, .block = 64, .instances = 1, .policy = CM_POLICY_LRU};
   struct cm_attribution *attribution = cm_attribution_create(config, 0);
   struct cm_dram dram = {.attribution = attribution, .is_watched = true};
   struct cm_cache cache;
   assert_true(cm_cache_init(&cache, &shape, NULL, &dram));
   cache.unit = CM_UNIT_L2;
   assert_true(cm_attribution_add_cache(attribution, &cache));
   memset(lines, 0, sizeof lines);
   num_rows = 0;
   uint32_t pass = 0;
   for (unsigned i = 0; i < accesses; i++) {
      const uint64_t block = random_below(&seed, BLOCKS) + random_below(&seed, 2) * 100000;
      const bool write = random_below(&seed, 2);
      const uint32_t draw = random_below(&seed, DRAWS);
      pass += i % accesses_a_pass == 0;
      cm_attribution_set(attribution, CM_ORIGIN_PASS, pass);
      cm_attribution_set(attribution, CM_ORIGIN_DRAW, draw);
      cm_attribution_set(attribution, CM_ORIGIN_TILE, i); /* not asked for */
      const enum cm_access access = write ? CM_WRITE_BLOCK : CM_READ;
      cm_cache_attribute_access(&cache, block << 6, CM_STREAM_TEXTURE, access);
      cm_cache_access(&cache, block << 6, CM_STREAM_TEXTURE, access);
      naive_access(pass, draw, block, write);
      if (i % accesses_a_frame == accesses_a_frame - 1) {
         compare(attribution);
         cm_attribution_clear(attribution);
         num_rows = 0;
      }
   }
   cm_cache_finish(&cache);
   cm_attribution_destroy(attribution);
   cm_config_destroy(config);
}

TEST(few_origins)
{
   for (uint64_t seed = 1; seed <= 20; seed++)
      run(seed, 20000, 700, 2000);
}

/* More origins write than have numbers at first: numbers are reassigned. */
TEST(many_origins)
{
   run(1, 300000, 1, 1000);
}
