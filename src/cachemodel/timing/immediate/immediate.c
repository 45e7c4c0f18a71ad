/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "timing/immediate/immediate.h"

#include "timing/counter_list.h"

/** Cycles that all stages go on before DRAM does: no more than any read of it takes, so that what is asked of it
 * because of one comes in time. */
#define STEP 16

/* ---- building ------------------------------------------------------------ */

bool
cm_flight_init(struct cm_flight *flight, uint32_t size)
{
   flight->waits = calloc(size, sizeof *flight->waits);
   flight->entered = calloc(size, sizeof *flight->entered);
   flight->reason = CM_STAGE_BLOCKED;
   return cm_queue_init(&flight->queue, size) && flight->waits && flight->entered;
}

void
cm_flight_finish(struct cm_flight *flight)
{
   cm_queue_finish(&flight->queue);
   free(flight->waits);
   free(flight->entered);
}

static bool
init_processors(struct cm_immediate_timing *timing)
{
   const struct cm_immediate_pipeline_config *pipeline = timing->pipeline;
   const uint32_t processors = timing->config->fragment_stage.processors;
   uint64_t capacity = 1;
   while (capacity <
          (uint64_t)processors * pipeline->fragment_contexts + pipeline->color_queue + pipeline->color_reads)
      capacity *= 2;
   timing->running_mask = capacity - 1;
   timing->running = calloc(capacity, sizeof *timing->running);
   timing->processors = calloc(processors, sizeof *timing->processors);
   for (uint32_t p = 0; timing->processors && p < processors; p++) {
      timing->processors[p].running = calloc(pipeline->fragment_contexts, sizeof(uint64_t));
      if (!timing->processors[p].running)
         return false;
   }
   return timing->running && timing->processors;
}

struct cm_immediate_timing *
cm_immediate_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy)
{
   struct cm_immediate_timing *timing = calloc(1, sizeof *timing);
   if (!timing)
      return NULL;
   const struct cm_immediate_pipeline_config *pipeline = &config->immediate_pipeline;
   timing->config = config;
   timing->pipeline = pipeline;
   timing->hierarchy = hierarchy;
   timing->vertex_waits = calloc(pipeline->vertex_queue, sizeof *timing->vertex_waits);
   timing->vertex_entered = calloc(pipeline->vertex_queue, sizeof *timing->vertex_entered);
   timing->triangle_entered = calloc(pipeline->triangle_queue, sizeof *timing->triangle_entered);
   if (!cm_immediate_memory_init(&timing->memory, config) || !init_processors(timing) ||
       !cm_flight_init(&timing->hiz, pipeline->hiz_queue) ||
       !cm_flight_init(&timing->depth, pipeline->depth_queue) ||
       !cm_flight_init(&timing->color, pipeline->color_reads) ||
       !cm_queue_init(&timing->vertices, pipeline->vertex_queue) ||
       !cm_queue_init(&timing->triangles, pipeline->triangle_queue) ||
       !cm_queue_init(&timing->colors, pipeline->color_queue) || !timing->vertex_waits ||
       !timing->vertex_entered || !timing->triangle_entered) {
      cm_immediate_timing_destroy(timing);
      return NULL;
   }
   cm_hierarchy_tap_all(hierarchy, &timing->idle);
   return timing;
}

void
cm_immediate_timing_destroy(struct cm_immediate_timing *timing)
{
   if (!timing)
      return;
   for (uint32_t p = 0; timing->processors && p < timing->config->fragment_stage.processors; p++)
      free(timing->processors[p].running);
   free(timing->processors);
   free(timing->running);
   free(timing->vertex_waits);
   free(timing->vertex_entered);
   free(timing->triangle_entered);
   cm_flight_finish(&timing->hiz);
   cm_flight_finish(&timing->depth);
   cm_flight_finish(&timing->color);
   cm_queue_finish(&timing->vertices);
   cm_queue_finish(&timing->triangles);
   cm_queue_finish(&timing->colors);
   cm_immediate_memory_finish(&timing->memory);
   cm_tap_finish(&timing->log.tap);
   cm_tap_finish(&timing->idle);
   free(timing->log.draws.items);
   free(timing->log.vertices.items);
   free(timing->log.primitives.items);
   free(timing->log.regions.items);
   free(timing->log.blocks.items);
   free(timing);
}

bool
cm_immediate_timing_is_lost(const struct cm_immediate_timing *timing)
{
   return timing->lost;
}

/* ---- the log ------------------------------------------------------------- */

/* Room for one more item; false when memory is out. */
static bool
grow(struct cm_immediate_timing *timing, void **items, size_t count, size_t *capacity, size_t item_bytes)
{
   if (count < *capacity)
      return true;
   const size_t larger = *capacity ? 2 * *capacity : 64;
   void *data = realloc(*items, larger * item_bytes);
   if (!data) {
      timing->lost = true;
      return false;
   }
   *items = data;
   *capacity = larger;
   return true;
}

/* The next item of a list; NULL: memory is out. */
#define ADD(timing, list)                                                        \
   (grow((timing), (void **)&(timing)->log.list.items, (timing)->log.list.count, \
         &(timing)->log.list.capacity, sizeof *(timing)->log.list.items) &&      \
          !(timing)->lost                                                        \
       ? &(timing)->log.list.items[(timing)->log.list.count++]                   \
       : NULL)

#define LAST(timing, list) (&(timing)->log.list.items[(timing)->log.list.count - 1])

uint32_t
cm_immediate_timing_mark(const struct cm_immediate_timing *timing)
{
   return (uint32_t)timing->log.tap.count;
}

/* The tokens since the last item's belong to this one. */
static uint32_t
take_tokens(struct cm_immediate_timing *timing, uint32_t *begin)
{
   *begin = timing->logged_end;
   timing->logged_end = cm_immediate_timing_mark(timing);
   return timing->logged_end;
}

void
cm_immediate_timing_pass_begin(struct cm_immediate_timing *timing)
{
   struct cm_immediate_log *log = &timing->log;
   log->tap.count = 0;
   log->draws.count = log->vertices.count = log->primitives.count = log->regions.count = log->blocks.count =
      0;
   timing->logged_end = 0;
   cm_hierarchy_tap_all(timing->hierarchy, &log->tap);
}

void
cm_immediate_timing_cleared(struct cm_immediate_timing *timing)
{
   uint32_t begin;
   timing->log.clear_end = take_tokens(timing, &begin);
}

void
cm_immediate_timing_draw(struct cm_immediate_timing *timing, const struct cm_draw *draw)
{
   struct cm_logged_draw *item = ADD(timing, draws);
   if (item)
      *item = (struct cm_logged_draw){.instructions = draw->vertex_program.instructions +
                                                      draw->geometry_program.instructions};
}

void
cm_immediate_timing_programs_fetched(struct cm_immediate_timing *timing)
{
   if (!timing->lost)
      LAST(timing, draws)->program_end = take_tokens(timing, &LAST(timing, draws)->begin);
}

void
cm_immediate_timing_vertex(struct cm_immediate_timing *timing, bool reused)
{
   struct cm_logged_vertex *item = ADD(timing, vertices);
   if (!item)
      return;
   *item = (struct cm_logged_vertex){.done = CM_UNKNOWN, .reused = reused};
   item->end = take_tokens(timing, &item->begin);
   LAST(timing, draws)->num_vertices++;
}

void
cm_immediate_timing_draw_end(struct cm_immediate_timing *timing)
{
   if (!timing->lost)
      LAST(timing, draws)->feedback_end = take_tokens(timing, &LAST(timing, draws)->feedback_begin);
}

void
cm_immediate_timing_primitive(struct cm_immediate_timing *timing, uint32_t draw)
{
   struct cm_logged_primitive *item = ADD(timing, primitives);
   if (!item)
      return;
   item->num_regions = 0;
   timing->log.draws.items[draw].num_primitives++;
}

void
cm_immediate_timing_region(struct cm_immediate_timing *timing)
{
   struct cm_logged_region *item = ADD(timing, regions);
   if (!item)
      return;
   *item = (struct cm_logged_region){0};
   item->hiz_end = take_tokens(timing, &item->begin);
   LAST(timing, primitives)->num_regions++;
}

void
cm_immediate_timing_block(struct cm_immediate_timing *timing, const struct cm_timed_block *block)
{
   struct cm_logged_block *item = ADD(timing, blocks);
   if (!item)
      return;
   *item = (struct cm_logged_block){
      .tests_end = block->tests_end,
      .shade_end = block->shade_end,
      .instructions = block->quads * block->instructions,
      .longest = block->quads * block->instructions,
      .footprints = block->footprints,
      .processor = (uint16_t)block->processor,
   };
   item->end = take_tokens(timing, &item->begin);
   item->goes_on = block->quads || item->end > item->tests_end;
   const cm_token *tokens = timing->log.tap.tokens;
   item->misses =
      cm_immediate_memory_count_misses(&timing->memory, tokens + item->tests_end, tokens + item->shade_end);
   LAST(timing, regions)->num_blocks++;
}

void
cm_immediate_timing_region_end(struct cm_immediate_timing *timing)
{
   if (timing->lost)
      return;
   struct cm_logged_region *region = LAST(timing, regions);
   region->end = take_tokens(timing, &region->update_begin);
   if (region->end > region->update_begin)
      LAST(timing, blocks)->ends = (uint32_t)timing->log.regions.count;
}

void
cm_immediate_timing_drawn(struct cm_immediate_timing *timing)
{
   timing->log.draw_end = cm_immediate_timing_mark(timing);
}

void
cm_immediate_timing_resolved(struct cm_immediate_timing *timing)
{
   timing->log.resolve_end = cm_immediate_timing_mark(timing);
}

/* ---- time ---------------------------------------------------------------- */

static bool (*const stages[])(struct cm_immediate_timing *timing) = {
   cm_immediate_fetch_vertex,   cm_immediate_run_vertex, cm_immediate_assemble,
   cm_immediate_look_up_region, cm_immediate_rasterize,  cm_immediate_test,
   cm_immediate_look_up_colors, cm_immediate_blend,
};
#define NUM_STAGES (sizeof stages / sizeof stages[0])

/* All stages go on to `now`: as one makes room for or gives work to another, until none has anything to do. */
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

/* All that is under way ends, and the stages wait until then. */
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
cm_immediate_timing_pass_end(struct cm_immediate_timing *timing)
{
   timing->idle.count = 0;
   cm_hierarchy_tap_all(timing->hierarchy, &timing->idle);
   timing->lost |= timing->log.tap.out_of_memory;
   if (timing->lost)
      return;
   const uint32_t end = (uint32_t)timing->log.tap.count;
   cm_immediate_transfer(timing, 0, timing->log.clear_end);
   finish(timing);
   draw(timing);
   finish(timing);
   cm_immediate_transfer(timing, timing->log.draw_end, timing->log.resolve_end);
   cm_immediate_transfer(timing, timing->log.resolve_end, end);
   finish(timing);
}

/* ---- counters ------------------------------------------------------------ */

static void
collect(struct cm_immediate_timing *timing)
{
   struct cm_stage fragment = {0};
   for (uint32_t p = 0; p < timing->config->fragment_stage.processors; p++) {
      for (unsigned state = 0; state < CM_STAGE_STATE_COUNT; state++)
         fragment.cycles[state] += timing->processors[p].stage.cycles[state];
   }
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
   for (unsigned s = 0; s < CM_IMMEDIATE_STAGE_COUNT; s++)
      memcpy(values + CM_IMMEDIATE_FIRST_STAGE + s * CM_STAGE_STATE_COUNT, its_stages[s]->cycles,
             sizeof its_stages[s]->cycles);
   for (unsigned q = 0; q < CM_IMMEDIATE_QUEUE_COUNT; q++) {
      values[CM_IMMEDIATE_FIRST_QUEUE + 2 * q] = queues[q]->left;
      values[CM_IMMEDIATE_FIRST_QUEUE + 2 * q + 1] = queues[q]->waiting;
   }
   cm_memory_collect(&timing->memory.base, values + CM_IMMEDIATE_FIRST_DRAM);
}

void
cm_immediate_timing_frame_end(struct cm_immediate_timing *timing)
{
   if (timing->lost)
      return;
   cm_memory_advance(&timing->memory.base, timing->end);
   timing->cycles = timing->end;
   collect(timing);
}

static bool
list(const struct cm_config *config, struct cm_counter_table *table)
{
   static const struct cm_counter_text events[] = {CM_IMMEDIATE_EVENTS(CM_COUNTER_TEXT)};
   static const struct cm_counter_text stages[] = {CM_IMMEDIATE_STAGES(CM_PART_TEXT)};
   static const struct cm_counter_text queues[] = {CM_IMMEDIATE_QUEUES(CM_PART_TEXT)};
   static const struct cm_pipeline_texts texts = {
      events, stages, queues, CM_IMMEDIATE_EVENT_COUNT, CM_IMMEDIATE_STAGE_COUNT, CM_IMMEDIATE_QUEUE_COUNT,
   };
   return config->timing == CM_TIMING_OFF || config->mode != CM_MODE_IMR ||
          cm_pipeline_list_counters(&texts, table);
}

static uint64_t
read_counter(const void *timing, const struct cm_counter *counter)
{
   return ((const struct cm_immediate_timing *)timing)->values[counter->event];
}

const struct cm_counter_source cm_immediate_timing_counters = {list, read_counter};
