/* SPDX-License-Identifier: MIT */
/* The Geometry Pipeline: vertices are fetched, shaded on one of the Vertex Processors, as are tessellation and geometry
 * shaders' invocations, are assembled into primitives, and the Polygon List Builder writes these into the Parameter
 * Buffer. */
#include <string.h>

#include "timing/tiled/tiled.h"

void
cm_geometry_timing_init(struct cm_tiled_timing *timing)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   struct cm_pool *pool = &timing->base.pool;
   const struct cm_pipeline_config *pipeline = timing->pipeline;
   geometry->processor_free =
      cm_pool_take(pool, pipeline->vertex_processors, sizeof *geometry->processor_free);
   cm_flight_init(&geometry->input, pipeline->vertex_queue, pool);
   cm_queue_init(&geometry->output, pipeline->vertex_queue, pool);
   cm_queue_init(&geometry->triangles, pipeline->triangle_queue, pool);
   cm_signature_timing_init(&geometry->signature, timing->base.config, pool);
}

bool
cm_geometry_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   *clock = timing->geometry.fetch.until;
   return timing->geometry.work != NULL;
}

/* Cycles in which the Polygon List Builder writes a primitive: one PMD or attribute per cycle through a cache's one
 * port; into an Attribute Cache, the primitive as a whole. */
static uint64_t
binning_cycles(const struct cm_config *config, const struct cm_logged_binned *binned)
{
   const uint32_t attributes = config->primitive_buffer.lines ? 1 : binned->num_attributes;
   if (config->streams[CM_STREAM_PB_LIST] == config->streams[CM_STREAM_PB_ATTRIBUTE])
      return binned->num_tiles + attributes;
   return binned->num_tiles > attributes ? binned->num_tiles : attributes;
}

/* Writes an assembled primitive. */
static void
bin(struct cm_tiled_timing *timing, uint64_t assembled)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const struct cm_work *work = geometry->work;
   const struct cm_logged_binned *binned = &work->log.binned.items[geometry->out_binned++];
   cm_work_serve(work, &geometry->assembly, binned->draw);
   cm_work_serve(work, &geometry->builder, binned->draw);
   const uint64_t enters = cm_later(assembled, cm_queue_room(&geometry->triangles));
   cm_stage_account(&geometry->assembly, CM_STAGE_BLOCKED, enters);
   cm_queue_push(&geometry->triangles);
   cm_stage_account(&geometry->builder, CM_STAGE_STARVED, enters);
   const uint64_t begin = geometry->builder.until;
   cm_queue_pop(&geometry->triangles, enters, begin);
   cm_stage_account(&geometry->builder, CM_STAGE_BLOCKED,
                    cm_signature_timing_sign(&geometry->signature, timing->base.config, binned, begin));
   cm_stage_go_on(&geometry->builder, binning_cycles(timing->base.config, binned));
   cm_tiled_memory_writes(&timing->memory, work->log.entries.items + geometry->binned_token,
                          work->log.entries.items + binned->tokens_end, begin);
   geometry->binned_token = binned->tokens_end;
}

/* The Vertex Processor that runs the next vertex or invocation of a draw: in turn; where shaders of different lengths
 * alternate, that which is free first. */
static uint64_t *
next_processor(struct cm_tiled_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const uint32_t processors = timing->pipeline->vertex_processors;
   uint64_t *is_free = geometry->processor_free;
   uint32_t next = geometry->next_processor;
   for (uint32_t p = 0; draw->has_stages && p < processors; p++)
      next = is_free[p] < is_free[next] ? p : next;
   geometry->next_processor = next + 1 == processors ? 0 : next + 1;
   return &is_free[next];
}

/* A processor runs a shader from a cycle on, and has the texels that it reads in the cycle `read`. Returns when it is
 * done and its result is in the output queue, if it is to go there. */
static uint64_t
shade(struct cm_geometry_timing *geometry, uint64_t *is_free, uint64_t begin, uint32_t instructions,
      uint64_t read, bool is_output)
{
   const uint64_t done = cm_later(begin + instructions, read);
   geometry->processors.cycles[CM_STAGE_MEMORY] += done - begin - instructions;
   const uint64_t leaves = is_output ? cm_later(done, cm_queue_room(&geometry->output)) : done;
   geometry->processors.cycles[CM_STAGE_BUSY] += instructions;
   geometry->processors.cycles[CM_STAGE_BLOCKED] += leaves - done;
   geometry->processors_end = cm_later(geometry->processors_end, leaves);
   return *is_free = leaves;
}

/* Takes a vertex that enters the output queue then through Primitive Assembly. */
static uint64_t
assemble(struct cm_tiled_timing *timing, uint64_t entered)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   cm_queue_push(&geometry->output);
   cm_stage_account(&geometry->assembly, CM_STAGE_STARVED, entered);
   cm_queue_pop(&geometry->output, entered, geometry->assembly.until);
   return cm_stage_go_on(&geometry->assembly, timing->pipeline->assembly_cycles);
}

/* What a vertex or an invocation accesses, tokens [begin, end) of the log, whose shader begins at a cycle. Returns when all data
 * has arrived. */
static uint64_t
run_accesses(struct cm_tiled_timing *timing, uint32_t begin, uint32_t end, uint64_t cycle)
{
   const struct cm_log *log = &timing->geometry.work->log;
   return cm_tiled_memory_vertex_accesses(&timing->memory, cm_log_token(log, begin), cm_log_token(log, end),
                                          cycle);
}

/* Shades the oldest vertex in the input queue. When it is done. */
static uint64_t
shade_vertex(struct cm_tiled_timing *timing, const struct cm_logged_draw *draw,
             const struct cm_logged_vertex *vertex)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const uint64_t entered = cm_flight_entered(&geometry->input);
   const uint64_t arrived = cm_dependency_resolve(&timing->memory.base, cm_flight_oldest(&geometry->input));

   uint64_t begin = cm_later(arrived, geometry->processor_begin);
   uint64_t done = begin;
   if (!vertex->reused) {
      uint64_t *is_free = next_processor(timing, draw);
      begin = cm_later(begin, *is_free);
      geometry->processors.cycles[CM_STAGE_MEMORY] +=
         begin == arrived && arrived > *is_free && arrived > entered + 1
            ? arrived - cm_later(*is_free, entered + 1)
            : 0;
      const uint64_t read = vertex->accesses_begin < vertex->tokens_end
                               ? run_accesses(timing, vertex->accesses_begin, vertex->tokens_end, begin)
                               : begin;
      done = shade(geometry, is_free, begin, draw->instructions, read, !draw->has_stages);
   } else if (!draw->has_stages) {
      done = cm_later(done, cm_queue_room(&geometry->output));
   }
   geometry->processor_begin = begin;
   cm_flight_pop(&geometry->input, begin);
   return done;
}

/* What tessellation and geometry shaders do with a draw's vertices, of which there are so many now, the last one
 * shaded then: invocations run as vertices do, each stage's after those of the stage before it, and what the last
 * stage makes is assembled. */
static uint64_t
run_stages(struct cm_tiled_timing *timing, const struct cm_logged_draw *draw, uint32_t vertices,
           uint64_t shaded)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const enum cm_preraster_stage last = cm_draw_last_stage(draw);
   for (enum cm_preraster_stage stage = CM_PRERASTER_CONTROL; stage < CM_PRERASTER_STAGES; stage++) {
      uint64_t ready = shaded;
      const uint64_t end = cm_draw_invocations(draw, stage, vertices);
      for (uint64_t i = cm_draw_invocations(draw, stage, vertices - 1); i < end; i++) {
         const bool is_output = stage == last && last != CM_PRERASTER_CONTROL;
         uint64_t *is_free = next_processor(timing, draw);
         const uint64_t begin = cm_later(cm_later(ready, *is_free), geometry->processor_begin);
         const struct cm_logged_invocation *accesses =
            cm_draw_accesses(&geometry->work->log, draw, stage, i, &geometry->accessed[stage]);
         const uint64_t read = accesses ? run_accesses(timing, accesses->begin, accesses->end, begin) : begin;
         const uint64_t done =
            shade(geometry, is_free, begin, draw->stages[stage].instructions, read, is_output);
         geometry->processor_begin = begin;
         shaded = cm_later(shaded, done);
         if (is_output)
            assemble(timing, done);
      }
   }
   return geometry->assembly.until;
}

/* Takes the oldest vertex in the input queue through all stages. */
static void
process(struct cm_tiled_timing *timing)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const struct cm_work *work = geometry->work;
   const struct cm_logged_draw *draw = cm_log_draw(&work->log, &geometry->out_at);
   const struct cm_logged_vertex *vertex = &work->log.vertices.items[geometry->out_at.vertex++];
   cm_work_serve(work, &geometry->processors, geometry->out_at.draw);
   cm_work_serve(work, &geometry->assembly, geometry->out_at.draw);
   const uint64_t shaded = shade_vertex(timing, draw, vertex);
   const uint32_t vertices = ++geometry->out_at.draw_vertex;
   const uint64_t assembled =
      draw->has_stages ? run_stages(timing, draw, vertices, shaded) : assemble(timing, shaded);
   for (; cm_draw_completes(draw, geometry->binned, vertices); geometry->binned++)
      bin(timing, assembled);
   if (vertices == draw->num_vertices) {
      geometry->binned = 0;
      memset(geometry->accessed, 0, sizeof geometry->accessed);
   }
}

void
cm_geometry_timing_idle(struct cm_tiled_timing *timing, uint32_t pass, uint64_t until)
{
   struct cm_stage *vertex = &timing->geometry.processors;
   cm_stage_serve(vertex, pass, CM_NO_ITEM, 0, CM_NO_ITEM);
   vertex->until = until * timing->pipeline->vertex_processors;
   vertex->cycles[CM_STAGE_STARVED] = vertex->until - vertex->cycles[CM_STAGE_BUSY] -
                                      vertex->cycles[CM_STAGE_BLOCKED] - vertex->cycles[CM_STAGE_MEMORY];
}

static void
end(struct cm_tiled_timing *timing)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   while (!cm_flight_is_empty(&geometry->input))
      process(timing);
   assert(geometry->out_at.vertex == geometry->work->log.vertices.count);
   /* Draws whose vertices are not in the stream. */
   while (geometry->out_binned < geometry->work->log.binned.count)
      bin(timing, geometry->assembly.until);
   geometry->end =
      cm_later(cm_later(geometry->fetch.until, geometry->builder.until), geometry->assembly.until);
   geometry->end = cm_later(geometry->end, cm_later(geometry->processor_begin, geometry->processors_end));
   geometry->end = cm_later(geometry->end, geometry->signature.until);
   cm_geometry_timing_idle(timing, geometry->work->pass, geometry->end);
   if (timing->base.report)
      cm_report_geometry(timing->base.report, geometry->work->pass, geometry->begin, geometry->end);
   timing->fetcher.clock = cm_later(timing->fetcher.clock, geometry->end);
   timing->fetcher.work = geometry->work->next;
   geometry->work->is_shaded = true;
   geometry->work = NULL;
}

/* Transform feedback, after a draw's last vertex. Where the draw continues in another pass, accesses that stages make
 * without vertices are not waited for. */
static void
end_draw(struct cm_tiled_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const cm_entry *tokens = geometry->work->log.entries.items;
   if (draw->num_vertices)
      geometry->token = draw->stages_end;
   cm_tiled_memory_writes(&timing->memory, tokens + geometry->token, tokens + draw->tokens_end,
                          geometry->fetch.until);
   if (timing->base.report)
      cm_report_draw(timing->base.report, CM_REPORT_VERTEX_FETCH, geometry->work->pass,
                     geometry->fetch_at.draw, geometry->draw_begin, geometry->fetch.until);
   geometry->token = draw->tokens_end;
   geometry->fetch_at.draw++;
   geometry->fetch_at.draw_vertex = 0;
}

/* Fetches the shaders, so many tokens; they have arrived at geometry->program_ready. */
static void
fetch_programs(struct cm_tiled_timing *timing, uint32_t tokens_end)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const cm_entry *token = geometry->work->log.entries.items + geometry->token;
   const cm_entry *end_of_programs = geometry->work->log.entries.items + tokens_end;
   struct cm_dependency wait = {.time = geometry->fetch.until};
   uint64_t begin = geometry->fetch.until;
   while (token < end_of_programs) {
      const cm_entry *next = cm_group_end(token, end_of_programs);
      begin = cm_tiled_memory_fetch_shader(&timing->memory, token, next, begin, &wait);
      token = next;
   }
   geometry->program_ready = cm_dependency_resolve(&timing->memory.base, &wait);
   geometry->token = tokens_end;
}

static inline void
step(struct cm_tiled_timing *timing)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   const struct cm_work *work = geometry->work;
   struct cm_vertex_cursor *at = &geometry->fetch_at;
   if (at->draw == work->log.draws.count) {
      end(timing);
      return;
   }
   const struct cm_logged_draw *draw = &work->log.draws.items[at->draw];
   if (!at->draw_vertex) {
      geometry->draw_begin = geometry->fetch.until;
      fetch_programs(timing, draw->program_end);
   }
   if (at->draw_vertex == draw->num_vertices) {
      end_draw(timing, draw);
      return;
   }
   const struct cm_logged_vertex *vertex = &work->log.vertices.items[at->vertex++];
   if (!cm_queue_room_known(&geometry->input.queue))
      process(timing);
   cm_work_serve(work, &geometry->fetch, at->draw);
   const uint64_t room = cm_queue_room(&geometry->input.queue);
   cm_stage_account(&geometry->fetch, CM_STAGE_BLOCKED, room);
   const uint64_t done = cm_stage_go_on(&geometry->fetch, vertex->accesses ? vertex->accesses : 1);
   struct cm_dependency *wait = cm_flight_push(&geometry->input, done);
   const uint64_t found = done + timing->base.config->caches[CM_UNIT_VERTEX_CACHE].latency;
   cm_dependency_until(wait, cm_later(found, geometry->program_ready));
   cm_tiled_memory_misses(&timing->memory, work->log.entries.items + geometry->token,
                          work->log.entries.items + vertex->accesses_begin, found, &timing->memory.vertex,
                          wait);
   geometry->token = vertex->tokens_end;
   at->draw_vertex++;
}

CM_RUN_STAGE(geometry, step)
