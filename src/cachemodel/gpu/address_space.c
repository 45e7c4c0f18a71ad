/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/address_space.h"

void
cm_address_space_init(struct cm_address_space *space, const struct cm_config *config)
{
   memset(space, 0, sizeof *space);
   space->config = config;
   space->next = CM_PAGE_BYTES; /* address 0 is nobody's */
}

void
cm_address_space_finish(struct cm_address_space *space)
{
   for (uint32_t i = 0; i < space->num_resources; i++) {
      if (space->resources[i])
         free(space->resources[i]->layout);
      free(space->resources[i]);
   }
   free(space->resources);
   free(space->programs);
}

static uint64_t
allocate(struct cm_address_space *space, uint64_t bytes)
{
   const uint64_t address = space->next;
   const uint64_t pages = bytes ? (bytes + CM_PAGE_BYTES - 1) / CM_PAGE_BYTES : 1;
   space->next += pages * CM_PAGE_BYTES;
   return address;
}

static void
complain(struct cm_address_space *space, uint32_t id, const char *what)
{
   if (!space->complained)
      fprintf(stderr, "tbrsim: resource %u %s; its accesses are not counted\n", id, what);
   space->complained = true;
}

bool
cm_address_space_define(struct cm_address_space *space, const struct cm_resource_description *description)
{
   const uint32_t id = description->id;
   if (id >= space->num_resources) {
      uint32_t count = space->num_resources ? space->num_resources : 64;
      while (count <= id)
         count = count > UINT32_MAX / 2 ? UINT32_MAX : count * 2;
      struct cm_resource **larger = realloc(space->resources, count * sizeof *larger);
      if (!larger)
         return false;
      memset(larger + space->num_resources, 0, (count - space->num_resources) * sizeof *larger);
      space->resources = larger;
      space->num_resources = count;
   }
   if (space->resources[id]) {
      complain(space, id, "was defined twice");
      return true;
   }
   space->resources[id] = calloc(1, sizeof **space->resources);
   if (!space->resources[id])
      return false;
   space->resources[id]->description = *description;
   return true;
}

struct cm_resource *
cm_address_space_use(struct cm_address_space *space, uint32_t id)
{
   if (id == 0)
      return NULL;
   struct cm_resource *resource = id < space->num_resources ? space->resources[id] : NULL;
   if (!resource) {
      complain(space, id, "was never defined");
      return NULL;
   }
   if (resource->address)
      return resource;

   resource->bytes = resource->description.width;
   if (!resource->description.is_buffer) {
      resource->layout = malloc(sizeof *resource->layout);
      if (!resource->layout) {
         complain(space, id, "finds no memory");
         return NULL;
      }
      cm_texture_layout_init(resource->layout, &resource->description, space->config);
      resource->bytes = resource->layout->bytes;
   }
   resource->address = allocate(space, resource->bytes);
   return resource;
}

/* ---- programs ---------------------------------------------------------- */

static uint32_t
program_slot(const struct cm_program_memory *programs, uint32_t capacity, uint64_t key)
{
   uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (capacity - 1);
   while (programs[slot].key && programs[slot].key != key)
      slot = (slot + 1) & (capacity - 1);
   return slot;
}

static bool
grow_programs(struct cm_address_space *space)
{
   const uint32_t capacity = space->program_capacity ? space->program_capacity * 2 : 64;
   struct cm_program_memory *programs = calloc(capacity, sizeof *programs);
   if (!programs)
      return false;
   for (uint32_t i = 0; i < space->program_capacity; i++) {
      if (space->programs[i].key)
         programs[program_slot(programs, capacity, space->programs[i].key)] = space->programs[i];
   }
   free(space->programs);
   space->programs = programs;
   space->program_capacity = capacity;
   return true;
}

const struct cm_program_memory *
cm_address_space_program(struct cm_address_space *space, enum cm_program_stage stage,
                         const struct cm_program *program)
{
   if (space->num_programs * 2 >= space->program_capacity && !grow_programs(space))
      return NULL;
   const uint64_t key = (uint64_t)program->id << 2 | (uint64_t)stage;
   const uint64_t instruction_bytes = (uint64_t)program->instructions * CM_INSTRUCTION_BYTES;
   struct cm_program_memory *memory =
      &space->programs[program_slot(space->programs, space->program_capacity, key)];
   if (!memory->key) {
      memory->key = key;
      space->num_programs++;
   }
   if (instruction_bytes > memory->instruction_bytes) {
      memory->instructions = allocate(space, instruction_bytes);
      memory->instruction_bytes = instruction_bytes;
   }
   if (program->constant_bytes > memory->constant_bytes) {
      memory->constants = allocate(space, program->constant_bytes);
      memory->constant_bytes = program->constant_bytes;
   }
   return memory;
}
