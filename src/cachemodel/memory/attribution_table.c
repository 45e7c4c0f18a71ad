/* SPDX-License-Identifier: MIT */
#include "memory/attribution_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t
cm_attribution_table_add(struct cm_attribution_table *table, struct cm_attributed key)
{
   assert(table->num_columns && table->part < CM_ORIGIN_COUNT);
   const size_t row_bytes = table->num_columns * sizeof(uint64_t);
   const uint32_t known = cm_attribution_table_find(table, key);
   if (known != CM_NO_ROW)
      return known;
   if (!cm_array_extend(&table->values, table->keys.count + 1, row_bytes))
      return CM_NO_ROW;
   const uint32_t row = cm_id_table_add(&table->keys, (uint64_t)key.pass << 32 | key.number);
   if (row != CM_NO_ROW)
      memset(cm_attribution_table_row(table, row), 0, row_bytes);
   return row;
}

void
cm_attribution_table_clear(struct cm_attribution_table *table)
{
   cm_id_table_clear(&table->keys);
}

void
cm_attribution_table_finish(struct cm_attribution_table *table)
{
   cm_id_table_finish(&table->keys);
   free(table->values.data);
}
