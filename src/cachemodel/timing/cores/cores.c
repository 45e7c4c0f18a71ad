/* SPDX-License-Identifier: MIT */
#include "timing/cores/cores.h"

#include <assert.h>

#include "timing/tiled/compute.h"
#include "util/message.h"

/** Invocations of a quad. */
#define QUAD 4

/** Parts: the geometry, the texture units, and these of each core, the last one where tiles shade vertices. */
enum { GEOMETRY, TEXTURE, FIRST_OF_CORES };
enum { LISTS, FRONT, FLUSHES, TILE_VERTICES };

/* ---- building ------------------------------------------------------------ */

static bool
init(struct cm_pipeline *pipeline, const struct cm_nuca *nuca)
{
   struct cm_cores_timing *timing = (struct cm_cores_timing *)pipeline;
   const struct cm_config *config = pipeline->config;
   struct cm_pool *pool = &pipeline->pool;
   pipeline->memory = &timing->memory.base;
   pipeline->texture = &timing->texture;
   timing->config = &config->shader_core;
   timing->pipeline = &config->pipeline;
   const uint32_t threads = timing->config->threads;
   timing->num_cores = config->fragment_stage.processors;
   timing->parts_of_core = FLUSHES + (config->shader_core.vertices == CM_CORE_VERTICES_PER_TILE ? 2 : 1);
   timing->cores = cm_pool_take(pool, timing->num_cores, sizeof *timing->cores);
   for (uint32_t c = 0; timing->cores && c < timing->num_cores; c++)
      cm_core_init(timing, &timing->cores[c]);
   cm_core_geometry_init(timing);
   const bool has_memory = cm_tiled_memory_init(&timing->memory, config, nuca, pool);
   cm_texture_timing_init(&timing->texture, &timing->memory, timing->num_cores,
                          cm_tiled_compute_accesses(config, threads / timing->config->warp_threads, threads),
                          pool);
   cm_tiled_compute_init(pipeline, threads);
   return has_memory;
}

static void
finish(struct cm_pipeline *pipeline)
{
   struct cm_cores_timing *timing = (struct cm_cores_timing *)pipeline;
   while (timing->first) {
      struct cm_work *work = timing->first;
      timing->first = work->next;
      cm_log_queue_give_back(pipeline->logs, work);
   }
}

/* ---- logs ---------------------------------------------------------------- */

/* The core of a log's tile is the one that shades its quads; logs without shaded quads go to all cores in turn. */
static struct cm_core *
core_of(struct cm_cores_timing *timing, const struct cm_work *work)
{
   uint32_t core = (uint32_t)(work->number % timing->num_cores);
   for (uint32_t q = 0; q < work->log.quads.count; q++) {
      if (cm_log_kind(&work->log, &work->log.quads.items[q])->shaded) {
         core = work->log.quads.items[q].processor;
         break;
      }
   }
   assert(core < timing->num_cores);
   return &timing->cores[core];
}

static void
append_tile(struct cm_cores_timing *timing, struct cm_work *work)
{
   work->number = timing->tiles++;
   struct cm_core *core = core_of(timing, work);
   if (core->last)
      core->last->next_of_core = work;
   core->last = work;
   core->list = core->list ? core->list : work;
   core->front = core->front ? core->front : work;
   core->flush = core->flush ? core->flush : work;
}

/* The cycle that all cores have reached. */
static uint64_t
reached(const struct cm_cores_timing *timing)
{
   uint64_t least = timing->cores[0].dispatch;
   for (uint32_t c = 1; c < timing->num_cores; c++)
      least = timing->cores[c].dispatch < least ? timing->cores[c].dispatch : least;
   return cm_later(least, timing->pass_begin);
}

static void
append_geometry(struct cm_cores_timing *timing, struct cm_work *work)
{
   struct cm_core_geometry *geometry = &timing->geometry;
   if (geometry->last)
      geometry->last->next_of_core = work;
   else
      geometry->first = work;
   geometry->last = work;
   geometry->next_check = cm_later(geometry->next_check, reached(timing));
}

static void
append(struct cm_cores_timing *timing, struct cm_work *work)
{
   assert(!work->next);
   work->next_of_core = NULL;
   work->fetch_begin = work->loaded = work->dispatch_begin = work->blend_begin = CM_UNKNOWN;
   work->flush_begin = work->flushed = CM_UNKNOWN;
   work->fetch_done = work->dispatch_end = work->hidden_end = work->z_end = work->shaded = 0;
   work->is_shaded = false;
   work->num_ready = 0;
   work->tiles_before = work->kind == CM_LOG_TILE ? timing->last_before : timing->tiles;
   timing->last_before = work->tiles_before;
   if (timing->last)
      timing->last->next = work;
   else
      timing->first = work;
   timing->last = work;
   if (work->kind == CM_LOG_TILE)
      append_tile(timing, work);
   else
      append_geometry(timing, work);
}

/* A tile is flushed before its core has dropped the entries behind the last one that is the tile's. */
static bool
is_done(const struct cm_cores_timing *timing, const struct cm_work *work)
{
   if (work->kind != CM_LOG_TILE)
      return work->is_shaded;
   bool is_listed = false;
   for (uint32_t c = 0; work->flushed != CM_UNKNOWN && c < timing->num_cores; c++)
      is_listed |= timing->cores[c].list == work;
   return work->flushed != CM_UNKNOWN && !is_listed;
}

/* Gives back the logs that are done, the oldest first. */
static void
release(struct cm_cores_timing *timing)
{
   while (timing->first && is_done(timing, timing->first)) {
      struct cm_work *work = timing->first;
      timing->first = work->next;
      if (!timing->first)
         timing->last = NULL;
      for (uint32_t c = 0; work->kind == CM_LOG_TILE && c < timing->num_cores; c++) {
         if (timing->cores[c].last == work)
            timing->cores[c].last = NULL;
      }
      cm_log_queue_give_back(timing->base.logs, work);
   }
}

void
cm_cores_tile_done(struct cm_cores_timing *timing, struct cm_work *work)
{
   timing->flushed = cm_later(timing->flushed, work->flushed);
   timing->tiles_done++;
   release(timing);
}

bool
cm_cores_pass_may_begin(struct cm_cores_timing *timing, const struct cm_work *work)
{
   const bool overlaps = timing->config->overlap == CM_CORE_OVERLAP_FRAMES;
   if (timing->pass == work->pass)
      return true;
   if (timing->tiles_done < work->tiles_before || (!overlaps && timing->geometry.done < work->pass))
      return false;
   timing->pass = work->pass;
   timing->pass_begin =
      cm_later(timing->flushed, overlaps ? 0 : timing->geometry.end) + timing->config->pass_cycles;
   return true;
}

/* ---- time ---------------------------------------------------------------- */

/* The most items that a part takes, and cycles that it runs ahead of the others, before these are checked again. */
#define MOST_STEPS 32
#define MOST_AHEAD 32

static bool
is_ready(struct cm_cores_timing *timing, uint32_t part, uint64_t *clock)
{
   struct cm_core *core = &timing->cores[(part - FIRST_OF_CORES) / timing->parts_of_core];
   if (part == GEOMETRY)
      return cm_core_geometry_ready(timing, clock);
   if (part == TEXTURE)
      return cm_texture_timing_ready(&timing->texture, clock);
   switch ((part - FIRST_OF_CORES) % timing->parts_of_core) {
   case LISTS: return cm_core_list_ready(timing, core, clock);
   case FRONT: return cm_core_front_ready(timing, core, clock);
   case FLUSHES: return cm_core_flush_ready(timing, core, clock);
   default: return cm_core_vertices_ready(timing, core, clock);
   }
}

static void
step(struct cm_cores_timing *timing, uint32_t part)
{
   struct cm_core *core = &timing->cores[(part - FIRST_OF_CORES) / timing->parts_of_core];
   if (part == GEOMETRY) {
      cm_core_geometry_step(timing);
      release(timing);
      return;
   }
   switch ((part - FIRST_OF_CORES) % timing->parts_of_core) {
   case LISTS:
      cm_core_list_step(timing, core);
      release(timing);
      break;
   case FRONT: cm_core_front_step(timing, core); break;
   case FLUSHES: cm_core_flush_step(timing, core); break;
   default: cm_core_vertices_step(timing, core); break;
   }
}

static void
run(struct cm_cores_timing *timing, uint32_t part, uint64_t until)
{
   uint64_t clock;
   if (part == TEXTURE) {
      cm_texture_timing_run(&timing->texture, MOST_STEPS, until);
      return;
   }
   for (uint32_t n = 0; n < MOST_STEPS; n++) {
      step(timing, part);
      if (!is_ready(timing, part, &clock) || clock > until)
         return;
   }
}

/* The least cycle at which a core may need a log that is not written yet; CM_UNKNOWN: none does. */
static uint64_t
missing_log(const struct cm_cores_timing *timing)
{
   uint64_t least = CM_UNKNOWN;
   for (uint32_t c = 0; c < timing->num_cores; c++) {
      const struct cm_core *core = &timing->cores[c];
      if (!core->list && core->dispatch < least)
         least = core->dispatch;
   }
   return least;
}

/* Runs the parts, always the one with the least clock; not beyond the cycle at which a core may need a log that is not
 * written yet. */
static void
advance(struct cm_cores_timing *timing, bool is_last)
{
   const uint32_t parts = FIRST_OF_CORES + timing->parts_of_core * timing->num_cores;
   while (!timing->base.has_failed) {
      uint64_t first_clock = CM_UNKNOWN, second_clock = CM_UNKNOWN;
      uint32_t first = parts;
      for (uint32_t part = 0; part < parts; part++) {
         uint64_t clock;
         if (!is_ready(timing, part, &clock))
            continue;
         if (clock < first_clock) {
            second_clock = first_clock;
            first_clock = clock;
            first = part;
         } else if (clock < second_clock) {
            second_clock = clock;
         }
      }
      if (first == parts)
         return;
      const uint64_t missing = is_last ? CM_UNKNOWN : missing_log(timing);
      if (first_clock > missing)
         return;
      second_clock = second_clock < missing ? second_clock : missing;
      run(timing, first, second_clock < CM_UNKNOWN - MOST_AHEAD ? second_clock + MOST_AHEAD : CM_UNKNOWN);
   }
}

/* ---- frames -------------------------------------------------------------- */

static void
idle_core(struct cm_cores_timing *timing, struct cm_core *core, uint64_t end)
{
   const uint32_t pass = timing->base.last_pass;
   struct {
      struct cm_stage *sum;
      uint64_t *until;
   } stages[] = {{&timing->fetchers, &core->list_until},
                 {&timing->rasterizers, &core->raster_until},
                 {&timing->transfers, &core->transfer_until}};
   for (unsigned s = 0; s < sizeof stages / sizeof stages[0]; s++) {
      cm_stage_serve(stages[s].sum, pass, CM_NO_ITEM, 0, CM_NO_ITEM);
      stages[s].sum->until = *stages[s].until;
      cm_stage_account(stages[s].sum, CM_STAGE_STARVED, end);
      *stages[s].until = end;
   }
   core->dispatch = core->list_clock = core->raster_begin = end;
}

/* Synchronizes all parts at the end of a frame. */
static void
idle(struct cm_pipeline *pipeline, uint64_t end)
{
   struct cm_cores_timing *timing = (struct cm_cores_timing *)pipeline;
   cm_pipeline_idle(&timing->base, timing->base.last_pass, end);
   for (uint32_t c = 0; c < timing->num_cores; c++)
      idle_core(timing, &timing->cores[c], end);
   timing->flushed = timing->geometry.end = timing->pass_begin = end;
}

static uint64_t
last_cycle(const struct cm_cores_timing *timing)
{
   uint64_t end = cm_later(cm_pipeline_last_cycle(&timing->base), timing->geometry.end);
   end = cm_later(end, timing->flushed);
   for (uint32_t c = 0; c < timing->num_cores; c++) {
      const struct cm_core *core = &timing->cores[c];
      end = cm_later(end, cm_later(core->list_until, core->raster_until));
      end = cm_later(end, cm_later(core->transfer_until, core->dispatch));
      end = cm_later(end, core->raster_begin);
   }
   return end;
}

/* Completes all work. Returns when that is; CM_UNKNOWN: there is a deadlock, a bug of the model. */
static uint64_t
complete(struct cm_cores_timing *timing)
{
   advance(timing, true);
   if (!timing->base.has_failed && timing->first) {
      cm_message(CM_MESSAGE_ERROR, "deadlock in the timing model (a bug)");
      timing->base.has_failed = true;
   }
   return timing->base.has_failed ? CM_UNKNOWN : last_cycle(timing);
}

static void
count(struct cm_cores_timing *timing)
{
   struct cm_core_counts *counts = &timing->counts;
   cm_tiled_memory_add_up(&timing->memory);
   counts->depth = 0;
   for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
      counts->busy[p] = 0;
   for (uint32_t c = 0; c < timing->num_cores; c++) {
      counts->depth += cm_core_pipe_busy(&timing->cores[c].depth);
      for (unsigned p = 0; p < CM_PIPE_COUNT; p++)
         counts->busy[p] += cm_core_pipe_busy(&timing->cores[c].pipes.pipes[p]);
   }
}

static uint64_t
complete_all(struct cm_pipeline *pipeline)
{
   struct cm_cores_timing *timing = (struct cm_cores_timing *)pipeline;
   const uint64_t end = complete(timing);
   if (end == CM_UNKNOWN)
      return end;
   idle(pipeline, end);
   count(timing);
   return end;
}

static void
take(struct cm_pipeline *pipeline, struct cm_work *work)
{
   struct cm_cores_timing *timing = (struct cm_cores_timing *)pipeline;
   if (work->kind >= CM_LOG_DISPATCH) {
      cm_pipeline_take_compute(pipeline, work);
      return;
   }
   assert(work->kind != CM_LOG_PASS);
   pipeline->last_pass = work->pass;
   append(timing, work);
   advance(timing, false);
}

/* An invocation of a compute pass has the instructions that the renderer executes. */
static uint64_t
issue(struct cm_pipeline *pipeline, uint32_t processor, uint64_t begin, uint64_t instructions)
{
   struct cm_core_pipes *pipes = &((struct cm_cores_timing *)pipeline)->cores[processor].pipes;
   struct cm_warp warp = {
      .units = {[CM_PIPE_ISSUE] = instructions * QUAD, [CM_PIPE_FMA] = instructions * QUAD}};
   const struct cm_warp_times times = cm_core_pipes_run(pipes, &warp, begin);
   cm_stage_account(&pipeline->processors[processor], CM_STAGE_STARVED, times.begin);
   cm_stage_account(&pipeline->processors[processor], CM_STAGE_BUSY, times.issued);
   return times.issued;
}

/* ---- what is counted ----------------------------------------------------- */

#define VALUE(name, measure, description, member) \
   CM_VALUE_PART(struct cm_cores_timing, name, measure, description, member)
#define STAGE(name, description, member) CM_STAGE_PART(struct cm_cores_timing, name, description, member)
#define QUEUE(name, description, member) CM_QUEUE_PART(struct cm_cores_timing, name, description, member)
#define AT(member) offsetof(struct cm_cores_timing, member)
#define PIPE(id, name, what)                                                                        \
   VALUE("shader_core." name ".busy_cycles", "cycles", "cycles of work at the pipe's rate, summed", \
         counts.busy[CM_PIPE_##id]),

static const struct cm_value_part values[] = {
   CM_PIPES(PIPE) VALUE("shader_core.depth.busy_cycles", "cycles",
                        "cycles of depth tests at their rate, summed", counts.depth),
   VALUE("shader_core.warps", "warps", "warps of fragments", counts.warps),
   VALUE("shader_core.quads", "quads", "quads in them", counts.quads),
   VALUE("shader_core.vertex_warps", "warps", "warps of vertices, and of stages after them",
         counts.vertex_warps),
   VALUE("shader_core.vertices", "threads", "threads in them that are used", counts.vertices),
   CM_COMMON_VALUE_PARTS(VALUE),
   VALUE("l2.mshr_cycles", "cycles", "cycles that misses of the L2 waited for an MSHR", memory.l2.waits),
   VALUE("l2.bank_cycles", "cycles", "cycles that accesses of the L2 waited for their bank",
         memory.l2_banks.waits),
   {"texture_bus.wait_cycles", "cycles",
    "cycles that blocks waited for the bus between texture caches and L2", AT(memory.texture_bus.waits),
    cm_config_has_texture_bus},
   {"signature_unit.cycles", "cycles", "the Signature Unit: cycles of work", AT(geometry.signature.busy),
    cm_config_has_rendering_elimination},
   {0},
};

static const struct cm_stage_part counted_stages[] = {
   STAGE("vertex_fetch", "the fetch of indices and vertices", geometry.fetch),
   STAGE("primitive_assembly", "Primitive Assembly", geometry.assembly),
   STAGE("polygon_list_builder", "the Polygon List Builder", geometry.tiler),
   {"tile_fetcher", "the reads of tile lists, summed", AT(fetchers), true, 0},
   {"rasterizer", "the rasterizers, summed", AT(rasterizers), true, 0},
   {"fragment_processors", "the issue of instructions by the shader cores, summed", AT(base.fragment), true,
    0},
   {"tile_buffers", "flushes of tiles, summed", AT(transfers), true, 0},
   {0},
};

static const struct cm_queue_part queues[] = {
   QUEUE("vertex_input", "warps of vertices that are fetched", geometry.input.queue),
   QUEUE("triangle", "primitives before the Polygon List Builder", geometry.triangles),
   {0},
};

const struct cm_pipeline_type cm_cores_pipeline = {
   .values = values,
   .stages = counted_stages,
   .queues = queues,
   .misses = {{"texture cache misses per cycle",
               "misses of the first texture caches: mean per cycle. They are those of all tiles "
               "that the consumer has reached, the flushed one's among them."},
              {"L2 misses per cycle", "the same for the L2"}},
   .size = sizeof(struct cm_cores_timing),
   .init = init,
   .finish = finish,
   .take = take,
   .complete = complete_all,
   .idle = idle,
   .issue = issue,
   .count_misses = cm_pipeline_hierarchy_misses,
};
