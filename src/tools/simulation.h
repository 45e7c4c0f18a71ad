/* SPDX-License-Identifier: MIT */
/** Simulations of one recording under several configurations at once: it is decoded once, and
 * threads take turns at decoding and at the configurations that are behind. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include <stdbool.h>

#include "advice/change.h"
#include "configurations.h"
#include "gpu/gpu.h"
#include "memory/future.h"

struct simulation {
   const struct configuration *configuration;
   const char *out;                /**< directory for stats.json and frames.csv; NULL: none */
   struct cm_counter_table *table; /**< of the configuration's counters */
   uint64_t *total;                /**< their sums over the frames */
   unsigned warm_up;               /**< frames at the beginning that are simulated and not counted */
   unsigned frames;                /**< counted */
   unsigned written;               /**< of these, to out */
   bool failed;                    /**< something was not simulated or not written; it was reported */
   /** Reads the accesses, in the pass over the recording that counts; NULL: not read. */
   const struct cm_access_reader *reader;

   /** The program does this differently; NULL: it is as recorded. */
   const struct cm_change *change;

   /** Frames of which there is a timeline, in out, and the number of the first one simulated; NULL: none. */
   const struct cm_timeline_frames *timeline;

   /* Within simulations_run. */
   struct cm_stats_writer *writer;
   struct cm_attribution_writer *attribution;
   struct cm_timeline_writer *timeline_writer;
   struct cm_futures *futures;
   struct cm_gpu *gpu;
   struct cm_changer *changer;
   bool finished;
   unsigned warmed; /**< frames of warm_up that are done */
};

struct simulations {
   struct cm_recording *recording;
   unsigned first_frame, last_frame; /**< of cm_recording_frames */
   struct simulation *list;
   unsigned count;
   unsigned jobs; /**< threads */
};

/** Adds a timeline to a simulation that was prepared; frames must outlive it. */
void simulation_add_timeline(struct simulation *simulation, const struct cm_timeline_frames *frames);

/** Prepares a simulation; its statistics, without those of warm_up frames, go to out (NULL: nowhere). */
void simulation_start(struct simulation *simulation, const struct configuration *configuration,
                      const struct cm_recording *recording, const char *out, unsigned warm_up);

/** Simulates all frames. False where the recording ended sooner than it should
 * (cm_recording_damage), or a simulation failed. */
bool simulations_run(struct simulations *simulations);

#endif
