/* SPDX-License-Identifier: MIT */
#include "events/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/id_table.h"

struct group {
   uint32_t string, parent;
};

/* What is known of a resource or a shader. */
struct object {
   uint64_t hash;          /* of a shader */
   uint32_t label, format; /* strings */
   uint8_t uses;
};

struct cm_names {
   char **strings; /* number n at n - 1 */
   uint32_t num_strings;
   struct group *groups; /* likewise */
   uint32_t num_groups;
   struct cm_id_table keys; /* of resources, then the stages' shaders */
   struct object *objects;  /* by their index there */
   uint32_t num_labels, num_shaders, num_reads;
};

static uint64_t
resource_key(uint32_t resource)
{
   return (uint64_t)1 << 32 | resource;
}

static uint64_t
shader_key(enum cm_shader_stage stage, uint32_t shader)
{
   return (uint64_t)(2 + stage) << 32 | shader;
}

struct cm_names *
cm_names_create(void)
{
   return calloc(1, sizeof(struct cm_names));
}

void
cm_names_destroy(struct cm_names *names)
{
   if (!names)
      return;
   for (uint32_t s = 0; s < names->num_strings; s++)
      free(names->strings[s]);
   free(names->strings);
   free(names->groups);
   free(names->objects);
   cm_id_table_finish(&names->keys);
   free(names);
}

/* ---- objects ------------------------------------------------------------- */

static const struct object *
find(const struct cm_names *names, uint64_t key)
{
   static const struct object none;
   const uint32_t index = cm_id_table_find(&names->keys, key);
   assert(index == CM_NO_INDEX || index < names->keys.count);
   return index == CM_NO_INDEX ? &none : &names->objects[index];
}

/* The object of the key, a new one if there is none; NULL when out of memory. */
static struct object *
get(struct cm_names *names, uint64_t key)
{
   const uint32_t known = cm_id_table_find(&names->keys, key);
   if (known != CM_NO_INDEX)
      return &names->objects[known];
   if (!cm_array_grow(&names->objects, names->keys.count, sizeof *names->objects))
      return NULL;
   const uint32_t added = cm_id_table_add(&names->keys, key);
   if (added == CM_NO_INDEX)
      return NULL;
   names->objects[added] = (struct object){0};
   return &names->objects[added];
}

/* ---- definitions --------------------------------------------------------- */

static bool
define_string(struct cm_names *names, const struct cm_name *name)
{
   assert(name->number == names->num_strings + 1);
   char *text =
      cm_array_grow(&names->strings, names->num_strings, sizeof *names->strings) ? strdup(name->text) : NULL;
   if (!text)
      return false;
   names->strings[names->num_strings++] = text;
   return true;
}

static bool
define_group(struct cm_names *names, const struct cm_name *name)
{
   assert(name->number == names->num_groups + 1 && name->parent < name->number);
   if (!cm_array_grow(&names->groups, names->num_groups, sizeof *names->groups))
      return false;
   names->groups[names->num_groups++] = (struct group){name->string, name->parent};
   return true;
}

static bool
define_label(struct cm_names *names, const struct cm_name *name)
{
   struct object *object = get(names, resource_key(name->number));
   if (!object)
      return false;
   names->num_labels += !object->label;
   object->label = name->string;
   names->num_labels -= !object->label;
   return true;
}

static bool
define_shader(struct cm_names *names, const struct cm_name *name)
{
   const uint32_t before = names->keys.count;
   struct object *object = get(names, shader_key(name->stage, name->number));
   if (!object)
      return false;
   names->num_shaders += names->keys.count > before;
   object->hash = name->hash;
   object->label = name->string;
   return true;
}

bool
cm_names_define(struct cm_names *names, const struct cm_name *name)
{
   assert(name->string <= names->num_strings);
   switch (name->type) {
   case CM_NAME_STRING: return define_string(names, name);
   case CM_NAME_GROUP: return define_group(names, name);
   case CM_NAME_LABEL: return define_label(names, name);
   case CM_NAME_READ: names->num_reads++; return true;
   default: return define_shader(names, name);
   }
}

bool
cm_names_define_resource(struct cm_names *names, const struct cm_resource_description *resource)
{
   if (!resource->format && !resource->uses)
      return true;
   struct object *object = get(names, resource_key(resource->id));
   if (!object)
      return false;
   object->format = resource->format;
   object->uses = resource->uses;
   return true;
}

/* ---- queries ------------------------------------------------------------- */

uint32_t
cm_names_count_strings(const struct cm_names *names)
{
   return names->num_strings;
}

uint32_t
cm_names_count_groups(const struct cm_names *names)
{
   return names->num_groups;
}

uint32_t
cm_names_count_labels(const struct cm_names *names)
{
   return names->num_labels;
}

uint32_t
cm_names_count_shaders(const struct cm_names *names)
{
   return names->num_shaders;
}

uint32_t
cm_names_count_reads(const struct cm_names *names)
{
   return names->num_reads;
}

const char *
cm_names_string(const struct cm_names *names, uint32_t string)
{
   return string && string <= names->num_strings ? names->strings[string - 1] : "";
}

static struct group
group_of(const struct cm_names *names, uint32_t group)
{
   assert(names->groups || !names->num_groups);
   return group && group <= names->num_groups ? names->groups[group - 1] : (struct group){0};
}

const char *
cm_names_group(const struct cm_names *names, uint32_t group)
{
   return cm_names_string(names, group_of(names, group).string);
}

uint32_t
cm_names_group_parent(const struct cm_names *names, uint32_t group)
{
   return group_of(names, group).parent;
}

/* Copies the part of a text that begins at `at` of a path of so many bytes. */
static void
put(char *path, size_t size, size_t at, const char *text, size_t length)
{
   if (at >= size)
      return;
   memcpy(path + at, text, length < size - at ? length : size - at);
}

size_t
cm_names_group_path(const struct cm_names *names, uint32_t group, char *path, size_t size)
{
   size_t length = 0;
   for (uint32_t g = group; g; g = cm_names_group_parent(names, g))
      length += strlen(cm_names_group(names, g)) + (g != group);
   size_t at = length;
   for (uint32_t g = group; g; g = cm_names_group_parent(names, g)) {
      const char *text = cm_names_group(names, g);
      if (g != group)
         put(path, size, --at, "/", 1);
      at -= strlen(text);
      put(path, size, at, text, strlen(text));
   }
   if (size)
      path[length < size ? length : size - 1] = '\0';
   return length;
}

const char *
cm_names_label(const struct cm_names *names, uint32_t resource)
{
   return cm_names_string(names, find(names, resource_key(resource))->label);
}

const char *
cm_names_format(const struct cm_names *names, uint32_t resource)
{
   return cm_names_string(names, find(names, resource_key(resource))->format);
}

uint8_t
cm_names_uses(const struct cm_names *names, uint32_t resource)
{
   return find(names, resource_key(resource))->uses;
}

uint64_t
cm_names_shader_hash(const struct cm_names *names, enum cm_shader_stage stage, uint32_t shader)
{
   return find(names, shader_key(stage, shader))->hash;
}

const char *
cm_names_shader_label(const struct cm_names *names, enum cm_shader_stage stage, uint32_t shader)
{
   return cm_names_string(names, find(names, shader_key(stage, shader))->label);
}
