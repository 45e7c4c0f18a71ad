/* SPDX-License-Identifier: MIT */
#include "memory/attribution.h"

#include <stdlib.h>
#include <string.h>

#include "access/access_unit.h"
#include "config/config.h"
#include "memory/cache.h"

/** When out of memory. */
#define NO_ROW UINT32_MAX
/** Numbers of origins at first. */
#define FIRST_WRITING (1u << 16)
/** Slots of a hash table at first. */
#define FIRST_SLOTS 256

/* A multiplication spreads what differs in the lower bits over the upper ones (Knuth, The Art of Computer
 * Programming 3, 6.4). */
static inline uint64_t
hash(uint64_t key)
{
   return key * 0x9e3779b97f4a7c15ull >> 32;
}

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

bool
cm_config_attributes(const struct cm_config *config)
{
   bool does = false;
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++)
      does |= cm_config_attributes_by(config, (enum cm_origin_part)part);
   return does;
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
}

struct cm_attribution *
cm_attribution_create(const struct cm_config *config, uint32_t num_stage_columns)
{
   struct cm_attribution *attribution = calloc(1, sizeof *attribution);
   if (!attribution)
      return NULL;
   attribution->has_part[CM_ORIGIN_PASS] = true; /* the others are numbered within it */
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      if (!cm_config_attributes_by(config, (enum cm_origin_part)part))
         continue;
      attribution->has_part[part] = true;
      attribution->stale_with[part] |= 1u << attribution->num_tables;
      attribution->stale_with[CM_ORIGIN_PASS] |= 1u << attribution->num_tables;
      attribution->tables[attribution->num_tables++].part = (enum cm_origin_part)part;
   }
   attribution->clears = 1;
   attribution->num_writing = 1;
   attribution->max_writing = FIRST_WRITING;
   attribution->stages.stale = attribution->shared.stale = attribution->stale_with[CM_ORIGIN_PASS];
   number_columns(attribution, config, num_stage_columns);
   attribution->cursor = &attribution->stages;
   attribution->lost = calloc(attribution->num_columns, sizeof *attribution->lost);
   if (!attribution->lost) {
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
   for (uint32_t t = 0; t < CM_ORIGIN_COUNT; t++) {
      free(attribution->tables[t].keys.data);
      free(attribution->tables[t].values.data);
      free(attribution->tables[t].slots.data);
   }
   free(attribution->lost);
   free(attribution->writing.data);
   free(attribution->caches.data);
   free(attribution);
}

const struct cm_attribution_table *
cm_attribution_table(const struct cm_attribution *attribution, enum cm_origin_part part)
{
   for (uint32_t t = 0; t < attribution->num_tables; t++) {
      if (attribution->tables[t].part == part)
         return &attribution->tables[t];
   }
   return NULL;
}

/* ---- rows -------------------------------------------------------------------- */

/* They are not where they were. */
static void
forget_rows(struct cm_attribution *attribution)
{
   attribution->clears++;
   attribution->stages.stale = attribution->shared.stale = attribution->stale_with[CM_ORIGIN_PASS];
}

void
cm_attribution_clear(struct cm_attribution *attribution)
{
   for (uint32_t t = 0; t < attribution->num_tables; t++) {
      struct cm_attribution_table *table = &attribution->tables[t];
      table->num_rows = 0;
      if (table->num_slots)
         memset(table->slots.data, 0, table->num_slots * sizeof(uint32_t));
   }
   forget_rows(attribution);
}

static uint32_t *
find_slot(const struct cm_attribution_table *table, struct cm_attributed key)
{
   const struct cm_attributed *keys = table->keys.data;
   uint32_t *slots = table->slots.data;
   uint64_t slot = hash((uint64_t)key.pass << 32 | key.number);
   for (;; slot++) {
      uint32_t *found = &slots[slot & (table->num_slots - 1)];
      if (!*found || (keys[*found - 1].pass == key.pass && keys[*found - 1].number == key.number))
         return found;
   }
}

/* Room in the hash table for another row: it is at most half full. */
static bool
widen_slots(struct cm_attribution_table *table)
{
   if (2 * (table->num_rows + 1) <= table->num_slots)
      return true;
   const uint32_t num_slots = table->num_slots ? 2 * table->num_slots : FIRST_SLOTS;
   if (!cm_array_reserve(&table->slots, num_slots, sizeof(uint32_t))) {
      table->num_slots = 0; /* what they had is lost: keys has it */
      return false;
   }
   memset(table->slots.data, 0, num_slots * sizeof(uint32_t));
   table->num_slots = num_slots;
   for (uint32_t row = 0; row < table->num_rows; row++)
      *find_slot(table, ((const struct cm_attributed *)table->keys.data)[row]) = row + 1;
   return true;
}

/* Appends a row of zeros; its number, or NO_ROW when out of memory. */
static uint32_t
append_row(struct cm_attribution *attribution, struct cm_attribution_table *table, struct cm_attributed key)
{
   const size_t row_bytes = attribution->num_columns * sizeof(uint64_t);
   const uint32_t row = table->num_rows;
   const void *values = table->values.data;
   if (!cm_array_extend(&table->keys, row + 1, sizeof key) ||
       !cm_array_extend(&table->values, row + 1, row_bytes))
      return NO_ROW;
   ((struct cm_attributed *)table->keys.data)[row] = key;
   memset((char *)table->values.data + row * row_bytes, 0, row_bytes);
   table->num_rows++;
   if (table->values.data != values)
      forget_rows(attribution);
   return row;
}

/* The row of an origin; NO_ROW when out of memory. */
static uint32_t
find_row(struct cm_attribution *attribution, struct cm_attribution_table *table,
         const struct cm_origin *origin)
{
   const struct cm_attributed key = {
      .pass = origin->parts[CM_ORIGIN_PASS],
      .number = table->part == CM_ORIGIN_PASS ? 0 : origin->parts[table->part],
   };
   uint32_t *slot = widen_slots(table) ? find_slot(table, key) : NULL;
   if (slot && !*slot)
      *slot = append_row(attribution, table, key) + 1;
   if (slot && *slot)
      return *slot - 1;
   attribution->out_of_memory = true;
   return NO_ROW;
}

static uint64_t *
row_at(const struct cm_attribution *attribution, uint32_t table, uint32_t row)
{
   return row == NO_ROW
             ? attribution->lost
             : (uint64_t *)attribution->tables[table].values.data + (uint64_t)row * attribution->num_columns;
}

static uint32_t
row_number(const struct cm_attribution *attribution, uint32_t table, const uint64_t *row)
{
   return row == attribution->lost
             ? NO_ROW
             : (uint32_t)((row - (const uint64_t *)attribution->tables[table].values.data) /
                          attribution->num_columns);
}

/* What a writer's rows were found to be, as long as they are there. */
static struct cm_writing_origin *
remembered(const struct cm_attribution *attribution, uint32_t number)
{
   return number ? &((struct cm_writing_origin *)attribution->writing.data)[number] : NULL;
}

static void
remember_rows(const struct cm_attribution *attribution, struct cm_writing_origin *writing)
{
   for (uint32_t t = 0; t < attribution->num_tables; t++)
      writing->rows[t] = row_number(attribution, t, attribution->cursor->rows[t]);
   writing->clears = attribution->clears;
}

void
cm_attribution_find_rows(struct cm_attribution *attribution)
{
   struct cm_attribution_cursor *cursor = attribution->cursor;
   struct cm_writing_origin *writing = remembered(attribution, cursor->number);
   const bool is_known = writing && writing->clears == attribution->clears;
   /* A new row may make those of other tables stale. */
   while (cursor->stale) {
      const uint32_t table = (uint32_t)__builtin_ctz(cursor->stale);
      const uint32_t row = is_known ? writing->rows[table]
                                    : find_row(attribution, &attribution->tables[table], &cursor->origin);
      cursor->rows[table] = row_at(attribution, table, row);
      cursor->stale &= ~(1u << table);
   }
   if (writing && !is_known)
      remember_rows(attribution, writing);
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

/* The slot of a page, or where it would be. */
static uint32_t
find_page_slot(const struct cm_writers *writers, uint64_t number)
{
   uint32_t slot = (uint32_t)hash(number) & (writers->num_slots - 1);
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

/* Room for another page: the table is at most half full. Pages without writers are freed. */
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
   const struct cm_writing_origin *former = attribution->writing.data;
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
               ((struct cm_writing_origin *)kept.data)[next] = former[*number];
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
   attribution->stages.number = attribution->shared.number = 0;
   attribution->renumbered++;
   if (next > attribution->max_writing / 2)
      attribution->max_writing *= 2;
   return true;
}

/* The number of the current origin among the writers; 0 when out of memory. */
static uint32_t
number_origin(struct cm_attribution *attribution)
{
   struct cm_attribution_cursor *cursor = attribution->cursor;
   if (cursor->number)
      return cursor->number;
   if (attribution->num_writing == attribution->max_writing && !renumber(attribution))
      return 0;
   if (!cm_array_extend(&attribution->writing, attribution->num_writing + 1,
                        sizeof(struct cm_writing_origin)))
      return 0;
   cursor->number = attribution->num_writing++;
   struct cm_writing_origin *writing = remembered(attribution, cursor->number);
   *writing = (struct cm_writing_origin){.origin = cursor->origin};
   if (cursor->stale)
      cm_attribution_find_rows(attribution);
   remember_rows(attribution, writing);
   return cursor->number;
}

void
cm_attribution_access(struct cm_attribution *attribution, struct cm_cache *cache, uint64_t address,
                      enum cm_stream stream, enum cm_access access)
{
   const uint64_t block = address >> cache->block_shift;
   const unsigned event = access == CM_READ ? CM_CACHE_EVENT_READS : CM_CACHE_EVENT_WRITES;
   cm_attribution_count_event(attribution, cache->unit, stream, event, 1);
   if (access == CM_READ)
      return;
   const uint32_t writer = number_origin(attribution);
   struct cm_writers_page *page = find_page(&cache->writers, block);
   page = page ? page : add_page(&cache->writers, block);
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
   return (struct cm_attribution_former){*attribution->cursor, attribution->clears, attribution->renumbered};
}

/* Changes the origin of a side; those rows stay that are the same. */
static struct cm_attribution_former
change_origin(struct cm_attribution *attribution, const struct cm_origin *origin, uint32_t number)
{
   struct cm_attribution_cursor *cursor = attribution->cursor;
   const struct cm_attribution_former former = former_of(attribution);
   for (unsigned part = 0; part < CM_ORIGIN_COUNT; part++) {
      if (cursor->origin.parts[part] != origin->parts[part])
         cursor->stale |= attribution->stale_with[part];
   }
   cursor->origin = *origin;
   cursor->number = number;
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
   return change_origin(attribution, &remembered(attribution, writer)->origin, writer);
}

void
cm_attribution_end(struct cm_attribution *attribution, const struct cm_attribution_former *former)
{
   struct cm_attribution_cursor *cursor = attribution->cursor;
   *cursor = former->cursor;
   if (former->clears != attribution->clears)
      cursor->stale = attribution->stale_with[CM_ORIGIN_PASS];
   /* Numbers may have been given anew in between. */
   if (former->renumbered != attribution->renumbered)
      cursor->number = 0;
}

bool
cm_attribution_add_cache(struct cm_attribution *attribution, struct cm_cache *cache)
{
   if (!cm_array_extend(&attribution->caches, attribution->num_caches + 1, sizeof cache))
      return false;
   ((struct cm_cache **)attribution->caches.data)[attribution->num_caches++] = cache;
   cache->attribution = attribution;
   cache->observes_evictions = true;
   cache->attributed = cache->outgoing;
   cache->outgoing = NULL;
   return true;
}

/* ---- entries ------------------------------------------------------------------- */

void
cm_attribution_emit(struct cm_attribution *attribution, struct cm_access_stream *stream)
{
   const struct cm_origin from = attribution->emitted;
   if (cm_origins_equal(&from, &attribution->stages.origin))
      return;
   attribution->emitted = attribution->stages.origin;
   cm_access_stream_append_origin(stream, &from, &attribution->emitted);
}
