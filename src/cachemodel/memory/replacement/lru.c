/* SPDX-License-Identifier: MIT */
/* Least recently used. The lines of a set stand in the order of their last use,
 * so the first line is the likeliest hit and the last one the victim; empty lines
 * gather at the end by themselves. */
#include "memory/cache.h"

static inline cm_line *
move_to_front(cm_line *lines, unsigned way)
{
   const cm_line line = lines[way];
   for (unsigned i = way; i > 0; i--)
      lines[i] = lines[i - 1];
   lines[0] = line;
   return lines;
}

static inline cm_line *
cm_policy_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   (void)cache;
   (void)set;
   return move_to_front(lines, way);
}

static inline unsigned
cm_policy_victim(struct cm_cache *cache, uint64_t set, cm_line *lines)
{
   (void)set;
   (void)lines;
   return cache->ways - 1;
}

static inline cm_line *
cm_policy_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   (void)cache;
   (void)set;
   return move_to_front(lines, way);
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
   .remove = remove_line,
};
