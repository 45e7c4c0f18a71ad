/* SPDX-License-Identifier: MIT */
/* Ages of the blocks that frames access against a naive list of all accesses; the warm-up that follows from them against
 * an LRU cache that is simulated with it and with all frames; estimates against hand-made ones; parts of a recording that
 * are left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selection/estimate.h"
#include "selection/frame_reuse.h"
#include "support/random_recording.h"
#include "support/test.h"

#define FRAMES 60
#define ACCESSES 200
#define BLOCKS 2000
#define BYTES 64

struct access {
   uint32_t block;
   bool is_read;
};

static struct access accesses[FRAMES][ACCESSES];

/* Frames move along the blocks, return to some of before, and one in ten begins elsewhere. */
static void
make_accesses(uint64_t seed)
{
   uint64_t state = seed;
   uint32_t at = 0;
   for (unsigned f = 0; f < FRAMES; f++) {
      at = random_below(&state, 10) ? at + random_below(&state, 20) : random_below(&state, BLOCKS);
      const uint32_t range = 1 + random_below(&state, 150);
      for (unsigned a = 0; a < ACCESSES; a++)
         accesses[f][a] =
            (struct access){1 + (at + random_below(&state, range)) % BLOCKS, random_below(&state, 4) > 0};
   }
}

static void
read_ages(struct cm_frame_ages *ages)
{
   struct cm_frame_reuse reuse = {0};
   for (unsigned f = 0; f < FRAMES; f++) {
      for (unsigned a = 0; a < ACCESSES; a++)
         assert_true(cm_frame_reuse_access(&reuse, accesses[f][a].block, BYTES, accesses[f][a].is_read));
      ages[f] = cm_frame_reuse_end(&reuse);
   }
   cm_frame_reuse_finish(&reuse);
}

static bool
is_accessed(unsigned frame, unsigned end, uint32_t block)
{
   for (unsigned a = 0; a < end; a++) {
      if (accesses[frame][a].block == block)
         return true;
   }
   return false;
}

TEST(ages)
{
   static struct cm_frame_ages ages[FRAMES];
   for (uint64_t seed = 1; seed <= 10; seed++) {
      make_accesses(seed);
      read_ages(ages);
      for (unsigned f = 0; f < FRAMES; f++) {
         struct cm_frame_ages expected = {0};
         for (unsigned a = 0; a < ACCESSES; a++) {
            const struct access *access = &accesses[f][a];
            if (is_accessed(f, a, access->block))
               continue;
            unsigned age = 1;
            while (age <= CM_REUSE_AGES && age <= f && !is_accessed(f - age, ACCESSES, access->block))
               age++;
            age = age <= CM_REUSE_AGES && age <= f ? age : 0;
            expected.bytes += BYTES;
            expected.touch[age] += BYTES;
            expected.read[age] += access->is_read ? BYTES : 0;
         }
         assert_memory_equal(&ages[f], &expected, sizeof(expected));
      }
   }
}

/* ---- warm-up ------------------------------------------------------------------------- */

/* Misses of reads in the last of some frames, of a fully associative LRU cache that was empty before the first. */
static unsigned
count_misses(unsigned first, unsigned last, unsigned blocks)
{
   static uint32_t used[BLOCKS + 1];
   uint32_t now = 0;
   unsigned held = 0, misses = 0;
   memset(used, 0, sizeof(used));
   for (unsigned f = first; f <= last; f++) {
      for (unsigned a = 0; a < ACCESSES; a++) {
         const uint32_t block = accesses[f][a].block;
         if (!used[block]) {
            misses += f == last && accesses[f][a].is_read;
            uint32_t oldest = 0;
            for (uint32_t b = 1; held == blocks && b <= BLOCKS; b++)
               oldest = used[b] && (!oldest || used[b] < used[oldest]) ? b : oldest;
            used[oldest] = 0;
            held += !oldest;
         }
         used[block] = ++now;
      }
   }
   return misses;
}

/* With the warm-up there are as many misses as after all frames; those that the tolerance allows more. */
TEST(warm_up)
{
   static struct cm_frame_ages ages[FRAMES];
   static const unsigned sizes[] = {16, 64, 256, 1024, BLOCKS};
   static const double tolerances[] = {0, 0.05};
   unsigned long frames = 0;
   for (uint64_t seed = 1; seed <= 3; seed++) {
      make_accesses(seed);
      read_ages(ages);
      for (unsigned s = 0; s < 5; s++) {
         for (unsigned f = 0; f < FRAMES; f += 3) {
            for (unsigned t = 0; t < 2; t++) {
               const unsigned warm_up = cm_frame_warm_up(ages, f, sizes[s] * BYTES, tolerances[t]);
               const double allowed = tolerances[t] * (double)ages[f].bytes / BYTES;
               assert_true(warm_up <= f && warm_up <= CM_REUSE_AGES && (warm_up || !f));
               frames += warm_up;
               /* Older than the ages that are told apart. */
               if (f - warm_up > 0 && warm_up == CM_REUSE_AGES)
                  continue;
               const unsigned all = count_misses(f < CM_REUSE_AGES ? 0 : f - CM_REUSE_AGES, f, sizes[s]);
               const unsigned found = count_misses(f - warm_up, f, sizes[s]);
               assert_true(found >= all && found - all <= allowed);
            }
         }
      }
   }
   /* It is not all that there are. */
   assert_true(frames < 3ul * 5 * 2 * FRAMES / 3 * 8);
}

/* ---- estimates ----------------------------------------------------------------------- */

TEST(estimate)
{
   /* Two clusters, 5 apart: 10 frames with a mean squared distance of 1 from their representative, and 4 that are all
    * the same. */
   const struct cm_representative representatives[] = {
      {.weight = 10, .spread = 1, .num_neighbours = 1, .neighbours = {{1, 25}}},
      {.weight = 4, .spread = 0, .num_neighbours = 1, .neighbours = {{0, 25}}},
   };
   const double values[] = {100, 150};
   const struct cm_estimate estimate = cm_estimate_total(representatives, 2, values);
   assert_true(fabs(estimate.total - (10 * 100 + 4 * 150)) < 1e-9);
   /* The counter changes by 50 over a distance of 5: by 10 over 1. Ten frames: 10 each way. */
   assert_true(fabs(estimate.standard_error - 10 * 10) < 1e-9);

   /* Nothing tells how much the frames differ that one stands for. */
   const struct cm_representative alone = {.weight = 10, .spread = 1};
   assert_true(isnan(cm_estimate_total(&alone, 1, values).standard_error));
}

/* Of frames on a line, whose counter grows along it, the interval holds the total, and is not much wider than the spacing
 * of the representatives makes it. */
TEST(estimate_of_line)
{
   enum { COUNT = 20, WEIGHT = 30 };
   struct cm_representative representatives[COUNT] = {0};
   double values[COUNT], total = 0;
   for (unsigned r = 0; r < COUNT; r++) {
      struct cm_representative *representative = &representatives[r];
      representative->weight = WEIGHT;
      values[r] = 7.0 * (r * WEIGHT + WEIGHT / 2.0);
      for (unsigned frame = 0; frame < WEIGHT; frame++) {
         total += 7.0 * (r * WEIGHT + frame);
         representative->spread += pow(frame - WEIGHT / 2.0, 2) / WEIGHT;
      }
      for (unsigned n = r ? r - 1 : r + 1; n < COUNT && n <= r + 1; n += 2)
         representative->neighbours[representative->num_neighbours++] =
            (struct cm_neighbour){n, (double)WEIGHT * WEIGHT};
   }
   const struct cm_estimate estimate = cm_estimate_total(representatives, COUNT, values);
   /* 30 frames, evenly spread: a standard deviation of 30 / sqrt(12) a frame; 20 clusters that are taken to be off
    * independently. */
   const double expected = 7.0 * WEIGHT * WEIGHT / sqrt(12) * sqrt(COUNT);
   assert_true(fabs(estimate.standard_error / expected - 1) < 0.01);
   assert_true(fabs(estimate.total - total) < CM_ESTIMATE_95 * estimate.standard_error);
}

/* ---- parts of a recording -------------------------------------------------------------- */

/* Frames that are read with others left out are those that are read by themselves, and each resource comes once. */
static void
check_frame(struct cm_recording *recording, uint32_t frame, bool begins, uint32_t *resources)
{
   char error[512];
   struct cm_recording *alone = cm_recording_open(recording_path(), error, sizeof(error));
   struct cm_item item, expected;
   cm_recording_seek(alone, frame, frame);
   do {
      expected = cm_recording_next(alone);
      free(expected.resources);
      free(expected.names);
      free(expected.codes);
   } while (expected.type == CM_ITEM_GPU || expected.type == CM_ITEM_RESOURCES);
   for (item = cm_recording_next(recording); item.type == CM_ITEM_GPU || item.type == CM_ITEM_RESOURCES;
        item = cm_recording_next(recording)) {
      assert_true(item.type == CM_ITEM_RESOURCES || begins);
      for (size_t r = 0; r < item.num_resources; r++)
         assert_int_equal(item.resources[r].id, ++*resources);
      free(item.resources);
      free(item.names);
      free(item.codes);
   }
   while (item.type == CM_ITEM_PASS) {
      assert_int_equal(expected.type, CM_ITEM_PASS);
      assert_int_equal(item.frame, frame);
      assert_passes_equal(&item.pass->pass, &expected.pass->pass);
      cm_recorded_pass_release(item.pass);
      cm_recorded_pass_release(expected.pass);
      item = cm_recording_next(recording);
      expected = cm_recording_next(alone);
   }
   assert_int_equal(item.type, CM_ITEM_FRAME_END);
   assert_int_equal(expected.type, CM_ITEM_FRAME_END);
   assert_int_equal(*resources, frame ? RECORDING_RESOURCES : 6);
   cm_recording_close(alone);
}

TEST(skip)
{
   for (uint64_t seed = 1; seed <= 20; seed++) {
      uint64_t state = seed;
      char error[512];
      uint32_t resources = 0;
      write_random_recording(recording_path(), seed, 12);
      struct cm_recording *recording = cm_recording_open(recording_path(), error, sizeof(error));
      assert_non_null(recording);
      uint32_t frame = random_below(&state, 3);
      cm_recording_seek(recording, frame, frame);
      for (bool begins = true; frame < 12; begins = false) {
         check_frame(recording, frame, begins, &resources);
         assert_int_equal(cm_recording_next(recording).type, CM_ITEM_END);
         frame += 1 + random_below(&state, 4);
         cm_recording_skip(recording, frame, frame);
      }
      assert_int_equal(cm_recording_next(recording).type, CM_ITEM_END);
      assert_null(cm_recording_damage(recording));
      cm_recording_close(recording);
   }
}
