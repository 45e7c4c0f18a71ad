/* SPDX-License-Identifier: MIT */
#include "commands/cache_feed.h"

#include <stdlib.h>

#include "tools.h"
#include "util/array.h"

/* A part, which goes through the queue once for each of the turns that are taken. */
struct feed_part {
   struct cm_access_runs runs;
   uint64_t position; /* of its first run in the next uses */
   const uint32_t *next[1 + CM_STREAM_COUNT];
   uint32_t *all_next[1 + CM_STREAM_COUNT]; /* the arrays of next uses that end with this part */
   unsigned users;                          /* items of the queue that are still to come, or have it */
};

struct item {
   struct feed_part *part;
   enum cm_sweep_turn turn; /* of the caches that take it */
   bool learns;
};

/* ---- the queue ---------------------------------------------------------------- */

static bool
takes_part(const void *context, unsigned unit)
{
   return true;
}

static void
run_item(void *context, unsigned unit, void *data)
{
   const struct cache_feed *feed = context;
   const struct item *item = data;
   struct cm_access_runs runs = item->part->runs;
   if (cm_sweep_turn(feed->sweep, unit) != item->turn)
      return;
   if (item->turn == CM_SWEEP_WITH_NEXT_USES || item->turn == CM_SWEEP_AFTER_NEXT_USES)
      runs.next = item->part->next[cm_sweep_uncached(feed->sweep, unit)];
   if (item->learns)
      cm_sweep_learn(feed->sweep, unit, &runs);
   else
      cm_sweep_run(feed->sweep, unit, &runs);
}

static void
release_item(void *data)
{
   struct feed_part *part = ((struct item *)data)->part;
   free(data);
   if (--part->users)
      return;
   cm_access_runs_free(&part->runs);
   for (unsigned u = 0; u <= CM_STREAM_COUNT; u++)
      free(part->all_next[u]);
   free(part);
}

static void
queue_part(struct cache_feed *feed, struct feed_part *part, enum cm_sweep_turn turn, bool learns)
{
   struct item *item = allocate(sizeof *item);
   *item = (struct item){part, turn, learns};
   work_queue_add(&feed->queue, item, part->runs.num_runs * (sizeof(cm_run) + 2 * sizeof(uint32_t)));
}

/* ---- parts that wait ------------------------------------------------------------ */

static void
keep(struct feed_window *window, struct feed_part *part)
{
   if (!cm_array_grow(&window->parts, window->count, sizeof *window->parts))
      fail(STATUS_FAILED, "out of memory");
   window->parts[window->count++] = part;
}

static void
queue_window(struct cache_feed *feed, struct feed_window *window, enum cm_sweep_turn turn, bool learns)
{
   for (unsigned p = 0; p < window->count; p++)
      queue_part(feed, window->parts[p], turn, learns);
}

/* All next uses of the parts that are kept are known. */
static void
set_next_uses(struct feed_window *window, struct cm_next_use *uses, unsigned uncached)
{
   if (uses->problem == CM_NEXT_USE_NO_MEMORY)
      fail(STATUS_FAILED,
           "out of memory for the next uses, 16 bytes per run of accesses; select fewer --frames");
   if (uses->problem == CM_NEXT_USE_TOO_MANY)
      fail(STATUS_FAILED, "too many accesses for next uses; select fewer --frames");
   cm_next_use_rewind(uses);
   for (unsigned p = 0; p < window->count; p++)
      window->parts[p]->next[uncached] = uses->next + window->parts[p]->position;
   window->parts[window->count - 1]->all_next[uncached] = uses->next;
   cm_next_use_init(uses);
}

static void
add_next_uses(struct cache_feed *feed, struct feed_part *part)
{
   struct feed_window *window = &feed->pending_uses;
   const struct feed_part *before = window->count ? window->parts[window->count - 1] : NULL;
   const struct cm_access_runs *runs = &part->runs;
   part->position = before ? before->position + before->runs.num_runs : 0;
   keep(window, part);
   for (unsigned u = 0; u <= CM_STREAM_COUNT; u++) {
      if (feed->uses_wanted[u])
         cm_access_runs_add_next_uses(runs, &feed->uses[u], u);
   }
   if (!runs->ends_stream && !(feed->empty_each_pass && runs->resets) &&
       !(feed->empty_each_frame && runs->ends_frame))
      return;
   for (unsigned u = 0; u <= CM_STREAM_COUNT; u++) {
      if (feed->uses_wanted[u])
         set_next_uses(window, &feed->uses[u], u);
   }
   queue_window(feed, window, CM_SWEEP_WITH_NEXT_USES, false);
   queue_window(feed, window, CM_SWEEP_AFTER_NEXT_USES, true);
   queue_window(feed, window, CM_SWEEP_AFTER_NEXT_USES, false);
   window->count = 0;
}

static void
add_to_frame(struct cache_feed *feed, struct feed_part *part)
{
   keep(&feed->frame, part);
   if (!part->runs.ends_frame && !part->runs.ends_stream)
      return;
   queue_window(feed, &feed->frame, CM_SWEEP_AFTER_FRAME, true);
   queue_window(feed, &feed->frame, CM_SWEEP_AFTER_FRAME, false);
   feed->frame.count = 0;
}

/* ---- a stream ------------------------------------------------------------------- */

void
cache_feed_start(struct cache_feed *feed, unsigned jobs)
{
   for (unsigned unit = 0; unit < cm_sweep_units(feed->sweep); unit++) {
      const enum cm_sweep_turn turn = cm_sweep_turn(feed->sweep, unit);
      feed->frame.used |= turn == CM_SWEEP_AFTER_FRAME;
      const bool uses = turn == CM_SWEEP_WITH_NEXT_USES || turn == CM_SWEEP_AFTER_NEXT_USES;
      feed->pending_uses.used |= uses;
      feed->uses_wanted[cm_sweep_uncached(feed->sweep, unit)] |= uses;
   }
   feed->queue = (struct work_queue){
      .context = feed,
      .num_consumers = cm_sweep_units(feed->sweep),
      .takes_part = takes_part,
      .consume = run_item,
      .release = release_item,
   };
   /* The thread that adds parts is one of them. */
   work_queue_start(&feed->queue, jobs - 1);
}

void
cache_feed_add(void *context, struct cm_access_runs *runs)
{
   struct cache_feed *feed = context;
   struct feed_part *part = allocate(sizeof *part);
   part->runs = *runs;
   part->users = 1 + 3 * feed->pending_uses.used + 2 * feed->frame.used;
   if (!cm_sweep_count(feed->sweep, runs))
      fail(STATUS_FAILED, "out of memory");
   queue_part(feed, part, CM_SWEEP_AT_ONCE, false);
   if (feed->pending_uses.used)
      add_next_uses(feed, part);
   if (feed->frame.used)
      add_to_frame(feed, part);
}

void
cache_feed_finish(struct cache_feed *feed)
{
   work_queue_finish(&feed->queue);
   free(feed->pending_uses.parts);
   free(feed->frame.parts);
}

/* ---- recordings ------------------------------------------------------------------ */

struct cm_cache_config
cache_feed_perfect(uint32_t block, uint32_t instances)
{
   return (struct cm_cache_config){
      .size = block,
      .ways = 1,
      .block = block,
      .instances = instances,
      .policy = CM_POLICY_PERFECT,
      .next = CM_UNIT_DRAM,
   };
}

bool
cache_feed_recording(struct cache_feed *feed, const struct recorded_accesses *accesses, unsigned jobs,
                     struct simulations *simulations, const struct configuration *configuration)
{
   const struct cm_run_options options = {
      .unit = accesses->unit,
      .unit_block_shift = accesses->unit_block_shift,
      .block_shift = accesses->block_shift,
      .streams = accesses->streams,
      .resets = feed->empty_each_pass,
      .take = cache_feed_add,
      .context = feed,
   };
   struct cm_run_reader *runs = cm_run_reader_create(&options);
   if (!runs)
      fail(STATUS_FAILED, "out of memory");
   const struct cm_access_reader reader = cm_run_reader_reader(runs);
   simulations->jobs = jobs > 1 ? 2 : 1; /* one decodes, one simulates */
   simulation_start(simulations->list, configuration, simulations, NULL, 0);
   simulations->list->reader = &reader;
   cache_feed_start(feed, jobs);
   const bool ok = simulations_run(simulations);
   cm_run_reader_end(runs);
   if (!cm_run_reader_complete(runs))
      fail(STATUS_FAILED, "out of memory");
   cm_run_reader_destroy(runs);
   cache_feed_finish(feed);
   return ok;
}
