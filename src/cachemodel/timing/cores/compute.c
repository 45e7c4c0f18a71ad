/* SPDX-License-Identifier: MIT */
/* Compute passes on shader cores, and what load/store caches write back at the end of passes. Nothing else runs at the same
 * time. An invocation has the instructions that the renderer executes. */
#include "timing/cores/cores.h"

#define QUAD 4

static struct cm_cores_timing *
cores(struct cm_pipeline *pipeline)
{
   return (struct cm_cores_timing *)pipeline;
}

static uint64_t
issue(struct cm_pipeline *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions)
{
   struct cm_core_pipes *pipes = &cores(pipeline)->cores[processor].pipes;
   struct cm_warp warp = {
      .units = {[CM_PIPE_ISSUE] = instructions * QUAD, [CM_PIPE_FMA] = instructions * QUAD}};
   const struct cm_warp_times times = cm_core_pipes_run(pipes, &warp, begin);
   cm_stage_account(&pipeline->processors[processor], CM_STAGE_STARVED, times.begin);
   cm_stage_account(&pipeline->processors[processor], CM_STAGE_BUSY, times.issued);
   return times.issued;
}

/* A shader, which is a group, or parameters. */
static void
fetch(struct cm_pipeline *pipeline, const cm_entry *token, const cm_entry *end, uint64_t cycle,
      struct cm_dependency *wait)
{
   struct cm_tiled_memory *memory = &cores(pipeline)->memory;
   if (cm_entry_kind(*token) == CM_ENTRY_GROUP)
      cm_tiled_memory_fetch_shader(memory, token, end, cycle, wait);
   else
      cm_tiled_memory_misses(memory, token, end, cycle, &memory->vertex, wait);
}

static bool
has_room(struct cm_pipeline *pipeline, uint32_t processor)
{
   const struct cm_texture_timing *texture = &cores(pipeline)->texture;
   return texture->units[processor].count < texture->size;
}

static void
start(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry *token, const cm_entry *end,
      uint64_t cycle, uint32_t piece, struct cm_dependency *wait, bool *pending)
{
   cm_texture_timing_quad(&cores(pipeline)->texture, processor, token, end, cycle, piece, wait, pending);
}

static bool
work(struct cm_pipeline *pipeline, uint64_t now)
{
   struct cm_texture_timing *texture = &cores(pipeline)->texture;
   uint64_t clock;
   bool has_worked = false;
   while (cm_texture_timing_ready(texture, &clock) && clock < now) {
      cm_texture_timing_run(texture, 1, 0);
      has_worked = true;
   }
   return has_worked;
}

static uint64_t
write_back(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry **token, const cm_entry *end,
           uint64_t cycle)
{
   struct cm_tiled_memory *memory = &cores(pipeline)->memory;
   const uint64_t taken = cm_tiled_memory_write(memory, token, end, cycle);
   (void)processor;
   memory->base.stores.writes += taken - cycle;
   return taken;
}

uint32_t
cm_core_compute_accesses(const struct cm_config *config)
{
   const uint32_t threads = config->shader_core.threads;
   return threads / config->shader_core.warp_threads +
          cm_compute_invocations(config, threads) / CM_INVOCATIONS + CM_COMPUTE_GROUP_RUNS;
}

void
cm_core_compute_init(struct cm_cores_timing *timing)
{
   static const struct cm_compute_units units = {issue, fetch, has_room, start, work, write_back};
   cm_compute_timing_init(&timing->base, timing->config->threads, &units);
}
