/* SPDX-License-Identifier: MIT */
/* Sweeps against caches that are simulated access by access, point by point, for all policies: random
 * streams with repetitions, writes, invalidations, and parts after which all caches are reset; the lower bound of
 * TCOR V-A, in the paper's words and against what no cache undercuts; the order of policies and of sizes. */
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep.h"
#include "memory/cache.h"
#include "memory/future.h"
#include "memory/next_use.h"
#include "support/test.h"

#define SHIFT 6

/* ---- streams ------------------------------------------------------------- */

enum { MAX_RUNS = 4096, MAX_PARTS = 8, MAX_INVALIDATIONS = 8 };

struct stream {
   uint32_t num_parts;
   bool resets;
   struct part {
      struct cm_access_runs runs;
      cm_run run[MAX_RUNS];
      uint32_t count[MAX_RUNS];
      struct cm_run_invalidation invalidation[MAX_INVALIDATIONS];
   } parts[MAX_PARTS];
   struct cm_next_use uses; /* by run */
};

static void
add_run(struct part *part, uint64_t block, enum cm_stream stream, bool write, uint32_t count)
{
   assert_true(part->runs.num_runs < MAX_RUNS);
   part->run[part->runs.num_runs] = cm_run_make(block, stream, write);
   part->count[part->runs.num_runs++] = count;
}

/* Uses near and far, loops and noise, of several streams. */
static void
add_random_runs(struct part *part, uint64_t *state, uint32_t num_runs, uint32_t blocks, uint32_t write_share)
{
   for (uint32_t i = 0; i < num_runs; i++) {
      const uint32_t kind = random_below(state, 3);
      const uint64_t block = kind == 0   ? i % (2 * blocks)
                             : kind == 1 ? random_below(state, blocks / 2)
                                         : random_below(state, 8 * blocks);
      const uint32_t count = random_below(state, 4) ? 1 : 1 + random_below(state, 12);
      add_run(part, block * 5, random_below(state, 2) ? CM_STREAM_TEXTURE : CM_STREAM_COLOR,
              random_below(state, 8) < write_share, count);
   }
}

static void
add_random_invalidations(struct part *part, uint64_t *state, uint32_t blocks)
{
   const uint32_t count = random_below(state, MAX_INVALIDATIONS);
   uint32_t before = 0;
   for (uint32_t i = 0; i < count; i++) {
      before += random_below(state, (part->runs.num_runs - before) / 2 + 1);
      const uint64_t first = random_below(state, 40 * blocks);
      part->invalidation[part->runs.num_invalidations++] =
         (struct cm_run_invalidation){before, first, first + random_below(state, 5 * blocks)};
   }
}

/* What the parts know of the future: their own, or the whole stream's. */
static void
find_next_uses(struct stream *stream)
{
   cm_next_use_init(&stream->uses);
   for (uint32_t p = 0; p < stream->num_parts; p++) {
      const struct cm_access_runs *part = &stream->parts[p].runs;
      for (uint32_t run = 0, i = 0; run <= part->num_runs; run++) {
         for (; i < part->num_invalidations && part->invalidations[i].before == run; i++)
            cm_next_use_invalidate(&stream->uses, part->invalidations[i].first, part->invalidations[i].last);
         const uint64_t block = run < part->num_runs ? cm_run_block(part->runs[run]) : 0;
         if (run < part->num_runs)
            cm_next_use_add(&stream->uses, &block, 1);
      }
      if (stream->resets)
         cm_next_use_invalidate(&stream->uses, 0, UINT64_MAX - 1);
   }
   cm_next_use_rewind(&stream->uses);
   const uint32_t *next = stream->uses.next;
   for (uint32_t p = 0; p < stream->num_parts; p++) {
      stream->parts[p].runs.next = next;
      next += stream->parts[p].runs.num_runs;
   }
}

static struct stream *
new_stream(uint32_t num_parts, bool resets)
{
   struct stream *stream = calloc(1, sizeof *stream);
   stream->num_parts = num_parts;
   stream->resets = resets;
   for (uint32_t p = 0; p < num_parts; p++) {
      struct part *part = &stream->parts[p];
      part->runs = (struct cm_access_runs){.runs = part->run,
                                           .counts = part->count,
                                           .invalidations = part->invalidation,
                                           .resets = resets,
                                           .ends_stream = p + 1 == num_parts};
   }
   return stream;
}

static struct stream *
random_stream(uint64_t seed, uint32_t blocks, bool resets)
{
   struct stream *stream = new_stream(6, resets);
   uint64_t state = seed;
   for (uint32_t p = 0; p < stream->num_parts; p++) {
      add_random_runs(&stream->parts[p], &state, p == 2 ? 5 : 1500 + random_below(&state, 1000), blocks,
                      (uint32_t)seed % 4);
      if (seed % 3)
         add_random_invalidations(&stream->parts[p], &state, blocks);
   }
   find_next_uses(stream);
   return stream;
}

/* As the Parameter Buffer's: each block is written, then tiles read them. */
static struct stream *
parameter_buffer_stream(uint64_t seed, uint32_t blocks)
{
   struct stream *stream = new_stream(4, true);
   uint64_t state = seed;
   for (uint32_t p = 0; p < stream->num_parts; p++) {
      struct part *part = &stream->parts[p];
      const uint32_t num_blocks = p == 1 ? 0 : blocks / (p + 1);
      for (uint32_t block = 0; block < num_blocks; block++)
         add_run(part, 4096 + block, CM_STREAM_PB_ATTRIBUTE, true, 1);
      for (uint32_t block = 0; block < num_blocks; block++)
         add_run(part, 4096 + block, CM_STREAM_PB_ATTRIBUTE, false, 1 + random_below(&state, 2));
      for (uint32_t i = 0; num_blocks && i < 2 * num_blocks; i++)
         add_run(part, 4096 + random_below(&state, num_blocks), CM_STREAM_PB_ATTRIBUTE, false, 1);
   }
   find_next_uses(stream);
   return stream;
}

static void
free_stream(struct stream *stream)
{
   cm_next_use_free(&stream->uses);
   free(stream);
}

/* ---- caches access by access ----------------------------------------------- */

struct expected {
   uint64_t reads, writes, misses[2], bypasses, writebacks;
};

static void
invalidate_before(struct cm_cache *cache, const struct cm_access_runs *part, uint32_t run, uint32_t *next)
{
   for (; *next < part->num_invalidations && part->invalidations[*next].before == run; (*next)++)
      cm_cache_invalidate(cache, part->invalidations[*next].first << SHIFT,
                          (part->invalidations[*next].last + 1) << SHIFT);
}

static uint64_t
all_streams(const struct cm_cache *cache, enum cm_cache_event event)
{
   uint64_t sum = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      sum += cache->counts[stream][event];
   return sum;
}

/* After a part that resets the caches, every line is invalid, and not written back. */
static void
forget(struct cm_cache *cache)
{
   struct cm_dram dram = *cache->dram;
   uint64_t counts[CM_STREAM_COUNT][CM_CACHE_EVENT_COUNT];
   memcpy(counts, cache->counts, sizeof counts);
   cm_cache_invalidate(cache, 0, UINT64_MAX >> 8);
   memcpy(cache->counts, counts, sizeof counts);
   *cache->dram = dram;
}

static void
access_all(struct cm_cache *cache, const struct stream *stream, struct expected *expected)
{
   for (uint32_t p = 0; p < stream->num_parts; p++) {
      const struct cm_access_runs *part = &stream->parts[p].runs;
      uint32_t invalidation = 0;
      for (uint32_t run = 0; run < part->num_runs; run++) {
         const bool write = cm_run_is_write(part->runs[run]);
         invalidate_before(cache, part, run, &invalidation);
         for (uint32_t i = 0; i < part->counts[run]; i++) {
            const uint64_t misses = all_streams(cache, CM_CACHE_EVENT_MISSES);
            cm_cache_access(cache, cm_run_block(part->runs[run]) << SHIFT, cm_run_stream(part->runs[run]),
                            write ? CM_WRITE : CM_READ);
            expected->misses[write] += all_streams(cache, CM_CACHE_EVENT_MISSES) - misses;
            *(write ? &expected->writes : &expected->reads) += 1;
         }
      }
      invalidate_before(cache, part, part->num_runs, &invalidation);
      if (stream->resets)
         forget(cache);
   }
}

static struct expected
simulate(const struct cm_sweep_point *point, const struct stream *stream)
{
   struct expected expected;
   struct cm_dram dram = {0};
   struct cm_cache cache;
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   for (unsigned pass = cm_policy_needs_future(point->config.policy) ? 0 : 1; pass < 2; pass++) {
      assert_true(cm_cache_init(&cache, &point->config, NULL, &dram));
      expected = (struct expected){0};
      if (pass == 0)
         cm_cache_collect(&cache, &uses);
      else
         cm_cache_set_future(&cache, &uses);
      access_all(&cache, stream, &expected);
      cm_next_use_rewind(&uses);
      expected.bypasses = all_streams(&cache, CM_CACHE_EVENT_BYPASSES);
      expected.writebacks = all_streams(&cache, CM_CACHE_EVENT_WRITEBACKS);
      cm_cache_finish(&cache);
   }
   cm_next_use_free(&uses);
   return expected;
}

/* ---- sweeps ---------------------------------------------------------------- */

enum { MAX_POINTS = 1000 };

struct sweep {
   struct cm_sweep_point points[MAX_POINTS];
   struct cm_sweep_result results[MAX_POINTS];
   uint32_t num_points;
};

static void
run_sweep(struct sweep *sweep, const struct cm_sweep_options *options, const struct stream *stream)
{
   struct cm_sweep *points = cm_sweep_create(sweep->points, sweep->num_points, options);
   assert_non_null(points);
   for (uint32_t p = 0; p < stream->num_parts; p++)
      assert_true(cm_sweep_count(points, &stream->parts[p].runs));
   for (uint32_t unit = cm_sweep_units(points); unit-- > 0;) {
      for (uint32_t p = 0; p < stream->num_parts; p++) {
         struct cm_access_runs part = stream->parts[p].runs;
         part.next = cm_sweep_turn(points, unit) == CM_SWEEP_WITH_NEXT_USES ? part.next : NULL;
         cm_sweep_run(points, unit, &part);
      }
   }
   for (uint32_t i = 0; i < sweep->num_points; i++)
      assert_true(cm_sweep_result(points, i, &sweep->results[i]));
   cm_sweep_destroy(points);
}

/* Adds the point where there can be such a cache. */
static void
add_point(struct sweep *sweep, enum cm_policy policy, enum cm_index index, uint32_t sets, uint32_t ways)
{
   char error[256];
   const struct cm_cache_config config = {
      .size = sets * ways << SHIFT,
      .ways = ways,
      .block = 1 << SHIFT,
      .instances = 1,
      .policy = policy,
      .index = index,
      .next = CM_UNIT_DRAM,
   };
   assert_true(sweep->num_points < MAX_POINTS);
   if (cm_cache_config_validate(&config, CM_SWEEP_MAX_WAYS, "", error, sizeof error))
      sweep->points[sweep->num_points++].config = config;
}

static void
assert_point(const struct cm_sweep_point *point, const struct cm_sweep_result *result,
             const struct expected *expected)
{
   const uint64_t values[][2] = {
      {result->reads, expected->reads},
      {result->writes, expected->writes},
      {result->counts.misses[0], expected->misses[0]},
      {result->counts.misses[1], expected->misses[1]},
      {result->counts.bypasses, expected->bypasses},
      {result->counts.writebacks, expected->writebacks},
      {result->hits,
       expected->reads + expected->writes - expected->misses[0] - expected->misses[1] - expected->bypasses},
   };
   for (unsigned v = 0; v < sizeof values / sizeof values[0]; v++) {
      if (values[v][0] != values[v][1])
         fail_msg("%s, %u sets of %u ways: value %u is %llu, not %llu", cm_policy_names[point->config.policy],
                  result->sets, point->config.ways, v, (unsigned long long)values[v][0],
                  (unsigned long long)values[v][1]);
   }
}

/* Numbers of ways, some of which have to be looked for in trees of two words and more. */
static const uint32_t shapes[] = {1, 2, 3, 4, 7, 8, 16, 33, 64, 65, 128, 200};

TEST(point_by_point)
{
   uint64_t bypasses = 0, writebacks = 0, write_misses = 0;
   static struct sweep sweep, by_stream;
   for (uint64_t seed = 1; seed <= test_rounds(8); seed++) {
      const enum cm_index index = seed % 2 ? CM_INDEX_MODULO : CM_INDEX_XOR;
      struct stream *stream = random_stream(seed, seed % 5 ? 100 : 30, seed % 4 > 1);
      sweep.num_points = 0;
      for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
         for (uint32_t sets = 1; sets <= 16; sets *= 4) {
            for (unsigned shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++)
               add_point(&sweep, (enum cm_policy)policy, index, sets, shapes[(shape * 5 + 3) % 12]);
         }
         add_point(&sweep, (enum cm_policy)policy, index, 256, 4); /* for those that learn from samples */
      }
      assert_true(sweep.num_points > 400);
      by_stream = sweep;
      run_sweep(&sweep, &(struct cm_sweep_options){0}, stream);
      run_sweep(&by_stream, &(struct cm_sweep_options){.by_stream = true}, stream);
      for (uint32_t i = 0; i < sweep.num_points; i++) {
         const struct expected expected = simulate(&sweep.points[i], stream);
         assert_point(&sweep.points[i], &sweep.results[i], &expected);
         assert_point(&sweep.points[i], &by_stream.results[i], &expected);
         assert_int_equal(by_stream.results[i].frames, 1);
         assert_false(sweep.results[i].is_bounded);
         bypasses += expected.bypasses;
         writebacks += expected.writebacks;
         write_misses += expected.misses[1];
      }
      free_stream(stream);
   }
   assert_true(bypasses > 10000 && writebacks > 10000 && write_misses > 10000); /* or nothing was tested */
}

/* Ways in three levels of a tree (analysis/way_set.h). */
TEST(wide)
{
   enum { PARTS = 4 };
   uint64_t writebacks = 0;
   struct stream *stream = new_stream(PARTS, false);
   uint64_t state = 5;
   static struct sweep sweep;
   for (uint32_t p = 0; p < PARTS; p++)
      add_random_runs(&stream->parts[p], &state, MAX_RUNS, 1500, 2);
   add_random_invalidations(&stream->parts[2], &state, 5000);
   find_next_uses(stream);
   sweep.num_points = 0;
   for (unsigned p = 0; p < 3; p++) {
      const enum cm_policy policies[] = {CM_POLICY_LRU, CM_POLICY_OPT, CM_POLICY_OPTPT};
      add_point(&sweep, policies[p], CM_INDEX_MODULO, 1, 4160);
      add_point(&sweep, policies[p], CM_INDEX_MODULO, 2, 2048);
   }
   run_sweep(&sweep, &(struct cm_sweep_options){0}, stream);
   for (uint32_t i = 0; i < sweep.num_points; i++) {
      const struct expected expected = simulate(&sweep.points[i], stream);
      assert_point(&sweep.points[i], &sweep.results[i], &expected);
      writebacks += expected.writebacks;
   }
   assert_true(writebacks > 2000);
   free_stream(stream);
}

static uint64_t
misses_of(const struct cm_sweep_result *result)
{
   return result->counts.misses[0] + result->counts.misses[1] + result->counts.bypasses;
}

/* More ways of as many sets never miss more where the policy is a stack algorithm; nothing that does not bypass
 * misses less than opt, and nothing at all less than optpt. */
TEST(order)
{
   static struct sweep sweep;
   enum { WAYS = 20 };
   uint32_t steps = 0;
   for (uint64_t seed = 1; seed <= test_rounds(6); seed++) {
      struct stream *stream = random_stream(seed, 80, seed % 2);
      for (uint32_t sets = 1; sets <= 8; sets *= 8) {
         sweep.num_points = 0;
         uint32_t first[CM_POLICY_COUNT + 1];
         for (unsigned policy = 0; policy < CM_POLICY_PERFECT; policy++) {
            first[policy] = sweep.num_points;
            for (uint32_t ways = 1; ways <= WAYS; ways++)
               add_point(&sweep, (enum cm_policy)policy, CM_INDEX_MODULO, sets, ways);
         }
         run_sweep(&sweep, &(struct cm_sweep_options){0}, stream);
         for (uint32_t i = 0; i < sweep.num_points; i++) {
            const struct cm_cache_config *point = &sweep.points[i].config;
            const uint64_t opt = misses_of(&sweep.results[first[CM_POLICY_OPT] + point->ways - 1]);
            const uint64_t optpt = misses_of(&sweep.results[first[CM_POLICY_OPTPT] + point->ways - 1]);
            assert_true(misses_of(&sweep.results[i]) >= (point->policy == CM_POLICY_OPTPT ? optpt : opt));
            assert_true(optpt <= opt);
            if (point->ways > 1 && (point->policy == CM_POLICY_LRU || point->policy == CM_POLICY_OPT ||
                                    point->policy == CM_POLICY_OPTPT)) {
               assert_true(misses_of(&sweep.results[i]) <= misses_of(&sweep.results[i - 1]));
               steps += misses_of(&sweep.results[i]) < misses_of(&sweep.results[i - 1]);
            }
         }
      }
      free_stream(stream);
   }
   assert_true(steps > test_rounds(500));
}

/* ---- the lower bound --------------------------------------------------------- */

/* "If we have 1000 primitives and the Attribute Cache has a capacity for 128 primitives, there will be at
 * least 872 (1000-128) read misses": LB = 1000 + 872. With room for all of them it is 1000. */
TEST(lower_bound_of_the_paper)
{
   struct stream *stream = new_stream(1, true);
   static struct sweep sweep;
   for (uint32_t block = 0; block < 1000; block++)
      add_run(&stream->parts[0], block, CM_STREAM_PB_ATTRIBUTE, true, 1);
   for (uint32_t block = 0; block < 1000; block++)
      add_run(&stream->parts[0], block, CM_STREAM_PB_ATTRIBUTE, false, 1);
   add_run(&stream->parts[0], 1000, CM_STREAM_PB_ATTRIBUTE, true, 1);  /* never read: not of TP */
   add_run(&stream->parts[0], 1001, CM_STREAM_PB_ATTRIBUTE, false, 1); /* never written: likewise */
   find_next_uses(stream);
   static const struct {
      uint32_t ways;
      uint64_t lower_bound;
   } rows[] = {{1, 1999}, {128, 1872}, {999, 1001}, {1000, 1000}, {1001, 1000}, {2048, 1000}};
   sweep.num_points = 0;
   for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++) {
      add_point(&sweep, CM_POLICY_OPTPT, CM_INDEX_MODULO, 1, rows[row].ways);
      add_point(&sweep, CM_POLICY_PERFECT, CM_INDEX_MODULO, 1, rows[row].ways);
   }
   run_sweep(&sweep, &(struct cm_sweep_options){.bounded = true}, stream);
   for (uint32_t i = 0; i < sweep.num_points; i += 2) {
      assert_true(sweep.results[i].is_bounded);
      assert_int_equal(sweep.results[i].lower_bound, rows[i / 2].lower_bound);
      /* One read of each: nothing can be done better, but for the two blocks that are no primitives. */
      assert_int_equal(misses_of(&sweep.results[i]), rows[i / 2].lower_bound + 2);
      assert_false(sweep.results[i + 1].is_bounded);
      assert_int_equal(misses_of(&sweep.results[i + 1]), 0);
   }
   free_stream(stream);
}

TEST(nothing_undercuts)
{
   static struct sweep sweep;
   uint32_t met = 0, exceeded = 0;
   for (uint64_t seed = 0; seed < test_rounds(6); seed++) {
      struct stream *stream = parameter_buffer_stream(seed, 500);
      sweep.num_points = 0;
      for (unsigned policy = 0; policy < CM_POLICY_COUNT; policy++) {
         for (uint32_t size = 4; size <= 1024; size *= 2) {
            add_point(&sweep, (enum cm_policy)policy, CM_INDEX_XOR, 1, size);
            if (size > 4)
               add_point(&sweep, (enum cm_policy)policy, CM_INDEX_XOR, size / 4, 4);
         }
      }
      run_sweep(&sweep, &(struct cm_sweep_options){.bounded = true}, stream);
      for (uint32_t i = 0; i < sweep.num_points; i++) {
         assert_int_equal(sweep.results[i].is_bounded, sweep.points[i].config.policy != CM_POLICY_PERFECT);
         if (!sweep.results[i].is_bounded)
            continue;
         /* 500, 0, 166 and 125 blocks in turn. */
         uint64_t bound = 0;
         const uint32_t capacity = sweep.points[i].config.size >> SHIFT, blocks[] = {500, 166, 125};
         for (unsigned p = 0; p < 3; p++)
            bound += blocks[p] + (blocks[p] > capacity ? blocks[p] - capacity : 0);
         assert_int_equal(sweep.results[i].lower_bound, bound);
         assert_true(misses_of(&sweep.results[i]) >= bound);
         met += misses_of(&sweep.results[i]) == bound;
         exceeded += misses_of(&sweep.results[i]) > bound;
      }
      free_stream(stream);
   }
   assert_true(met > 100 && exceeded > 100);
}
