/* SPDX-License-Identifier: MIT */
/* What shaders before the rasterizer access of textures, storage buffers and images. Cores of a unified GPU run all shaders:
 * the accesses go through the texture and load/store caches of the Fragment Processors. Vertices, and invocations of the
 * other stages, run in threads of some together; they do not share accesses. */
#include <assert.h>
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "gpu/storage.h"
#include "util/minmax.h"

bool
cm_vertex_accesses_begin(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   if (!pass->num_vertex_bindings)
      return true;
   if (!cm_array_reserve(&gpu->vertex_units, pass->num_vertex_bindings, sizeof(struct cm_texture_unit)))
      return false;
   struct cm_texture_unit *units = gpu->vertex_units.data;
   for (uint32_t t = 0; t < pass->num_vertex_bindings; t++) {
      const struct cm_texture_binding *binding = &pass->vertex_bindings[t];
      struct cm_resource *resource = cm_address_space_use(&gpu->space, binding->resource);
      cm_texture_unit_unbind(&units[t]);
      if (!resource || binding->is_storage)
         continue;
      resource->sampled = true;
      cm_texture_unit_bind(&units[t], binding, resource->layout, resource->address, resource->bytes);
   }
   return true;
}

/* Which runs that invocation, or the vertex of that number in the pass. */
static uint32_t
processor_of(const struct cm_gpu *gpu, uint32_t number)
{
   return number / CM_VERTICES_OF_A_THREAD % gpu->config.fragment_stage.processors;
}

static void
read_texture(struct cm_gpu *gpu, const struct cm_vertex_access *read, uint32_t processor)
{
   assert(read->binding < gpu->pass->num_vertex_bindings);
   struct cm_texture_unit *unit = (struct cm_texture_unit *)gpu->vertex_units.data + read->binding;
   struct cm_cache *cache = cm_texture_path_cache(&gpu->texture, processor);
   struct cm_footprint footprint = {.level = read->level,
                                    .live = 1,
                                    .linear = read->linear,
                                    .layer = read->layer};
   for (unsigned f = 0; f < 4; f++) {
      footprint.texel[f].x = (int16_t)read->x;
      footprint.texel[f].y = (int16_t)read->y;
   }
   if (gpu->attribution && gpu->attribution->is_by_resource)
      cm_gpu_attribute_texture(gpu, unit->binding ? unit->binding->resource : 0);
   cm_texture_unit_read(&gpu->texture, unit, &footprint, processor, cache);
   cm_texture_unit_finish_reads(&gpu->texture, cache);
   gpu->pipeline[CM_PIPELINE_VERTEX_FOOTPRINTS]++;
}

static void
access(struct cm_gpu *gpu, const struct cm_vertex_access *accessed, uint32_t processor)
{
   assert(processor < gpu->config.fragment_stage.processors);
   if (accessed->type == CM_VERTEX_TEXTURE)
      read_texture(gpu, accessed, processor);
   else
      cm_storage_access_vertex(gpu, accessed, processor);
}

/* The first of a draw's accesses that is of this vertex or a later one. In draws without indices, and mostly in others, it
 * is where those of the vertex before ended. */
static uint32_t
find_accesses(const struct cm_gpu *gpu, const struct cm_draw *draw, uint32_t vertex)
{
   const struct cm_vertex_access *accesses = gpu->pass->vertex_accesses + draw->first_vertex_access;
   uint32_t first = 0, end = draw->num_accesses[CM_PRERASTER_VERTEX];
   const uint32_t next = gpu->next_vertex_access;
   if (next < end && accesses[next].invocation >= vertex && (!next || accesses[next - 1].invocation < vertex))
      return next;
   while (first < end) {
      const uint32_t middle = first + (end - first) / 2;
      if (accesses[middle].invocation < vertex)
         first = middle + 1;
      else
         end = middle;
   }
   return first;
}

void
cm_vertex_accesses_run(struct cm_gpu *gpu, const struct cm_draw *draw, uint32_t vertex)
{
   const struct cm_vertex_access *accesses = gpu->pass->vertex_accesses + draw->first_vertex_access;
   uint32_t i = find_accesses(gpu, draw, vertex);
   cm_timing_vertex_fetched(gpu->timing);
   for (; i < draw->num_accesses[CM_PRERASTER_VERTEX] && accesses[i].invocation == vertex; i++)
      access(gpu, &accesses[i], processor_of(gpu, gpu->vertices_run));
   gpu->next_vertex_access = i;
}

void
cm_vertex_accesses_run_rest(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct cm_vertex_access *accesses = gpu->pass->vertex_accesses + draw->first_vertex_access;
   for (uint32_t i = 0; i < draw->num_accesses[CM_PRERASTER_VERTEX]; i++) {
      const uint32_t vertex = accesses[i].invocation;
      if (i && vertex == accesses[i - 1].invocation)
         continue;
      cm_vertex_accesses_run(gpu, draw, vertex);
      gpu->vertices_run++;
      cm_timing_vertex(gpu->timing, false);
   }
}

void
cm_vertex_accesses_run_stages(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct cm_vertex_access *accesses =
      gpu->pass->vertex_accesses + draw->first_vertex_access + draw->num_accesses[CM_PRERASTER_VERTEX];
   for (enum cm_preraster_stage stage = CM_PRERASTER_CONTROL; stage < CM_PRERASTER_STAGES; stage++) {
      const uint32_t count = draw->num_accesses[stage];
      for (uint32_t i = 0; i < count; i++) {
         access(gpu, &accesses[i], processor_of(gpu, accesses[i].invocation));
         if (i + 1 == count || accesses[i + 1].invocation != accesses[i].invocation)
            cm_timing_invocation(gpu->timing, stage, accesses[i].invocation);
      }
      accesses += count;
   }
}
