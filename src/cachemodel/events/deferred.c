/* SPDX-License-Identifier: MIT */
#include "events/deferred.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* A quad that is visible: its group's first event, and its number there. */
struct cm_deferred_quad {
   const uint32_t *group;
   uint32_t number;
   uint32_t words; /* of the group, if that is a single shade event and its accesses; else 0 */
};

/* The visible quads of a primitive in a block. */
struct cm_deferred_block {
   uint32_t key;      /* sort key: row, column, first visible fragment of the 16 */
   uint32_t position; /* row and column */
   uint32_t primitive;
   uint32_t num_quads;
   size_t first_quad;
};

#define LANE_BITS 4
#define COLUMN_BITS 7
#define KEY_BITS (LANE_BITS + 2 * COLUMN_BITS)

#define GROW(deferred, array, count) \
   cm_array_make_room(&(deferred)->array, &(deferred)->array##_capacity, count, 1, sizeof *(deferred)->array)

/* ---- collecting -------------------------------------------------------- */

static bool
add_quad(struct cm_deferred *deferred, struct cm_deferred_quad added, uint32_t visible)
{
   assert(visible && added.number < 4);
   const struct cm_quad *quad = (const struct cm_quad *)(added.group + 2) + added.number;
   const uint32_t position = (uint32_t)(quad->y >> 1) << COLUMN_BITS | quad->x >> 1;
   struct cm_deferred_block *last = deferred->num_blocks ? &deferred->blocks[deferred->num_blocks - 1] : NULL;
   if (!last || last->primitive != quad->primitive || last->position != position) {
      if (!GROW(deferred, blocks, deferred->num_blocks))
         return false;
      const uint32_t lane = (quad->y & 1u) << 3 | (quad->x & 1u) << 2 | (uint32_t)__builtin_ctz(visible);
      assert(position < 1u << 2 * COLUMN_BITS);
      last = &deferred->blocks[deferred->num_blocks++];
      *last = (struct cm_deferred_block){
         .key = position << LANE_BITS | lane,
         .position = position,
         .primitive = quad->primitive,
         .first_quad = deferred->num_quads,
      };
   }
   if (!GROW(deferred, quads, deferred->num_quads))
      return false;
   deferred->quads[deferred->num_quads++] = added;
   last->num_quads++;
   return true;
}

/* Collects the group's visible quads; returns its end, NULL when out of memory. */
static const uint32_t *
add_group(struct cm_deferred *deferred, const uint32_t *group, const uint32_t *end)
{
   assert(cm_event_type(*group) == CM_EVENT_SHADE && *group & CM_SHADE_DEFERRED);
   uint32_t visible[4] = {0};
   const uint32_t num_quads = cm_event_count(*group) < 4 ? cm_event_count(*group) : 4;
   const uint32_t *word = group;
   uint32_t runs = 0;
   do {
      const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
      for (uint32_t q = 0; q < num_quads; q++)
         visible[q] |= quads[q].visible;
      word = cm_group_next_run(word, end);
      runs++;
   } while (word < end && cm_event_continues(*word));
   for (uint32_t q = 0; q < num_quads; q++) {
      const struct cm_deferred_quad quad = {.group = group,
                                            .number = q,
                                            .words = runs == 1 ? (uint32_t)(word - group) : 0};
      if (visible[q] && !add_quad(deferred, quad, visible[q]))
         return NULL;
   }
   return word;
}

/* ---- sorting ----------------------------------------------------------- */

/* A stable radix sort. */
static bool
sort_blocks(struct cm_deferred *deferred)
{
   const size_t count = deferred->num_blocks;
   if (count && !GROW(deferred, sorted, count - 1))
      return false;
   for (unsigned shift = 0; shift < KEY_BITS; shift += 6) {
      size_t starts[64] = {0};
      for (size_t i = 0; i < count; i++)
         starts[deferred->blocks[i].key >> shift & 63]++;
      size_t sum = 0;
      for (unsigned digit = 0; digit < 64; digit++) {
         const size_t length = starts[digit];
         starts[digit] = sum;
         sum += length;
      }
      for (size_t i = 0; i < count; i++)
         deferred->sorted[starts[deferred->blocks[i].key >> shift & 63]++] = deferred->blocks[i];
      struct cm_deferred_block *swapped = deferred->blocks;
      const size_t swapped_capacity = deferred->blocks_capacity;
      deferred->blocks = deferred->sorted;
      deferred->blocks_capacity = deferred->sorted_capacity;
      deferred->sorted = swapped;
      deferred->sorted_capacity = swapped_capacity;
   }
   return true;
}

/* ---- the result -------------------------------------------------------- */

static bool
copy_words(struct cm_tile_events *events, const uint32_t *words, size_t count)
{
   if (!count)
      return true;
   uint32_t *room = cm_tile_events_reserve(events, count);
   if (!room)
      return false;
   memcpy(room, words, count * sizeof *words);
   events->num_words += count;
   return true;
}

/* Copies an instruction's footprints if visible fragments of the first quads of a group read all of them. Returns whether
 * they do. */
static inline bool
copy_footprints(struct cm_footprint *kept, const struct cm_footprint *footprints, uint32_t count,
                uint32_t visible)
{
   unsigned hidden = 0;
   for (uint32_t i = 0; i < count; i++) {
      const unsigned live = footprints[i].live;
      kept[i] = footprints[i];
      hidden |= (live & ~(visible >> 4 * (footprints[i].quad & 3))) | !live;
   }
   return !hidden;
}

/* What of an instruction's footprints, of a texture or an image, the visible fragments of some quads read, `count` from
 * `first` on. visible: four bits each. Returns the end of the words. */
static inline uint32_t *
emit_footprints(uint32_t *room, const uint32_t *event, uint32_t first, uint32_t count, uint32_t visible)
{
   assert(first + count <= 4 && count);
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   const uint32_t num_footprints = cm_event_count(*event);
   struct cm_footprint *kept = (struct cm_footprint *)(room + 1);
   if (first == 0 && copy_footprints(kept, footprints, num_footprints, visible)) {
      room[0] = *event;
      return room + 1 + num_footprints * CM_FOOTPRINT_WORDS;
   }
   uint32_t num_kept = 0;
   for (uint32_t i = 0; i < num_footprints && footprints[i].quad < first + count; i++) {
      const uint32_t quad = footprints[i].quad - first;
      if (footprints[i].quad < first || !(footprints[i].live & visible >> 4 * quad))
         continue;
      kept[num_kept] = footprints[i];
      kept[num_kept].quad = (uint8_t)quad;
      kept[num_kept++].live = (uint8_t)(footprints[i].live & visible >> 4 * quad);
   }
   if (!num_kept)
      return room;
   room[0] = cm_event_with_count(*event, num_kept);
   return room + 1 + num_kept * CM_FOOTPRINT_WORDS;
}

/* The same of what they access of a buffer: an opaque draw may load from one. */
static __attribute__((noinline)) uint32_t *
emit_buffer_accesses(uint32_t *room, const uint32_t *event, uint32_t first, uint32_t count, uint32_t visible)
{
   assert(cm_event_type(*event) == CM_EVENT_BUFFER);
   const struct cm_buffer_access *accesses = (const struct cm_buffer_access *)(event + 1);
   const uint32_t num_accesses = cm_event_count(*event);
   struct cm_buffer_access *kept = (struct cm_buffer_access *)(room + 1);
   uint32_t num_kept = 0;
   for (uint32_t i = 0; i < num_accesses && accesses[i].quad < first + count; i++) {
      const uint32_t quad = accesses[i].quad - first;
      if (accesses[i].quad < first || !(accesses[i].live & visible >> 4 * quad))
         continue;
      kept[num_kept] = accesses[i];
      kept[num_kept].quad = (uint8_t)quad;
      kept[num_kept++].live = (uint8_t)(accesses[i].live & visible >> 4 * quad);
   }
   if (!num_kept)
      return room;
   room[0] = cm_event_with_count(*event, num_kept);
   return room + 1 + num_kept * CM_BUFFER_ACCESS_WORDS;
}

/* How often some quads ran the regions of their shader. */
static uint32_t *
emit_regions(uint32_t *room, const uint32_t *event, uint32_t first, uint32_t count)
{
   const uint32_t quads = cm_regions_quads(*event) >> first & ((1u << count) - 1);
   const uint32_t flags = cm_event_count(*event) & ~CM_REGIONS_QUADS, words = cm_regions_words(*event);
   if (!quads)
      return room;
   room[0] = cm_event_with_count(*event, quads | flags);
   memcpy(room + 1, event + 1, words * sizeof *room);
   return room + 1 + words;
}

/* A run of some quads of a group, `count` from `first` on, which are visible. Returns the end of the words: no more than
 * the run has. */
static uint32_t *
emit_quads_of_run(uint32_t *room, const uint32_t *run, const uint32_t *end, uint32_t first, uint32_t count,
                  uint32_t continues)
{
   assert(count && first + count <= cm_event_count(*run));
   const struct cm_quad *quads = (const struct cm_quad *)(run + 2) + first;
   struct cm_quad *emitted = (struct cm_quad *)(room + 2);
   uint32_t visible = 0;
   room[0] = CM_EVENT_SHADE | count << 8 | continues;
   room[1] = run[1];
   for (uint32_t q = 0; q < count; q++) {
      emitted[q] = quads[q];
      emitted[q].live = emitted[q].covered = quads[q].visible;
      emitted[q].written &= quads[q].visible;
      visible |= (uint32_t)quads[q].visible << 4 * q;
   }
   room += 2 + count * CM_QUAD_WORDS;
   for (const uint32_t *event = cm_event_next(run); event < end; event = cm_event_next(event)) {
      if (__builtin_expect(cm_event_type(*event) == CM_EVENT_BUFFER, false))
         room = emit_buffer_accesses(room, event, first, count, visible);
      else if (__builtin_expect(cm_event_type(*event) == CM_EVENT_REGIONS, false))
         room = emit_regions(room, event, first, count);
      else
         room = emit_footprints(room, event, first, count, visible);
   }
   return room;
}

/* Quads of a group, `count` from the first one on, as a group of their own. Of a group that runs several times it is one
 * quad, which need not be visible in all runs. */
static bool
emit_quads(struct cm_tile_events *events, const struct cm_deferred_quad *first, uint32_t count,
           const uint32_t *end)
{
   assert(count == 1 || first->words);
   const uint32_t *word = first->group;
   uint32_t continues = 0;
   do {
      const uint32_t *next = first->words ? word + first->words : cm_group_next_run(word, end);
      if (((const struct cm_quad *)(word + 2))[first->number].visible) {
         uint32_t *room = cm_tile_events_reserve(events, (size_t)(next - word));
         if (!room)
            return false;
         const uint32_t *last = emit_quads_of_run(room, word, next, first->number, count, continues);
         assert(last - room <= next - word);
         events->num_words += (size_t)(last - room);
         continues = CM_SHADE_CONTINUES;
      }
      word = next;
   } while (word < end && cm_event_continues(*word));
   return true;
}

/* How many quads from the first one on, of so many, follow each other in a group, too. */
static inline uint32_t
count_neighbours(const struct cm_deferred_quad *quads, uint32_t count)
{
   uint32_t n = 1;
   while (n < count && quads[n].group == quads[0].group && quads[n].number == quads[0].number + n &&
          quads[0].words)
      n++;
   return n;
}

/* A run of primitives is complete. */
static bool
emit_run(struct cm_deferred *deferred, const uint32_t *end)
{
   if (!deferred->in_draw_order && !sort_blocks(deferred))
      return false;
   for (size_t i = 0; i < deferred->num_blocks; i++) {
      const struct cm_deferred_block *block = &deferred->blocks[i];
      const struct cm_deferred_quad *quads = &deferred->quads[block->first_quad];
      assert(block->first_quad + block->num_quads <= deferred->num_quads);
      for (uint32_t q = 0, n; q < block->num_quads; q += n) {
         n = count_neighbours(&quads[q], block->num_quads - q);
         if (!emit_quads(&deferred->events, &quads[q], n, end))
            return false;
      }
   }
   deferred->num_blocks = deferred->num_quads = 0;
   return true;
}

/* Adds what is shaded of a tile, or sets *is_same: that is all of it, and nothing is added. What is shaded in order is copied as
 * a piece, from `kept` on. */
static bool
add_tile(struct cm_deferred *deferred, const struct cm_tile_events *full, bool *is_same)
{
   deferred->num_blocks = deferred->num_quads = 0;
   *is_same = true;
   if (!full->num_words || full->is_in_order)
      return true;
   const uint32_t *word = full->words, *end = word + full->num_words, *kept = word;
   uint32_t run = 0, draw = 0; /* of the collected quads */
   while (word < end) {
      const bool shaded = cm_event_type(*word) == CM_EVENT_SHADE;
      const bool put_off = shaded && *word & CM_SHADE_DEFERRED;
      if (deferred->num_blocks && cm_event_type(*word) != CM_EVENT_UNSHADED &&
          (!put_off || (*word & CM_SHADE_RUN) != run || word[1] != draw) && !emit_run(deferred, end))
         return false;
      const uint32_t *next = cm_event_next(word);
      if ((shaded && !put_off) || cm_event_is_of_run(*word)) {
         word = next;
         continue;
      }
      *is_same = false;
      if (!copy_words(&deferred->events, kept, (size_t)(word - kept)))
         return false;
      if (put_off) {
         run = *word & CM_SHADE_RUN;
         draw = word[1];
         next = add_group(deferred, word, end);
         if (!next)
            return false;
      }
      word = kept = next;
   }
   return *is_same || (copy_words(&deferred->events, kept, (size_t)(end - kept)) &&
                       (!deferred->num_blocks || emit_run(deferred, end)));
}

bool
cm_deferred_build(struct cm_deferred *deferred, const struct cm_tile_events *full)
{
   assert(full != &deferred->events);
   bool is_same;
   deferred->events.num_words = 0;
   if (!add_tile(deferred, full, &is_same))
      return false;
   deferred->result = is_same ? full : &deferred->events;
   return true;
}

/* Reserves space for as many words as the pass has: mostly no fewer than what is shaded. */
static bool
make_room(struct cm_tile_events *events, const struct cm_pass *pass, size_t num_tiles)
{
   size_t num_words = 1;
   for (size_t t = 0; t < num_tiles; t++)
      num_words += pass->tiles[t].num_words;
   return cm_tile_events_reserve(events, num_words) != NULL;
}

bool
cm_deferred_build_pass(struct cm_deferred *deferred, struct cm_pass *pass)
{
   assert(pass->kind == CM_PASS_FULL && !deferred->in_draw_order);
   const size_t num_tiles = (size_t)pass->tiles_x * pass->tiles_y;
   struct cm_tile_events *tiles = calloc(num_tiles, sizeof *tiles);
   deferred->events.num_words = 0;
   bool ok = tiles && make_room(&deferred->events, pass, num_tiles);
   for (size_t t = 0; ok && t < num_tiles; t++) {
      const size_t before = deferred->events.num_words;
      bool is_same = true;
      ok = add_tile(deferred, &pass->tiles[t], &is_same);
      if (is_same)
         tiles[t] =
            (struct cm_tile_events){.words = pass->tiles[t].words, .num_words = pass->tiles[t].num_words};
      else
         tiles[t].num_words = deferred->events.num_words - before;
   }
   if (!ok) {
      free(tiles);
      return false;
   }
   /* Space was reserved for all fragments, or more. */
   uint32_t *words = realloc(deferred->events.words, (deferred->events.num_words + 1) * sizeof *words);
   words = words ? words : deferred->events.words;
   pass->deferred_words = words;
   for (size_t t = 0; t < num_tiles; t++) {
      if (tiles[t].words)
         continue;
      tiles[t].words = words;
      words += tiles[t].num_words;
   }
   pass->deferred = tiles;
   deferred->events = (struct cm_tile_events){0};
   return true;
}

void
cm_deferred_finish(struct cm_deferred *deferred)
{
   free(deferred->events.words);
   free(deferred->blocks);
   free(deferred->sorted);
   free(deferred->quads);
   *deferred = (struct cm_deferred){0};
}
