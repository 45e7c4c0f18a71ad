/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "memory/cache_internal.h"
#include "memory/liveness.h"

#define REPLACEMENT(id, name, definition, description) [CM_POLICY_##id] = &cm_replacement_##definition,
const struct cm_replacement *const cm_replacements[] = {CM_POLICIES(REPLACEMENT)};

static unsigned
log2_of(uint32_t power_of_two)
{
   return (unsigned)__builtin_ctz(power_of_two);
}

/* Bytes rounded up to cache lines of the host. */
static size_t
whole_lines(size_t bytes)
{
   return (bytes + 63) / 64 * 64;
}

static bool
allocate_state(struct cm_cache *cache)
{
   const struct cm_replacement *replacement = cache->replacement;
   cache->state_bytes = cache->ways * replacement->way_bytes + replacement->set_bytes;
   const size_t by_set = whole_lines((size_t)cache->sets * cache->state_bytes);
   const size_t shared = whole_lines(replacement->shared_bytes);
   const size_t all = by_set + shared + (size_t)(cache->bank_mask + 1) * replacement->bank_bytes;
   if (all == 0)
      return true;
   if (posix_memalign((void **)&cache->state, 64, all) != 0) {
      cache->state = NULL;
      return false;
   }
   memset(cache->state, 0, all);
   cache->shared = cache->state + by_set;
   cache->bank_state = cache->state + by_set + shared;
   return true;
}

void
cm_cache_init_without_lines(struct cm_cache *cache, const struct cm_cache_config *config,
                            struct cm_cache *next, struct cm_dram *dram)
{
   static const struct cm_liveness no_pass;
   memset(cache, 0, sizeof *cache);
   cache->ways = config->ways;
   cache->block_shift = log2_of(config->block);
   if (config->write_miss == CM_WRITE_MISS_FETCH)
      cache->fetched = config->fetched ? 1u << (config->fetched - 1) : UINT32_MAX;
   cache->replacement = cm_replacements[config->policy];
   cache->liveness = &no_pass;
   cache->next = next;
   cache->dram = dram;
   cache->folded_block = CM_NO_BLOCK;
   cache->only_appends = true;
}

bool
cm_cache_init(struct cm_cache *cache, const struct cm_cache_config *config, struct cm_cache *next,
              struct cm_dram *dram)
{
   cm_cache_init_without_lines(cache, config, next, dram);
   cache->sets = config->size / config->block / config->ways;
   cm_set_index_init(&cache->index, cache->sets, config->index);
   cache->bank_mask = cm_cache_config_banks(config) - 1;
   cache->uncached = config->uncached;

   const size_t lines = (size_t)cache->sets * cache->ways;
   if (posix_memalign((void **)&cache->lines, 64, lines * sizeof(cm_line)) != 0) {
      cache->lines = NULL;
      return false;
   }
   memset(cache->lines, 0xff, lines * sizeof(cm_line));
   if (!allocate_state(cache)) {
      cm_cache_finish(cache);
      return false;
   }
   if (cache->replacement->start)
      cache->replacement->start(cache, config);
   if (config->write_miss == CM_WRITE_MISS_VALIDATE && !cm_cache_add_masks(cache)) {
      cm_cache_finish(cache);
      return false;
   }
   if (cache->uncached) {
      cache->cached = cache->replacement;
      cache->replacement = &cm_replacement_uncached;
   }
   return true;
}

void
cm_cache_finish(struct cm_cache *cache)
{
   free(cache->lines);
   free(cache->state);
   free(cache->masks);
   cm_writers_finish(&cache->writers);
   cache->lines = NULL;
   cache->state = NULL;
   cache->masks = NULL;
}

const struct cm_replacement *
cm_cache_policy(const struct cm_cache *cache)
{
   const struct cm_replacement *replacement = cache->lookups ? cache->served : cache->replacement;
   return cm_cache_masked_policy(cache,
                                 replacement == &cm_replacement_uncached ? cache->cached : replacement);
}

void
cm_cache_read_sequence(struct cm_cache *cache, const uint64_t *blocks, unsigned count, enum cm_stream stream)
{
   const struct cm_replacement *replacement = cache->replacement;
   if (replacement->read_sequence) {
      replacement->read_sequence(cache, blocks, count, stream);
      return;
   }
   cache->accesses[stream][0] += count;
   for (unsigned i = 0; i < count; i++)
      replacement->access(cache, blocks[i], stream, CM_READ);
}

void
cm_cache_read_spread_list(struct cm_cache *cache, const struct cm_block_grid *grid,
                          const cm_grid_cells *cells, unsigned count, enum cm_stream stream)
{
   uint64_t blocks[2 * CM_GRID_ROWS];
   unsigned num_blocks = 0;
   cm_grid_cells seen = 0;
   for (unsigned i = 0; i < count; i++) {
      for (cm_grid_cells added = cells[i] & ~seen; added; added &= added - 1)
         blocks[num_blocks++] = cm_grid_cell_block(grid, (unsigned)__builtin_ctz(added));
      seen |= cells[i];
   }
   assert(num_blocks <= grid->reads);
   cache->accesses[stream][0] += grid->reads - num_blocks;
   cm_cache_read_sequence(cache, blocks, num_blocks, stream);
}

void
cm_cache_observe_removals(struct cm_cache *cache,
                          void (*removed)(void *context, const struct cm_cache *cache, uint64_t block),
                          void *context)
{
   cache->removed = removed;
   cache->removed_context = context;
}

void
cm_cache_fetch_by(struct cm_cache *cache,
                  bool (*fetch)(void *context, struct cm_cache *cache, uint64_t block, enum cm_stream stream),
                  void *context)
{
   cache->fetch = fetch;
   cache->fetch_context = context;
   cache->only_appends = false;
}

void
cm_cache_read_next(struct cm_cache *cache, uint64_t address, uint32_t bytes, enum cm_stream stream)
{
   if (cache->next)
      cm_cache_access_next(cache, address >> cache->block_shift, stream, CM_READ);
   else
      cm_dram_access(cache->dram, address, stream, false, 1, bytes);
}

void
cm_cache_set_future(struct cm_cache *cache, struct cm_next_use *future)
{
   cache->future = future;
}

void
cm_cache_collect(struct cm_cache *cache, struct cm_next_use *future)
{
   if (cache->uncached)
      cache->cached = &cm_replacement_collect;
   else
      cache->replacement = &cm_replacement_collect;
   cache->future = future;
}

static void
write_next(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   struct cm_cache *next = cache->next;
   cm_cache_count(cache, stream, CM_CACHE_EVENT_WRITEBACKS, 1);
   if (!next) {
      cm_dram_access(cache->dram, block << cache->block_shift, stream, true, 1, 1u << cache->block_shift);
      return;
   }
   if (next->block_shift != cache->block_shift)
      access = CM_WRITE;
   cm_cache_access_next(cache, block, stream, access);
}

void
cm_cache_write_next(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   if (!cache->attribution) {
      write_next(cache, block, stream, access);
      return;
   }
   const struct cm_attribution_former former =
      cm_attribution_begin_write_back(cache->attribution, cache, block);
   write_next(cache, block, stream, access);
   cm_attribution_end(cache->attribution, &former);
}

void
cm_cache_discard_dead_attributed(struct cm_cache *cache, cm_line line)
{
   struct cm_attribution *attribution = cache->attribution;
   const enum cm_stream stream = cm_line_stream(line);
   cm_attribution_count_event(attribution, cache->unit, stream, CM_CACHE_EVENT_DEAD_EVICTIONS, 1);
   if (!(line & 1))
      return;
   const struct cm_attribution_former former = cm_attribution_begin_write_back(attribution, cache, line >> 8);
   cm_attribution_count_event(attribution, cache->unit, stream, CM_CACHE_EVENT_WRITEBACKS_SAVED, 1);
   cm_attribution_end(attribution, &former);
}

static void
write_back(struct cm_cache *cache, cm_line line)
{
   const uint64_t block = line >> 8;
   cm_cache_write_next(cache, block, cm_line_stream(line),
                       cm_cache_is_partly_valid(cache, block) ? CM_WRITE : CM_WRITE_BLOCK);
}

static __attribute__((noinline)) void
complete_any_eviction(struct cm_cache *cache, cm_line line)
{
   if (line & 1)
      write_back(cache, line);
   if (cache->removed)
      cache->removed(cache->removed_context, cache, line >> 8);
}

void
cm_cache_complete_eviction(struct cm_cache *cache, cm_line line)
{
   if (!cm_cache_only_appends(cache) || cache->masks || cache->removed) {
      complete_any_eviction(cache, line);
      return;
   }
   cache->counts[cm_line_stream(line)][CM_CACHE_EVENT_WRITEBACKS]++;
   cm_cache_append_access(cache, line >> 8, cm_line_stream(line),
                          cache->next->block_shift == cache->block_shift ? CM_WRITE_BLOCK : CM_WRITE);
}

void
cm_cache_fetch_next_level(struct cm_cache *cache, uint64_t block, enum cm_stream stream)
{
   cm_cache_count(cache, stream, CM_CACHE_EVENT_FILLS, 1);
   if (cache->fetch && cache->fetch(cache->fetch_context, cache, block, stream))
      return;
   if (!cache->next) {
      cm_dram_access(cache->dram, block << cache->block_shift, stream, false, 1, 1u << cache->block_shift);
      return;
   }
   cm_cache_access_next(cache, block, stream, CM_READ);
}

void
cm_cache_replace_many(struct cm_cache *cache, const struct cm_miss *misses, unsigned count,
                      enum cm_stream stream)
{
   for (unsigned i = 0; i < count; i++) {
      if (misses[i].victim != CM_LINE_EMPTY)
         cm_cache_evict(cache, misses[i].victim);
      cm_cache_fetch(cache, misses[i].block, stream);
   }
}

void
cm_cache_bypass(struct cm_cache *cache, uint64_t block, enum cm_stream stream, enum cm_access access)
{
   cm_cache_count(cache, stream, CM_CACHE_EVENT_BYPASSES, 1);
   if (access == CM_READ)
      cm_cache_fetch(cache, block, stream);
   else
      cm_cache_write_next(cache, block, stream, access);
}

static void
invalidate_set(struct cm_cache *cache, const struct cm_replacement *policy, uint64_t set, uint64_t first,
               uint64_t last)
{
   cm_line *lines = cache->lines + set * cache->ways;
   for (unsigned way = cache->ways; way-- > 0;) {
      const cm_line line = lines[way];
      if (line == CM_LINE_EMPTY || line >> 8 < first || line >> 8 > last)
         continue;
      cm_cache_count(cache, cm_line_stream(line), CM_CACHE_EVENT_INVALIDATIONS, 1);
      if (line & 1)
         write_back(cache, line);
      policy->remove(cache, set, lines, way);
      if (cache->removed)
         cache->removed(cache->removed_context, cache, line >> 8);
   }
}

#define LINES_AT_ONCE 8

/* Whether one of so many lines is of blocks first … last. Without branches: mostly none is. */
static inline bool
has_line_of(const cm_line *lines, uint64_t first, uint64_t last)
{
   uint64_t least = UINT64_MAX; /* distance of a line from the first block's */
   for (unsigned l = 0; l < LINES_AT_ONCE; l++) {
      const uint64_t distance = lines[l] - (first << 8);
      least = distance < least ? distance : least;
   }
   return least <= ((last - first) << 8 | 0xff);
}

void
cm_cache_invalidate(struct cm_cache *cache, uint64_t begin, uint64_t end)
{
   const uint64_t first = begin >> cache->block_shift;
   const uint64_t last = (end - 1) >> cache->block_shift;
   const struct cm_replacement *policy = cm_cache_policy(cache);
   if (policy->invalidate)
      policy->invalidate(cache, first, last);
   const size_t count = (size_t)cache->sets * cache->ways;
   for (size_t l = 0; l < count; l += LINES_AT_ONCE) {
      const size_t end_line = l + LINES_AT_ONCE < count ? l + LINES_AT_ONCE : count;
      if (end_line - l == LINES_AT_ONCE && !has_line_of(cache->lines + l, first, last))
         continue;
      for (uint64_t set = l / cache->ways; set * cache->ways < end_line; set++)
         invalidate_set(cache, policy, set, first, last);
   }
   cache->folded_block = CM_NO_BLOCK;
}

void
cm_cache_drop(struct cm_cache *cache, uint64_t block)
{
   const struct cm_replacement *policy = cm_cache_policy(cache);
   if (policy->invalidate)
      policy->invalidate(cache, block, block);
   invalidate_set(cache, policy, cm_cache_set(cache, block), block, block);
   cache->folded_block = CM_NO_BLOCK;
}

void
cm_cache_empty(struct cm_cache *cache, bool writes_back)
{
   const struct cm_replacement *policy = cm_cache_policy(cache);
   if (policy->invalidate)
      policy->invalidate(cache, 0, CM_NO_BLOCK - 1);
   for (uint32_t set = 0; set < cache->sets; set++) {
      cm_line *lines = cache->lines + (size_t)set * cache->ways;
      for (unsigned way = cache->ways; way-- > 0;) {
         if (lines[way] == CM_LINE_EMPTY)
            continue;
         if (!writes_back)
            cm_cache_discard_dead(cache, &lines[way]);
         cm_cache_evict(cache, lines[way]);
         policy->remove(cache, set, lines, way);
      }
   }
   cache->folded_block = CM_NO_BLOCK;
}

void
cm_cache_discard_set(struct cm_cache *cache, uint64_t set)
{
   memset(cache->lines + set * cache->ways, 0xff, cache->ways * sizeof(cm_line));
   const struct cm_replacement *policy = cm_cache_policy(cache);
   if (policy->empty)
      memset(cache->state + set * cache->state_bytes, policy->empty, cache->ways);
   cache->folded_block = CM_NO_BLOCK;
}

bool
cm_cache_is_distant(const struct cm_cache *cache, uint64_t block)
{
   const struct cm_replacement *policy = cm_cache_policy(cache);
   if (!policy->distant)
      return false;
   const uint64_t set = cm_cache_set(cache, block);
   const unsigned way = cm_find_way(cache->lines + set * cache->ways, cache->ways, block);
   return way < cache->ways && (cache->state[set * cache->state_bytes + way] & 0x0f) == policy->distant;
}

void
cm_cache_read_in_place(struct cm_cache *cache, uint64_t block, enum cm_stream stream, uint32_t times)
{
   cache->accesses[stream][0] += times;
   for (uint32_t t = 0; cache->lookups && t < times; t++)
      cm_cache_append_lookup(cache, block, stream, CM_READ);
}

void
cm_cache_insert(struct cm_cache *cache, uint64_t block, enum cm_stream stream)
{
   cm_cache_policy(cache)->insert(cache, block, stream);
}

void
cm_dram_watch(const struct cm_dram *dram, uint64_t address, enum cm_stream stream, bool write,
              uint64_t blocks, uint32_t block_bytes)
{
   const uint64_t first = address & ~(uint64_t)(block_bytes - 1);
   for (uint64_t b = 0; dram->reported && b < blocks; b++)
      cm_access_stream_append(dram->reported,
                              cm_entry_dram(write, stream, first + b * block_bytes, block_bytes));
   if (!dram->attribution)
      return;
   cm_attribution_count_event(dram->attribution, CM_UNIT_DRAM, stream,
                              write ? CM_DRAM_EVENT_WRITES : CM_DRAM_EVENT_READS, blocks);
   cm_attribution_count_event(dram->attribution, CM_UNIT_DRAM, stream,
                              write ? CM_DRAM_EVENT_WRITE_BYTES : CM_DRAM_EVENT_READ_BYTES,
                              blocks * block_bytes);
}

uint64_t
cm_cache_counter(const struct cm_cache *cache, enum cm_stream stream, enum cm_cache_event event)
{
   const uint64_t *counts = cache->counts[stream];
   switch (event) {
   case CM_CACHE_EVENT_READS: return cache->accesses[stream][0];
   case CM_CACHE_EVENT_WRITES: return cache->accesses[stream][1];
   case CM_CACHE_EVENT_HITS:
      return cache->accesses[stream][0] + cache->accesses[stream][1] - counts[CM_CACHE_EVENT_MISSES] -
             counts[CM_CACHE_EVENT_BYPASSES];
   default: return counts[event];
   }
}
