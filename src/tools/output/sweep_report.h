/* SPDX-License-Identifier: MIT */
/** The results of `tbrsim sweep` and, stream by stream, of `tbrsim llc`: as a table, as comma-separated values, as JSON.
 * docs/sweeps.md and docs/llc.md describe each value. */
#ifndef SWEEP_REPORT_H
#define SWEEP_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "input/cache_points.h"

/** The caches of one recording. */
struct sweep_report {
   const char *file;                 /**< the recording */
   const char *configuration;        /**< its name, settings included */
   const char *accesses;             /**< the streams or the unit, as given */
   unsigned first_frame, last_frame; /**< by the program's numbers */
   uint32_t block_bytes;
   enum cm_index index;
   bool empty_each_pass; /**< each render pass begins with empty caches */
   const struct cm_sweep_options *options;
   const struct cache_points *points;
   const struct cm_sweep *sweep; /**< after the last part of the stream */
};

/** Prints a table. Exits, as the other two do, where a result is missing or cannot be. */
void sweep_report_table(const struct sweep_report *report, FILE *file);
/** Adds lines of comma-separated values (output_csv). */
void sweep_report_rows(const struct sweep_report *report, json_t *rows);
json_t *sweep_report_json(const struct sweep_report *report);

#endif
