/* SPDX-License-Identifier: MIT */
#include "configurations.h"

#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "tools.h"

/* Directories are called after configurations. */
#define MAX_NAME_LENGTH 200

static void *
extended(void *array, unsigned count, unsigned long size)
{
   void *larger = realloc(array, (count + 1) * size);
   if (!larger)
      fail(STATUS_FAILED, "out of memory");
   memset((char *)larger + count * size, 0, size);
   return larger;
}

void
configurations_add(struct configurations *configurations, const char *preset)
{
   configurations->list =
      extended(configurations->list, configurations->count, sizeof(*configurations->list));
   configurations->list[configurations->count++].preset = preset;
}

void
configurations_set(struct configurations *configurations, const char *assignment)
{
   struct configuration *last =
      configurations->count ? &configurations->list[configurations->count - 1] : NULL;
   char ***settings = last ? &last->settings : &configurations->settings;
   unsigned *count = last ? &last->num_settings : &configurations->num_settings;
   *settings = extended(*settings, *count, sizeof(**settings));
   (*settings)[(*count)++] = text("%s", assignment);
}

static struct cm_config *
recorded_config(const struct cm_recording *recording)
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

static void
apply(struct configuration *configuration, char *const *settings, unsigned count)
{
   char error[512];
   for (unsigned s = 0; s < count; s++) {
      if (!cm_config_set(configuration->config, settings[s], error, sizeof(error)))
         fail(STATUS_USAGE, "%s", error);
      char *longer = text("%s,%s", configuration->name, settings[s]);
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
      configuration->preset ? cm_config_load(configuration->preset, presets_directory(), error, sizeof(error))
                            : recorded_config(recording);
   if (!configuration->config)
      fail(STATUS_USAGE, "%s", error);
   configuration->name = text("%s", configuration->config->name);
   apply(configuration, configurations->settings, configurations->num_settings);
   apply(configuration, configuration->settings, configuration->num_settings);
   if (!cm_config_validate(configuration->config, error, sizeof(error)))
      fail(STATUS_USAGE, "%s: %s", configuration->name, error);

   for (unsigned other = 0; other < number; other++) {
      if (!strcmp(configurations->list[other].name, configuration->name))
         fail(STATUS_USAGE, "two configurations are the same: %s", configuration->name);
   }
   for (char *c = configuration->name; *c; c++) {
      if (*c == '/')
         *c = '_';
   }
   if (strlen(configuration->name) > MAX_NAME_LENGTH) {
      char *shorter = text("%.*s~%u", MAX_NAME_LENGTH, configuration->name, number + 1);
      free(configuration->name);
      configuration->name = shorter;
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
      fail(STATUS_USAGE, "%s: tile.size: the recording was made with %u and cannot answer for %u", name,
           recorded->tile.size, asked->tile.size);
   if (asked->mode != recorded->mode && cm_recording_kind(recording) == CM_RECORDING_PLAIN)
      fail(STATUS_USAGE,
           "%s: mode: the recording was made with %s and cannot answer for %s; one made with --record-hidden "
           "can",
           name, cm_mode_names[recorded->mode], cm_mode_names[asked->mode]);
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
   if (!configurations->count) {
      configurations->list = extended(configurations->list, 0, sizeof(*configurations->list));
      configurations->count = 1;
   }
   struct cm_config *recorded = recorded_config(recording);
   for (unsigned c = 0; c < configurations->count; c++) {
      load(configurations, c, recording);
      check_answers(&configurations->list[c], recorded, recording);
   }
   cm_config_destroy(recorded);
}
