/* SPDX-License-Identifier: MIT */
#include "util/id_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

/* Makes room for one more ID. */
static bool
widen(struct cm_id_table *table)
{
   assert(table->count <= table->num_slots / 2 && table->count <= table->capacity);
   if (2 * (table->count + 1) > table->num_slots) {
      const uint32_t num_slots = table->num_slots ? 2 * table->num_slots : FIRST_SLOTS;
      uint32_t *slots = calloc(num_slots, sizeof *slots);
      if (!slots)
         return false;
      free(table->slots);
      table->slots = slots;
      table->num_slots = num_slots;
      for (uint32_t i = 0; i < table->count; i++)
         *cm_id_table_slot(table, table->ids[i]) = i + 1;
   }
   return cm_array_make_room(&table->ids, &table->capacity, table->count, 1, sizeof *table->ids);
}

uint32_t
cm_id_table_add(struct cm_id_table *table, uint64_t id)
{
   const uint32_t found = cm_id_table_find(table, id);
   if (found != CM_NO_INDEX)
      return found;
   if (!widen(table))
      return CM_NO_INDEX;
   table->ids[table->count] = id;
   *cm_id_table_slot(table, id) = table->count + 1;
   return table->count++;
}

void
cm_id_table_clear(struct cm_id_table *table)
{
   table->count = 0;
   if (table->num_slots)
      memset(table->slots, 0, table->num_slots * sizeof *table->slots);
}

void
cm_id_table_finish(struct cm_id_table *table)
{
   free(table->ids);
   free(table->slots);
}
