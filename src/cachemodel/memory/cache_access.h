/* SPDX-License-Identifier: MIT */
/**
 * The access functions of a cache, compiled once for each replacement policy. A
 * policy's file defines the three functions below and includes this file:
 *
 *    cm_line *cm_policy_hit(struct cm_cache *, uint64_t set, cm_line *lines, unsigned way)
 *       a hit on lines[way]; returns where the line is now.
 *    unsigned cm_policy_victim(struct cm_cache *, uint64_t set, cm_line *lines)
 *       the way to fill: an empty one if there is one.
 *    cm_line *cm_policy_fill(struct cm_cache *, uint64_t set, cm_line *lines, unsigned way)
 *       lines[way] was filled; returns where the line is now.
 *
 * and CM_POLICY_FOLDS_FILL, CM_POLICY_FOLDS_HIT: whether a hit right after a fill,
 * or after a hit, of the same block changes nothing. What the file gets are
 * cm_policy_access and cm_policy_read_sequence for its struct cm_replacement.
 */
#include "memory/cache_internal.h"

static inline __attribute__((always_inline)) void
cm_policy_look_up(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   const uint64_t set = cm_cache_set(cache, block);
   const unsigned ways = cache->ways;
   cm_line *lines = cache->lines + set * ways;

   for (unsigned way = 0; way < ways; way++) {
      if (lines[way] >> 8 == block) {
         cm_line *line = cm_policy_hit(cache, set, lines, way);
         if (access != CM_READ)
            *line = cm_line_make(block, stream, true);
         cache->folded_block = CM_POLICY_FOLDS_HIT ? block : CM_NO_BLOCK;
         cache->folded_line = line;
         return;
      }
   }

   cache->counts[stream][CM_CACHE_EVENT_MISSES]++;
   const unsigned way = cm_policy_victim(cache, set, lines);
   const cm_line victim = lines[way];
   if (victim != CM_LINE_EMPTY)
      cm_cache_evict(cache, victim);
   if (access == CM_READ || (access == CM_WRITE && cache->fetch_on_write))
      cm_cache_fetch(cache, block, stream);
   lines[way] = cm_line_make(block, stream, access != CM_READ);
   cm_line *line = cm_policy_fill(cache, set, lines, way);
   cache->folded_block = CM_POLICY_FOLDS_FILL ? block : CM_NO_BLOCK;
   cache->folded_line = line;
}

static void
cm_policy_access(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   cm_policy_look_up(cache, block, stream, access);
}

static void
cm_policy_read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count,
                        enum cm_stream stream)
{
   cache->accesses[stream][0] += count;
   for (unsigned i = 0; i < count; i++) {
      if (blocks[i] != cache->folded_block)
         cm_policy_look_up(cache, blocks[i], stream, CM_READ);
   }
}
