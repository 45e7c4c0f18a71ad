/* SPDX-License-Identifier: MIT */
/** Identifiers, which may be any numbers, numbered from 0 in the order in which they come: for arrays of what is known of
 * them. Begins as zeros. */
#ifndef CM_ID_TABLE_H
#define CM_ID_TABLE_H

#include <stdint.h>

#include "util/array.h"

#define CM_NO_INDEX UINT32_MAX

struct cm_id_table {
   uint64_t *ids; /**< by index */
   size_t capacity;
   uint32_t count;
   uint32_t *slots;    /**< 1 + index; a hash table, at most half full */
   uint32_t num_slots; /**< a power of two, or 0 */
};

/** A multiplication spreads what differs in the lower bits over the upper ones (Knuth, The Art of Computer
 * Programming 3, 6.4). */
static inline uint64_t
cm_id_hash(uint64_t id)
{
   return id * 0x9e3779b97f4a7c15ull >> 32;
}

/** In a table that has slots: the slot of an identifier, or the free one that it would get. */
static inline uint32_t *
cm_id_table_slot(const struct cm_id_table *table, uint64_t id)
{
   for (uint64_t slot = cm_id_hash(id);; slot++) {
      uint32_t *found = &table->slots[slot & (table->num_slots - 1)];
      if (!*found || table->ids[*found - 1] == id)
         return found;
   }
}

/** The index of an identifier; CM_NO_INDEX: it is not there. */
static inline uint32_t
cm_id_table_find(const struct cm_id_table *table, uint64_t id)
{
   return table->num_slots ? *cm_id_table_slot(table, id) - 1 : CM_NO_INDEX;
}

/** The same; it is added if it is missing. CM_NO_INDEX when out of memory. */
uint32_t cm_id_table_add(struct cm_id_table *table, uint64_t id);

/** Removes all, and keeps the memory. */
void cm_id_table_clear(struct cm_id_table *table);
void cm_id_table_finish(struct cm_id_table *table);

#endif
