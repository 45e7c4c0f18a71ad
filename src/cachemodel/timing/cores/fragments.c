/* SPDX-License-Identifier: MIT */
/* A core's tiles: primitives are rasterised, quads tested and collected into warps, which run on the core's pipes and write
 * into the tile buffer in order. A warp keeps its threads until that is done. */
#include <assert.h>
#include <string.h>

#include "timing/cores/cores.h"
#include "util/minmax.h"

void
cm_core_init(struct cm_cores_timing *timing, struct cm_core *core)
{
   const struct cm_shader_core_config *config = timing->config;
   const struct cm_pipeline_config *pipeline = timing->pipeline;
   struct cm_pool *pool = &timing->base.pool;
   const uint32_t formed = pipeline->fragment_queue * 4 / config->warp_threads;
   uint32_t capacity = 1;
   while (capacity < config->threads / config->warp_threads)
      capacity *= 2;
   cm_core_pipes_init(&core->pipes, config);
   cm_core_window_init(&core->vertices, config->threads, config->warp_threads, pool);
   core->raster.rate = config->raster_quads;
   core->depth.rate = config->depth_quads;
   core->mask = capacity - 1;
   core->warps = cm_pool_take(pool, capacity, sizeof *core->warps);
   core->flushed = cm_pool_take(pool, pipeline->tile_buffers, sizeof *core->flushed);
   cm_flight_init(&core->primitives, pipeline->fetch_queue, pool);
   cm_queue_init(&core->formed, formed ? formed : 1, pool);
   cm_core_vertices_init(timing, core);
}

static uint32_t
number_of(const struct cm_cores_timing *timing, const struct cm_core *core)
{
   return (uint32_t)(core - timing->cores);
}

/* ---- after the pipes ------------------------------------------------------- */

bool
cm_core_can_retire(struct cm_cores_timing *timing, struct cm_core *core, uint64_t cycle)
{
   struct cm_core_fragments *warp = &core->warps[core->retired & core->mask];
   assert(core->retired < core->dispatched);
   return !warp->pending && cm_dependency_is_known_at(&timing->memory.base, &warp->wait, cycle);
}

void
cm_core_retire(struct cm_cores_timing *timing, struct cm_core *core)
{
   struct cm_core_fragments *warp = &core->warps[core->retired++ & core->mask];
   struct cm_work *work = warp->work;
   uint64_t begin;
   const uint64_t data = cm_dependency_resolve(&timing->memory.base, &warp->wait) + warp->tail;
   const uint64_t done = cm_later(warp->issued, data);
   warp->released = cm_core_pipe_serve(&core->pipes.pipes[CM_PIPE_TILE], done, warp->pixels, &begin);
   if (work->blend_begin == CM_UNKNOWN)
      work->blend_begin = begin;
   work->shaded = cm_later(work->shaded, warp->released);
}

/* Reads of warps in flight must be resolved while their tickets are valid. */
static void
retire_old(struct cm_cores_timing *timing, struct cm_core *core)
{
   const struct cm_core_fragments *warp = &core->warps[core->retired & core->mask];
   if (core->retired < core->dispatched && !warp->pending &&
       timing->memory.base.last_ticket - warp->submitted > CM_DRAM_TICKETS / 2)
      cm_core_retire(timing, core);
}

/* ---- warps ------------------------------------------------------------------- */

static uint32_t
threads_of(const struct cm_cores_timing *timing, const struct cm_core *core)
{
   return cm_core_warp_threads(timing->config, core->collected.threads_shared);
}

/* Whether threads for the warp that is collected have to be those of one that is not retired. */
static bool
waits_for_threads(const struct cm_cores_timing *timing, const struct cm_core *core)
{
   const uint32_t threads = threads_of(timing, core), most = timing->config->threads;
   uint32_t used = core->threads;
   uint64_t next = core->taken_over;
   while (next < core->retired && used + threads > most)
      used -= core->warps[next++ & core->mask].threads;
   return used + threads > most;
}

/* Takes the threads of the oldest warps, which are retired. */
static void
take_threads(struct cm_core *core, uint32_t threads, uint32_t most)
{
   while (core->threads + threads > most) {
      const struct cm_core_fragments *warp = &core->warps[core->taken_over++ & core->mask];
      assert(core->taken_over <= core->retired);
      core->window = cm_later(core->window, warp->released);
      core->threads -= warp->threads;
   }
   core->threads += threads;
}

/* Fetches its shader's code, as far as the instruction cache lacks it. Returns when it has all. */
static uint64_t
fetch_code(struct cm_cores_timing *timing, const cm_entry **token, const cm_entry *end, uint64_t cycle)
{
   while (*token < end && cm_entry_stream(**token) != CM_STREAM_TEXTURE &&
          cm_entry_stream(**token) != CM_STREAM_STORAGE) {
      const cm_entry *next = cm_group_end(*token, end);
      struct cm_dependency code;
      cm_dependency_begin(&code, cycle);
      cm_tiled_memory_misses(&timing->memory, *token + 1, next, cycle, &timing->memory.instruction, &code);
      cycle = cm_dependency_resolve(&timing->memory.base, &code);
      *token = next;
   }
   return cycle;
}

/* The work of the warp that is collected. All its threads issue, used or not. */
static struct cm_warp
work_of(const struct cm_cores_timing *timing, const struct cm_core_collected *collected)
{
   const uint32_t *operations = collected->operations;
   const uint64_t all = timing->config->warp_threads, used = collected->quads * 4;
   struct cm_warp warp = {.texture_parts = collected->parts};
   for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
      warp.units[p] = operations[p] * (p <= CM_PIPE_SFU ? all : used);
   warp.units[CM_PIPE_TEXTURE] = collected->samples;
   warp.units[CM_PIPE_TILE] = 0;
   return warp;
}
static_assert(CM_PIPE_ISSUE < CM_PIPE_SFU && CM_PIPE_FMA < CM_PIPE_SFU && CM_PIPE_CVT < CM_PIPE_SFU &&
                 CM_PIPE_SFU < CM_PIPE_VARYING,
              "pipes whose operations are issued to all threads of a warp come first");

/* Runs the warp on the core from its dispatch on. hindered: it has waited for threads. */
static void
run(struct cm_cores_timing *timing, struct cm_core *core, bool hindered)
{
   const struct cm_core_collected *collected = &core->collected;
   struct cm_work *work = core->front;
   struct cm_stage *processor = &timing->base.processors[number_of(timing, core)];
   const cm_entry *tokens = work->log.entries.items, *token = tokens + collected->begin;
   const cm_entry *end = tokens + collected->end;
   struct cm_core_fragments *flying = &core->warps[core->dispatched++ & core->mask];
   const struct cm_core_pipe *issue = &core->pipes.pipes[CM_PIPE_ISSUE];
   const cm_dram_ticket submitted = timing->memory.base.last_ticket;
   const uint64_t ready = fetch_code(timing, &token, end, core->dispatch);
   const struct cm_warp warp = work_of(timing, collected);
   const struct cm_warp_times times = cm_core_pipes_run(&core->pipes, &warp, ready);
   cm_work_serve(work, processor, collected->draw);
   cm_stage_account(processor, hindered || ready > core->dispatch ? CM_STAGE_MEMORY : CM_STAGE_STARVED,
                    times.begin);
   cm_stage_account(processor, CM_STAGE_BUSY, (issue->free + issue->rate - 1) / issue->rate);
   flying->issued = times.issued;
   flying->tail = times.tail;
   flying->threads = threads_of(timing, core);
   flying->pixels = collected->pixels;
   flying->draw = collected->draw;
   flying->work = work;
   flying->pending = false;
   flying->submitted = submitted;
   cm_dependency_begin(&flying->wait, times.sampled);
   work->dispatch_end = cm_later(work->dispatch_end, times.issued);
   if (token < end)
      cm_texture_timing_quad(&timing->texture, number_of(timing, core), token, end, times.texture,
                             times.piece, &flying->wait, &flying->pending);
   timing->counts.warps++;
   timing->counts.quads += collected->quads;
}

/* Dispatches the warp that is collected, whose threads' release is known. */
static void
dispatch(struct cm_cores_timing *timing, struct cm_core *core)
{
   const uint32_t threads = threads_of(timing, core);
   const uint64_t room = cm_queue_room(&core->formed);
   const uint64_t formed = cm_later(core->collected.tested, room);
   cm_queue_push(&core->formed);
   if (room > core->collected.tested) {
      cm_stage_account(&timing->rasterizers, CM_STAGE_BLOCKED, room);
      core->raster_begin = cm_later(core->raster_begin, room);
   }
   take_threads(core, threads, timing->config->threads);
   const uint64_t unhindered = cm_later(formed, core->dispatch + 1);
   core->dispatch = cm_later(unhindered, core->window);
   cm_queue_pop(&core->formed, formed, core->dispatch);
   if (core->front->dispatch_begin == CM_UNKNOWN)
      core->front->dispatch_begin = core->dispatch;
   run(timing, core, core->dispatch > unhindered);
   core->collected.quads = 0;
}

/* ---- quads ------------------------------------------------------------------- */

static void
collect(struct cm_core *core, const struct cm_logged_kind *kind, uint32_t tokens_end, uint64_t tested)
{
   struct cm_core_collected *collected = &core->collected;
   const struct cm_shader_cost *cost = &core->front->log.costs.items[kind->cost];
   assert(kind->cost < core->front->log.costs.count);
   if (!collected->quads)
      *collected = (struct cm_core_collected){
         .draw = kind->draw,
         .threads_shared = cost->threads_shared,
         .begin = core->token,
      };
   assert(collected->draw == kind->draw);
   collected->quads++;
   collected->samples += 4 * kind->samples;
   collected->parts += kind->footprints;
   collected->pixels += kind->pixels;
   collected->end = tokens_end;
   collected->tested = tested;
   for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
      collected->operations[p] = cm_max(collected->operations[p], cost->operations[p]);
}

static void
take_quad(struct cm_cores_timing *timing, struct cm_core *core)
{
   const struct cm_logged_quad *quad = &core->front->log.quads.items[core->next++];
   const struct cm_logged_kind *kind = cm_log_kind(&core->front->log, quad);
   uint64_t begin, unused;
   const uint64_t rasterized = cm_core_pipe_serve(&core->raster, core->raster_begin, 1, &begin);
   cm_work_serve(core->front, &timing->rasterizers, kind->draw);
   cm_stage_account(&timing->rasterizers, CM_STAGE_STARVED, begin);
   cm_stage_account(&timing->rasterizers, CM_STAGE_BUSY, rasterized);
   const uint64_t tested = cm_core_pipe_serve(&core->depth, rasterized, 1, &unused);
   core->front->z_end = tested;
   if (kind->shaded)
      collect(core, kind, quad->tokens_end, tested + timing->pipeline->early_z_latency);
   core->token = quad->tokens_end;
}

/* ---- primitives and tiles ---------------------------------------------------- */

static bool
is_deferred(const struct cm_cores_timing *timing)
{
   return timing->base.config->mode == CM_MODE_TBDR;
}

/* When the rasterizer has done all that it was given. */
static uint64_t
raster_is_free(const struct cm_core *core)
{
   const uint64_t done = (core->raster.free + core->raster.rate - 1) / core->raster.rate;
   return cm_later(done, core->raster_begin);
}

static void
pop_primitive(struct cm_cores_timing *timing, struct cm_core *core)
{
   const struct cm_logged_fetched *primitive = &core->front->log.fetched.items[core->popped];
   struct cm_dependency *data = cm_flight_oldest(&core->primitives);
   const uint64_t now = cm_later(core->next_check, core->dispatch);
   if (!cm_dependency_is_known_at(&timing->memory.base, data, now)) {
      core->next_check = now + CM_MEMORY_POLL_CYCLES;
      return;
   }
   core->popped++;
   const uint64_t hidden = is_deferred(timing) ? primitive->quads : 0;
   const uint64_t units = (uint64_t)timing->config->primitive_cycles * core->raster.rate + hidden;
   core->raster_begin = cm_later(raster_is_free(core), data->time);
   if (primitive->vertices_end)
      core->raster_begin = cm_later(core->raster_begin, primitive->ready);
   cm_work_serve(core->front, &timing->rasterizers, primitive->draw);
   cm_stage_account(&timing->rasterizers, CM_STAGE_STARVED, core->raster_begin);
   cm_flight_pop(&core->primitives, core->raster_begin);
   uint64_t begin;
   const uint64_t done = cm_core_pipe_serve(&core->raster, core->raster_begin, units, &begin);
   cm_stage_account(&timing->rasterizers, CM_STAGE_BUSY, done);
   core->front->z_end = core->front->hidden_end = cm_later(core->front->z_end, done);
}

static void
begin_tile(struct cm_cores_timing *timing, struct cm_core *core)
{
   struct cm_work *work = core->front;
   uint64_t *flushed = &core->flushed[core->begun++ % timing->pipeline->tile_buffers];
   uint64_t begin = raster_is_free(core) + timing->config->tile_cycles;
   begin = cm_later(begin, cm_later(work->fetch_begin, cm_later(timing->pass_begin, *flushed)));
   *flushed = CM_UNKNOWN;
   work->loaded = cm_core_load(timing, core, work, begin);
   core->raster_begin = work->loaded;
   core->token = work->log.marks[CM_LOG_FETCHED];
   cm_work_serve(work, &timing->rasterizers, CM_NO_ITEM);
   cm_stage_account(&timing->rasterizers, CM_STAGE_STARVED, begin);
   cm_stage_account(&timing->rasterizers, CM_STAGE_MEMORY, work->loaded);
   work->shade_begin = work->shaded = work->z_end = work->hidden_end = work->loaded;
   core->is_begun = true;
}

static void
end_tile(struct cm_core *core)
{
   struct cm_work *work = core->front;
   work->last_quad = core->dispatched;
   work->is_shaded = true;
   core->front = work->next_of_core;
   core->is_begun = false;
   core->next = core->popped = 0;
}

/* ---- steps ------------------------------------------------------------------- */

enum item { BEGIN, PRIMITIVE, QUAD, WARP, END };

/* Whether the next quad, or the tile's end, has to wait for a primitive to be rasterised. */
static bool
wants_primitive(const struct cm_cores_timing *timing, const struct cm_core *core)
{
   const struct cm_log *log = &core->front->log;
   if (core->popped == log->fetched.count)
      return false;
   return is_deferred(timing) || core->next == log->quads.count ||
          log->fetched.items[core->popped].index <=
             cm_log_kind(log, &log->quads.items[core->next])->primitive;
}

/* Whether the next primitive is read, and its vertices shaded, if tiles shade them. */
static bool
has_primitive(const struct cm_core *core)
{
   const struct cm_logged_fetched *primitive = &core->front->log.fetched.items[core->popped];
   return !cm_flight_is_empty(&core->primitives) &&
          (!primitive->vertices_end || primitive->ready != CM_UNKNOWN);
}

static enum item
next_item(const struct cm_cores_timing *timing, const struct cm_core *core)
{
   const struct cm_log *log = &core->front->log;
   const struct cm_core_collected *collected = &core->collected;
   if (!core->is_begun)
      return BEGIN;
   const struct cm_logged_kind *kind =
      core->next < log->quads.count ? cm_log_kind(log, &log->quads.items[core->next]) : NULL;
   if (collected->quads && (collected->quads * 4 == timing->config->warp_threads ||
                            (kind && kind->shaded && kind->draw != collected->draw)))
      return WARP;
   if (wants_primitive(timing, core))
      return PRIMITIVE;
   if (kind)
      return QUAD;
   return collected->quads ? WARP : END;
}

bool
cm_core_front_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock)
{
   const struct cm_work *work = core->front;
   *clock = core->dispatch;
   if (!work)
      return false;
   switch (next_item(timing, core)) {
   case BEGIN:
      return cm_cores_pass_may_begin(timing, work) && work->fetch_begin != CM_UNKNOWN &&
             core->flushed[core->begun % timing->pipeline->tile_buffers] != CM_UNKNOWN;
   case PRIMITIVE: *clock = cm_later(*clock, core->next_check); return has_primitive(core);
   case WARP:
      if (!waits_for_threads(timing, core))
         return true;
      *clock = cm_later(*clock, core->next_check);
      return !core->warps[core->retired & core->mask].pending;
   default: return true;
   }
}

/* Makes known when the threads are free that the warp takes. False: they are not yet. */
static bool
wait_for_threads(struct cm_cores_timing *timing, struct cm_core *core)
{
   while (waits_for_threads(timing, core)) {
      const uint64_t now = cm_later(core->next_check, core->dispatch);
      if (!cm_core_can_retire(timing, core, now)) {
         core->next_check = now + CM_MEMORY_POLL_CYCLES;
         return false;
      }
      cm_core_retire(timing, core);
   }
   return true;
}

void
cm_core_front_step(struct cm_cores_timing *timing, struct cm_core *core)
{
   timing->rasterizers.until = core->raster_until;
   switch (next_item(timing, core)) {
   case BEGIN: begin_tile(timing, core); break;
   case PRIMITIVE: pop_primitive(timing, core); break;
   case QUAD: take_quad(timing, core); break;
   case WARP:
      retire_old(timing, core);
      if (wait_for_threads(timing, core))
         dispatch(timing, core);
      break;
   case END: end_tile(core); break;
   }
   core->raster_until = timing->rasterizers.until;
}
