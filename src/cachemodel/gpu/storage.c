/* SPDX-License-Identifier: MIT */
#include "gpu/storage.h"

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "util/message.h"
#include "util/minmax.h"

/* Of a struct cm_storage, by its numbers; NULL: nothing is bound. */
struct bound_storage {
   struct cm_resource *buffers[CM_MAX_STORAGE_BUFFERS];
   struct cm_resource *images[CM_MAX_IMAGES];
};

/* ---- beginning ------------------------------------------------------------- */

/* What is not simulated makes the statistics incomplete, with a message. */
static bool
can_simulate(struct cm_gpu *gpu)
{
   const char *wrong = NULL;
   if (!cm_config_has_stream(&gpu->config, CM_STREAM_STORAGE))
      wrong = "storage of shaders is accessed, but streams.storage is not there: its accesses are not "
              "counted; the "
              "statistics are incomplete from here on";
   else if (gpu->timing)
      wrong = "compute shaders and storage are not simulated with timing: on; the statistics are incomplete "
              "from here "
              "on";
   if (wrong && !gpu->storage_refused)
      cm_message(CM_MESSAGE_ERROR, "%s", wrong);
   gpu->storage_refused |= wrong != NULL;
   return !wrong;
}

static void
bind(struct cm_gpu *gpu, const struct cm_storage *storage, struct bound_storage *bound)
{
   *bound = (struct bound_storage){0};
   for (uint32_t b = 0; b < storage->num_buffers; b++)
      bound->buffers[b] = cm_address_space_use(&gpu->space, storage->buffers[b].resource);
   for (uint32_t i = 0; i < storage->num_images; i++)
      bound->images[i] = cm_address_space_use(&gpu->space, storage->images[i].resource);
}

bool
cm_storage_begin(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   gpu->has_storage = false;
   if (!pass->num_storages && pass->kind != CM_PASS_COMPUTE)
      return true;
   gpu->has_storage = can_simulate(gpu);
   if (!cm_array_reserve(&gpu->storages, pass->num_storages, sizeof(struct bound_storage)))
      return false;
   for (uint32_t s = 0; s < pass->num_storages; s++)
      bind(gpu, &pass->storages[s], &((struct bound_storage *)gpu->storages.data)[s]);
   return true;
}

/* ---- the blocks of an instruction ------------------------------------------- */

/* A lane's bytes are in two blocks at most. */
#define MAX_BLOCKS (2 * CM_INVOCATIONS)

struct touched_block {
   uint64_t block;
   uint32_t bytes; /* accessed, those of several lanes counted as often */
   uint64_t mask;  /* of blocks of up to 64 bytes: which bytes */
};

struct touched {
   uint32_t shift; /* binary logarithm of a block's bytes */
   uint32_t count;
   struct touched_block blocks[MAX_BLOCKS];
};

static uint64_t
bits(uint32_t count)
{
   return count < 64 ? (1ull << count) - 1 : UINT64_MAX;
}

static void
touch_part(struct touched *touched, uint64_t block, uint32_t offset, uint32_t bytes)
{
   uint32_t b = 0;
   while (b < touched->count && touched->blocks[b].block != block)
      b++;
   if (b == touched->count)
      touched->blocks[touched->count++] = (struct touched_block){.block = block};
   if (offset < 64)
      touched->blocks[b].mask |= bits(bytes) << offset;
}

static void
touch(struct touched *touched, uint64_t address, uint32_t bytes)
{
   const uint64_t end = address + bytes, block_bytes = 1ull << touched->shift;
   while (address < end) {
      const uint32_t offset = (uint32_t)(address & (block_bytes - 1));
      const uint32_t part = (uint32_t)cm_min64(end - address, block_bytes - offset);
      touch_part(touched, address >> touched->shift, offset, part);
      address += part;
   }
}

static void
touch_buffer(struct touched *touched, const struct cm_storage_buffer *binding,
             const struct cm_resource *resource, const struct cm_buffer_access *access, uint32_t live,
             uint32_t bytes)
{
   for (unsigned i = 0; i < 4; i++) {
      const uint64_t offset = (uint64_t)binding->offset + access->offset[i];
      if (live >> i & 1 && offset + bytes <= resource->bytes)
         touch(touched, resource->address + offset, bytes);
   }
}

static uint64_t
texel_address(const struct cm_texture_binding *binding, const struct cm_resource *resource,
              const struct cm_footprint *footprint, unsigned fragment)
{
   const struct cm_texture_layout *layout = resource->layout;
   const uint32_t x = (uint16_t)footprint->texel[fragment].x, y = (uint16_t)footprint->texel[fragment].y;
   if (!layout)
      return resource->address + binding->buffer_offset +
             ((uint64_t)y * 32768 + x) * cm_max(binding->texel_bytes, 1);
   const struct cm_texture_level *level =
      &layout->levels[cm_min(binding->first_level, layout->num_levels - 1)];
   const uint32_t images = layout->layers > 1 ? layout->layers : level->slices;
   const uint32_t layer = cm_min(binding->first_layer + footprint->layer, images - 1);
   /* A texel of a compressed format is written as a whole block. */
   return resource->address + cm_texture_slice_offset(layout, level, layer) +
          layout->placement->texel_offset(layout, level, cm_min(x, level->columns - 1),
                                          cm_min(y, level->rows - 1)) +
          (layout->samples > 1 ? (uint64_t)footprint->level * layout->sample_bytes : 0);
}

static void
touch_image(struct touched *touched, const struct cm_texture_binding *binding,
            const struct cm_resource *resource, const struct cm_footprint *footprint, uint32_t live)
{
   const uint32_t bytes = resource->layout ? resource->layout->sample_bytes : cm_max(binding->texel_bytes, 1);
   for (unsigned i = 0; i < 4; i++) {
      if (!(live >> i & 1))
         continue;
      const uint64_t address = texel_address(binding, resource, footprint, i);
      if (address + bytes <= resource->address + resource->bytes)
         touch(touched, address, bytes);
   }
}

/* ---- accesses ----------------------------------------------------------------- */

static void
access_block(struct cm_gpu *gpu, const struct touched *touched, const struct touched_block *block,
             enum cm_storage_operation operation, uint32_t processor)
{
   struct cm_hierarchy *hierarchy = &gpu->hierarchy;
   const uint64_t address = block->block << touched->shift;
   const bool whole = touched->shift <= 6 && block->mask == bits(1u << touched->shift);
   switch (operation) {
   case CM_STORAGE_LOAD:
      cm_hierarchy_access(hierarchy, processor, address, CM_STREAM_STORAGE, CM_READ);
      break;
   case CM_STORAGE_STORE:
      cm_hierarchy_access(hierarchy, processor, address, CM_STREAM_STORAGE,
                          whole ? CM_WRITE_BLOCK : CM_WRITE);
      break;
   default: cm_hierarchy_atomic(hierarchy, processor, address, CM_STREAM_STORAGE); break;
   }
}

static void
count(struct cm_gpu *gpu, enum cm_storage_operation operation)
{
   static const enum cm_pipeline_counter counters[CM_STORAGE_OPERATIONS] = {
      [CM_STORAGE_LOAD] = CM_PIPELINE_STORAGE_LOADS,
      [CM_STORAGE_STORE] = CM_PIPELINE_STORAGE_STORES,
      [CM_STORAGE_ATOMIC] = CM_PIPELINE_STORAGE_ATOMICS,
   };
   gpu->pipeline[counters[operation]]++;
}

static void
access_all(struct cm_gpu *gpu, struct cm_resource *resource, const struct touched *touched,
           enum cm_storage_operation operation, uint32_t processor)
{
   if (!touched->count)
      return;
   cm_gpu_attribute_resource(gpu, resource->description.id);
   count(gpu, operation);
   resource->stored |= operation != CM_STORAGE_LOAD;
   for (uint32_t b = 0; b < touched->count; b++)
      access_block(gpu, touched, &touched->blocks[b], operation, processor);
}

void
cm_storage_access(struct cm_gpu *gpu, uint32_t storage, const uint32_t *event, uint32_t first, uint32_t end,
                  uint32_t live, uint32_t processor)
{
   const struct cm_storage *described = &gpu->pass->storages[storage];
   const struct bound_storage *bound = &((const struct bound_storage *)gpu->storages.data)[storage];
   const uint32_t unit = cm_storage_unit(*event), count = cm_event_count(*event);
   const bool is_buffer = cm_event_type(*event) == CM_EVENT_BUFFER;
   struct cm_resource *resource = is_buffer ? bound->buffers[unit] : bound->images[unit];
   struct touched touched = {.shift = gpu->hierarchy.entry[CM_STREAM_STORAGE].block_shift};
   if (!resource || !gpu->has_storage)
      return;
   for (uint32_t i = 0; i < count; i++) {
      const struct cm_buffer_access *access = (const struct cm_buffer_access *)(event + 1) + i;
      const struct cm_footprint *footprint = (const struct cm_footprint *)(event + 1) + i;
      const uint32_t quad = is_buffer ? access->quad : footprint->quad;
      if (quad < first || quad >= end)
         continue;
      if (is_buffer)
         touch_buffer(&touched, &described->buffers[unit], resource, access, access->live & live,
                      cm_storage_bytes(*event));
      else
         touch_image(&touched, &described->images[unit], resource, footprint, footprint->live & live);
   }
   access_all(gpu, resource, &touched, cm_storage_operation(*event), processor);
}

/* ---- end ------------------------------------------------------------------------ */

static void
finish_resource(struct cm_gpu *gpu, struct cm_resource *resource)
{
   if (!resource || !resource->stored)
      return;
   cm_gpu_attribute_resource(gpu, resource->description.id);
   cm_hierarchy_written_past(&gpu->hierarchy, &gpu->config, CM_STREAM_STORAGE, resource->address,
                             resource->address + resource->bytes);
   resource->sampled = resource->stored = false;
}

void
cm_storage_end(struct cm_gpu *gpu)
{
   if (!gpu->has_storage)
      return;
   cm_gpu_attribute_resource(gpu, 0);
   cm_hierarchy_empty_private(&gpu->hierarchy, CM_STREAM_STORAGE);
   for (uint32_t s = 0; s < gpu->pass->num_storages; s++) {
      const struct bound_storage *bound = &((const struct bound_storage *)gpu->storages.data)[s];
      for (uint32_t b = 0; b < CM_MAX_STORAGE_BUFFERS; b++)
         finish_resource(gpu, bound->buffers[b]);
      for (uint32_t i = 0; i < CM_MAX_IMAGES; i++)
         finish_resource(gpu, bound->images[i]);
   }
   gpu->has_storage = false;
}
