/* SPDX-License-Identifier: MIT */
/** The accesses of a recording on their way to the caches of a sweep: gathered in parts, each of which all
 * units of the sweep take, on several threads. */
#ifndef SWEEP_STREAM_H
#define SWEEP_STREAM_H

#include <stdbool.h>

#include "analysis/sweep.h"
#include "simulation.h"

struct sweep_stream {
   struct cm_sweep *sweep;
   unsigned block_shift; /**< of the sweep's blocks */
   uint32_t streams;     /**< a bit for each stream that is looked at */
   bool forgets;         /**< at the end of each render pass */
   unsigned jobs;        /**< threads */
};

/** Simulates the frames of simulations under its one configuration, as often as next uses need, and gives the
 * sweep what arrives at a unit there. False where something was lost, which has been said. */
bool sweep_stream_run(const struct sweep_stream *stream, struct simulations *simulations,
                      const struct configuration *configuration, enum cm_unit point);

#endif
