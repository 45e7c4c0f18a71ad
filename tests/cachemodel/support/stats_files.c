/* SPDX-License-Identifier: MIT */
#include "stats_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_reader.h"
#include "pass_builder.h"
#include "test.h"
#include "gpu/counters.h"

static const struct cm_run_value run_values[] = {
   {"program", "a \"program\" with \\ and \xff and a\ttab"},
   {"version", "0.1.0"},
};

struct stats_files *
stats_files_new(void)
{
   struct stats_files *files = calloc(1, sizeof *files);
   strcpy(files->directory, "stats_files_XXXXXX");
   assert_non_null(mkdtemp(files->directory));
   rmdir(files->directory);
   files->config = test_config(NULL);
   files->table = cm_gpu_counter_table_create(files->config);
   files->writer = cm_stats_writer_create(files->directory, NULL, files->table, files->config, run_values, 2);
   assert_non_null(files->writer);
   return files;
}

static char *
path_of(const struct stats_files *files, const char *name, char *path, size_t size)
{
   snprintf(path, size, "%s/%s", files->directory, name);
   return path;
}

void
stats_files_free(struct stats_files *files)
{
   char path[128];
   unlink(path_of(files, "stats.json", path, sizeof path));
   unlink(path_of(files, "frames.csv", path, sizeof path));
   unlink(path_of(files, ".stats.json.new", path, sizeof path));
   unlink(path_of(files, ".frames.csv.new", path, sizeof path));
   rmdir(files->directory);
   cm_counter_table_destroy(files->table);
   cm_config_destroy(files->config);
   free(files);
}

uint64_t
stats_value(uint32_t frame, uint32_t counter)
{
   /* Half of the counters are never anything but zero, the others from some frame on. */
   uint64_t state = counter;
   random_next(&state);
   if (frame < random_below(&state, 2 * STATS_FRAMES))
      return 0;
   state = (uint64_t)frame << 32 | counter;
   random_next(&state);
   const uint64_t number = (uint64_t)random_next(&state) << 20 | random_next(&state) >> 5;
   return number >> random_below(&state, 56);
}

bool
stats_write_frame(struct stats_files *files, uint32_t frame)
{
   uint64_t *values = malloc(files->table->count * sizeof *values);
   for (uint32_t i = 0; i < files->table->count; i++)
      values[i] = stats_value(frame, i);
   const bool fine = cm_stats_writer_frame(files->writer, values);
   free(values);
   return fine;
}

/* What the files must hold after so many frames. */
struct expectation {
   unsigned frames;
   uint64_t *values; /* of all counters, frame after frame */
   uint64_t *sums;
   bool *listed; /* by counter: it has a column */
};

static struct expectation
expect_frames(const struct stats_files *files, unsigned frames)
{
   const uint32_t count = files->table->count;
   struct expectation expected = {
      .frames = frames,
      .values = calloc((size_t)frames * count + 1, sizeof *expected.values),
      .sums = calloc(count, sizeof *expected.sums),
      .listed = calloc(count, sizeof *expected.listed),
   };
   expected.listed[0] = true; /* so that no row is empty */
   for (unsigned f = 0; f < frames; f++) {
      for (uint32_t i = 0; i < count; i++) {
         const uint64_t value = stats_value(f, i);
         expected.values[(size_t)f * count + i] = value;
         expected.sums[i] += value;
         expected.listed[i] |= value != 0;
      }
   }
   return expected;
}

static void
free_expectation(struct expectation *expected)
{
   free(expected->values);
   free(expected->sums);
   free(expected->listed);
}

/* Each of these checks what is next in a file, and returns what follows it: files of any length are read once. */

static const char *
check_text(const char *text, const char *expected)
{
   assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
   return text + strlen(expected);
}

static const char *
check_number(const char *text, uint64_t expected)
{
   char *end;
   assert_true(*text >= '0' && *text <= '9');
   assert_int_equal(strtoull(text, &end, 10), expected);
   return end;
}

static const char *
check_names(const struct stats_files *files, const char *text, const struct expectation *expected,
            const char *quote)
{
   const char *separator = "";
   for (uint32_t i = 0; i < files->table->count; i++) {
      char name[80];
      if (!expected->listed[i])
         continue;
      snprintf(name, sizeof name, "%s%s%s%s", separator, quote, files->table->counters[i].name, quote);
      text = check_text(text, name);
      separator = ",";
   }
   return text;
}

static const char *
check_row(const struct stats_files *files, const char *text, const struct expectation *expected,
          unsigned frame)
{
   const uint64_t *values = expected->values + (size_t)frame * files->table->count;
   const char *separator = "";
   for (uint32_t i = 0; i < files->table->count; i++) {
      if (!expected->listed[i])
         continue;
      text = check_number(check_text(text, separator), values[i]);
      separator = ",";
   }
   return text;
}

static void
check_json(const struct stats_files *files, const char *text, unsigned frames)
{
   struct expectation expected = expect_frames(files, frames);
   text = strstr(text, "\n\"columns\": [");
   assert_non_null(text);
   text = check_names(files, check_text(text, "\n\"columns\": ["), &expected, "\"");
   text = check_text(text, "],\n\"frames\": [");
   for (unsigned f = 0; f < frames; f++) {
      text = check_text(text, f ? ",\n[" : "\n[");
      text = check_text(check_row(files, text, &expected, f), "]");
   }
   text = check_text(text, "\n],\n\"total\": {");
   for (uint32_t i = 0; i < files->table->count; i++) {
      char label[80];
      snprintf(label, sizeof label, "%s\"%s\": ", i ? ", " : "", files->table->counters[i].name);
      text = check_number(check_text(text, label), expected.sums[i]);
   }
   assert_string_equal(text, "}\n}\n");
   free_expectation(&expected);
}

static void
check_csv(const struct stats_files *files, const char *text, unsigned frames)
{
   struct expectation expected = expect_frames(files, frames);
   text = check_text(check_names(files, check_text(text, "frame,"), &expected, ""), "\n");
   for (unsigned f = 0; f < frames; f++) {
      text = check_text(check_number(text, f), ",");
      text = check_text(check_row(files, text, &expected, f), "\n");
   }
   assert_string_equal(text, "");
   free_expectation(&expected);
}

unsigned
assert_stats_files(const struct stats_files *files, unsigned frames, bool at_least)
{
   char path[128];
   uint64_t number;
   char *json = read_file(path_of(files, "stats.json", path, sizeof path));
   char *csv = read_file(path_of(files, "frames.csv", path, sizeof path));
   assert_non_null(json);
   assert_non_null(csv);
   assert_true(json_is_valid(json));
   const unsigned found = json_array_length(json, (const char *const[]){"frames", NULL});
   assert_true(found == frames || (at_least && found > frames));
   unsigned rows = 0;
   for (const char *c = csv; *c; c++)
      rows += *c == '\n';
   assert_true(rows - 1 == found || (at_least && rows - 1 == found + 1));
   check_json(files, json, found);
   check_csv(files, csv, rows - 1);
   assert_true(json_number(json, (const char *const[]){"run", "configuration", "caches", "l2", "size", NULL},
                           &number));
   assert_int_equal(number, 1048576);
   assert_non_null(strstr(json, "\"program\": \"a \\\"program\\\" with \\\\ and \\u00ff and a\\u0009tab\""));
   assert_non_null(strstr(json, "\"preset\": \"" CM_CONFIG_DEFAULT "\""));
   free(json);
   free(csv);
   return found;
}
