/* SPDX-License-Identifier: MIT */
#include "tile/tbr_renderer.h"

#include <locale.h>

#include "util/log.h"
#include "util/os_time.h"
#include "util/u_atomic.h"
#include "util/u_cpu_detect.h"
#include "util/u_math.h"
#include "util/u_memory.h"
#include "util/u_thread.h"
#include "state/tbr_context.h"
#include "model/tbr_process.h"
#include "state/tbr_screen.h"
#include "tile/tbr_job.h"
#include "tile/tbr_thumbnail.h"

#define MAX_THREADS 64
/** Limits of the batches submitted and not retired: their number, their attribute blocks
 * (32 MiB), and the memory that only they reference. */
#define MAX_BATCHES_IN_FLIGHT 12
#define MAX_BLOCKS_IN_FLIGHT (1u << 19)
#define MAX_ORPHANED_BYTES_IN_FLIGHT (1ull << 30)
/** Limits of the events that wait for the model, and of the unused memory that is kept for
 * the events of later tiles. The first is many segments of the model's (gpu/parallel/segment.h): enough for its threads
 * to work on while the tile workers wait. */
#define MAX_WAITING_EVENT_BYTES (16u << 20)
#define MAX_SPARE_EVENT_BYTES (32u << 20)

struct live_batch {
   uint64_t sequence;
   bool submitted;
};

struct tbr_renderer {
   mtx_t lock;
   /* Who waits for what. For each tile and batch, threads of the renderer wake others after they have released the lock: a thread
    * that is woken runs at once, often on the processor of the one that wakes it, and would wait for the lock. */
   cnd_t work;              /**< workers: a batch was queued, or the threads must stop */
   cnd_t room;              /**< workers: the model is done with a tile's events */
   cnd_t tile;              /**< the model, if tile_wanted: tiles are done */
   cnd_t rendered;          /**< a batch is rendered */
   cnd_t retired;           /**< applications: nothing uses a batch any more */
   unsigned wanted_threads; /**< workers; there are fewer where the system has no more */
   unsigned num_threads;
   thrd_t threads[MAX_THREADS];
   bool stop;
   bool in_forked_child; /**< tbr_renderer_leave_to_parent */

   struct tbr_job *first, *last; /**< queue; the first is being rendered */
   unsigned in_flight;           /**< submitted and still used by renderer or model */
   uint64_t blocks_in_flight;
   uint64_t orphaned_bytes_in_flight;
   uint64_t next_sequence;
   struct util_dynarray live; /**< struct live_batch: those that are not done */
   uint64_t oldest_live;      /**< all below are done; read without the lock */

   struct util_dynarray
      spare_events;            /**< struct cm_tile_events, empty, but with memory: the last ones used are
                                       * taken first */
   size_t spare_event_bytes;   /**< the memory they have */
   size_t waiting_event_bytes; /**< of rendered tiles that the model has not taken yet */
   bool events_full;           /**< workers wait: set above the limit, reset at half of it; read without
                                 * the lock */
   bool tile_wanted;           /**< the model waits for a tile; the same */
};

static void
update_oldest(struct tbr_renderer *renderer)
{
   uint64_t oldest = renderer->next_sequence;
   util_dynarray_foreach (&renderer->live, struct live_batch, live)
      oldest = MIN2(oldest, live->sequence);
   assert(oldest >= renderer->oldest_live);
   p_atomic_set(&renderer->oldest_live, oldest);
}

static struct live_batch *
find_live(const struct tbr_renderer *renderer, uint64_t sequence)
{
   util_dynarray_foreach (&renderer->live, struct live_batch, live) {
      if (live->sequence == sequence)
         return live;
   }
   return NULL;
}

/** Whether the batch is submitted and not rendered, or one with a smaller number is: a batch that was set aside for a
 * copy comes after the copy's, and may access the same memory. One that another context is still recording is not: GL
 * guarantees nothing of it before that context flushes. */
static bool
is_pending(const struct tbr_renderer *renderer, uint64_t sequence)
{
   util_dynarray_foreach (&renderer->live, struct live_batch, live) {
      if (live->submitted && live->sequence <= sequence && !renderer->in_forked_child)
         return true;
   }
   return false;
}

uint64_t
tbr_renderer_begin(struct tbr_renderer *renderer)
{
   mtx_lock(&renderer->lock);
   struct live_batch *live = util_dynarray_grow(&renderer->live, struct live_batch, 1);
   const uint64_t sequence = live ? renderer->next_sequence++ : 0;
   if (live)
      *live = (struct live_batch){.sequence = sequence};
   update_oldest(renderer);
   mtx_unlock(&renderer->lock);
   return sequence;
}

uint64_t
tbr_renderer_next_sequence(struct tbr_renderer *renderer)
{
   mtx_lock(&renderer->lock);
   const uint64_t sequence = renderer->next_sequence;
   mtx_unlock(&renderer->lock);
   return sequence;
}

uint64_t
tbr_renderer_oldest_recorded(struct tbr_renderer *renderer)
{
   mtx_lock(&renderer->lock);
   uint64_t oldest = renderer->next_sequence;
   util_dynarray_foreach (&renderer->live, struct live_batch, live) {
      if (!live->submitted)
         oldest = MIN2(oldest, live->sequence);
   }
   mtx_unlock(&renderer->lock);
   return oldest;
}

unsigned
tbr_renderer_count_recorded(struct tbr_renderer *renderer)
{
   unsigned count = 0;
   mtx_lock(&renderer->lock);
   util_dynarray_foreach (&renderer->live, struct live_batch, live)
      count += !live->submitted;
   mtx_unlock(&renderer->lock);
   return count;
}

/** Returns an unused batch to its context. */
static void
retire(struct tbr_renderer *renderer, struct tbr_job *job)
{
   assert(!job->users);
   assert(renderer->in_flight && job->context->batches_in_flight);
   assert(renderer->blocks_in_flight >= job->num_blocks);
   assert(renderer->orphaned_bytes_in_flight >= job->orphaned_bytes);
   tbr_job_set_state(job, TBR_JOB_RENDERED, TBR_JOB_RETIRED);
   job->next = job->context->retired_jobs;
   job->context->retired_jobs = job;
   job->context->batches_in_flight--;
   renderer->in_flight--;
   renderer->blocks_in_flight -= job->num_blocks;
   renderer->orphaned_bytes_in_flight -= job->orphaned_bytes;
}

/** Returns whether it was the last user: then renderer->retired is due. */
static bool
drop_user(struct tbr_renderer *renderer, struct tbr_job *job)
{
   assert(job->users > 0);
   if (--job->users)
      return false;
   retire(renderer, job);
   return true;
}

/** The first batch of the queue is rendered: its content is in memory. The caller uses it, too. */
static void
finish_first(struct tbr_renderer *renderer)
{
   struct tbr_job *job = renderer->first;
   assert(job->tiles_done == job->pass->tiles_x * job->pass->tiles_y);
   renderer->first = job->next;
   if (!renderer->first)
      renderer->last = NULL;
   job->next = NULL;
   if (job->time)
      job->time->end = os_time_get_nano();

   struct live_batch *live = find_live(renderer, job->sequence);
   assert(live && live->submitted);
   *live = util_dynarray_pop(&renderer->live, struct live_batch);
   update_oldest(renderer);
   tbr_job_set_state(job, TBR_JOB_QUEUED, TBR_JOB_RENDERED);
   tbr_screen_note_ended_loops(tbr_screen(job->context->base.screen));
   assert(job->users > 1);
   job->users--;
}

static void
add_counters(struct tbr_job *job, const struct tbr_tile_thread *thread)
{
   const uint64_t *counters = tbr_tile_thread_occlusion(thread);
   for (unsigned i = 1; i < job->pass->num_occlusion_counters; i++)
      p_atomic_add(&job->sinks[i]->fragments, counters[i]);
}

/* ---- events -------------------------------------------------------------- */

/** Has the model look for the tile that it waits for. */
static void
report_tiles(struct tbr_renderer *renderer)
{
   /* After it has looked for the last time before it waits. */
   mtx_lock(&renderer->lock);
   mtx_unlock(&renderer->lock);
   cnd_signal(&renderer->tile);
}

static bool
has_tiles(const struct tbr_job *job)
{
   return p_atomic_read(&job->next_tile) < job->pass->tiles_x * job->pass->tiles_y;
}

/** Waits until the model is done with enough of the events. Called before the worker takes a tile: waiting with a tile that the
 * model needs next would be a deadlock. Where none is left, what it has rendered has to be counted first. */
static void
make_room(struct tbr_renderer *renderer, const struct tbr_job *job)
{
   if (!p_atomic_read(&renderer->events_full))
      return;
   mtx_lock(&renderer->lock);
   cnd_signal(&renderer->tile); /* the last tiles may not have been reported yet */
   while (renderer->events_full && has_tiles(job))
      cnd_wait(&renderer->room, &renderer->lock);
   mtx_unlock(&renderer->lock);
}

/** Called with the lock held. */
static void
count_waiting_events(struct tbr_renderer *renderer, const struct cm_tile_events *events, bool waits)
{
   const size_t bytes = events->num_words * sizeof *events->words;
   assert(waits || renderer->waiting_event_bytes >= bytes);
   renderer->waiting_event_bytes += waits ? bytes : -bytes;
   if (renderer->waiting_event_bytes > MAX_WAITING_EVENT_BYTES) {
      p_atomic_set(&renderer->events_full, true);
   } else if (renderer->events_full && renderer->waiting_event_bytes <= MAX_WAITING_EVENT_BYTES / 2) {
      p_atomic_set(&renderer->events_full, false);
      cnd_broadcast(&renderer->room);
   }
}

/** Unused memory for a tile's events, or none. Called with the lock held. */
static struct cm_tile_events
take_spare_events(struct tbr_renderer *renderer)
{
   if (!renderer->spare_events.size)
      return (struct cm_tile_events){0};
   struct cm_tile_events events = util_dynarray_pop(&renderer->spare_events, struct cm_tile_events);
   assert(renderer->spare_event_bytes >= events.capacity * sizeof *events.words);
   renderer->spare_event_bytes -= events.capacity * sizeof *events.words;
   events.num_words = 0;
   return events;
}

/** Keeps the memory of events for another tile, or frees it. Called with the lock held. */
static void
recycle_events(struct tbr_renderer *renderer, struct cm_tile_events *events)
{
   const size_t bytes = events->capacity * sizeof *events->words;
   assert(!events->words == !bytes && events->num_words <= events->capacity);
   struct cm_tile_events *spare = NULL;
   if (renderer->spare_event_bytes + bytes <= MAX_SPARE_EVENT_BYTES)
      spare = util_dynarray_grow(&renderer->spare_events, struct cm_tile_events, 1);
   if (spare) {
      *spare = *events;
      renderer->spare_event_bytes += bytes;
   } else {
      free(events->words);
   }
   *events = (struct cm_tile_events){0};
}

/** Queues a tile's events for the model, and gets memory for those of the worker's next tile;
 * if there are none, theirs is used again. */
static void
queue_events(struct tbr_renderer *renderer, struct cm_tile_events *events, struct cm_tile_events *of_tile)
{
   if (!events->num_words)
      return;
   assert(events->num_words <= events->capacity);
   *of_tile = *events;
   mtx_lock(&renderer->lock);
   count_waiting_events(renderer, events, true);
   *events = take_spare_events(renderer);
   mtx_unlock(&renderer->lock);
}

/* ---- what the model calls ------------------------------------------------ */

static struct tbr_job *
job_of(struct cm_pass_owner *owner)
{
   return container_of(owner, struct tbr_job, source.owner);
}

static void
wait_tile(struct tbr_pass_source *source, uint32_t position)
{
   struct tbr_job *job = container_of(source, struct tbr_job, source);
   struct tbr_renderer *renderer = job->renderer;
   const uint32_t num_tiles = job->pass->tiles_x * job->pass->tiles_y;
   assert(position <= num_tiles && job->recorded);
   const uint8_t *done = position < num_tiles ? &job->tile_done[position] : NULL;
   if (done && p_atomic_read(done))
      return;
   mtx_lock(&renderer->lock);
   p_atomic_set(&renderer->tile_wanted, true);
   while (!(done && p_atomic_read(done)) && job->state != TBR_JOB_RENDERED)
      cnd_wait(&renderer->tile, &renderer->lock);
   p_atomic_set(&renderer->tile_wanted, false);
   mtx_unlock(&renderer->lock);
}

static void
release_tile(struct cm_pass_owner *owner, uint32_t tile)
{
   struct tbr_job *job = job_of(owner);
   struct tbr_renderer *renderer = job->renderer;
   struct cm_tile_events *events = &job->tile_events[tile];
   if (!events->words)
      return;
   mtx_lock(&renderer->lock);
   count_waiting_events(renderer, events, false);
   recycle_events(renderer, events);
   mtx_unlock(&renderer->lock);
}

static void
release(struct cm_pass_owner *owner)
{
   struct tbr_job *job = job_of(owner);
   struct tbr_renderer *renderer = job->renderer;
   mtx_lock(&renderer->lock);
   /* With the lock: the recorder's thread outlives the renderer, which may be destroyed once its last batch is retired. */
   if (drop_user(renderer, job))
      cnd_broadcast(&renderer->retired);
   mtx_unlock(&renderer->lock);
}

/* ---- workers --------------------------------------------------------------- */

/** Nothing else is rendered before the batch is finished: memory has what it rendered. Called with the lock held. */
static void
capture_thumbnail(struct tbr_renderer *renderer, struct tbr_job *job)
{
   mtx_unlock(&renderer->lock);
   job->source.thumbnail = tbr_thumbnail_take(job->pass);
   mtx_lock(&renderer->lock);
   assert(renderer->first == job);
}

/** The worker is about to render its first tile of the job. */
static void
begin_job(struct tbr_renderer *renderer, const struct tbr_job *job, struct tbr_tile_thread *thread,
          struct cm_tile_events *events)
{
   if (job->recorded) {
      mtx_lock(&renderer->lock);
      *events = take_spare_events(renderer);
      mtx_unlock(&renderer->lock);
   }
   if (!thread || !tbr_tile_thread_begin(thread, job->pass)) {
      mesa_loge("out of memory for a tile's buffers; the process ends");
      tbr_process_abort();
   }
}

/** The worker has done so many tiles, and found that all have been taken. */
static void
end_job(struct tbr_renderer *renderer, struct tbr_job *job, uint32_t done, struct cm_tile_events *events)
{
   const uint32_t num_tiles = job->pass->tiles_x * job->pass->tiles_y;
   mtx_lock(&renderer->lock);
   if (events->words)
      recycle_events(renderer, events);
   job->tiles_done += done;
   assert(job->tiles_done <= num_tiles);
   const bool last = done && job->tiles_done == num_tiles;
   if (last && job->source.has_thumbnail)
      capture_thumbnail(renderer, job);
   if (last)
      finish_first(renderer);
   const bool retired = drop_user(renderer, job);
   mtx_unlock(&renderer->lock);

   if (last) {
      cnd_broadcast(&renderer->work);
      cnd_broadcast(&renderer->rendered);
   }
   if (retired)
      cnd_broadcast(&renderer->retired);
   cnd_signal(&renderer->tile);
}

/** Renders tiles of the job, which the worker uses until all have been taken. */
static void
render_tiles(struct tbr_renderer *renderer, struct tbr_job *job, struct tbr_tile_thread *thread)
{
   const uint32_t num_tiles = job->pass->tiles_x * job->pass->tiles_y;
   const struct tbr_isa *isa = tbr_isa_get();
   struct cm_tile_events events = {0};
   bool begun = false;
   uint32_t done = 0;

   for (;; done++) {
      if (job->recorded)
         make_room(renderer, job);
      const uint32_t position = p_atomic_inc_return(&job->next_tile) - 1;
      if (position >= num_tiles)
         break;
      const uint32_t tile = job->source.traversal[position];
      assert(tile < num_tiles && !job->tile_done[position]);
      if (job->touched[tile]) {
         if (!begun)
            begin_job(renderer, job, thread, &events);
         begun = true;
         isa->render_tile(thread, job->pass, tile, job->recorded ? &events : NULL);
         if (job->recorded)
            queue_events(renderer, &events, &job->tile_events[tile]);
      }
      if (job->recorded) {
         p_atomic_set(&job->tile_done[position], 1);
         if ((position & 15) == 0 && p_atomic_read(&renderer->tile_wanted))
            report_tiles(renderer);
      }
   }
   if (begun && job->pass->num_occlusion_counters > 1)
      add_counters(job, thread);
   end_job(renderer, job, done, &events);
}

static bool
has_work(const struct tbr_renderer *renderer)
{
   const struct tbr_job *job = renderer->first;
   /* What shaders store in one order of tiles, the same in every run. */
   if (job && job->in_order && job->claimed)
      return false;
   return job && has_tiles(job);
}

static int
worker_main(void *data)
{
   struct tbr_renderer *renderer = data;
   struct tbr_tile_thread *thread = tbr_tile_thread_create();
   /* The program's locale may write 0,5: debug output of tiles has commas between numbers. */
   const locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
   if (locale)
      uselocale(locale);

   u_thread_setname("tbrsim:tile");
   /* Denormals are flushed, as GPUs do, and draw does for vertices. */
   util_fpstate_set_denorms_to_zero(util_fpstate_get());
   mtx_lock(&renderer->lock);
   for (;;) {
      while (!renderer->stop && !has_work(renderer))
         cnd_wait(&renderer->work, &renderer->lock);
      if (!has_work(renderer))
         break;
      struct tbr_job *job = renderer->first;
      assert(job->state == TBR_JOB_QUEUED && job->users > 0);
      if (job->time && !job->claimed)
         job->time->begin = os_time_get_nano();
      job->claimed = true;
      /* Keeps the batch alive for a worker that finds all its tiles taken. */
      job->users++;
      mtx_unlock(&renderer->lock);
      render_tiles(renderer, job, thread);
      mtx_lock(&renderer->lock);
   }
   mtx_unlock(&renderer->lock);
   tbr_tile_thread_destroy(thread);
   if (locale) {
      uselocale(LC_GLOBAL_LOCALE);
      freelocale(locale);
   }
   return 0;
}

/** Whether the batch would exceed a limit and has to wait. */
static bool
is_busy_for(const struct tbr_renderer *renderer, const struct tbr_job *job)
{
   return renderer->in_flight >= MAX_BATCHES_IN_FLIGHT ||
          (renderer->in_flight &&
           (renderer->blocks_in_flight + job->num_blocks > MAX_BLOCKS_IN_FLIGHT ||
            renderer->orphaned_bytes_in_flight + job->orphaned_bytes > MAX_ORPHANED_BYTES_IN_FLIGHT));
}

void
tbr_renderer_submit(struct tbr_renderer *renderer, struct tbr_job *job)
{
   assert(!renderer->in_forked_child);
   job->source.owner = (struct cm_pass_owner){release_tile, release};
   job->source.wait_tile = wait_tile;
   mtx_lock(&renderer->lock);
   while (is_busy_for(renderer, job))
      cnd_wait(&renderer->retired, &renderer->lock);
   struct live_batch *live = find_live(renderer, job->sequence);
   assert(live && !live->submitted && !job->users);
   live->submitted = true;
   tbr_job_set_state(job, TBR_JOB_IDLE, TBR_JOB_QUEUED);
   renderer->in_flight++;
   renderer->blocks_in_flight += job->num_blocks;
   renderer->orphaned_bytes_in_flight += job->orphaned_bytes;
   job->context->batches_in_flight++;
   job->users = job->recorded ? 2 : 1;
   job->next = NULL;
   assert(!renderer->first == !renderer->last);
   if (renderer->last)
      renderer->last->next = job;
   else
      renderer->first = job;
   renderer->last = job;
   mtx_unlock(&renderer->lock);
   cnd_broadcast(&renderer->work);
}

bool
tbr_renderer_done(struct tbr_renderer *renderer, uint64_t sequence)
{
   if (sequence < p_atomic_read(&renderer->oldest_live))
      return true;
   mtx_lock(&renderer->lock);
   const bool done = !is_pending(renderer, sequence);
   mtx_unlock(&renderer->lock);
   return done;
}

void
tbr_renderer_wait(struct tbr_renderer *renderer, uint64_t sequence)
{
   if (sequence < p_atomic_read(&renderer->oldest_live))
      return;
   mtx_lock(&renderer->lock);
   while (is_pending(renderer, sequence))
      cnd_wait(&renderer->rendered, &renderer->lock);
   mtx_unlock(&renderer->lock);
}

/** Whether the batch is rendered, or will never be. */
static bool
is_signalled(const struct tbr_renderer *renderer, uint64_t sequence)
{
   return !find_live(renderer, sequence) || renderer->in_forked_child;
}

bool
tbr_renderer_signalled(struct tbr_renderer *renderer, uint64_t sequence)
{
   mtx_lock(&renderer->lock);
   const bool signalled = is_signalled(renderer, sequence);
   mtx_unlock(&renderer->lock);
   return signalled;
}

void
tbr_renderer_wait_signalled(struct tbr_renderer *renderer, uint64_t sequence)
{
   mtx_lock(&renderer->lock);
   while (!is_signalled(renderer, sequence))
      cnd_wait(&renderer->rendered, &renderer->lock);
   mtx_unlock(&renderer->lock);
}

bool
tbr_renderer_idle(struct tbr_renderer *renderer)
{
   mtx_lock(&renderer->lock);
   const bool idle = !renderer->in_flight || renderer->in_forked_child;
   mtx_unlock(&renderer->lock);
   return idle;
}

void
tbr_renderer_wait_idle(struct tbr_renderer *renderer)
{
   mtx_lock(&renderer->lock);
   while (renderer->in_flight && !renderer->in_forked_child)
      cnd_wait(&renderer->retired, &renderer->lock);
   mtx_unlock(&renderer->lock);
}

struct tbr_job *
tbr_renderer_take_retired(struct tbr_renderer *renderer, struct tbr_context *context)
{
   mtx_lock(&renderer->lock);
   struct tbr_job *jobs = context->retired_jobs;
   context->retired_jobs = NULL;
   mtx_unlock(&renderer->lock);
   return jobs;
}

void
tbr_renderer_drain(struct tbr_renderer *renderer, struct tbr_context *context)
{
   mtx_lock(&renderer->lock);
   while (context->batches_in_flight && !renderer->in_forked_child)
      cnd_wait(&renderer->retired, &renderer->lock);
   mtx_unlock(&renderer->lock);
}

void
tbr_renderer_leave_to_parent(struct tbr_renderer *renderer)
{
   renderer->in_forked_child = true;
   /* A worker may have held it. */
   mtx_init(&renderer->lock, mtx_plain);
}

struct tbr_renderer *
tbr_renderer_create(unsigned threads)
{
   struct tbr_renderer *renderer = CALLOC_STRUCT(tbr_renderer);
   if (!renderer)
      return NULL;
   mtx_init(&renderer->lock, mtx_plain);
   cnd_init(&renderer->work);
   cnd_init(&renderer->room);
   cnd_init(&renderer->tile);
   cnd_init(&renderer->rendered);
   cnd_init(&renderer->retired);
   renderer->next_sequence = 1;
   renderer->oldest_live = 1;
   if (!threads)
      threads = util_get_cpu_caps()->nr_cpus;
   renderer->wanted_threads = CLAMP(threads, 1, MAX_THREADS);
   for (unsigned i = 0; i < renderer->wanted_threads; i++) {
      if (u_thread_create(&renderer->threads[i], worker_main, renderer) != thrd_success)
         break;
      renderer->num_threads++;
   }
   if (!renderer->num_threads) {
      tbr_renderer_destroy(renderer);
      return NULL;
   }
   return renderer;
}

void
tbr_renderer_destroy(struct tbr_renderer *renderer)
{
   if (!renderer || renderer->in_forked_child)
      return;
   mtx_lock(&renderer->lock);
   renderer->stop = true;
   cnd_broadcast(&renderer->work);
   mtx_unlock(&renderer->lock);
   for (unsigned i = 0; i < renderer->num_threads; i++)
      thrd_join(renderer->threads[i], NULL);
   assert(!renderer->first);
   /* The program's threads wait for the others, `rendered` and `retired`: below a signal's handler that ends the display, as
    * ioquake3's does, for ever, and destroying them would wait for the waiter. It frees nothing. */
   cnd_destroy(&renderer->work);
   cnd_destroy(&renderer->room);
   cnd_destroy(&renderer->tile);
   mtx_destroy(&renderer->lock);
   util_dynarray_foreach (&renderer->spare_events, struct cm_tile_events, events)
      free(events->words);
   util_dynarray_fini(&renderer->spare_events);
   util_dynarray_fini(&renderer->live);
   FREE(renderer);
}
