/* SPDX-License-Identifier: MIT */
/* Least recently used. The lines of a set stand in the order of their last use,
 * so the first line is the likeliest hit and the last one the victim; empty lines
 * gather at the end by themselves. */
#include "memory/replacement/order.h"

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   (void)cache;
   (void)set;
   (void)stream;
   return way ? cm_order_move_to_front(lines, ways, way) : lines;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   (void)cache;
   (void)set;
   (void)lines;
   return ways - 1;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   (void)cache;
   (void)set;
   return cm_order_move_to_front(lines, ways, way);
}

static inline __attribute__((always_inline)) bool
cm_policy_is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   (void)cache;
   (void)set;
   return lines[0] >> 8 == block;
}

#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

/* ---- long sequences -------------------------------------------------------- */

/** Reads of which what goes on to the next level is collected; fewer are read one by one. So are
 * those after as many of which nearly none missed, and those of sets with more ways: a search that
 * ends early, a line that stays where it is, are worth more than a wrong guess now and then. */
#define LONG_SEQUENCE 64
#define FEW_MISSES 12
#define MAX_WAYS 16

struct miss {
   uint64_t block;
   cm_line victim;
};

/* Looks up a block as a hit and a miss at once, for nothing to depend on a guess; the miss counts
 * if it is one. */
static inline __attribute__((always_inline)) unsigned
look_up_either_way(struct cm_cache *cache, uint64_t block, enum cm_stream stream, unsigned ways,
                   struct miss *miss)
{
   cm_line *lines = cache->lines + cm_cache_set(cache, block) * ways;
   unsigned found = ways;
   for (unsigned way = 0; way < ways; way++)
      found = lines[way] >> 8 == block ? way : found;
   const bool misses = found == ways;
   const unsigned way = found - misses;
   *miss = (struct miss){block, lines[way]};
   const cm_line missed = -(cm_line)misses;
   cm_order_insert(lines, ways, way, (cm_line_make(block, stream, false) & missed) | (lines[way] & ~missed));
   return misses;
}

static inline __attribute__((always_inline)) unsigned
look_up_many(struct cm_cache *cache, const uint64_t *blocks, enum cm_stream stream, unsigned ways,
             struct miss *misses)
{
   unsigned count = 0;
   for (unsigned i = 0; i < LONG_SEQUENCE; i++)
      count += look_up_either_way(cache, blocks[i], stream, ways, &misses[count]);
   return count;
}

/* Returns the misses. Only they reach the next level, which therefore sees the same accesses in the
 * same order when it sees those of many reads at once. Without the misses between them, reads
 * follow each other closely: what takes the time is guessing wrong which ones miss. */
static unsigned
read_many(struct cm_cache *cache, const uint64_t *blocks, enum cm_stream stream)
{
   struct miss misses[LONG_SEQUENCE];
   const unsigned count = cache->ways == 8   ? look_up_many(cache, blocks, stream, 8, misses)
                          : cache->ways == 4 ? look_up_many(cache, blocks, stream, 4, misses)
                                             : look_up_many(cache, blocks, stream, cache->ways, misses);
   cache->accesses[stream][0] += LONG_SEQUENCE;
   cache->counts[stream][CM_CACHE_EVENT_MISSES] += count;
   for (unsigned i = 0; i < count; i++) {
      if (misses[i].victim != CM_LINE_EMPTY)
         cm_cache_evict(cache, misses[i].victim);
      cm_cache_fetch(cache, misses[i].block, stream);
   }
   const uint64_t last = blocks[LONG_SEQUENCE - 1];
   cache->folded_block = last;
   cache->folded_line = cache->lines + cm_cache_set(cache, last) * cache->ways;
   return count;
}

static unsigned
read_one_by_one(struct cm_cache *cache, const uint64_t *blocks, enum cm_stream stream)
{
   const uint64_t before = cache->counts[stream][CM_CACHE_EVENT_MISSES];
   cm_policy_read_sequence(cache, blocks, LONG_SEQUENCE, stream);
   return (unsigned)(cache->counts[stream][CM_CACHE_EVENT_MISSES] - before);
}

static void
read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   unsigned misses = 0;
   for (; count >= LONG_SEQUENCE; blocks += LONG_SEQUENCE, count -= LONG_SEQUENCE)
      misses = misses > FEW_MISSES && cache->ways <= MAX_WAYS ? read_many(cache, blocks, stream)
                                                              : read_one_by_one(cache, blocks, stream);
   cm_policy_read_sequence(cache, blocks, count, stream);
}

const struct cm_replacement cm_replacement_lru = {
   .access = cm_policy_access,
   .read_sequence = read_sequence,
   .read_grid = cm_policy_read_grid,
   .remove = cm_order_remove,
};
