/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/config_extends.h"
#include "config/config_internal.h"

/* ---- what libcyaml says ------------------------------------------------ */

/* libcyaml reports a problem in its log: first what is wrong, then where, from
 * the innermost mapping outwards. */
struct complaint {
   char message[256];
   unsigned line;  /* innermost; 0: none given */
   char path[160]; /* dotted path of the innermost field */
};

static void
log_complaint(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
   struct complaint *complaint = context;
   char text[256], key[64], path[sizeof complaint->path + sizeof key + 2];
   unsigned line;

   (void)level;
   vsnprintf(text, sizeof text, format, arguments);
   text[strcspn(text, "\n")] = '\0';
   if (strncmp(text, "  in ", 5) != 0) {
      if (!complaint->message[0])
         snprintf(complaint->message, sizeof complaint->message, "%s",
                  strncmp(text, "Load: ", 6) == 0 ? text + 6 : text);
      return;
   }
   if (sscanf(text, "  in mapping field '%63[^']' (line: %u", key, &line) == 2) {
      snprintf(path, sizeof path, "%s%s%s", key, complaint->path[0] ? "." : "", complaint->path);
      path[sizeof complaint->path - 1] = '\0';
      strcpy(complaint->path, path);
   } else if (sscanf(text, "  in mapping (line: %u", &line) != 1) {
      return;
   }
   if (!complaint->line)
      complaint->line = line;
}

static const cyaml_schema_value_t *
schema_of_path(const char *path)
{
   const cyaml_schema_value_t *value = &cm_config_schema;
   while (*path) {
      const size_t length = strcspn(path, ".");
      const cyaml_schema_field_t *field = cm_schema_field(value, path, length);
      if (!field)
         return value;
      value = &field->value;
      path += length + (path[length] == '.');
   }
   return value;
}

/* The line of a problem with a key; libcyaml's own is that of the value before. */
static unsigned
line_of_key(const struct complaint *complaint, const char *key, const char *text, bool last)
{
   char path[sizeof complaint->path + sizeof complaint->message];
   const int length =
      snprintf(path, sizeof path, "%s%s%s", complaint->path, complaint->path[0] ? "." : "", key);
   return (size_t)length < sizeof path ? cm_config_line(text, path, last) : complaint->line;
}

/* "invalid value: 'TEXT'" for the value on a line as the file has it: libcyaml's
 * versions differ in what they make of it before they complain. False where no
 * value stands there. */
static bool
quote_value(const char *text, unsigned line, char *message, size_t message_size)
{
   for (unsigned i = 1; text && i < line; i++) {
      text = strchr(text, '\n');
      text = text ? text + 1 : NULL;
   }
   if (!text)
      return false;
   const size_t length = strcspn(text, "\n");
   const char *value = memchr(text, ':', length);
   if (!value)
      return false;
   const char *end = text + length;
   const char *comment = strstr(value, " #");
   if (comment && comment < end)
      end = comment;
   value++;
   while (value < end && *value == ' ')
      value++;
   while (end > value && end[-1] == ' ')
      end--;
   snprintf(message, message_size, "invalid value: '%.*s'", (int)(end - value), value);
   return end > value;
}

/* Puts libcyaml's words into the form of all our messages. */
static void
explain(const struct complaint *complaint, cyaml_err_t code, const struct cm_config_text *source, char *error,
        size_t error_size)
{
   const char *text = source->yaml, *file;
   static const char unknown[] = "Unexpected key: ", twice[] = "Mapping field already seen: ";
   const char *message = complaint->message;
   unsigned line = complaint->line ? complaint->line : 1;
   char expected[400];
   cm_schema_describe(schema_of_path(complaint->path), expected, sizeof expected);

   char own[160];
   if (code == CYAML_ERR_INVALID_VALUE && quote_value(text, line, own, sizeof own))
      message = own;

   switch (code) {
   case CYAML_ERR_INVALID_KEY:
      if (strncmp(message, unknown, strlen(unknown)) == 0)
         line = line_of_key(complaint, message + strlen(unknown), text, false);
      /* fall through */
   case CYAML_ERR_INVALID_VALUE:
   case CYAML_ERR_STRING_LENGTH_MIN:
   case CYAML_ERR_STRING_LENGTH_MAX:
      file = cm_config_text_origin(source, line, &line);
      snprintf(error, error_size, "%s:%u: %s%s%s, expected %s", file, line, complaint->path,
               complaint->path[0] ? ": " : "", message, expected);
      return;
   default: break;
   }
   if (strncmp(message, twice, strlen(twice)) == 0)
      line = cm_config_line(text, complaint->path, true);
   file = cm_config_text_origin(source, line, &line);
   snprintf(error, error_size, "%s:%u: %s", file, line, message[0] ? message : cyaml_strerror(code));
}

/* ---- loading ----------------------------------------------------------- */

static const cyaml_config_t cyaml_settings = {
   .log_fn = log_complaint,
   .mem_fn = cyaml_mem,
   .log_level = CYAML_LOG_ERROR,
};

/* streams[] of the optional streams as their keys say. */
static void
follow_optional_streams(struct cm_config *config)
{
   const uint32_t hiz = config->optional_streams.hiz, display = config->optional_streams.display;
   config->streams[CM_STREAM_HIZ] = hiz ? (enum cm_unit)(hiz - 1) : CM_UNIT_DRAM;
   config->streams[CM_STREAM_DISPLAY] = display ? (enum cm_unit)(display - 1) : CM_UNIT_DRAM;
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

/* Takes over the source. */
static struct cm_config *
load_source(struct cm_config_text *source, cm_config_checker *check, char *error, size_t error_size)
{
   struct complaint complaint = {0};
   struct cm_config_problem problem;
   struct cm_config *config = NULL;
   cyaml_config_t settings = cyaml_settings;
   settings.log_ctx = &complaint;

   unsigned line;
   char wrong[700];
   source->yaml = cm_config_resolve_units(source->yaml, &line, wrong, sizeof wrong);
   if (!source->yaml && line) {
      const char *file = cm_config_text_origin(source, line, &line);
      snprintf(error, error_size, "%s:%u: %s", file, line, wrong);
      cm_config_text_destroy(source);
      return NULL;
   }
   if (!source->yaml) {
      snprintf(error, error_size, "%s: out of memory", source->files[0]);
      cm_config_text_destroy(source);
      return NULL;
   }
   const cyaml_err_t code = cyaml_load_data((const uint8_t *)source->yaml, strlen(source->yaml), &settings,
                                            &cm_config_schema, (cyaml_data_t **)&config, NULL);
   if (code != CYAML_OK) {
      explain(&complaint, code, source, error, error_size);
      cm_config_text_destroy(source);
      return NULL;
   }
   if (!config) {
      snprintf(error, error_size, "%s:1: the file is empty, expected a configuration", source->files[0]);
      cm_config_text_destroy(source);
      return NULL;
   }
   config->source = source;
   follow_optional_streams(config);
   if (!check(config, &problem)) {
      line = cm_config_line(source->yaml, problem.key, false);
      const char *file = cm_config_text_origin(source, line, &line);
      snprintf(error, error_size, "%s:%u: %s: %s", file, line, problem.key, problem.message);
      cm_config_destroy(config);
      return NULL;
   }
   return config;
}

static struct cm_config *
load_text(const char *text, const char *path, const char *presets_dir, cm_config_checker *check, char *error,
          size_t error_size)
{
   struct cm_config_text *source = cm_config_text_create(text, path, presets_dir, error, error_size);
   return source ? load_source(source, check, error, error_size) : NULL;
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
      snprintf(error, error_size, "%s: %s%s", path, strerror(errno),
               is_file ? "" : ", expected the name of a preset (see tbrsim configs) or a .yaml file");
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
   struct complaint complaint = {0};
   cyaml_config_t settings = cyaml_settings;
   settings.log_ctx = &complaint;
   if (config)
      cm_config_text_destroy(config->source);
   cyaml_free(&settings, &cm_config_schema, config, 0);
}

/* ---- single keys ------------------------------------------------------- */

static bool
set_value(const cyaml_schema_value_t *value, void *data, const char *text)
{
   if (value->type == CYAML_ENUM) {
      for (uint32_t i = 0; i < value->enumeration.count; i++) {
         if (strcmp(value->enumeration.strings[i].str, text) == 0) {
            const int32_t number = (int32_t)value->enumeration.strings[i].val;
            memcpy(data, &number, sizeof number);
            return true;
         }
      }
      return false;
   }
   if (value->type == CYAML_UINT) {
      uint32_t number;
      if (!cm_quantity_parse(cm_schema_quantity(value), text, &number))
         return false;
      memcpy(data, &number, sizeof number);
      return true;
   }
   if (value->type == CYAML_STRING) {
      const size_t length = strlen(text);
      if (length < value->string.min || length > value->string.max)
         return false;
      char *copy = strdup(text);
      if (!copy)
         return false;
      free(*(char **)data);
      *(char **)data = copy;
      return true;
   }
   return false;
}

/* A value by its dotted path. */
struct key_value {
   const cyaml_schema_value_t *value;
   char *data;
};

/* Finds the key that is as long as the assignment's part before '='. False with a line in error. */
static bool
find_key(struct cm_config *config, const char *assignment, int path_length, struct key_value *key_value,
         char *error, size_t error_size)
{
   char expected[400];
   *key_value = (struct key_value){&cm_config_schema, (char *)config};
   for (const char *key = assignment; key <= assignment + path_length;) {
      const size_t length = strcspn(key, ".=");
      const cyaml_schema_field_t *field = cm_schema_field(key_value->value, key, length);
      if (!field) {
         cm_schema_describe(key_value->value, expected, sizeof expected);
         snprintf(error, error_size, "%.*s: no key '%.*s', expected %s", path_length, assignment, (int)length,
                  key, key_value->value->type == CYAML_MAPPING ? expected : "key=value here");
         return false;
      }
      key_value->value = &field->value;
      key_value->data += field->data_offset;
      key += length + 1;
   }
   return true;
}

static bool
set_key(struct cm_config *config, const char *assignment, char *error, size_t error_size)
{
   const char *equals = strchr(assignment, '=');
   const int path_length = (int)(equals - assignment);
   struct key_value key;
   char expected[400];
   if (!find_key(config, assignment, path_length, &key, error, error_size))
      return false;
   if (!set_value(key.value, key.data, equals + 1)) {
      cm_schema_describe(key.value, expected, sizeof expected);
      snprintf(error, error_size, "%.*s: wrong value '%s', expected %s", path_length, assignment, equals + 1,
               expected);
      return false;
   }
   follow_optional_streams(config);
   if (!cm_config_text_note_setting(config->source, assignment, (size_t)path_length)) {
      snprintf(error, error_size, "out of memory");
      return false;
   }
   return true;
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
   const cyaml_schema_field_t *mapping = cm_schema_field(&cm_config_schema, caches, strlen(caches) - 1);
   if (unit[length] != '.' || !cm_schema_field(&mapping->value, unit, length))
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
   bool fine = true;
   for (int i = 0; i < count; i++) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
      struct cm_config *config = fine ? cm_config_read(path, directory, check, error, error_size) : NULL;
      fine = config != NULL;
      if (config) {
         found(config->name, config->description, context);
         cm_config_destroy(config);
      }
      free(entries[i]);
   }
   free(entries);
   return fine;
}
