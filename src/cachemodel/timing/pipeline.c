/* SPDX-License-Identifier: MIT */
#include "timing/pipeline.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory/attribution.h"
#include "timing/timing.h"

/* No member: it is computed for all frames together, so that what is rounded does not add up. */
#define CYCLES_TO_TIME SIZE_MAX

static const struct cm_value_part frame_values[] = {
   CM_VALUE_PART(struct cm_pipeline, "gpu.cycles", "cycles", "cycles of the GPU's clock", cycles),
   {"gpu.time", "ns", "gpu.cycles at clock_mhz", CYCLES_TO_TIME, NULL},
   {0},
};
enum { CYCLES, TIME }; /* numbers of these */

/* A part, at its offset. */
static inline void *
part(const struct cm_pipeline *pipeline, size_t at)
{
   return (char *)pipeline + at;
}

/* How many there are of a part. */
static inline uint32_t
lanes_of(const struct cm_pipeline *pipeline, size_t stride)
{
   return stride ? pipeline->lanes : 1;
}

static inline struct cm_stage *
stage_of(const struct cm_pipeline *pipeline, const struct cm_stage_part *stage, uint32_t lane)
{
   return part(pipeline, stage->at + lane * stage->stride);
}

/* ---- counters ------------------------------------------------------------ */

static bool
add_counter(struct cm_counter_table *table, int *event, const char *name, const char *name_end,
            const char *measure, const char *what, const char *description)
{
   struct cm_counter *counter = cm_counter_table_append(table, (*event)++, measure);
   if (!counter)
      return false;
   snprintf(counter->name, sizeof counter->name, "%s%s", name, name_end);
   snprintf(counter->description, sizeof counter->description, "%s%s", what, description);
   return true;
}

static bool
add_values(struct cm_counter_table *table, const struct cm_config *config, int *event,
           const struct cm_value_part *value)
{
   bool ok = true;
   for (; value->name && ok; value++) {
      if (value->exists && !value->exists(config))
         ++*event;
      else
         ok = add_counter(table, event, value->name, "", value->measure, "", value->description);
   }
   return ok;
}

bool
cm_pipeline_list_counters(const struct cm_pipeline_type *type, const struct cm_config *config,
                          struct cm_counter_table *table)
{
   static const struct cm_counter_text states[] = {
#define STATE_TEXT(id, name, description) {"." name "_cycles", NULL, ": " description},
      CM_STAGE_STATES(STATE_TEXT)};
   static const struct cm_counter_text dram[] = {
#define DRAM_TEXT(name, measure, description) {"dram_system." #name, measure, description},
      CM_DRAM_SYSTEM_COUNTERS(DRAM_TEXT)};
   int event = 0;
   bool ok =
      add_values(table, config, &event, frame_values) && add_values(table, config, &event, type->values);
   for (const struct cm_stage_part *stage = type->stages; stage->name; stage++) {
      for (int state = 0; state < CM_STAGE_STATE_COUNT; state++)
         ok = ok && add_counter(table, &event, stage->name, states[state].name, "cycles", stage->description,
                                states[state].description);
   }
   for (const struct cm_queue_part *queue = type->queues; queue->name; queue++)
      ok = ok &&
           add_counter(table, &event, queue->name, ".items", "items", queue->description,
                       ": number of items") &&
           add_counter(table, &event, queue->name, ".cycles", "cycles", queue->description,
                       ": sum of their cycles in the queue");
   for (unsigned d = 0; d < sizeof dram / sizeof dram[0]; d++)
      ok = ok && add_counter(table, &event, dram[d].name, "", dram[d].measure,
                             "the DRAM system: ", dram[d].description);
   assert(event <= CM_PIPELINE_COUNTERS);
   return ok;
}

struct cm_queue_counts
cm_pipeline_queue(const struct cm_pipeline *pipeline, unsigned number)
{
   const struct cm_queue_part *its = &pipeline->type->queues[number];
   struct cm_queue_counts counts = {0};
   for (uint32_t lane = 0; lane < lanes_of(pipeline, its->stride); lane++) {
      const struct cm_queue *queue = part(pipeline, its->at + lane * its->stride);
      counts.items += queue->popped;
      counts.waiting += queue->waiting;
   }
   return counts;
}

/* The values, in the order in which they are listed. */
static void
collect(struct cm_pipeline *pipeline)
{
   const struct cm_pipeline_type *type = pipeline->type;
   uint64_t *next = pipeline->frame->values;
   pipeline->fragment = (struct cm_stage){0};
   for (uint32_t p = 0; p < pipeline->config->fragment_stage.processors; p++)
      cm_stage_add(&pipeline->fragment, &pipeline->processors[p]);
   for (const struct cm_value_part *value = frame_values; value->name; value++)
      *next++ = value->at == CYCLES_TO_TIME ? 0 : *(const uint64_t *)part(pipeline, value->at);
   for (const struct cm_value_part *value = type->values; value->name; value++)
      *next++ = *(const uint64_t *)part(pipeline, value->at);
   for (const struct cm_stage_part *stage = type->stages; stage->name; stage++) {
      struct cm_stage sum = {0};
      for (uint32_t lane = 0; lane < lanes_of(pipeline, stage->stride); lane++)
         cm_stage_add(&sum, stage_of(pipeline, stage, lane));
      memcpy(next, sum.cycles, sizeof sum.cycles);
      next += CM_STAGE_STATE_COUNT;
   }
   for (unsigned q = 0; type->queues[q].name; q++) {
      const struct cm_queue_counts queue = cm_pipeline_queue(pipeline, q);
      *next++ = queue.items;
      *next++ = queue.waiting;
   }
   assert(next < pipeline->frame->values + CM_PIPELINE_COUNTERS);
   cm_memory_collect(pipeline->memory, next);
}

void
cm_pipeline_add_frame(const struct cm_config *config, uint64_t total[static CM_PIPELINE_COUNTERS],
                      const uint64_t frame[static CM_PIPELINE_COUNTERS])
{
   for (unsigned c = 0; c < CM_PIPELINE_COUNTERS; c++)
      total[c] += frame[c];
   total[TIME] = total[CYCLES] * 1000 / config->clock_mhz;
}

uint64_t
cm_pipeline_hierarchy_misses(const struct cm_pipeline *pipeline, unsigned number)
{
   const enum cm_unit unit = number ? CM_UNIT_L2 : CM_UNIT_TEXTURE_CACHE;
   const struct cm_counter counter = {.unit = (int)unit,
                                      .instance = -1,
                                      .stream = -1,
                                      .event = CM_CACHE_EVENT_MISSES};
   return pipeline->config->caches[unit].size ? cm_hierarchy_counter(pipeline->hierarchy, &counter) : 0;
}

/* ---- parts ----------------------------------------------------------------- */

static uint32_t
count_stages(const struct cm_pipeline_type *type)
{
   uint32_t count = 0;
   while (type->stages[count].name)
      count++;
   return count;
}

static bool
attribute_stage(struct cm_pipeline *pipeline, const struct cm_stage_part *stage, uint32_t column)
{
   bool ok = true;
   if (stage_of(pipeline, stage, 0) != &pipeline->fragment) {
      for (uint32_t lane = 0; ok && lane < lanes_of(pipeline, stage->stride); lane++)
         ok = cm_cycle_attribution_add(pipeline->attribution, stage_of(pipeline, stage, lane), column);
      return ok;
   }
   for (uint32_t p = 0; p < pipeline->config->fragment_stage.processors; p++) {
      if (!cm_cycle_attribution_add(pipeline->attribution, &pipeline->processors[p], column))
         return false;
   }
   return true;
}

/* Attributes the cycles of all stages, if the configuration asks for it. Their structures must not move. */
static bool
attribute(struct cm_pipeline *pipeline)
{
   const struct cm_pipeline_type *type = pipeline->type;
   if (!cm_config_attributes(pipeline->config))
      return true;
   struct cm_frame_log *frame = pipeline->frame;
   if (!frame->attribution)
      frame->attribution = cm_cycle_attribution_create(cm_config_attributed_parts(pipeline->config),
                                                       cm_pipeline_attributed_columns(type));
   pipeline->attribution = frame->attribution;
   bool ok = pipeline->attribution && pipeline->processors;
   for (uint32_t s = 0; ok && s < count_stages(type); s++)
      ok = attribute_stage(pipeline, &type->stages[s], s * CM_STAGE_STATE_COUNT);
   return ok;
}

/* Builds all in which the cycles of a frame happen. */
static bool
build(struct cm_pipeline *pipeline)
{
   const struct cm_pipeline_type *type = pipeline->type;
   memset((char *)pipeline + sizeof *pipeline, 0, type->size - sizeof *pipeline);
   pipeline->pool = (struct cm_pool){0};
   pipeline->memory = NULL;
   pipeline->texture = NULL;
   pipeline->attribution = NULL;
   pipeline->compute = (struct cm_compute_timing){0};
   pipeline->lanes = 1;
   pipeline->processors = cm_pool_take(&pipeline->pool, pipeline->config->fragment_stage.processors,
                                       sizeof *pipeline->processors);
   return type->init(pipeline, pipeline->nuca) && !pipeline->pool.out_of_memory && attribute(pipeline);
}

static void
take_apart(struct cm_pipeline *pipeline)
{
   if (pipeline->attribution)
      cm_cycle_attribution_remove_stages(pipeline->attribution);
   cm_compute_timing_finish(&pipeline->compute);
   pipeline->type->finish(pipeline);
   if (pipeline->memory)
      cm_memory_finish(pipeline->memory);
   cm_pool_finish(&pipeline->pool);
}

/* ---- frames -------------------------------------------------------------- */

uint64_t
cm_pipeline_last_cycle(const struct cm_pipeline *pipeline)
{
   uint64_t last = 0;
   for (const struct cm_stage_part *stage = pipeline->type->stages; stage->name; stage++) {
      for (uint32_t lane = 0; !stage->is_summed && lane < lanes_of(pipeline, stage->stride); lane++)
         last = cm_later(last, stage_of(pipeline, stage, lane)->until);
   }
   for (uint32_t p = 0; p < pipeline->config->fragment_stage.processors; p++)
      last = cm_later(last, pipeline->processors[p].until);
   return last;
}

static void
idle(struct cm_stage *stage, uint32_t pass, uint64_t until)
{
   cm_stage_serve(stage, pass, CM_NO_ITEM, 0, CM_NO_ITEM);
   cm_stage_account(stage, CM_STAGE_STARVED, until);
}

void
cm_pipeline_idle(struct cm_pipeline *pipeline, uint32_t pass, uint64_t until)
{
   for (const struct cm_stage_part *stage = pipeline->type->stages; stage->name; stage++) {
      for (uint32_t lane = 0; !stage->is_summed && lane < lanes_of(pipeline, stage->stride); lane++)
         idle(stage_of(pipeline, stage, lane), pass, until);
   }
   for (uint32_t p = 0; p < pipeline->config->fragment_stage.processors; p++)
      idle(&pipeline->processors[p], pass, until);
}

/* What DRAM's queues still have is written while nothing else happens, and is of the frame: the next one begins with empty
 * queues, whichever it is. */
static void
end_frame(struct cm_pipeline *pipeline)
{
   const uint64_t cycle = pipeline->type->complete(pipeline);
   if (pipeline->has_failed)
      return;
   cm_memory_advance(pipeline->memory, cycle);
   pipeline->cycles = pipeline->frame->cycles = cycle;
   if (pipeline->report)
      cm_report_end_frame(pipeline->report, cycle, pipeline->frame->goes_on);
   cm_dram_system_drain(pipeline->memory->dram);
   collect(pipeline);
}

static void
take(struct cm_pipeline *pipeline, struct cm_work *work)
{
   pipeline->has_failed |= !cm_log_queue_merge(pipeline->logs, work);
   if (pipeline->has_failed)
      cm_log_queue_give_back(pipeline->logs, work);
   else
      pipeline->type->take(pipeline, work);
}

void
cm_pipeline_time(struct cm_pipeline *pipeline, struct cm_frame_log *frame)
{
   struct cm_work *work;
   pipeline->frame = frame;
   pipeline->report = frame->report;
   pipeline->last_pass = frame->passes_before;
   pipeline->has_failed = !build(pipeline);
   if (pipeline->report && !pipeline->has_failed)
      cm_report_begin_frame(pipeline->report, pipeline);
   while ((work = cm_log_queue_next(pipeline->logs, frame)))
      take(pipeline, work);
   if (!frame->is_cut && !pipeline->has_failed)
      end_frame(pipeline);
   frame->last_pass = pipeline->last_pass;
   frame->has_failed = frame->is_cut || pipeline->has_failed;
   take_apart(pipeline);
}

void
cm_pipeline_take_compute(struct cm_pipeline *pipeline, struct cm_work *work)
{
   uint64_t end = pipeline->compute.is_active ? 0 : pipeline->type->complete(pipeline);
   if (pipeline->has_failed) {
      cm_log_queue_give_back(pipeline->logs, work);
      return;
   }
   pipeline->last_pass = work->pass;
   end = cm_compute_timing_take(&pipeline->compute, work, end);
   if (end)
      pipeline->type->idle(pipeline, end);
}

/* ---- attribution ------------------------------------------------------------- */

uint32_t
cm_pipeline_attributed_columns(const struct cm_pipeline_type *type)
{
   return count_stages(type) * CM_STAGE_STATE_COUNT;
}

int
cm_pipeline_attributed_column(const struct cm_pipeline_type *type, int event)
{
   int first = (int)(sizeof frame_values / sizeof frame_values[0]) - 1;
   for (const struct cm_value_part *value = type->values; value->name; value++)
      first++;
   return event >= first && event - first < (int)cm_pipeline_attributed_columns(type) ? event - first : -1;
}

void
cm_pipeline_keep_end(struct cm_pipeline *pipeline, uint32_t pass, uint32_t tile, uint64_t cycle)
{
   if (!pipeline->config->attribution.pass && !pipeline->config->attribution.tile)
      return;
   struct cm_frame_log *frame = pipeline->frame;
   if (!cm_array_extend(&frame->ends, frame->num_ends + 1, sizeof(struct cm_timed_end)))
      return; /* the frame's end has what is missing */
   ((struct cm_timed_end *)frame->ends.data)[frame->num_ends++] =
      (struct cm_timed_end){pass, tile == CM_NO_ITEM ? 0 : tile + 1, cycle};
}

/* ---- building ------------------------------------------------------------ */

struct cm_pipeline *
cm_pipeline_create(const struct cm_pipeline_type *type, const struct cm_config *config,
                   const struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca,
                   struct cm_log_queue *logs)
{
   struct cm_pipeline *pipeline = calloc(1, type->size);
   if (!pipeline)
      return NULL;
   pipeline->type = type;
   pipeline->config = config;
   pipeline->hierarchy = hierarchy;
   pipeline->nuca = nuca;
   pipeline->logs = logs;
   return pipeline;
}

void
cm_pipeline_destroy(struct cm_pipeline *pipeline)
{
   free(pipeline);
}
