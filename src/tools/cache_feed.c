/* SPDX-License-Identifier: MIT */
#include "cache_feed.h"

#include <pthread.h>
#include <stdlib.h>

#include "tools.h"

/** Limits of the parts that wait for a unit: number and bytes. A single part may be larger. */
#define MAX_PARTS 32
#define MAX_BYTES (256ul << 20)
struct part {
   struct cm_access_runs runs;
   uint32_t *next; /* next uses that are the part's own */
   unsigned users; /* units that have not simulated it yet */
};

struct worker {
   bool takes_part; /* in this round */
   bool busy;
   unsigned next; /* number of the part it takes next */
};

/* Shared by the threads. A round is one pass over the recording. */
struct feed {
   const struct cache_feed *options;
   struct feed_round round;
   unsigned frames;         /* that have ended in this round */
   bool needs_next;         /* a unit does */
   bool collects;           /* this round collects the next uses, for the next one */
   struct cm_next_use uses; /* of all runs */
   uint64_t position;       /* in them */

   struct cm_run_reader *reader;

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
   cm_access_runs_free(&part->runs);
   free(part->next);
}

/* The unit with waiting parts that is farthest behind; NULL: none. The lock is held. */
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
   feed->options->run(feed->options->caches, (unsigned)(worker - feed->workers), &part->runs);
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

/* Next uses for a part after which the caches are emptied. */
static void
find_own_next_uses(struct part *part)
{
   struct cm_next_use uses;
   cm_next_use_init(&uses);
   cm_access_runs_add_next_uses(&part->runs, &uses);
   cm_next_use_rewind(&uses);
   if (uses.problem != CM_NEXT_USE_FINE)
      fail(STATUS_FAILED, "out of memory for the next uses of a render pass");
   part->runs.next = part->next = uses.next;
}

static void
take_part(void *context, struct cm_access_runs *runs)
{
   struct feed *feed = context;
   struct part part = {.runs = *runs};
   if (feed->round.counts && feed->options->count && !feed->options->count(feed->options->caches, runs))
      fail(STATUS_FAILED, "out of memory");
   if (feed->collects)
      cm_access_runs_add_next_uses(runs, &feed->uses);
   else if (feed->needs_next && runs->resets)
      find_own_next_uses(&part);
   else if (feed->needs_next)
      part.runs.next = feed->uses.next + feed->position;
   feed->position += runs->num_runs;
   enqueue(feed, &part);
}

/* Waits until all units have simulated all parts, working meanwhile. */
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
end_frame(void *context)
{
   struct feed *feed = context;
   if (++feed->frames != feed->options->warm_up || !feed->options->warm_up_end)
      return;
   cm_run_reader_flush(feed->reader, false);
   drain(feed);
   feed->options->warm_up_end(feed->options->caches, &feed->round);
}

/* ---- rounds -------------------------------------------------------------------- */

static bool
needs_next(const struct feed *feed, unsigned unit)
{
   return feed->options->needs_next && feed->options->needs_next(feed->options->caches, unit);
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
   const struct cm_run_options options = {
      .unit = point,
      .unit_block_shift = feed->options->unit_block_shift,
      .block_shift = feed->options->block_shift,
      .streams = feed->options->streams,
      .resets = feed->options->empty_each_pass,
      .by_frames = feed->options->by_frames,
      .take = take_part,
      .frame_end = end_frame,
      .context = feed,
   };
   feed->first = feed->end = 0;
   feed->position = 0;
   feed->frames = 0;
   feed->ended = false;
   feed->reader = cm_run_reader_create(&options);
   if (!feed->reader)
      fail(STATUS_FAILED, "out of memory");
   const struct cm_access_reader reader = cm_run_reader_reader(feed->reader);
   simulation_start(simulations->list, configuration, simulations->recording, NULL, 0);
   simulations->list->reader = &reader;

   /* The thread that simulates is one of them. */
   pthread_t *threads = allocate(feed->options->jobs * sizeof(*threads));
   unsigned started = 0;
   while (started + 1 < feed->options->jobs && !pthread_create(&threads[started], NULL, thread_main, feed))
      started++;
   const bool fine = simulations_run(simulations);
   cm_run_reader_flush(feed->reader, feed->options->by_frames);
   if (!cm_run_reader_complete(feed->reader))
      fail(STATUS_FAILED, "out of memory");
   cm_run_reader_destroy(feed->reader);
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
cache_feed_run(const struct cache_feed *options, struct simulations *simulations,
               const struct configuration *configuration, enum cm_unit point)
{
   static struct feed feed;
   feed = (struct feed){.options = options, .round.counts = true, .num_workers = options->num_units};
   feed.workers = allocate(feed.num_workers * sizeof(*feed.workers));
   pthread_mutex_init(&feed.lock, NULL);
   pthread_cond_init(&feed.changed, NULL);
   cm_next_use_init(&feed.uses);
   for (unsigned w = 0; w < feed.num_workers; w++)
      feed.needs_next |= needs_next(&feed, w);

   /* The next uses of the whole stream are not known before its end. */
   feed.collects = feed.needs_next && !options->empty_each_pass;
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
