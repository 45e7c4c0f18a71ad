/* SPDX-License-Identifier: MIT */
#include "gpu/immediate/immediate_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FEW_QUADS 24
#define DIGIT_BITS 8 /* of a position in its area */
#define DIGITS (1u << DIGIT_BITS)

bool
cm_quad_order_begin(struct cm_quad_order *order, const struct cm_pass *pass)
{
   const size_t count = (size_t)pass->num_primitives + 1;
   order->num_words = order->num_quads = 0;
   if (!cm_array_reserve(&order->begin, count, sizeof(size_t)))
      return false;
   memset(order->begin.data, 0, count * sizeof(size_t));
   return true;
}

void
cm_quad_order_finish(struct cm_quad_order *order)
{
   CM_FREE_ARRAYS(&order->words, &order->unsorted, &order->primitives, &order->sorted, &order->begin);
}

/* ---- collecting -------------------------------------------------------- */

static uint64_t
position_of(uint32_t x, uint32_t y)
{
   const uint64_t area = (uint64_t)(y >> 4 & 0x7ff) << 11 | (x >> 4 & 0x7ff);
   const uint32_t region = (y >> 2 & 3) << 2 | (x >> 2 & 3);
   const uint32_t block = (y >> 1 & 1) << 1 | (x >> 1 & 1);
   return area << 8 | region << 4 | block << 2 | (y & 1) << 1 | (x & 1);
}

/* Adds the quads of an event whose tile begins with quad (x, y). */
static bool
add_quads(struct cm_quad_order *order, const struct cm_pass *pass, const uint32_t *event, uint32_t x,
          uint32_t y)
{
   const struct cm_quad *quads = (const struct cm_quad *)(event + 2);
   const uint32_t count = cm_event_count(*event) < 4 ? cm_event_count(*event) : 4;
   if (!cm_array_extend(&order->unsorted, order->num_quads + count, sizeof(cm_ordered_quad)) ||
       !cm_array_extend(&order->primitives, order->num_quads + count, sizeof(uint32_t)))
      return false;
   const uint64_t word = (uint64_t)(event - (const uint32_t *)order->words.data);
   size_t *begin = order->begin.data;
   for (uint32_t q = 0; q < count; q++) {
      /* A stream that comes from a file was checked for this. */
      if (quads[q].primitive >= pass->num_primitives)
         continue;
      ((cm_ordered_quad *)order->unsorted.data)[order->num_quads] =
         position_of(x + quads[q].x, y + quads[q].y) << CM_POSITION_SHIFT | word << 2 | q;
      ((uint32_t *)order->primitives.data)[order->num_quads++] = quads[q].primitive;
      begin[quads[q].primitive]++;
   }
   return true;
}

bool
cm_quad_order_add(struct cm_quad_order *order, const struct cm_pass *pass, uint32_t tile)
{
   assert(tile < pass->tiles_x * pass->tiles_y);
   const struct cm_tile_events *events = &pass->tiles[tile];
   const uint32_t quads_a_tile = pass->tile_size / 2;
   const uint32_t x = tile % pass->tiles_x * quads_a_tile;
   const uint32_t y = tile / pass->tiles_x % pass->layer_tiles_y * quads_a_tile;
   if (!events->num_words)
      return true;
   const size_t first = order->num_words, end = first + events->num_words;
   if (end >= UINT32_MAX || !cm_array_extend(&order->words, end + 1, sizeof(uint32_t)))
      return false;
   uint32_t *words = order->words.data;
   memcpy(words + first, events->words, events->num_words * sizeof *words);
   words[end] = CM_EVENT_FLUSH;
   order->num_words = end + 1;
   for (const uint32_t *event = words + first; event < words + end; event = cm_event_next(event)) {
      const enum cm_event_type type = cm_event_type(*event);
      const bool has_quads =
         type == CM_EVENT_UNSHADED || (type == CM_EVENT_SHADE && !cm_event_continues(*event));
      if (has_quads && !add_quads(order, pass, event, x, y))
         return false;
   }
   return true;
}

bool
cm_quad_order_end(struct cm_quad_order *order, const struct cm_pass *pass)
{
   const cm_ordered_quad *unsorted = order->unsorted.data;
   const uint32_t *primitives = order->primitives.data;
   size_t *begin = order->begin.data, sum = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      sum += begin[p];
      begin[p] = sum;
   }
   begin[pass->num_primitives] = sum;
   assert(sum == order->num_quads);
   if (!cm_array_reserve(&order->sorted, sum, sizeof(cm_ordered_quad)))
      return false;
   /* Filled from the last to the first, begin[p] comes down to the beginning of the primitive's part. */
   cm_ordered_quad *sorted = order->sorted.data;
   for (size_t q = order->num_quads; q-- > 0;)
      sorted[--begin[primitives[q]]] = unsorted[q];
   return true;
}

/* ---- sorting ----------------------------------------------------------- */

static void
sort_few(cm_ordered_quad *quads, size_t count)
{
   assert(count <= FEW_QUADS);
   for (size_t i = 1; i < count; i++) {
      const cm_ordered_quad quad = quads[i];
      size_t hole = i;
      for (; hole > 0 && quads[hole - 1] > quad; hole--)
         quads[hole] = quads[hole - 1];
      quads[hole] = quad;
   }
}

/* Sorts by one digit of the position; quads that have the same keep their order. */
static void
sort_by_digit(const cm_ordered_quad *from, cm_ordered_quad *to, size_t count, unsigned shift)
{
   size_t offsets[DIGITS] = {0}, sum = 0;
   for (size_t i = 0; i < count; i++)
      offsets[from[i] >> shift & (DIGITS - 1)]++;
   for (unsigned digit = 0; digit < DIGITS; digit++) {
      const size_t length = offsets[digit];
      offsets[digit] = sum;
      sum += length;
   }
   for (size_t i = 0; i < count; i++)
      to[offsets[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

/* A radix sort by position; digits that all have in common are skipped. Quads of the same position, if a
 * stream has any, are sorted by index or keep their order. */
static void
sort_many(cm_ordered_quad *quads, cm_ordered_quad *scratch, size_t count)
{
   uint64_t varying = 0;
   bool is_sorted = true;
   for (size_t i = 1; i < count; i++) {
      varying |= quads[i] ^ quads[0];
      is_sorted &= quads[i - 1] <= quads[i];
   }
   cm_ordered_quad *from = quads, *to = scratch;
   for (unsigned shift = CM_POSITION_SHIFT; !is_sorted && shift < 64; shift += DIGIT_BITS) {
      if (!(varying >> shift & (DIGITS - 1)))
         continue;
      sort_by_digit(from, to, count, shift);
      cm_ordered_quad *swapped = from;
      from = to;
      to = swapped;
   }
   if (from != quads)
      memcpy(quads, from, count * sizeof *quads);
}

bool
cm_quad_order_sort(const struct cm_quad_order *order, uint32_t primitive, struct cm_array *scratch)
{
   const size_t count = cm_quad_order_count(order, primitive);
   cm_ordered_quad *quads = cm_quad_order_quads(order, primitive);
   if (count <= FEW_QUADS) {
      sort_few(quads, count);
      return true;
   }
   if (!cm_array_reserve(scratch, count, sizeof *quads))
      return false;
   sort_many(quads, scratch->data, count);
   return true;
}
