/* SPDX-License-Identifier: MIT */
/* Vertices of the immediate-mode pipeline: fetched, transformed on the Fragment Processors (the cores of a unified GPU
 * run all shaders), assembled into primitives.
 *
 * The event stream does not say which vertices make which primitive: of a draw's n vertices and k primitives, the
 * i-th primitive is complete with vertex ⌈i * n / k⌉. */
#include "timing/immediate/immediate.h"

/** Vertices of a draw that run on one processor together, as one thread. */
#define VERTICES_OF_A_THREAD 16

/* The index of a vertex of the pass that is fetched and not assembled. */
static uint64_t
slot_of(const struct cm_immediate_timing *timing, uint64_t vertex)
{
   return (timing->vertices.popped + vertex - timing->vertex) % timing->vertices.size;
}

/* A draw's shaders are fetched before its first vertex. */
static void
fetch_programs(struct cm_immediate_timing *timing, const struct cm_logged_draw *draw)
{
   struct cm_wait wait = {.time = timing->fetch.until};
   cm_immediate_memory_run(&timing->memory, cm_logged_token(timing, draw->begin),
                           cm_logged_token(timing, draw->program_end), timing->fetch.until, &wait);
   timing->fetch_token = draw->program_end;
   timing->program_ready = cm_wait_resolve(&timing->memory.base, &wait);
}

bool
cm_immediate_fetch_vertex(struct cm_immediate_timing *timing)
{
   if (timing->fetch_draw == timing->log.draws.count || timing->fetch.until >= timing->now ||
       !cm_queue_room_known(&timing->vertices))
      return false;
   const struct cm_logged_draw *draw = &timing->log.draws.items[timing->fetch_draw];
   if (!timing->fetch_draw_vertex)
      fetch_programs(timing, draw);
   if (timing->fetch_draw_vertex == draw->num_vertices) {
      struct cm_wait unused = {0};
      cm_immediate_memory_run(&timing->memory, cm_logged_token(timing, timing->fetch_token),
                              cm_logged_token(timing, draw->tokens_end), timing->fetch.until, &unused);
      timing->fetch_draw++;
      timing->fetch_draw_vertex = 0;
      return true;
   }
   const uint64_t room = cm_queue_room(&timing->vertices);
   if (room >= timing->now)
      return false;
   const struct cm_logged_vertex *vertex = &timing->log.vertices.items[timing->fetch_vertex++];
   cm_stage_account(&timing->fetch, CM_STAGE_BLOCKED, room);
   const uint64_t begin = timing->fetch.until;
   const uint64_t slot = timing->vertices.entered % timing->vertices.size;
   struct cm_wait *wait = &timing->vertex_waits[slot];
   cm_wait_begin(wait, cm_later(begin + 1, timing->program_ready));
   const uint64_t done =
      cm_immediate_memory_run(&timing->memory, cm_logged_token(timing, timing->fetch_token),
                              cm_logged_token(timing, vertex->tokens_end), begin, wait);
   cm_stage_account(&timing->fetch, CM_STAGE_BUSY, cm_later(done, begin + 1));
   timing->fetch_token = vertex->tokens_end;
   timing->vertex_entered[slot] = begin;
   cm_queue_push(&timing->vertices);
   timing->fetch_draw_vertex++;
   return true;
}

bool
cm_immediate_run_vertex(struct cm_immediate_timing *timing)
{
   if (timing->run_vertex == timing->fetch_vertex)
      return false;
   while (timing->run_draw_vertex == timing->log.draws.items[timing->run_draw].num_vertices) {
      timing->run_draw++;
      timing->run_draw_vertex = 0;
   }
   const uint64_t slot = slot_of(timing, timing->run_vertex);
   struct cm_wait *wait = &timing->vertex_waits[slot];
   if (!cm_wait_is_known(&timing->memory.base, wait) || wait->time >= timing->now)
      return false;
   const uint32_t processors = timing->base.config->fragment_stage.processors;
   const struct cm_logged_draw *draw = &timing->log.draws.items[timing->run_draw];
   const struct cm_logged_vertex *vertex = &timing->log.vertices.items[timing->run_vertex];
   struct cm_fragment_processor *processor =
      &timing->processors[timing->run_vertex / VERTICES_OF_A_THREAD % processors];
   uint64_t done = wait->time;
   if (!vertex->reused) {
      const uint64_t begin = cm_later(wait->time, processor->stage->until);
      const uint64_t issued = cm_processor_issue(timing, processor, wait->time, draw->instructions);
      done = cm_later(issued, begin + draw->instructions);
   }
   timing->vertex_done[slot] = done;
   timing->run_vertex++;
   timing->run_draw_vertex++;
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
   cm_stage_work(&timing->assembly, CM_STAGE_STARVED, timing->assembled, timing->pipeline->setup_cycles);
   cm_stage_account(&timing->assembly, CM_STAGE_BLOCKED, room);
   timing->triangle_entered[triangles->entered % triangles->size] = timing->assembly.until;
   cm_queue_push(triangles);
   timing->draw_primitive++;
   return true;
}

bool
cm_immediate_assemble(struct cm_immediate_timing *timing)
{
   if (timing->draw == timing->log.draws.count)
      return false;
   const struct cm_logged_draw *draw = &timing->log.draws.items[timing->draw];
   if (timing->draw_primitive < draw->num_primitives) {
      const uint64_t vertices = (uint64_t)(timing->draw_primitive + 1) * draw->num_vertices;
      if (timing->draw_vertex >= (vertices + draw->num_primitives - 1) / draw->num_primitives)
         return set_up(timing);
   }
   if (timing->draw_vertex < draw->num_vertices) {
      const uint64_t slot = slot_of(timing, timing->vertex);
      if (timing->vertex == timing->run_vertex || timing->vertex_done[slot] >= timing->now)
         return false;
      timing->assembled = cm_later(timing->assembled, timing->vertex_done[slot]);
      cm_queue_pop(&timing->vertices, timing->vertex_entered[slot], timing->assembled);
      timing->vertex++;
      timing->draw_vertex++;
      return true;
   }
   timing->draw++;
   timing->draw_vertex = timing->draw_primitive = 0;
   return true;
}
