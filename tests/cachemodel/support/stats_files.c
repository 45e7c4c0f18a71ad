/* SPDX-License-Identifier: MIT */
#include "stats_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_reader.h"
#include "pass_builder.h"
#include "test.h"

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
   files->table = cm_counter_table_create(files->config);
   files->writer = cm_stats_writer_create(files->directory, files->table, files->config, run_values, 2);
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
   rmdir(files->directory);
   cm_counter_table_destroy(files->table);
   cm_config_destroy(files->config);
   free(files);
}

uint64_t
stats_value(uint32_t frame, uint32_t counter)
{
   uint64_t state = (uint64_t)frame << 32 | counter;
   random_next(&state);
   const uint64_t number = (uint64_t)random_next(&state) << 20 | random_next(&state) >> 5;
   return number >> random_below(&state, 52);
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

static void
check_json(const struct stats_files *files, const char *text, unsigned frames)
{
   for (uint32_t i = 0; i < files->table->count; i++) {
      const char *name = files->table->counters[i].name;
      uint64_t sum = 0, number;
      for (unsigned f = 0; f < frames; f++) {
         char index[16];
         snprintf(index, sizeof index, "%u", f);
         assert_true(json_number(text, (const char *const[]){"frames", index, name, NULL}, &number));
         assert_int_equal(number, stats_value(f, i));
         sum += number;
      }
      assert_true(json_number(text, (const char *const[]){"total", name, NULL}, &number));
      assert_int_equal(number, sum);
   }
}

static void
check_csv(const struct stats_files *files, const char *text, unsigned frames)
{
   assert_true(strncmp(text, "frame,gpu.frames,", 17) == 0);
   for (uint32_t i = 0; i < files->table->count; i++) {
      text = strchr(text, ',') + 1;
      const size_t length = strlen(files->table->counters[i].name);
      assert_memory_equal(text, files->table->counters[i].name, length);
      text += length;
   }
   for (unsigned f = 0; f < frames; f++) {
      assert_int_equal(*text++, '\n');
      char *end;
      assert_int_equal(strtoull(text, &end, 10), f);
      for (uint32_t i = 0; i < files->table->count; i++) {
         assert_int_equal(*end, ',');
         assert_int_equal(strtoull(end + 1, &end, 10), stats_value(f, i));
      }
      text = end;
   }
   assert_int_equal(*text, '\n');
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
   check_json(files, json, found);
   check_csv(files, csv, found);
   assert_true(json_number(json, (const char *const[]){"run", "configuration", "caches", "l2", "size", NULL},
                           &number));
   assert_int_equal(number, 1048576);
   assert_non_null(strstr(json, "\"program\": \"a \\\"program\\\" with \\\\ and \\u00ff and a\\u0009tab\""));
   assert_non_null(strstr(json, "\"preset\": \"" CM_CONFIG_DEFAULT "\""));
   free(json);
   free(csv);
   return found;
}
