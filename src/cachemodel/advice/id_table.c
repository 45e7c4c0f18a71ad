/* SPDX-License-Identifier: MIT */
#include "advice/id_table.h"

#include <stdlib.h>

#define FIRST_SLOTS 64

/* The slot of an identifier, or the free one that it gets. */
static uint32_t *
find_slot(const struct cm_id_table *table, uint32_t id)
{
   /* A multiplication spreads what differs in the lower bits over the upper ones (Knuth, The Art of Computer
    * Programming 3, 6.4). */
   for (uint32_t slot = (uint32_t)(id * 0x9e3779b97f4a7c15ull >> 32);; slot++) {
      uint32_t *found = &table->slots[slot & (table->num_slots - 1)];
      if (!*found || table->ids[*found - 1] == id)
         return found;
   }
}

uint32_t
cm_id_table_find(const struct cm_id_table *table, uint32_t id)
{
   return table->num_slots ? *find_slot(table, id) - 1 : CM_NO_INDEX;
}

/* Makes room for another one. */
static bool
widen(struct cm_id_table *table)
{
   if (2 * (table->count + 1) > table->num_slots) {
      const uint32_t num_slots = table->num_slots ? 2 * table->num_slots : FIRST_SLOTS;
      uint32_t *slots = calloc(num_slots, sizeof *slots);
      if (!slots)
         return false;
      free(table->slots);
      table->slots = slots;
      table->num_slots = num_slots;
      for (uint32_t i = 0; i < table->count; i++)
         *find_slot(table, table->ids[i]) = i + 1;
   }
   return cm_array_make_room(&table->ids, &table->capacity, table->count, 1, sizeof *table->ids);
}

uint32_t
cm_id_table_add(struct cm_id_table *table, uint32_t id)
{
   const uint32_t found = cm_id_table_find(table, id);
   if (found != CM_NO_INDEX)
      return found;
   if (!widen(table))
      return CM_NO_INDEX;
   table->ids[table->count] = id;
   *find_slot(table, id) = table->count + 1;
   return table->count++;
}

void
cm_id_table_finish(struct cm_id_table *table)
{
   free(table->ids);
   free(table->slots);
}
