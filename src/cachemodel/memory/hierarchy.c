/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "memory/hierarchy.h"

/* A unit's next one is built first. Valid configurations have no cycles. */
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
   hierarchy->caches[unit] = calloc(cache->instances, sizeof(struct cm_cache));
   if (!hierarchy->caches[unit])
      return false;
   hierarchy->instances[unit] = cache->instances;
   for (uint32_t i = 0; i < cache->instances; i++) {
      struct cm_cache *instance = &hierarchy->caches[unit][i];
      struct cm_cache *its_next = next ? next + i % nexts : NULL;
      if (unit == CM_UNIT_ATTRIBUTE_CACHE && config->primitive_buffer.lines)
         cm_cache_init_without_lines(instance, cache, its_next, &hierarchy->dram);
      else if (!cm_cache_init(instance, cache, its_next, &hierarchy->dram))
         return false;
      instance->unit = unit;
      instance->liveness = &hierarchy->liveness;
   }
   return true;
}

bool
cm_hierarchy_init(struct cm_hierarchy *hierarchy, const struct cm_config *config)
{
   memset(hierarchy, 0, sizeof *hierarchy);
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (!build_unit(hierarchy, config, (enum cm_unit)unit)) {
         cm_hierarchy_finish(hierarchy);
         return false;
      }
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const enum cm_unit unit = config->streams[stream];
      hierarchy->entry[stream].block_shift = CM_DRAM_BLOCK_SHIFT;
      if (unit == CM_UNIT_DRAM)
         continue;
      hierarchy->entry[stream].cache = hierarchy->caches[unit];
      hierarchy->entry[stream].instances = hierarchy->instances[unit];
      hierarchy->entry[stream].block_shift = hierarchy->caches[unit]->block_shift;
   }
   return true;
}

void
cm_hierarchy_finish(struct cm_hierarchy *hierarchy)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; hierarchy->caches[unit] && i < hierarchy->instances[unit]; i++)
         cm_cache_finish(&hierarchy->caches[unit][i]);
      free(hierarchy->caches[unit]);
      hierarchy->caches[unit] = NULL;
   }
}

void
cm_hierarchy_observe(struct cm_hierarchy *hierarchy, enum cm_unit unit, const struct cm_observer *observer)
{
   if (unit == CM_UNIT_DRAM) {
      hierarchy->dram.observer = observer;
      hierarchy->dram.is_told = true;
      return;
   }
   for (uint32_t i = 0; i < hierarchy->instances[unit]; i++)
      cm_cache_observe(&hierarchy->caches[unit][i], observer);
}

void
cm_hierarchy_tap(struct cm_hierarchy *hierarchy, struct cm_tap *tap, bool firsts)
{
   hierarchy->tap = hierarchy->dram.tap = tap;
   hierarchy->dram.is_told = true;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; hierarchy->caches[unit] && i < hierarchy->instances[unit]; i++)
         hierarchy->caches[unit][i].tap = tap;
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const struct cm_cache *cache = hierarchy->entry[stream].cache;
      hierarchy->entry[stream].is_told =
         cache && (firsts ? stream != CM_STREAM_TEXTURE : cache == hierarchy->caches[CM_UNIT_L2]);
   }
}

void
cm_hierarchy_tell(const struct cm_hierarchy *hierarchy, uint64_t address, enum cm_stream stream,
                  enum cm_access access)
{
   const uint32_t shift = hierarchy->entry[stream].block_shift;
   cm_tap_add(hierarchy->tap,
              cm_token_make(access == CM_READ ? CM_TOKEN_READ : CM_TOKEN_WRITE, address >> shift << shift,
                            stream, hierarchy->entry[stream].cache->unit));
}

void
cm_hierarchy_access_blocks(struct cm_hierarchy *hierarchy, uint32_t processor, uint64_t address,
                           uint64_t bytes, enum cm_stream stream, bool write)
{
   if (!bytes)
      return;
   const uint32_t shift = hierarchy->entry[stream].block_shift;
   const uint64_t end = address + bytes;
   if (!hierarchy->entry[stream].cache) {
      const uint64_t blocks = ((end - 1) >> shift) - (address >> shift) + 1;
      cm_dram_access(&hierarchy->dram, address, stream, write, blocks, 1u << shift);
      return;
   }
   struct cm_cache *cache = cm_hierarchy_entry(hierarchy, stream, processor);
   const uint64_t block_bytes = 1ull << shift;
   for (uint64_t begin = address >> shift << shift; begin < end; begin += block_bytes) {
      const bool whole = begin >= address && end - begin >= block_bytes;
      if (hierarchy->entry[stream].is_told)
         cm_hierarchy_tell(hierarchy, begin, stream, write ? CM_WRITE : CM_READ);
      cm_cache_access(cache, begin, stream, !write ? CM_READ : whole ? CM_WRITE_BLOCK : CM_WRITE);
   }
}

void
cm_hierarchy_parameter_buffer_changed(struct cm_hierarchy *hierarchy)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; i < hierarchy->instances[unit]; i++)
         hierarchy->caches[unit][i].folded_block = CM_NO_BLOCK;
   }
}

void
cm_hierarchy_written_past(struct cm_hierarchy *hierarchy, const struct cm_config *config,
                          enum cm_stream stream, uint64_t begin, uint64_t end)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (cm_stream_reaches(config, stream, (enum cm_unit)unit))
         continue;
      for (uint32_t i = 0; i < hierarchy->instances[unit]; i++)
         cm_cache_invalidate(&hierarchy->caches[unit][i], begin, end);
   }
}

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
