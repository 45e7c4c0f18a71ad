/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/environment.h"
#include "config/config.h"
#include "options.h"
#include "output/output.h"
#include "tools.h"
#include "gpu/gpu_config.h"

static const char description[] =
   "Lists the simulated GPUs that come with tbrsim; the first column is what --config takes. With\n"
   "words, lists only those whose name or description has all of them, in upper or lower case:\n"
   "tbrsim configs mali. With the name of one, prints all its values as YAML, each with the file\n"
   "and line that it comes from. A file of your own that extends a preset holds only what it\n"
   "changes (docs/configurations.md). --keys lists keys in place of GPUs: tbrsim configs --keys l2.\n"
   "--vary prints the settings that it stands for.\n";

struct preset_list {
   json_t *presets; /* descriptions by name */
   const struct operands *words;
   bool is_name; /* the words are the name of one */
};

static void
add_preset(const char *name, const char *description, void *context)
{
   struct preset_list *list = context;
   if (operands_are_in(list->words, name, description))
      json_object_set_new(list->presets, name, json_string(description));
   list->is_name |= list->words->count == 1 && !strcmp(name, list->words->list[0]);
}

/* Those with all words. */
static struct preset_list
find_presets(const struct operands *words)
{
   char error[512];
   struct preset_list list = {json_object(), words, false};
   if (!cm_config_list_presets(presets_directory(), add_preset, &list, error, sizeof(error)))
      fail(STATUS_FAILED, "%s", error);
   if (!json_object_size(list.presets) && words->count > 1)
      fail(STATUS_USAGE, "no preset has '%s' and the other words in name or description", words->list[0]);
   return list;
}

static void
print_presets(const json_t *presets)
{
   const char *name;
   json_t *description;
   json_object_foreach((json_t *)presets, name, description)
      printf("%-24s %s%s\n", name, json_string_value(description),
             strcmp(name, CM_CONFIG_DEFAULT) ? "" : " (the default)");
}

/* Objects of objects become dotted keys. */
static void
print_values(const char *key, json_t *json)
{
   const char *name;
   json_t *member;
   if (json_is_object(json)) {
      json_object_foreach(json, name, member)
      {
         char *path = *key ? text("%s.%s", key, name) : text("%s", name);
         print_values(path, member);
         free(path);
      }
   } else if (json_is_string(json)) {
      printf("%s=%s\n", key, json_string_value(json));
   } else {
      char *value = json_dumps(json, JSON_ENCODE_ANY);
      printf("%s=%s\n", key, value ? value : "");
      free(value);
   }
}

/* What --set takes, a line each. */
static void
print_variation(const struct variation *variation)
{
   for (unsigned v = 0; v < variation->num_values; v++)
      printf("%s=%s\n", variation->key, variation->values[v]);
}

/* What options choose to print. */
struct printed {
   bool flat; /* lines as --set takes them */
   bool keys; /* the list of keys */
};

struct key_list {
   json_t *keys;
   const struct operands *words;
};

static void
add_key(const struct cm_config_key *key, void *context)
{
   const struct key_list *list = context;
   if (operands_are_in(list->words, key->path, key->description ? key->description : ""))
      json_array_append_new(list->keys,
                            json_pack("{s:s, s:s?, s:b, s:s?}", "key", key->path, "takes", key->takes,
                                      "optional", key->optional, "description", key->description));
}

/* The keys that have all words in name or description. */
static void
print_keys(const struct operands *words, bool json)
{
   struct key_list list = {json_array(), words};
   cm_config_list_keys(add_key, &list);
   size_t k;
   json_t *key;
   if (!json_array_size(list.keys))
      fail(STATUS_FAILED, "no key has '%s'%s in name or description", words->list[0],
           words->count > 1 ? " and the other words" : "");
   if (json) {
      output_json(list.keys, 1, stdout);
      return;
   }
   json_array_foreach(list.keys, k, key)
   {
      const char *takes = json_string_value(json_object_get(key, "takes"));
      const char *description = json_string_value(json_object_get(key, "description"));
      printf("%-40s %s%s%s%s\n", json_string_value(json_object_get(key, "key")), takes ? takes : "keys",
             json_is_true(json_object_get(key, "optional")) ? "; optional" : "", description ? ": " : "",
             description ? description : "");
   }
   json_decref(list.keys);
}

int
command_configs(int argc, char **argv)
{
   struct options options;
   struct printed what = {false, false};
   bool json = false;
   options_start(&options);
   static const struct option_row rows[] = {
      OPTION("flat", NULL, "print KEY=VALUE lines, as --set takes them", take_flag, struct printed, flat),
      OPTION("keys", NULL, "list the keys that a configuration may have, what each takes and is", take_flag,
             struct printed, keys),
   };
   const struct command_line line = {
      .usage = "tbrsim configs [OPTIONS] [NAME|FILE.yaml|WORD...]",
      .description = description,
      .operands = OPERANDS_ANY,
      .operand = "configuration",
      .groups = {OPTION_GROUP(rows, &what), JSON_OPTIONS(&json), SETTING_OPTIONS(&options.configurations),
                 VARY_OPTIONS(&options.configurations)},
   };
   const struct operands operands = command_line_parse(&line, argc, argv);
   if (what.keys && what.flat)
      fail(STATUS_USAGE, "--flat and --keys: expected one of them");
   if (what.keys) {
      print_keys(&operands, json);
      return STATUS_OK;
   }
   for (unsigned v = 0; v < options.configurations.num_variations; v++)
      print_variation(&options.configurations.variations[v]);
   if (options.configurations.num_variations)
      return STATUS_OK;
   if (what.flat && json)
      fail(STATUS_USAGE, "--flat and --json: expected one of them");
   const bool is_file = operands.count == 1 && options_is_config_file(operands.list[0]);
   const bool changes = what.flat || options.configurations.num_settings;
   if (changes && operands.count > 1)
      fail(STATUS_USAGE, "--flat and --set: expected one configuration");
   if (!is_file && (!changes || !operands.count)) {
      const struct preset_list list = find_presets(&operands);
      const bool lists = json_object_size(list.presets) && !list.is_name;
      if (lists && json)
         output_json(list.presets, 2, stdout);
      else if (lists)
         print_presets(list.presets);
      if (lists)
         return STATUS_OK;
   }
   configurations_add(&options.configurations, operands.list[0]);
   options_finish(&options);
   if (what.flat)
      print_values("", config_json(options.gpu));
   else if (json)
      output_json(config_json(options.gpu), 2, stdout);
   else
      cm_config_write_yaml(options.gpu, stdout);
   return STATUS_OK;
}
