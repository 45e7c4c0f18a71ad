/* SPDX-License-Identifier: MIT */
/**
 * Which of the texture caches hold a block: the directory of D-NUCA, and what the
 * replication degree is counted with. A hash table of as many entries as the caches
 * together have blocks at most, so it is never enlarged.
 */
#ifndef CM_HOLDERS_H
#define CM_HOLDERS_H

#include <stdbool.h>
#include <stdint.h>

/** A block that some cache holds. */
struct cm_holders_entry {
   uint64_t block : 48; /**< number; simulated memory is far smaller than 2^48 blocks */
   uint64_t copies : 8; /**< caches that hold it */
   uint64_t last : 8;   /**< the last requester of the block; kept by D-NUCA only */
   uint64_t caches;     /**< bit n: cache n holds it; 0: the entry is empty */
};

struct cm_holders {
   struct cm_holders_entry *entries;
   uint64_t mask;  /**< entries - 1; there are twice as many entries as blocks, or more */
   uint32_t shift; /**< 64 - binary logarithm of the number of entries */
};

/** For caches of so many blocks together. False when out of memory. */
bool cm_holders_init(struct cm_holders *holders, uint64_t blocks);
void cm_holders_finish(struct cm_holders *holders);

static inline uint64_t
cm_holders_index(const struct cm_holders *holders, uint64_t block)
{
   return block * 0x9e3779b97f4a7c15ull >> holders->shift;
}

/** The entry of a block: empty where no cache holds it. Valid until a block is added or removed. */
static inline struct cm_holders_entry *
cm_holders_find(const struct cm_holders *holders, uint64_t block)
{
   uint64_t index = cm_holders_index(holders, block);
   while (holders->entries[index].caches && holders->entries[index].block != block)
      index = (index + 1) & holders->mask;
   return &holders->entries[index];
}

/** Adds a cache that did not hold the block. */
static inline struct cm_holders_entry *
cm_holders_add(struct cm_holders *holders, uint64_t block, uint32_t cache)
{
   struct cm_holders_entry *entry = cm_holders_find(holders, block);
   entry->block = block;
   entry->copies = entry->caches ? entry->copies + 1 : 1;
   entry->caches |= 1ull << cache;
   return entry;
}

/** Removes a cache that held the block. */
void cm_holders_remove(struct cm_holders *holders, uint64_t block, uint32_t cache);

#endif
