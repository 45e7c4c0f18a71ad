/* SPDX-License-Identifier: MIT */
#include "texture/access.h"
#include "texture/nuca.h"
#include "texture/placement.h"

/* A tile's side: there is one, or there must be none. */
static bool
check_tile(struct cm_config_problem *problem, uint32_t tile, uint32_t least, bool has_tile)
{
   if (has_tile)
      return cm_config_power_of_two(problem, tile, least, 256);
   return !tile || cm_config_wrong(problem, "%u, but texture.placement has no such tiles, expected 0", tile);
}

bool
cm_placement_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   const enum cm_placement_kind placement = config->texture.placement;
   const uint32_t tile = config->texture.first_level_tile;
   return CM_KEY_POWER_OF_TWO(problem, config, texture.row_alignment, 1, 4096) &&
          check_tile(cm_config_about(problem, "texture.first_level_tile"), tile, 2,
                     placement == CM_PLACEMENT_4D || placement == CM_PLACEMENT_6D) &&
          check_tile(cm_config_about(problem, "texture.second_level_tile"), config->texture.second_level_tile,
                     2 * tile, placement == CM_PLACEMENT_6D);
}

/* The side of the smallest tile of a placement, in texels; 0 where it has none. */
static uint32_t
smallest_tile(const struct cm_config *config)
{
   switch (config->texture.placement) {
   case CM_PLACEMENT_LINEAR: return 0;
   case CM_PLACEMENT_RZ:
   case CM_PLACEMENT_MORTON_4K: return 2;
   default: return config->texture.first_level_tile;
   }
}

#define THESIS_TEXEL_BYTES 4

/* Interleaved data banks need tiles, each within a line (3.2.1). */
static bool
check_interleaved_banks(const struct cm_config *config, enum cm_unit unit, struct cm_config_problem *problem)
{
   const uint32_t tile = smallest_tile(config), bytes = tile * tile * THESIS_TEXEL_BYTES;
   if (!tile)
      return cm_config_wrong(
         problem, "banked-interleaved finds 2x2 texels in different banks by the bits of their tile, which "
                  "texture.placement linear has not, expected a placement in tiles");
   cm_config_about(problem, "caches.%s.block", cm_unit_names[unit]);
   if (config->caches[unit].block < bytes)
      return cm_config_wrong(
         problem,
         "%u bytes are less than a tile of %ux%u texels: what texture_access.design "
         "banked-interleaved keeps in a line would not be continuous in memory, expected at least %u",
         config->caches[unit].block, tile, tile, bytes);
   return true;
}

bool
cm_texture_access_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   const enum cm_texture_design design = config->texture_access.design;
   const enum cm_texture_tags tags = config->texture_access.tags;
   const enum cm_unit unit = config->streams[CM_STREAM_TEXTURE];
   cm_config_about(problem, "texture_access.design");
   if (design == CM_TEXTURE_DESIGN_NONE) {
      return (tags == CM_TEXTURE_TAGS_SHARED && config->texture_access.access_energy == 0 &&
              config->texture_access.tag_energy == 0 &&
              config->texture_access.miss == CM_TEXTURE_MISS_LINE) ||
             cm_config_wrong(problem,
                             "none, but there are tags, an energy or what a miss takes, expected a design");
   }
   if (unit == CM_UNIT_DRAM || !config->caches[unit].size)
      return cm_config_wrong(problem,
                             "streams.texture names no cache that could be of a design, expected one");
   const struct cm_cache_config *cache = &config->caches[unit];
   const bool banked = design >= CM_TEXTURE_DESIGN_BANKED_CONTINUOUS;
   cm_config_about(problem, "texture_access.tags");
   if (tags == CM_TEXTURE_TAGS_BANKED && !banked)
      return cm_config_wrong(problem, "banked, but the data has no banks, expected shared or four-arrays");
   if (tags == CM_TEXTURE_TAGS_FOUR_ARRAYS && design < CM_TEXTURE_DESIGN_MULTI_PORT)
      return cm_config_wrong(problem,
                             "four-arrays, but the design has one address at a time, expected shared");
   if (tags == CM_TEXTURE_TAGS_BANKED && cache->size / cache->ways / cache->block < 4)
      return cm_config_wrong(problem,
                             "banked, but the cache has %u sets, expected at least 4 for as many banks",
                             cache->size / cache->ways / cache->block);
   cm_config_about(problem, "texture_access.design");
   return design != CM_TEXTURE_DESIGN_BANKED_INTERLEAVED || check_interleaved_banks(config, unit, problem);
}

/* Whether the texture caches are what a NUCA can be made of. */
static bool
check_nuca_caches(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_cache_config *cache = &config->caches[CM_UNIT_TEXTURE_CACHE];
   cm_config_about(problem, "nuca.organisation");
   if (!cache->size)
      return cm_config_wrong(problem, "there are no texture caches, expected caches.texture_cache");
   cm_config_about(problem, "caches.texture_cache.instances");
   if (cache->instances != config->fragment_stage.processors)
      return cm_config_wrong(
         problem, "%u is not fragment_stage.processors, expected %u: with nuca, each processor has a cache",
         cache->instances, config->fragment_stage.processors);
   cm_config_about(problem, "caches.texture_cache.policy");
   if (cache->policy == CM_POLICY_OPT || cache->policy == CM_POLICY_OPTPT ||
       cache->policy == CM_POLICY_PERFECT)
      return cm_config_wrong(
         problem,
         "%s needs the future accesses or the dead blocks of a cache, which with nuca depend on the"
         " other caches; expected another policy",
         cm_policy_names[cache->policy]);
   cm_config_about(problem, "caches.texture_cache.uncached");
   if (cache->next != CM_UNIT_DRAM && config->caches[cache->next].instances > 1)
      return cm_config_wrong(
         cm_config_about(problem, "caches.texture_cache.next"),
         "%s has %u instances, expected a shared cache of one: with nuca, each texture cache may hold"
         " any block",
         cm_unit_names[cache->next], config->caches[cache->next].instances);
   if (cache->uncached)
      return cm_config_wrong(problem, "%s, expected none: with nuca, all blocks are in texture caches",
                             cm_stream_names[cache->uncached - 1]);
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const bool enters = config->streams[stream] == CM_UNIT_TEXTURE_CACHE;
      cm_config_about(problem, "streams.%s", cm_stream_names[stream]);
      if (enters != (stream == CM_STREAM_TEXTURE))
         return cm_config_wrong(problem,
                                "%s, expected %s: with nuca, textures and nothing else are in texture caches",
                                cm_unit_names[config->streams[stream]],
                                enters ? "another unit" : cm_unit_names[CM_UNIT_TEXTURE_CACHE]);
   }
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      cm_config_about(problem, "caches.%s.next", cm_unit_names[unit]);
      if (config->caches[unit].size && config->caches[unit].next == CM_UNIT_TEXTURE_CACHE)
         return cm_config_wrong(
            problem, "texture_cache, expected another unit: with nuca, textures and nothing else are"
                     " in texture caches");
   }
   return true;
}

/* A table that takes n requests per cycle has a calendar of n slots per cycle, whose window is 4096 slots (timing/queues.h).
 * Requests that arrive further out of order than the window spans would wait although the table is free. */
#define MAX_TABLE_PORTS 4

static bool
check_table(const struct cm_config *config, struct cm_config_problem *problem)
{
   const struct cm_mesh_config *mesh = &config->nuca.mesh;
   if (!CM_KEY_IN_RANGE(problem, config, nuca.mesh.table_ports, 0, MAX_TABLE_PORTS))
      return false;
   return mesh->table_ports <= 1 || mesh->table_node == CM_TABLE_NODE_SHARED ||
          cm_config_wrong(problem,
                          "%u, but the link of nuca.mesh.table_node own brings one message per cycle, "
                          "expected 1, or table_node shared",
                          mesh->table_ports);
}

bool
cm_nuca_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (config->nuca.organisation == CM_NUCA_NONE)
      return true;
   return check_nuca_caches(config, problem) &&
          CM_KEY_POWER_OF_TWO(problem, config, nuca.interleave_blocks, 1, 65536) &&
          CM_KEY_POWER_OF_TWO(problem, config, nuca.affinity_table.page_blocks, 1, 65536) &&
          CM_KEY_IN_RANGE(problem, config, nuca.affinity_table.buckets, 1, 4096) &&
          CM_KEY_IN_RANGE(problem, config, nuca.affinity_table.counter_bits, 1, 8) &&
          CM_KEY_IN_RANGE(problem, config, nuca.affinity_table.threshold_percent, 0, 10000) &&
          CM_KEY_IN_RANGE(problem, config, nuca.affinity_table.epoch_accesses, 1, UINT32_MAX) &&
          CM_KEY_IN_RANGE(problem, config, nuca.mesh.columns, 0, config->fragment_stage.processors) &&
          CM_KEY_IN_RANGE(problem, config, nuca.mesh.hop_cycles, 0, 1000) &&
          CM_KEY_IN_RANGE(problem, config, nuca.mesh.accesses_per_cycle, 1, 1000000) &&
          check_table(config, problem);
}
