/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "timing/immediate/memory.h"

/* ---- building ------------------------------------------------------------ */

static bool
init_ports(struct cm_immediate_memory *memory)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const struct cm_cache_config *cache = &memory->config->caches[unit];
      if (!cache->size)
         continue;
      const uint32_t banks = cm_cache_config_banks(cache);
      const uint32_t ports = unit == CM_UNIT_LLC ? banks : 2 * banks * cache->instances;
      memory->ports[unit] = calloc(ports, sizeof *memory->ports[unit]);
      memory->latency[unit] = cache->latency;
      if (!memory->ports[unit])
         return false;
   }
   return true;
}

bool
cm_immediate_memory_init(struct cm_immediate_memory *memory, const struct cm_config *config)
{
   const struct cm_immediate_pipeline_config *pipeline = &config->immediate_pipeline;
   const struct cm_cache_config *llc = &config->caches[CM_UNIT_LLC];
   const uint32_t processors = config->fragment_stage.processors;
   *memory = (struct cm_immediate_memory){.config = config};
   memory->llc_shift = llc->size ? (uint32_t)__builtin_ctz(llc->block) : 6;
   memory->llc_banks = llc->size ? cm_cache_config_banks(llc) : 1;
   memory->llc_clock = cm_dram_clock_make(config->clock_mhz, pipeline->llc_clock_mhz);
   memory->dram = cm_dram_system_create(&config->dram_system);
   memory->misses = calloc(pipeline->llc_mshrs, sizeof *memory->misses);
   memory->chain = calloc(pipeline->llc_mshrs, sizeof *memory->chain);
   memory->writes = calloc(pipeline->llc_writes, sizeof *memory->writes);
   memory->texture_misses =
      calloc((size_t)processors * pipeline->texture_mshrs, sizeof *memory->texture_misses);
   memory->num_texture_misses = calloc(processors, sizeof *memory->num_texture_misses);
   memory->sampler = calloc(processors, sizeof *memory->sampler);
   memset(memory->bucket, 0xff, sizeof memory->bucket);
   if (!memory->dram || !memory->misses || !memory->chain || !memory->writes || !memory->texture_misses ||
       !memory->num_texture_misses || !memory->sampler || !init_ports(memory))
      return false;
   memory->clock = cm_dram_system_clock(memory->dram, config->clock_mhz);
   return true;
}

void
cm_immediate_memory_finish(struct cm_immediate_memory *memory)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++)
      free(memory->ports[unit]);
   free(memory->misses);
   free(memory->chain);
   free(memory->writes);
   free(memory->texture_misses);
   free(memory->num_texture_misses);
   free(memory->sampler);
   if (memory->dram)
      cm_dram_system_destroy(memory->dram);
}

/* ---- DRAM ---------------------------------------------------------------- */

/* A ticket that is not valid any more: complete long ago. */
static inline bool
is_stale(const struct cm_immediate_memory *memory, cm_dram_ticket ticket)
{
   return memory->last_ticket - ticket >= CM_DRAM_TICKETS - 1;
}

/* The cycle at which a request is complete; false where that is not known. */
static inline bool
find_completion(struct cm_immediate_memory *memory, cm_dram_ticket ticket, uint64_t *cycle)
{
   uint64_t completion = 0;
   if (!is_stale(memory, ticket) && !cm_dram_system_is_complete(memory->dram, ticket, &completion))
      return false;
   *cycle = cm_dram_clock_from_dram(memory->clock, completion);
   return true;
}

static uint64_t
await(struct cm_immediate_memory *memory, cm_dram_ticket ticket)
{
   return is_stale(memory, ticket)
             ? 0
             : cm_dram_clock_from_dram(memory->clock, cm_dram_system_completion(memory->dram, ticket));
}

static cm_dram_ticket
submit(struct cm_immediate_memory *memory, cm_token token, bool write, uint64_t cycle)
{
   /* What was on its way through the LLC when that was full waits, too. */
   const uint64_t begin = cycle > memory->stalled ? cycle : memory->stalled;
   const uint64_t arrival = cm_dram_clock_to_dram(memory->clock, begin);
   const uint64_t address = cm_token_address(token);
   const uint32_t bytes = 1u << cm_token_size(token);
   const uint32_t piece = bytes < CM_DRAM_REQUEST_BYTES ? bytes : CM_DRAM_REQUEST_BYTES;
   for (uint32_t offset = 0; offset < bytes; offset += piece)
      memory->last_ticket =
         cm_dram_system_submit(memory->dram, address + offset, piece, write, cm_token_stream(token), arrival);
   return memory->last_ticket;
}

void
cm_immediate_memory_advance(struct cm_immediate_memory *memory, uint64_t cycle)
{
   cm_dram_system_advance(memory->dram, cm_dram_clock_to_dram(memory->clock, cycle));
}

/* ---- delays -------------------------------------------------------------- */

static inline void
not_before(struct cm_delay *delay, uint64_t time)
{
   delay->time = time > delay->time ? time : delay->time;
}

bool
cm_delay_is_known(struct cm_immediate_memory *memory, struct cm_delay *delay)
{
   while (delay->num_tickets) {
      uint64_t time;
      if (!find_completion(memory, delay->tickets[delay->num_tickets - 1], &time))
         return false;
      not_before(delay, time);
      delay->num_tickets--;
   }
   return true;
}

uint64_t
cm_delay_resolve(struct cm_immediate_memory *memory, struct cm_delay *delay)
{
   while (delay->num_tickets)
      not_before(delay, await(memory, delay->tickets[--delay->num_tickets]));
   return delay->time;
}

static void
add_ticket(struct cm_immediate_memory *memory, struct cm_delay *delay, cm_dram_ticket ticket)
{
   uint64_t time;
   if (find_completion(memory, ticket, &time)) {
      not_before(delay, time);
      return;
   }
   for (uint32_t i = 0; i < delay->num_tickets; i++) {
      if (delay->tickets[i] == ticket)
         return;
   }
   /* More than fit: those that were there are waited for. */
   if (delay->num_tickets == CM_DELAY_TICKETS)
      cm_delay_resolve(memory, delay);
   delay->tickets[delay->num_tickets++] = ticket;
}

static void
add_delay(struct cm_immediate_memory *memory, struct cm_delay *delay, const struct cm_delay *other)
{
   not_before(delay, other->time);
   for (uint32_t i = 0; i < other->num_tickets; i++)
      add_ticket(memory, delay, other->tickets[i]);
}

/* ---- the last-level cache ------------------------------------------------ */

static inline uint16_t *
bucket_of(struct cm_immediate_memory *memory, uint64_t block)
{
   return &memory->bucket[(block * 0x9e3779b97f4a7c15ull) >> 53];
}

/* Whoever reads a block that is on its way from memory waits for it, wherever the log found it. */
static inline void
add_pending(struct cm_immediate_memory *memory, uint64_t address, struct cm_delay *delay)
{
   const uint64_t block = address >> memory->llc_shift;
   for (uint16_t at = *bucket_of(memory, block); at != CM_NO_ENTRY; at = memory->chain[at]) {
      if (memory->misses[at].block == block)
         add_ticket(memory, delay, memory->misses[at].ticket);
   }
}

/* The cycle from which the entry that has been in use for longest is free; until then, the LLC takes nothing. */
static uint64_t
wait_for_entry(struct cm_immediate_memory *memory, const struct cm_llc_entry *entry, uint64_t cycle,
               uint64_t *wait_cycles)
{
   uint64_t is_free;
   if (!find_completion(memory, entry->ticket, &is_free))
      is_free = await(memory, entry->ticket);
   if (is_free <= cycle)
      return cycle;
   *wait_cycles += is_free - cycle;
   memory->stalled = is_free > memory->stalled ? is_free : memory->stalled;
   return is_free;
}

static cm_dram_ticket
read_memory(struct cm_immediate_memory *memory, cm_token token, uint64_t cycle)
{
   const uint32_t place = memory->next_miss;
   struct cm_llc_entry *entry = &memory->misses[place];
   if (memory->num_misses++ >= memory->config->immediate_pipeline.llc_mshrs) {
      cycle = wait_for_entry(memory, entry, cycle, &memory->miss_wait_cycles);
      uint16_t *link = bucket_of(memory, entry->block);
      while (*link != place)
         link = &memory->chain[*link];
      *link = memory->chain[place];
   }
   memory->next_miss = place + 1 == memory->config->immediate_pipeline.llc_mshrs ? 0 : place + 1;
   entry->block = cm_token_address(token) >> memory->llc_shift;
   entry->ticket = submit(memory, token, false, cycle);
   uint16_t *bucket = bucket_of(memory, entry->block);
   memory->chain[place] = *bucket;
   *bucket = (uint16_t)place;
   return entry->ticket;
}

static void
write_memory(struct cm_immediate_memory *memory, cm_token token, uint64_t cycle)
{
   struct cm_llc_entry *entry = &memory->writes[memory->next_write];
   if (memory->num_writes++ >= memory->config->immediate_pipeline.llc_writes)
      cycle = wait_for_entry(memory, entry, cycle, &memory->write_wait_cycles);
   if (++memory->next_write == memory->config->immediate_pipeline.llc_writes)
      memory->next_write = 0;
   entry->ticket = submit(memory, token, true, cycle);
}

/* The cycle at which a bank begins with an access. */
static uint64_t
take_bank(struct cm_immediate_memory *memory, uint64_t address, uint64_t cycle)
{
   const struct cm_dram_clock clock = memory->llc_clock;
   const uint64_t wanted = cycle > memory->stalled ? cycle : memory->stalled;
   struct cm_calendar *bank = &memory->ports[CM_UNIT_LLC][(address >> memory->llc_shift) % memory->llc_banks];
   /* An access that comes within a cycle of the LLC takes part in it. */
   uint64_t rest;
   const uint64_t whole = cm_dram_divide(wanted, clock.from, &rest) * clock.to.value;
   const uint64_t slot = whole + rest * clock.to.value / clock.from.value;
   const uint64_t begin = cm_dram_clock_from_dram(clock, cm_calendar_take(bank, slot));
   memory->bank_wait_cycles += begin > wanted ? begin - wanted : 0;
   return begin > wanted ? begin : wanted;
}

/* When a cache has served an access that comes to it at a cycle. */
static uint64_t
serve(struct cm_immediate_memory *memory, cm_token token, uint32_t processor, uint64_t cycle)
{
   const enum cm_unit unit = (enum cm_unit)cm_token_size(token);
   if (unit == CM_UNIT_LLC)
      return take_bank(memory, cm_token_address(token), cycle) + memory->latency[unit];
   const struct cm_cache_config *cache = &memory->config->caches[unit];
   uint32_t bank = processor % cache->instances;
   if (cache->banks > 1)
      bank = bank * cache->banks + (uint32_t)(cm_token_address(token) / cache->block % cache->banks);
   const uint32_t port = 2 * bank + (cm_token_kind(token) == CM_TOKEN_WRITE);
   return cm_calendar_take(&memory->ports[unit][port], cycle) + memory->latency[unit];
}

/* ---- accesses ------------------------------------------------------------ */

/* What a cache asks of those behind it: tokens from *token on, until one is of a first cache or asks the unit
 * `stop`, beginning at a cycle. Reads are added to delay; NULL: nobody waits for them. */
static void
pass_on(struct cm_immediate_memory *memory, const cm_token **token, const cm_token *end, uint32_t processor,
        enum cm_unit stop, uint64_t cycle, struct cm_delay *delay)
{
   uint64_t at = cycle;
   bool reads = delay != NULL;
   for (; *token < end; (*token)++) {
      const enum cm_token_kind kind = cm_token_kind(**token);
      if (kind == CM_TOKEN_DRAM_WRITE) {
         write_memory(memory, **token, at);
      } else if (kind == CM_TOKEN_DRAM_READ) {
         const cm_dram_ticket ticket = read_memory(memory, **token, at);
         if (reads)
            add_ticket(memory, delay, ticket);
      } else if (kind == CM_TOKEN_READ || kind == CM_TOKEN_WRITE) {
         const enum cm_unit unit = (enum cm_unit)cm_token_size(**token);
         if (unit == stop || unit == memory->config->streams[cm_token_stream(**token)])
            return;
         /* A block that is written back leaves when the read that makes it leave is on its way. */
         const bool is_read = kind == CM_TOKEN_READ;
         at = serve(memory, **token, processor, is_read ? at : cycle);
         reads = is_read && delay;
         if (reads) {
            not_before(delay, at);
            add_pending(memory, cm_token_address(**token), delay);
         }
      } else {
         return;
      }
   }
}

uint64_t
cm_immediate_memory_run(struct cm_immediate_memory *memory, const cm_token *token, const cm_token *end,
                        uint64_t cycle, struct cm_delay *delay)
{
   uint64_t taken = cycle;
   while (token < end) {
      const enum cm_token_kind kind = cm_token_kind(*token);
      uint64_t served = cycle;
      struct cm_delay *reads = delay;
      if (kind == CM_TOKEN_READ || kind == CM_TOKEN_WRITE) {
         served = serve(memory, *token, 0, cycle);
         const uint64_t next = served - memory->latency[cm_token_size(*token)] + 1;
         taken = next > taken ? next : taken;
         if (kind == CM_TOKEN_READ) {
            not_before(delay, served);
            add_pending(memory, cm_token_address(*token), delay);
         } else {
            reads = NULL;
         }
         token++;
      } else if (kind == CM_TOKEN_DRAM_WRITE) {
         reads = NULL;
      } else if (kind != CM_TOKEN_DRAM_READ) {
         token++;
         continue;
      }
      pass_on(memory, &token, end, 0, CM_UNIT_DRAM, served, reads);
   }
   return taken;
}

/* ---- textures ------------------------------------------------------------ */

static inline bool
is_first_miss(const struct cm_immediate_memory *memory, cm_token token)
{
   const enum cm_unit next = memory->config->caches[CM_UNIT_TEXTURE_CACHE].next;
   const enum cm_token_kind kind = cm_token_kind(token);
   if (next == CM_UNIT_DRAM)
      return kind == CM_TOKEN_DRAM_READ;
   return kind == CM_TOKEN_READ && cm_token_size(token) == next;
}

uint32_t
cm_immediate_memory_count_misses(const struct cm_immediate_memory *memory, const cm_token *token,
                                 const cm_token *end)
{
   uint32_t count = 0;
   for (; token < end; token++)
      count += cm_token_stream(*token) == CM_STREAM_TEXTURE && is_first_miss(memory, *token);
   return count;
}

bool
cm_immediate_memory_has_mshrs(struct cm_immediate_memory *memory, uint32_t processor, uint32_t misses)
{
   const uint32_t mshrs = memory->config->immediate_pipeline.texture_mshrs;
   const uint64_t taken = memory->num_texture_misses[processor];
   for (uint32_t i = 0; i < misses && i < mshrs; i++) {
      struct cm_delay *miss = &memory->texture_misses[processor * mshrs + (taken + i) % mshrs];
      if (!cm_delay_is_known(memory, miss))
         return false;
   }
   return true;
}

void
cm_immediate_memory_footprint(struct cm_immediate_memory *memory, uint32_t processor, const cm_token *token,
                              const cm_token *end, uint64_t cycle, struct cm_delay *delay)
{
   const struct cm_immediate_pipeline_config *pipeline = &memory->config->immediate_pipeline;
   const enum cm_unit next = memory->config->caches[CM_UNIT_TEXTURE_CACHE].next;
   uint64_t *sampler = &memory->sampler[processor];
   *sampler = (*sampler > cycle ? *sampler : cycle) + pipeline->sampler_cycles;
   const uint64_t found = *sampler + memory->latency[CM_UNIT_TEXTURE_CACHE];
   uint32_t count = (uint32_t)cm_token_address(*token++);
   not_before(delay, found);
   for (; count; count--, token++)
      add_pending(memory, cm_token_address(*token), delay);
   while (token < end) {
      uint64_t *taken = &memory->num_texture_misses[processor];
      struct cm_delay *miss =
         &memory->texture_misses[processor * pipeline->texture_mshrs + *taken % pipeline->texture_mshrs];
      const uint64_t is_free = cm_delay_resolve(memory, miss);
      const uint64_t begin = is_free > found ? is_free : found;
      memory->texture_wait_cycles += begin - found;
      *miss = (struct cm_delay){.time = begin};
      ++*taken;
      uint64_t at = begin;
      if (cm_token_kind(*token) == CM_TOKEN_READ) {
         const cm_token first = *token++;
         at = serve(memory, first, processor, begin);
         not_before(miss, at);
         add_pending(memory, cm_token_address(first), miss);
         pass_on(memory, &token, end, processor, next, at, miss);
      } else if (cm_token_kind(*token) == CM_TOKEN_DRAM_READ) {
         add_ticket(memory, miss, read_memory(memory, *token++, begin));
      } else {
         token++;
      }
      add_delay(memory, delay, miss);
   }
}
