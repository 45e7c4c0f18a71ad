/* SPDX-License-Identifier: MIT */
/**
 * What the memory timing of both GPUs is made of: reads from DRAM and waits for them, MSHRs, banks. The caches have
 * already decided what hits and what misses (timing/log.h is the log of it).
 *
 * A read's completion time is computed only when a consumer needs the data, so that the DRAM scheduler chooses among
 * all requests made until then. A cm_dependency is a wait for data.
 */
#ifndef CM_TIMING_MEMORY_H
#define CM_TIMING_MEMORY_H

#include "access/access_unit.h"
#include "config/config.h"
#include "dram/dram_system.h"
#include "timing/queues.h"

/* ---- DRAM ---------------------------------------------------------------- */

/** Cycles of load/store units, all processors'. */
struct cm_load_store_counts {
   uint64_t port;   /**< in which they took blocks */
   uint64_t mshrs;  /**< that misses waited for an MSHR */
   uint64_t writes; /**< that stores and write-backs waited for the next level */
};

struct cm_memory {
   struct cm_dram_system *dram;
   const uint64_t *completions; /**< dram's, by ticket, in the GPU's cycles */
   struct cm_dram_clock clock;  /**< from the GPU's */
   cm_dram_ticket last_ticket;  /**< tickets count up */
   uint32_t wait_tickets;       /**< most reads of a cm_dependency, at most CM_DEPENDENCY_TICKETS */
   uint32_t
      wait_resolves; /**< of a full cm_dependency, the number of oldest reads that are resolved to add one */
   uint64_t *load_store_port; /**< by processor: when its load/store unit can take the next instruction */
   struct cm_load_store_counts stores;
   uint64_t texture_waits; /**< cycles that misses of the texture caches waited for an MSHR */
};

/** Prepares DRAM as the configuration has it. The pool must outlive it. False when out of memory. */
bool cm_memory_init(struct cm_memory *memory, const struct cm_config *config, uint32_t wait_tickets,
                    uint32_t wait_resolves, struct cm_pool *pool);
void cm_memory_finish(struct cm_memory *memory);

/** cm_memory_submit of more bytes than a request has. */
cm_dram_ticket cm_memory_submit_many(struct cm_memory *memory, cm_entry token, bool write, uint64_t cycle);

/** Requests the bytes of a token, at most CM_DRAM_REQUEST_BYTES a request. Returns the last one's ticket. */
static inline cm_dram_ticket
cm_memory_submit(struct cm_memory *memory, cm_entry token, bool write, uint64_t cycle)
{
   const uint32_t bytes = 1u << cm_entry_instance(token);
   assert(cm_entry_kind(token) == (write ? CM_ENTRY_DRAM_WRITE : CM_ENTRY_DRAM_READ));
   if (bytes > CM_DRAM_REQUEST_BYTES)
      return cm_memory_submit_many(memory, token, write, cycle);
   return memory->last_ticket =
             cm_dram_system_submit(memory->dram, cm_entry_address(token), bytes, write,
                                   cm_entry_stream(token), cm_dram_clock_to_dram(memory->clock, cycle));
}

/** Cycles in which a load/store unit takes so many blocks. */
static inline uint64_t
cm_load_store_cycles(const struct cm_config *config, uint64_t blocks)
{
   return blocks * (config->load_store.block_cycles ? config->load_store.block_cycles : 1);
}

/** A processor's load/store unit takes an instruction's blocks, one after another from a cycle on. Returns when it has. */
static inline uint64_t
cm_memory_take_blocks(struct cm_memory *memory, const struct cm_config *config, uint32_t processor,
                      uint32_t blocks, uint64_t cycle)
{
   uint64_t *port = &memory->load_store_port[processor];
   const uint64_t cycles = cm_load_store_cycles(config, blocks);
   memory->stores.port += cycles;
   return *port = cm_later(*port, cycle) + cycles;
}

/** Simulates DRAM up to a cycle. */
static inline void
cm_memory_advance(struct cm_memory *memory, uint64_t cycle)
{
   cm_dram_system_advance(memory->dram, cm_dram_clock_to_dram(memory->clock, cycle));
}

/** Whether a read's completion is known without advancing DRAM; then *cycle is it. A ticket that is no longer valid
 * is of a read that completed long ago: cycle 0. */
static inline bool
cm_memory_find(const struct cm_memory *memory, cm_dram_ticket ticket, uint64_t *cycle)
{
   const bool is_stale = memory->last_ticket - ticket >= CM_DRAM_TICKETS - 1;
   const uint64_t completion = is_stale ? 0 : memory->completions[ticket % CM_DRAM_TICKETS];
   if (completion == CM_DRAM_PENDING)
      return false;
   *cycle = completion;
   return true;
}

/** The cycle at which the memory controller has taken a write; advances DRAM as needed. Of a ticket that is no longer
 * valid: cycle 0. */
static inline uint64_t
cm_memory_taken(struct cm_memory *memory, cm_dram_ticket ticket)
{
   const bool is_stale = memory->last_ticket - ticket >= CM_DRAM_TICKETS - 1;
   return is_stale ? 0 : cm_dram_system_entry(memory->dram, ticket);
}

/** The cycle at which a read completes; advances DRAM as needed. */
static inline uint64_t
cm_memory_ticket(struct cm_memory *memory, cm_dram_ticket ticket)
{
   uint64_t cycle;
   return cm_memory_find(memory, ticket, &cycle) ? cycle : cm_dram_system_completion(memory->dram, ticket);
}

/** The values of CM_DRAM_SYSTEM_COUNTERS, in their order. */
void cm_memory_collect(const struct cm_memory *memory, uint64_t *values);

/* ---- waits --------------------------------------------------------------- */

/** A time that may depend on a read from memory. */
struct cm_arrival {
   uint64_t time;         /**< no sooner than this */
   cm_dram_ticket ticket; /**< and not before this read completes; CM_NO_TICKET: none */
   uint32_t after;        /**< cycles from its completion until the data is here */
};
#define CM_NO_TICKET UINT64_MAX

#define CM_DEPENDENCY_TICKETS 15

/** A read that is waited for. */
struct cm_awaited_read {
   cm_dram_ticket ticket;
   uint32_t after; /**< cycles from its completion until the data is where it is needed */
   uint32_t resource;
};

/** A wait for several arrivals. */
struct cm_dependency {
   uint64_t time; /**< the latest known time */
   uint32_t num_tickets;
   uint32_t resource;                                   /**< of the data that is added next; 0: of none */
   uint32_t waits_for;                                  /**< of that which is there at `time` */
   struct cm_awaited_read reads[CM_DEPENDENCY_TICKETS]; /**< num_tickets of them */
};

/** Initializes a wait, for a cycle only. */
static inline void
cm_dependency_begin(struct cm_dependency *wait, uint64_t cycle)
{
   wait->time = cycle;
   wait->num_tickets = 0;
   wait->resource = wait->waits_for = 0;
}

/** Data of a resource arrives at a cycle. */
static inline void
cm_dependency_arrives(struct cm_dependency *wait, uint64_t cycle, uint32_t resource)
{
   wait->waits_for = cycle > wait->time ? resource : wait->waits_for;
   wait->time = cm_later(wait->time, cycle);
}

/** Adds a cycle to a wait. */
static inline void
cm_dependency_until(struct cm_dependency *wait, uint64_t cycle)
{
   cm_dependency_arrives(wait, cycle, wait->resource);
}

/** One of the reads has arrived, at a cycle. */
static inline void
cm_dependency_ticket_arrives(struct cm_dependency *wait, uint32_t number, uint64_t cycle)
{
   cm_dependency_arrives(wait, cycle + wait->reads[number].after, wait->reads[number].resource);
}

static inline void
cm_dependency_push(struct cm_dependency *wait, cm_dram_ticket ticket, uint32_t after)
{
   assert(wait->num_tickets < CM_DEPENDENCY_TICKETS);
   wait->reads[wait->num_tickets++] =
      (struct cm_awaited_read){.ticket = ticket, .after = after, .resource = wait->resource};
}

/** Adds a read to a wait, whose data arrives `after` cycles after its completion. */
void cm_dependency_add_ticket(struct cm_memory *memory, struct cm_dependency *wait, cm_dram_ticket ticket,
                              uint32_t after);

/** Makes room for another read in a wait: resolves its oldest one if it is full, and those that are known anyway. */
void cm_dependency_make_room(struct cm_memory *memory, struct cm_dependency *wait);

/** Adds an arrival. */
static inline void
cm_dependency_add(struct cm_memory *memory, struct cm_dependency *wait, const struct cm_arrival *arrival,
                  uint32_t after)
{
   cm_dependency_until(wait, arrival->time + after);
   if (arrival->ticket == CM_NO_TICKET)
      return;
   if (wait->num_tickets)
      cm_dependency_add_ticket(memory, wait, arrival->ticket, arrival->after + after);
   else
      cm_dependency_push(wait, arrival->ticket, arrival->after + after);
}

/** Returns when all has arrived, advancing DRAM as needed; the wait has no reads afterwards. */
static inline uint64_t
cm_dependency_resolve(struct cm_memory *memory, struct cm_dependency *wait)
{
   for (uint32_t i = 0; i < wait->num_tickets; i++)
      cm_dependency_ticket_arrives(wait, i, cm_memory_ticket(memory, wait->reads[i].ticket));
   wait->num_tickets = 0;
   return wait->time;
}

/** Whether it is known, without advancing DRAM, when all has arrived: then that is wait->time. */
static inline bool
cm_dependency_is_known(const struct cm_memory *memory, struct cm_dependency *wait)
{
   for (; wait->num_tickets; wait->num_tickets--) {
      uint64_t cycle;
      if (!cm_memory_find(memory, wait->reads[wait->num_tickets - 1].ticket, &cycle))
         return false;
      cm_dependency_ticket_arrives(wait, wait->num_tickets - 1, cycle);
   }
   return true;
}

/** The same, after DRAM has advanced to a cycle if need be. */
static inline bool
cm_dependency_is_known_at(struct cm_memory *memory, struct cm_dependency *wait, uint64_t cycle)
{
   if (cm_dependency_is_known(memory, wait))
      return true;
   cm_memory_advance(memory, cycle);
   return cm_dependency_is_known(memory, wait);
}

/** Items between their request and its reply, in order: a queue whose items wait for their data. */
struct cm_flight {
   struct cm_queue queue;
   struct cm_dependency *waits; /**< by item, modulo the queue's size */
   uint64_t *entered;
};

/** Takes space for `size` items from the pool. */
void cm_flight_init(struct cm_flight *flight, uint32_t size, struct cm_pool *pool);

static inline bool
cm_flight_is_empty(const struct cm_flight *flight)
{
   return flight->queue.popped == flight->queue.entered;
}

/** The wait of an item; there is one of that number. */
static inline struct cm_dependency *
cm_flight_dependency(const struct cm_flight *flight, uint64_t number)
{
   return &flight->waits[number % flight->queue.size];
}

/** That of the oldest one. */
static inline struct cm_dependency *
cm_flight_oldest(const struct cm_flight *flight)
{
   assert(!cm_flight_is_empty(flight));
   return cm_flight_dependency(flight, flight->queue.popped);
}

/** Pushes an item. Returns its wait, without reads. */
static inline struct cm_dependency *
cm_flight_push(struct cm_flight *flight, uint64_t cycle)
{
   struct cm_dependency *wait = cm_flight_dependency(flight, flight->queue.entered);
   flight->entered[flight->queue.entered % flight->queue.size] = cycle;
   cm_dependency_begin(wait, cycle);
   cm_queue_push(&flight->queue);
   return wait;
}

/** When the oldest item was pushed. */
static inline uint64_t
cm_flight_entered(const struct cm_flight *flight)
{
   return flight->entered[flight->queue.popped % flight->queue.size];
}

/** Pops it at a cycle. */
static inline void
cm_flight_pop(struct cm_flight *flight, uint64_t cycle)
{
   cm_queue_pop(&flight->queue, cm_flight_entered(flight), cycle);
}

/* ---- outstanding misses -------------------------------------------------- */

/** A miss status holding register: an outstanding block. */
struct cm_mshr {
   uint64_t block; /**< UINT64_MAX: none */
   struct cm_arrival fill;
};

/** The MSHRs of a cache. Entries of blocks with the same hash are chained, from a bucket on: by their numbers, or those whose
 * block was given last before others. */
struct cm_mshrs {
   struct cm_mshr *entries;
   uint16_t *bucket, *chain; /**< numbers of entries, by a block's hash, and by entry; CM_NO_MSHR: none */
   uint32_t bucket_shift;
   uint32_t count;
   uint32_t next;  /**< the entry allocated longest ago */
   uint64_t waits; /**< cycles that misses waited for one */
   bool is_latest_first;
};
#define CM_NO_MSHR UINT16_MAX

/** Their memory is of the pool; count is less than CM_NO_MSHR. */
void cm_mshrs_init(struct cm_mshrs *mshrs, uint32_t count, bool is_latest_first, struct cm_pool *pool);

static inline uint32_t
cm_mshrs_after(const struct cm_mshrs *mshrs, uint32_t entry)
{
   return entry + 1 == mshrs->count ? 0 : entry + 1;
}

/** Where a block's chain begins. */
static inline uint16_t *
cm_mshrs_bucket(const struct cm_mshrs *mshrs, uint64_t block)
{
   return &mshrs->bucket[block * 0x9e3779b97f4a7c15ull >> mshrs->bucket_shift];
}

/** Whether a block can be outstanding. */
static inline bool
cm_mshrs_may_have(const struct cm_mshrs *mshrs, uint64_t block)
{
   return *cm_mshrs_bucket(mshrs, block) != CM_NO_MSHR;
}

/** Gives an entry another block; UINT64_MAX: none. */
void cm_mshrs_set_block(struct cm_mshrs *mshrs, struct cm_mshr *entry, uint64_t block);

/** Adds to a wait the outstanding misses of a block that hit in the cache at a cycle. */
void cm_mshrs_add_pending(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t block, uint64_t cycle,
                          struct cm_dependency *wait);

/** The block's entry from one of its chain on; CM_NO_MSHR: none. */
static inline uint16_t
cm_mshrs_find_from(const struct cm_mshrs *mshrs, uint64_t block, uint16_t at)
{
   while (at != CM_NO_MSHR && mshrs->entries[at].block != block)
      at = mshrs->chain[at];
   return at;
}

/** Its first entry. */
static inline uint16_t
cm_mshrs_find(const struct cm_mshrs *mshrs, uint64_t block)
{
   return cm_mshrs_find_from(mshrs, block, *cm_mshrs_bucket(mshrs, block));
}

/** The entry after this one. */
static inline uint16_t
cm_mshrs_find_next(const struct cm_mshrs *mshrs, uint16_t entry)
{
   return cm_mshrs_find_from(mshrs, mshrs->entries[entry].block, mshrs->chain[entry]);
}

/** cm_mshrs_has_free where the oldest entry is not known to be free. */
bool cm_mshrs_find_free(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle);

/** Whether an entry is free at *cycle. If not, *cycle becomes the next one at which to check, and DRAM has advanced
 * to it. */
static inline bool
cm_mshrs_has_free(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle)
{
   const struct cm_arrival *oldest = &mshrs->entries[mshrs->next].fill;
   return (oldest->time <= *cycle && oldest->ticket == CM_NO_TICKET) ||
          cm_mshrs_find_free(memory, mshrs, cycle);
}

/** Cycles between checks for a completion that is not known yet. */
#define CM_MEMORY_POLL_CYCLES 64

/** Takes an entry that is known to be free at a cycle; NULL: there is none. */
struct cm_mshr *cm_mshrs_take_free(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t cycle);

/** cm_mshrs_alloc where the entry allocated longest ago is not known to be free. */
struct cm_mshr *cm_mshrs_alloc_slow(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle);

/** Allocates an entry that is free at *cycle, or as soon as possible after it: then *cycle changes. */
static inline struct cm_mshr *
cm_mshrs_alloc(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *cycle)
{
   struct cm_mshr *entry = &mshrs->entries[mshrs->next];
   if (entry->fill.ticket != CM_NO_TICKET || entry->fill.time > *cycle)
      return cm_mshrs_alloc_slow(memory, mshrs, cycle);
   mshrs->next = cm_mshrs_after(mshrs, mshrs->next);
   return entry;
}

/** Allocates entries round robin: the next one, and when it is free. */
static inline struct cm_mshr *
cm_mshrs_alloc_in_turn(struct cm_memory *memory, struct cm_mshrs *mshrs, uint64_t *is_free)
{
   struct cm_mshr *entry = &mshrs->entries[mshrs->next];
   mshrs->next = cm_mshrs_after(mshrs, mshrs->next);
   *is_free = entry->fill.ticket == CM_NO_TICKET
                 ? entry->fill.time
                 : cm_memory_ticket(memory, entry->fill.ticket) + entry->fill.after;
   return entry;
}

/* ---- banks --------------------------------------------------------------- */

/** A cache's banks, by block; each serves one access a slot. */
struct cm_banks {
   struct cm_calendar *calendars;
   struct cm_dram_divisor count;
   uint32_t block_shift;
   uint64_t waits; /**< cycles that accesses waited for their bank */
};

/** Their memory is of the pool. */
void cm_banks_init(struct cm_banks *banks, uint32_t count, uint32_t block_shift, struct cm_pool *pool);

/** Reserves the first free slot, from a slot on, of an address' bank. Returns it. */
static inline uint64_t
cm_banks_take(struct cm_banks *banks, uint64_t address, uint64_t slot)
{
   uint64_t bank;
   cm_dram_divide(address >> banks->block_shift, banks->count, &bank);
   return cm_calendar_take(&banks->calendars[bank], slot);
}

/* ---- a bus --------------------------------------------------------------- */

/** A bus that carries one block after another; in any order of asking, each takes the first free turn from when it
 * is there. A turn begins at a multiple of its cycles. */
struct cm_bus {
   struct cm_calendar calendar; /**< a slot is a turn */
   uint32_t cycles;             /**< of a turn; 0: any number of blocks at once */
   uint32_t latency;            /**< cycles besides */
   uint64_t waits;              /**< cycles that blocks waited for their turn */
};

/** A block arrives at the far end of the bus instead of where it was. Which turn a read from memory takes is decided
 * when it is requested: the first one from its earliest completion on, however long it takes in the end. */
static inline void
cm_bus_carry(struct cm_bus *bus, struct cm_arrival *block)
{
   uint64_t begin = block->time;
   if (bus->cycles) {
      const uint64_t turn = bus->cycles == 1 ? begin : (begin + bus->cycles - 1) / bus->cycles;
      begin = cm_calendar_take(&bus->calendar, turn) * bus->cycles;
   }
   bus->waits += begin - block->time;
   const uint32_t more = (uint32_t)(begin - block->time) + bus->cycles + bus->latency;
   block->time += more;
   block->after += more;
}

/** Whether an entry is a read of a cache, or of a unit before one. */
static inline bool
cm_is_cache_read(cm_entry entry)
{
   return cm_entry_kind(entry) == CM_ENTRY_READ ||
          (cm_entry_kind(entry) == CM_ENTRY_UNIT_ACCESS && cm_entry_instance(entry) == CM_READ);
}

/** Whether an entry is such a read, or one of memory. */
static inline bool
cm_is_read(cm_entry entry)
{
   return cm_is_cache_read(entry) || cm_entry_kind(entry) == CM_ENTRY_DRAM_READ;
}

/* ---- units on the access stream ------------------------------------------ */

/** The ports of the access units. */
struct cm_unit_ports {
   struct cm_calendar
      *calendars; /**< by enum cm_access_unit_number, in slots of a cycle / the kind's ports */
   /** The unit at which accesses to a cache arrive, CM_ACCESS_UNIT_COUNT: the cache. */
   enum cm_access_unit_number first[CM_UNIT_COUNT];
   const struct cm_access_unit_config *configs;
};

/** Their memory is of the pool, if there are any; config must outlive them. */
void cm_unit_ports_init(struct cm_unit_ports *units, const struct cm_config *config, struct cm_pool *pool);

/** Whether an access to a cache begins with this entry, CM_ENTRY_READ, CM_ENTRY_WRITE or CM_ENTRY_UNIT_ACCESS; else
 * it is what a unit before the cache has passed on. *cache is the cache. */
static inline bool
cm_unit_ports_begin_access(const struct cm_unit_ports *units, cm_entry entry, enum cm_unit *cache)
{
   const unsigned unit = cm_entry_unit(entry);
   const bool at_unit = cm_entry_kind(entry) == CM_ENTRY_UNIT_ACCESS;
   *cache = at_unit ? units->configs[unit].before : (enum cm_unit)unit;
   return units->first[*cache] == (at_unit ? unit : (unsigned)CM_ACCESS_UNIT_COUNT);
}

/** An access on its way through the units before a cache. */
struct cm_unit_route {
   uint64_t address; /**< of its block */
   /** When it, or what a unit adds to it, arrives at each unit, and at the cache. */
   uint64_t arrives[CM_ACCESS_UNIT_COUNT + 1];
};

static inline struct cm_unit_route
cm_unit_route_begin(cm_entry access, uint64_t cycle)
{
   struct cm_unit_route route = {.address = cm_entry_address(access)};
   for (unsigned u = 0; u <= CM_ACCESS_UNIT_COUNT; u++)
      route.arrives[u] = cycle;
   return route;
}

/** Serves a CM_ENTRY_UNIT_ACCESS; then what follows arrives at the next units. Returns when it is served. */
uint64_t cm_unit_ports_serve(struct cm_unit_ports *units, cm_entry entry, struct cm_unit_route *route);

#endif
