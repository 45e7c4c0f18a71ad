/* SPDX-License-Identifier: MIT */
/* The Attribute Cache against a naive model: one plain list of primitives, searched from end to
 * end, on random streams of passes with primitives of 1 to 8 attributes; and its OPT numbers
 * against exhaustive search, on lines of one primitive of one attribute each. */
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "support/naive_index.h"
#include "support/test.h"
#include "support/primitive_lines.h"

#define MAX_PRIMITIVES 400
#define MAX_TILES 24

/* ---- random passes ----------------------------------------------------- */

/* Primitives as the Polygon List Builder gets them. */
struct stream {
   uint32_t num_primitives, num_tiles;
   struct {
      uint32_t id, num_attributes;
      bool covers[MAX_TILES];
   } primitives[MAX_PRIMITIVES];
};

static void
random_stream(struct stream *stream, uint64_t *state, uint32_t max_primitives, uint32_t max_tiles,
              uint32_t max_attributes)
{
   stream->num_primitives = 1 + random_below(state, max_primitives);
   stream->num_tiles = 1 + random_below(state, max_tiles);
   const uint32_t density = 1 + random_below(state, 6);
   uint32_t id = 0;
   for (uint32_t p = 0; p < stream->num_primitives; p++) {
      stream->primitives[p].id = id;
      stream->primitives[p].num_attributes = 1 + random_below(state, max_attributes);
      id += stream->primitives[p].num_attributes;
      for (uint32_t t = 0; t < stream->num_tiles; t++)
         stream->primitives[p].covers[t] = random_below(state, 6) < density;
      stream->primitives[p].covers[random_below(state, stream->num_tiles)] = true;
   }
}

/* The next tile that reads a primitive, from a tile on. */
static uint32_t
next_tile(const struct stream *stream, uint32_t p, uint32_t from)
{
   for (uint32_t t = from; t < stream->num_tiles; t++) {
      if (stream->primitives[p].covers[t])
         return t;
   }
   return CM_PB_NEVER;
}

/* ---- the naive model --------------------------------------------------- */

struct naive_primitive {
   uint32_t id, num_attributes, opt_number, set;
   bool dirty, leaves;
   uint64_t last_use;
};

struct naive {
   uint32_t lines, ways, entries, entry_bytes, output_queue;
   enum cm_index index;
   enum cm_ties ties;
   bool lru, all_sets, writes_back;
   struct naive_primitive list[MAX_PRIMITIVES];
   uint32_t length;
   uint32_t queue[64]; /* IDs, oldest first */
   uint32_t queue_length;
   uint64_t accesses;
   uint64_t fills, writebacks, hits, misses, bypasses, waits, dead, saved;
};

static uint32_t
naive_sets(const struct naive *naive)
{
   return naive->lines / naive->ways;
}

static uint32_t
naive_set_of(const struct naive *naive, uint32_t id)
{
   return (uint32_t)naive_set(naive->index, id, naive_sets(naive));
}

/* The lines of a set: those that are left over go to one set after another. */
static uint32_t
naive_ways(const struct naive *naive, uint32_t set)
{
   uint32_t ways = 0;
   for (uint32_t line = set; line < naive->lines; line += naive_sets(naive))
      ways++;
   return ways;
}

static bool
naive_locked(const struct naive *naive, uint32_t id)
{
   for (uint32_t i = 0; i < naive->queue_length; i++) {
      if (naive->queue[i] == id)
         return true;
   }
   return false;
}

static void
naive_consume(struct naive *naive)
{
   memmove(naive->queue, naive->queue + 1, --naive->queue_length * sizeof naive->queue[0]);
}

static uint32_t
naive_free_entries(const struct naive *naive, bool after_leaving)
{
   uint32_t used = 0;
   for (uint32_t i = 0; i < naive->length; i++) {
      if (!after_leaving || !naive->list[i].leaves)
         used += naive->list[i].num_attributes;
   }
   return naive->entries - used;
}

/* Greater: leaves first. */
static int64_t
naive_rank(const struct naive *naive, const struct naive_primitive *p)
{
   const int64_t tie[] = {
      [CM_TIES_GREATEST_ID] = p->id,
      [CM_TIES_LEAST_ID] = -(int64_t)p->id,
      [CM_TIES_LRU] = -(int64_t)p->last_use,
      [CM_TIES_MRU] = (int64_t)p->last_use,
   };
   return naive->lru ? -(int64_t)p->last_use : ((int64_t)p->opt_number << 28) + tie[naive->ties];
}

/* The next to leave of a set, or of all (set: -1); -1: none can. */
static int
naive_victim(const struct naive *naive, int set)
{
   int victim = -1;
   for (uint32_t i = 0; i < naive->length; i++) {
      const struct naive_primitive *a = &naive->list[i];
      if ((set >= 0 && a->set != (uint32_t)set) || a->leaves || naive_locked(naive, a->id))
         continue;
      if (victim < 0 || naive_rank(naive, a) > naive_rank(naive, &naive->list[victim]))
         victim = (int)i;
   }
   return victim;
}

static int
naive_further_victim(const struct naive *naive, uint32_t set)
{
   if (naive->all_sets)
      return naive_victim(naive, -1);
   for (uint32_t i = 0; i < naive_sets(naive); i++) {
      const int victim = naive_victim(naive, (int)((set + i) % naive_sets(naive)));
      if (victim >= 0)
         return victim;
   }
   return -1;
}

static void
naive_remove_leaving(struct naive *naive)
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < naive->length; i++) {
      const struct naive_primitive *p = &naive->list[i];
      if (p->leaves && p->dirty)
         naive->writebacks += p->num_attributes;
      if (p->leaves && !naive->lru && p->opt_number == CM_PB_NEVER)
         naive->dead += p->num_attributes;
      if (!p->leaves)
         naive->list[kept++] = *p;
   }
   naive->length = kept;
}

/* Frees space for a primitive in its set; false, with none evicted, where a write finds none. */
static bool
naive_make_room(struct naive *naive, uint32_t set, uint32_t num_attributes, bool is_read, uint32_t opt_number)
{
   for (;;) {
      uint32_t in_set = 0, leaving_set = 0;
      for (uint32_t i = 0; i < naive->length; i++) {
         in_set += naive->list[i].set == set;
         leaving_set += naive->list[i].set == set && naive->list[i].leaves;
      }
      int victim;
      if (in_set == naive_ways(naive, set) && !leaving_set)
         victim = naive_victim(naive, (int)set);
      else if (naive_free_entries(naive, true) < num_attributes)
         victim = naive_further_victim(naive, set);
      else
         break;
      if (victim >= 0 && (is_read || naive->lru || naive->list[victim].opt_number > opt_number)) {
         naive->list[victim].leaves = true;
      } else if (is_read) {
         assert_true(naive->queue_length > 0);
         naive_consume(naive);
         naive->waits++;
      } else {
         for (uint32_t i = 0; i < naive->length; i++)
            naive->list[i].leaves = false;
         return false;
      }
   }
   naive_remove_leaving(naive);
   return true;
}

static void
naive_add(struct naive *naive, uint32_t id, uint32_t num_attributes, uint32_t opt_number, bool dirty)
{
   naive->list[naive->length++] = (struct naive_primitive){
      .id = id,
      .num_attributes = num_attributes,
      .opt_number = opt_number,
      .set = naive_set_of(naive, id),
      .dirty = dirty,
      .last_use = naive->accesses,
   };
   naive->misses += num_attributes;
}

static void
naive_write(struct naive *naive, uint32_t id, uint32_t num_attributes, uint32_t first)
{
   naive->accesses++;
   if (naive_make_room(naive, naive_set_of(naive, id), num_attributes, false, first)) {
      naive_add(naive, id, num_attributes, first, true);
   } else {
      naive->bypasses += num_attributes;
      naive->writebacks += num_attributes;
   }
}

static void
naive_read(struct naive *naive, uint32_t id, uint32_t num_attributes, uint32_t next)
{
   naive->accesses++;
   if (naive->queue_length == naive->output_queue)
      naive_consume(naive);
   struct naive_primitive *found = NULL;
   for (uint32_t i = 0; i < naive->length; i++)
      found = naive->list[i].id == id ? &naive->list[i] : found;
   if (found) {
      found->opt_number = next;
      found->last_use = naive->accesses;
      naive->hits += num_attributes;
   } else {
      assert_true(naive_make_room(naive, naive_set_of(naive, id), num_attributes, true, next));
      naive_add(naive, id, num_attributes, next, false);
      naive->fills += num_attributes;
   }
   naive->queue[naive->queue_length++] = id;
}

static void
naive_end_pass(struct naive *naive)
{
   for (uint32_t i = 0; i < naive->length; i++) {
      if (naive->list[i].dirty)
         *(naive->writes_back ? &naive->writebacks : &naive->saved) += naive->list[i].num_attributes;
      naive->dead += naive->lru ? 0 : naive->list[i].num_attributes;
   }
   naive->length = 0;
   naive->queue_length = 0;
}

/* ---- the cache under test ---------------------------------------------- */

struct under_test {
   struct cm_dram dram;
   struct cm_cache unit;
   struct cm_attribute_cache *cache;
};

static void
build(struct under_test *test, const struct naive *shape)
{
   struct cm_config config;
   memset(&config, 0, sizeof config);
   memset(test, 0, sizeof *test);
   config.caches[CM_UNIT_ATTRIBUTE_CACHE] = (struct cm_cache_config){
      .size = shape->entries * shape->entry_bytes,
      .ways = shape->ways,
      .block = 64,
      .instances = 1,
      .policy = shape->lru ? CM_POLICY_LRU : CM_POLICY_TCOR,
      .index = shape->index,
      .next = CM_UNIT_DRAM,
   };
   config.primitive_buffer = (struct cm_primitive_buffer_config){
      .lines = shape->lines,
      .entry_bytes = shape->entry_bytes,
      .further_victims = shape->all_sets ? CM_FURTHER_VICTIMS_ALL_SETS : CM_FURTHER_VICTIMS_NEXT_SETS,
      .output_queue = shape->output_queue,
      .ties = shape->ties,
   };
   cm_cache_init_without_lines(&test->unit, &config.caches[CM_UNIT_ATTRIBUTE_CACHE], NULL, &test->dram);
   test->cache = cm_attribute_cache_create(&config, &test->unit);
   assert_non_null(test->cache);
}

static uint64_t
counted(const struct under_test *test, enum cm_cache_event event)
{
   return cm_cache_counter(&test->unit, CM_STREAM_PB_ATTRIBUTE, event);
}

static void
check_counters(const struct under_test *test, const struct naive *naive)
{
   assert_int_equal(counted(test, CM_CACHE_EVENT_FILLS), naive->fills);
   assert_int_equal(counted(test, CM_CACHE_EVENT_WRITEBACKS), naive->writebacks);
   assert_int_equal(counted(test, CM_CACHE_EVENT_HITS), naive->hits);
   assert_int_equal(counted(test, CM_CACHE_EVENT_MISSES), naive->misses);
   assert_int_equal(counted(test, CM_CACHE_EVENT_BYPASSES), naive->bypasses);
   assert_int_equal(counted(test, CM_CACHE_EVENT_DEAD_EVICTIONS), naive->dead);
   assert_int_equal(counted(test, CM_CACHE_EVENT_WRITEBACKS_SAVED), naive->saved);
   assert_int_equal(test->cache->counts[CM_PRIMITIVE_BUFFER_LOCK_WAITS], naive->waits);
   assert_int_equal(test->dram.counts[CM_STREAM_PB_ATTRIBUTE][CM_DRAM_EVENT_READS], naive->fills);
   assert_int_equal(test->dram.counts[CM_STREAM_PB_ATTRIBUTE][CM_DRAM_EVENT_WRITES], naive->writebacks);
}

/* The same primitives, and lists of entries that have nothing in common and leave the rest free. */
static void
check_content(const struct under_test *test, const struct naive *naive)
{
   bool used[512] = {false};
   assert_true(naive->entries <= 512);
   for (uint32_t i = 0; i < naive->length; i++) {
      const struct naive_primitive *expected = &naive->list[i];
      const struct cm_primitive_line *line = find_primitive(test->cache, expected->id);
      assert_non_null(line);
      assert_int_equal(line->num_attributes, expected->num_attributes);
      assert_int_equal(line->opt_number, expected->opt_number);
      assert_int_equal(line->dirty, expected->dirty);
      assert_int_equal(line->locks != 0, naive_locked(naive, expected->id));
      uint32_t length = 0;
      for (uint32_t e = line->abp; e != CM_NO_ENTRY; e = test->cache->next_entry[e]) {
         assert_true(e < naive->entries && !used[e]);
         used[e] = true;
         length++;
      }
      assert_int_equal(length, line->num_attributes);
   }
   assert_int_equal(test->cache->num_free, naive_free_entries(naive, false));
}

static void
run_pass(struct under_test *test, struct naive *naive, const struct stream *stream)
{
   for (uint32_t p = 0; p < stream->num_primitives; p++) {
      const uint32_t id = stream->primitives[p].id, attributes = stream->primitives[p].num_attributes;
      const uint32_t first = next_tile(stream, p, 0);
      cm_attribute_cache_write(test->cache, &(struct cm_tiled_primitive){id, 7 * id, attributes}, first);
      naive_write(naive, id, attributes, first);
      check_content(test, naive);
   }
   for (uint32_t t = 0; t < stream->num_tiles; t++) {
      for (uint32_t p = 0; p < stream->num_primitives; p++) {
         if (!stream->primitives[p].covers[t])
            continue;
         const uint32_t id = stream->primitives[p].id, attributes = stream->primitives[p].num_attributes;
         const uint32_t next = next_tile(stream, p, t + 1);
         const uint32_t abp =
            cm_attribute_cache_read(test->cache, &(struct cm_tiled_primitive){id, 7 * id, attributes}, next);
         assert_int_equal(abp, find_primitive(test->cache, id)->abp);
         naive_read(naive, id, attributes, next);
         check_content(test, naive);
      }
   }
   cm_attribute_cache_end_pass(test->cache, naive->writes_back);
   naive_end_pass(naive);
   check_content(test, naive);
   check_counters(test, naive);
}

TEST(naive_model)
{
   static struct stream stream;
   static struct naive naive;
   uint64_t state = 1, waits = 0, bypasses = 0, hits = 0, dead = 0;
   for (unsigned round = 0; round < 300; round++) {
      memset(&naive, 0, sizeof naive);
      naive.index = (enum cm_index)random_below(&state, CM_INDEX_COUNT);
      naive.ways = 1 + random_below(&state, 5);
      naive.lines = naive.ways << random_below(&state, 4);
      if (naive.index == CM_INDEX_MODULO && random_below(&state, 2))
         naive.lines += random_below(&state, 10);
      naive.entry_bytes = random_below(&state, 2) ? 48 : 64;
      naive.entries = 8 + random_below(&state, 80);
      naive.output_queue = 1 + random_below(&state, 12);
      naive.lru = random_below(&state, 4) == 0;
      naive.ties = (enum cm_ties)random_below(&state, 4);
      naive.all_sets = random_below(&state, 2);
      naive.writes_back = random_below(&state, 2);
      struct under_test test;
      build(&test, &naive);
      for (unsigned pass = 0; pass < 3; pass++) {
         random_stream(&stream, &state, 60, MAX_TILES, 8);
         run_pass(&test, &naive, &stream);
      }
      cm_attribute_cache_destroy(test.cache);
      waits += naive.waits;
      bypasses += naive.bypasses;
      hits += naive.hits;
      dead += naive.dead;
   }
   /* Or nothing was tested. */
   assert_true(waits > 1000 && bypasses > 1000 && hits > 1000 && dead > 1000);
}

/* ---- exhaustive search ------------------------------------------------- */

#define MAX_SMALL 6
#define UNREACHABLE 1000u

/* Fewest read misses from each set of cached primitives (a bit each) to each other one. */
static void
search_access(const unsigned *before, unsigned *after, uint32_t p, uint32_t capacity, bool is_read)
{
   for (uint32_t cached = 0; cached < 1u << MAX_SMALL; cached++)
      after[cached] = UNREACHABLE;
   for (uint32_t cached = 0; cached < 1u << MAX_SMALL; cached++) {
      if (before[cached] == UNREACHABLE)
         continue;
      const unsigned misses = before[cached] + (is_read && !(cached & 1u << p));
      if (cached & 1u << p || !is_read) /* a hit, or a write that passes by */
         after[cached] = misses < after[cached] ? misses : after[cached];
      if (cached & 1u << p)
         continue;
      const uint32_t with = cached | 1u << p;
      for (uint32_t victim = 0; victim <= MAX_SMALL; victim++) {
         if (victim < MAX_SMALL && !(cached & 1u << victim))
            continue;
         const uint32_t next = victim < MAX_SMALL ? with & ~(1u << victim) : with;
         if ((uint32_t)__builtin_popcount(next) <= capacity)
            after[next] = misses < after[next] ? misses : after[next];
      }
   }
}

static unsigned
fewest_read_misses(const struct stream *stream, uint32_t capacity)
{
   unsigned tables[2][1u << MAX_SMALL];
   unsigned at = 0;
   for (uint32_t cached = 0; cached < 1u << MAX_SMALL; cached++)
      tables[0][cached] = cached ? UNREACHABLE : 0;
   for (uint32_t p = 0; p < stream->num_primitives; p++, at ^= 1)
      search_access(tables[at], tables[at ^ 1], p, capacity, false);
   for (uint32_t t = 0; t < stream->num_tiles; t++) {
      for (uint32_t p = 0; p < stream->num_primitives; p++) {
         if (!stream->primitives[p].covers[t])
            continue;
         search_access(tables[at], tables[at ^ 1], p, capacity, true);
         at ^= 1;
      }
   }
   unsigned fewest = UNREACHABLE;
   for (uint32_t cached = 0; cached < 1u << MAX_SMALL; cached++)
      fewest = tables[at][cached] < fewest ? tables[at][cached] : fewest;
   return fewest;
}

static unsigned
read_misses(const struct stream *stream, uint32_t capacity, bool lru, enum cm_ties ties)
{
   struct naive shape = {.lines = capacity,
                         .ways = capacity,
                         .entries = capacity,
                         .entry_bytes = 64,
                         .output_queue = 1,
                         .lru = lru,
                         .ties = ties};
   struct under_test test;
   build(&test, &shape);
   static struct naive naive;
   naive = shape;
   run_pass(&test, &naive, stream);
   const uint64_t fills = counted(&test, CM_CACHE_EVENT_FILLS);
   cm_attribute_cache_destroy(test.cache);
   return (unsigned)fills;
}

TEST(optimal)
{
   static struct stream stream;
   uint64_t state = 7;
   unsigned better_than_lru = 0, better_than_least_id = 0;
   for (unsigned round = 0; round < 12000; round++) {
      random_stream(&stream, &state, MAX_SMALL, 8, 1);
      const uint32_t capacity = 1 + random_below(&state, 4);
      const unsigned misses = read_misses(&stream, capacity, false, CM_TIES_GREATEST_ID);
      const unsigned fewest = fewest_read_misses(&stream, capacity);
      if (misses != fewest)
         fail_msg("stream %u: %u read misses, %u are possible", round, misses, fewest);
      better_than_lru += misses < read_misses(&stream, capacity, true, CM_TIES_GREATEST_ID);
      better_than_least_id += misses < read_misses(&stream, capacity, false, CM_TIES_LEAST_ID);
   }
   assert_true(better_than_lru > 1000 && better_than_least_id > 100);
}
