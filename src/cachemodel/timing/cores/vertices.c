/* SPDX-License-Identifier: MIT */
/* Warps of vertices on a core, and the vertices that tiles shade themselves: the core's reads of tile lists collect them into
 * warps, whose primitives go on to its rasterizer when they are shaded. */
#include <assert.h>

#include "timing/cores/cores.h"

uint64_t
cm_core_run_vertices(struct cm_cores_timing *timing, struct cm_core *core,
                     const struct cm_vertices_to_run *run, uint64_t *dispatched)
{
   const struct cm_shader_cost *cost = &run->work->log.costs.items[run->cost];
   const uint32_t threads = cm_core_warp_threads(timing->config, cost->threads_shared);
   struct cm_warp warp = {0};
   assert(run->cost < run->work->log.costs.count && run->used <= timing->config->warp_threads);
   for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
      warp.units[p] =
         (uint64_t)cost->operations[p] * (p <= CM_PIPE_SFU ? timing->config->warp_threads : run->used);
   *dispatched = cm_core_window_take(&core->vertices, threads, cm_later(run->ready, *dispatched));
   struct cm_core_pipe *issue = &core->pipes.pipes[CM_PIPE_ISSUE];
   const uint64_t issue_free = issue->free;
   const struct cm_warp_times times = cm_core_pipes_run(&core->pipes, &warp, *dispatched);
   struct cm_stage *processor = &timing->base.processors[core - timing->cores];
   if (issue->free > issue_free) {
      cm_work_serve(run->work, processor, run->draw);
      cm_stage_account(processor, CM_STAGE_STARVED, times.begin);
      cm_stage_account(processor, CM_STAGE_BUSY, (issue->free + issue->rate - 1) / issue->rate);
   }
   uint64_t done = cm_later(times.issued, times.sampled);
   if (run->begin < run->end)
      done =
         cm_later(done,
                  cm_tiled_memory_vertex_accesses(&timing->memory, cm_log_token(&run->work->log, run->begin),
                                                  cm_log_token(&run->work->log, run->end), times.begin));
   cm_core_window_put(&core->vertices, threads, done);
   timing->counts.vertex_warps++;
   timing->counts.vertices += run->used;
   return done;
}

/* ---- collecting ---------------------------------------------------------------- */

void
cm_core_vertices_init(struct cm_cores_timing *timing, struct cm_core *core)
{
   const uint32_t warps = timing->config->threads / timing->config->warp_threads;
   if (timing->config->vertices != CM_CORE_VERTICES_PER_TILE)
      return;
   cm_flight_init(&core->tile_vertices.input, warps, &timing->base.pool);
   core->tile_vertices.warps = cm_pool_take(&timing->base.pool, warps, sizeof *core->tile_vertices.warps);
}

static struct cm_tile_warp *
warp_of(const struct cm_core_tile_vertices *vertices, uint64_t number)
{
   return &vertices->warps[number % vertices->input.queue.size];
}

static struct cm_tile_warp *
newest(const struct cm_core_tile_vertices *vertices)
{
   return warp_of(vertices, vertices->input.queue.entered - 1);
}

/* Whether the warp that is collected takes a vertex of a draw. */
static bool
fits(const struct cm_cores_timing *timing, const struct cm_core_tile_vertices *vertices, uint32_t draw)
{
   return vertices->is_open && newest(vertices)->draw == draw &&
          newest(vertices)->vertices < timing->config->warp_threads;
}

bool
cm_core_vertices_can_collect(const struct cm_cores_timing *timing, const struct cm_core *core, uint32_t draw)
{
   return fits(timing, &core->tile_vertices, draw) || cm_queue_room_known(&core->tile_vertices.input.queue);
}

void
cm_core_vertices_close(struct cm_core *core)
{
   core->tile_vertices.is_open = false;
}

/* The wait of the warp that takes the next vertex, of a primitive of the core's list. */
static struct cm_dependency *
collect(struct cm_cores_timing *timing, struct cm_core *core, const struct cm_logged_fetched *primitive)
{
   struct cm_core_tile_vertices *vertices = &core->tile_vertices;
   struct cm_flight *input = &vertices->input;
   if (!fits(timing, vertices, primitive->draw)) {
      cm_stage_account(&timing->fetchers, CM_STAGE_BLOCKED, cm_queue_room(&input->queue));
      cm_flight_push(input, timing->fetchers.until);
      *newest(vertices) = (struct cm_tile_warp){.work = core->list,
                                                .draw = primitive->draw,
                                                .cost = primitive->vertex_cost,
                                                .first = core->list_vertex};
      vertices->is_open = true;
   }
   newest(vertices)->vertices++;
   return cm_flight_dependency(input, input->queue.entered - 1);
}

void
cm_core_vertices_fetch(struct cm_cores_timing *timing, struct cm_core *core,
                       const struct cm_logged_fetched *primitive)
{
   const struct cm_log *log = &core->list->log;
   const struct cm_logged_vertex *vertex = &log->vertices.items[core->list_vertex];
   const cm_entry *token = cm_log_token(log, core->list_token);
   const cm_entry *end = cm_log_token(log, vertex->accesses_begin);
   cm_work_serve(core->list, &timing->fetchers, primitive->draw);
   struct cm_dependency *wait = collect(timing, core, primitive);
   const uint64_t begin =
      cm_stage_work(&timing->fetchers, CM_STAGE_STARVED, cm_later(core->list_clock, timing->pass_begin), 1);
   const uint64_t found = begin + timing->base.config->caches[CM_UNIT_VERTEX_CACHE].latency;
   cm_dependency_until(wait, found);
   /* Before the first vertex of a draw, its shader. */
   for (const cm_entry *next; token < end; token = next) {
      const bool is_code = cm_entry_stream(*token) == CM_STREAM_SHADER;
      assert(cm_entry_kind(*token) == CM_ENTRY_GROUP);
      next = cm_group_end(token, end);
      cm_tiled_memory_misses(&timing->memory, token + 1, next, is_code ? begin : found,
                             is_code ? &timing->memory.instruction : &timing->memory.vertex, wait);
   }
   core->list_token = vertex->tokens_end;
   core->list_clock = begin;
   core->list_vertex++;
}

/* ---- shading --------------------------------------------------------------------- */

bool
cm_core_vertices_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock)
{
   const struct cm_core_tile_vertices *vertices = &core->tile_vertices;
   const struct cm_queue *queue = &vertices->input.queue;
   (void)timing;
   if (queue->entered - queue->popped == (vertices->is_open ? 1u : 0u))
      return false;
   *clock = cm_later(vertices->next_check, cm_flight_entered(&vertices->input));
   return true;
}

/* A warp is shaded: so are its primitives, and those after it that have no vertices but these. */
static void
pass_on(struct cm_work *work, uint32_t vertices, uint64_t shaded)
{
   while (work->num_ready < work->log.fetched.count &&
          work->log.fetched.items[work->num_ready].vertices_end <= vertices)
      work->log.fetched.items[work->num_ready++].ready = shaded;
}

void
cm_core_vertices_step(struct cm_cores_timing *timing, struct cm_core *core)
{
   struct cm_core_tile_vertices *vertices = &core->tile_vertices;
   struct cm_dependency *data = cm_flight_oldest(&vertices->input);
   const struct cm_tile_warp *warp = warp_of(vertices, vertices->input.queue.popped);
   const uint64_t now = cm_later(vertices->next_check, cm_flight_entered(&vertices->input));
   if (!cm_dependency_is_known_at(&timing->memory.base, data, now)) {
      vertices->next_check = now + CM_MEMORY_POLL_CYCLES;
      return;
   }
   const struct cm_logged_vertex *items = &warp->work->log.vertices.items[warp->first];
   const uint64_t arrived = data->time;
   const struct cm_vertices_to_run run = {
      .work = warp->work, .draw = warp->draw, .cost = warp->cost, .used = warp->vertices, .ready = arrived};
   uint64_t shaded = cm_core_run_vertices(timing, core, &run, &vertices->dispatched);
   for (uint32_t v = 0; v < warp->vertices; v++) {
      if (items[v].accesses_begin < items[v].tokens_end)
         shaded =
            cm_later(shaded, cm_tiled_memory_vertex_accesses(
                                &timing->memory, cm_log_token(&warp->work->log, items[v].accesses_begin),
                                cm_log_token(&warp->work->log, items[v].tokens_end), vertices->dispatched));
   }
   cm_flight_pop(&vertices->input, cm_later(arrived, vertices->dispatched));
   pass_on(warp->work, warp->first + warp->vertices, shaded);
}
