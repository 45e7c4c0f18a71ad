/* SPDX-License-Identifier: MIT */
#include "memory/shared_side.h"

#include "memory/cache_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static inline struct cm_cache *
cache_of(const struct cm_shared_side *shared, cm_entry entry)
{
   assert(cm_entry_instance(entry) < shared->instances[cm_entry_unit(entry)]);
   return shared->caches[cm_entry_unit(entry)] + cm_entry_instance(entry);
}

static inline bool
is_access(cm_entry entry)
{
   return cm_entry_kind(entry) <= CM_ENTRY_LAST_ACCESS;
}

/* ---- the Parameter Buffer -------------------------------------------------- */

static void
begin_parameter_buffer(struct cm_shared_side *shared, uint64_t buffer, uint32_t num_tiles,
                       uint64_t num_blocks)
{
   if (num_blocks > shared->max_blocks) {
      free(shared->last_tiles);
      shared->last_tiles = malloc(num_blocks * sizeof *shared->last_tiles);
      shared->max_blocks = shared->last_tiles ? num_blocks : 0;
      shared->out_of_memory |= !shared->last_tiles;
      num_blocks = shared->max_blocks;
   }
   if (num_blocks)
      memset(shared->last_tiles, 0, num_blocks * sizeof *shared->last_tiles);
   cm_liveness_begin_pass(&shared->liveness, shared->layout, buffer, num_tiles, shared->last_tiles,
                          num_blocks);
}

/* A folded block may be of the Parameter Buffer of another render pass. */
static void
unfold(struct cm_shared_side *shared)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; i < shared->instances[unit]; i++)
         shared->caches[unit][i].folded_block = CM_NO_BLOCK;
   }
}

static void
take_parameter_buffer(struct cm_shared_side *shared, cm_entry entry)
{
   const uint64_t value = cm_entry_value(entry);
   switch ((enum cm_parameter_buffer_event)cm_entry_unit(entry)) {
   case CM_PARAMETER_BUFFER_BEGIN:
      begin_parameter_buffer(shared, cm_entry_instance(entry) ? CM_PB_SECOND_BUFFER : 0, (uint32_t)value,
                             shared->range);
      unfold(shared);
      break;
   case CM_PARAMETER_BUFFER_PRIMITIVE:
      for (unsigned b = 0; b < cm_entry_instance(entry) && shared->range + b < shared->liveness.num_blocks;
           b++)
         shared->last_tiles[shared->range + b] = (uint32_t)value;
      break;
   case CM_PARAMETER_BUFFER_TILE_DONE: cm_liveness_tile_done(&shared->liveness, (uint32_t)value); break;
   case CM_PARAMETER_BUFFER_END:
      cm_liveness_end_pass(&shared->liveness);
      unfold(shared);
      break;
   }
}

/* ---- entries --------------------------------------------------------------- */

static void
invalidate(struct cm_shared_side *shared, cm_entry entry)
{
   const unsigned unit = cm_entry_unit(entry);
   assert(unit < CM_CACHE_COUNT && shared->range << CM_ENTRY_ADDRESS_SHIFT <= cm_entry_address(entry));
   for (uint32_t i = 0; i < shared->instances[unit]; i++)
      cm_cache_invalidate(&shared->caches[unit][i], shared->range << CM_ENTRY_ADDRESS_SHIFT,
                          cm_entry_address(entry) + 1);
}

static void
take_other(struct cm_shared_side *shared, cm_entry entry)
{
   switch (cm_entry_kind(entry)) {
   case CM_ENTRY_RANGE: shared->range = cm_entry_value(entry); break;
   case CM_ENTRY_INVALIDATE: invalidate(shared, entry); break;
   case CM_ENTRY_PARAMETER_BUFFER: take_parameter_buffer(shared, entry); break;
   default: break;
   }
}

static void
take(void *context, struct cm_access_stream *stream)
{
   struct cm_shared_side *shared = context;
   const cm_entry *entries = stream->entries;
   const uint32_t count = stream->count;
   for (uint32_t i = 0; i < count;) {
      if (is_access(entries[i]))
         i += cm_cache_take(cache_of(shared, entries[i]), entries + i, count - i);
      else
         take_other(shared, entries[i++]);
   }
   stream->count = 0;
}

/* ---- attribution ----------------------------------------------------------- */

static void
count_reads(struct cm_shared_side *shared, enum cm_unit unit, const cm_entry *entries, uint32_t count)
{
   for (uint32_t first = 0, i = 1; i <= count; i++) {
      if (i < count && cm_entry_stream(entries[i]) == cm_entry_stream(entries[first]))
         continue;
      cm_attribution_count_event(shared->attribution, unit, cm_entry_stream(entries[first]),
                                 CM_CACHE_EVENT_READS, i - first);
      first = i;
   }
}

static inline void
access_attributed(struct cm_cache *cache, cm_entry entry)
{
   const enum cm_access access = (enum cm_access)cm_entry_kind(entry);
   cm_cache_attribute_access(cache, cm_entry_address(entry), cm_entry_stream(entry), access);
   cm_cache_access(cache, cm_entry_address(entry), cm_entry_stream(entry), access);
}

/* Serves accesses to one cache, of one origin; a write by itself, since a later one may write its block back.
 * Returns how many. */
static uint32_t
take_attributed_accesses(struct cm_shared_side *shared, const cm_entry *entries, uint32_t count)
{
   struct cm_cache *cache = cache_of(shared, entries[0]);
   uint32_t run = 0;
   while (run < count && cm_entry_kind(entries[run]) == CM_ENTRY_READ)
      run++;
   if (run < 2) {
      access_attributed(cache, entries[0]);
      return 1;
   }
   run = cm_cache_take(cache, entries, run);
   count_reads(shared, cache->unit, entries, run);
   return run;
}

static void
take_attributed(void *context, struct cm_access_stream *stream)
{
   struct cm_shared_side *shared = context;
   assert(shared->attribution && !shared->num_readers);
   const cm_entry *entries = stream->entries;
   cm_attribution_begin_shared(shared->attribution);
   for (uint32_t i = 0; i < stream->count;) {
      if (is_access(entries[i]))
         i += take_attributed_accesses(shared, entries + i, stream->count - i);
      else if (cm_entry_kind(entries[i]) == CM_ENTRY_ORIGIN)
         cm_attribution_take(shared->attribution, entries[i++]);
      else
         take_other(shared, entries[i++]);
   }
   cm_attribution_end_shared(shared->attribution);
   stream->count = 0;
}

/* Events of an access unit are those of the accesses that arrive there. */
static void
count_unit_events(void *context, const struct cm_access_unit *unit, const uint64_t *before)
{
   struct cm_attribution *attribution = context;
   const struct cm_attribution_former former = cm_attribution_begin(attribution, &unit->origin);
   for (uint32_t event = 0; event < unit->kind->num_events; event++) {
      if (unit->counts[event] != before[event])
         cm_attribution_count(attribution,
                              attribution->first_of_access_units + unit->number * CM_ACCESS_UNIT_EVENTS +
                                 event,
                              unit->counts[event] - before[event]);
   }
   cm_attribution_end(attribution, &former);
}

void
cm_shared_side_attribute(struct cm_shared_side *shared, struct cm_attribution *attribution)
{
   assert(attribution && !shared->attribution && !shared->num_readers);
   shared->attribution = attribution;
   shared->entering->take = take_attributed;
   for (unsigned u = 0; u < shared->num_units; u++) {
      shared->units[u].counted = count_unit_events;
      shared->units[u].counted_context = attribution;
   }
}

/* ---- readers --------------------------------------------------------------- */

static void
access_and_report(const struct cm_shared_side *shared, cm_entry entry)
{
   struct cm_cache *cache = cache_of(shared, entry);
   if (shared->attribution)
      access_attributed(cache, entry);
   else
      cm_cache_access(cache, cm_entry_address(entry), cm_entry_stream(entry),
                      (enum cm_access)cm_entry_kind(entry));
}

/* What private caches have reported, and accesses of theirs to shared ones. */
static void
take_deferred(struct cm_shared_side *shared, const cm_entry *entries, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      const cm_entry entry = entries[i];
      const enum cm_entry_kind kind = cm_entry_kind(entry);
      if (kind == CM_ENTRY_GROUP || kind == CM_ENTRY_LOOKUP) {
         cm_shared_side_report(shared, entry);
      } else if (kind == CM_ENTRY_MARK && cm_entry_unit(entry) == CM_MARK_CALL) {
         shared->called(shared->called_context, entry, entries + i + 1);
         i += cm_entry_instance(entry);
      } else {
         cm_access_stream_append(&shared->reported, entry);
         if (kind > CM_ENTRY_LAST_ACCESS)
            take_other(shared, entry);
         else if (shared->caches[cm_entry_unit(entry)])
            access_and_report(shared, entry);
      }
   }
}

/* With readers, private caches call the shared ones, so that accesses and what they cause are reported in
 * order. Entries here are served at once, and are accesses only if an access unit has passed them on; unless all come later. */
static void
take_and_report(void *context, struct cm_access_stream *stream)
{
   struct cm_shared_side *shared = context;
   assert(shared->num_readers);
   if (cm_shared_side_is_deferred(shared)) {
      take_deferred(shared, stream->entries, stream->count);
      stream->count = 0;
      return;
   }
   if (shared->attribution)
      cm_attribution_begin_shared(shared->attribution);
   for (uint32_t i = 0; i < stream->count; i++) {
      const cm_entry entry = stream->entries[i];
      cm_access_stream_append(&shared->reported, entry);
      if (is_access(entry))
         access_and_report(shared, entry);
      else if (cm_entry_kind(entry) == CM_ENTRY_ORIGIN)
         cm_attribution_take(shared->attribution, entry);
      else
         take_other(shared, entry);
   }
   if (shared->attribution)
      cm_attribution_end_shared(shared->attribution);
   stream->count = 0;
}

static void
deliver(void *context, struct cm_access_stream *stream)
{
   struct cm_shared_side *shared = context;
   assert(shared->num_readers && stream == &shared->reported);
   for (unsigned r = 0; r < shared->num_readers; r++)
      shared->readers[r].read(shared->readers[r].context, stream->entries, stream->count);
   stream->count = shared->reported_lookups = 0;
}

bool
cm_shared_side_add_reader(struct cm_shared_side *shared, const struct cm_access_reader *reader)
{
   assert(!shared->arriving.count && reader->read);
   assert(shared->num_readers < CM_MAX_ACCESS_READERS);
   if (!shared->num_readers && !cm_access_stream_init(&shared->reported, deliver, shared))
      return false;
   shared->readers[shared->num_readers++] = *reader;
   shared->entering->take = take_and_report;
   shared->arriving.capacity = 1;
   for (unsigned u = 0; u < shared->num_units; u++) {
      shared->units[u].next.capacity = 1;
      shared->units[u].reported = &shared->reported;
   }
   cm_dram_report(shared->dram, &shared->reported);
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; i < shared->instances[unit]; i++)
         shared->caches[unit][i].reported = &shared->reported;
   }
   return true;
}

/* ---- public ---------------------------------------------------------------- */

bool
cm_shared_side_init(struct cm_shared_side *shared, struct cm_dram *dram, enum cm_pb_layout layout)
{
   *shared = (struct cm_shared_side){.entering = &shared->arriving,
                                     .reports = &shared->reported,
                                     .dram = dram,
                                     .layout = layout};
   return cm_access_stream_init(&shared->arriving, take, shared);
}

void
cm_shared_side_finish(struct cm_shared_side *shared)
{
   cm_access_stream_finish(&shared->arriving);
   for (unsigned u = 0; u < shared->num_units; u++)
      cm_access_unit_finish(&shared->units[u]);
   cm_access_stream_finish(&shared->reported);
   free(shared->last_tiles);
   shared->last_tiles = NULL;
}

void
cm_shared_side_add(struct cm_shared_side *shared, enum cm_unit unit, struct cm_cache *instances,
                   uint32_t count)
{
   assert(unit < CM_CACHE_COUNT && instances && count && !shared->caches[unit]);
   shared->caches[unit] = instances;
   shared->instances[unit] = count;
   for (uint32_t i = 0; i < count; i++)
      instances[i].liveness = &shared->liveness;
}

bool
cm_shared_side_add_access_unit(struct cm_shared_side *shared, enum cm_access_unit_number number,
                               const struct cm_access_unit_config *config)
{
   assert(shared->caches[config->before]);
   assert(shared->num_units < CM_ACCESS_UNIT_COUNT && !shared->num_readers);
   struct cm_access_unit *unit = &shared->units[shared->num_units++];
   if (!cm_access_unit_init(unit, cm_access_unit_kinds[number], config,
                            shared->caches[config->before]->block_shift, shared->entering))
      return false;
   unit->number = number;
   shared->entering = &unit->next;
   return true;
}

/* ---- entrances ------------------------------------------------------------- */

static void
enter(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   cm_cache_access_next(cache, block, stream, access);
}

void
cm_cache_init_entrance(struct cm_cache *cache, struct cm_cache *shared, struct cm_access_stream *stream,
                       cm_entry entry)
{
   assert(stream && cm_entry_unit(entry) == (unsigned)shared->unit);
   static const struct cm_replacement entrance = {.access = enter};
   *cache = (struct cm_cache){
      .block_shift = shared->block_shift,
      .unit = shared->unit,
      .replacement = &entrance,
      .folded_block = CM_NO_BLOCK,
      .only_appends = true,
      .next = shared,
      .outgoing = stream,
      .next_entry = entry,
   };
}
