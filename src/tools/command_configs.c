/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "config/config.h"
#include "options.h"
#include "output.h"
#include "tools.h"
#include "gpu/gpu_config.h"

static const char description[] =
   "Lists the simulated GPUs that come with tbrsim (the first column is what --config\n"
   "takes), or prints one with all its values as YAML that --config takes, each with the\n"
   "file and line that it comes from. A file that extends a preset holds only what it\n"
   "changes (docs/configurations.md).\n";

static void
print_preset(const char *name, const char *description, void *context)
{
   printf("%-24s %s%s\n", name, description, strcmp(name, CM_CONFIG_DEFAULT) ? "" : " (the default)");
}

static void
add_preset(const char *name, const char *description, void *context)
{
   json_object_set_new(context, name, json_string(description));
}

/* Descriptions by name. */
static json_t *
presets_json(void)
{
   char error[512];
   json_t *presets = json_object();
   if (!cm_config_list_presets(presets_directory(), add_preset, presets, error, sizeof(error)))
      fail(STATUS_FAILED, "%s", error);
   return presets;
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

int
command_configs(int argc, char **argv)
{
   struct options options;
   char error[512];
   bool flat = false, json = false;
   options_start(&options);
   static const struct option_row rows[] = {
      OPTION_ALONE("flat", NULL, "print KEY=VALUE lines, as --set takes them", take_flag),
   };
   const struct command_line line = {
      .usage = "tbrsim configs [OPTIONS] [NAME|FILE.yaml]",
      .description = description,
      .operands = OPERANDS_AT_MOST_ONE,
      .operand = "configuration",
      .groups = {OPTION_GROUP(rows, &flat), JSON_OPTIONS(&json), SETTING_OPTIONS(&options.configurations)},
   };
   const struct operands operands = command_line_parse(&line, argc, argv);
   if (flat && json)
      fail(STATUS_USAGE, "--flat and --json: expected one of them");
   if (!operands.count && json) {
      output_json(presets_json(), 2, stdout);
      return STATUS_OK;
   }
   if (!operands.count) {
      if (!cm_config_list_presets(presets_directory(), print_preset, NULL, error, sizeof(error)))
         fail(STATUS_FAILED, "%s", error);
      return STATUS_OK;
   }
   configurations_add(&options.configurations, operands.list[0]);
   options_finish(&options);
   if (flat)
      print_values("", config_json(options.gpu));
   else if (json)
      output_json(config_json(options.gpu), 2, stdout);
   else
      cm_config_write_yaml(options.gpu, stdout);
   return STATUS_OK;
}
