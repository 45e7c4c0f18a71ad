/* SPDX-License-Identifier: MIT */
/* The Vertex Stage and what follows it up to primitive assembly: for each draw, its shaders, then vertex by vertex the
 * index and the attributes (TCOR II-A) and what the shader accesses of textures and storage, then what tessellation and
 * geometry shaders access, then what transform feedback writes. What those hand on stays on chip. */
#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/compute.h"
#include "gpu/gpu_internal.h"
#include "gpu/operations.h"

struct vertex_fetch {
   struct cm_gpu *gpu;
   const struct cm_draw *draw;
   const struct cm_resource *index_buffer;
   const struct cm_resource *buffers[CM_MAX_VERTEX_ELEMENTS];
   uint32_t num_elements;
   /* The FIFO of transformed vertices. */
   uint32_t *reuse;
   uint32_t reuse_entries, reuse_used, reuse_next;
};

static bool
transformed_already(struct vertex_fetch *fetch, uint32_t vertex)
{
   assert(fetch->reuse_entries && fetch->reuse_next < fetch->reuse_entries);
   for (uint32_t i = 0; i < fetch->reuse_used; i++) {
      if (fetch->reuse[i] == vertex)
         return true;
   }
   fetch->reuse[fetch->reuse_next] = vertex;
   fetch->reuse_next = (fetch->reuse_next + 1) % fetch->reuse_entries;
   if (fetch->reuse_used < fetch->reuse_entries)
      fetch->reuse_used++;
   return false;
}

static void
fetch_index(struct vertex_fetch *fetch, uint32_t n)
{
   assert(n < fetch->draw->num_vertices && fetch->draw->index_buffer);
   const uint32_t bytes = fetch->draw->index_bytes;
   const uint64_t offset = fetch->draw->index_offset + (uint64_t)n * bytes;
   fetch->gpu->pipeline[CM_PIPELINE_INDICES]++;
   cm_gpu_attribute_resource(fetch->gpu, fetch->draw->index_buffer);
   /* What lies past the buffer's end is not memory. */
   if (fetch->index_buffer && offset + bytes <= fetch->index_buffer->bytes)
      cm_hierarchy_access_range(&fetch->gpu->hierarchy, 0, fetch->index_buffer->address + offset, bytes,
                                CM_STREAM_INDEX, false);
}

static void
fetch_vertex(struct vertex_fetch *fetch, uint32_t vertex)
{
   fetch->gpu->pipeline[CM_PIPELINE_VERTICES]++;
   for (uint32_t e = 0; e < fetch->num_elements; e++) {
      const struct cm_vertex_element *element = &fetch->draw->elements[e];
      const struct cm_resource *buffer = fetch->buffers[e];
      const uint64_t number = element->instance_divisor ? fetch->draw->first_instance +
                                                             fetch->draw->instance / element->instance_divisor
                                                        : vertex;
      const uint64_t offset = element->offset + number * element->stride;
      cm_gpu_attribute_resource(fetch->gpu, element->buffer);
      if (buffer && offset + element->bytes <= buffer->bytes)
         cm_hierarchy_access_range(&fetch->gpu->hierarchy, 0, buffer->address + offset, element->bytes,
                                   CM_STREAM_VERTEX, false);
   }
}

/** Invalidates a buffer's old content in read-only caches. */
static void
invalidate_captured(struct cm_gpu *gpu, struct cm_resource *buffer)
{
   if (!buffer->sampled)
      return;
   cm_gpu_attribute_resource(gpu, buffer->description.id);
   cm_hierarchy_written_past(&gpu->hierarchy, &gpu->config, CM_STREAM_VERTEX, buffer->address,
                             buffer->address + buffer->bytes);
   buffer->sampled = false;
}

static void
write_record(struct cm_gpu *gpu, const struct cm_feedback *span, const struct cm_resource *buffer,
             uint32_t record)
{
   const uint64_t offset = span->offset + (uint64_t)record * span->stride;
   cm_gpu_attribute_resource(gpu, span->buffer);
   if (offset + span->bytes <= buffer->bytes)
      cm_hierarchy_access_range(&gpu->hierarchy, 0, buffer->address + offset, span->bytes, CM_STREAM_VERTEX,
                                true);
}

static void
write_feedback(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct cm_feedback *spans = gpu->pass->feedback + draw->first_feedback;
   uint32_t records = 0;
   for (uint32_t s = 0; s < draw->num_feedback; s++)
      records = spans[s].records > records ? spans[s].records : records;
   for (uint32_t n = 0; n < records; n++) {
      for (uint32_t s = 0; s < draw->num_feedback; s++) {
         const struct cm_resource *buffer = cm_address_space_use(&gpu->space, spans[s].buffer);
         if (buffer && n < spans[s].records)
            write_record(gpu, &spans[s], buffer, n);
      }
   }
   for (uint32_t s = 0; s < draw->num_feedback; s++) {
      struct cm_resource *buffer = cm_address_space_use(&gpu->space, spans[s].buffer);
      if (buffer)
         invalidate_captured(gpu, buffer);
   }
}

static void
fetch_shaders(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   cm_gpu_fetch_shader(gpu, CM_SHADER_VERTEX, &draw->vertex_shader, 0);
   cm_gpu_fetch_shader(gpu, CM_SHADER_TESS_CONTROL, &draw->control_shader, 0);
   cm_gpu_fetch_shader(gpu, CM_SHADER_TESS_EVALUATION, &draw->evaluation_shader, 0);
   cm_gpu_fetch_shader(gpu, CM_SHADER_GEOMETRY, &draw->geometry_shader, 0);
}

static void
count_invocations(uint64_t *pipeline, const struct cm_draw *draw)
{
   pipeline[CM_PIPELINE_PATCHES] += draw->patches;
   pipeline[CM_PIPELINE_CONTROL_INVOCATIONS] += draw->control_invocations;
   pipeline[CM_PIPELINE_EVALUATION_INVOCATIONS] += draw->evaluation_invocations;
   pipeline[CM_PIPELINE_GEOMETRY_INVOCATIONS] += draw->geometry_invocations;
}

static void
run_draw(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   struct vertex_fetch fetch = {
      .gpu = gpu,
      .draw = draw,
      .index_buffer = cm_address_space_use(&gpu->space, draw->index_buffer),
      .num_elements =
         draw->num_elements < CM_MAX_VERTEX_ELEMENTS ? draw->num_elements : CM_MAX_VERTEX_ELEMENTS,
      .reuse = gpu->reuse.data,
      .reuse_entries = draw->index_buffer ? gpu->config.vertex_stage.reuse_entries : 0,
   };
   for (uint32_t e = 0; e < fetch.num_elements; e++)
      fetch.buffers[e] = cm_address_space_use(&gpu->space, draw->elements[e].buffer);

   struct cm_timing *timing = gpu->timing;
   gpu->pipeline[CM_PIPELINE_DRAWS]++;
   gpu->pipeline[CM_PIPELINE_VERTEX_TEXTURE_READS] += draw->texture_reads;
   cm_timing_draw(timing, draw);
   cm_compute_read_indirect(gpu, &draw->indirect);
   fetch_shaders(gpu, draw);
   count_invocations(gpu->pipeline, draw);
   const uint64_t vertices = gpu->pipeline[CM_PIPELINE_VERTICES];
   cm_timing_shaders_fetched(timing);
   for (uint32_t n = 0; n < draw->num_vertices; n++) {
      uint32_t vertex = draw->first_vertex_number + n;
      if (draw->index_buffer) {
         vertex = gpu->pass->vertices[draw->first_vertex + n];
         fetch_index(&fetch, n);
      }
      const bool reused = fetch.reuse_entries && transformed_already(&fetch, vertex);
      if (reused)
         gpu->pipeline[CM_PIPELINE_VERTICES_REUSED]++;
      else
         fetch_vertex(&fetch, vertex);
      if (draw->num_accesses[CM_PRERASTER_VERTEX] && !reused)
         cm_vertex_accesses_run(gpu, draw, vertex);
      gpu->vertices_run++;
      cm_timing_vertex(timing, reused);
   }
   if (draw->num_accesses[CM_PRERASTER_VERTEX] && !draw->num_vertices)
      cm_vertex_accesses_run_rest(gpu, draw);
   cm_vertex_accesses_run_stages(gpu, draw);
   cm_timing_stages_end(timing);
   if (gpu->counts_operations)
      cm_operations_vertices(gpu, draw, gpu->pipeline[CM_PIPELINE_VERTICES] - vertices);
   write_feedback(gpu, draw);
   cm_timing_draw_end(timing);
}

bool
cm_geometry_begin(struct cm_gpu *gpu)
{
   gpu->vertices_run = 0;
   return cm_array_reserve(&gpu->reuse, gpu->config.vertex_stage.reuse_entries, sizeof(uint32_t)) &&
          cm_vertex_accesses_begin(gpu);
}

void
cm_geometry_draws(struct cm_gpu *gpu, uint32_t first, uint32_t end)
{
   assert(first <= end && end <= gpu->pass->num_draws);
   for (uint32_t d = first; d < end; d++) {
      cm_gpu_attribute_draw(gpu, d);
      run_draw(gpu, &gpu->pass->draws[d]);
   }
}
