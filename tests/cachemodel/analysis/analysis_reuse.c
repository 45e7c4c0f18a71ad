/* SPDX-License-Identifier: MIT */
/* Shares, reuse distances, insertions and deletions: an example by hand, random
 * streams against brute force, and an LRU cache that hits what the distances say. */
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "support/reuse_frame.h"
#include "support/test.h"

static void
access_all(struct cm_reuse *reuse, const char *blocks)
{
   for (; *blocks; blocks++)
      cm_reuse_access(reuse, (uint64_t)*blocks);
}

TEST(by_hand)
{
   struct cm_reuse *reuse = cm_reuse_create(1, CM_INDEX_MODULO);
   access_all(reuse, "ABBAC"); /* B after none, A after B */
   cm_reuse_frame_end(reuse);
   access_all(reuse, "CDACC"); /* C after none; A after C, D; C after D, A; C after none */
   cm_reuse_frame_end(reuse);
   access_all(reuse, "BE"); /* B after A, C, D */
   cm_reuse_frame_end(reuse);
   assert_int_equal(reuse_frame(reuse, 3)->accesses, 0);

   const struct cm_reuse_counts *counts = reuse_frame(reuse, 0);
   assert_int_equal(counts->accesses, 5);
   assert_int_equal(counts->first, 3);
   assert_int_equal(counts->intra, 2);
   assert_int_equal(counts->inter, 0);
   assert_int_equal(counts->intra_distances.bins[0], 1);
   assert_int_equal(counts->intra_distances.bins[1], 1);
   assert_int_equal(counts->blocks, 3);
   assert_int_equal(counts->insertions, 0);
   assert_int_equal(counts->deletions, 0);

   counts = reuse_frame(reuse, 1);
   assert_int_equal(counts->first, 1);
   assert_int_equal(counts->intra, 2);
   assert_int_equal(counts->inter, 2);
   assert_int_equal(counts->intra_distances.bins[0], 1);
   assert_int_equal(counts->intra_distances.bins[2], 1);
   assert_int_equal(counts->inter_distances.bins[0], 1);
   assert_int_equal(counts->inter_distances.bins[2], 1);
   assert_int_equal(counts->blocks, 3);
   assert_int_equal(counts->insertions, 1); /* D */
   assert_int_equal(counts->deletions, 1);  /* B */

   counts = reuse_frame(reuse, 2);
   assert_int_equal(counts->first, 1);
   assert_int_equal(counts->inter, 1);
   assert_int_equal(counts->inter_distances.bins[3], 1);
   assert_int_equal(counts->reuses, 0); /* B was not in the frame before */
   assert_int_equal(counts->insertions, 2);
   assert_int_equal(counts->deletions, 3);

   const struct cm_reuse_counts sum = cm_reuse_sum(reuse, 1, 2);
   assert_int_equal(sum.accesses, 7);
   assert_int_equal(sum.inter, 3);
   assert_int_equal(sum.blocks, 5);
   assert_true(cm_reuse_is_complete(reuse));
   cm_reuse_destroy(reuse);
}

TEST(bins)
{
   unsigned bin = 0;
   for (uint32_t value = 0; value < 100000; value++) {
      if (value > cm_histogram_last(bin))
         bin++;
      assert_int_equal(cm_histogram_bin(value), bin);
      assert_in_range(value, cm_histogram_first(bin), cm_histogram_last(bin));
   }
   assert_int_equal(cm_histogram_bin(UINT32_MAX), CM_HISTOGRAM_BINS - 1);
   assert_int_equal(cm_histogram_last(CM_HISTOGRAM_BINS - 1), UINT32_MAX);
}

/* ---- brute force ------------------------------------------------------- */

#define STREAM_LENGTH 2400

struct stream {
   uint64_t blocks[STREAM_LENGTH];
   uint32_t frames[STREAM_LENGTH];
   uint32_t sets;
};

/* Sequences that repeat from frame to frame with changes, of lengths that make sets grow. */
static void
random_stream(struct stream *stream, uint64_t *state)
{
   const uint32_t num_blocks = 1 + random_below(state, 600), num_frames = 1 + random_below(state, 12);
   uint32_t walk = 0;
   stream->sets = 1u << random_below(state, 5);
   for (unsigned i = 0; i < STREAM_LENGTH; i++) {
      switch (random_below(state, 4)) {
      case 0: stream->blocks[i] = random_below(state, num_blocks); break;
      case 1: stream->blocks[i] = i ? stream->blocks[i - 1] : 0; break;
      default: stream->blocks[i] = walk++ % num_blocks; break;
      }
      stream->blocks[i] |= (uint64_t)(stream->blocks[i] % 3) << 40;
      stream->frames[i] = i * num_frames / STREAM_LENGTH;
      if (i && stream->frames[i] != stream->frames[i - 1])
         walk = random_below(state, 10);
   }
}

static bool
accessed_in(const struct stream *stream, uint64_t block, uint32_t frame)
{
   for (unsigned i = 0; i < STREAM_LENGTH; i++) {
      if (stream->frames[i] == frame && stream->blocks[i] == block)
         return true;
   }
   return false;
}

static void
brute_force(const struct stream *stream, struct cm_reuse_counts *counts)
{
   for (unsigned i = 0; i < STREAM_LENGTH; i++) {
      const uint64_t block = stream->blocks[i];
      struct cm_reuse_counts *frame = &counts[stream->frames[i]];
      uint64_t between[STREAM_LENGTH];
      uint32_t distance = 0;
      int last = (int)i - 1;
      frame->accesses++;
      for (; last >= 0 && stream->blocks[last] != block; last--) {
         bool seen = (stream->blocks[last] ^ block) & (stream->sets - 1);
         for (uint32_t b = 0; b < distance; b++)
            seen |= between[b] == stream->blocks[last];
         if (!seen)
            between[distance++] = stream->blocks[last];
      }
      if (last < 0)
         frame->first++;
      else if (stream->frames[last] == stream->frames[i]) {
         frame->intra++;
         frame->intra_distances.bins[cm_histogram_bin(distance)]++;
         continue;
      } else {
         frame->inter++;
         frame->inter_distances.bins[cm_histogram_bin(distance)]++;
      }
      frame->blocks++;
      if (!stream->frames[i])
         continue;
      if (accessed_in(stream, block, stream->frames[i] - 1))
         frame->reuses++;
      else
         frame->insertions++;
   }
   for (unsigned frame = 1; frame <= stream->frames[STREAM_LENGTH - 1]; frame++)
      counts[frame].deletions = counts[frame - 1].blocks - counts[frame].reuses;
}

TEST(brute_force)
{
   uint64_t state = 1;
   struct stream *stream = malloc(sizeof *stream);
   for (unsigned round = 0; round < 12; round++) {
      random_stream(stream, &state);
      struct cm_reuse_counts expected[12] = {0};
      brute_force(stream, expected);

      struct cm_reuse *reuse = cm_reuse_create(stream->sets, CM_INDEX_MODULO);
      for (unsigned i = 0; i < STREAM_LENGTH; i++) {
         if (i && stream->frames[i] != stream->frames[i - 1])
            cm_reuse_frame_end(reuse);
         cm_reuse_access(reuse, stream->blocks[i]);
      }
      cm_reuse_frame_end(reuse);
      for (uint32_t frame = 0; frame <= stream->frames[STREAM_LENGTH - 1]; frame++) {
         struct cm_reuse_counts counts = *reuse_frame(reuse, frame);
         /* The IIRDs have a test of their own. */
         counts.sum_maximum = counts.sum_last_first = counts.sum_last_last = 0;
         assert_memory_equal(&counts, &expected[frame], sizeof counts);
      }
      assert_true(cm_reuse_is_complete(reuse));
      cm_reuse_destroy(reuse);
   }
   free(stream);
}

/* ---- the cache model --------------------------------------------------- */

/* Hits of an LRU cache are the accesses with distances below its ways. */
static void
check_cache(uint32_t ways, enum cm_index index)
{
   const struct cm_cache_config config = {.size = 64 * 64 * ways,
                                          .ways = ways,
                                          .block = 64,
                                          .instances = 1,
                                          .index = index,
                                          .next = CM_UNIT_DRAM};
   struct cm_dram dram = {0};
   struct cm_cache cache;
   uint64_t state = ways;
   assert_true(cm_cache_init(&cache, &config, NULL, &dram));
   struct cm_reuse *reuse = cm_reuse_create(64, index);
   for (unsigned i = 0; i < 300000; i++) {
      const uint32_t range = 64u << random_below(&state, 7);
      const uint64_t block = random_below(&state, range) * 37;
      cm_cache_access(&cache, block * 64, CM_STREAM_TEXTURE, CM_READ);
      cm_reuse_access(reuse, block);
      if (i % 30000 == 29999)
         cm_reuse_frame_end(reuse);
   }
   const struct cm_reuse_counts counts = cm_reuse_sum(reuse, 0, 9);
   uint64_t hits = 0;
   for (uint32_t distance = 0; distance < ways; distance++)
      hits += counts.intra_distances.bins[distance] + counts.inter_distances.bins[distance];
   assert_true(hits > 1000);
   assert_int_equal(hits, cm_cache_counter(&cache, CM_STREAM_TEXTURE, CM_CACHE_EVENT_HITS));
   assert_int_equal(counts.accesses, 300000);
   cm_reuse_destroy(reuse);
   cm_cache_finish(&cache);
}

TEST(lru_cache)
{
   for (uint32_t ways = 1; ways <= 16; ways *= 2) {
      check_cache(ways, CM_INDEX_MODULO);
      check_cache(ways, CM_INDEX_XOR);
   }
}
