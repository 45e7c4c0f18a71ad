/* SPDX-License-Identifier: MIT */
/* Configurations as text: JSON for statistics and recordings, YAML for people. */
#include <string.h>

#include "config/config_extends.h"
#include "config/config_internal.h"
#include "util/json.h"

/* Whether a field of a mapping is as if a file did not have it. */
static bool
is_left_out(const cyaml_schema_field_t *field, const char *data)
{
   if (!(field->value.flags & CYAML_FLAG_OPTIONAL))
      return false;
   for (uint32_t i = 0; i < field->value.data_size; i++) {
      if (data[field->data_offset + i])
         return false;
   }
   return true;
}

/* A number, a text in quotes, or an enumeration's name between `quote`. */
static void
write_scalar(const cyaml_schema_value_t *value, const void *data, const char *quote, FILE *file)
{
   uint32_t number;
   if (value->type == CYAML_STRING) {
      cm_json_write_string(*(char *const *)data, file);
      return;
   }
   memcpy(&number, data, sizeof number);
   if (value->type != CYAML_ENUM)
      fprintf(file, "%u", number);
   for (uint32_t i = 0; value->type == CYAML_ENUM && i < value->enumeration.count; i++) {
      if (value->enumeration.strings[i].val == number)
         fprintf(file, "%s%s%s", quote, value->enumeration.strings[i].str, quote);
   }
}

static void
write_value(const cyaml_schema_value_t *value, const void *data, FILE *file)
{
   const char *separator = "";
   if (value->type != CYAML_MAPPING) {
      write_scalar(value, data, "\"", file);
      return;
   }
   fputc('{', file);
   for (const cyaml_schema_field_t *field = value->mapping.fields; field->key; field++) {
      if (is_left_out(field, data))
         continue;
      fputs(separator, file);
      separator = ", ";
      cm_json_write_string(field->key, file);
      fputs(": ", file);
      write_value(&field->value, (const char *)data + field->data_offset, file);
   }
   fputc('}', file);
}

void
cm_config_write_json(const struct cm_config *config, FILE *file)
{
   write_value(&cm_config_schema, config, file);
}

static void
write_origin(const struct cm_config *config, const char *path, FILE *file)
{
   unsigned line;
   const char *name = cm_config_text_value_origin(config->source, path, &line);
   const char *slash = strrchr(name, '/');
   fprintf(file, " # %s", slash ? slash + 1 : name);
   if (line)
      fprintf(file, ":%u", line);
}

static void
write_yaml(const struct cm_config *config, const cyaml_schema_value_t *mapping, const char *data,
           const char *prefix, int indentation, FILE *file)
{
   for (const cyaml_schema_field_t *field = mapping->mapping.fields; field->key; field++) {
      const char *member = data + field->data_offset;
      char path[512];
      if (is_left_out(field, data))
         continue;
      snprintf(path, sizeof path, "%.300s%s%.100s", prefix, *prefix ? "." : "", field->key);
      fprintf(file, "%*s%s:", indentation, "", field->key);
      if (field->value.type == CYAML_MAPPING) {
         fputc('\n', file);
         write_yaml(config, &field->value, member, path, indentation + 2, file);
         continue;
      }
      fputc(' ', file);
      write_scalar(&field->value, member, "", file);
      write_origin(config, path, file);
      fputc('\n', file);
   }
}

void
cm_config_write_yaml(const struct cm_config *config, FILE *file)
{
   write_yaml(config, &cm_config_schema, (const char *)config, "", 0, file);
}
