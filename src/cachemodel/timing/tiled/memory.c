/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "texture/nuca_internal.h"
#include "timing/tiled/memory.h"

/* ---- building ------------------------------------------------------------ */

static bool
init_mshrs(struct cm_mshrs *mshrs, uint32_t count)
{
   mshrs->entries = malloc(count * sizeof *mshrs->entries);
   mshrs->count = count;
   for (uint32_t i = 0; mshrs->entries && i < count; i++)
      mshrs->entries[i] = (struct cm_mshr){.block = UINT64_MAX, .fill.ticket = CM_NO_TICKET};
   return mshrs->entries != NULL;
}

static bool
init_nuca(struct cm_memory_timing *memory, const struct cm_nuca *nuca)
{
   memory->nuca = nuca;
   memory->table_router = nuca->table_router;
   memory->l2_router = nuca->l2_router;
   if (!cm_mesh_init(&memory->mesh, memory->config->nuca.mesh.columns, nuca->processors))
      return false;
   memory->texture_ports = calloc(nuca->processors, sizeof *memory->texture_ports);
   memory->links = calloc((size_t)memory->mesh.routers * CM_MESH_DIRECTION_COUNT, sizeof *memory->links);
   return memory->texture_ports && memory->links;
}

bool
cm_memory_timing_init(struct cm_memory_timing *memory, const struct cm_config *config,
                      const struct cm_nuca *nuca)
{
   const struct cm_pipeline_config *pipeline = &config->pipeline;
   const struct cm_cache_config *l2 = &config->caches[CM_UNIT_L2];
   *memory = (struct cm_memory_timing){.config = config};
   memory->num_texture = config->fragment_stage.processors;
   memory->l2_shift = l2->size ? (uint32_t)__builtin_ctz(l2->block) : CM_DRAM_BLOCK_SHIFT;
   memory->l2_latency = l2->latency;
   memory->num_l2_banks = (struct cm_dram_divisor){pipeline->l2_banks, UINT64_MAX / pipeline->l2_banks};
   memory->dram = cm_dram_system_create(&config->dram_system);
   memory->texture = calloc(memory->num_texture, sizeof *memory->texture);
   memory->texture_port = calloc(memory->num_texture, sizeof *memory->texture_port);
   memory->l2_banks = calloc(pipeline->l2_banks, sizeof *memory->l2_banks);
   if (!memory->dram || !memory->texture || !memory->texture_port || !memory->l2_banks)
      return false;
   memory->completions = cm_dram_system_completions(memory->dram);
   memory->clock = cm_dram_system_clock(memory->dram, config->clock_mhz);
   memory->least_latency =
      (uint64_t)config->dram_system.controller_latency * memory->clock.from.value / memory->clock.to.value;
   for (uint32_t i = 0; i < memory->num_texture; i++) {
      if (!init_mshrs(&memory->texture[i], pipeline->texture_mshrs))
         return false;
   }
   const uint32_t attribute =
      config->primitive_buffer.lines ? config->primitive_buffer.mshrs : pipeline->tile_mshrs;
   return init_mshrs(&memory->vertex, pipeline->vertex_mshrs) &&
          init_mshrs(&memory->list, pipeline->tile_mshrs) && init_mshrs(&memory->attribute, attribute) &&
          init_mshrs(&memory->instruction, pipeline->instruction_mshrs) &&
          init_mshrs(&memory->tile_buffer, pipeline->flush_requests) &&
          init_mshrs(&memory->l2, pipeline->l2_mshrs) && (!nuca || init_nuca(memory, nuca));
}

void
cm_memory_timing_finish(struct cm_memory_timing *memory)
{
   for (uint32_t i = 0; memory->texture && i < memory->num_texture; i++)
      free(memory->texture[i].entries);
   free(memory->texture);
   free(memory->texture_port);
   free(memory->vertex.entries);
   free(memory->list.entries);
   free(memory->attribute.entries);
   free(memory->instruction.entries);
   free(memory->tile_buffer.entries);
   free(memory->l2.entries);
   free(memory->l2_banks);
   free(memory->texture_ports);
   free(memory->links);
   if (memory->nuca)
      cm_mesh_finish(&memory->mesh);
   if (memory->dram)
      cm_dram_system_destroy(memory->dram);
}

/* ---- DRAM ---------------------------------------------------------------- */

/* A ticket that is not valid any more: complete long ago. */
static inline bool
is_stale(const struct cm_memory_timing *memory, cm_dram_ticket ticket)
{
   return memory->last_ticket - ticket >= CM_DRAM_TICKETS - 1;
}

uint64_t
cm_memory_ticket(struct cm_memory_timing *memory, cm_dram_ticket ticket)
{
   if (is_stale(memory, ticket))
      return 0;
   uint64_t completion = memory->completions[ticket % CM_DRAM_TICKETS];
   if (completion == CM_DRAM_PENDING)
      completion = cm_dram_system_completion(memory->dram, ticket);
   return cm_dram_clock_from_dram(memory->clock, completion);
}

/* A block's requests of at most CM_DRAM_REQUEST_BYTES: the last one's ticket. */
static cm_dram_ticket
submit(struct cm_memory_timing *memory, cm_token token, bool write, uint64_t cycle)
{
   const uint64_t arrival = cm_dram_clock_to_dram(memory->clock, cycle);
   const uint64_t address = cm_token_address(token);
   const uint32_t bytes = 1u << cm_token_size(token);
   const uint32_t piece = bytes < CM_DRAM_REQUEST_BYTES ? bytes : CM_DRAM_REQUEST_BYTES;
   cm_dram_ticket ticket = 0;
   for (uint32_t offset = 0; offset < bytes; offset += piece)
      ticket =
         cm_dram_system_submit(memory->dram, address + offset, piece, write, cm_token_stream(token), arrival);
   memory->last_ticket = ticket;
   return ticket;
}

/* Whether a read is complete by now, as far as is known without asking DRAM to go on. */
static inline bool
is_over(struct cm_memory_timing *memory, struct cm_arrival *arrival, uint64_t cycle)
{
   if (arrival->time > cycle)
      return false;
   if (arrival->ticket != CM_NO_TICKET) {
      const bool stale = is_stale(memory, arrival->ticket);
      const uint64_t completion = stale ? 0 : memory->completions[arrival->ticket % CM_DRAM_TICKETS];
      if (completion == CM_DRAM_PENDING)
         return false;
      const uint64_t time = cm_dram_clock_from_dram(memory->clock, completion);
      arrival->time = time > arrival->time ? time : arrival->time;
      arrival->ticket = CM_NO_TICKET;
   }
   return arrival->time <= cycle;
}

bool
cm_memory_is_known(struct cm_memory_timing *memory, struct cm_wait *wait, uint64_t cycle)
{
   bool has_come = false;
   while (wait->num_tickets) {
      const uint32_t last = wait->num_tickets - 1;
      const uint64_t completion = memory->completions[wait->tickets[last] % CM_DRAM_TICKETS];
      if (is_stale(memory, wait->tickets[last])) {
         wait->num_tickets--;
      } else if (completion != CM_DRAM_PENDING) {
         const uint64_t time = cm_dram_clock_from_dram(memory->clock, completion) + wait->after[last];
         wait->time = time > wait->time ? time : wait->time;
         wait->num_tickets--;
      } else if (!has_come) {
         cm_dram_system_advance(memory->dram, cm_dram_clock_to_dram(memory->clock, cycle));
         has_come = true;
      } else {
         return false;
      }
   }
   return true;
}

/* ---- waits --------------------------------------------------------------- */

static void
add_ticket(struct cm_memory_timing *memory, struct cm_wait *wait, cm_dram_ticket ticket, uint32_t after)
{
   for (uint32_t i = 0; i < wait->num_tickets; i++) {
      if (wait->tickets[i] == ticket) {
         wait->after[i] = wait->after[i] > after ? wait->after[i] : after;
         return;
      }
   }
   if (wait->num_tickets == CM_WAIT_ARRIVALS) {
      const uint64_t time = cm_memory_ticket(memory, wait->tickets[0]) + wait->after[0];
      wait->time = time > wait->time ? time : wait->time;
      wait->num_tickets--;
      memmove(wait->tickets, wait->tickets + 1, wait->num_tickets * sizeof wait->tickets[0]);
      memmove(wait->after, wait->after + 1, wait->num_tickets * sizeof wait->after[0]);
   }
   wait->tickets[wait->num_tickets] = ticket;
   wait->after[wait->num_tickets++] = after;
}

void
cm_memory_add_arrival(struct cm_memory_timing *memory, struct cm_wait *wait, const struct cm_arrival *arrival,
                      uint32_t after)
{
   if (arrival->time + after > wait->time)
      wait->time = arrival->time + after;
   if (arrival->ticket != CM_NO_TICKET)
      add_ticket(memory, wait, arrival->ticket, after);
}

/* ---- MSHRs --------------------------------------------------------------- */

/* Entries may be over or not without any order that could be foretold: so many are looked at without branches. */
#define SCANNED_AT_ONCE 64

bool
cm_memory_has_mshr(struct cm_memory_timing *memory, struct cm_mshrs *mshrs, uint64_t *cycle)
{
   const uint64_t now = *cycle;
   const uint32_t count = mshrs->count;
   struct cm_arrival *oldest = &mshrs->entries[mshrs->next].fill;
   uint64_t soonest = UINT64_MAX;
   unsigned unknown = 0;
   if (oldest->time > now) {
      soonest = oldest->time;
   } else {
      /* Most often it is this one. */
      if (oldest->ticket != CM_NO_TICKET) {
         unknown = 1;
         cm_dram_system_advance(memory->dram, cm_dram_clock_to_dram(memory->clock, now));
      }
      if (is_over(memory, oldest, now))
         return true;
   }
   const uint32_t second = mshrs->next + 1 == count ? 0 : mshrs->next + 1;
   for (uint32_t scanned = 1, first = second; scanned < count; scanned += SCANNED_AT_ONCE) {
      const uint32_t left = count - scanned, end = left < SCANNED_AT_ONCE ? left : SCANNED_AT_ONCE;
      uint64_t may_be_over = 0;
      uint32_t at = first;
      for (uint32_t i = 0; i < end; i++, at = at + 1 == count ? 0 : at + 1) {
         const uint64_t time = mshrs->entries[at].fill.time, later = time > now;
         const uint64_t until = time | (later - 1); /* all ones where it is not later */
         may_be_over |= (later ^ 1) << i;
         soonest = until < soonest ? until : soonest;
      }
      for (; may_be_over; may_be_over &= may_be_over - 1) {
         const uint32_t place = first + (uint32_t)__builtin_ctzll(may_be_over);
         const uint32_t entry = place < count ? place : place - count;
         struct cm_arrival *fill = &mshrs->entries[entry].fill;
         /* Of those that may be over, the two that were taken first are asked. */
         if (fill->ticket != CM_NO_TICKET && ++unknown > 2)
            continue;
         if (unknown == 1 && fill->ticket != CM_NO_TICKET)
            cm_dram_system_advance(memory->dram, cm_dram_clock_to_dram(memory->clock, now));
         if (is_over(memory, fill, now)) {
            mshrs->next = entry;
            return true;
         }
      }
      first = at;
   }
   /* Where it is not known when they are over, they are asked again a little later. */
   if (unknown && now + CM_MEMORY_PATIENCE < soonest)
      soonest = now + CM_MEMORY_PATIENCE;
   mshrs->waits += soonest - now;
   *cycle = soonest;
   return false;
}

/* Finds one that is free at a cycle or as soon as possible after it, when cycle is changed. */
static struct cm_mshr *
take_mshr(struct cm_memory_timing *memory, struct cm_mshrs *mshrs, uint64_t *cycle)
{
   uint32_t at = mshrs->next, soonest = UINT32_MAX;
   for (uint32_t i = 0; i < mshrs->count; i++, at = at + 1 == mshrs->count ? 0 : at + 1) {
      struct cm_mshr *entry = &mshrs->entries[at];
      if (is_over(memory, &entry->fill, *cycle)) {
         mshrs->next = at + 1 == mshrs->count ? 0 : at + 1;
         return entry;
      }
      if (entry->fill.ticket == CM_NO_TICKET &&
          (soonest == UINT32_MAX || entry->fill.time < mshrs->entries[soonest].fill.time))
         soonest = at;
   }
   /* The one that was taken first is asked for; those that are known may be sooner. */
   struct cm_mshr *entry = &mshrs->entries[mshrs->next];
   if (entry->fill.ticket != CM_NO_TICKET) {
      const uint64_t time = cm_memory_ticket(memory, entry->fill.ticket);
      entry->fill.time = time > entry->fill.time ? time : entry->fill.time;
      entry->fill.ticket = CM_NO_TICKET;
   }
   if (soonest != UINT32_MAX && mshrs->entries[soonest].fill.time < entry->fill.time)
      entry = &mshrs->entries[soonest];
   if (entry->fill.time > *cycle) {
      mshrs->waits += entry->fill.time - *cycle;
      *cycle = entry->fill.time;
   }
   const uint32_t taken = (uint32_t)(entry - mshrs->entries);
   mshrs->next = taken + 1 == mshrs->count ? 0 : taken + 1;
   return entry;
}

/* An entry is for another block; UINT64_MAX: for none. */
static void
set_block(struct cm_mshrs *mshrs, struct cm_mshr *entry, uint64_t block)
{
   if (entry->block != UINT64_MAX) {
      const uint32_t bit = cm_memory_block_bit(entry->block);
      if (--mshrs->with_bit[bit] == 0)
         mshrs->present &= ~(1ull << bit);
   }
   if (block != UINT64_MAX) {
      const uint32_t bit = cm_memory_block_bit(block);
      mshrs->with_bit[bit]++;
      mshrs->present |= 1ull << bit;
   }
   entry->block = block;
}

void
cm_memory_pending(struct cm_memory_timing *memory, struct cm_mshrs *mshrs, uint64_t address, uint64_t cycle,
                  struct cm_wait *wait)
{
   for (uint32_t i = 0; i < mshrs->count; i++) {
      struct cm_mshr *entry = &mshrs->entries[i];
      if (entry->block != address)
         continue;
      if (is_over(memory, &entry->fill, cycle)) {
         set_block(mshrs, entry, UINT64_MAX);
      } else {
         cm_memory_add_arrival(memory, wait, &entry->fill, 0);
      }
   }
}

/* ---- the L2 -------------------------------------------------------------- */

/* The cycle at which the L2 begins with an access. */
static uint64_t
take_bank(struct cm_memory_timing *memory, uint64_t address, uint64_t cycle)
{
   const struct cm_pipeline_config *pipeline = &memory->config->pipeline;
   uint64_t number;
   cm_dram_divide(address >> memory->l2_shift, memory->num_l2_banks, &number);
   struct cm_calendar *bank = &memory->l2_banks[number];
   const uint32_t busy = pipeline->l2_bank_cycles;
   const uint64_t slot = busy == 1 ? cycle : (cycle + busy - 1) / busy;
   const uint64_t begin = cm_calendar_take(bank, slot) * busy;
   memory->l2_conflict_cycles += begin - cycle;
   return begin;
}

static uint32_t
l2_bucket(uint64_t block)
{
   return (uint32_t)((block * 0x9e3779b97f4a7c15ull) >> 56) % CM_L2_BUCKETS;
}

static void
forget_l2_block(struct cm_memory_timing *memory, uint32_t entry)
{
   const uint64_t block = memory->l2.entries[entry].block;
   if (block == UINT64_MAX)
      return;
   uint16_t *link = &memory->l2_bucket[l2_bucket(block)];
   while (*link != entry + 1)
      link = &memory->l2_chain[*link - 1];
   *link = memory->l2_chain[entry];
}

/* An outstanding miss of a block of the L2; NULL: there is none. */
static const struct cm_arrival *
find_l2_miss(const struct cm_memory_timing *memory, uint64_t block)
{
   for (uint32_t at = memory->l2_bucket[l2_bucket(block)]; at; at = memory->l2_chain[at - 1]) {
      if (memory->l2.entries[at - 1].block == block)
         return &memory->l2.entries[at - 1].fill;
   }
   return NULL;
}

/* The L2 reads a block from memory. */
static inline struct cm_arrival
miss_in_l2(struct cm_memory_timing *memory, cm_token token, uint64_t cycle)
{
   const uint64_t block = cm_token_address(token) >> memory->l2_shift;
   struct cm_mshr *mshr = take_mshr(memory, &memory->l2, &cycle);
   const uint32_t entry = (uint32_t)(mshr - memory->l2.entries);
   forget_l2_block(memory, entry);
   mshr->block = block;
   mshr->fill = (struct cm_arrival){.time = cycle + memory->least_latency,
                                    .ticket = submit(memory, token, false, cycle)};
   uint16_t *bucket = &memory->l2_bucket[l2_bucket(block)];
   memory->l2_chain[entry] = *bucket;
   *bucket = (uint16_t)(entry + 1);
   return mshr->fill;
}

/* What the L2 asks of memory after an access, whose tokens stand from *token on: the block read, if it was
 * awaited; writes go on their way. Returns whether there was a read. */
static bool
pass_on(struct cm_memory_timing *memory, const cm_token **token, const cm_token *end, uint64_t cycle,
        struct cm_arrival *read)
{
   bool missed = false;
   for (; *token < end; (*token)++) {
      const enum cm_token_kind kind = cm_token_kind(**token);
      if (kind == CM_TOKEN_DRAM_WRITE) {
         submit(memory, **token, true, cycle);
      } else if (kind == CM_TOKEN_DRAM_READ) {
         *read = miss_in_l2(memory, **token, cycle);
         missed = true;
      } else {
         break;
      }
   }
   return missed;
}

/* A read of a first cache, which has an MSHR for it; its token is *token. */
static struct cm_arrival
read_l2(struct cm_memory_timing *memory, const cm_token **token, const cm_token *end, uint64_t cycle)
{
   const uint64_t address = cm_token_address(**token);
   const uint64_t known = take_bank(memory, address, cycle) + memory->l2_latency;
   struct cm_arrival arrival = {.time = known, .ticket = CM_NO_TICKET};
   (*token)++;
   if (pass_on(memory, token, end, known, &arrival))
      return arrival;
   const struct cm_arrival *miss = find_l2_miss(memory, address >> memory->l2_shift);
   if (miss) {
      arrival.ticket = miss->ticket;
      arrival.time = miss->time > known ? miss->time : known;
   }
   return arrival;
}

void
cm_memory_write(struct cm_memory_timing *memory, const cm_token **token, const cm_token *end, uint64_t cycle)
{
   struct cm_arrival unused;
   const cm_token first = *(*token)++;
   if (cm_token_kind(first) == CM_TOKEN_WRITE) {
      const uint64_t begin = take_bank(memory, cm_token_address(first), cycle);
      pass_on(memory, token, end, begin + memory->l2_latency, &unused);
   } else if (cm_token_kind(first) == CM_TOKEN_DRAM_WRITE) {
      submit(memory, first, true, cycle);
   }
}

void
cm_memory_miss(struct cm_memory_timing *memory, const cm_token **token, const cm_token *end, uint64_t cycle,
               struct cm_mshrs *mshrs, uint32_t after, struct cm_wait *wait)
{
   struct cm_mshr *mshr = take_mshr(memory, mshrs, &cycle);
   set_block(mshrs, mshr, cm_token_address(**token));
   if (cm_token_kind(**token) == CM_TOKEN_READ) {
      mshr->fill = read_l2(memory, token, end, cycle);
   } else {
      mshr->fill = (struct cm_arrival){.time = cycle + memory->least_latency,
                                       .ticket = submit(memory, **token, false, cycle)};
      (*token)++;
   }
   cm_memory_add_arrival(memory, wait, &mshr->fill, after);
}

void
cm_memory_misses(struct cm_memory_timing *memory, const cm_token *token, const cm_token *end, uint64_t cycle,
                 struct cm_mshrs *mshrs, uint32_t after, struct cm_wait *wait)
{
   while (token < end) {
      const enum cm_token_kind kind = cm_token_kind(*token);
      if (kind == CM_TOKEN_READ || kind == CM_TOKEN_DRAM_READ)
         cm_memory_miss(memory, &token, end, cycle, mshrs, after, wait);
      else
         cm_memory_write(memory, &token, end, cycle);
   }
}

void
cm_memory_writes(struct cm_memory_timing *memory, const cm_token *token, const cm_token *end, uint64_t cycle)
{
   struct cm_arrival unused;
   while (token < end) {
      if (cm_token_kind(*token) == CM_TOKEN_READ)
         unused = read_l2(memory, &token, end, cycle);
      else if (cm_token_kind(*token) == CM_TOKEN_DRAM_READ)
         submit(memory, *token++, false, cycle);
      else
         cm_memory_write(memory, &token, end, cycle);
   }
   (void)unused;
}

void
cm_memory_transfer(struct cm_memory_timing *memory, const cm_token *token, const cm_token *end,
                   uint32_t cycles, struct cm_stage *stage, struct cm_wait *wait)
{
   struct cm_mshrs *mshrs = &memory->tile_buffer;
   struct cm_mshr *mshr = &mshrs->entries[mshrs->next];
   mshrs->next = mshrs->next + 1 == mshrs->count ? 0 : mshrs->next + 1;
   /* Blocks give their places back in order. */
   if (mshr->fill.ticket != CM_NO_TICKET)
      mshr->fill.time = cm_memory_ticket(memory, mshr->fill.ticket);
   const uint64_t cycle = mshr->fill.time > stage->until ? mshr->fill.time : stage->until;
   cm_stage_account(stage, CM_STAGE_MEMORY, cycle);
   cm_stage_work(stage, CM_STAGE_MEMORY, cycle, cycles);
   const enum cm_token_kind kind = cm_token_kind(*token);
   mshr->fill = (struct cm_arrival){.time = cycle, .ticket = CM_NO_TICKET};
   if (kind == CM_TOKEN_READ)
      mshr->fill = read_l2(memory, &token, end, cycle);
   else if (kind == CM_TOKEN_DRAM_READ || kind == CM_TOKEN_DRAM_WRITE)
      mshr->fill.ticket = submit(memory, *token, kind == CM_TOKEN_DRAM_WRITE, cycle);
   else
      cm_memory_write(memory, &token, end, cycle);
   if (kind == CM_TOKEN_READ || kind == CM_TOKEN_DRAM_READ)
      cm_memory_add_arrival(memory, wait, &mshr->fill, 0);
}
