/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "timing/tiled/tiled.h"

static void take_log(void *context, struct cm_work *work);
static void end_frame(void *context);

/* ---- building ------------------------------------------------------------ */

struct cm_timing *
cm_timing_create(const struct cm_config *config, struct cm_hierarchy *hierarchy, const struct cm_nuca *nuca)
{
   struct cm_timing *timing = calloc(1, sizeof *timing);
   if (!timing)
      return NULL;
   timing->config = config;
   timing->pipeline = &config->pipeline;
   timing->hierarchy = hierarchy;
   if (!cm_tiled_memory_init(&timing->memory, config, nuca) || !cm_geometry_timing_init(timing) ||
       !cm_fetcher_timing_init(timing) || !cm_raster_timing_init(timing) ||
       !cm_transfer_timing_init(timing) ||
       !cm_texture_timing_init(&timing->texture, &timing->memory, config->fragment_stage.processors,
                               config->pipeline.fragment_contexts)) {
      cm_timing_destroy(timing);
      return NULL;
   }
   for (uint32_t c = 0; c < config->fragment_stage.processors * config->pipeline.fragment_contexts; c++)
      timing->raster.contexts[c].quad = CM_UNKNOWN;
   if (!cm_log_queue_init(&timing->logs, take_log, end_frame, timing)) {
      cm_timing_destroy(timing);
      return NULL;
   }
   cm_hierarchy_tap(hierarchy, &timing->idle);
   return timing;
}

static void
destroy_work(struct cm_work *work)
{
   cm_tap_finish(&work->tap);
   free(work->draws.items);
   free(work->vertices.items);
   free(work->binned.items);
   free(work->primitives.items);
   free(work->quads.items);
   free(work);
}

static void
destroy_works(struct cm_work *work)
{
   while (work) {
      struct cm_work *next = work->next;
      destroy_work(work);
      work = next;
   }
}

void
cm_timing_destroy(struct cm_timing *timing)
{
   if (!timing)
      return;
   cm_log_queue_finish(&timing->logs, destroy_work);
   destroy_works(timing->first);
   if (timing->writing)
      destroy_work(timing->writing);
   cm_tap_finish(&timing->idle);
   cm_geometry_timing_finish(timing);
   cm_fetcher_timing_finish(timing);
   cm_raster_timing_finish(timing);
   cm_transfer_timing_finish(timing);
   cm_texture_timing_finish(&timing->texture);
   cm_tiled_memory_finish(&timing->memory);
   free(timing->covered);
   free(timing);
}

bool
cm_timing_is_lost(const struct cm_timing *timing)
{
   return timing->lost;
}

/* ---- logs ---------------------------------------------------------------- */

/* Room for one more item; false when memory is out. */
static bool
grow(struct cm_timing *timing, void **items, uint32_t count, uint32_t *capacity, size_t item_bytes)
{
   if (count < *capacity)
      return true;
   const uint32_t larger = *capacity ? 2 * *capacity : 64;
   void *data = realloc(*items, larger * item_bytes);
   if (!data) {
      timing->lost = true;
      return false;
   }
   *items = data;
   *capacity = larger;
   return true;
}

/* The next item of a list of the log that is being written; NULL: there is no log, or memory is out. */
#define ADD(timing, list)                                                                      \
   ((timing)->writing &&                                                                       \
          grow(timing, (void **)&(timing)->writing->list.items, (timing)->writing->list.count, \
               &(timing)->writing->list.capacity, sizeof *(timing)->writing->list.items)       \
       ? &(timing)->writing->list.items[(timing)->writing->list.count++]                       \
       : NULL)

static uint32_t
tokens_end(const struct cm_timing *timing)
{
   return (uint32_t)timing->writing->tap.count;
}

/* A log is begun; what the caches do goes there. */
static void
begin_work(struct cm_timing *timing, bool is_tile, uint32_t tile)
{
   struct cm_work *work = cm_log_queue_take_spare(&timing->logs);
   if (!work && !(work = calloc(1, sizeof *work))) {
      timing->lost = true;
      return;
   }
   work->next = NULL;
   work->is_tile = is_tile;
   work->tile = tile;
   work->begins_pass = is_tile && timing->pass_begins;
   work->number = is_tile ? timing->num_tiles++ : 0;
   work->tap.count = 0;
   work->draws.count = work->vertices.count = work->binned.count = work->primitives.count =
      work->quads.count = 0;
   work->fetch_begin = work->hidden_end = work->loaded = work->z_end = CM_UNKNOWN;
   work->dispatch_begin = work->blend_begin = CM_UNKNOWN;
   work->fetch_done = work->dispatch_end = 0;
   work->shade_begin = work->shaded = work->flush_begin = work->flushed = CM_UNKNOWN;
   work->is_shaded = false;
   if (is_tile)
      timing->pass_begins = false;
   timing->writing = work;
   cm_hierarchy_tap(timing->hierarchy, &work->tap);
}

/* The log is complete and goes to the stages. A timeline looks at what the caches have counted: it has to be of now. */
static void
end_work(struct cm_timing *timing)
{
   struct cm_work *work = timing->writing;
   if (work->tap.out_of_memory)
      timing->lost = true;
   timing->writing = NULL;
   timing->idle.count = 0;
   cm_hierarchy_tap(timing->hierarchy, &timing->idle);
   cm_log_queue_put(&timing->logs, work);
   if (timing->timeline)
      cm_log_queue_drain(&timing->logs);
}

/* Stages may take from a log. */
static void
append(struct cm_timing *timing, struct cm_work *work)
{
   if (timing->last)
      timing->last->next = work;
   else
      timing->first = work;
   timing->last = work;
   struct cm_work **const cursors[] = {
      &timing->fetcher.work,  &timing->hidden.work,    &timing->raster.work,
      &timing->transfer.load, &timing->transfer.flush,
   };
   for (unsigned i = 0; i < sizeof cursors / sizeof cursors[0]; i++) {
      if (!*cursors[i])
         *cursors[i] = work;
   }
   if (!timing->fetcher.out_work)
      timing->fetcher.out_work = work;
}

/* Whoever stands at a log that is done with goes on to the next one: who has not passed a pass' geometry yet has
 * nothing to do there. */
static void
step_over(struct cm_timing *timing, const struct cm_work *work)
{
   struct cm_work **const cursors[] = {
      &timing->fetcher.work,  &timing->hidden.work,    &timing->raster.work,
      &timing->transfer.load, &timing->transfer.flush,
   };
   for (unsigned i = 0; i < sizeof cursors / sizeof cursors[0]; i++) {
      if (*cursors[i] == work)
         *cursors[i] = work->next;
   }
   if (timing->fetcher.out_work == work) {
      timing->fetcher.out_work = work->next;
      timing->fetcher.out_next = 0;
   }
}

void
cm_timing_release(struct cm_timing *timing, struct cm_work *released)
{
   while (timing->first) {
      struct cm_work *work = timing->first;
      const bool is_last = work == released;
      if (work->is_tile && !is_last)
         return;
      if (!work->is_tile && !work->is_shaded)
         return;
      step_over(timing, work);
      timing->first = work->next;
      if (!timing->first)
         timing->last = NULL;
      cm_log_queue_give_spare(&timing->logs, work);
      if (is_last)
         released = NULL;
   }
}

/* ---- time ---------------------------------------------------------------- */

/* A pass' geometry begins when the Tile Fetcher has read the Parameter Buffer of the pass before: there is one. */
static void
begin_geometry(struct cm_timing *timing)
{
   struct cm_geometry_timing *geometry = &timing->geometry;
   struct cm_work *work = timing->fetcher.work;
   if (geometry->work || !work || work->is_tile || !cm_fetcher_timing_end_pass(timing))
      return;
   geometry->work = work;
   geometry->draw = geometry->vertex = geometry->binned = geometry->draw_vertex = 0;
   geometry->out_draw = geometry->out_vertex = geometry->out_draw_vertex = geometry->out_binned = 0;
   geometry->token = 0;
   geometry->binned_token = work->vertices_end;
   geometry->begin = cm_later(timing->fetcher.clock, geometry->fetch.until);
   cm_stage_account(&geometry->fetch, CM_STAGE_STARVED, geometry->begin);
}

static bool
texture_ready(struct cm_timing *timing, uint64_t *clock)
{
   return cm_texture_timing_ready(&timing->texture, clock);
}

static void
texture_step(struct cm_timing *timing)
{
   cm_texture_timing_step(&timing->texture);
}

static const struct {
   bool (*ready)(struct cm_timing *timing, uint64_t *clock);
   void (*step)(struct cm_timing *timing);
} stages[] = {
   {cm_geometry_timing_ready, cm_geometry_timing_step}, {cm_fetcher_timing_ready, cm_fetcher_timing_step},
   {cm_hidden_timing_ready, cm_hidden_timing_step},     {cm_raster_timing_ready, cm_raster_timing_step},
   {cm_transfer_timing_ready, cm_transfer_timing_step}, {texture_ready, texture_step},
};
#define NUM_STAGES (sizeof stages / sizeof stages[0])

/* Items that a stage may take before the others are looked at again, while it is not ahead of them in time by more
 * cycles than these. */
#define MOST_STEPS 32
#define MOST_AHEAD 32

/* Lets the stages take what they can, the one that is behind first; not beyond what the Tile Fetcher might ask of
 * a log that is not written yet. */
static void
advance(struct cm_timing *timing, bool is_last)
{
   while (!timing->lost) {
      uint64_t first_clock = CM_UNKNOWN, second_clock = CM_UNKNOWN;
      unsigned first = NUM_STAGES;
      begin_geometry(timing);
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
      unsigned steps = 0;
      do
         stages[first].step(timing);
      while (++steps < MOST_STEPS && stages[first].ready(timing, &first_clock) &&
             first_clock <= second_clock);
   }
}

static void
take_log(void *context, struct cm_work *work)
{
   struct cm_timing *timing = context;
   append(timing, work);
   advance(timing, false);
}

/* ---- what the consumer says ---------------------------------------------- */

struct cm_tap *
cm_timing_tap(struct cm_timing *timing)
{
   return timing->hierarchy->dram.tap;
}

void
cm_timing_group(struct cm_timing *timing, enum cm_stream stream, uint32_t accesses)
{
   cm_tap_add(cm_timing_tap(timing), cm_token_make(CM_TOKEN_GROUP, accesses, stream, 0));
}

static uint64_t
count_vertex_accesses(const struct cm_timing *timing)
{
   uint64_t sum = 0;
   static const enum cm_stream streams[] = {CM_STREAM_VERTEX, CM_STREAM_INDEX};
   for (unsigned s = 0; s < 2; s++) {
      const struct cm_cache *cache = cm_hierarchy_entry(timing->hierarchy, streams[s], 0);
      sum += cache ? cache->accesses[streams[s]][0] : 0;
   }
   return sum;
}

void
cm_timing_geometry_begin(struct cm_timing *timing)
{
   timing->pass_begins = true;
   begin_work(timing, false, 0);
   timing->vertex_accesses = count_vertex_accesses(timing);
}

void
cm_timing_draw(struct cm_timing *timing, const struct cm_draw *draw)
{
   struct cm_work_draw *item = ADD(timing, draws);
   if (item)
      *item = (struct cm_work_draw){.instructions = draw->vertex_program.instructions +
                                                    draw->geometry_program.instructions};
}

void
cm_timing_programs_fetched(struct cm_timing *timing)
{
   if (timing->writing && timing->writing->draws.count)
      timing->writing->draws.items[timing->writing->draws.count - 1].program_end = tokens_end(timing);
}

void
cm_timing_vertex(struct cm_timing *timing, bool reused)
{
   struct cm_work_vertex *item = ADD(timing, vertices);
   if (!item)
      return;
   const uint64_t accesses = count_vertex_accesses(timing);
   *item = (struct cm_work_vertex){
      .tokens_end = tokens_end(timing),
      .accesses = (uint32_t)(accesses - timing->vertex_accesses),
      .reused = reused,
   };
   timing->vertex_accesses = accesses;
   timing->writing->draws.items[timing->writing->draws.count - 1].num_vertices++;
}

void
cm_timing_draw_end(struct cm_timing *timing)
{
   if (timing->writing && timing->writing->draws.count)
      timing->writing->draws.items[timing->writing->draws.count - 1].tokens_end = tokens_end(timing);
   if (timing->writing)
      timing->writing->vertices_end = tokens_end(timing);
}

void
cm_timing_binned(struct cm_timing *timing, const struct cm_primitive *primitive)
{
   struct cm_work_binned *item = ADD(timing, binned);
   if (!item)
      return;
   *item = (struct cm_work_binned){
      .tokens_end = tokens_end(timing),
      .num_tiles = primitive->num_tiles,
      .num_attributes = primitive->num_attributes,
   };
   if (primitive->draw < timing->writing->draws.count)
      timing->writing->draws.items[primitive->draw].num_binned++;
}

void
cm_timing_geometry_end(struct cm_timing *timing)
{
   if (!timing->writing)
      return;
   end_work(timing);
}

void
cm_timing_tile_begin(struct cm_timing *timing, uint32_t tile)
{
   begin_work(timing, true, tile);
}

void
cm_timing_tile_loaded(struct cm_timing *timing)
{
   if (timing->writing)
      timing->writing->load_end = tokens_end(timing);
}

void
cm_timing_fetched(struct cm_timing *timing, uint32_t primitive, uint32_t attributes)
{
   struct cm_work_primitive *item = ADD(timing, primitives);
   if (!item)
      return;
   item->tokens_end = tokens_end(timing);
   item->index = primitive;
   item->attributes = attributes;
   item->quads = 0;
   item->issued = 0;
   item->ready = CM_UNKNOWN;
}

/* Adds the quads of the tile's events to the primitives that they belong to. */
static void
count_quads(struct cm_timing *timing, const struct cm_tile_events *events)
{
   const uint32_t *word = events->words, *end = word + events->num_words;
   for (; word < end; word = cm_event_next(word)) {
      const enum cm_event_type type = cm_event_type(*word);
      if ((type != CM_EVENT_SHADE && type != CM_EVENT_UNSHADED) || cm_event_continues(*word))
         continue;
      const struct cm_quad *quads = (const struct cm_quad *)(word + 2);
      for (uint32_t q = 0; q < cm_event_count(*word); q++) {
         if (quads[q].covered && quads[q].primitive < timing->num_covered)
            timing->covered[quads[q].primitive]++;
      }
   }
}

void
cm_timing_tile_fetched(struct cm_timing *timing, const struct cm_tile_events *events)
{
   struct cm_work *work = timing->writing;
   if (!work)
      return;
   work->fetch_end = tokens_end(timing);
   if (!cm_timing_is_deferred(timing) || !work->primitives.count)
      return;
   const uint32_t primitives = work->primitives.items[work->primitives.count - 1].index + 1;
   if (primitives > timing->num_covered) {
      uint32_t *covered = realloc(timing->covered, primitives * sizeof *covered);
      if (!covered) {
         timing->lost = true;
         return;
      }
      memset(covered + timing->num_covered, 0, (primitives - timing->num_covered) * sizeof *covered);
      timing->covered = covered;
      timing->num_covered = primitives;
   }
   count_quads(timing, events);
   for (uint32_t p = 0; p < work->primitives.count; p++) {
      uint32_t *covered = &timing->covered[work->primitives.items[p].index];
      work->primitives.items[p].quads = *covered;
      *covered = 0;
   }
}

void
cm_timing_quad(struct cm_timing *timing, const struct cm_timed_quad *quad)
{
   struct cm_work_quad *item = ADD(timing, quads);
   if (!item)
      return;
   *item = (struct cm_work_quad){
      .tokens_end = tokens_end(timing),
      .primitive = quad->primitive,
      .instructions = quad->instructions,
      .footprints = (uint16_t)(quad->footprints < UINT16_MAX ? quad->footprints : UINT16_MAX),
      .processor = quad->processor,
      .attributes = quad->attributes & 127,
      .shaded = quad->shaded,
   };
}

void
cm_timing_tile_shaded(struct cm_timing *timing)
{
   if (timing->writing)
      timing->writing->shade_end = tokens_end(timing);
}

void
cm_timing_tile_end(struct cm_timing *timing)
{
   if (!timing->writing)
      return;
   end_work(timing);
}

/* ---- frames -------------------------------------------------------------- */

static uint64_t
last_cycle(const struct cm_timing *timing)
{
   uint64_t end = cm_later(timing->geometry.end, timing->fetcher.out_time);
   end = cm_later(end, cm_later(timing->geometry.fetch.until, timing->hidden.stage.until));
   end = cm_later(end, cm_later(timing->raster.rasterizer.until, timing->raster.early_z.until));
   end = cm_later(end, cm_later(timing->raster.blend.until, timing->transfer.stage.until));
   for (uint32_t p = 0; p < timing->config->fragment_stage.processors; p++)
      end = cm_later(end, timing->raster.processors[p].until);
   return cm_later(cm_later(end, timing->fetcher.stage.until), timing->raster.z_time);
}

/* All stages have come to the end of a frame; they wait for the next one. */
static void
rest_until(struct cm_timing *timing, uint64_t end)
{
   struct cm_stage *const of_one_unit[] = {
      &timing->geometry.fetch, &timing->geometry.assembly, &timing->geometry.builder,
      &timing->fetcher.stage,  &timing->hidden.stage,      &timing->raster.rasterizer,
      &timing->raster.early_z, &timing->raster.blend,      &timing->transfer.stage,
   };
   for (unsigned i = 0; i < sizeof of_one_unit / sizeof of_one_unit[0]; i++)
      cm_stage_account(of_one_unit[i], CM_STAGE_STARVED, end);
   for (uint32_t p = 0; p < timing->config->fragment_stage.processors; p++)
      cm_stage_account(&timing->raster.processors[p], CM_STAGE_STARVED, end);
   struct cm_stage *vertex = &timing->geometry.processors;
   vertex->until = end * timing->pipeline->vertex_processors;
   vertex->cycles[CM_STAGE_STARVED] = vertex->until - vertex->cycles[CM_STAGE_BUSY] -
                                      vertex->cycles[CM_STAGE_BLOCKED] - vertex->cycles[CM_STAGE_MEMORY];
   timing->fetcher.clock = end;
   timing->raster.barrier = end;
}

/* Whether a tile is under way that no stage can take any further, which must not be. */
static bool
stands_still(const struct cm_timing *timing)
{
   for (const struct cm_work *work = timing->first; work; work = work->next) {
      if (work->is_tile)
         return true;
   }
   return false;
}

static void
end_frame(void *context)
{
   struct cm_timing *timing = context;
   advance(timing, true);
   if (!timing->lost && stands_still(timing)) {
      fputs("tbrsim: the timing model's pipeline stands still, which is a fault of its own\n", stderr);
      timing->lost = true;
   }
   if (timing->lost)
      return;
   if (cm_fetcher_timing_end_pass(timing))
      advance(timing, true);
   const uint64_t end = last_cycle(timing);
   rest_until(timing, end);
   cm_memory_advance(&timing->memory.base, end);
   if (timing->timeline)
      cm_timing_tell_frame(timing, false);
   timing->cycles = end;
   timing->frames++;
   timing->passes = 0;
   cm_timing_collect(timing);
   if (timing->timeline)
      cm_timing_tell_frame(timing, true);
}

void
cm_timing_frame_end(struct cm_timing *timing)
{
   cm_log_queue_end_frame(&timing->logs);
}
