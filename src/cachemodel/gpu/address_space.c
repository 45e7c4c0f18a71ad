/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/address_space.h"
#include "gpu/compression.h"
#include "util/array.h"
#include "util/message.h"

void
cm_address_space_init(struct cm_address_space *space, const struct cm_config *config)
{
   memset(space, 0, sizeof *space);
   space->config = config;
   space->next = CM_PAGE_BYTES; /* address 0 is not used */
}

static void
free_resource(struct cm_resource *resource)
{
   if (!resource)
      return;
   free(resource->layout);
   free(resource->cleared);
   free(resource->stored_tiles);
   cm_compressed_images_free(resource->compressed);
   if (resource->hiz)
      free(resource->hiz->cleared);
   free(resource->hiz);
   free(resource);
}

void
cm_address_space_finish(struct cm_address_space *space)
{
   for (uint32_t p = 0; p < space->num_pages; p++) {
      struct cm_resource **page = space->resources[p];
      for (uint32_t i = 0; page && i < CM_RESOURCES_A_PAGE; i++)
         free_resource(page[i]);
      free(page);
   }
   free(space->resources);
   free(space->shaders);
   cm_id_table_finish(&space->shader_ids);
}

uint64_t
cm_address_space_reserve(struct cm_address_space *space, uint64_t bytes)
{
   assert(space->next >= CM_PAGE_BYTES && space->next % CM_PAGE_BYTES == 0);
   const uint64_t address = space->next;
   const uint64_t pages = bytes ? (bytes + CM_PAGE_BYTES - 1) / CM_PAGE_BYTES : 1;
   space->next += pages * CM_PAGE_BYTES;
   return address;
}

static void
report(struct cm_address_space *space, uint32_t id, const char *what)
{
   if (!space->reported)
      cm_message(CM_MESSAGE_ERROR, "resource %u %s; its accesses are not counted", id, what);
   space->reported = true;
}

/* Where the resource of an identifier is kept; NULL when out of memory. */
static struct cm_resource **
find_or_add_slot(struct cm_address_space *space, uint32_t id)
{
   const uint32_t page = id / CM_RESOURCES_A_PAGE;
   if (page >= space->num_pages) {
      const uint32_t before = space->num_pages;
      size_t capacity = before;
      if (!cm_array_make_room(&space->resources, &capacity, before, page + 1 - before,
                              sizeof *space->resources))
         return NULL;
      memset(space->resources + before, 0, (capacity - before) * sizeof *space->resources);
      space->num_pages = (uint32_t)capacity;
   }
   if (!space->resources[page])
      space->resources[page] = calloc(CM_RESOURCES_A_PAGE, sizeof **space->resources);
   return space->resources[page] ? &space->resources[page][id % CM_RESOURCES_A_PAGE] : NULL;
}

static struct cm_resource *
find_resource(const struct cm_address_space *space, uint32_t id)
{
   const uint32_t page = id / CM_RESOURCES_A_PAGE;
   return page < space->num_pages && space->resources[page] ? space->resources[page][id % CM_RESOURCES_A_PAGE]
                                                            : NULL;
}

bool
cm_address_space_define(struct cm_address_space *space, const struct cm_resource_description *description)
{
   struct cm_resource **slot = find_or_add_slot(space, description->id);
   if (!slot)
      return false;
   if (*slot) {
      report(space, description->id, "was defined twice");
      return true;
   }
   *slot = calloc(1, sizeof **slot);
   if (!*slot)
      return false;
   (*slot)->description = *description;
   return true;
}

void
cm_address_space_forget(struct cm_address_space *space, uint32_t id)
{
   const uint32_t number = id / CM_RESOURCES_A_PAGE;
   struct cm_resource **page = number < space->num_pages ? space->resources[number] : NULL;
   if (!page)
      return;
   free_resource(page[id % CM_RESOURCES_A_PAGE]);
   page[id % CM_RESOURCES_A_PAGE] = NULL;
   for (uint32_t i = 0; i < CM_RESOURCES_A_PAGE; i++) {
      if (page[i])
         return;
   }
   free(page);
   space->resources[number] = NULL;
}

/* Where in its first page the next texture begins (texture.offset). The multiplier is that of the golden ratio: successive
 * textures begin far from one another. */
#define OFFSET_BYTES 256
static uint64_t
next_offset(struct cm_address_space *space)
{
   if (space->config->texture.offset == CM_TEXTURE_OFFSET_NONE)
      return 0;
   return (uint64_t)(space->num_textures++ * 0x9e3779b9u >> 28) * OFFSET_BYTES;
}

struct cm_resource *
cm_address_space_use(struct cm_address_space *space, uint32_t id)
{
   if (id == 0)
      return NULL;
   struct cm_resource *resource = find_resource(space, id);
   if (!resource) {
      report(space, id, "was never defined");
      return NULL;
   }
   if (resource->address)
      return resource;

   resource->bytes = resource->description.width;
   if (!resource->description.is_buffer) {
      resource->layout = malloc(sizeof *resource->layout);
      if (!resource->layout) {
         space->out_of_memory = true;
         report(space, id, "does not fit into memory");
         return NULL;
      }
      cm_texture_layout_init(resource->layout, &resource->description, space->config);
      resource->bytes = resource->layout->bytes;
   }
   const uint64_t offset = resource->layout ? next_offset(space) : 0;
   resource->address = cm_address_space_reserve(space, resource->bytes + offset) + offset;
   return resource;
}

/* What the parts have where the configuration does not say it: as many as Arm's (configs/mali-like.yaml). */
#define PART_BYTES 32
#define LINE 64

static uint32_t
resource_bytes(const struct cm_config *config)
{
   return config->descriptors.resource_bytes ? config->descriptors.resource_bytes : PART_BYTES;
}

static uint32_t
sampler_bytes(const struct cm_config *config)
{
   return config->descriptors.sampler_bytes ? config->descriptors.sampler_bytes : PART_BYTES;
}

bool
cm_address_space_next_descriptors(const struct cm_address_space *space,
                                  const struct cm_descriptors *descriptors, uint32_t *number,
                                  struct cm_descriptor_range *range)
{
   const uint64_t resource = resource_bytes(space->config), each = resource + sampler_bytes(space->config);
   const uint64_t begin = descriptors->parts & CM_DESCRIPTOR_RESOURCE ? 0 : resource;
   const uint64_t end = descriptors->parts & CM_DESCRIPTOR_SAMPLER ? each : resource;
   assert(begin < end);
   if (*number >= descriptors->count)
      return false;
   uint64_t first = (descriptors->first + (uint64_t)*number) * each;
   range->begin = first + begin;
   do {
      range->end = first + end;
      first += each;
      ++*number;
   } while (*number < descriptors->count && (first + begin) / LINE <= (range->end - 1) / LINE + 1);
   return true;
}

uint64_t
cm_address_space_find_descriptors(const struct cm_address_space *space,
                                  const struct cm_descriptors *descriptors)
{
   const struct cm_resource *set = find_resource(space, descriptors->set);
   return set && descriptors->set_size <= set->set_size ? set->descriptors : 0;
}

uint64_t
cm_address_space_use_descriptors(struct cm_address_space *space, const struct cm_descriptors *descriptors)
{
   struct cm_resource *set = find_resource(space, descriptors->set);
   if (!set) {
      report(space, descriptors->set, "was never defined");
      return 0;
   }
   assert(descriptors->count && descriptors->first + (uint64_t)descriptors->count <= descriptors->set_size);
   if (descriptors->set_size > set->set_size) {
      const uint64_t each = resource_bytes(space->config) + sampler_bytes(space->config);
      const uint64_t bytes = (descriptors->set_size * each + LINE - 1) & ~(uint64_t)(LINE - 1);
      if (space->sets_end - space->next_set < bytes) {
         space->next_set = cm_address_space_reserve(space, bytes);
         space->sets_end = space->next;
      }
      set->descriptors = space->next_set;
      set->set_size = descriptors->set_size;
      space->next_set += bytes;
   }
   return set->descriptors;
}

struct cm_hiz_buffer *
cm_address_space_use_hiz(struct cm_address_space *space, struct cm_resource *resource)
{
   assert(resource->address && !resource->description.is_buffer);
   if (!resource->hiz) {
      resource->hiz = malloc(sizeof *resource->hiz);
      if (!resource->hiz) {
         space->out_of_memory = true;
         report(space, resource->description.id, "does not fit into memory with its hierarchical depth");
         return NULL;
      }
      cm_hiz_buffer_init(resource->hiz, &resource->description, &space->config->immediate);
      resource->hiz->address = cm_address_space_reserve(space, resource->hiz->bytes);
   }
   return resource->hiz;
}

bool
cm_address_space_use_cleared(struct cm_address_space *space, struct cm_resource *resource,
                             enum cm_stream stream, const struct cm_hierarchy *hierarchy, uint64_t *pipeline)
{
   assert(resource->address && stream < CM_STREAM_COUNT);
   struct cm_hiz_buffer *hiz = resource->hiz;
   if (!resource->cleared)
      resource->cleared = cm_cleared_blocks_create(resource->address, resource->bytes,
                                                   hierarchy->entry[stream].block_shift, stream, pipeline);
   if (hiz && !hiz->cleared)
      hiz->cleared =
         cm_cleared_blocks_create(hiz->address, hiz->bytes, CM_HIZ_BLOCK_SHIFT, CM_STREAM_HIZ, pipeline);
   if (resource->cleared && (!hiz || hiz->cleared))
      return true;
   space->out_of_memory = true;
   report(space, resource->description.id, "does not fit into memory with the bits of its clears");
   return false;
}

/* ---- shaders ----------------------------------------------------------- */

static struct cm_shader_memory *
find_or_add_shader(struct cm_address_space *space, uint64_t key)
{
   const uint32_t known = cm_id_table_find(&space->shader_ids, key);
   if (known != CM_NO_INDEX)
      return &space->shaders[known];
   if (!cm_array_grow(&space->shaders, space->shader_ids.count, sizeof *space->shaders))
      return NULL;
   const uint32_t added = cm_id_table_add(&space->shader_ids, key);
   if (added == CM_NO_INDEX)
      return NULL;
   space->shaders[added] = (struct cm_shader_memory){0};
   return &space->shaders[added];
}

static uint64_t
shader_key(enum cm_shader_stage stage, const struct cm_shader *shader)
{
   return (uint64_t)shader->id << 2 | (uint64_t)stage;
}

const struct cm_shader_memory *
cm_address_space_find_shader(const struct cm_address_space *space, enum cm_shader_stage stage,
                             const struct cm_shader *shader)
{
   const uint32_t known = cm_id_table_find(&space->shader_ids, shader_key(stage, shader));
   const struct cm_shader_memory *memory = known != CM_NO_INDEX ? &space->shaders[known] : NULL;
   return memory && (uint64_t)shader->instructions * CM_INSTRUCTION_BYTES <= memory->instruction_bytes &&
                shader->constant_bytes <= memory->constant_bytes
             ? memory
             : NULL;
}

const struct cm_shader_memory *
cm_address_space_shader(struct cm_address_space *space, enum cm_shader_stage stage,
                        const struct cm_shader *shader)
{
   assert(shader->id);
   const uint64_t instruction_bytes = (uint64_t)shader->instructions * CM_INSTRUCTION_BYTES;
   struct cm_shader_memory *memory = find_or_add_shader(space, shader_key(stage, shader));
   if (!memory)
      return NULL;
   if (instruction_bytes > memory->instruction_bytes) {
      memory->instructions = cm_address_space_reserve(space, instruction_bytes);
      memory->instruction_bytes = instruction_bytes;
   }
   if (shader->constant_bytes > memory->constant_bytes) {
      memory->constants = cm_address_space_reserve(space, shader->constant_bytes);
      memory->constant_bytes = shader->constant_bytes;
   }
   return memory;
}
