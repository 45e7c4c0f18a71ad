/* SPDX-License-Identifier: MIT */
#include "gpu/parallel/texture_worker.h"

#include "gpu/compression.h"
#include "gpu/parallel/segment.h"
#include "gpu/shading_worker.h"
#include "gpu/tiled/stages.h"
#include "util/counts.h"

enum cm_unit
cm_texture_next_private(const struct cm_gpu *gpu, enum cm_unit unit)
{
   assert(unit != CM_UNIT_DRAM);
   const enum cm_unit next = gpu->config.caches[unit].next;
   return next != CM_UNIT_DRAM && !gpu->hierarchy.shared.caches[next] ? next : CM_UNIT_DRAM;
}

void
cm_texture_worker_init(struct cm_texture_worker *worker, struct cm_gpu *gpu)
{
   worker->gpu = gpu;
   worker->stream =
      (struct cm_access_stream){.take = cm_segment_grow_list, .context = &worker->out_of_memory};
}

bool
cm_texture_worker_share(struct cm_texture_worker *worker)
{
   return cm_hierarchy_init_view(&worker->view, &worker->gpu->hierarchy, &worker->stream);
}

void
cm_texture_worker_finish(struct cm_texture_worker *worker)
{
   cm_hierarchy_finish_view(&worker->view);
}

bool
cm_texture_worker_has(const struct cm_texture_worker *worker, enum cm_unit unit)
{
   if (unit == CM_UNIT_TEXTURE_HEADER_CACHE)
      return true;
   enum cm_unit texture = worker->gpu->config.streams[CM_STREAM_TEXTURE];
   while (texture != CM_UNIT_DRAM && texture != unit)
      texture = cm_texture_next_private(worker->gpu, texture);
   return texture == unit;
}

static void
connect_unit(struct cm_texture_worker *worker, enum cm_unit unit, bool connected)
{
   struct cm_hierarchy *hierarchy = &worker->gpu->hierarchy;
   for (uint32_t i = 0; i < hierarchy->instances[unit]; i++) {
      struct cm_cache *cache = &hierarchy->caches[unit][i];
      if (cache->outgoing)
         cache->outgoing = connected ? &worker->stream : &hierarchy->shared.arriving;
      if (cache->reported)
         cache->reported = connected ? &worker->stream : hierarchy->requests;
      cache->dram = &worker->view.dram;
   }
}

void
cm_texture_worker_connect(struct cm_texture_worker *worker, bool connected)
{
   struct cm_hierarchy *hierarchy = &worker->gpu->hierarchy;
   /* Segments without tiles do not touch the caches. */
   assert(worker->is_connected != connected && (connected || !worker->tasks.is_busy));
   for (enum cm_unit unit = worker->gpu->config.streams[CM_STREAM_TEXTURE]; unit != CM_UNIT_DRAM;
        unit = cm_texture_next_private(worker->gpu, unit))
      connect_unit(worker, unit, connected);
   connect_unit(worker, CM_UNIT_TEXTURE_HEADER_CACHE, connected);
   if (worker->gpu->texture.nuca)
      cm_nuca_report_to(worker->gpu->texture.nuca, connected ? &worker->view : hierarchy);
   if (worker->gpu->timing) {
      cm_dram_report(&worker->view.dram, connected ? &worker->stream : hierarchy->requests);
      cm_compression_report(worker->gpu->compression, connected ? &worker->stream : NULL);
   }
   worker->is_connected = connected;
}

static void
invalidate(const struct cm_hierarchy *hierarchy, const struct cm_segment *segment)
{
   const struct cm_segment_invalidation *list = segment->invalidations.data;
   for (uint32_t n = 0; n < segment->num_invalidations; n++) {
      for (uint32_t i = 0; i < hierarchy->instances[list[n].unit]; i++)
         cm_cache_invalidate(&hierarchy->caches[list[n].unit][i], list[n].begin, list[n].end);
   }
}

/* A processor runs quads of a draw. */
static void
hold_shader(struct cm_texture_worker *worker, cm_entry mark)
{
   const uint32_t draw = (uint32_t)cm_entry_value(mark), processor = cm_entry_instance(mark);
   if (!cm_shading_hold_shader(worker->shading, draw, processor))
      return;
   worker->shaders_held++;
   if (worker->gpu->pass->draws[draw].fragment_shader.id)
      cm_known_shader_fetch(worker->known, worker->gpu, &worker->view, draw, processor);
}

/* How many of the entries at the front are neither reads of texture caches, nor requests to them, nor marks for the caller. */
static uint32_t
count_others(const struct cm_texture_worker *worker, const cm_entry *entries, uint32_t count)
{
   const unsigned texture = worker->gpu->texture.caches->unit;
   uint32_t i = 0;
   for (; i < count; i++) {
      const enum cm_entry_kind kind = cm_entry_kind(entries[i]);
      if (kind == CM_ENTRY_READ && cm_entry_unit(entries[i]) == texture)
         break;
      if (kind == CM_ENTRY_REQUEST || (kind == CM_ENTRY_MARK && cm_entry_unit(entries[i]) == CM_MARK_SHADER))
         break;
      if (kind == CM_ENTRY_MARK && cm_entry_unit(entries[i]) == CM_MARK_CALL)
         i += cm_entry_instance(entries[i]); /* words that are no entries */
   }
   assert(i <= count);
   return i;
}

/* Reads of texture caches are served; all other entries, and those that the caches add, are passed on. */
static void
serve(struct cm_texture_worker *worker, const cm_entry *entries, uint32_t count)
{
   struct cm_texture_path *texture = &worker->gpu->texture;
   for (uint32_t i = 0; i < count;) {
      const uint32_t others = count_others(worker, entries + i, count - i);
      cm_access_stream_append_all(&worker->stream, entries + i, others);
      i += others;
      if (i < count && cm_entry_kind(entries[i]) == CM_ENTRY_MARK)
         hold_shader(worker, entries[i++]);
      else if (i < count)
         i += texture->nuca ? cm_nuca_take(texture->nuca, entries + i, count - i)
                            : cm_cache_take_reads(texture->caches, entries + i, count - i);
   }
}

/* The same for a tile whose requests are logged: what is added follows the same requests. */
static void
serve_runs(struct cm_texture_worker *worker, struct cm_segment *segment, uint32_t tile)
{
   const struct cm_segment_accesses *filtered = &segment->filtered;
   const struct cm_access_run *runs = filtered->runs.list;
   struct cm_access_runs *missed = &segment->missed.runs;
   uint32_t first = tile ? filtered->list.ends[tile - 1] : 0;
   for (uint32_t r = tile ? filtered->run_ends[tile - 1] : 0; r < filtered->run_ends[tile]; r++) {
      serve(worker, filtered->list.entries + first, runs[r].end - first);
      worker->out_of_memory |= !cm_access_runs_add(missed, runs[r].requests, worker->stream.count);
      first = runs[r].end;
   }
   serve(worker, filtered->list.entries + first,
         filtered->list.ends[tile] - first); /* out of memory for a run */
   segment->missed.run_ends[tile] = missed->count;
}

void
cm_texture_worker_run(struct cm_texture_worker *worker, struct cm_segment *segment)
{
   const struct cm_segment_list *filtered = &segment->filtered.list;
   struct cm_segment_list *missed = &segment->missed.list;
   uint32_t first = 0;
   assert((!segment->num_tiles && !segment->num_invalidations) || worker->is_connected);
   cm_segment_open_list(missed, &worker->stream);
   invalidate(&worker->gpu->hierarchy, segment);
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      assert(filtered->ends[t] >= first);
      if (worker->gpu->timing && segment->tiles[t].events)
         serve_runs(worker, segment, t);
      else
         serve(worker, filtered->entries + first, filtered->ends[t] - first);
      first = filtered->ends[t];
      missed->ends[t] = worker->stream.count;
   }
   cm_segment_close_list(missed, &worker->stream);
   segment->is_incomplete |= worker->shading && worker->out_of_memory;
}

void
cm_texture_worker_add_counts(struct cm_texture_worker *worker)
{
   assert(!worker->tasks.is_busy);
   cm_counts_move(worker->gpu->hierarchy.dram.counts[0], worker->view.dram.counts[0],
                  CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   worker->gpu->pipeline[CM_PIPELINE_PROGRAM_SWITCHES] += worker->shaders_held;
   worker->shaders_held = 0;
   if (worker->out_of_memory)
      cm_gpu_out_of_memory(worker->gpu);
}
