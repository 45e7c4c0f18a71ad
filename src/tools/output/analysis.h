/* SPDX-License-Identifier: MIT */
/** The results of `tbrsim analyze`: for a report, as JSON, as tables. docs/analysis.md
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

/** The groups of streams that the paper's figures distinguish, in their order. */
enum group {
   GROUP_TEXTURE,
   GROUP_GEOMETRY,
   GROUP_PARAMETER_BUFFER,
   GROUP_FRAME_BUFFER,
   GROUP_PROGRAMS,
   GROUP_COUNT
};
extern const char *const group_names[GROUP_COUNT];
enum group group_of(enum cm_stream stream);

/** Frames that count. */
unsigned analysis_frames(const struct analysis *analysis);

/** What a simulation counted of a stream at the point, over the frames that count. */
struct cm_reuse_counts
analysis_reuse(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream);
struct cm_histogram
analysis_tiles(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream);

/** Blocks of a stream read from and written to memory, over the frames that count. */
uint64_t analysis_memory_accesses(const struct simulated *simulation, enum cm_stream stream);
/** Accesses of a stream that the point could not serve (misses and bypasses); 0 where it is memory. */
uint64_t
analysis_misses(const struct analysis *analysis, const struct simulated *simulation, enum cm_stream stream);

/** Prints the report, with the numbers of the paper's figures. */
void analysis_print(const struct analysis *analysis);

/** Prints all values as one JSON object. */
void analysis_print_json(const struct analysis *analysis, FILE *file);

/** Writes analysis.json and the tables into a directory, which must exist. Exits
 * with a message if a file cannot be written. */
void analysis_write(const struct analysis *analysis, const char *directory);

#endif
