/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config_file.h"
#include "config/config_internal.h"

/* ---- loading ----------------------------------------------------------- */

/* What several keys say together: streams[] of the optional streams, the ways of full caches. */
static void
follow_keys(struct cm_config *config)
{
   const uint32_t hiz = config->optional_streams.hiz, display = config->optional_streams.display;
   const uint32_t storage = config->optional_streams.storage,
                  descriptor = config->optional_streams.descriptor;
   config->streams[CM_STREAM_STORAGE] = storage ? (enum cm_unit)(storage - 1) : CM_UNIT_DRAM;
   config->streams[CM_STREAM_DESCRIPTOR] =
      descriptor ? (enum cm_unit)(descriptor - 1) : config->streams[CM_STREAM_CONSTANT];
   config->streams[CM_STREAM_HIZ] = hiz ? (enum cm_unit)(hiz - 1) : CM_UNIT_DRAM;
   config->streams[CM_STREAM_DISPLAY] = display ? (enum cm_unit)(display - 1) : CM_UNIT_DRAM;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      struct cm_cache_config *cache = &config->caches[unit];
      /* A Primitive Buffer is of lines, not of blocks. */
      const uint32_t lines = unit == CM_UNIT_ATTRIBUTE_CACHE ? config->primitive_buffer.lines : 0;
      if (cache->full_ways)
         cache->ways = lines ? lines : cache->block ? cache->size / cache->block : 0;
   }
}

static const char *
presets_directory(const char *presets_dir)
{
   return presets_dir ? presets_dir : getenv("TBRSIM_CONFIG_DIR");
}

static bool
ends_in_yaml(const char *name)
{
   const size_t length = strlen(name);
   return length > 5 && strcmp(name + length - 5, ".yaml") == 0;
}

bool
cm_config_is_file_name(const char *name)
{
   return strchr(name, '/') || ends_in_yaml(name);
}

static struct cm_config *
load_text(const char *text, const char *path, const char *presets_dir, cm_config_checker *check, char *error,
          size_t error_size)
{
   struct cm_config *config = calloc(1, sizeof *config);
   if (!config) {
      snprintf(error, error_size, "%s: out of memory", path);
      return NULL;
   }
   if (cm_config_fill(config, text, path, presets_dir, error, error_size)) {
      struct cm_config_problem problem;
      unsigned line;
      follow_keys(config);
      if (check(config, &problem))
         return config;
      const char *file = cm_config_origin(config->source, problem.key, &line);
      snprintf(error, error_size, "%s:%u: %s: %s", file, line, problem.key, problem.message);
   }
   cm_config_destroy(config);
   return NULL;
}

static void
set_name(struct cm_config *config, const char *name, size_t length)
{
   if (length >= sizeof config->name)
      length = sizeof config->name - 1;
   memcpy(config->name, name, length);
   config->name[length] = '\0';
}

struct cm_config *
cm_config_read_text(const char *text, const char *source, const char *name, cm_config_checker *check,
                    char *error, size_t error_size)
{
   struct cm_config *config = load_text(text, source, presets_directory(NULL), check, error, error_size);
   if (config)
      set_name(config, name, strlen(name));
   return config;
}

struct cm_config *
cm_config_read(const char *name_or_path, const char *presets_dir, cm_config_checker *check, char *error,
               size_t error_size)
{
   const char *name = name_or_path ? name_or_path : CM_CONFIG_DEFAULT;
   const bool is_file = cm_config_is_file_name(name);
   const char *directory = presets_directory(presets_dir);
   char path[4096];

   if (is_file) {
      snprintf(path, sizeof path, "%s", name);
   } else if (directory) {
      snprintf(path, sizeof path, "%s/%s.yaml", directory, name);
   } else {
      snprintf(error, error_size,
               "%s: no directory of presets, expected one in TBRSIM_CONFIG_DIR or a file's path", name);
      return NULL;
   }

   char *text = cm_config_read_file(path);
   if (!text) {
      cm_config_explain_missing(name, path, directory, error, error_size);
      return NULL;
   }
   struct cm_config *config = load_text(text, path, directory, check, error, error_size);
   free(text);
   if (!config)
      return NULL;

   const char *slash = strrchr(path, '/');
   const char *base = slash ? slash + 1 : path;
   set_name(config, base, strlen(base) - (ends_in_yaml(base) ? 5 : 0));
   return config;
}

void
cm_config_destroy(struct cm_config *config)
{
   if (!config)
      return;
   cm_config_source_destroy(config->source);
   cm_key_clear(&cm_config_keys, config);
   free(config);
}

/* ---- single keys ------------------------------------------------------- */

static bool
set_key(struct cm_config *config, const char *assignment, char *error, size_t error_size)
{
   const char *equals = strchr(assignment, '=');
   const int path_length = (int)(equals - assignment);
   const struct cm_key *key = &cm_config_keys;
   char *value = (char *)config, expected[400], near[CM_NEAR_TEXT];
   for (const char *name = assignment; name <= equals;) {
      const size_t length = strcspn(name, ".=");
      const struct cm_key *mapping = key;
      key = cm_key_find(mapping, name, length);
      if (!key) {
         cm_key_describe(mapping, expected, sizeof expected);
         snprintf(error, error_size, "%.*s: no key '%.*s'%s, expected %s; tbrsim configs --keys lists all",
                  path_length, assignment, (int)length, name,
                  cm_key_near(&cm_config_keys, assignment, (size_t)path_length, true, near),
                  mapping->type == CM_KEY_MAPPING ? expected : "key=value here");
         return false;
      }
      value += key->offset;
      name += length + 1;
   }
   if (!cm_key_parse(key, equals + 1, value)) {
      cm_key_describe(key, expected, sizeof expected);
      snprintf(error, error_size, "%.*s: wrong value '%s'%s, expected %s", path_length, assignment,
               equals + 1, cm_key_near(key, equals + 1, strlen(equals + 1), true, near), expected);
      return false;
   }
   follow_keys(config);
   char *path = strndup(assignment, (size_t)path_length);
   const bool noted = path && cm_config_note_origin(config->source, path, "--set", 0);
   free(path);
   if (!noted)
      snprintf(error, error_size, "out of memory");
   return noted;
}

/* What uncached_display=… of a cache stands for; NULL: it is another key, or the value is wrong. */
static const char *
uncached_display(const char *key, bool *wrong)
{
   static const char name[] = "uncached_display=";
   *wrong = false;
   if (strncmp(key, name, strlen(name)) != 0)
      return NULL;
   const char *value = key + strlen(name);
   if (strcmp(value, "true") == 0)
      return "uncached=display";
   if (strcmp(value, "false") == 0)
      return "uncached=none";
   *wrong = true;
   return NULL;
}

bool
cm_config_set(struct cm_config *config, const char *assignment, char *error, size_t error_size)
{
   static const char caches[] = "caches.";
   if (!strchr(assignment, '=')) {
      snprintf(error, error_size, "%s: no value, expected key=value", assignment);
      return false;
   }
   const bool with_caches = strncmp(assignment, caches, strlen(caches)) == 0;
   const char *unit = with_caches ? assignment + strlen(caches) : assignment;
   const size_t length = strcspn(unit, ".=");
   if (unit[length] != '.' ||
       !cm_key_find(cm_key_find(&cm_config_keys, caches, strlen(caches) - 1), unit, length))
      return set_key(config, assignment, error, error_size);

   bool wrong;
   const char *key = unit + length + 1, *alias = uncached_display(key, &wrong);
   if (wrong) {
      snprintf(error, error_size, "%.*s: wrong value '%s', expected true or false",
               (int)strcspn(assignment, "="), assignment, strchr(assignment, '=') + 1);
      return false;
   }
   char path[256];
   const int needed =
      snprintf(path, sizeof path, "%s%.*s.%s", caches, (int)length, unit, alias ? alias : key);
   return set_key(config, (size_t)needed < sizeof path ? path : assignment, error, error_size);
}

/* ---- presets ----------------------------------------------------------- */

static int
is_preset(const struct dirent *entry)
{
   return entry->d_name[0] != '.' && ends_in_yaml(entry->d_name);
}

/* alphasort follows the locale; a list of presets must not. */
static int
by_name(const struct dirent **a, const struct dirent **b)
{
   return strcmp((*a)->d_name, (*b)->d_name);
}

void
cm_config_explain_missing(const char *name, const char *path, const char *directory, char *text, size_t size)
{
   const int reason = errno;
   struct stat status;
   if (reason != ENOENT || strchr(name, '/')) {
      snprintf(text, size, "%s: %s", path, strerror(reason));
      return;
   }
   if (!stat(name, &status) && S_ISREG(status.st_mode)) {
      snprintf(text, size, "no preset '%s', expected ./%s for the file of this name", name, name);
      return;
   }
   struct cm_near near;
   char hint[CM_NEAR_TEXT];
   struct dirent **entries = NULL;
   const int count = scandir(directory, &entries, is_preset, by_name);
   cm_near_start(&near, name, strlen(name) - (ends_in_yaml(name) ? strlen(".yaml") : 0));
   for (int e = 0; e < count; e++) {
      entries[e]->d_name[strlen(entries[e]->d_name) - strlen(".yaml")] = '\0';
      cm_near_offer(&near, entries[e]->d_name);
      free(entries[e]);
   }
   free(entries);
   cm_near_text(&near, hint, sizeof hint);
   if (ends_in_yaml(name))
      snprintf(text, size, "%s: %s%s", path, strerror(reason), hint);
   else
      snprintf(text, size,
               "no preset '%s'%s, expected one of those that tbrsim configs lists, or a .yaml file", name,
               hint);
}

bool
cm_config_read_presets(const char *presets_dir, cm_config_checker *check,
                       void (*found)(const char *name, const char *description, void *context), void *context,
                       char *error, size_t error_size)
{
   const char *directory = presets_directory(presets_dir);
   struct dirent **entries = NULL;
   const int count = directory ? scandir(directory, &entries, is_preset, by_name) : -1;
   if (count < 0) {
      snprintf(error, error_size, "%s: %s, expected a directory of presets",
               directory ? directory : "TBRSIM_CONFIG_DIR", directory ? strerror(errno) : "not set");
      return false;
   }
   bool ok = true;
   for (int i = 0; i < count; i++) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
      struct cm_config *config = ok ? cm_config_read(path, directory, check, error, error_size) : NULL;
      ok = config != NULL;
      if (config) {
         found(config->name, config->description, context);
         cm_config_destroy(config);
      }
      free(entries[i]);
   }
   free(entries);
   return ok;
}
