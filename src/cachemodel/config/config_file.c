/* SPDX-License-Identifier: MIT */
#include "config/config_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/config_internal.h"
#include "util/array.h"

#define MAX_FILES 16 /* that extend one another */

struct reader {
   struct cm_config *config;
   const char *file; /* being read */
   yaml_document_t *document;
   const char *presets_dir;
   char *error;
   size_t error_size;
};

char *
cm_config_read_file(const char *path)
{
   FILE *file = fopen(path, "rb");
   if (!file)
      return NULL;
   char *text = NULL;
   size_t length = 0, capacity = 0;
   do {
      if (!cm_array_make_room(&text, &capacity, length, 4096, 1)) {
         free(text);
         fclose(file);
         errno = ENOMEM;
         return NULL;
      }
      length += fread(text + length, 1, capacity - length - 1, file);
   } while (!feof(file) && !ferror(file));
   const int code = ferror(file) ? errno ? errno : EIO : 0;
   fclose(file);
   text[length] = '\0';
   if (code) {
      free(text);
      errno = code;
      return NULL;
   }
   return text;
}

/* ---- messages ---------------------------------------------------------- */

static bool
out_of_memory(const struct reader *reader)
{
   snprintf(reader->error, reader->error_size, "%s: out of memory", reader->config->source->files[0]);
   return false;
}

/* "FILE:LINE: PATH: MESSAGE, expected …"; false. Without the path where it is empty, without what is expected where
 * key is NULL. */
static bool __attribute__((format(printf, 5, 6)))
complain(const struct reader *reader, size_t line, const char *path, const struct cm_key *key,
         const char *format, ...)
{
   char message[8192], expected[400];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(message, sizeof message, format, arguments);
   va_end(arguments);
   if (key)
      cm_key_describe(key, expected, sizeof expected);
   snprintf(reader->error, reader->error_size, "%s:%zu: %s%s%s%s%s", reader->file, line, path,
            *path ? ": " : "", message, key ? ", expected " : "", key ? expected : "");
   return false;
}

/* ---- origins ----------------------------------------------------------- */

static struct cm_config_origin *
find_origin(const struct cm_config_source *source, const char *key, size_t length)
{
   for (unsigned o = 0; o < source->num_origins; o++) {
      struct cm_config_origin *origin = &source->origins[o];
      if (strncmp(origin->key, key, length) == 0 && !origin->key[length])
         return origin;
   }
   return NULL;
}

bool
cm_config_note_origin(struct cm_config_source *source, const char *key, const char *file, unsigned line)
{
   struct cm_config_origin *origin = find_origin(source, key, strlen(key));
   if (!origin) {
      char *copy = strdup(key);
      if (!copy || !cm_array_grow(&source->origins, source->num_origins, sizeof *source->origins)) {
         free(copy);
         return false;
      }
      origin = &source->origins[source->num_origins++];
      origin->key = copy;
   }
   origin->file = file;
   origin->line = line;
   return true;
}

const char *
cm_config_origin(const struct cm_config_source *source, const char *key, unsigned *line)
{
   for (size_t length = strlen(key); length; length--) {
      const struct cm_config_origin *origin =
         !key[length] || key[length] == '.' ? find_origin(source, key, length) : NULL;
      if (origin) {
         *line = origin->line;
         return origin->file;
      }
   }
   *line = 1;
   return source->files[0];
}

/* For a key and all keys in it. */
static void
forget_origins(struct cm_config_source *source, const char *key)
{
   const size_t length = strlen(key);
   unsigned kept = 0;
   for (unsigned o = 0; o < source->num_origins; o++) {
      struct cm_config_origin origin = source->origins[o];
      if (strncmp(origin.key, key, length) == 0 && (!origin.key[length] || origin.key[length] == '.'))
         free(origin.key);
      else
         source->origins[kept++] = origin;
   }
   source->num_origins = kept;
}

void
cm_config_source_destroy(struct cm_config_source *source)
{
   if (!source)
      return;
   for (unsigned f = 0; f < source->num_files; f++)
      free(source->files[f]);
   for (unsigned o = 0; o < source->num_origins; o++)
      free(source->origins[o].key);
   free(source->files);
   free(source->origins);
   free(source);
}

/* ---- values ------------------------------------------------------------ */

static size_t
line_of(const yaml_node_t *node)
{
   return node->start_mark.line + 1;
}

static const char *
scalar(const yaml_node_t *node)
{
   return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static bool
is_null(const yaml_node_t *node)
{
   const char *text = scalar(node);
   return text && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
          (!*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
}

static bool read_mapping(const struct reader *reader, const yaml_node_t *node, const struct cm_key *mapping,
                         const char *path, char *values);

static bool
read_value(const struct reader *reader, const yaml_node_t *node, const struct cm_key *key, const char *path,
           char *value)
{
   if (node->type == YAML_SEQUENCE_NODE)
      return complain(reader, line_of(node), path, key, "a list");
   if (key->type == CM_KEY_MAPPING && node->type == YAML_MAPPING_NODE)
      return read_mapping(reader, node, key, path, value);
   if (node->type == YAML_MAPPING_NODE)
      return complain(reader, line_of(node), path, key, "a mapping");
   char near[CM_NEAR_TEXT];
   return cm_key_parse(key, scalar(node), value) ||
          complain(reader, line_of(node), path, key, "invalid value: '%.60s'%s", scalar(node),
                   cm_key_near(key, scalar(node), strlen(scalar(node)), false, near));
}

static bool
read_pair(const struct reader *reader, const yaml_node_t *name_node, const yaml_node_t *node,
          const struct cm_key *mapping, const char *mapping_path, char *values)
{
   struct cm_config_source *source = reader->config->source;
   const char *name = scalar(name_node);
   const size_t line = line_of(name_node);
   char path[256], near[CM_NEAR_TEXT];
   if (!name)
      return complain(reader, line, mapping_path, mapping, "a key that is no text");
   const struct cm_key *key = cm_key_find(mapping, name, strlen(name));
   snprintf(path, sizeof path, "%s%s%s", mapping_path, *mapping_path ? "." : "", name);
   if (!key)
      return complain(reader, line, path, mapping, "unknown key%s",
                      cm_key_near(mapping, name, strlen(name), false, near));

   const struct cm_config_origin *before = find_origin(source, path, strlen(path));
   if (before && before->file == reader->file)
      return complain(reader, line, path, NULL, "duplicate key");
   if (is_null(node)) {
      if (!before)
         return complain(reader, line, path, NULL, "null removes a value of the base, and there is none");
      if (!key->optional)
         return complain(reader, line, path, key, "null, but every configuration has this key");
      cm_key_clear(key, values + key->offset);
      forget_origins(source, path);
      return true;
   }
   if (!cm_config_note_origin(source, path, reader->file, (unsigned)line))
      return out_of_memory(reader);
   return read_value(reader, node, key, path, values + key->offset);
}

/* The first value of `extends` in a document; NULL where it has none. */
static const yaml_node_t *
find_extends(yaml_document_t *document, const yaml_node_t *root)
{
   for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top;
        pair++) {
      const char *name = scalar(yaml_document_get_node(document, pair->key));
      if (name && strcmp(name, "extends") == 0)
         return yaml_document_get_node(document, pair->value);
   }
   return NULL;
}

static bool
read_mapping(const struct reader *reader, const yaml_node_t *node, const struct cm_key *mapping,
             const char *path, char *values)
{
   for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
        pair++) {
      const yaml_node_t *name = yaml_document_get_node(reader->document, pair->key);
      const yaml_node_t *value = yaml_document_get_node(reader->document, pair->value);
      if (!*path && scalar(name) && strcmp(scalar(name), "extends") == 0) {
         if (value != find_extends(reader->document, node))
            return complain(reader, line_of(value), "extends", NULL, "duplicate key");
         continue;
      }
      if (!read_pair(reader, name, value, mapping, path, values))
         return false;
   }
   return true;
}

/* Whether all keys are there that have to be. */
static bool
is_complete(struct reader *reader, const struct cm_key *mapping, const char *mapping_path)
{
   const struct cm_config_source *source = reader->config->source;
   for (uint32_t k = 0; k < mapping->count; k++) {
      const struct cm_key *key = &mapping->keys[k];
      char path[256];
      snprintf(path, sizeof path, "%s%s%s", mapping_path, *mapping_path ? "." : "", key->name);
      if (find_origin(source, path, strlen(path))) {
         if (key->type == CM_KEY_MAPPING && !is_complete(reader, key, path))
            return false;
      } else if (!key->optional) {
         unsigned line;
         reader->file = cm_config_origin(source, path, &line);
         return complain(reader, line, path, key, "missing");
      }
   }
   return true;
}

/* ---- files ------------------------------------------------------------- */

/* The file that `extends: NAME` names in the file being read. False where that cannot be determined. */
static bool
base_path(const struct reader *reader, const char *name, size_t line, char *path, size_t path_size)
{
   const char *slash = strrchr(reader->file, '/');
   int length;
   if (cm_config_is_file_name(name)) {
      const int directory = slash && name[0] != '/' ? (int)(slash + 1 - reader->file) : 0;
      length = snprintf(path, path_size, "%.*s%s", directory, reader->file, name);
   } else if (reader->presets_dir) {
      length = snprintf(path, path_size, "%s/%s.yaml", reader->presets_dir, name);
   } else {
      return complain(reader, line, "extends", NULL,
                      "no directory of presets, expected one in TBRSIM_CONFIG_DIR or a .yaml file");
   }
   return (size_t)length < path_size || complain(reader, line, "extends", NULL, "the path is too long");
}

/* Whether a file is none of those that extend it. */
static bool
check_circle(const struct reader *reader, const char *path, size_t line)
{
   const struct cm_config_source *source = reader->config->source;
   char circle[4096] = "";
   size_t length = 0;
   char *canonical = realpath(path, NULL);
   for (unsigned f = 0; canonical && f < source->num_files; f++) {
      char *other = realpath(source->files[f], NULL);
      if ((length || (other && strcmp(other, canonical) == 0)) && length < sizeof circle)
         length += (size_t)snprintf(circle + length, sizeof circle - length, "%s extends ", source->files[f]);
      free(other);
   }
   free(canonical);
   if (length)
      return complain(reader, line, "extends", NULL, "a circle: %s%s", circle, path);
   return source->num_files < MAX_FILES || complain(reader, line, "extends", NULL, "too many files");
}

static bool read_text(struct reader *reader, const char *yaml, const char *path);

/* Reads the base first, so that the file's own values come after. */
static bool
read_base(struct reader *reader, const yaml_node_t *extends)
{
   const size_t line = line_of(extends);
   char path[4096];
   if (!scalar(extends) || is_null(extends))
      return complain(reader, line, "extends", NULL, "expected the name of a preset or a .yaml file");
   if (!base_path(reader, scalar(extends), line, path, sizeof path) || !check_circle(reader, path, line))
      return false;
   char *yaml = cm_config_read_file(path);
   if (!yaml) {
      char why[512];
      cm_config_explain_missing(scalar(extends), path, reader->presets_dir, why, sizeof why);
      return complain(reader, line, "extends", NULL, "%s", why);
   }
   struct reader base = *reader;
   const bool ok = read_text(&base, yaml, path);
   free(yaml);
   return ok;
}

static bool
read_document(struct reader *reader)
{
   const yaml_node_t *root = yaml_document_get_root_node(reader->document);
   if (!root)
      return complain(reader, 1, "", NULL, "the file is empty, expected a configuration");
   if (root->type != YAML_MAPPING_NODE)
      return complain(reader, 1, "", NULL, "expected a configuration");
   const yaml_node_t *extends = find_extends(reader->document, root);
   return (!extends || read_base(reader, extends)) &&
          read_mapping(reader, root, &cm_config_keys, "", (char *)reader->config);
}

static bool
read_text(struct reader *reader, const char *yaml, const char *path)
{
   struct cm_config_source *source = reader->config->source;
   char *file = strdup(path);
   yaml_document_t document;
   yaml_parser_t parser;
   if (!file || !cm_array_grow(&source->files, source->num_files, sizeof *source->files)) {
      free(file);
      snprintf(reader->error, reader->error_size, "%s: out of memory", path);
      return false;
   }
   reader->file = source->files[source->num_files++] = file;
   if (!yaml_parser_initialize(&parser))
      return out_of_memory(reader);
   yaml_parser_set_input_string(&parser, (const unsigned char *)yaml, strlen(yaml));
   bool ok = yaml_parser_load(&parser, &document);
   if (ok) {
      reader->document = &document;
      ok = read_document(reader);
      yaml_document_delete(&document);
   } else {
      complain(reader, parser.problem_mark.line + 1, "", NULL, "%s",
               parser.problem ? parser.problem : "out of memory");
   }
   yaml_parser_delete(&parser);
   return ok;
}

bool
cm_config_fill(struct cm_config *config, const char *yaml, const char *path, const char *presets_dir,
               char *error, size_t error_size)
{
   struct reader reader = {.config = config,
                           .presets_dir = presets_dir,
                           .error = error,
                           .error_size = error_size};
   config->source = calloc(1, sizeof *config->source);
   if (!config->source) {
      snprintf(error, error_size, "%s: out of memory", path);
      return false;
   }
   return read_text(&reader, yaml, path) && is_complete(&reader, &cm_config_keys, "");
}
