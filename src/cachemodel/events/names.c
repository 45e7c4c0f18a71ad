/* SPDX-License-Identifier: MIT */
#include "events/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

struct group {
   uint32_t string, parent;
};

/* What is known of a resource or a shader. */
struct object {
   uint64_t key;           /* 0: unused entry */
   uint64_t hash;          /* of a shader */
   uint32_t label, format; /* strings */
   uint8_t uses;
};

struct cm_names {
   char **strings; /* number n at n - 1 */
   uint32_t num_strings;
   struct group *groups; /* likewise */
   uint32_t num_groups;
   struct object *objects; /* a hash table, at most half full */
   size_t num_objects, capacity;
   uint32_t num_labels, num_shaders, num_reads;
};

/* Of keys: resources, then the stages' shaders. */
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
   free(names);
}

/* ---- objects ------------------------------------------------------------- */

/* The entry of the key, or the one where it belongs. */
static struct object *
find_entry(struct object *objects, size_t capacity, uint64_t key)
{
   size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (capacity - 1);
   while (objects[at].key && objects[at].key != key)
      at = (at + 1) & (capacity - 1);
   return &objects[at];
}

static const struct object *
find(const struct cm_names *names, uint64_t key)
{
   static const struct object none;
   return names->capacity ? find_entry(names->objects, names->capacity, key) : &none;
}

static bool
enlarge(struct cm_names *names)
{
   const size_t capacity = names->capacity ? names->capacity * 2 : 64;
   struct object *objects = calloc(capacity, sizeof *objects);
   if (!objects)
      return false;
   for (size_t i = 0; i < names->capacity; i++) {
      if (names->objects[i].key)
         *find_entry(objects, capacity, names->objects[i].key) = names->objects[i];
   }
   free(names->objects);
   names->objects = objects;
   names->capacity = capacity;
   return true;
}

/* The entry of the key, a new one if there is none; NULL when out of memory. */
static struct object *
get(struct cm_names *names, uint64_t key)
{
   if (names->num_objects >= names->capacity / 2 && !enlarge(names))
      return NULL;
   struct object *object = find_entry(names->objects, names->capacity, key);
   names->num_objects += !object->key;
   object->key = key;
   return object;
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
   const size_t before = names->num_objects;
   struct object *object = get(names, shader_key(name->stage, name->number));
   if (!object)
      return false;
   names->num_shaders += names->num_objects > before;
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
