/* SPDX-License-Identifier: MIT */
/* stats.json ends with a tail, `],"total":{…}}`, that every frame overwrites with
 * its row and a new tail in one write; the file is whole before and after it.
 * When a write fails half way, the old tail is put back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "stats/json.h"
#include "stats/writer.h"

/* A text that grows at its end. */
struct text {
   char *data;
   size_t length, capacity;
   bool out_of_memory;
};

struct output {
   int file;
   off_t end; /* where the next row goes; in stats.json the tail begins there */
   char path[4096];
};

struct cm_stats_writer {
   char *directory;
   const struct cm_counter_table *table;
   int frames_counter, time_counter; /* places in the table, negative: not there */
   uint64_t *total;
   uint64_t frames;
   bool opened, failed;
   char *run; /* the "run" object */
   struct output json, csv;
   struct text csv_row, json_row;
   struct text tail, next_tail; /* of stats.json: what stands in the file, and what is to */
};

/* ---- text -------------------------------------------------------------- */

static char *
text_room(struct text *text, size_t n)
{
   if (text->capacity - text->length < n) {
      const size_t capacity = (text->capacity + n) * 2;
      char *larger = realloc(text->data, capacity);
      if (!larger) {
         text->out_of_memory = true;
         return NULL;
      }
      text->data = larger;
      text->capacity = capacity;
   }
   return text->data + text->length;
}

static void
add_bytes(struct text *text, const char *bytes, size_t n)
{
   char *room = text_room(text, n);
   if (room) {
      memcpy(room, bytes, n);
      text->length += n;
   }
}

static void
add_text(struct text *text, const char *string)
{
   add_bytes(text, string, strlen(string));
}

static void
add_number(struct text *text, uint64_t number)
{
   char digits[20];
   size_t n = sizeof digits;
   do {
      digits[--n] = (char)('0' + number % 10);
      number /= 10;
   } while (number);
   add_bytes(text, digits + n, sizeof digits - n);
}

static bool
has_rate(const struct cm_stats_writer *writer)
{
   return writer->frames_counter >= 0 && writer->time_counter >= 0;
}

/* Frames a second, rounded to thousandths: of a sum, what all its frames together have taken. */
static void
add_rate(struct text *text, const struct cm_stats_writer *writer, const uint64_t *values)
{
   const unsigned __int128 nanoseconds = values[writer->time_counter];
   const unsigned __int128 thousandths =
      nanoseconds
         ? (values[writer->frames_counter] * (unsigned __int128)1000000000000 + nanoseconds / 2) / nanoseconds
         : 0;
   char decimals[8];
   snprintf(decimals, sizeof decimals, ".%03u", (unsigned)(thousandths % 1000));
   add_number(text, (uint64_t)(thousandths / 1000));
   add_text(text, decimals);
}

static void
add_counters(struct text *text, const struct cm_stats_writer *writer, const uint64_t *values)
{
   const struct cm_counter_table *table = writer->table;
   add_text(text, "{");
   for (uint32_t i = 0; i < table->count; i++) {
      add_text(text, i ? ", \"" : "\"");
      add_text(text, table->counters[i].name);
      add_text(text, "\": ");
      add_number(text, values[i]);
   }
   if (has_rate(writer)) {
      add_text(text, ", \"fps\": ");
      add_rate(text, writer, values);
   }
   add_text(text, "}");
}

static void
add_tail(struct text *text, const struct cm_stats_writer *writer)
{
   add_text(text, "\n],\n\"total\": ");
   add_counters(text, writer, writer->total);
   add_text(text, "\n}\n");
}

/* ---- files ------------------------------------------------------------- */

static bool
fail(struct cm_stats_writer *writer, const char *path, int code)
{
   if (!writer->failed)
      fprintf(stderr, "tbrsim: %s: %s; statistics after frame %llu are not written\n", path, strerror(code),
              (unsigned long long)writer->frames);
   writer->failed = true;
   return false;
}

/* Writes all bytes at an offset; 0, or what went wrong. */
static int
write_at(int file, const char *bytes, size_t length, off_t offset)
{
   while (length) {
      const ssize_t n = pwrite(file, bytes, length, offset);
      if (n < 0 && errno == EINTR)
         continue;
      if (n <= 0)
         return n < 0 ? errno : ENOSPC;
      bytes += n;
      offset += n;
      length -= (size_t)n;
   }
   return 0;
}

static bool
open_output(struct cm_stats_writer *writer, struct output *output, const char *name)
{
   snprintf(output->path, sizeof output->path, "%s/%s", writer->directory, name);
   output->file = open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   return output->file >= 0 || fail(writer, output->path, errno);
}

/* Begins a file; one that cannot even begin is not left behind half written. */
static bool
begin_output(struct cm_stats_writer *writer, struct output *output, const struct text *head,
             size_t tail_length)
{
   const int code = head->out_of_memory ? ENOMEM : write_at(output->file, head->data, head->length, 0);
   if (code) {
      if (ftruncate(output->file, 0) != 0)
         unlink(output->path);
      return fail(writer, output->path, code);
   }
   output->end = (off_t)(head->length - tail_length);
   return true;
}

static bool
begin_files(struct cm_stats_writer *writer)
{
   if (mkdir(writer->directory, 0777) != 0 && errno != EEXIST)
      return fail(writer, writer->directory, errno);
   if (!open_output(writer, &writer->json, "stats.json") || !open_output(writer, &writer->csv, "frames.csv"))
      return false;

   struct text head = {0};
   add_text(&head, "frame");
   for (uint32_t i = 0; i < writer->table->count; i++) {
      add_text(&head, ",");
      add_text(&head, writer->table->counters[i].name);
   }
   if (has_rate(writer))
      add_text(&head, ",fps");
   add_text(&head, "\n");
   bool fine = begin_output(writer, &writer->csv, &head, 0);

   head.length = 0;
   add_text(&head, "{\"run\": ");
   add_text(&head, writer->run);
   add_text(&head, ",\n\"frames\": [");
   add_tail(&writer->tail, writer);
   add_bytes(&head, writer->tail.data, writer->tail.length);
   fine = fine && begin_output(writer, &writer->json, &head, writer->tail.length);
   free(head.data);
   return fine;
}

static void
format_rows(struct cm_stats_writer *writer, const uint64_t *values)
{
   struct text *row = &writer->csv_row;
   row->length = 0;
   add_number(row, writer->frames);
   for (uint32_t i = 0; i < writer->table->count; i++) {
      add_text(row, ",");
      add_number(row, values[i]);
   }
   if (has_rate(writer)) {
      add_text(row, ",");
      add_rate(row, writer, values);
   }
   add_text(row, "\n");

   row = &writer->json_row;
   row->length = 0;
   add_text(row, writer->frames ? ",\n" : "\n");
   add_counters(row, writer, values);
   writer->next_tail.length = 0;
   add_tail(&writer->next_tail, writer);
}

/* Appends to frames.csv; what was written of a failed row is taken back. */
static bool
append_csv(struct cm_stats_writer *writer)
{
   const struct text *row = &writer->csv_row;
   struct output *csv = &writer->csv;
   const int code = row->out_of_memory ? ENOMEM : write_at(csv->file, row->data, row->length, csv->end);
   if (code) {
      if (ftruncate(csv->file, csv->end) != 0)
         return fail(writer, csv->path, errno);
      return fail(writer, csv->path, code);
   }
   return true;
}

static bool
append_json(struct cm_stats_writer *writer, size_t row_length)
{
   const struct text *row = &writer->json_row;
   struct output *json = &writer->json;
   const bool out_of_memory = row->out_of_memory || writer->next_tail.out_of_memory;
   int code = out_of_memory ? ENOMEM : write_at(json->file, row->data, row->length, json->end);
   if (!code) {
      const struct text old = writer->tail;
      writer->tail = writer->next_tail;
      writer->next_tail = old;
      json->end += (off_t)row_length;
      return true;
   }
   fail(writer, json->path, code);
   code = write_at(json->file, writer->tail.data, writer->tail.length, json->end);
   if (code || ftruncate(json->file, json->end + (off_t)writer->tail.length) != 0)
      fprintf(stderr, "tbrsim: %s: the file is damaged\n", json->path);
   return false;
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
   fputc('{', stream);
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
   const bool fine = !ferror(stream);
   if (fclose(stream) != 0 || !fine) {
      free(json);
      return NULL;
   }
   return json;
}

struct cm_stats_writer *
cm_stats_writer_create(const char *directory, const struct cm_counter_table *table,
                       const struct cm_config *config, const struct cm_run_value *values, size_t num_values)
{
   struct cm_stats_writer *writer = calloc(1, sizeof *writer);
   if (!writer)
      return NULL;
   writer->json.file = writer->csv.file = -1;
   writer->table = table;
   writer->frames_counter = cm_counter_table_find(table, "gpu.frames");
   writer->time_counter = cm_counter_table_find(table, "gpu.time");
   writer->directory = strdup(directory);
   writer->total = calloc(table->count, sizeof *writer->total);
   writer->run = describe_run(config, values, num_values);
   if (writer->directory && writer->total && writer->run)
      return writer;
   free(writer->directory);
   free(writer->total);
   free(writer->run);
   free(writer);
   return NULL;
}

static bool
open_once(struct cm_stats_writer *writer)
{
   if (!writer->opened) {
      writer->opened = true;
      if (!begin_files(writer))
         writer->failed = true;
   }
   return !writer->failed;
}

bool
cm_stats_writer_frame(struct cm_stats_writer *writer, const uint64_t *values)
{
   if (!open_once(writer))
      return false;
   for (uint32_t i = 0; i < writer->table->count; i++)
      writer->total[i] += values[i];
   format_rows(writer, values);
   const size_t row_length = writer->json_row.length;
   add_bytes(&writer->json_row, writer->next_tail.data, writer->next_tail.length);

   /* Nothing stands between the two writes: a process killed there leaves frames.csv a row ahead. */
   if (!append_csv(writer))
      return false;
   if (!append_json(writer, row_length)) {
      /* The two files agree: the row leaves the other one too. */
      if (ftruncate(writer->csv.file, writer->csv.end) != 0)
         fprintf(stderr, "tbrsim: %s: has a row more than stats.json\n", writer->csv.path);
      return false;
   }
   writer->csv.end += (off_t)writer->csv_row.length;
   writer->frames++;
   return true;
}

bool
cm_stats_writer_destroy(struct cm_stats_writer *writer)
{
   bool fine = open_once(writer);
   struct output *const outputs[] = {&writer->json, &writer->csv};
   for (int i = 0; i < 2; i++) {
      if (outputs[i]->file >= 0 && close(outputs[i]->file) != 0)
         fine = fail(writer, outputs[i]->path, errno);
   }
   free(writer->directory);
   free(writer->total);
   free(writer->run);
   free(writer->csv_row.data);
   free(writer->json_row.data);
   free(writer->tail.data);
   free(writer->next_tail.data);
   free(writer);
   return fine;
}
