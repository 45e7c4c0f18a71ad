/* SPDX-License-Identifier: MIT */
#include "timing/immediate/immediate.h"

#include <assert.h>

/** Cycles that all stages advance before DRAM does: no more than its fastest read takes, so that a request that
 * depends on one is not late. */
#define STEP 16

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
         cm_pool_take(&timing->base.pool, pipeline->fragment_contexts, sizeof(struct cm_context));
   }
}

static bool
init(struct cm_pipeline *base, const struct cm_nuca *nuca)
{
   struct cm_immediate_timing *timing = (struct cm_immediate_timing *)base;
   const struct cm_immediate_pipeline_config *pipeline = &base->config->immediate_pipeline;
   struct cm_pool *pool = &base->pool;
   assert(!nuca);
   (void)nuca;
   base->memory = &timing->memory.base;
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
   return cm_immediate_memory_init(&timing->memory, base->config, pool);
}

static void
finish(struct cm_pipeline *pipeline)
{
   cm_log_finish(&((struct cm_immediate_timing *)pipeline)->log);
}

/* ---- time ---------------------------------------------------------------- */

static bool (*const stages[])(struct cm_immediate_timing *timing) = {
   cm_immediate_fetch_vertex,   cm_immediate_run_vertex, cm_immediate_assemble,
   cm_immediate_look_up_region, cm_immediate_rasterize,  cm_immediate_test,
   cm_immediate_look_up_colors, cm_immediate_blend,
};
#define NUM_STAGES (sizeof stages / sizeof stages[0])

/* Advances all stages to `now`, repeatedly until none has work: one frees space for another or gives it items. */
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
drain(struct cm_immediate_timing *timing)
{
   timing->barrier = timing->end = cm_later(timing->end, cm_pipeline_last_cycle(&timing->base));
   cm_pipeline_idle(&timing->base, timing->base.last_pass, timing->end);
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
      if (timing->base.report)
         cm_report_time(timing->base.report, timing->now - STEP);
      work_until_now(timing);
   }
}

/* Accesses that are no draw's: entries of the log. */
static void
transfer(struct cm_immediate_timing *timing, uint32_t begin, uint32_t end, const char *what)
{
   const uint64_t begins = cm_later(timing->blending.until, timing->barrier);
   cm_immediate_transfer(timing, begin, end);
   if (timing->base.report)
      cm_report_transfer(timing->base.report, timing->base.last_pass, begins, timing->blending.until, what);
}

/* Takes a part of the pass; NULL: there is none, as the consumer has ended. A pass of one part needs no copy. Once there was no memory
 * for a part, those after it are of no use. */
static void
take_part(struct cm_immediate_timing *timing, struct cm_work *part)
{
   if (!part) {
      /* The cycles of what is left are never read. */
      timing->log.marks[CM_LOG_DRAWN] = timing->log.marks[CM_LOG_RESOLVED] = timing->log.entries.count;
      timing->is_whole = true;
      return;
   }
   assert(part->kind == CM_LOG_PASS && part->pass == timing->base.last_pass);
   timing->is_whole = part->ends;
   if (part->begins && part->ends) {
      const struct cm_log former = timing->log;
      timing->log = part->log;
      part->log = former;
   } else if (!timing->base.has_failed && !cm_log_append(&timing->log, &part->log)) {
      timing->base.has_failed = true;
   }
   cm_log_queue_give_back(timing->base.logs, part);
}

bool
cm_immediate_take_draw(struct cm_immediate_timing *timing, uint32_t draw)
{
   while (!timing->is_whole && !timing->base.has_failed && draw >= timing->log.draws.count)
      take_part(timing, cm_log_queue_next(timing->base.logs, timing->base.frame));
   return draw < timing->log.draws.count;
}

/* Runs a pass, whose first part is there. */
static void
run_pass(struct cm_immediate_timing *timing, struct cm_work *first)
{
   const uint32_t *marks = timing->log.marks;
   const uint64_t begins = timing->barrier;
   const uint32_t pass = first->pass;
   assert(first->begins);
   cm_log_clear(&timing->log);
   take_part(timing, first);
   transfer(timing, 0, marks[CM_LOG_CLEARED], "clear");
   drain(timing);
   draw(timing);
   while (!timing->is_whole)
      take_part(timing, cm_log_queue_next(timing->base.logs, timing->base.frame));
   if (timing->base.has_failed)
      return;
   assert(timing->blended == timing->dispatched && cm_flight_is_empty(&timing->vertices));
   drain(timing);
   transfer(timing, marks[CM_LOG_DRAWN], marks[CM_LOG_RESOLVED], "resolve");
   transfer(timing, marks[CM_LOG_RESOLVED], timing->log.entries.count, "write back");
   drain(timing);
   if (timing->base.report)
      cm_report_pass(timing->base.report, pass, begins, timing->end);
   cm_pipeline_keep_end(&timing->base, pass, CM_NO_ITEM, timing->end);
}

/* Takes a log: its stages all advance by a few cycles, then DRAM by the same, and so on. Nothing else runs at the same time as a
 * compute pass, or as load/store caches write back. */
static void
take(struct cm_pipeline *pipeline, struct cm_work *work)
{
   struct cm_immediate_timing *timing = (struct cm_immediate_timing *)pipeline;
   pipeline->last_pass = work->pass;
   if (work->kind == CM_LOG_PASS) {
      run_pass(timing, work);
      return;
   }
   const uint64_t end = cm_compute_timing_take(&pipeline->compute, work, timing->barrier);
   timing->end = cm_later(timing->end, end);
   if (end)
      drain(timing);
}

static uint64_t
complete(struct cm_pipeline *pipeline)
{
   return ((struct cm_immediate_timing *)pipeline)->end;
}

static uint64_t
issue(struct cm_pipeline *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions)
{
   struct cm_immediate_timing *timing = (struct cm_immediate_timing *)pipeline;
   return cm_processor_issue(timing, &timing->processors[processor], begin, 4 * instructions);
}

/* ---- what is counted ----------------------------------------------------- */

#define VALUE(name, measure, description, member) \
   CM_VALUE_PART(struct cm_immediate_timing, name, measure, description, member)
#define STAGE(name, description, member) CM_STAGE_PART(struct cm_immediate_timing, name, description, member)
#define QUEUE(name, description, member) CM_QUEUE_PART(struct cm_immediate_timing, name, description, member)

static const struct cm_value_part values[] = {
   CM_COMMON_VALUE_PARTS(VALUE),
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
    offsetof(struct cm_immediate_timing, base.fragment), true, 0},
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

static uint64_t
count_misses(const struct cm_pipeline *pipeline, unsigned number)
{
   const struct cm_immediate_memory *memory = &((const struct cm_immediate_timing *)pipeline)->memory;
   uint64_t misses = 0;
   if (number)
      return memory->reads;
   for (uint32_t p = 0; p < pipeline->config->fragment_stage.processors; p++)
      misses += memory->texture[p].taken;
   return misses;
}

const struct cm_pipeline_type cm_immediate_pipeline = {
   .values = values,
   .stages = counted_stages,
   .queues = queues,
   .misses = {{"texture cache misses per cycle", "misses of the first texture caches: mean per cycle"},
              {"LLC misses per cycle", "reads of memory by the last level of cache: mean per cycle"}},
   .size = sizeof(struct cm_immediate_timing),
   .init = init,
   .finish = finish,
   .take = take,
   .complete = complete,
   .issue = issue,
   .count_misses = count_misses,
};
