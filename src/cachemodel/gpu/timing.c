/* SPDX-License-Identifier: MIT */
#include "gpu/timing.h"

#include <stdlib.h>

#include "timing/immediate/immediate.h"
#include "timing/log.h"
#include "timing/tiled/tiled.h"

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
   cm_hierarchy_tap(hierarchy, &timing->tap, is_immediate);
   return timing;
}

/* A log that nobody will read. */
static void
drop(struct cm_timing *timing, struct cm_log *log)
{
   if (timing->tiled)
      cm_tiled_timing_drop(timing->tiled, log);
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
   cm_tap_finish(&timing->tap);
   free(timing->covered);
   free(timing);
}

bool
cm_timing_is_complete(const struct cm_timing *timing)
{
   return !timing || !(timing->out_of_memory || (timing->tiled && timing->tiled->is_stuck));
}

void
cm_timing_set_timeline(struct cm_timing *timing, struct cm_timeline *timeline)
{
   if (timing && timing->tiled)
      cm_tiled_timing_set_timeline(timing->tiled, timeline);
}

void
cm_timing_begin(struct cm_timing *timing, enum cm_log_kind kind, uint32_t tile)
{
   if (!timing || timing->out_of_memory)
      return;
   timing->log = timing->tiled ? cm_tiled_timing_begin(timing->tiled, kind, tile) : &timing->immediate->log;
   if (!timing->log) {
      timing->out_of_memory = true;
      return;
   }
   cm_log_clear(timing->log);
   timing->tap.count = 0;
   timing->logged_end = 0;
   timing->vertex_accesses = cm_timing_vertex_accesses(timing);
}

void
cm_timing_end(struct cm_timing *timing)
{
   if (!timing || !timing->log)
      return;
   struct cm_log *log = timing->log;
   const struct cm_tap tap = log->tap;
   log->tap = timing->tap;
   timing->tap = tap;
   timing->log = NULL;
   timing->out_of_memory |= log->tap.out_of_memory;
   if (timing->out_of_memory)
      drop(timing, log);
   else if (timing->tiled)
      cm_tiled_timing_end(timing->tiled, log);
   else
      cm_immediate_timing_pass(timing->immediate);
   /* The log of a pass is long, and has been read: one array of tokens is enough. */
   if (timing->immediate) {
      timing->tap = log->tap;
      log->tap = (struct cm_tap){0};
   }
}

void
cm_timing_frame_end(struct cm_timing *timing)
{
   if (!timing || timing->out_of_memory)
      return;
   if (timing->tiled)
      cm_tiled_timing_frame_end(timing->tiled);
   else
      cm_immediate_timing_frame_end(timing->immediate);
}

static bool
list_counters(const struct cm_config *config, struct cm_counter_table *table)
{
   if (config->timing == CM_TIMING_OFF)
      return true;
   return config->mode == CM_MODE_IMR ? cm_immediate_timing_list_counters(table)
                                      : cm_tiled_timing_list_counters(table);
}

static uint64_t
read_counter(const void *data, const struct cm_counter *counter)
{
   const struct cm_timing *timing = data;
   return timing->tiled ? timing->tiled->values[counter->event] : timing->immediate->values[counter->event];
}

const struct cm_counter_source cm_timing_counters = {list_counters, read_counter};
