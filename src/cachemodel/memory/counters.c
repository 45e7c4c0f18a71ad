/* SPDX-License-Identifier: MIT */
#include "memory/counters.h"

#include <stdio.h>

#include "config/config.h"
#include "memory/hierarchy.h"

static const struct cm_counter_text cache_events[] = {CM_CACHE_EVENTS(CM_COUNTER_TEXT)};
static const struct cm_counter_text dram_events[] = {CM_DRAM_EVENTS(CM_COUNTER_TEXT)};

/* The counters of a unit's (or one instance's) stream; stream -1 is the total. */
static bool
add_events(struct cm_counter_table *table, const struct cm_config *config, int unit, int instance, int stream)
{
   const bool dram = unit == CM_UNIT_DRAM;
   const struct cm_counter_text *events = dram ? dram_events : cache_events;
   const int count = dram ? CM_DRAM_EVENT_COUNT : CM_CACHE_EVENT_COUNT;
   char unit_name[48], which[32] = "";

   snprintf(unit_name, sizeof unit_name, "%s", cm_unit_names[unit]);
   if (instance >= 0) {
      snprintf(unit_name, sizeof unit_name, "%s.%d", cm_unit_names[unit], instance);
      snprintf(which, sizeof which, ", instance %d", instance);
   }
   for (int event = 0; event < count; event++) {
      if (!dram && event >= CM_CACHE_EVENT_DEAD_EVICTIONS &&
          !cm_policy_needs_liveness(config->caches[unit].policy))
         continue;
      struct cm_counter *counter = cm_counter_table_append(table, event, events[event].measure);
      if (!counter)
         return false;
      counter->unit = unit;
      counter->instance = instance;
      counter->stream = stream;
      snprintf(counter->name, sizeof counter->name, "%s.%s.%s", unit_name,
               stream < 0 ? "total" : cm_stream_names[stream], events[event].name);
      snprintf(counter->description, sizeof counter->description, "%s%s: %s; %s", cm_unit_descriptions[unit],
               which, events[event].description, stream < 0 ? "all streams" : cm_stream_descriptions[stream]);
   }
   return true;
}

static bool
add_unit(struct cm_counter_table *table, const struct cm_config *config, enum cm_unit unit, int instance)
{
   for (int stream = 0; stream < CM_STREAM_COUNT; stream++) {
      if (cm_stream_reaches(config, (enum cm_stream)stream, unit) &&
          !add_events(table, config, (int)unit, instance, stream))
         return false;
   }
   return add_events(table, config, (int)unit, instance, -1);
}

/* A cache, and its instances unit_name it has several. */
static bool
add_cache(struct cm_counter_table *table, const struct cm_config *config, enum cm_unit unit)
{
   const uint32_t instances = config->caches[unit].instances;
   if (!config->caches[unit].size)
      return true;
   if (!add_unit(table, config, unit, -1))
      return false;
   for (uint32_t i = 0; instances > 1 && i < instances; i++) {
      if (!add_unit(table, config, unit, (int)i))
         return false;
   }
   return true;
}

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (!add_cache(table, config, (enum cm_unit)unit))
         return false;
   }
   return add_unit(table, config, CM_UNIT_DRAM, -1);
}

static uint64_t
read_counter(const void *hierarchy, const struct cm_counter *counter)
{
   return cm_hierarchy_counter(hierarchy, counter);
}

const struct cm_counter_source cm_memory_counters = {list, read_counter};

/* ---- units on the access stream -------------------------------------------- */

static bool
list_access_units(const struct cm_config *config, struct cm_counter_table *table)
{
   for (int u = 0; u < CM_ACCESS_UNIT_COUNT; u++) {
      const struct cm_access_unit_kind *kind = cm_access_unit_kinds[u];
      char name[64], description[128];
      snprintf(name, sizeof name, "%s.", kind->name);
      snprintf(description, sizeof description, "%s: ", kind->description);
      if (config->access_units[u].entries &&
          !cm_counter_table_append_texts(table, kind->events, (int)kind->num_events,
                                         u * CM_ACCESS_UNIT_EVENTS, name, description))
         return false;
   }
   return true;
}

static uint64_t
read_access_unit(const void *data, const struct cm_counter *counter)
{
   const struct cm_shared_side *shared = &((const struct cm_hierarchy *)data)->shared;
   const struct cm_access_unit *unit = shared->units;
   while (unit->kind != cm_access_unit_kinds[counter->event / CM_ACCESS_UNIT_EVENTS])
      unit++;
   return unit->counts[counter->event % CM_ACCESS_UNIT_EVENTS];
}

const struct cm_counter_source cm_access_unit_counters = {list_access_units, read_access_unit};
