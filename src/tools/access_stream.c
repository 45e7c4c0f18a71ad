/* SPDX-License-Identifier: MIT */
#include "access_stream.h"

#include <pthread.h>
#include <stdlib.h>

#include "memory/next_use.h"
#include "tools.h"

/** Runs of a part, where no render pass bounds it. */
#define PART_RUNS 65536
/** Parts that wait for a unit: as many, and of memory. One may be larger. */
#define MAX_PARTS 32
#define MAX_BYTES (256ul << 20)
/** No run. */
#define NO_RUN UINT64_MAX

struct part {
   struct cm_access_runs runs;
   uint32_t *next; /* next uses that are the part's own */
   uint32_t max_runs, max_invalidations;
   unsigned users; /* units that have not yet taken it */
};

struct worker {
   bool takes_part; /* in this round */
   bool busy;
   unsigned next; /* number of the part it takes next */
};

/* What the threads share. A round is one passage over the recording. */
struct feed {
   const struct access_stream *stream;
   struct access_round round;
   unsigned frames;         /* that have ended in this round */
   bool needs_next;         /* a unit does */
   bool collects;           /* this round finds out the next uses, for the next one */
   struct cm_next_use uses; /* of all runs */
   uint64_t position;       /* in them */

   /* The part that is being filled. */
   struct part filling;
   cm_run last; /* its last run; NO_RUN: none that can be added to */

   pthread_mutex_t lock;
   pthread_cond_t changed;
   struct part parts[MAX_PARTS]; /* a ring: part n is at n % MAX_PARTS */
   unsigned first, end;          /* parts there are */
   unsigned long bytes;
   bool ended; /* no more parts come */
   struct worker *workers;
   unsigned num_workers, members;
};

/* ---- threads ------------------------------------------------------------------ */

static unsigned long
bytes_of(const struct part *part)
{
   return part->runs.num_runs * (sizeof(cm_run) + 2 * sizeof(uint32_t));
}

static void
free_part(struct part *part)
{
   free(part->runs.runs);
   free(part->runs.counts);
   free(part->runs.invalidations);
   free(part->next);
}

/* The unit that is farthest behind and has something to take; NULL: none. The lock is held. */
static struct worker *
find_work(const struct feed *feed)
{
   struct worker *found = NULL;
   for (unsigned w = 0; w < feed->num_workers; w++) {
      struct worker *worker = &feed->workers[w];
      if (worker->takes_part && !worker->busy && worker->next < feed->end &&
          (!found || worker->next < found->next))
         found = worker;
   }
   return found;
}

static void
release_parts(struct feed *feed)
{
   while (feed->first < feed->end && !feed->parts[feed->first % MAX_PARTS].users) {
      struct part *part = &feed->parts[feed->first++ % MAX_PARTS];
      feed->bytes -= bytes_of(part);
      free_part(part);
   }
}

static void
work(struct feed *feed, struct worker *worker)
{
   struct part *part = &feed->parts[worker->next % MAX_PARTS];
   worker->busy = true;
   pthread_mutex_unlock(&feed->lock);
   feed->stream->run(feed->stream->caches, (unsigned)(worker - feed->workers), &part->runs);
   pthread_mutex_lock(&feed->lock);
   worker->busy = false;
   worker->next++;
   part->users--;
   release_parts(feed);
   pthread_cond_broadcast(&feed->changed);
}

static void *
thread_main(void *data)
{
   struct feed *feed = data;
   pthread_mutex_lock(&feed->lock);
   while (!feed->ended || feed->first < feed->end) {
      struct worker *worker = find_work(feed);
      if (worker)
         work(feed, worker);
      else
         pthread_cond_wait(&feed->changed, &feed->lock);
   }
   pthread_mutex_unlock(&feed->lock);
   return NULL;
}

/* Adds a part; works on others while there is no room for it. */
static void
enqueue(struct feed *feed, struct part *part)
{
   pthread_mutex_lock(&feed->lock);
   while (feed->end - feed->first == MAX_PARTS || (feed->bytes > MAX_BYTES && feed->first < feed->end)) {
      struct worker *worker = find_work(feed);
      if (worker)
         work(feed, worker);
      else
         pthread_cond_wait(&feed->changed, &feed->lock);
   }
   part->users = feed->members;
   feed->bytes += bytes_of(part);
   feed->parts[feed->end++ % MAX_PARTS] = *part;
   release_parts(feed);
   pthread_cond_broadcast(&feed->changed);
   pthread_mutex_unlock(&feed->lock);
}

/* ---- parts -------------------------------------------------------------------- */

/* Adds a part's runs to next uses. */
static void
collect(struct cm_next_use *uses, const struct cm_access_runs *runs)
{
   uint64_t blocks[1024];
   uint32_t run = 0;
   for (uint32_t i = 0; i <= runs->num_invalidations; i++) {
      const uint32_t end = cm_access_runs_piece(runs, i);
      while (run < end) {
         unsigned count = 0;
         for (; count < 1024 && run < end; run++)
            blocks[count++] = cm_run_block(runs->runs[run]);
         cm_next_use_add(uses, blocks, count);
      }
      if (i < runs->num_invalidations)
         cm_next_use_invalidate(uses, runs->invalidations[i].first, runs->invalidations[i].last);
   }
}

/* Next uses for a part after which all is forgotten. */
static void
find_own_next_uses(struct part *part)
{
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   collect(&uses, &part->runs);
   cm_next_use_rewind(&uses);
   if (uses.problem != CM_NEXT_USE_FINE)
      fail(STATUS_FAILED, "out of memory for the next uses of a render pass");
   part->runs.next = part->next = uses.next;
}

/* The part that was filled goes to the units; the next one begins. */
static void
hand_over(struct feed *feed)
{
   struct part part = feed->filling;
   feed->filling = (struct part){.max_runs = 0};
   feed->last = NO_RUN;
   if (!part.runs.num_runs && !part.runs.num_invalidations && !part.runs.ends_frame &&
       !part.runs.ends_stream) {
      free_part(&part);
      return;
   }
   part.runs.forgets = feed->stream->forgets;
   if (feed->round.counts && feed->stream->count && !feed->stream->count(feed->stream->caches, &part.runs))
      fail(STATUS_FAILED, "out of memory");
   if (feed->collects)
      collect(&feed->uses, &part.runs);
   else if (feed->needs_next && part.runs.forgets)
      find_own_next_uses(&part);
   else if (feed->needs_next)
      part.runs.next = feed->uses.next + feed->position;
   feed->position += part.runs.num_runs;
   enqueue(feed, &part);
}

static void *
grown(void *array, uint32_t count, size_t element_bytes)
{
   void *larger = realloc(array, count * element_bytes);
   if (!larger)
      fail(STATUS_FAILED, "out of memory");
   return larger;
}

static void
add_run(struct feed *feed, cm_run run)
{
   if (!feed->stream->forgets && feed->filling.runs.num_runs == PART_RUNS)
      hand_over(feed);
   struct part *part = &feed->filling;
   if (part->runs.num_runs == part->max_runs) {
      part->max_runs = part->max_runs ? part->max_runs * 2 : feed->stream->forgets ? 1024 : PART_RUNS;
      part->runs.runs = grown(part->runs.runs, part->max_runs, sizeof(cm_run));
      part->runs.counts = grown(part->runs.counts, part->max_runs, sizeof(uint32_t));
   }
   part->runs.runs[part->runs.num_runs] = run;
   part->runs.counts[part->runs.num_runs++] = 1;
   feed->last = run;
}

/* ---- what the simulation tells ------------------------------------------------- */

static void
observe_access(void *context, uint64_t address, uint32_t bytes, enum cm_stream stream, enum cm_access access)
{
   struct feed *feed = context;
   (void)bytes;
   if (!(feed->stream->streams >> stream & 1))
      return;
   const cm_run run = cm_run_make(address >> feed->stream->block_shift, stream, access != CM_READ);
   uint32_t *counts = feed->filling.runs.counts;
   if (run == feed->last && counts[feed->filling.runs.num_runs - 1] < UINT32_MAX)
      counts[feed->filling.runs.num_runs - 1]++;
   else
      add_run(feed, run);
}

static void
observe_invalidation(void *context, uint64_t begin, uint64_t end)
{
   struct feed *feed = context;
   struct part *part = &feed->filling;
   const uint64_t first = begin >> feed->stream->block_shift, last = (end - 1) >> feed->stream->block_shift;
   const uint32_t before = part->runs.num_runs, count = part->runs.num_invalidations;
   const struct cm_run_invalidation *previous = count ? &part->runs.invalidations[count - 1] : NULL;
   /* Each instance of a unit tells. */
   if (previous && previous->before == before && previous->first == first && previous->last == last)
      return;
   if (count == part->max_invalidations) {
      part->max_invalidations = count ? count * 2 : 4;
      part->runs.invalidations =
         grown(part->runs.invalidations, part->max_invalidations, sizeof *part->runs.invalidations);
   }
   part->runs.invalidations[part->runs.num_invalidations++] =
      (struct cm_run_invalidation){before, first, last};
   feed->last = NO_RUN;
}

static void
observe_pass_end(void *context)
{
   struct feed *feed = context;
   if (feed->stream->forgets)
      hand_over(feed);
}

/* Waits until all units have taken what there is, working meanwhile. */
static void
drain(struct feed *feed)
{
   pthread_mutex_lock(&feed->lock);
   while (feed->first < feed->end) {
      struct worker *worker = find_work(feed);
      if (worker)
         work(feed, worker);
      else
         pthread_cond_wait(&feed->changed, &feed->lock);
   }
   pthread_mutex_unlock(&feed->lock);
}

static void
observe_frame_end(void *context)
{
   struct feed *feed = context;
   if (++feed->frames == feed->stream->warm_up && feed->stream->warm_up_end) {
      hand_over(feed);
      drain(feed);
      feed->stream->warm_up_end(feed->stream->caches, &feed->round);
   }
   if (!feed->stream->by_frames)
      return;
   feed->filling.runs.ends_frame = true;
   hand_over(feed);
}

/* ---- rounds -------------------------------------------------------------------- */

static bool
needs_next(const struct feed *feed, unsigned unit)
{
   return feed->stream->needs_next && feed->stream->needs_next(feed->stream->caches, unit);
}

/* The units that take part: those that need next uses, the others, or both. */
static void
choose_members(struct feed *feed, bool with_next, bool without_next)
{
   feed->members = 0;
   feed->round.with_next = with_next;
   feed->round.without_next = without_next;
   for (unsigned w = 0; w < feed->num_workers; w++) {
      const bool needs = needs_next(feed, w);
      feed->workers[w] = (struct worker){.takes_part = needs ? with_next : without_next};
      feed->members += feed->workers[w].takes_part;
   }
}

static bool
run_round(struct feed *feed, struct simulations *simulations, const struct configuration *configuration,
          enum cm_unit point)
{
   const struct cm_observer observer = {.access = observe_access,
                                        .context = feed,
                                        .invalidate = observe_invalidation};
   feed->first = feed->end = 0;
   feed->position = 0;
   feed->frames = 0;
   feed->ended = false;
   feed->last = NO_RUN;
   simulation_start(simulations->list, configuration, simulations->recording, NULL, 0);
   simulations->list->observer = &observer;
   simulations->list->point = point;
   simulations->list->render_pass_end = observe_pass_end;
   simulations->list->frame_end = observe_frame_end;

   /* The thread that simulates is one of them. */
   pthread_t *threads = allocate(feed->stream->jobs * sizeof(*threads));
   unsigned started = 0;
   while (started + 1 < feed->stream->jobs && !pthread_create(&threads[started], NULL, thread_main, feed))
      started++;
   const bool fine = simulations_run(simulations);
   feed->filling.runs.ends_stream = feed->stream->by_frames;
   hand_over(feed);
   pthread_mutex_lock(&feed->lock);
   feed->ended = true;
   pthread_cond_broadcast(&feed->changed);
   pthread_mutex_unlock(&feed->lock);
   thread_main(feed);
   while (started)
      pthread_join(threads[--started], NULL);
   free(threads);
   return fine;
}

static void
check_next_uses(const struct cm_next_use *uses)
{
   if (uses->problem == CM_NEXT_USE_NO_MEMORY)
      fail(STATUS_FAILED, "out of memory for the next uses, which take 4 bytes each; choose fewer --frames");
   if (uses->problem == CM_NEXT_USE_TOO_MANY)
      fail(STATUS_FAILED, "too many accesses for next uses; select fewer --frames");
}

bool
access_stream_run(const struct access_stream *stream, struct simulations *simulations,
                  const struct configuration *configuration, enum cm_unit point)
{
   static struct feed feed;
   feed = (struct feed){.stream = stream, .round.counts = true, .num_workers = stream->num_units};
   feed.workers = allocate(feed.num_workers * sizeof(*feed.workers));
   pthread_mutex_init(&feed.lock, NULL);
   pthread_cond_init(&feed.changed, NULL);
   cm_next_use_init(&feed.uses);
   for (unsigned w = 0; w < feed.num_workers; w++)
      feed.needs_next |= needs_next(&feed, w);

   /* The next uses of the whole stream are not known before its end. */
   feed.collects = feed.needs_next && !stream->forgets;
   choose_members(&feed, !feed.collects, true);
   bool fine = run_round(&feed, simulations, configuration, point);
   if (feed.collects) {
      check_next_uses(&feed.uses);
      cm_next_use_rewind(&feed.uses);
      const uint64_t runs = feed.position;
      feed.collects = feed.round.counts = false;
      choose_members(&feed, true, false);
      fine &= run_round(&feed, simulations, configuration, point);
      if (feed.position != runs)
         fail(STATUS_FAILED, "the second pass over the recording had other accesses (a bug)");
   }
   cm_next_use_free(&feed.uses);
   pthread_cond_destroy(&feed.changed);
   pthread_mutex_destroy(&feed.lock);
   free(feed.workers);
   return fine;
}
