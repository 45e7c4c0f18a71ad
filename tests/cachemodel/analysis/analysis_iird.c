/* SPDX-License-Identifier: MIT */
/* Inter-iteration reuse distances: circular and alternate reverse traces have the
 * ends of the scale exactly, an example by hand, random frames against brute force. */
#include <stdlib.h>
#include <string.h>

#include "support/reuse_frame.h"
#include "support/test.h"

#define FRAMES 6

/* s blocks per set, each set its own blocks; reversed in every second frame if alternate. */
static struct cm_reuse *
loop_trace(uint32_t s, uint32_t sets, bool alternate)
{
   struct cm_reuse *reuse = cm_reuse_create(sets, CM_INDEX_MODULO);
   for (unsigned frame = 0; frame < FRAMES; frame++) {
      for (uint32_t i = 0; i < s * sets; i++)
         cm_reuse_access(reuse, alternate && frame % 2 ? s * sets - 1 - i : i);
      cm_reuse_frame_end(reuse);
   }
   return reuse;
}

TEST(loop_traces)
{
   for (uint32_t s = 1; s <= 64; s++) {
      for (uint32_t sets = 1; sets <= 4; sets *= 4) {
         struct cm_reuse *circular = loop_trace(s, sets, false);
         struct cm_reuse *alternate = loop_trace(s, sets, true);
         for (unsigned frame = 1; frame < FRAMES; frame++) {
            const struct cm_reuse_counts *counts = reuse_frame(circular, frame);
            assert_int_equal(counts->reuses, s * sets);
            assert_int_equal(counts->sum_maximum, counts->reuses * (s - 1));
            assert_int_equal(counts->sum_last_first, counts->reuses * (s - 1));
            assert_int_equal(counts->sum_last_last, counts->reuses * (s - 1));
            counts = reuse_frame(alternate, frame);
            assert_int_equal(counts->reuses, s * sets);
            assert_int_equal(counts->sum_maximum, counts->reuses * (s - 1));
            assert_int_equal(2 * counts->sum_last_first, counts->reuses * (s - 1));
            assert_int_equal(2 * counts->sum_last_last, counts->reuses * (s - 1));
         }
         cm_reuse_destroy(circular);
         cm_reuse_destroy(alternate);
      }
   }
}

/* Insertions and deletions as III-D counts them: one more access in the second
 * iteration makes the distance s, one less s - 2. */
TEST(insertion_and_deletion)
{
   struct cm_reuse *reuse = cm_reuse_create(1, CM_INDEX_MODULO);
   const char *const frames[] = {"ABCDEFG", "XABCDEFG", "BCDEFG"};
   for (unsigned frame = 0; frame < 3; frame++) {
      for (const char *block = frames[frame]; *block; block++)
         cm_reuse_access(reuse, (uint64_t)*block);
      cm_reuse_frame_end(reuse);
   }
   const struct cm_reuse_counts *counts = reuse_frame(reuse, 1);
   assert_int_equal(counts->reuses, 7);
   assert_int_equal(counts->sum_maximum, 7 * 6);
   assert_int_equal(counts->sum_last_first, 7 * 7);
   assert_int_equal(counts->insertions, 1);
   assert_int_equal(counts->deletions, 0);
   counts = reuse_frame(reuse, 2);
   assert_int_equal(counts->reuses, 6);
   assert_int_equal(counts->sum_maximum, 6 * 7);
   assert_int_equal(counts->sum_last_first, 6 * 5); /* of the two that are gone, none is between */
   assert_int_equal(counts->deletions, 2);
   cm_reuse_destroy(reuse);
}

TEST(by_hand)
{
   struct cm_reuse *reuse = cm_reuse_create(1, CM_INDEX_MODULO);
   const char *const frames[] = {"ABCAD", "DACEA"};
   for (unsigned frame = 0; frame < 2; frame++) {
      for (const char *block = frames[frame]; *block; block++)
         cm_reuse_access(reuse, (uint64_t)*block);
      cm_reuse_frame_end(reuse);
   }
   /* Last accesses before: B C A D. First accesses: D A C E; distances D 0, A 1 (D), C 2 (A, D).
    * Last accesses: D C E A; distances D 0, C 2 (A, D), A 3 (D, C, E). */
   const struct cm_reuse_counts *counts = reuse_frame(reuse, 1);
   assert_int_equal(counts->reuses, 3);
   assert_int_equal(counts->sum_maximum, 3 * 3);
   assert_int_equal(counts->sum_last_first, 0 + 1 + 2);
   assert_int_equal(counts->sum_last_last, 0 + 2 + 3);
   cm_reuse_destroy(reuse);
}

/* ---- brute force ------------------------------------------------------- */

#define MAX_BLOCKS 400

struct sub_trace {
   uint64_t blocks[MAX_BLOCKS];
   uint32_t count;
};

static int
place_of(const struct sub_trace *trace, uint64_t block)
{
   for (uint32_t i = 0; i < trace->count; i++) {
      if (trace->blocks[i] == block)
         return (int)i;
   }
   return -1;
}

/* The different blocks of a frame's accesses to a set, each where it was first, or last. */
static struct sub_trace
sub_trace_of(const uint64_t *blocks, uint32_t count, uint32_t set, uint32_t sets, bool last)
{
   struct sub_trace trace = {.count = 0};
   for (uint32_t i = 0; i < count; i++) {
      bool wanted = (blocks[i] & (sets - 1)) == set;
      for (uint32_t other = last ? i + 1 : 0; other < (last ? count : i); other++)
         wanted &= blocks[other] != blocks[i];
      if (wanted)
         trace.blocks[trace.count++] = blocks[i];
   }
   return trace;
}

/* The sum of the distances between two sub-traces, over the blocks of both. */
static uint64_t
sum_distances(const struct sub_trace *before, const struct sub_trace *after, uint64_t *reuses)
{
   uint64_t sum = 0;
   for (uint32_t i = 0; i < before->count; i++) {
      const int place = place_of(after, before->blocks[i]);
      if (place < 0)
         continue;
      *reuses += 1;
      sum += before->count - 1 - i;
      for (int j = 0; j < place; j++) {
         const int other = place_of(before, after->blocks[j]);
         sum += other < (int)i; /* counted already if it comes after i */
      }
   }
   return sum;
}

static void
check_frames(uint64_t *state)
{
   const uint32_t sets = 1u << random_below(state, 4), range = 1 + random_below(state, MAX_BLOCKS);
   struct cm_reuse *reuse = cm_reuse_create(sets, CM_INDEX_MODULO);
   uint64_t frames[FRAMES][800];
   uint32_t counts[FRAMES];
   for (unsigned frame = 0; frame < FRAMES; frame++) {
      counts[frame] = random_below(state, 800);
      for (uint32_t i = 0; i < counts[frame]; i++) {
         frames[frame][i] = random_below(state, 3) ? i % range : random_below(state, range);
         cm_reuse_access(reuse, frames[frame][i]);
      }
      cm_reuse_frame_end(reuse);
   }
   for (unsigned frame = 1; frame < FRAMES; frame++) {
      struct cm_reuse_counts expected = {0};
      uint64_t again = 0;
      for (uint32_t set = 0; set < sets; set++) {
         const struct sub_trace before = sub_trace_of(frames[frame - 1], counts[frame - 1], set, sets, true);
         const struct sub_trace first = sub_trace_of(frames[frame], counts[frame], set, sets, false);
         const struct sub_trace last = sub_trace_of(frames[frame], counts[frame], set, sets, true);
         uint64_t reuses = 0;
         expected.sum_last_first += sum_distances(&before, &first, &reuses);
         expected.sum_last_last += sum_distances(&before, &last, &again);
         expected.reuses += reuses;
         expected.sum_maximum += reuses * (before.count - 1ull);
      }
      assert_int_equal(again, expected.reuses);
      const struct cm_reuse_counts *found = reuse_frame(reuse, frame);
      assert_int_equal(found->reuses, expected.reuses);
      assert_int_equal(found->sum_maximum, expected.sum_maximum);
      assert_int_equal(found->sum_last_first, expected.sum_last_first);
      assert_int_equal(found->sum_last_last, expected.sum_last_last);
   }
   cm_reuse_destroy(reuse);
}

TEST(brute_force)
{
   uint64_t state = 3;
   for (unsigned round = 0; round < 10; round++)
      check_frames(&state);
}
