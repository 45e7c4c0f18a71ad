/* SPDX-License-Identifier: MIT */
#include "output/simulation_table.h"
#include "config/config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "output/output.h"
#include "tools.h"

/* A row: the sum of two counters (or one) of a unit's stream. */
struct row {
   const char *unit, *stream;
   const char *name;
   const char *events[2];
};

/* False where the configuration has no such counter. */
static bool
read_value(const struct simulation *simulation, const struct row *row, uint64_t *value)
{
   bool found = false;
   *value = 0;
   for (unsigned e = 0; e < 2 && row->events[e]; e++) {
      char *name = *row->stream ? text("%s.%s.%s", row->unit, row->stream, row->events[e])
                                : text("%s.%s", row->unit, row->events[e]);
      int index = cm_counter_table_find(simulation->table, name);
      free(name);
      found |= index >= 0;
      *value += index >= 0 ? simulation->total[index] : 0;
   }
   return found;
}

static void
print_row(const struct simulation *simulations, unsigned count, const struct row *row)
{
   uint64_t value, first = 0;
   bool any = false;
   for (unsigned s = 0; s < count; s++)
      any |= read_value(&simulations[s], row, &value) && value;
   if (!any)
      return;
   printf("%-17s  %-12s  %-11s", row->unit, row->stream, row->name);
   for (unsigned s = 0; s < count; s++) {
      bool found = read_value(&simulations[s], row, &value);
      if (!s)
         first = value;
      if (found)
         printf("  %14" PRIu64, value);
      else
         printf("  %14s", "-");
      if (s && found && first)
         printf("  %7.3f", (double)value / first);
      else if (s)
         printf("  %7s", "-");
   }
   putchar('\n');
}

static void
print_unit(const struct simulation *simulations, unsigned count, enum cm_unit unit, const char *stream)
{
   const char *name = cm_unit_names[unit];
   if (unit == CM_UNIT_DRAM) {
      print_row(simulations, count, &(struct row){name, stream, "read bytes", {"read_bytes"}});
      print_row(simulations, count, &(struct row){name, stream, "write bytes", {"write_bytes"}});
   } else {
      print_row(simulations, count, &(struct row){name, stream, "accesses", {"reads", "writes"}});
      print_row(simulations, count, &(struct row){name, stream, "misses", {"misses"}});
   }
}

void
simulation_table_print(const struct simulation *simulations, unsigned count)
{
   for (unsigned s = 0; s < count; s++)
      printf("[%u] %s: %u frames, %s\n", s + 1, simulations[s].configuration->name, simulations[s].frames,
             simulations[s].out);
   printf("\n%-17s  %-12s  %-11s", "unit", "stream", "counter");
   for (unsigned s = 0; s < count; s++) {
      printf("  %13s%u]", "[", s + 1);
      if (s)
         printf("  %7s", "of [1]");
   }
   putchar('\n');
   print_row(simulations, count, &(struct row){"gpu", "", "cycles", {"cycles"}});
   for (unsigned unit = 0; unit < CM_UNIT_COUNT; unit++) {
      bool by_stream = unit == CM_UNIT_L2 || unit == CM_UNIT_DRAM;
      for (unsigned stream = 0; by_stream && stream < CM_STREAM_COUNT; stream++)
         print_unit(simulations, count, (enum cm_unit)unit, cm_stream_names[stream]);
      print_unit(simulations, count, (enum cm_unit)unit, "total");
   }
}

/* ---- for other programs --------------------------------------------------------- */

/* Names, each once. */
struct names {
   const char **list;
   unsigned count, capacity;
};

static void
add_name(struct names *names, const char *name, size_t length)
{
   for (unsigned n = 0; n < names->count; n++) {
      if (!strncmp(names->list[n], name, length) && !names->list[n][length])
         return;
   }
   if (names->count == names->capacity) {
      names->capacity = names->capacity * 2 + 64;
      names->list = realloc(names->list, names->capacity * sizeof(*names->list));
      if (!names->list)
         fail(STATUS_FAILED, "out of memory");
   }
   names->list[names->count++] = text("%.*s", (int)length, name);
}

/* The keys that any simulation's configuration was given, in their order. */
static struct names
collect_keys(const struct simulation *simulations, unsigned count)
{
   struct names names = {0};
   for (unsigned s = 0; s < count; s++) {
      const struct configuration *configuration = simulations[s].configuration;
      for (unsigned i = 0; i < configuration->num_settings; i++)
         add_name(&names, configuration->settings[i], strcspn(configuration->settings[i], "="));
   }
   return names;
}

/* The counters that are not 0 everywhere. */
static struct names
collect_counters(const struct simulation *simulations, unsigned count)
{
   struct names names = {0};
   for (unsigned s = 0; s < count; s++) {
      const struct cm_counter_table *table = simulations[s].table;
      for (uint32_t c = 0; c < table->count; c++) {
         if (simulations[s].total[c])
            add_name(&names, table->counters[c].name, strlen(table->counters[c].name));
      }
   }
   return names;
}

/* The value that a key was given last; NULL: none. */
static const char *
setting_of(const struct configuration *configuration, const char *key)
{
   const size_t length = strlen(key);
   for (unsigned i = configuration->num_settings; i-- > 0;) {
      const char *assignment = configuration->settings[i];
      if (!strncmp(assignment, key, length) && assignment[length] == '=')
         return assignment + length + 1;
   }
   return NULL;
}

/* all: what the simulation does not have is null. */
static json_t *
simulation_json(const struct simulation *simulation, const struct names *keys, const struct names *names,
                bool all)
{
   const struct configuration *configuration = simulation->configuration;
   json_t *settings = json_object(), *counters = json_object();
   for (unsigned k = 0; k < keys->count; k++) {
      const char *value = setting_of(configuration, keys->list[k]);
      if (value || all)
         json_object_set_new(settings, keys->list[k], value ? output_text(value) : json_null());
   }
   for (unsigned c = 0; c < names->count; c++) {
      const int index = cm_counter_table_find(simulation->table, names->list[c]);
      if (index >= 0 || all)
         json_object_set_new(counters, names->list[c],
                             index >= 0 ? json_integer((json_int_t)simulation->total[index]) : json_null());
   }
   return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o}", "configuration", output_text(configuration->name),
                    "preset", output_text(configuration->config->name), "statistics",
                    output_text(simulation->out), "settings", settings, "frames", (int)simulation->frames,
                    "counters", counters);
}

static json_t *
simulations_json(const struct simulation *simulations, unsigned count, bool all)
{
   const struct names keys = collect_keys(simulations, count),
                      counters = collect_counters(simulations, count);
   json_t *list = json_array();
   for (unsigned s = 0; s < count; s++)
      json_array_append_new(list, simulation_json(&simulations[s], &keys, &counters, all));
   return list;
}

void
simulation_table_csv(const struct simulation *simulations, unsigned count)
{
   output_csv(simulations_json(simulations, count, true), stdout);
}

void
simulation_table_json(const struct simulation *simulations, unsigned count, const char *recording)
{
   output_json(json_pack("{s:o, s:o, s:o}", "recording", output_text(recording), "run", output_run(recording),
                         "simulations", simulations_json(simulations, count, false)),
               1, stdout);
}

/* ---- the index --------------------------------------------------------------------- */

static json_t *
entry_of(const struct simulation *simulation, const char *recording)
{
   const struct configuration *configuration = simulation->configuration;
   json_t *settings = json_object();
   for (unsigned s = 0; s < configuration->num_settings; s++) {
      const char *assignment = configuration->settings[s], *equals = strchr(assignment, '=');
      json_object_setn_new(settings, assignment, (size_t)(equals - assignment), output_text(equals + 1));
   }
   return json_pack("{s:s, s:o, s:o, s:o, s:o}", "directory", configuration->directory, "configuration",
                    output_text(configuration->name), "preset", output_text(configuration->config->name),
                    "settings", settings, "recording", output_text(recording));
}

static bool
is_listed(const json_t *entries, const char *directory)
{
   size_t e;
   json_t *entry;
   json_array_foreach(entries, e, entry)
   {
      if (!strcmp(json_string_value(json_object_get(entry, "directory")), directory))
         return true;
   }
   return false;
}

/* Simulations of an earlier command that are still there. */
static void
keep_entries(json_t *entries, const char *path, const char *out)
{
   json_t *root = json_load_file(path, 0, NULL), *entry;
   size_t e;
   json_array_foreach(json_object_get(root, "simulations"), e, entry)
   {
      const char *directory = json_string_value(json_object_get(entry, "directory"));
      if (!directory || is_listed(entries, directory))
         continue;
      char *statistics = text("%s/%s/stats.json", out, directory);
      if (!access(statistics, F_OK))
         json_array_append(entries, entry);
      free(statistics);
   }
   json_decref(root);
}

void
simulation_index_write(const char *out, const char *recording, const struct simulation *simulations,
                       unsigned count)
{
   char *path = text("%s/index.json", out), *part = text("%s/index.json.part", out);
   json_t *entries = json_array();
   for (unsigned s = 0; s < count; s++)
      json_array_append_new(entries, entry_of(&simulations[s], recording));
   keep_entries(entries, path, out);
   FILE *file = options_open_output(part);
   output_json(json_pack("{s:o}", "simulations", entries), 2, file);
   options_close_output(file, part);
   if (rename(part, path))
      fail(STATUS_FAILED, "%s: %s", path, strerror(errno));
   free(path);
   free(part);
}
