/* SPDX-License-Identifier: MIT */
/* Vertices of the immediate-mode pipeline: fetched, transformed on the Fragment Processors (the cores of a unified GPU
 * run all shaders), assembled into primitives. */
#include <string.h>

#include "timing/immediate/immediate.h"

/* When it is transformed. */
static uint64_t *
vertex_done(const struct cm_immediate_timing *timing, uint64_t number)
{
   return &timing->vertex_done[number % timing->vertices.queue.size];
}

/* A draw's shaders are fetched before its first vertex. */
static void
fetch_programs(struct cm_immediate_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_dependency wait = {.time = timing->fetch.until};
   cm_immediate_access(timing, draw->begin, draw->program_end, timing->fetch.until, &wait);
   timing->fetch_token = draw->program_end;
   timing->program_ready = cm_dependency_resolve(&timing->memory.base, &wait);
}

bool
cm_immediate_fetch_vertex(struct cm_immediate_timing *timing)
{
   struct cm_vertex_cursor *at = &timing->fetch_at;
   if (!cm_immediate_has_draw(timing, at->draw) || timing->fetch.until >= timing->now ||
       !cm_queue_room_known(&timing->vertices.queue))
      return false;
   const struct cm_logged_draw *draw = &timing->log.draws.items[at->draw];
   if (!at->draw_vertex)
      fetch_programs(timing, draw);
   if (at->draw_vertex == draw->num_vertices) {
      /* Transform feedback; of a draw without vertices also what its other stages access. */
      struct cm_dependency unused = {0};
      const uint32_t begin = draw->num_vertices ? draw->stages_end : timing->fetch_token;
      cm_immediate_access(timing, begin, draw->tokens_end, timing->fetch.until, &unused);
      at->draw++;
      at->draw_vertex = 0;
      return true;
   }
   const uint64_t room = cm_queue_room(&timing->vertices.queue);
   if (room >= timing->now)
      return false;
   const struct cm_logged_vertex *vertex = &timing->log.vertices.items[at->vertex++];
   cm_immediate_serve(timing, &timing->fetch, at->draw, 0, CM_NO_ITEM);
   cm_stage_account(&timing->fetch, CM_STAGE_BLOCKED, room);
   const uint64_t begin = timing->fetch.until;
   struct cm_dependency *wait = cm_flight_push(&timing->vertices, begin);
   cm_dependency_until(wait, cm_later(begin + 1, timing->program_ready));
   const uint64_t done = cm_immediate_access(timing, timing->fetch_token, vertex->tokens_end, begin, wait);
   cm_stage_account(&timing->fetch, CM_STAGE_BUSY, cm_later(done, begin + 1));
   cm_immediate_report(timing, CM_REPORT_VERTEX_FETCH, at->draw, begin, timing->fetch.until);
   timing->fetch_token = vertex->tokens_end;
   at->draw_vertex++;
   return true;
}

/* The accesses of an invocation of a stage after the vertices, from a cycle on. Returns when all have arrived. */
static uint64_t
run_accesses(struct cm_immediate_timing *timing, const struct cm_logged_draw *draw,
             enum cm_preraster_stage stage, uint64_t invocation, uint64_t cycle)
{
   const struct cm_logged_invocation *accesses =
      cm_draw_accesses(&timing->log, draw, stage, invocation, &timing->accessed[stage]);
   struct cm_dependency wait = {.time = cycle};
   if (!accesses)
      return cycle;
   cm_immediate_access(timing, accesses->begin, accesses->end, cycle, &wait);
   return cm_dependency_resolve(&timing->memory.base, &wait);
}

/* Runs what tessellation and geometry shaders do with a draw's vertices, of which there are so many now, the last one
 * shaded then: each stage's invocations after those of the stage before it. When that is done. */
static uint64_t
run_stages(struct cm_immediate_timing *timing, const struct cm_logged_draw *draw, uint32_t vertices,
           uint64_t shaded)
{
   const uint32_t processors = timing->base.config->fragment_stage.processors;
   for (enum cm_preraster_stage stage = CM_PRERASTER_CONTROL; stage < CM_PRERASTER_STAGES; stage++) {
      const uint64_t ready = shaded;
      const uint32_t instructions = draw->stages[stage].instructions;
      const uint64_t end = cm_draw_invocations(draw, stage, vertices);
      for (uint64_t i = cm_draw_invocations(draw, stage, vertices - 1); i < end; i++) {
         struct cm_fragment_processor *processor =
            &timing->processors[timing->invocations++ / CM_VERTICES_OF_A_THREAD % processors];
         const uint64_t begin = cm_later(ready, processor->stage->until);
         const uint64_t read = run_accesses(timing, draw, stage, i, begin);
         const uint64_t issued = cm_processor_issue(timing, processor, ready, instructions);
         shaded = cm_later(shaded, cm_later(read, cm_later(issued, begin + instructions)));
      }
   }
   if (vertices == draw->num_vertices)
      memset(timing->accessed, 0, sizeof timing->accessed);
   return shaded;
}

bool
cm_immediate_run_vertex(struct cm_immediate_timing *timing)
{
   struct cm_vertex_cursor *at = &timing->run_at;
   if (at->vertex == timing->fetch_at.vertex)
      return false;
   const struct cm_logged_draw *draw = cm_log_draw(&timing->log, at);
   /* The vertex' number in the queue: it is fetched and not assembled. */
   const uint64_t number = timing->vertices.queue.popped + at->vertex - timing->assemble_at.vertex;
   struct cm_dependency *wait = cm_flight_dependency(&timing->vertices, number);
   if (!cm_dependency_is_known(&timing->memory.base, wait) || wait->time >= timing->now)
      return false;
   const uint32_t processors = timing->base.config->fragment_stage.processors;
   struct cm_fragment_processor *processor =
      &timing->processors[at->vertex / CM_VERTICES_OF_A_THREAD % processors];
   uint64_t *done = vertex_done(timing, number);
   *done = wait->time;
   if (!timing->log.vertices.items[at->vertex].reused) {
      const uint64_t begin = cm_later(wait->time, processor->stage->until);
      cm_immediate_serve(timing, processor->stage, at->draw, 0, CM_NO_ITEM);
      const uint64_t issued = cm_processor_issue(timing, processor, wait->time, draw->instructions);
      *done = cm_later(issued, begin + draw->instructions);
      cm_immediate_report(timing, CM_REPORT_VERTICES, at->draw, begin, *done);
   }
   at->vertex++;
   at->draw_vertex++;
   if (draw->has_stages)
      *done = run_stages(timing, draw, at->draw_vertex, *done);
   return true;
}

/* The primitive is in the queue before the Rasterizer. */
static bool
set_up(struct cm_immediate_timing *timing)
{
   struct cm_queue *triangles = &timing->triangles;
   if (!cm_queue_room_known(triangles))
      return false;
   const uint64_t room = cm_queue_room(triangles);
   if (cm_later(cm_later(room, timing->assembled), timing->assembly.until) >= timing->now)
      return false;
   const uint64_t worked = cm_later(timing->assembly.until, timing->assembled);
   cm_immediate_serve(timing, &timing->assembly, timing->assemble_at.draw, 0, CM_NO_ITEM);
   cm_stage_work(&timing->assembly, CM_STAGE_STARVED, timing->assembled, timing->pipeline->setup_cycles);
   cm_stage_account(&timing->assembly, CM_STAGE_BLOCKED, room);
   cm_immediate_report(timing, CM_REPORT_ASSEMBLY, timing->assemble_at.draw, worked, timing->assembly.until);
   timing->triangle_entered[triangles->entered % triangles->size] = timing->assembly.until;
   cm_queue_push(triangles);
   timing->draw_primitive++;
   return true;
}

bool
cm_immediate_assemble(struct cm_immediate_timing *timing)
{
   struct cm_vertex_cursor *at = &timing->assemble_at;
   if (!cm_immediate_has_draw(timing, at->draw))
      return false;
   const struct cm_logged_draw *draw = &timing->log.draws.items[at->draw];
   if (timing->draw_primitive < draw->num_primitives &&
       cm_draw_completes(draw, timing->draw_primitive, at->draw_vertex))
      return set_up(timing);
   if (at->draw_vertex < draw->num_vertices) {
      const uint64_t done = *vertex_done(timing, timing->vertices.queue.popped);
      if (at->vertex == timing->run_at.vertex || done >= timing->now)
         return false;
      timing->assembled = cm_later(timing->assembled, done);
      cm_flight_pop(&timing->vertices, timing->assembled);
      at->vertex++;
      at->draw_vertex++;
      return true;
   }
   at->draw++;
   at->draw_vertex = timing->draw_primitive = 0;
   return true;
}
