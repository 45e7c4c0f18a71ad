/* SPDX-License-Identifier: MIT */
/** TCOR's replacement in the L2 (III-D2): first a block of the Parameter Buffer that is dead; if there is none, and
 * TCOR_LIVE_LEAVE_LAST, a block of other data; then any. The least recently used of each kind. A dead block is
 * not written back. The lines of a set are in the order of their last use. State: for each line the time of its death
 * (memory/liveness.h); the line's stream is the 2-bit tag of the section (III-D1). A policy's file defines
 * TCOR_LIVE_LEAVE_LAST and includes this one. */
#include <assert.h>

#include "memory/liveness.h"
#include "memory/replacement/order.h"

static inline uint64_t *
tcor_deaths(const struct cm_cache *cache, uint64_t set, unsigned ways)
{
   return (uint64_t *)cache->state + set * ways;
}

static inline bool
tcor_is_parameter_buffer(cm_line line)
{
   const enum cm_stream stream = cm_line_stream(line);
   return stream == CM_STREAM_PB_LIST || stream == CM_STREAM_PB_ATTRIBUTE;
}

/* A render pass reuses the addresses of the pass before: the line may hold another block now, which
 * dies at another time. */
static inline uint64_t
tcor_death(const struct cm_cache *cache, cm_line line)
{
   if (!tcor_is_parameter_buffer(line))
      return 0;
   return cm_liveness_death(cache->liveness, (line >> 8) << cache->block_shift, 1u << cache->block_shift,
                            cm_line_stream(line));
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   assert(way < ways);
   uint64_t *deaths = tcor_deaths(cache, set, ways);
   const uint64_t death = tcor_death(cache, lines[way]);
   for (unsigned i = way; i > 0; i--)
      deaths[i] = deaths[i - 1];
   deaths[0] = death;
   return way ? cm_order_move_to_front(lines, ways, way) : lines;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   return cm_policy_fill(cache, set, lines, ways, way);
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   if (lines[ways - 1] == CM_LINE_EMPTY)
      return ways - 1;
   const uint64_t *deaths = tcor_deaths(cache, set, ways);
   const uint64_t tiles_done = cache->liveness->tiles_done;
   unsigned other = ways;
   for (unsigned way = ways; way-- > 0;) {
      if (!tcor_is_parameter_buffer(lines[way])) {
         other = TCOR_LIVE_LEAVE_LAST && other == ways ? way : other;
      } else if (deaths[way] <= tiles_done) {
         cm_cache_discard_dead(cache, &lines[way]);
         return way;
      }
   }
   return other < ways ? other : ways - 1;
}

static void
tcor_remove(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   assert(way < cache->ways);
   uint64_t *deaths = tcor_deaths(cache, set, cache->ways);
   for (unsigned i = way; i + 1 < cache->ways; i++)
      deaths[i] = deaths[i + 1];
   cm_order_remove(cache, set, lines, way);
}

#define cm_policy_is_settled cm_order_is_first
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

#define TCOR_FUNCTIONS CM_POLICY_FUNCTIONS, .remove = tcor_remove, .way_bytes = sizeof(uint64_t)
