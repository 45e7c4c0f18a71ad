/* SPDX-License-Identifier: MIT */
#include "gpu/shaded_events.h"

#include "gpu/gpu_internal.h"

const struct cm_tile_events *
cm_shaded_events_find(struct cm_shaded_events *shaded, const struct cm_gpu *gpu, uint32_t tile,
                      const struct cm_tile_events *full)
{
   const struct cm_pass *pass = gpu->pass;
   const uint32_t waiting = gpu->config.fragment_stage.pixel_kill;
   if (pass->kind != CM_PASS_FULL)
      return full;
   const bool in_draw_order = gpu->config.fragment_stage.quad_order == CM_SHADING_ORDER_DRAWS;
   if (gpu->config.mode == CM_MODE_TBDR && pass->deferred && !in_draw_order)
      return &pass->deferred[tile];
   shaded->deferred.in_draw_order = in_draw_order;
   if (gpu->config.mode == CM_MODE_TBDR)
      return cm_deferred_build(&shaded->deferred, full) ? shaded->deferred.result : NULL;
   if (!waiting)
      return full;
   return cm_pixel_kill_build(&shaded->pixel_kill, waiting, pass, full) ? shaded->pixel_kill.result : NULL;
}

void
cm_shaded_events_finish(struct cm_shaded_events *shaded)
{
   cm_deferred_finish(&shaded->deferred);
   cm_pixel_kill_finish(&shaded->pixel_kill);
}
