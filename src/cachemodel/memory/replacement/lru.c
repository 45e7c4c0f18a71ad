/* SPDX-License-Identifier: MIT */
/* Least recently used. The lines of a set stand in the order of their last use,
 * so the first line is the likeliest hit and the last one the victim; empty lines
 * gather at the end by themselves. */
#include "memory/cache.h"

/* Moves every line, whichever it is, so that nothing depends on a guess. */
static inline __attribute__((always_inline)) cm_line *
move_to_front(cm_line *lines, unsigned ways, unsigned way)
{
   const cm_line line = lines[way];
   for (unsigned i = ways - 1; i > 0; i--)
      lines[i] = i <= way ? lines[i - 1] : lines[i];
   lines[0] = line;
   return lines;
}

static inline __attribute__((always_inline)) cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   (void)cache;
   (void)set;
   return way ? move_to_front(lines, ways, way) : lines;
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
   return move_to_front(lines, ways, way);
}

static inline __attribute__((always_inline)) bool
cm_policy_is_settled(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   (void)cache;
   (void)set;
   return lines[0] >> 8 == block;
}

static void
remove_line(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   (void)set;
   for (unsigned i = way; i + 1 < cache->ways; i++)
      lines[i] = lines[i + 1];
   lines[cache->ways - 1] = CM_LINE_EMPTY;
}

#define CM_POLICY_FOLDS_FILL true
#define CM_POLICY_FOLDS_HIT true
#include "memory/cache_access.h"

const struct cm_replacement cm_replacement_lru = {
   .access = cm_policy_access,
   .read_sequence = cm_policy_read_sequence,
   .read_grid = cm_policy_read_grid,
   .remove = remove_line,
};
