/* SPDX-License-Identifier: MIT */
/* The Vertex Stage and what follows it up to primitive assembly: for each draw, its shaders, then vertex by vertex the
 * index and the attributes (TCOR II-A) and what the shader accesses of textures and storage, then what tessellation and
 * geometry shaders access, then what transform feedback writes. What those hand on stays on chip. */
#include <assert.h>

#include "gpu/attribution_internal.h"
#include "gpu/compute/compute.h"
#include "gpu/compute/storage.h"
#include "gpu/gpu_internal.h"
#include "gpu/operations.h"
#include "gpu/parallel.h"
#include "gpu/shader_cost.h"
#include "gpu/tiled/stages.h"
#include "util/minmax.h"

/* Begins with a draw: no vertices are transformed. */
static struct cm_vertex_fetch
begin_fetch(struct cm_geometry_stage *geometry, const struct cm_draw *draw, uint32_t reuse_entries)
{
   struct cm_address_space *space = &geometry->gpu->space;
   struct cm_vertex_fetch fetch = {
      .draw = draw,
      .index_buffer = cm_address_space_use(space, draw->index_buffer),
      .num_elements = cm_min(draw->num_elements, CM_MAX_VERTEX_ELEMENTS),
      .reuse = geometry->reuse.data,
      .reuse_entries = reuse_entries,
   };
   for (uint32_t e = 0; e < fetch.num_elements; e++)
      fetch.buffers[e] = cm_address_space_use(space, draw->elements[e].buffer);
   return fetch;
}

/* The number of a draw's n-th vertex. */
static uint32_t
vertex_number(const struct cm_pass *pass, const struct cm_draw *draw, uint32_t n)
{
   assert(n < draw->num_vertices);
   return draw->index_buffer ? pass->vertices[draw->first_vertex + n] : draw->first_vertex_number + n;
}

static bool
transformed_already(struct cm_vertex_fetch *fetch, uint32_t vertex)
{
   if (!fetch->reuse_entries)
      return false;
   assert(fetch->reuse_next < fetch->reuse_entries);
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

/* What lies past a buffer's end is not memory. */
static void
access_buffer(struct cm_gpu *gpu, uint32_t id, const struct cm_resource *buffer, uint64_t offset,
              uint32_t bytes, enum cm_stream stream, bool write)
{
   cm_gpu_attribute_resource(gpu, id);
   if (buffer && offset + bytes <= buffer->bytes)
      cm_hierarchy_access_range(&gpu->hierarchy, 0, buffer->address + offset, bytes, stream, write);
}

static void
fetch_index(struct cm_gpu *gpu, const struct cm_vertex_fetch *fetch, uint32_t n)
{
   assert(n < fetch->draw->num_vertices && fetch->draw->index_buffer);
   const uint32_t bytes = fetch->draw->index_bytes;
   gpu->pipeline[CM_PIPELINE_INDICES]++;
   access_buffer(gpu, fetch->draw->index_buffer, fetch->index_buffer,
                 fetch->draw->index_offset + (uint64_t)n * bytes, bytes, CM_STREAM_INDEX, false);
}

static void
fetch_vertex(struct cm_gpu *gpu, const struct cm_vertex_fetch *fetch, uint32_t vertex)
{
   gpu->pipeline[CM_PIPELINE_VERTICES]++;
   for (uint32_t e = 0; e < fetch->num_elements; e++) {
      const struct cm_vertex_element *element = &fetch->draw->elements[e];
      const uint64_t number = element->instance_divisor ? fetch->draw->first_instance +
                                                             fetch->draw->instance / element->instance_divisor
                                                        : vertex;
      access_buffer(gpu, element->buffer, fetch->buffers[e], element->offset + number * element->stride,
                    element->bytes, CM_STREAM_VERTEX, false);
   }
}

static void
write_feedback(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   const struct cm_feedback *spans = gpu->pass->feedback + draw->first_feedback;
   uint32_t records = 0;
   for (uint32_t s = 0; s < draw->num_feedback; s++)
      records = cm_max(records, spans[s].records);
   for (uint32_t n = 0; n < records; n++) {
      for (uint32_t s = 0; s < draw->num_feedback; s++) {
         const struct cm_resource *buffer = cm_address_space_use(&gpu->space, spans[s].buffer);
         if (buffer && n < spans[s].records)
            access_buffer(gpu, spans[s].buffer, buffer, spans[s].offset + (uint64_t)n * spans[s].stride,
                          spans[s].bytes, CM_STREAM_VERTEX, true);
      }
   }
   for (uint32_t s = 0; s < draw->num_feedback; s++) {
      struct cm_resource *buffer = cm_address_space_use(&gpu->space, spans[s].buffer);
      if (buffer && buffer->sampled)
         cm_gpu_written_past(gpu, buffer, CM_STREAM_VERTEX);
   }
}

static void
fetch_shaders(struct cm_gpu *gpu, const struct cm_draw *draw)
{
   cm_gpu_fetch_shader(gpu, draw, CM_SHADER_VERTEX, &draw->vertex_shader, 0);
   cm_gpu_fetch_shader(gpu, draw, CM_SHADER_TESS_CONTROL, &draw->control_shader, 0);
   cm_gpu_fetch_shader(gpu, draw, CM_SHADER_TESS_EVALUATION, &draw->evaluation_shader, 0);
   cm_gpu_fetch_shader(gpu, draw, CM_SHADER_GEOMETRY, &draw->geometry_shader, 0);
}

static void
count_invocations(uint64_t *pipeline, const struct cm_draw *draw)
{
   pipeline[CM_PIPELINE_PATCHES] += draw->patches;
   pipeline[CM_PIPELINE_CONTROL_INVOCATIONS] += draw->control_invocations;
   pipeline[CM_PIPELINE_EVALUATION_INVOCATIONS] += draw->evaluation_invocations;
   pipeline[CM_PIPELINE_GEOMETRY_INVOCATIONS] += draw->geometry_invocations;
}

/* ---- what shaders access ----------------------------------------------------
 *
 * Cores of a unified GPU run all shaders: accesses go through the texture and load/store caches of the Fragment Processors.
 * Vertices, and invocations of the other stages, run in threads of some together; they do not share accesses. */

/* Which runs that invocation, or the vertex of that number in the pass. */
static uint32_t
processor_of(const struct cm_gpu *gpu, uint32_t number)
{
   return number / CM_VERTICES_OF_A_THREAD % gpu->config.fragment_stage.processors;
}

static void
read_texture(struct cm_geometry_stage *geometry, const struct cm_vertex_access *read, uint32_t processor)
{
   struct cm_gpu *gpu = geometry->gpu;
   struct cm_texture_unit *unit = (struct cm_texture_unit *)geometry->vertex_units.data + read->binding;
   assert(read->binding < gpu->pass->num_vertex_bindings);
   struct cm_footprint footprint = {.level = read->level,
                                    .live = 1,
                                    .linear = read->linear,
                                    .layer = read->layer};
   for (unsigned f = 0; f < 4; f++) {
      footprint.texel[f].x = (int16_t)read->x;
      footprint.texel[f].y = (int16_t)read->y;
   }
   struct cm_texel_bounds bounds[4];
   cm_footprints_bounds(&footprint, 1, bounds);
   if (gpu->attribution && gpu->attribution->is_by_resource)
      cm_gpu_attribute_texture(gpu, unit->binding ? unit->binding->resource : 0);
   cm_parallel_take_textures(gpu->parallel);
   cm_texture_unit_read(&gpu->texture, unit, &footprint, bounds, processor,
                        cm_texture_path_cache(&gpu->texture, processor));
   gpu->pipeline[CM_PIPELINE_VERTEX_FOOTPRINTS]++;
}

static void
access(struct cm_geometry_stage *geometry, const struct cm_vertex_access *accessed, uint32_t processor)
{
   if (accessed->type == CM_VERTEX_TEXTURE)
      read_texture(geometry, accessed, processor);
   else
      cm_storage_access_vertex(geometry->storage, accessed, processor);
}

/* The first of a draw's accesses that is of this vertex or a later one. */
static uint32_t
find_accesses(const struct cm_draw *draw, const struct cm_vertex_access *accesses, uint32_t vertex)
{
   uint32_t first = 0, end = draw->num_accesses[CM_PRERASTER_VERTEX];
   while (first < end) {
      const uint32_t middle = first + (end - first) / 2;
      if (accesses[middle].invocation < vertex)
         first = middle + 1;
      else
         end = middle;
   }
   return first;
}

/* What a vertex of a draw accesses when a processor shades it. */
static void
run_accesses(struct cm_geometry_stage *geometry, const struct cm_draw *draw, uint32_t vertex,
             uint32_t processor)
{
   const struct cm_gpu *gpu = geometry->gpu;
   const struct cm_vertex_access *accesses = gpu->pass->vertex_accesses + draw->first_vertex_access;
   cm_timing_vertex_fetched(gpu->timing);
   for (uint32_t i = find_accesses(draw, accesses, vertex);
        i < draw->num_accesses[CM_PRERASTER_VERTEX] && accesses[i].invocation == vertex; i++)
      access(geometry, &accesses[i], processor);
}

/* The accesses of a draw's vertices where the draw continues in this pass. */
static void
run_rest(struct cm_geometry_stage *geometry, const struct cm_draw *draw)
{
   const struct cm_gpu *gpu = geometry->gpu;
   const struct cm_vertex_access *accesses = gpu->pass->vertex_accesses + draw->first_vertex_access;
   for (uint32_t i = 0; i < draw->num_accesses[CM_PRERASTER_VERTEX]; i++) {
      const uint32_t vertex = accesses[i].invocation;
      if (i && vertex == accesses[i - 1].invocation)
         continue;
      run_accesses(geometry, draw, vertex, processor_of(gpu, geometry->vertices_run));
      geometry->vertices_run++;
      cm_timing_vertex(gpu->timing, false);
   }
}

/* What tessellation and geometry shaders of a draw access. */
static void
run_stages(struct cm_geometry_stage *geometry, const struct cm_draw *draw)
{
   const struct cm_gpu *gpu = geometry->gpu;
   const struct cm_vertex_access *accesses =
      gpu->pass->vertex_accesses + draw->first_vertex_access + draw->num_accesses[CM_PRERASTER_VERTEX];
   for (enum cm_preraster_stage stage = CM_PRERASTER_CONTROL; stage < CM_PRERASTER_STAGES; stage++) {
      const uint32_t count = draw->num_accesses[stage];
      for (uint32_t i = 0; i < count; i++) {
         access(geometry, &accesses[i], processor_of(gpu, accesses[i].invocation));
         if (i + 1 == count || accesses[i + 1].invocation != accesses[i].invocation)
            cm_timing_invocation(gpu->timing, stage, accesses[i].invocation);
      }
      accesses += count;
   }
}

/* ---- draws ------------------------------------------------------------------ */

static void
run_draw(struct cm_geometry_stage *geometry, const struct cm_draw *draw)
{
   struct cm_gpu *gpu = geometry->gpu;
   struct cm_vertex_fetch fetch =
      begin_fetch(geometry, draw, draw->index_buffer ? gpu->config.vertex_stage.reuse_entries : 0);
   struct cm_timing *timing = gpu->timing;
   gpu->pipeline[CM_PIPELINE_DRAWS]++;
   gpu->pipeline[CM_PIPELINE_VERTEX_TEXTURE_READS] += draw->texture_reads;
   uint32_t instructions[CM_PRERASTER_STAGES];
   for (unsigned stage = 0; timing && stage < CM_PRERASTER_STAGES; stage++)
      instructions[stage] =
         (uint32_t)cm_min64(cm_operations_instructions(gpu, draw, (enum cm_preraster_stage)stage, 1),
                            CM_MOST_LOGGED_INSTRUCTIONS);
   cm_timing_draw(timing, draw, instructions);
   if (cm_gpu_needs_costs(gpu))
      cm_log_draw_costs(gpu, draw);
   cm_compute_read_indirect(gpu, &draw->indirect);
   fetch_shaders(gpu, draw);
   count_invocations(gpu->pipeline, draw);
   const uint64_t vertices = gpu->pipeline[CM_PIPELINE_VERTICES];
   cm_timing_shaders_fetched(timing);
   for (uint32_t n = 0; n < draw->num_vertices; n++) {
      const uint32_t vertex = vertex_number(gpu->pass, draw, n);
      if (draw->index_buffer)
         fetch_index(gpu, &fetch, n);
      const bool reused = transformed_already(&fetch, vertex);
      if (reused)
         gpu->pipeline[CM_PIPELINE_VERTICES_REUSED]++;
      else
         fetch_vertex(gpu, &fetch, vertex);
      if (draw->num_accesses[CM_PRERASTER_VERTEX] && !reused)
         run_accesses(geometry, draw, vertex, processor_of(gpu, geometry->vertices_run));
      geometry->vertices_run++;
      cm_timing_vertex(timing, reused);
   }
   ((uint32_t *)geometry->shaded.data)[draw - gpu->pass->draws] =
      (uint32_t)(gpu->pipeline[CM_PIPELINE_VERTICES] - vertices);
   if (draw->num_accesses[CM_PRERASTER_VERTEX] && !draw->num_vertices)
      run_rest(geometry, draw);
   run_stages(geometry, draw);
   cm_timing_stages_end(timing);
   if (cm_config_counts_operations(&gpu->config))
      cm_operations_vertices(gpu, draw, gpu->pipeline[CM_PIPELINE_VERTICES] - vertices);
   write_feedback(gpu, draw);
   cm_timing_draw_end(timing);
}

/* Of the pass' shaders before the rasterizer. False when out of memory. */
static bool
bind_textures(struct cm_geometry_stage *geometry)
{
   struct cm_gpu *gpu = geometry->gpu;
   const struct cm_pass *pass = gpu->pass;
   if (!pass->num_vertex_bindings)
      return true;
   if (!cm_array_reserve(&geometry->vertex_units, pass->num_vertex_bindings, sizeof(struct cm_texture_unit)))
      return false;
   struct cm_texture_unit *units = geometry->vertex_units.data;
   for (uint32_t t = 0; t < pass->num_vertex_bindings; t++) {
      const struct cm_texture_binding *binding = &pass->vertex_bindings[t];
      struct cm_resource *resource = cm_address_space_use(&gpu->space, binding->resource);
      if (resource && !binding->is_storage)
         resource->sampled = true;
      cm_gpu_bind_texture(&units[t], binding, binding->is_storage ? NULL : resource);
   }
   return true;
}

/* ---- tiles that shade their vertices ------------------------------------------
 *
 * The event stream does not say which vertices make which primitive, nor which primitives were culled. Those that are left are
 * taken for triangles that lie at even distances in the draw's vertices. So those of a list and of a strip have
 * their own vertices where none was culled. */

#define NO_VERTICES UINT32_MAX

/* Finds the first vertices of a draw's primitives [first, end) of the pass. What a side of the viewport has divided is one
 * triangle. */
static void
place_primitives(const struct cm_pass *pass, uint32_t first, uint32_t end, uint32_t *first_vertices)
{
   const struct cm_primitive *primitives = pass->primitives;
   const struct cm_draw *draw = &pass->draws[primitives[first].draw];
   const uint64_t space = draw->num_vertices - cm_min(draw->num_vertices, 3);
   const bool has_vertices = draw->num_vertices && !draw->patches && !draw->geometry_invocations;
   uint64_t triangles = 0, triangle = 0;
   for (uint32_t p = first; p < end; p++)
      triangles += p == first || !(primitives[p].reach_pixels || primitives[p].reach_percent);
   for (uint32_t p = first; p < end; p++) {
      triangle += p > first && !(primitives[p].reach_pixels || primitives[p].reach_percent);
      const uint64_t vertex = triangles > 1 ? triangle * space / (triangles - 1) : 0;
      first_vertices[p] = has_vertices ? (uint32_t)vertex : NO_VERTICES;
   }
}

static bool
place_all_primitives(struct cm_geometry_stage *geometry)
{
   const struct cm_pass *pass = geometry->gpu->pass;
   if (!cm_config_shades_by_tile(&geometry->gpu->config))
      return true;
   if (!cm_array_reserve(&geometry->first_vertices, pass->num_primitives, sizeof(uint32_t)))
      return false;
   for (uint32_t first = 0, end = 0; first < pass->num_primitives; first = end) {
      while (end < pass->num_primitives && pass->primitives[end].draw == pass->primitives[first].draw)
         end++;
      place_primitives(pass, first, end, geometry->first_vertices.data);
   }
   return true;
}

void
cm_geometry_tile(struct cm_geometry_stage *geometry, uint32_t core)
{
   geometry->tile_fetch.draw = NULL;
   geometry->core = core;
}

static void
begin_tile_draw(struct cm_geometry_stage *geometry, const struct cm_draw *draw)
{
   struct cm_gpu *gpu = geometry->gpu;
   geometry->tile_fetch = begin_fetch(geometry, draw, gpu->config.vertex_stage.reuse_entries);
   cm_gpu_fetch_shader(gpu, draw, CM_SHADER_VERTEX, &draw->vertex_shader, geometry->core);
   if (cm_gpu_needs_costs(gpu)) {
      const struct cm_shader_cost cost = cm_tile_vertex_cost(gpu, draw);
      geometry->cost = cm_timing_cost(gpu->timing, &cost);
   }
}

void
cm_geometry_tile_primitive(struct cm_geometry_stage *geometry, uint32_t number)
{
   struct cm_gpu *gpu = geometry->gpu;
   struct cm_vertex_fetch *fetch = &geometry->tile_fetch;
   const struct cm_draw *draw = &gpu->pass->draws[gpu->pass->primitives[number].draw];
   const uint32_t first = ((const uint32_t *)geometry->first_vertices.data)[number];
   if (first == NO_VERTICES)
      return;
   if (fetch->draw != draw)
      begin_tile_draw(geometry, draw);
   uint32_t shaded = 0;
   for (uint32_t n = first; n < cm_min(first + 3, draw->num_vertices); n++) {
      const uint32_t vertex = vertex_number(gpu->pass, draw, n);
      if (transformed_already(fetch, vertex)) {
         gpu->pipeline[CM_PIPELINE_VERTICES_REUSED]++;
         continue;
      }
      cm_timing_group(gpu->timing, CM_STREAM_VERTEX, fetch->num_elements);
      fetch_vertex(gpu, fetch, vertex);
      if (draw->num_accesses[CM_PRERASTER_VERTEX])
         run_accesses(geometry, draw, vertex, geometry->core);
      cm_timing_tile_vertex(gpu->timing, geometry->cost);
      shaded++;
   }
   if (cm_config_counts_operations(&gpu->config))
      gpu->operations[CM_OPERATION_VERTEX_INSTRUCTIONS] +=
         cm_operations_instructions(gpu, draw, CM_PRERASTER_VERTEX, shaded);
}

/* ---- passes ------------------------------------------------------------------- */

bool
cm_geometry_begin(struct cm_geometry_stage *geometry)
{
   geometry->vertices_run = 0;
   return cm_array_reserve(&geometry->reuse, geometry->gpu->config.vertex_stage.reuse_entries,
                           sizeof(uint32_t)) &&
          cm_array_reserve(&geometry->shaded, geometry->gpu->pass->num_draws, sizeof(uint32_t)) &&
          bind_textures(geometry) && place_all_primitives(geometry);
}

void
cm_geometry_draws(struct cm_geometry_stage *geometry, uint32_t first, uint32_t end)
{
   const struct cm_pass *pass = geometry->gpu->pass;
   assert(first <= end && end <= pass->num_draws);
   for (uint32_t d = first; d < end; d++) {
      cm_gpu_attribute_draw(geometry->gpu, d);
      run_draw(geometry, &pass->draws[d]);
   }
}

void
cm_geometry_finish(struct cm_geometry_stage *geometry)
{
   CM_FREE_ARRAYS(&geometry->reuse, &geometry->vertex_units, &geometry->shaded, &geometry->first_vertices);
}
