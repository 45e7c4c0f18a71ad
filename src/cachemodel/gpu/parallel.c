/* SPDX-License-Identifier: MIT */
#include "gpu/parallel.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/lane.h"
#include "gpu/operations.h"
#include "gpu/segment.h"
#include "util/minmax.h"
#include "util/threads.h"

/* Segments that are handed over and not consumed. */
#define NUM_SEGMENTS 32
/* Words of events after which a segment ends: the work on them is long next to what handing it over costs. */
#define SEGMENT_WORDS (64 * 1024)

struct lane_worker {
   struct cm_parallel *parallel;
   struct cm_worker worker;
   struct cm_lane lane;
   uint64_t next; /* segment */
};

/* One that prepares tiles. */
struct preparer {
   struct cm_parallel *parallel;
   struct cm_worker worker;
   struct cm_deferred deferred;
   uint64_t segment; /* that it takes */
   uint64_t operations[CM_OPERATION_COUNT];
   bool out_of_memory;
};

struct cm_parallel {
   struct cm_gpu *gpu;
   struct cm_threads threads;
   struct cm_worker shared_side;
   struct cm_dram dram; /* as the shared side sees it */
   struct cm_merger merger;
   struct cm_segment segments[NUM_SEGMENTS]; /* by number, in turn */
   uint64_t closed, taken, consumed;         /* how many; with the lock. taken: to prepare them */
   struct lane_worker *lanes;
   unsigned num_lanes;
   struct preparer *preparers;
   unsigned num_preparers;

   /* The front's. */
   struct cm_segment *open; /* the segment that it appends to */
   bool lanes_shade;        /* of this pass */
   bool is_connected;       /* texture caches append to the lanes' lists */
   struct cm_array shaders; /* struct cm_shader_memory by draw */
   struct cm_array is_new;  /* bool by draw: its fragment shader has no memory yet */
   uint32_t num_new;
};

static struct cm_segment *
segment_of(struct cm_parallel *parallel, uint64_t number)
{
   return &parallel->segments[number % NUM_SEGMENTS];
}

/* ---- the front --------------------------------------------------------------- */

static bool
has_room(void *data)
{
   const struct cm_parallel *parallel = data;
   return parallel->closed - parallel->consumed < NUM_SEGMENTS;
}

static bool
is_drained(void *data)
{
   const struct cm_parallel *parallel = data;
   return parallel->closed == parallel->consumed;
}

static void
open_segment(struct cm_parallel *parallel)
{
   struct cm_access_stream *arriving = &parallel->gpu->hierarchy.shared.arriving;
   parallel->open = segment_of(parallel, parallel->closed);
   cm_segment_begin(parallel->open);
   arriving->entries = parallel->open->entries;
   arriving->count = 0;
}

/* Hands the segment over; the front goes on with the next one. */
static void
close_segment(struct cm_parallel *parallel)
{
   struct cm_segment *segment = parallel->open;
   segment->count = parallel->gpu->hierarchy.shared.arriving.count;
   segment->is_prepared = !parallel->num_preparers || !segment->num_tiles;
   segment->pending = segment->num_tiles ? parallel->num_lanes : 0;
   cm_threads_lock(&parallel->threads);
   parallel->closed++;
   cm_threads_notify(&parallel->threads);
   cm_threads_help(&parallel->threads, has_room, parallel);
   cm_threads_unlock(&parallel->threads);
   open_segment(parallel);
}

/* The front's entries are as many as a segment has (struct cm_access_stream). */
static void
take_entries(void *parallel, struct cm_access_stream *stream)
{
   close_segment(parallel);
}

static void
add_up(uint64_t *sum, uint64_t *counts, size_t count)
{
   for (size_t c = 0; c < count; c++) {
      sum[c] += counts[c];
      counts[c] = 0;
   }
}

static void
add_counts(struct cm_parallel *parallel)
{
   struct cm_gpu *gpu = parallel->gpu;
   add_up(gpu->hierarchy.dram.counts[0], parallel->dram.counts[0], CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   for (unsigned l = 0; l < parallel->num_lanes; l++)
      cm_lane_add_counts(&parallel->lanes[l].lane);
   for (unsigned p = 0; p < parallel->num_preparers; p++) {
      add_up(gpu->operations, parallel->preparers[p].operations, CM_OPERATION_COUNT);
      if (parallel->preparers[p].out_of_memory)
         cm_gpu_out_of_memory(gpu);
   }
}

void
cm_parallel_drain(struct cm_parallel *parallel)
{
   if (!parallel)
      return;
   if (parallel->open->num_tiles || parallel->gpu->hierarchy.shared.arriving.count)
      close_segment(parallel);
   cm_threads_lock(&parallel->threads);
   cm_threads_help(&parallel->threads, is_drained, parallel);
   cm_threads_unlock(&parallel->threads);
   add_counts(parallel);
}

/* ---- passes ------------------------------------------------------------------ */

/* Lets texture caches append to the lanes' lists, or to the front's. All workers must be done. */
static void
connect_lanes(struct cm_parallel *parallel, bool connected)
{
   for (unsigned l = 0; l < parallel->num_lanes && parallel->is_connected != connected; l++) {
      struct cm_lane *lane = &parallel->lanes[l].lane;
      cm_lane_connect(lane, connected ? &lane->stream : &parallel->gpu->hierarchy.shared.arriving);
   }
   parallel->is_connected = connected;
}

/* Notes where the fragment shaders of the pass are, and which of them have no memory, or not enough. */
static void
find_shaders(struct cm_parallel *parallel)
{
   const struct cm_gpu *gpu = parallel->gpu;
   struct cm_shader_memory *shaders = parallel->shaders.data;
   bool *is_new = parallel->is_new.data;
   parallel->num_new = 0;
   for (uint32_t d = 0; d < gpu->pass->num_draws; d++) {
      const struct cm_shader *shader = &gpu->pass->draws[d].fragment_shader;
      const struct cm_shader_memory *memory =
         cm_address_space_find_shader(&gpu->space, CM_SHADER_FRAGMENT, shader);
      is_new[d] = shader->id && !memory;
      parallel->num_new += is_new[d];
      shaders[d] = memory ? *memory : (struct cm_shader_memory){0};
   }
   for (unsigned l = 0; l < parallel->num_lanes; l++)
      parallel->lanes[l].lane.shaders = shaders;
}

bool
cm_parallel_begin_pass(struct cm_parallel *parallel)
{
   const struct cm_gpu *gpu = parallel->gpu;
   const struct cm_pass *pass = gpu->pass;
   parallel->lanes_shade = parallel->num_lanes && pass->kind != CM_PASS_COMPUTE && !pass->num_storages &&
                           !cm_pass_has_vertex_storage(pass);
   /* Vertex shaders read textures on the front, before a tile is shaded. */
   connect_lanes(parallel, parallel->lanes_shade && !pass->num_vertex_accesses);
   if (!parallel->lanes_shade)
      return true;
   if (!cm_array_reserve(&parallel->shaders, pass->num_draws, sizeof(struct cm_shader_memory)) ||
       !cm_array_reserve(&parallel->is_new, pass->num_draws, sizeof(bool)))
      return false;
   find_shaders(parallel);
   return true;
}

/* Whether a tile may shade a draw whose shader gets its memory with its first quad. */
static bool
has_new_shader(const struct cm_parallel *parallel, const struct cm_tile_events *events)
{
   const bool *is_new = parallel->is_new.data;
   const uint32_t *end = events->words + events->num_words;
   if (!parallel->num_new)
      return false;
   for (const uint32_t *word = events->words; word < end; word = cm_event_next(word)) {
      if (cm_event_type(*word) == CM_EVENT_SHADE && is_new[word[1]])
         return true;
   }
   return false;
}

bool
cm_parallel_shade(struct cm_parallel *parallel, uint32_t tile)
{
   struct cm_gpu *gpu = parallel->gpu;
   const struct cm_tile_events *events = &gpu->pass->tiles[tile];
   if (!parallel->lanes_shade)
      return cm_fragment_stage(gpu, tile);
   if (has_new_shader(parallel, events)) {
      cm_parallel_drain(parallel);
      connect_lanes(parallel, false);
      const bool fine = cm_fragment_stage(gpu, tile);
      connect_lanes(parallel, true);
      find_shaders(parallel);
      return fine;
   }
   if (!events->num_words)
      return true;
   connect_lanes(parallel, true);
   cm_segment_add_tile(parallel->open, gpu->hierarchy.shared.arriving.count, tile,
                       ((const uint32_t *)gpu->position.data)[tile], events);
   gpu->is_held = true;
   if (parallel->open->num_tiles == CM_SEGMENT_TILES || parallel->open->num_words >= SEGMENT_WORDS)
      close_segment(parallel);
   return true;
}

/* ---- preparation --------------------------------------------------------------- */

/* The next segment that is not prepared yet, nor being prepared. */
static bool
take_unprepared(void *data)
{
   struct preparer *preparer = data;
   struct cm_parallel *parallel = preparer->parallel;
   parallel->taken = cm_max64(parallel->taken, parallel->consumed);
   while (parallel->taken < parallel->closed && segment_of(parallel, parallel->taken)->is_prepared)
      parallel->taken++;
   if (parallel->taken == parallel->closed)
      return false;
   preparer->segment = parallel->taken++;
   return true;
}

/* Makes what is shaded of the tiles, all in one list. False when out of memory. */
static bool
make_deferred(struct preparer *preparer, struct cm_segment *segment)
{
   const struct cm_tile_events *known = preparer->parallel->gpu->pass->deferred;
   size_t num_words = 0;
   if (known) {
      for (uint32_t t = 0; t < segment->num_tiles; t++)
         segment->tiles[t].shaded = &known[segment->tiles[t].number];
      return true;
   }
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      struct cm_segment_tile *tile = &segment->tiles[t];
      const struct cm_tile_events *events = &preparer->deferred.events;
      if (!cm_deferred_build(&preparer->deferred, tile->recorded) ||
          !cm_array_extend(&segment->deferred, num_words + events->num_words, sizeof(uint32_t)))
         return false;
      if (events->num_words)
         memcpy((uint32_t *)segment->deferred.data + num_words, events->words,
                events->num_words * sizeof(uint32_t));
      tile->deferred.num_words = events->num_words;
      num_words += events->num_words;
   }
   num_words = 0;
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      struct cm_segment_tile *tile = &segment->tiles[t];
      tile->deferred.words = (uint32_t *)segment->deferred.data + num_words;
      tile->shaded = &tile->deferred;
      num_words += tile->deferred.num_words;
   }
   return true;
}

static void
prepare_segment(void *data)
{
   struct preparer *preparer = data;
   struct cm_parallel *parallel = preparer->parallel;
   struct cm_gpu *gpu = parallel->gpu;
   struct cm_segment *segment = segment_of(parallel, preparer->segment);
   if (cm_fragment_stage_is_deferred(gpu) && !make_deferred(preparer, segment))
      preparer->out_of_memory = true;
   for (uint32_t t = 0; gpu->counts_operations && t < segment->num_tiles; t++)
      cm_operations_tile(gpu, segment->tiles[t].recorded, segment->tiles[t].shaded, preparer->operations);
   cm_threads_lock(&parallel->threads);
   segment->is_prepared = true;
   cm_threads_unlock(&parallel->threads);
}

/* ---- lanes --------------------------------------------------------------------- */

/* The next segment with tiles. What is consumed is no segment any more, and had none. */
static bool
take_tiles(void *data)
{
   struct lane_worker *worker = data;
   struct cm_parallel *parallel = worker->parallel;
   worker->next = cm_max64(worker->next, parallel->consumed);
   while (worker->next < parallel->closed && !segment_of(parallel, worker->next)->num_tiles)
      worker->next++;
   return worker->next < parallel->closed && segment_of(parallel, worker->next)->is_prepared;
}

static void
shade_segment(void *data)
{
   struct lane_worker *worker = data;
   struct cm_lane *lane = &worker->lane;
   struct cm_segment *segment = segment_of(worker->parallel, worker->next);
   struct cm_segment_part *part = &segment->parts[lane->number];
   lane->stream.entries = part->entries;
   lane->stream.capacity = part->capacity;
   lane->stream.count = 0;
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      const struct cm_segment_tile *tile = &segment->tiles[t];
      lane->out_of_memory |= !cm_shading_run_tile(lane->shading, tile->shaded, tile->position);
      part->ends[t] = lane->stream.count;
   }
   part->entries = lane->stream.entries;
   part->capacity = lane->stream.capacity;
   cm_threads_lock(&worker->parallel->threads);
   assert(segment->pending);
   worker->next++;
   segment->pending--;
   cm_threads_unlock(&worker->parallel->threads);
}

/* ---- the shared side ----------------------------------------------------------- */

static bool
take_segment(void *data)
{
   struct cm_parallel *parallel = data;
   return !is_drained(parallel) && !segment_of(parallel, parallel->consumed)->pending;
}

static void
consume_segment(void *data)
{
   struct cm_parallel *parallel = data;
   const struct cm_segment *segment = segment_of(parallel, parallel->consumed);
   cm_merger_take(&parallel->merger, segment);
   for (uint32_t t = 0; t < segment->num_tiles; t++)
      cm_gpu_release_tile(parallel->gpu, segment->tiles[t].number);
   cm_threads_lock(&parallel->threads);
   parallel->consumed++;
   cm_threads_unlock(&parallel->threads);
}

/* ---- times --------------------------------------------------------------------- */

unsigned
cm_parallel_times(const struct cm_parallel *parallel, struct cm_work_time *times)
{
   unsigned count = 0;
   uint64_t preparation = 0;
   for (unsigned p = 0; p < parallel->num_preparers; p++)
      preparation += parallel->preparers[p].worker.nanoseconds;
   times[count++] = (struct cm_work_time){"front", 0, -(int64_t)parallel->threads.owner_nanoseconds, false};
   times[count++] =
      (struct cm_work_time){"shared side", 0, (int64_t)parallel->shared_side.nanoseconds, false};
   times[count++] = (struct cm_work_time){"preparation", 0, (int64_t)preparation, true};
   for (unsigned l = 0; l < parallel->num_lanes; l++)
      times[count++] =
         (struct cm_work_time){"lane", l, (int64_t)parallel->lanes[l].worker.nanoseconds, false};
   return count;
}

/* ---- building ------------------------------------------------------------------ */

/* What the front appends from now on goes to segments; what consumed it takes what is merged. */
static bool
connect_front(struct cm_parallel *parallel)
{
   struct cm_shared_side *shared = &parallel->gpu->hierarchy.shared;
   struct cm_access_stream *arriving = &shared->arriving;
   if (!cm_merger_init(&parallel->merger, arriving->take, arriving->context))
      return false;
   cm_access_stream_finish(arriving);
   arriving->capacity = CM_SEGMENT_ENTRIES;
   arriving->take = take_entries;
   arriving->context = parallel;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; shared->caches[unit] && i < shared->instances[unit]; i++)
         shared->caches[unit][i].dram = &parallel->dram;
   }
   open_segment(parallel);
   return true;
}

static bool
create_lanes(struct cm_parallel *parallel, unsigned count)
{
   parallel->lanes = calloc(count + 1, sizeof *parallel->lanes);
   if (!parallel->lanes || (count && !cm_lanes_share(parallel->gpu)))
      return false;
   for (unsigned l = 0; l < count; l++) {
      struct lane_worker *worker = &parallel->lanes[l];
      *worker =
         (struct lane_worker){.parallel = parallel,
                              .worker = {.take = take_tiles, .work = shade_segment, .context = worker}};
      parallel->num_lanes++;
      if (!cm_lane_init(&worker->lane, parallel->gpu, l, count))
         return false;
      cm_threads_add(&parallel->threads, &worker->worker);
   }
   return true;
}

static bool
create_preparers(struct cm_parallel *parallel, unsigned count)
{
   parallel->preparers = calloc(count + 1, sizeof *parallel->preparers);
   for (unsigned p = 0; parallel->preparers && p < count; p++) {
      struct preparer *preparer = &parallel->preparers[p];
      *preparer =
         (struct preparer){.parallel = parallel,
                           .worker = {.take = take_unprepared, .work = prepare_segment, .context = preparer}};
      parallel->num_preparers++;
      cm_threads_add(&parallel->threads, &preparer->worker);
   }
   return parallel->preparers;
}

static bool
build(struct cm_parallel *parallel, unsigned threads)
{
   const struct cm_gpu *gpu = parallel->gpu;
   const unsigned lanes = cm_min(cm_lanes_count(gpu), threads);
   const bool prepares = lanes && (gpu->config.mode == CM_MODE_TBDR || gpu->counts_operations);
   parallel->shared_side =
      (struct cm_worker){.take = take_segment, .work = consume_segment, .context = parallel};
   cm_threads_add(&parallel->threads, &parallel->shared_side);
   for (unsigned s = 0; s < NUM_SEGMENTS; s++) {
      if (!cm_segment_init(&parallel->segments[s], lanes))
         return false;
   }
   return create_lanes(parallel, lanes) && create_preparers(parallel, prepares ? threads : 0) &&
          connect_front(parallel);
}

struct cm_parallel *
cm_parallel_create(struct cm_gpu *gpu, unsigned threads)
{
   struct cm_parallel *parallel = calloc(1, sizeof *parallel);
   if (!parallel)
      return NULL;
   threads = cm_min(threads, CM_MAX_THREADS);
   parallel->gpu = gpu;
   cm_threads_init(&parallel->threads);
   if (!build(parallel, threads)) {
      cm_parallel_destroy(parallel);
      return NULL;
   }
   cm_threads_start(&parallel->threads, threads - 1);
   return parallel;
}

void
cm_parallel_destroy(struct cm_parallel *parallel)
{
   if (!parallel)
      return;
   if (parallel->open) {
      cm_parallel_drain(parallel);
      parallel->gpu->hierarchy.shared.arriving.entries = NULL;
   }
   cm_threads_finish(&parallel->threads);
   for (unsigned l = 0; l < parallel->num_lanes; l++)
      cm_lane_finish(&parallel->lanes[l].lane);
   for (unsigned p = 0; p < parallel->num_preparers; p++)
      cm_deferred_finish(&parallel->preparers[p].deferred);
   for (unsigned s = 0; s < NUM_SEGMENTS; s++)
      cm_segment_finish(&parallel->segments[s]);
   cm_merger_finish(&parallel->merger);
   free(parallel->lanes);
   free(parallel->preparers);
   free(parallel->shaders.data);
   free(parallel->is_new.data);
   free(parallel);
}
