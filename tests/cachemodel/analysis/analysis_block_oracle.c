/* SPDX-License-Identifier: MIT */
/* The oracle of gspc that knows each block's future against two plain caches: one that follows srrip says which
 * runs are followed by one that hits; another takes these as its predictions. */
#include <stdlib.h>
#include <string.h>

#include "analysis/sweep.h"
#include "memory/replacement/gspc.h"
#include "support/test.h"

enum { SETS = 128, WAYS = 4, BLOCKS = 4096, PARTS = 3, RUNS = 3000, FRAMES = 3 };

/* ---- plain caches ---------------------------------------------------------- */

struct plain {
   uint64_t blocks[SETS][WAYS]; /* 0: none */
   uint8_t predictions[SETS][WAYS];
};

/* Whether it hits. */
static bool
access_plain(struct plain *plain, uint64_t block, uint8_t fill, uint8_t hit)
{
   uint64_t *blocks = plain->blocks[block % SETS];
   uint8_t *predictions = plain->predictions[block % SETS];
   for (unsigned way = 0; way < WAYS; way++) {
      if (blocks[way] == block) {
         predictions[way] = hit;
         return true;
      }
   }
   unsigned victim = 0;
   while (victim < WAYS && blocks[victim])
      victim++;
   while (victim == WAYS) {
      for (victim = 0; victim < WAYS && predictions[victim] != 3;)
         victim++;
      for (unsigned way = 0; victim == WAYS && way < WAYS; way++)
         predictions[way]++;
   }
   blocks[victim] = block;
   predictions[victim] = fill;
   return false;
}

static void
invalidate(struct plain *plain, const struct cm_run_invalidation *range)
{
   for (unsigned set = 0; set < SETS; set++) {
      for (unsigned way = 0; way < WAYS; way++) {
         if (plain->blocks[set][way] >= range->first && plain->blocks[set][way] <= range->last)
            plain->blocks[set][way] = 0;
      }
   }
}

/* ---- a frame ----------------------------------------------------------------- */

struct frame {
   struct part {
      cm_run runs[RUNS];
      uint32_t counts[RUNS];
      struct cm_run_invalidation invalidation;
      struct cm_access_runs part;
   } parts[PARTS];
};

static void
make_frame(struct frame *frame, uint64_t *state, bool last)
{
   for (unsigned p = 0; p < PARTS; p++) {
      struct part *part = &frame->parts[p];
      for (uint32_t r = 0; r < RUNS; r++) {
         /* A loop that does not fit, what does, and noise; block 0 is none. */
         const uint32_t kind = random_below(state, 3);
         const uint64_t block = 1 + (kind == 0   ? r % (SETS * WAYS + 200)
                                     : kind == 1 ? random_below(state, SETS)
                                                 : random_below(state, BLOCKS - 1));
         part->runs[r] = cm_run_make(block, random_below(state, 2) ? CM_STREAM_TEXTURE : CM_STREAM_COLOR,
                                     random_below(state, 2));
         part->counts[r] = random_below(state, 4) ? 1 : 1 + random_below(state, 3);
      }
      part->invalidation = (struct cm_run_invalidation){random_below(state, RUNS), 40, 90};
      part->part = (struct cm_access_runs){.runs = part->runs,
                                           .counts = part->counts,
                                           .num_runs = RUNS,
                                           .invalidations = &part->invalidation,
                                           .num_invalidations = 1,
                                           .ends_frame = p + 1 == PARTS,
                                           .ends_stream = last && p + 1 == PARTS};
   }
}

/* The misses of a frame. */
static uint64_t
run_plain(struct plain *sampler, struct plain *cache, const struct frame *frame)
{
   static bool again[PARTS * RUNS];
   uint32_t last[BLOCKS + 1];
   uint64_t misses = 0;
   memset(again, 0, sizeof again);
   memset(last, 0xff, sizeof last);
   for (unsigned pass = 0; pass < 2; pass++) {
      for (uint32_t i = 0; i < PARTS * RUNS; i++) {
         const struct part *part = &frame->parts[i / RUNS];
         const uint64_t block = cm_run_block(part->runs[i % RUNS]);
         const bool is_sample = gspc_is_sample(block % SETS, false);
         if (part->invalidation.before == i % RUNS)
            invalidate(pass ? cache : sampler, &part->invalidation);
         for (uint32_t c = part->counts[i % RUNS]; c; c--) {
            const uint8_t prediction = c > 1 || again[i] ? 0 : 3;
            if (pass)
               misses += !access_plain(cache, block, is_sample ? 2 : prediction, is_sample ? 0 : prediction);
            else if (access_plain(sampler, block, 2, 0) && c == part->counts[i % RUNS] && last[block] < i)
               again[last[block]] = true;
         }
         last[block] = i;
      }
   }
   return misses;
}

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
   assert_int_equal(cm_sweep_turn(sweep, 0), CM_SWEEP_AFTER_FRAME);
   static struct frame frames[FRAMES];
   uint64_t state = 5 + cold, expected[FRAMES];
   struct plain sampler = {0}, cache = {0};
   for (unsigned f = 0; f < FRAMES; f++) {
      make_frame(&frames[f], &state, f + 1 == FRAMES);
      if (cold) {
         memset(&sampler, 0, sizeof sampler);
         memset(&cache, 0, sizeof cache);
      }
      expected[f] = run_plain(&sampler, &cache, &frames[f]);
      for (unsigned p = 0; p < PARTS; p++)
         assert_true(cm_sweep_count(sweep, &frames[f].parts[p].part));
      for (unsigned p = 0; p < PARTS; p++)
         cm_sweep_learn(sweep, 0, &frames[f].parts[p].part);
      for (unsigned p = 0; p < PARTS; p++)
         cm_sweep_run(sweep, 0, &frames[f].parts[p].part);
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
