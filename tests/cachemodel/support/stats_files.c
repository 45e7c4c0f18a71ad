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

/* Whether a counter has a column after so many frames. */
static bool
has_column(uint32_t counter, unsigned frames)
{
   bool found = counter == 0;
   for (unsigned f = 0; f < frames; f++)
      found |= stats_value(f, counter) != 0;
   return found;
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

/* What belongs before the first row: names of the columns. */
static void
check_names(const struct stats_files *files, const char *text, unsigned frames, const char *quote,
            const char *end)
{
   const char *separator = "";
   for (uint32_t i = 0; i < files->table->count; i++) {
      char name[80];
      if (!has_column(i, frames))
         continue;
      snprintf(name, sizeof name, "%s%s%s%s", separator, quote, files->table->counters[i].name, quote);
      assert_memory_equal(text, name, strlen(name));
      text += strlen(name);
      separator = ",";
   }
   assert_memory_equal(text, end, strlen(end));
}

static void
check_json(const struct stats_files *files, const char *text, unsigned frames)
{
   static const char key[] = "\n\"columns\": [";
   const char *columns = strstr(text, key);
   assert_non_null(columns);
   check_names(files, columns + sizeof key - 1, frames, "\"", "],\n\"frames\": [\n[");
   unsigned column = 0;
   for (uint32_t i = 0; i < files->table->count; i++) {
      const char *name = files->table->counters[i].name;
      const bool listed = has_column(i, frames);
      uint64_t sum = 0, number;
      for (unsigned f = 0; f < frames; f++) {
         char row[16], place[16];
         snprintf(row, sizeof row, "%u", f);
         snprintf(place, sizeof place, "%u", column);
         if (listed) {
            assert_true(json_number(text, (const char *const[]){"frames", row, place, NULL}, &number));
            assert_int_equal(number, stats_value(f, i));
         }
         sum += stats_value(f, i);
      }
      column += listed;
      assert_true(json_number(text, (const char *const[]){"total", name, NULL}, &number));
      assert_int_equal(number, sum);
   }
   for (unsigned f = 0; f < frames; f++) {
      char row[16];
      snprintf(row, sizeof row, "%u", f);
      assert_int_equal(json_array_length(text, (const char *const[]){"frames", row, NULL}), column);
   }
}

static void
check_csv(const struct stats_files *files, const char *text, unsigned frames)
{
   assert_memory_equal(text, "frame,", 6);
   check_names(files, text + 6, frames, "", "\n");
   text = strchr(text, '\n');
   for (unsigned f = 0; f < frames; f++) {
      assert_int_equal(*text++, '\n');
      char *end;
      assert_int_equal(strtoull(text, &end, 10), f);
      for (uint32_t i = 0; i < files->table->count; i++) {
         if (!has_column(i, frames))
            continue;
         assert_int_equal(*end, ',');
         assert_int_equal(strtoull(end + 1, &end, 10), stats_value(f, i));
      }
      text = end;
   }
   assert_string_equal(text, "\n");
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
