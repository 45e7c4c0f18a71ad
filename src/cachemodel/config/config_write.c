/* SPDX-License-Identifier: MIT */
/* Configurations as text: JSON for statistics and recordings, YAML for people; the list of keys. */
#include <string.h>

#include "config/config_file.h"
#include "config/config_internal.h"
#include "util/json.h"

/* Whether a key of a mapping is as if a file did not have it. */
static bool
is_left_out(const struct cm_key *key, const char *values)
{
   if (!key->optional)
      return false;
   for (size_t i = 0; i < key->size; i++) {
      if (values[key->offset + i])
         return false;
   }
   return true;
}

/* A number, a text in quotes, or an enumeration's name or "auto" between `quote`. */
static void
write_scalar(const struct cm_key *key, const void *value, const char *quote, FILE *file)
{
   uint32_t number;
   if (key->type == CM_KEY_TEXT) {
      cm_json_write_string(*(char *const *)value, file);
      return;
   }
   memcpy(&number, value, sizeof number);
   if (key->type == CM_KEY_LATENCY && number == CM_LATENCY_AUTO)
      fprintf(file, "%sauto%s", quote, quote);
   else if (key->type == CM_KEY_NUMBER || key->type == CM_KEY_WAYS || key->type == CM_KEY_LATENCY)
      fprintf(file, "%u", number);
   else
      fprintf(file, "%s%s%s", quote, key->names[number], quote);
}

static void
write_value(const struct cm_key *key, const char *value, FILE *file)
{
   const char *separator = "";
   if (key->type != CM_KEY_MAPPING) {
      write_scalar(key, value, "\"", file);
      return;
   }
   fputc('{', file);
   for (const struct cm_key *member = key->keys; member < key->keys + key->count; member++) {
      if (is_left_out(member, value))
         continue;
      fputs(separator, file);
      separator = ", ";
      cm_json_write_string(member->name, file);
      fputs(": ", file);
      write_value(member, value + member->offset, file);
   }
   fputc('}', file);
}

void
cm_config_write_json(const struct cm_config *config, FILE *file)
{
   write_value(&cm_config_keys, (const char *)config, file);
}

static void
write_origin(const struct cm_config *config, const char *path, FILE *file)
{
   unsigned line;
   const char *name = cm_config_origin(config->source, path, &line);
   const char *slash = strrchr(name, '/');
   fprintf(file, " # %s", slash ? slash + 1 : name);
   if (line)
      fprintf(file, ":%u", line);
}

static void
write_yaml(const struct cm_config *config, const struct cm_key *mapping, const char *values,
           const char *prefix, int indentation, FILE *file)
{
   for (const struct cm_key *key = mapping->keys; key < mapping->keys + mapping->count; key++) {
      const char *value = values + key->offset;
      char path[512];
      if (is_left_out(key, values))
         continue;
      snprintf(path, sizeof path, "%.300s%s%.100s", prefix, *prefix ? "." : "", key->name);
      fprintf(file, "%*s%s:", indentation, "", key->name);
      if (key->type == CM_KEY_MAPPING) {
         fputc('\n', file);
         write_yaml(config, key, value, path, indentation + 2, file);
         continue;
      }
      fputc(' ', file);
      write_scalar(key, value, "", file);
      write_origin(config, path, file);
      fputc('\n', file);
   }
}

void
cm_config_write_yaml(const struct cm_config *config, FILE *file)
{
   write_yaml(config, &cm_config_keys, (const char *)config, "", 0, file);
}

/* Whether all keys of a mapping are mappings of the same keys: whatever their names, these are listed once. */
static bool
has_alike(const struct cm_key *mapping)
{
   for (uint32_t k = 0; k < mapping->count; k++) {
      if (mapping->keys[k].type != CM_KEY_MAPPING || mapping->keys[k].keys != mapping->keys[0].keys)
         return false;
   }
   return mapping->count > 1;
}

static void
list_keys(const struct cm_key *mapping, const char *prefix,
          void (*found)(const struct cm_config_key *key, void *context), void *context)
{
   const bool alike = has_alike(mapping);
   char path[256], takes[1024];
   for (uint32_t k = 0; k < mapping->count; k++) {
      const struct cm_key *key = &mapping->keys[k];
      snprintf(path, sizeof path, "%s%s", prefix, key->name);
      cm_key_describe(key, takes, sizeof takes);
      found(&(struct cm_config_key){.path = path,
                                    .takes = key->type == CM_KEY_MAPPING ? NULL : takes,
                                    .description = key->description,
                                    .optional = key->optional},
            context);
      snprintf(path, sizeof path, "%s%s.", prefix, key->name);
      if (key->type == CM_KEY_MAPPING && !alike)
         list_keys(key, path, found, context);
   }
   snprintf(path, sizeof path, "%sNAME.", prefix);
   if (alike)
      list_keys(&mapping->keys[0], path, found, context);
}

void
cm_config_list_keys(void (*found)(const struct cm_config_key *key, void *context), void *context)
{
   list_keys(&cm_config_keys, "", found, context);
}
