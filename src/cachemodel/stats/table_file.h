/* SPDX-License-Identifier: MIT */
/**
 * A CSV file next to stats.json with any number of rows per frame. It begins with columns of keys, which say what a row is
 * of; then it has a column for each counter that was not zero in some row so far, in the counter table's order (the first
 * one of all that it may have always has a column). Keys may stand between double quotes.
 *
 * cm_stats_writer_add_table has it written together with the others.
 */
#ifndef CM_TABLE_FILE_H
#define CM_TABLE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/counters.h"
#include "stats/row_file.h"

/** What the keys of all tables begin with. */
#define CM_TABLE_KEYS "frame,pass_frame,pass,"

struct cm_table_file {
   struct cm_row_format format;
   char *fresh_name;
   const char *keys; /**< their names, separated by commas */
   const struct cm_counter_table *counters;
   bool *may_have;    /**< by counter: it can have a column */
   bool *has;         /**< by counter: it has one */
   uint32_t *columns; /**< their counters, in the table's order */
   uint32_t num_columns;
   uint32_t *zeros_after;      /**< by old column, when some are added */
   bool is_new;                /**< the columns differ from the file's */
   struct cm_byte_writer rows; /**< of the frame, each with a newline */
   struct cm_row_file file;
};

/** A file of that name ("draws.csv"), which must outlive it as keys and counters must. may_have: by counter; copied. NULL
 * when out of memory. */
struct cm_table_file *cm_table_file_create(const char *name, const char *keys,
                                           const struct cm_counter_table *counters, const bool *may_have);
void cm_table_file_destroy(struct cm_table_file *table);

/** Closes the file. 0, or what went wrong (an error number). */
int cm_table_file_close(struct cm_table_file *table);

/** Begins a frame without rows: those to come have these counters (by the counter table) not zero, others are
 * ignored. Then append rows to table->rows: keys, and with cm_table_file_add_values the rest. */
void cm_table_file_begin_frame(struct cm_table_file *table, const bool *not_zero);

/** Ends a row with the values of table->columns, in their order. */
void cm_table_file_add_values(struct cm_table_file *table, const uint64_t *values);

/** path: of the directory, which is open as that number. False when out of memory. */
bool cm_table_file_open(struct cm_table_file *table, const char *path, int directory);

/** Appends the frame's rows. 0, or what went wrong (an error number). */
int cm_table_file_write(struct cm_table_file *table);

#endif
