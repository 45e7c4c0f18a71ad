/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "timing/tiled/tiled.h"
#include "util/message.h"

static void take_log(void *context, struct cm_work *work);

/* ---- building ------------------------------------------------------------ */

struct cm_tiled_timing *
cm_tiled_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy,
                       const struct cm_nuca *nuca)
{
   struct cm_tiled_timing *timing = calloc(1, sizeof *timing);
   if (!timing)
      return NULL;
   cm_pipeline_init(&timing->base, &cm_tiled_parts, config, &timing->memory.base);
   timing->pipeline = &config->pipeline;
   timing->hierarchy = hierarchy;
   cm_geometry_timing_init(timing);
   cm_fetcher_timing_init(timing);
   cm_raster_timing_init(timing);
   timing->transfer.flushed =
      cm_pool_take(&timing->base.pool, config->pipeline.tile_buffers, sizeof *timing->transfer.flushed);
   const bool has_memory = cm_tiled_memory_init(&timing->memory, config, nuca, &timing->base.pool);
   cm_texture_timing_init(&timing->texture, &timing->memory, config->fragment_stage.processors,
                          cm_tiled_compute_accesses(config), &timing->base.pool);
   cm_tiled_compute_init(timing);
   if (has_memory && !timing->base.pool.out_of_memory && cm_pipeline_attribute(&timing->base) &&
       cm_log_queue_init(&timing->logs, take_log, timing))
      return timing;
   cm_tiled_timing_destroy(timing);
   return NULL;
}

static void
destroy_work(struct cm_work *work)
{
   cm_log_finish(&work->log);
   free(work);
}

static void
destroy_works(struct cm_work *work)
{
   while (work) {
      struct cm_work *next = work->next;
      destroy_work(work);
      work = next;
   }
}

void
cm_tiled_timing_destroy(struct cm_tiled_timing *timing)
{
   if (!timing)
      return;
   cm_log_queue_finish(&timing->logs, destroy_work);
   destroy_works(timing->first);
   cm_compute_timing_finish(&timing->compute);
   cm_tiled_timing_end_report(timing);
   cm_tiled_memory_finish(&timing->memory);
   cm_pool_finish(&timing->base.pool);
   cm_pipeline_finish(&timing->base);
   free(timing);
}

/* ---- logs ---------------------------------------------------------------- */

struct cm_log *
cm_tiled_timing_begin(struct cm_tiled_timing *timing, enum cm_log_kind kind, uint32_t tile)
{
   struct cm_work *work = cm_log_queue_take_spare(&timing->logs);
   if (!work && !(work = calloc(1, sizeof *work)))
      return NULL;
   const bool is_tile = kind == CM_LOG_TILE;
   work->next = NULL;
   work->kind = kind;
   work->is_tile = is_tile;
   work->tile = is_tile || kind == CM_LOG_GROUPS ? tile : CM_NO_ITEM;
   work->begins_pass = is_tile && timing->pass_begins;
   work->number = is_tile ? timing->num_tiles++ : 0;
   timing->num_passes += kind == CM_LOG_GEOMETRY || kind == CM_LOG_DISPATCH;
   work->pass = timing->num_passes;
   work->fetch_begin = work->hidden_end = work->loaded = work->z_end = CM_UNKNOWN;
   work->dispatch_begin = work->blend_begin = CM_UNKNOWN;
   work->fetch_done = work->dispatch_end = 0;
   work->shade_begin = work->shaded = work->flush_begin = work->flushed = CM_UNKNOWN;
   work->is_shaded = false;
   timing->pass_begins = kind == CM_LOG_GEOMETRY;
   return &work->log;
}

void
cm_tiled_timing_drop(struct cm_tiled_timing *timing, struct cm_log *log)
{
   cm_log_queue_give_spare(&timing->logs, (struct cm_work *)log);
}

/* A timeline that keeps the frame reads the caches' counters: the caches must not run ahead. */
void
cm_tiled_timing_end(struct cm_tiled_timing *timing, struct cm_log *log)
{
   cm_log_queue_put(&timing->logs, (struct cm_work *)log);
   if (timing->report && cm_tiled_timing_is_reporting(timing))
      cm_log_queue_drain(&timing->logs);
}

/* Where the stages are among the logs. */
enum { NUM_CURSORS = 6 };
static void
find_cursors(struct cm_tiled_timing *timing, struct cm_work **cursors[static NUM_CURSORS])
{
   cursors[0] = &timing->fetcher.work;
   cursors[1] = &timing->fetcher.out_work;
   cursors[2] = &timing->hidden.work;
   cursors[3] = &timing->raster.work;
   cursors[4] = &timing->transfer.load;
   cursors[5] = &timing->transfer.flush;
}

/* Appends a log to those that the stages take from. */
static void
append(struct cm_tiled_timing *timing, struct cm_work *work)
{
   struct cm_work **cursors[NUM_CURSORS];
   if (timing->last)
      timing->last->next = work;
   else
      timing->first = work;
   timing->last = work;
   find_cursors(timing, cursors);
   for (unsigned i = 0; i < NUM_CURSORS; i++) {
      if (!*cursors[i])
         *cursors[i] = work;
   }
}

/* Stages that are still at a finished log go on to the next one: those at a pass' geometry have no work in it. */
static void
step_over(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_work **cursors[NUM_CURSORS];
   if (timing->fetcher.out_work == work)
      timing->fetcher.out_next = 0;
   find_cursors(timing, cursors);
   for (unsigned i = 0; i < NUM_CURSORS; i++) {
      if (*cursors[i] == work)
         *cursors[i] = work->next;
   }
}

void
cm_tiled_timing_release(struct cm_tiled_timing *timing, struct cm_work *released)
{
   while (timing->first) {
      struct cm_work *work = timing->first;
      const bool is_last = work == released;
      if (work->is_tile && !is_last)
         return;
      if (!work->is_tile && !work->is_shaded)
         return;
      step_over(timing, work);
      timing->first = work->next;
      if (!timing->first)
         timing->last = NULL;
      cm_log_queue_give_spare(&timing->logs, work);
      if (is_last)
         released = NULL;
   }
}

/* ---- time ---------------------------------------------------------------- */

/* There is one Parameter Buffer: a pass' geometry begins when the Tile Fetcher has read that of the pass before. */
static void
begin_geometry(struct cm_tiled_timing *timing)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   struct cm_work *work = timing->fetcher.work;
   if (geometry->work || !work || work->is_tile || !cm_fetcher_timing_end_pass(timing))
      return;
   geometry->work = work;
   geometry->fetch_at = geometry->out_at = (struct cm_vertex_cursor){0};
   geometry->binned = geometry->out_binned = geometry->token = 0;
   geometry->binned_token = work->log.marks[CM_LOG_VERTICES];
   geometry->begin = cm_later(timing->fetcher.clock, geometry->fetch.until);
   cm_work_serve(work, &geometry->fetch, CM_NO_ITEM);
   cm_stage_account(&geometry->fetch, CM_STAGE_STARVED, geometry->begin);
}

static bool
texture_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   return cm_texture_timing_ready(&timing->texture, clock);
}

static void
run_texture(struct cm_tiled_timing *timing, uint32_t most, uint64_t until)
{
   cm_texture_timing_run(&timing->texture, most, until);
}

static const struct {
   bool (*ready)(struct cm_tiled_timing *timing, uint64_t *clock);
   void (*run)(struct cm_tiled_timing *timing, uint32_t most, uint64_t until);
} stages[] = {
   {cm_geometry_timing_ready, cm_geometry_timing_run}, {cm_fetcher_timing_ready, cm_fetcher_timing_run},
   {cm_hidden_timing_ready, cm_hidden_timing_run},     {cm_raster_timing_ready, cm_raster_timing_run},
   {cm_transfer_timing_ready, cm_transfer_timing_run}, {texture_ready, run_texture},
};
#define NUM_STAGES (sizeof stages / sizeof stages[0])

/* The most items that a stage takes, and cycles that it runs ahead of the others, before these are checked again. */
#define MOST_STEPS 32
#define MOST_AHEAD 32

/* Runs the stages, always the one with the least clock; not beyond the cycle at which the Tile Fetcher may need a log
 * that is not written yet. */
static void
advance(struct cm_tiled_timing *timing, bool is_last)
{
   while (!timing->is_deadlocked) {
      uint64_t first_clock = CM_UNKNOWN, second_clock = CM_UNKNOWN;
      unsigned first = NUM_STAGES;
      begin_geometry(timing);
      /* Unrolled, calls are direct. */
#pragma GCC unroll 6
      for (unsigned s = 0; s < NUM_STAGES; s++) {
         uint64_t clock;
         if (!stages[s].ready(timing, &clock))
            continue;
         if (clock < first_clock) {
            second_clock = first_clock;
            first_clock = clock;
            first = s;
         } else if (clock < second_clock) {
            second_clock = clock;
         }
      }
      if (first == NUM_STAGES)
         return;
      if (!is_last && !timing->fetcher.work && !timing->geometry.work) {
         if (first_clock >= timing->fetcher.clock)
            return;
         if (timing->fetcher.clock < second_clock)
            second_clock = timing->fetcher.clock;
      }
      second_clock = second_clock < CM_UNKNOWN - MOST_AHEAD ? second_clock + MOST_AHEAD : CM_UNKNOWN;
      stages[first].run(timing, MOST_STEPS, second_clock);
   }
}

/* ---- frames -------------------------------------------------------------- */

static uint64_t
last_cycle(const struct cm_tiled_timing *timing)
{
   const uint64_t end = cm_later(timing->geometry.end, timing->fetcher.out_time);
   return cm_later(cm_later(end, timing->raster.z_time), cm_pipeline_last_cycle(&timing->base));
}

/* Synchronizes all stages at the end of a frame. */
static void
rest_until(struct cm_tiled_timing *timing, uint64_t end)
{
   cm_pipeline_rest(&timing->base, timing->last_pass, end);
   cm_geometry_timing_rest(timing, timing->last_pass, end);
   timing->fetcher.clock = end;
   timing->raster.barrier = end;
}

/* Whether a tile remains that no stage can advance: a deadlock. */
static bool
has_unfinished_tile(const struct cm_tiled_timing *timing)
{
   for (const struct cm_work *work = timing->first; work; work = work->next) {
      if (work->is_tile)
         return true;
   }
   return false;
}

/* Completes all work. Returns when that is; CM_UNKNOWN: there is a deadlock. */
static uint64_t
complete(struct cm_tiled_timing *timing)
{
   advance(timing, true);
   if (!timing->is_deadlocked && has_unfinished_tile(timing)) {
      cm_message(CM_MESSAGE_ERROR, "deadlock in the timing model (a bug)");
      timing->is_deadlocked = true;
   }
   if (timing->is_deadlocked)
      return CM_UNKNOWN;
   if (cm_fetcher_timing_end_pass(timing))
      advance(timing, true);
   return last_cycle(timing);
}

static void
end_frame(struct cm_tiled_timing *timing)
{
   const uint64_t end = complete(timing);
   if (end == CM_UNKNOWN)
      return;
   rest_until(timing, end);
   timing->memory.texture_waits = timing->memory.stores.mshrs = 0;
   for (uint32_t i = 0; i < timing->memory.num_texture; i++) {
      timing->memory.texture_waits += timing->memory.texture[i].waits;
      timing->memory.stores.mshrs += timing->memory.load_store[i].mshrs.waits;
   }
   cm_pipeline_end_frame(&timing->base, end);
   if (timing->report) {
      cm_tiled_timing_report_frame_end(timing);
      cm_tiled_timing_report_frame_begin(timing);
   }
}

/* A compute pass, or the end of one that accesses storage, begins when all before it is done, and what follows when it
 * is. */
static void
take_compute(struct cm_tiled_timing *timing, struct cm_work *work)
{
   uint64_t end = timing->compute.is_active ? 0 : complete(timing);
   if (timing->is_deadlocked) {
      cm_log_queue_give_spare(&timing->logs, work);
      return;
   }
   if (end)
      rest_until(timing, end);
   timing->last_pass = work->pass;
   end = cm_tiled_compute_take(timing, work, end);
   if (end)
      rest_until(timing, end);
}

static void
take_log(void *context, struct cm_work *work)
{
   struct cm_tiled_timing *timing = context;
   if (!work) {
      end_frame(timing);
      return;
   }
   if (work->kind >= CM_LOG_DISPATCH) {
      take_compute(timing, work);
      return;
   }
   timing->last_pass = work->pass;
   append(timing, work);
   advance(timing, false);
}

void
cm_tiled_timing_frame_end(struct cm_tiled_timing *timing)
{
   cm_log_queue_end_frame(&timing->logs);
}
