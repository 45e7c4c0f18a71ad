/* SPDX-License-Identifier: MIT */
#include "output/output.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "events/recording.h"
#include "stats/schema.h"
#include "results/writer.h"
#include "tbrsim_version.h"
#include "tools.h"

json_t *
output_text(const char *value)
{
   json_t *string = json_string(value);
   if (string)
      return string;
   char *ascii = text("%s", value);
   for (char *c = ascii; *c; c++)
      *c = (unsigned char)*c < 0x80 ? *c : '?';
   string = json_string(ascii);
   free(ascii);
   return string;
}

json_t *
output_run(const char *path)
{
   json_t *run = json_pack("{s:i, s:s, s:s}", "schema", CM_STATS_SCHEMA, "tbrsim", tbrsim_release,
                           CM_RUN_SIMULATOR, tbrsim_commit);
   char error[512], fingerprint[17];
   struct cm_recording *recording = path ? cm_recording_open(path, error, sizeof error) : NULL;
   if (!recording)
      return run;
   snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, cm_recording_fingerprint(recording));
   cm_recording_close(recording);
   json_object_set_new(run, CM_RUN_RECORDING, json_string(fingerprint));
   return run;
}

json_t *
output_counts(const char *const *names, const uint64_t *counts, unsigned count)
{
   json_t *object = json_object();
   for (unsigned c = 0; c < count; c++)
      json_object_set_new(object, names[c], json_integer((json_int_t)counts[c]));
   return object;
}

void
output_json(json_t *value, unsigned indent, FILE *file)
{
   json_dumpf(value, file, JSON_INDENT(indent) | JSON_REAL_PRECISION(12));
   putc('\n', file);
   json_decref(value);
}

/* In quotes where it needs them. */
static void
print_text(const char *value, FILE *file)
{
   if (!strpbrk(value, ",\"\n")) {
      fputs(value, file);
      return;
   }
   putc('"', file);
   for (; *value; value++)
      fputs(*value == '"' ? "\"\"" : (char[]){*value, 0}, file);
   putc('"', file);
}

/* The values of a line, or the names of the columns; separator: what goes before the first. */
static const char *
print_line(json_t *object, bool names, const char *separator, FILE *file)
{
   const char *name;
   json_t *value;
   json_object_foreach(object, name, value)
   {
      if (json_is_object(value)) {
         separator = print_line(value, names, separator, file);
         continue;
      }
      fputs(separator, file);
      separator = ",";
      if (names || json_is_string(value))
         print_text(names ? name : json_string_value(value), file);
      else if (json_is_integer(value))
         fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
      else if (json_is_real(value))
         fprintf(file, "%.9f", json_real_value(value));
   }
   return separator;
}

void
output_csv(json_t *rows, FILE *file)
{
   size_t r;
   json_t *row;
   print_line(json_array_get(rows, 0), true, "", file);
   putc('\n', file);
   json_array_foreach(rows, r, row)
   {
      print_line(row, false, "", file);
      putc('\n', file);
   }
   json_decref(rows);
}
