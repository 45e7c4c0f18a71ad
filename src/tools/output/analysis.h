/* SPDX-License-Identifier: MIT */
/** The results of `tbrsim analyze`: as a report, as JSON. docs/analysis.md
 * describes each value. */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "config/config.h"
#include "events/recording_index.h"
#include "stats/counters.h"

/** One simulation of the recording. */
struct simulated {
   const char *traversal; /**< its frame.traversal */
   const struct cm_config *config;
   struct cm_analysis *accesses;         /**< those that arrived at the point */
   const struct cm_counter_table *table; /**< of its counters */
   const uint64_t *counters;             /**< sums over the counted frames */
};

enum { FORWARD, BOUSTROPHEDONIC, NUM_SIMULATIONS };

struct analysis {
   const char *file;
   /** The recording's frames, and which of them were simulated. The first ones of those fill the
    * caches and are not counted. */
   const struct cm_indexed_frame *frames;
   unsigned first_frame, last_frame;
   unsigned warm_up; /**< how many fill the caches; at least one counts */
   enum cm_unit point;
   uint32_t block_bytes; /**< of the point's blocks */
   uint32_t sets;        /**< that the reuse distances are taken in */
   struct simulated simulations[NUM_SIMULATIONS];
};

/** Frames that count. */
unsigned analysis_frames(const struct analysis *analysis);

/** Prints the report, with the numbers of the paper's figures. */
void analysis_print(const struct analysis *analysis);

/** Prints all values as one JSON object. */
void analysis_print_json(const struct analysis *analysis, FILE *file);

#endif
