/* SPDX-License-Identifier: MIT */
/**
 * Timing of the memory hierarchy in mode imr: any chain of caches, of which each bank takes a
 * read and a write a cycle and the last-level cache banks of a clock of its own; the LLC's MSHRs; DRAM. What hits and
 * misses is in the log (timing/log.h).
 */
#ifndef CM_IMMEDIATE_MEMORY_H
#define CM_IMMEDIATE_MEMORY_H

#include "timing/memory.h"

struct cm_immediate_memory {
   struct cm_memory base;
   const struct cm_config *config;
   struct cm_dram_clock llc_clock;            /**< from the GPU's to the LLC's */
   struct cm_calendar *ports[CM_CACHE_COUNT]; /**< two a bank, for reads and for writes; not of the LLC */
   uint32_t latency[CM_CACHE_COUNT];
   struct cm_unit_ports units;
   struct cm_unit_route route; /**< of the last access to a cache with units before it */
   struct cm_banks llc_banks;
   struct cm_mshrs llc_misses; /**< by block number */
   struct cm_mshrs llc_writes; /**< its outstanding writes to memory */
   uint64_t reads;             /**< that went to memory */
   uint64_t stalled;           /**< the LLC was full until then */
   /* First texture caches' MSHRs: those of processor p begin with p * texture_mshrs. */
   struct cm_wait *texture_misses;
   uint64_t *num_texture_misses; /**< by processor */
   uint64_t *sampler;            /**< by processor: when it is free */
   uint64_t texture_waits;       /**< cycles that misses waited for one */
};

/** config must be valid, and outlive it, as must the pool. False without DRAM: out of memory. */
bool cm_immediate_memory_init(struct cm_immediate_memory *memory, const struct cm_config *config,
                              struct cm_pool *pool);

/** Accesses that reach first caches at a cycle, and the accesses they cause: tokens [token, end). Reads are added to
 * wait. Returns the cycle after which all are accepted. */
uint64_t cm_immediate_memory_run(struct cm_immediate_memory *memory, const cm_entry *token,
                                 const cm_entry *end, uint64_t cycle, struct cm_wait *wait);

/** Whether a token begins another access than the one that began with `first`. */
bool
cm_immediate_memory_begins_access(const struct cm_immediate_memory *memory, cm_entry first, cm_entry token);

/** Whether it is known when a processor's first texture cache has MSHRs for so many misses. */
bool cm_immediate_memory_has_mshrs(struct cm_immediate_memory *memory, uint32_t processor, uint32_t misses);

/** A footprint of a processor: tokens from a CM_ENTRY_GROUP on. */
void
cm_immediate_memory_footprint(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry *token,
                              const cm_entry *end, uint64_t cycle, struct cm_wait *wait);

/** Misses of first texture caches among tokens. */
uint32_t cm_immediate_memory_count_misses(const struct cm_immediate_memory *memory, const cm_entry *token,
                                          const cm_entry *end);

#endif
