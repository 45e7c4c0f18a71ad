/* SPDX-License-Identifier: MIT */
/* The Parameter Buffer's traffic of small passes, counted by hand. */
#include "support/pass_builder.h"
#include "support/test.h"
#include "tiling/parameter_buffer.h"

static void
add_two_primitives(struct pass_builder *pass)
{
   pass_draw(pass);
   pass_primitive(pass, 3, (const uint32_t[]){0, 1, 2, 3}, 4);
   pass_primitive(pass, 2, (const uint32_t[]){1, 3}, 2);
}

TEST(baseline_layout)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   struct pass_builder *pass = pass_new(0, 64, 64, 32);
   add_two_primitives(pass);
   pass_run(pass, gpu);
   /* 4 + 2 PMDs in the 4 tiles' first blocks, 3 + 2 attributes; tiles 0 … 3 read
    * 1, 2, 1, 2 PMDs and 3, 5, 3, 5 attributes, all of which are still there. */
   expect_counters(gpu, {"tiling_engine.primitives", 2}, {"tiling_engine.pmds", 6},
                   {"tiling_engine.attributes", 5}, {"tiling_engine.tiles", 4},
                   {"tile_cache.pb_list.writes", 6}, {"tile_cache.pb_list.reads", 6},
                   {"tile_cache.pb_list.misses", 4}, {"tile_cache.pb_list.hits", 8},
                   {"tile_cache.pb_list.fills", 0}, {"tile_cache.pb_attribute.writes", 5},
                   {"tile_cache.pb_attribute.reads", 16}, {"tile_cache.pb_attribute.misses", 5},
                   {"tile_cache.pb_attribute.hits", 16}, {"tile_cache.total.evictions", 0},
                   {"l2.total.reads", 0}, {"dram.total.reads", 0});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* An attribute has 48 bytes of its block (TCOR II-B): a Tile Cache that fetches what a write does not fill reads each block once,
 * those of lists and of attributes, or of one stream alone; written in whole blocks, or without fetches, it reads none. */
#define ALL "caches.tile_cache.fetched=all"
#define ATTRIBUTES "caches.tile_cache.fetched=pb_attribute"

TEST(attributes_fill_a_part)
{
   static const struct {
      const char *bytes, *write_miss, *fetched;
      uint64_t lists, attributes; /* that are read */
   } cases[] = {
      {"parameter_buffer.attribute_bytes=48", "caches.tile_cache.write_miss=fetch", ALL, 4, 5},
      {"parameter_buffer.attribute_bytes=64", "caches.tile_cache.write_miss=fetch", ALL, 4, 0},
      {"parameter_buffer.attribute_bytes=48", "caches.tile_cache.write_miss=allocate", ALL, 0, 0},
      {"parameter_buffer.attribute_bytes=48", "caches.tile_cache.write_miss=fetch", ATTRIBUTES, 0, 5},
      {"parameter_buffer.attribute_bytes=48", "caches.tile_cache.write_miss=fetch",
       "caches.tile_cache.fetched=pb_list", 4, 0},
   };
   for (unsigned c = 0; c < sizeof cases / sizeof cases[0]; c++) {
      struct cm_gpu *gpu =
         test_gpu((const char *const[]){cases[c].bytes, cases[c].write_miss, cases[c].fetched, NULL});
      struct pass_builder *pass = pass_new(0, 64, 64, 32);
      add_two_primitives(pass);
      pass_run(pass, gpu);
      expect_counters(gpu, {"tile_cache.pb_attribute.writes", 5}, {"tile_cache.pb_attribute.reads", 16},
                      {"tile_cache.pb_attribute.misses", 5},
                      {"tile_cache.pb_attribute.fills", cases[c].attributes},
                      {"tile_cache.pb_list.fills", cases[c].lists},
                      {"l2.pb_attribute.reads", cases[c].attributes}, {"l2.pb_list.reads", cases[c].lists});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

/* Two Parameter Buffers in turn: the second pass finds nothing of the first one's in the Tile Cache, the third one all. */
TEST(two_buffers)
{
   static const char *const buffers[] = {"parameter_buffer.buffers=1", "parameter_buffer.buffers=2"};
   static const uint64_t misses[2][3] = {{4 + 5, 4 + 5, 4 + 5}, {4 + 5, 2 * (4 + 5), 2 * (4 + 5)}};
   for (unsigned b = 0; b < 2; b++) {
      struct cm_gpu *gpu = test_gpu((const char *const[]){buffers[b], NULL});
      for (uint32_t frame = 0; frame < 3; frame++) {
         struct pass_builder *pass = pass_new(frame, 64, 64, 32);
         add_two_primitives(pass);
         pass_run(pass, gpu);
         pass_free(pass);
         expect_counters(gpu, {"tile_cache.total.misses", misses[b][frame]});
      }
      cm_gpu_destroy(gpu);
   }
}

/* ---- a naive Tile Cache -------------------------------------------------------- */

#define NAIVE_SETS 8
#define NAIVE_WAYS 2

struct naive {
   uint64_t blocks[NAIVE_SETS][NAIVE_WAYS]; /* the most recently used first; 0: none */
   bool dirty[NAIVE_SETS][NAIVE_WAYS];
   uint64_t fills[2], writebacks[2]; /* of lists, of attributes */
   bool only_attributes;             /* are read where a write misses */
};

/* All accesses are of parts of blocks: whatever misses is read, but what only_attributes excludes. */
static void
naive_access(struct naive *naive, uint64_t address, bool write)
{
   const uint64_t block = address / 64, set = block % NAIVE_SETS;
   uint64_t *blocks = naive->blocks[set];
   bool *dirty = naive->dirty[set];
   if (blocks[0] == block) {
      dirty[0] |= write;
      return;
   }
   const bool hit = blocks[1] == block, was_dirty = hit && dirty[1];
   const bool is_attribute = block * 64 >= CM_PB_ATTRIBUTES_ADDRESS;
   naive->fills[is_attribute] += !hit && (!write || is_attribute || !naive->only_attributes);
   if (!hit && dirty[1])
      naive->writebacks[blocks[1] * 64 >= CM_PB_ATTRIBUTES_ADDRESS]++;
   blocks[1] = blocks[0];
   dirty[1] = dirty[0];
   blocks[0] = block;
   dirty[0] = write || was_dirty;
}

/* Random passes on four tiles: lists of 64 blocks each, attributes of 48 bytes one after another, in blocks of their own. All
 * addresses are so much further. */
static void
naive_pass(struct naive *naive, struct pass_builder *pass, uint64_t further, uint64_t *state)
{
   uint64_t pmds[4][200], first[4][200], count[4][200], lengths[4] = {0}, next = 0;
   const unsigned primitives = 20 + random_below(state, 180);
   for (unsigned p = 0; p < primitives; p++) {
      const uint32_t attributes = 1 + random_below(state, 4), covered = 1 + random_below(state, 15);
      uint32_t tiles[4], num_tiles = 0;
      for (uint32_t tile = 0; tile < 4; tile++) {
         if (!(covered >> tile & 1))
            continue;
         tiles[num_tiles++] = tile;
         const uint64_t n = lengths[tile]++;
         pmds[tile][n] = CM_PB_LISTS_ADDRESS + further + tile * 4096 + n * 4;
         first[tile][n] = CM_PB_ATTRIBUTES_ADDRESS + further + next * 64;
         count[tile][n] = attributes;
         naive_access(naive, pmds[tile][n], true);
      }
      for (uint32_t a = 0; a < attributes; a++)
         naive_access(naive, CM_PB_ATTRIBUTES_ADDRESS + further + next++ * 64, true);
      pass_primitive(pass, attributes, tiles, num_tiles);
   }
   for (uint32_t tile = 0; tile < 4; tile++) {
      for (uint64_t n = 0; n < lengths[tile]; n++) {
         naive_access(naive, pmds[tile][n], false);
         for (uint64_t a = 0; a < count[tile][n]; a++)
            naive_access(naive, first[tile][n] + a * 64, false);
      }
   }
}

TEST(partial_attributes_against_a_naive_cache)
{
   uint64_t state = 48;
   for (unsigned round = 0; round < 20; round++) {
      struct naive naive = {.only_attributes = round % 2};
      struct cm_gpu *gpu = test_gpu((
         const char *const[]){"parameter_buffer.attribute_bytes=48", "caches.tile_cache.write_miss=fetch",
                              "caches.tile_cache.size=1024", "caches.tile_cache.ways=2",
                              naive.only_attributes ? ATTRIBUTES : ALL,
                              round % 3 ? "parameter_buffer.buffers=2" : "parameter_buffer.buffers=1", NULL});
      for (uint32_t frame = 0; frame < 3; frame++) {
         struct pass_builder *pass = pass_new(frame, 64, 64, 32);
         pass_draw(pass);
         naive_pass(&naive, pass, round % 3 && frame % 2 ? CM_PB_SECOND_BUFFER : 0, &state);
         pass_run(pass, gpu);
         pass_free(pass);
      }
      expect_counters(gpu, {"tile_cache.pb_list.fills", naive.fills[0]},
                      {"tile_cache.pb_attribute.fills", naive.fills[1]}, {"l2.pb_list.reads", naive.fills[0]},
                      {"l2.pb_attribute.reads", naive.fills[1]}, {"l2.pb_list.writes", naive.writebacks[0]},
                      {"l2.pb_attribute.writes", naive.writebacks[1]});
      assert_true(naive.fills[0] && naive.fills[1] && naive.writebacks[0] && naive.writebacks[1]);
      cm_gpu_destroy(gpu);
   }
}

/* A cache of two blocks in one set: every eviction of a list's block can be
 * followed by hand, and is the same in both layouts. */
TEST(lists_in_a_tiny_cache)
{
   static const char *const layouts[] = {"parameter_buffer.layout=baseline",
                                         "parameter_buffer.layout=interleaved"};
   for (unsigned i = 0; i < 2; i++) {
      /* PB-Attributes straight to the L2, so that the Tile Cache sees lists only. */
      struct cm_gpu *gpu =
         test_gpu((const char *const[]){layouts[i], "caches.tile_cache.size=128", "caches.tile_cache.ways=2",
                                        "streams.pb_attribute=l2", NULL});
      struct pass_builder *pass = pass_new(0, 64, 32, 32);
      pass_draw(pass);
      for (unsigned p = 0; p < 17; p++)
         pass_primitive(pass, 1, (const uint32_t[]){0, 1}, 2);
      pass_run(pass, gpu);
      /* 17 primitives on two tiles; a list takes two blocks. Written: 34 PMDs, blocks
       * A0 B0 alternating, then A1 B1 (which evict A0 and B0). Read: A0 ×16, A1,
       * B0 ×16, B1, none of which is there any more when it is wanted: reading A0
       * evicts A1. */
      expect_counters(gpu, {"tile_cache.pb_list.writes", 34}, {"tile_cache.pb_list.reads", 34},
                      {"tile_cache.pb_list.misses", 4 + 4}, {"tile_cache.pb_list.fills", 4},
                      {"tile_cache.pb_list.writebacks", 4}, {"l2.pb_list.reads", 4}, {"l2.pb_list.hits", 4},
                      {"l2.pb_list.writes", 4}, {"l2.pb_attribute.writes", 17},
                      {"l2.pb_attribute.reads", 34});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

/* In the baseline layout, the lists of tiles whose number differs by a multiple of
 * 4 fall into one set of the 256 of the Tile Cache; interleaved, 16 neighbours do
 * not meet (TCOR III-B). */
TEST(conflicts_of_the_baseline)
{
   uint64_t evictions[2];
   for (unsigned i = 0; i < 2; i++) {
      struct cm_gpu *gpu = test_gpu(
         (const char *const[]){i ? "parameter_buffer.layout=interleaved" : "parameter_buffer.layout=baseline",
                               "streams.pb_attribute=l2", NULL});
      struct pass_builder *pass = pass_new(0, 512, 512, 32);
      pass_draw(pass);
      for (uint32_t tile = 0; tile < 256; tile++)
         pass_primitive(pass, 1, &tile, 1);
      pass_run(pass, gpu);
      evictions[i] = gpu_total(gpu, "tile_cache.pb_list.evictions");
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
   /* 256 lists in 4 sets of 4 ways: each set takes 64 writes and 64 reads, and
    * LRU with a cyclic order hits nothing where reads follow row-major writes in
    * Z-order; at least 60 of the 64 written leave each set. */
   assert_true(evictions[0] >= 4 * 60);
   assert_int_equal(evictions[1], 0);
}

TEST(wide_pmds)
{
   /* 17 attributes do not fit a narrow PMD: 8 bytes each, 8 PMDs per block. */
   struct cm_gpu *gpu = test_gpu((const char *const[]){"streams.pb_attribute=dram", NULL});
   struct pass_builder *pass = pass_new(0, 32, 32, 32);
   pass_draw(pass);
   for (unsigned p = 0; p < 16; p++)
      pass_primitive(pass, p ? 1 : 17, (const uint32_t[]){0}, 1);
   pass_run(pass, gpu);
   expect_counters(gpu, {"tile_cache.pb_list.writes", 16}, {"tile_cache.pb_list.misses", 2},
                   {"dram.pb_attribute.writes", 32}, {"dram.pb_attribute.reads", 32});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* The Parameter Buffer is at the same addresses in every pass. */
TEST(second_pass_overwrites)
{
   struct cm_gpu *gpu = test_gpu(NULL);
   for (uint32_t frame = 0; frame < 2; frame++) {
      struct pass_builder *pass = pass_new(frame, 64, 64, 32);
      add_two_primitives(pass);
      pass_run_and_free(pass, gpu);
      expect_counters(gpu, {"tile_cache.total.misses", 9}, {"tile_cache.total.reads", 22 * (frame + 1)});
      cm_gpu_frame_end(gpu);
   }
   cm_gpu_destroy(gpu);
}

/* 4 list blocks and 5 attributes are in the Tile Cache when a pass ends. */
TEST(end_of_pass)
{
   static const struct {
      const char *setting;
      uint64_t misses, evictions, writebacks; /* of two passes */
   } cases[] = {
      {"parameter_buffer.pass_end=keep", 9, 0, 0},
      {"parameter_buffer.pass_end=discard", 18, 18, 0},
      {"parameter_buffer.pass_end=write-back", 18, 18, 18},
   };
   for (unsigned i = 0; i < 3; i++) {
      struct cm_gpu *gpu = test_gpu((const char *const[]){cases[i].setting, NULL});
      for (uint32_t frame = 0; frame < 2; frame++) {
         struct pass_builder *pass = pass_new(frame, 64, 64, 32);
         add_two_primitives(pass);
         pass_run_and_free(pass, gpu);
      }
      expect_counters(gpu, {"tile_cache.total.misses", cases[i].misses},
                      {"tile_cache.total.evictions", cases[i].evictions},
                      {"tile_cache.total.writebacks", cases[i].writebacks},
                      {"l2.total.writes", cases[i].writebacks}, {"tile_cache.total.fills", 0});
      cm_gpu_destroy(gpu);
   }
}

/* The same with a cache for each section; the Primitive Buffer has nothing to keep. */
TEST(end_of_pass_with_primitive_buffer)
{
   static const struct {
      const char *setting;
      uint64_t list_evictions, writebacks, saved;
   } cases[] = {
      {"parameter_buffer.pass_end=keep", 0, 0, 5},
      {"parameter_buffer.pass_end=discard", 4, 0, 5},
      {"parameter_buffer.pass_end=write-back", 4, 9, 0},
   };
   for (unsigned i = 0; i < 3; i++) {
      const char *settings[32];
      unsigned count = 0;
      for (; test_tcor_settings[count]; count++)
         settings[count] = test_tcor_settings[count];
      settings[count++] = cases[i].setting;
      settings[count] = NULL;
      struct cm_gpu *gpu = test_gpu(settings);
      struct pass_builder *pass = pass_new(0, 64, 64, 32);
      add_two_primitives(pass);
      pass_run(pass, gpu);
      expect_counters(gpu, {"primitive_list_cache.total.evictions", cases[i].list_evictions},
                      {"attribute_cache.total.evictions", 5},
                      {"attribute_cache.total.writebacks_saved", cases[i].saved},
                      {"l2.total.writes", cases[i].writebacks});
      pass_free(pass);
      cm_gpu_destroy(gpu);
   }
}

/* A Primitive Buffer serves attributes where they go to its cache, and nowhere else. */
TEST(attributes_go_elsewhere)
{
   const char *settings[32];
   unsigned count = 0;
   for (; test_tcor_settings[count]; count++)
      settings[count] = test_tcor_settings[count];
   settings[count++] = "streams.pb_attribute=l2";
   settings[count] = NULL;
   struct cm_gpu *gpu = test_gpu(settings);
   struct pass_builder *pass = pass_new(0, 64, 64, 32);
   add_two_primitives(pass);
   pass_run(pass, gpu);
   expect_counters(gpu, {"l2.pb_attribute.writes", 5}, {"l2.pb_attribute.reads", 16},
                   {"l2.pb_attribute.hits", 16}, {"attribute_cache.total.reads", 0},
                   {"attribute_cache.total.writes", 0}, {"primitive_buffer.reads", 0},
                   {"primitive_buffer.writes", 0});
   pass_free(pass);
   cm_gpu_destroy(gpu);
}

/* What a pass leaves that cannot be simulated is not in the next one's way: no lists hold so many attributes. */
TEST(pass_that_fails)
{
   struct cm_gpu *gpu = test_gpu(test_tcor_settings);
   struct pass_builder *failing = pass_new(0, 64, 64, 32), *pass = pass_new(0, 64, 64, 32);
   add_two_primitives(failing);
   pass_primitive(failing, 300, (const uint32_t[]){0}, 1);
   cm_gpu_pass_begin(gpu, &failing->pass);
   assert_null(cm_gpu_pass_traversal(gpu));
   cm_gpu_pass_end(gpu);
   assert_false(cm_gpu_is_complete(gpu));
   cm_gpu_frame_end(gpu);

   add_two_primitives(pass);
   pass_run(pass, gpu);
   const uint64_t *frame = cm_gpu_frame_end(gpu);
   expect_frame(gpu, frame, {"primitive_buffer.writes", 2}, {"primitive_buffer.misses", 2},
                {"primitive_buffer.reads", 6}, {"primitive_buffer.hits", 6},
                {"primitive_buffer.evictions", 2 /* at the end */});
   pass_free(failing);
   pass_free(pass);
   cm_gpu_destroy(gpu);
}
