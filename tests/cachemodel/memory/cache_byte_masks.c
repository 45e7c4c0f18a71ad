/* SPDX-License-Identifier: MIT */
/* Writes of a part of a block: write_miss allocate, fetch and validate on a list's block by hand; validate against a
 * cache that keeps a flag for each byte, and against the bytes that memory has. */
#include <stdlib.h>
#include <string.h>

#include "memory/cache.h"
#include "support/test.h"

/* ---- a list's block ---------------------------------------------------- */

struct two_levels {
   struct cm_dram dram;
   struct cm_cache l1, l2;
};

static void
build(struct two_levels *levels, enum cm_write_miss l1, enum cm_write_miss l2)
{
   struct cm_cache_config config = {.size = 64, .ways = 1, .block = 64, .instances = 1, .write_miss = l2};
   memset(levels, 0, sizeof *levels);
   assert_true(cm_cache_init(&levels->l2, &config, NULL, &levels->dram));
   config.write_miss = l1;
   assert_true(cm_cache_init(&levels->l1, &config, &levels->l2, &levels->dram));
}

static void
finish(struct two_levels *levels)
{
   cm_cache_finish(&levels->l1);
   cm_cache_finish(&levels->l2);
}

static uint64_t
counter(const struct cm_cache *cache, enum cm_cache_event event)
{
   return cm_cache_counter(cache, CM_STREAM_PB_LIST, event);
}

/* A PMD's access; each list has a block, and each cache room for one. */
static void
access_pmd(struct two_levels *levels, unsigned list, unsigned pmd, enum cm_access access)
{
   cm_cache_access_bytes(&levels->l1, list * 64 + pmd * 4, 4, CM_STREAM_PB_LIST, access);
}

struct expected {
   enum cm_write_miss l1, l2;
   uint64_t l1_misses, l1_fills, l2_misses, l2_fills, dram_writes;
};

/* Two PMDs of a list, one of another in between, then the lists are read. */
TEST(by_hand)
{
   static const struct expected cases[] = {
      /* Three writes and two reads miss. The list's first PMDs are where the L1 has it, or so it says; the L2 gets
       * whole blocks, and replaces its own at each access. */
      {CM_WRITE_MISS_ALLOCATE, CM_WRITE_MISS_ALLOCATE, 5, 2, 5, 2, 3},
      /* The whole block is read before each write, and the L2 still has it when it is written back. */
      {CM_WRITE_MISS_FETCH, CM_WRITE_MISS_ALLOCATE, 5, 5, 5, 5, 3},
      /* When the list's first PMD is read, only its third is valid: a miss. Two blocks are written back in part. */
      {CM_WRITE_MISS_VALIDATE, CM_WRITE_MISS_ALLOCATE, 6, 3, 5, 3, 3},
      {CM_WRITE_MISS_VALIDATE, CM_WRITE_MISS_FETCH, 6, 3, 5, 5, 3},
   };
   for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct two_levels levels;
      build(&levels, cases[i].l1, cases[i].l2);
      access_pmd(&levels, 0, 0, CM_WRITE);
      access_pmd(&levels, 0, 1, CM_WRITE);
      access_pmd(&levels, 1, 0, CM_WRITE);
      access_pmd(&levels, 0, 2, CM_WRITE);
      access_pmd(&levels, 0, 2, CM_READ); /* has been written here */
      access_pmd(&levels, 0, 0, CM_READ); /* has not */
      access_pmd(&levels, 0, 1, CM_READ); /* was read with it */
      access_pmd(&levels, 1, 0, CM_READ);
      access_pmd(&levels, 0, 0, CM_READ);
      assert_int_equal(counter(&levels.l1, CM_CACHE_EVENT_MISSES), cases[i].l1_misses);
      assert_int_equal(counter(&levels.l1, CM_CACHE_EVENT_FILLS), cases[i].l1_fills);
      assert_int_equal(counter(&levels.l2, CM_CACHE_EVENT_MISSES), cases[i].l2_misses);
      assert_int_equal(counter(&levels.l2, CM_CACHE_EVENT_FILLS), cases[i].l2_fills);
      assert_int_equal(levels.dram.counts[CM_STREAM_PB_LIST][CM_DRAM_EVENT_WRITES], cases[i].dram_writes);
      finish(&levels);
   }
}

/* ---- a flag for each byte ------------------------------------------------ */

#define MOST_BLOCK 256
#define MEMORY_BYTES 8192

struct naive_line {
   uint64_t block;
   bool present, dirty;
   uint64_t used;
   bool valid[MOST_BLOCK];
   uint32_t bytes[MOST_BLOCK];
};

/* An L1 of one set, LRU; after it a direct-mapped L2 that fetches. Bytes are numbers of writes. */
struct naive {
   uint32_t ways, block, l2_blocks;
   struct naive_line lines[8];
   uint64_t l2[16]; /* by set: block + 1 */
   uint32_t memory[MEMORY_BYTES], newest[MEMORY_BYTES];
   uint64_t now, misses, fills, writebacks, l2_misses, l2_fills, merges;
};

static void
l2_access(struct naive *naive, uint64_t block, bool needs_bytes)
{
   uint64_t *tag = &naive->l2[block % naive->l2_blocks];
   if (*tag == block + 1)
      return;
   *tag = block + 1;
   naive->l2_misses++;
   naive->l2_fills += needs_bytes;
}

static void
read_rest(struct naive *naive, struct naive_line *line)
{
   naive->fills++;
   l2_access(naive, line->block, true);
   for (uint32_t b = 0; b < naive->block; b++) {
      if (!line->valid[b])
         line->bytes[b] = naive->memory[line->block * naive->block + b];
      line->valid[b] = true;
   }
}

static void
write_back(struct naive *naive, const struct naive_line *line)
{
   bool whole = true;
   for (uint32_t b = 0; b < naive->block; b++) {
      whole &= line->valid[b];
      if (line->valid[b])
         naive->memory[line->block * naive->block + b] = line->bytes[b];
   }
   naive->writebacks++;
   l2_access(naive, line->block, !whole);
}

static struct naive_line *
find_or_evict(struct naive *naive, uint64_t block, bool *hit)
{
   struct naive_line *oldest = &naive->lines[0];
   for (uint32_t way = 0; way < naive->ways; way++) {
      struct naive_line *line = &naive->lines[way];
      if (line->present && line->block == block) {
         *hit = true;
         return line;
      }
      if (oldest->present && (!line->present || line->used < oldest->used))
         oldest = line;
   }
   *hit = false;
   naive->misses++;
   if (oldest->present && oldest->dirty)
      write_back(naive, oldest);
   memset(oldest, 0, sizeof *oldest);
   oldest->present = true;
   oldest->block = block;
   return oldest;
}

static void
naive_access(struct naive *naive, uint64_t address, uint32_t bytes, bool write)
{
   bool hit;
   struct naive_line *line = find_or_evict(naive, address / naive->block, &hit);
   const uint32_t offset = (uint32_t)(address % naive->block);
   line->used = ++naive->now;
   if (write) {
      line->dirty = true;
      for (uint32_t b = offset; b < offset + bytes; b++) {
         line->valid[b] = true;
         line->bytes[b] = naive->newest[line->block * naive->block + b] = (uint32_t)naive->now;
      }
      return;
   }
   bool all_valid = true;
   for (uint32_t b = offset; b < offset + bytes; b++)
      all_valid &= line->valid[b];
   if (!all_valid) {
      naive->merges += hit;
      naive->misses += hit;
      read_rest(naive, line);
   }
   for (uint32_t b = offset; b < offset + bytes; b++)
      assert_int_equal(line->bytes[b], naive->newest[line->block * naive->block + b]);
}

static void
check(const struct two_levels *levels, const struct naive *naive)
{
   assert_int_equal(counter(&levels->l1, CM_CACHE_EVENT_MISSES), naive->misses);
   assert_int_equal(counter(&levels->l1, CM_CACHE_EVENT_FILLS), naive->fills);
   assert_int_equal(counter(&levels->l1, CM_CACHE_EVENT_WRITEBACKS), naive->writebacks);
   assert_int_equal(counter(&levels->l2, CM_CACHE_EVENT_MISSES), naive->l2_misses);
   assert_int_equal(counter(&levels->l2, CM_CACHE_EVENT_FILLS), naive->l2_fills);
}

/* Accesses of 1 to 16 bytes, or whole blocks. In blocks of 128 and 256 bytes a mask's bit is 2 and 4 bytes: accesses
 * are of such units there. */
static void
random_access(struct two_levels *levels, struct naive *naive, uint64_t *state)
{
   const uint32_t unit = naive->block > 64 ? naive->block / 64 : 1;
   const uint32_t units = naive->block / unit;
   const bool whole = random_below(state, 8) == 0, write = random_below(state, 2);
   const uint32_t length = whole ? units : 1 + random_below(state, 16);
   const uint32_t first = whole ? 0 : random_below(state, units - length + 1);
   const uint32_t bytes = length * unit;
   const uint64_t address = (uint64_t)random_below(state, 12) * naive->block + first * unit;
   naive_access(naive, address, bytes, write);
   cm_cache_access_bytes(&levels->l1, address, bytes, CM_STREAM_PB_LIST,
                         !write                  ? CM_READ
                         : bytes == naive->block ? CM_WRITE_BLOCK
                                                 : CM_WRITE);
   check(levels, naive);
}

TEST(naive_model)
{
   static const uint32_t blocks[] = {32, 64, 128, 256};
   uint64_t state = 5, merges = 0;
   for (unsigned round = 0; round < 64; round++) {
      static struct naive naive;
      memset(&naive, 0, sizeof naive);
      naive.block = blocks[round % 4];
      naive.ways = 1 + random_below(&state, 8);
      naive.l2_blocks = 1u << random_below(&state, 5);
      struct cm_cache_config config = {.ways = naive.ways,
                                       .size = naive.ways * naive.block,
                                       .block = naive.block,
                                       .instances = 1,
                                       .write_miss = CM_WRITE_MISS_VALIDATE};
      struct two_levels levels = {0};
      assert_true(cm_cache_init(&levels.l1, &config, &levels.l2, &levels.dram));
      config.write_miss = CM_WRITE_MISS_FETCH;
      config.ways = 1;
      config.size = naive.l2_blocks * naive.block;
      assert_true(cm_cache_init(&levels.l2, &config, NULL, &levels.dram));
      for (unsigned i = 0; i < 4000; i++)
         random_access(&levels, &naive, &state);
      merges += naive.merges;
      finish(&levels);
   }
   assert_true(merges > 1000); /* or nothing was tested */
}
