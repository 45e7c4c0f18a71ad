/* SPDX-License-Identifier: MIT */
#include "simulation_index.h"
#include "config/config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "output.h"
#include "tools.h"

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
