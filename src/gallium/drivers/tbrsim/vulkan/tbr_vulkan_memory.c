/* SPDX-License-Identifier: MIT */
/** Memory that the program allocates, and buffers and images that it binds to it. */
#include <assert.h>
#include <stdlib.h>

#include "lp_texture.h"
#include "util/hash_table.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "pipe/tbr_functions.h"
#include "state/tbr_resource.h"
#include "state/tbr_screen.h"
#include "vulkan/tbr_vulkan.h"

/** Vector loads of a last element may reach past it. */
#define MEMORY_SLACK 64

/* ---- allocations ---------------------------------------------------------- */

/** lavapipe makes some itself, on its stack: only the address counts. */
struct memory {
   struct llvmpipe_memory_allocation base;
   void *allocation;
};

static struct pipe_memory_allocation *
allocate_memory(struct pipe_screen *screen, uint64_t size)
{
   struct memory *memory = CALLOC_STRUCT(memory);
   if (!memory)
      return NULL;
   /* Zeroed, so that no image depends on what the memory was used for before. */
   memory->allocation = calloc(1, size + MEMORY_SLACK + TBR_VULKAN_MEMORY_ALIGNMENT);
   if (!memory->allocation) {
      FREE(memory);
      return NULL;
   }
   memory->base.cpu_addr = (void *)align_uintptr((uintptr_t)memory->allocation, TBR_VULKAN_MEMORY_ALIGNMENT);
   memory->base.size = size;
   return (struct pipe_memory_allocation *)memory;
}

static void
free_memory(struct pipe_screen *screen, struct pipe_memory_allocation *base)
{
   struct memory *memory = (struct memory *)base;
   free(memory->allocation);
   FREE(memory);
}

static void *
map_memory(struct pipe_screen *screen, struct pipe_memory_allocation *memory)
{
   return ((struct llvmpipe_memory_allocation *)memory)->cpu_addr;
}

static void
unmap_memory(struct pipe_screen *screen, struct pipe_memory_allocation *memory)
{
}

/* ---- resources ------------------------------------------------------------ */

static const void *
key_of(uint32_t id)
{
   return (const void *)(uintptr_t)id;
}

static bool
add_buffer(struct pipe_resource *buffer)
{
   struct tbr_vulkan_screen *vulkan = tbr_screen(buffer->screen)->vulkan;
   simple_mtx_lock(&vulkan->buffers_lock);
   const bool ok = _mesa_hash_table_insert(vulkan->buffers, key_of(tbr_resource(buffer)->id), buffer);
   simple_mtx_unlock(&vulkan->buffers_lock);
   return ok;
}

struct pipe_resource *
tbr_vulkan_find_buffer(struct pipe_screen *screen, uint32_t id)
{
   struct tbr_vulkan_screen *vulkan = tbr_screen(screen)->vulkan;
   struct pipe_resource *found = NULL;
   if (!id)
      return NULL;
   simple_mtx_lock(&vulkan->buffers_lock);
   struct hash_entry *entry = _mesa_hash_table_search(vulkan->buffers, key_of(id));
   if (entry)
      pipe_resource_reference(&found, entry->data);
   simple_mtx_unlock(&vulkan->buffers_lock);
   return found;
}

const uint8_t *
tbr_vulkan_buffer_memory(const struct pipe_resource *buffer)
{
   const struct tbr_storage *storage = tbr_resource((struct pipe_resource *)buffer)->storage;
   assert(storage->memory);
   return storage->memory;
}

static struct pipe_resource *
resource_create_unbacked(struct pipe_screen *screen, const struct pipe_resource *template, uint64_t *size)
{
   struct pipe_resource *resource = tbr_resource_create_unbacked(screen, template, size);
   if (resource && resource->target == PIPE_BUFFER && !add_buffer(resource))
      pipe_resource_reference(&resource, NULL);
   return resource;
}

static bool
resource_bind_backing(struct pipe_screen *screen, struct pipe_resource *resource,
                      struct pipe_memory_allocation *memory, uint64_t fd_offset, uint64_t size,
                      uint64_t offset)
{
   if (!memory)
      return true;
   uint8_t *address = ((struct llvmpipe_memory_allocation *)memory)->cpu_addr;
   return tbr_resource_bind_memory(tbr_resource(resource), address + offset);
}

static void
resource_destroy(struct pipe_screen *screen, struct pipe_resource *resource)
{
   struct tbr_vulkan_screen *vulkan = tbr_screen(screen)->vulkan;
   if (resource->target == PIPE_BUFFER) {
      simple_mtx_lock(&vulkan->buffers_lock);
      _mesa_hash_table_remove_key(vulkan->buffers, key_of(tbr_resource(resource)->id));
      simple_mtx_unlock(&vulkan->buffers_lock);
   } else {
      tbr_vulkan_forget_replayed(resource);
   }
   vulkan->resource_destroy(screen, resource);
}

static bool
resource_get_param(struct pipe_screen *screen, struct pipe_context *context, struct pipe_resource *base,
                   unsigned plane, unsigned layer, unsigned level, enum pipe_resource_param param,
                   unsigned handle_usage, uint64_t *value)
{
   const struct tbr_resource *resource = tbr_resource(base);
   switch (param) {
   case PIPE_RESOURCE_PARAM_NPLANES: *value = 1; return true;
   case PIPE_RESOURCE_PARAM_STRIDE: *value = resource->row_stride[level]; return true;
   case PIPE_RESOURCE_PARAM_LAYER_STRIDE: *value = resource->layer_stride[level]; return true;
   case PIPE_RESOURCE_PARAM_OFFSET:
      *value = resource->level_offset[level] + layer * resource->layer_stride[level];
      return true;
   default: return false;
   }
}

void
tbr_vulkan_memory_init_screen(struct pipe_screen *screen)
{
   screen->allocate_memory = allocate_memory;
   screen->free_memory = free_memory;
   screen->map_memory = map_memory;
   screen->unmap_memory = unmap_memory;
   screen->resource_create_unbacked = resource_create_unbacked;
   screen->resource_bind_backing = resource_bind_backing;
   screen->resource_get_param = resource_get_param;
   tbr_screen(screen)->vulkan->resource_destroy = screen->resource_destroy;
   screen->resource_destroy = resource_destroy;
}
