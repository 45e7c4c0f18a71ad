/* SPDX-License-Identifier: MIT */
#include "timing/timing.h"

/* Goes on where the value of a key is in range. */
#define CHECK_RANGE(key, low, high)                       \
   if (!CM_KEY_IN_RANGE(problem, config, key, low, high)) \
      return false;

static bool
check_ranges(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (config->pipeline.vertex_processors) {
#define CHECK(member, low, high, description) CHECK_RANGE(pipeline.member, low, high)
      CM_PIPELINE_KEYS(CHECK)
#undef CHECK
      CHECK_RANGE(pipeline.load_requests, 0, 4096)
      CHECK_RANGE(pipeline.list_entries, 0, 16)
   }
   if (config->shader_core.warp_threads) {
#define CHECK(member, low, high, description) CHECK_RANGE(shader_core.member, low, high)
      CM_SHADER_CORE_KEYS(CHECK)
#undef CHECK
   }
   if (config->immediate_pipeline.vertex_queue) {
#define CHECK(member, low, high, description) CHECK_RANGE(immediate_pipeline.member, low, high)
      CM_IMMEDIATE_PIPELINE_KEYS(CHECK)
#undef CHECK
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

/* A pixel's depth and colour are in the banks of one lane, so its quads must be, too. Hidden Surface Removal is not
 * divided into lanes. */
static bool
check_lanes(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (config->pipeline.lanes == CM_LANES_SHARED || config->mode == CM_MODE_IMR)
      return true;
   cm_config_about(problem, "pipeline.lanes");
   if (config->mode == CM_MODE_TBDR || config->core == CM_CORE_PIPES)
      return cm_config_wrong(problem, "not shared, but %s, expected shared",
                             config->core == CM_CORE_PIPES ? "core is pipes" : "mode is tbdr");
   return cm_config_places_quads(config) ||
          cm_config_wrong(problem, "not shared, but quads do not go by their position in the tile "
                                   "(fragment_stage.scheduler), expected shared");
}

static bool
refuse(struct cm_config_problem *problem, const char *key, const char *value, const char *expected)
{
   return cm_config_wrong(cm_config_about(problem, "%s", key),
                          "%s, but timing is on in mode imr, expected %s", value, expected);
}

/* Shader cores are of the tile-based GPU. Their warps are of whole quads. */
static bool
check_cores(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_shader_core_config *core = &config->shader_core;
   if (config->core == CM_CORE_SIMPLE)
      return true;
   if (!core->warp_threads || config->mode == CM_MODE_IMR)
      return cm_config_wrong(cm_config_about(problem, "core"), "pipes, but %s, expected simple",
                             core->warp_threads ? "mode is imr" : "there is no mapping shader_core");
   if (config->nuca.organisation != CM_NUCA_NONE)
      return cm_config_wrong(cm_config_about(problem, "nuca.organisation"),
                             "there is one, but core is pipes, expected none");
   if (config->fragment_stage.scheduler != CM_SCHEDULER_TILE)
      return cm_config_wrong(cm_config_about(problem, "fragment_stage.scheduler"),
                             "cores share tiles, but core is pipes, expected tile");
   if (core->warp_threads % 4)
      return cm_config_wrong(cm_config_about(problem, "shader_core.warp_threads"),
                             "%u, expected a multiple of 4", core->warp_threads);
   return core->threads >= core->warp_threads ||
          cm_config_wrong(cm_config_about(problem, "shader_core.threads"),
                          "%u, expected at least shader_core.warp_threads (%u)", core->threads,
                          core->warp_threads);
}

/* Attributes that tiles shade themselves are not in memory, so not in a Primitive Buffer. */
static bool
check_vertices(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (!cm_config_shades_by_tile(config))
      return true;
   cm_config_about(problem, "shader_core.vertices");
   if (config->primitive_buffer.lines)
      return cm_config_wrong(problem,
                             "per-tile, but there is a primitive_buffer, expected whole or positions-first");
   return config->parameter_buffer.attributes == CM_PB_ATTRIBUTES_PRIMITIVES ||
          cm_config_wrong(problem,
                          "per-tile, but parameter_buffer.attributes are in memory by vertex, expected "
                          "whole or positions-first");
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
   if (!check_ranges(config, problem) || !check_vertices(config, problem))
      return false;
   if (config->timing == CM_TIMING_OFF)
      return true;
   const bool is_immediate = config->mode == CM_MODE_IMR;
   const bool has_pipeline =
      is_immediate ? config->immediate_pipeline.vertex_queue : config->pipeline.vertex_processors;
   const char *missing = !has_pipeline                 ? is_immediate ? "immediate_pipeline" : "pipeline"
                         : !config->dram_system.device ? "dram_system"
                                                       : NULL;
   if (!missing)
      return check_cores(config, problem) && check_lanes(config, problem) &&
             (is_immediate ? check_immediate(config, problem) : check_levels(config, problem));
   return cm_config_wrong(cm_config_about(problem, "timing"),
                          "on, but the configuration has no timing parameters, expected a mapping %s",
                          missing);
}
