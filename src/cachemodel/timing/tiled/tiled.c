/* SPDX-License-Identifier: MIT */
#include "timing/tiled/tiled.h"

#include <assert.h>

#include "timing/tiled/compute.h"
#include "util/message.h"

/** Fragments of a quad. */
#define QUAD 4

/* ---- building ------------------------------------------------------------ */

static bool
init(struct cm_pipeline *pipeline, const struct cm_nuca *nuca)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   const struct cm_config *config = pipeline->config;
   const uint32_t contexts = config->pipeline.fragment_contexts;
   struct cm_pool *pool = &pipeline->pool;
   pipeline->memory = &timing->memory.base;
   pipeline->texture = &timing->texture;
   timing->pipeline = &config->pipeline;
   cm_geometry_timing_init(timing);
   cm_fetcher_timing_init(timing);
   cm_raster_timing_init(timing);
   timing->transfer.flushed =
      cm_pool_take(pool, config->pipeline.tile_buffers, sizeof *timing->transfer.flushed);
   const bool has_memory = cm_tiled_memory_init(&timing->memory, config, nuca, pool);
   cm_texture_timing_init(&timing->texture, &timing->memory, config->fragment_stage.processors,
                          cm_tiled_compute_accesses(config, contexts, QUAD * contexts), pool);
   cm_tiled_compute_init(pipeline, QUAD * contexts);
   return has_memory;
}

static void
finish(struct cm_pipeline *pipeline)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   while (timing->first) {
      struct cm_work *work = timing->first;
      timing->first = work->next;
      cm_log_queue_give_back(pipeline->logs, work);
   }
}

/* ---- logs ---------------------------------------------------------------- */

/* Where the stages are among the logs. */
enum { NUM_CURSORS = 6 };
static void
find_cursors(struct cm_tiled_timing *timing, struct cm_work **cursors[static NUM_CURSORS])
{
   cursors[0] = &timing->fetcher.work;
   cursors[1] = &timing->fetcher.out_work;
   cursors[2] = &timing->hidden.work;
   cursors[3] = &timing->raster.work;
   cursors[4] = &timing->transfer.load;
   cursors[5] = &timing->transfer.flush;
}

/* Appends a log to those that the stages take from. */
static void
append(struct cm_tiled_timing *timing, struct cm_work *work)
{
   struct cm_work **cursors[NUM_CURSORS];
   assert(!work->next);
   work->number = work->kind == CM_LOG_TILE ? timing->num_tiles++ : 0;
   work->fetch_begin = work->hidden_end = work->loaded = work->z_end = CM_UNKNOWN;
   work->dispatch_begin = work->blend_begin = CM_UNKNOWN;
   work->fetch_done = work->dispatch_end = 0;
   work->shade_begin = work->shaded = work->flush_begin = work->flushed = CM_UNKNOWN;
   work->is_shaded = false;
   if (timing->last)
      timing->last->next = work;
   else
      timing->first = work;
   timing->last = work;
   find_cursors(timing, cursors);
   for (unsigned i = 0; i < NUM_CURSORS; i++) {
      if (!*cursors[i])
         *cursors[i] = work;
   }
}

/* Stages that are still at a finished log go on to the next one: those at a pass' geometry have no work in it. */
static void
step_over(struct cm_tiled_timing *timing, const struct cm_work *work)
{
   struct cm_work **cursors[NUM_CURSORS];
   if (timing->fetcher.out_work == work)
      timing->fetcher.out_next = 0;
   /* A tile that flushes nothing may be done before the Tile Fetcher, which has read all of it, leaves it. */
   if (timing->fetcher.work == work && work->kind == CM_LOG_TILE)
      cm_fetcher_timing_end_tile(timing);
   find_cursors(timing, cursors);
   for (unsigned i = 0; i < NUM_CURSORS; i++) {
      if (*cursors[i] == work)
         *cursors[i] = work->next;
   }
}

void
cm_tiled_timing_release(struct cm_tiled_timing *timing, struct cm_work *released)
{
   while (timing->first) {
      struct cm_work *work = timing->first;
      const bool is_last = work == released;
      if (work->kind == CM_LOG_TILE && !is_last)
         return;
      if (work->kind != CM_LOG_TILE && !work->is_shaded)
         return;
      step_over(timing, work);
      timing->first = work->next;
      if (!timing->first)
         timing->last = NULL;
      cm_log_queue_give_back(timing->base.logs, work);
      if (is_last)
         released = NULL;
   }
}

/* ---- time ---------------------------------------------------------------- */

/* There is one Parameter Buffer: a pass' geometry begins when the Tile Fetcher has read that of the pass before. */
static void
begin_geometry(struct cm_tiled_timing *timing)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   struct cm_work *work = timing->fetcher.work;
   if (geometry->work || !work || work->kind == CM_LOG_TILE || !cm_fetcher_timing_end_pass(timing))
      return;
   assert(work->kind == CM_LOG_GEOMETRY && cm_flight_is_empty(&geometry->input));
   geometry->work = work;
   geometry->fetch_at = geometry->out_at = (struct cm_vertex_cursor){0};
   geometry->binned = geometry->out_binned = geometry->token = 0;
   geometry->binned_token = work->log.marks[CM_LOG_VERTICES];
   geometry->begin = cm_later(timing->fetcher.clock, geometry->fetch.until);
   cm_work_serve(work, &geometry->fetch, CM_NO_ITEM);
   cm_stage_account(&geometry->fetch, CM_STAGE_STARVED, geometry->begin);
}

static bool
texture_ready(struct cm_tiled_timing *timing, uint64_t *clock)
{
   return cm_texture_timing_ready(&timing->texture, clock);
}

static void
run_texture(struct cm_tiled_timing *timing, uint32_t most, uint64_t until)
{
   cm_texture_timing_run(&timing->texture, most, until);
}

static const struct {
   bool (*ready)(struct cm_tiled_timing *timing, uint64_t *clock);
   void (*run)(struct cm_tiled_timing *timing, uint32_t most, uint64_t until);
} stages[] = {
   {cm_geometry_timing_ready, cm_geometry_timing_run}, {cm_fetcher_timing_ready, cm_fetcher_timing_run},
   {cm_hidden_timing_ready, cm_hidden_timing_run},     {cm_raster_timing_ready, cm_raster_timing_run},
   {cm_transfer_timing_ready, cm_transfer_timing_run}, {texture_ready, run_texture},
};
#define NUM_STAGES (sizeof stages / sizeof stages[0])

/* The most items that a stage takes, and cycles that it runs ahead of the others, before these are checked again. */
#define MOST_STEPS 32
#define MOST_AHEAD 32

/* Runs the stages, always the one with the least clock; not beyond the cycle at which the Tile Fetcher may need a log
 * that is not written yet. */
static void
advance(struct cm_tiled_timing *timing, bool is_last)
{
   while (!timing->base.has_failed) {
      uint64_t first_clock = CM_UNKNOWN, second_clock = CM_UNKNOWN;
      unsigned first = NUM_STAGES;
      begin_geometry(timing);
      /* Unrolled, calls are direct. */
#pragma GCC unroll 6
      for (unsigned s = 0; s < NUM_STAGES; s++) {
         uint64_t clock;
         if (!stages[s].ready(timing, &clock))
            continue;
         if (clock < first_clock) {
            second_clock = first_clock;
            first_clock = clock;
            first = s;
         } else if (clock < second_clock) {
            second_clock = clock;
         }
      }
      if (first == NUM_STAGES)
         return;
      if (!is_last && !timing->fetcher.work && !timing->geometry.work) {
         if (first_clock >= timing->fetcher.clock)
            return;
         if (timing->fetcher.clock < second_clock)
            second_clock = timing->fetcher.clock;
      }
      second_clock = second_clock < CM_UNKNOWN - MOST_AHEAD ? second_clock + MOST_AHEAD : CM_UNKNOWN;
      stages[first].run(timing, MOST_STEPS, second_clock);
   }
}

/* ---- frames -------------------------------------------------------------- */

/* Synchronizes all stages at the end of a frame. */
static void
idle(struct cm_pipeline *pipeline, uint64_t end)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   cm_pipeline_idle(&timing->base, timing->base.last_pass, end);
   cm_geometry_timing_idle(timing, timing->base.last_pass, end);
   timing->fetcher.clock = end;
   timing->raster.barrier = end;
}

/* Completes all work. Returns when that is; CM_UNKNOWN: there is a deadlock, a bug of the model. */
static uint64_t
complete(struct cm_tiled_timing *timing)
{
   advance(timing, true);
   if (!timing->base.has_failed && cm_work_tile(timing->first)) {
      cm_message(CM_MESSAGE_ERROR, "deadlock in the timing model (a bug)");
      timing->base.has_failed = true;
   }
   if (timing->base.has_failed)
      return CM_UNKNOWN;
   if (cm_fetcher_timing_end_pass(timing))
      advance(timing, true);
   const uint64_t end = cm_later(timing->geometry.end, timing->fetcher.out_time);
   return cm_later(cm_later(end, cm_raster_timing_tested(timing)), cm_pipeline_last_cycle(&timing->base));
}

static uint64_t
complete_all(struct cm_pipeline *pipeline)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   const uint64_t end = complete(timing);
   if (end == CM_UNKNOWN)
      return end;
   idle(pipeline, end);
   cm_tiled_memory_add_up(&timing->memory);
   return end;
}

static void
take(struct cm_pipeline *pipeline, struct cm_work *work)
{
   struct cm_tiled_timing *timing = (struct cm_tiled_timing *)pipeline;
   if (work->kind >= CM_LOG_DISPATCH) {
      cm_pipeline_take_compute(pipeline, work);
      return;
   }
   assert(work->kind != CM_LOG_PASS);
   pipeline->last_pass = work->pass;
   append(timing, work);
   advance(timing, false);
}

/* An instruction of a quad per cycle. */
static uint64_t
issue(struct cm_pipeline *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions)
{
   return cm_stage_work(&pipeline->processors[processor], CM_STAGE_STARVED, begin, instructions);
}

/* ---- what is counted ----------------------------------------------------- */

#define VALUE(name, measure, description, member) \
   CM_VALUE_PART(struct cm_tiled_timing, name, measure, description, member)
#define STAGE(name, description, member) CM_STAGE_PART(struct cm_tiled_timing, name, description, member)
#define QUEUE(name, description, member) CM_QUEUE_PART(struct cm_tiled_timing, name, description, member)
#define AT(member) offsetof(struct cm_tiled_timing, member)
/* Those that each lane has. */
#define LANES_STAGE(name, description, member) \
   {name, description, AT(raster.lanes[0].member), false, sizeof(struct cm_lane)}
#define LANES_QUEUE(name, description, member) \
   {"queue." name, "queue " name, description, AT(raster.lanes[0].member), sizeof(struct cm_lane)}

static const struct cm_value_part values[] = {
   VALUE("tile_fetcher.primitives", "primitives",
         "primitives that the Tile Fetcher put into its output queue", fetcher.primitives),
   VALUE("tile_fetcher.cycles", "cycles",
         "cycles from the first PMD requested in a pass to the last primitive in its output queue",
         fetcher.cycles),
   CM_COMMON_VALUE_PARTS(VALUE),
   VALUE("l2.mshr_cycles", "cycles", "cycles that misses of the L2 waited for an MSHR", memory.l2.waits),
   VALUE("l2.bank_cycles", "cycles", "cycles that accesses of the L2 waited for their bank",
         memory.l2_banks.waits),
   VALUE("mesh.wait_cycles", "cycles", "cycles that messages waited for a link, or for the table",
         memory.mesh.waits),
   {"texture_bus.wait_cycles", "cycles",
    "cycles that blocks waited for the bus between texture caches and L2", AT(memory.texture_bus.waits),
    cm_config_has_texture_bus},
   {"signature_unit.cycles", "cycles", "the Signature Unit: cycles of work", AT(geometry.signature.busy),
    cm_config_has_rendering_elimination},
   {0},
};

static const struct cm_stage_part counted_stages[] = {
   STAGE("vertex_fetch", "the fetch of indices and vertices", geometry.fetch),
   {"vertex_processors", "the Vertex Processors, summed", AT(geometry.processors), true, 0},
   STAGE("primitive_assembly", "Primitive Assembly", geometry.assembly),
   STAGE("polygon_list_builder", "the Polygon List Builder", geometry.builder),
   STAGE("tile_fetcher", "the Tile Fetcher", fetcher.stage),
   STAGE("hidden_surface_removal", "Hidden Surface Removal", hidden.stage),
   STAGE("rasterizer", "the Rasterizer", raster.rasterizer),
   LANES_STAGE("early_z", "the Early Z-Test", early_z),
   {"fragment_processors", "the Fragment Processors, summed", AT(base.fragment), true, 0},
   LANES_STAGE("blending_unit", "the Blending Unit", blend),
   STAGE("tile_buffers", "loads and flushes of tiles", transfer.stage),
   {0},
};

static const struct cm_queue_part queues[] = {
   QUEUE("vertex_input", "vertices before the Vertex Processors", geometry.input.queue),
   QUEUE("vertex_output", "vertices before Primitive Assembly", geometry.output),
   QUEUE("triangle", "primitives before the Polygon List Builder", geometry.triangles),
   QUEUE("tile_fetch", "primitives requested by the Tile Fetcher", fetcher.requests.queue),
   QUEUE("tile", "primitives after the Tile Fetcher", fetcher.tiles),
   LANES_QUEUE("early_z", "quads before the Early Z-Test", z_queue),
   LANES_QUEUE("early_z_flight", "quads in the Early Z-Test", z_flight),
   LANES_QUEUE("fragment", "quads before the Fragment Processors", fragments),
   LANES_QUEUE("color", "quads before the Blending Unit", colors),
   {0},
};

const struct cm_pipeline_type cm_tiled_pipeline = {
   .values = values,
   .stages = counted_stages,
   .queues = queues,
   .misses = {{"texture cache misses per cycle",
               "misses of the first texture caches: mean per cycle. They are those of all tiles "
               "that the Tile Fetcher has reached, including the flushed one's."},
              {"L2 misses per cycle", "the same for the L2"}},
   .size = sizeof(struct cm_tiled_timing),
   .init = init,
   .finish = finish,
   .take = take,
   .complete = complete_all,
   .idle = idle,
   .issue = issue,
   .count_misses = cm_pipeline_hierarchy_misses,
};
