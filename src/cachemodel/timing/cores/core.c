/* SPDX-License-Identifier: MIT */
#include "timing/cores/core.h"

void
cm_core_pipes_init(struct cm_core_pipes *core, const struct cm_shader_core_config *config)
{
   const uint32_t rates[CM_PIPE_COUNT] = {
      [CM_PIPE_ISSUE] = config->issue_threads,
      [CM_PIPE_FMA] = config->fma_threads,
      [CM_PIPE_CVT] = config->cvt_threads,
      [CM_PIPE_SFU] = config->sfu_threads,
      [CM_PIPE_VARYING] = config->varying_components,
      [CM_PIPE_TEXTURE] = config->texels,
      [CM_PIPE_LOAD_STORE] = config->load_store_threads,
      [CM_PIPE_TILE] = config->tile_pixels,
   };
   for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
      core->pipes[p] = (struct cm_core_pipe){.rate = rates[p]};
}

void
cm_core_window_init(struct cm_core_window *window, uint32_t threads, uint32_t warp_threads,
                    struct cm_pool *pool)
{
   const uint32_t size = threads / warp_threads;
   *window = (struct cm_core_window){
      .warps = cm_pool_take(pool, size, sizeof *window->warps),
      .size = size,
      .threads = threads,
   };
}
