/* SPDX-License-Identifier: MIT */
#include "gpu/compute/storage.h"

#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/compression.h"
#include "gpu/gpu_internal.h"
#include "gpu/compute/touched_blocks.h"
#include "util/message.h"
#include "util/minmax.h"

#define NO_IMAGE UINT64_MAX

/* An image, and which of its layers and samples was accessed last. */
struct bound_image {
   struct cm_resource *resource;
   uint64_t key; /* layer << 8 | sample; NO_IMAGE: none */
   struct cm_texture_image image;
};

/* Of a struct cm_storage, by its numbers; NULL: nothing is bound. */
struct bound_storage {
   struct cm_resource *buffers[CM_MAX_STORAGE_BUFFERS];
   struct bound_image images[CM_MAX_IMAGES];
};

/* ---- beginning ------------------------------------------------------------- */

/* What is not simulated makes the statistics incomplete, with a message. */
static bool
can_simulate(struct cm_storage_stage *stage)
{
   if (cm_config_has_stream(&stage->gpu->config, CM_STREAM_STORAGE))
      return true;
   if (!stage->has_refused)
      cm_message(CM_MESSAGE_ERROR, "storage of shaders is accessed, but streams.storage is not there: its "
                                   "accesses are not counted; the statistics are incomplete from here on");
   stage->has_refused = true;
   return false;
}

/* An image, or a buffer. Images are not compressed any more. */
static struct cm_resource *
use_storage(struct cm_gpu *gpu, uint32_t id)
{
   struct cm_resource *resource = cm_address_space_use(&gpu->space, id);
   if (gpu->compression && resource)
      cm_compression_give_up(gpu, resource);
   return resource;
}

static void
bind(struct cm_gpu *gpu, const struct cm_storage *storage, struct bound_storage *bound)
{
   *bound = (struct bound_storage){0};
   for (uint32_t b = 0; b < storage->num_buffers; b++)
      bound->buffers[b] = cm_address_space_use(&gpu->space, storage->buffers[b].resource);
   for (uint32_t i = 0; i < storage->num_images; i++)
      bound->images[i] =
         (struct bound_image){.resource = use_storage(gpu, storage->images[i].resource), .key = NO_IMAGE};
}

/* What shaders before the rasterizer access. */
static bool
bind_vertices(struct cm_storage_stage *stage)
{
   struct cm_gpu *gpu = stage->gpu;
   const struct cm_pass *pass = gpu->pass;
   stage->num_bound_vertex = cm_pass_has_vertex_storage(pass) ? pass->num_vertex_bindings : 0;
   if (!cm_array_reserve(&stage->bound_vertex, stage->num_bound_vertex, sizeof(struct bound_image)))
      return false;
   struct bound_image *bound = stage->bound_vertex.data;
   for (uint32_t b = 0; b < stage->num_bound_vertex; b++) {
      const struct cm_texture_binding *binding = &pass->vertex_bindings[b];
      bound[b] =
         (struct bound_image){.resource = binding->is_storage ? use_storage(gpu, binding->resource) : NULL,
                              .key = NO_IMAGE};
   }
   return true;
}

/* Those that are accessed get their simulated memory then: a program has many more that it could access. */
static bool
bind_addressed(struct cm_storage_stage *stage)
{
   const uint32_t count = stage->gpu->pass->num_addressed;
   if (!cm_array_reserve(&stage->addressed, count, sizeof(struct cm_resource *)))
      return false;
   for (uint32_t a = 0; a < count; a++)
      ((struct cm_resource **)stage->addressed.data)[a] = NULL;
   return true;
}

bool
cm_storage_begin(struct cm_storage_stage *stage)
{
   const struct cm_pass *pass = stage->gpu->pass;
   stage->is_used = false;
   if (!bind_vertices(stage) || !bind_addressed(stage))
      return false;
   if (!pass->num_storages && !stage->num_bound_vertex && pass->kind != CM_PASS_COMPUTE)
      return true;
   stage->is_used = can_simulate(stage);
   if (!cm_array_reserve(&stage->bound, pass->num_storages, sizeof(struct bound_storage)))
      return false;
   for (uint32_t s = 0; s < pass->num_storages; s++)
      bind(stage->gpu, &pass->storages[s], &((struct bound_storage *)stage->bound.data)[s]);
   return true;
}

/* Which quads of an event access, and which of their four invocations. */
struct quads {
   uint32_t first, end, live;
};

/* ---- accesses ----------------------------------------------------------------- */

static void
access_block(struct cm_gpu *gpu, const struct cm_touched_blocks *touched, uint32_t number,
             enum cm_storage_operation operation, uint32_t processor)
{
   struct cm_hierarchy *hierarchy = &gpu->hierarchy;
   const uint64_t address = touched->block[number] << touched->shift;
   switch (operation) {
   case CM_STORAGE_LOAD:
      cm_hierarchy_access(hierarchy, processor, address, CM_STREAM_STORAGE, CM_READ);
      break;
   case CM_STORAGE_STORE:
      cm_hierarchy_access(hierarchy, processor, address, CM_STREAM_STORAGE,
                          cm_touches_whole_block(touched, number) ? CM_WRITE_BLOCK : CM_WRITE);
      break;
   default: cm_hierarchy_atomic(hierarchy, processor, address, CM_STREAM_STORAGE); break;
   }
}

static bool
access_all(struct cm_gpu *gpu, struct cm_resource *resource, const struct cm_touched_blocks *touched,
           enum cm_storage_operation operation, uint32_t processor)
{
   if (!touched->count)
      return false;
   cm_gpu_attribute_resource(gpu, resource->description.id);
   static_assert(CM_STORAGE_STORE == 1 && CM_PIPELINE_STORAGE_STORES == CM_PIPELINE_STORAGE_LOADS + 1, "");
   static_assert(CM_STORAGE_ATOMIC == 2 && CM_PIPELINE_STORAGE_ATOMICS == CM_PIPELINE_STORAGE_LOADS + 2, "");
   gpu->pipeline[CM_PIPELINE_STORAGE_LOADS + operation]++;
   cm_timing_storage(gpu->timing, operation, processor, touched->count, resource->description.id);
   for (uint32_t b = 0; gpu->timing && b < touched->count; b++)
      cm_timing_storage_block(gpu->timing, touched->block[b] << touched->shift);
   resource->stored |= operation != CM_STORAGE_LOAD;
   for (uint32_t b = 0; b < touched->count; b++)
      access_block(gpu, touched, b, operation, processor);
   return true;
}

static bool
is_of(const struct cm_buffer_access *access, const struct quads *quads)
{
   return access->quad >= quads->first && access->quad < quads->end;
}

/* offset: of the binding; number: as the accesses have it. */
static void
touch_buffer(struct cm_touched_blocks *touched, const struct cm_resource *resource, uint32_t offset,
             uint32_t number, const uint32_t *event, const struct quads *quads)
{
   const struct cm_buffer_access *accesses = (const struct cm_buffer_access *)(event + 1);
   const uint64_t begin = resource->address + offset, end = resource->address + resource->bytes;
   const uint32_t bytes = cm_storage_bytes(*event), count = cm_event_count(*event);
   for (uint32_t i = 0; i < count; i++) {
      if (is_of(&accesses[i], quads) && accesses[i].buffer == number)
         cm_touch_buffer(touched, begin, end, &accesses[i], accesses[i].live & quads->live, bytes);
   }
}

static struct cm_resource *
find_addressed(struct cm_storage_stage *stage, uint32_t number)
{
   struct cm_gpu *gpu = stage->gpu;
   if (number >= gpu->pass->num_addressed)
      return NULL;
   struct cm_resource **found = (struct cm_resource **)stage->addressed.data + number;
   if (!*found)
      *found = cm_address_space_use(&gpu->space, gpu->pass->addressed[number]);
   return *found;
}

/* Accesses by address: those of each buffer are an instruction, in the order in which the quads come to them. */
static bool
access_addressed(struct cm_storage_stage *stage, const uint32_t *event, const struct quads *quads,
                 uint32_t processor)
{
   struct cm_gpu *gpu = stage->gpu;
   const struct cm_buffer_access *accesses = (const struct cm_buffer_access *)(event + 1);
   const enum cm_storage_operation operation = cm_storage_operation(*event);
   bool any = false;
   for (uint32_t i = 0; i < cm_event_count(*event); i++) {
      uint32_t before = 0;
      while (before < i &&
             !(is_of(&accesses[before], quads) && accesses[before].buffer == accesses[i].buffer))
         before++;
      struct cm_resource *resource =
         is_of(&accesses[i], quads) && before == i ? find_addressed(stage, accesses[i].buffer) : NULL;
      struct cm_touched_blocks touched;
      if (!resource)
         continue;
      cm_touched_blocks_init(&touched, gpu->hierarchy.entry[CM_STREAM_STORAGE].block_shift,
                             operation == CM_STORAGE_STORE);
      touch_buffer(&touched, resource, 0, accesses[i].buffer, event, quads);
      any |= access_all(gpu, resource, &touched, operation, processor);
   }
   return any;
}

/* The image of a footprint's layer and sample. */
static const struct cm_texture_image *
find_image(struct bound_image *bound, const struct cm_texture_binding *binding,
           const struct cm_footprint *footprint, uint32_t shift)
{
   const uint64_t key = (uint64_t)footprint->layer << 8 | footprint->level;
   if (bound->key != key)
      cm_texture_image_init(&bound->image, bound->resource->layout, bound->resource->address, binding,
                            footprint, shift);
   bound->key = key;
   return &bound->image;
}

static void
touch_texels(struct cm_touched_blocks *touched, const struct cm_texture_binding *binding,
             struct bound_image *bound, const struct cm_footprint *footprint, uint32_t live)
{
   const struct cm_resource *resource = bound->resource;
   if (resource->layout)
      cm_touch_image(touched, find_image(bound, binding, footprint, touched->shift), footprint, live);
   else
      cm_touch_image_buffer(touched, resource->address + binding->buffer_offset,
                            resource->address + resource->bytes, footprint, live,
                            cm_max(binding->texel_bytes, 1));
}

static void
touch_image(struct cm_touched_blocks *touched, const struct cm_texture_binding *binding,
            struct bound_image *bound, const uint32_t *event, const struct quads *quads)
{
   const struct cm_footprint *footprints = (const struct cm_footprint *)(event + 1);
   for (uint32_t i = 0, count = cm_event_count(*event); i < count; i++) {
      if (footprints[i].quad >= quads->first && footprints[i].quad < quads->end)
         touch_texels(touched, binding, bound, &footprints[i], footprints[i].live & quads->live);
   }
}

bool
cm_storage_access(struct cm_storage_stage *stage, uint32_t storage, const uint32_t *event, uint32_t first,
                  uint32_t end, uint32_t live, uint32_t processor)
{
   struct cm_gpu *gpu = stage->gpu;
   assert(storage < gpu->pass->num_storages && first < end);
   const struct cm_storage *described = &gpu->pass->storages[storage];
   struct bound_storage *bound = &((struct bound_storage *)stage->bound.data)[storage];
   const uint32_t unit = cm_storage_unit(*event);
   const bool is_buffer = cm_event_type(*event) == CM_EVENT_BUFFER;
   const enum cm_storage_operation operation = cm_storage_operation(*event);
   const struct quads quads = {first, end, live};
   struct cm_touched_blocks touched;
   if (is_buffer && unit == CM_BY_ADDRESS)
      return stage->is_used && access_addressed(stage, event, &quads, processor);
   struct cm_resource *resource = is_buffer ? bound->buffers[unit] : bound->images[unit].resource;
   if (!resource || !stage->is_used)
      return false;
   cm_touched_blocks_init(&touched, gpu->hierarchy.entry[CM_STREAM_STORAGE].block_shift,
                          operation == CM_STORAGE_STORE);
   if (is_buffer)
      touch_buffer(&touched, resource, described->buffers[unit].offset, 0, event, &quads);
   else
      touch_image(&touched, &described->images[unit], &bound->images[unit], event, &quads);
   return access_all(gpu, resource, &touched, operation, processor);
}

void
cm_storage_access_vertex(struct cm_storage_stage *stage, const struct cm_vertex_access *access,
                         uint32_t processor)
{
   struct cm_gpu *gpu = stage->gpu;
   assert(access->type != CM_VERTEX_TEXTURE && access->binding < gpu->pass->num_vertex_bindings);
   const struct cm_texture_binding *binding = &gpu->pass->vertex_bindings[access->binding];
   struct bound_image *bound = (struct bound_image *)stage->bound_vertex.data + access->binding;
   const enum cm_storage_operation operation = (enum cm_storage_operation)access->operation;
   struct cm_touched_blocks touched;
   if (!bound->resource || !stage->is_used)
      return;
   cm_touched_blocks_init(&touched, gpu->hierarchy.entry[CM_STREAM_STORAGE].block_shift,
                          operation == CM_STORAGE_STORE);
   const struct cm_footprint footprint = {.level = access->level,
                                          .live = 1,
                                          .layer = access->layer,
                                          .texel = {{(int16_t)access->x, (int16_t)access->y}}};
   if (access->type == CM_VERTEX_BUFFER)
      cm_touch_buffer(&touched, bound->resource->address + binding->buffer_offset,
                      bound->resource->address + bound->resource->bytes,
                      &(struct cm_buffer_access){.live = 1, .offset = {access->layer}}, 1, access->bytes);
   else
      touch_texels(&touched, binding, bound, &footprint, 1);
   access_all(gpu, bound->resource, &touched, operation, processor);
}

/* ---- end ------------------------------------------------------------------------ */

static void
finish_resource(struct cm_gpu *gpu, struct cm_resource *resource)
{
   if (!resource || !resource->stored)
      return;
   cm_gpu_written_past(gpu, resource, CM_STREAM_STORAGE);
   resource->stored = false;
}

/* The load/store caches are written back and emptied; what was stored is stale in read-only caches. */
static void
write_back(struct cm_storage_stage *stage)
{
   struct cm_gpu *gpu = stage->gpu;
   cm_gpu_attribute_resource(gpu, 0);
   for (uint32_t c = 0; c < gpu->hierarchy.entry[CM_STREAM_STORAGE].instances; c++) {
      cm_timing_storage(gpu->timing, CM_STORAGE_STORE, c, 0, 0);
      cm_hierarchy_empty_private(&gpu->hierarchy, CM_STREAM_STORAGE, c);
   }
   for (uint32_t s = 0; s < gpu->pass->num_storages; s++) {
      const struct bound_storage *bound = &((const struct bound_storage *)stage->bound.data)[s];
      for (uint32_t b = 0; b < CM_MAX_STORAGE_BUFFERS; b++)
         finish_resource(gpu, bound->buffers[b]);
      for (uint32_t i = 0; i < CM_MAX_IMAGES; i++)
         finish_resource(gpu, bound->images[i].resource);
   }
   for (uint32_t a = 0; a < gpu->pass->num_addressed; a++)
      finish_resource(gpu, ((struct cm_resource **)stage->addressed.data)[a]);
   for (uint32_t b = 0; b < stage->num_bound_vertex; b++)
      finish_resource(gpu, ((const struct bound_image *)stage->bound_vertex.data)[b].resource);
}

void
cm_storage_end(struct cm_storage_stage *stage)
{
   struct cm_gpu *gpu = stage->gpu;
   if (!stage->is_used && gpu->pass->kind != CM_PASS_COMPUTE)
      return;
   cm_timing_begin(gpu->timing, CM_LOG_STORED, 0);
   if (stage->is_used)
      write_back(stage);
   cm_timing_end(gpu->timing);
   stage->is_used = false;
}

void
cm_storage_finish(struct cm_storage_stage *stage)
{
   CM_FREE_ARRAYS(&stage->bound, &stage->bound_vertex, &stage->addressed);
}
