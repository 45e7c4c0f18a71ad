/* SPDX-License-Identifier: MIT */
/** For policies with each block's next use, which differ only in the victim. State: the
 * next use of the block in each way. */
#ifndef CM_REPLACEMENT_FUTURE_H
#define CM_REPLACEMENT_FUTURE_H

#include <assert.h>

#include "memory/next_use.h"
#include "memory/replacement/ways.h"

static inline uint32_t *
future_of_set(struct cm_cache *cache, uint64_t set, unsigned ways)
{
   return (uint32_t *)cache->state + set * ways;
}

#define FUTURE_WAY_BYTES sizeof(uint32_t)

/** The way whose next use is farthest; of blocks that are never used again, the lowest way. */
static inline __attribute__((always_inline)) unsigned
future_farthest_way(const uint32_t *next, unsigned ways)
{
   unsigned farthest = 0;
   uint32_t position = next[0];
   for (unsigned way = 1; way < ways; way++) {
      farthest = next[way] > position ? way : farthest;
      position = next[way] > position ? next[way] : position;
   }
   return farthest;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   assert(way < ways && cache->future);
   future_of_set(cache, set, ways)[way] = cm_next_use_take(cache->future);
   return lines + way;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   assert(way < ways && cache->future);
   future_of_set(cache, set, ways)[way] = cm_next_use_take(cache->future);
   return lines + way;
}

/* Each access takes its next use. */
#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT false

#endif
