/* SPDX-License-Identifier: MIT */
/* Compute passes of the tile-based GPU, and what load/store caches write back at the end of passes. Nothing else runs at
 * the same time. */
#include "timing/tiled/tiled.h"

/** Fragments of a quad. */
#define QUAD 4

static uint64_t
issue(struct cm_pipeline *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   return cm_stage_work(&timing->base.processors[processor], CM_STAGE_STARVED, begin, instructions);
}

/* A shader, which is a group, or parameters. */
static void
fetch(struct cm_pipeline *pipeline, const cm_entry *token, const cm_entry *end, uint64_t cycle,
      struct cm_dependency *wait)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   if (cm_entry_kind(*token) == CM_ENTRY_GROUP)
      cm_tiled_memory_fetch_shader(&timing->memory, token, end, cycle, wait);
   else
      cm_tiled_memory_misses(&timing->memory, token, end, cycle, &timing->memory.vertex, wait);
}

static bool
has_room(struct cm_pipeline *pipeline, uint32_t processor)
{
   const struct cm_tiled_timing *timing = (const struct cm_tiled_timing *)pipeline;
   return timing->texture.units[processor].count < timing->texture.size;
}

static void
start(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry *token, const cm_entry *end,
      uint64_t cycle, uint32_t piece, struct cm_dependency *wait, bool *pending)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   cm_texture_timing_quad(&timing->texture, processor, token, end, cycle, piece, wait, pending);
}

static bool
work(struct cm_pipeline *pipeline, uint64_t now)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   uint64_t clock;
   bool has_worked = false;
   while (cm_texture_timing_ready(&timing->texture, &clock) && clock < now) {
      cm_texture_timing_run(&timing->texture, 1, 0);
      has_worked = true;
   }
   return has_worked;
}

static uint64_t
write_back(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry **token, const cm_entry *end,
           uint64_t cycle)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   const uint64_t taken = cm_tiled_memory_write(&timing->memory, token, end, cycle);
   (void)processor;
   timing->memory.base.stores.writes += taken - cycle;
   return taken;
}

uint32_t
cm_tiled_compute_accesses(const struct cm_config *config)
{
   const uint32_t contexts = config->pipeline.fragment_contexts;
   return contexts + cm_compute_invocations(config, QUAD * contexts) / CM_INVOCATIONS + CM_COMPUTE_GROUP_RUNS;
}

void
cm_tiled_compute_init(struct cm_tiled_timing *timing)
{
   static const struct cm_compute_units units = {issue, fetch, has_room, start, work, write_back};
   cm_compute_timing_init(&timing->base, QUAD * timing->pipeline->fragment_contexts, &units);
}
