/* SPDX-License-Identifier: MIT */
#include "gpu/parallel.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/lane.h"
#include "gpu/operations.h"
#include "gpu/parallel/segment.h"
#include "util/counts.h"
#include "util/minmax.h"
#include "util/threads.h"

/* Segments that are handed over and not consumed. */
#define NUM_SEGMENTS 32
/* Words of events after which a segment ends: the work on them is long next to what handing it over costs. */
#define SEGMENT_WORDS (128 * 1024)

/* One that prepares tiles. */
struct preparer {
   struct cm_parallel *parallel;
   struct cm_worker worker;
   struct cm_deferred deferred;
   struct cm_lane lane; /* with filters; none otherwise */
   uint64_t segment;    /* that it takes */
   uint64_t operations[CM_OPERATION_COUNT];
   bool out_of_memory;
};

/* The texture caches. */
struct textures {
   struct cm_worker worker;
   struct cm_lane lane;             /* without filters; none otherwise */
   struct cm_access_stream *stream; /* what is behind the caches: the lane's, or */
   struct cm_access_stream own_stream;
   struct cm_dram dram;
   uint64_t next; /* segment */
   bool out_of_memory;
};

struct cm_parallel {
   struct cm_gpu *gpu;
   struct cm_threads threads;
   struct cm_worker releaser; /* of tiles that are not used any more */
   struct cm_worker shared_side;
   struct cm_dram dram;                                             /* as the shared side sees it */
   void (*consume)(void *context, struct cm_access_stream *stream); /* of the shared side */
   void *consumer;
   struct cm_segment segments[NUM_SEGMENTS];   /* by number, in turn */
   uint64_t closed, taken, released, consumed; /* how many; with the lock. taken: to prepare them */
   struct textures textures;
   struct preparer *preparers;
   unsigned num_preparers;
   bool has_lanes, filters;

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

/* Whether what was handed over does not need the pass any more. */
static bool
is_released(void *data)
{
   const struct cm_parallel *parallel = data;
   return parallel->closed == parallel->released;
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
   segment->is_prepared = !segment->num_tiles;
   segment->is_shaded = !cm_segment_is_for_textures(segment);
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
add_counts(struct cm_parallel *parallel)
{
   struct cm_gpu *gpu = parallel->gpu;
   cm_counts_move(gpu->hierarchy.dram.counts[0], parallel->dram.counts[0],
                  CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   cm_counts_move(gpu->hierarchy.dram.counts[0], parallel->textures.dram.counts[0],
                  CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   if (parallel->textures.lane.gpu)
      cm_lane_add_counts(&parallel->textures.lane);
   bool out_of_memory = parallel->textures.out_of_memory;
   for (unsigned p = 0; p < parallel->num_preparers; p++) {
      struct preparer *preparer = &parallel->preparers[p];
      cm_counts_move(gpu->operations, preparer->operations, CM_OPERATION_COUNT);
      if (preparer->lane.gpu)
         cm_lane_add_counts(&preparer->lane);
      out_of_memory |= preparer->out_of_memory;
   }
   if (out_of_memory)
      cm_gpu_out_of_memory(gpu);
}

/* Hands all over, and helps until that is done. */
static void
finish(struct cm_parallel *parallel, bool (*is_done)(void *parallel))
{
   const struct cm_segment *open = parallel->open;
   if (cm_segment_is_for_textures(open) || parallel->gpu->hierarchy.shared.arriving.count)
      close_segment(parallel);
   cm_threads_lock(&parallel->threads);
   cm_threads_help(&parallel->threads, is_done, parallel);
   cm_threads_unlock(&parallel->threads);
}

void
cm_parallel_drain(struct cm_parallel *parallel)
{
   if (!parallel)
      return;
   finish(parallel, is_drained);
   add_counts(parallel);
}

void
cm_parallel_end_pass(struct cm_parallel *parallel)
{
   if (parallel)
      finish(parallel, is_released);
}

/* An invalidation of texture caches that lanes use: it comes after the tiles that were handed over. */
static bool
hand_over_invalidation(void *data, enum cm_unit unit, uint64_t begin, uint64_t end)
{
   struct cm_parallel *parallel = data;
   if (!parallel->is_connected || !cm_lanes_have(parallel->gpu, unit))
      return false;
   if (parallel->open->num_tiles)
      close_segment(parallel);
   if (cm_segment_add_invalidation(parallel->open, unit, begin, end))
      return true;
   cm_parallel_drain(parallel);
   return false;
}

/* ---- passes ------------------------------------------------------------------ */

/* Lets texture caches append to the lanes' lists, or to the front's; then all workers are done. */
static void
connect_lanes(struct cm_parallel *parallel, bool connected)
{
   struct cm_gpu *gpu = parallel->gpu;
   if (!parallel->has_lanes || parallel->is_connected == connected)
      return;
   if (!connected)
      cm_parallel_drain(parallel);
   cm_lanes_connect_textures(gpu, connected ? parallel->textures.stream : &gpu->hierarchy.shared.arriving,
                             &parallel->textures.dram);
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
   parallel->textures.lane.shaders = shaders;
   for (unsigned p = 0; p < parallel->num_preparers; p++)
      parallel->preparers[p].lane.shaders = shaders;
}

bool
cm_parallel_begin_pass(struct cm_parallel *parallel)
{
   const struct cm_gpu *gpu = parallel->gpu;
   const struct cm_pass *pass = gpu->pass;
   parallel->lanes_shade = parallel->has_lanes && pass->kind != CM_PASS_COMPUTE && !pass->num_storages &&
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

/* What is shaded of a tile, until the next one is asked for. NULL when out of memory. */
static const struct cm_tile_events *
find_shaded(struct preparer *preparer, const struct cm_segment_tile *tile)
{
   const struct cm_gpu *gpu = preparer->parallel->gpu;
   if (!cm_fragment_stage_is_deferred(gpu))
      return tile->recorded;
   if (gpu->pass->deferred)
      return &gpu->pass->deferred[tile->number];
   return cm_deferred_build(&preparer->deferred, tile->recorded) ? preparer->deferred.result : NULL;
}

/* Keeps what is shaded of a tile behind that of others, from where it may move yet: all but their words is set. */
static bool
keep_shaded(struct preparer *preparer, struct cm_segment *segment, struct cm_segment_tile *tile,
            const struct cm_tile_events *shaded, size_t *num_words)
{
   tile->shaded = shaded;
   if (shaded != &preparer->deferred.events)
      return true;
   if (!cm_array_extend(&segment->deferred, *num_words + shaded->num_words, sizeof(uint32_t)))
      return false;
   if (shaded->num_words)
      memcpy((uint32_t *)segment->deferred.data + *num_words, shaded->words,
             shaded->num_words * sizeof(uint32_t));
   tile->deferred.num_words = shaded->num_words;
   tile->shaded = &tile->deferred;
   *num_words += shaded->num_words;
   return true;
}

static void
set_kept_words(struct cm_segment *segment)
{
   size_t num_words = 0;
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      struct cm_segment_tile *tile = &segment->tiles[t];
      if (tile->shaded != &tile->deferred)
         continue;
      tile->deferred.words = (uint32_t *)segment->deferred.data + num_words;
      num_words += tile->deferred.num_words;
   }
}

/* Runs the quads through filters, or keeps them for the lane that has none. */
static bool
prepare_tile(struct preparer *preparer, struct cm_segment *segment, uint32_t t, size_t *num_words)
{
   struct cm_parallel *parallel = preparer->parallel;
   struct cm_segment_tile *tile = &segment->tiles[t];
   const struct cm_tile_events *shaded = find_shaded(preparer, tile);
   if (!shaded)
      return false;
   if (parallel->gpu->counts_operations)
      cm_operations_tile(parallel->gpu, tile->recorded, shaded, preparer->operations);
   if (!parallel->filters)
      return keep_shaded(preparer, segment, tile, shaded, num_words);
   const bool fine = cm_shading_run_tile(preparer->lane.shading, shaded, tile->position);
   segment->filtered.ends[t] = preparer->lane.stream.count;
   return fine;
}

static void
prepare_segment(void *data)
{
   struct preparer *preparer = data;
   struct cm_parallel *parallel = preparer->parallel;
   struct cm_segment *segment = segment_of(parallel, preparer->segment);
   struct cm_lane *lane = &preparer->lane;
   size_t num_words = 0;
   if (parallel->filters) {
      cm_lane_begin(lane);
      cm_segment_open_list(&segment->filtered, &lane->stream);
   }
   for (uint32_t t = 0; t < segment->num_tiles; t++)
      preparer->out_of_memory |= !prepare_tile(preparer, segment, t, &num_words);
   if (parallel->filters)
      cm_segment_close_list(&segment->filtered, &lane->stream);
   set_kept_words(segment);
   cm_threads_lock(&parallel->threads);
   segment->is_prepared = true;
   cm_threads_unlock(&parallel->threads);
}

/* ---- texture caches ------------------------------------------------------------ */

/* The next segment with something to do. What is consumed is no segment any more, and had nothing. */
static bool
take_tiles(void *data)
{
   struct cm_parallel *parallel = data;
   struct textures *textures = &parallel->textures;
   textures->next = cm_max64(textures->next, parallel->consumed);
   while (textures->next < parallel->closed &&
          !cm_segment_is_for_textures(segment_of(parallel, textures->next)))
      textures->next++;
   return textures->next < parallel->closed && segment_of(parallel, textures->next)->is_prepared;
}

static void
shade_tile(struct cm_parallel *parallel, struct cm_segment *segment, uint32_t t)
{
   const struct cm_segment_list *filtered = &segment->filtered;
   const uint32_t first = t ? filtered->ends[t - 1] : 0;
   struct textures *textures = &parallel->textures;
   if (parallel->filters)
      cm_lanes_serve_textures(parallel->gpu, filtered->entries + first, filtered->ends[t] - first,
                              textures->stream);
   else
      textures->out_of_memory |=
         !cm_shading_run_tile(textures->lane.shading, segment->tiles[t].shaded, segment->tiles[t].position);
   segment->shaded.ends[t] = textures->stream->count;
}

static void
invalidate(struct cm_gpu *gpu, const struct cm_segment *segment)
{
   const struct cm_segment_invalidation *list = segment->invalidations.data;
   for (uint32_t n = 0; n < segment->num_invalidations; n++) {
      for (uint32_t i = 0; i < gpu->hierarchy.instances[list[n].unit]; i++)
         cm_cache_invalidate(&gpu->hierarchy.caches[list[n].unit][i], list[n].begin, list[n].end);
   }
}

static void
shade_segment(void *data)
{
   struct cm_parallel *parallel = data;
   struct textures *textures = &parallel->textures;
   struct cm_segment *segment = segment_of(parallel, textures->next);
   cm_segment_open_list(&segment->shaded, textures->stream);
   invalidate(parallel->gpu, segment);
   for (uint32_t t = 0; t < segment->num_tiles; t++)
      shade_tile(parallel, segment, t);
   cm_segment_close_list(&segment->shaded, textures->stream);
   cm_threads_lock(&parallel->threads);
   textures->next++;
   segment->is_shaded = true;
   cm_threads_unlock(&parallel->threads);
}

/* ---- releasing tiles ----------------------------------------------------------- */

/* The next segment whose tiles are not needed: words until quads have run, or are in filtered form. */
static bool
take_unreleased(void *data)
{
   struct cm_parallel *parallel = data;
   const struct cm_segment *segment = segment_of(parallel, parallel->released);
   return !is_released(parallel) && segment->is_prepared && (parallel->filters || segment->is_shaded);
}

static void
release_segment(void *data)
{
   struct cm_parallel *parallel = data;
   const struct cm_segment *segment = segment_of(parallel, parallel->released);
   for (uint32_t t = 0; t < segment->num_tiles; t++)
      cm_gpu_release_tile(parallel->gpu, segment->tiles[t].number);
   cm_threads_lock(&parallel->threads);
   parallel->released++;
   cm_threads_unlock(&parallel->threads);
}

/* ---- the shared side ----------------------------------------------------------- */

static bool
take_segment(void *data)
{
   struct cm_parallel *parallel = data;
   return parallel->consumed < parallel->released && segment_of(parallel, parallel->consumed)->is_shaded;
}

static void
consume_segment(void *data)
{
   struct cm_parallel *parallel = data;
   const struct cm_segment *segment = segment_of(parallel, parallel->consumed);
   cm_segment_take(segment, parallel->consume, parallel->consumer);
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
   if (parallel->has_lanes)
      times[count++] =
         (struct cm_work_time){"texture caches", 0, (int64_t)parallel->textures.worker.nanoseconds, false};
   return count;
}

/* ---- building ------------------------------------------------------------------ */

/* What the front appends from now on goes to segments; what consumed it takes what is merged. */
static void
connect_front(struct cm_parallel *parallel)
{
   struct cm_shared_side *shared = &parallel->gpu->hierarchy.shared;
   struct cm_access_stream *arriving = &shared->arriving;
   parallel->consume = arriving->take;
   parallel->consumer = arriving->context;
   parallel->gpu->hierarchy.hand_over = hand_over_invalidation;
   parallel->gpu->hierarchy.hand_over_context = parallel;
   cm_access_stream_finish(arriving);
   arriving->capacity = CM_SEGMENT_ENTRIES;
   arriving->take = take_entries;
   arriving->context = parallel;
   for (unsigned unit = 0; unit < CM_CACHE_COUNT; unit++) {
      for (uint32_t i = 0; shared->caches[unit] && i < shared->instances[unit]; i++)
         shared->caches[unit][i].dram = &parallel->dram;
   }
   open_segment(parallel);
}

static bool
create_textures(struct cm_parallel *parallel)
{
   struct textures *textures = &parallel->textures;
   textures->worker = (struct cm_worker){.take = take_tiles, .work = shade_segment, .context = parallel};
   textures->own_stream =
      (struct cm_access_stream){.take = cm_lane_grow, .context = &textures->out_of_memory};
   textures->stream = parallel->filters ? &textures->own_stream : &textures->lane.stream;
   cm_threads_add(&parallel->threads, &textures->worker);
   return cm_lanes_share(parallel->gpu) &&
          (parallel->filters || cm_lane_init(&textures->lane, parallel->gpu));
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
      if (parallel->filters && !cm_lane_init(&preparer->lane, parallel->gpu))
         return false;
      cm_threads_add(&parallel->threads, &preparer->worker);
   }
   return parallel->preparers;
}

static bool
build(struct cm_parallel *parallel, unsigned num_preparers)
{
   const struct cm_gpu *gpu = parallel->gpu;
   parallel->has_lanes = cm_lanes_are_possible(gpu);
   parallel->filters = parallel->has_lanes && cm_lanes_filter(gpu);
   parallel->releaser =
      (struct cm_worker){.take = take_unreleased, .work = release_segment, .context = parallel};
   cm_threads_add(&parallel->threads, &parallel->releaser);
   parallel->shared_side =
      (struct cm_worker){.take = take_segment, .work = consume_segment, .context = parallel};
   cm_threads_add(&parallel->threads, &parallel->shared_side);
   for (unsigned s = 0; s < NUM_SEGMENTS; s++) {
      if (!cm_segment_init(&parallel->segments[s]))
         return false;
   }
   if (parallel->has_lanes && (!create_textures(parallel) || !create_preparers(parallel, num_preparers)))
      return false;
   connect_front(parallel);
   return true;
}

struct cm_parallel *
cm_parallel_create(struct cm_gpu *gpu, unsigned threads, unsigned guests)
{
   struct cm_parallel *parallel = calloc(1, sizeof *parallel);
   if (!parallel)
      return NULL;
   threads = cm_min(threads, CM_MAX_THREADS);
   parallel->gpu = gpu;
   cm_threads_init(&parallel->threads);
   if (!build(parallel, cm_min(threads + guests, CM_MAX_THREADS))) {
      cm_parallel_destroy(parallel);
      return NULL;
   }
   cm_threads_start(&parallel->threads, threads - 1);
   return parallel;
}

bool
cm_parallel_work(struct cm_parallel *parallel)
{
   return parallel && cm_threads_work(&parallel->threads);
}

bool
cm_parallel_help(struct cm_parallel *parallel, unsigned guest, bool waits)
{
   return parallel && cm_threads_visit(&parallel->threads, guest, waits);
}

void
cm_parallel_wake_guests(struct cm_parallel *parallel, void (*wake)(void *context), void *context)
{
   if (!parallel)
      return;
   parallel->threads.wake = wake;
   parallel->threads.wake_context = context;
}

void
cm_parallel_destroy(struct cm_parallel *parallel)
{
   if (!parallel)
      return;
   if (parallel->open) {
      cm_parallel_drain(parallel);
      parallel->gpu->hierarchy.hand_over = NULL;
      parallel->gpu->hierarchy.shared.arriving.entries = NULL;
   }
   cm_threads_finish(&parallel->threads);
   cm_lane_finish(&parallel->textures.lane);
   for (unsigned p = 0; p < parallel->num_preparers; p++) {
      cm_deferred_finish(&parallel->preparers[p].deferred);
      cm_lane_finish(&parallel->preparers[p].lane);
   }
   for (unsigned s = 0; s < NUM_SEGMENTS; s++)
      cm_segment_finish(&parallel->segments[s]);
   free(parallel->preparers);
   free(parallel->shaders.data);
   free(parallel->is_new.data);
   free(parallel);
}
