/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/cache_internal.h"
#include "memory/hierarchy.h"
#include "util/minmax.h"

/* Builds the next level first. Valid configurations have no cycles. */
static bool
build_unit(struct cm_hierarchy *hierarchy, const struct cm_config *config, enum cm_unit unit)
{
   const struct cm_cache_config *cache = &config->caches[unit];
   if (unit == CM_UNIT_DRAM || hierarchy->caches[unit] || !cache->size)
      return true;
   if (!build_unit(hierarchy, config, cache->next))
      return false;

   struct cm_cache *next = cache->next == CM_UNIT_DRAM ? NULL : hierarchy->caches[cache->next];
   const uint32_t nexts = next ? hierarchy->instances[cache->next] : 1;
   assert(cache->instances && nexts);
   hierarchy->caches[unit] = calloc(cache->instances, sizeof(struct cm_cache));
   if (!hierarchy->caches[unit])
      return false;
   hierarchy->instances[unit] = cache->instances;
   hierarchy->live_units |= (uint32_t)cm_policy_needs_liveness(cache->policy) << unit;
   for (uint32_t i = 0; i < cache->instances; i++) {
      struct cm_cache *instance = &hierarchy->caches[unit][i];
      struct cm_cache *its_next = next ? next + i % nexts : NULL;
      if (unit == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines)
         cm_cache_init_without_lines(instance, cache, its_next, &hierarchy->dram);
      else if (!cm_cache_init(instance, cache, its_next, &hierarchy->dram))
         return false;
      instance->unit = unit;
      instance->liveness = &hierarchy->liveness;
      instance->next_entry = cm_entry_cache(cache->next, nexts > 1 ? i % nexts : 0);
   }
   return true;
}

bool
cm_cache_is_private(const struct cm_config *config, enum cm_unit unit)
{
   unsigned users = 0;
   enum cm_unit user = CM_UNIT_DRAM;
   for (unsigned u = 0; u < CM_CACHE_COUNT; u++) {
      if (config->caches[u].size && config->caches[u].next == unit) {
         user = (enum cm_unit)u;
         users++;
      }
   }
   if (users == 0)
      return true;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      users += config->streams[stream] == unit;
   return users == 1 && config->caches[user].instances == config->caches[unit].instances &&
          cm_cache_is_private(config, user);
}

/* Private caches reach shared ones through the access stream. */
static bool
connect_shared_side(struct cm_hierarchy *hierarchy, const struct cm_config *config)
{
   struct cm_shared_side *shared = &hierarchy->shared;
   if (!cm_shared_side_init(shared, &hierarchy->dram, config->parameter_buffer.layout))
      return false;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (!hierarchy->caches[unit] || cm_cache_is_private(config, (enum cm_unit)unit))
         continue;
      cm_shared_side_add(shared, (enum cm_unit)unit, hierarchy->caches[unit], hierarchy->instances[unit]);
      shared->has_liveness |= cm_policy_needs_liveness(config->caches[unit].policy);
   }
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const enum cm_unit next = config->caches[unit].next;
      if (!hierarchy->caches[unit] || shared->caches[unit] || next == CM_UNIT_DRAM || !shared->caches[next])
         continue;
      for (uint32_t i = 0; i < hierarchy->instances[unit]; i++)
         hierarchy->caches[unit][i].outgoing = &shared->arriving;
   }
   for (unsigned u = 0; u < CM_ACCESS_UNIT_COUNT; u++) {
      if (config->access_units[u].entries &&
          !cm_shared_side_add_access_unit(shared, (enum cm_access_unit_number)u, &config->access_units[u]))
         return false;
   }
   return true;
}

/* The entrances of a shared cache whose first users are streams; stream: what they append to. */
static struct cm_cache *
build_entrances(struct cm_hierarchy *hierarchy, enum cm_unit unit, struct cm_access_stream *stream)
{
   assert(hierarchy->shared.caches[unit] == hierarchy->caches[unit]);
   struct cm_cache **entrances = &hierarchy->entrances[unit];
   if (*entrances)
      return *entrances;
   const uint32_t instances = hierarchy->instances[unit];
   *entrances = calloc(instances, sizeof **entrances);
   for (uint32_t i = 0; *entrances && i < instances; i++)
      cm_cache_init_entrance(&(*entrances)[i], &hierarchy->caches[unit][i], stream, cm_entry_cache(unit, i));
   return *entrances;
}

static bool
build_entry(struct cm_hierarchy *hierarchy, enum cm_stream stream, enum cm_unit unit)
{
   hierarchy->entry[stream].block_shift = CM_DRAM_BLOCK_SHIFT;
   if (unit == CM_UNIT_DRAM)
      return true;
   assert(hierarchy->caches[unit]);
   hierarchy->entry[stream].cache = hierarchy->shared.caches[unit]
                                       ? build_entrances(hierarchy, unit, &hierarchy->shared.arriving)
                                       : hierarchy->caches[unit];
   hierarchy->entry[stream].instances = hierarchy->instances[unit];
   hierarchy->entry[stream].block_shift = hierarchy->caches[unit]->block_shift;
   hierarchy->entry[stream].has_masks = hierarchy->caches[unit]->masks != NULL;
   return hierarchy->entry[stream].cache != NULL;
}

bool
cm_hierarchy_init(struct cm_hierarchy *hierarchy, const struct cm_config *config)
{
   memset(hierarchy, 0, sizeof *hierarchy);
   bool ok = true;
   for (unsigned unit = 0; ok && unit < CM_CACHE_COUNT; unit++)
      ok = build_unit(hierarchy, config, (enum cm_unit)unit);
   ok = ok && connect_shared_side(hierarchy, config);
   for (unsigned stream = 0; ok && stream < CM_STREAM_COUNT; stream++)
      ok = build_entry(hierarchy, (enum cm_stream)stream, config->streams[stream]);
   if (!ok)
      cm_hierarchy_finish(hierarchy);
   return ok;
}

void
cm_hierarchy_finish(struct cm_hierarchy *hierarchy)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; hierarchy->caches[unit] && i < hierarchy->instances[unit]; i++)
         cm_cache_finish(&hierarchy->caches[unit][i]);
      free(hierarchy->caches[unit]);
      hierarchy->caches[unit] = NULL;
      free(hierarchy->entrances[unit]);
      hierarchy->entrances[unit] = NULL;
   }
   cm_shared_side_finish(&hierarchy->shared);
}

/* The private cache that is the first of a stream; NULL: the first is a shared one, or memory. */
static const struct cm_cache *
first_private(const struct cm_hierarchy *hierarchy, unsigned stream)
{
   const struct cm_cache *cache = hierarchy->entry[stream].cache;
   return cache && !hierarchy->shared.caches[cache->unit] ? cache : NULL;
}

/* With readers, accesses to a shared cache are reported, and the cache is called. */
static void
call_shared_side(struct cm_hierarchy *hierarchy)
{
   struct cm_cache *const *const lists[] = {hierarchy->caches, hierarchy->entrances};
   for (unsigned l = 0; l < 2; l++) {
      for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
         for (uint32_t i = 0; lists[l][unit] && i < hierarchy->instances[unit]; i++) {
            struct cm_cache *cache = &lists[l][unit][i];
            if (cache->outgoing)
               cache->reported = &hierarchy->shared.reported;
            cache->outgoing = NULL;
         }
      }
   }
}

/* Each access is reported once: a cache that reports all its lookups makes reports of its requesters redundant. */
static void
choose_reports(struct cm_hierarchy *hierarchy)
{
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const struct cm_cache *cache = first_private(hierarchy, stream);
      hierarchy->entry[stream].is_reported =
         hierarchy->read_streams >> stream & 1 && cache && !cache->lookups;
      hierarchy->entry[stream].is_watched =
         hierarchy->entry[stream].is_reported || (hierarchy->attribution && cache);
   }
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; !hierarchy->shared.caches[unit] && i < hierarchy->instances[unit]; i++) {
         struct cm_cache *cache = &hierarchy->caches[unit][i];
         if (cache->next && !hierarchy->shared.caches[cache->next->unit])
            cache->reported = cache->next->lookups ? NULL : hierarchy->requests;
      }
   }
}

bool
cm_hierarchy_add_reader(struct cm_hierarchy *hierarchy, const struct cm_access_reader *reader)
{
   if (!cm_shared_side_add_reader(&hierarchy->shared, reader))
      return false;
   hierarchy->read_units |= reader->units;
   hierarchy->read_streams |= reader->streams;
   if (reader->requests)
      hierarchy->requests = &hierarchy->shared.reported;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const bool is_read = reader->units >> unit & 1 && !hierarchy->shared.caches[unit];
      for (uint32_t i = 0; is_read && i < hierarchy->instances[unit]; i++)
         cm_cache_report_lookups(&hierarchy->caches[unit][i], &hierarchy->shared.reported,
                                 cm_entry_cache(unit, i));
   }
   if (!hierarchy->shared.num_units)
      call_shared_side(hierarchy);
   choose_reports(hierarchy);
   return true;
}

/* Private caches do not call shared ones any more. */
static void
append_to_shared_side(struct cm_hierarchy *hierarchy)
{
   struct cm_shared_side *shared = &hierarchy->shared;
   struct cm_cache *const *const lists[] = {hierarchy->caches, hierarchy->entrances};
   for (unsigned l = 0; l < 2; l++) {
      for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
         const bool is_private = lists[l] == hierarchy->entrances || !shared->caches[unit];
         for (uint32_t i = 0; is_private && lists[l][unit] && i < hierarchy->instances[unit]; i++) {
            struct cm_cache *cache = &lists[l][unit][i];
            if (!cache->next || !shared->caches[cache->next->unit])
               continue;
            cache->reported = NULL;
            cache->outgoing = &shared->arriving;
         }
      }
   }
}

void
cm_hierarchy_defer_reports(struct cm_hierarchy *hierarchy)
{
   struct cm_shared_side *shared = &hierarchy->shared;
   assert(shared->num_readers && !shared->num_units && !hierarchy->attribution && !hierarchy->read_units);
   assert(!shared->arriving.count && !shared->reported.count);
   shared->reports = &shared->arriving;
   cm_dram_report(&hierarchy->dram, &shared->arriving);
   hierarchy->requests = hierarchy->requests ? &shared->arriving : NULL;
   append_to_shared_side(hierarchy);
   choose_reports(hierarchy);
}

bool
cm_hierarchy_share(struct cm_hierarchy *hierarchy, const struct cm_config *config, enum cm_unit unit)
{
   struct cm_shared_side *shared = &hierarchy->shared;
   assert(hierarchy->caches[unit] && !shared->caches[unit] && cm_cache_is_private(config, unit));
   assert(!shared->num_readers || cm_shared_side_is_deferred(shared));
   assert(!hierarchy->attribution && !shared->arriving.count);
   for (enum cm_unit u = unit; u != CM_UNIT_DRAM && !shared->caches[u]; u = config->caches[u].next) {
      cm_shared_side_add(shared, u, hierarchy->caches[u], hierarchy->instances[u]);
      for (uint32_t i = 0; i < hierarchy->instances[u]; i++) {
         hierarchy->caches[u][i].outgoing = NULL;
         hierarchy->caches[u][i].reported = shared->num_readers ? &shared->reported : NULL;
      }
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (config->streams[stream] == unit &&
          !(hierarchy->entry[stream].cache = build_entrances(hierarchy, unit, &shared->arriving)))
         return false;
   }
   if (shared->num_readers)
      choose_reports(hierarchy);
   return true;
}

/* ---- views -------------------------------------------------------------------- */

bool
cm_hierarchy_init_view(struct cm_hierarchy *view, const struct cm_hierarchy *hierarchy,
                       struct cm_access_stream *stream)
{
   assert(!hierarchy->attribution);
   *view = *hierarchy;
   memset(view->entrances, 0, sizeof view->entrances);
   memset(view->dram.counts, 0, sizeof view->dram.counts);
   if (hierarchy->requests) {
      view->requests = stream;
      cm_dram_report(&view->dram, stream);
   }
   for (unsigned s = 0; s < CM_STREAM_COUNT; s++) {
      const struct cm_cache *cache = view->entry[s].cache;
      if (cache && view->shared.caches[cache->unit] &&
          !(view->entry[s].cache = build_entrances(view, cache->unit, stream)))
         return false;
   }
   return true;
}

void
cm_hierarchy_finish_view(struct cm_hierarchy *view)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++)
      free(view->entrances[unit]);
}

/* ---- attribution -------------------------------------------------------------- */

bool
cm_hierarchy_attribute(struct cm_hierarchy *hierarchy, struct cm_attribution *attribution)
{
   assert(attribution && !hierarchy->attribution && !hierarchy->shared.num_readers);
   struct cm_cache *const *const lists[] = {hierarchy->caches, hierarchy->entrances};
   hierarchy->attribution = attribution;
   hierarchy->dram.attribution = attribution;
   hierarchy->dram.is_watched = true;
   bool ok = true;
   for (unsigned l = 0; l < 2; l++) {
      for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
         for (uint32_t i = 0; lists[l][unit] && i < hierarchy->instances[unit]; i++)
            ok = ok && cm_attribution_add_cache(attribution, &lists[l][unit][i]);
      }
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      hierarchy->entry[stream].is_watched = first_private(hierarchy, stream);
   cm_shared_side_attribute(&hierarchy->shared, attribution);
   return ok;
}

static __attribute__((noinline)) void
watch_reported(struct cm_hierarchy *hierarchy, struct cm_cache *cache, uint64_t address,
               enum cm_stream stream, enum cm_access access)
{
   assert(hierarchy->entry[stream].is_reported && cache->unit < CM_CACHE_COUNT);
   const uint32_t shift = hierarchy->entry[stream].block_shift;
   cm_access_stream_append(hierarchy->shared.reports, cm_entry_access(cm_entry_cache(cache->unit, 0), access,
                                                                      stream, address >> shift << shift));
   if (hierarchy->attribution)
      cm_cache_attribute_access(cache, address, stream, access);
}

void
cm_hierarchy_watch(struct cm_hierarchy *hierarchy, struct cm_cache *cache, uint64_t address,
                   enum cm_stream stream, enum cm_access access)
{
   assert(hierarchy->entry[stream].is_watched);
   if (hierarchy->entry[stream].is_reported)
      watch_reported(hierarchy, cache, address, stream, access);
   else
      cm_cache_attribute_access(cache, address, stream, access);
}

void
cm_hierarchy_access_blocks(struct cm_hierarchy *hierarchy, uint32_t processor, uint64_t address,
                           uint64_t bytes, enum cm_stream stream, bool write)
{
   if (!bytes)
      return;
   assert(address + bytes > address);
   const uint32_t shift = hierarchy->entry[stream].block_shift;
   const uint64_t end = address + bytes;
   if (!hierarchy->entry[stream].cache) {
      const uint64_t blocks = ((end - 1) >> shift) - (address >> shift) + 1;
      cm_dram_access(&hierarchy->dram, address, stream, write, blocks, 1u << shift);
      return;
   }
   struct cm_cache *cache = cm_hierarchy_entry(hierarchy, stream, processor);
   const uint64_t block_bytes = 1ull << shift;
   for (uint64_t block = address >> shift << shift; block < end; block += block_bytes) {
      const uint64_t begin = cm_max64(block, address), length = cm_min64(end, block + block_bytes) - begin;
      if (hierarchy->entry[stream].is_watched)
         cm_hierarchy_watch(hierarchy, cache, block, stream, write ? CM_WRITE : CM_READ);
      cm_cache_access_bytes(cache, begin, length, stream,
                            !write                  ? CM_READ
                            : length == block_bytes ? CM_WRITE_BLOCK
                                                    : CM_WRITE);
   }
}

/* ---- atomics ---------------------------------------------------------------- */

void
cm_hierarchy_atomic(struct cm_hierarchy *hierarchy, uint32_t processor, uint64_t address,
                    enum cm_stream stream)
{
   struct cm_cache *cache = cm_hierarchy_entry(hierarchy, stream, processor);
   if (!cache || !first_private(hierarchy, stream)) {
      cm_hierarchy_access(hierarchy, processor, address, stream, CM_READ);
      cm_hierarchy_access(hierarchy, processor, address, stream, CM_WRITE);
      return;
   }
   const uint64_t block = address >> cache->block_shift;
   cm_cache_drop(cache, block);
   for (unsigned access = CM_READ; access <= CM_WRITE; access++) {
      if (hierarchy->entry[stream].is_watched)
         cm_hierarchy_watch(hierarchy, cache, address, stream, (enum cm_access)access);
      cache->accesses[stream][access != CM_READ]++;
      cm_cache_bypass(cache, block, stream, (enum cm_access)access);
   }
}

void
cm_hierarchy_empty_private(struct cm_hierarchy *hierarchy, enum cm_stream stream, uint32_t instance)
{
   const struct cm_cache *first = first_private(hierarchy, stream);
   assert(!first || instance < hierarchy->instances[first->unit]);
   if (first)
      cm_cache_empty(&hierarchy->caches[first->unit][instance], true);
}

/* ---- the Parameter Buffer -------------------------------------------------- */

static void
append_parameter_buffer(struct cm_hierarchy *hierarchy, enum cm_parameter_buffer_event event,
                        unsigned instance, uint64_t value)
{
   if (hierarchy->shared.has_liveness)
      cm_access_stream_append(&hierarchy->shared.arriving,
                              cm_entry_make(CM_ENTRY_PARAMETER_BUFFER, event, instance,
                                            CM_STREAM_PB_ATTRIBUTE, value));
}

static void
append_range(struct cm_hierarchy *hierarchy, uint64_t value)
{
   cm_access_stream_append(&hierarchy->shared.arriving,
                           cm_entry_make(CM_ENTRY_RANGE, 0, 0, CM_STREAM_PB_ATTRIBUTE, value));
}

/* A folded block may be of the Parameter Buffer of another render pass. Other caches may be in use elsewhere. */
static void
unfold_private(struct cm_hierarchy *hierarchy)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const bool is_concerned = hierarchy->live_units >> unit & 1 && !hierarchy->shared.caches[unit];
      for (uint32_t i = 0; is_concerned && i < hierarchy->instances[unit]; i++)
         hierarchy->caches[unit][i].folded_block = CM_NO_BLOCK;
   }
}

void
cm_hierarchy_parameter_buffer_begin(struct cm_hierarchy *hierarchy, enum cm_pb_layout layout, uint64_t buffer,
                                    uint32_t num_tiles, const uint32_t *last_tiles, uint64_t num_blocks)
{
   assert((last_tiles || !num_blocks) && (!buffer || buffer == CM_PB_SECOND_BUFFER));
   cm_liveness_begin_pass(&hierarchy->liveness, layout, buffer, num_tiles, last_tiles, num_blocks);
   unfold_private(hierarchy);
   if (hierarchy->shared.has_liveness)
      append_range(hierarchy, num_blocks);
   append_parameter_buffer(hierarchy, CM_PARAMETER_BUFFER_BEGIN, buffer != 0, num_tiles);
}

void
cm_hierarchy_parameter_buffer_primitive(struct cm_hierarchy *hierarchy, uint32_t first_block,
                                        uint32_t num_blocks, uint32_t last_tile)
{
   if (hierarchy->shared.has_liveness)
      append_range(hierarchy, first_block);
   append_parameter_buffer(hierarchy, CM_PARAMETER_BUFFER_PRIMITIVE, num_blocks, last_tile);
}

void
cm_hierarchy_parameter_buffer_tile_done(struct cm_hierarchy *hierarchy, uint32_t position)
{
   cm_liveness_tile_done(&hierarchy->liveness, position);
   append_parameter_buffer(hierarchy, CM_PARAMETER_BUFFER_TILE_DONE, 0, position);
}

void
cm_hierarchy_parameter_buffer_end(struct cm_hierarchy *hierarchy)
{
   cm_liveness_end_pass(&hierarchy->liveness);
   unfold_private(hierarchy);
   append_parameter_buffer(hierarchy, CM_PARAMETER_BUFFER_END, 0, 0);
}

static const enum cm_unit tile_caches[] = {CM_UNIT_TILE_CACHE, CM_UNIT_PRIMITIVE_LIST_CACHE,
                                           CM_UNIT_ATTRIBUTE_CACHE};

void
cm_hierarchy_empty_tile_caches(struct cm_hierarchy *hierarchy, bool write_back)
{
   for (unsigned u = 0; u < 3; u++) {
      struct cm_cache *caches = hierarchy->caches[tile_caches[u]];
      assert(!hierarchy->shared.caches[tile_caches[u]]);
      for (uint32_t i = 0; caches && caches->lines && i < hierarchy->instances[tile_caches[u]]; i++)
         cm_cache_empty(&caches[i], write_back);
   }
}

/* ---- invalidations --------------------------------------------------------- */

void
cm_hierarchy_invalidate(struct cm_hierarchy *hierarchy, enum cm_unit unit, uint64_t begin, uint64_t end)
{
   assert(unit < CM_CACHE_COUNT && begin < end);
   if (hierarchy->shared.caches[unit] || hierarchy->read_units >> unit & 1) {
      if (hierarchy->attribution)
         cm_attribution_emit(hierarchy->attribution, &hierarchy->shared.arriving);
      append_range(hierarchy, begin >> CM_ENTRY_ADDRESS_SHIFT);
      cm_access_stream_append(&hierarchy->shared.arriving,
                              cm_entry_make(CM_ENTRY_INVALIDATE, unit, 0, (enum cm_stream)0,
                                            (end - 1) >> CM_ENTRY_ADDRESS_SHIFT));
   }
   if (hierarchy->shared.caches[unit] ||
       (hierarchy->hand_over && hierarchy->hand_over(hierarchy->hand_over_context, unit, begin, end)))
      return;
   for (uint32_t i = 0; i < hierarchy->instances[unit]; i++)
      cm_cache_invalidate(&hierarchy->caches[unit][i], begin, end);
}

void
cm_hierarchy_written_past(struct cm_hierarchy *hierarchy, const struct cm_config *config,
                          enum cm_stream stream, uint64_t begin, uint64_t end)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (hierarchy->caches[unit] && !cm_stream_reaches(config, stream, (enum cm_unit)unit))
         cm_hierarchy_invalidate(hierarchy, (enum cm_unit)unit, begin, end);
   }
}

/* ---- counters -------------------------------------------------------------- */

static uint64_t
stream_counter(const struct cm_hierarchy *hierarchy, const struct cm_counter *counter, enum cm_stream stream)
{
   if (counter->unit == CM_UNIT_DRAM)
      return hierarchy->dram.counts[stream][counter->event];
   const struct cm_cache *caches = hierarchy->caches[counter->unit];
   const enum cm_cache_event event = (enum cm_cache_event)counter->event;
   if (counter->instance >= 0)
      return cm_cache_counter(&caches[counter->instance], stream, event);
   uint64_t sum = 0;
   for (uint32_t i = 0; i < hierarchy->instances[counter->unit]; i++)
      sum += cm_cache_counter(&caches[i], stream, event);
   return sum;
}

uint64_t
cm_hierarchy_counter(const struct cm_hierarchy *hierarchy, const struct cm_counter *counter)
{
   if (counter->stream >= 0)
      return stream_counter(hierarchy, counter, (enum cm_stream)counter->stream);
   uint64_t sum = 0;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++)
      sum += stream_counter(hierarchy, counter, (enum cm_stream)stream);
   return sum;
}
