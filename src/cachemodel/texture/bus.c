/* SPDX-License-Identifier: MIT */
#include "texture/bus.h"

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text text = {"texture_bus.bytes", "bytes",
                                               "bytes of blocks on the bus between texture caches and L2"};
   return !cm_config_has_texture_bus(config) || cm_counter_table_append_texts(table, &text, 1, 0, "", "");
}

static uint64_t
read_bytes(const void *hierarchy, const struct cm_counter *unused)
{
   const struct cm_hierarchy *of = hierarchy;
   const struct cm_counter fills = {.unit = CM_UNIT_TEXTURE_CACHE,
                                    .instance = -1,
                                    .stream = CM_STREAM_TEXTURE,
                                    .event = CM_CACHE_EVENT_FILLS};
   return cm_hierarchy_counter(of, &fills) << of->caches[CM_UNIT_TEXTURE_CACHE][0].block_shift;
}

const struct cm_counter_source cm_texture_bus_counters = {list, read_bytes};

bool
cm_texture_bus_config_check(const struct cm_config *config, struct cm_config_problem *problem)
{
   if (config->texture_bus.bytes_per_cycle &&
       !CM_KEY_POWER_OF_TWO(problem, config, texture_bus.bytes_per_cycle, 1, 4096))
      return false;
   if (!CM_KEY_IN_RANGE(problem, config, texture_bus.latency, 0, 1000))
      return false;
   if (!cm_config_has_texture_bus(config))
      return true;
   cm_config_about(problem, "texture_bus");
   if (config->mode == CM_MODE_IMR || config->streams[CM_STREAM_TEXTURE] != CM_UNIT_TEXTURE_CACHE)
      return cm_config_wrong(problem,
                             "there is one, but mode is imr or streams.texture is not texture_cache, "
                             "expected none");
   return true;
}
