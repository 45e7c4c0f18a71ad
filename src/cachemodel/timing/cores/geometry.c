/* SPDX-License-Identifier: MIT */
/* Geometry: vertices are fetched and shaded, a warp at a time, on the cores in turn; they are assembled into primitives, which
 * the tiler writes into the tiles' lists. */
#include <assert.h>
#include <string.h>

#include "timing/cores/cores.h"
#include "util/minmax.h"

void
cm_core_geometry_init(struct cm_cores_timing *timing)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   struct cm_pool *pool = &timing->base.pool;
   const uint32_t warps = timing->num_cores * (timing->config->threads / timing->config->warp_threads);
   cm_flight_init(&geometry->input, warps, pool);
   geometry->warps = cm_pool_take(pool, warps, sizeof *geometry->warps);
   cm_queue_init(&geometry->triangles, timing->pipeline->triangle_queue, pool);
   cm_signature_timing_init(&geometry->signature, timing->base.config, pool);
}

static struct cm_vertex_warp *
warp_of(const struct cm_core_geometry *geometry, uint64_t number)
{
   return &geometry->warps[number % geometry->input.queue.size];
}

/* ---- after the cores --------------------------------------------------------- */

/* Writes a primitive that is assembled at a cycle into the lists. */
static void
bin(struct cm_cores_timing *timing, uint64_t assembled)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const struct cm_shader_core_config *config = timing->config;
   const struct cm_work *work = geometry->first;
   const struct cm_logged_binned *binned = &work->log.binned.items[geometry->out_binned++];
   const cm_entry *tokens = work->log.entries.items;
   cm_work_serve(work, &geometry->assembly, binned->draw);
   cm_work_serve(work, &geometry->tiler, binned->draw);
   const uint64_t enters = cm_later(assembled, cm_queue_room(&geometry->triangles));
   cm_stage_account(&geometry->assembly, CM_STAGE_BLOCKED, enters);
   cm_queue_push(&geometry->triangles);
   cm_stage_account(&geometry->tiler, CM_STAGE_STARVED, enters);
   const uint64_t begin = geometry->tiler.until;
   cm_queue_pop(&geometry->triangles, enters, begin);
   cm_stage_account(&geometry->tiler, CM_STAGE_BLOCKED,
                    cm_signature_timing_sign(&geometry->signature, timing->base.config, binned, begin));
   cm_stage_work(&geometry->tiler, CM_STAGE_STARVED, begin,
                 config->tiler_primitive_cycles + (uint64_t)binned->num_tiles * config->tiler_tile_cycles);
   cm_tiled_memory_writes(&timing->memory, tokens + geometry->binned_token, tokens + binned->tokens_end,
                          begin);
   geometry->binned_token = binned->tokens_end;
}

/* ---- on the cores ------------------------------------------------------------ */

/* What a vertex or an invocation accesses, tokens [begin, end) of the log, whose shader begins at a cycle. Returns when all data
 * has arrived. */
static uint64_t
run_accesses(struct cm_cores_timing *timing, uint32_t begin, uint32_t end, uint64_t cycle)
{
   const struct cm_log *log = &timing->geometry.first->log;
   return cm_tiled_memory_vertex_accesses(&timing->memory, cm_log_token(log, begin), cm_log_token(log, end),
                                          cycle);
}

/* Runs a warp of a draw with `used` threads on the next core, not before `ready`. Its accesses, tokens [begin, end), start with its
 * first instruction. Returns when it is done. */
static uint64_t
run(struct cm_cores_timing *timing, const struct cm_logged_draw *draw, uint32_t number, uint32_t used,
    uint64_t ready, uint32_t begin, uint32_t end)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const struct cm_work *work = geometry->first;
   const struct cm_vertices_to_run vertices = {.work = work,
                                               .draw = (uint32_t)(draw - work->log.draws.items),
                                               .cost = number,
                                               .used = used,
                                               .ready = ready,
                                               .begin = begin,
                                               .end = end};
   struct cm_core *core = &timing->cores[geometry->next_core];
   geometry->next_core = geometry->next_core + 1 == timing->num_cores ? 0 : geometry->next_core + 1;
   const uint64_t done = cm_core_run_vertices(timing, core, &vertices, &geometry->dispatched);
   geometry->shaded = cm_later(geometry->shaded, done);
   return done;
}

/* Invocations of the stages after the vertices that vertices `before` to `after` of a draw cause, warp by warp. */
static uint64_t
run_stages(struct cm_cores_timing *timing, const struct cm_logged_draw *draw, uint32_t before, uint32_t after,
           uint64_t shaded)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const uint32_t most = timing->config->warp_threads;
   for (enum cm_preraster_stage stage = CM_PRERASTER_CONTROL; stage < CM_PRERASTER_STAGES; stage++) {
      const uint64_t end = cm_draw_invocations(draw, stage, after);
      const uint64_t ready = shaded;
      for (uint64_t i = cm_draw_invocations(draw, stage, before); i < end; i += most) {
         const uint32_t count = (uint32_t)cm_min64(most, end - i);
         uint32_t first = UINT32_MAX, last = 0;
         for (uint64_t n = i; n < i + count; n++) {
            const struct cm_logged_invocation *accesses =
               cm_draw_accesses(&geometry->first->log, draw, stage, n, &geometry->accessed[stage]);
            first = accesses && first == UINT32_MAX ? accesses->begin : first;
            last = accesses ? accesses->end : last;
         }
         shaded = cm_later(shaded, run(timing, draw, draw->costs[stage], count, ready, first, last));
      }
   }
   return shaded;
}

/* Varyings of the vertices that the primitives have which reach the lists: three per primitive, no more than there are. */
static void
run_varyings(struct cm_cores_timing *timing, const struct cm_logged_draw *draw, uint32_t shaded, bool is_last)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const uint64_t visible = cm_min64(3 * (uint64_t)draw->num_primitives, draw->num_vertices);
   const uint32_t most = timing->config->warp_threads;
   if (timing->config->vertices != CM_CORE_VERTICES_POSITIONS_FIRST)
      return;
   geometry->owed += shaded * visible;
   while (geometry->owed >= (uint64_t)most * draw->num_vertices || (is_last && geometry->owed)) {
      const uint64_t all = (geometry->owed + draw->num_vertices - 1) / draw->num_vertices;
      const uint32_t count = (uint32_t)cm_min64(most, all);
      run(timing, draw, draw->varyings_cost, count, geometry->tiler.until, 0, 0);
      geometry->owed -= cm_min64(geometry->owed, (uint64_t)count * draw->num_vertices);
   }
}

/* Shades the oldest warp whose vertices are fetched, and takes it through assembly and the tiler. */
static void
shade(struct cm_cores_timing *timing)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const struct cm_work *work = geometry->first;
   const struct cm_vertex_warp *warp = warp_of(geometry, geometry->input.queue.popped);
   const struct cm_logged_draw *draw = &work->log.draws.items[warp->draw];
   const struct cm_logged_vertex *vertices = &work->log.vertices.items[warp->first];
   const uint64_t arrived = cm_dependency_resolve(&timing->memory.base, cm_flight_oldest(&geometry->input));
   uint64_t shaded = cm_later(arrived, geometry->dispatched);
   uint32_t accesses = 0;
   for (uint32_t v = 0; v < warp->vertices; v++)
      accesses += vertices[v].tokens_end - vertices[v].accesses_begin;
   /* Between what two vertices access lie the attributes of the second. */
   if (warp->shaded)
      shaded = run(timing, draw, draw->costs[CM_PRERASTER_VERTEX], warp->shaded, arrived, 0, 0);
   for (uint32_t v = 0; accesses && v < warp->vertices; v++)
      shaded = cm_later(shaded, run_accesses(timing, vertices[v].accesses_begin, vertices[v].tokens_end,
                                             geometry->dispatched));
   cm_flight_pop(&geometry->input, cm_later(arrived, geometry->dispatched));
   if (draw->has_stages)
      shaded = run_stages(timing, draw, warp->draw_vertex, warp->draw_vertex + warp->vertices, shaded);
   cm_work_serve(work, &geometry->assembly, warp->draw);
   for (uint32_t v = 1; v <= warp->vertices; v++) {
      const uint64_t assembled =
         cm_stage_work(&geometry->assembly, CM_STAGE_STARVED, shaded, timing->pipeline->assembly_cycles);
      for (; cm_draw_completes(draw, geometry->binned, warp->draw_vertex + v); geometry->binned++)
         bin(timing, assembled);
   }
   const bool is_last = warp->draw_vertex + warp->vertices == draw->num_vertices;
   run_varyings(timing, draw, warp->shaded, is_last);
   if (is_last) {
      geometry->binned = 0;
      geometry->owed = 0;
      memset(geometry->accessed, 0, sizeof geometry->accessed);
   }
}

/* ---- the fetch --------------------------------------------------------------- */

/* Fetches the shaders, up to a token. */
static void
fetch_programs(struct cm_cores_timing *timing, uint32_t tokens_end)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const cm_entry *token = geometry->first->log.entries.items + geometry->token;
   const cm_entry *end = geometry->first->log.entries.items + tokens_end;
   struct cm_dependency wait = {.time = geometry->fetch.until};
   while (token < end) {
      const cm_entry *next = cm_group_end(token, end);
      cm_tiled_memory_misses(&timing->memory, token + 1, next, geometry->fetch.until,
                             &timing->memory.instruction, &wait);
      token = next;
   }
   geometry->program_ready = cm_dependency_resolve(&timing->memory.base, &wait);
   geometry->token = tokens_end;
}

static void
begin_draw(struct cm_cores_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   geometry->draw_begin = geometry->fetch.until;
   fetch_programs(timing, draw->program_end);
   cm_work_serve(geometry->first, &geometry->fetch, geometry->at.draw);
   cm_stage_go_on(&geometry->fetch, timing->config->draw_cycles);
}

/* Transform feedback, after a draw's last vertex. */
static void
end_draw(struct cm_cores_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const cm_entry *tokens = geometry->first->log.entries.items;
   if (draw->num_vertices)
      geometry->token = draw->stages_end;
   cm_tiled_memory_writes(&timing->memory, tokens + geometry->token, tokens + draw->tokens_end,
                          geometry->fetch.until);
   if (timing->base.report)
      cm_report_draw(timing->base.report, CM_REPORT_VERTEX_FETCH, geometry->first->pass, geometry->at.draw,
                     geometry->draw_begin, geometry->fetch.until);
   geometry->token = draw->tokens_end;
   geometry->at.draw++;
   geometry->at.draw_vertex = 0;
}

/* A vertex: its index, a cycle, and what the caches miss of its attributes. */
static void
fetch_vertex(struct cm_cores_timing *timing, struct cm_dependency *wait)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const struct cm_log *log = &geometry->first->log;
   const struct cm_logged_vertex *vertex = &log->vertices.items[geometry->at.vertex++];
   const uint64_t done = cm_stage_go_on(&geometry->fetch, 1);
   const uint64_t found = done + timing->base.config->caches[CM_UNIT_VERTEX_CACHE].latency;
   cm_dependency_until(wait, cm_later(found, geometry->program_ready));
   cm_tiled_memory_misses(&timing->memory, log->entries.items + geometry->token,
                          log->entries.items + vertex->accesses_begin, found, &timing->memory.vertex, wait);
   geometry->token = vertex->tokens_end;
   geometry->at.draw_vertex++;
}

/* The vertices of the next warp. */
static void
fetch(struct cm_cores_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   struct cm_vertex_cursor *at = &geometry->at;
   struct cm_vertex_warp *warp = warp_of(geometry, geometry->input.queue.entered);
   cm_work_serve(geometry->first, &geometry->fetch, at->draw);
   cm_stage_account(&geometry->fetch, CM_STAGE_BLOCKED, cm_queue_room(&geometry->input.queue));
   struct cm_dependency *wait = cm_flight_push(&geometry->input, geometry->fetch.until);
   *warp = (struct cm_vertex_warp){.draw = at->draw, .first = at->vertex, .draw_vertex = at->draw_vertex};
   while (at->draw_vertex < draw->num_vertices && warp->shaded < timing->config->warp_threads) {
      warp->shaded += !geometry->first->log.vertices.items[at->vertex].reused;
      warp->vertices++;
      fetch_vertex(timing, wait);
   }
}

/* ---- steps ------------------------------------------------------------------- */

/* A pass' geometry begins: with overlap in parallel with earlier passes' tiles, else when these are done. */
static bool
begin_pass(struct cm_cores_timing *timing)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const struct cm_work *work = geometry->first;
   const bool overlaps = timing->config->overlap == CM_CORE_OVERLAP_FRAMES;
   if (!overlaps && timing->tiles_done < work->tiles_before)
      return false;
   geometry->at = (struct cm_vertex_cursor){0};
   geometry->token = geometry->binned = geometry->out_binned = 0;
   geometry->binned_token = work->log.marks[CM_LOG_VERTICES];
   cm_work_serve(work, &geometry->fetch, CM_NO_ITEM);
   cm_stage_account(&geometry->fetch, CM_STAGE_STARVED, geometry->end);
   cm_stage_account(&geometry->fetch, CM_STAGE_STARVED, overlaps ? geometry->next_check : timing->flushed);
   geometry->begin = geometry->fetch.until;
   cm_stage_account(&geometry->fetch, CM_STAGE_STARVED, geometry->fetch.until + timing->config->pass_cycles);
   geometry->is_active = true;
   return true;
}

bool
cm_core_geometry_ready(struct cm_cores_timing *timing, uint64_t *clock)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   if (!geometry->first || (!geometry->is_active && !begin_pass(timing)))
      return false;
   *clock = cm_later(geometry->fetch.until, geometry->next_check);
   return true;
}

static void
end_pass(struct cm_cores_timing *timing)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   struct cm_work *work = geometry->first;
   assert(geometry->at.vertex == work->log.vertices.count);
   /* Draws whose vertices are not in the stream. */
   while (geometry->out_binned < work->log.binned.count)
      bin(timing, geometry->assembly.until);
   geometry->end = cm_later(cm_later(geometry->fetch.until, geometry->shaded),
                            cm_later(geometry->assembly.until, geometry->tiler.until));
   geometry->end = cm_later(geometry->end, geometry->signature.until);
   if (timing->base.report)
      cm_report_geometry(timing->base.report, work->pass, geometry->begin, geometry->end);
   geometry->done = work->pass;
   geometry->is_active = false;
   geometry->first = work->next_of_core;
   if (!geometry->first)
      geometry->last = NULL;
   work->is_shaded = true;
}

/* Shades the oldest warp, if it is known when its vertices arrive. */
static void
try_shade(struct cm_cores_timing *timing)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const uint64_t now = cm_later(geometry->next_check, geometry->fetch.until);
   if (cm_dependency_is_known_at(&timing->memory.base, cm_flight_oldest(&geometry->input), now))
      shade(timing);
   else
      geometry->next_check = now + CM_MEMORY_POLL_CYCLES;
}

void
cm_core_geometry_step(struct cm_cores_timing *timing)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   const struct cm_log *log = &geometry->first->log;
   const bool ends = geometry->at.draw == log->draws.count;
   if (ends && cm_flight_is_empty(&geometry->input)) {
      end_pass(timing);
      return;
   }
   if (ends || !cm_queue_room_known(&geometry->input.queue)) {
      try_shade(timing);
      return;
   }
   const struct cm_logged_draw *draw = &log->draws.items[geometry->at.draw];
   if (!geometry->at.draw_vertex)
      begin_draw(timing, draw);
   if (geometry->at.draw_vertex == draw->num_vertices)
      end_draw(timing, draw);
   else
      fetch(timing, draw);
}
