/* SPDX-License-Identifier: MIT */
#include "stats/table_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
count_keys(const char *keys)
{
   uint32_t count = 1;
   for (; *keys; keys++)
      count += *keys == ',';
   return count;
}

struct cm_table_file *
cm_table_file_create(const char *name, const char *keys, const struct cm_counter_table *counters,
                     const bool *may_have)
{
   struct cm_table_file *table = calloc(1, sizeof *table);
   if (!table)
      return NULL;
   table->file.file = table->file.copy = table->file.fresh = -1;
   table->keys = keys;
   table->counters = counters;
   const size_t length = strlen(name) + sizeof "..new";
   table->fresh_name = malloc(length);
   table->may_have = calloc(counters->count, sizeof *table->may_have);
   table->has = calloc(counters->count, sizeof *table->has);
   table->columns = calloc(counters->count, sizeof *table->columns);
   table->zeros_after = calloc(counters->count + 1, sizeof *table->zeros_after);
   if (!table->fresh_name || !table->may_have || !table->has || !table->columns || !table->zeros_after) {
      cm_table_file_destroy(table);
      return NULL;
   }
   snprintf(table->fresh_name, length, ".%s.new", name);
   memcpy(table->may_have, may_have, counters->count * sizeof *may_have);
   table->format = (struct cm_row_format){.name = name,
                                          .fresh = table->fresh_name,
                                          .end = '\n',
                                          .not_values = count_keys(keys)};
   return table;
}

void
cm_table_file_destroy(struct cm_table_file *table)
{
   if (!table)
      return;
   cm_row_file_finish(&table->file);
   free(table->fresh_name);
   free(table->may_have);
   free(table->has);
   free(table->columns);
   free(table->zeros_after);
   free(table->rows.data);
   free(table);
}

int
cm_table_file_close(struct cm_table_file *table)
{
   const int code = cm_row_file_finish(&table->file);
   table->file = (struct cm_row_file){.file = -1, .copy = -1, .fresh = -1};
   return code;
}

void
cm_table_file_begin_frame(struct cm_table_file *table, const bool *not_zero)
{
   const uint32_t count = table->counters->count;
   uint32_t old = 0, columns = 0;
   bool is_first = true;
   table->rows.size = 0;
   table->is_new = table->file.file < 0;
   memset(table->zeros_after, 0, (count + 1) * sizeof *table->zeros_after);
   for (uint32_t c = 0; c < count; c++) {
      if (table->has[c]) {
         old++;
      } else if (table->may_have[c] && (not_zero[c] || is_first)) {
         table->has[c] = table->is_new = true;
         if (old)
            table->zeros_after[old - 1]++;
      }
      is_first &= !table->may_have[c];
      if (table->has[c])
         table->columns[columns++] = c;
   }
   table->num_columns = columns;
}

void
cm_table_file_add_values(struct cm_table_file *table, const uint64_t *values)
{
   for (uint32_t c = 0; c < table->num_columns; c++)
      cm_text_add_value(&table->rows, values[c]);
   cm_text_add_character(&table->rows, '\n');
}

bool
cm_table_file_open(struct cm_table_file *table, const char *path, int directory)
{
   return cm_row_file_init(&table->file, &table->format, path, directory);
}

static void
format_head(const struct cm_table_file *table, struct cm_byte_writer *head)
{
   cm_text_add(head, table->keys);
   for (uint32_t c = 0; c < table->num_columns; c++) {
      cm_text_add_character(head, ',');
      cm_text_add(head, table->counters->counters[table->columns[c]].name);
   }
   cm_text_add_character(head, '\n');
}

int
cm_table_file_write(struct cm_table_file *table)
{
   const struct cm_byte_writer no_tail = {0};
   struct cm_byte_writer head = {0};
   struct cm_row_file_content content = {.row = &table->rows, .tail = &no_tail};
   if (!table->is_new)
      return cm_row_file_append(&table->file, &content);
   format_head(table, &head);
   content.head = &head;
   content.zeros_after = table->zeros_after;
   int code = cm_row_file_rewrite(&table->file, &content);
   if (!code)
      code = cm_row_file_commit(&table->file, &content);
   cm_row_file_discard(&table->file);
   free(head.data);
   return code;
}
