/* SPDX-License-Identifier: MIT */
/* Least recently used. The lines of a set are in the order of their last use,
 * so the first line is the likeliest hit and the last one the victim; empty lines
 * gather at the end by themselves. */
#include "memory/replacement/order.h"
#include "util/minmax.h"

#define cm_policy_hit cm_order_hit
#define cm_policy_victim cm_order_last_way
#define cm_policy_fill cm_order_fill
#define cm_policy_is_settled cm_order_is_first
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"
#include "memory/replacement/lru_avx2.h"

/* ---- long sequences -------------------------------------------------------- */

/** Reads whose misses are collected before they go to the next level. */
#define LONG_SEQUENCE 64
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

/* ---- batches --------------------------------------------------------------- */

/** Accesses of a batch that are looked up before what they miss goes to the next level. */
#define BATCH 64

/* An access that missed goes to the next level. */
static inline __attribute__((always_inline)) void
replace_missed(struct cm_cache *cache, const struct cm_lru_miss *missed, enum cm_stream stream,
               enum cm_access access)
{
   cm_cache_count(cache, stream, CM_CACHE_EVENT_MISSES, 1);
   if (missed->miss.victim != CM_LINE_EMPTY)
      cm_cache_evict(cache, missed->miss.victim);
   if (access == CM_READ || (access == CM_WRITE && (cache->fetched >> stream & 1)))
      cm_cache_fetch(cache, missed->miss.block, stream);
}

/* A next level sees the same accesses in the same order. Until the end of the batch a dirty victim is in neither: that is
 * only seen by who observes removals. */
static uint32_t
lru_take(struct cm_cache *cache, const cm_entry *entries, uint32_t count)
{
   if (cache->ways != 8 || cache->removed || !cm_lru_has_avx2())
      return cm_policy_take(cache, entries, count);
   struct cm_lru_miss misses[BATCH];
   uint32_t taken = 0, part = 0, wanted = 0;
   while (taken < count && part == wanted) {
      uint32_t num_misses;
      if (taken && cm_entry_access_to(entries[taken], entries[0]) > CM_ENTRY_LAST_ACCESS)
         break;
      wanted = cm_min(count - taken, BATCH);
      part = cm_lru_take_8_ways(cache, entries + taken, wanted, misses, &num_misses);
      for (uint32_t m = 0; m < num_misses; m++)
         replace_missed(cache, &misses[m], cm_entry_stream(misses[m].entry),
                        (enum cm_access)cm_entry_kind(misses[m].entry));
      taken += part;
   }
   cache->folded_block = CM_NO_BLOCK;
   return taken;
}

static uint32_t
lru_take_reads(struct cm_cache *caches, const cm_entry *entries, uint32_t count)
{
   if (caches->ways != 4 || caches->removed || !cm_lru_has_avx2())
      return 0;
   struct cm_lru_miss misses[BATCH];
   uint32_t taken = 0, part = 0, wanted = 0;
   while (taken < count && part == wanted) {
      uint32_t num_misses;
      wanted = cm_min(count - taken, BATCH);
      part = cm_lru_take_reads_of_4_ways(caches, entries + taken, wanted, misses, &num_misses);
      const enum cm_stream stream = cm_entry_stream(entries[taken]);
      for (uint32_t m = 0; m < num_misses; m++)
         replace_missed(&caches[cm_entry_instance(misses[m].entry)], &misses[m], stream, CM_READ);
      taken += part;
   }
   return taken;
}

const struct cm_replacement cm_replacement_lru = {
   CM_POLICY_OTHER_FUNCTIONS(lru_take), .take_reads = lru_take_reads, .first_is_settled = true,
   .read_sequence = read_sequence,      .remove = cm_order_remove,
};
