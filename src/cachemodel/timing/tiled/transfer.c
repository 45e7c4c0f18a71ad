/* SPDX-License-Identifier: MIT */
/* The tile buffers: a tile is loaded when the Tile Fetcher starts on it and a buffer is free, and flushed when its
 * last quad is blended. Blocks are transferred in order, with a limited number outstanding. */
#include "timing/tiled/tiled.h"

/* Whether there is a tile to load, and it is known when its buffer is free. */
static bool
can_load(struct cm_tiled_timing *timing)
{
   struct cm_transfer_timing *transfer = &timing->transfer;
   transfer->load = cm_work_tile(transfer->load);
   transfer->flush = cm_work_tile(transfer->flush);
   const struct cm_work *load = transfer->load;
   if (!load || transfer->in_flight || !transfer->flush)
      return false;
   return load->number - transfer->flush->number < timing->pipeline->tile_buffers &&
          (!load->log.marks[CM_LOG_LOADED] || load->fetch_begin != CM_UNKNOWN);
}

bool
cm_transfer_timing_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   struct cm_transfer_timing *transfer = &timing->transfer;
   *clock = transfer->stage.until;
   if (transfer->in_flight) {
      *clock = cm_later(*clock, transfer->flush->z_end);
      return true;
   }
   if (can_load(timing)) {
      if (transfer->load->log.marks[CM_LOG_LOADED])
         *clock = cm_later(*clock, transfer->load->fetch_begin);
      return true;
   }
   const struct cm_work *flush = transfer->flush;
   if (!flush || !flush->is_shaded || !cm_raster_timing_is_settled(timing, flush))
      return false;
   *clock = cm_later(*clock, flush->z_end);
   return true;
}

/* The stage works on what the next block is of. */
static void
serve_surface(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_transfer_timing *transfer = &timing->transfer;
   const struct cm_logged_surface *surfaces = work->log.surfaces.items;
   while (transfer->surface < work->log.surfaces.count &&
          surfaces[transfer->surface].begin <= transfer->token)
      transfer->surface++;
   cm_stage_serve(&transfer->stage, work->pass, CM_NO_ITEM,
                  transfer->surface ? surfaces[transfer->surface - 1].resource : 0, work->tile);
}

/* Transfers the block at *token. Returns whether it was the last one before the end. */
static bool
transfer_block(struct cm_tiled_timing *timing, const struct cm_work *work, uint32_t tokens_end)
{
   struct cm_transfer_timing *transfer = &timing->transfer;
   const cm_entry *token = work->log.entries.items + transfer->token,
                  *end = work->log.entries.items + tokens_end;
   if (token == end)
      return true;
   const cm_entry *next = cm_tiled_memory_access_end(&timing->memory, token, end);
   serve_surface(timing, work);
   cm_tiled_memory_transfer(&timing->memory, token, next, timing->pipeline->flush_cycles, &transfer->stage,
                            &transfer->wait);
   transfer->token = (uint32_t)(next - work->log.entries.items);
   return next == end;
}

static void
load(struct cm_tiled_timing *timing)
{
   struct cm_transfer_timing *transfer = &timing->transfer;
   struct cm_work *work = transfer->load;
   /* When the buffer's previous tile is flushed. */
   const uint64_t is_free = transfer->flushed[work->number % timing->pipeline->tile_buffers];
   assert(work->kind == CM_LOG_TILE);
   transfer->token = 0;
   work->loaded = is_free;
   if (work->log.marks[CM_LOG_LOADED]) {
      transfer->surface = 0;
      cm_work_serve(work, &transfer->stage, CM_NO_ITEM);
      cm_stage_account(&transfer->stage, CM_STAGE_STARVED, cm_later(is_free, work->fetch_begin));
      cm_dependency_begin(&transfer->wait, transfer->stage.until);
      while (!transfer_block(timing, work, work->log.marks[CM_LOG_LOADED]))
         ;
      work->loaded = cm_dependency_resolve(&timing->memory.base, &transfer->wait);
   }
   transfer->load = work->next;
}

static inline void
step(struct cm_tiled_timing *timing)
{
   struct cm_transfer_timing *transfer = &timing->transfer;
   struct cm_work *work = transfer->flush;
   if (!transfer->in_flight) {
      if (can_load(timing)) {
         load(timing);
         return;
      }
      work = transfer->flush;
      cm_raster_timing_blend(timing, work);
      cm_work_serve(work, &transfer->stage, CM_NO_ITEM);
      cm_stage_account(&transfer->stage, CM_STAGE_STARVED, work->shaded);
      transfer->surface = 0;
      cm_dependency_begin(&transfer->wait, transfer->stage.until);
      work->flush_begin = transfer->stage.until;
      transfer->in_flight = true;
      transfer->token = work->log.marks[CM_LOG_SHADED];
      return;
   }
   if (!transfer_block(timing, work, work->log.entries.count))
      return;
   work->flushed = transfer->stage.until;
   assert(work->is_shaded && work->flushed >= work->flush_begin);
   transfer->flushed[work->number % timing->pipeline->tile_buffers] = work->flushed;
   transfer->in_flight = false;
   cm_pipeline_keep_end(&timing->base, work->pass, work->tile, work->flushed);
   if (timing->base.report)
      cm_report_tile(timing->base.report, work);
   transfer->flush = work->next;
   cm_tiled_timing_release(timing, work);
}

CM_RUN_STAGE(transfer, step)
