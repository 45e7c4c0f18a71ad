/* SPDX-License-Identifier: MIT */
#include "gpu/shading_worker.h"

#include <stdlib.h>

#include "gpu/parallel/segment.h"
#include "gpu/parallel/texture_worker.h"
#include "gpu/tiled/stages.h"
#include "memory/filter.h"
#include "timing/calls.h"
#include "util/counts.h"

/* ---- which configurations have shading workers ----------------------------------- */

/* Whether units lead to this one. */
static bool
has_users(const struct cm_gpu *gpu, enum cm_unit unit)
{
   for (unsigned u = 0; u < CM_CACHE_COUNT; u++) {
      if (gpu->hierarchy.caches[u] && gpu->config.caches[u].next == unit)
         return true;
   }
   return false;
}

static bool
needs_liveness(const struct cm_gpu *gpu, enum cm_unit unit)
{
   for (; unit != CM_UNIT_DRAM; unit = cm_texture_next_private(gpu, unit)) {
      if (cm_policy_needs_liveness(gpu->config.caches[unit].policy))
         return true;
   }
   return false;
}

/* Whether the first caches of textures are private, serve nothing but reads of textures, and can have filters. */
static bool
has_filtered_caches(const struct cm_gpu *gpu)
{
   const enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE];
   if (unit == CM_UNIT_DRAM || gpu->hierarchy.shared.caches[unit] || needs_liveness(gpu, unit) ||
       !gpu->texture.is_cached || !cm_filter_suits(gpu->texture.caches))
      return false;
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (stream != CM_STREAM_TEXTURE && gpu->config.streams[stream] == unit)
         return false;
   }
   return true;
}

/* The first unit of a stream, if it is private; CM_UNIT_DRAM: it is not. */
static enum cm_unit
first_private(const struct cm_gpu *gpu, enum cm_stream stream)
{
   const enum cm_unit unit = gpu->config.streams[stream];
   return unit != CM_UNIT_DRAM && !gpu->hierarchy.shared.caches[unit] ? unit : CM_UNIT_DRAM;
}

/* Shaders are read by the stages and by all shading workers: their caches have to serve entries in order. */
static bool
can_share(const struct cm_gpu *gpu, enum cm_stream stream)
{
   const enum cm_unit unit = first_private(gpu, stream);
   return unit == CM_UNIT_DRAM ||
          (!has_users(gpu, unit) && !needs_liveness(gpu, unit) && !gpu->hierarchy.entry[stream].has_masks);
}

bool
cm_parallel_can_shade(const struct cm_gpu *gpu)
{
   return gpu->config.mode != CM_MODE_IMR && !gpu->hierarchy.shared.num_units && has_filtered_caches(gpu) &&
          can_share(gpu, CM_STREAM_SHADER) && can_share(gpu, CM_STREAM_CONSTANT) &&
          can_share(gpu, CM_STREAM_DESCRIPTOR);
}

bool
cm_shading_workers_share(struct cm_gpu *gpu)
{
   static const enum cm_stream streams[] = {CM_STREAM_SHADER, CM_STREAM_CONSTANT, CM_STREAM_DESCRIPTOR};
   assert(cm_parallel_can_shade(gpu));
   for (unsigned s = 0; s < sizeof streams / sizeof streams[0]; s++) {
      const enum cm_unit unit = first_private(gpu, streams[s]);
      if (unit != CM_UNIT_DRAM && !cm_hierarchy_share(&gpu->hierarchy, &gpu->config, unit))
         return false;
   }
   return true;
}

/* ---- a worker ------------------------------------------------------------------ */

static uint32_t
count_filters(const struct cm_shading_worker *worker)
{
   return worker->filters ? worker->gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances : 0;
}

static bool
init_filters(struct cm_shading_worker *worker)
{
   struct cm_cache *caches = worker->gpu->texture.caches;
   const uint32_t instances = worker->gpu->hierarchy.entry[CM_STREAM_TEXTURE].instances;
   worker->filters = calloc(instances, sizeof *worker->filters);
   worker->texture.caches = worker->filters;
   worker->texture.has_filters = true;
   bool ok = worker->filters;
   for (uint32_t i = 0; ok && i < instances; i++)
      ok = cm_filter_init(&worker->filters[i], &caches[i], &worker->stream, cm_entry_cache(caches->unit, i));
   return ok;
}

bool
cm_shading_worker_init(struct cm_shading_worker *worker, struct cm_gpu *gpu,
                       const struct cm_fragment_stage *stage)
{
   *worker = (struct cm_shading_worker){.gpu = gpu, .texture = gpu->texture};
   worker->stream =
      (struct cm_access_stream){.take = cm_segment_grow_list, .context = &worker->out_of_memory};
   if (gpu->timing) {
      worker->requests.requests =
         (struct cm_access_stream){.take = cm_segment_grow_list, .context = &worker->requests.out_of_memory};
      worker->requests.accesses = &worker->stream;
      worker->texture.own_requests = &worker->requests;
      cm_dram_report(&worker->dram, &worker->stream);
   }
   if (!cm_texture_access_init(&worker->texture.access, &gpu->config) || !init_filters(worker))
      return false;
   worker->shading = cm_shading_create(stage, worker);
   return worker->shading;
}

void
cm_shading_worker_finish(struct cm_shading_worker *worker)
{
   for (uint32_t i = 0; i < count_filters(worker); i++)
      cm_filter_finish(&worker->filters[i]);
   free(worker->filters);
   cm_texture_access_finish(&worker->texture.access);
   cm_shaded_events_finish(&worker->shaded);
   cm_shading_destroy(worker->shading);
}

/* The fewest requests of a tile that there is room for. */
#define LEAST_REQUESTS 128

/* With timing: what a tile requests, and its quads, are listed. False when out of memory. */
static bool
begin_quads(struct cm_shading_worker *worker, struct cm_segment *segment, uint32_t tile)
{
   struct cm_quad_log *quads = cm_timing_new_quads(worker->gpu->timing);
   segment->quads[tile] = worker->quads = quads;
   if (!quads || !cm_array_make_room(&quads->requests, &quads->request_capacity, 0, LEAST_REQUESTS,
                                     sizeof *quads->requests))
      return false;
   worker->requests.requests.entries = quads->requests;
   worker->requests.requests.capacity = (uint32_t)quads->request_capacity;
   worker->requests.requests.count = 0;
   return true;
}

static void
end_quads(struct cm_shading_worker *worker)
{
   const struct cm_access_stream *requests = &worker->requests.requests;
   cm_request_log_settle(&worker->requests);
   worker->quads->requests = requests->entries;
   worker->quads->request_capacity = requests->capacity;
   worker->quads->num_requests = requests->count;
   worker->quads->out_of_memory |= worker->requests.out_of_memory;
   worker->out_of_memory |= worker->quads->out_of_memory;
}

static bool
run_tile(struct cm_shading_worker *worker, struct cm_segment *segment, uint32_t number)
{
   const struct cm_segment_tile *tile = &segment->tiles[number];
   struct cm_gpu *gpu = worker->gpu;
   const struct cm_tile_events *shaded =
      cm_shaded_events_find(&worker->shaded, gpu, tile->number, tile->events);
   if ((gpu->timing && !begin_quads(worker, segment, number)) || !shaded)
      return false;
   if (cm_config_counts_operations(&gpu->config))
      cm_operations_tile(gpu, tile->events, shaded, worker->operations);
   if (gpu->timing)
      cm_timing_defer_covered(&gpu->config, &worker->stream, tile->events);
   cm_shading_run_tile(worker->shading, shaded, tile->number, tile->position);
   if (gpu->timing)
      end_quads(worker);
   return true;
}

void
cm_shading_worker_run(struct cm_shading_worker *worker, struct cm_segment *segment)
{
   assert(worker->gpu->pass && segment->num_tiles && !segment->is_shaded);
   for (uint32_t i = 0; i < count_filters(worker); i++)
      cm_filter_forget(&worker->filters[i]);
   cm_segment_open_list(&segment->filtered.list, &worker->stream);
   worker->requests.runs = &segment->filtered.runs;
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      worker->out_of_memory |= !run_tile(worker, segment, t);
      segment->filtered.list.ends[t] = worker->stream.count;
      segment->filtered.run_ends[t] = segment->filtered.runs.count;
   }
   cm_segment_close_list(&segment->filtered.list, &worker->stream);
}

void
cm_shading_worker_add_counts(struct cm_shading_worker *worker)
{
   struct cm_gpu *gpu = worker->gpu;
   assert(!worker->tasks.is_busy);
   cm_counts_move(gpu->pipeline, worker->pipeline, CM_PIPELINE_COUNT);
   cm_counts_move(gpu->operations, worker->operations, CM_OPERATION_COUNT);
   cm_counts_move(gpu->hierarchy.dram.counts[0], worker->dram.counts[0],
                  CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   cm_texture_access_add(&gpu->texture.access, &worker->texture.access);
   for (uint32_t i = 0; i < count_filters(worker); i++)
      cm_filter_add_counts(&worker->filters[i]);
   if (worker->out_of_memory)
      cm_gpu_out_of_memory(gpu);
}

/* ---- shaders ------------------------------------------------------------------- */

/* One entry, or access to memory, for each block. */
static void
read_range(struct cm_shading_worker *worker, uint32_t processor, uint64_t address, uint64_t bytes,
           enum cm_stream stream)
{
   const struct cm_hierarchy *hierarchy = &worker->gpu->hierarchy;
   const struct cm_cache *cache = cm_hierarchy_entry(hierarchy, stream, processor);
   const uint32_t shift = hierarchy->entry[stream].block_shift;
   if (!bytes)
      return;
   const uint64_t last = (address + bytes - 1) >> shift;
   for (uint64_t block = address >> shift; block <= last; block++) {
      if (cache)
         cm_access_stream_append(&worker->stream,
                                 cm_entry_access(cache->next_entry, CM_READ, stream, block << shift));
      else
         cm_dram_access(&worker->dram, block << shift, stream, false, 1, 1u << shift);
   }
}

void
cm_shading_worker_fetch_shader(struct cm_shading_worker *worker, uint32_t draw, uint32_t processor)
{
   const struct cm_pass *pass = worker->gpu->pass;
   const struct cm_shader *shader = &pass->draws[draw].fragment_shader;
   const struct cm_shader_memory *memory = &worker->shaders[draw];
   if (!shader->id)
      return;
   if (worker->gpu->timing) {
      cm_request_log_settle(&worker->requests);
      cm_access_stream_append(&worker->requests.requests, cm_gpu_shader_group(worker->gpu, &pass->draws[draw],
                                                                              CM_SHADER_FRAGMENT, shader));
   }
   read_range(worker, processor, memory->instructions, (uint64_t)shader->instructions * CM_INSTRUCTION_BYTES,
              CM_STREAM_SHADER);
   read_range(worker, processor, memory->constants, shader->constant_bytes, CM_STREAM_CONSTANT);
   const uint32_t first = pass->draws[draw].first_descriptor;
   for (uint32_t d = first; d < first + pass->draws[draw].num_descriptors; d++) {
      const struct cm_descriptors *descriptors = &pass->descriptors[d];
      const bool reads = descriptors->stage == CM_SHADER_FRAGMENT && worker->sets[d];
      struct cm_descriptor_range range;
      for (uint32_t n = 0;
           reads && cm_address_space_next_descriptors(&worker->gpu->space, descriptors, &n, &range);)
         read_range(worker, processor, worker->sets[d] + range.begin, range.end - range.begin,
                    CM_STREAM_DESCRIPTOR);
   }
}
