/* SPDX-License-Identifier: MIT */
/** What the pipelines of both GPUs report to a timeline alike: which rows of DRAM's banks are open, and counters: the
 * mean occupancy of each queue, DRAM's bandwidth, counts of the pipeline's own. */
#ifndef CM_TIMING_REPORT_H
#define CM_TIMING_REPORT_H

#include "timing/pipeline.h"
#include "timing/timeline.h"

/** A count of a pipeline's own: the counter is by how much it grows in a cycle. */
struct cm_report_count {
   const char *name, *description;
};
#define CM_REPORT_COUNTS 4

/** A row that a bank has open. */
struct cm_open_row {
   uint64_t since; /**< the cycle; CM_UNKNOWN: none is */
   uint64_t row;
};

/** What counters are made of, at a cycle. */
struct cm_report_state {
   uint64_t cycle, counts[CM_REPORT_COUNTS];
   uint64_t waiting[CM_TIMELINE_MAX_COUNTERS]; /**< by queue */
   uint64_t bytes[2];                          /**< of DRAM, read and written */
};

struct cm_report {
   struct cm_timeline *timeline;
   const struct cm_pipeline *pipeline;
   uint32_t first_bank; /**< the track of the first of all banks */
   uint32_t rank_banks, ranks, num_banks;
   struct cm_open_row *rows; /**< by bank */
   unsigned num_counts;
   uint64_t (*count)(const void *pipeline, unsigned number); /**< a count so far */
   bool is_observing;                                        /**< the frame is kept */
   struct cm_report_state past;                              /**< at the last sample */
};

/** Adds tracks of the banks, and counters. pipeline: what count is called with, begins with a struct cm_pipeline; it and
 * the timeline must outlive this. counts: ended by zeros, at most CM_REPORT_COUNTS. NULL when out of memory. */
struct cm_report *
cm_report_create(struct cm_timeline *timeline, const void *pipeline, const struct cm_report_count *counts,
                 uint64_t (*count)(const void *pipeline, unsigned number));
void cm_report_destroy(struct cm_report *report);

/** A frame begins, the first one too; one has ended. */
void cm_report_begin_frame(struct cm_report *report, uint64_t cycle);
void cm_report_end_frame(struct cm_report *report, uint64_t cycle);

/** The counters up to a cycle, where that is later than the last sample. */
void cm_report_sample(struct cm_report *report, uint64_t cycle);

#endif
