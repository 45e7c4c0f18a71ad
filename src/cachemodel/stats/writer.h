/* SPDX-License-Identifier: MIT */
/**
 * Writes DIRECTORY/stats.json and DIRECTORY/frames.csv, frame by frame.
 *
 * After each frame both files are complete up to that frame: stats.json is valid
 * JSON, {"run": {…}, "frames": [{COUNTER: n, …}, …], "total": {…}}, where total is
 * the sum of the frames; frames.csv has a column "frame" and the same counters.
 * Where time is simulated, each of them has "fps" after the counters: frames a second
 * at clock_mhz, with three decimals; of the total, what it makes of all frames' time.
 * A process that is killed leaves what was written until then: frames.csv may have
 * the last frame and stats.json not yet.
 */
#ifndef CM_STATS_WRITER_H
#define CM_STATS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/counters.h"

struct cm_config;
struct cm_stats_writer;

/** A value of "run" besides the configuration: program, versions … */
struct cm_run_value {
   const char *key, *value;
};

/** Makes a writer. Opens nothing: the directory (its last level is created) and
 * the files are made at the first frame, or at the end if there was none. table
 * must outlive the writer; the rest is copied. NULL when memory is out. */
struct cm_stats_writer *
cm_stats_writer_create(const char *directory, const struct cm_counter_table *table,
                       const struct cm_config *config, const struct cm_run_value *values, size_t num_values);

/** Appends a frame (values in the table's order). When the files cannot be
 * written, one line on stderr the first time, and false from then on; the frames
 * written before stay readable. */
bool cm_stats_writer_frame(struct cm_stats_writer *writer, const uint64_t *values);

/** Closes the files. False if anything could not be written. */
bool cm_stats_writer_destroy(struct cm_stats_writer *writer);

#endif
