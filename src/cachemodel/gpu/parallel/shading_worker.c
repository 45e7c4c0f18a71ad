/* SPDX-License-Identifier: MIT */
#include "gpu/shading_worker.h"

#include <stdlib.h>

#include "gpu/immediate/immediate.h"
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

/* Whether the first caches of textures are private, and serve nothing but reads of textures, and nobody has to know at once what they
 * miss. */
static bool
has_own_caches(const struct cm_gpu *gpu)
{
   const enum cm_unit unit = gpu->config.streams[CM_STREAM_TEXTURE];
   if (unit == CM_UNIT_DRAM || gpu->hierarchy.shared.caches[unit] || needs_liveness(gpu, unit) ||
       gpu->texture.access.miss == CM_TEXTURE_MISS_ACCESS)
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

/* Streams of shading workers other than textures; those from CM_STREAM_COLOR on in mode imr. */
static const enum cm_stream shared_streams[] = {
   CM_STREAM_SHADER, CM_STREAM_CONSTANT, CM_STREAM_DESCRIPTOR, CM_STREAM_COLOR,
   CM_STREAM_DEPTH,  CM_STREAM_STENCIL,  CM_STREAM_HIZ,        CM_STREAM_DISPLAY,
};

static unsigned
count_shared_streams(const struct cm_gpu *gpu)
{
   return gpu->config.mode == CM_MODE_IMR ? sizeof shared_streams / sizeof *shared_streams : 3;
}

/* Whether, in mode imr, primitives can be run before those that precede them: the processor of a quad follows from its place, and no
 * block has a bit for what was cleared. */
static bool
has_independent_primitives(const struct cm_config *config)
{
   return config->mode != CM_MODE_IMR || (config->fragment_stage.scheduler == CM_SCHEDULER_QUAD_BLOCK &&
                                          config->immediate.clears != CM_CLEARS_FAST);
}

bool
cm_parallel_can_shade(const struct cm_gpu *gpu)
{
   bool ok =
      !gpu->hierarchy.shared.num_units && has_own_caches(gpu) && has_independent_primitives(&gpu->config);
   for (unsigned s = 0; s < count_shared_streams(gpu); s++)
      ok = ok && can_share(gpu, shared_streams[s]);
   return ok;
}

bool
cm_shading_workers_share(struct cm_gpu *gpu)
{
   assert(cm_parallel_can_shade(gpu));
   for (unsigned s = 0; s < count_shared_streams(gpu); s++) {
      const enum cm_unit unit = first_private(gpu, shared_streams[s]);
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

/* Makes what is in front of the texture caches: filters, or the list of what is requested of a NUCA. */
static bool
init_filters(struct cm_shading_worker *worker)
{
   if (worker->texture.nuca) {
      worker->texture.listed = &worker->stream;
      return true;
   }
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
   if (gpu->timing && gpu->config.mode != CM_MODE_IMR) {
      worker->requests.requests =
         (struct cm_access_stream){.take = cm_segment_grow_list, .context = &worker->requests.out_of_memory};
      worker->requests.accesses = &worker->stream;
      worker->texture.own_requests = &worker->requests;
   }
   if (!cm_texture_access_init(&worker->texture.access, &gpu->config) || !init_filters(worker))
      return false;
   worker->shading = cm_shading_create(stage, worker);
   return worker->shading;
}

bool
cm_shading_worker_connect(struct cm_shading_worker *worker, const struct cm_immediate *immediate)
{
   worker->texture.hierarchy = &worker->view;
   if (!cm_hierarchy_init_view(&worker->view, &worker->gpu->hierarchy, &worker->stream))
      return false;
   worker->immediate = immediate ? cm_immediate_create_for_worker(immediate, worker) : NULL;
   return worker->immediate || !immediate;
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
   cm_immediate_destroy(worker->immediate);
   cm_hierarchy_finish_view(&worker->view);
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

/* A processor that gets its first quad of the run says so (cm_shading_worker_hold_shader). */
static bool
run_primitives(struct cm_shading_worker *worker, const struct cm_primitive_run *primitives)
{
   cm_shading_begin(worker->shading);
   return cm_immediate_run(worker->immediate, primitives);
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
      const bool ok = segment->tiles[t].events ? run_tile(worker, segment, t)
                                               : run_primitives(worker, &segment->tiles[t].primitives);
      worker->out_of_memory |= !ok;
      segment->filtered.list.ends[t] = worker->stream.count;
      segment->filtered.run_ends[t] = segment->filtered.runs.count;
   }
   cm_segment_close_list(&segment->filtered.list, &worker->stream);
   segment->is_incomplete = worker->immediate && worker->out_of_memory;
}

void
cm_shading_worker_add_counts(struct cm_shading_worker *worker)
{
   struct cm_gpu *gpu = worker->gpu;
   assert(!worker->tasks.is_busy);
   cm_counts_move(gpu->pipeline, worker->pipeline, CM_PIPELINE_COUNT);
   cm_counts_move(gpu->operations, worker->operations, CM_OPERATION_COUNT);
   cm_counts_move(gpu->hierarchy.dram.counts[0], worker->view.dram.counts[0],
                  CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   cm_texture_access_add(&gpu->texture.access, &worker->texture.access);
   for (uint32_t i = 0; i < count_filters(worker); i++)
      cm_filter_add_counts(&worker->filters[i]);
   if (worker->out_of_memory)
      cm_gpu_out_of_memory(gpu);
}

/* ---- shaders ------------------------------------------------------------------- */

void
cm_known_shader_fetch(const struct cm_known_shaders *known, struct cm_gpu *gpu,
                      struct cm_hierarchy *hierarchy, uint32_t draw, uint32_t processor)
{
   const struct cm_pass *pass = gpu->pass;
   const struct cm_shader *shader = &pass->draws[draw].fragment_shader;
   const struct cm_shader_memory *memory = &known->shaders[draw];
   cm_hierarchy_access_range(hierarchy, processor, memory->instructions,
                             (uint64_t)shader->instructions * CM_INSTRUCTION_BYTES, CM_STREAM_SHADER, false);
   cm_hierarchy_access_range(hierarchy, processor, memory->constants, shader->constant_bytes,
                             CM_STREAM_CONSTANT, false);
   const uint32_t first = pass->draws[draw].first_descriptor;
   for (uint32_t d = first; d < first + pass->draws[draw].num_descriptors; d++) {
      const struct cm_descriptors *descriptors = &pass->descriptors[d];
      const uint64_t set = descriptors->stage == CM_SHADER_FRAGMENT ? known->sets[d] : 0;
      struct cm_descriptor_range range;
      for (uint32_t n = 0; set && cm_address_space_next_descriptors(&gpu->space, descriptors, &n, &range);)
         cm_hierarchy_access_range(hierarchy, processor, set + range.begin, range.end - range.begin,
                                   CM_STREAM_DESCRIPTOR, false);
   }
}

void
cm_shading_worker_hold_shader(struct cm_shading_worker *worker, uint32_t draw, uint32_t processor)
{
   const struct cm_shader *shader = &worker->gpu->pass->draws[draw].fragment_shader;
   if (worker->immediate) {
      cm_access_stream_append(&worker->stream, cm_entry_make(CM_ENTRY_MARK, CM_MARK_SHADER, processor,
                                                             CM_STREAM_SHADER, draw));
      return;
   }
   worker->pipeline[CM_PIPELINE_PROGRAM_SWITCHES]++;
   if (!shader->id)
      return;
   if (worker->gpu->timing) {
      cm_request_log_settle(&worker->requests);
      cm_access_stream_append(&worker->requests.requests,
                              cm_gpu_shader_group(worker->gpu, &worker->gpu->pass->draws[draw],
                                                  CM_SHADER_FRAGMENT, shader));
   }
   cm_known_shader_fetch(worker->known, worker->gpu, &worker->view, draw, processor);
}
