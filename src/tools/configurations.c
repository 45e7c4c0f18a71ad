/* SPDX-License-Identifier: MIT */
#include "configurations.h"
#include "config/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/environment.h"
#include "options.h"
#include "tools.h"
#include "gpu/gpu_config.h"

#define MAX_DIRECTORY_LENGTH 80
#define MAX_CONFIGURATIONS 4096

static void *
extended(void *array, unsigned count, unsigned long size)
{
   void *larger = realloc(array, (count + 1) * size);
   if (!larger)
      fail(STATUS_FAILED, "out of memory");
   memset((char *)larger + count * size, 0, size);
   return larger;
}

static void
add_text(char ***list, unsigned *count, const char *word)
{
   *list = extended(*list, *count, sizeof(**list));
   (*list)[(*count)++] = text("%s", word);
}

/* The settings after a preset's name. A value may have commas itself. */
static void
split_settings(struct configuration *configuration, char *words)
{
   char *rest = words;
   for (char *word; (word = strsep(&rest, ","));) {
      while (rest && !memchr(rest, '=', strcspn(rest, ",")))
         rest[-1] = ',', strsep(&rest, ",");
      if (!strchr(word, '='))
         fail(STATUS_USAGE, "--config %s,%s: expected key=value after the comma", configuration->preset,
              word);
      add_text(&configuration->settings, &configuration->num_settings, word);
   }
}

void
configurations_add(struct configurations *configurations, const char *preset)
{
   if (configurations->single && configurations->count)
      fail(STATUS_USAGE, "--config %s: expected one configuration; tbrsim sim takes several", preset);
   configurations->list =
      extended(configurations->list, configurations->count, sizeof(*configurations->list));
   struct configuration *configuration = &configurations->list[configurations->count++];
   configurations->for_all = false;
   char *name = text("%s", preset), *comma = strchr(name, ',');
   configuration->preset = name;
   if (!comma || !access(name, F_OK))
      return;
   *comma = 0;
   configuration->joined = true;
   split_settings(configuration, comma + 1);
}

void
configurations_set(struct configurations *configurations, const char *assignment)
{
   if (!configurations->count || configurations->for_all || configurations->single) {
      add_text(&configurations->settings, &configurations->num_settings, assignment);
      return;
   }
   struct configuration *last = &configurations->list[configurations->count - 1];
   add_text(&last->settings, &last->num_settings, assignment);
}

void
configurations_all(struct configurations *configurations)
{
   configurations->for_all = true;
}

void
configurations_vary(struct configurations *configurations, const char *variation)
{
   const char *equals = strchr(variation, '=');
   if (!equals || equals == variation || !equals[1])
      fail(STATUS_USAGE, "--vary %s: expected KEY=VALUE,VALUE", variation);
   configurations->variations = extended(configurations->variations, configurations->num_variations,
                                         sizeof(*configurations->variations));
   struct variation *new = &configurations->variations[configurations->num_variations++];
   new->key = text("%.*s", (int)(equals - variation), variation);
   char *words = options_expand("--vary", equals + 1), *rest = words;
   for (char *word; (word = strsep(&rest, ","));)
      add_text(&new->values, &new->num_values, word);
   free(words);
   for (unsigned other = 0; other + 1 < configurations->num_variations; other++) {
      if (!strcmp(configurations->variations[other].key, new->key))
         fail(STATUS_USAGE, "--vary %s: %s is varied twice", variation, new->key);
   }
}

/* ---- which settings are whose --------------------------------------------------- */

/* Settings after the last of several different presets, none of which has any, are meant for all as often as for
 * that one. */
static void
check_meaning(const struct configurations *configurations)
{
   if (configurations->count < 2)
      return;
   const struct configuration *last = &configurations->list[configurations->count - 1];
   if (last->joined || !last->num_settings)
      return;
   for (unsigned c = 0; c + 1 < configurations->count; c++) {
      if (configurations->list[c].num_settings || !strcmp(configurations->list[c].preset, last->preset))
         return;
   }
   fail(STATUS_USAGE,
        "%s after --config %s: for all configurations, or for this one? For all, it goes before the first "
        "--config; for this one: --config %s,%s",
        last->settings[0], last->preset, last->preset, last->settings[0]);
}

/* Each configuration with each value of a key. */
static void
vary(struct configurations *configurations, const struct variation *variation)
{
   const unsigned count = configurations->count * variation->num_values;
   if (count > MAX_CONFIGURATIONS)
      fail(STATUS_USAGE, "--vary %s: more than %u configurations", variation->key, MAX_CONFIGURATIONS);
   struct configuration *list = allocate(count * sizeof(*list));
   for (unsigned c = 0; c < count; c++) {
      const struct configuration *base = &configurations->list[c / variation->num_values];
      list[c] = (struct configuration){.preset = base->preset, .joined = base->joined};
      for (unsigned s = 0; s < base->num_settings; s++)
         add_text(&list[c].settings, &list[c].num_settings, base->settings[s]);
      char *assignment = text("%s=%s", variation->key, variation->values[c % variation->num_values]);
      add_text(&list[c].settings, &list[c].num_settings, assignment);
      free(assignment);
   }
   configurations->list = list;
   configurations->count = count;
}

/* ---- names ---------------------------------------------------------------------- */

static const char *
key_of(const char *assignment)
{
   static const char caches[] = "caches.";
   return strncmp(assignment, caches, strlen(caches)) ? assignment : assignment + strlen(caches);
}

/* Whether a later setting sets the same key. */
static bool
is_overridden(const struct configuration *configuration, unsigned setting)
{
   const char *key = key_of(configuration->settings[setting]);
   const size_t length = strcspn(key, "=") + 1;
   for (unsigned later = setting + 1; later < configuration->num_settings; later++) {
      if (!strncmp(key, key_of(configuration->settings[later]), length))
         return true;
   }
   return false;
}

/* A number for a text that is the same every time: FNV-1a. */
static uint32_t
hash(const char *text)
{
   uint32_t value = 2166136261u;
   for (; *text; text++)
      value = (value ^ (uint8_t)*text) * 16777619u;
   return value;
}

/* "boustro-fo-l2.ways-4"; with a hash of the name where that is too long, or not all of the name. */
static char *
directory_of(const struct configuration *configuration)
{
   char *directory = text("%s", configuration->config->name);
   for (unsigned s = 0; s < configuration->num_settings; s++) {
      if (is_overridden(configuration, s))
         continue;
      char *longer = text("%s-%s", directory, key_of(configuration->settings[s]));
      longer[strlen(directory) + 1 + strcspn(longer + strlen(directory) + 1, "=")] = '-';
      free(directory);
      directory = longer;
   }
   bool is_whole = strlen(directory) <= MAX_DIRECTORY_LENGTH;
   for (char *c = directory; *c; c++) {
      if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) {
         *c = '_';
         is_whole = false;
      }
   }
   if (is_whole)
      return directory;
   char *shorter = text("%.*s-%08x", MAX_DIRECTORY_LENGTH - 9, directory, hash(configuration->name));
   free(directory);
   return shorter;
}

struct cm_config *
configurations_recorded(const struct cm_recording *recording)
{
   char error[512];
   const char *json = cm_recording_value(recording, "configuration");
   const char *name = cm_recording_value(recording, "preset");
   if (!json || !name)
      fail(STATUS_FAILED, "the recording has no configuration");
   struct cm_config *config =
      cm_config_parse(json, "the recording's configuration", name, error, sizeof(error));
   if (!config)
      fail(STATUS_FAILED, "%s", error);
   return config;
}

/* The settings for all come before a configuration's own. */
static void
join_settings(const struct configurations *configurations, struct configuration *configuration)
{
   char **settings = NULL;
   unsigned count = 0;
   for (unsigned s = 0; s < configurations->num_settings; s++)
      add_text(&settings, &count, configurations->settings[s]);
   for (unsigned s = 0; s < configuration->num_settings; s++)
      add_text(&settings, &count, configuration->settings[s]);
   configuration->settings = settings;
   configuration->num_settings = count;
}

struct configuration
configurations_given(const struct configurations *configurations)
{
   struct configuration configuration = {.preset = configurations->preset};
   if (configurations->count)
      configuration = configurations->list[0];
   join_settings(configurations, &configuration);
   return configuration;
}

static void
apply_settings(struct configuration *configuration)
{
   char error[512];
   configuration->name = text("%s", configuration->config->name);
   for (unsigned s = 0; s < configuration->num_settings; s++) {
      if (!cm_config_set(configuration->config, configuration->settings[s], error, sizeof(error)))
         fail(STATUS_USAGE, "%s", error);
      char *longer = text("%s,%s", configuration->name, configuration->settings[s]);
      free(configuration->name);
      configuration->name = longer;
   }
}

static void
load(struct configurations *configurations, unsigned number, const struct cm_recording *recording)
{
   struct configuration *configuration = &configurations->list[number];
   char error[512];
   configuration->config =
      configuration->preset || !recording
         ? cm_config_load(configuration->preset, presets_directory(), error, sizeof(error))
         : configurations_recorded(recording);
   if (!configuration->config)
      fail(STATUS_USAGE, "%s", error);
   join_settings(configurations, configuration);
   apply_settings(configuration);
   if (!cm_config_validate(configuration->config, error, sizeof(error)))
      fail(STATUS_USAGE, "%s: %s", configuration->name, error);
   configuration->directory = directory_of(configuration);

   for (unsigned other = 0; other < number; other++) {
      if (!strcmp(configurations->list[other].name, configuration->name))
         fail(STATUS_USAGE, "two configurations are the same: %s", configuration->name);
      if (strcmp(configurations->list[other].directory, configuration->directory))
         continue;
      /* Files of the same name, or the same settings in other words. */
      char *longer = text("%s-%08x", configuration->directory, hash(configuration->name) + number);
      free(configuration->directory);
      configuration->directory = longer;
   }
}

/* ---- what a recording can answer ------------------------------------------- */

/* A pass that needs more attribute blocks than there are is drawn in parts: other parts, or
 * none, where there is another number of blocks. */
static bool
has_same_parts(const struct cm_recording *recording, uint32_t recorded, uint32_t asked)
{
   size_t count;
   const struct cm_indexed_frame *frames = cm_recording_frames(recording, &count);
   const uint32_t smaller = recorded < asked ? recorded : asked;
   for (size_t f = 0; f < count && recorded != asked; f++) {
      if (frames[f].counts.most_attribute_blocks > smaller)
         return false;
   }
   return true;
}

static void
check_answers(const struct configuration *configuration, const struct cm_config *recorded,
              const struct cm_recording *recording)
{
   const struct cm_config *asked = configuration->config;
   const char *name = configuration->name;
   /* Without tiles, their size only says how the renderer worked. */
   if (asked->mode != CM_MODE_IMR && asked->tile.size != recorded->tile.size)
      fail(
         STATUS_USAGE,
         "%s: tile.size: the recording was made with %u and cannot be simulated with %u; one made with --set "
         "tile.size=%u can",
         name, recorded->tile.size, asked->tile.size, asked->tile.size);
   if (asked->mode != recorded->mode && cm_recording_kind(recording) == CM_RECORDING_PLAIN)
      fail(STATUS_USAGE,
           "%s: mode: the recording was made with %s and cannot be simulated with %s; one made without "
           "--record-visible can",
           name, cm_mode_names[recorded->mode], cm_mode_names[asked->mode]);
   if (asked->primitive_assembly.guard_band && !cm_recording_has_parts(recording))
      say("%s: primitive_assembly.guard_band has no effect: recordings made before version 12 of the format "
          "do not say which primitives are parts of a triangle; a new one does",
          name);
   const uint32_t had = recorded->parameter_buffer.attribute_blocks;
   const uint32_t blocks = asked->parameter_buffer.attribute_blocks;
   if (!has_same_parts(recording, had, blocks))
      fail(
         STATUS_USAGE,
         "%s: parameter_buffer.attribute_blocks: the recording was made with %u, which divides other passes "
         "than %u",
         name, had, blocks);
}

void
configurations_finish(struct configurations *configurations, const struct cm_recording *recording)
{
   check_meaning(configurations);
   if (!configurations->count && configurations->preset) {
      configurations_add(configurations, configurations->preset);
   } else if (!configurations->count) {
      configurations->list = extended(configurations->list, 0, sizeof(*configurations->list));
      configurations->count = 1;
   }
   for (unsigned v = 0; v < configurations->num_variations; v++)
      vary(configurations, &configurations->variations[v]);
   struct cm_config *recorded = recording ? configurations_recorded(recording) : NULL;
   for (unsigned c = 0; c < configurations->count; c++) {
      load(configurations, c, recording);
      if (recording)
         check_answers(&configurations->list[c], recorded, recording);
   }
   cm_config_destroy(recorded);
}

json_t *
config_json(const struct cm_config *config)
{
   char *buffer = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&buffer, &size);
   if (!file)
      fail(STATUS_FAILED, "out of memory");
   cm_config_write_json(config, file);
   json_t *values = fclose(file) ? NULL : json_loads(buffer, 0, NULL);
   if (!values)
      fail(STATUS_FAILED, "out of memory");
   free(buffer);
   return values;
}
