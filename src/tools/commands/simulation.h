/* SPDX-License-Identifier: MIT */
/** Simulations of one recording under several configurations at once: it is decoded once, and
 * threads take turns at decoding and at the configurations that have got least far. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include <stdbool.h>

#include "advice/change.h"
#include "configurations.h"
#include "gpu/gpu.h"
#include "memory/future.h"
#include "util/frame_list.h"

/** Frames that are simulated, and those of them that are counted. */
struct frame_plan {
   const char *name;          /**< file that they are from */
   struct cm_frame_list runs; /**< of cm_recording_frames */
   unsigned num_frames;       /**< of all runs */
   uint32_t
      *counted; /**< for each frame of the recording: 1 + its number among those counted; 0: it is not */
   uint32_t num_counted; /**< frames that are counted */
};

struct simulation {
   const struct configuration *configuration;
   const char *out;                /**< directory for stats.json and frames.csv; NULL: none */
   struct cm_counter_table *table; /**< of the configuration's counters */
   uint64_t *total;                /**< their sums over the frames */
   unsigned warm_up;               /**< frames at the beginning that are simulated and not counted */
   unsigned frames;                /**< counted */
   unsigned written;               /**< of these, to out */
   bool failed;                    /**< something was not simulated or not written; it was reported */
   bool stopped;                   /**< and no frame is simulated any more */
   /** Reads the accesses, in the pass over the recording that counts; NULL: not read. */
   const struct cm_access_reader *reader;

   /** What the program does differently; none: it is as recorded. */
   const struct cm_change *changes;
   uint32_t num_changes;

   /** With a plan: each counted frame's counters, in the table's order; the caller's, to free. */
   uint64_t *samples;

   /** Frames of which there is a timeline, in out, and the number of the first one simulated; NULL: none. */
   const struct cm_timeline_frames *timeline;

   /* Within simulations_run. */
   struct cm_stats_writer *writer;
   struct cm_attribution_writer *attribution;
   struct cm_timeline_writer *timeline_writer;
   struct cm_futures *futures;
   unsigned model_threads;
   bool are_threads_asked_for; /**< and not a default: if they change nothing, a message says so */
   bool said_serial;           /**< a message has said that it is simulated on one thread */
   uint64_t nanoseconds;       /**< of processor time in the GPU's functions */
   const struct frame_plan *plan;
   struct cm_gpu *gpu;
   struct cm_changer *changer;
   bool finished;
   unsigned warmed; /**< frames of warm_up that are done */
   /** Frames that have ended, by their order modulo the size; of these, those whose counters the GPU has returned. */
   size_t ended[CM_MOST_ENDED_FRAMES];
   unsigned num_ended, num_taken;
};

struct simulations {
   struct cm_recording *recording;
   unsigned first_frame, last_frame; /**< of cm_recording_frames */
   const struct frame_plan *plan; /**< only these of them; caches keep what they hold in between; NULL: all */
   struct simulation *list;
   unsigned count;
   unsigned jobs;                 /**< threads */
   unsigned model_threads;        /**< of each simulation, in addition to those (cm_gpu_set_threads); 0: 1 */
   bool are_threads_asked_for;    /**< and not a default */
   const char *work_times;        /**< CSV of the processor time of each part of the work; NULL: none */
   uint64_t reading_nanoseconds;  /**< processor time of reading passes without their tiles */
   uint64_t decoding_nanoseconds; /**< of decoding tiles, all threads */
};

/** Adds a timeline to a simulation that was prepared; frames must outlive it. */
void simulation_add_timeline(struct simulation *simulation, const struct cm_timeline_frames *frames);

/** Prepares a simulation, of simulations that have their recording and plan; its statistics, without those of warm_up
 * frames, go to out (NULL: nowhere). */
void simulation_start(struct simulation *simulation, const struct configuration *configuration,
                      const struct simulations *simulations, const char *out, unsigned warm_up);

/** Simulates all frames, or those of the plan. False where the recording ended sooner than it should
 * (cm_recording_damage), or a simulation failed. */
bool simulations_run(struct simulations *simulations);

#endif
