/* SPDX-License-Identifier: MIT */
/** Feeds a stream of accesses to the caches of a sweep, on several threads: the stream comes in parts, each of which is
 * simulated on all caches. Parts whose next uses or whose frame a cache has to know first are kept until they are known. */
#ifndef CACHE_FEED_H
#define CACHE_FEED_H

#include <stdbool.h>

#include "analysis/sweep.h"
#include "commands/simulation.h"
#include "commands/work_queue.h"

/** Parts that are kept. */
struct feed_window {
   struct feed_part **parts;
   unsigned count;
   bool used; /**< a cache must wait for its end */
};

struct cache_feed {
   struct cm_sweep *sweep;
   /** Next uses end where caches begin empty: with each render pass, with each frame; else with the stream. */
   bool empty_each_pass, empty_each_frame;

   /* Within cache_feed_*. */
   struct feed_window pending_uses, frame;
   struct cm_next_use uses[1 + CM_STREAM_COUNT]; /* by what bypasses the caches (cm_sweep_uncached) */
   bool uses_wanted[1 + CM_STREAM_COUNT];
   struct work_queue queue;
};

/** Begins; sweep and when it is emptied are filled in, all after them is 0. jobs: threads, the caller's included. */
void cache_feed_start(struct cache_feed *feed, unsigned jobs);
/** The next part, whose arrays it takes over; the last one ends the stream. Exits when out of memory. */
void cache_feed_add(void *feed, struct cm_access_runs *part);
/** After the last part: the caches have taken all. */
void cache_feed_finish(struct cache_feed *feed);

/** Of a recording: the accesses that arrive at a unit. */
struct recorded_accesses {
   enum cm_unit unit;
   unsigned unit_block_shift; /**< binary logarithm of the bytes of the unit's blocks */
   unsigned block_shift;      /**< of the caches' blocks, at least that */
   uint32_t streams;          /**< a bit for each stream that is looked at */
};

/** All of the above for a recording: simulates the frames of simulations under its one configuration, and gives a new feed
 * what arrives. False if something was lost, which has been reported. */
bool cache_feed_recording(struct cache_feed *feed, const struct recorded_accesses *accesses, unsigned jobs,
                          struct simulations *simulations, const struct configuration *configuration);

/** A cache that lets everything hit, in place of the unit: what arrives there does not depend on what it does. */
struct cm_cache_config cache_feed_perfect(uint32_t block, uint32_t instances);

#endif
