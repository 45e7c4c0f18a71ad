/* SPDX-License-Identifier: MIT */
/* Streams are analysed each by itself; accesses per set and tile: an example by hand
 * and random tiles against a plain table. */
#include <string.h>

#include "analysis/analysis.h"
#include "support/test.h"

/* What arrives at a unit with blocks of 64 bytes. */
static void
give(struct cm_analysis *analysis, cm_entry entry)
{
   const struct cm_access_reader reader = cm_analysis_reader(analysis, CM_UNIT_L2, 6);
   reader.read(reader.context, &entry, 1);
}

static void
mark(struct cm_analysis *analysis, enum cm_mark mark)
{
   give(analysis, cm_entry_make(CM_ENTRY_MARK, mark, 0, (enum cm_stream)0, 0));
}

static void
access_block(struct cm_analysis *analysis, enum cm_stream stream, uint64_t block)
{
   give(analysis, cm_entry_access(cm_entry_cache(CM_UNIT_L2, 0), CM_READ, stream, block * 64));
}

static void
access_all(struct cm_analysis *analysis, enum cm_stream stream, const uint64_t *blocks, unsigned count)
{
   for (unsigned b = 0; b < count; b++)
      access_block(analysis, stream, blocks[b]);
}

TEST(by_hand)
{
   struct cm_analysis *analysis = cm_analysis_create(4, CM_INDEX_MODULO);
   /* Outside of tiles: counts as reuse only. */
   access_all(analysis, CM_STREAM_TEXTURE, (const uint64_t[]){0, 0}, 2);
   mark(analysis, CM_MARK_TILE_BEGIN);
   /* Set 0: 0, 4, 0; set 1: 1; another stream: set 0 once. */
   access_all(analysis, CM_STREAM_TEXTURE, (const uint64_t[]){0, 4, 1, 0}, 4);
   access_all(analysis, CM_STREAM_PB_LIST, (const uint64_t[]){0}, 1);
   mark(analysis, CM_MARK_TILE_END);
   mark(analysis, CM_MARK_FRAME_END);
   mark(analysis, CM_MARK_TILE_BEGIN);
   access_all(analysis, CM_STREAM_TEXTURE, (const uint64_t[]){8}, 1);
   mark(analysis, CM_MARK_TILE_END);
   mark(analysis, CM_MARK_TILE_BEGIN);
   mark(analysis, CM_MARK_TILE_END); /* an empty one */
   mark(analysis, CM_MARK_FRAME_END);

   assert_int_equal(cm_analysis_reuse(analysis, CM_STREAM_TEXTURE, 1, 9).accesses, 1);
   struct cm_histogram tiles = cm_analysis_tiles(analysis, CM_STREAM_TEXTURE, 0, 0);
   assert_int_equal(tiles.bins[0], 0);
   assert_int_equal(tiles.bins[1], 1);
   assert_int_equal(tiles.bins[2], 0);
   assert_int_equal(tiles.bins[3], 1);
   tiles = cm_analysis_tiles(analysis, CM_STREAM_TEXTURE, 0, 1);
   assert_int_equal(tiles.bins[1], 2);
   tiles = cm_analysis_tiles(analysis, CM_STREAM_PB_LIST, 0, 1);
   assert_int_equal(tiles.bins[1], 1);

   struct cm_reuse_counts counts = cm_analysis_reuse(analysis, CM_STREAM_TEXTURE, 0, 0);
   assert_int_equal(counts.accesses, 6);
   assert_int_equal(counts.first, 3);
   assert_int_equal(counts.intra_distances.bins[0], 2); /* what pb_list did in between is not seen */
   assert_int_equal(counts.intra_distances.bins[1], 1);
   counts = cm_analysis_reuse(analysis, CM_STREAM_PB_LIST, 0, 1);
   assert_int_equal(counts.accesses, 1);
   assert_int_equal(counts.first, 1);
   counts = cm_analysis_reuse(analysis, CM_STREAM_VERTEX, 0, 1);
   assert_int_equal(counts.accesses, 0);
   assert_true(cm_analysis_is_complete(analysis));
   cm_analysis_destroy(analysis);
}

TEST(random_tiles)
{
   struct cm_analysis *analysis = cm_analysis_create(32, CM_INDEX_MODULO);
   struct cm_histogram expected[CM_STREAM_COUNT] = {0};
   uint64_t state = 9, accesses[CM_STREAM_COUNT] = {0};
   for (unsigned tile = 0; tile < 500; tile++) {
      uint32_t counts[CM_STREAM_COUNT][32] = {0};
      mark(analysis, CM_MARK_TILE_BEGIN);
      for (unsigned i = random_below(&state, 1500); i > 0; i--) {
         const enum cm_stream stream = (enum cm_stream)random_below(&state, CM_STREAM_COUNT);
         const uint64_t block = random_below(&state, 64) & random_below(&state, 64);
         access_block(analysis, stream, block);
         counts[stream][block % 32]++;
         accesses[stream]++;
      }
      mark(analysis, CM_MARK_TILE_END);
      if (tile % 10 == 9)
         mark(analysis, CM_MARK_FRAME_END);
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         for (unsigned set = 0; set < 32; set++) {
            if (counts[stream][set])
               expected[stream].bins[cm_histogram_bin(counts[stream][set])]++;
         }
      }
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const struct cm_histogram tiles = cm_analysis_tiles(analysis, (enum cm_stream)stream, 0, 49);
      assert_memory_equal(&tiles, &expected[stream], sizeof tiles);
      const struct cm_reuse_counts counts = cm_analysis_reuse(analysis, (enum cm_stream)stream, 0, 49);
      assert_int_equal(counts.accesses, accesses[stream]);
      assert_int_equal(counts.first + counts.intra + counts.inter, counts.accesses);
   }
   cm_analysis_destroy(analysis);
}
