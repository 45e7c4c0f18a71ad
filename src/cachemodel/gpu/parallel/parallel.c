/* SPDX-License-Identifier: MIT */
#include "gpu/parallel.h"

#include <stdlib.h>

#include "gpu/immediate/immediate.h"
#include "gpu/operations.h"
#include "gpu/parallel/segment.h"
#include "gpu/shading_worker.h"
#include "gpu/parallel/texture_worker.h"
#include "gpu/tiled/stages.h"
#include "timing/calls.h"
#include "util/counts.h"
#include "util/minmax.h"

/* Segments handed over but not yet consumed. */
#define NUM_SEGMENTS 32
/* Words of events after which a segment ends: the work on them is long next to what handing it over costs. */
#define SEGMENT_WORDS (128 * 1024)
/* What a quad in mode imr counts as. */
#define QUAD_WORDS 8

struct cm_parallel {
   struct cm_gpu *gpu;
   struct cm_fragment_stage *fragment_stage;
   struct cm_immediate *immediate; /* NULL: there are tiles */
   struct cm_threads threads;
   struct cm_segment segments[NUM_SEGMENTS]; /* a ring, by number */
   /* Numbers of segments, with the lock: of the next one that is handed over, claimed by a shading worker (of those with
    * tiles), served by the texture worker, consumed by the shared worker. shared_head <= texture_head <= head. */
   uint64_t head, shading_head, texture_head, shared_head;
   struct cm_shading_worker *shading_workers;
   unsigned num_shading_workers;
   struct cm_texture_worker textures;
   struct cm_worker shared_worker;
   struct cm_dram dram;                                             /* as the shared side sees it */
   void (*consume)(void *context, struct cm_access_stream *stream); /* of the shared side */
   void *consumer;

   /* The main thread's. */
   struct cm_segment *open; /* the segment that it appends to; NULL: not begun */
   bool shades;             /* shading workers run quads of this pass */
   struct cm_known_shaders known;
   struct cm_array shaders; /* struct cm_shader_memory by draw */
   struct cm_array sets;    /* uint64_t by number in the pass' descriptors: the set's address */
   struct cm_array
      is_new; /* bool by draw: its fragment shader, or a set that this names, has no memory yet */
   uint32_t num_new;
};

static struct cm_segment *
segment_of(struct cm_parallel *parallel, uint64_t number)
{
   return &parallel->segments[number % NUM_SEGMENTS];
}

/* ---- the main thread ----------------------------------------------------------- */

static bool
has_room(const void *data)
{
   const struct cm_parallel *parallel = data;
   return parallel->head - parallel->shared_head < NUM_SEGMENTS;
}

static bool
is_drained(const void *data)
{
   const struct cm_parallel *parallel = data;
   return parallel->head == parallel->shared_head;
}

/* Whether the segments handed over no longer need the pass. */
static bool
is_served(const void *data)
{
   const struct cm_parallel *parallel = data;
   return parallel->head == parallel->texture_head;
}

static void
open_segment(struct cm_parallel *parallel)
{
   struct cm_access_stream *arriving = &parallel->gpu->hierarchy.shared.arriving;
   assert(parallel->open != segment_of(parallel, parallel->head)); /* the last one is handed over */
   parallel->open = segment_of(parallel, parallel->head);
   cm_segment_reset(parallel->open);
   arriving->entries = parallel->open->entries;
   arriving->count = 0;
}

/* Hands the segment over, waits until `is_done` and a segment is free, and continues with the next one. */
static void
hand_over(struct cm_parallel *parallel, bool (*is_done)(const void *parallel))
{
   struct cm_segment *segment = parallel->open;
   assert(segment == segment_of(parallel, parallel->head));
   assert(parallel->num_shading_workers || !segment->num_tiles);
   segment->count = parallel->gpu->hierarchy.shared.arriving.count;
   segment->is_shaded = !segment->num_tiles;
   cm_threads_lock(&parallel->threads);
   parallel->head++;
   cm_threads_wait(&parallel->threads, is_done, parallel);
   cm_threads_wait(&parallel->threads, has_room, parallel);
   cm_threads_unlock(&parallel->threads);
   open_segment(parallel);
}

/* The main thread's entries are as many as a segment has (struct cm_access_stream). */
static void
take_entries(void *parallel, struct cm_access_stream *stream)
{
   hand_over(parallel, has_room);
}

static void
add_counts(struct cm_parallel *parallel)
{
   assert(is_drained(parallel));
   cm_counts_move(parallel->gpu->hierarchy.dram.counts[0], parallel->dram.counts[0],
                  CM_STREAM_COUNT * CM_DRAM_EVENT_COUNT);
   cm_texture_worker_add_counts(&parallel->textures);
   for (unsigned w = 0; w < parallel->num_shading_workers; w++)
      cm_shading_worker_add_counts(&parallel->shading_workers[w]);
}

void
cm_parallel_drain(struct cm_parallel *parallel)
{
   if (!parallel)
      return;
   hand_over(parallel, is_drained);
   add_counts(parallel);
}

void
cm_parallel_end_pass(struct cm_parallel *parallel)
{
   if (parallel)
      hand_over(parallel, is_served);
}

/* An invalidation of texture caches that the texture worker uses: it comes after the tiles that were handed over. */
static bool
hand_over_invalidation(void *data, enum cm_unit unit, uint64_t begin, uint64_t end)
{
   struct cm_parallel *parallel = data;
   if (!parallel->textures.is_connected || !cm_texture_worker_has(&parallel->textures, unit))
      return false;
   if (parallel->open->num_tiles)
      hand_over(parallel, has_room);
   if (cm_segment_add_invalidation(parallel->open, unit, begin, end))
      return true;
   cm_parallel_drain(parallel);
   return false;
}

/* ---- passes ------------------------------------------------------------------ */

/* Lets the texture worker use the texture caches, or the main thread; then all workers are done. */
static void
connect_textures(struct cm_parallel *parallel, bool connected)
{
   if (parallel->textures.is_connected == connected)
      return;
   if (!connected)
      cm_parallel_drain(parallel);
   cm_texture_worker_connect(&parallel->textures, connected);
}

void
cm_parallel_take_textures(struct cm_parallel *parallel)
{
   if (parallel)
      connect_textures(parallel, false);
}

/* Notes where the descriptor sets of the pass are. */
static void
find_sets(struct cm_parallel *parallel)
{
   const struct cm_gpu *gpu = parallel->gpu;
   uint64_t *sets = parallel->sets.data;
   for (uint32_t d = 0; d < gpu->pass->num_descriptors; d++)
      sets[d] = cm_address_space_find_descriptors(&gpu->space, &gpu->pass->descriptors[d]);
   parallel->known.sets = sets;
}

/* Whether a draw's fragment shader names a set that has no memory yet. */
static bool
has_new_set(const struct cm_parallel *parallel, const struct cm_draw *draw)
{
   const uint64_t *sets = parallel->sets.data;
   for (uint32_t d = draw->first_descriptor; d < draw->first_descriptor + draw->num_descriptors; d++) {
      if (!sets[d] && parallel->gpu->pass->descriptors[d].stage == CM_SHADER_FRAGMENT)
         return true;
   }
   return false;
}

/* Notes where the fragment shaders of the pass are, and which of them have no memory, or not enough. */
static void
find_shaders(struct cm_parallel *parallel)
{
   const struct cm_gpu *gpu = parallel->gpu;
   struct cm_shader_memory *shaders = parallel->shaders.data;
   bool *is_new = parallel->is_new.data;
   parallel->num_new = 0;
   find_sets(parallel);
   for (uint32_t d = 0; d < gpu->pass->num_draws; d++) {
      const struct cm_draw *draw = &gpu->pass->draws[d];
      const struct cm_shader *shader = &draw->fragment_shader;
      const struct cm_shader_memory *memory =
         cm_address_space_find_shader(&gpu->space, CM_SHADER_FRAGMENT, shader);
      is_new[d] = shader->id && (!memory || has_new_set(parallel, draw));
      parallel->num_new += is_new[d];
      shaders[d] = memory ? *memory : (struct cm_shader_memory){0};
   }
   parallel->known.shaders = shaders;
}

bool
cm_parallel_begin_pass(struct cm_parallel *parallel)
{
   const struct cm_pass *pass = parallel->gpu->pass;
   assert(!parallel->open->num_tiles);
   /* Where tiles shade vertices, these read textures between quads. */
   const bool alternates = cm_config_shades_by_tile(&parallel->gpu->config) && pass->num_vertex_accesses;
   parallel->shades = parallel->num_shading_workers && pass->kind != CM_PASS_COMPUTE && !pass->num_storages &&
                      !cm_pass_has_vertex_storage(pass) && !alternates;
   /* Vertex shaders read textures on the main thread: before a tile is shaded, or, in mode imr, between primitives. */
   connect_textures(parallel, parallel->shades && !pass->num_vertex_accesses);
   if (!parallel->shades)
      return true;
   if (!cm_array_reserve(&parallel->shaders, pass->num_draws, sizeof(struct cm_shader_memory)) ||
       !cm_array_reserve(&parallel->sets, pass->num_descriptors, sizeof(uint64_t)) ||
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

/* Before the main thread shades a tile. */
static void
defer_covered(struct cm_gpu *gpu, const struct cm_tile_events *events)
{
   if (gpu->timing)
      cm_timing_defer_covered(&gpu->config, &gpu->hierarchy.shared.arriving, events);
}

/* Workers get another tile. */
static void
add_tile(struct cm_parallel *parallel, struct cm_segment_tile tile, size_t words)
{
   connect_textures(parallel, true);
   tile.entries = parallel->gpu->hierarchy.shared.arriving.count;
   cm_segment_add_tile(parallel->open, &tile, words);
   if (parallel->open->num_tiles == CM_SEGMENT_TILES || parallel->open->num_words >= SEGMENT_WORDS)
      hand_over(parallel, has_room);
}

bool
cm_parallel_shade(struct cm_parallel *parallel, uint32_t tile)
{
   struct cm_gpu *gpu = parallel->gpu;
   const struct cm_tile_events *events = &gpu->pass->tiles[tile];
   if (!parallel->shades) {
      defer_covered(gpu, events);
      return cm_fragment_stage_run(parallel->fragment_stage, tile);
   }
   if (has_new_shader(parallel, events)) {
      connect_textures(parallel, false);
      defer_covered(gpu, events);
      const bool ok = cm_fragment_stage_run(parallel->fragment_stage, tile);
      find_shaders(parallel);
      return ok;
   }
   if (!events->num_words)
      return true;
   const struct cm_segment_tile its = {.number = tile, .position = gpu->positions[tile], .events = events};
   add_tile(parallel, its, events->num_words);
   gpu->is_held = true;
   return true;
}

/* ---- mode imr ------------------------------------------------------------------ */

void
cm_parallel_begin_primitives(struct cm_parallel *parallel)
{
   /* No segment with primitives of an earlier pass is left (cm_parallel_end_primitives). */
   for (unsigned w = 0; parallel->shades && w < parallel->num_shading_workers; w++)
      cm_immediate_follow(parallel->shading_workers[w].immediate, parallel->immediate);
}

bool
cm_parallel_run_primitives(struct cm_parallel *parallel, const struct cm_primitive_run *primitives)
{
   if (!parallel->shades)
      return cm_immediate_run(parallel->immediate, primitives);
   if (parallel->num_new && cm_immediate_runs_any(parallel->immediate, primitives, parallel->is_new.data)) {
      connect_textures(parallel, false);
      const bool ok = cm_immediate_run(parallel->immediate, primitives);
      find_shaders(parallel);
      return ok;
   }
   add_tile(parallel, (struct cm_segment_tile){.primitives = *primitives},
            QUAD_WORDS * primitives->num_quads);
   return true;
}

void
cm_parallel_end_primitives(struct cm_parallel *parallel)
{
   if (!parallel->shades)
      return;
   hand_over(parallel, is_served);
   for (unsigned w = 0; w < parallel->num_shading_workers; w++)
      cm_immediate_join(parallel->immediate, parallel->shading_workers[w].immediate);
}

/* ---- shading workers ----------------------------------------------------------- */

/* Whether there is a segment that is not shaded yet, nor being shaded. */
static bool
is_shading_ready(void *data)
{
   struct cm_parallel *parallel = ((struct cm_shading_worker *)data)->parallel;
   parallel->shading_head = cm_max64(parallel->shading_head, parallel->shared_head);
   while (parallel->shading_head < parallel->head && segment_of(parallel, parallel->shading_head)->is_shaded)
      parallel->shading_head++;
   return parallel->shading_head < parallel->head;
}

static void
claim_shading(void *data)
{
   struct cm_shading_worker *worker = data;
   worker->segment = worker->parallel->shading_head++;
   assert(worker->segment < worker->parallel->head);
}

static void
shade_segment(void *data)
{
   struct cm_shading_worker *worker = data;
   cm_shading_worker_run(worker, segment_of(worker->parallel, worker->segment));
}

static void
end_shading(void *data)
{
   struct cm_shading_worker *worker = data;
   struct cm_segment *segment = segment_of(worker->parallel, worker->segment);
   assert(!segment->is_shaded && worker->segment >= worker->parallel->texture_head);
   segment->is_shaded = true;
}

/* ---- texture caches ------------------------------------------------------------ */

static bool
is_texture_ready(void *data)
{
   struct cm_parallel *parallel = data;
   return parallel->texture_head < parallel->head && segment_of(parallel, parallel->texture_head)->is_shaded;
}

/* The tiles' words are in filtered form: they are not needed. */
static void
serve_segment(void *data)
{
   struct cm_parallel *parallel = data;
   struct cm_segment *segment = segment_of(parallel, parallel->texture_head);
   for (uint32_t t = 0; t < segment->num_tiles; t++) {
      if (segment->tiles[t].events)
         cm_gpu_release_tile(parallel->gpu, segment->tiles[t].number);
   }
   cm_texture_worker_run(&parallel->textures, segment);
}

static void
end_serving(void *data)
{
   struct cm_parallel *parallel = data;
   parallel->texture_head++;
   assert(parallel->texture_head <= parallel->head);
}

/* ---- the shared side ----------------------------------------------------------- */

static bool
is_shared_ready(void *data)
{
   const struct cm_parallel *parallel = data;
   return parallel->shared_head < parallel->texture_head;
}

static void
consume_segment(void *data)
{
   struct cm_parallel *parallel = data;
   cm_segment_pass_on(segment_of(parallel, parallel->shared_head), parallel->gpu->timing, parallel->consume,
                      parallel->consumer);
}

static void
end_consuming(void *data)
{
   struct cm_parallel *parallel = data;
   parallel->shared_head++;
   assert(parallel->shared_head <= parallel->texture_head);
}

/* ---- times --------------------------------------------------------------------- */

unsigned
cm_parallel_times(const struct cm_parallel *parallel, struct cm_work_time *times)
{
   uint64_t shading = 0;
   for (unsigned w = 0; w < parallel->num_shading_workers; w++)
      shading += parallel->shading_workers[w].tasks.nanoseconds;
   const struct cm_work_time list[] = {
      {"main thread", -(int64_t)parallel->threads.owner_nanoseconds, false},
      {"shared side", (int64_t)parallel->shared_worker.nanoseconds, false},
      {"texture caches", (int64_t)parallel->textures.tasks.nanoseconds, false},
      {"shading", (int64_t)shading, true},
   };
   static_assert(sizeof list / sizeof *list + 2 <= CM_MAX_WORK_TIMES,
                 "room for all of them, and the timing's");
   for (unsigned t = 0; t < sizeof list / sizeof *list; t++)
      times[t] = list[t];
   return sizeof list / sizeof *list;
}

/* ---- building ------------------------------------------------------------------ */

/* What the main thread appends from now on goes to segments; what consumed it gets what is merged. */
static void
connect_main_thread(struct cm_parallel *parallel)
{
   struct cm_shared_side *shared = &parallel->gpu->hierarchy.shared;
   struct cm_access_stream *arriving = &shared->arriving;
   assert(!arriving->count && cm_shared_side_is_deferred(shared) == (shared->num_readers > 0));
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
   cm_dram_report(&parallel->dram, shared->num_readers ? &shared->reported : NULL);
   open_segment(parallel);
}

static struct cm_worker
make_worker(bool (*is_ready)(void *), void (*claim)(void *), void (*run)(void *), void (*end)(void *),
            void *context)
{
   return (
      struct cm_worker){.is_ready = is_ready, .claim = claim, .run = run, .end = end, .context = context};
}

static bool
create_shading_workers(struct cm_parallel *parallel, unsigned count)
{
   parallel->shading_workers = calloc(count, sizeof *parallel->shading_workers);
   while (parallel->shading_workers && parallel->num_shading_workers < count) {
      struct cm_shading_worker *worker = &parallel->shading_workers[parallel->num_shading_workers++];
      if (!cm_shading_worker_init(worker, parallel->gpu, parallel->fragment_stage))
         return false;
      worker->parallel = parallel;
      worker->known = &parallel->known;
      worker->tasks = make_worker(is_shading_ready, claim_shading, shade_segment, end_shading, worker);
      cm_threads_add(&parallel->threads, &worker->tasks);
   }
   return parallel->shading_workers;
}

/* The workers that serve a segment last are created first: they free segments for others. */
static bool
create_workers(struct cm_parallel *parallel, unsigned threads)
{
   cm_texture_worker_init(&parallel->textures, parallel->gpu);
   parallel->textures.known = &parallel->known;
   parallel->textures.shading = parallel->immediate ? parallel->fragment_stage->shading : NULL;
   parallel->shared_worker = make_worker(is_shared_ready, NULL, consume_segment, end_consuming, parallel);
   parallel->textures.tasks = make_worker(is_texture_ready, NULL, serve_segment, end_serving, parallel);
   cm_threads_add(&parallel->threads, &parallel->shared_worker);
   cm_threads_add(&parallel->threads, &parallel->textures.tasks);
   for (unsigned s = 0; s < NUM_SEGMENTS; s++) {
      if (!cm_segment_init(&parallel->segments[s]))
         return false;
   }
   return !cm_parallel_can_shade(parallel->gpu) || create_shading_workers(parallel, threads);
}

/* What shading workers access, other than textures, they and the main thread append to the stream. */
static bool
share(struct cm_parallel *parallel)
{
   if (!cm_shading_workers_share(parallel->gpu) || !cm_texture_worker_share(&parallel->textures))
      return false;
   for (unsigned w = 0; w < parallel->num_shading_workers; w++) {
      if (!cm_shading_worker_connect(&parallel->shading_workers[w], parallel->immediate))
         return false;
   }
   return true;
}

bool
cm_parallel_create(struct cm_gpu *gpu, struct cm_fragment_stage *fragment_stage,
                   struct cm_immediate *immediate, unsigned threads)
{
   struct cm_parallel *parallel = calloc(1, sizeof *parallel);
   assert(!gpu->parallel && threads > 1);
   if (!parallel)
      return false;
   threads = cm_min(threads, CM_MAX_THREADS);
   parallel->gpu = gpu;
   parallel->fragment_stage = fragment_stage;
   parallel->immediate = immediate;
   cm_threads_init(&parallel->threads);
   bool ok = create_workers(parallel, threads);
   if (ok)
      cm_threads_start(&parallel->threads, threads - 1);
   const bool started = ok && parallel->threads.count;
   if (started && gpu->timing) {
      cm_hierarchy_defer_reports(&gpu->hierarchy);
      cm_timing_defer_calls(gpu->timing);
   }
   if (started && parallel->num_shading_workers)
      ok = share(parallel);
   if (!started || !ok) {
      cm_parallel_destroy(parallel);
      return ok;
   }
   connect_main_thread(parallel);
   gpu->parallel = parallel;
   return true;
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
   for (unsigned w = 0; w < parallel->num_shading_workers; w++)
      cm_shading_worker_finish(&parallel->shading_workers[w]);
   cm_texture_worker_finish(&parallel->textures);
   for (unsigned s = 0; s < NUM_SEGMENTS; s++)
      cm_segment_finish(&parallel->segments[s]);
   free(parallel->shading_workers);
   free(parallel->shaders.data);
   free(parallel->sets.data);
   free(parallel->is_new.data);
   free(parallel);
}
