/* SPDX-License-Identifier: MIT */
#include "output/output.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
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

/* Sets the members of an object, and those of objects within it. */
static void
flatten(json_t *to, json_t *from)
{
   const char *name;
   json_t *value;
   json_object_foreach(from, name, value)
   {
      if (json_is_object(value))
         flatten(to, value);
      else
         json_object_set(to, name, value);
   }
}

/* The rows, which it takes over, without objects in them. */
static json_t *
flattened(json_t *rows)
{
   json_t *flat = json_array(), *row;
   size_t r;
   json_array_foreach(rows, r, row)
   {
      json_t *object = json_object();
      flatten(object, row);
      json_array_append_new(flat, object);
   }
   json_decref(rows);
   return flat;
}

void
output_csv(json_t *rows, FILE *file)
{
   json_t *flat = flattened(rows), *columns = json_array_get(flat, 0), *row, *value;
   const char *name, *separator = "";
   size_t r;
   json_object_foreach(columns, name, value)
   {
      fputs(separator, file);
      print_text(name, file);
      separator = ",";
   }
   putc('\n', file);
   json_array_foreach(flat, r, row)
   {
      separator = "";
      json_object_foreach(row, name, value)
      {
         fputs(separator, file);
         separator = ",";
         if (json_is_string(value))
            print_text(json_string_value(value), file);
         else if (json_is_integer(value))
            fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
         else if (json_is_real(value))
            fprintf(file, "%.9f", json_real_value(value));
      }
      putc('\n', file);
   }
   json_decref(flat);
}

/* ---- for readers ------------------------------------------------------------------ */

enum unit { NUMBER, BYTES, ENERGY, RATIO, PERCENT, CHANGE };

/* Of what has a name: one of its words says it. */
static enum unit
unit_of(const char *name)
{
   static const struct {
      const char *word;
      enum unit unit;
   } words[] = {
      {"bytes", BYTES}, {"traffic", BYTES}, {"pj", ENERGY},       {"energy", ENERGY}, {"ratio", RATIO},
      {"rate", RATIO},  {"share", RATIO},   {"percent", PERCENT}, {"change", CHANGE},
   };
   for (unsigned w = 0; w < sizeof words / sizeof *words; w++) {
      const char *found = strstr(name, words[w].word);
      if (found && (found == name || !isalnum((unsigned char)found[-1])) &&
          !isalnum((unsigned char)found[strlen(words[w].word)]))
         return words[w].unit;
   }
   return NUMBER;
}

char *
output_amount(const char *name, double value)
{
   static const struct {
      double step;
      const char *names[5];
   } scales[] = {
      [NUMBER] = {1000, {"", " thousand", " million", " billion", " trillion"}},
      [BYTES] = {1024, {" B", " KiB", " MiB", " GiB", " TiB"}},
      [ENERGY] = {1000, {" pJ", " nJ", " µJ", " mJ", " J"}},
   };
   const enum unit unit = unit_of(name);
   unsigned step = 0;
   assert(unit < sizeof scales / sizeof *scales);
   for (; fabs(value) >= scales[unit].step && step < 4; step++)
      value /= scales[unit].step;
   const int digits = fabs(value) >= 100 || value == floor(value) ? 0 : fabs(value) >= 10 ? 1 : 2;
   return text("%.*f%s", digits, value, scales[unit].names[step]);
}

static char *
number_text(const char *name, const json_t *value)
{
   const double number = json_number_value(value);
   switch (unit_of(name)) {
   case BYTES:
   case ENERGY: return output_amount(name, number);
   case RATIO: return text("%.*f %%", number && fabs(number) < 1e-3 ? 4 : 2, 100 * number);
   case PERCENT: return text("%g %%", number);
   case CHANGE: return text("%+.2f %%", 100 * number);
   default:
      return json_is_integer(value) ? text("%" JSON_INTEGER_FORMAT, json_integer_value(value))
                                    : text("%.1f", number);
   }
}

static bool
is_empty(const json_t *value)
{
   return !value || json_is_null(value) || json_is_false(value) ||
          (json_is_string(value) && !json_string_length(value)) ||
          (json_is_array(value) && !json_array_size(value));
}

/* A name with spaces. */
static char *
words_of(const char *name)
{
   char *words = text("%s", name);
   for (char *c = words; *c; c++)
      *c = *c == '_' ? ' ' : *c;
   return words;
}

/* "id 7, width 512": a value in a line, whatever it is. */
static char *
value_text(const char *name, const json_t *value)
{
   if (json_is_string(value))
      return text("%s", json_string_value(value));
   if (json_is_number(value))
      return number_text(name, value);
   char *whole = text("%s", json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "");
   const char *key;
   json_t *member;
   size_t m;
   json_array_foreach(value, m, member)
   {
      char *part = value_text(name, member);
      char *longer = text("%s%s%s", whole, !m ? "" : json_is_object(member) ? "; " : ", ", part);
      free(part);
      free(whole);
      whole = longer;
   }
   json_object_foreach((json_t *)value, key, member)
   {
      if (is_empty(member))
         continue;
      char *words = words_of(key), *part = value_text(key, member);
      char *longer = text("%s%s%s %s", whole, *whole ? ", " : "", words, part);
      free(words);
      free(part);
      free(whole);
      whole = longer;
   }
   return whole;
}

void
output_lines(json_t *object, unsigned indent, FILE *file)
{
   const char *key;
   json_t *value;
   json_object_foreach(object, key, value)
   {
      char *words = words_of(key), *line = value_text(key, value);
      if (*line)
         fprintf(file, "%*s%s: %s\n", (int)indent, "", words, line);
      free(words);
      free(line);
   }
   json_decref(object);
}

/* Characters of UTF-8. */
static int
width_of(const char *text)
{
   int width = 0;
   for (; *text; text++)
      width += (*text & 0xc0) != 0x80;
   return width;
}

/* A column's texts, the title first. */
struct column {
   char **texts;
   int width;
   bool is_left;
};

static struct column
make_column(const json_t *rows, const char *name)
{
   struct column column = {.texts = allocate((json_array_size(rows) + 1) * sizeof(char *))};
   size_t r;
   json_t *row;
   column.texts[0] = words_of(name);
   column.width = width_of(column.texts[0]);
   json_array_foreach(rows, r, row)
   {
      const json_t *value = json_object_get(row, name);
      char *cell = column.texts[r + 1] =
         json_is_number(value) || json_is_string(value) ? value_text(name, value) : text("-");
      column.width = width_of(cell) > column.width ? width_of(cell) : column.width;
      column.is_left |= json_is_string(value);
   }
   return column;
}

#define TABLE_WIDTH 100 /* of a table of several runs */

/* The number in front of a run's column, "[2] change"; 0: the column is of no run. */
static unsigned long
run_of(const struct column *column)
{
   return *column->texts[0] == '[' ? strtoul(column->texts[0] + 1, NULL, 10) : 0;
}

/* The columns of so many runs from the first column on as fit next to those of no run, one at least; after the last one. */
static size_t
end_of_part(const struct column *columns, size_t num_columns, size_t first, int width)
{
   size_t end = first;
   while (end < num_columns) {
      size_t next = end;
      for (; next < num_columns && run_of(&columns[next]) == run_of(&columns[end]); next++)
         width += 2 + columns[next].width;
      if (width > TABLE_WIDTH && end > first)
         break;
      end = next;
   }
   return end;
}

/* A line of the columns of no run, which come first, and of those from first to before end. */
static void
print_row(const struct column *columns, size_t num_keys, size_t first, size_t end, size_t line, FILE *file)
{
   int behind = 0; /* spaces after the last text */
   for (size_t c = num_keys ? 0 : first; c < end; c = c + 1 == num_keys ? first : c + 1) {
      char *cell = columns[c].texts[line];
      const int spaces = columns[c].width - width_of(cell);
      behind += (c ? 2 : 0) + (columns[c].is_left ? 0 : spaces);
      if (*cell) {
         fprintf(file, "%*s%s", behind, "", cell);
         behind = 0;
      }
      behind += columns[c].is_left ? spaces : 0;
   }
   putc('\n', file);
}

/* All lines; where columns are of several runs, one part after another that is not too wide. */
static void
print_parts(const struct column *columns, size_t num_columns, size_t lines, FILE *file)
{
   size_t num_keys = 0;
   int width = -2;
   while (num_keys < num_columns && !run_of(&columns[num_keys]))
      width += 2 + columns[num_keys++].width;
   size_t first, end = num_keys;
   do {
      first = end;
      end = end_of_part(columns, num_columns, first, width);
      if (first > num_keys)
         putc('\n', file);
      for (size_t line = 0; line < lines; line++)
         print_row(columns, num_keys, first, end, line, file);
   } while (end < num_columns);
}

void
output_table(json_t *rows, FILE *file)
{
   json_t *flat = flattened(rows), *names = json_object(), *value;
   size_t count = 0, lines = json_array_size(flat) + 1;
   const char *name;
   json_array_foreach(flat, count, value) json_object_update_missing(names, value);
   struct column *columns = allocate((json_object_size(names) + 1) * sizeof(*columns));
   count = 0;
   json_object_foreach(names, name, value) columns[count++] = make_column(flat, name);
   print_parts(columns, count, lines, file);
   for (size_t c = 0; c < count; c++) {
      for (size_t line = 0; line < lines; line++)
         free(columns[c].texts[line]);
      free(columns[c].texts);
   }
   free(columns);
   json_decref(names);
   json_decref(flat);
}

void
output_set_run(json_t *row, unsigned run, const char *name, json_t *value)
{
   char *first = text("[1] %s", name), *key = text("[%u] %s", run + 1, name),
        *change = text("[%u] change", run + 1);
   const double before = json_number_value(json_object_get(row, first)), after = json_number_value(value);
   const bool is_known = before > 0 && json_is_number(value);
   json_object_set_new(row, key, value);
   if (run)
      json_object_set_new(row, change, is_known ? json_real(after / before - 1) : json_null());
   free(first);
   free(key);
   free(change);
}
