/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/config_extends.h"
#include "config/config_internal.h"
#include "util/json.h"
#include "util/array.h"

#define MAX_FILES 16 /* that extend one another */

/* A key of a mapping: a value, or a mapping of its own. */
struct node {
   struct node *next, *children;
   char *key;
   char *value;     /* NULL: a mapping */
   bool plain;      /* the value stands without quotes */
   unsigned setter; /* file that set it last, or has a mapping of this name */
   struct cm_config_origin origin;
};

struct merge {
   struct cm_config_text *text;
   const char *presets_dir;
   struct node *root;
   unsigned file; /* being merged */
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
out_of_memory(struct merge *merge)
{
   snprintf(merge->error, merge->error_size, "%s: out of memory", merge->text->files[0]);
   return false;
}

/* "FILE:LINE: KEY: MESSAGE"; false. key may be NULL. */
static bool
complain(struct merge *merge, size_t line, const char *key, const char *message)
{
   snprintf(merge->error, merge->error_size, "%s:%zu: %s%s%s", merge->text->files[merge->file], line + 1,
            key ? key : "", key ? ": " : "", message);
   return false;
}

static bool
complain_expected(struct merge *merge, size_t line, const char *key, const char *message,
                  const cyaml_schema_value_t *schema)
{
   char expected[400], all[600];
   cm_schema_describe(schema, expected, sizeof expected);
   snprintf(all, sizeof all, "%s, expected %s", message, expected);
   return complain(merge, line, key, all);
}

/* ---- the tree ---------------------------------------------------------- */

static void
free_nodes(struct node *node)
{
   while (node) {
      struct node *next = node->next;
      free_nodes(node->children);
      free(node->key);
      free(node->value);
      free(node);
      node = next;
   }
}

/* The link to a key's node; to NULL at the list's end where there is none. */
static struct node **
find_node(struct node **list, const char *key)
{
   while (*list && strcmp((*list)->key, key) != 0)
      list = &(*list)->next;
   return list;
}

static void
remove_node(struct node **link)
{
   struct node *node = *link;
   *link = node->next;
   node->next = NULL;
   free_nodes(node);
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

static bool merge_mapping(struct merge *merge, yaml_document_t *document, const yaml_node_t *mapping,
                          const cyaml_schema_value_t *schema, const char *path, struct node **list);

static bool
merge_value(struct merge *merge, yaml_document_t *document, const yaml_node_t *value,
            const cyaml_schema_value_t *schema, const char *path, struct node *node)
{
   if (value->type == YAML_MAPPING_NODE) {
      free(node->value);
      node->value = NULL;
      return merge_mapping(merge, document, value, schema, path, &node->children);
   }
   if (value->type != YAML_SCALAR_NODE)
      return complain_expected(merge, value->start_mark.line, path, "a list", schema);
   free_nodes(node->children);
   free(node->value);
   node->children = NULL;
   node->value = strdup(scalar(value));
   node->plain = value->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !strchr(scalar(value), '\n');
   node->origin = (struct cm_config_origin){merge->file, (unsigned)value->start_mark.line + 1};
   return node->value || out_of_memory(merge);
}

static struct node *
add_node(struct node **end, const char *key, struct cm_config_origin origin)
{
   struct node *node = calloc(1, sizeof *node);
   char *copy = strdup(key);
   if (!node || !copy) {
      free(node);
      free(copy);
      return NULL;
   }
   *node = (struct node){.key = copy, .setter = UINT32_MAX, .origin = origin};
   return *end = node;
}

static bool
merge_pair(struct merge *merge, yaml_document_t *document, const yaml_node_t *key_node,
           const yaml_node_t *value, const cyaml_schema_value_t *schema, const char *mapping_path,
           struct node **list)
{
   const char *key = scalar(key_node);
   const size_t line = key_node->start_mark.line;
   char path[256];
   if (!key)
      return complain_expected(merge, line, *mapping_path ? mapping_path : NULL, "a key that is no text",
                               schema);
   const cyaml_schema_field_t *field = cm_schema_field(schema, key, strlen(key));
   snprintf(path, sizeof path, "%s%s%s", mapping_path, *mapping_path ? "." : "", key);
   if (!field)
      return complain_expected(merge, line, path, "unknown key", schema);

   struct node **link = find_node(list, key);
   if (*link && (*link)->setter == merge->file)
      return complain(merge, line, path, "duplicate key");
   if (is_null(value)) {
      if (!*link)
         return complain(merge, line, path, "null removes a value, but the base has none");
      if (!(field->value.flags & CYAML_FLAG_OPTIONAL))
         return complain_expected(merge, line, path, "null, but every configuration has this key",
                                  &field->value);
      remove_node(link);
      return true;
   }
   if (!*link && !add_node(link, key, (struct cm_config_origin){merge->file, (unsigned)line + 1}))
      return out_of_memory(merge);
   (*link)->setter = merge->file;
   return merge_value(merge, document, value, &field->value, path, *link);
}

static bool
merge_mapping(struct merge *merge, yaml_document_t *document, const yaml_node_t *mapping,
              const cyaml_schema_value_t *schema, const char *path, struct node **list)
{
   if (schema->type != CYAML_MAPPING)
      return complain_expected(merge, mapping->start_mark.line, path, "a mapping", schema);
   for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
        pair < mapping->data.mapping.pairs.top; pair++) {
      const yaml_node_t *key = yaml_document_get_node(document, pair->key);
      const yaml_node_t *value = yaml_document_get_node(document, pair->value);
      if (!*path && scalar(key) && strcmp(scalar(key), "extends") == 0)
         continue;
      if (!merge_pair(merge, document, key, value, schema, path, list))
         return false;
   }
   return true;
}

/* ---- files ------------------------------------------------------------- */

/* False with the line (from 0) and what is wrong; a document that was parsed is to be deleted. */
static bool
parse_document(const char *yaml, yaml_document_t *document, size_t *line, char problem[256])
{
   yaml_parser_t parser;
   if (!yaml_parser_initialize(&parser)) {
      snprintf(problem, 256, "out of memory");
      *line = 0;
      return false;
   }
   yaml_parser_set_input_string(&parser, (const unsigned char *)yaml, strlen(yaml));
   const bool fine = yaml_parser_load(&parser, document);
   if (!fine) {
      snprintf(problem, 256, "%s", parser.problem ? parser.problem : "out of memory");
      *line = parser.problem_mark.line;
   }
   yaml_parser_delete(&parser);
   return fine;
}

/* The value of `extends` in a document; NULL where it has none. */
static const yaml_node_t *
find_extends(yaml_document_t *document)
{
   const yaml_node_t *root = yaml_document_get_root_node(document);
   if (!root || root->type != YAML_MAPPING_NODE)
      return NULL;
   for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top;
        pair++) {
      const char *key = scalar(yaml_document_get_node(document, pair->key));
      if (key && strcmp(key, "extends") == 0)
         return yaml_document_get_node(document, pair->value);
   }
   return NULL;
}

static bool
add_string(char ***strings, unsigned *count, const char *string, size_t length)
{
   char *copy = strndup(string, length);
   if (!copy || !cm_array_grow(strings, *count, sizeof **strings)) {
      free(copy);
      return false;
   }
   (*strings)[(*count)++] = copy;
   return true;
}

static bool
add_file(struct cm_config_text *text, const char *path)
{
   return add_string(&text->files, &text->num_files, path, strlen(path));
}

bool
cm_config_text_note_setting(struct cm_config_text *text, const char *path, size_t length)
{
   return add_string(&text->settings, &text->num_settings, path, length);
}

/* The file that `extends: NAME` names in the file being merged. False where that cannot be determined. */
static bool
base_path(struct merge *merge, const char *name, size_t line, char *path, size_t path_size)
{
   const char *file = merge->text->files[merge->file], *slash = strrchr(file, '/');
   int length;
   if (cm_config_is_file_name(name)) {
      const int directory = slash && name[0] != '/' ? (int)(slash + 1 - file) : 0;
      length = snprintf(path, path_size, "%.*s%s", directory, file, name);
   } else if (merge->presets_dir) {
      length = snprintf(path, path_size, "%s/%s.yaml", merge->presets_dir, name);
   } else {
      return complain(merge, line, "extends",
                      "no directory of presets, expected one in TBRSIM_CONFIG_DIR or a .yaml file");
   }
   return (size_t)length < path_size || complain(merge, line, "extends", "the path is too long");
}

/* Whether a file is none of those that extend it. */
static bool
check_circle(struct merge *merge, const char *path, size_t line)
{
   char message[8192] = "a circle: ";
   char *canonical = realpath(path, NULL);
   bool circle = false;
   for (unsigned f = 0; canonical && f < merge->text->num_files; f++) {
      char *other = realpath(merge->text->files[f], NULL);
      circle |= other && strcmp(other, canonical) == 0;
      free(other);
      if (circle) {
         const size_t length = strlen(message);
         snprintf(message + length, sizeof message - length, "%s extends ", merge->text->files[f]);
      }
   }
   free(canonical);
   if (!circle)
      return merge->text->num_files < MAX_FILES || complain(merge, line, "extends", "too many files");
   const size_t length = strlen(message);
   snprintf(message + length, sizeof message - length, "%s", path);
   return complain(merge, line, "extends", message);
}

static bool merge_document(struct merge *merge, yaml_document_t *document);

/* Merges the base first, so that the file's own values come after. */
static bool
merge_base(struct merge *merge, const yaml_node_t *extends)
{
   const size_t line = extends->start_mark.line;
   char path[4096], problem[256], message[400];
   yaml_document_t document;
   size_t problem_line;

   if (!scalar(extends) || is_null(extends))
      return complain(merge, line, "extends", "expected the name of a preset or a .yaml file");
   if (!base_path(merge, scalar(extends), line, path, sizeof path) || !check_circle(merge, path, line))
      return false;
   char *yaml = cm_config_read_file(path);
   if (!yaml) {
      snprintf(message, sizeof message, "%.300s: %s", path, strerror(errno));
      return complain(merge, line, "extends", message);
   }
   const unsigned file = merge->file;
   bool fine = add_file(merge->text, path) || out_of_memory(merge);
   if (fine) {
      merge->file = merge->text->num_files - 1;
      fine = parse_document(yaml, &document, &problem_line, problem);
      if (fine) {
         fine = merge_document(merge, &document);
         yaml_document_delete(&document);
      } else {
         complain(merge, problem_line, NULL, problem);
      }
      merge->file = file;
   }
   free(yaml);
   return fine;
}

static bool
merge_document(struct merge *merge, yaml_document_t *document)
{
   const yaml_node_t *root = yaml_document_get_root_node(document), *extends = find_extends(document);
   if (extends && !merge_base(merge, extends))
      return false;
   if (!root || root->type != YAML_MAPPING_NODE)
      return complain(merge, 0, NULL, "expected a configuration");
   return merge_mapping(merge, document, root, &cm_config_schema, "", &merge->root);
}

/* ---- the merged text --------------------------------------------------- */

static unsigned
count_nodes(const struct node *node)
{
   unsigned count = 0;
   for (; node; node = node->next)
      count += 1 + count_nodes(node->children);
   return count;
}

static void
write_nodes(struct cm_config_text *text, const struct node *node, int indentation, FILE *file)
{
   for (; node; node = node->next) {
      text->lines[text->num_lines++] = node->origin;
      fprintf(file, "%*s%s:", indentation, "", node->key);
      if (!node->value) {
         fputs(node->children ? "\n" : " {}\n", file);
         write_nodes(text, node->children, indentation + 2, file);
         continue;
      }
      fputc(' ', file);
      if (node->plain)
         fputs(node->value, file);
      else
         cm_json_write_string(node->value, file);
      fputc('\n', file);
   }
}

static bool
write_text(struct merge *merge)
{
   struct cm_config_text *text = merge->text;
   size_t size;
   FILE *file = open_memstream(&text->yaml, &size);
   text->lines = calloc(count_nodes(merge->root) + 1, sizeof *text->lines);
   if (file && text->lines)
      write_nodes(text, merge->root, 0, file);
   const bool fine = file && text->lines && !ferror(file);
   return (!file || fclose(file) == 0) && fine ? true : out_of_memory(merge);
}

struct cm_config_text *
cm_config_text_create(const char *yaml, const char *path, const char *presets_dir, char *error,
                      size_t error_size)
{
   struct cm_config_text *text = calloc(1, sizeof *text);
   if (!text || !add_file(text, path)) {
      snprintf(error, error_size, "%s: out of memory", path);
      free(text);
      return NULL;
   }
   struct merge merge = {.text = text, .presets_dir = presets_dir, .error = error, .error_size = error_size};
   yaml_document_t document;
   char problem[256];
   size_t line;
   /* libcyaml says what is wrong with a file that is no YAML. */
   bool extends = false, fine = true;
   if (parse_document(yaml, &document, &line, problem)) {
      extends = find_extends(&document) != NULL;
      if (extends)
         fine = merge_document(&merge, &document) && write_text(&merge);
      yaml_document_delete(&document);
   }
   if (!extends) {
      text->yaml = strdup(yaml);
      fine = text->yaml || out_of_memory(&merge);
   }
   free_nodes(merge.root);
   if (fine)
      return text;
   cm_config_text_destroy(text);
   return NULL;
}

void
cm_config_text_destroy(struct cm_config_text *text)
{
   if (!text)
      return;
   for (unsigned f = 0; f < text->num_files; f++)
      free(text->files[f]);
   for (unsigned i = 0; i < text->num_settings; i++)
      free(text->settings[i]);
   free(text->settings);
   free(text->files);
   free(text->lines);
   free(text->yaml);
   free(text);
}

const char *
cm_config_text_origin(const struct cm_config_text *text, unsigned line, unsigned *origin_line)
{
   *origin_line = line;
   if (!text->lines)
      return text->files[0];
   /* A problem of the whole text is reported for the requested file. */
   if (!line || line > text->num_lines) {
      *origin_line = 1;
      return text->files[0];
   }
   *origin_line = text->lines[line - 1].line;
   return text->files[text->lines[line - 1].file];
}

const char *
cm_config_text_value_origin(const struct cm_config_text *text, const char *path, unsigned *line)
{
   *line = 0;
   for (unsigned i = 0; i < text->num_settings; i++) {
      if (strcmp(text->settings[i], path) == 0)
         return "--set";
   }
   return cm_config_text_origin(text, cm_config_line(text->yaml, path, false), line);
}
