/* SPDX-License-Identifier: MIT */
/**
 * Timing of the memory hierarchy in mode imr: any chain of caches, of which each bank takes a
 * read and a write per cycle and the last-level cache banks with a clock of its own; the LLC's MSHRs; DRAM. What hits and
 * misses is in the log (timing/log.h).
 */
#ifndef CM_IMMEDIATE_MEMORY_H
#define CM_IMMEDIATE_MEMORY_H

#include "timing/memory.h"

/** The MSHRs of a processor's first texture cache, or of its load/store unit, which are taken in turn. */
struct cm_first_mshrs {
   struct cm_dependency *misses; /**< each one's last miss */
   uint32_t count;
   uint64_t taken; /**< number of misses */
};

/** Misses that a processor's units are about to have. */
struct cm_first_misses {
   uint32_t texture, storage;
};

struct cm_immediate_memory {
   struct cm_memory base;
   const struct cm_config *config;
   struct cm_dram_clock llc_clock;            /**< from the GPU's to the LLC's */
   struct cm_calendar *ports[CM_CACHE_COUNT]; /**< two per bank, for reads and for writes; not of the LLC */
   uint32_t latency[CM_CACHE_COUNT];
   uint32_t block_shift[CM_CACHE_COUNT];
   struct cm_dram_divisor banks[CM_CACHE_COUNT];
   struct cm_unit_ports units;
   struct cm_unit_route route; /**< of the last access to a cache with units before it */
   struct cm_banks llc_banks;
   struct cm_mshrs llc_misses; /**< by block number */
   struct cm_mshrs llc_writes; /**< its outstanding writes to memory */
   uint64_t reads;             /**< that went to memory */
   uint64_t stalled;           /**< the LLC was full until then */
   /* By processor. */
   struct cm_first_mshrs *texture, *load_store;
   uint64_t *sampler; /**< when it is free */
};

/** config must be valid, and outlive it, as must the pool. False without DRAM: out of memory. */
bool cm_immediate_memory_init(struct cm_immediate_memory *memory, const struct cm_config *config,
                              struct cm_pool *pool);

/** Accesses that reach first caches at a cycle, and the accesses they cause: tokens [token, end). Reads are added to
 * wait. Returns the cycle after which all are accepted. */
uint64_t cm_immediate_memory_run(struct cm_immediate_memory *memory, const cm_entry *token,
                                 const cm_entry *end, uint64_t cycle, struct cm_dependency *wait);

/** Whether a token begins a different access from the one that began with `first`. */
bool
cm_immediate_memory_begins_access(const struct cm_immediate_memory *memory, cm_entry first, cm_entry token);

/** Misses among tokens of a processor's shaders. */
struct cm_first_misses cm_immediate_memory_count_misses(const struct cm_immediate_memory *memory,
                                                        const cm_entry *token, const cm_entry *end);

/** Whether it is known when a processor's units have MSHRs for so many misses. */
bool cm_immediate_memory_has_mshrs(struct cm_immediate_memory *memory, uint32_t processor,
                                   struct cm_first_misses misses);

/** The end of a group of a shader's accesses, which begins with a CM_ENTRY_GROUP at token. */
const cm_entry *cm_immediate_memory_group_end(const cm_entry *token, const cm_entry *end);

/** A footprint, or an instruction that accesses storage, of a processor at a cycle: such a group. Its reads are added to
 * wait. */
void cm_immediate_memory_group(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry *token,
                               const cm_entry *end, uint64_t cycle, struct cm_dependency *wait);

/* The same in two steps. */

/** A group's lookups at a cycle: *token advances past them. Returns when all are looked up. */
uint64_t cm_immediate_memory_look_up(struct cm_immediate_memory *memory, uint32_t processor,
                                     const cm_entry **token, uint64_t cycle, struct cm_dependency *wait);
/** Serves what a group's lookups cause, the first one at a cycle, and what that causes, from *token on. wait: NULL: nothing waits for
 * the reads. Returns the cycle at which it began. */
uint64_t
cm_immediate_memory_request(struct cm_immediate_memory *memory, uint32_t processor, const cm_entry **token,
                            const cm_entry *end, uint64_t cycle, struct cm_dependency *wait);
/** Whether it is known when a request, an entry, can begin: then *cycle is not before that. */
bool cm_immediate_memory_begins(struct cm_immediate_memory *memory, uint32_t processor, cm_entry request,
                                uint64_t *cycle);

/** A write of a processor's load/store cache at a cycle, and what it causes: from *token on. Returns when the next level accepts
 * it. */
uint64_t cm_immediate_memory_write(struct cm_immediate_memory *memory, uint32_t processor,
                                   const cm_entry **token, const cm_entry *end, uint64_t cycle);

#endif
