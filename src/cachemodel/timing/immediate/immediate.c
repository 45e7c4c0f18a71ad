/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "timing/immediate/immediate.h"

/** Cycles that all stages advance before DRAM does: no more than its fastest read takes, so that a request that
 * depends on one is not late. */
#define STEP 16

static void run_pass(void *context);

/* ---- building ------------------------------------------------------------ */

static void
init_lookups(struct cm_lookups *lookups, uint32_t size, struct cm_pool *pool)
{
   cm_flight_init(&lookups->flight, size, pool);
   lookups->reason = CM_STAGE_BLOCKED;
}

static void
init_processors(struct cm_immediate_timing *timing)
{
   const struct cm_immediate_pipeline_config *pipeline = timing->pipeline;
   const uint32_t processors = timing->base.config->fragment_stage.processors;
   uint64_t capacity = 1;
   while (capacity <
          (uint64_t)processors * pipeline->fragment_contexts + pipeline->color_queue + pipeline->color_reads)
      capacity *= 2;
   timing->running_mask = capacity - 1;
   timing->running = cm_pool_take(&timing->base.pool, capacity, sizeof *timing->running);
   timing->processors = cm_pool_take(&timing->base.pool, processors, sizeof *timing->processors);
   for (uint32_t p = 0; timing->processors && p < processors; p++) {
      timing->processors[p].stage = &timing->base.processors[p];
      timing->processors[p].contexts =
         cm_pool_take(&timing->base.pool, pipeline->fragment_contexts, sizeof(struct cm_immediate_context));
   }
}

struct cm_immediate_timing *
cm_immediate_timing_create(const struct cm_config *config)
{
   struct cm_immediate_timing *timing = calloc(1, sizeof *timing);
   if (!timing)
      return NULL;
   const struct cm_immediate_pipeline_config *pipeline = &config->immediate_pipeline;
   struct cm_pool *pool = &timing->base.pool;
   cm_pipeline_init(&timing->base, &cm_immediate_parts, config, &timing->memory.base);
   timing->pipeline = pipeline;
   timing->vertex_done = cm_pool_take(pool, pipeline->vertex_queue, sizeof *timing->vertex_done);
   timing->triangle_entered = cm_pool_take(pool, pipeline->triangle_queue, sizeof *timing->triangle_entered);
   init_processors(timing);
   init_lookups(&timing->hiz, pipeline->hiz_queue, pool);
   init_lookups(&timing->depth, pipeline->depth_queue, pool);
   init_lookups(&timing->color, pipeline->color_reads, pool);
   cm_flight_init(&timing->vertices, pipeline->vertex_queue, pool);
   cm_queue_init(&timing->triangles, pipeline->triangle_queue, pool);
   cm_queue_init(&timing->colors, pipeline->color_queue, pool);
   cm_immediate_compute_init(timing);
   if (cm_immediate_memory_init(&timing->memory, config, pool) && !pool->out_of_memory &&
       cm_pipeline_attribute(&timing->base) && cm_immediate_parts_init(&timing->parts, run_pass, timing))
      return timing;
   cm_immediate_timing_destroy(timing);
   return NULL;
}

void
cm_immediate_timing_destroy(struct cm_immediate_timing *timing)
{
   if (!timing)
      return;
   cm_immediate_parts_finish(&timing->parts);
   cm_immediate_timing_end_report(timing);
   cm_immediate_compute_finish(timing);
   cm_memory_finish(&timing->memory.base);
   cm_log_finish(&timing->log);
   cm_pool_finish(&timing->base.pool);
   cm_pipeline_finish(&timing->base);
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
is_drawn(struct cm_immediate_timing *timing)
{
   return !cm_immediate_has_draw(timing, timing->assemble_at.draw) &&
          timing->fetch_at.draw == timing->log.draws.count &&
          timing->primitive == timing->log.primitives.count &&
          timing->raster_region == timing->log.regions.count && timing->tested == timing->log.blocks.count &&
          timing->finished == timing->dispatched;
}

/* Drains the pipeline of a pass; all stages wait until then. */
static void
finish(struct cm_immediate_timing *timing, uint32_t pass)
{
   timing->barrier = timing->end = cm_later(timing->end, cm_pipeline_last_cycle(&timing->base));
   cm_pipeline_rest(&timing->base, pass, timing->end);
}

static void
draw(struct cm_immediate_timing *timing)
{
   timing->fetch_at = timing->run_at = timing->assemble_at = (struct cm_vertex_cursor){0};
   timing->draw_primitive = 0;
   timing->primitive = timing->primitive_region = timing->region = 0;
   timing->raster_region = timing->raster_block = timing->block = 0;
   timing->test_region = timing->test_block = timing->tested = 0;
   timing->assembled = timing->barrier;
   timing->now = cm_later(timing->now, timing->barrier);
   while (!is_drawn(timing)) {
      timing->now += STEP;
      cm_memory_advance(&timing->memory.base, timing->now - STEP);
      if (timing->report)
         cm_immediate_report_time(timing, timing->now - STEP);
      work_until_now(timing);
   }
}

/* Accesses that are no draw's: entries of the log. */
static void
transfer(struct cm_immediate_timing *timing, uint32_t begin, uint32_t end, const char *what)
{
   const uint64_t begins = cm_later(timing->blending.until, timing->barrier);
   cm_immediate_transfer(timing, begin, end);
   if (timing->report)
      cm_immediate_report_part(timing, begins, what);
}

/* Takes the next part of the pass. A pass of one part needs no copy. */
static void
take_part(struct cm_immediate_timing *timing)
{
   struct cm_immediate_part *part = cm_immediate_parts_take(&timing->parts);
   if (!part) {
      /* Nobody reads the cycles of what is left. */
      timing->log.marks[CM_LOG_DRAWN] = timing->log.marks[CM_LOG_RESOLVED] = timing->log.entries.count;
      timing->is_whole = true;
      return;
   }
   timing->is_whole = part->ends;
   if (part->begins && part->ends) {
      const struct cm_log former = timing->log;
      timing->log = part->log;
      part->log = former;
   } else {
      timing->out_of_memory = timing->out_of_memory || !cm_immediate_parts_append(&timing->log, part);
   }
   cm_immediate_parts_give_back(&timing->parts, part);
}

bool
cm_immediate_take_draw(struct cm_immediate_timing *timing, uint32_t draw)
{
   while (!timing->is_whole && !timing->out_of_memory && draw >= timing->log.draws.count)
      take_part(timing);
   return draw < timing->log.draws.count;
}

/* Runs the next pass, whose first part is there. */
static void
run_pass(void *context)
{
   struct cm_immediate_timing *timing = context;
   const uint32_t *marks = timing->log.marks;
   const uint64_t begins = timing->barrier;
   cm_log_clear(&timing->log);
   take_part(timing);
   transfer(timing, 0, marks[CM_LOG_CLEARED], "clear");
   finish(timing, timing->num_passes + 1);
   draw(timing);
   while (!timing->is_whole)
      take_part(timing);
   if (timing->out_of_memory)
      return;
   finish(timing, timing->num_passes + 1);
   transfer(timing, marks[CM_LOG_DRAWN], marks[CM_LOG_RESOLVED], "resolve");
   transfer(timing, marks[CM_LOG_RESOLVED], timing->log.entries.count, "write back");
   finish(timing, timing->num_passes + 1);
   if (timing->report)
      cm_immediate_report_pass(timing, begins);
   cm_pipeline_keep_end(&timing->base, ++timing->num_passes, CM_NO_TILE, timing->end);
}

/* ---- logs ---------------------------------------------------------------- */

/* What is run at once is run by the consumer, when all passes before it are done. */
struct cm_log *
cm_immediate_timing_begin(struct cm_immediate_timing *timing, enum cm_log_kind kind, uint32_t tile)
{
   timing->kind = kind;
   timing->pass_begins = true;
   if (kind == CM_LOG_PASS) {
      struct cm_immediate_part *part = cm_immediate_parts_begin(&timing->parts);
      return part ? &part->log : NULL;
   }
   cm_immediate_parts_drain(&timing->parts);
   if (kind != CM_LOG_GROUPS)
      return &timing->log;
   struct cm_immediate_groups *groups = timing->spare;
   if (groups)
      timing->spare = groups->next;
   else
      groups = calloc(1, sizeof *groups);
   timing->groups = groups;
   if (!groups)
      return NULL;
   groups->tile = tile;
   return &groups->log;
}

/* A part of so many entries is worth the way to the other thread. */
#define PART_ENTRIES 16384

bool
cm_immediate_timing_is_part(const struct cm_immediate_timing *timing, const struct cm_log *log)
{
   /* A timeline that keeps the frame asks for the names of what is drawn, which the consumer has: it must not run ahead. */
   return timing->kind == CM_LOG_PASS && !timing->report && log->entries.count >= PART_ENTRIES;
}

static void
put(struct cm_immediate_timing *timing, struct cm_log *log, bool ends)
{
   struct cm_immediate_part *part = (struct cm_immediate_part *)log;
   part->begins = timing->pass_begins;
   part->ends = ends;
   timing->pass_begins = false;
   cm_immediate_parts_put(&timing->parts, part);
}

struct cm_log *
cm_immediate_timing_put(struct cm_immediate_timing *timing, struct cm_log *log)
{
   struct cm_immediate_part *next = cm_immediate_parts_begin(&timing->parts);
   if (!next)
      return NULL;
   put(timing, log, false);
   return &next->log;
}

/* Nothing else runs at the same time as a compute pass, or as load/store caches write back. */
bool
cm_immediate_timing_end(struct cm_immediate_timing *timing, struct cm_log *log)
{
   if (timing->kind == CM_LOG_PASS) {
      put(timing, log, true);
      if (timing->report)
         cm_immediate_parts_drain(&timing->parts);
      return true;
   }
   /* What is written back after a render pass is of that pass, which has ended already. */
   const uint32_t pass = timing->num_passes + timing->compute.is_active;
   const uint64_t end = cm_immediate_compute_take(timing);
   if (end) {
      timing->num_passes = pass;
      timing->end = cm_later(timing->end, end);
      finish(timing, pass);
      cm_pipeline_keep_end(&timing->base, pass, CM_NO_TILE, timing->end);
   }
   return !timing->compute.out_of_memory;
}

static void
drop_groups(struct cm_immediate_timing *timing)
{
   if (!timing->groups)
      return;
   timing->groups->next = timing->spare;
   timing->spare = timing->groups;
   timing->groups = NULL;
}

void
cm_immediate_timing_drop(struct cm_immediate_timing *timing, struct cm_log *log)
{
   if (timing->kind == CM_LOG_PASS)
      cm_immediate_parts_give_back(&timing->parts, (struct cm_immediate_part *)log);
   else
      drop_groups(timing);
}

bool
cm_immediate_timing_frame_end(struct cm_immediate_timing *timing)
{
   cm_immediate_parts_drain(&timing->parts);
   if (timing->out_of_memory)
      return false;
   cm_pipeline_end_frame(&timing->base, timing->end);
   if (timing->report)
      cm_immediate_report_frame(timing);
   return true;
}

/* ---- counters ------------------------------------------------------------ */

#define VALUE(name, measure, description, member) \
   CM_VALUE_PART(struct cm_immediate_timing, name, measure, description, member)
#define STAGE(name, description, member) CM_STAGE_PART(struct cm_immediate_timing, name, description, member)
#define QUEUE(name, description, member) CM_QUEUE_PART(struct cm_immediate_timing, name, description, member)

static const struct cm_value_part values[] = {
   VALUE("texture_cache.mshr_cycles", "cycles", "cycles that misses of the texture caches waited for an MSHR",
         memory.texture_waits),
   VALUE("load_store.port_cycles", "cycles", "cycles in which load/store units took blocks, summed",
         memory.stores.port),
   VALUE("load_store.mshr_cycles", "cycles", "cycles that misses of load/store units waited for an MSHR",
         memory.stores.mshrs),
   VALUE("load_store.write_cycles", "cycles",
         "cycles that stores, atomics and write-backs waited for the next level", memory.stores.writes),
   VALUE("load_store.write_back_cycles", "cycles",
         "cycles in which load/store caches wrote back at the end of passes", compute.counts.write_backs),
   VALUE("compute_stage.cycles", "cycles", "cycles of compute passes", compute.counts.cycles),
   VALUE("compute_stage.barrier_cycles", "cycles",
         "cycles that invocations, 16 at a time, waited for others at barriers", compute.counts.barriers),
   VALUE("llc.mshr_cycles", "cycles", "cycles that misses of the LLC waited for an MSHR",
         memory.llc_misses.waits),
   VALUE("llc.write_cycles", "cycles", "cycles that writes to memory waited for their turn",
         memory.llc_writes.waits),
   VALUE("llc.bank_cycles", "cycles", "cycles that accesses of the LLC waited for their bank",
         memory.llc_banks.waits),
   {0},
};

static const struct cm_stage_part counted_stages[] = {
   STAGE("vertex_fetch", "the fetch of indices and vertices", fetch),
   STAGE("primitive_assembly", "Primitive Assembly", assembly),
   STAGE("hierarchical_z", "the Rasterizer's search for regions, and their HiZ test", hierarchical),
   STAGE("rasterizer", "the Rasterizer", rasterizer),
   STAGE("early_z", "the early depth and stencil tests", early_z),
   {"fragment_processors", "the Fragment Processors, which run vertices, too, summed",
    offsetof(struct cm_immediate_timing, base.fragment), true},
   STAGE("blending_unit", "the Blending Unit; late tests, clears, resolves, the end of a pass", blending),
   {0},
};

static const struct cm_queue_part queues[] = {
   QUEUE("vertex", "vertices that are fetched and not assembled", vertices.queue),
   QUEUE("triangle", "primitives before the Rasterizer", triangles),
   QUEUE("hiz", "regions that wait for HiZ", hiz.flight.queue),
   QUEUE("depth", "blocks that wait for the early tests", depth.flight.queue),
   QUEUE("color", "blocks from their dispatch until their colours are accessed", colors),
   QUEUE("color_read", "blocks that wait for colours", color.flight.queue),
   {0},
};

const struct cm_pipeline_parts cm_immediate_parts = {values, counted_stages, queues};
