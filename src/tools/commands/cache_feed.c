/* SPDX-License-Identifier: MIT */
#include "commands/cache_feed.h"

#include <stdlib.h>

#include "tools.h"
#include "commands/work_queue.h"

struct part {
   struct cm_access_runs runs;
   uint32_t *next; /* next uses that are the part's own */
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
   struct work_queue queue; /* of parts, for the units */
};

/* ---- parts -------------------------------------------------------------------- */

static void
run_part(void *context, unsigned unit, void *part)
{
   const struct feed *feed = context;
   feed->options->run(feed->options->caches, unit, &((const struct part *)part)->runs);
}

static void
free_part(void *data)
{
   struct part *part = data;
   cm_access_runs_free(&part->runs);
   free(part->next);
   free(part);
}

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
   struct part *part = allocate(sizeof *part);
   part->runs = *runs;
   if (feed->round.counts && feed->options->count && !feed->options->count(feed->options->caches, runs))
      fail(STATUS_FAILED, "out of memory");
   if (feed->collects)
      cm_access_runs_add_next_uses(runs, &feed->uses);
   else if (feed->needs_next && runs->resets)
      find_own_next_uses(part);
   else if (feed->needs_next)
      part->runs.next = feed->uses.next + feed->position;
   feed->position += runs->num_runs;
   work_queue_add(&feed->queue, part, runs->num_runs * (sizeof(cm_run) + 2 * sizeof(uint32_t)));
}

static void
end_frame(void *context)
{
   struct feed *feed = context;
   if (++feed->frames != feed->options->warm_up || !feed->options->warm_up_end)
      return;
   cm_run_reader_flush(feed->reader, false);
   work_queue_drain(&feed->queue);
   feed->options->warm_up_end(feed->options->caches, &feed->round);
}

/* ---- rounds -------------------------------------------------------------------- */

static bool
needs_next(const struct feed *feed, unsigned unit)
{
   return feed->options->needs_next && feed->options->needs_next(feed->options->caches, unit);
}

/* Those that need next uses, the others, or both. */
static bool
takes_part(const void *context, unsigned unit)
{
   const struct feed *feed = context;
   return needs_next(feed, unit) ? feed->round.with_next : feed->round.without_next;
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
   feed->position = 0;
   feed->frames = 0;
   feed->queue = (struct work_queue){
      .context = feed,
      .num_consumers = feed->options->num_units,
      .takes_part = takes_part,
      .consume = run_part,
      .release = free_part,
   };
   feed->reader = cm_run_reader_create(&options);
   if (!feed->reader)
      fail(STATUS_FAILED, "out of memory");
   const struct cm_access_reader reader = cm_run_reader_reader(feed->reader);
   simulation_start(simulations->list, configuration, simulations, NULL, 0);
   simulations->list->reader = &reader;

   /* The thread that simulates is one of them. */
   work_queue_start(&feed->queue, feed->options->jobs - 1);
   const bool fine = simulations_run(simulations);
   cm_run_reader_flush(feed->reader, feed->options->by_frames);
   if (!cm_run_reader_complete(feed->reader))
      fail(STATUS_FAILED, "out of memory");
   cm_run_reader_destroy(feed->reader);
   work_queue_finish(&feed->queue);
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
cache_feed_run(const struct cache_feed *options, struct simulations *simulations,
               const struct configuration *configuration, enum cm_unit point)
{
   static struct feed feed;
   feed = (struct feed){.options = options};
   cm_next_use_init(&feed.uses);
   for (unsigned unit = 0; unit < options->num_units; unit++)
      feed.needs_next |= needs_next(&feed, unit);

   /* The next uses of the whole stream are not known before its end. */
   feed.collects = feed.needs_next && !options->empty_each_pass;
   feed.round = (struct feed_round){.counts = true, .with_next = !feed.collects, .without_next = true};
   bool fine = run_round(&feed, simulations, configuration, point);
   if (feed.collects) {
      check_next_uses(&feed.uses);
      cm_next_use_rewind(&feed.uses);
      const uint64_t runs = feed.position;
      feed.collects = false;
      feed.round = (struct feed_round){.with_next = true};
      fine &= run_round(&feed, simulations, configuration, point);
      if (feed.position != runs)
         fail(STATUS_FAILED, "the second pass over the recording had other accesses (a bug)");
   }
   cm_next_use_free(&feed.uses);
   return fine;
}
