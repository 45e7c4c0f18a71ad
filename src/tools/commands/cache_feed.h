/* SPDX-License-Identifier: MIT */
/** Feeds the accesses of a recording that arrive at a unit to independent caches, on several threads. They are
 * gathered in parts, each of which is simulated on all caches. */
#ifndef CACHE_FEED_H
#define CACHE_FEED_H

#include <stdbool.h>

#include "analysis/access_runs.h"
#include "commands/simulation.h"

/** A pass over the recording. */
struct feed_round {
   bool counts;       /**< `count` is called in it */
   bool with_next;    /**< with the units that need next uses */
   bool without_next; /**< with the others */
};

struct cache_feed {
   /** The caches, in units that may run at the same time; what the functions get. */
   void *caches;
   unsigned num_units;
   /** Whether a unit's parts must have next uses; NULL: none's. */
   bool (*needs_next)(const void *caches, unsigned unit);
   /** Called with each part once, in order, before the units; false when out of memory. NULL: none. */
   bool (*count)(void *caches, const struct cm_access_runs *part);
   /** Called with each part, in order. */
   void (*run)(void *caches, unsigned unit, const struct cm_access_runs *part);
   unsigned unit_block_shift; /**< binary logarithm of the bytes of the unit's blocks */
   unsigned block_shift;      /**< of the caches' blocks, at least that */
   uint32_t streams;          /**< a bit for each stream that is looked at */
   bool empty_each_pass;      /**< caches are emptied at the end of each render pass */
   bool by_frames;            /**< parts have the ends of frames and the streams */
   unsigned jobs;             /**< threads */
   unsigned warm_up;          /**< frames at the beginning; 0: they are not reported */
   /** Called when the units of a round have taken all accesses of these frames, while none is at work. */
   void (*warm_up_end)(void *caches, const struct feed_round *round);
};

/** A cache that lets everything hit, in place of the unit: what arrives there does not depend on what it does. */
struct cm_cache_config cache_feed_perfect(uint32_t block, uint32_t instances);

/** Simulates the frames of simulations under its one configuration, as often as next uses need, and gives the
 * caches what arrives at a unit there. False where something was lost, which has been reported. */
bool cache_feed_run(const struct cache_feed *options, struct simulations *simulations,
                    const struct configuration *configuration, enum cm_unit point);

#endif
