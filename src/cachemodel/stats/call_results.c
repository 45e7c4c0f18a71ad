/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf, memmem */
#include "stats/call_results.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/table_file.h"
#include "util/array.h"

/* The table's keys that are read, by their columns. */
enum key { KEY_FRAME, KEY_PASS_FRAME, KEY_PASS, KEY_DRAW, KEY_CALL, KEY_COUNT };
#define KEYS CM_TABLE_KEYS "draw,call,"

/* A row of a draw. */
struct row {
   int64_t keys[KEY_COUNT]; /* KEY_CALL: -1 where it is not said, as in rows of later frames */
   uint32_t call;           /* index of the call */
   const char *values;      /* the first counter's */
};

struct cm_call_results {
   char *path, *statistics; /* draws.csv, stats.json */
   const char *text, *end;  /* of the table, mapped */
   uint32_t first_column;   /* of a counter */
   struct row *rows;        /* of draws whose call is known; by frames */
   size_t num_rows;
   uint32_t *calls; /* numbers, ascending */
   uint32_t num_calls;
};

/* ---- a line's fields ---------------------------------------------------------- */

/* Behind the comma or the end of the line after a field; NULL: the text ends before. */
static const char *
next_field(const char *at, const char *end, bool *is_last)
{
   bool quoted = false;
   for (; at < end; at++) {
      if (*at == '"')
         quoted = !quoted;
      else if (!quoted && (*at == ',' || *at == '\n')) {
         *is_last = *at == '\n';
         return at + 1;
      }
   }
   return NULL;
}

/* A field that is a whole number, or empty: then it is -1. False if it is neither. */
static bool
parse_number(const char *at, int64_t *number)
{
   const bool negative = *at == '-';
   const char *first = at + negative;
   *number = 0;
   for (at = first; *at >= '0' && *at <= '9'; at++) {
      if (__builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, *at - '0', number))
         return false;
   }
   if (at == first)
      *number = negative ? 0 : -1;
   else if (negative)
      *number = -*number;
   return (at > first || !negative) && (*at == ',' || *at == '\n');
}

/* The column of a name in the table's head; -1: it has none. */
static int64_t
find_column(const struct cm_call_results *results, const char *name)
{
   const size_t length = strlen(name);
   const char *at = results->text;
   bool is_last = false;
   for (int64_t column = 0; !is_last; column++) {
      const char *next = next_field(at, results->end, &is_last);
      assert(next);
      if ((size_t)(next - at) == length + 1 && !memcmp(at, name, length))
         return column;
      at = next;
   }
   return -1;
}

/* ---- rows ----------------------------------------------------------------------- */

/* Behind the row, and what its fields say; NULL: it is none. */
static const char *
parse_row(const struct cm_call_results *results, const char *at, struct row *row)
{
   bool is_last = false;
   for (uint32_t column = 0; column < results->first_column; column++) {
      if (is_last || (column < KEY_COUNT && !parse_number(at, &row->keys[column])))
         return NULL;
      at = next_field(at, results->end, &is_last);
      if (!at)
         return NULL;
   }
   row->values = at;
   return is_last ? NULL : (const char *)memchr(at, '\n', (size_t)(results->end - at)) + 1;
}

static int
compare_draws(const void *a, const void *b)
{
   const struct row *first = a, *second = b;
   for (enum key key = KEY_PASS_FRAME; key <= KEY_DRAW; key++) {
      if (first->keys[key] != second->keys[key])
         return first->keys[key] < second->keys[key] ? -1 : 1;
   }
   return 0;
}

static int
compare_numbers(const void *a, const void *b)
{
   const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
   return (first > second) - (first < second);
}

/* All rows of draws. False with errno: out of memory; EBADMSG where a row is not one. */
static bool
read_rows(struct cm_call_results *results)
{
   const char *at = memchr(results->text, '\n', (size_t)(results->end - results->text)) + 1;
   while (at < results->end) {
      struct row row = {0};
      at = parse_row(results, at, &row);
      if (!at || row.keys[KEY_CALL] > UINT32_MAX) {
         errno = EBADMSG;
         return false;
      }
      if (row.keys[KEY_DRAW] < 0)
         continue;
      if (!cm_array_grow(&results->rows, results->num_rows, sizeof row))
         return false;
      results->rows[results->num_rows++] = row;
   }
   return true;
}

/* Gives the rows of later frames their draws' calls, and drops those whose call is not known. */
static bool
join_calls(struct cm_call_results *results)
{
   struct row *named = calloc(results->num_rows + 1, sizeof *named);
   size_t num_named = 0, kept = 0;
   results->calls = calloc(results->num_rows + 1, sizeof *results->calls);
   if (!named || !results->calls) {
      free(named);
      return false;
   }
   for (size_t r = 0; r < results->num_rows; r++) {
      if (results->rows[r].keys[KEY_CALL] < 0)
         continue;
      results->calls[num_named] = (uint32_t)results->rows[r].keys[KEY_CALL];
      named[num_named++] = results->rows[r];
   }
   qsort(named, num_named, sizeof *named, compare_draws);
   qsort(results->calls, num_named, sizeof *results->calls, compare_numbers);
   for (size_t c = 0; c < num_named; c++) {
      if (!c || results->calls[c] != results->calls[results->num_calls - 1])
         results->calls[results->num_calls++] = results->calls[c];
   }
   for (size_t r = 0; r < results->num_rows; r++) {
      struct row *row = &results->rows[r];
      const struct row *of = num_named ? bsearch(row, named, num_named, sizeof *named, compare_draws) : NULL;
      if (!of)
         continue;
      row->call = (uint32_t)cm_call_results_find(results, (uint32_t)of->keys[KEY_CALL]);
      results->rows[kept++] = *row;
   }
   results->num_rows = kept;
   free(named);
   return true;
}

/* ---- the file ------------------------------------------------------------------- */

/* Maps a file. NULL with errno where it cannot be. */
static const char *
map(const char *path, size_t *bytes)
{
   struct stat status;
   const int file = open(path, O_RDONLY | O_CLOEXEC);
   if (file < 0)
      return NULL;
   const char *text = NULL;
   if (!fstat(file, &status)) {
      *bytes = (size_t)status.st_size;
      if (!*bytes)
         errno = EBADMSG;
      else
         text = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, file, 0);
   }
   const int error = errno;
   close(file);
   errno = error;
   return text == MAP_FAILED ? NULL : text;
}

static bool
map_table(struct cm_call_results *results)
{
   size_t bytes;
   results->text = map(results->path, &bytes);
   if (!results->text)
      return false;
   results->end = results->text + bytes;
   /* What is parsed ends with a line. */
   if (results->end[-1] != '\n' || bytes < strlen(KEYS) || memcmp(results->text, KEYS, strlen(KEYS))) {
      errno = EBADMSG;
      return false;
   }
   /* Names of counters have dots, those of keys have none; none has quotes. */
   const char *line_end = memchr(results->text, '\n', bytes), *at = results->text;
   if (memchr(at, '"', (size_t)(line_end - at))) {
      errno = EBADMSG;
      return false;
   }
   const char *dot = memchr(at, '.', (size_t)(line_end - at));
   for (; dot && at < dot; at++)
      results->first_column += *at == ',';
   if (!dot)
      errno = EBADMSG;
   return dot;
}

/* Why the file cannot be read. */
static void
explain(const struct cm_call_results *results, int reason, char *error, size_t error_size)
{
   if (reason == EBADMSG)
      snprintf(error, error_size, "%s: not a table of draws, or damaged", results->path);
   else
      snprintf(error, error_size, "%s: %s", results->path, strerror(reason));
}

struct cm_call_results *
cm_call_results_open(const char *directory, char *error, size_t error_size)
{
   struct cm_call_results *results = calloc(1, sizeof *results);
   if (!results || asprintf(&results->path, "%s/draws.csv", directory) < 0 ||
       asprintf(&results->statistics, "%s/stats.json", directory) < 0) {
      snprintf(error, error_size, "out of memory");
      free(results ? results->path : NULL);
      free(results);
      return NULL;
   }
   if (!map_table(results) || !read_rows(results) || !join_calls(results)) {
      explain(results, errno, error, error_size);
   } else if (!results->num_calls) {
      snprintf(error, error_size,
               "%s: its draws have no numbers of calls, as those of tbrsim replay --attribute draw have",
               results->path);
   } else {
      return results;
   }
   cm_call_results_close(results);
   return NULL;
}

void
cm_call_results_close(struct cm_call_results *results)
{
   if (!results)
      return;
   if (results->text)
      munmap((char *)results->text, (size_t)(results->end - results->text));
   free(results->path);
   free(results->statistics);
   free(results->rows);
   free(results->calls);
   free(results);
}

uint32_t
cm_call_results_count(const struct cm_call_results *results)
{
   return results->num_calls;
}

uint32_t
cm_call_results_number(const struct cm_call_results *results, uint32_t index)
{
   assert(index < results->num_calls);
   return results->calls[index];
}

int64_t
cm_call_results_find(const struct cm_call_results *results, uint32_t call)
{
   const uint32_t *found =
      bsearch(&call, results->calls, results->num_calls, sizeof *results->calls, compare_numbers);
   return found ? found - results->calls : -1;
}

/* ---- values --------------------------------------------------------------------- */

/* Whether the run has the counter: the total in stats.json has all, those that are zero, too. */
static bool
has_counter(const struct cm_call_results *results, const char *counter)
{
   char quoted[96];
   size_t bytes;
   const char *text = map(results->statistics, &bytes);
   if (!text)
      return false;
   const int length = snprintf(quoted, sizeof quoted, "\"%s\":", counter);
   const bool found = memmem(text, bytes, quoted, (size_t)length);
   munmap((char *)text, bytes);
   return found;
}

static bool
add_values(const struct cm_call_results *results, uint32_t column, uint64_t *values)
{
   for (size_t r = 0; r < results->num_rows; r++) {
      const struct row *row = &results->rows[r];
      const char *at = row->values;
      for (uint32_t c = results->first_column; c < column && *at != '\n'; at++)
         c += *at == ',';
      int64_t value;
      if (*at < '0' || *at > '9' || !parse_number(at, &value))
         return false;
      values[row->call] += (uint64_t)value;
   }
   return true;
}

bool
cm_call_results_read(const struct cm_call_results *results, const char *counter, uint64_t *values,
                     char *error, size_t error_size)
{
   memset(values, 0, results->num_calls * sizeof *values);
   const int64_t column = find_column(results, counter);
   if (column < 0 && !has_counter(results, counter)) {
      snprintf(error, error_size, "%s: not of a run that has the counter %s", results->path, counter);
      return false;
   }
   if (column < 0 || (column >= results->first_column && add_values(results, (uint32_t)column, values)))
      return true;
   explain(results, EBADMSG, error, error_size);
   return false;
}
