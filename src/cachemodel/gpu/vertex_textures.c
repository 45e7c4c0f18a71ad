/* SPDX-License-Identifier: MIT */
/* Texture reads of vertex shaders. Cores of a unified GPU run all shaders: the reads go through the texture caches of the
 * Fragment Processors. Vertices run in threads of some together; their reads do not share accesses. */
#include <string.h>

#include "gpu/attribution_internal.h"
#include "gpu/gpu_internal.h"
#include "util/minmax.h"

bool
cm_vertex_textures_begin(struct cm_gpu *gpu)
{
   const struct cm_pass *pass = gpu->pass;
   if (!pass->num_vertex_textures)
      return true;
   if (!cm_array_reserve(&gpu->vertex_units, pass->num_vertex_textures, sizeof(struct cm_texture_unit)))
      return false;
   struct cm_texture_unit *units = gpu->vertex_units.data;
   for (uint32_t t = 0; t < pass->num_vertex_textures; t++) {
      const struct cm_texture_binding *binding = &pass->vertex_textures[t];
      struct cm_resource *resource = cm_address_space_use(&gpu->space, binding->resource);
      cm_texture_unit_unbind(&units[t]);
      if (!resource)
         continue;
      resource->sampled = true;
      cm_texture_unit_bind(&units[t], binding, resource->layout, resource->address, resource->bytes);
   }
   return true;
}

/* The processor of the next vertex. */
static uint32_t
processor_of_next(const struct cm_gpu *gpu)
{
   return gpu->vertices_run / CM_VERTICES_OF_A_THREAD % gpu->config.fragment_stage.processors;
}

static void
read_texture(struct cm_gpu *gpu, const struct cm_vertex_read *read, uint32_t processor)
{
   struct cm_texture_unit *unit = (struct cm_texture_unit *)gpu->vertex_units.data + read->texture;
   struct cm_cache *cache = cm_hierarchy_entry(&gpu->hierarchy, CM_STREAM_TEXTURE, processor);
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

/* The first of a draw's reads that is of this vertex or a later one. In draws without indices, and mostly in others, it is
 * where those of the vertex before ended. */
static uint32_t
find_reads(const struct cm_gpu *gpu, const struct cm_draw *draw, uint32_t vertex)
{
   const struct cm_vertex_read *reads = gpu->pass->vertex_reads + draw->first_vertex_read;
   uint32_t first = 0, end = draw->num_vertex_reads;
   const uint32_t next = gpu->next_vertex_read;
   if (next < end && reads[next].vertex >= vertex && (!next || reads[next - 1].vertex < vertex))
      return next;
   while (first < end) {
      const uint32_t middle = first + (end - first) / 2;
      if (reads[middle].vertex < vertex)
         first = middle + 1;
      else
         end = middle;
   }
   return first;
}

void
cm_vertex_textures_read(struct cm_gpu *gpu, const struct cm_draw *draw, uint32_t vertex)
{
   const struct cm_vertex_read *reads = gpu->pass->vertex_reads + draw->first_vertex_read;
   uint32_t i = find_reads(gpu, draw, vertex);
   cm_timing_vertex_fetched(gpu->timing);
   for (; i < draw->num_vertex_reads && reads[i].vertex == vertex; i++)
      read_texture(gpu, &reads[i], processor_of_next(gpu));
   gpu->next_vertex_read = i;
}

void
cm_vertex_textures_read_rest(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct cm_vertex_read *reads = gpu->pass->vertex_reads + draw->first_vertex_read;
   for (uint32_t i = 0; i < draw->num_vertex_reads; i++) {
      const uint32_t vertex = reads[i].vertex;
      if (i && vertex == reads[i - 1].vertex)
         continue;
      cm_vertex_textures_read(gpu, draw, vertex);
      gpu->vertices_run++;
      cm_timing_vertex(gpu->timing, false);
   }
}
