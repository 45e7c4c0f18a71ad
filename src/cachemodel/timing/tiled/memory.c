/* SPDX-License-Identifier: MIT */
#include "timing/tiled/memory.h"

#include "timing/log.h"

/* ---- building ------------------------------------------------------------ */

static void
init_write_buffer(struct cm_write_buffer *buffer, uint32_t size, struct cm_pool *pool)
{
   *buffer = (struct cm_write_buffer){
      .blocks = cm_pool_take(pool, size, sizeof *buffer->blocks),
      .size = size,
   };
   for (uint32_t i = 0; buffer->blocks && i < size; i++)
      buffer->blocks[i].ticket = CM_NO_TICKET;
}

/* Without a bus, or where it is not used, all is 0, and carrying a block changes nothing. */
static void
init_texture_bus(struct cm_tiled_memory *memory)
{
   const struct cm_texture_bus_config *bus = &memory->config->texture_bus;
   const uint32_t block = memory->config->caches[CM_UNIT_TEXTURE_CACHE].block;
   if (!cm_config_has_texture_bus(memory->config))
      return;
   memory->texture_bus.latency = bus->latency;
   if (bus->bytes_per_cycle)
      memory->texture_bus.cycles = (block + bus->bytes_per_cycle - 1) / bus->bytes_per_cycle;
}

bool
cm_tiled_memory_init(struct cm_tiled_memory *memory, const struct cm_config *config,
                     const struct cm_nuca *nuca, struct cm_pool *pool)
{
   const struct cm_pipeline_config *pipeline = &config->pipeline;
   const struct cm_cache_config *l2 = &config->caches[CM_UNIT_L2];
   *memory = (struct cm_tiled_memory){.config = config};
   memory->num_texture = config->fragment_stage.processors;
   memory->l2_shift = l2->size ? (uint32_t)__builtin_ctz(l2->block) : CM_DRAM_BLOCK_SHIFT;
   memory->l2_latency = l2->latency;
   memory->texture = cm_pool_take(pool, memory->num_texture, sizeof *memory->texture);
   memory->texture_port = cm_pool_take(pool, memory->num_texture, sizeof *memory->texture_port);
   for (uint32_t i = 0; memory->texture && i < memory->num_texture; i++)
      cm_mshrs_init(&memory->texture[i], pipeline->texture_mshrs, false, pool);
   const uint32_t stores = config->load_store.mshrs ? config->load_store.mshrs : pipeline->texture_mshrs;
   memory->load_store = cm_pool_take(pool, memory->num_texture, sizeof *memory->load_store);
   for (uint32_t p = 0; memory->load_store && p < memory->num_texture; p++)
      cm_mshrs_init(&memory->load_store[p], stores, false, pool);
   const uint32_t attribute =
      config->primitive_buffer.lines ? config->primitive_buffer.mshrs : pipeline->tile_mshrs;
   cm_mshrs_init(&memory->vertex, pipeline->vertex_mshrs, false, pool);
   cm_mshrs_init(&memory->list, pipeline->tile_mshrs, false, pool);
   cm_mshrs_init(&memory->attribute, attribute, false, pool);
   cm_mshrs_init(&memory->instruction, pipeline->instruction_mshrs, false, pool);
   const uint32_t loads = pipeline->load_requests ? pipeline->load_requests : pipeline->flush_requests;
   cm_mshrs_init(&memory->loads, loads, false, pool);
   init_write_buffer(&memory->write_buffer, pipeline->flush_requests, pool);
   cm_mshrs_init(&memory->l2, pipeline->l2_mshrs, true, pool);
   cm_banks_init(&memory->l2_banks, pipeline->l2_banks, memory->l2_shift, pool);
   init_texture_bus(memory);
   cm_unit_ports_init(&memory->units, config, pool);
   if (!cm_memory_init(&memory->base, config, 6, 1, pool))
      return false;
   const struct cm_dram_clock clock = memory->base.clock;
   memory->least_latency =
      (uint64_t)config->dram_system.controller_latency * clock.from.value / clock.to.value;
   if (nuca)
      cm_mesh_timing_init(&memory->mesh, config, nuca, pool);
   return true;
}

/* ---- the L2 -------------------------------------------------------------- */

static struct cm_arrival
read_dram(struct cm_tiled_memory *memory, cm_entry token, uint64_t cycle)
{
   return (struct cm_arrival){.time = cycle + memory->least_latency,
                              .ticket = cm_memory_submit(&memory->base, token, false, cycle)};
}

/* The cycle at which the L2 begins with an access. */
static inline uint64_t
take_bank(struct cm_tiled_memory *memory, uint64_t address, uint64_t cycle)
{
   const uint32_t busy = memory->config->pipeline.l2_bank_cycles;
   const uint64_t slot = busy == 1 ? cycle : (cycle + busy - 1) / busy;
   const uint64_t begin = cm_banks_take(&memory->l2_banks, address, slot) * busy;
   memory->l2_banks.waits += begin - cycle;
   return begin;
}

/* The L2 reads a block from memory. */
static inline struct cm_arrival
miss_in_l2(struct cm_tiled_memory *memory, cm_entry token, uint64_t cycle)
{
   struct cm_mshr *mshr = cm_mshrs_alloc(&memory->base, &memory->l2, &cycle);
   cm_mshrs_set_block(&memory->l2, mshr, cm_entry_address(token) >> memory->l2_shift);
   return mshr->fill = read_dram(memory, token, cycle);
}

/* Issues the memory accesses that follow an L2 access, from *token on: a block read, if it was awaited, and writes.
 * Returns whether there was a read. */
static inline __attribute__((always_inline)) bool
pass_on(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end, uint64_t cycle,
        struct cm_arrival *read)
{
   bool missed = false;
   for (; *token < end; (*token)++) {
      const enum cm_entry_kind kind = cm_entry_kind(**token);
      if (kind == CM_ENTRY_DRAM_WRITE) {
         cm_memory_submit(&memory->base, **token, true, cycle);
      } else if (kind == CM_ENTRY_DRAM_READ) {
         *read = miss_in_l2(memory, **token, cycle);
         missed = true;
      } else {
         break;
      }
   }
   return missed;
}

/* A read of a first cache, which has an MSHR for it; its token is *token. */
static inline __attribute__((always_inline)) struct cm_arrival
read_l2(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end, uint64_t cycle)
{
   const uint64_t address = cm_entry_address(**token);
   const uint64_t known = take_bank(memory, address, cycle) + memory->l2_latency;
   struct cm_arrival arrival = {.time = known, .ticket = CM_NO_TICKET};
   (*token)++;
   if (pass_on(memory, token, end, known, &arrival))
      return arrival;
   const uint16_t miss = cm_mshrs_find(&memory->l2, address >> memory->l2_shift);
   if (miss != CM_NO_MSHR) {
      arrival.ticket = memory->l2.entries[miss].fill.ticket;
      arrival.time = cm_later(memory->l2.entries[miss].fill.time, known);
   }
   return arrival;
}

/* Issues a token of the L2 or of memory that is not waited for, and the accesses it causes. Returns when the L2 begins
 * with it. */
static uint64_t
issue(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end, uint64_t cycle)
{
   struct cm_arrival unused;
   const cm_entry first = **token;
   switch (cm_entry_kind(first)) {
   case CM_ENTRY_READ: read_l2(memory, token, end, cycle); return cycle;
   case CM_ENTRY_WRITE: {
      const uint64_t begin = take_bank(memory, cm_entry_address(first), cycle);
      (*token)++;
      pass_on(memory, token, end, begin + memory->l2_latency, &unused);
      return begin;
   }
   case CM_ENTRY_DRAM_READ:
   case CM_ENTRY_DRAM_WRITE:
      cm_memory_submit(&memory->base, first, cm_entry_kind(first) == CM_ENTRY_DRAM_WRITE, cycle);
      break;
   default: break;
   }
   (*token)++;
   return cycle;
}

/* ---- units before the L2 --------------------------------------------------- */

/* Whether a token begins an access of a first cache. */
static inline bool
begins_access(const struct cm_tiled_memory *memory, cm_entry token)
{
   enum cm_unit cache;
   const enum cm_entry_kind kind = cm_entry_kind(token);
   return (kind != CM_ENTRY_READ && kind != CM_ENTRY_WRITE && kind != CM_ENTRY_UNIT_ACCESS) ||
          cm_unit_ports_begin_access(&memory->units, token, &cache);
}

/* An access that arrives at the units, and what they pass on. The arrival is that of the access itself: a read that
 * the L2 does not get has hit in a unit. */
static struct cm_arrival
go_through_units(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end, uint64_t cycle)
{
   struct cm_unit_route route = cm_unit_route_begin(**token, cycle);
   struct cm_arrival arrival = {.ticket = CM_NO_TICKET};
   do {
      const cm_entry entry = **token;
      const bool is_same = (cm_entry_address(entry) ^ route.address) >> memory->l2_shift == 0;
      if (cm_entry_kind(entry) == CM_ENTRY_UNIT_ACCESS) {
         const uint64_t served = cm_unit_ports_serve(&memory->units, entry, &route);
         arrival.time = is_same ? served : arrival.time;
         (*token)++;
      } else if (is_same && cm_entry_kind(entry) == CM_ENTRY_READ) {
         arrival = read_l2(memory, token, end, route.arrives[CM_ACCESS_UNIT_COUNT]);
      } else {
         issue(memory, token, end, route.arrives[CM_ACCESS_UNIT_COUNT]);
      }
   } while (*token < end && !begins_access(memory, **token));
   return arrival;
}

/* ---- accesses of first caches ------------------------------------------------ */

uint64_t
cm_tiled_memory_write(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end,
                      uint64_t cycle)
{
   if (cm_entry_kind(**token) != CM_ENTRY_UNIT_ACCESS)
      return issue(memory, token, end, cycle);
   go_through_units(memory, token, end, cycle);
   return cycle;
}

struct cm_arrival
cm_tiled_memory_read(struct cm_tiled_memory *memory, const cm_entry **token, const cm_entry *end,
                     uint64_t cycle)
{
   switch (cm_entry_kind(**token)) {
   case CM_ENTRY_UNIT_ACCESS: return go_through_units(memory, token, end, cycle);
   case CM_ENTRY_READ: return read_l2(memory, token, end, cycle);
   default: return read_dram(memory, *(*token)++, cycle);
   }
}

void
cm_tiled_memory_misses(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                       uint64_t cycle, struct cm_mshrs *mshrs, struct cm_dependency *wait)
{
   while (token < end) {
      if (cm_is_read(*token))
         cm_tiled_memory_miss(memory, &token, end, cycle, mshrs, NULL, 0, 0, wait);
      else
         cm_tiled_memory_write(memory, &token, end, cycle);
   }
}

uint64_t
cm_tiled_memory_fetch_shader(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                             uint64_t cycle, struct cm_dependency *wait)
{
   const uint64_t found = cycle + cm_entry_value(*token);
   cm_dependency_until(wait, found);
   cm_tiled_memory_misses(memory, token + 1, end, found, &memory->instruction, wait);
   return found;
}

void
cm_tiled_memory_writes(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                       uint64_t cycle)
{
   while (token < end)
      cm_tiled_memory_write(memory, &token, end, cycle);
}

const cm_entry *
cm_tiled_memory_access_end(const struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end)
{
   const enum cm_entry_kind first = cm_entry_kind(*token++);
   if (first == CM_ENTRY_DRAM_READ || first == CM_ENTRY_DRAM_WRITE || first == CM_ENTRY_GROUP)
      return token;
   for (; token < end; token++) {
      const enum cm_entry_kind kind = cm_entry_kind(*token);
      if (kind != CM_ENTRY_DRAM_READ && kind != CM_ENTRY_DRAM_WRITE && begins_access(memory, *token))
         break;
   }
   return token;
}

/* When the write buffer has an entry for the next block: when whom its oldest one goes to has taken that. */
static uint64_t
has_entry(struct cm_tiled_memory *memory, const struct cm_write_buffer *buffer)
{
   const struct cm_arrival *oldest = &buffer->blocks[buffer->next];
   return oldest->ticket == CM_NO_TICKET ? oldest->time : cm_memory_taken(&memory->base, oldest->ticket);
}

/* Puts a block of a flush into it. */
static void
send_block(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end, uint64_t cycle)
{
   struct cm_write_buffer *buffer = &memory->write_buffer;
   struct cm_arrival *taken = &buffer->blocks[buffer->next];
   buffer->next = buffer->next + 1 == buffer->size ? 0 : buffer->next + 1;
   *taken = (struct cm_arrival){.time = cycle, .ticket = CM_NO_TICKET};
   if (cm_entry_kind(*token) == CM_ENTRY_DRAM_WRITE)
      taken->ticket = cm_memory_submit(&memory->base, *token, true, cycle);
   else
      taken->time = cm_tiled_memory_write(memory, &token, end, cycle);
}

void
cm_tiled_memory_transfer(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                         uint32_t cycles, struct cm_stage *stage, struct cm_dependency *wait)
{
   const bool is_read = cm_is_read(*token);
   struct cm_mshr *load = NULL;
   uint64_t is_free;
   if (cm_entry_kind(*token) == CM_ENTRY_GROUP) {
      /* Superblocks of a compressed image are converted. */
      cm_stage_go_on(stage,
                     cm_entry_value(*token) * memory->config->framebuffer_compression.superblock_cycles);
      return;
   }
   if (is_read)
      load = cm_mshrs_alloc_in_turn(&memory->base, &memory->loads, &is_free);
   else
      is_free = has_entry(memory, &memory->write_buffer);
   const uint64_t cycle = cm_later(is_free, stage->until);
   cm_stage_work(stage, CM_STAGE_MEMORY, cycle, cycles);
   if (!is_read) {
      send_block(memory, token, end, cycle);
      return;
   }
   load->fill = cm_tiled_memory_read(memory, &token, end, cycle);
   cm_dependency_add(&memory->base, wait, &load->fill, 0);
}

/* The lookups of a group, one block after another from a cycle on, in storage each in a load/store unit's time. Returns when
 * all are looked up. */
static uint64_t
look_up(struct cm_tiled_memory *memory, cm_entry group, uint64_t cycle)
{
   if (cm_entry_stream(group) != CM_STREAM_STORAGE)
      return cycle + cm_group_count(group);
   const uint64_t cycles = cm_load_store_cycles(memory->config, cm_group_count(group));
   memory->base.stores.port += cycles;
   return cycle + cycles;
}

uint64_t
cm_tiled_memory_vertex_accesses(struct cm_tiled_memory *memory, const cm_entry *token, const cm_entry *end,
                                uint64_t cycle)
{
   const struct cm_cache_config *caches = memory->config->caches;
   struct cm_dependency wait = {.time = cycle}, nobody = {0}, *waits = &wait;
   uint64_t found = cycle;
   while (token < end) {
      if (cm_entry_kind(*token) == CM_ENTRY_GROUP) {
         const bool is_storage = cm_entry_stream(*token) == CM_STREAM_STORAGE;
         cycle = look_up(memory, *token, cycle);
         found = cycle + caches[is_storage ? CM_UNIT_LOAD_STORE_CACHE : CM_UNIT_TEXTURE_CACHE].latency;
         waits = cm_is_store_group(*token) ? &nobody : &wait;
         cm_dependency_until(waits, found);
         token++;
      } else if (cm_entry_kind(*token) > CM_ENTRY_GROUP) {
         token++; /* lookups, and a NUCA's requests and messages */
      } else if (cm_is_read(*token)) {
         cm_tiled_memory_miss(memory, &token, end, found, &memory->vertex, NULL, 0, 0, waits);
      } else {
         cm_tiled_memory_write(memory, &token, end, found);
      }
   }
   return cm_dependency_resolve(&memory->base, &wait);
}

void
cm_tiled_memory_add_up(struct cm_tiled_memory *memory)
{
   memory->base.texture_waits = memory->base.stores.mshrs = 0;
   for (uint32_t i = 0; i < memory->num_texture; i++) {
      memory->base.texture_waits += memory->texture[i].waits;
      memory->base.stores.mshrs += memory->load_store[i].waits;
   }
}
