/* SPDX-License-Identifier: MIT */
#include "input/energy_account.h"
#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/environment.h"
#include "options.h"
#include "input/statistics_file.h"
#include "tools.h"
#include "gpu/counters.h"
#include "gpu/gpu_config.h"

/* ---- the configuration ------------------------------------------------- */

static struct cm_config *
load_config(const struct statistics_file *file)
{
   const json_t *run = file->run;
   const char *path = file->path;
   const char *preset = json_string_value(json_object_get(run, "preset"));
   char *keys = json_dumps(json_object_get(run, "configuration"), 0);
   if (!preset || !keys)
      fail(STATUS_FAILED, "%s: has no configuration", path);
   char error[512];
   struct cm_config *config = cm_config_parse(keys, path, preset, error, sizeof(error));
   if (!config)
      fail(STATUS_FAILED, "%s", error);
   free(keys);
   return config;
}

static void
change_config(struct cm_config *config, const char *path, const struct energy_options *options)
{
   char error[512];
   if (options->config) {
      struct cm_config *other = cm_config_load(options->config, presets_directory(), error, sizeof(error));
      if (!other)
         fail(STATUS_USAGE, "%s", error);
      config->energy = other->energy;
      memcpy(config->name, other->name, sizeof(config->name));
      cm_config_destroy(other);
   }
   for (unsigned s = 0; s < options->num_settings; s++) {
      if (strncmp(options->settings[s], "energy.", 7))
         fail(STATUS_USAGE, "--set %s: the counts depend on it, expected a key energy.*",
              options->settings[s]);
      if (!cm_config_set(config, options->settings[s], error, sizeof(error)))
         fail(STATUS_USAGE, "%s", error);
   }
   if (options->num_settings) {
      char *name = text("%.50s and --set", config->name);
      snprintf(config->name, sizeof(config->name), "%s", name);
      free(name);
   }
   if (!config->energy.technology)
      fail(STATUS_FAILED,
           "%s: the configuration %s has no energy; give one that has with --config, such as %s", path,
           config->name, CM_CONFIG_DEFAULT);
   if (!cm_config_validate(config, error, sizeof(error)))
      fail(STATUS_USAGE, "%s", error);
}

/* ---- values ------------------------------------------------------------ */

/* The counters of energy come out of the account. */
static void
read_values(struct energy_account *account, const struct statistics_file *file)
{
   const struct cm_counter_table *table = account->table;
   account->before = allocate(table->count * sizeof(uint64_t));
   account->after = allocate(table->count * sizeof(uint64_t));
   for (uint32_t i = 0; i < table->count; i++) {
      int column;
      if (table->counters[i].source == &cm_energy_counters)
         continue;
      if (!statistics_file_column(file, table->counters[i].name, &column))
         fail(STATUS_FAILED, "%s: has no %s; it is of another version of tbrsim", file->path,
              table->counters[i].name);
      for (unsigned f = 0; f < account->first_frame; f++)
         account->before[i] += statistics_file_value(file, f, column);
      account->after[i] = account->before[i];
      for (unsigned f = account->first_frame; f <= account->last_frame; f++)
         account->after[i] += statistics_file_value(file, f, column);
   }
}

static void
find_frames(struct energy_account *account, const char *frames, size_t count)
{
   if (!count)
      fail(STATUS_FAILED, "%s: no frame was simulated", account->path);
   struct frame_range range = {0, (unsigned)count - 1};
   if (frames)
      range = options_frames(frames);
   if (range.last >= count)
      fail(STATUS_USAGE, "--frames %s: %s has frames 0-%zu", frames, account->path, count - 1);
   account->first_frame = range.first;
   account->last_frame = range.last;
   account->num_frames = range.last - range.first + 1;
}

static void
find_cycles(struct energy_account *account, const char *given)
{
   const int counter = cm_energy_cycles_counter(account->table);
   if (given) {
      char *end;
      errno = 0;
      account->cycles_after = strtoull(given, &end, 10);
      if (*given < '0' || *given > '9' || *end || errno)
         fail(STATUS_USAGE, "--cycles %s: expected a number of cycles", given);
   } else if (counter >= 0) {
      account->cycles_before = account->before[counter];
      account->cycles_after = account->after[counter];
   } else {
      fail(STATUS_FAILED,
           "%s: no cycles for leakage; simulate with --timing on, or give a number with --cycles",
           account->path);
   }
}

/* ---- energy ------------------------------------------------------------ */

uint64_t
energy_account_events(const struct energy_account *account, const struct cm_energy_term *term)
{
   return cm_energy_term_events(term, account->after) - cm_energy_term_events(term, account->before);
}

uint64_t
energy_account_total(const struct energy_account *account, const struct cm_energy_term *term)
{
   return cm_energy_term_total(account->energy, term, account->after, account->cycles_after) -
          cm_energy_term_total(account->energy, term, account->before, account->cycles_before);
}

static void
subtract(struct cm_energy_sum *sums, const struct cm_energy_sum *before, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      sums[i].dynamic -= before[i].dynamic;
      sums[i].leakage -= before[i].leakage;
   }
}

void
energy_account_load(struct energy_account *account, const char *path, const struct energy_options *options)
{
   struct statistics_file file = statistics_file_load(path);
   *account = (struct energy_account){.path = file.path};
   account->config = load_config(&file);
   account->preset = text("%s", account->config->name);
   /* What was counted is by the configuration that it was simulated with. */
   account->table = cm_gpu_counter_table_create(account->config);
   change_config(account->config, account->path, options);
   char error[512];
   if (!account->table)
      fail(STATUS_FAILED, "out of memory");
   account->energy = cm_energy_create(account->config, account->table, error, sizeof(error));
   if (!account->energy)
      fail(STATUS_FAILED, "%s: %s", account->path, error);
   find_frames(account, options->frames, file.frames);
   read_values(account, &file);
   find_cycles(account, options->cycles);
   struct cm_energy_sums before;
   cm_energy_sum_up(account->energy, account->before, account->cycles_before, &before);
   cm_energy_sum_up(account->energy, account->after, account->cycles_after, &account->sums);
   subtract(account->sums.units, before.units, CM_ENERGY_UNIT_COUNT);
   subtract(account->sums.groups, before.groups, CM_ENERGY_GROUP_COUNT);
   statistics_file_close(&file);
}
