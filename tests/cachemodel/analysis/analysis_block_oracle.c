/* SPDX-License-Identifier: MIT */
/* The oracle of gspc that knows each block's future against two plain caches: an optimal one says which runs are followed by
 * one that hits; another takes these as its predictions. */
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep.h"
#include "memory/replacement/gspc.h"
#include "support/test.h"

enum { SETS = 128, WAYS = 4, BLOCKS = 4096, FRAMES = 3, PARTS = 3, RUNS = 3000, ALL = FRAMES * PARTS * RUNS };

/* ---- a stream ---------------------------------------------------------------- */

/* Parts of RUNS, PARTS of them a frame. */
struct stream {
   cm_run runs[ALL];
   uint32_t counts[ALL], next[ALL];
   struct cm_run_invalidation invalidations[FRAMES * PARTS]; /* one in each part */
   struct cm_access_runs parts[FRAMES * PARTS];
};

/* Whether a run is the first one after its part's invalidation. */
static const struct cm_run_invalidation *
invalidation_before(const struct stream *stream, uint32_t run)
{
   const struct cm_run_invalidation *range = &stream->invalidations[run / RUNS];
   return range->before == run % RUNS ? range : NULL;
}

/* The number after that of the block's next run of a segment, as long as none of its parts invalidates it before. */
static void
find_next(struct stream *stream, uint32_t begin, uint32_t end)
{
   uint32_t later[BLOCKS + 1];
   memset(later, 0xff, sizeof later);
   for (uint32_t run = end; run-- > begin;) {
      const uint64_t block = cm_run_block(stream->runs[run]);
      stream->next[run] = later[block];
      later[block] = run - begin + 1;
      const struct cm_run_invalidation *range = invalidation_before(stream, run);
      for (uint64_t b = range ? range->first : 1; range && b <= range->last; b++)
         later[b] = CM_NEVER_USED;
   }
}

static void
make_stream(struct stream *stream, uint64_t state)
{
   for (uint32_t r = 0; r < ALL; r++) {
      /* A loop that does not fit, what does, and noise; block 0 is none. */
      const uint32_t kind = random_below(&state, 3);
      const uint64_t block = 1 + (kind == 0   ? r % (SETS * WAYS + 200)
                                  : kind == 1 ? random_below(&state, SETS)
                                              : random_below(&state, BLOCKS - 1));
      stream->runs[r] = cm_run_make(block, random_below(&state, 2) ? CM_STREAM_TEXTURE : CM_STREAM_COLOR,
                                    random_below(&state, 2));
      stream->counts[r] = random_below(&state, 4) ? 1 : 1 + random_below(&state, 3);
   }
   for (unsigned p = 0; p < FRAMES * PARTS; p++) {
      stream->invalidations[p] = (struct cm_run_invalidation){random_below(&state, RUNS), 40, 90};
      stream->parts[p] = (struct cm_access_runs){.runs = stream->runs + p * RUNS,
                                                 .counts = stream->counts + p * RUNS,
                                                 .next = stream->next + p * RUNS,
                                                 .num_runs = RUNS,
                                                 .invalidations = &stream->invalidations[p],
                                                 .num_invalidations = 1,
                                                 .ends_frame = p % PARTS == PARTS - 1,
                                                 .ends_stream = p == FRAMES * PARTS - 1};
   }
}

/* ---- plain caches ---------------------------------------------------------- */

struct plain {
   uint64_t blocks[SETS][WAYS]; /* 0: none */
   uint32_t values[SETS][WAYS]; /* predictions, or next uses */
};

static void
invalidate(struct plain *plain, const struct cm_run_invalidation *range)
{
   for (unsigned set = 0; range && set < SETS; set++) {
      for (unsigned way = 0; way < WAYS; way++) {
         if (plain->blocks[set][way] >= range->first && plain->blocks[set][way] <= range->last)
            plain->blocks[set][way] = 0;
      }
   }
}

/* The way that has a block, 0: that is empty; WAYS: none. */
static unsigned
find(const struct plain *plain, uint64_t set, uint64_t block)
{
   unsigned way = 0;
   while (way < WAYS && plain->blocks[set][way] != block)
      way++;
   return way;
}

/* Whether it hits. */
static bool
access_optimal(struct plain *plain, uint64_t block, uint32_t next)
{
   const uint64_t set = block % SETS;
   unsigned way = find(plain, set, block);
   const bool hit = way < WAYS;
   if (!hit)
      way = find(plain, set, 0);
   if (way == WAYS) {
      way = 0;
      for (unsigned w = 1; w < WAYS; w++)
         way = plain->values[set][w] > plain->values[set][way] ? w : way;
   }
   plain->blocks[set][way] = block;
   plain->values[set][way] = next;
   return hit;
}

static bool
access_predicted(struct plain *plain, uint64_t block, uint8_t fill, uint8_t prediction)
{
   const uint64_t set = block % SETS;
   uint32_t *values = plain->values[set];
   unsigned way = find(plain, set, block);
   if (way < WAYS) {
      values[way] = prediction;
      return true;
   }
   way = find(plain, set, 0);
   while (way == WAYS) {
      for (way = 0; way < WAYS && values[way] != 3;)
         way++;
      for (unsigned w = 0; way == WAYS && w < WAYS; w++)
         values[w]++;
   }
   plain->blocks[set][way] = block;
   values[way] = fill;
   return false;
}

/* The misses of a segment's frames. */
static void
run_plain(const struct stream *stream, uint32_t begin, uint32_t end, uint64_t *misses)
{
   static bool again[ALL];
   uint32_t last[BLOCKS + 1];
   struct plain optimal = {0}, predicted = {0};
   memset(again, 0, sizeof again);
   for (uint32_t run = begin; run < end; run++) {
      const uint64_t block = cm_run_block(stream->runs[run]);
      invalidate(&optimal, invalidation_before(stream, run));
      if (access_optimal(&optimal, block, stream->next[run]))
         again[last[block]] = true;
      last[block] = run;
   }
   for (uint32_t run = begin; run < end; run++) {
      const uint64_t block = cm_run_block(stream->runs[run]);
      const bool is_sample = gspc_is_sample(block % SETS, false);
      invalidate(&predicted, invalidation_before(stream, run));
      for (uint32_t c = stream->counts[run]; c; c--) {
         const uint8_t prediction = c > 1 || again[run] ? 0 : 3;
         misses[run / (PARTS * RUNS)] +=
            !access_predicted(&predicted, block, is_sample ? 2 : prediction, is_sample ? 0 : prediction);
      }
   }
}

/* ---- comparison -------------------------------------------------------------- */

static void
compare(bool cold)
{
   const struct cm_sweep_point point = {
      .config = {.size = SETS * WAYS * 64,
                 .ways = WAYS,
                 .block = 64,
                 .instances = 1,
                 .policy = CM_POLICY_GSPC,
                 .next = CM_UNIT_DRAM},
      .oracle = CM_ORACLE_BLOCK,
   };
   const struct cm_sweep_options options = {.by_stream = true, .cold_frames = cold};
   struct cm_sweep *sweep = cm_sweep_create(&point, 1, &options);
   assert_non_null(sweep);
   assert_int_equal(cm_sweep_turn(sweep, 0), CM_SWEEP_AFTER_NEXT_USES);
   static struct stream stream;
   uint64_t expected[FRAMES] = {0};
   make_stream(&stream, 5 + cold);
   const unsigned parts = cold ? PARTS : FRAMES * PARTS; /* of which the future is known */
   for (unsigned p = 0; p < FRAMES * PARTS; p += parts) {
      find_next(&stream, p * RUNS, (p + parts) * RUNS);
      run_plain(&stream, p * RUNS, (p + parts) * RUNS, expected);
      for (unsigned i = p; i < p + parts; i++)
         assert_true(cm_sweep_count(sweep, &stream.parts[i]));
      for (unsigned i = p; i < p + parts; i++)
         cm_sweep_learn(sweep, 0, &stream.parts[i]);
      for (unsigned i = p; i < p + parts; i++)
         cm_sweep_run(sweep, 0, &stream.parts[i]);
   }
   struct cm_sweep_result result;
   assert_true(cm_sweep_result(sweep, 0, &result));
   assert_int_equal(result.frames, FRAMES);
   for (unsigned f = 0; f < FRAMES; f++)
      assert_int_equal(result.frame_misses[f], expected[f]);
   cm_sweep_destroy(sweep);
}

TEST(against_plain_caches)
{
   compare(true);
   compare(false);
}
