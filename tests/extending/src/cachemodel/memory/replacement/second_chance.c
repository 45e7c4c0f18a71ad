/* SPDX-License-Identifier: MIT */
/* Second chance: a hand goes round the ways of a set and takes the first block that has not been hit since it
 * last came by; the others lose their mark. State of a set: a mark for each way, and the hand. */
#include "memory/replacement/ways.h"

static inline uint16_t *
marks_of_set(const struct cm_cache *cache, uint64_t set, unsigned ways)
{
   return (uint16_t *)(void *)cache->state + set * (ways + 1);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   marks_of_set(cache, set, ways)[way] = 1;
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   uint16_t *marks = marks_of_set(cache, set, ways), *hand = marks + ways;
   const unsigned empty = cm_find_empty_way(lines, ways);
   if (empty < ways)
      return empty;
   while (marks[*hand]) {
      marks[*hand] = 0;
      *hand = (uint16_t)((*hand + 1) % ways);
   }
   const unsigned victim = *hand;
   *hand = (uint16_t)((victim + 1) % ways);
   return victim;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   marks_of_set(cache, set, ways)[way] = 0;
   return lines + way;
}

/* The first hit of a block marks it, those right after a hit change nothing. */
#define CM_POLICY_FOLDS_FILL false
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_second_chance = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_ways_remove,
   .way_bytes = sizeof(uint16_t),
   .set_bytes = sizeof(uint16_t),
};
