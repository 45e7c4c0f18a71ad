/* SPDX-License-Identifier: MIT */
/* libcyaml knows plain numbers: those with units are replaced before it sees the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/config_internal.h"
#include "util/array.h"

struct replacement {
   yaml_mark_t begin, end;
   uint32_t number;
};

struct search {
   yaml_document_t *document;
   struct replacement *list;
   size_t count;
   bool out_of_memory;
   /* The first value that is wrong. */
   unsigned line; /* from 1; 0: none is */
   char *problem;
   size_t problem_size;
};

static void
add_replacement(struct search *search, const yaml_node_t *node, uint32_t number)
{
   if (!cm_array_grow(&search->list, search->count, sizeof *search->list)) {
      search->out_of_memory = true;
      return;
   }
   search->list[search->count++] = (struct replacement){node->start_mark, node->end_mark, number};
}

static void
complain(struct search *search, const yaml_node_t *node, const cyaml_schema_value_t *schema, const char *path)
{
   char expected[400];
   if (search->line)
      return;
   search->line = (unsigned)node->start_mark.line + 1;
   cm_schema_describe(schema, expected, sizeof expected);
   snprintf(search->problem, search->problem_size, "%s: invalid value: '%.60s', expected %s", path,
            (const char *)node->data.scalar.value, expected);
}

static void
search_value(struct search *search, const yaml_node_t *node, const cyaml_schema_value_t *schema,
             const char *path)
{
   if (node->type == YAML_SCALAR_NODE && schema->type == CYAML_UINT) {
      const char *text = (const char *)node->data.scalar.value;
      const char *last = *text ? text + strlen(text) - 1 : text;
      uint32_t number;
      if (!cm_quantity_parse(cm_schema_quantity(schema), text, &number))
         complain(search, node, schema, path);
      else if (*last > '9' && strncmp(text, "0x", 2) != 0 && strncmp(text, "0X", 2) != 0)
         add_replacement(search, node, number);
      return;
   }
   if (node->type != YAML_MAPPING_NODE)
      return;
   for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
        pair++) {
      const yaml_node_t *key = yaml_document_get_node(search->document, pair->key);
      const yaml_node_t *value = yaml_document_get_node(search->document, pair->value);
      if (key->type != YAML_SCALAR_NODE)
         continue;
      const char *name = (const char *)key->data.scalar.value;
      const cyaml_schema_field_t *field = cm_schema_field(schema, name, strlen(name));
      char longer[256];
      snprintf(longer, sizeof longer, "%s%s%s", path, *path ? "." : "", name);
      if (field)
         search_value(search, value, &field->value, longer);
   }
}

/* The byte of a mark; its columns are characters of UTF-8. */
static size_t
offset_of(const char *yaml, const yaml_mark_t *mark)
{
   const char *at = yaml;
   for (size_t line = 0; line < mark->line; line++) {
      const char *newline = strchr(at, '\n');
      if (!newline)
         break;
      at = newline + 1;
   }
   for (size_t column = 0; column < mark->column && *at; column++) {
      at++;
      while (((unsigned char)*at & 0xc0) == 0x80)
         at++;
   }
   return (size_t)(at - yaml);
}

static char *
replace(const struct search *search, const char *yaml)
{
   char *text = NULL;
   size_t size = 0, done = 0;
   FILE *file = open_memstream(&text, &size);
   if (!file)
      return NULL;
   /* In the order of the text. */
   for (size_t r = 0; r < search->count; r++) {
      const size_t begin = offset_of(yaml, &search->list[r].begin);
      fwrite(yaml + done, 1, begin - done, file);
      fprintf(file, "%u", search->list[r].number);
      done = offset_of(yaml, &search->list[r].end);
   }
   fputs(yaml + done, file);
   const bool fine = !ferror(file);
   if (fclose(file) == 0 && fine)
      return text;
   free(text);
   return NULL;
}

char *
cm_config_resolve_units(char *yaml, unsigned *line, char *problem, size_t problem_size)
{
   yaml_parser_t parser;
   yaml_document_t document;
   struct search search = {.document = &document, .problem = problem, .problem_size = problem_size};
   char *text = yaml;
   *line = 0;
   if (!yaml_parser_initialize(&parser)) {
      free(yaml);
      return NULL;
   }
   yaml_parser_set_input_string(&parser, (const unsigned char *)yaml, strlen(yaml));
   /* What is no YAML, libcyaml complains of. */
   if (yaml_parser_load(&parser, &document)) {
      const yaml_node_t *root = yaml_document_get_root_node(&document);
      if (root)
         search_value(&search, root, &cm_config_schema, "");
      *line = search.out_of_memory ? 0 : search.line;
      if (search.count || search.out_of_memory || search.line) {
         text = search.out_of_memory || search.line ? NULL : replace(&search, yaml);
         free(yaml);
      }
      yaml_document_delete(&document);
   }
   yaml_parser_delete(&parser);
   free(search.list);
   return text;
}
