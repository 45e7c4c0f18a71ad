/* SPDX-License-Identifier: MIT */
#include "output/simulation_table.h"
#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "output/assumed_values.h"
#include "output/output.h"
#include "tools.h"

/* Whether a counter is printed for readers. */
static bool
is_main(const struct cm_counter *counter)
{
   if (counter->unit < 0)
      return !strcmp(counter->name, "gpu.cycles");
   const char *event = strrchr(counter->name, '.') + 1;
   if (counter->instance >= 0 ||
       (counter->stream >= 0 && counter->unit != CM_UNIT_L2 && counter->unit != CM_UNIT_DRAM))
      return false;
   return counter->unit == CM_UNIT_DRAM
             ? !strcmp(event, "read_bytes") || !strcmp(event, "write_bytes")
             : !strcmp(event, "reads") || !strcmp(event, "writes") || !strcmp(event, "misses");
}

/* The counters, or the main ones, that are not 0 everywhere, as the members of an object. */
static json_t *
collect_counters(const struct simulation *simulations, unsigned count, bool only_main)
{
   json_t *counters = json_object();
   for (unsigned s = 0; s < count; s++) {
      const struct cm_counter_table *table = simulations[s].table;
      for (uint32_t c = 0; c < table->count; c++) {
         if (simulations[s].total[c] && (!only_main || is_main(&table->counters[c])))
            json_object_set_new(counters, table->counters[c].name, json_null());
      }
   }
   return counters;
}

/* What a simulation has counted; null: it has no such counter. */
static json_t *
total_json(const struct simulation *simulation, const char *name)
{
   const int index = cm_counter_table_find(simulation->table, name);
   return index >= 0 ? json_integer((json_int_t)simulation->total[index]) : json_null();
}

/* With which GPU the cycles were compared. */
static void
print_validations(const struct simulation *simulations, unsigned count)
{
   for (unsigned s = 0; s < count; s++) {
      const struct cm_config *config = simulations[s].configuration->config;
      char *line = config->timing == CM_TIMING_ON ? validation_line(config, config->name) : NULL;
      if (line)
         printf("[%u] %s\n", s + 1, line);
      free(line);
   }
}

/* What the cycles rest on: of configurations of which that is the same, once. */
static void
print_assumed_values(const struct simulation *simulations, unsigned count)
{
   char *before = text("%s", "");
   for (unsigned s = 0; s < count; s++) {
      const struct cm_config *config = simulations[s].configuration->config;
      if (config->timing != CM_TIMING_ON)
         continue;
      char *line = assumed_values_line(config, config->name, ASSUMED_CYCLES);
      if (strcmp(line, before))
         printf("%s[%u] %s\n", *before ? "" : "\n", s + 1, line);
      free(before);
      before = line;
   }
   free(before);
}

void
simulation_table_print(const struct simulation *simulations, unsigned count)
{
   json_t *rows = json_array(), *names = collect_counters(simulations, count, true), *unused;
   const char *name;
   for (unsigned s = 0; s < count; s++)
      printf("[%u] %s: %u frames, %s\n", s + 1, simulations[s].configuration->name, simulations[s].frames,
             simulations[s].out);
   json_object_foreach(names, name, unused)
   {
      json_t *row = json_pack("{s:s}", "counter", name);
      for (unsigned s = 0; s < count; s++)
         output_set_run(row, s, "total", total_json(&simulations[s], name));
      json_array_append_new(rows, row);
   }
   json_decref(names);
   putchar('\n');
   output_table(rows, stdout);
   print_assumed_values(simulations, count);
   print_validations(simulations, count);
}

/* ---- for other programs --------------------------------------------------------- */

/* What a configuration was given: of a key that was given twice, the last. */
static json_t *
settings_json(const struct configuration *configuration)
{
   json_t *settings = json_object();
   for (unsigned s = 0; s < configuration->num_settings; s++) {
      const char *assignment = configuration->settings[s], *equals = strchr(assignment, '=');
      json_object_setn_new(settings, assignment, (size_t)(equals - assignment), output_text(equals + 1));
   }
   return settings;
}

/* The keys that any simulation's configuration was given, likewise. */
static json_t *
collect_keys(const struct simulation *simulations, unsigned count)
{
   json_t *keys = json_object();
   for (unsigned s = 0; s < count; s++)
      json_object_update_new(keys, settings_json(simulations[s].configuration));
   return keys;
}

/* all: what the simulation does not have is null. */
static json_t *
simulation_json(const struct simulation *simulation, json_t *keys, json_t *names, bool all)
{
   const struct configuration *configuration = simulation->configuration;
   json_t *given = settings_json(configuration), *settings = json_object(), *counters = json_object();
   const char *name;
   json_t *unused;
   json_object_foreach(keys, name, unused)
   {
      json_t *value = json_object_get(given, name);
      if (value || all)
         json_object_set_new(settings, name, value ? json_incref(value) : json_null());
   }
   json_object_foreach(names, name, unused)
   {
      json_t *total = total_json(simulation, name);
      if (all || !json_is_null(total))
         json_object_set(counters, name, total);
      json_decref(total);
   }
   json_decref(given);
   return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o}", "configuration", output_text(configuration->name),
                    "preset", output_text(configuration->config->name), "statistics",
                    output_text(simulation->out), "settings", settings, "frames", (int)simulation->frames,
                    "counters", counters);
}

static json_t *
simulations_json(const struct simulation *simulations, unsigned count, bool all)
{
   json_t *keys = collect_keys(simulations, count), *counters = collect_counters(simulations, count, false);
   json_t *list = json_array();
   for (unsigned s = 0; s < count; s++)
      json_array_append_new(list, simulation_json(&simulations[s], keys, counters, all));
   json_decref(keys);
   json_decref(counters);
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
   return json_pack("{s:s, s:o, s:o, s:o, s:o}", "directory", configuration->directory, "configuration",
                    output_text(configuration->name), "preset", output_text(configuration->config->name),
                    "settings", settings_json(configuration), "recording", output_text(recording));
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
