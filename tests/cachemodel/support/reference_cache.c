/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_index.h"
#include "reference_cache.h"
#include "test.h"

void
reference_cache_init(struct reference_cache *cache, const struct cm_cache_config *config,
                     struct reference_cache *next)
{
   memset(cache, 0, sizeof *cache);
   cache->config = *config;
   cache->sets = config->size / (config->ways * config->block);
   cache->lines = calloc((size_t)cache->sets * config->ways, sizeof *cache->lines);
   cache->next = next;
}

void
reference_cache_finish(struct reference_cache *cache)
{
   free(cache->lines);
}

static struct reference_line *
set_of(struct reference_cache *cache, uint64_t block)
{
   return cache->lines + naive_set(cache->config.index, block, cache->sets) * cache->config.ways;
}

static void
write_back(struct reference_cache *cache, const struct reference_line *line)
{
   cache->counts[line->stream][CM_CACHE_EVENT_WRITEBACKS]++;
   if (cache->next)
      reference_cache_access(cache->next, line->block * cache->config.block, line->stream,
                             cache->next->config.block == cache->config.block ? CM_WRITE_BLOCK : CM_WRITE);
   else
      cache->memory_writes[line->stream]++;
}

static struct reference_line *
choose_victim(struct reference_cache *cache, struct reference_line *set)
{
   struct reference_line *oldest = &set[0];
   for (uint32_t way = 0; way < cache->config.ways; way++) {
      if (!set[way].valid)
         return &set[way];
      if (set[way].last_use < oldest->last_use)
         oldest = &set[way];
   }
   return oldest;
}

void
reference_cache_access(struct reference_cache *cache, uint64_t address, enum cm_stream stream,
                       enum cm_access access)
{
   const uint64_t block = address / cache->config.block;
   struct reference_line *set = set_of(cache, block);
   struct reference_line *line = NULL;

   cache->now++;
   cache->counts[stream][access == CM_READ ? CM_CACHE_EVENT_READS : CM_CACHE_EVENT_WRITES]++;
   for (uint32_t way = 0; way < cache->config.ways; way++) {
      if (set[way].valid && set[way].block == block)
         line = &set[way];
   }
   if (line) {
      cache->counts[stream][CM_CACHE_EVENT_HITS]++;
   } else {
      cache->counts[stream][CM_CACHE_EVENT_MISSES]++;
      line = choose_victim(cache, set);
      if (line->valid) {
         cache->counts[line->stream][CM_CACHE_EVENT_EVICTIONS]++;
         if (line->dirty)
            write_back(cache, line);
      }
      const bool fetch =
         access == CM_READ || (access == CM_WRITE && cache->config.write_miss == CM_WRITE_MISS_FETCH);
      if (fetch) {
         cache->counts[stream][CM_CACHE_EVENT_FILLS]++;
         if (cache->next)
            reference_cache_access(cache->next, block * cache->config.block, stream, CM_READ);
         else
            cache->memory_reads[stream]++;
      }
      *line = (struct reference_line){.valid = true, .block = block, .stream = stream};
   }
   line->last_use = cache->now;
   if (access != CM_READ) {
      line->dirty = true;
      line->stream = stream;
   }
}

void
reference_cache_invalidate(struct reference_cache *cache, uint64_t begin, uint64_t end)
{
   for (uint32_t i = 0; i < cache->sets * cache->config.ways; i++) {
      struct reference_line *line = &cache->lines[i];
      const uint64_t first = line->block * cache->config.block;
      if (!line->valid || first + cache->config.block <= begin || first >= end)
         continue;
      cache->counts[line->stream][CM_CACHE_EVENT_INVALIDATIONS]++;
      if (line->dirty)
         write_back(cache, line);
      line->valid = false;
   }
}

void
assert_caches_equal(const struct cm_cache *cache, const struct reference_cache *reference)
{
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      for (unsigned event = 0; event < CM_CACHE_EVENT_COUNT; event++) {
         const uint64_t got = cm_cache_counter(cache, (enum cm_stream)stream, (enum cm_cache_event)event);
         if (got != reference->counts[stream][event])
            fail_msg("stream %s, event %u: %llu, expected %llu", cm_stream_names[stream], event,
                     (unsigned long long)got, (unsigned long long)reference->counts[stream][event]);
      }
      if (!reference->next) {
         assert_int_equal(cache->dram->counts[stream][CM_DRAM_EVENT_READS], reference->memory_reads[stream]);
         assert_int_equal(cache->dram->counts[stream][CM_DRAM_EVENT_WRITES],
                          reference->memory_writes[stream]);
      }
   }
}
