/* SPDX-License-Identifier: MIT */
#include "advice/merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "advice/join.h"
#include "events/tile_content.h"

/* The color attachments of the second pass in the merged one, which has those of the first where they were. */
struct slots {
   uint8_t of[CM_MAX_COLOR_ATTACHMENTS]; /* NO_SLOT: it is not attached */
   uint32_t num_color;
};
#define NO_SLOT UINT8_MAX

struct cm_pass_merge {
   struct cm_pass_join *join;
   struct cm_pass first; /* its arrays are gone */
   uint16_t read, not_stored;
};

struct cm_pass_merge *
cm_pass_merge_create(void)
{
   struct cm_pass_merge *merge = calloc(1, sizeof *merge);
   if (!merge)
      return NULL;
   merge->join = cm_pass_join_create();
   if (merge->join)
      return merge;
   free(merge);
   return NULL;
}

void
cm_pass_merge_destroy(struct cm_pass_merge *merge)
{
   if (!merge)
      return;
   cm_pass_join_destroy(merge->join);
   free(merge);
}

void
cm_pass_merge_release(struct cm_pass_merge *merge)
{
   cm_pass_join_release(merge->join);
}

/* ---- attachments ----------------------------------------------------------------- */

static bool
is_same_image(const struct cm_attachment *a, const struct cm_attachment *b)
{
   return a->resource == b->resource && a->level == b->level && a->layer == b->layer;
}

/* False: there are too many, or two of depth or of stencil. */
static bool
find_slots(const struct cm_pass *first, const struct cm_pass *second, struct slots *slots)
{
   slots->num_color = first->num_color;
   memset(slots->of, NO_SLOT, sizeof slots->of);
   for (uint32_t c = 0; c < second->num_color; c++) {
      uint32_t slot = 0;
      if (!second->color[c].resource)
         continue;
      while (slot < first->num_color && !is_same_image(&first->color[slot], &second->color[c]))
         slot++;
      if (slot == first->num_color)
         slot = slots->num_color++;
      if (slot >= CM_MAX_COLOR_ATTACHMENTS)
         return false;
      slots->of[c] = (uint8_t)slot;
   }
   for (unsigned slot = CM_SLOT_DEPTH; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *a = cm_pass_attachment(first, slot), *b = cm_pass_attachment(second, slot);
      if (a->resource && b->resource && !is_same_image(a, b))
         return false;
   }
   return true;
}

/* Whether an attachment of the second pass can be one of the merged pass, with those of the first. */
static bool
can_attach(const struct cm_pass *first, const struct cm_attachment *attachment)
{
   if (!attachment->resource)
      return true;
   if (attachment->more_layers)
      return false;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const struct cm_attachment *before = cm_pass_attachment(first, slot);
      if (before->resource != attachment->resource)
         continue;
      /* Another level or layer of it may be read where this one is drawn to. */
      if (!is_same_image(before, attachment) || attachment->clear || (attachment->load && !before->store))
         return false;
   }
   return true;
}

bool
cm_passes_can_merge(const struct cm_pass *first, const struct cm_pass *second)
{
   struct slots slots;
   if (first->width != second->width || first->height != second->height || first->kind != second->kind ||
       first->tile_size != second->tile_size || first->tiles_x != second->tiles_x ||
       first->tiles_y != second->tiles_y || first->layer_tiles_y != first->tiles_y ||
       second->layer_tiles_y != second->tiles_y || first->num_storages || second->num_storages ||
       first->num_addressed || second->num_addressed || first->num_feedback ||
       cm_pass_has_vertex_storage(second) || first->kind == CM_PASS_COMPUTE)
      return false;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const bool resolves =
         slot < CM_MAX_COLOR_ATTACHMENTS && (first->resolve[slot].resource || second->resolve[slot].resource);
      if (resolves || cm_pass_attachment(first, slot)->more_layers ||
          !can_attach(first, cm_pass_attachment(second, slot)))
         return false;
   }
   return find_slots(first, second, &slots);
}

static struct cm_attachment *
attachment_of(struct cm_pass *pass, unsigned slot)
{
   return (struct cm_attachment *)cm_pass_attachment(pass, slot);
}

/* The slot of the merged pass that the second's has; CM_SLOTS: none. */
static unsigned
merged_slot(const struct slots *slots, unsigned slot)
{
   if (slot >= CM_MAX_COLOR_ATTACHMENTS)
      return slot;
   return slots->of[slot] == NO_SLOT ? CM_SLOTS : slots->of[slot];
}

/* Gives both passes the attachments of the merged one: the first loads and clears, the second stores what is its own, too. */
static void
share_attachments(struct cm_pass *first, struct cm_pass *second, const struct slots *slots,
                  uint16_t not_stored)
{
   const struct cm_pass own = *second;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++)
      attachment_of(first, slot)->store &= !(not_stored >> slot & 1);
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const unsigned merged = merged_slot(slots, slot);
      const struct cm_attachment *attachment = cm_pass_attachment(&own, slot);
      if (merged == CM_SLOTS || !attachment->resource)
         continue;
      if (!attachment_of(first, merged)->resource)
         *attachment_of(first, merged) = *attachment;
      attachment_of(first, merged)->store = false;
   }
   first->num_color = second->num_color = slots->num_color;
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      struct cm_attachment *attachment = attachment_of(second, slot);
      *attachment = *attachment_of(first, slot);
      attachment->load = attachment->clear = attachment->store = false;
   }
   for (unsigned slot = 0; slot < CM_SLOTS; slot++) {
      const unsigned merged = merged_slot(slots, slot);
      if (merged < CM_SLOTS)
         attachment_of(second, merged)->store |= cm_pass_attachment(&own, slot)->store;
   }
}

uint32_t
cm_merged_pixel_bytes(const struct cm_pass *first, const struct cm_pass *second)
{
   struct cm_pass both = *first, other = *second;
   struct slots slots;
   uint32_t bytes = 0;
   const bool fits = find_slots(first, second, &slots);
   assert(fits);
   if (fits)
      share_attachments(&both, &other, &slots, 0);
   for (unsigned slot = 0; slot < CM_SLOTS; slot++)
      bytes += cm_pass_attachment(&both, slot)->resource ? cm_pass_attachment(&both, slot)->pixel_bytes : 0;
   return bytes;
}

/* ---- what is drawn --------------------------------------------------------------- */

/* The first pass' attachment that has the resource and is read in the tiles; CM_SLOTS: none. */
static unsigned
read_slot(const struct cm_pass_merge *merge, uint32_t resource)
{
   for (unsigned slot = 0; resource && slot < CM_SLOTS; slot++) {
      if (merge->read >> slot & 1 && cm_pass_attachment(&merge->first, slot)->resource == resource)
         return slot;
   }
   return CM_SLOTS;
}

static uint8_t
move_mask(const struct slots *slots, uint8_t mask)
{
   uint8_t moved = 0;
   for (unsigned c = 0; c < CM_MAX_COLOR_ATTACHMENTS; c++) {
      if (mask >> c & 1 && slots->of[c] != NO_SLOT)
         moved |= (uint8_t)(1 << slots->of[c]);
   }
   return moved;
}

/* A draw that reads in the tiles what were textures; whether it reads any. */
static bool
change_draw(const struct cm_pass_merge *merge, const struct slots *slots, struct cm_draw *draw)
{
   struct cm_fragment_tests *tests = &draw->tests;
   bool fetches = false;
   tests->color_write = move_mask(slots, tests->color_write);
   tests->color_read = move_mask(slots, tests->color_read);
   tests->color_fetch = move_mask(slots, tests->color_fetch);
   for (uint32_t unit = 0; unit < draw->num_textures; unit++) {
      const unsigned slot = read_slot(merge, draw->textures[unit].resource);
      if (slot == CM_SLOTS)
         continue;
      if (slot == CM_SLOT_DEPTH)
         tests->depth_fetch = true;
      else if (slot == CM_SLOT_STENCIL)
         tests->stencil_fetch = true;
      else
         tests->color_fetch |= (uint8_t)(1 << slot);
      draw->textures[unit].resource = 0;
      fetches = true;
   }
   return fetches;
}

/* Adds an event as it is; where it is now. NULL when out of memory. */
static uint32_t *
add_event(struct cm_tile_events *words, const uint32_t *event)
{
   const size_t count = (size_t)(cm_event_next(event) - event);
   uint32_t *room = cm_tile_events_reserve(words, count);
   if (!room)
      return NULL;
   memcpy(room, event, count * sizeof *room);
   words->num_words += count;
   return room;
}

/* Adds quads of a draw that reads in the tile: no GPU can defer them. What was deferred before is shaded before it. */
static bool
add_fetching(struct cm_tile_events *words, const uint32_t *event, bool *deferred)
{
   if (!cm_event_continues(*event) && *deferred) {
      uint32_t *flush = cm_tile_events_reserve(words, 1);
      if (!flush)
         return false;
      *flush = CM_EVENT_FLUSH;
      words->num_words++;
      *deferred = false;
   }
   uint32_t *added = add_event(words, event);
   if (!added)
      return false;
   *added &= ~(CM_SHADE_DEFERRED | CM_SHADE_RUN);
   struct cm_quad *quads = (struct cm_quad *)(added + 2);
   for (uint32_t q = 0; q < cm_event_count(*added); q++)
      quads[q].visible = quads[q].live;
   return true;
}

/* Adds a tile's words, without what is no longer read of textures. fetches: of each draw, whether it reads in the tile. */
static bool
add_tile(const struct cm_pass_merge *merge, const struct cm_pass *second, const struct cm_tile_events *tile,
         const bool *fetches, struct cm_tile_events *words)
{
   const struct cm_draw *draw = NULL;
   /* Of the first pass. */
   bool deferred = second->kind == CM_PASS_FULL;
   for (const uint32_t *word = tile->words, *end = word + tile->num_words; word < end;
        word = cm_event_next(word)) {
      const enum cm_event_type type = cm_event_type(*word);
      if (type == CM_EVENT_SHADE || type == CM_EVENT_UNSHADED) {
         assert(word[1] < second->num_draws);
         draw = &second->draws[word[1]];
      }
      if (type == CM_EVENT_FOOTPRINTS) {
         assert(draw && cm_event_unit(*word) < draw->num_textures);
         if (read_slot(merge, draw->textures[cm_event_unit(*word)].resource) != CM_SLOTS)
            continue;
      }
      if (type == CM_EVENT_SHADE && second->kind == CM_PASS_FULL && fetches[word[1]]) {
         if (!add_fetching(words, word, &deferred))
            return false;
         continue;
      }
      deferred |= type == CM_EVENT_SHADE && *word & CM_SHADE_DEFERRED;
      if (!add_event(words, word))
         return false;
   }
   return true;
}

/* What is known of a tile, with the surfaces where they are in the merged pass. */
static bool
move_content(const struct slots *slots, const struct cm_tile_content *from, struct cm_tile_content *to)
{
   struct cm_stored_surface surface;
   for (size_t at = 0; cm_tile_content_next(from, &at, &surface);) {
      const unsigned slot = surface.slot < CM_SLOTS ? merged_slot(slots, surface.slot) : surface.slot;
      const size_t groups = (size_t)surface.columns * surface.rows;
      uint8_t *same, *sizes;
      if (slot == CM_SLOTS)
         continue;
      if (!cm_tile_content_add(to, slot, surface.columns, surface.rows, &same, &sizes))
         return false;
      memcpy(same, surface.same, groups);
      memcpy(sizes, surface.sizes, groups * CM_GROUP_BLOCKS);
   }
   return true;
}

/* ---- both ------------------------------------------------------------------------- */

bool
cm_pass_merge_begin(struct cm_pass_merge *merge, const struct cm_pass *first, uint16_t read,
                    uint16_t not_stored)
{
   assert(!(not_stored & ~read));
   merge->first = *first;
   merge->read = read;
   merge->not_stored = not_stored;
   return cm_pass_join_add(merge->join, first);
}

/* The second pass as it is within the merged one; its new arrays are the caller's, also where it fails. */
static bool
change_second(struct cm_pass_merge *merge, const struct slots *slots, const struct cm_pass *second,
              struct cm_pass *changed)
{
   const uint32_t num_tiles = second->tiles_x * second->tiles_y;
   changed->deferred = NULL;
   changed->draws = malloc(((size_t)second->num_draws + 1) * sizeof *changed->draws);
   changed->tiles = calloc(num_tiles, sizeof *changed->tiles);
   changed->contents = second->contents ? calloc(num_tiles, sizeof *changed->contents) : NULL;
   bool *fetches = calloc((size_t)second->num_draws + 1, sizeof *fetches);
   bool ok = changed->draws && changed->tiles && fetches && (changed->contents || !second->contents);
   for (uint32_t d = 0; ok && d < second->num_draws; d++) {
      changed->draws[d] = second->draws[d];
      fetches[d] = change_draw(merge, slots, &changed->draws[d]);
   }
   for (uint32_t t = 0; ok && t < num_tiles; t++) {
      ok = add_tile(merge, second, &second->tiles[t], fetches, &changed->tiles[t]) &&
           (!second->contents || move_content(slots, &second->contents[t], &changed->contents[t]));
   }
   free(fetches);
   return ok;
}

static void
free_second(struct cm_pass *changed)
{
   for (uint32_t t = 0; t < changed->tiles_x * changed->tiles_y; t++) {
      if (changed->tiles)
         free(changed->tiles[t].words);
      if (changed->contents)
         cm_tile_content_finish(&changed->contents[t]);
   }
   free(changed->tiles);
   free(changed->contents);
   free(changed->draws);
}

const struct cm_pass *
cm_pass_merge_end(struct cm_pass_merge *merge, const struct cm_pass *second)
{
   struct cm_pass first = merge->first, changed = *second;
   struct slots slots;
   const bool fits = find_slots(&first, second, &slots);
   assert(fits);
   bool ok = fits && change_second(merge, &slots, second, &changed);
   if (ok) {
      share_attachments(&first, &changed, &slots, merge->not_stored);
      cm_pass_join_attach(merge->join, &first);
      ok = cm_pass_join_add(merge->join, &changed);
   }
   if (fits)
      free_second(&changed);
   return ok ? cm_pass_join_take(merge->join) : NULL;
}
