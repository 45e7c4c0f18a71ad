/* SPDX-License-Identifier: MIT */
/** Caches of many sizes, ways and policies over the accesses of recordings: what tbrsim sweep and tbrsim llc do. */
#ifndef SWEEP_COMMAND_H
#define SWEEP_COMMAND_H

#include "analysis/sweep.h"
#include "options.h"

struct sweep_request {
   struct operands recordings;
   struct cache_selection caches; /**< policies are given */
   struct configurations configurations;
   struct frame_selection frames;
   const char *out; /**< NULL: standard output */
   unsigned jobs;
   enum output_format format;
   bool primitives;      /**< a block of the caches is a primitive, of pb_attribute */
   const char *uncached; /**< each cache also with a stream that bypasses it; NULL: no */
   /** by_stream: the caches differ from the configuration's unit, by default the one before memory. Else from one that has
    * nothing but a size and ways, which are given, and of streams or of a unit. bounded is found out. */
   struct cm_sweep_options options;
};

/** Simulates and prints the results. Returns the exit status; exits with a message where something is wrong. */
int sweep_recordings(struct sweep_request *request);

#endif
