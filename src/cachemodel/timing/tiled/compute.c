/* SPDX-License-Identifier: MIT */
/* Compute passes of the tile-based GPU, and what load/store caches write back at the end of passes. Nothing else runs at
 * the same time. */
#include <stdlib.h>

#include "timing/tiled/tiled.h"

/** Fragments of a quad. */
#define QUAD 4
/** Runs of the largest work-group. */
#define GROUP_RUNS 64

static uint64_t
issue(void *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions)
{
   struct cm_tiled_timing *timing = pipeline;
   return cm_stage_work(&timing->base.processors[processor], CM_STAGE_STARVED, begin, instructions);
}

/* A shader, which is a group, or parameters. */
static void
fetch(void *pipeline, const cm_entry *token, const cm_entry *end, uint64_t cycle, struct cm_wait *wait)
{
   struct cm_tiled_timing *timing = pipeline;
   if (cm_entry_kind(*token) != CM_ENTRY_GROUP) {
      cm_tiled_memory_misses(&timing->memory, token, end, cycle, &timing->memory.vertex, 0, wait);
      return;
   }
   cm_wait_until(wait, cycle + cm_entry_value(*token));
   cm_tiled_memory_misses(&timing->memory, token + 1, end, cycle + cm_entry_value(*token),
                          &timing->memory.instruction, 0, wait);
}

static bool
has_room(void *pipeline, uint32_t processor)
{
   const struct cm_tiled_timing *timing = pipeline;
   return timing->texture.units[processor].count < timing->texture.size;
}

static void
start(void *pipeline, uint32_t processor, const cm_entry *token, const cm_entry *end, uint64_t cycle,
      uint32_t piece, struct cm_wait *wait, bool *pending)
{
   struct cm_tiled_timing *timing = pipeline;
   cm_texture_timing_quad(&timing->texture, processor, token, end, cycle, piece, wait, pending);
}

static bool
work(void *pipeline, uint64_t now)
{
   struct cm_tiled_timing *timing = pipeline;
   uint64_t clock;
   bool has_worked = false;
   while (cm_texture_timing_ready(&timing->texture, &clock) && clock < now) {
      cm_texture_timing_run(&timing->texture, 1, 0);
      has_worked = true;
   }
   return has_worked;
}

static uint64_t
write_back(void *pipeline, uint32_t processor, const cm_entry **token, const cm_entry *end, uint64_t cycle)
{
   struct cm_tiled_timing *timing = pipeline;
   const uint64_t taken = cm_tiled_memory_write(&timing->memory, token, end, cycle);
   (void)processor;
   timing->memory.stores.writes += taken - cycle;
   return taken;
}

static uint64_t
stores_end(void *pipeline, uint32_t processor)
{
   const struct cm_tiled_timing *timing = pipeline;
   return timing->memory.load_store[processor].port;
}

static void
done(void *pipeline, struct cm_log *log, uint64_t begin, uint64_t end)
{
   struct cm_tiled_timing *timing = pipeline;
   struct cm_work *work = (struct cm_work *)log;
   (void)begin;
   if (!end) {
      cm_log_finish(&work->log);
      free(work);
      return;
   }
   cm_pipeline_keep_end(&timing->base, work->pass, work->tile, end);
   cm_log_queue_give_spare(&timing->logs, work);
}

uint32_t
cm_tiled_compute_accesses(const struct cm_config *config)
{
   const uint32_t contexts = config->pipeline.fragment_contexts;
   return contexts + cm_compute_invocations(config, QUAD * contexts) / CM_INVOCATIONS + GROUP_RUNS;
}

void
cm_tiled_compute_init(struct cm_tiled_timing *timing)
{
   const struct cm_compute_pipeline pipeline = {timing, issue,      fetch,      has_room, start,
                                                work,   write_back, stores_end, done};
   const struct cm_config *config = timing->base.config;
   cm_compute_timing_init(&timing->compute, config, &timing->memory.base, timing->base.processors,
                          QUAD * config->pipeline.fragment_contexts, &pipeline, &timing->base.pool);
}

/* The end of a pass that accesses storage. */
static uint64_t
end_pass(struct cm_tiled_timing *timing, const struct cm_work *work, uint64_t cycle)
{
   struct cm_compute_timing *compute = &timing->compute;
   const bool is_compute = compute->is_active;
   const uint64_t begin = compute->begin;
   const uint64_t groups_end = is_compute ? cm_later(cycle, cm_compute_timing_complete(compute)) : cycle;
   const uint64_t end = cm_compute_timing_write_back(compute, &work->log, groups_end);
   cm_compute_timing_end(compute, end);
   cm_pipeline_keep_end(&timing->base, work->pass, CM_NO_TILE, end);
   if (timing->report && is_compute)
      cm_tiled_timing_report_compute(timing, work->pass, begin, groups_end, end);
   return end;
}

uint64_t
cm_tiled_compute_take(struct cm_tiled_timing *timing, struct cm_work *work, uint64_t cycle)
{
   struct cm_compute_timing *compute = &timing->compute;
   uint64_t end = 0;
   switch (work->kind) {
   case CM_LOG_DISPATCH: cm_compute_timing_begin(compute, &work->log, work->pass, cycle); break;
   case CM_LOG_GROUPS: cm_compute_timing_groups(compute, &work->log, work->tile); return 0;
   default: end = end_pass(timing, work, cycle); break;
   }
   timing->is_deadlocked |= compute->out_of_memory;
   cm_log_queue_give_spare(&timing->logs, work);
   return end;
}
