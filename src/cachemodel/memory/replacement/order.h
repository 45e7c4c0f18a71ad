/* SPDX-License-Identifier: MIT */
/** For policies whose sets are lists: the lines of a set are in the policy's order,
 * empty ones at the end. */
#ifndef CM_REPLACEMENT_ORDER_H
#define CM_REPLACEMENT_ORDER_H

#include <assert.h>
#include <string.h>

#include "memory/cache_internal.h"

/** Lines move in pairs. A comparison has two equal halves for each. */
typedef uint64_t cm_line_pair __attribute__((vector_size(16)));
typedef int32_t cm_line_halves __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) cm_line_pair
cm_line_pair_load(const cm_line *lines)
{
   cm_line_pair pair;
   memcpy(&pair, lines, sizeof pair);
   return pair;
}

/** Moves the lines before lines[way] one further, and makes `line` the first. In small sets all
 * lines are written, with masks: compilers make mispredicted branches of conditions. */
static inline __attribute__((always_inline)) void
cm_order_insert(cm_line *lines, unsigned ways, unsigned way, cm_line line)
{
   assert(way < ways);
   if (ways > CM_FEW_WAYS) {
      memmove(lines + 1, lines, way * sizeof *lines);
      lines[0] = line;
      return;
   }
   const int last = (int)way;
   unsigned i = ways;
   for (; i > 3; i -= 2) {
      const int first = (int)i - 2;
      const cm_line_pair here = cm_line_pair_load(lines + i - 2), before = cm_line_pair_load(lines + i - 3);
      const cm_line_halves moves =
         (cm_line_halves){first, first, first + 1, first + 1} <= (cm_line_halves){last, last, last, last};
      const cm_line_pair moved = here ^ ((here ^ before) & (cm_line_pair)moves);
      memcpy(lines + i - 2, &moved, sizeof moved);
   }
   for (i--; i > 0; i--)
      lines[i] ^= (lines[i] ^ lines[i - 1]) & -(cm_line)(i <= way);
   lines[0] = line;
}

static inline __attribute__((always_inline)) cm_line *
cm_order_move_to_front(cm_line *lines, unsigned ways, unsigned way)
{
   cm_order_insert(lines, ways, way, lines[way]);
   return lines;
}

/** A hit of policies whose first line is the last one used. */
static inline __attribute__((always_inline)) cm_line *
cm_order_hit(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way,
             enum cm_stream stream)
{
   return way ? cm_order_move_to_front(lines, ways, way) : lines;
}

/** Whether a hit of theirs moves no line. */
static inline __attribute__((always_inline)) bool
cm_order_is_first(const struct cm_cache *cache, uint64_t set, const cm_line *lines, uint64_t block)
{
   return lines[0] >> 8 == block;
}

/** The victim of policies whose last line is evicted first. */
static inline __attribute__((always_inline)) unsigned
cm_order_last_way(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways)
{
   return ways - 1;
}

/** A fill that makes the line the first. */
static inline __attribute__((always_inline)) cm_line *
cm_order_fill(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned ways, unsigned way)
{
   return cm_order_move_to_front(lines, ways, way);
}

static void
cm_order_remove(struct cm_cache *cache, uint64_t set, cm_line *lines, unsigned way)
{
   assert(way < cache->ways);
   for (unsigned i = way; i + 1 < cache->ways; i++)
      lines[i] = lines[i + 1];
   lines[cache->ways - 1] = CM_LINE_EMPTY;
}

#endif
