/* SPDX-License-Identifier: MIT */
#include "output/assumed_values.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "config/config_file.h"
#include "configurations.h"
#include "gpu/gpu_config.h"
#include "process/environment.h"
#include "tools.h"

/* Values that matter: those that change a result by more, in per cent. */
#define LEAST_CHANGE 1.0

static const struct assumed_value {
   const char *file; /* of the preset that assumes it */
   const char *key;
   double change[ASSUMED_RESULT_COUNT]; /* the largest, in per cent */
} assumed_values[] = {
#include "assumed_values.inc"
};

static const struct validation {
   const char *preset;
   const char *text;
} validations[] = {
#include "validation.inc"
};

/* A configuration's value of a dotted key; NULL: it has none, or an optional one is 0. */
static const json_t *
find_value(const json_t *values, const char *key)
{
   char *path = text("%s", key), *rest = path;
   for (char *name; values && (name = strsep(&rest, "."));)
      values = json_object_get(values, name);
   free(path);
   return values;
}

static bool
is_from(const struct cm_config *config, const struct assumed_value *assumed)
{
   unsigned line;
   const char *file = cm_config_origin(config->source, assumed->key, &line);
   const char *slash = strrchr(file, '/');
   return !strcmp(slash ? slash + 1 : file, assumed->file);
}

/* A configuration and the preset of its name. */
struct comparison {
   const struct cm_config *config;
   struct cm_config *preset; /* NULL: there is none */
   json_t *values, *preset_values;
};

/* NULL: there is none of this name. */
static struct cm_config *
load_preset(const char *name)
{
   char error[512];
   char *path = text("%s/%s.yaml", presets_directory(), name);
   struct cm_config *preset = NULL;
   if (!access(path, F_OK)) {
      preset = cm_config_load(name, presets_directory(), error, sizeof(error));
      if (!preset)
         fail(STATUS_FAILED, "%s", error);
   }
   free(path);
   return preset;
}

static struct comparison
compare(const struct cm_config *config, const char *preset)
{
   struct comparison comparison = {.config = config,
                                   .preset = load_preset(preset),
                                   .values = config_json(config)};
   if (comparison.preset)
      comparison.preset_values = config_json(comparison.preset);
   return comparison;
}

static void
comparison_finish(struct comparison *comparison)
{
   cm_config_destroy(comparison->preset);
   json_decref(comparison->values);
   json_decref(comparison->preset_values);
}

/* It is as the preset assumes it, whether its file says so or it only has the value. */
static bool
is_assumed(const struct comparison *comparison, const struct assumed_value *assumed)
{
   if (is_from(comparison->config, assumed))
      return true;
   if (!comparison->preset || !is_from(comparison->preset, assumed))
      return false;
   const json_t *value = find_value(comparison->values, assumed->key);
   const json_t *of_preset = find_value(comparison->preset_values, assumed->key);
   return value == of_preset || json_equal(value, of_preset);
}

char *
assumed_values_line(const struct cm_config *config, const char *preset, enum assumed_result result)
{
   static const char *const names[ASSUMED_RESULT_COUNT] = {"cycles rest", "energy rests"};
   static const char energy_keys[] = "energy.";
   struct comparison comparison = compare(config, preset);
   const struct assumed_value *most = NULL;
   unsigned count = 0, matter = 0;
   for (size_t a = 0; a < sizeof(assumed_values) / sizeof(*assumed_values); a++) {
      const struct assumed_value *assumed = &assumed_values[a];
      if (result == ASSUMED_CYCLES && !strncmp(assumed->key, energy_keys, strlen(energy_keys)))
         continue;
      if (!is_assumed(&comparison, assumed))
         continue;
      count++;
      matter += assumed->change[result] > LEAST_CHANGE;
      if (!most || assumed->change[result] > most->change[result])
         most = assumed;
   }
   const bool is_known = comparison.preset || count;
   comparison_finish(&comparison);
   if (!is_known)
      return text("%s on values of %s, which is no preset: their sources are not known", names[result],
                  preset);
   if (!matter)
      return text("%s on %u assumed values; none of them matters (docs/trust.md)", names[result], count);
   return text("%s on %u assumed values; %u of them matter, %s most: up to %.0f %% (docs/trust.md)",
               names[result], count, matter, most->key, most->change[result]);
}

/* Whether a configuration simulates what the preset of its name does. */
static bool
is_preset(const struct comparison *comparison)
{
   static const char *const others[] = {"description", "threads", "timing"};
   if (!comparison->preset)
      return false;
   for (size_t o = 0; o < sizeof(others) / sizeof(*others); o++) {
      json_object_del(comparison->values, others[o]);
      json_object_del(comparison->preset_values, others[o]);
   }
   return json_equal(comparison->values, comparison->preset_values);
}

char *
validation_line(const struct cm_config *config, const char *preset)
{
   char *line = NULL;
   for (size_t v = 0; v < sizeof(validations) / sizeof(*validations); v++) {
      if (strcmp(validations[v].preset, preset))
         continue;
      struct comparison comparison = compare(config, preset);
      if (is_preset(&comparison))
         line = text("validated against %s (docs/validation.md)", validations[v].text);
      comparison_finish(&comparison);
   }
   return line;
}
