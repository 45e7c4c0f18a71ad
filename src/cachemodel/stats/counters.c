/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "energy/energy.h"
#include "stats/counters.h"
#include "dram/dram_system.h"
#include "texture/mesh.h"
#include "timing/pieces.h"
#include "timing/immediate/counters.h"
#include "timing/tiled/counters.h"

struct event_text {
   const char *name, *measure, *description;
};

#define EVENT_TEXT(id, name, measure, description) {name, measure, description},
static const struct event_text cache_events[] = {CM_CACHE_EVENTS(EVENT_TEXT)};
static const struct event_text dram_events[] = {CM_DRAM_EVENTS(EVENT_TEXT)};
static const struct event_text pipeline_counters[] = {CM_PIPELINE_COUNTERS(EVENT_TEXT)};
static const struct event_text texture_access_events[] = {CM_TEXTURE_ACCESS_EVENTS(EVENT_TEXT)};

int
cm_stream_reaches(const struct cm_config *config, enum cm_stream stream, enum cm_unit unit)
{
   if (!cm_config_has_stream(config, stream))
      return false;
   enum cm_unit at = config->streams[stream];
   while (at != unit && at != CM_UNIT_DRAM)
      at = config->caches[at].next;
   return at == unit;
}

static const struct event_text operation_texts[] = {CM_OPERATIONS(EVENT_TEXT)};
static const struct event_text nuca_events[] = {CM_NUCA_EVENTS(EVENT_TEXT)};

static bool
add(struct cm_counter_table *table, struct cm_counter counter)
{
   /* Room grows at the powers of two. */
   if ((table->count & (table->count - 1)) == 0) {
      const size_t capacity = table->count ? (size_t)table->count * 2 : 1;
      struct cm_counter *larger = realloc(table->counters, capacity * sizeof *larger);
      if (!larger)
         return false;
      table->counters = larger;
   }
   table->counters[table->count++] = counter;
   return true;
}

static bool
has_event(const struct cm_config *config, int unit, int event)
{
   return event < CM_CACHE_EVENT_DEAD_EVICTIONS || config->caches[unit].policy == CM_POLICY_TCOR;
}

/* The counters of a unit's (or one instance's) stream; stream -1 is the total. */
static bool
add_events(struct cm_counter_table *table, const struct cm_config *config, int unit, int instance, int stream)
{
   const bool dram = unit == CM_UNIT_DRAM;
   const struct event_text *events = dram ? dram_events : cache_events;
   const int count = dram ? CM_DRAM_EVENT_COUNT : CM_CACHE_EVENT_COUNT;
   char place[48], which[32] = "";

   snprintf(place, sizeof place, "%s", cm_unit_names[unit]);
   if (instance >= 0) {
      snprintf(place, sizeof place, "%s.%d", cm_unit_names[unit], instance);
      snprintf(which, sizeof which, ", instance %d", instance);
   }
   for (int event = 0; event < count; event++) {
      if (!dram && !has_event(config, unit, event))
         continue;
      struct cm_counter counter = {
         .measure = events[event].measure,
         .unit = unit,
         .instance = instance,
         .stream = stream,
         .event = event,
      };
      snprintf(counter.name, sizeof counter.name, "%s.%s.%s", place,
               stream < 0 ? "total" : cm_stream_names[stream], events[event].name);
      snprintf(counter.description, sizeof counter.description, "%s%s: %s; %s", cm_unit_descriptions[unit],
               which, events[event].description, stream < 0 ? "all streams" : cm_stream_descriptions[stream]);
      if (!add(table, counter))
         return false;
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

/* A counter of something that is no unit. */
static struct cm_counter
counter_of(enum cm_counter_source source, int event, const char *measure)
{
   return (struct cm_counter){
      .measure = measure,
      .source = source,
      .unit = -1,
      .instance = -1,
      .stream = -1,
      .event = event,
   };
}

static bool
add_mesh(struct cm_counter_table *table, const struct cm_config *config)
{
   const uint32_t nodes = config->fragment_stage.processors;
   const uint32_t columns = cm_mesh_columns(config->nuca.mesh.columns, nodes);
   const uint32_t rows = (nodes + columns - 1) / columns;
   for (uint32_t router = 0; router < columns * rows; router++) {
      for (unsigned d = 0; d < CM_MESH_DIRECTION_COUNT; d++) {
         if (!cm_mesh_has_link(columns, rows, router, (enum cm_mesh_direction)d))
            continue;
         struct cm_counter counter =
            counter_of(CM_COUNTER_MESH, (int)(router * CM_MESH_DIRECTION_COUNT + d), "messages");
         snprintf(counter.name, sizeof counter.name, "mesh.%u.%s.messages", router,
                  cm_mesh_direction_names[d]);
         snprintf(counter.description, sizeof counter.description,
                  "the mesh of the texture caches: messages from router %u (column %u, row %u) to the %s",
                  router, router % columns, router / columns, cm_mesh_direction_names[d]);
         if (!add(table, counter))
            return false;
      }
   }
   return true;
}

static bool
add_nuca(struct cm_counter_table *table, const struct cm_config *config)
{
   for (int event = 0; event < CM_NUCA_EVENT_COUNT; event++) {
      struct cm_counter counter = counter_of(CM_COUNTER_NUCA, event, nuca_events[event].measure);
      snprintf(counter.name, sizeof counter.name, "nuca.%s", nuca_events[event].name);
      snprintf(counter.description, sizeof counter.description, "the texture caches as one: %s",
               nuca_events[event].description);
      if (!add(table, counter))
         return false;
   }
   for (uint32_t degree = 1; degree <= config->fragment_stage.processors; degree++) {
      struct cm_counter counter = counter_of(CM_COUNTER_REPLICATION, (int)degree, "requests");
      snprintf(counter.name, sizeof counter.name, "nuca.replication.%u", degree);
      snprintf(counter.description, sizeof counter.description,
               "the texture caches as one: requests after which %u of them hold%s the block", degree,
               degree == 1 ? "s" : "");
      if (!add(table, counter))
         return false;
   }
   return add_mesh(table, config);
}

/* Counters that belong to no unit; their events begin with first_event. */
static bool
add_pipeline_events(struct cm_counter_table *table, const struct event_text *events, int count,
                    const char *prefix, int first_event)
{
   for (int i = 0; i < count; i++) {
      struct cm_counter counter = counter_of(CM_COUNTER_PIPELINE, first_event + i, events[i].measure);
      snprintf(counter.name, sizeof counter.name, "%s%s", prefix, events[i].name);
      snprintf(counter.description, sizeof counter.description, "%s", events[i].description);
      if (!add(table, counter))
         return false;
   }
   return true;
}

/* What was done by operation. */
static bool
add_operations(struct cm_counter_table *table)
{
   for (int i = 0; i < CM_OPERATION_COUNT; i++) {
      struct cm_counter counter = counter_of(CM_COUNTER_OPERATION, i, operation_texts[i].measure);
      snprintf(counter.name, sizeof counter.name, "operations.%s", operation_texts[i].name);
      snprintf(counter.description, sizeof counter.description, "%s", operation_texts[i].description);
      if (!add(table, counter))
         return false;
   }
   return true;
}

static bool
add_timing_counter(struct cm_counter_table *table, int event, const char *name, const char *name_end,
                   const char *measure, const char *what, const char *description)
{
   struct cm_counter counter = counter_of(CM_COUNTER_TIMING, event, measure);
   snprintf(counter.name, sizeof counter.name, "%s%s", name, name_end);
   snprintf(counter.description, sizeof counter.description, "%s%s", what, description);
   return add(table, counter);
}

/* What is counted of stages and queues where there is time. */
struct timing_texts {
   const struct event_text *events, *stages, *queues;
   int num_events, num_stages, num_queues;
};

#define PART_TEXT(id, name, description) {name, NULL, description},
static const struct event_text timing_events[] = {CM_TIMING_EVENTS(EVENT_TEXT)};
static const struct event_text timing_stages[] = {CM_TIMING_STAGES(PART_TEXT)};
static const struct event_text timing_queues[] = {CM_TIMING_QUEUES(PART_TEXT)};
static const struct timing_texts tiled_timing = {
   timing_events,         timing_stages,         timing_queues,
   CM_TIMING_EVENT_COUNT, CM_TIMING_STAGE_COUNT, CM_TIMING_QUEUE_COUNT,
};
static const struct event_text immediate_events[] = {CM_IMMEDIATE_EVENTS(EVENT_TEXT)};
static const struct event_text immediate_stages[] = {CM_IMMEDIATE_STAGES(PART_TEXT)};
static const struct event_text immediate_queues[] = {CM_IMMEDIATE_QUEUES(PART_TEXT)};
static const struct timing_texts immediate_timing = {
   immediate_events,         immediate_stages,         immediate_queues,
   CM_IMMEDIATE_EVENT_COUNT, CM_IMMEDIATE_STAGE_COUNT, CM_IMMEDIATE_QUEUE_COUNT,
};

/* The same, and what is counted of DRAM. */
static bool
add_timing(struct cm_counter_table *table, const struct timing_texts *texts)
{
   static const struct event_text states[] = {
#define STATE_TEXT(id, name, description) {"." name "_cycles", NULL, ": " description},
      CM_STAGE_STATES(STATE_TEXT)};
   static const struct event_text dram[] = {
#define DRAM_TEXT(name, measure, description) {"dram_system." #name, measure, description},
      CM_DRAM_SYSTEM_COUNTERS(DRAM_TEXT)};
   int place = 0;
   bool fine = true;
   for (int e = 0; e < texts->num_events; e++)
      fine = fine && add_timing_counter(table, place++, texts->events[e].name, "", texts->events[e].measure,
                                        "", texts->events[e].description);
   for (int s = 0; s < texts->num_stages; s++) {
      for (int state = 0; state < CM_STAGE_STATE_COUNT; state++)
         fine = fine && add_timing_counter(table, place++, texts->stages[s].name, states[state].name,
                                           "cycles", texts->stages[s].description, states[state].description);
   }
   for (int q = 0; q < texts->num_queues; q++) {
      char name[64];
      snprintf(name, sizeof name, "queue.%s", texts->queues[q].name);
      fine = fine &&
             add_timing_counter(table, place++, name, ".items", "items", texts->queues[q].description,
                                ": that passed") &&
             add_timing_counter(table, place++, name, ".cycles", "cycles", texts->queues[q].description,
                                ": cycles that they were there, summed");
   }
   for (unsigned d = 0; d < sizeof dram / sizeof dram[0]; d++)
      fine = fine && add_timing_counter(table, place++, dram[d].name, "", dram[d].measure,
                                        "the DRAM system: ", dram[d].description);
   return fine;
}

static bool
add_all(struct cm_counter_table *table, const struct cm_config *config)
{
   const int primitive_buffer = CM_PIPELINE_FIRST_OF_PRIMITIVE_BUFFER;
   const int immediate = CM_PIPELINE_FIRST_OF_IMMEDIATE;
   if (!add_pipeline_events(table, pipeline_counters, primitive_buffer, "", 0))
      return false;
   if (config->primitive_buffer.lines &&
       !add_pipeline_events(table, pipeline_counters + primitive_buffer, immediate - primitive_buffer, "",
                            primitive_buffer))
      return false;
   if (config->mode == CM_MODE_IMR && !add_pipeline_events(table, pipeline_counters + immediate,
                                                           CM_PIPELINE_COUNT - immediate, "", immediate))
      return false;
   if (config->texture_access.design != CM_TEXTURE_DESIGN_NONE &&
       !add_pipeline_events(table, texture_access_events, CM_TEXTURE_ACCESS_EVENT_COUNT, "texture_access.",
                            CM_PIPELINE_COUNT))
      return false;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      const struct cm_cache_config *cache = &config->caches[unit];
      if (!cache->size)
         continue;
      if (!add_unit(table, config, (enum cm_unit)unit, -1))
         return false;
      for (uint32_t i = 0; cache->instances > 1 && i < cache->instances; i++) {
         if (!add_unit(table, config, (enum cm_unit)unit, (int)i))
            return false;
      }
   }
   return add_unit(table, config, CM_UNIT_DRAM, -1) &&
          (config->nuca.organisation == CM_NUCA_NONE || add_nuca(table, config)) &&
          (!cm_config_counts_operations(config) || add_operations(table)) &&
          (config->timing == CM_TIMING_OFF ||
           add_timing(table, config->mode == CM_MODE_IMR ? &immediate_timing : &tiled_timing)) &&
          cm_energy_list_counters(config, table, add);
}

struct cm_counter_table *
cm_counter_table_create(const struct cm_config *config)
{
   struct cm_counter_table *table = calloc(1, sizeof *table);
   if (table && !add_all(table, config)) {
      cm_counter_table_destroy(table);
      return NULL;
   }
   return table;
}

void
cm_counter_table_destroy(struct cm_counter_table *table)
{
   if (!table)
      return;
   free(table->counters);
   free(table);
}

int
cm_counter_table_find(const struct cm_counter_table *table, const char *name)
{
   for (uint32_t i = 0; i < table->count; i++) {
      if (strcmp(table->counters[i].name, name) == 0)
         return (int)i;
   }
   return -1;
}
