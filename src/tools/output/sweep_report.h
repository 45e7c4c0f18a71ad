/* SPDX-License-Identifier: MIT */
/** The results of `tbrsim sweep`: as a table, as comma-separated values, as JSON. docs/sweeps.md describes
 * each value. */
#ifndef SWEEP_REPORT_H
#define SWEEP_REPORT_H

#include <stdio.h>

#include "analysis/sweep.h"

struct sweep_report {
   const char *file;          /**< the recording */
   const char *configuration; /**< its name, settings included */
   const char *accesses;      /**< the streams or the unit, as given */
   unsigned first_frame, last_frame;
   uint32_t block_bytes;
   enum cm_index index;
   unsigned warm_up;     /**< frames at the beginning that are not counted */
   bool empty_each_pass; /**< each render pass begins with empty caches */
   const struct cm_sweep_point *points;
   const struct cm_sweep_result *results;
   uint32_t num_points;
};

/** Misses and bypasses. */
uint64_t sweep_misses(const struct cm_sweep_result *result);

/** Write it all to a file; errors are the file's (ferror). */
void sweep_report_table(const struct sweep_report *report, FILE *file);
void sweep_report_csv(const struct sweep_report *report, FILE *file);
void sweep_report_json(const struct sweep_report *report, FILE *file);

#endif
