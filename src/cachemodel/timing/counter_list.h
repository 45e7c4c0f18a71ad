/* SPDX-License-Identifier: MIT */
/** A pipeline's counters: events of its own, then its stages, its queues, and the DRAM system. */
#ifndef CM_COUNTER_LIST_H
#define CM_COUNTER_LIST_H

#include "stats/counters.h"
#include "timing/memory.h"
#include "timing/pieces.h"

/** What a pipeline has; stages and queues have no unit of measure. */
struct cm_pipeline_texts {
   const struct cm_counter_text *events, *stages, *queues;
   int num_events, num_stages, num_queues;
};

/** Of a list's X(identifier, name, description). */
#define CM_PART_TEXT(id, name, description) {name, NULL, description},

/** Appends them, with events from 0: the pipeline's, the states of each stage (timing/pieces.h), items and cycles of
 * each queue, CM_DRAM_SYSTEM_COUNTERS. False when out of memory. */
bool cm_pipeline_list_counters(const struct cm_pipeline_texts *texts, struct cm_counter_table *table);

/** How many they are, of so many events, stages and queues. */
#define CM_PIPELINE_COUNT_DRAM(name, measure, description) +1
#define CM_PIPELINE_COUNTER_COUNT(events, stages, queues) \
   ((events) + CM_STAGE_STATE_COUNT * (stages) + 2 * (queues)CM_DRAM_SYSTEM_COUNTERS(CM_PIPELINE_COUNT_DRAM))

/** The values of those behind the events, in the same order. */
void cm_pipeline_collect(uint64_t *values, const struct cm_stage *const *stages, unsigned num_stages,
                         const struct cm_queue *const *queues, unsigned num_queues,
                         const struct cm_memory *memory);

#endif
