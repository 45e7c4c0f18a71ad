/* SPDX-License-Identifier: MIT */
/** Identifiers, which may be any numbers, numbered from 0 in the order in which they come: for arrays of what is known of
 * them. Begins as zeros. */
#ifndef CM_ID_TABLE_H
#define CM_ID_TABLE_H

#include <stdint.h>

#include "util/array.h"

#define CM_NO_INDEX UINT32_MAX

struct cm_id_table {
   uint32_t *ids; /**< by index */
   size_t capacity;
   uint32_t count;
   uint32_t *slots; /**< 1 + index; a hash table, at most half full */
   uint32_t num_slots;
};

/** The index of an identifier; CM_NO_INDEX: it is not there. */
uint32_t cm_id_table_find(const struct cm_id_table *table, uint32_t id);
/** The same; it is added where it is not there. CM_NO_INDEX when out of memory. */
uint32_t cm_id_table_add(struct cm_id_table *table, uint32_t id);
void cm_id_table_finish(struct cm_id_table *table);

#endif
