/* SPDX-License-Identifier: MIT */
#include "input/statistics_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/source.h"
#include "stats/schema.h"
#include "tools.h"

#define MAX_TAIL (1 << 20) /* bytes in which the sums are */

static const char *
find_file(const char *path)
{
   struct stat status;
   if (stat(path, &status) != 0)
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   return S_ISDIR(status.st_mode) ? text("%s/stats.json", path) : text("%s", path);
}

static bool
is_value(const json_t *columns, size_t column, const json_t *value)
{
   const char *name = json_string_value(json_array_get(columns, column));
   return name && (strcmp(name, "fps") ? json_is_integer(value) : json_is_number(value));
}

/* Every frame has a number for each column. */
static bool
has_values(const json_t *columns, const json_t *frames)
{
   for (size_t f = 0; f < json_array_size(frames); f++) {
      const json_t *frame = json_array_get(frames, f);
      if (!json_is_array(frame) || json_array_size(frame) != json_array_size(columns))
         return false;
      for (size_t c = 0; c < json_array_size(frame); c++) {
         if (!is_value(columns, c, json_array_get(frame, c)))
            return false;
      }
   }
   return true;
}

struct statistics_file
statistics_file_load(const char *path)
{
   struct statistics_file file = {.path = find_file(path)};
   json_error_t error;
   file.root = json_load_file(file.path, 0, &error);
   if (!file.root && error.line < 1)
      fail(STATUS_FAILED, "%s: no statistics: %s", file.path, error.text);
   if (!file.root)
      fail(STATUS_FAILED, "%s:%d: no statistics: %s%s", file.path, error.line, error.text,
           source_results_hint(path));
   const json_t *columns = json_object_get(file.root, "columns");
   const json_t *frames = json_object_get(file.root, "frames");
   file.run = json_object_get(file.root, "run");
   file.total = json_object_get(file.root, "total");
   if (!json_is_object(file.total) || !json_is_array(frames))
      fail(STATUS_FAILED, "%s: holds no statistics", file.path);
   if (!columns)
      fail(
         STATUS_FAILED,
         "%s: of another version of tbrsim: its frames are objects, expected rows of columns; simulate again",
         file.path);
   const json_t *schema = json_object_get(file.run, "schema");
   if (json_integer_value(schema) > CM_STATS_SCHEMA)
      fail(STATUS_FAILED,
           "%s: of a later version of tbrsim: its schema is %" JSON_INTEGER_FORMAT ", expected at most %d",
           file.path, json_integer_value(schema), CM_STATS_SCHEMA);
   if (!json_is_array(columns) || !has_values(columns, frames))
      fail(STATUS_FAILED, "%s: a frame does not have the file's columns", file.path);
   file.frames = json_array_size(frames);
   return file;
}

json_t *
statistics_file_total(const char *directory)
{
   static const char label[] = "\n\"total\": ";
   char *path = text("%s/stats.json", directory), *tail = allocate(MAX_TAIL + 1);
   FILE *file = fopen(path, "re");
   json_t *total = NULL;
   /* They are the last line. */
   if (file && (!fseek(file, -MAX_TAIL, SEEK_END) || !fseek(file, 0, SEEK_SET))) {
      tail[fread(tail, 1, MAX_TAIL, file)] = '\0';
      const char *begin = strstr(tail, label);
      if (begin)
         total = json_loads(begin + strlen(label), JSON_DISABLE_EOF_CHECK, NULL);
   }
   if (file)
      fclose(file);
   free(tail);
   free(path);
   return total;
}

void
statistics_file_close(struct statistics_file *file)
{
   json_decref(file->root);
   file->root = NULL;
}

bool
statistics_file_column(const struct statistics_file *file, const char *counter, int *column)
{
   const json_t *columns = json_object_get(file->root, "columns");
   *column = -1;
   for (size_t c = 0; c < json_array_size(columns); c++) {
      const char *name = json_string_value(json_array_get(columns, c));
      if (name && !strcmp(name, counter))
         *column = (int)c;
   }
   return *column >= 0 || json_object_get(file->total, counter);
}

uint64_t
statistics_file_value(const struct statistics_file *file, size_t frame, int column)
{
   if (column < 0)
      return 0;
   const json_t *values = json_array_get(json_object_get(file->root, "frames"), frame);
   return (uint64_t)json_integer_value(json_array_get(values, (size_t)column));
}
