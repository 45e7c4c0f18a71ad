/* SPDX-License-Identifier: MIT */
#include "timing/memory.h"

#include <assert.h>

/* ---- DRAM ---------------------------------------------------------------- */

bool
cm_memory_init(struct cm_memory *memory, const struct cm_config *config, uint32_t wait_tickets,
               uint32_t wait_resolves, struct cm_pool *pool)
{
   *memory = (struct cm_memory){
      .dram = cm_dram_system_create(&config->dram_system),
      .wait_tickets = wait_tickets,
      .wait_resolves = wait_resolves,
      .load_store_port =
         cm_pool_take(pool, config->fragment_stage.processors, sizeof *memory->load_store_port),
   };
   if (!memory->dram)
      return false;
   memory->completions = cm_dram_system_completions(memory->dram);
   memory->clock = cm_dram_system_clock(memory->dram, config->clock_mhz);
   cm_dram_system_set_clock(memory->dram, memory->clock);
   return true;
}

void
cm_memory_finish(struct cm_memory *memory)
{
   cm_dram_system_destroy(memory->dram);
}

cm_dram_ticket
cm_memory_submit_many(struct cm_memory *memory, cm_entry token, bool write, uint64_t cycle)
{
   const uint64_t arrival = cm_dram_clock_to_dram(memory->clock, cycle), address = cm_entry_address(token);
   const uint32_t bytes = 1u << cm_entry_instance(token);
   for (uint32_t offset = 0; offset < bytes; offset += CM_DRAM_REQUEST_BYTES)
      memory->last_ticket = cm_dram_system_submit(memory->dram, address + offset, CM_DRAM_REQUEST_BYTES,
                                                  write, cm_entry_stream(token), arrival);
   return memory->last_ticket;
}

void
cm_memory_collect(const struct cm_memory *memory, uint64_t *values)
{
   struct cm_dram_system_counters counters;
   cm_dram_system_count(memory->dram, &counters);
#define COLLECT(name, measure, description) *values++ = counters.name;
   CM_DRAM_SYSTEM_COUNTERS(COLLECT)
#undef COLLECT
}

/* ---- waits --------------------------------------------------------------- */

/* The oldest reads of a wait are resolved. */
static void
resolve_oldest(struct cm_memory *memory, struct cm_dependency *wait, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++)
      cm_dependency_ticket_arrives(wait, i, cm_memory_ticket(memory, wait->reads[i].ticket));
   wait->num_tickets -= count;
   memmove(wait->reads, wait->reads + count, wait->num_tickets * sizeof wait->reads[0]);
}

void
cm_dependency_make_room(struct cm_memory *memory, struct cm_dependency *wait)
{
   uint64_t cycle;
   if (wait->num_tickets < memory->wait_tickets)
      return;
   uint32_t known = 1;
   while (known < wait->num_tickets && cm_memory_find(memory, wait->reads[known].ticket, &cycle))
      known++;
   resolve_oldest(memory, wait, known);
}

void
cm_dependency_add_ticket(struct cm_memory *memory, struct cm_dependency *wait, cm_dram_ticket ticket,
                         uint32_t after)
{
   for (struct cm_awaited_read *read = wait->reads; read < wait->reads + wait->num_tickets; read++) {
      if (read->ticket == ticket) {
         read->resource = after > read->after ? wait->resource : read->resource;
         read->after = read->after > after ? read->after : after;
         return;
      }
   }
   if (wait->num_tickets == memory->wait_tickets)
      resolve_oldest(memory, wait, memory->wait_resolves);
   cm_dependency_push(wait, ticket, after);
}

void
cm_flight_init(struct cm_flight *flight, uint32_t size, struct cm_pool *pool)
{
   cm_queue_init(&flight->queue, size, pool);
   flight->waits = cm_pool_take(pool, size, sizeof *flight->waits);
   flight->entered = cm_pool_take(pool, size, sizeof *flight->entered);
}

/* ---- outstanding misses -------------------------------------------------- */

/* Buckets for each entry: with 8, one in eight other blocks or fewer has a bucket that is not empty. */
#define BUCKETS_PER_ENTRY 8

void
cm_mshrs_init(struct cm_mshrs *mshrs, uint32_t count, bool is_latest_first, struct cm_pool *pool)
{
   uint32_t bits = 1;
   assert(count && count < CM_NO_MSHR);
   while (1u << bits < BUCKETS_PER_ENTRY * count)
      bits++;
   *mshrs = (struct cm_mshrs){
      .entries = cm_pool_take(pool, count, sizeof *mshrs->entries),
      .bucket = cm_pool_take(pool, (size_t)1 << bits, sizeof *mshrs->bucket),
      .chain = cm_pool_take(pool, count, sizeof *mshrs->chain),
      .bucket_shift = 64 - bits,
      .count = count,
      .is_latest_first = is_latest_first,
   };
   for (uint32_t i = 0; mshrs->entries && i < count; i++)
      mshrs->entries[i] = (struct cm_mshr){.block = UINT64_MAX, .fill.ticket = CM_NO_TICKET};
   if (mshrs->bucket)
      memset(mshrs->bucket, 0xff, sizeof *mshrs->bucket << bits);
}

void
cm_mshrs_set_block(struct cm_mshrs *mshrs, struct cm_mshr *changed, uint64_t block)
{
   const uint16_t entry = (uint16_t)(changed - mshrs->entries);
   assert(entry < mshrs->count);
   if (changed->block != UINT64_MAX) {
      uint16_t *link = cm_mshrs_bucket(mshrs, changed->block);
      while (*link != entry)
         link = &mshrs->chain[*link];
      *link = mshrs->chain[entry];
   }
   changed->block = block;
   if (block == UINT64_MAX)
      return;
   uint16_t *link = cm_mshrs_bucket(mshrs, block);
   while (!mshrs->is_latest_first && *link < entry)
      link = &mshrs->chain[*link];
   mshrs->chain[entry] = *link;
   *link = entry;
}

/* Whether a read is known, without advancing DRAM, to be complete by now. */
static inline bool
is_over(const struct cm_memory *memory, struct cm_arrival *arrival, uint64_t cycle)
{
   if (arrival->time > cycle)
      return false;
   if (arrival->ticket != CM_NO_TICKET) {
      uint64_t time;
      if (!cm_memory_find(memory, arrival->ticket, &time))
         return false;
      arrival->time = cm_later(arrival->time, time + arrival->after);
      arrival->ticket = CM_NO_TICKET;
   }
   return arrival->time <= cycle;
}

void
cm_mshrs_add_pending(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t block, uint64_t cycle,
                     struct cm_dependency *wait)
{
   for (uint16_t at = cm_mshrs_find(mshrs, block), next; at != CM_NO_MSHR; at = next) {
      struct cm_mshr *entry = &mshrs->entries[at];
      next = cm_mshrs_find_next(mshrs, at);
      if (is_over(memory, &entry->fill, cycle))
         cm_mshrs_set_block(mshrs, entry, UINT64_MAX);
      else
         cm_dependency_add(memory, wait, &entry->fill, 0);
   }
}

bool
cm_mshrs_find_free(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle)
{
   const uint64_t now = *cycle;
   uint64_t soonest = UINT64_MAX;
   unsigned unknown = 0;
   uint32_t at = mshrs->next;
   for (uint32_t i = 0; i < mshrs->count; i++, at = cm_mshrs_after(mshrs, at)) {
      struct cm_arrival *fill = &mshrs->entries[at].fill;
      if (fill->time > now) {
         soonest = fill->time < soonest ? fill->time : soonest;
         continue;
      }
      /* The two that were allocated first are checked, of those whose completion is not known. */
      if (fill->ticket != CM_NO_TICKET && ++unknown == 1)
         cm_memory_advance(memory, now);
      if ((fill->ticket == CM_NO_TICKET || unknown <= 2) && is_over(memory, fill, now)) {
         mshrs->next = at;
         return true;
      }
   }
   /* Entries of unknown completion are checked again a little later. */
   if (unknown && now + CM_MEMORY_POLL_CYCLES < soonest)
      soonest = now + CM_MEMORY_POLL_CYCLES;
   mshrs->waits += soonest - now;
   *cycle = soonest;
   return false;
}

struct cm_mshr *
cm_mshrs_take_free(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t cycle)
{
   uint32_t at = mshrs->next;
   for (uint32_t i = 0; i < mshrs->count; i++, at = cm_mshrs_after(mshrs, at)) {
      if (is_over(memory, &mshrs->entries[at].fill, cycle)) {
         mshrs->next = cm_mshrs_after(mshrs, at);
         return &mshrs->entries[at];
      }
   }
   return NULL;
}

struct cm_mshr *
cm_mshrs_alloc_slow(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle)
{
   uint32_t at = mshrs->next, soonest = UINT32_MAX;
   for (uint32_t i = 0; i < mshrs->count; i++, at = cm_mshrs_after(mshrs, at)) {
      struct cm_mshr *entry = &mshrs->entries[at];
      if (is_over(memory, &entry->fill, *cycle)) {
         mshrs->next = cm_mshrs_after(mshrs, at);
         return entry;
      }
      if (entry->fill.ticket == CM_NO_TICKET &&
          (soonest == UINT32_MAX || entry->fill.time < mshrs->entries[soonest].fill.time))
         soonest = at;
   }
   /* The entry allocated first is resolved; entries of known completion may be sooner. */
   struct cm_mshr *entry = &mshrs->entries[mshrs->next];
   if (entry->fill.ticket != CM_NO_TICKET) {
      entry->fill.time =
         cm_later(entry->fill.time, cm_memory_ticket(memory, entry->fill.ticket) + entry->fill.after);
      entry->fill.ticket = CM_NO_TICKET;
   }
   if (soonest != UINT32_MAX && mshrs->entries[soonest].fill.time < entry->fill.time)
      entry = &mshrs->entries[soonest];
   if (entry->fill.time > *cycle) {
      mshrs->waits += entry->fill.time - *cycle;
      *cycle = entry->fill.time;
   }
   assert(entry->fill.ticket == CM_NO_TICKET && entry->fill.time <= *cycle);
   mshrs->next = cm_mshrs_after(mshrs, (uint32_t)(entry - mshrs->entries));
   return entry;
}

/* ---- banks --------------------------------------------------------------- */

void
cm_banks_init(struct cm_banks *banks, uint32_t count, uint32_t block_shift, struct cm_pool *pool)
{
   *banks = (struct cm_banks){
      .calendars = cm_pool_take(pool, count, sizeof *banks->calendars),
      .count = {.value = count, .reciprocal = UINT64_MAX / count},
      .block_shift = block_shift,
   };
}

/* ---- units on the access stream ------------------------------------------ */

void
cm_unit_ports_init(struct cm_unit_ports *units, const struct cm_config *config, struct cm_pool *pool)
{
   bool any = false;
   *units = (struct cm_unit_ports){.configs = config->access_units};
   for (unsigned cache = 0; cache < CM_UNIT_COUNT; cache++)
      units->first[cache] = CM_ACCESS_UNIT_COUNT;
   for (unsigned u = CM_ACCESS_UNIT_COUNT; u-- > 0;) {
      if (!config->access_units[u].entries)
         continue;
      units->first[config->access_units[u].before] = (enum cm_access_unit_number)u;
      any = true;
   }
   if (any)
      units->calendars = cm_pool_take(pool, CM_ACCESS_UNIT_COUNT, sizeof *units->calendars);
}

uint64_t
cm_unit_ports_serve(struct cm_unit_ports *units, cm_entry entry, struct cm_unit_route *route)
{
   const unsigned unit = cm_entry_unit(entry);
   const uint32_t ports = cm_access_unit_kinds[unit]->ports;
   assert(cm_entry_kind(entry) == CM_ENTRY_UNIT_ACCESS && units->configs[unit].entries);
   const uint64_t begin = cm_calendar_take(&units->calendars[unit], route->arrives[unit] * ports) / ports;
   const uint64_t served = begin + units->configs[unit].latency;
   for (unsigned u = unit + 1; u <= CM_ACCESS_UNIT_COUNT; u++)
      route->arrives[u] = served;
   return served;
}
