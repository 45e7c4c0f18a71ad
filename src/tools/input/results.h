/* SPDX-License-Identifier: MIT */
/** The results of programs that run on the simulated GPU: statistics of processes, recordings. */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options.h"

struct results {
   const char *out;    /**< directory of the statistics; NULL: none */
   const char *record; /**< file of the recording; NULL: none */
   const char *run;    /**< the run's name (results/process_results.h) */
   size_t before;      /**< processes of this run that were listed there before */
   /* Of results_count_frames. */
   int former; /**< the frames.csv that was there before; -1: none */
   FILE *frames;
   unsigned lines;
};

/** Checks that results can be written, without leaving or removing anything, and gives the run a name in
 * options: that of the environment, if the directory is the environment's, so that results there add up. Exits
 * if they cannot. */
struct results results_prepare(struct options *options);
/** Warns if --out was given and there will be no statistics. */
void results_say_none(const struct options *options);

/** Processes that have written statistics since. */
size_t results_count_processes(const struct results *results);
/** Frames in the frames.csv of the latest process, if it belongs to this run. */
unsigned results_count_frames(struct results *results);

/** After the program: a line if nothing was written, or if several processes have written. */
void results_report(const struct results *results);
/** The last line on stderr, a note, if one process has written: frames, DRAM traffic, where the results are and
 * what to do with them. */
void results_summarize(const struct results *results);
/** Checks the recordings that were made: whether there is one, and all are complete. Reports if not; that there
 * are no statistics either, results_report says. */
bool results_check_recordings(const struct results *results);

/** For --format parquet, before the program: exits with a message if there will be no tables, or if what converts
 * them to Parquet is missing. */
void results_check_tables(const struct options *options);
/** After the program: its tables as Parquet, if it has written any. False after a message. */
bool results_write_tables(const struct results *results);

#endif
