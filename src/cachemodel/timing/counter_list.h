/* SPDX-License-Identifier: MIT */
/** The list of a pipeline's counters: what it has beside them, its stages, its queues, and the DRAM system. */
#ifndef CM_COUNTER_LIST_H
#define CM_COUNTER_LIST_H

#include "stats/counters.h"

/** What a pipeline has; stages and queues have no unit of measure. */
struct cm_pipeline_texts {
   const struct cm_counter_text *events, *stages, *queues;
   int num_events, num_stages, num_queues;
};

/** Of a list's X(identifier, name, description). */
#define CM_PART_TEXT(id, name, description) {name, NULL, description},

/** Appends them, with events from 0: the pipeline's, the states of each stage (timing/pieces.h), items and cycles of
 * each queue, CM_DRAM_SYSTEM_COUNTERS. False when memory is out. */
bool cm_pipeline_list_counters(const struct cm_pipeline_texts *texts, struct cm_counter_table *table);

#endif
