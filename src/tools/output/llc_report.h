/* SPDX-License-Identifier: MIT */
/** The results of `tbrsim llc`: as a table, as comma-separated values, as JSON. docs/llc.md describes each
 * value. */
#ifndef LLC_REPORT_H
#define LLC_REPORT_H

#include <stdio.h>

#include "analysis/llc.h"

/** One cache of a comparison. */
struct llc_point {
   struct cm_cache_config config;
   enum cm_llc_oracle oracle;
   const char *setting; /**< what --policy has behind the name; NULL: nothing */
   struct cm_llc_result result;
};

/** The caches over one recording. */
struct llc_comparison {
   const char *file;          /**< the recording */
   const char *configuration; /**< its name, settings included */
   enum cm_unit unit;
   unsigned first_frame, last_frame; /**< simulated, by the program's numbers */
   struct cm_llc_options options;
   struct llc_point *points;
   unsigned num_points;
};

/** What policies' names have behind them, by enum cm_llc_oracle. */
extern const char *const llc_oracle_names[CM_LLC_KNOWS_FRAME + 1];

struct llc_report {
   struct llc_comparison *comparisons;
   unsigned count;
};

/** Write it all to a file; errors are the file's (ferror). */
void llc_report_table(const struct llc_report *report, FILE *file);
void llc_report_csv(const struct llc_report *report, FILE *file);
void llc_report_json(const struct llc_report *report, FILE *file);

#endif
