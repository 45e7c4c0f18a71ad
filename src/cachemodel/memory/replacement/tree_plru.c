/* SPDX-License-Identifier: MIT */
/* Tree pseudo-LRU. The ways of a set, a power of two, are the leaves of a binary tree.
 * An inner node points to the half that was used longer ago; a use turns the nodes on
 * the way's path away from it. State: node n's direction (0: the lower half) in byte n,
 * the root being 1 and the children of n 2n and 2n + 1; byte 0 is not used. */
#include "memory/replacement/ways.h"

#include <assert.h>

static inline __attribute__((always_inline)) void
turn_away(struct cm_cache *cache, uint64_t set, unsigned ways, unsigned way)
{
   assert(way < ways && !(ways & (ways - 1)));
   uint8_t *nodes = cache->state + set * ways;
   for (unsigned node = ways + way; node > 1; node /= 2)
      nodes[node / 2] = !(node & 1);
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
              enum cm_stream stream)
{
   turn_away(cache, set, ways, way);
   return lines + way;
}

static inline __attribute__((always_inline)) unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   const unsigned empty = cm_find_empty_way(lines, ways);
   if (empty < ways)
      return empty;
   const uint8_t *nodes = cache->state + set * ways;
   unsigned node = 1;
   while (node < ways)
      node = 2 * node + nodes[node];
   return node - ways;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   turn_away(cache, set, ways, way);
   return lines + way;
}

static inline __attribute__((always_inline)) bool
is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   const unsigned way = cm_find_way(lines, cache->ways, block);
   if (way == cache->ways)
      return false;
   const uint8_t *nodes = cache->state + set * cache->ways;
   for (unsigned node = cache->ways + way; node > 1; node /= 2) {
      if (nodes[node / 2] == (node & 1))
         return false;
   }
   return true;
}

#define cm_policy_is_settled is_settled
#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_tree_plru = {
   CM_POLICY_FUNCTIONS,
   .remove = cm_ways_remove,
   .way_bytes = 1,
};
