/* SPDX-License-Identifier: MIT */
#include "timing/tiled/compute.h"

#include "timing/pipeline.h"
#include "timing/tiled/texture.h"

/* A shader, which is a group, or parameters. */
static void
fetch(struct cm_pipeline *pipeline, const cm_entry *token, const cm_entry *end, uint64_t cycle,
      struct cm_dependency *wait)
{
   struct cm_tiled_memory *memory = (struct cm_tiled_memory *)pipeline->memory;
   if (cm_entry_kind(*token) == CM_ENTRY_GROUP)
      cm_tiled_memory_fetch_shader(memory, token, end, cycle, wait);
   else
      cm_tiled_memory_misses(memory, token, end, cycle, &memory->vertex, wait);
}

static bool
has_room(struct cm_pipeline *pipeline, uint32_t processor)
{
   return pipeline->texture->units[processor].count < pipeline->texture->size;
}

static void
start(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry *token, const cm_entry *end,
      uint64_t cycle, uint32_t piece, struct cm_dependency *wait, bool *pending)
{
   cm_texture_timing_quad(pipeline->texture, processor, token, end, cycle, piece, wait, pending);
}

static bool
work(struct cm_pipeline *pipeline, uint64_t now)
{
   uint64_t clock;
   bool has_worked = false;
   while (cm_texture_timing_ready(pipeline->texture, &clock) && clock < now) {
      cm_texture_timing_run(pipeline->texture, 1, 0);
      has_worked = true;
   }
   return has_worked;
}

static uint64_t
write_back(struct cm_pipeline *pipeline, uint32_t processor, const cm_entry **token, const cm_entry *end,
           uint64_t cycle)
{
   struct cm_tiled_memory *memory = (struct cm_tiled_memory *)pipeline->memory;
   const uint64_t taken = cm_tiled_memory_write(memory, token, end, cycle);
   (void)processor;
   memory->base.stores.writes += taken - cycle;
   return taken;
}

void
cm_tiled_compute_init(struct cm_pipeline *pipeline, uint32_t threads)
{
   static const struct cm_compute_units units = {fetch, has_room, start, work, write_back};
   cm_compute_timing_init(pipeline, threads, &units);
}

uint32_t
cm_tiled_compute_accesses(const struct cm_config *config, uint32_t contexts, uint32_t threads)
{
   return contexts + cm_compute_invocations(config, threads) / CM_INVOCATIONS + CM_COMPUTE_GROUP_RUNS;
}
