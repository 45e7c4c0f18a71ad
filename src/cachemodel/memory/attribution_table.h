/* SPDX-License-Identifier: MIT */
/** Rows of counts, one for each pass, draw, resource or tile that has caused something, found by hashing. */
#ifndef CM_ATTRIBUTION_TABLE_H
#define CM_ATTRIBUTION_TABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "access/origin.h"
#include "util/array.h"
#include "util/id_table.h"

/** The owner of a row's counts. In a table by passes, number is 0; else it is the part of the origin that the table is by. */
struct cm_attributed {
   uint32_t pass, number;
};

/** Begins as zeros, except its part and columns. */
struct cm_attribution_table {
   enum cm_origin_part part; /**< what its rows are by, within a pass */
   uint32_t num_columns;
   struct cm_id_table keys; /**< by row: pass << 32 | number */
   struct cm_array values;  /**< uint64_t [num_columns] by row */
};

/** In place of the number of a row: there is none. */
#define CM_NO_ROW CM_NO_INDEX

/** The row to which an origin's counts go. */
static inline struct cm_attributed
cm_attribution_table_key(const struct cm_attribution_table *table, const struct cm_origin *origin)
{
   return (struct cm_attributed){
      .pass = origin->parts[CM_ORIGIN_PASS],
      .number = table->part == CM_ORIGIN_PASS ? 0 : origin->parts[table->part],
   };
}

/** The row of a key; CM_NO_ROW: it has none. */
static inline uint32_t
cm_attribution_table_find(const struct cm_attribution_table *table, struct cm_attributed key)
{
   return cm_id_table_find(&table->keys, (uint64_t)key.pass << 32 | key.number);
}

/** The same; if it has none, a row of zeros is added: then values.data may move. CM_NO_ROW when out of memory. */
uint32_t cm_attribution_table_add(struct cm_attribution_table *table, struct cm_attributed key);

/** The values of a row. */
static inline uint64_t *
cm_attribution_table_row(const struct cm_attribution_table *table, uint32_t row)
{
   assert(row < table->keys.count);
   return (uint64_t *)table->values.data + (uint64_t)row * table->num_columns;
}

/** Their owner. */
static inline struct cm_attributed
cm_attribution_table_row_key(const struct cm_attribution_table *table, uint32_t row)
{
   assert(row < table->keys.count);
   return (struct cm_attributed){(uint32_t)(table->keys.ids[row] >> 32), (uint32_t)table->keys.ids[row]};
}

/** Removes all rows. */
void cm_attribution_table_clear(struct cm_attribution_table *table);
/** Frees it. */
void cm_attribution_table_finish(struct cm_attribution_table *table);

#endif
