/* SPDX-License-Identifier: MIT */
/**
 * When the memory hierarchy answers in mode imr: any chain of caches, of which each bank takes a
 * read and a write a cycle and the last-level cache banks of a clock of its own; the LLC's MSHRs; DRAM. What hits and
 * misses is in the log (memory/tap.h).
 */
#ifndef CM_IMMEDIATE_MEMORY_H
#define CM_IMMEDIATE_MEMORY_H

#include "config/config.h"
#include "dram/dram_system.h"
#include "memory/tap.h"
#include "timing/pieces.h"

#define CM_DELAY_TICKETS 15

/** What waits for data: a time, and reads from memory whose completion may not be known yet. */
struct cm_delay {
   uint64_t time; /**< the latest that is known */
   uint32_t num_tickets;
   cm_dram_ticket tickets[CM_DELAY_TICKETS];
};

/** A block that the LLC reads from memory; or one on its way there. */
struct cm_llc_entry {
   uint64_t block; /**< address / the block's size */
   uint64_t issued;
   cm_dram_ticket ticket;
};
#define CM_LLC_BUCKETS 2048
#define CM_NO_ENTRY UINT16_MAX

struct cm_immediate_memory {
   const struct cm_config *config;
   struct cm_dram_system *dram;
   struct cm_dram_clock clock;     /**< from the GPU's */
   struct cm_dram_clock llc_clock; /**< the same of the LLC */
   cm_dram_ticket last_ticket;
   struct cm_calendar *ports[CM_CACHE_COUNT]; /**< two a bank, for reads and for writes; of the LLC one */
   uint32_t latency[CM_CACHE_COUNT];
   uint32_t llc_shift, llc_banks;
   /* Both are taken in turn. */
   struct cm_llc_entry *misses, *writes;
   uint32_t next_miss, next_write;
   uint64_t num_misses, num_writes;
   uint16_t bucket[CM_LLC_BUCKETS], *chain; /**< misses by block */
   uint64_t stalled;                        /**< the LLC was full until then */
   /* First texture caches' MSHRs: those of processor p begin with p * texture_mshrs. */
   struct cm_delay *texture_misses;
   uint64_t *num_texture_misses; /**< by processor */
   uint64_t *sampler;            /**< by processor: when it is free */
   uint64_t texture_wait_cycles, miss_wait_cycles, write_wait_cycles, bank_wait_cycles;
};

/** config must be valid, and outlive it. False when memory is out. */
bool cm_immediate_memory_init(struct cm_immediate_memory *memory, const struct cm_config *config);
void cm_immediate_memory_finish(struct cm_immediate_memory *memory);

/** Whether it is known when all data of a delay is there: then that is its time. */
bool cm_delay_is_known(struct cm_immediate_memory *memory, struct cm_delay *delay);

/** When all data is there; DRAM goes on until then. */
uint64_t cm_delay_resolve(struct cm_immediate_memory *memory, struct cm_delay *delay);

/** Lets DRAM go on to a cycle. */
void cm_immediate_memory_advance(struct cm_immediate_memory *memory, uint64_t cycle);

/** Accesses of first caches that come to these at a cycle, and what they cause: tokens [token, end). What they read is
 * added to delay. Returns the cycle after which all are taken up. */
uint64_t cm_immediate_memory_run(struct cm_immediate_memory *memory, const cm_token *token,
                                 const cm_token *end, uint64_t cycle, struct cm_delay *delay);

/** Whether a processor's first texture cache has MSHRs for so many misses at a time that is known. */
bool cm_immediate_memory_has_mshrs(struct cm_immediate_memory *memory, uint32_t processor, uint32_t misses);

/** A footprint of a processor: tokens from a CM_TOKEN_GROUP on. */
void
cm_immediate_memory_footprint(struct cm_immediate_memory *memory, uint32_t processor, const cm_token *token,
                              const cm_token *end, uint64_t cycle, struct cm_delay *delay);

/** Misses of first texture caches among tokens. */
uint32_t cm_immediate_memory_count_misses(const struct cm_immediate_memory *memory, const cm_token *token,
                                          const cm_token *end);

#endif
