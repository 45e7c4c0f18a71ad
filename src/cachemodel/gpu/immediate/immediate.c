/* SPDX-License-Identifier: MIT */
#include "gpu/immediate/immediate.h"

#include <assert.h>
#include <stdlib.h>

#include "gpu/attribution_internal.h"
#include "gpu/immediate/immediate_internal.h"
#include "gpu/shading_worker.h"
#include "gpu/tiled/stages.h"
#include "util/minmax.h"

struct cm_immediate *
cm_immediate_create(struct cm_gpu *gpu, struct cm_geometry_stage *geometry,
                    const struct cm_fragment_stage *fragment, const struct cm_framebuffer_stage *framebuffer)
{
   struct cm_immediate *immediate = calloc(1, sizeof *immediate);
   if (!immediate)
      return NULL;
   immediate->gpu = gpu;
   immediate->hierarchy = &gpu->hierarchy;
   immediate->pipeline = gpu->pipeline;
   immediate->geometry = geometry;
   immediate->fragment = fragment;
   immediate->framebuffer = framebuffer;
   immediate->order = &immediate->own_order;
   return immediate;
}

void
cm_immediate_destroy(struct cm_immediate *immediate)
{
   if (!immediate)
      return;
   cm_quad_order_finish(&immediate->own_order);
   free(immediate->scratch.data);
   free(immediate);
}

bool
cm_immediate_begin(struct cm_immediate *immediate)
{
   immediate->shading = immediate->fragment->shading;
   cm_shading_begin(immediate->shading);
   return cm_quad_order_begin(immediate->order, immediate->gpu->pass) && cm_immediate_bind(immediate);
}

bool
cm_immediate_tile(struct cm_immediate *immediate, uint32_t tile)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   return !pass->touched[tile] || cm_quad_order_add(immediate->order, pass, tile);
}

/* ---- shading workers ------------------------------------------------------- */

struct cm_immediate *
cm_immediate_create_for_worker(const struct cm_immediate *immediate, struct cm_shading_worker *worker)
{
   struct cm_immediate *its = calloc(1, sizeof *its);
   if (!its)
      return NULL;
   its->gpu = immediate->gpu;
   its->hierarchy = &worker->view;
   its->pipeline = worker->pipeline;
   its->shading = worker->shading;
   its->calls = worker->gpu->timing ? &worker->stream : NULL;
   its->order = immediate->order;
   return its;
}

void
cm_immediate_follow(struct cm_immediate *its, const struct cm_immediate *immediate)
{
   assert(its->order == immediate->order && its->hierarchy != immediate->hierarchy);
   its->num_color = immediate->num_color;
   its->num_surfaces = immediate->num_surfaces;
   for (uint32_t s = 0; s < its->num_surfaces; s++) {
      its->surfaces[s] = immediate->surfaces[s];
      its->surfaces[s].written = false;
   }
   its->depth = its->surfaces + (immediate->depth - immediate->surfaces);
   its->stencil = its->surfaces + (immediate->stencil - immediate->surfaces);
   its->stencil_is_depth = immediate->stencil_is_depth;
   its->hiz = immediate->hiz;
   its->hiz_level = immediate->hiz_level;
   its->hiz_address = immediate->hiz_address;
   its->layer = immediate->layer;
}

void
cm_immediate_join(struct cm_immediate *immediate, const struct cm_immediate *its)
{
   for (uint32_t s = 0; s < immediate->num_surfaces; s++)
      immediate->surfaces[s].written |= its->surfaces[s].written;
}

/* ---- the pass ---------------------------------------------------------------- */

/* Runs primitives, now or later. */
static bool
run(struct cm_immediate *immediate, const struct cm_primitive_run *run)
{
   struct cm_parallel *parallel = immediate->gpu->parallel;
   if (run->first == run->end)
      return true;
   return parallel ? cm_parallel_run_primitives(parallel, run) : cm_immediate_run(immediate, run);
}

/* One that has many quads, part by part. */
static bool
run_large(struct cm_immediate *immediate, uint32_t number)
{
   if (!cm_quad_order_sort(immediate->order, number, &immediate->scratch))
      return false;
   const cm_ordered_quad *quads = cm_quad_order_quads(immediate->order, number);
   const size_t count = cm_quad_order_count(immediate->order, number);
   for (size_t first = 0; first < count;) {
      const size_t end = cm_immediate_part_end(immediate, quads, count, first);
      const struct cm_primitive_run part = {.first = number,
                                            .end = number + 1,
                                            .num_quads = end - first,
                                            .quads_begin = first,
                                            .quads_end = end};
      if (!run(immediate, &part))
         return false;
      first = end;
   }
   return true;
}

/* Adds a primitive to those that are run next. */
static bool
add_primitive(struct cm_immediate *immediate, struct cm_primitive_run *next, uint32_t number)
{
   const size_t count = cm_quad_order_count(immediate->order, number);
   const bool is_large = count > CM_PRIMITIVE_RUN_QUADS;
   assert(next->end == number);
   if (is_large || next->num_quads + count > CM_PRIMITIVE_RUN_QUADS) {
      if (!run(immediate, next) || (is_large && !run_large(immediate, number)))
         return false;
      *next = (struct cm_primitive_run){.first = number + is_large, .end = number + is_large};
   }
   next->end = number + 1;
   next->num_quads += is_large ? 0 : count;
   return true;
}

/* Whether all primitives of a draw come after those of the draws before it. */
static bool
are_in_order(const struct cm_pass *pass)
{
   for (uint32_t p = 1; p < pass->num_primitives; p++) {
      if (pass->primitives[p].draw < pass->primitives[p - 1].draw)
         return false;
   }
   return true;
}

/* All draws, each vertex before the primitives. */
static bool
draw_all(struct cm_immediate *immediate)
{
   const struct cm_pass *pass = immediate->gpu->pass;
   const bool in_order = are_in_order(pass);
   struct cm_primitive_run next = {0};
   uint32_t draw = 0;
   for (uint32_t p = 0; p < pass->num_primitives; p++) {
      const uint32_t its_draw = pass->primitives[p].draw;
      if (its_draw >= draw) {
         if (!run(immediate, &next))
            return false;
         next = (struct cm_primitive_run){.first = p, .end = p};
         if (in_order)
            cm_timing_submit_log(immediate->gpu->timing);
         cm_geometry_draws(immediate->geometry, draw, its_draw + 1);
         draw = its_draw + 1;
      }
      if (!add_primitive(immediate, &next, p))
         return false;
   }
   if (!run(immediate, &next))
      return false;
   cm_geometry_draws(immediate->geometry, draw, pass->num_draws);
   return true;
}

bool
cm_immediate_end(struct cm_immediate *immediate)
{
   struct cm_gpu *gpu = immediate->gpu;
   struct cm_timing *timing = gpu->timing;
   if (!cm_quad_order_end(immediate->order, gpu->pass))
      return false;
   cm_timing_begin(timing, CM_LOG_PASS, 0);
   cm_immediate_prepare(immediate);
   cm_immediate_clear(immediate);
   cm_timing_mark(timing, CM_LOG_CLEARED);
   if (gpu->parallel)
      cm_parallel_begin_primitives(gpu->parallel);
   const bool ok = draw_all(immediate);
   if (gpu->parallel)
      cm_parallel_end_primitives(gpu->parallel);
   cm_gpu_attribute_draw(gpu, CM_NOT_ATTRIBUTED);
   cm_timing_mark(timing, CM_LOG_DRAWN);
   cm_immediate_resolve(immediate);
   cm_timing_mark(timing, CM_LOG_RESOLVED);
   cm_immediate_write_back(immediate);
   cm_timing_end(timing);
   return ok;
}
