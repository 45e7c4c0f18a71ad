/* SPDX-License-Identifier: MIT */
/**
 * Where the results of a process go, when several may write into one directory.
 *
 * Each process that finishes a frame has a folder of its own, DIRECTORY/PROGRAM-N, N counting from 1 for
 * each name; DIRECTORY/processes.csv lists them (process_index.h), and DIRECTORY/stats.json and frames.csv
 * are links to the files of the latest process. Nothing of that exists before a process' first
 * frame has been written, and nothing is removed before that.
 *
 * Processes of one run (TBRSIM_RUN) are kept together; the first one of another run replaces those that the
 * index lists, except runs of which a process still writes: its folder is locked. In a folder only the files
 * that tbrsim writes are removed, and the folder if nothing else is in it. Links in place of folders are
 * not followed. All this is done under a lock on the directory.
 *
 * The recording of the process that draws first has the name that was asked for; others have PROGRAM-N in
 * theirs, before the ending. A file that was written before the run began is replaced.
 */
#ifndef CM_PROCESS_RESULTS_H
#define CM_PROCESS_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

struct cm_process_results;

/** Tables that tbrsim writes into a folder where the configuration asks for them (gpu/attribution_writer.h). */
#define CM_STATISTICS_TABLES "passes.csv", "draws.csv", "textures.csv", "tiles.csv"
/** A timeline that it writes where one is asked for (gpu/timeline_writer.h). */
#define CM_STATISTICS_TIMELINE "timeline.pftrace"
/** The same tables as Parquet, which the command makes of them when the program has ended. */
#define CM_STATISTICS_PARQUET \
   "frames.parquet", "passes.parquet", "draws.parquet", "textures.parquet", "tiles.parquet"
/** The files that tbrsim writes into a folder. */
#define CM_STATISTICS_FILES                                                                           \
   "stats.json", "frames.csv", CM_STATISTICS_TABLES, CM_STATISTICS_TIMELINE, CM_STATISTICS_PARQUET,   \
      ".stats.json.new", ".frames.csv.new", ".passes.csv.new", ".draws.csv.new", ".textures.csv.new", \
      ".tiles.csv.new", ".timeline.pftrace.new", ".frames.parquet.new", ".passes.parquet.new",        \
      ".draws.parquet.new", ".textures.parquet.new", ".tiles.parquet.new"

/** The beginning of a run's name: when it began, as "SECONDS.NANOSECONDS" of the clock of files. */
void cm_run_time(char *text, size_t size);

/** Whether a file was written to since the run began. */
bool cm_run_has_written(const char *run, const char *path);

/** The results of this process. directory: for its statistics, NULL: it has none; run: the run's name,
 * which begins with its time (cm_run_time); NULL: the process is a run of its own;
 * program: the process' name. Makes nothing yet. NULL when out of memory. */
struct cm_process_results *
cm_process_results_create(const char *directory, const char *run, const char *program);
/** The folder counts as finished. */
void cm_process_results_destroy(struct cm_process_results *results);

/** In a child: stops using its parent's results, which are not freed. */
void cm_process_results_leave_to_parent(struct cm_process_results *results);

/** Makes the folder, and keeps the directory locked. False after a message. */
bool cm_process_results_begin(struct cm_process_results *results);
/** Its path. */
const char *cm_process_results_path(const struct cm_process_results *results);
/** After the first frame: written says whether it could be. Lists the folder, makes the links and
 * removes what is replaced; otherwise removes the folder. Unlocks. False after a message. */
bool cm_process_results_end(struct cm_process_results *results, bool written);

/** Statistics of no process were written directly into the directory: removes what processes of
 * finished runs have left there. False after a message. */
bool cm_process_results_replace(const char *directory);

/** Whether a path is below a directory. */
bool cm_path_is_below(const char *path, const char *directory);

/** A recording is about to be opened: makes the directory, if it is that of the statistics, or below. */
void cm_process_results_prepare_recording(const struct cm_process_results *results, const char *path);

/** A recording that has a first frame gets its name: the file, without a name where temporary is NULL, else of
 * that name in the directory of path. Its path (to be freed), or NULL with errno set. results may be NULL: then it
 * is path. Called on any thread. */
char *cm_process_results_name_recording(struct cm_process_results *results, const char *path, int file,
                                        const char *temporary);

#endif
