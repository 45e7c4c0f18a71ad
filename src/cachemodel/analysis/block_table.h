/* SPDX-License-Identifier: MIT */
/** A hash table from block numbers to numbers of lines or the like, for so many
 * blocks at most. Emptied at no cost. */
#ifndef CM_BLOCK_TABLE_H
#define CM_BLOCK_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct cm_block_entry {
   uint64_t block;
   uint32_t value;
   uint32_t generation; /**< the table's: the entry is in use */
};

struct cm_block_table {
   struct cm_block_entry *entries; /**< open addressing, at most half full */
   uint32_t mask;
   unsigned shift; /**< of a hash, to a slot */
   uint32_t generation;
};

#define CM_NOT_FOUND UINT32_MAX

/** For at most max_blocks (less than 2^30) at a time. False when out of memory. */
static inline bool
cm_block_table_init(struct cm_block_table *table, uint32_t max_blocks)
{
   assert(max_blocks < 1u << 30);
   unsigned bits = 4;
   while (1u << bits < 2 * max_blocks)
      bits++;
   table->entries = calloc((size_t)1 << bits, sizeof *table->entries);
   table->mask = (1u << bits) - 1;
   table->shift = 64 - bits;
   table->generation = 1;
   return table->entries != NULL;
}

static inline void
cm_block_table_finish(struct cm_block_table *table)
{
   free(table->entries);
   table->entries = NULL;
}

/* Generations restart after 2^32 - 1 of them. */
static inline void
cm_block_table_clear(struct cm_block_table *table)
{
   if (++table->generation)
      return;
   for (uint32_t slot = 0; slot <= table->mask; slot++)
      table->entries[slot].generation = 0;
   table->generation = 1;
}

/* Neighbours share a cache line of the machine. */
static inline uint32_t
cm_block_table_home(const struct cm_block_table *table, uint64_t block)
{
   const uint64_t hash = (block >> 2) * 0x9e3779b97f4a7c15ull;
   return ((uint32_t)(hash >> table->shift) & ~3u) | (block & 3);
}

/** The entry of a block, or the one where it would be. */
static inline struct cm_block_entry *
cm_block_table_entry(const struct cm_block_table *table, uint64_t block)
{
   uint32_t slot = cm_block_table_home(table, block);
   while (table->entries[slot].generation == table->generation && table->entries[slot].block != block)
      slot = (slot + 1) & table->mask;
   return &table->entries[slot];
}

static inline uint32_t
cm_block_table_find(const struct cm_block_table *table, uint64_t block)
{
   const struct cm_block_entry *entry = cm_block_table_entry(table, block);
   return entry->generation == table->generation ? entry->value : CM_NOT_FOUND;
}

/** Sets a block's value, whether it has one or not. */
static inline void
cm_block_table_set(struct cm_block_table *table, uint64_t block, uint32_t value)
{
   assert(value != CM_NOT_FOUND);
   *cm_block_table_entry(table, block) = (struct cm_block_entry){block, value, table->generation};
}

/** Removes a block that is there. Those after it move up, so that no search ends too soon. */
static inline void
cm_block_table_remove(struct cm_block_table *table, uint64_t block)
{
   uint32_t hole = (uint32_t)(cm_block_table_entry(table, block) - table->entries);
   assert(table->entries[hole].generation == table->generation);
   for (uint32_t slot = hole;;) {
      slot = (slot + 1) & table->mask;
      const struct cm_block_entry *entry = &table->entries[slot];
      if (entry->generation != table->generation)
         break;
      const uint32_t home = cm_block_table_home(table, entry->block);
      if (((slot - home) & table->mask) >= ((slot - hole) & table->mask)) {
         table->entries[hole] = *entry;
         hole = slot;
      }
   }
   table->entries[hole].generation = table->generation - 1;
}

#endif
