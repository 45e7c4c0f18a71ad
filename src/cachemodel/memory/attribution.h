/* SPDX-License-Identifier: MIT */
/**
 * Attribution: counts each access and what it causes for the render pass, draw, resource and tile that made it,
 * in addition to the units' own counters. A write-back is counted for the block's last writer, whoever evicts it; the
 * eviction for the access that needs the line.
 *
 * The stages set the origin of their next accesses. Units count for the origin of their side: that of the stage that
 * runs, or on the shared side that of the entry that is served, from CM_ENTRY_ORIGIN entries. A unit's pointer
 * to the attribution is NULL where nothing is attributed.
 *
 * The sum of a column over the rows of a table is what the unit itself has counted since the last
 * cm_attribution_clear: nothing is lost, and nothing is counted twice.
 */
#ifndef CM_ATTRIBUTION_H
#define CM_ATTRIBUTION_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "access/access_stream.h"
#include "access/origin.h"
#include "config/units.h"
#include "memory/attribution_table.h"
#include "memory/counters.h"
#include "util/array.h"

struct cm_cache;
struct cm_config;

/** Counts for one origin. Those for its pass, draw and tile are added to the tables when another one of these follows;
 * the resource, which changes from one access to the next, gets its counts at once. */
struct cm_attribution_cursor {
   struct cm_origin origin;
   uint32_t number; /**< of the origin among the writers; 0: not known, or it has none yet */
   uint32_t stale;  /**< a bit for each of the tables below whose row is not that of the origin */
   uint64_t *rows[CM_ORIGIN_COUNT]; /**< by table; of those that are batched */
   uint64_t *resource;              /**< the row of the resource, or new_resource */
   uint32_t resource_row;           /**< its number in the table */
   uint64_t *new_resource;          /**< by column: counts of a resource that has no row yet */
   uint64_t *pending;               /**< by column: counts that `rows` do not have yet */
   uint32_t *touched;               /**< the columns of pending that are not 0 */
   uint32_t num_touched;
   struct cm_attribution_cursor *other; /**< that of the same side for accesses of another origin */
};

/** The last writers of the blocks of a cache that may be dirty, by pages of blocks. */
#define CM_WRITERS_PAGE_SHIFT 9
struct cm_writers_page {
   uint64_t number; /**< of the page: its first block's without the lowest bits */
   uint32_t used;   /**< numbers that are not 0 */
   uint32_t numbers[1 << CM_WRITERS_PAGE_SHIFT]; /**< of origins; 0: the block is not dirty */
};
struct cm_writers {
   struct cm_writers_page **pages; /**< a hash table; NULL: free */
   uint32_t num_slots;             /**< a power of two, or 0 */
   uint32_t num_pages;
   struct cm_writers_page *last; /**< the one that was used last; NULL: none */
};

#define CM_NO_COLUMN UINT32_MAX
#define CM_RECENT_RESOURCES 16

/** For a simulated GPU. */
struct cm_attribution {
   bool has_part[CM_ORIGIN_COUNT];                      /**< a table is by that part, or within it */
   struct cm_attribution_table tables[CM_ORIGIN_COUNT]; /**< by enum cm_origin_part */
   uint32_t asked; /**< a bit for each table that the configuration asks for */
   uint32_t
      batched; /**< of these the ones whose counts wait in a cursor: not those by resources, and by passes only
                      * where there is no other table of whose rows they can be made */
   uint32_t num_columns;
   /** The first column of a unit's stream, by enum cm_cache_event or enum cm_dram_event; that of hits stays 0.
    * CM_NO_COLUMN: the stream does not reach the unit. */
   uint32_t first_column[CM_UNIT_COUNT][CM_STREAM_COUNT];
   struct {
      uint32_t count;                  /**< streams that reach the unit */
      uint32_t first[CM_STREAM_COUNT]; /**< their first columns */
   } streams_of[CM_UNIT_COUNT];
   uint32_t first_of_access_units;          /**< enum cm_access_unit_number * CM_ACCESS_UNIT_EVENTS + event */
   uint32_t first_of_stages;                /**< those that the user of the attribution has asked for */
   struct cm_attribution_cursor *cursor;    /**< what counts are for now */
   struct cm_attribution_cursor *suspended; /**< the stages' while the shared side serves entries */
   struct cm_attribution_cursor stages, shared; /**< of the two sides */
   /** Of write-backs, which mostly are of one writer after another, and whatever else is of an origin of its own. */
   struct cm_attribution_cursor stages_other, shared_other;
   struct cm_array writing; /**< struct cm_origin: those that have written, from number 1 on */
   uint32_t num_writing;    /**< the next number */
   /** By the lowest bits of the resource: the last one that wrote or was accessed. */
   struct {
      uint32_t writer; /**< its number; 0: none */
      uint32_t row;    /**< of the table by resources; UINT32_MAX: none */
   } recent[CM_RECENT_RESOURCES];
   uint32_t max_writing;   /**< numbers are reassigned when there are so many */
   uint64_t renumbered;    /**< times that they were */
   struct cm_array caches; /**< struct cm_cache *: those that are attributed */
   uint32_t num_caches;
   struct cm_origin emitted;                       /**< from the entries for the shared side so far */
   const struct cm_attribution_cursor *emitted_by; /**< whose origin that is; NULL: not known */
   uint64_t *lost;     /**< the row that gets counts that no table has, or when out of memory */
   bool out_of_memory; /**< counts were lost */
};

/** Whether a configuration asks for attribution by a part of the origin (keys attribution.*), or by any. */
bool cm_config_attributes_by(const struct cm_config *config, enum cm_origin_part part);
bool cm_config_attributes(const struct cm_config *config);
/** The parts by which there must be rows, a bit each: those that are asked for, except passes if their rows can be
 * summed from others. */
uint32_t cm_config_attributed_parts(const struct cm_config *config);

/** num_stage_columns: of the stages, in addition to those of the units. NULL when out of memory. */
struct cm_attribution *cm_attribution_create(const struct cm_config *config, uint32_t num_stage_columns);
/** NULL is fine. */
void cm_attribution_destroy(struct cm_attribution *attribution);

/** Removes all rows. */
void cm_attribution_clear(struct cm_attribution *attribution);

/** The table that is by that part, with all counts so far; NULL: there is none. */
const struct cm_attribution_table *
cm_attribution_table(struct cm_attribution *attribution, enum cm_origin_part part);

/** Adds the rows of a table of other columns, which are those from first_column on. Its part is one of
 * cm_config_attributed_parts. */
void cm_attribution_add_table(struct cm_attribution *attribution, const struct cm_attribution_table *added,
                              uint32_t first_column);

/** What a counter of a cache, of memory or of an access unit is, for a row; the unit's instances are not distinguished
 * (memory/counters.h). Not for counters of single instances. */
uint64_t cm_attribution_value(const struct cm_attribution *attribution, const uint64_t *row,
                              const struct cm_counter *counter);

/** Adds a cursor's counts to the rows of its pass, draw and tile. */
void cm_attribution_add_pending(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor);

/** Counts for the current origin. */
static inline void
cm_attribution_count(struct cm_attribution *attribution, uint32_t column, uint64_t count)
{
   struct cm_attribution_cursor *cursor = attribution->cursor;
   if (!cursor->pending[column] && count)
      cursor->touched[cursor->num_touched++] = column;
   cursor->pending[column] += count;
   cursor->resource[column] += count;
}

/** Sets what a cursor counts for from now on. number: of the origin among the writers, or 0. */
void cm_attribution_set_origin(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor,
                               const struct cm_origin *origin, uint32_t number);

/** Changes a part of it. */
void cm_attribution_change_part(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor,
                                enum cm_origin_part part, uint32_t number);

/** A part of it. */
static inline void
cm_attribution_set_part(struct cm_attribution *attribution, struct cm_attribution_cursor *cursor,
                        enum cm_origin_part part, uint32_t number)
{
   if (cursor->origin.parts[part] != number)
      cm_attribution_change_part(attribution, cursor, part, number);
}

/** Sets a part of the origin of what the stages do next. */
static inline void
cm_attribution_set(struct cm_attribution *attribution, enum cm_origin_part part, uint32_t number)
{
   cm_attribution_set_part(attribution, &attribution->stages, part, attribution->has_part[part] ? number : 0);
}

/** Counts events of a unit's stream. */
static inline void
cm_attribution_count_event(struct cm_attribution *attribution, enum cm_unit unit, enum cm_stream stream,
                           unsigned event, uint64_t count)
{
   assert(attribution->first_column[unit][stream] != CM_NO_COLUMN);
   cm_attribution_count(attribution, attribution->first_column[unit][stream] + event, count);
}

/** A write of a block of a cache: the current origin is its writer from now on. */
void cm_attribution_write(struct cm_attribution *attribution, struct cm_writers *writers, uint64_t block);

/** What was counted for before. */
struct cm_attribution_former {
   struct cm_attribution_cursor *cursor;
   struct cm_origin origin;
   uint32_t number;
   uint64_t renumbered; /**< of the attribution, then */
};

/** Counts for another origin until cm_attribution_end, which needs what is returned. */
struct cm_attribution_former
cm_attribution_begin(struct cm_attribution *attribution, const struct cm_origin *origin);
/** The same before a block is written back, or discarded: for its last writer, if it has one, which is then forgotten. */
struct cm_attribution_former
cm_attribution_begin_write_back(struct cm_attribution *attribution, struct cm_cache *cache, uint64_t block);
void cm_attribution_end(struct cm_attribution *attribution, const struct cm_attribution_former *former);

/** A cache that is attributed from now on. False when out of memory. */
bool cm_attribution_add_cache(struct cm_attribution *attribution, struct cm_cache *cache);

void cm_attribution_emit_changes(struct cm_attribution *attribution, struct cm_access_stream *stream);

/** Appends entries for the parts of the origin that have changed, before an access of the stages. */
static inline void
cm_attribution_emit(struct cm_attribution *attribution, struct cm_access_stream *stream)
{
   if (attribution->emitted_by != attribution->cursor)
      cm_attribution_emit_changes(attribution, stream);
}

/** The shared side begins to serve entries; it continues with its previous origin. */
static inline void
cm_attribution_begin_shared(struct cm_attribution *attribution)
{
   attribution->suspended = attribution->cursor;
   attribution->cursor = &attribution->shared;
}

/** Takes a CM_ENTRY_ORIGIN. */
static inline void
cm_attribution_take(struct cm_attribution *attribution, cm_entry entry)
{
   cm_attribution_set_part(attribution, &attribution->shared, (enum cm_origin_part)cm_entry_unit(entry),
                           (uint32_t)cm_entry_value(entry));
}

static inline void
cm_attribution_end_shared(struct cm_attribution *attribution)
{
   attribution->cursor = attribution->suspended;
}

/** Frees them. */
void cm_writers_finish(struct cm_writers *writers);

#endif
