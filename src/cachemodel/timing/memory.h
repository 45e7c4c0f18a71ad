/* SPDX-License-Identifier: MIT */
/**
 * What both timings' memory sides are made of: reads from DRAM and those who wait for them, tables of outstanding
 * misses, banks. The caches have decided already what hits and what misses (timing/log.h is the log of it).
 *
 * A read from memory is not complete when it is requested: its completion is asked for when somebody needs the
 * data, so that DRAM chooses among all that was requested until then. What waits for data is a cm_wait.
 */
#ifndef CM_TIMING_MEMORY_H
#define CM_TIMING_MEMORY_H

#include "config/config.h"
#include "dram/dram_system.h"
#include "access/access_stream.h"
#include "timing/pieces.h"

/* ---- DRAM ---------------------------------------------------------------- */

struct cm_memory {
   struct cm_dram_system *dram;
   const uint64_t *completions; /**< its */
   struct cm_dram_clock clock;  /**< from the GPU's */
   cm_dram_ticket last_ticket;  /**< tickets count up */
   uint32_t wait_tickets;       /**< reads that a cm_wait has, at most CM_WAIT_TICKETS */
   uint32_t wait_resolves;      /**< of them so many, the oldest, are resolved when there is one more */
};

/** Prepares DRAM as the configuration has it. False when out of memory. */
bool cm_memory_init(struct cm_memory *memory, const struct cm_config *config, uint32_t wait_tickets,
                    uint32_t wait_resolves);
void cm_memory_finish(struct cm_memory *memory);

/** Requests what a token names, at most CM_DRAM_REQUEST_BYTES at once: the last request's ticket. */
cm_dram_ticket cm_memory_submit(struct cm_memory *memory, cm_entry token, bool write, uint64_t cycle);

/** Lets DRAM go on to a cycle. */
static inline void
cm_memory_advance(struct cm_memory *memory, uint64_t cycle)
{
   cm_dram_system_advance(memory->dram, cm_dram_clock_to_dram(memory->clock, cycle));
}

/** Whether it is known, without asking DRAM to go on, from which cycle a read's data is there. A ticket that is not
 * valid any more is of a read that was complete long ago: cycle 0. */
static inline bool
cm_memory_find(const struct cm_memory *memory, cm_dram_ticket ticket, uint64_t *cycle)
{
   const bool is_stale = memory->last_ticket - ticket >= CM_DRAM_TICKETS - 1;
   const uint64_t completion = is_stale ? 0 : memory->completions[ticket % CM_DRAM_TICKETS];
   if (completion == CM_DRAM_PENDING)
      return false;
   *cycle = cm_dram_clock_from_dram(memory->clock, completion);
   return true;
}

/** The cycle from which a read's data is there. */
static inline uint64_t
cm_memory_ticket(struct cm_memory *memory, cm_dram_ticket ticket)
{
   uint64_t cycle;
   return cm_memory_find(memory, ticket, &cycle)
             ? cycle
             : cm_dram_clock_from_dram(memory->clock, cm_dram_system_completion(memory->dram, ticket));
}

/** The values of CM_DRAM_SYSTEM_COUNTERS, in their order. */
void cm_memory_collect(const struct cm_memory *memory, uint64_t *values);

/* ---- waits --------------------------------------------------------------- */

/** A time that may depend on a read from memory. */
struct cm_arrival {
   uint64_t time;         /**< no sooner than this */
   cm_dram_ticket ticket; /**< CM_NO_TICKET: time is all; else the read's completion */
};
#define CM_NO_TICKET UINT64_MAX

#define CM_WAIT_TICKETS 15

/** What waits for several. */
struct cm_wait {
   uint64_t time; /**< the latest of those that are known */
   uint32_t num_tickets;
   uint32_t
      after[CM_WAIT_TICKETS]; /**< cycles from a ticket's completion until the data is where it is needed */
   cm_dram_ticket tickets[CM_WAIT_TICKETS];
};

/** It waits for a cycle, and nothing else. */
static inline void
cm_wait_begin(struct cm_wait *wait, uint64_t cycle)
{
   wait->time = cycle;
   wait->num_tickets = 0;
}

/** It waits for a cycle, too. */
static inline void
cm_wait_until(struct cm_wait *wait, uint64_t cycle)
{
   wait->time = cm_later(wait->time, cycle);
}

/** It waits for a read, too, whose data is needed so many cycles after it is complete. */
void
cm_wait_add_ticket(struct cm_memory *memory, struct cm_wait *wait, cm_dram_ticket ticket, uint32_t after);

/** The same of an arrival. */
static inline void
cm_wait_add(struct cm_memory *memory, struct cm_wait *wait, const struct cm_arrival *arrival, uint32_t after)
{
   cm_wait_until(wait, arrival->time + after);
   if (arrival->ticket != CM_NO_TICKET)
      cm_wait_add_ticket(memory, wait, arrival->ticket, after);
}

/** When all that it waits for is there; it waits for nothing afterwards. */
static inline uint64_t
cm_wait_resolve(struct cm_memory *memory, struct cm_wait *wait)
{
   for (uint32_t i = 0; i < wait->num_tickets; i++)
      cm_wait_until(wait, cm_memory_ticket(memory, wait->tickets[i]) + wait->after[i]);
   wait->num_tickets = 0;
   return wait->time;
}

/** Whether it is known, without asking DRAM to go on, when all is there: then that is its time. */
static inline bool
cm_wait_is_known(const struct cm_memory *memory, struct cm_wait *wait)
{
   for (; wait->num_tickets; wait->num_tickets--) {
      uint64_t cycle;
      if (!cm_memory_find(memory, wait->tickets[wait->num_tickets - 1], &cycle))
         return false;
      cm_wait_until(wait, cycle + wait->after[wait->num_tickets - 1]);
   }
   return true;
}

/** The same, and DRAM goes on to a cycle to find out. */
static inline bool
cm_wait_is_known_at(struct cm_memory *memory, struct cm_wait *wait, uint64_t cycle)
{
   if (cm_wait_is_known(memory, wait))
      return true;
   cm_memory_advance(memory, cycle);
   return cm_wait_is_known(memory, wait);
}

/* ---- outstanding misses -------------------------------------------------- */

/** A miss status holding register: a block that is on its way. */
struct cm_mshr {
   uint64_t block; /**< UINT64_MAX: none */
   struct cm_arrival fill;
};

/** A cache's. Whether a block is outstanding is looked up in one of two ways: an indexed table has a hash table of its
 * blocks; another has a filter, and all entries are compared. */
struct cm_mshrs {
   struct cm_mshr *entries;
   uint32_t count;
   uint32_t next;  /**< the one that has been in use for longest */
   uint64_t waits; /**< cycles that misses waited for one */
   /* Not indexed. */
   uint64_t present;      /**< a bit for each block, by its address; what it has not is not outstanding */
   uint16_t with_bit[64]; /**< how many blocks have a bit */
   /* Indexed. */
   uint16_t *bucket, *chain; /**< entries by block; CM_NO_MSHR ends a chain */
   uint32_t bucket_shift;
};
#define CM_NO_MSHR UINT16_MAX

/** False when out of memory. */
bool cm_mshrs_init(struct cm_mshrs *mshrs, uint32_t count, bool indexed);
void cm_mshrs_finish(struct cm_mshrs *mshrs);

static inline uint32_t
cm_mshrs_after(const struct cm_mshrs *mshrs, uint32_t entry)
{
   return entry + 1 == mshrs->count ? 0 : entry + 1;
}

/** An entry is for another block. */
void cm_mshrs_set_block(struct cm_mshrs *mshrs, struct cm_mshr *entry, uint64_t block);

static inline uint64_t
cm_mshrs_hash(uint64_t block)
{
   return block * 0x9e3779b97f4a7c15ull;
}

/** Not indexed: whether a block can be outstanding. */
static inline bool
cm_mshrs_may_have(const struct cm_mshrs *mshrs, uint64_t block)
{
   return mshrs->present >> (cm_mshrs_hash(block) >> 58) & 1;
}

/** Adds to a wait the misses of a block that was found in the cache at a cycle, as far as they are outstanding. */
void cm_mshrs_add_pending(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t block, uint64_t cycle,
                          struct cm_wait *wait);

/** Indexed: the block's entry that was taken last, or before another; CM_NO_MSHR: none. */
static inline uint16_t
cm_mshrs_find(const struct cm_mshrs *mshrs, uint64_t block)
{
   uint16_t at = mshrs->bucket[cm_mshrs_hash(block) >> mshrs->bucket_shift];
   while (at != CM_NO_MSHR && mshrs->entries[at].block != block)
      at = mshrs->chain[at];
   return at;
}

static inline uint16_t
cm_mshrs_find_before(const struct cm_mshrs *mshrs, uint16_t entry)
{
   uint16_t at = mshrs->chain[entry];
   while (at != CM_NO_MSHR && mshrs->entries[at].block != mshrs->entries[entry].block)
      at = mshrs->chain[at];
   return at;
}

/** Whether an entry is free at a cycle. If not, the cycle becomes the next one at which to ask; memory has come to it
 * then. */
bool cm_mshrs_has_free(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle);
/** Cycles after which it is asked again what is not known yet. */
#define CM_MEMORY_PATIENCE 64

/** Takes one that is free at a cycle or as soon as possible after it, when cycle is changed. */
struct cm_mshr *cm_mshrs_take(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle);

/** Takes them in turn: the next one, and when it is free. */
static inline struct cm_mshr *
cm_mshrs_take_in_turn(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *is_free)
{
   struct cm_mshr *entry = &mshrs->entries[mshrs->next];
   mshrs->next = cm_mshrs_after(mshrs, mshrs->next);
   *is_free =
      entry->fill.ticket == CM_NO_TICKET ? entry->fill.time : cm_memory_ticket(memory, entry->fill.ticket);
   return entry;
}

/* ---- banks --------------------------------------------------------------- */

/** A cache's banks, by block; each serves one access a slot. */
struct cm_banks {
   struct cm_calendar *calendars;
   struct cm_dram_divisor count;
   uint32_t block_shift;
   uint64_t waits; /**< cycles that accesses waited for theirs */
};

/** False when out of memory. */
bool cm_banks_init(struct cm_banks *banks, uint32_t count, uint32_t block_shift);
void cm_banks_finish(struct cm_banks *banks);

/** The first free slot, from a slot on, of an address' bank. */
static inline uint64_t
cm_banks_take(struct cm_banks *banks, uint64_t address, uint64_t slot)
{
   uint64_t bank;
   cm_dram_divide(address >> banks->block_shift, banks->count, &bank);
   return cm_calendar_take(&banks->calendars[bank], slot);
}

#endif
