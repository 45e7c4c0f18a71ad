/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "timing/immediate/immediate.h"

/** Cycles that all stages advance before DRAM does: no more than its fastest read takes, so that a request that
 * depends on one is not late. */
#define STEP 16

/* ---- building ------------------------------------------------------------ */

static void
init_flight(struct cm_flight *flight, uint32_t size, struct cm_pool *pool)
{
   flight->waits = cm_pool_take(pool, size, sizeof *flight->waits);
   flight->entered = cm_pool_take(pool, size, sizeof *flight->entered);
   flight->reason = CM_STAGE_BLOCKED;
   cm_queue_init(&flight->queue, size, pool);
}

static void
init_processors(struct cm_immediate_timing *timing)
{
   const struct cm_immediate_pipeline_config *pipeline = timing->pipeline;
   const uint32_t processors = timing->config->fragment_stage.processors;
   uint64_t capacity = 1;
   while (capacity <
          (uint64_t)processors * pipeline->fragment_contexts + pipeline->color_queue + pipeline->color_reads)
      capacity *= 2;
   timing->running_mask = capacity - 1;
   timing->running = cm_pool_take(&timing->pool, capacity, sizeof *timing->running);
   timing->processors = cm_pool_take(&timing->pool, processors, sizeof *timing->processors);
   for (uint32_t p = 0; timing->processors && p < processors; p++)
      timing->processors[p].running =
         cm_pool_take(&timing->pool, pipeline->fragment_contexts, sizeof(uint64_t));
}

struct cm_immediate_timing *
cm_immediate_timing_create(const struct cm_config *config)
{
   struct cm_immediate_timing *timing = calloc(1, sizeof *timing);
   if (!timing)
      return NULL;
   const struct cm_immediate_pipeline_config *pipeline = &config->immediate_pipeline;
   struct cm_pool *pool = &timing->pool;
   timing->config = config;
   timing->pipeline = pipeline;
   timing->vertex_waits = cm_pool_take(pool, pipeline->vertex_queue, sizeof *timing->vertex_waits);
   timing->vertex_entered = cm_pool_take(pool, pipeline->vertex_queue, sizeof *timing->vertex_entered);
   timing->vertex_done = cm_pool_take(pool, pipeline->vertex_queue, sizeof *timing->vertex_done);
   timing->triangle_entered = cm_pool_take(pool, pipeline->triangle_queue, sizeof *timing->triangle_entered);
   init_processors(timing);
   init_flight(&timing->hiz, pipeline->hiz_queue, pool);
   init_flight(&timing->depth, pipeline->depth_queue, pool);
   init_flight(&timing->color, pipeline->color_reads, pool);
   cm_queue_init(&timing->vertices, pipeline->vertex_queue, pool);
   cm_queue_init(&timing->triangles, pipeline->triangle_queue, pool);
   cm_queue_init(&timing->colors, pipeline->color_queue, pool);
   if (cm_immediate_memory_init(&timing->memory, config, pool) && !pool->out_of_memory)
      return timing;
   cm_immediate_timing_destroy(timing);
   return NULL;
}

void
cm_immediate_timing_destroy(struct cm_immediate_timing *timing)
{
   if (!timing)
      return;
   cm_memory_finish(&timing->memory.base);
   cm_log_finish(&timing->log);
   cm_pool_finish(&timing->pool);
   free(timing);
}

/* ---- time ---------------------------------------------------------------- */

static bool (*const stages[])(struct cm_immediate_timing *timing) = {
   cm_immediate_fetch_vertex,   cm_immediate_run_vertex, cm_immediate_assemble,
   cm_immediate_look_up_region, cm_immediate_rasterize,  cm_immediate_test,
   cm_immediate_look_up_colors, cm_immediate_blend,
};
#define NUM_STAGES (sizeof stages / sizeof stages[0])

/* Advances all stages to `now`, over and over until none has work: one makes room for another or gives it items. */
static void
work_until_now(struct cm_immediate_timing *timing)
{
   bool has_worked = true;
   while (has_worked) {
      has_worked = false;
      for (unsigned s = 0; s < NUM_STAGES; s++) {
         while (stages[s](timing))
            has_worked = true;
      }
   }
}

static bool
is_drawn(const struct cm_immediate_timing *timing)
{
   return timing->draw == timing->log.draws.count && timing->fetch_draw == timing->log.draws.count &&
          timing->primitive == timing->log.primitives.count &&
          timing->raster_region == timing->log.regions.count && timing->tested == timing->log.blocks.count &&
          timing->finished == timing->dispatched;
}

static struct cm_stage *const *
stages_of_one_unit(struct cm_immediate_timing *timing, struct cm_stage *list[static 6])
{
   list[0] = &timing->fetch;
   list[1] = &timing->assembly;
   list[2] = &timing->hierarchical;
   list[3] = &timing->rasterizer;
   list[4] = &timing->early_z;
   list[5] = &timing->blending;
   return list;
}

/* Drains the pipeline; all stages wait until then. */
static void
finish(struct cm_immediate_timing *timing)
{
   struct cm_stage *list[6];
   struct cm_stage *const *ones = stages_of_one_unit(timing, list);
   const uint32_t processors = timing->config->fragment_stage.processors;
   for (unsigned i = 0; i < 6; i++)
      timing->end = cm_later(timing->end, ones[i]->until);
   for (uint32_t p = 0; p < processors; p++)
      timing->end = cm_later(timing->end, timing->processors[p].stage.until);
   for (unsigned i = 0; i < 6; i++)
      cm_stage_account(ones[i], CM_STAGE_STARVED, timing->end);
   for (uint32_t p = 0; p < processors; p++)
      cm_stage_account(&timing->processors[p].stage, CM_STAGE_STARVED, timing->end);
   timing->barrier = timing->end;
}

static void
draw(struct cm_immediate_timing *timing)
{
   timing->fetch_draw = timing->fetch_vertex = timing->fetch_draw_vertex = 0;
   timing->run_draw = timing->run_vertex = timing->run_draw_vertex = 0;
   timing->draw = timing->draw_vertex = timing->draw_primitive = timing->vertex = 0;
   timing->primitive = timing->primitive_region = timing->region = 0;
   timing->raster_region = timing->raster_block = timing->block = timing->tested = 0;
   timing->assembled = timing->barrier;
   timing->now = cm_later(timing->now, timing->barrier);
   while (!is_drawn(timing)) {
      timing->now += STEP;
      cm_memory_advance(&timing->memory.base, timing->now - STEP);
      work_until_now(timing);
   }
}

void
cm_immediate_timing_pass(struct cm_immediate_timing *timing)
{
   const uint32_t *marks = timing->log.marks, end = (uint32_t)timing->log.entries.count;
   cm_immediate_transfer(timing, 0, marks[CM_LOG_CLEARED]);
   finish(timing);
   draw(timing);
   finish(timing);
   cm_immediate_transfer(timing, marks[CM_LOG_DRAWN], marks[CM_LOG_RESOLVED]);
   cm_immediate_transfer(timing, marks[CM_LOG_RESOLVED], end);
   finish(timing);
}

/* ---- counters ------------------------------------------------------------ */

static void
collect(struct cm_immediate_timing *timing)
{
   struct cm_stage fragment = {0};
   for (uint32_t p = 0; p < timing->config->fragment_stage.processors; p++)
      cm_stage_add(&fragment, &timing->processors[p].stage);
   const struct cm_stage *const its_stages[CM_IMMEDIATE_STAGE_COUNT] = {
      [CM_IMMEDIATE_STAGE_VERTEX_FETCH] = &timing->fetch,
      [CM_IMMEDIATE_STAGE_PRIMITIVE_ASSEMBLY] = &timing->assembly,
      [CM_IMMEDIATE_STAGE_HIERARCHICAL_Z] = &timing->hierarchical,
      [CM_IMMEDIATE_STAGE_RASTERIZER] = &timing->rasterizer,
      [CM_IMMEDIATE_STAGE_EARLY_Z] = &timing->early_z,
      [CM_IMMEDIATE_STAGE_FRAGMENT_PROCESSORS] = &fragment,
      [CM_IMMEDIATE_STAGE_BLENDING_UNIT] = &timing->blending,
   };
   const struct cm_queue *const queues[CM_IMMEDIATE_QUEUE_COUNT] = {
      [CM_IMMEDIATE_QUEUE_VERTEX] = &timing->vertices, [CM_IMMEDIATE_QUEUE_TRIANGLE] = &timing->triangles,
      [CM_IMMEDIATE_QUEUE_HIZ] = &timing->hiz.queue,   [CM_IMMEDIATE_QUEUE_DEPTH] = &timing->depth.queue,
      [CM_IMMEDIATE_QUEUE_COLOR] = &timing->colors,    [CM_IMMEDIATE_QUEUE_COLOR_READ] = &timing->color.queue,
   };
   uint64_t *values = timing->values;
   values[CM_IMMEDIATE_EVENT_CYCLES] = timing->cycles;
   values[CM_IMMEDIATE_EVENT_TIME] = timing->cycles * 1000 / timing->config->clock_mhz;
   values[CM_IMMEDIATE_EVENT_TEXTURE_MSHR_CYCLES] = timing->memory.texture_waits;
   values[CM_IMMEDIATE_EVENT_LLC_MSHR_CYCLES] = timing->memory.llc_misses.waits;
   values[CM_IMMEDIATE_EVENT_LLC_WRITE_CYCLES] = timing->memory.llc_writes.waits;
   values[CM_IMMEDIATE_EVENT_LLC_BANK_CYCLES] = timing->memory.llc_banks.waits;
   cm_pipeline_collect(values + CM_IMMEDIATE_EVENT_COUNT, its_stages, CM_IMMEDIATE_STAGE_COUNT, queues,
                       CM_IMMEDIATE_QUEUE_COUNT, &timing->memory.base);
}

void
cm_immediate_timing_frame_end(struct cm_immediate_timing *timing)
{
   cm_memory_advance(&timing->memory.base, timing->end);
   timing->cycles = timing->end;
   collect(timing);
}

bool
cm_immediate_timing_list_counters(struct cm_counter_table *table)
{
   static const struct cm_counter_text events[] = {CM_IMMEDIATE_EVENTS(CM_COUNTER_TEXT)};
   static const struct cm_counter_text stages[] = {CM_IMMEDIATE_STAGES(CM_PART_TEXT)};
   static const struct cm_counter_text queues[] = {CM_IMMEDIATE_QUEUES(CM_PART_TEXT)};
   static const struct cm_pipeline_texts texts = {
      events, stages, queues, CM_IMMEDIATE_EVENT_COUNT, CM_IMMEDIATE_STAGE_COUNT, CM_IMMEDIATE_QUEUE_COUNT,
   };
   return cm_pipeline_list_counters(&texts, table);
}
