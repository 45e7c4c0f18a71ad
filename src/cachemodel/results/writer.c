/* SPDX-License-Identifier: MIT */
/* Columns are the counters that were not zero in some frame so far. A frame that adds one has both files
 * written again (row_file.h), which happens a few times early in a run; every other frame appends a row.
 * stats.json ends with a tail, `],"total":{…}}`, that every frame overwrites with its row and a new tail. */
#include "results/writer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "stats/appended_file.h"
#include "results/earlier_files.h"
#include "results/process_results.h"
#include "stats/row_file.h"
#include "stats/schema.h"
#include "stats/table_file.h"
#include "results/thumbnails.h"
#include "util/file.h"
#include "util/json.h"
#include "util/message.h"

static const struct cm_row_format json_format = {
   .name = "stats.json",
   .fresh = ".stats.json.new",
   .begin = '[',
   .end = ']',
};
static const struct cm_row_format csv_format = {
   .name = "frames.csv", .fresh = ".frames.csv.new", .end = '\n', .not_values = 1, /* the frame's number */
};

struct cm_stats_writer {
   struct cm_process_results *results; /* NULL: the directory is not a process' */
   char *path;                         /* of the directory */
   int directory;
   const struct cm_counter_table *table;
   int frames_counter, time_counter; /* places in the table, negative: not there */
   uint64_t *total;
   uint64_t frames;
   bool *listed;          /* by counter: it has a column */
   uint32_t *columns;     /* their counters, in the table's order */
   uint32_t *zeros_after; /* by old column, when some are added */
   uint32_t num_columns;
   bool failed;
   bool tables_failed;           /* tables are not written any more */
   bool thumbnails_failed;       /* nor thumbnails */
   bool appended_failed;         /* nor is anything appended */
   bool complained;              /* of something but the files: they go on */
   char *run;                    /* the "run" object */
   struct cm_byte_writer labels; /* of the total's counters, one after the other */
   uint32_t *label_ends;
   struct cm_row_file json, csv;
   struct cm_table_file *tables[CM_MAX_STATS_TABLES];
   unsigned num_tables;
   struct cm_appended_file *appended; /* NULL: none */
   struct cm_byte_writer values, json_row, csv_row, tail;
   const struct cm_byte_writer no_tail;
};

/* ---- text -------------------------------------------------------------- */

static bool
has_rate(const struct cm_stats_writer *writer)
{
   return writer->frames_counter >= 0 && writer->time_counter >= 0;
}

/* Frames per second, rounded to thousandths; for a sum, over the time of all its frames. */
static void
add_rate(struct cm_byte_writer *text, const struct cm_stats_writer *writer, const uint64_t *values)
{
   const unsigned __int128 nanoseconds = values[writer->time_counter];
   const unsigned __int128 thousandths =
      nanoseconds
         ? (values[writer->frames_counter] * (unsigned __int128)1000000000000 + nanoseconds / 2) / nanoseconds
         : 0;
   char decimals[8];
   snprintf(decimals, sizeof decimals, ".%03u", (unsigned)(thousandths % 1000));
   cm_text_add_number(text, (uint64_t)(thousandths / 1000));
   cm_text_add(text, decimals);
}

static void
format_tail(struct cm_stats_writer *writer)
{
   const struct cm_counter_table *table = writer->table;
   struct cm_byte_writer *tail = &writer->tail;
   tail->size = 0;
   for (uint32_t i = 0, start = 0; i < table->count; i++) {
      cm_put_bytes(tail, writer->labels.data + start, writer->label_ends[i] - start);
      cm_text_add_number(tail, writer->total[i]);
      start = writer->label_ends[i];
   }
   if (has_rate(writer)) {
      cm_text_add(tail, ", \"fps\": ");
      add_rate(tail, writer, writer->total);
   }
   cm_text_add(tail, "}\n}\n");
}

/* The text before each counter's number in the tail, which every frame rewrites. */
static bool
format_labels(struct cm_stats_writer *writer)
{
   struct cm_byte_writer *labels = &writer->labels;
   writer->label_ends = calloc(writer->table->count, sizeof *writer->label_ends);
   for (uint32_t i = 0; writer->label_ends && i < writer->table->count; i++) {
      cm_text_add(labels, i ? ", \"" : "\n],\n\"total\": {\"");
      cm_text_add(labels, writer->table->counters[i].name);
      cm_text_add(labels, "\": ");
      writer->label_ends[i] = (uint32_t)labels->size;
   }
   return writer->label_ends && !labels->out_of_memory;
}

static void
format_rows(struct cm_stats_writer *writer, const uint64_t *values)
{
   struct cm_byte_writer *text = &writer->values;
   text->size = 0;
   for (uint32_t c = 0; c < writer->num_columns; c++) {
      if (c)
         cm_text_add_character(text, ',');
      cm_text_add_number(text, values[writer->columns[c]]);
   }
   if (has_rate(writer)) {
      cm_text_add_character(text, ',');
      add_rate(text, writer, values);
   }

   struct cm_byte_writer *row = &writer->csv_row;
   row->size = 0;
   cm_text_add_number(row, writer->frames);
   cm_text_add_character(row, ',');
   cm_put_bytes(row, text->data, text->size);
   cm_text_add_character(row, '\n');

   row = &writer->json_row;
   row->size = 0;
   cm_text_add(row, writer->frames ? ",\n[" : "\n[");
   cm_put_bytes(row, text->data, text->size);
   cm_text_add_character(row, ']');
   writer->csv_row.out_of_memory |= text->out_of_memory;
}

/* Names of the columns, each between quotes. */
static void
add_columns(struct cm_byte_writer *text, const struct cm_stats_writer *writer, const char *quote)
{
   for (uint32_t c = 0; c < writer->num_columns; c++) {
      cm_text_add(text, c ? "," : "");
      cm_text_add(text, quote);
      cm_text_add(text, writer->table->counters[writer->columns[c]].name);
      cm_text_add(text, quote);
   }
   if (has_rate(writer)) {
      cm_text_add(text, ",");
      cm_text_add(text, quote);
      cm_text_add(text, "fps");
      cm_text_add(text, quote);
   }
}

static void
format_heads(const struct cm_stats_writer *writer, struct cm_byte_writer *json, struct cm_byte_writer *csv)
{
   cm_text_add(json, "{\"run\": ");
   cm_text_add(json, writer->run);
   cm_text_add(json, ",\n\"columns\": [");
   add_columns(json, writer, "\"");
   cm_text_add(json, "],\n\"frames\": [");
   cm_text_add(csv, "frame,");
   add_columns(csv, writer, "");
   cm_text_add(csv, "\n");
}

/* ---- columns ----------------------------------------------------------- */

/* Whether the frame has a counter that has no column yet. */
static bool
has_new_column(const struct cm_stats_writer *writer, const uint64_t *values)
{
   bool found = false;
   for (uint32_t i = 0; i < writer->table->count; i++)
      found |= values[i] && !writer->listed[i];
   return found;
}

/* Adds the frame's columns; the table's first counter always has one, so that no row is empty. */
static void
add_new_columns(struct cm_stats_writer *writer, const uint64_t *values)
{
   uint32_t old = 0, count = 0;
   memset(writer->zeros_after, 0, (writer->table->count + 1) * sizeof *writer->zeros_after);
   for (uint32_t i = 0; i < writer->table->count; i++) {
      if (writer->listed[i]) {
         old++;
      } else if (values[i] || i == 0) {
         writer->listed[i] = true;
         if (old)
            writer->zeros_after[old - 1]++;
      }
      if (writer->listed[i])
         writer->columns[count++] = i;
   }
   writer->num_columns = count;
}

/* ---- files ------------------------------------------------------------- */

static bool
fail(struct cm_stats_writer *writer, const char *path, int code)
{
   if (!writer->failed && writer->frames)
      cm_message(CM_MESSAGE_ERROR, "%s: %s; statistics after frame %llu are not written", path,
                 strerror(code), (unsigned long long)writer->frames - 1);
   else if (!writer->failed)
      cm_message(CM_MESSAGE_ERROR, "%s: %s; no statistics are written", path, strerror(code));
   writer->failed = true;
   return false;
}

static bool
open_directory(struct cm_stats_writer *writer)
{
   if (writer->results)
      writer->path = strdup(cm_process_results_path(writer->results));
   if (!writer->path)
      return fail(writer, "stats.json", ENOMEM);
   if (mkdir(writer->path, 0777) != 0 && errno != EEXIST)
      return fail(writer, writer->path, errno);
   writer->directory = open(writer->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   if (writer->directory < 0)
      return fail(writer, writer->path, errno);
   if (!cm_row_file_init(&writer->csv, &csv_format, writer->path, writer->directory) ||
       !cm_row_file_init(&writer->json, &json_format, writer->path, writer->directory))
      return fail(writer, writer->path, ENOMEM);
   for (unsigned t = 0; t < writer->num_tables; t++) {
      if (!cm_table_file_open(writer->tables[t], writer->path, writer->directory))
         return fail(writer, writer->path, ENOMEM);
   }
   if (writer->appended && !cm_appended_file_open(writer->appended, writer->path, writer->directory))
      return fail(writer, writer->path, ENOMEM);
   return true;
}

/* Rewrites both files with new columns: neither is replaced before both are written. */
static bool
rewrite_files(struct cm_stats_writer *writer)
{
   struct cm_byte_writer json_head = {0}, csv_head = {0};
   format_heads(writer, &json_head, &csv_head);
   const struct cm_row_file_content contents[] = {
      {&csv_head, &writer->csv_row, &writer->no_tail, writer->zeros_after},
      {&json_head, &writer->json_row, &writer->tail, writer->zeros_after},
   };
   struct cm_row_file *const files[] = {&writer->csv, &writer->json}, *failed = NULL;
   int code = 0;
   for (unsigned f = 0; f < 2 && !code; f++) {
      failed = files[f];
      code = cm_row_file_rewrite(failed, &contents[f]);
   }
   /* Nothing stands between the two: a process killed there leaves frames.csv a row and some columns ahead. */
   for (unsigned f = 0; f < 2 && !code; f++) {
      failed = files[f];
      code = cm_row_file_commit(failed, &contents[f]);
      if (code && failed == &writer->json)
         cm_row_file_truncate(&writer->csv, writer->csv_row.size);
   }
   cm_row_file_discard(&writer->csv);
   cm_row_file_discard(&writer->json);
   free(json_head.data);
   free(csv_head.data);
   return !code || fail(writer, failed->path, code);
}

static bool
append_rows(struct cm_stats_writer *writer)
{
   int code = cm_row_file_append(&writer->csv, &(struct cm_row_file_content){.row = &writer->csv_row,
                                                                             .tail = &writer->no_tail});
   if (code)
      return fail(writer, writer->csv.path, code);
   /* Nothing stands between the two: a process killed there leaves frames.csv a row ahead. */
   code = cm_row_file_append(&writer->json,
                             &(struct cm_row_file_content){.row = &writer->json_row, .tail = &writer->tail});
   if (!code)
      return true;
   fail(writer, writer->json.path, code);
   /* The two files agree: the row leaves the other one too. */
   if (cm_row_file_truncate(&writer->csv, writer->csv_row.size))
      cm_message(CM_MESSAGE_ERROR, "%s: has one row more than stats.json", writer->csv.path);
   return false;
}

/* After the other files: a process killed before leaves the tables without the frame. Where they can't be written the
 * others go on. */
static void
write_tables(struct cm_stats_writer *writer)
{
   for (unsigned t = 0; !writer->tables_failed && t < writer->num_tables; t++) {
      const int code = cm_table_file_write(writer->tables[t]);
      if (!code)
         continue;
      cm_message(CM_MESSAGE_ERROR, "%s: %s; tables are written no further than frame %llu",
                 writer->tables[t]->file.path, strerror(code), (unsigned long long)writer->frames);
      writer->tables_failed = true;
   }
   const int code =
      writer->appended && !writer->appended_failed ? cm_appended_file_write(writer->appended) : 0;
   if (!code)
      return;
   cm_message(CM_MESSAGE_ERROR, "%s: %s; the timeline is written no further than frame %llu",
              writer->appended->file.path, strerror(code), (unsigned long long)writer->frames);
   writer->appended_failed = true;
}

/* ---- the writer -------------------------------------------------------- */

static char *
describe_run(const struct cm_config *config, const struct cm_run_value *values, size_t num_values)
{
   char *json = NULL;
   size_t length = 0;
   FILE *stream = open_memstream(&json, &length);
   if (!stream)
      return NULL;
   fprintf(stream, "{\"schema\": %u, ", CM_STATS_SCHEMA);
   for (size_t i = 0; i < num_values; i++) {
      cm_json_write_string(values[i].key, stream);
      fputs(": ", stream);
      cm_json_write_string(values[i].value, stream);
      fputs(", ", stream);
   }
   fputs("\"preset\": ", stream);
   cm_json_write_string(config->name, stream);
   fputs(", \"configuration\": ", stream);
   cm_config_write_json(config, stream);
   fputc('}', stream);
   const bool ok = !ferror(stream);
   if (fclose(stream) != 0 || !ok) {
      free(json);
      return NULL;
   }
   return json;
}

static void
free_writer(struct cm_stats_writer *writer)
{
   if (writer->directory >= 0)
      close(writer->directory);
   free(writer->path);
   free(writer->total);
   free(writer->listed);
   free(writer->columns);
   free(writer->zeros_after);
   free(writer->run);
   free(writer->labels.data);
   free(writer->label_ends);
   free(writer->values.data);
   free(writer->json_row.data);
   free(writer->csv_row.data);
   free(writer->tail.data);
   for (unsigned t = 0; t < writer->num_tables; t++)
      cm_table_file_destroy(writer->tables[t]);
   if (writer->appended)
      cm_appended_file_destroy(writer->appended);
   free(writer);
}

struct cm_stats_writer *
cm_stats_writer_create(const char *directory, struct cm_process_results *results,
                       const struct cm_counter_table *table, const struct cm_config *config,
                       const struct cm_run_value *values, size_t num_values)
{
   struct cm_stats_writer *writer = calloc(1, sizeof *writer);
   if (!writer)
      return NULL;
   writer->directory = writer->json.file = writer->csv.file = writer->json.copy = writer->csv.copy = -1;
   writer->results = results;
   writer->table = table;
   writer->frames_counter = cm_counter_table_find(table, "gpu.frames");
   writer->time_counter = cm_counter_table_find(table, "gpu.time");
   writer->path = results ? NULL : strdup(directory);
   writer->total = calloc(table->count, sizeof *writer->total);
   writer->listed = calloc(table->count, sizeof *writer->listed);
   writer->columns = calloc(table->count, sizeof *writer->columns);
   writer->zeros_after = calloc(table->count + 1, sizeof *writer->zeros_after);
   writer->run = describe_run(config, values, num_values);
   const bool labelled = format_labels(writer);
   if ((writer->path || results) && writer->total && writer->listed && writer->columns &&
       writer->zeros_after && writer->run && labelled)
      return writer;
   free_writer(writer);
   return NULL;
}

void
cm_stats_writer_add_table(struct cm_stats_writer *writer, struct cm_table_file *table)
{
   assert(!writer->frames && writer->num_tables < CM_MAX_STATS_TABLES);
   writer->tables[writer->num_tables++] = table;
}

void
cm_stats_writer_add_file(struct cm_stats_writer *writer, struct cm_appended_file *file)
{
   assert(!writer->frames && !writer->appended);
   writer->appended = file;
}

uint64_t
cm_stats_writer_frames(const struct cm_stats_writer *writer)
{
   return writer->frames;
}

/* A directory may have tables and a timeline of a run before. */
static void
remove_other_tables(const struct cm_stats_writer *writer)
{
   static const char *const names[] = {CM_STATISTICS_TABLES};
   for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
      bool written = false;
      for (unsigned t = 0; t < writer->num_tables; t++)
         written |= strcmp(writer->tables[t]->format.name, names[n]) == 0;
      if (!written)
         cm_remove_earlier_file(writer->directory, names[n]);
   }
   static const char *const converted[] = {CM_STATISTICS_PARQUET};
   for (unsigned n = 0; n < sizeof converted / sizeof *converted; n++)
      cm_remove_earlier_file(writer->directory, converted[n]);
   if (!writer->appended)
      cm_remove_earlier_file(writer->directory, CM_STATISTICS_TIMELINE);
}

static bool
write_frame(struct cm_stats_writer *writer, const uint64_t *values)
{
   const bool rewrite = !writer->frames || has_new_column(writer, values);
   if (rewrite)
      add_new_columns(writer, values);
   for (uint32_t i = 0; i < writer->table->count; i++)
      writer->total[i] += values[i];
   format_rows(writer, values);
   format_tail(writer);
   if (!(rewrite ? rewrite_files(writer) : append_rows(writer)))
      return false;
   write_tables(writer);
   return true;
}

static bool
write_first_frame(struct cm_stats_writer *writer, const uint64_t *values)
{
   if (writer->results && !cm_process_results_begin(writer->results)) {
      writer->failed = true;
      return false;
   }
   const bool written = open_directory(writer) && write_frame(writer, values);
   /* Before links are made to the tables that there are. */
   if (written)
      remove_other_tables(writer);
   if (writer->results)
      writer->complained = !cm_process_results_end(writer->results, written);
   else if (written)
      writer->complained = !cm_process_results_replace(writer->path);
   /* A process has the folder of one before, perhaps; of the name in another directory it is not ours. */
   if (written && writer->results)
      cm_thumbnails_remove(writer->directory);
   return written;
}

bool
cm_stats_writer_frame(struct cm_stats_writer *writer, const uint64_t *values)
{
   if (writer->failed || !(writer->frames ? write_frame(writer, values) : write_first_frame(writer, values)))
      return false;
   writer->frames++;
   return true;
}

bool
cm_stats_writer_thumbnail(struct cm_stats_writer *writer, uint32_t pass, const void *png, size_t size)
{
   if (writer->failed || writer->thumbnails_failed || !writer->frames)
      return false;
   const int code = cm_thumbnails_write(writer->directory, writer->frames - 1, pass, png, size);
   if (code)
      cm_message(CM_MESSAGE_ERROR, "%s/" CM_THUMBNAILS_NAME ": %s", writer->path, strerror(code));
   writer->thumbnails_failed = code != 0;
   return !code;
}

bool
cm_stats_writer_destroy(struct cm_stats_writer *writer)
{
   struct cm_row_file *const files[] = {&writer->csv, &writer->json};
   for (int i = 0; i < 2; i++) {
      const int code = cm_row_file_finish(files[i]);
      if (code)
         fail(writer, writer->path, code);
   }
   for (unsigned t = 0; t < writer->num_tables; t++) {
      const int code = cm_table_file_close(writer->tables[t]);
      if (code)
         fail(writer, writer->path, code);
   }
   const int code = writer->appended ? cm_appended_file_close(writer->appended) : 0;
   if (code)
      fail(writer, writer->path, code);
   const bool ok = !writer->failed && !writer->complained && !writer->tables_failed &&
                   !writer->thumbnails_failed && !writer->appended_failed;
   free_writer(writer);
   return ok;
}
