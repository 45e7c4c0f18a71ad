/* SPDX-License-Identifier: MIT */
#include "config/config_internal.h"

#include <stdio.h>

/* What each key of pipeline may be. */
static const struct {
   const char *name;
   size_t offset;
   uint32_t low, high;
} ranges[] = {
#define RANGE(member, low, high) {#member, offsetof(struct cm_pipeline_config, member), low, high}
   RANGE(vertex_processors, 1, 64),   RANGE(vertex_queue, 1, 65536),
   RANGE(assembly_cycles, 1, 1000),   RANGE(triangle_queue, 1, 65536),
   RANGE(fetch_queue, 1, 4096),       RANGE(tile_queue, 0, 65536),
   RANGE(rasterizer_cycles, 1, 1000), RANGE(early_z_quads, 1, 1024),
   RANGE(early_z_latency, 1, 1000),   RANGE(fragment_queue, 1, 65536),
   RANGE(fragment_contexts, 1, 64),   RANGE(color_queue, 1, 65536),
   RANGE(blend_cycles, 1, 1000),      RANGE(tile_buffers, 1, 16),
   RANGE(flush_cycles, 1, 1000),      RANGE(flush_requests, 1, 4096),
   RANGE(vertex_mshrs, 1, 256),       RANGE(tile_mshrs, 1, 256),
   RANGE(texture_mshrs, 1, 256),      RANGE(instruction_mshrs, 1, 256),
   RANGE(l2_mshrs, 1, 256),           RANGE(l2_banks, 1, 64),
   RANGE(l2_bank_cycles, 1, 1000),
#undef RANGE
};

static bool
check_ranges(const struct cm_pipeline_config *pipeline, struct cm_config_problem *problem)
{
   for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
      const uint32_t value = *(const uint32_t *)((const char *)pipeline + ranges[i].offset);
      if (value >= ranges[i].low && value <= ranges[i].high)
         continue;
      snprintf(problem->key, sizeof problem->key, "pipeline.%s", ranges[i].name);
      snprintf(problem->message, sizeof problem->message, "%u is out of range, expected %u to %u", value,
               ranges[i].low, ranges[i].high);
      return false;
   }
   return true;
}

/* The timing knows first caches, an L2, and memory. */
static bool
check_levels(const struct cm_config *config, struct cm_config_problem *problem)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const struct cm_cache_config *cache = &config->caches[unit];
      const bool is_l2 = unit == CM_UNIT_L2;
      if (!cache->size || cache->next == CM_UNIT_DRAM || (!is_l2 && cache->next == CM_UNIT_L2))
         continue;
      snprintf(problem->key, sizeof problem->key, "caches.%s.next", cm_unit_names[unit]);
      snprintf(problem->message, sizeof problem->message,
               "%s, but timing is on, which knows first caches and the l2 before memory; expected %s",
               cm_unit_names[cache->next], is_l2 ? "dram" : "l2 or dram");
      return false;
   }
   if (config->streams[CM_STREAM_TEXTURE] == CM_UNIT_TEXTURE_CACHE)
      return true;
   snprintf(problem->key, sizeof problem->key, "streams.texture");
   snprintf(problem->message, sizeof problem->message, "%s, but timing is on, expected texture_cache",
            cm_unit_names[config->streams[CM_STREAM_TEXTURE]]);
   return false;
}

bool
cm_config_check_timing(const struct cm_config *config, struct cm_config_problem *problem)
{
   const bool has_pipeline = config->pipeline.vertex_processors;
   if (has_pipeline && !check_ranges(&config->pipeline, problem))
      return false;
   if (config->timing == CM_TIMING_OFF)
      return true;
   snprintf(problem->key, sizeof problem->key, "timing");
   if (config->mode == CM_MODE_IMR) {
      snprintf(problem->message, sizeof problem->message,
               "on, but it is a tile-based pipeline's, which mode imr is not, expected off");
      return false;
   }
   const char *missing = !has_pipeline ? "pipeline" : !config->dram_system.device ? "dram_system" : NULL;
   if (!missing)
      return check_levels(config, problem);
   snprintf(problem->message, sizeof problem->message,
            "on, but the configuration does not say how long things take, expected a mapping %s", missing);
   return false;
}
