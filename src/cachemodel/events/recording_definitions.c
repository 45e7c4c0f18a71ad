/* SPDX-License-Identifier: MIT */
/* What is defined before a pass, as bytes: resources and names, in the order of the stream. */
#include <stdlib.h>

#include "events/names.h"
#include "events/recording_check.h"
#include "events/recording_format.h"
#include "util/array.h"

/* What a definition begins with: a resource, or 1 + the type of a name. */
#define RESOURCE 0

void
cm_encode_resource_definition(struct cm_byte_writer *writer, const struct cm_resource_description *resource)
{
   cm_put_varint(writer, RESOURCE);
   cm_encode_resource(writer, resource);
}

void
cm_encode_name_definition(struct cm_byte_writer *writer, const struct cm_name *name)
{
   cm_put_varint(writer, 1 + name->type);
   cm_put_varint(writer, name->number);
   if (name->type == CM_NAME_STRING) {
      const size_t length = strlen(name->text);
      cm_put_varint(writer, length);
      cm_put_bytes(writer, name->text, length);
      return;
   }
   if (name->type == CM_NAME_READ)
      return;
   cm_put_varint(writer, name->string);
   if (name->type == CM_NAME_GROUP)
      cm_put_varint(writer, name->parent);
   if (name->type != CM_NAME_SHADER)
      return;
   uint8_t hash[8];
   cm_store_uint64(hash, name->hash);
   cm_put_varint(writer, name->stage);
   cm_put_bytes(writer, hash, sizeof hash);
}

/* ---- reading ------------------------------------------------------------- */

static uint32_t
get_number(struct cm_byte_reader *reader)
{
   const uint64_t number = cm_get_varint(reader);
   reader->bad |= number > UINT32_MAX;
   return (uint32_t)number;
}

/* Appends a string and its end to texts: where it begins there. */
static const char *
get_text(struct cm_byte_reader *reader, struct cm_byte_writer *texts, size_t *begin)
{
   const uint64_t length = cm_get_varint(reader);
   if (length > CM_MAX_NAME_BYTES)
      return "a string is too long";
   const uint8_t *bytes = cm_get_bytes(reader, length);
   if (!bytes)
      return "a string is cut short";
   if (memchr(bytes, 0, length))
      return "a string has a zero byte";
   *begin = texts->size;
   cm_put_bytes(texts, bytes, length);
   cm_put_bytes(texts, "", 1);
   return texts->out_of_memory ? CM_OUT_OF_MEMORY_FOR "strings" : NULL;
}

static const char *
decode_name(struct cm_byte_reader *reader, uint64_t type, struct cm_name *name)
{
   *name = (struct cm_name){.type = (enum cm_name_type)(type - 1), .number = get_number(reader)};
   if (name->type == CM_NAME_STRING || name->type == CM_NAME_READ)
      return reader->bad ? "a name is cut short" : NULL;
   name->string = get_number(reader);
   if (name->type == CM_NAME_GROUP)
      name->parent = get_number(reader);
   if (name->type == CM_NAME_SHADER) {
      const uint32_t stage = get_number(reader);
      const uint8_t *hash = cm_get_bytes(reader, 8);
      name->stage = stage < CM_SHADER_STAGES ? (enum cm_shader_stage)stage : CM_SHADER_STAGES;
      name->hash = hash ? cm_load_uint64(hash) : 0;
   }
   return reader->bad ? "a name is cut short, or has a value out of range" : NULL;
}

/* Definitions while they are read: texts by where they begin. */
struct list {
   struct cm_definitions *found;
   struct cm_byte_writer texts;
   size_t *begins; /* of each name */
};

static const char *
add_name(struct cm_byte_reader *reader, uint32_t version, uint64_t type, struct cm_name_check *check,
         struct list *list)
{
   struct cm_definitions *found = list->found;
   if (type > (version < CM_RECORDING_READS_VERSION ? CM_NAME_READ : CM_NAME_TYPES))
      return "a definition of an unknown type";
   if (!cm_array_grow(&found->names, found->num_names, sizeof *found->names) ||
       !cm_array_grow(&list->begins, found->num_names, sizeof *list->begins))
      return CM_OUT_OF_MEMORY_FOR "names";
   struct cm_name *name = &found->names[found->num_names];
   size_t *begin = &list->begins[found->num_names++];
   const char *wrong = decode_name(reader, type, name);
   if (!wrong)
      wrong = cm_check_name(check, name);
   if (!wrong && name->type == CM_NAME_STRING)
      wrong = get_text(reader, &list->texts, begin);
   return wrong;
}

static const char *
add_resource(struct cm_byte_reader *reader, uint32_t version, const struct cm_name_check *check,
             struct cm_definitions *found)
{
   if (!cm_array_grow(&found->resources, found->num_resources, sizeof *found->resources))
      return CM_OUT_OF_MEMORY_FOR "resources";
   struct cm_resource_description *resource = &found->resources[found->num_resources++];
   const char *wrong = cm_decode_resource(reader, version, resource);
   if (!wrong && resource->format > check->strings)
      wrong = "a resource names a string that is not defined";
   return wrong;
}

/* Puts the texts after the names, in the same memory. */
static bool
place_texts(const struct list *list)
{
   struct cm_definitions *found = list->found;
   if (!list->texts.size)
      return true;
   const size_t bytes = found->num_names * sizeof *found->names;
   struct cm_name *names = realloc(found->names, bytes + list->texts.size);
   if (!names)
      return false;
   char *texts = (char *)(names + found->num_names);
   memcpy(texts, list->texts.data, list->texts.size);
   for (size_t n = 0; n < found->num_names; n++) {
      if (names[n].type == CM_NAME_STRING)
         names[n].text = texts + list->begins[n];
   }
   found->names = names;
   return true;
}

const char *
cm_decode_definitions(struct cm_byte_reader *reader, uint32_t version, struct cm_name_check *check,
                      struct cm_definitions *found)
{
   struct list list = {.found = found};
   const char *wrong = NULL;
   *found = (struct cm_definitions){0};
   while (!wrong && cm_bytes_left(reader)) {
      const uint64_t type = version < CM_RECORDING_NAMES_VERSION ? RESOURCE : cm_get_varint(reader);
      if (type == RESOURCE)
         wrong = add_resource(reader, version, check, found);
      else
         wrong = add_name(reader, version, type, check, &list);
   }
   if (!wrong && !place_texts(&list))
      wrong = CM_OUT_OF_MEMORY_FOR "strings";
   free(list.texts.data);
   free(list.begins);
   if (wrong)
      cm_definitions_finish(found);
   return wrong;
}

void
cm_definitions_finish(struct cm_definitions *definitions)
{
   free(definitions->resources);
   free(definitions->names);
   *definitions = (struct cm_definitions){0};
}
