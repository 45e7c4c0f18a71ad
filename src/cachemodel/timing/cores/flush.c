/* SPDX-License-Identifier: MIT */
/* Loads and flushes of tiles: each core has its own, with `tile_buffers` tile buffers. */
#include "timing/cores/cores.h"

bool
cm_core_flush_ready(struct cm_cores_timing *timing, struct cm_core *core, uint64_t *clock)
{
   (void)timing;
   const struct cm_work *work = core->flush;
   if (!work || !work->is_shaded)
      return false;
   *clock = cm_later(core->transfer_until, work->z_end);
   if (core->is_flushing || core->retired >= work->last_quad)
      return true;
   /* Warps of the tile are in flight. */
   *clock = cm_later(*clock, core->next_check);
   return !core->warps[core->retired & core->mask].pending;
}

/* Transfers the block at *token of a load or a flush. Returns whether it was the last one before the end. */
static bool
transfer_block(struct cm_cores_timing *timing, struct cm_core *core, struct cm_stage *stage,
               const struct cm_work *work, uint32_t *token, uint32_t tokens_end)
{
   const cm_entry *tokens = work->log.entries.items;
   const struct cm_logged_surface *surfaces = work->log.surfaces.items;
   if (*token == tokens_end)
      return true;
   const cm_entry *next = cm_tiled_memory_access_end(&timing->memory, tokens + *token, tokens + tokens_end);
   while (core->surface < work->log.surfaces.count && surfaces[core->surface].begin <= *token)
      core->surface++;
   cm_stage_serve(stage, work->pass, CM_NO_ITEM, core->surface ? surfaces[core->surface - 1].resource : 0,
                  work->tile);
   cm_tiled_memory_transfer(&timing->memory, tokens + *token, next, timing->pipeline->flush_cycles, stage,
                            &core->wait);
   *token = (uint32_t)(next - tokens);
   return *token == tokens_end;
}

uint64_t
cm_core_load(struct cm_cores_timing *timing, struct cm_core *core, const struct cm_work *work, uint64_t cycle)
{
   const uint32_t end = work->log.marks[CM_LOG_LOADED];
   uint32_t token = 0;
   if (!end)
      return cycle;
   const uint32_t surface = core->surface;
   core->surface = 0;
   cm_stage_account(&core->loader, CM_STAGE_STARVED, cycle);
   cm_dependency_begin(&core->wait, core->loader.until);
   while (!transfer_block(timing, core, &core->loader, work, &token, end))
      ;
   core->surface = surface;
   return cm_dependency_resolve(&timing->memory.base, &core->wait);
}

/* Warps of the tile are retired, as soon as it is known when they are shaded. */
static bool
retire(struct cm_cores_timing *timing, struct cm_core *core)
{
   while (core->retired < core->flush->last_quad) {
      const uint64_t now = cm_later(core->next_check, core->flush->z_end);
      if (!cm_core_can_retire(timing, core, now)) {
         core->next_check = now + CM_MEMORY_POLL_CYCLES;
         return false;
      }
      cm_core_retire(timing, core);
   }
   return true;
}

/* The tile's warps are retired, and its flush begins. */
static void
begin(struct cm_cores_timing *timing, struct cm_core *core)
{
   struct cm_work *work = core->flush;
   cm_work_serve(work, &timing->transfers, CM_NO_ITEM);
   cm_stage_account(&timing->transfers, CM_STAGE_STARVED, cm_later(work->shaded, work->z_end));
   work->flush_begin = timing->transfers.until;
   core->is_flushing = true;
   cm_dependency_begin(&core->wait, work->flush_begin);
   core->surface = 0;
   core->flush_token = work->log.marks[CM_LOG_SHADED];
}

static void
end(struct cm_cores_timing *timing, struct cm_core *core)
{
   struct cm_work *work = core->flush;
   work->flushed = timing->transfers.until;
   core->flushed[core->done++ % timing->pipeline->tile_buffers] = work->flushed;
   core->is_flushing = false;
   core->flush = work->next_of_core;
   cm_pipeline_keep_end(&timing->base, work->pass, work->tile, work->flushed);
   if (timing->base.report)
      cm_report_tile(timing->base.report, work);
   cm_cores_tile_done(timing, work);
}

void
cm_core_flush_step(struct cm_cores_timing *timing, struct cm_core *core)
{
   timing->transfers.until = core->transfer_until;
   if (core->is_flushing) {
      if (transfer_block(timing, core, &timing->transfers, core->flush, &core->flush_token,
                         core->flush->log.entries.count))
         end(timing, core);
   } else if (retire(timing, core)) {
      begin(timing, core);
   }
   core->transfer_until = timing->transfers.until;
}
