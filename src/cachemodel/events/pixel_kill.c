/* SPDX-License-Identifier: MIT */
#include "events/pixel_kill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A quad that has come. */
struct quad {
   uint32_t before;   /* 1 + the number of the one before it at its place; 0: none that may be killed */
   uint32_t interval; /* flushes before it */
   bool stays;        /* it is not killed */
   bool is_visible;   /* nor in its interval: it is opaque, and seen when that ends */
   bool is_killed;
};

/* Where quads lie upon each other. */
struct place {
   uint32_t last;  /* 1 + the number of the last one; 0: none */
   uint8_t opaque; /* its fragments, if it is opaque; else 0 */
};

/* What a group's quads do, in all their runs. */
struct group {
   uint8_t live[4], visible[4];
   uint32_t stores; /* bit q: quad q stores to memory */
};

/* ---- which quads are killed ----------------------------------------------- */

static struct quad *
quad_of(const struct cm_pixel_kill *kill, uint32_t number)
{
   return (struct quad *)kill->quads.data + number;
}

/* Kills those that still wait when the next quad comes: one, and those before it at its place. Returns what may be killed later.
 * Both as quad.before. */
static uint32_t
kill_quads(struct cm_pixel_kill *kill, uint32_t first)
{
   uint32_t left = 0, *end = &left;
   for (uint32_t n = first; n && kill->num_quads - (n - 1) <= kill->waiting;) {
      struct quad *quad = quad_of(kill, n - 1);
      assert(!quad->is_killed);
      if (quad->is_visible && quad->interval == kill->interval) {
         *end = n;
         end = &quad->before;
      } else if (!quad->stays) {
         quad->is_killed = true;
         kill->num_killed++;
      }
      n = quad->before;
   }
   *end = 0;
   return left;
}

/* The next quad comes. opaque: its fragments, if it is. */
static void
add_quad(struct cm_pixel_kill *kill, const struct cm_quad *at, uint32_t opaque, struct quad quad)
{
   struct place *place = (struct place *)kill->places.data + at->y * kill->side + at->x;
   assert(at->x < kill->side && at->y < kill->side);
   quad.before = place->last;
   if (opaque == 15) {
      quad.before = kill_quads(kill, place->last);
   } else if (opaque && (opaque | place->opaque) == 15) {
      struct quad *last = quad_of(kill, place->last - 1);
      last->before = kill_quads(kill, last->before);
   }
   *quad_of(kill, kill->num_quads++) = quad;
   *place = (struct place){kill->num_quads, (uint8_t)opaque};
}

/* The quads of the last run that store, from an event of its accesses. */
static uint32_t
find_stores(const uint32_t *event)
{
   const enum cm_event_type type = cm_event_type(*event);
   const size_t words = type == CM_EVENT_BUFFER ? CM_BUFFER_ACCESS_WORDS : CM_FOOTPRINT_WORDS;
   uint32_t quads = 0;
   if ((type != CM_EVENT_BUFFER && type != CM_EVENT_IMAGE) || cm_storage_operation(*event) == CM_STORAGE_LOAD)
      return 0;
   /* Both a footprint and an access of a buffer begin with the quad. */
   for (uint32_t i = 0; i < cm_event_count(*event); i++)
      quads |= 1u << (*(const uint8_t *)(event + 1 + i * words) & 3);
   return quads;
}

/* Returns the group's end. */
static const uint32_t *
read_group(const uint32_t *word, const uint32_t *end, bool accesses_storage, struct group *group)
{
   *group = (struct group){0};
   do {
      const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
      assert(cm_event_count(*word) <= 4);
      for (uint32_t q = 0; q < cm_event_count(*word); q++) {
         group->live[q] |= quads[q].live;
         group->visible[q] |= quads[q].visible;
      }
      const uint32_t *next = cm_group_next_run(word, end);
      for (word = cm_event_next(word); accesses_storage && word < next; word = cm_event_next(word))
         group->stores |= find_stores(word);
      word = next;
   } while (word < end && cm_event_continues(*word));
   return word;
}

static bool
is_written_late(const struct cm_fragment_tests *tests)
{
   return tests->late && (tests->depth_write || tests->stencil_write);
}

/* The quads of a group come, one after another. Returns its end; NULL when out of memory. */
static const uint32_t *
add_group(struct cm_pixel_kill *kill, const struct cm_pass *pass, const uint32_t *word, const uint32_t *end)
{
   const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
   const struct cm_draw *draw = &pass->draws[word[1]];
   const bool is_opaque = *word & CM_SHADE_DEFERRED;
   struct group group;
   assert(word[1] < pass->num_draws);
   if (!cm_array_extend(&kill->quads, kill->num_quads + 4, sizeof(struct quad)))
      return NULL;
   const uint32_t *next = read_group(word, end, draw->storage, &group);
   for (uint32_t q = 0; q < cm_event_count(*word); q++) {
      const struct quad quad = {
         .interval = kill->interval,
         .stays = is_written_late(&draw->tests) || group.stores >> q & 1,
         .is_visible = is_opaque && group.visible[q],
      };
      if (group.live[q])
         add_quad(kill, &quads[q], is_opaque ? group.live[q] : 0, quad);
   }
   return next;
}

/* All quads of the tile come. False when out of memory. */
static bool
find_killed(struct cm_pixel_kill *kill, const struct cm_pass *pass, const struct cm_tile_events *full)
{
   const size_t num_places = (size_t)kill->side * kill->side;
   if (!cm_array_reserve(&kill->places, num_places, sizeof(struct place)))
      return false;
   memset(kill->places.data, 0, num_places * sizeof(struct place));
   const uint32_t *word = full->words, *end = word + full->num_words;
   while (word && word < end) {
      kill->interval += cm_event_type(*word) == CM_EVENT_FLUSH;
      word = cm_event_type(*word) == CM_EVENT_SHADE ? add_group(kill, pass, word, end) : cm_event_next(word);
   }
   return word;
}

/* ---- the result ----------------------------------------------------------- */

/* Appends words. False when out of memory. */
static bool
append(struct cm_tile_events *events, const void *words, size_t count)
{
   uint32_t *room = count ? cm_tile_events_reserve(events, count) : NULL;
   if (!room)
      return !count;
   memcpy(room, words, count * sizeof *room);
   events->num_words += count;
   return true;
}

/* Appends a group without some of its quads, then these. */
static bool
append_group(struct cm_tile_events *events, const uint32_t *group, const uint32_t *next, uint32_t killed,
             const uint8_t *live)
{
   const uint32_t count = (uint32_t)__builtin_popcount(killed);
   if (!append(events, group, (size_t)(next - group)))
      return false;
   const uint32_t *end = events->words + events->num_words;
   for (uint32_t *word = events->words + events->num_words - (next - group); word < end;
        word += cm_group_next_run(word, end) - word) {
      struct cm_quad *quads = (struct cm_quad *)(word + 2);
      for (uint32_t q = 0; q < cm_event_count(*word); q++) {
         if (killed >> q & 1)
            quads[q].live = quads[q].written = 0;
      }
   }
   const uint32_t head[2] = {CM_EVENT_UNSHADED | count << 8 | CM_UNSHADED_KILLED, group[1]};
   bool ok = append(events, head, 2);
   for (uint32_t q = 0; ok && q < cm_event_count(*group); q++) {
      struct cm_quad quad = ((const struct cm_quad *)(group + 2))[q];
      quad.live = live[q];
      ok = !(killed >> q & 1) || append(events, &quad, CM_QUAD_WORDS);
   }
   return ok;
}

/* Makes the words without the quads that are killed. False when out of memory. */
static bool
write_words(struct cm_pixel_kill *kill, const struct cm_tile_events *full)
{
   const uint32_t *word = full->words, *end = word + full->num_words, *kept = word;
   uint32_t number = 0;
   while (word < end) {
      if (cm_event_type(*word) != CM_EVENT_SHADE) {
         word = cm_event_next(word);
         continue;
      }
      struct group group;
      uint32_t killed = 0;
      const uint32_t *next = read_group(word, end, false, &group);
      for (uint32_t q = 0; q < cm_event_count(*word); q++) {
         if (group.live[q] && quad_of(kill, number++)->is_killed)
            killed |= 1u << q;
      }
      if (killed) {
         if (!append(&kill->events, kept, (size_t)(word - kept)) ||
             !append_group(&kill->events, word, next, killed, group.live))
            return false;
         kept = next;
      }
      word = next;
   }
   assert(number == kill->num_quads);
   return append(&kill->events, kept, (size_t)(end - kept));
}

bool
cm_pixel_kill_build(struct cm_pixel_kill *kill, uint32_t waiting, const struct cm_pass *pass,
                    const struct cm_tile_events *full)
{
   assert(pass->kind == CM_PASS_FULL && waiting <= CM_MOST_WAITING_QUADS && full != &kill->events);
   kill->waiting = waiting;
   kill->side = pass->tile_size / 2;
   kill->num_quads = kill->num_killed = kill->interval = 0;
   kill->events.num_words = 0;
   kill->result = full;
   if (!full->num_words || full->is_in_order)
      return true;
   if (!find_killed(kill, pass, full))
      return false;
   if (!kill->num_killed)
      return true;
   kill->result = &kill->events;
   return write_words(kill, full);
}

void
cm_pixel_kill_finish(struct cm_pixel_kill *kill)
{
   free(kill->events.words);
   CM_FREE_ARRAYS(&kill->places, &kill->quads);
   *kill = (struct cm_pixel_kill){0};
}
