/* SPDX-License-Identifier: MIT */
/* Least recently used. The lines of a set are in the order of their last use,
 * so the first line is the likeliest hit and the last one the victim; empty lines
 * gather at the end by themselves. */
#include "memory/replacement/order.h"

#define cm_policy_hit cm_order_hit
#define cm_policy_victim cm_order_last_way
#define cm_policy_fill cm_order_fill
#define cm_policy_is_settled cm_order_is_first
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#define cm_policy_look_up_grid lru_look_up_grid
#include "memory/cache_access.h"
#include "memory/replacement/lru_avx2.h"

/* ---- long sequences -------------------------------------------------------- */

/** Reads whose misses are collected before they go to the next level. */
#define LONG_SEQUENCE CM_MAX_QUEUED_READS
/** Reads that are looked up one by one to see how many miss. With few misses, or more ways, an early exit
 * and lines that are not moved save more than mispredictions cost. */
#define SAMPLE 256
#define MAX_WAYS 16

/* Looks up a block as a hit and a miss at once, without branches; the miss counts if it is one. */
static inline __attribute__((always_inline)) unsigned
look_up_either_way(struct cm_cache *cache, uint64_t block, enum cm_stream stream, unsigned ways,
                   struct cm_miss *miss)
{
   cm_line *lines = cache->lines + cm_cache_set(cache, block) * ways;
   unsigned found = ways;
   for (unsigned way = 0; way < ways; way++)
      found = lines[way] >> 8 == block ? way : found;
   const bool misses = found == ways;
   const unsigned way = found - misses;
   *miss = (struct cm_miss){block, lines[way]};
   const cm_line missed = -(cm_line)misses;
   cm_order_insert(lines, ways, way, (cm_line_make(block, stream, false) & missed) | (lines[way] & ~missed));
   return misses;
}

static inline __attribute__((always_inline)) unsigned
look_up_each(struct cm_cache *cache, const uint64_t *blocks, unsigned num_blocks, enum cm_stream stream,
             unsigned ways, struct cm_miss *misses)
{
   unsigned count = 0;
   for (unsigned i = 0; i < num_blocks; i++)
      count += look_up_either_way(cache, blocks[i], stream, ways, &misses[count]);
   return count;
}

/* Looks up 1 … LONG_SEQUENCE blocks; returns how many missed. Only they reach the next level, which therefore
 * sees the same accesses in the same order when it sees those of many reads at once. Without the misses
 * between them, reads follow each other closely: mispredicted misses take most of the time. */
static inline __attribute__((always_inline)) unsigned
look_up_many(struct cm_cache *cache, const uint64_t *blocks, unsigned num_blocks, enum cm_stream stream)
{
   struct cm_miss misses[LONG_SEQUENCE];
   unsigned count;
   if (cache->ways == 4 && cm_lru_has_avx2())
      count = cm_lru_look_up_4_ways(cache, blocks, num_blocks, stream, misses);
   else if (cache->ways == 4)
      count = look_up_each(cache, blocks, num_blocks, stream, 4, misses);
   else if (cache->ways == 8)
      count = look_up_each(cache, blocks, num_blocks, stream, 8, misses);
   else
      count = look_up_each(cache, blocks, num_blocks, stream, cache->ways, misses);
   cm_cache_count(cache, stream, CM_CACHE_EVENT_MISSES, count);
   cm_cache_replace_many(cache, misses, count, stream);
   const uint64_t last = blocks[num_blocks - 1];
   cache->folded_block = last;
   cache->folded_line = cache->lines + cm_cache_set(cache, last) * cache->ways;
   return count;
}

static unsigned
read_many(struct cm_cache *cache, const uint64_t *blocks, enum cm_stream stream)
{
   cache->accesses[stream][0] += LONG_SEQUENCE;
   return look_up_many(cache, blocks, LONG_SEQUENCE, stream);
}

static unsigned
read_one_by_one(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   const uint64_t before = cache->counts[stream][CM_CACHE_EVENT_MISSES];
   cm_policy_read_sequence(cache, blocks, count, stream);
   return (unsigned)(cache->counts[stream][CM_CACHE_EVENT_MISSES] - before);
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   cm_cache_finish_reads(cache);
   if (count < SAMPLE) {
      cm_policy_read_sequence(cache, blocks, count, stream);
      return;
   }
   bool many = false;
   while (count) {
      const unsigned most = many ? LONG_SEQUENCE : SAMPLE, part = count < most ? count : most;
      const unsigned misses = many && part == LONG_SEQUENCE ? read_many(cache, blocks, stream)
                                                            : read_one_by_one(cache, blocks, part, stream);
      many = misses > part / 5 && cache->ways <= MAX_WAYS;
      blocks += part;
      count -= part;
   }
}

/* ---- grids --------------------------------------------------------------- */

static __attribute__((noinline)) bool
lru_look_up_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   uint64_t blocks[CM_GRID_READS];
   const unsigned count = cm_policy_grid_reads(cache, grid, blocks);
   if (!count)
      return false;
   const uint64_t misses = cache->counts[stream][CM_CACHE_EVENT_MISSES];
   if (cache->grid_misses >= CM_MANY_GRID_MISSES && cache->ways <= MAX_WAYS) {
      look_up_many(cache, blocks, count, stream);
   } else {
      for (unsigned i = 0; i < count; i++)
         cm_policy_look_up(cache, blocks[i], stream, CM_READ, false);
   }
   if (cache->counts[stream][CM_CACHE_EVENT_MISSES] == misses)
      cm_cache_expect_hits(cache);
   else
      cm_cache_expect_misses(cache, 1);
   return true;
}

static void
finish_reads(struct cm_cache *cache)
{
   const unsigned count = cache->num_queued;
   cache->num_queued = 0;
   const unsigned misses = look_up_many(cache, cache->queued, count, cache->queued_stream);
   /* Once reads are queued, it takes several batches of hits to return. */
   cm_cache_expect_misses(cache, misses >= count / 6 ? 4 * CM_MANY_GRID_MISSES : -CM_MANY_GRID_MISSES);
}

/* The number of reads is as hard to predict as their misses: those of several grids are looked up together. */
static bool
queue_grid(struct cm_cache *cache, const struct cm_read_grid *grid, enum cm_stream stream)
{
   const unsigned count = cm_policy_grid_reads(cache, grid, cache->queued + cache->num_queued);
   cache->queued_stream = stream;
   cache->num_queued += count;
   cache->accesses[stream][0] += count ? grid->accesses : 0;
   if (cache->num_queued > CM_MAX_QUEUED_READS - CM_GRID_READS)
      finish_reads(cache);
   return count != 0;
}

const struct cm_replacement cm_replacement_lru = {
   CM_POLICY_OTHER_FUNCTIONS,    .read_sequence = read_sequence, .queue_grid = queue_grid,
   .finish_reads = finish_reads, .remove = cm_order_remove,
};
