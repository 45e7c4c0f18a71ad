/* SPDX-License-Identifier: MIT */
#include "memory/hierarchy.h"
#include "timing/immediate/memory.h"
#include "timing/log.h"

/* ---- building ------------------------------------------------------------ */

static void
init_ports(struct cm_immediate_memory *memory, struct cm_pool *pool)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const struct cm_cache_config *cache = &memory->config->caches[unit];
      const uint32_t banks = cm_cache_config_banks(cache);
      memory->latency[unit] = cache->latency;
      memory->block_shift[unit] = cache->block ? (uint32_t)__builtin_ctz(cache->block) : 0;
      memory->banks[unit] = (struct cm_dram_divisor){.value = banks, .reciprocal = UINT64_MAX / banks};
      if (cache->size && unit != CM_UNIT_LLC)
         memory->ports[unit] = cm_pool_take(pool, 2 * banks * cache->instances, sizeof *memory->ports[unit]);
   }
}

static void
init_first_mshrs(struct cm_first_mshrs *mshrs, uint32_t count, struct cm_pool *pool)
{
   mshrs->misses = cm_pool_take(pool, count, sizeof *mshrs->misses);
   mshrs->count = count;
}

/* Texture units and load/store units. */
static void
init_units(struct cm_immediate_memory *memory, struct cm_pool *pool)
{
   const uint32_t processors = memory->config->fragment_stage.processors;
   const uint32_t mshrs = memory->config->immediate_pipeline.texture_mshrs;
   memory->sampler = cm_pool_take(pool, processors, sizeof *memory->sampler);
   memory->texture = cm_pool_take(pool, processors, sizeof *memory->texture);
   memory->load_store = cm_pool_take(pool, processors, sizeof *memory->load_store);
   for (uint32_t p = 0; memory->texture && memory->load_store && p < processors; p++) {
      init_first_mshrs(&memory->texture[p], mshrs, pool);
      init_first_mshrs(&memory->load_store[p],
                       memory->config->load_store.mshrs ? memory->config->load_store.mshrs : mshrs, pool);
   }
}

bool
cm_immediate_memory_init(struct cm_immediate_memory *memory, const struct cm_config *config,
                         struct cm_pool *pool)
{
   const struct cm_immediate_pipeline_config *pipeline = &config->immediate_pipeline;
   const struct cm_cache_config *llc = &config->caches[CM_UNIT_LLC];
   *memory = (struct cm_immediate_memory){.config = config};
   const uint32_t block_shift = llc->size ? (uint32_t)__builtin_ctz(llc->block) : CM_DRAM_BLOCK_SHIFT;
   const uint32_t banks = llc->size ? cm_cache_config_banks(llc) : 1;
   memory->llc_clock = cm_dram_clock_make(config->clock_mhz, pipeline->llc_clock_mhz);
   init_units(memory, pool);
   cm_mshrs_init(&memory->llc_misses, pipeline->llc_mshrs, true, pool);
   cm_mshrs_init(&memory->llc_writes, pipeline->llc_writes, false, pool);
   cm_banks_init(&memory->llc_banks, banks, block_shift, pool);
   init_ports(memory, pool);
   cm_unit_ports_init(&memory->units, config, pool);
   return cm_memory_init(&memory->base, config, CM_DEPENDENCY_TICKETS, CM_DEPENDENCY_TICKETS, pool);
}

/* ---- the last-level cache ------------------------------------------------ */

static inline __attribute__((always_inline)) void
add_ticket(struct cm_immediate_memory *memory, struct cm_dependency *wait, cm_dram_ticket ticket)
{
   uint64_t time;
   if (cm_memory_find(&memory->base, ticket, &time))
      cm_dependency_until(wait, time);
   else
      cm_dependency_add_ticket(&memory->base, wait, ticket, 0);
}

/* An access that was in the LLC's pipeline when the LLC stalled waits, too. */
static cm_dram_ticket
submit(struct cm_immediate_memory *memory, cm_entry token, bool write, uint64_t cycle)
{
   return cm_memory_submit(&memory->base, token, write, cm_later(cycle, memory->stalled));
}

/* A read of a block that is outstanding waits for it, in whichever cache it hit. */
static inline void
add_pending(struct cm_immediate_memory *memory, uint64_t address, struct cm_dependency *wait)
{
   const struct cm_mshrs *misses = &memory->llc_misses;
   uint16_t at = cm_mshrs_find(misses, address >> memory->llc_banks.block_shift);
   for (; at != CM_NO_MSHR; at = cm_mshrs_find_next(misses, at))
      add_ticket(memory, wait, misses->entries[at].fill.ticket);
}

/* The entry allocated longest ago; until it is free, the LLC stalls. */
static struct cm_mshr *
take_entry(struct cm_immediate_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle)
{
   uint64_t is_free;
   struct cm_mshr *entry = cm_mshrs_alloc_in_turn(&memory->base, mshrs, &is_free);
   if (is_free > *cycle) {
      mshrs->waits += is_free - *cycle;
      memory->stalled = cm_later(memory->stalled, is_free);
      *cycle = is_free;
   }
   return entry;
}

static cm_dram_ticket
read_memory(struct cm_immediate_memory *memory, cm_entry token, uint64_t cycle)
{
   struct cm_mshr *entry = take_entry(memory, &memory->llc_misses, &cycle);
   memory->reads++;
   cm_mshrs_set_block(&memory->llc_misses, entry, cm_entry_address(token) >> memory->llc_banks.block_shift);
   return entry->fill.ticket = submit(memory, token, false, cycle);
}

static void
write_memory(struct cm_immediate_memory *memory, cm_entry token, uint64_t cycle)
{
   struct cm_mshr *entry = take_entry(memory, &memory->llc_writes, &cycle);
   entry->fill.ticket = submit(memory, token, true, cycle);
}

/* The cycle at which a bank begins with an access. */
static uint64_t
take_bank(struct cm_immediate_memory *memory, uint64_t address, uint64_t cycle)
{
   const struct cm_dram_clock clock = memory->llc_clock;
   const uint64_t wanted = cm_later(cycle, memory->stalled);
   /* An access that arrives within a cycle of the LLC is served in it. */
   uint64_t rest, unused;
   const uint64_t whole = cm_dram_divide(wanted, clock.from, &rest) * clock.to.value;
   const uint64_t slot = whole + cm_dram_divide(rest * clock.to.value, clock.from, &unused);
   const uint64_t begin = cm_dram_clock_from_dram(clock, cm_banks_take(&memory->llc_banks, address, slot));
   memory->llc_banks.waits += begin > wanted ? begin - wanted : 0;
   return cm_later(begin, wanted);
}

/* When a cache or an access unit has served an access that comes to it at a cycle. */
static uint64_t
serve(struct cm_immediate_memory *memory, cm_entry token, uint32_t processor, uint64_t cycle)
{
   if (cm_entry_kind(token) == CM_ENTRY_UNIT_ACCESS) {
      enum cm_unit cache;
      if (cm_unit_ports_begin_access(&memory->units, token, &cache))
         memory->route = cm_unit_route_begin(token, cycle);
      return cm_unit_ports_serve(&memory->units, token, &memory->route);
   }
   const enum cm_unit unit = (enum cm_unit)cm_entry_unit(token);
   if (memory->units.first[unit] != CM_ACCESS_UNIT_COUNT)
      cycle = cm_later(cycle, memory->route.arrives[CM_ACCESS_UNIT_COUNT]);
   if (unit == CM_UNIT_LLC)
      return take_bank(memory, cm_entry_address(token), cycle) + memory->latency[unit];
   const struct cm_cache_config *cache = &memory->config->caches[unit];
   uint32_t bank = processor < cache->instances ? processor : processor % cache->instances;
   if (cache->banks > 1) {
      uint64_t number;
      cm_dram_divide(cm_entry_address(token) >> memory->block_shift[unit], memory->banks[unit], &number);
      bank = bank * cache->banks + (uint32_t)number;
   }
   const uint32_t port = 2 * bank + (cm_entry_kind(token) == CM_ENTRY_WRITE);
   return cm_calendar_take(&memory->ports[unit][port], cycle) + memory->latency[unit];
}

/* ---- accesses ------------------------------------------------------------ */

static inline bool
is_access(cm_entry token)
{
   const enum cm_entry_kind kind = cm_entry_kind(token);
   return kind == CM_ENTRY_READ || kind == CM_ENTRY_WRITE || kind == CM_ENTRY_UNIT_ACCESS;
}

/* Whether a read is what the cache before it waits for, and not a prefetch by an access unit. */
static inline bool
is_demanded(const struct cm_immediate_memory *memory, cm_entry token)
{
   const unsigned unit = cm_entry_unit(token);
   return cm_entry_kind(token) == CM_ENTRY_UNIT_ACCESS || memory->units.first[unit] == CM_ACCESS_UNIT_COUNT ||
          (cm_entry_address(token) ^ memory->route.address) < memory->config->caches[unit].block;
}

/* The cache that an access goes to, at once or through units. */
static inline enum cm_unit
cache_of(const struct cm_immediate_memory *memory, cm_entry token)
{
   enum cm_unit cache;
   cm_unit_ports_begin_access(&memory->units, token, &cache);
   return cache;
}

/* Whether a token begins another access of a first cache, or another one to the unit `stop`. */
static inline bool
begins_access(const struct cm_immediate_memory *memory, cm_entry token, enum cm_unit stop)
{
   enum cm_unit cache;
   return cm_unit_ports_begin_access(&memory->units, token, &cache) &&
          (cache == stop || cache == memory->config->streams[cm_entry_stream(token)]);
}

/* A cache's requests to the next levels, from a cycle on: tokens from *token on, until one is of a first cache or goes
 * to the unit `stop`. Reads are added to wait; NULL: no consumer waits for them. */
static void
pass_on(struct cm_immediate_memory *memory, const cm_entry **token, const cm_entry *end, uint32_t processor,
        enum cm_unit stop, uint64_t cycle, struct cm_dependency *wait)
{
   uint64_t at = cycle;
   bool reads = wait != NULL;
   for (; *token < end; (*token)++) {
      const enum cm_entry_kind kind = cm_entry_kind(**token);
      if (kind == CM_ENTRY_DRAM_WRITE) {
         write_memory(memory, **token, at);
      } else if (kind == CM_ENTRY_DRAM_READ) {
         const cm_dram_ticket ticket = read_memory(memory, **token, at);
         if (reads)
            add_ticket(memory, wait, ticket);
      } else if (is_access(**token)) {
         if (begins_access(memory, **token, stop))
            return;
         /* A write-back is issued after the read that evicts the block. */
         at = serve(memory, **token, processor, cm_is_cache_read(**token) ? at : cycle);
         reads = wait && cm_is_cache_read(**token) && is_demanded(memory, **token);
         if (reads) {
            cm_dependency_until(wait, at);
            add_pending(memory, cm_entry_address(**token), wait);
         }
      } else {
         return;
      }
   }
}

static uint32_t
latency_of(const struct cm_immediate_memory *memory, cm_entry token)
{
   const unsigned unit = cm_entry_unit(token);
   return cm_entry_kind(token) == CM_ENTRY_UNIT_ACCESS ? memory->config->access_units[unit].latency
                                                       : memory->latency[unit];
}

bool
cm_immediate_memory_begins_access(const struct cm_immediate_memory *memory, cm_entry first, cm_entry token)
{
   if (is_access(token))
      return begins_access(memory, token, is_access(first) ? cache_of(memory, first) : CM_UNIT_DRAM);
   return cm_entry_kind(first) == cm_entry_kind(token) &&
          memory->config->streams[cm_entry_stream(token)] == CM_UNIT_DRAM;
}

/* Of what a vertex' shader accesses of storage: the load/store units' cycles. */
static void
count_lookups(struct cm_immediate_memory *memory, cm_entry token)
{
   if (cm_entry_kind(token) == CM_ENTRY_GROUP && cm_entry_stream(token) == CM_STREAM_STORAGE)
      memory->base.stores.port += cm_load_store_cycles(memory->config, cm_group_count(token));
}

uint64_t
cm_immediate_memory_run(struct cm_immediate_memory *memory, const cm_entry *token, const cm_entry *end,
                        uint64_t cycle, struct cm_dependency *wait)
{
   uint64_t taken = cycle;
   while (token < end) {
      const enum cm_entry_kind kind = cm_entry_kind(*token);
      uint64_t served = cycle;
      struct cm_dependency *reads = wait;
      if (is_access(*token)) {
         served = serve(memory, *token, 0, cycle);
         taken = cm_later(taken, served - latency_of(memory, *token) + 1);
         if (cm_is_cache_read(*token)) {
            cm_dependency_until(wait, served);
            add_pending(memory, cm_entry_address(*token), wait);
         } else {
            reads = NULL;
         }
         token++;
      } else if (kind == CM_ENTRY_DRAM_WRITE) {
         reads = NULL;
      } else if (kind != CM_ENTRY_DRAM_READ) {
         count_lookups(memory, *token++);
         continue;
      }
      pass_on(memory, &token, end, 0, CM_UNIT_DRAM, served, reads);
   }
   return taken;
}

/* ---- what shaders access --------------------------------------------------- */

/* Where misses of a processor's texture cache or load/store unit go to. Of a stream without cache all accesses do. */
static enum cm_unit
next_of(const struct cm_immediate_memory *memory, enum cm_stream stream)
{
   const enum cm_unit first = memory->config->streams[stream];
   return first == CM_UNIT_TEXTURE_CACHE || first == CM_UNIT_LOAD_STORE_CACHE
             ? memory->config->caches[first].next
             : first;
}

/* A miss of a stream: an entry of any instance and address. */
static cm_entry
miss_entry(const struct cm_immediate_memory *memory, enum cm_stream stream)
{
   const enum cm_unit next = next_of(memory, stream);
   const unsigned unit = memory->units.first[next];
   return unit != CM_ACCESS_UNIT_COUNT
             ? cm_entry_make(CM_ENTRY_UNIT_ACCESS, unit, 0, stream, 0)
             : cm_entry_make(next == CM_UNIT_DRAM ? CM_ENTRY_DRAM_READ : CM_ENTRY_READ, next, 0, stream, 0);
}

struct cm_first_misses
cm_immediate_memory_count_misses(const struct cm_immediate_memory *memory, const cm_entry *token,
                                 const cm_entry *end)
{
   /* Reads of any instance; one of memory has its size in these bits. */
   const cm_entry instance = cm_entry_make((enum cm_entry_kind)0, 0, 63, (enum cm_stream)0, 0);
   const cm_entry texture = miss_entry(memory, CM_STREAM_TEXTURE) >> CM_ENTRY_STREAM_SHIFT;
   const cm_entry storage = miss_entry(memory, CM_STREAM_STORAGE) >> CM_ENTRY_STREAM_SHIFT;
   struct cm_first_misses count = {0};
   for (; token < end; token++) {
      const cm_entry entry = (*token & ~instance) >> CM_ENTRY_STREAM_SHIFT;
      count.texture += entry == texture;
      count.storage += entry == storage;
   }
   return count;
}

static bool
has_free(struct cm_immediate_memory *memory, const struct cm_first_mshrs *mshrs, uint32_t misses)
{
   for (uint32_t i = 0; i < misses && i < mshrs->count; i++) {
      if (!cm_dependency_is_known(&memory->base, &mshrs->misses[(mshrs->taken + i) % mshrs->count]))
         return false;
   }
   return true;
}

bool
cm_immediate_memory_has_mshrs(struct cm_immediate_memory *memory, uint32_t processor,
                              struct cm_first_misses misses)
{
   return has_free(memory, &memory->texture[processor], misses.texture) &&
          has_free(memory, &memory->load_store[processor], misses.storage);
}

static struct cm_first_mshrs *
mshrs_of(struct cm_immediate_memory *memory, uint32_t processor, enum cm_stream stream)
{
   return stream == CM_STREAM_STORAGE ? &memory->load_store[processor] : &memory->texture[processor];
}

bool
cm_immediate_memory_begins(struct cm_immediate_memory *memory, uint32_t processor, cm_entry request,
                           uint64_t *cycle)
{
   if (!cm_is_read(request))
      return true;
   const struct cm_first_mshrs *mshrs = mshrs_of(memory, processor, cm_entry_stream(request));
   struct cm_dependency *fill = &mshrs->misses[mshrs->taken % mshrs->count];
   if (!cm_dependency_is_known(&memory->base, fill))
      return false;
   *cycle = cm_later(*cycle, fill->time);
   return true;
}

/* A read that misses. */
static uint64_t
miss(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry **token, const cm_entry *end,
     uint64_t cycle, struct cm_dependency *wait)
{
   const cm_entry first = *(*token)++;
   const enum cm_stream stream = cm_entry_stream(first);
   struct cm_first_mshrs *mshrs = mshrs_of(memory, processor, stream);
   struct cm_dependency *fill = &mshrs->misses[mshrs->taken++ % mshrs->count];
   const uint64_t begin = cm_later(cm_dependency_resolve(&memory->base, fill), cycle);
   *(stream == CM_STREAM_STORAGE ? &memory->base.stores.mshrs : &memory->base.texture_waits) += begin - cycle;
   cm_dependency_begin(fill, begin);
   if (cm_is_cache_read(first)) {
      const uint64_t at = serve(memory, first, processor, begin);
      cm_dependency_until(fill, at);
      add_pending(memory, cm_entry_address(first), fill);
      pass_on(memory, token, end, processor, next_of(memory, stream), at, fill);
   } else {
      add_ticket(memory, fill, read_memory(memory, first, begin));
   }
   if (!wait)
      return begin;
   cm_dependency_until(wait, fill->time);
   for (uint32_t i = 0; i < fill->num_tickets; i++)
      add_ticket(memory, wait, fill->reads[i].ticket);
   return begin;
}

/* It ends before the next group, or the fetch of a shader, which are reads of another stream. What the LLC writes back may be of
 * any stream. */
const cm_entry *
cm_immediate_memory_group_end(const cm_entry *token, const cm_entry *end)
{
   const enum cm_stream stream = cm_entry_stream(*token++);
   while (token < end && cm_entry_kind(*token) != CM_ENTRY_GROUP &&
          (cm_entry_stream(*token) == stream || !cm_is_read(*token)))
      token++;
   return token;
}

uint64_t
cm_immediate_memory_write(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry **token,
                          const cm_entry *end, uint64_t cycle)
{
   const cm_entry first = *(*token)++;
   uint64_t taken = cycle;
   if (is_access(first)) {
      const uint64_t served = serve(memory, first, processor, cycle);
      taken = served - latency_of(memory, first);
      pass_on(memory, token, end, processor, next_of(memory, CM_STREAM_STORAGE), served, NULL);
   } else if (cm_entry_kind(first) == CM_ENTRY_DRAM_WRITE) {
      write_memory(memory, first, cycle);
   }
   memory->base.stores.writes += taken - cycle;
   return taken;
}

/* The blocks of a footprint, which the sampler takes together. */
static uint64_t
look_up_texture(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry **token,
                uint64_t cycle, struct cm_dependency *wait)
{
   uint64_t *sampler = &memory->sampler[processor];
   *sampler = cm_later(*sampler, cycle) + memory->config->immediate_pipeline.sampler_cycles;
   const uint64_t found = *sampler + memory->latency[CM_UNIT_TEXTURE_CACHE];
   wait->resource = cm_group_resource(**token);
   uint32_t count = cm_group_count(*(*token)++);
   cm_dependency_until(wait, found);
   for (; count; count--, (*token)++)
      add_pending(memory, cm_entry_address(**token), wait);
   return found;
}

/* The blocks of an instruction, which the load/store unit takes one after another. */
static uint64_t
look_up_storage(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry **token,
                uint64_t cycle, struct cm_dependency *wait)
{
   const enum cm_storage_operation operation = cm_group_operation(**token);
   wait->resource = cm_group_resource(**token);
   uint32_t count = cm_group_count(*(*token)++);
   const uint64_t taken = cm_memory_take_blocks(&memory->base, memory->config, processor, count, cycle);
   const uint64_t found = taken + memory->latency[CM_UNIT_LOAD_STORE_CACHE];
   if (operation != CM_STORAGE_STORE)
      cm_dependency_until(wait, found);
   for (; count; count--, (*token)++) {
      if (operation == CM_STORAGE_LOAD)
         add_pending(memory, cm_entry_address(**token), wait);
   }
   return found;
}

uint64_t
cm_immediate_memory_look_up(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry **token,
                            uint64_t cycle, struct cm_dependency *wait)
{
   return cm_entry_stream(**token) == CM_STREAM_STORAGE
             ? look_up_storage(memory, processor, token, cycle, wait)
             : look_up_texture(memory, processor, token, cycle, wait);
}

uint64_t
cm_immediate_memory_request(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry **token,
                            const cm_entry *end, uint64_t cycle, struct cm_dependency *wait)
{
   if (cm_is_read(**token))
      return miss(memory, processor, token, end, cycle, wait);
   /* The unit waits until the next level takes what is written. */
   memory->base.load_store_port[processor] +=
      cm_immediate_memory_write(memory, processor, token, end, cycle) - cycle;
   return cycle;
}

void
cm_immediate_memory_group(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry *token,
                          const cm_entry *end, uint64_t cycle, struct cm_dependency *wait)
{
   struct cm_dependency *reads = cm_is_store_group(*token) ? NULL : wait;
   const uint64_t found = cm_immediate_memory_look_up(memory, processor, &token, cycle, wait);
   while (token < end)
      cm_immediate_memory_request(memory, processor, &token, end, found, reads);
}
