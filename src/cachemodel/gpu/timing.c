/* SPDX-License-Identifier: MIT */
#include "gpu/timing.h"

#include <stdlib.h>

#include "timing/immediate/immediate.h"
#include "timing/log.h"
#include "timing/tiled/tiled.h"

/* Whether all accesses of a stream are looked at: in the tile-based pipeline those that go to the L2 at once, in mode imr all.
 * Lookups of textures, and of storage in load/store caches, are logged as such. */
static inline bool
is_watched(const struct cm_timing *timing, enum cm_stream stream)
{
   const enum cm_unit unit = timing->config->streams[stream];
   if (timing->tiled)
      return unit == CM_UNIT_L2;
   return unit != CM_UNIT_DRAM && stream != CM_STREAM_TEXTURE && unit != CM_UNIT_LOAD_STORE_CACHE;
}

/* Besides, what caches pass on, and accesses to memory. The tile-based pipeline also counts reads of vertices and indices. */
static bool
read_accesses(struct cm_timing *timing)
{
   const struct cm_config *config = timing->config;
   timing->logs_surfaces = timing->tiled && config->attribution.texture;
   timing->vertex_streams = timing->tiled ? 1u << CM_STREAM_VERTEX | 1u << CM_STREAM_INDEX : 0;
   struct cm_access_reader reader = {
      .read = cm_log_read,
      .context = timing,
      .streams = timing->vertex_streams,
      .requests = true,
   };
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      if (config->caches[unit].size && config->caches[unit].next != CM_UNIT_DRAM)
         timing->units |= 1u << config->caches[unit].next;
   }
   for (unsigned stream = 0; stream < CM_STREAM_COUNT; stream++) {
      const enum cm_unit unit = config->streams[stream];
      if (!is_watched(timing, (enum cm_stream)stream))
         continue;
      reader.streams |= 1u << stream;
      timing->units |= 1u << unit;
   }
   return cm_hierarchy_add_reader(timing->hierarchy, &reader);
}

struct cm_timing *
cm_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca)
{
   const bool is_immediate = config->mode == CM_MODE_IMR;
   struct cm_timing *timing = calloc(1, sizeof *timing);
   if (!timing)
      return NULL;
   timing->config = config;
   timing->hierarchy = hierarchy;
   if (is_immediate)
      timing->immediate = cm_immediate_timing_create(config);
   else
      timing->tiled = cm_tiled_timing_create(config, hierarchy, nuca);
   if (!timing->immediate && !timing->tiled) {
      cm_timing_destroy(timing);
      return NULL;
   }
   if (read_accesses(timing))
      return timing;
   cm_timing_destroy(timing);
   return NULL;
}

/* A log that is discarded. */
static void
drop(struct cm_timing *timing, struct cm_log *log)
{
   if (timing->tiled)
      cm_tiled_timing_drop(timing->tiled, log);
   else
      cm_immediate_timing_drop(timing->immediate, log);
}

void
cm_timing_destroy(struct cm_timing *timing)
{
   if (!timing)
      return;
   if (timing->log)
      drop(timing, timing->log);
   cm_tiled_timing_destroy(timing->tiled);
   cm_immediate_timing_destroy(timing->immediate);
   free(timing->covered);
   free(timing);
}

bool
cm_timing_is_complete(const struct cm_timing *timing)
{
   return !timing || !(timing->out_of_memory || (timing->tiled && timing->tiled->is_deadlocked));
}

bool
cm_timing_set_timeline(struct cm_timing *timing, struct cm_timeline *timeline)
{
   return timing->tiled ? cm_tiled_timing_set_timeline(timing->tiled, timeline)
                        : cm_immediate_timing_set_timeline(timing->immediate, timeline);
}

void
cm_timing_begin(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile)
{
   if (!timing || timing->out_of_memory)
      return;
   cm_shared_side_run(&timing->hierarchy->shared); /* which belongs to no log */
   timing->log = timing->tiled ? cm_tiled_timing_begin(timing->tiled, kind, tile)
                               : cm_immediate_timing_begin(timing->immediate, kind, tile);
   if (!timing->log) {
      timing->out_of_memory = true;
      return;
   }
   cm_log_clear(timing->log);
   timing->logged_end = timing->first_draw = 0;
   timing->vertex_reads = 0;
}

void
cm_timing_put(struct cm_timing *timing)
{
   if (!timing || !timing->log || timing->out_of_memory || !timing->immediate ||
       !cm_immediate_timing_is_part(timing->immediate, timing->log))
      return;
   cm_shared_side_run(&timing->hierarchy->shared);
   /* All entries are some item's. */
   if (cm_timing_position(timing) != timing->logged_end || timing->out_of_memory)
      return;
   const uint32_t draws = timing->log->draws.count;
   struct cm_log *next = cm_immediate_timing_put(timing->immediate, timing->log);
   if (!next) {
      timing->out_of_memory = true;
      return;
   }
   timing->log = next;
   timing->first_draw += draws;
   timing->logged_end = 0;
}

void
cm_timing_end(struct cm_timing *timing)
{
   if (!timing || !timing->log)
      return;
   cm_shared_side_run(&timing->hierarchy->shared);
   struct cm_log *log = timing->log;
   timing->log = NULL;
   if (timing->out_of_memory) {
      drop(timing, log);
      return;
   }
   if (timing->tiled)
      cm_tiled_timing_end(timing->tiled, log);
   else
      timing->out_of_memory |= !cm_immediate_timing_end(timing->immediate, log);
}

void
cm_timing_frame_end(struct cm_timing *timing)
{
   if (!timing || timing->out_of_memory)
      return;
   if (timing->tiled)
      cm_tiled_timing_frame_end(timing->tiled);
   else
      timing->out_of_memory |= !cm_immediate_timing_frame_end(timing->immediate);
}

struct cm_timed_frame
cm_timing_frame(const struct cm_timing *timing)
{
   const struct cm_pipeline *pipeline = timing->tiled ? &timing->tiled->base : &timing->immediate->base;
   return (struct cm_timed_frame){
      .begin = pipeline->frame_begin,
      .end = pipeline->cycles,
      .ends = pipeline->ends.data,
      .num_ends = pipeline->num_ends,
   };
}

static const struct cm_pipeline_parts *
parts_of(enum cm_mode mode)
{
   return mode == CM_MODE_IMR ? &cm_immediate_parts : &cm_tiled_parts;
}

struct cm_cycle_attribution *
cm_timing_attribution(const struct cm_timing *timing)
{
   return (timing->tiled ? &timing->tiled->base : &timing->immediate->base)->attribution;
}

int
cm_timing_attributed_column(enum cm_mode mode, int event)
{
   return cm_pipeline_attributed_column(parts_of(mode), event);
}

uint32_t
cm_timing_attributed_columns(enum cm_mode mode)
{
   return cm_pipeline_attributed_columns(parts_of(mode));
}

static bool
list_counters(const struct cm_config *config, struct cm_counter_table *table)
{
   if (config->timing == CM_TIMING_OFF)
      return true;
   return cm_pipeline_list_counters(parts_of(config->mode), config, table);
}

static uint64_t
read_counter(const void *data, const struct cm_counter *counter)
{
   const struct cm_timing *timing = data;
   return (timing->tiled ? &timing->tiled->base : &timing->immediate->base)->values[counter->event];
}

const struct cm_counter_source cm_timing_counters = {list_counters, read_counter};
