/* SPDX-License-Identifier: MIT */
#include "memory/attribution.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "access/access_unit.h"
#include "config/config.h"
#include "memory/cache.h"

/** Numbers of origins at first. */
#define FIRST_WRITING (1u << 16)
/** Slots of the hash table of pages at first. */
#define FIRST_SLOTS 256

/* ---- the columns ------------------------------------------------------------- */

bool
cm_config_attributes_by(const struct cm_config *config, enum cm_origin_part part)
{
   switch (part) {
   case CM_ORIGIN_PASS: return config->attribution.pass;
   case CM_ORIGIN_DRAW: return config->attribution.draw;
   case CM_ORIGIN_RESOURCE: return config->attribution.texture;
   default: return config->attribution.tile;
   }
}

static uint32_t
asked_parts(const struct cm_config *config)
{
   uint32_t asked = 0;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      asked |= (uint32_t)cm_config_attributes_by(config, (enum cm_origin_part)part) << part;
   return asked;
}

bool
cm_config_attributes(const struct cm_config *config)
{
   return asked_parts(config);
}

uint32_t
cm_config_attributed_parts(const struct cm_config *config)
{
   const uint32_t asked = asked_parts(config), by_pass = 1u << CM_ORIGIN_PASS;
   return asked == by_pass ? asked : asked & ~by_pass;
}

static void
number_columns(struct cm_attribution *attribution, const struct cm_config *config, uint32_t num_stage_columns)
{
   uint32_t column = 0;
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      const bool is_dram = unit == CM_UNIT_DRAM;
      for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
         const bool is_there =
            is_dram || (config->caches[unit].size &&
                        cm_stream_reaches(config, (enum cm_stream)stream, (enum cm_unit)unit));
         attribution->first_column[unit][stream] = is_there ? column : CM_NO_COLUMN;
         if (!is_there)
            continue;
         attribution->streams_of[unit].first[attribution->streams_of[unit].count++] = column;
         column += is_dram ? (uint32_t)CM_DRAM_EVENT_COUNT : (uint32_t)CM_CACHE_EVENT_COUNT;
      }
   }
   attribution->first_of_access_units = column;
   for (unsigned u = 0; u < CM_ACCESS_UNIT_COUNT; u++)
      column = config->access_units[u].entries
                  ? attribution->first_of_access_units + (u + 1) * CM_ACCESS_UNIT_EVENTS
                  : column;
   attribution->first_of_stages = column;
   attribution->num_columns = column + num_stage_columns;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      attribution->tables[part].num_columns = attribution->num_columns;
}

static struct cm_attribution_cursor *
cursor_at(struct cm_attribution *attribution, unsigned c)
{
   struct cm_attribution_cursor *const cursors[] = {
      &attribution->stages,
      &attribution->stages_other,
      &attribution->shared,
      &attribution->shared_other,
   };
   return cursors[c];
}
#define NUM_CURSORS 4

static bool
start_cursors(struct cm_attribution *attribution)
{
   attribution->stages.other = attribution->stages_other.other = &attribution->stages_other;
   attribution->shared.other = attribution->shared_other.other = &attribution->shared_other;
   attribution->cursor = &attribution->stages;
   for (unsigned c = 0; c < NUM_CURSORS; c++) {
      struct cm_attribution_cursor *cursor = cursor_at(attribution, c);
      cursor->stale = attribution->batched;
      cursor->resource_row = CM_NO_ROW;
      cursor->resource = cursor->new_resource =
         calloc(attribution->num_columns, sizeof *cursor->new_resource);
      cursor->pending = calloc(attribution->num_columns, sizeof *cursor->pending);
      cursor->touched = calloc(attribution->num_columns, sizeof *cursor->touched);
      if (!cursor->pending || !cursor->touched || !cursor->new_resource)
         return false;
   }
   return true;
}

/* The tables that are asked for. Rows of one by draws, resources or tiles add up to those by passes. */
static void
add_tables(struct cm_attribution *attribution, const struct cm_config *config)
{
   attribution->has_part[CM_ORIGIN_PASS] = true; /* the others are numbered within it */
   attribution->asked = asked_parts(config);
   assert(attribution->asked);
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      attribution->tables[part].part = (enum cm_origin_part)part;
      attribution->has_part[part] |= attribution->asked >> part & 1;
   }
   attribution->batched = cm_config_attributed_parts(config) & ~(1u << CM_ORIGIN_RESOURCE);
}

struct cm_attribution *
cm_attribution_create(const struct cm_config *config, uint32_t num_stage_columns)
{
   struct cm_attribution *attribution = calloc(1, sizeof *attribution);
   if (!attribution)
      return NULL;
   add_tables(attribution, config);
   attribution->num_writing = 1;
   attribution->max_writing = FIRST_WRITING;
   number_columns(attribution, config, num_stage_columns);
   attribution->lost = calloc(attribution->num_columns, sizeof *attribution->lost);
   if (!attribution->lost || !start_cursors(attribution)) {
      cm_attribution_destroy(attribution);
      return NULL;
   }
   return attribution;
}

void
cm_attribution_destroy(struct cm_attribution *attribution)
{
   if (!attribution)
      return;
   for (unsigned t = 0; t < CM_ORIGIN_COUNT; t++)
      cm_attribution_table_finish(&attribution->tables[t]);
   for (unsigned c = 0; c < NUM_CURSORS; c++) {
      free(cursor_at(attribution, c)->pending);
      free(cursor_at(attribution, c)->touched);
      free(cursor_at(attribution, c)->new_resource);
   }
   free(attribution->lost);
   free(attribution->writing.data);
   free(attribution->caches.data);
   free(attribution);
}

/* ---- rows -------------------------------------------------------------------- */

/* Nothing is pending of it. */
static void
empty_cursor(struct cm_attribution_cursor *cursor)
{
   for (uint32_t i = 0; i < cursor->num_touched; i++)
      cursor->pending[cursor->touched[i]] = 0;
   cursor->num_touched = 0;
}

void
cm_attribution_clear(struct cm_attribution *attribution)
{
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      cm_attribution_table_clear(&attribution->tables[part]);
   for (unsigned c = 0; c < NUM_CURSORS; c++) {
      struct cm_attribution_cursor *cursor = cursor_at(attribution, c);
      empty_cursor(cursor);
      cursor->stale = attribution->batched;
      cursor->resource = cursor->new_resource;
      cursor->resource_row = CM_NO_ROW;
      memset(cursor->new_resource, 0, attribution->num_columns * sizeof *cursor->new_resource);
   }
}

static uint64_t *
row_at(const struct cm_attribution *attribution, const struct cm_attribution_table *table, uint32_t row)
{
   assert(row == CM_NO_ROW || row < table->keys.count);
   return row == CM_NO_ROW ? attribution->lost : cm_attribution_table_row(table, row);
}

/* The rows of a table are not where they were. */
static void
move_rows(struct cm_attribution *attribution, const struct cm_attribution_table *table)
{
   for (unsigned c = 0; c < NUM_CURSORS; c++) {
      struct cm_attribution_cursor *cursor = cursor_at(attribution, c);
      if (table->part != CM_ORIGIN_RESOURCE)
         cursor->stale |= attribution->batched & 1u << table->part;
      else if (cursor->resource_row != CM_NO_ROW)
         cursor->resource = row_at(attribution, table, cursor->resource_row);
   }
}

static __attribute__((noinline)) uint32_t
add_row(struct cm_attribution *attribution, struct cm_attribution_table *table, struct cm_attributed key)
{
   const void *values = table->values.data;
   const uint32_t row = cm_attribution_table_add(table, key);
   if (table->values.data != values)
      move_rows(attribution, table);
   attribution->out_of_memory |= row == CM_NO_ROW;
   return row;
}

/* The row of an origin; CM_NO_ROW when out of memory. */
static inline uint32_t
find_row(struct cm_attribution *attribution, struct cm_attribution_table *table,
         const struct cm_origin *origin)
{
   const struct cm_attributed key = cm_attribution_table_key(table, origin);
   const uint32_t known = cm_attribution_table_find(table, key);
   return known != CM_NO_ROW ? known : add_row(attribution, table, key);
}

static inline bool
is_row_of_resource(const struct cm_attribution_table *table, uint32_t row, const struct cm_origin *origin)
{
   return row < table->keys.count && table->keys.ids[row] == ((uint64_t)origin->parts[CM_ORIGIN_PASS] << 32 |
                                                              origin->parts[CM_ORIGIN_RESOURCE]);
}

/* Finds the row of the resource of a cursor, which has none. */
static inline void
find_resource(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor)
{
   assert(attribution->has_part[CM_ORIGIN_RESOURCE]);
   struct cm_attribution_table *table = &attribution->tables[CM_ORIGIN_RESOURCE];
   uint32_t *recent =
      &attribution->recent[cursor->origin.parts[CM_ORIGIN_RESOURCE] % CM_RECENT_RESOURCES].row;
   if (!is_row_of_resource(table, *recent, &cursor->origin)) {
      const uint32_t row = find_row(attribution, table, &cursor->origin);
      *recent = row;
   }
   cursor->resource_row = *recent;
   cursor->resource = row_at(attribution, table, cursor->resource_row);
}

/* Adds the counts of a resource that had no row. */
static void
add_new_resource(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor)
{
   assert(cursor->resource == cursor->new_resource);
   bool is_counted = false;
   for (uint32_t c = 0; c < attribution->num_columns; c++)
      is_counted |= cursor->new_resource[c] != 0;
   if (!is_counted)
      return;
   find_resource(attribution, cursor);
   for (uint32_t c = 0; c < attribution->num_columns; c++) {
      cursor->resource[c] += cursor->new_resource[c];
      cursor->new_resource[c] = 0;
   }
}

static __attribute__((noinline)) void
find_rows(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor)
{
   assert(!(cursor->stale & ~attribution->batched));
   /* A new row may make others stale. */
   while (cursor->stale) {
      const unsigned part = (unsigned)__builtin_ctz(cursor->stale);
      struct cm_attribution_table *table = &attribution->tables[part];
      cursor->rows[part] = row_at(attribution, table, find_row(attribution, table, &cursor->origin));
      cursor->stale &= ~(1u << part);
   }
}

static inline void
add_to_row(const struct cm_attribution_cursor *cursor, uint64_t *restrict row)
{
   const uint32_t *touched = cursor->touched;
   const uint64_t *pending = cursor->pending;
   const uint32_t count = cursor->num_touched;
   for (uint32_t i = 0; i < count; i++)
      row[touched[i]] += pending[touched[i]];
}

void
cm_attribution_add_pending(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor)
{
   if (cursor->stale)
      find_rows(attribution, cursor);
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      if (attribution->batched >> part & 1)
         add_to_row(cursor, cursor->rows[part]);
   }
   empty_cursor(cursor);
}

/* Adds all its counts to rows. */
static void
add_all(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor)
{
   if (cursor->num_touched)
      cm_attribution_add_pending(attribution, cursor);
   if (attribution->has_part[CM_ORIGIN_RESOURCE] && cursor->resource == cursor->new_resource)
      add_new_resource(attribution, cursor);
}

static inline __attribute__((always_inline)) void
change_part(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor,
            enum cm_origin_part part, uint32_t number)
{
   if (part != CM_ORIGIN_RESOURCE && cursor->num_touched)
      cm_attribution_add_pending(attribution, cursor);
   if (cursor->resource == cursor->new_resource && attribution->has_part[CM_ORIGIN_RESOURCE])
      add_new_resource(attribution, cursor);
   cursor->origin.parts[part] = number;
   cursor->number = 0;
   cursor->stale |= attribution->batched & (part == CM_ORIGIN_PASS ? ~0u : 1u << part);
   if (attribution->emitted_by == cursor)
      attribution->emitted_by = NULL;
}

static inline bool
selects_resource(const struct cm_attribution *attribution, enum cm_origin_part part)
{
   return (part == CM_ORIGIN_RESOURCE || part == CM_ORIGIN_PASS) && attribution->has_part[CM_ORIGIN_RESOURCE];
}

void
cm_attribution_change_part(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor,
                           enum cm_origin_part part, uint32_t number)
{
   assert(part < CM_ORIGIN_COUNT);
   if (part == CM_ORIGIN_RESOURCE)
      change_part(attribution, cursor, CM_ORIGIN_RESOURCE, number);
   else
      change_part(attribution, cursor, part, number);
   if (selects_resource(attribution, part))
      find_resource(attribution, cursor);
}

void
cm_attribution_set_origin(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor,
                          const struct cm_origin *origin, uint32_t number)
{
   bool changes_resource = false;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      if (cursor->origin.parts[part] == origin->parts[part])
         continue;
      change_part(attribution, cursor, (enum cm_origin_part)part, origin->parts[part]);
      changes_resource |= selects_resource(attribution, (enum cm_origin_part)part);
   }
   if (changes_resource)
      find_resource(attribution, cursor);
   cursor->number = number ? number : cursor->number;
}

/* ---- tables ------------------------------------------------------------------ */

void
cm_attribution_add_table(struct cm_attribution *attribution, const struct cm_attribution_table *added,
                         uint32_t first_column)
{
   assert(first_column + added->num_columns <= attribution->num_columns);
   struct cm_attribution_table *table = &attribution->tables[added->part];
   for (uint32_t r = 0; r < added->keys.count; r++) {
      const uint64_t *from = cm_attribution_table_row(added, r);
      const struct cm_attributed key = cm_attribution_table_row_key(added, r);
      uint64_t *to = row_at(attribution, table, add_row(attribution, table, key));
      for (uint32_t c = 0; c < added->num_columns; c++)
         to[first_column + c] += from[c];
   }
}

/* Makes the table by passes of the rows of another one. */
static void
sum_passes(struct cm_attribution *attribution)
{
   assert(attribution->asked & ~(1u << CM_ORIGIN_PASS));
   const struct cm_attribution_table *table =
      &attribution->tables[__builtin_ctz(attribution->asked & ~(1u << CM_ORIGIN_PASS))];
   struct cm_attribution_table *passes = &attribution->tables[CM_ORIGIN_PASS];
   cm_attribution_table_clear(passes);
   for (uint32_t r = 0; r < table->keys.count; r++) {
      const uint32_t pass = cm_attribution_table_row_key(table, r).pass;
      const uint64_t *from = row_at(attribution, table, r);
      const uint32_t row = find_row(attribution, passes, &(struct cm_origin){{[CM_ORIGIN_PASS] = pass}});
      uint64_t *to = row_at(attribution, passes, row);
      for (uint32_t c = 0; c < attribution->num_columns; c++)
         to[c] += from[c];
   }
}

const struct cm_attribution_table *
cm_attribution_table(struct cm_attribution *attribution, enum cm_origin_part part)
{
   assert(part < CM_ORIGIN_COUNT);
   if (!(attribution->asked >> part & 1))
      return NULL;
   for (unsigned c = 0; c < NUM_CURSORS; c++)
      add_all(attribution, cursor_at(attribution, c));
   if (part == CM_ORIGIN_PASS && attribution->asked != 1u << CM_ORIGIN_PASS)
      sum_passes(attribution);
   return &attribution->tables[part];
}

/* ---- counts ------------------------------------------------------------------ */

/* events: of a unit's stream. */
static inline uint64_t
value_of(const uint64_t *events, const struct cm_counter *counter)
{
   if (counter->unit == CM_UNIT_DRAM || counter->event != CM_CACHE_EVENT_HITS)
      return events[counter->event];
   return events[CM_CACHE_EVENT_READS] + events[CM_CACHE_EVENT_WRITES] - events[CM_CACHE_EVENT_MISSES] -
          events[CM_CACHE_EVENT_BYPASSES];
}

uint64_t
cm_attribution_value(const struct cm_attribution *attribution, const uint64_t *row,
                     const struct cm_counter *counter)
{
   if (counter->unit < 0)
      return row[attribution->first_of_access_units + (uint32_t)counter->event];
   if (counter->stream >= 0)
      return value_of(row + attribution->first_column[counter->unit][counter->stream], counter);
   uint64_t sum = 0;
   for (uint32_t s = 0; s < attribution->streams_of[counter->unit].count; s++)
      sum += value_of(row + attribution->streams_of[counter->unit].first[s], counter);
   return sum;
}

/* ---- writers ------------------------------------------------------------------ */

static inline struct cm_origin *
writing_origin(const struct cm_attribution *attribution, uint32_t number)
{
   return &((struct cm_origin *)attribution->writing.data)[number];
}

/* The slot of a page, or where it would be. */
static uint32_t
find_page_slot(const struct cm_writers *writers, uint64_t number)
{
   assert(writers->num_slots && !(writers->num_slots & (writers->num_slots - 1)));
   uint32_t slot = (uint32_t)cm_id_hash(number) & (writers->num_slots - 1);
   while (writers->pages[slot] && writers->pages[slot]->number != number)
      slot = (slot + 1) & (writers->num_slots - 1);
   return slot;
}

/* The page of a block; NULL: it has none. */
static inline struct cm_writers_page *
find_page(struct cm_writers *writers, uint64_t block)
{
   const uint64_t number = block >> CM_WRITERS_PAGE_SHIFT;
   if (writers->last && writers->last->number == number)
      return writers->last;
   struct cm_writers_page *page = writers->num_slots ? writers->pages[find_page_slot(writers, number)] : NULL;
   writers->last = page ? page : writers->last;
   return page;
}

/* Makes room for another page: the table is at most half full. Pages without writers are freed. */
static bool
widen_pages(struct cm_writers *writers)
{
   if (2 * (writers->num_pages + 1) <= writers->num_slots)
      return true;
   struct cm_writers wider = {.num_slots = FIRST_SLOTS};
   uint32_t used = 0;
   for (uint32_t slot = 0; slot < writers->num_slots; slot++)
      used += writers->pages[slot] && writers->pages[slot]->used;
   while (wider.num_slots < 4 * (used + 1))
      wider.num_slots *= 2;
   wider.pages = calloc(wider.num_slots, sizeof *wider.pages);
   if (!wider.pages)
      return false;
   for (uint32_t slot = 0; slot < writers->num_slots; slot++) {
      struct cm_writers_page *page = writers->pages[slot];
      if (page && page->used) {
         wider.pages[find_page_slot(&wider, page->number)] = page;
         wider.num_pages++;
      } else {
         free(page);
      }
   }
   free(writers->pages);
   *writers = wider;
   return true;
}

static struct cm_writers_page *
add_page(struct cm_writers *writers, uint64_t block)
{
   struct cm_writers_page *page = widen_pages(writers) ? calloc(1, sizeof *page) : NULL;
   if (!page)
      return NULL;
   page->number = block >> CM_WRITERS_PAGE_SHIFT;
   writers->pages[find_page_slot(writers, page->number)] = page;
   writers->num_pages++;
   writers->last = page;
   return page;
}

static inline uint32_t *
number_in(struct cm_writers_page *page, uint64_t block)
{
   return &page->numbers[block & ((1u << CM_WRITERS_PAGE_SHIFT) - 1)];
}

void
cm_writers_finish(struct cm_writers *writers)
{
   for (uint32_t slot = 0; slot < writers->num_slots; slot++)
      free(writers->pages[slot]);
   free(writers->pages);
   *writers = (struct cm_writers){0};
}

/* Gives the origins of dirty blocks the first numbers, so that those of others are free. */
static bool
renumber(struct cm_attribution *attribution)
{
   const struct cm_origin *former = attribution->writing.data;
   uint32_t *numbers = calloc(attribution->num_writing, sizeof *numbers);
   struct cm_array kept = {0};
   uint32_t next = 1;
   if (!numbers || !cm_array_reserve(&kept, attribution->max_writing, sizeof *former)) {
      free(numbers);
      return false;
   }
   for (uint32_t c = 0; c < attribution->num_caches; c++) {
      const struct cm_writers *writers = &((struct cm_cache *const *)attribution->caches.data)[c]->writers;
      for (uint32_t slot = 0; slot < writers->num_slots; slot++) {
         for (uint32_t b = 0; writers->pages[slot] && b < 1u << CM_WRITERS_PAGE_SHIFT; b++) {
            uint32_t *number = &writers->pages[slot]->numbers[b];
            if (*number && !numbers[*number]) {
               ((struct cm_origin *)kept.data)[next] = former[*number];
               numbers[*number] = next++;
            }
            *number = *number ? numbers[*number] : 0;
         }
      }
   }
   free(numbers);
   free(attribution->writing.data);
   attribution->writing = kept;
   attribution->num_writing = next;
   for (unsigned c = 0; c < NUM_CURSORS; c++)
      cursor_at(attribution, c)->number = 0;
   for (unsigned r = 0; r < CM_RECENT_RESOURCES; r++)
      attribution->recent[r].writer = 0;
   attribution->renumbered++;
   if (next > attribution->max_writing / 2)
      attribution->max_writing *= 2;
   return true;
}

/* The number of a new writer; 0 when out of memory. */
static uint32_t
add_writing(struct cm_attribution *attribution, const struct cm_origin *origin)
{
   if (attribution->num_writing == attribution->max_writing && !renumber(attribution))
      return 0;
   if (!cm_array_extend(&attribution->writing, attribution->num_writing + 1, sizeof *origin))
      return 0;
   *writing_origin(attribution, attribution->num_writing) = *origin;
   return attribution->num_writing++;
}

/* The number of the current origin among the writers; 0 when out of memory. An origin may have several. */
static inline uint32_t
number_origin(struct cm_attribution *attribution)
{
   struct cm_attribution_cursor *cursor = attribution->cursor;
   if (cursor->number)
      return cursor->number;
   uint32_t *recent =
      &attribution->recent[cursor->origin.parts[CM_ORIGIN_RESOURCE] % CM_RECENT_RESOURCES].writer;
   if (!*recent || !cm_origins_equal(writing_origin(attribution, *recent), &cursor->origin)) {
      const uint32_t number = add_writing(attribution, &cursor->origin);
      *recent = number;
   }
   cursor->number = *recent;
   return cursor->number;
}

void
cm_attribution_write(struct cm_attribution *attribution, struct cm_writers *writers, uint64_t block)
{
   const uint32_t writer = number_origin(attribution);
   struct cm_writers_page *page = find_page(writers, block);
   page = page ? page : add_page(writers, block);
   if (!writer || !page) {
      attribution->out_of_memory = true;
      return;
   }
   uint32_t *number = number_in(page, block);
   page->used += !*number;
   *number = writer;
}

static inline struct cm_attribution_former
former_of(const struct cm_attribution *attribution)
{
   const struct cm_attribution_cursor *cursor = attribution->cursor;
   return (struct cm_attribution_former){attribution->cursor, cursor->origin, cursor->number,
                                         attribution->renumbered};
}

static struct cm_attribution_former
change_origin(struct cm_attribution *attribution, const struct cm_origin *origin, uint32_t number)
{
   const struct cm_attribution_former former = former_of(attribution);
   attribution->cursor = attribution->cursor->other;
   cm_attribution_set_origin(attribution, attribution->cursor, origin, number);
   return former;
}

struct cm_attribution_former
cm_attribution_begin(struct cm_attribution *attribution, const struct cm_origin *origin)
{
   return change_origin(attribution, origin, 0);
}

struct cm_attribution_former
cm_attribution_begin_write_back(struct cm_attribution *attribution, struct cm_cache *cache, uint64_t block)
{
   struct cm_writers_page *page = find_page(&cache->writers, block);
   const uint32_t writer = page ? *number_in(page, block) : 0;
   if (!writer)
      return former_of(attribution);
   *number_in(page, block) = 0;
   page->used--;
   return change_origin(attribution, writing_origin(attribution, writer), writer);
}

void
cm_attribution_end(struct cm_attribution *attribution, const struct cm_attribution_former *former)
{
   attribution->cursor = former->cursor;
   /* That of a write-back in which there was another one. Numbers may have been reassigned in between. */
   if (former->cursor == former->cursor->other)
      cm_attribution_set_origin(attribution, former->cursor, &former->origin,
                                former->renumbered == attribution->renumbered ? former->number : 0);
}

bool
cm_attribution_add_cache(struct cm_attribution *attribution, struct cm_cache *cache)
{
   if (!cm_array_extend(&attribution->caches, attribution->num_caches + 1, sizeof cache))
      return false;
   ((struct cm_cache **)attribution->caches.data)[attribution->num_caches++] = cache;
   cache->attribution = attribution;
   cache->only_appends = false;
   cache->columns = attribution->first_column[cache->unit];
   return true;
}

/* ---- entries ------------------------------------------------------------------- */

void
cm_attribution_emit_changes(struct cm_attribution *attribution, struct cm_access_stream *stream)
{
   const struct cm_origin from = attribution->emitted;
   attribution->emitted_by = attribution->cursor;
   if (cm_origins_equal(&from, &attribution->cursor->origin))
      return;
   attribution->emitted = attribution->cursor->origin;
   cm_access_stream_append_origin(stream, &from, &attribution->emitted);
}
