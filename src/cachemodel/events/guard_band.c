/* SPDX-License-Identifier: MIT */
#include "events/guard_band.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Parts that six planes can make of a triangle, and then some. */
#define MAX_PARTS 16

/* A quad of a divided triangle. */
struct part_quad {
   const uint32_t *group, *end; /* its event, and the end of what follows that */
   uint32_t number;             /* in the group */
   uint32_t primitive;          /* of the pass with whole triangles */
   uint32_t place;              /* in the order of rasterisation */
   uint32_t index;              /* in the order of the words */
   bool is_unshaded;
   bool is_done; /* of the first one of a primitive: the primitive's quads have been written */
};

/* ---- primitives -------------------------------------------------------- */

/* Whether a primitive is a part of a triangle that the guard band leaves whole. */
static bool
is_part(const struct cm_guard_band *band, const struct cm_primitive *primitive)
{
   return primitive->reach_pixels && primitive->reach_pixels <= band->pixels &&
          (!band->percent || primitive->reach_percent <= band->percent);
}

/* Joins two ascending lists of tiles into a third one; returns its length. */
static uint32_t
join_tiles(uint32_t *joined, const uint32_t *a, uint32_t num_a, const uint32_t *b, uint32_t num_b)
{
   uint32_t count = 0, i = 0, k = 0;
   while (i < num_a || k < num_b) {
      const bool takes_a = k == num_b || (i < num_a && a[i] <= b[k]);
      const uint32_t tile = takes_a ? a[i] : b[k];
      i += i < num_a && a[i] == tile;
      k += k < num_b && b[k] == tile;
      joined[count++] = tile;
   }
   return count;
}

/* Adds a part's tiles to the last primitive, behind whose tiles there is room for as many again. */
static void
add_part(struct cm_guard_band *band, const struct cm_primitive *part)
{
   struct cm_pass *pass = &band->pass;
   struct cm_primitive *whole = &pass->primitives[pass->num_primitives - 1];
   uint32_t *tiles = pass->primitive_tiles + whole->first_tile, *joined = tiles + whole->num_tiles;
   assert(whole->draw == part->draw && whole->num_attributes == part->num_attributes);
   const uint32_t count = join_tiles(joined, tiles, whole->num_tiles,
                                     band->clipped->primitive_tiles + part->first_tile, part->num_tiles);
   memmove(tiles, joined, count * sizeof *tiles);
   whole->num_tiles = count;
   ((bool *)band->divided.data)[pass->num_primitives - 1] = true;
}

static void
join_primitives(struct cm_guard_band *band)
{
   const struct cm_pass *clipped = band->clipped;
   struct cm_pass *pass = &band->pass;
   uint32_t *numbers = band->numbers.data;
   uint64_t first_tile = 0;
   pass->num_primitives = 0;
   for (uint32_t p = 0; p < clipped->num_primitives; p++) {
      const struct cm_primitive *part = &clipped->primitives[p];
      if (is_part(band, part)) {
         assert(pass->num_primitives);
         first_tile -= pass->primitives[pass->num_primitives - 1].num_tiles;
         add_part(band, part);
      } else {
         memcpy(pass->primitive_tiles + first_tile, clipped->primitive_tiles + part->first_tile,
                part->num_tiles * sizeof(uint32_t));
         ((bool *)band->divided.data)[pass->num_primitives] = false;
         pass->primitives[pass->num_primitives] = *part;
         pass->primitives[pass->num_primitives++].first_tile = first_tile;
      }
      first_tile += pass->primitives[pass->num_primitives - 1].num_tiles;
      numbers[p] = pass->num_primitives - 1;
   }
   pass->num_primitive_tiles = first_tile;
}

static bool
has_parts(const struct cm_guard_band *band, const struct cm_pass *pass)
{
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      if (is_part(band, &pass->primitives[p]))
         return true;
   }
   return false;
}

const struct cm_pass *
cm_guard_band_begin(struct cm_guard_band *band, const struct cm_pass *pass)
{
   assert(!band->clipped);
   if (pass->kind != CM_PASS_FULL || !has_parts(band, pass))
      return pass;
   const size_t num_tiles = (size_t)pass->tiles_x * pass->tiles_y;
   /* While two parts are joined, the list that is made lies behind that of the first one, and is no longer than both. */
   if (!cm_array_reserve(&band->primitives, pass->num_primitives, sizeof(struct cm_primitive)) ||
       !cm_array_reserve(&band->primitive_tiles, pass->num_primitive_tiles * 2, sizeof(uint32_t)) ||
       !cm_array_reserve(&band->numbers, pass->num_primitives, sizeof(uint32_t)) ||
       !cm_array_reserve(&band->divided, pass->num_primitives, sizeof(bool)) ||
       !cm_array_reserve(&band->tiles, num_tiles, sizeof(struct cm_tile_events)))
      return NULL;
   band->clipped = pass;
   band->pass = *pass;
   band->pass.primitives = band->primitives.data;
   band->pass.primitive_tiles = band->primitive_tiles.data;
   band->pass.tiles = band->tiles.data;
   band->pass.deferred = NULL;
   band->pass.deferred_words = NULL;
   memset(band->pass.tiles, 0, num_tiles * sizeof *band->pass.tiles);
   join_primitives(band);
   return &band->pass;
}

/* ---- quads ------------------------------------------------------------- */

/* Where a quad comes in the order of rasterisation. */
static uint32_t
place_of(const struct cm_quad *quad)
{
   uint32_t place = (uint32_t)(quad->y >> 3) << 16 | (uint32_t)(quad->x >> 3) << 8;
   for (unsigned bit = 0; bit < 3; bit++)
      place |= (quad->x >> bit & 1u) << 2 * bit | (quad->y >> bit & 1u) << (2 * bit + 1);
   return place;
}

static int
compare(const void *first, const void *second)
{
   const struct part_quad *a = first, *b = second;
   if (a->primitive != b->primitive)
      return a->primitive < b->primitive ? -1 : 1;
   if (a->place != b->place)
      return a->place < b->place ? -1 : 1;
   if (a->is_unshaded != b->is_unshaded)
      return a->is_unshaded ? 1 : -1;
   return a->index < b->index ? -1 : a->index > b->index;
}

/* The words of the event that concern a quad of the shade event before it, from an event of accesses on. */
static size_t
item_words(uint32_t word)
{
   return cm_event_type(word) == CM_EVENT_BUFFER ? CM_BUFFER_ACCESS_WORDS : CM_FOOTPRINT_WORDS;
}

/* Both a footprint and an access of a buffer begin with the quad, and have the mask of what is live. */
static_assert(offsetof(struct cm_footprint, quad) == 0 && offsetof(struct cm_buffer_access, quad) == 0,
              "the first byte");

/* The first event from one on that has something of the quad; the end if there is none. */
static const uint32_t *
find_access(const uint32_t *event, const struct part_quad *quad)
{
   for (; event < quad->end; event = cm_event_next(event)) {
      const size_t words = item_words(*event);
      const bool is_access = cm_event_type(*event) != CM_EVENT_REGIONS;
      for (uint32_t i = 0; is_access && i < cm_event_count(*event); i++) {
         if (*(const uint8_t *)(event + 1 + i * words) == quad->number)
            return event;
      }
   }
   return quad->end;
}

static void
join_footprint(struct cm_footprint *into, const struct cm_footprint *from)
{
   for (unsigned i = 0; i < 4; i++) {
      if (from->live & ~into->live & 1 << i)
         into->texel[i] = from->texel[i];
   }
   into->live |= from->live;
}

static void
join_buffer_access(struct cm_buffer_access *into, const struct cm_buffer_access *from)
{
   for (unsigned i = 0; i < 4; i++) {
      if (from->live & ~into->live & 1 << i)
         into->offset[i] = from->offset[i];
   }
   into->live |= from->live;
}

/* Adds a footprint to an instruction's, of which `before` are of other parts. Returns how many there are then. */
static uint32_t
add_footprint(struct cm_footprint *footprints, uint32_t before, uint32_t count,
              const struct cm_footprint *added)
{
   for (uint32_t i = 0; i < before; i++) {
      struct cm_footprint *other = &footprints[i];
      if (other->level == added->level && other->layer == added->layer && other->linear == added->linear) {
         join_footprint(other, added);
         return count;
      }
   }
   footprints[count] = *added;
   footprints[count].quad = 0;
   return count + 1;
}

static uint32_t
add_buffer_access(struct cm_buffer_access *accesses, uint32_t before, uint32_t count,
                  const struct cm_buffer_access *added)
{
   for (uint32_t i = 0; i < before; i++) {
      if (accesses[i].buffer == added->buffer) {
         join_buffer_access(&accesses[i], added);
         return count;
      }
   }
   accesses[count] = *added;
   accesses[count].quad = 0;
   return count + 1;
}

/* Adds what an event has of a quad to what parts before it have of the same instruction. */
static uint32_t
add_accesses(uint32_t *items, uint32_t count, const uint32_t *event, uint32_t number)
{
   const uint32_t before = count;
   const bool is_buffer = cm_event_type(*event) == CM_EVENT_BUFFER;
   for (uint32_t i = 0; i < cm_event_count(*event); i++) {
      const uint32_t *item = event + 1 + i * item_words(*event);
      if (*(const uint8_t *)item != number)
         continue;
      if (is_buffer)
         count = add_buffer_access((struct cm_buffer_access *)items, before, count,
                                   (const struct cm_buffer_access *)item);
      else
         count =
            add_footprint((struct cm_footprint *)items, before, count, (const struct cm_footprint *)item);
   }
   return count;
}

/* Writes the instructions of some quads at one place as those of one: each quad's in its order, and together what is the next
 * of several. Returns the end. */
static uint32_t *
write_accesses(uint32_t *room, const struct part_quad *quads, uint32_t count)
{
   const uint32_t *next[MAX_PARTS];
   for (uint32_t q = 0; q < count; q++)
      next[q] = find_access(cm_event_next(quads[q].group), &quads[q]);
   for (uint32_t q = 0; q < count; q++) {
      while (next[q] < quads[q].end) {
         const uint32_t word = cm_event_with_count(*next[q], 0);
         uint32_t items = 0;
         for (uint32_t other = q; other < count; other++) {
            if (next[other] == quads[other].end || cm_event_with_count(*next[other], 0) != word)
               continue;
            items = add_accesses(room + 1, items, next[other], quads[other].number);
            next[other] = find_access(cm_event_next(next[other]), &quads[other]);
         }
         assert(items && items <= 255);
         room[0] = cm_event_with_count(word, items);
         room += 1 + items * item_words(word);
      }
   }
   return room;
}

/* How often the quad ran the regions of its shader; NULL: region 0 alone. */
static const uint32_t *
find_regions(const struct part_quad *quad)
{
   const uint32_t *event = cm_event_next(quad->group);
   for (; event < quad->end; event = cm_event_next(event)) {
      if (cm_event_type(*event) == CM_EVENT_REGIONS && cm_regions_quads(*event) >> quad->number & 1)
         return event;
   }
   return NULL;
}

/* Writes how often some quads that are one ran the regions of their shader: each as often as that of them that ran it most,
 * as a quad runs it as often as any of its fragments. Returns the end. */
static uint32_t *
write_regions(uint32_t *room, const struct part_quad *quads, uint32_t count)
{
   const uint32_t *events[MAX_PARTS];
   uint32_t num_regions = 0, most = 0;
   for (uint32_t q = 0; q < count; q++) {
      events[q] = find_regions(&quads[q]);
      if (events[q] && cm_event_unit(*events[q]) > num_regions)
         num_regions = cm_event_unit(*events[q]);
   }
   uint32_t runs[CM_MAX_REGIONS];
   assert(num_regions <= CM_MAX_REGIONS);
   for (uint32_t n = 0; n < num_regions; n++) {
      runs[n] = 0;
      for (uint32_t q = 0; q < count; q++) {
         const uint32_t ran = events[q] ? cm_regions_runs(events[q], n + 1) : 0;
         runs[n] = ran > runs[n] ? ran : runs[n];
      }
      most = runs[n] > most ? runs[n] : most;
   }
   if (!num_regions)
      return room;
   const uint32_t flag = most < 256 ? CM_REGIONS_ARE_BYTES : 0;
   room[0] = CM_EVENT_REGIONS | (1 | flag) << 8 | num_regions << 16;
   const uint32_t words = cm_regions_words(room[0]);
   memset(room + 1, 0, words * sizeof *room);
   for (uint32_t n = 0; n < num_regions; n++) {
      if (flag)
         room[1 + n / 4] |= runs[n] << n % 4 * 8;
      else
         room[1 + n] = runs[n];
   }
   return room + 1 + words;
}

static const struct cm_quad *
quad_of(const struct part_quad *part)
{
   return (const struct cm_quad *)(part->group + 2) + part->number;
}

/* Writes some quads at one place as one, of a group with the first one's flags; all are shaded but the last ones. */
static bool
write_quads(struct cm_tile_events *events, const struct part_quad *quads, uint32_t count)
{
   size_t words = 0;
   struct cm_quad joined = {.primitive = quads[0].primitive, .x = quad_of(quads)->x, .y = quad_of(quads)->y};
   uint32_t shaded = 0, hidden = CM_UNSHADED_HIDDEN;
   assert(count && count <= MAX_PARTS);
   for (uint32_t q = 0; q < count; q++) {
      const struct cm_quad *quad = quad_of(&quads[q]);
      joined.live |= quad->live;
      joined.covered |= quad->covered;
      joined.visible |= quad->visible;
      joined.written |= quad->written;
      shaded += !quads[q].is_unshaded;
      hidden &= *quads[q].group;
      words += (size_t)(quads[q].end - quads[q].group);
   }
   uint32_t *room = cm_tile_events_reserve(events, words);
   if (!room)
      return false;
   room[0] = cm_event_with_count(*quads[0].group, 1);
   if (!shaded)
      room[0] = (room[0] & ~CM_UNSHADED_HIDDEN) | hidden;
   room[1] = quads[0].group[1];
   memcpy(room + 2, &joined, sizeof joined);
   const uint32_t *end =
      write_regions(write_accesses(room + 2 + CM_QUAD_WORDS, quads, shaded), quads, shaded);
   assert((size_t)(end - room) <= words);
   events->num_words += (size_t)(end - room);
   return true;
}

/* How many quads from the first one on are one: those at its place whose group has the same flags, and those that are not
 * shaded. */
static uint32_t
count_together(const struct part_quad *quads, uint32_t count)
{
   uint32_t n = 1;
   while (n < count && n < MAX_PARTS && quads[n].primitive == quads[0].primitive &&
          quads[n].place == quads[0].place &&
          (quads[n].is_unshaded ||
           cm_event_with_count(*quads[n].group, 0) == cm_event_with_count(*quads[0].group, 0)))
      n++;
   return n;
}

/* ---- tiles ------------------------------------------------------------- */

/* The event after an event of quads and all that belongs to it. *runs: how often its quads run. */
static const uint32_t *
group_end(const uint32_t *group, const uint32_t *end, uint32_t *runs)
{
   const uint32_t *word = group;
   *runs = 0;
   do {
      word = cm_group_next_run(word, end);
      ++*runs;
   } while (word < end && cm_event_continues(*word));
   return word;
}

static bool
has_quads(uint32_t word)
{
   return cm_event_type(word) == CM_EVENT_SHADE || cm_event_type(word) == CM_EVENT_UNSHADED;
}

static bool
is_divided(const struct cm_guard_band *band, const struct cm_quad *quad, uint32_t *primitive)
{
   assert(quad->primitive < band->clipped->num_primitives);
   *primitive = ((const uint32_t *)band->numbers.data)[quad->primitive];
   return ((const bool *)band->divided.data)[*primitive];
}

/* Collects the group's quads of divided triangles. False when out of memory. */
static bool
collect(struct cm_guard_band *band, const uint32_t *group, const uint32_t *end)
{
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   for (uint32_t q = 0; q < cm_event_count(*group); q++) {
      uint32_t primitive;
      if (!is_divided(band, &quads[q], &primitive))
         continue;
      if (!cm_array_extend(&band->quads, band->num_quads + 1, sizeof(struct part_quad)))
         return false;
      ((struct part_quad *)band->quads.data)[band->num_quads] = (struct part_quad){
         .group = group,
         .end = end,
         .number = q,
         .primitive = primitive,
         .place = place_of(&quads[q]),
         .index = (uint32_t)band->num_quads,
         .is_unshaded = cm_event_type(*group) == CM_EVENT_UNSHADED,
      };
      band->num_quads++;
   }
   return true;
}

/* The first one of a primitive's quads. */
static struct part_quad *
find_primitive(const struct cm_guard_band *band, uint32_t primitive)
{
   struct part_quad *quads = band->quads.data;
   size_t low = 0, high = band->num_quads;
   while (low < high) {
      const size_t middle = (low + high) / 2;
      if (quads[middle].primitive < primitive)
         low = middle + 1;
      else
         high = middle;
   }
   assert(low < band->num_quads && quads[low].primitive == primitive);
   return &quads[low];
}

/* Writes all quads of a divided triangle, where the first one of them is. */
static bool
write_triangle(struct cm_guard_band *band, struct cm_tile_events *events, uint32_t primitive)
{
   struct part_quad *first = find_primitive(band, primitive);
   if (first->is_done)
      return true;
   first->is_done = true;
   const struct part_quad *end = (struct part_quad *)band->quads.data + band->num_quads;
   for (const struct part_quad *quad = first; quad < end && quad->primitive == primitive;) {
      const uint32_t count = count_together(quad, (uint32_t)(end - quad));
      if (!write_quads(events, quad, count))
         return false;
      quad += count;
   }
   return true;
}

/* Copies words, with the numbers that primitives have now. */
static bool
copy_words(const struct cm_guard_band *band, struct cm_tile_events *events, const uint32_t *words,
           const uint32_t *end)
{
   const size_t count = (size_t)(end - words);
   uint32_t *room = count ? cm_tile_events_reserve(events, count) : NULL;
   if (!room)
      return !count;
   memcpy(room, words, count * sizeof *words);
   for (const uint32_t *word = room; word < room + count; word = cm_event_next(word)) {
      struct cm_quad *quads = (struct cm_quad *)(room + (word - room) + 2);
      for (uint32_t q = 0; has_quads(*word) && q < cm_event_count(*word); q++)
         (void)is_divided(band, &quads[q], &quads[q].primitive);
   }
   events->num_words += count;
   return true;
}

/* Writes a group some of whose quads are of divided triangles. */
static bool
write_group(struct cm_guard_band *band, struct cm_tile_events *events, const uint32_t *group,
            const uint32_t *end)
{
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   for (uint32_t q = 0; q < cm_event_count(*group); q++) {
      struct part_quad alone = {
         .group = group,
         .end = end,
         .number = q,
         .is_unshaded = cm_event_type(*group) == CM_EVENT_UNSHADED,
      };
      const bool ok = is_divided(band, &quads[q], &alone.primitive)
                         ? write_triangle(band, events, alone.primitive)
                         : write_quads(events, &alone, 1);
      if (!ok)
         return false;
   }
   return true;
}

/* Whether quads of the group are joined with others. */
static bool
is_joined(const struct cm_guard_band *band, const uint32_t *group, uint32_t runs)
{
   const struct cm_quad *quads = (const struct cm_quad *)(group + 2);
   bool joined = false;
   uint32_t primitive;
   for (uint32_t q = 0; runs == 1 && q < cm_event_count(*group); q++)
      joined |= is_divided(band, &quads[q], &primitive);
   return joined;
}

/* Writes the events of one draw between two flushes. */
static bool
write_draw(struct cm_guard_band *band, struct cm_tile_events *events, const uint32_t *words,
           const uint32_t *end)
{
   uint32_t runs;
   const uint32_t *next, *kept = words;
   band->num_quads = 0;
   for (const uint32_t *group = words; group < end; group = next) {
      next = group_end(group, end, &runs);
      if (is_joined(band, group, runs) && !collect(band, group, next))
         return false;
   }
   if (band->num_quads)
      qsort(band->quads.data, band->num_quads, sizeof(struct part_quad), compare);
   for (const uint32_t *group = words; band->num_quads && group < end; group = next) {
      next = group_end(group, end, &runs);
      if (!is_joined(band, group, runs))
         continue;
      if (!copy_words(band, events, kept, group) || !write_group(band, events, group, next))
         return false;
      kept = next;
   }
   return copy_words(band, events, kept, end);
}

/* The end of the draw's events, up to a flush. */
static const uint32_t *
draw_end(const uint32_t *word, const uint32_t *end)
{
   const uint32_t draw = word[1];
   while (word < end && (cm_event_is_of_run(*word) || (has_quads(*word) && word[1] == draw)))
      word = cm_event_next(word);
   return word;
}

bool
cm_guard_band_tile(struct cm_guard_band *band, uint32_t tile)
{
   if (!band->clipped)
      return true;
   const struct cm_tile_events *clipped = &band->clipped->tiles[tile];
   struct cm_tile_events *events = &band->pass.tiles[tile];
   events->is_in_order = clipped->is_in_order;
   const uint32_t *word = clipped->words, *end = word + clipped->num_words;
   while (word < end) {
      const bool is_draw = has_quads(*word);
      const uint32_t *next = is_draw ? draw_end(word, end) : cm_event_next(word);
      if (!(is_draw ? write_draw(band, events, word, next) : copy_words(band, events, word, next)))
         return false;
      word = next;
   }
   return true;
}

void
cm_guard_band_release(struct cm_guard_band *band, uint32_t tile)
{
   if (!band->clipped)
      return;
   free(band->pass.tiles[tile].words);
   band->pass.tiles[tile] = (struct cm_tile_events){0};
}

void
cm_guard_band_end(struct cm_guard_band *band)
{
   for (uint32_t t = 0; band->clipped && t < band->pass.tiles_x * band->pass.tiles_y; t++)
      cm_guard_band_release(band, t);
   band->clipped = NULL;
}

void
cm_guard_band_finish(struct cm_guard_band *band)
{
   cm_guard_band_end(band);
   CM_FREE_ARRAYS(&band->primitives, &band->primitive_tiles, &band->numbers, &band->divided, &band->tiles,
                  &band->quads);
}
