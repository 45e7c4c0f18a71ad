/* SPDX-License-Identifier: MIT */
/**
 * When the memory hierarchy answers. The caches have decided already what hits and what misses (memory/tap.h is
 * the log of it); here is when: MSHRs, the banks of the L2, the mesh of a NUCA, DRAM.
 *
 * A read from memory is not complete when it is requested: its completion is asked for when somebody needs the
 * data, so that DRAM chooses among all that was requested until then. What waits for data is a cm_wait.
 */
#ifndef CM_TILED_MEMORY_H
#define CM_TILED_MEMORY_H

#include "config/config.h"
#include "dram/dram_system.h"
#include "memory/tap.h"
#include "texture/mesh.h"
#include "texture/nuca.h"
#include "timing/pieces.h"

/** A time that may depend on a read from memory. */
struct cm_arrival {
   uint64_t time;         /**< no sooner than this */
   cm_dram_ticket ticket; /**< CM_NO_TICKET: time is all; else the read's completion */
};
#define CM_NO_TICKET UINT64_MAX

#define CM_WAIT_ARRIVALS 6

/** What waits for several. */
struct cm_wait {
   uint64_t time; /**< the latest of those that are known */
   uint32_t num_tickets;
   uint32_t after
      [CM_WAIT_ARRIVALS]; /**< cycles from the ticket's completion until the data is where it is needed */
   cm_dram_ticket tickets[CM_WAIT_ARRIVALS];
};

/** A cache's misses that are outstanding. */
struct cm_mshr {
   uint64_t block; /**< address */
   struct cm_arrival fill;
};

struct cm_mshrs {
   struct cm_mshr *entries;
   uint32_t count;
   uint32_t next;         /**< the one that has been in use for longest */
   uint64_t present;      /**< a bit for each block, by its address; what it has not is not outstanding */
   uint16_t with_bit[64]; /**< how many blocks have a bit */
   uint64_t waits;        /**< cycles that misses waited for one */
};

#define CM_MAX_L2_MSHRS 256
#define CM_L2_BUCKETS 256

struct cm_memory_timing {
   const struct cm_config *config;
   struct cm_dram_system *dram;
   const uint64_t *completions; /**< its */
   struct cm_dram_clock clock;
   cm_dram_ticket last_ticket; /**< tickets count up */
   uint64_t least_latency;     /**< cycles that no read from memory takes less than */
   struct cm_mshrs vertex, list, attribute, instruction, tile_buffer;
   struct cm_mshrs *texture; /**< by cache instance */
   uint64_t *texture_port;   /**< by instance: when it is free; without NUCA, whose units take turns */
   uint32_t num_texture;
   struct cm_mshrs l2;
   uint16_t l2_bucket[CM_L2_BUCKETS], l2_chain[CM_MAX_L2_MSHRS]; /**< 1 + entry of l2, by block */
   struct cm_calendar *l2_banks;
   struct cm_dram_divisor num_l2_banks;
   uint32_t l2_shift, l2_latency;
   /* NUCA. */
   const struct cm_nuca *nuca;
   struct cm_calendar *texture_ports, table_port, *links;
   struct cm_mesh mesh;
   uint32_t table_router, l2_router;
   /* For counters. */
   uint64_t l2_conflict_cycles; /**< that accesses waited for their bank */
   uint64_t link_cycles;        /**< that messages waited for a link or a table */
};

/** Prepares it; config must be valid, and outlive it, as must nuca (NULL: none). False when memory is out. */
bool cm_memory_timing_init(struct cm_memory_timing *memory, const struct cm_config *config,
                           const struct cm_nuca *nuca);
void cm_memory_timing_finish(struct cm_memory_timing *memory);

/** The cycle from which a read's data is there. */
uint64_t cm_memory_ticket(struct cm_memory_timing *memory, cm_dram_ticket ticket);

/** When all that a wait waits for is there; it waits for nothing afterwards. */
static inline uint64_t
cm_memory_resolve(struct cm_memory_timing *memory, struct cm_wait *wait)
{
   for (uint32_t i = 0; i < wait->num_tickets; i++) {
      const uint64_t time = cm_memory_ticket(memory, wait->tickets[i]) + wait->after[i];
      wait->time = time > wait->time ? time : wait->time;
   }
   wait->num_tickets = 0;
   return wait->time;
}

/** Whether it is known when all is there; memory comes to a cycle to find out. */
bool cm_memory_is_known(struct cm_memory_timing *memory, struct cm_wait *wait, uint64_t cycle);

/** Works off what a group of accesses caused: tokens [token, end) of L2 and memory, issued from a cycle on by a
 * cache with these MSHRs. What was read is added to wait, needed so many cycles after it arrives. */
void cm_memory_misses(struct cm_memory_timing *memory, const cm_token *token, const cm_token *end,
                      uint64_t cycle, struct cm_mshrs *mshrs, uint32_t after, struct cm_wait *wait);

/** A hit on a block whose miss may be outstanding. */
static inline uint32_t
cm_memory_block_bit(uint64_t address)
{
   return (uint32_t)((address * 0x9e3779b97f4a7c15ull) >> 58);
}

static inline bool
cm_memory_may_be_pending(const struct cm_mshrs *mshrs, uint64_t address)
{
   return mshrs->present >> cm_memory_block_bit(address) & 1;
}

/** Whether an MSHR is free at a cycle. If not, the cycle becomes the next one at which to ask; memory has come to it
 * then. */
bool cm_memory_has_mshr(struct cm_memory_timing *memory, struct cm_mshrs *mshrs, uint64_t *cycle);
/** Cycles after which it is asked again what is not known yet. */
#define CM_MEMORY_PATIENCE 64

/** One read that misses, of the L2 or of memory: token *token and what it causes, which it leaves behind. */
void cm_memory_miss(struct cm_memory_timing *memory, const cm_token **token, const cm_token *end,
                    uint64_t cycle, struct cm_mshrs *mshrs, uint32_t after, struct cm_wait *wait);
/** One token that is no read that somebody waits for, and what it causes. */
void
cm_memory_write(struct cm_memory_timing *memory, const cm_token **token, const cm_token *end, uint64_t cycle);
/** Adds to a wait what arrives, needed so many cycles after. */
void cm_memory_add_arrival(struct cm_memory_timing *memory, struct cm_wait *wait,
                           const struct cm_arrival *arrival, uint32_t after);

/** Adds to a wait the miss of a block that was found in the cache at a cycle, if it is outstanding. */
void cm_memory_pending(struct cm_memory_timing *memory, struct cm_mshrs *mshrs, uint64_t address,
                       uint64_t cycle, struct cm_wait *wait);

/** A write that nobody waits for, and what it causes; its tokens. */
void
cm_memory_writes(struct cm_memory_timing *memory, const cm_token *token, const cm_token *end, uint64_t cycle);

/** A block of a tile's load or flush, tokens [token, end) of one access: takes an MSHR of the tile buffers', for
 * which the stage waits, and so many cycles of the stage. Reads are added to wait. */
void cm_memory_transfer(struct cm_memory_timing *memory, const cm_token *token, const cm_token *end,
                        uint32_t cycles, struct cm_stage *stage, struct cm_wait *wait);

#endif
