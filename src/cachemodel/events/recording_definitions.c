/* SPDX-License-Identifier: MIT */
/* What is defined before a pass, as bytes: resources, names and codes of shaders, in the order of the stream. */
#include <stdlib.h>

#include "events/names.h"
#include "events/recording_check.h"
#include "events/recording_format.h"
#include "util/array.h"

/* What a definition begins with: a resource, 1 + the type of a name, or the code of a shader. */
#define RESOURCE 0
#define CODE (1 + CM_NAME_TYPES)

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

void
cm_encode_code_definition(struct cm_byte_writer *writer, const struct cm_shader_code *code)
{
   const uint32_t numbers[] = {code->stage,          code->shader, code->isa,
                               code->part,           code->bytes,  code->registers,
                               code->threads_shared, code->spills, code->fills,
                               code->num_regions};
   cm_put_varint(writer, CODE);
   for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
      cm_put_varint(writer, numbers[n]);
   cm_put_varint(writer, CM_PIPE_COUNT);
   for (uint32_t r = 0; r < code->num_regions; r++) {
      for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
         cm_put_varint(writer, code->regions[r].operations[p]);
   }
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

/* Definitions while they are read: texts by where they begin, regions of codes one after another. */
struct list {
   struct cm_definitions *found;
   struct cm_byte_writer texts, regions;
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

/* Pipes that the file has and this program does not know are read over. */
static const char *
decode_regions(struct cm_byte_reader *reader, const struct cm_shader_code *code,
               struct cm_byte_writer *regions)
{
   const uint32_t num_pipes = get_number(reader);
   if (reader->bad || (uint64_t)num_pipes * code->num_regions > cm_bytes_left(reader))
      return "the code of a shader is cut short";
   for (uint32_t r = 0; r < code->num_regions; r++) {
      struct cm_code_region region = {0};
      for (uint32_t p = 0; p < num_pipes; p++) {
         const uint32_t operations = get_number(reader);
         if (p < CM_PIPE_COUNT)
            region.operations[p] = operations;
      }
      cm_put_bytes(regions, &region, sizeof region);
   }
   return reader->bad ? "the code of a shader is cut short, or has a value out of range" : NULL;
}

static const char *
add_code(struct cm_byte_reader *reader, struct list *list)
{
   struct cm_definitions *found = list->found;
   if (!cm_array_grow(&found->codes, found->num_codes, sizeof *found->codes))
      return CM_OUT_OF_MEMORY_FOR "codes of shaders";
   const uint32_t stage = get_number(reader), shader = get_number(reader), isa = get_number(reader),
                  part = get_number(reader);
   struct cm_shader_code *code = &found->codes[found->num_codes++];
   *code = (struct cm_shader_code){
      .stage = stage < CM_SHADER_STAGES ? (enum cm_shader_stage)stage : CM_SHADER_STAGES,
      .shader = shader,
      .isa = isa < CM_ISA_COUNT ? (enum cm_isa)isa : CM_ISA_COUNT,
      .part = part < CM_CODE_PARTS ? (enum cm_code_part)part : CM_CODE_PARTS,
   };
   code->bytes = get_number(reader);
   code->registers = get_number(reader);
   code->threads_shared = get_number(reader);
   code->spills = get_number(reader);
   code->fills = get_number(reader);
   code->num_regions = get_number(reader);
   const char *wrong = reader->bad ? "the code of a shader is cut short" : cm_check_code(code);
   return wrong ? wrong : decode_regions(reader, code, &list->regions);
}

/* Puts the regions behind the codes, in the same memory. */
static bool
place_regions(const struct list *list)
{
   struct cm_definitions *found = list->found;
   if (!found->num_codes)
      return true;
   const size_t bytes = found->num_codes * sizeof *found->codes;
   struct cm_shader_code *codes =
      list->regions.out_of_memory ? NULL : realloc(found->codes, bytes + list->regions.size);
   if (!codes)
      return false;
   struct cm_code_region *regions = (struct cm_code_region *)(codes + found->num_codes);
   memcpy(regions, list->regions.data, list->regions.size);
   for (size_t c = 0; c < found->num_codes; c++) {
      codes[c].regions = regions;
      regions += codes[c].num_regions;
   }
   found->codes = codes;
   return true;
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
      else if (type == CODE && version >= CM_RECORDING_REGIONS_VERSION)
         wrong = add_code(reader, &list);
      else
         wrong = add_name(reader, version, type, check, &list);
   }
   if (!wrong && !place_texts(&list))
      wrong = CM_OUT_OF_MEMORY_FOR "strings";
   if (!wrong && !place_regions(&list))
      wrong = CM_OUT_OF_MEMORY_FOR "codes of shaders";
   free(list.texts.data);
   free(list.regions.data);
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
   free(definitions->codes);
   *definitions = (struct cm_definitions){0};
}
