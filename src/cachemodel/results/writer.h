/* SPDX-License-Identifier: MIT */
/**
 * Writes DIRECTORY/stats.json and DIRECTORY/frames.csv, frame by frame.
 *
 * frames.csv has the column "frame" (a number, from 0) and one for each counter that was not zero in
 * some frame so far, in the counter table's order; the table's first, gpu.frames, always has one. A
 * counter that gets its first value late gets its column then, with zeros above.
 *
 * stats.json is {"run": {…}, "columns": [COUNTER, …], "frames": [[n, …], …], "total": {COUNTER: n, …}}:
 * what frames.csv has except "frame", a list per frame, and the sums of the frames, which name all
 * counters; one that is not among the columns was zero in every frame.
 *
 * Where time is simulated, the last column is "fps": frames per second at clock_mhz, with three
 * decimals; for the total, over the time of all frames.
 *
 * After each frame both files are complete up to that frame, whenever the process is killed; but
 * frames.csv may have the last frame, and its columns, while stats.json does not yet. What a directory
 * held before stays until the first frame has been written.
 */
#ifndef CM_STATS_WRITER_H
#define CM_STATS_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/counters.h"

struct cm_appended_file;
struct cm_config;
struct cm_process_results;
struct cm_stats_writer;
struct cm_table_file;

/** A value of "run" besides the schema and the configuration: program, versions … */
struct cm_run_value {
   const char *key, *value;
};
/** The commit of the simulator. That of the renderer, "commit", is in recordings, too. */
#define CM_RUN_SIMULATOR "simulator"
/** If a recording was simulated: its fingerprint (cm_recording_fingerprint). */
#define CM_RUN_RECORDING "recording"

/** Makes a writer: of a process' results (which must outlive it), or of a directory that has no other,
 * with results NULL. Opens nothing: the directory (its last level is created) and the files are made at
 * the first frame, and not at all if there is none. table must outlive the writer; the rest is copied.
 * NULL when out of memory. */
struct cm_stats_writer *
cm_stats_writer_create(const char *directory, struct cm_process_results *results,
                       const struct cm_counter_table *table, const struct cm_config *config,
                       const struct cm_run_value *values, size_t num_values);

/** Most tables of a writer. */
#define CM_MAX_STATS_TABLES 4

/** Before the first frame: another file of the directory (stats/table_file.h). cm_stats_writer_frame writes the rows that it
 * has. It belongs to the writer from now on. */
void cm_stats_writer_add_table(struct cm_stats_writer *writer, struct cm_table_file *table);

/** Before the first frame: a file to which frames append (stats/appended_file.h), one at most. cm_stats_writer_frame writes
 * what it has of the frame. It belongs to the writer from now on. */
void cm_stats_writer_add_file(struct cm_stats_writer *writer, struct cm_appended_file *file);

/** Frames so far: the number of the next one. */
uint64_t cm_stats_writer_frames(const struct cm_stats_writer *writer);

/** Appends a frame (values in the table's order). When the files cannot be
 * written, a message (util/message.h) the first time, and false from then on; the frames
 * written before stay readable. */
bool cm_stats_writer_frame(struct cm_stats_writer *writer, const uint64_t *values);

/** After cm_stats_writer_frame: a picture (PNG) of what a pass of that frame has rendered, into the folder
 * results/thumbnails.h. pass: its number in the frame, from 0. A message the first time that it cannot be written, and false
 * then and from then on. */
bool cm_stats_writer_thumbnail(struct cm_stats_writer *writer, uint32_t pass, const void *png, size_t size);

/** Closes the files. False if anything could not be written. */
bool cm_stats_writer_destroy(struct cm_stats_writer *writer);

#endif
