/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "timing/timing.h"

/* What each key of pipeline may be. */
struct range {
   const char *name;
   size_t offset;
   uint32_t low, high;
};
static const struct range ranges[] = {
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

/* The same of immediate_pipeline. */
static const struct range immediate_ranges[] = {
#define RANGE(member, low, high, description) \
   {#member, offsetof(struct cm_immediate_pipeline_config, member), low, high},
   CM_IMMEDIATE_PIPELINE_KEYS(RANGE)
#undef RANGE
};

static bool
check_ranges(const char *mapping, const void *values, const struct range *range, size_t count,
             struct cm_config_problem *problem)
{
   for (const struct range *end = range + count; range < end; range++) {
      const uint32_t value = *(const uint32_t *)((const char *)values + range->offset);
      if (!cm_config_in_range(cm_config_about(problem, "%s.%s", mapping, range->name), value, range->low,
                              range->high))
         return false;
   }
   return true;
}

/* The timing supports first caches, an L2, and memory. */
static bool
check_levels(const struct cm_config *config, struct cm_config_problem *problem)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const struct cm_cache_config *cache = &config->caches[unit];
      const bool is_l2 = unit == CM_UNIT_L2;
      if (!cache->size || cache->next == CM_UNIT_DRAM || (!is_l2 && cache->next == CM_UNIT_L2))
         continue;
      return cm_config_wrong(
         cm_config_about(problem, "caches.%s.next", cm_unit_names[unit]),
         "%s, but timing is on, which needs L1 caches and the l2 before memory; expected %s",
         cm_unit_names[cache->next], is_l2 ? "dram" : "l2 or dram");
   }
   return config->streams[CM_STREAM_TEXTURE] == CM_UNIT_TEXTURE_CACHE ||
          cm_config_wrong(cm_config_about(problem, "streams.texture"),
                          "%s, but timing is on, expected texture_cache",
                          cm_unit_names[config->streams[CM_STREAM_TEXTURE]]);
}

static bool
refuse(struct cm_config_problem *problem, const char *key, const char *value, const char *expected)
{
   return cm_config_wrong(cm_config_about(problem, "%s", key),
                          "%s, but timing is on in mode imr, expected %s", value, expected);
}

/* The timing of mode imr takes any caches, but derives a block's processor from its position, and needs one last
 * level. */
static bool
check_immediate(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (config->fragment_stage.scheduler != CM_SCHEDULER_QUAD_BLOCK)
      return refuse(problem, "fragment_stage.scheduler", "not by block position", "quad-block");
   if (config->streams[CM_STREAM_TEXTURE] != CM_UNIT_TEXTURE_CACHE)
      return refuse(problem, "streams.texture", cm_unit_names[config->streams[CM_STREAM_TEXTURE]],
                    "texture_cache");
   if (config->nuca.organisation != CM_NUCA_NONE)
      return refuse(problem, "nuca.organisation", "there is one", "none");
   return true;
}

bool
cm_timing_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   const bool has_pipeline = config->pipeline.vertex_processors;
   const bool has_immediate = config->immediate_pipeline.vertex_queue;
   if (has_pipeline &&
       !check_ranges("pipeline", &config->pipeline, ranges, sizeof ranges / sizeof ranges[0], problem))
      return false;
   if (has_immediate && !check_ranges("immediate_pipeline", &config->immediate_pipeline, immediate_ranges,
                                      sizeof immediate_ranges / sizeof immediate_ranges[0], problem))
      return false;
   if (config->timing == CM_TIMING_OFF)
      return true;
   const bool is_immediate = config->mode == CM_MODE_IMR;
   const char *missing = is_immediate && !has_immediate   ? "immediate_pipeline"
                         : !is_immediate && !has_pipeline ? "pipeline"
                         : !config->dram_system.device    ? "dram_system"
                                                          : NULL;
   if (!missing)
      return is_immediate ? check_immediate(config, problem) : check_levels(config, problem);
   return cm_config_wrong(cm_config_about(problem, "timing"),
                          "on, but the configuration has no timing parameters, expected a mapping %s",
                          missing);
}
