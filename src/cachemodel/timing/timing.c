/* SPDX-License-Identifier: MIT */
/* The timing's threads, the frames that they time, and what they find, in order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "timing/recorder_internal.h"
#include "util/minmax.h"

/* The pipelines that read the logs. */
static const struct cm_pipeline_type *
type_of(const struct cm_config *config)
{
   if (config->mode == CM_MODE_IMR)
      return &cm_immediate_pipeline;
   return config->core == CM_CORE_PIPES ? &cm_cores_pipeline : &cm_tiled_pipeline;
}

/* ---- building ------------------------------------------------------------ */

/* What logs that wait take at most: of one thread, which only must not run dry, and of each of several, for which frames are
 * complete before their time comes. */
#define MOST_BYTES (4u << 20)
#define MOST_BYTES_OF_EACH (64u << 20)

/* A frame goes on in another part with the first pass after so many entries, 64 MiB. Frames of games have less. */
#define MOST_ENTRIES (8u << 20)

static void
time_frame(void *pipeline, struct cm_frame_log *frame)
{
   cm_pipeline_time(pipeline, frame);
}

static bool
add_thread(struct cm_timing *timing)
{
   struct cm_pipeline **pipeline = &timing->pipelines[timing->logs.num_threads];
   if (!*pipeline)
      *pipeline = cm_pipeline_create(type_of(timing->config), timing->config, timing->hierarchy, timing->nuca,
                                     &timing->logs);
   return *pipeline && cm_log_queue_add_thread(&timing->logs, *pipeline);
}

struct cm_timing *
cm_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca)
{
   struct cm_timing *timing = calloc(1, sizeof *timing);
   if (!timing)
      return NULL;
   timing->config = config;
   timing->hierarchy = hierarchy;
   timing->nuca = nuca;
   timing->most_entries = MOST_ENTRIES;
   timing->first_pass = 1;
   timing->arrived_end = &timing->arrived;
   cm_log_queue_init(&timing->logs, time_frame, MOST_BYTES);
   if (add_thread(timing) && cm_log_queue_begin_frame(&timing->logs, 0, 1) && cm_timing_read_accesses(timing))
      return timing;
   cm_timing_destroy(timing);
   return NULL;
}

void
cm_timing_set_threads(struct cm_timing *timing, unsigned threads)
{
   assert(!timing->num_passes);
   while (timing->logs.num_threads < cm_min(threads, CM_MAX_THREADS) && add_thread(timing))
      timing->logs.most_bytes = timing->logs.num_threads * MOST_BYTES_OF_EACH;
}

void
cm_timing_set_longest_part(struct cm_timing *timing, uint32_t entries)
{
   assert(!timing->num_passes);
   timing->most_entries = entries;
}

static void
release(struct cm_timing *timing, struct cm_frame_log *part)
{
   for (struct cm_frame_log *next; part; part = next) {
      next = part->next;
      cm_log_queue_release(&timing->logs, part);
   }
}

void
cm_timing_destroy(struct cm_timing *timing)
{
   if (!timing)
      return;
   if (timing->log)
      cm_log_queue_give_back(&timing->logs, cm_timing_take_written(timing));
   cm_log_queue_stop(&timing->logs);
   release(timing, timing->taken);
   release(timing, timing->arrived);
   cm_log_queue_finish(&timing->logs);
   for (unsigned t = 0; t < CM_MAX_THREADS; t++)
      cm_pipeline_destroy(timing->pipelines[t]);
   cm_report_destroy(timing->report);
   free(timing->covered);
   free(timing);
}

bool
cm_timing_is_complete(const struct cm_timing *timing)
{
   return !timing || !(timing->is_cut || timing->has_failed);
}

bool
cm_timing_set_timeline(struct cm_timing *timing, struct cm_timeline *timeline)
{
   assert(!timing->timeline && !timing->num_passes);
   timing->timeline = timeline;
   timing->report = cm_report_create(timeline, timing->config, type_of(timing->config));
   timing->is_kept = timing->report && cm_timeline_begin_frame(timeline);
   if (timing->is_kept)
      cm_log_queue_report(&timing->logs, timing->report);
   return timing->report;
}

/* ---- frames ---------------------------------------------------------------- */

static void
begin_part(struct cm_timing *timing)
{
   timing->out_of_memory = !cm_log_queue_begin_frame(&timing->logs, timing->num_passes, timing->first_pass);
   if (!timing->out_of_memory && timing->is_kept)
      cm_log_queue_report(&timing->logs, timing->report);
}

/* Adds a part of the next frame that is taken. Only what is attributed is read from it later. */
static void
add_part(struct cm_timing *timing, struct cm_frame_log *part)
{
   part->next = NULL;
   *timing->arrived_end = part;
   timing->arrived_end = &part->next;
   timing->has_failed |= part->has_failed;
   if (timing->has_failed)
      return;
   for (unsigned c = 0; c < CM_PIPELINE_COUNTERS; c++)
      timing->arrived_values[c] += part->values[c];
   if (timing->timeline)
      cm_timeline_take_part(timing->timeline, part->cycles);
}

/* Adds parts as far as they are timed; waits: until then. Whether the frame has no other. */
static bool
add_parts(struct cm_timing *timing, bool waits)
{
   struct cm_frame_log *part;
   while ((part = cm_log_queue_take_back(&timing->logs, waits))) {
      add_part(timing, part);
      if (!part->goes_on)
         return true;
   }
   return false;
}

void
cm_timing_frame_end(struct cm_timing *timing)
{
   if (!timing)
      return;
   timing->is_cut = timing->out_of_memory;
   if (!timing->is_cut)
      cm_log_queue_end_frame(&timing->logs, false);
}

void
cm_timing_divide(struct cm_timing *timing)
{
   if (timing->logs.newest->num_entries < timing->most_entries)
      return;
   cm_log_queue_end_frame(&timing->logs, true);
   if (timing->is_kept)
      add_parts(timing, true);
   begin_part(timing);
}

bool
cm_timing_is_in_turn(const struct cm_timing *timing)
{
   return timing->logs.num_threads == 1 || cm_config_attributes(timing->config) ||
          (timing->timeline && (timing->is_kept || cm_timeline_keeps_next(timing->timeline)));
}

bool
cm_timing_take_frame(struct cm_timing *timing, bool waits)
{
   if (!add_parts(timing, waits))
      return timing->is_cut;
   release(timing, timing->taken);
   timing->taken = timing->arrived;
   timing->arrived = NULL;
   timing->arrived_end = &timing->arrived;
   if (timing->has_failed)
      return true;
   cm_pipeline_add_frame(timing->config, timing->values, timing->arrived_values);
   memset(timing->arrived_values, 0, sizeof timing->arrived_values);
   if (timing->timeline)
      cm_timeline_take_frame(timing->timeline);
   return true;
}

void
cm_timing_frame_begin(struct cm_timing *timing)
{
   if (!timing || timing->out_of_memory)
      return;
   timing->first_pass = timing->num_passes + 1;
   timing->is_kept = timing->timeline && cm_timeline_begin_frame(timing->timeline);
   begin_part(timing);
}

void
cm_timing_on_frame(struct cm_timing *timing, void (*timed)(void *context), void *context)
{
   timing->logs.timed = timed;
   timing->logs.timed_context = context;
}

uint64_t
cm_timing_nanoseconds(const struct cm_timing *timing, unsigned thread)
{
   return thread < timing->logs.num_threads ? timing->logs.threads[thread].nanoseconds : 0;
}

/* ---- results --------------------------------------------------------------- */

struct cm_timed_part
cm_timing_part(const struct cm_timing *timing, const struct cm_timed_part *before)
{
   const struct cm_frame_log *part = before ? before->log->next : timing->taken;
   if (!part)
      return (struct cm_timed_part){0};
   return (struct cm_timed_part){
      .cycles = part->cycles,
      .ends = part->ends.data,
      .num_ends = part->num_ends,
      .last_pass = part->last_pass,
      .attribution = part->attribution,
      .log = part,
   };
}

int
cm_timing_attributed_column(const struct cm_config *config, int event)
{
   return cm_pipeline_attributed_column(type_of(config), event);
}

uint32_t
cm_timing_attributed_columns(const struct cm_config *config)
{
   return cm_pipeline_attributed_columns(type_of(config));
}

static bool
list_counters(const struct cm_config *config, struct cm_counter_table *table)
{
   if (config->timing == CM_TIMING_OFF)
      return true;
   return cm_pipeline_list_counters(type_of(config), config, table);
}

static uint64_t
read_counter(const void *timing, const struct cm_counter *counter)
{
   return ((const struct cm_timing *)timing)->values[counter->event];
}

const struct cm_counter_source cm_timing_counters = {list_counters, read_counter};
